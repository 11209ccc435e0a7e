#include "io/config_reader.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "io/restitution_keys.hpp"
#include "solvers/check.hpp"

namespace scree {
namespace {

/// The first choice if there is none of that name; that is in the list of errors already.
/// @param names  in the order of the enumeration
template <class Choice, std::size_t kCount>
Choice ChoiceCalled(const std::string& name, const std::array<const char*, kCount>& names) {
  const auto* const found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? Choice{} : static_cast<Choice>(found - names.begin());
}

/// Builds part after part; `errors_` collects what is missing.
class Builder {
 public:
  Builder(const Settings& settings, ErrorList& errors) : settings_(settings), errors_(errors) {}

  RunConfig Build() {
    Materials();
    Pairs();
    Walls();
    Fills();
    InflowAndOutflow();
    Rest();
    InRunAverages();
    return std::move(config_);
  }

 private:
  /// The value of a mandatory key; a missing one is an error.
  template <class T>
  T Need(const std::string& section, const std::string& key) {
    const std::optional<T> value = settings_.Get<T>(section, key);
    if (value) return *value;
    if (!settings_.Has(section) && !settings_.Intended(section, key)) {
      if (missing_sections_.insert(section).second) {
        errors_.Add(settings_.FileName(), Text("lacks the section [", section, "]"));
      }
    } else if (!settings_.Intended(section, key)) {
      const KeySpec* spec = FindKey(section, key);
      const std::string unit = SiUnit(spec->dimension);
      errors_.Add(settings_.Where(section, key), Text("lacks the key \"", key, "\" (", spec->doc,
                                                      unit.empty() ? "" : " [" + unit + "]", ")"));
    }
    return T();
  }

  Vec3 NeedVector(const std::string& section, const std::string& key) {
    const std::optional<Vec3> value = settings_.Get<Vec3>(section, key);
    return value ? *value : (Need<Vec3>(section, key), Vec3(Vec3::Zero()));
  }

  /// A value with a default; T() if what was given is bad.
  template <class T>
  T Take(const std::string& section, const std::string& key) {
    return settings_.Get<T>(section, key).value_or(T());
  }

  /// Exactly one of radius and diameter.
  double Radius(const std::string& section) {
    const bool radius = settings_.Given(section, "radius");
    const bool diameter = settings_.Given(section, "diameter");
    if (radius && diameter) {
      errors_.Add(settings_.Where(section, "radius"),
                  "both radius and diameter are given; expected one of them");
    } else if (!settings_.Intended(section, "radius") && !settings_.Intended(section, "diameter")) {
      errors_.Add(settings_.Where(section, "radius"),
                  "lacks the key \"radius\" or \"diameter\" [m]");
    }
    return diameter ? 0.5 * Take<double>(section, "diameter") : Take<double>(section, "radius");
  }

  MaterialId MaterialNamed(const std::string& name, const std::string& where) {
    std::vector<std::string> known;
    for (std::size_t m = 0; m < config_.scene.materials.Size(); ++m) {
      known.push_back(config_.scene.materials[static_cast<MaterialId>(m)].name);
      if (known.back() == name) return static_cast<MaterialId>(m);
    }
    if (!settings_.Intended("material." + name, "density")) {
      errors_.Add(where, Text("there is no [material.", name, "]", DidYouMean(name, known)));
    }
    return 0;
  }

  MaterialId MaterialOf(const std::string& section) {
    const auto name = settings_.Get<std::string>(section, "material");
    return name ? MaterialNamed(*name, settings_.Where(section, "material")) : 0;
  }

  void Materials() {
    MaterialTable& materials = config_.scene.materials;
    const double friction = Take<double>("contact", "friction");
    const PairRestitution restitution = ReadRestitution(settings_, "contact", errors_);
    for (const std::string& section : settings_.Sections("material")) {
      const Material material{SectionParts(section)[1], Take<double>(section, "density"),
                              Take<double>(section, "young"), Take<double>(section, "poisson")};
      materials.Add(material, friction, restitution);
    }
    if (materials.Size() == 0) materials.Add({"grain"}, friction, restitution);
    config_.scene.restitution_threshold = Take<double>("contact", "restitution_threshold");
  }

  void Pairs() {
    std::map<std::pair<MaterialId, MaterialId>, std::string> seen;
    for (const std::string& section : settings_.Sections("pair")) {
      const std::vector<std::string> names = SectionParts(section);
      const std::string where = settings_.Where(section, "");
      const MaterialId a = MaterialNamed(names[1], where), b = MaterialNamed(names[2], where);
      if (const auto [first, is_new] = seen.emplace(std::minmax(a, b), section); !is_new) {
        errors_.Add(where, Text("this pair was already given as [", first->second, "]"));
      }
      PairOf(section, a, b);
    }
  }

  void PairOf(const std::string& section, MaterialId a, MaterialId b) {
    MaterialTable& materials = config_.scene.materials;
    if (!settings_.Intended(section, "friction") && !settings_.Intended(section, "restitution")) {
      errors_.Add(settings_.Where(section, ""), "lacks the key \"friction\" or \"restitution\"");
    }
    if (settings_.Given(section, "friction")) {
      materials.SetFriction(a, b, Take<double>(section, "friction"));
    }
    const PairRestitution restitution = ReadRestitution(settings_, section, errors_);
    if (settings_.Given(section, "restitution")) materials.SetRestitution(a, b, restitution);
  }

  void RefuseKeys(const std::string& section, const std::vector<std::string>& allowed,
                  const std::string& what) {
    for (const std::string& key : KeysOf(section)) {
      const bool good = std::find(allowed.begin(), allowed.end(), key) != allowed.end();
      if (!good && settings_.Given(section, key)) {
        errors_.Add(settings_.Where(section, key), "does not belong to " + what);
      }
    }
  }

  ShapePart ReadPart(const std::string& section, bool whole_wall) {
    const std::string shape = Need<std::string>(section, "shape");
    std::vector<std::string> allowed = {"shape"};
    if (whole_wall) allowed.insert(allowed.end(), {"velocity", "material"});
    const auto refuse_others = [&](std::initializer_list<const char*> keys) {
      allowed.insert(allowed.end(), keys.begin(), keys.end());
      RefuseKeys(section, allowed,
                 "a " + shape + (whole_wall ? "" : " that is a part; give it in [wall.NAME]"));
    };
    if (shape == "plane") {
      refuse_others({"point", "normal"});
      return Plane{NeedVector(section, "point"), Normal(section)};
    }
    if (shape == "box") {
      refuse_others({"lower", "upper"});
      return Block{BoxOf(section)};
    }
    if (shape == "cylinder") {
      refuse_others({"from", "to", "radius", "diameter"});
      const Cylinder cylinder{NeedVector(section, "from"), NeedVector(section, "to"),
                              Radius(section)};
      if (cylinder.from == cylinder.to && settings_.Given(section, "to")) {
        errors_.Add(settings_.Where(section, "to"),
                    "is the same point as \"from\"; a cylinder needs two ends");
      }
      return cylinder;
    }
    return Plane{};
  }

  /// Made a unit vector; one that is so to rounding stays, which keeps EffectiveIni a fixed point.
  Vec3 Normal(const std::string& section) {
    const Vec3 given = NeedVector(section, "normal");
    const double length = given.stableNorm();
    if (length == 0.0) {
      if (settings_.Get<Vec3>(section, "normal")) {
        errors_.Add(settings_.Where(section, "normal"),
                    "is the zero vector; expected a direction such as 0 0 1");
      }
      return Vec3::UnitZ();
    }
    constexpr double kRounding = 1e-15;
    return std::abs(length - 1.0) <= kRounding ? given : given.stableNormalized();
  }

  Box BoxOf(const std::string& section) {
    const Box box{NeedVector(section, "lower"), NeedVector(section, "upper")};
    const bool both =
        settings_.Get<Vec3>(section, "lower") && settings_.Get<Vec3>(section, "upper");
    for (int axis = 0; both && axis < 3; ++axis) {
      if (box.upper[axis] > box.lower[axis]) continue;
      errors_.Add(settings_.Where(section, "upper"),
                  Text("is ", box.upper[axis], " m along ", "xyz"[axis], "; expected more than ",
                       "the lower corner's ", box.lower[axis], " m"));
    }
    return box;
  }

  void Walls() {
    std::map<std::string, std::size_t> index;
    for (const std::string& section : settings_.Sections("wall")) {
      const std::vector<std::string> names = SectionParts(section);
      const auto [found, is_new] = index.emplace(names[1], config_.scene.walls.size());
      if (is_new) config_.scene.walls.push_back({names[1], {}});
      Wall& wall = config_.scene.walls[found->second];
      const bool has_parts = HasParts(names[1]);
      if (names.size() == 3) {
        wall.shape.parts.push_back(ReadPart(section, false));
      } else if (!has_parts || settings_.Given(section, "shape")) {
        wall.shape.parts.push_back(ReadPart(section, true));
      } else {
        RefuseKeys(section, {"velocity", "material"}, "a wall made of parts");
      }
      if (names.size() == 3) continue;
      wall.velocity = Velocity(section, "velocity");
      wall.material = MaterialOf(section);
    }
  }

  bool HasParts(const std::string& name) const {
    const std::vector<std::string> sections = settings_.Sections("wall");
    return std::any_of(sections.begin(), sections.end(), [&](const std::string& section) {
      return section.starts_with("wall." + name + ".");
    });
  }

  Vec3 Velocity(const std::string& section, const std::string& key) {
    return settings_.Get<Vec3>(section, key).value_or(Vec3(Vec3::Zero()));
  }

  Lattice LatticeOf(const std::string& section) {
    return {BoxOf(section), Need<double>(section, "spacing")};
  }

  GrainTemplate Grain(const std::string& section) {
    return {Radius(section), MaterialOf(section), Velocity(section, "velocity"),
            Velocity(section, "jitter")};
  }

  void Fills() {
    for (const std::string& section : settings_.Sections("fill")) {
      config_.scene.fills.push_back({LatticeOf(section), Grain(section)});
    }
  }

  void InflowAndOutflow() {
    config_.scene.outflow = Take<OutflowFaces>("outflow", "faces");
    if (!settings_.Has("inflow")) return;
    config_.scene.inflow = Inflow{0, LatticeOf("inflow"), Grain("inflow")};
    const std::string piston = Need<std::string>("inflow", "piston");
    std::vector<std::string> known;
    for (const Wall& wall : config_.scene.walls) known.push_back(wall.name);
    const auto found = std::find(known.begin(), known.end(), piston);
    config_.scene.inflow->piston = static_cast<std::size_t>(found - known.begin());
    const bool misspelt_wall = settings_.Intended("wall." + piston, "shape");
    if (found == known.end() && !piston.empty() && !misspelt_wall) {
      errors_.Add(settings_.Where("inflow", "piston"),
                  Text("there is no [wall.", piston, "]", DidYouMean(piston, known)));
    }
  }

  /// A plane if one of a plane's keys is given, else a grid.
  void InRunAverages() {
    for (const std::string& section : settings_.Sections("average")) {
      AverageConfig average;
      average.name = SectionParts(section)[1];
      average.from = Take<double>(section, "from");
      average.to = settings_.Get<double>(section, "to");
      if (settings_.Given(section, "plane") || settings_.Given(section, "normal")) {
        RefuseKeys(section, {"plane", "normal", "from", "to"}, "the flow through a plane");
        average.of = FlowPlane{NeedVector(section, "plane"), Normal(section)};
      } else {
        average.of = Grid(section);
        average.every = Need<Interval>(section, "every");
      }
      config_.averages.push_back(std::move(average));
    }
  }

  FieldGrid Grid(const std::string& section) {
    const Box& domain = config_.scene.domain.box;
    const auto cells = settings_.Get<std::array<int, 3>>(section, "cells");
    return {{settings_.Get<Vec3>(section, "lower").value_or(domain.lower),
             settings_.Get<Vec3>(section, "upper").value_or(domain.upper)},
            cells.value_or(std::array<int, 3>{1, 1, 1})};
  }

  void Solver(SolverParameters& solver) {
    const auto choice = [this](const char* key) { return Take<std::string>("solver", key); };
    solver.sweeps = static_cast<int>(Take<std::int64_t>("solver", "sweeps"));
    solver.tolerance = settings_.Get<double>("solver", "tolerance").value_or(0.0);
    solver.max_sweeps = static_cast<int>(Take<std::int64_t>("solver", "max_sweeps"));
    solver.kernel = ChoiceCalled<Kernel>(choice("kernel"), kKernelNames);
    solver.scheme = ChoiceCalled<Scheme>(choice("scheme"), kSchemeNames);
    solver.sharing = ChoiceCalled<Sharing>(choice("sharing"), kSharingNames);
    solver.order = ChoiceCalled<Order>(choice("order"), kOrderNames);
  }

  void Rest() {
    Scene& scene = config_.scene;
    scene.seed = static_cast<std::uint64_t>(Take<std::int64_t>("scene", "seed"));
    scene.gravity = Velocity("scene", "gravity");
    scene.domain.box = BoxOf("domain");
    scene.domain.periodic = Take<std::array<bool, 3>>("domain", "periodic");
    config_.step.dt = Take<double>("time", "step");
    config_.time.end = Need<double>("time", "end");
    Solver(config_.step.solver);
    config_.step.error_reduction = Take<double>("solver", "error_reduction");
    config_.step.max_correction_speed = Take<double>("solver", "max_correction_speed");
    config_.step.warm_start = Take<bool>("solver", "warm_start");
    config_.step.speculative = Take<bool>("solver", "speculative");
    config_.step.contact_threshold = Take<double>("solver", "contact_threshold");
    config_.step.skin = Take<double>("parallel", "skin");
    config_.parallel.subdomains = Take<std::array<int, 3>>("parallel", "subdomains");
    config_.initial.file = Take<std::string>("initial", "file");
    config_.output.directory = Take<std::string>("output", "directory");
    config_.output.every = Take<Interval>("output", "every");
    config_.output.log_every =
        settings_.Get<Interval>("output", "log_every").value_or(config_.output.every);
    config_.output.energy_book = Take<bool>("output", "energy_book");
    config_.output.overwrite = Take<bool>("output", "overwrite");
    config_.output.format = {Take<std::string>("output", "fields"),
                             Take<std::string>("output", "precision") == "single"};
    config_.output.contacts = Take<bool>("output", "contacts");
    config_.checkpoint.every = Take<Interval>("checkpoint", "every");
    config_.checkpoint.keep = Take<std::int64_t>("checkpoint", "keep");
  }

  const Settings& settings_;
  ErrorList& errors_;
  std::set<std::string> missing_sections_;  // complained about
  RunConfig config_;
};

}  // namespace

RunConfig BuildRunConfig(const Settings& settings, ErrorList& errors) {
  return Builder(settings, errors).Build();
}

RunConfig ReadRunConfig(std::string_view scene_text, const std::string& file_name,
                        const std::vector<IniEntry>& overrides) {
  ErrorList errors;
  const IniFile file = ScanIni(scene_text, file_name, errors);
  if (file.sections.empty()) errors.ThrowIfAny();
  const Settings settings(file, overrides, errors);
  RunConfig config = BuildRunConfig(settings, errors);
  if (errors.Empty()) CheckRunConfig(config, settings, errors);
  errors.ThrowIfAny();
  return config;
}

}  // namespace scree
