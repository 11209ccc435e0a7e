// A configuration as a scene text.
#include <cmath>
#include <cstring>

#include "io/configuration/config_reader.hpp"
#include "solvers/check.hpp"

namespace scree {
namespace {

class Echo {
 public:
  void Section(const std::string& name) {
    section_ = name;
    text_ += (text_.empty() ? "[" : "\n[") + name + "]\n";
  }

  template <class T>
  void Key(const std::string& key, const T& value) {
    const KeySpec* spec = FindKey(section_, key);
    SCREE_DEMAND(spec != nullptr);
    text_ += key + " = " + WriteValue(*spec, Value(value)) + "\n";
  }

  std::string Take() { return std::move(text_); }

 private:
  std::string section_;
  std::string text_;
};

void Pair(const MaterialTable& table, MaterialId a, MaterialId b, Echo& echo) {
  const PairRestitution& restitution = table.Restitution(a, b);
  echo.Key("friction", table.Friction(a, b));
  echo.Key("rolling_friction", table.Rolling(a, b).rolling);
  echo.Key("spinning_friction", table.Rolling(a, b).spinning);
  if (restitution.law.empty()) return echo.Key("restitution", ShortestText(restitution.constant));
  echo.Key("restitution", restitution.law);
  // Without one it is Hertz'.
  if (restitution.stiffness > 0.0) echo.Key("stiffness", restitution.stiffness);
  echo.Key("dissipation", restitution.dissipation);
  echo.Key("load", restitution.load);
}

void Materials(const Scene& scene, Echo& echo) {
  const MaterialTable& table = scene.materials;
  const auto count = static_cast<MaterialId>(table.Size());
  const auto is_common = [&table](MaterialId a, MaterialId b) {
    return table.Friction(a, b) == table.Friction(0, 0) &&
           table.Restitution(a, b) == table.Restitution(0, 0) &&
           table.Rolling(a, b) == table.Rolling(0, 0);
  };
  echo.Section("contact");
  Pair(table, 0, 0, echo);
  echo.Key("restitution_threshold", scene.restitution_threshold);
  for (MaterialId a = 0; a < count; ++a) {
    echo.Section("material." + table[a].name);
    echo.Key("density", table[a].density);
    if (table[a].young > 0.0) echo.Key("young", table[a].young);
    echo.Key("poisson", table[a].poisson);
  }
  for (MaterialId a = 0; a < count; ++a) {
    for (MaterialId b = a; b < count; ++b) {
      if (is_common(a, b)) continue;
      echo.Section("pair." + table[a].name + "." + table[b].name);
      Pair(table, a, b, echo);
    }
  }
}

struct PartEcho {
  Echo& echo;
  void operator()(const Plane& plane) const {
    echo.Key("shape", std::string("plane"));
    echo.Key("point", plane.point);
    echo.Key("normal", plane.normal);
  }
  void operator()(const Block& block) const {
    echo.Key("shape", std::string("box"));
    echo.Key("lower", block.box.lower);
    echo.Key("upper", block.box.upper);
  }
  void operator()(const Cylinder& cylinder) const {
    echo.Key("shape", std::string("cylinder"));
    echo.Key("from", cylinder.from);
    echo.Key("to", cylinder.to);
    echo.Key("radius", cylinder.radius);
  }
  void operator()(const Ball& ball) const {
    echo.Key("shape", std::string("sphere"));
    echo.Key("point", ball.centre);
    echo.Key("radius", ball.radius);
  }
  void operator()(const Pipe& pipe) const {
    echo.Key("shape", std::string("pipe"));
    echo.Key("from", pipe.from);
    echo.Key("to", pipe.to);
    echo.Key("radius", pipe.radius);
  }
  void operator()(const Cone& cone) const {
    echo.Key("shape", std::string("cone"));
    echo.Key("from", cone.from);
    echo.Key("to", cone.to);
    echo.Key("from_radius", cone.from_radius);
    echo.Key("to_radius", cone.to_radius);
  }
  void operator()(const Disk& disk) const {
    echo.Key("shape", std::string("disk"));
    echo.Key("point", disk.centre);
    echo.Key("normal", disk.normal);
    echo.Key("radius", disk.radius);
    echo.Key("hole", disk.hole);
  }
  void operator()(const Mesh& mesh) const {
    echo.Key("shape", std::string("mesh"));
    echo.Key("file", mesh.file);
    echo.Key("unit", mesh.unit);
    echo.Key("offset", mesh.offset);
    echo.Key("solid", std::string(kMeshSolidNames.at(static_cast<std::size_t>(mesh.solid))));
  }
};

void WallEcho(const Wall& wall, const MaterialTable& materials, Echo& echo) {
  echo.Section("wall." + wall.name);
  const bool single = wall.shape.parts.size() == 1;
  if (single) std::visit(PartEcho{echo}, wall.shape.parts[0]);
  echo.Key("velocity", wall.velocity);
  echo.Key("amplitude", wall.oscillation.amplitude);
  echo.Key("frequency", wall.oscillation.frequency);
  echo.Key("phase", wall.oscillation.phase);
  echo.Key("angular_velocity", wall.rotation.angular_velocity);
  echo.Key("centre", wall.rotation.centre);
  // There is no time for never.
  if (std::isfinite(wall.removed_at)) echo.Key("removed_at", wall.removed_at);
  echo.Key("material", materials[wall.material].name);
  for (std::size_t p = 0; !single && p < wall.shape.parts.size(); ++p) {
    echo.Section(Text("wall.", wall.name, ".part", p + 1));
    std::visit(PartEcho{echo}, wall.shape.parts[p]);
  }
}

void Places(const Lattice& lattice, Echo& echo) {
  echo.Key("lower", lattice.region.lower);
  echo.Key("upper", lattice.region.upper);
  echo.Key("spacing", lattice.spacing);
}

void Places(const RandomRegion& random, Echo& echo) {
  echo.Key("places", std::string("random"));
  echo.Key("lower", random.region.lower);
  echo.Key("upper", random.region.upper);
  echo.Key("solid_fraction", random.solid_fraction);
}

void Sizes(const SizeDistribution& sizes, Echo& echo) {
  using Kind = SizeDistribution::Kind;
  echo.Key("sizes", std::string(SizeDistribution::kNames[static_cast<std::size_t>(sizes.kind)]));
  if (sizes.kind == Kind::kOne) echo.Key("radius", sizes.largest);
  if (sizes.kind == Kind::kLogNormal) {
    echo.Key("radius", sizes.median);
    echo.Key("spread", sizes.spread);
  }
  if (sizes.kind == Kind::kLogNormal || sizes.kind == Kind::kUniform) {
    echo.Key("smallest_radius", sizes.smallest);
    echo.Key("largest_radius", sizes.largest);
  }
  if (sizes.kind == Kind::kSieved) {
    echo.Key("sieves", sizes.sieves);
    echo.Key("passing", sizes.passing);
  }
}

void Grains(const GrainTemplate& grain, const MaterialTable& materials, Echo& echo) {
  Sizes(grain.sizes, echo);
  echo.Key("material", materials[grain.material].name);
  echo.Key("velocity", grain.velocity);
  echo.Key("jitter", grain.jitter);
}

void Model(const Scene& scene, Echo& echo) {
  echo.Section("scene");
  echo.Key("seed", static_cast<std::int64_t>(scene.seed));
  echo.Key("gravity", scene.gravity);
  echo.Section("domain");
  echo.Key("lower", scene.domain.box.lower);
  echo.Key("upper", scene.domain.box.upper);
  echo.Key("periodic", scene.domain.periodic);
  Materials(scene, echo);
  for (const Wall& wall : scene.walls) WallEcho(wall, scene.materials, echo);
  for (std::size_t f = 0; f < scene.fills.size(); ++f) {
    echo.Section(Text("fill.region", f + 1));
    std::visit([&echo](const auto& places) { Places(places, echo); }, scene.fills[f].places);
    Grains(scene.fills[f].grain, scene.materials, echo);
  }
  if (scene.inflow) {
    echo.Section("inflow");
    echo.Key("piston", scene.walls[scene.inflow->piston].name);
    Places(scene.inflow->lattice, echo);
    Grains(scene.inflow->grain, scene.materials, echo);
  }
  echo.Section("outflow");
  echo.Key("faces", scene.outflow);
}

struct AverageEcho {
  Echo& echo;
  const Interval& every;
  void operator()(const FieldGrid& grid) const {
    echo.Key("lower", grid.region.lower);
    echo.Key("upper", grid.region.upper);
    echo.Key("cells", grid.cells);
    echo.Key("every", every);
  }
  void operator()(const FlowPlane& plane) const {
    echo.Key("plane", plane.point);
    echo.Key("normal", plane.normal);
  }
};

void SolverEcho(const SolverParameters& solver, Echo& echo) {
  const auto choice = [&echo](const char* key, const auto& names, auto value) {
    echo.Key(key, std::string(names.at(static_cast<std::size_t>(value))));
  };
  echo.Key("sweeps", static_cast<std::int64_t>(solver.sweeps));
  // There is no number for no tolerance.
  if (solver.tolerance > 0.0) echo.Key("tolerance", solver.tolerance);
  echo.Key("max_sweeps", static_cast<std::int64_t>(solver.max_sweeps));
  choice("kernel", kKernelNames, solver.kernel);
  choice("scheme", kSchemeNames, solver.scheme);
  choice("sharing", kSharingNames, solver.sharing);
  choice("order", kOrderNames, solver.order);
}

}  // namespace

std::string EffectiveIni(const RunConfig& config) {
  Echo echo;
  Model(config.scene, echo);
  if (!config.initial.file.empty()) {
    echo.Section("initial");
    echo.Key("file", config.initial.file);
  }
  echo.Section("time");
  echo.Key("step", config.step.dt);
  echo.Key("end", config.time.end);
  echo.Section("solver");
  SolverEcho(config.step.solver, echo);
  echo.Key("position_sweeps", config.step.position_sweeps);
  if (config.step.position_sweeps > 0) echo.Key("slop", config.step.slop);
  echo.Key("error_reduction", config.step.error_reduction);
  echo.Key("max_correction_speed", config.step.max_correction_speed);
  echo.Key("warm_start", config.step.warm_start);
  echo.Key("speculative", config.step.speculative);
  // The other key would be refused.
  if (config.step.speculative) {
    echo.Key("contact_margin", config.step.contact_margin);
  } else {
    echo.Key("contact_threshold", config.step.contact_threshold);
  }
  echo.Section("parallel");
  echo.Key("subdomains", config.parallel.subdomains);
  echo.Key("skin", config.step.skin);
  echo.Section("output");
  echo.Key("directory", config.output.directory);
  echo.Key("every", config.output.every);
  echo.Key("log_every", config.output.log_every);
  echo.Key("energy_book", config.output.energy_book);
  echo.Key("wall_forces", config.output.wall_forces);
  echo.Key("overwrite", config.output.overwrite);
  echo.Key("fields", config.output.format.fields);
  echo.Key("precision", std::string(config.output.format.single ? "single" : "double"));
  echo.Key("contacts", config.output.contacts);
  echo.Section("checkpoint");
  echo.Key("every", config.checkpoint.every);
  echo.Key("keep", config.checkpoint.keep);
  for (const AverageConfig& average : config.averages) {
    echo.Section("average." + average.name);
    std::visit(AverageEcho{echo, average.every}, average.of);
    echo.Key("from", average.from);
    // Without an end of its own it goes on when this text is run for longer.
    if (average.to) echo.Key("to", *average.to);
  }
  return echo.Take();
}

}  // namespace scree
