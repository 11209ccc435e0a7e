#include "io/scene/config_reader.hpp"

#include <algorithm>

#include "engine/step/base_step.hpp"
#include "io/scene/config_changes.hpp"
#include "io/scene/key_groups.hpp"
#include "io/scene/scene_file.hpp"
#include "solvers/base/check.hpp"

namespace scree {

namespace {

/// The default kernel, a closed form, can solve only contacts of spheres.
void UseGeneralKernelForClumps(const Settings& settings, ErrorList& errors, RunConfig& config) {
  Kernel& kernel = config.step.solver.kernel;
  if (!config.scene.HasClumps() || kernel != Kernel::kSphere) return;
  kernel = kDefaultKernelOfBodies;
  if (!settings.IsGiven("solver", "kernel")) return;
  errors.Add(settings.Where("solver", "kernel"),
             "is sphere, which cannot solve contacts of the scene's shapes; expected "
             "coulomb or max_dissipation");
}

void UseMoreSweepsForCells(const Settings& settings, RunConfig& config) {
  if (!config.scene.cell.IsActive() || settings.IsGiven("solver", "sweeps")) return;
  config.step.solver.sweeps = kDefaultSweepsOfCells;
}

/// A given grid of subdomains is not rebalanced.
void KeepGrid(RunConfig& config) {
  if (config.parallel.subdomains[0] != 0) config.step.balance = kNeverBalance;
}

/// For automatic steps: chooses the base step, unless it is given, from the time scales of the
/// whole scene, and allows more base steps between rain events. The sizes of particles in a file
/// are not known yet.
void SetBaseStep(RunConfig& config) {
  if (config.step.accuracy == 0.0) return;
  if (config.step.dt == 0.0) {
    config.step.dt = ChooseBaseStep(config.scene, config.initial.file.empty(), config.time.end);
  }
  for (Rain& rain : config.scene.rains) rain.max_steps = kMaxBaseStepsPerRainEvent;
}

std::size_t NumbersIn(const Table& table) {
  std::size_t count = 0;
  for (const TableColumn& column : table.Columns()) count += column.values.size();
  return count;
}

std::string ValueOrTableName(const NewValue& value, TableFiles* files) {
  constexpr std::size_t kMaxNumbersInText = 1000;
  const auto* const table = std::get_if<Table>(&value.value);
  if (files == nullptr || table == nullptr || NumbersIn(*table) <= kMaxNumbersInText) {
    return ValueText(value.section, value.key, value.value);
  }
  std::string content = CsvOf(*table);
  std::string name = KeptTableName(content);
  const bool is_read_from_files = NamesTableFile({value.section, value.key, name, ""});
  if (!is_read_from_files) return ValueText(value.section, value.key, value.value);
  files->emplace(name, std::move(content));
  return name;
}

/// Lists the files of meshes with the lines that name them.
void ListInputs(const Settings& settings, RunConfig& config) {
  for (const Wall& wall : config.scene.walls) {
    const bool is_mesh = std::ranges::any_of(
        wall.shape.parts, [](const ShapePart& part) { return std::holds_alternative<Mesh>(part); });
    if (is_mesh) {
      config.inputs.push_back({MeshKey(wall), "", settings.Where("wall." + wall.name, "file")});
    }
  }
}

}  // namespace

IniEntries RowsOf(RunConfig config) {
  IniEntries rows;
  for (const KeyGroup& group : KeyGroups()) group.write(config, rows);
  return rows;
}

std::string EffectiveIni(const RunConfig& config, TableFiles* files) {
  std::string text, section;
  for (const IniEntry& row : RowsOf(config)) {
    if (row.section != section) text += (text.empty() ? "[" : "\n[") + row.section + "]\n";
    section = row.section;
    text +=
        row.key + " = " + ValueOrTableName({row.section, row.key, *row.typed_value}, files) + "\n";
  }
  for (const SceneChange& change : config.changes) {
    text += "\n[" + ChangeSectionName(change.time) + "]\n";
    for (const NewValue& value : change.values) {
      text += value.section + "." + value.key + " = " + ValueOrTableName(value, files) + "\n";
    }
  }
  return text;
}

RunConfig BuildRunConfig(const Settings& settings, ErrorList& errors) {
  RunConfig config;
  for (const KeyGroup& group : KeyGroups()) group.read(settings, errors, config);
  UseGeneralKernelForClumps(settings, errors, config);
  UseMoreSweepsForCells(settings, config);
  KeepGrid(config);
  ListInputs(settings, config);
  if (errors.Empty()) SetBaseStep(config);
  return config;
}

RunConfig BuildCheckedConfig(const Settings& settings, ParticlesFrom source, ErrorList& errors) {
  RunConfig config = BuildRunConfig(settings, errors);
  if (errors.Empty()) CheckRunConfig(config, settings, source, errors);
  return config;
}

RunConfig ChangedConfig(const RunConfig& config, const IniEntries& values, const std::string& name,
                        const SceneFiles& files) {
  ErrorList errors;
  Settings settings(name, RowsOf(config), files);
  settings.Change(values, errors);
  RunConfig changed = BuildCheckedConfig(settings, ParticlesFrom::kScene, errors);
  errors.ThrowIfAny();
  return changed;
}

RunConfig ReadRunConfig(std::string_view scene_text, const std::string& file_name,
                        const IniEntries& overrides, ParticlesFrom source, SceneFiles files) {
  if (files.scene.empty()) files.scene = file_name;
  ErrorList errors;
  IniFile file = ScanIni(scene_text, file_name, errors);
  if (file.sections.empty()) errors.ThrowIfAny();
  const std::vector<ChangeSection> sections = ExtractChangeSections(file, errors);
  const Settings settings(file, overrides, errors, files);
  RunConfig config = BuildCheckedConfig(settings, source, errors);
  config.changes = ReadChanges(settings, sections, config, source, errors);
  errors.ThrowIfAny();
  return config;
}

}  // namespace scree
