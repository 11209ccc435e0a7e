/// \file  The complete input of a run: the scene and the parameters, in SI units.
///
/// The option parser fills this from a scene file and the command line. Nothing else reads options.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "engine/observation/averages.hpp"
#include "engine/scene/scene.hpp"
#include "engine/scene/step_parameters.hpp"
#include "io/scene/snapshot_format.hpp"
#include "io/scene/table_columns.hpp"

namespace scree {

/// Interval between repeated actions: in steps, in simulated time or, if a key allows it, in
/// wall-clock time. All zero: never.
struct Interval {
  std::int64_t steps = 0;
  double time = 0.0;  // [s]
  double wall = 0.0;  // [s]

  /// Whole steps, at least 1; 0 for never and for wall-clock time.
  /// @throws InputError if the time is not a whole number of steps (within 1e-6 of a step). Base
  /// steps that are a power of ten seconds, as automatic ones are, allow any time that rounding to
  /// base steps changes by at most 1e-4 of its value
  std::int64_t InSteps(const StepParameters& step, const char* key) const;
  friend bool operator==(const Interval&, const Interval&) = default;
};

/// The value of a key of any kind.
using KeyValue =
    std::variant<bool, std::int64_t, double, Vec3, std::string, Interval, std::array<bool, 3>,
                 OutflowFaces, std::array<int, 3>, std::vector<double>, Table>;

struct TimeConfig {
  double end = 0.0;  // [s]
};

struct OutputConfig {
  std::string directory = "output";
  Interval interval;         // between snapshots
  Interval log_every;        // between rows of series.csv and progress lines; unset: `interval`
  bool energy_book = false;  // series.csv has the cumulative EnergyBalance
  bool wall_forces = false;  // series.csv has the WallLoad of each wall
  bool overwrite = false;
  SnapshotFormat format;         // of the snapshots
  bool contacts = false;         // snapshots include the contacts
  std::vector<double> problems;  // ends of the steps whose contact problems are written, > 0 [s]
};

struct CheckpointConfig {
  Interval interval;      // may be wall-clock time
  std::int64_t keep = 2;  // number of latest checkpoints that are kept, ≥ 1
};

struct InitialConfig {
  std::string file;  // snapshot or table of particles; empty: only the scene's fills
  bool with_fills =
      false;  // the fills are added to the file's particles; else the file replaces them
};

struct ParallelConfig {
  /// Subdomains along each axis; zeros: automatic (StepParameters::balance).
  std::array<int, 3> subdomains = {0, 0, 0};
};

struct AverageConfig {
  std::string name;
  std::variant<FieldGrid, FlowPlane> geometry;
  double from = 0.0;         // [s]
  std::optional<double> to;  // [s]; none: the end of the run
  Interval frame_interval;   // between frames of a grid
  Interval interval = {};    // averaging time of each row of the table; never: a single row
};

/// Value that removes a key of the scene; on the command line or in a change.
inline const std::string kUnset = "unset";

/// A value of a key after a change, or kUnset.
struct NewValue {
  std::string section, key;
  KeyValue value;
};

/// Values that change at a time of the run (config_changes.hpp).
struct SceneChange {
  double time = 0.0;             // [s], > 0
  std::vector<NewValue> values;  // of the keys that differ from this time on
};

/// A file that the scene names, with its digest at the start of the run.
struct InputDigest {
  std::string key;            // key that names the file: "wall.NAME.file"
  std::string digest;         // of its unpacked content; empty: not loaded yet
  std::string location = {};  // line of the scene that names the file, for messages
};

struct RunConfig {
  Scene scene;
  StepParameters step;
  TimeConfig time;
  OutputConfig output;
  CheckpointConfig checkpoint;
  InitialConfig initial;
  ParallelConfig parallel;
  std::vector<AverageConfig> averages;
  std::vector<SceneChange> changes;  // during the run, in the order of their times
  std::vector<InputDigest> inputs;   // of the files of meshes
};

/// Step counts, ascending. The contact problem of each step that ends at such a count is written.
/// @throws InputError as Interval::InSteps
std::vector<std::int64_t> ProblemSteps(const RunConfig& config);

/// The sampling times of an average in steps. They stop at the end of the run. An average that
/// begins later has last < first.
/// @throws InputError as Interval::InSteps
AverageSpec Schedule(const AverageConfig& average, const RunConfig& config);

}  // namespace scree
