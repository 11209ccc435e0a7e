/// \file  Checkpoints: one HDF5 file for all ranks, with everything on which the next step depends.
///
/// io/README.md gives the layout. The content does not depend on the time or place of the run, so
/// equal runs write equal bytes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/observation/averages.hpp"
#include "engine/ranks/communicator.hpp"
#include "engine/step/time_step.hpp"
#include "io/scene/snapshot_format.hpp"
#include "io/state/snapshot_meta.hpp"

namespace scree {

/// A snapshot that was written before the checkpoint.
struct WrittenSnapshot {
  std::int64_t step = 0;
  std::int64_t particles = 0;
  SnapshotFormat format;
  friend bool operator==(const WrittenSnapshot&, const WrittenSnapshot&) = default;
};

/// The output that a run wrote before the checkpoint.
struct OutputCounters {
  std::int64_t series_rows = 0;  // without the header
  std::int64_t timing_rows = 0;
  std::vector<WrittenSnapshot> snapshots;
};

/// The stored data in addition to the state.
struct Checkpoint {
  SnapshotMeta meta;                  // its domain and walls are not stored
  Cuts cuts;                          // one box per rank
  RestartPoint point;                 // of the time step
  std::vector<AverageSums> averages;  // of this rank, one per average of the configuration
  OutputCounters output;
};

/// Writes the file under a temporary name. PublishCheckpoint gives it the final name. Collective.
/// @param state  its owned particles are stored, including removed ones
/// @param specs  specs of the averages
/// @throws OutputError on all ranks
void WriteCheckpoint(const Communicator& communicator, const std::string& path,
                     const Checkpoint& checkpoint, const State& state,
                     const std::vector<AverageSpec>& specs);

/// Reads the part of a checkpoint that is readable before the configuration is known. Call this on
/// one rank.
/// @throws FileError
SnapshotMeta ReadCheckpointMeta(const std::string& path);

class Hdf5Reader;
/// The subdomains of the ranks that wrote a checkpoint. Call this on one rank.
/// @throws FileError
Cuts ReadCuts(const Hdf5Reader& file);
/// As ReadCuts, but on all ranks. Collective.
Cuts ReadCheckpointCuts(const Communicator& communicator, const std::string& path);

/// Reads a checkpoint for this number of ranks and these subdomains. If the subdomains equal those
/// of the writing ranks, each rank reads what the same rank wrote. If not, removed particles are
/// dropped, particles and sums are distributed evenly, and RestartPoint::redistributed is set.
/// Collective.
/// @param specs  averages of the checkpoint's configuration
/// @param state  set to the stored state
/// @throws FileError on all ranks if the file is missing, damaged or not a checkpoint
Checkpoint ReadCheckpoint(const Communicator& communicator, const std::string& path,
                          const Cuts& cuts, const std::vector<AverageSpec>& specs, State& state);

/// The scene to which a checkpoint should belong.
struct CheckpointScene {
  const Scene& scene;  // walls and rains that a restart adds follow those of the checkpoint
  std::size_t walls = 0, rains = 0;  // their numbers in the checkpoint
  const StepParameters& step;        // time is counted in its dt
  bool reads_particles = false;      // whether particles came from a file at time zero
  bool has_changes = false;  // whether the run may have changed sizes and densities since the start
};

/// Requires that data from ReadCheckpoint can be a state of the scene. Checks the numbers of rows,
/// walls, rains, steps and particles, the values of all particles, the sizes that the scene has
/// made, the masses of rains, and the positions and skin of the neighbour list. Collective.
///
/// A digest does not show who wrote a file, and these checks cannot show whether a valid state is
/// the correct one. Some quantities only have bounds, because any value within them is harmless:
/// - impulses: sweeps start from them but end at the same solution;
/// - skin: a longer one only makes the neighbour list longer;
/// - extreme radii, if a file or a change during the run may have added sizes that no particle has
/// any more: within a factor of 1000 of the current radii. Only margins and automatic steps depend
/// on them;
/// - the next id, if a restart may have added rains: any value above all ids keeps ids unique;
/// - `inserted` of pistons, `deleted`, energies, means and rows: they only appear in the output.
/// @param path  for messages
/// @throws FileError on all ranks
void CheckCheckpoint(const Communicator& communicator, const std::string& path,
                     const CheckpointScene& scene, const Checkpoint& checkpoint,
                     const State& state);

}  // namespace scree
