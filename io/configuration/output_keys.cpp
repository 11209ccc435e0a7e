// [output] and [checkpoint].
#include "io/configuration/key_groups.hpp"

namespace scree {
namespace {

const KeySpec kLogEvery = {.key = "log_every",
                           .doc = "rows of series.csv and progress lines",
                           .lacking = Lacking::kTakesAnother,
                           .range = "as every if not given",
                           .dimension = kTime,
                           .lower = 0.0,
                           .open = true};

/// A switch of the snapshot's format, as the word for it.
Key<OutputConfig> PrecisionRow() {
  return {{.key = "precision",
           .doc = "of numbers in snapshots",
           .kind = Kind::kChoice,
           .initial = "double",
           .range = "double | single"},
          [](OutputConfig& output, const Value& value) {
            output.format.single = std::get<std::string>(value) == "single";
          },
          [](const OutputConfig& output) {
            return Value(std::string(output.format.single ? "single" : "double"));
          }};
}

Keys<OutputConfig> OutputRows() {
  using O = OutputConfig;
  return {
      {{.key = "directory", .doc = "where everything is written", .initial = "output"},
       &O::directory},
      {{.key = "every",
        .doc = "snapshots",
        .initial = "never",
        .range = "whole steps",
        .dimension = kTime,
        .lower = 0.0,
        .open = true},
       &O::every},
      {kLogEvery, &O::log_every},
      {{.key = "energy_book",
        .doc = "series.csv tells where the energy goes, summed over all steps",
        .initial = "no"},
       &O::energy_book},
      {{.key = "wall_forces",
        .doc = "series.csv tells mean force and torque on each wall, with deviations",
        .initial = "no"},
       &O::wall_forces},
      {{.key = "overwrite", .doc = "replace existing output", .initial = "no"}, &O::overwrite},
      {{.key = "fields",
        .doc = "of the particles; position and id always",
        .kind = Kind::kFields,
        .initial = "all"},
       [](auto& output) -> decltype(auto) { return (output.format.fields); }},
      PrecisionRow(),
      {{.key = "contacts", .doc = "snapshots have the contacts too", .initial = "no"},
       &O::contacts},
  };
}

Keys<CheckpointConfig> CheckpointRows() {
  using C = CheckpointConfig;
  return {
      {{.key = "every",
        .doc = "checkpoints, also one at the end",
        .kind = Kind::kPace,
        .initial = "never",
        .range = "whole steps, or \"30 min wall\"",
        .dimension = kTime,
        .lower = 0.0,
        .open = true},
       &C::every},
      {{.key = "keep",
        .doc = "how many of the last ones are kept",
        .initial = "2",
        .range = ">= 1",
        .lower = 1.0},
       &C::keep},
  };
}

void LogAsOftenAsSnapshots(SectionReader& reader, RunConfig& run) {
  if (!reader.HasValue("output", kLogEvery)) run.output.log_every = run.output.every;
}

}  // namespace

std::vector<KeyGroup> OutputKeys() {
  return {
      Once({"output", "output", 0, 0, "What is written", AtAnyRestart(), {}},
           Within<RunConfig>(&RunConfig::output, OutputRows()), LogAsOftenAsSnapshots),
      Once({"checkpoint", "checkpoint", 0, 0, "What --restart goes on from", AtAnyRestart(), {}},
           Within<RunConfig>(&RunConfig::checkpoint, CheckpointRows())),
  };
}

}  // namespace scree
