#include "io/state/snapshot_meta.hpp"

#include "io/files/build_info.hpp"
#include "io/state/number_range.hpp"
#include "solvers/base/check.hpp"

namespace scree {
namespace {

const std::string kShapes = "/scree/shapes";
const std::string kInputs = "/scree/inputs";
const std::string kObservables = "/scree/observables";
constexpr const char *kTouching = "touching_contacts", *kTouchingGap = "touching_gap";
const std::string kSolveError = "/scree/solver/error";

/// The observables by name. This single list serves writing and reading.
template <class ObservablesType, class Visit>
void ForEachObservable(ObservablesType& o, Visit&& visit) {
  visit("step", o.step, kCount);
  visit("time", o.time, kNotNegative);
  visit("time_step", o.time_step, kNotNegative);
  visit("particles", o.particles, kCount);
  visit("inserted", o.inserted, kCount);
  visit("deleted", o.deleted, kCount);
  visit("contacts", o.contacts, kCount);
  visit("closed_contacts", o.closed_contacts, kCount);
  visit("loaded_contacts", o.loaded_contacts, kCount);
  visit("wall_contacts", o.wall_contacts, kCount);
  visit("max_penetration", o.max_penetration, kNotNegative);
  visit("max_penetration_interval", o.max_penetration_interval, kNotNegative);
  visit("kinetic_energy", o.kinetic_energy, kNotNegative);
  visit("mean_velocity_x", o.mean_velocity.x(), kVelocity);
  visit("mean_velocity_y", o.mean_velocity.y(), kVelocity);
  visit("mean_velocity_z", o.mean_velocity.z(), kVelocity);
  visit("max_speed", o.max_speed, kNotNegative);
}

std::int64_t ConvergedCode(const std::optional<bool>& converged) {
  return converged.has_value() ? static_cast<std::int64_t>(*converged) : -1;
}

/// Called only if the solve of a step has been measured.
void WriteSolveError(Hdf5Writer& file, const MeasuredSolveError& error) {
  file.MakeGroup(kSolveError);
  file.Attribute(kSolveError, "step", error.step);
  file.Attribute(kSolveError, "impulses", error.impulses);
  file.Attribute(kSolveError, "normal_rms", error.normal_rms);
  file.Attribute(kSolveError, "normal_mean", error.normal_mean);
  if (!error.loads.empty()) file.ListAttribute<double>(kSolveError, "loads", error.loads);
}

std::optional<MeasuredSolveError> ReadSolveError(const Hdf5Reader& file) {
  if (!file.Has(kSolveError)) return std::nullopt;
  MeasuredSolveError error;
  const auto read = [&](const char* name, auto& value, const NumberRange& range) {
    value = file.Attribute<std::remove_reference_t<decltype(value)>>(kSolveError, name);
    RequireNumber(file.Path(), Text(name, " of ", kSolveError), value, range);
  };
  constexpr NumberRange kExcess{-1.0, kNotNegative.max};
  read("step", error.step, kCount);
  read("impulses", error.impulses, kNotNegative);
  read("normal_rms", error.normal_rms, kExcess);
  read("normal_mean", error.normal_mean, kExcess);
  if (!file.HasAttribute(kSolveError, "loads")) return error;
  error.loads = file.ListAttribute<double>(kSolveError, "loads");
  RequireNumbers<double>(file.Path(), Text("loads of ", kSolveError), error.loads, kNotNegative);
  return error;
}

/// Writes the digests of the files that the scene names.
void WriteInputs(Hdf5Writer& file, const std::vector<InputDigest>& inputs) {
  if (inputs.empty()) return;
  std::vector<std::string> keys, digests;
  for (const InputDigest& input : inputs) {
    keys.push_back(input.key);
    digests.push_back(input.digest);
  }
  file.MakeGroup(kInputs);
  file.TextListAttribute(kInputs, "key", keys);
  file.TextListAttribute(kInputs, "digest", digests);
}

std::vector<InputDigest> ReadInputs(const Hdf5Reader& file) {
  if (!file.Has(kInputs)) return {};
  const std::vector<std::string> keys = file.TextListAttribute(kInputs, "key");
  const std::vector<std::string> digests = file.TextListAttribute(kInputs, "digest");
  if (keys.size() != digests.size()) {
    throw FileError(Text("'", file.Path(), "': ", kInputs, " has ", keys.size(), " keys and ",
                         digests.size(), " digests; expected equal numbers"));
  }
  std::vector<InputDigest> inputs;
  for (std::size_t k = 0; k < keys.size(); ++k) inputs.push_back({keys[k], digests[k]});
  return inputs;
}

/// Writes the shapes with their members x, y, z, r; nothing if the scene has no clumps.
void WriteShapes(Hdf5Writer& file, const std::vector<ShapeRecord>& shapes) {
  if (shapes.empty()) return;
  std::vector<std::string> names;
  for (const ShapeRecord& shape : shapes) names.push_back(shape.name);
  file.MakeGroup(kShapes);
  file.TextListAttribute(kShapes, "name", names);
  for (const ShapeRecord& shape : shapes) {
    std::vector<double> numbers;
    for (const Member& member : shape.members) {
      const Vec3& x = member.centre;
      numbers.insert(numbers.end(), {x.x(), x.y(), x.z(), member.radius});
    }
    const std::string group = kShapes + "/" + shape.name;
    file.MakeGroup(group);
    file.ListAttribute<double>(group, "members", numbers);
    file.Attribute(group, "volume", shape.volume);
    file.Attribute(group, "density", shape.density);
    file.ListAttribute<double>(group, "inertia",
                               {shape.inertia.data(), shape.inertia.data() + shape.inertia.size()});
    if (!shape.faces.empty()) file.ListAttribute<std::int64_t>(group, "faces", shape.faces);
  }
}

}  // namespace

SnapshotMeta MakeSnapshotMeta(const Scene& scene, double dt, const Observables& observed,
                              const SolveReport& report, FreeWallStates free_walls) {
  SnapshotMeta meta;
  meta.domain = scene.domain;
  for (std::size_t k = 0; k < scene.materials.Size(); ++k) {
    meta.materials.push_back(scene.materials[static_cast<MaterialId>(k)]);
  }
  for (const ClumpShape& clump : scene.clumps) meta.shapes.push_back(ShapeRecord::Of(clump));
  meta.walls = RecordWalls(scene, dt, observed.step, free_walls);
  meta.program_version = ProgramVersion();
  meta.git_hash = GitHash();
  meta.seed = scene.seed;
  meta.observables = observed;
  meta.solve = report;
  return meta;
}

void WriteMeta(Hdf5Writer& file, const SnapshotMeta& meta) {
  for (const char* group : {"/scree", "/scree/materials", "/scree/observables", "/scree/solver"}) {
    file.MakeGroup(group);
  }
  file.TextAttribute("/scree", "version", meta.program_version);
  file.TextAttribute("/scree", "git_hash", meta.git_hash);
  file.Attribute("/scree", "seed", meta.seed);
  file.Text("/scree/configuration", meta.configuration);
  WriteInputs(file, meta.inputs);

  std::vector<std::string> names;
  std::vector<double> densities;
  for (const Material& material : meta.materials) {
    names.push_back(material.name);
    densities.push_back(material.density);
  }
  file.TextListAttribute("/scree/materials", "name", names);
  file.ListAttribute<double>("/scree/materials", "density", densities);

  WriteShapes(file, meta.shapes);

  ForEachObservable(meta.observables, [&](const char* name, const auto& value, const NumberRange&) {
    file.Attribute(kObservables, name, value);
  });
  if (const auto& touching = meta.observables.touching_contacts; touching) {
    file.Attribute(kObservables, kTouching, *touching);
    file.Attribute(kObservables, kTouchingGap, meta.observables.touching_gap);
  }
  file.Attribute<std::int64_t>("/scree/solver", "sweeps", meta.solve.sweeps);
  file.Attribute("/scree/solver", "residual_max", meta.solve.residual_max);
  file.Attribute("/scree/solver", "residual_rms", meta.solve.residual_rms);
  file.Attribute("/scree/solver", "converged", ConvergedCode(meta.solve.converged));
  if (meta.solve.measured) WriteSolveError(file, *meta.solve.measured);
}

SnapshotMeta ReadMeta(const Hdf5Reader& file) {
  SnapshotMeta meta;
  meta.program_version = file.TextAttribute("/scree", "version");
  meta.git_hash = file.TextAttribute("/scree", "git_hash");
  meta.seed = file.Attribute<std::uint64_t>("/scree", "seed");
  meta.configuration = file.Text("/scree/configuration");
  meta.inputs = ReadInputs(file);
  const std::vector<std::string> names = file.TextListAttribute("/scree/materials", "name");
  const std::vector<double> densities = file.ListAttribute<double>("/scree/materials", "density");
  if (names.size() != densities.size()) {
    throw FileError(Text("'", file.Path(), "': /scree/materials has ", names.size(), " names and ",
                         densities.size(), " densities; expected equal numbers"));
  }
  RequireNumbers<double>(file.Path(), "density of /scree/materials", densities, kNotNegative);
  for (std::size_t k = 0; k < names.size(); ++k) meta.materials.push_back({names[k], densities[k]});
  if (file.Has(kShapes)) {
    for (const std::string& name : file.TextListAttribute(kShapes, "name")) {
      meta.shapes.push_back({name});
    }
  }
  ForEachObservable(meta.observables, [&](const char* name, auto& value, const NumberRange& range) {
    value = file.Attribute<std::remove_reference_t<decltype(value)>>(kObservables, name);
    RequireNumber(file.Path(), Text(name, " of ", kObservables), value, range);
  });
  if (file.HasAttribute(kObservables, kTouching)) {
    const auto touching = file.Attribute<std::int64_t>(kObservables, kTouching);
    RequireNumber(file.Path(), Text(kTouching, " of ", kObservables), touching, kCount);
    meta.observables.touching_contacts = touching;
    meta.observables.touching_gap = file.Attribute<double>(kObservables, kTouchingGap);
    RequireNumber(file.Path(), Text(kTouchingGap, " of ", kObservables),
                  meta.observables.touching_gap, kNotNegative);
  }
  const auto read_solver_value = [&](const char* name, auto zero, const NumberRange& range) {
    const auto value = file.Attribute<decltype(zero)>("/scree/solver", name);
    RequireNumber(file.Path(), Text(name, " of /scree/solver"), value, range);
    return value;
  };
  constexpr std::int64_t kWhole = 0;
  meta.solve.sweeps = static_cast<int>(read_solver_value("sweeps", kWhole, kTableRow));
  meta.solve.residual_max = read_solver_value("residual_max", 0.0, kNotNegative);
  meta.solve.residual_rms = read_solver_value("residual_rms", 0.0, kNotNegative);
  const std::int64_t converged = read_solver_value("converged", kWhole, {-1.0, 1.0});
  if (converged >= 0) meta.solve.converged = converged != 0;
  meta.solve.measured = ReadSolveError(file);
  return meta;
}

}  // namespace scree
