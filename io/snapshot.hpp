/// \file  Snapshots: the particles of all ranks and where they come from, one H5MD file each.
///
/// io/README.md gives the layout. Nothing in it depends on the clock, so equal runs give equal
/// bytes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/box.hpp"
#include "engine/communicator.hpp"
#include "engine/materials.hpp"
#include "engine/observables.hpp"
#include "engine/particles.hpp"
#include "solvers/solve_report.hpp"

namespace scree {

/// All that a snapshot says besides the particles.
struct SnapshotMeta {
  Domain domain;
  std::vector<Material> materials;  // row k is MaterialId k
  std::string configuration;        // the effective one, as an ini file
  std::string program_version;
  std::string git_hash;
  std::uint64_t seed = 0;
  Observables observables;  // step and time are the snapshot's
  SolveReport solve;        // of the step that led here
};

struct Snapshot {
  SnapshotMeta meta;
  Particles particles;  // this rank's share, all owned
};

/// Writes the owned particles of all ranks, in rank order, then local order; the file appears whole
/// or not at all. Collective.
/// @throws OutputError on all ranks
void WriteSnapshot(const Communicator& communicator, const std::string& path,
                   const Particles& particles, const SnapshotMeta& meta);

/// Reads a snapshot; rows are split evenly among the ranks in the order of the file. Collective.
/// @throws FileError on all ranks if the file is missing, damaged or not a snapshot of ours
Snapshot ReadSnapshot(const Communicator& communicator, const std::string& path);

}  // namespace scree
