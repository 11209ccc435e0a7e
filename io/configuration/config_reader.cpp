#include "io/configuration/config_reader.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "io/configuration/restitution_keys.hpp"
#include "io/configuration/section_reader.hpp"
#include "io/configuration/size_keys.hpp"
#include "io/configuration/wall_config.hpp"
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
class Builder : private SectionReader {
 public:
  Builder(const Settings& settings, ErrorList& errors) : SectionReader(settings, errors) {}

  RunConfig Build() {
    Materials();
    Pairs();
    config_.scene.walls = ReadWalls(settings_, config_.scene.materials, errors_);
    Fills();
    InflowAndOutflow();
    Rest();
    InRunAverages();
    return std::move(config_);
  }

 private:
  void Materials() {
    MaterialTable& materials = config_.scene.materials;
    const double friction = Take<double>("contact", "friction");
    const PairRestitution restitution = ReadRestitution(settings_, "contact", errors_);
    const PairRolling rolling = {Take<double>("contact", "rolling_friction"),
                                 Take<double>("contact", "spinning_friction")};
    for (const std::string& section : settings_.Sections("material")) {
      const Material material{SectionParts(section)[1], Take<double>(section, "density"),
                              Take<double>(section, "young"), Take<double>(section, "poisson")};
      materials.Add(material, friction, restitution, rolling);
    }
    if (materials.Size() == 0) materials.Add({"grain"}, friction, restitution, rolling);
    config_.scene.restitution_threshold = Take<double>("contact", "restitution_threshold");
  }

  void Pairs() {
    std::map<std::pair<MaterialId, MaterialId>, std::string> seen;
    for (const std::string& section : settings_.Sections("pair")) {
      const std::vector<std::string> names = SectionParts(section);
      const std::string where = settings_.Where(section, "");
      const MaterialId a = MaterialNamed(names[1], config_.scene.materials, where),
                       b = MaterialNamed(names[2], config_.scene.materials, where);
      if (const auto [first, is_new] = seen.emplace(std::minmax(a, b), section); !is_new) {
        errors_.Add(where, Text("this pair was already given as [", first->second, "]"));
      }
      PairOf(section, a, b);
    }
  }

  void PairOf(const std::string& section, MaterialId a, MaterialId b) {
    MaterialTable& materials = config_.scene.materials;
    constexpr std::array kOneOf = {"friction", "restitution", "rolling_friction",
                                   "spinning_friction"};
    if (std::ranges::none_of(kOneOf,
                             [&](const char* key) { return settings_.Intended(section, key); })) {
      errors_.Add(settings_.Where(section, ""),
                  "lacks the key \"friction\" or \"restitution\", \"rolling_friction\" or "
                  "\"spinning_friction\"");
    }
    if (settings_.Given(section, "friction")) {
      materials.SetFriction(a, b, Take<double>(section, "friction"));
    }
    PairRolling rolling = materials.Rolling(a, b);  // that of [contact] so far
    if (settings_.Given(section, "rolling_friction")) {
      rolling.rolling = Take<double>(section, "rolling_friction");
    }
    if (settings_.Given(section, "spinning_friction")) {
      rolling.spinning = Take<double>(section, "spinning_friction");
    }
    materials.SetRolling(a, b, rolling);
    const PairRestitution restitution = ReadRestitution(settings_, section, errors_);
    if (settings_.Given(section, "restitution")) materials.SetRestitution(a, b, restitution);
  }

  Lattice LatticeOf(const std::string& section) {
    return {BoxOf(section), Need<double>(section, "spacing")};
  }

  GrainTemplate Grain(const std::string& section) {
    return {ReadSizes(settings_, section, errors_), MaterialOf(section, config_.scene.materials),
            TakeVector(section, "velocity"), TakeVector(section, "jitter")};
  }

  std::variant<Lattice, RandomRegion> Places(const std::string& section) {
    const auto places = Take<std::string>(section, "places");
    if (places.empty()) return Lattice{BoxOf(section), 0.0};  // complained about
    const bool is_random = places == "random";
    const char* idle = is_random ? "spacing" : "solid_fraction";
    if (settings_.Given(section, idle)) {
      errors_.Add(settings_.Where(section, idle),
                  Text("does not belong to places = ", is_random ? "random" : "lattice"));
    }
    if (!is_random) return LatticeOf(section);
    return RandomRegion{BoxOf(section), Need<double>(section, "solid_fraction")};
  }

  void Fills() {
    for (const std::string& section : settings_.Sections("fill")) {
      config_.scene.fills.push_back({Places(section), Grain(section)});
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
    scene.gravity = TakeVector("scene", "gravity");
    scene.domain.box = BoxOf("domain");
    scene.domain.periodic = Take<std::array<bool, 3>>("domain", "periodic");
    config_.step.dt = Take<double>("time", "step");
    config_.time.end = Need<double>("time", "end");
    Solver(config_.step.solver);
    // More of them than of the velocities' make a pile ring (solvers/README.md).
    constexpr int kMostByDefault = 10;
    config_.step.position_sweeps =
        static_cast<int>(settings_.Get<std::int64_t>("solver", "position_sweeps")
                             .value_or(std::min(config_.step.solver.sweeps, kMostByDefault)));
    config_.step.slop = Take<double>("solver", "slop");
    config_.step.error_reduction = Take<double>("solver", "error_reduction");
    config_.step.max_correction_speed = Take<double>("solver", "max_correction_speed");
    config_.step.warm_start = Take<bool>("solver", "warm_start");
    config_.step.speculative = Take<bool>("solver", "speculative");
    config_.step.contact_margin = Take<double>("solver", "contact_margin");
    config_.step.contact_threshold = Take<double>("solver", "contact_threshold");
    config_.step.skin = Take<double>("parallel", "skin");
    config_.parallel.subdomains = Take<std::array<int, 3>>("parallel", "subdomains");
    config_.initial.file = Take<std::string>("initial", "file");
    config_.output.directory = Take<std::string>("output", "directory");
    config_.output.every = Take<Interval>("output", "every");
    config_.output.log_every =
        settings_.Get<Interval>("output", "log_every").value_or(config_.output.every);
    config_.output.energy_book = Take<bool>("output", "energy_book");
    config_.output.wall_forces = Take<bool>("output", "wall_forces");
    config_.output.overwrite = Take<bool>("output", "overwrite");
    config_.output.format = {Take<std::string>("output", "fields"),
                             Take<std::string>("output", "precision") == "single"};
    config_.output.contacts = Take<bool>("output", "contacts");
    config_.checkpoint.every = Take<Interval>("checkpoint", "every");
    config_.checkpoint.keep = Take<std::int64_t>("checkpoint", "keep");
  }

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
