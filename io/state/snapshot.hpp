/// \file  Snapshots: one H5MD file each, with the particles of all ranks and the origin of the
/// data.
///
/// io/README.md gives the layout. The content does not depend on the time of the run, so equal runs
/// write equal bytes.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/contacts/bond_clusters.hpp"
#include "engine/contacts/bond_table.hpp"
#include "engine/observation/contact_records.hpp"
#include "engine/particles/particles.hpp"
#include "engine/ranks/communicator.hpp"
#include "io/scene/snapshot_format.hpp"
#include "io/state/snapshot_meta.hpp"

namespace scree {

/// The bonds of a rank for a snapshot.
struct BondOutput {
  std::span<const Bond> bonds;  // bonds whose home is this rank
  BondClusters clusters;
  bool has_damage = false;  // whether bonds can be damaged
};

struct Snapshot {
  SnapshotMeta meta;
  Particles particles;  // of this rank's rows, all owned
};

/// Writes the owned particles of all ranks, in rank order, then local order. The file appears
/// complete or not at all; its digest is in a second file. Collective.
/// @param contacts   of this rank in the last step; null: none are written
/// @param subdomain  of this rank; null: none is written
/// @param velocities  of the owned particles at this time [m/s]; empty: those of `particles`
/// @param bonds  of this rank; null: neither bonds nor clusters are written
/// @throws OutputError on all ranks
void WriteSnapshot(const Communicator& communicator, const std::string& path,
                   const Particles& particles, const SnapshotMeta& meta,
                   const SnapshotFormat& format = {},
                   const std::vector<ContactRecord>* contacts = nullptr,
                   const Box* subdomain = nullptr, std::span<const Vec3> velocities = {},
                   const BondOutput* bonds = nullptr);

/// Reads a snapshot. Rows are distributed evenly among the ranks in the order of the file.
/// Collective.
/// @throws FileError on all ranks if the file is missing, damaged, in other units or not a Scree
///         snapshot. Without a stored digest some damage is not detected
Snapshot ReadSnapshot(const Communicator& communicator, const std::string& path);

}  // namespace scree
