/// \file  Snapshots: the particles of all ranks and where they come from, one H5MD file each.
///
/// io/README.md gives the layout. Nothing in it depends on the clock, so equal runs give equal
/// bytes.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/observation/contact_records.hpp"
#include "engine/particles/particles.hpp"
#include "engine/ranks/communicator.hpp"
#include "io/scene/snapshot_format.hpp"
#include "io/state/snapshot_meta.hpp"

namespace scree {

struct Snapshot {
  SnapshotMeta meta;
  Particles particles;  // this rank's share, all owned
};

/// Writes the owned particles of all ranks, in rank order, then local order; the file appears whole
/// or not at all, and its digest beside it. Collective.
/// @param contacts   of this rank in the step that led here; null: none are written
/// @param subdomain  of this rank; null: none is written
/// @param velocities  of the owned particles at this moment [m/s]; empty: as they have them
/// @throws OutputError on all ranks
void WriteSnapshot(const Communicator& communicator, const std::string& path,
                   const Particles& particles, const SnapshotMeta& meta,
                   const SnapshotFormat& format = {},
                   const std::vector<ContactRecord>* contacts = nullptr,
                   const Box* subdomain = nullptr, std::span<const Vec3> velocities = {});

/// Reads a snapshot; rows are split evenly among the ranks in the order of the file. Collective.
/// @throws FileError on all ranks if the file is missing, damaged, in other units or not a snapshot
///         of ours; without a digest beside it not all damage is seen
Snapshot ReadSnapshot(const Communicator& communicator, const std::string& path);

}  // namespace scree
