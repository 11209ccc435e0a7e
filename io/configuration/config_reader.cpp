#include "io/configuration/config_reader.hpp"

#include "io/configuration/key_groups.hpp"
#include "solvers/check.hpp"

namespace scree {

namespace {

/// The closed form is for spheres alone.
void UseGeneralKernelForClumps(const Settings& settings, ErrorList& errors, RunConfig& config) {
  Kernel& kernel = config.step.solver.kernel;
  if (!config.scene.HasClumps() || kernel != Kernel::kSphere) return;
  kernel = Kernel::kMaxDissipation;
  if (!settings.Given("solver", "kernel")) return;
  errors.Add(settings.Where("solver", "kernel"),
             "is sphere, which cannot solve contacts of the scene's shapes; expected "
             "max_dissipation or coulomb");
}

/// A grid that somebody chose stays as it is.
void KeepGrid(RunConfig& config) {
  if (config.parallel.subdomains[0] != 0) config.step.balance = kNeverBalance;
}

}  // namespace

RunConfig BuildRunConfig(const Settings& settings, ErrorList& errors) {
  SectionReader reader(settings, errors);
  RunConfig config;
  for (const KeyGroup& group : KeyGroups()) group.read(reader, config);
  UseGeneralKernelForClumps(settings, errors, config);
  KeepGrid(config);
  return config;
}

RunConfig ReadRunConfig(std::string_view scene_text, const std::string& file_name,
                        const std::vector<IniEntry>& overrides, ParticlesFrom from) {
  ErrorList errors;
  const IniFile file = ScanIni(scene_text, file_name, errors);
  if (file.sections.empty()) errors.ThrowIfAny();
  const Settings settings(file, overrides, errors);
  RunConfig config = BuildRunConfig(settings, errors);
  if (errors.Empty()) CheckRunConfig(config, settings, from, errors);
  errors.ThrowIfAny();
  return config;
}

}  // namespace scree
