#include "io/configuration/config_reader.hpp"

#include "engine/step/base_step.hpp"
#include "io/configuration/config_changes.hpp"
#include "io/configuration/key_groups.hpp"
#include "io/configuration/scene_changes.hpp"
#include "solvers/base/check.hpp"

namespace scree {

namespace {

/// The closed form is for spheres alone.
void UseGeneralKernelForClumps(const Settings& settings, ErrorList& errors, RunConfig& config) {
  Kernel& kernel = config.step.solver.kernel;
  if (!config.scene.HasClumps() || kernel != Kernel::kSphere) return;
  kernel = kDefaultKernelOfBodies;
  if (!settings.Given("solver", "kernel")) return;
  errors.Add(settings.Where("solver", "kernel"),
             "is sphere, which cannot solve contacts of the scene's shapes; expected "
             "coulomb or max_dissipation");
}

/// A grid that somebody chose stays as it is.
void KeepGrid(RunConfig& config) {
  if (config.parallel.subdomains[0] != 0) config.step.balance = kNeverBalance;
}

/// What follows from the times of the whole scene. Particles of a file are not known yet.
void SetBaseStep(RunConfig& config) {
  if (config.step.accuracy == 0.0) return;
  if (config.step.dt == 0.0) {
    config.step.dt = BaseStepOf(config.scene, config.initial.file.empty(), config.time.end);
  }
  for (Rain& rain : config.scene.rains) rain.most_steps = kMostBaseStepsPerShower;
}

/// Fills the configuration from settings that are right one by one; what is missing or does not
/// exist goes to `errors`.
RunConfig BuildRunConfig(const Settings& settings, ErrorList& errors) {
  RunConfig config;
  for (const KeyGroup& group : KeyGroups()) group.read(settings, errors, config);
  UseGeneralKernelForClumps(settings, errors, config);
  KeepGrid(config);
  if (errors.Empty()) SetBaseStep(config);
  return config;
}

RunConfig ReadAtOneTime(const IniFile& file, const std::vector<IniEntry>& overrides,
                        ParticlesFrom from, const SceneFiles& files, ErrorList& errors) {
  const Settings settings(file, overrides, errors, files);
  RunConfig config = BuildRunConfig(settings, errors);
  if (errors.Empty()) CheckRunConfig(config, settings, from, errors);
  return config;
}

/// What differs in these texts, of configurations before and after a change.
SceneChange Difference(const ChangeSection& section, const std::string& before,
                       const std::string& after, ErrorList& errors) {
  SceneChange change{section.time, {}};
  for (const ConfigChange& difference : ChangesBetween(before, after)) {
    const std::size_t dot = difference.key.rfind('.');
    const std::string of = difference.key.substr(0, dot), key = difference.key.substr(dot + 1);
    MayChangeOnTheWay({of, key, "", section.where + " " + difference.key}, errors);
    change.values.push_back({of, key, difference.after.empty() ? kUnset : difference.after});
  }
  return change;
}

/// Each change is read as if it were given on the command line: the whole scene is checked as it is
/// from then on.
std::vector<SceneChange> ReadChanges(const IniFile& file, std::vector<IniEntry> entries,
                                     const std::vector<ChangeSection>& sections,
                                     const RunConfig& first, ParticlesFrom from,
                                     const SceneFiles& files, ErrorList& errors) {
  std::vector<SceneChange> changes;
  // What is wrong has no effective configuration: its walls may lack what the writer takes for
  // given.
  std::string before = sections.empty() || !errors.Empty() ? "" : EffectiveIni(first);
  if (errors.Empty() && first.step.accuracy > 0.0) {  // time goes on being counted as it is
    entries.push_back({"time", "base_step", ShortestText(first.step.dt), "[time] base_step"});
  }
  const std::size_t given = entries.size();
  for (const ChangeSection& section : sections) {
    for (const IniEntry& entry : section.entries) {
      if (MayChangeOnTheWay(entry, errors)) AddChange(entry, given, entries);
    }
    const RunConfig then = ReadAtOneTime(file, entries, from, files, errors);
    if (!errors.Empty()) continue;
    const std::string after = EffectiveIni(then);
    changes.push_back(Difference(section, before, after, errors));
    before = after;
  }
  return changes;
}

}  // namespace

std::string WithBaseStep(std::string configuration) {
  constexpr std::string_view kAutomatic = "\nstep = auto\n", kBase = "\nbase_step = ";
  const std::size_t at = configuration.find(kAutomatic);
  if (at != configuration.npos && configuration.find(kBase) == configuration.npos) {
    configuration.insert(at + kAutomatic.size(), Text("base_step = ", kBaseStep, " s\n"));
  }
  return configuration;
}

RunConfig ReadRunConfig(std::string_view scene_text, const std::string& file_name,
                        const std::vector<IniEntry>& overrides, ParticlesFrom from,
                        SceneFiles files) {
  if (files.scene.empty()) files.scene = file_name;
  ErrorList errors;
  IniFile file = ScanIni(scene_text, file_name, errors);
  if (file.sections.empty()) errors.ThrowIfAny();
  const std::vector<ChangeSection> sections = TakeChangeSections(file, errors);
  RunConfig config = ReadAtOneTime(file, overrides, from, files, errors);
  config.changes = ReadChanges(file, overrides, sections, config, from, files, errors);
  errors.ThrowIfAny();
  return config;
}

}  // namespace scree
