// [output] and [checkpoint].
#include "io/configuration/key_groups.hpp"

namespace scree {
namespace {

KeyRow PrecisionRow(bool& single) {
  return {{"precision", "of numbers in snapshots", Kind::kChoice, InWords("double | single"),
           Default{"double"}},
          [&single](const Value& value) { single = std::get<std::string>(value) == "single"; },
          [&single] { return Value(std::string(single ? "single" : "double")); }};
}

KeyRows OutputRows(RunConfig& run) {
  OutputConfig& output = run.output;
  return {
      {{"directory", "where everything is written", Default{"output"}}, output.directory},
      {{"every", "snapshots", kTime, Range{"whole steps", 0.0, true}, Default{"never"}},
       output.every},
      {{"log_every", "rows of series.csv and progress lines", kTime, kElsewhere,
        Range{"as every if not given", 0.0, true}},
       output.log_every},
      {{"energy_book", "series.csv tells where the energy goes, summed over all steps",
        Default{"no"}},
       output.energy_book},
      {{"wall_forces", "series.csv tells mean force and torque on each wall, with deviations",
        Default{"no"}},
       output.wall_forces},
      {{"overwrite", "replace existing output", Default{"no"}}, output.overwrite},
      {{"fields", "of the particles; position and id always", Kind::kFields, Default{"all"}},
       output.format.fields},
      PrecisionRow(output.format.single),
      {{"contacts", "snapshots have the contacts too", Default{"no"}}, output.contacts},
  };
}

KeyRows CheckpointRows(RunConfig& run) {
  return {{{"every", "checkpoints, also one at the end", Kind::kPace, kTime,
            Range{"whole steps, or \"30 min wall\"", 0.0, true}, Default{"never"}},
           run.checkpoint.every},
          {{"keep", "how many of the last ones are kept", Range{">= 1", 1.0}, Default{"2"}},
           run.checkpoint.keep}};
}

void LogAsOftenAsSnapshots(SectionReader& reader, RunConfig& run) {
  if (!reader.HasValue("output", "log_every")) run.output.log_every = run.output.every;
}

}  // namespace

std::vector<KeyGroup> OutputKeys() {
  return {Once("output", "What is written", AtAnyRestart(), OutputRows, LogAsOftenAsSnapshots),
          Once("checkpoint", "What --restart goes on from", AtAnyRestart(), CheckpointRows)};
}

}  // namespace scree
