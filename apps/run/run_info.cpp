#include "apps/run/run_info.hpp"

#include <cstdio>
#include <filesystem>
#include <map>
#include <optional>
#include <vector>

#include "io/files/file_exists.hpp"
#include "io/files/text_file.hpp"
#include "io/files/text_lines.hpp"
#include "io/output/output_directory.hpp"
#include "io/scene/config_reader.hpp"
#include "io/scene/units.hpp"
#include "solvers/base/check.hpp"

namespace scree {
namespace {

namespace fs = std::filesystem;

std::string Line(const std::string& name, const std::string& text) {
  std::string head = name + ":";
  head.resize(16, ' ');
  return head + text + "\n";
}

std::string ShortText(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value);
  return text;
}

/// Steps of the files in a folder, ascending.
std::vector<std::int64_t> StepsIn(const fs::path& folder) {
  std::vector<std::int64_t> steps;
  std::error_code missing;
  for (const auto& entry : fs::directory_iterator(folder, missing)) {
    if (const auto step = StepOfName(entry.path().filename().string())) steps.push_back(*step);
  }
  std::sort(steps.begin(), steps.end());
  return steps;
}

/// The last complete row of series.csv, by column; empty if there is none yet.
std::map<std::string, double> LastRow(const fs::path& file) {
  std::map<std::string, double> row;
  if (!FileExists(file.string())) return row;
  const std::string text = ReadTextFile(file.string());
  const std::vector<TextLine> lines = LinesOfTable(text).values;
  const bool is_whole = !text.empty() && text.back() == '\n';
  const std::size_t rows = lines.size() - (is_whole || lines.empty() ? 0 : 1);
  if (rows < 2) return row;
  const auto names = Split(lines[0].text, ','), values = Split(lines[rows - 1].text, ',');
  for (std::size_t k = 0; k < std::min(names.size(), values.size()); ++k) {
    if (const auto number = FiniteNumber(values[k])) row.emplace(names[k], *number);
  }
  return row;
}

std::string Progress(const fs::path& directory, double time, double end) {
  if (FileExists((directory / kFailedFile).string())) {
    return Text("became invalid: the last state is in ", kFailedFile, ", the reason in ", kLogFile);
  }
  // Times in the series are sums of steps, with rounding errors.
  if (time >= end * (1.0 - 1e-9)) return "finished";
  return Text(ShortText(100.0 * time / end),
              " % done, running or stopped; to continue: scree-run --restart ", directory.string());
}

std::string QuantityLines(const std::map<std::string, double>& row) {
  struct Quantity {
    const char *column, *name, *unit;
  };
  constexpr Quantity kQuantities[] = {
      {"particles", "particles", ""},
      {"contacts", "contacts", ""},
      {"touching_per_particle", "coordination", "touching contacts per particle"},
      {"max_penetration", "penetration", "m at most"},
      {"kinetic_energy", "kinetic energy", "J"},
      {"max_speed", "largest speed", "m/s"}};
  std::string lines;
  for (const Quantity& quantity : kQuantities) {
    const auto entry = row.find(quantity.column);
    if (entry == row.end()) continue;
    const bool is_count = *quantity.unit == '\0';
    const std::string value =
        is_count ? std::to_string(std::llround(entry->second)) : ShortText(entry->second);
    lines += Line(quantity.name, is_count ? value : value + " " + quantity.unit);
  }
  return lines;
}

std::string DescribeSteps(const std::vector<std::int64_t>& steps, double step, const char* folder) {
  if (steps.empty()) return "none";
  return Text(steps.size(), " in ", folder, ", of ",
              ShortText(static_cast<double>(steps.front()) * step), " to ",
              ShortText(static_cast<double>(steps.back()) * step), " s");
}

}  // namespace

std::string DescribeRun(const std::string& path) {
  const fs::path directory(path);
  const std::string file = (directory / kConfigFile).string();
  if (!FileExists(file)) {
    throw FileError(Text("'", path, "' is not the output of a run: there is no ", kConfigFile));
  }
  const RunConfig config = ReadRunConfig(ReadTextFile(file), file, {});
  const std::map<std::string, double> row = LastRow(directory / kSeriesFile);
  const double time = row.contains("time") ? row.at("time") : 0.0;
  const Vec3 extent = config.scene.domain.box.Extent();
  std::string walls;
  for (const Wall& wall : config.scene.walls) walls += (walls.empty() ? "" : ", ") + wall.name;
  std::string text = Line("run", path) + Line("state", Progress(directory, time, config.time.end));
  text += Line("time",
               Text(ShortText(time), " of ", ShortText(config.time.end), " s, in steps of ",
                    ShortText(config.step.dt), " s", config.step.accuracy > 0.0 ? " or more" : ""));
  text += Line("domain", Text(ShortText(extent[0]), " x ", ShortText(extent[1]), " x ",
                              ShortText(extent[2]), " m"));
  text += Line("walls", walls.empty() ? "none" : walls);
  text += row.empty() ? Line("quantities", Text("none yet in ", kSeriesFile)) : QuantityLines(row);
  text += Line("snapshots",
               DescribeSteps(StepsIn(directory / "snapshots"), config.step.dt, "snapshots"));
  text += Line("checkpoints", DescribeSteps(StepsIn(directory / kCheckpointFolder), config.step.dt,
                                            kCheckpointFolder));
  for (const auto& average : config.averages) text += Line("average", AverageFile(average.name));
  return text;
}

}  // namespace scree
