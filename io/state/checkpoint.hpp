/// \file  Checkpoints: all that the next step depends on, one HDF5 file of all ranks.
///
/// io/README.md gives the layout. Nothing in it depends on the clock or the place, so equal runs
/// give equal bytes.
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

/// How far a run's output had come.
struct OutputCounters {
  std::int64_t series_rows = 0;  // without the header
  std::int64_t timing_rows = 0;
  std::vector<WrittenSnapshot> snapshots;
};

/// All that is stored besides the state.
struct Checkpoint {
  SnapshotMeta meta;                  // its domain is that of the configuration
  Cuts cuts;                          // one box per rank
  RestartPoint point;                 // of the time step
  std::vector<AverageSums> averages;  // of this rank, one per average of the configuration
  OutputCounters output;
};

/// Writes the file under its temporary name; PublishCheckpoint makes it count. Collective.
/// @param state  of which the owned particles are stored, gone ones too
/// @param specs  of the averages
/// @throws OutputError on all ranks
void WriteCheckpoint(const Communicator& communicator, const std::string& path,
                     const Checkpoint& checkpoint, const State& state,
                     const std::vector<AverageSpec>& specs);

/// What can be known of a checkpoint before its configuration is. One rank.
/// @throws FileError
SnapshotMeta ReadCheckpointMeta(const std::string& path);

class Hdf5Reader;
/// How the domain was cut for the ranks that wrote a checkpoint. One rank.
/// @throws FileError
Cuts ReadCuts(const Hdf5Reader& file);
/// The same on all ranks. Collective.
Cuts ReadCheckpointCuts(const Communicator& communicator, const std::string& path);

/// Reads a checkpoint for this number of ranks and cuts of the domain. If they are those of the
/// writer, each rank gets what it had; else particles and sums are dealt evenly without the gone
/// ones, and the point is redistributed. Collective.
/// @param specs  of the averages, as the configuration in the checkpoint has them
/// @param state  filled in
/// @throws FileError on all ranks if the file is missing, damaged or no checkpoint
Checkpoint ReadCheckpoint(const Communicator& communicator, const std::string& path,
                          const Cuts& cuts, const std::vector<AverageSpec>& specs, State& state);

/// The scene that a checkpoint should be of.
struct CheckpointScene {
  const Scene& scene;  // may have more walls and rains, that come after those
  std::size_t walls = 0, rains = 0;
  const StepParameters& step;    // its dt is that in which time is counted
  bool reads_particles = false;  // at time zero, from a file
  bool changes = false;          // on the way, sizes and densities too
};

/// Demands of what ReadCheckpoint gave that it can be a state of the scene: numbers of rows,
/// walls, rains, steps and particles, values of all particles, sizes that there have been, masses
/// of rains, places and skin of the list. Collective.
///
/// A digest does not say who wrote a file, and a state as good as another cannot be told from it.
/// Bounds only, with no harm within them:
/// - impulses are the start of the sweeps, which end at the same solution;
/// - a longer skin gives a longer list of the same contacts;
/// - where a file or a change on the way has brought sizes that have left since, radii between a
///   thousandth and a thousand times those present: margins and automatic steps follow them;
/// - ids above all in use, where rains may have been added: they stay unique;
/// - `inserted` of pistons, `deleted`, energies, means and rows are figures of the output alone.
/// @param path  for messages
/// @throws FileError on all ranks
void CheckCheckpoint(const Communicator& communicator, const std::string& path,
                     const CheckpointScene& of, const Checkpoint& checkpoint, const State& state);

}  // namespace scree
