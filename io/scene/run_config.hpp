/// \file  Everything a run is told: the scene and the parameters, in SI units.
///
/// The option parser fills this from a scene file and the command line; nothing else reads options.
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

/// How often something happens: in steps, in simulated time or, where a key allows it, in
/// wall-clock time; none of them: never.
struct Interval {
  std::int64_t steps = 0;
  double time = 0.0;  // [s]
  double wall = 0.0;  // [s]

  /// Whole steps, at least 1; 0 for never and for wall-clock time.
  /// @throws InputError if the time is not a whole number of steps (to 1e-6 of a step; base steps
  ///         of automatic ones are rounded to).
  std::int64_t InSteps(const StepParameters& step, const char* key) const;
  friend bool operator==(const Interval&, const Interval&) = default;
};

/// The value of a key, whatever it is written like.
using KeyValue =
    std::variant<bool, std::int64_t, double, Vec3, std::string, Interval, std::array<bool, 3>,
                 OutflowFaces, std::array<int, 3>, std::vector<double>, Table>;

struct TimeConfig {
  double end = 0.0;  // [s]
};

struct OutputConfig {
  std::string directory = "output";
  Interval every;            // snapshots
  Interval log_every;        // rows of series.csv and progress lines; unset: as `every`
  bool energy_book = false;  // series.csv has the cumulated EnergyBalance
  bool wall_forces = false;  // series.csv has the WallLoad of each wall
  bool overwrite = false;
  SnapshotFormat format;         // of the snapshots
  bool contacts = false;         // also in the snapshots
  std::vector<double> problems;  // of the steps that end then the contact problems, > 0 [s]
};

struct CheckpointConfig {
  Interval every;         // may be wall-clock time
  std::int64_t keep = 2;  // ≥ 1
};

struct InitialConfig {
  std::string file;         // HDF5 snapshot or CSV; empty: the scene's fills alone
  bool with_fills = false;  // the fills come to the file's particles; else the file replaces them
};

struct ParallelConfig {
  /// Subdomains along each axis; zeros: the grid with the smallest halo surface.
  std::array<int, 3> subdomains = {0, 0, 0};
};

struct AverageConfig {
  std::string name;
  std::variant<FieldGrid, FlowPlane> of;
  double from = 0.0;         // [s]
  std::optional<double> to;  // [s]; none: the end of the run
  Interval every;            // fields only
  Interval interval = {};    // fields: that each row of a time series is the mean of; none: all
};

/// As a value on the command line or of a change: the scene's line is as if it were not there.
inline const std::string kUnset = "unset";

/// A value that a key has from then on, or kUnset.
struct NewValue {
  std::string section, key;
  KeyValue value;
};

/// What holds from a moment on (config_changes.hpp).
struct SceneChange {
  double time = 0.0;             // [s], > 0
  std::vector<NewValue> values;  // that differ from then on
};

/// What a file that the scene names held when the run began.
struct InputDigest {
  std::string key;         // that names it: "wall.NAME.file"
  std::string digest;      // of its content, unpacked; empty: not loaded yet
  std::string where = {};  // it is named, for messages
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
  std::vector<SceneChange> changes;  // on the way, in the order of their times
  std::vector<InputDigest> inputs;   // of the files of meshes
};

/// Steps done at which the contact problem of the last one is written, ascending.
/// @throws InputError as Interval::InSteps
std::vector<std::int64_t> ProblemSteps(const RunConfig& config);

/// When an average looks, in steps. An average that would go on after the end of the run stops
/// there; one that begins later has last < first.
/// @throws InputError as Interval::InSteps
AverageSpec Schedule(const AverageConfig& average, const RunConfig& config);

}  // namespace scree
