// [inflow.NAME]: particles that enter during the run.
#include <cmath>

#include "io/scene/key_groups.hpp"
#include "io/scene/key_parts.hpp"
#include "solvers/base/check.hpp"

namespace scree {
namespace {

// ---- a piston

/// @param piston  name of the wall that drives the layers in
KeyRows PistonRows(std::string& piston, Lattice& lattice) {
  // The extent of this region along the piston's axis has no effect.
  return KeyRows{{{"piston", "wall that drives the layers in", Kind::kName,
                   InWords("a wall that is a plane")},
                  piston}} +
         CornerRows(std::get<Box>(lattice.region)) + SpacingRow(lattice);
}

void VisitPistonKeys(Section& section, Inflow& inflow, Scene& scene) {
  std::string piston = section.IsWritten() ? scene.walls[inflow.piston].name : "";
  section.VisitKeys(PistonRows(piston, inflow.lattice));
  if (section.IsRead()) section.CheckBox(std::get<Box>(inflow.lattice.region));
  VisitGrainKeys(section, inflow.grain, scene);
  if (!section.IsRead() || piston.empty()) return;  // empty: error already added
  inflow.piston = section.FindNamed("piston", "wall", piston, ListNames(scene.walls)).value_or(0);
}

// ---- a rain

/// Row of a rate or a total.
/// @param counts  true: of the number of particles; false: of their mass
KeyRow AmountRow(KeySpec spec, Rain& rain, double& amount, bool counts) {
  const bool is_whole = spec.kind == Kind::kWhole;
  const auto set = [&rain, &amount, counts](const KeyValue& value) {
    const auto* whole = std::get_if<std::int64_t>(&value);
    amount = whole != nullptr ? static_cast<double>(*whole) : std::get<double>(value);
    if (&amount == &rain.rate) rain.counts = counts;
  };
  const auto get = [&rain, &amount, counts, is_whole]() -> std::optional<KeyValue> {
    if (rain.counts != counts || !std::isfinite(amount)) return {};
    if (is_whole) return static_cast<std::int64_t>(amount);
    return amount;
  };
  return {std::move(spec), set, get};
}

KeyRows RainRows(Rain& rain) {
  return {
      AmountRow({"rate", "of rain: mass per unit time", Kind::kNumber, kMassRate, Positive(),
                 AlternativeKey{"number_rate"}},
                rain, rain.rate, false),
      AmountRow({"number_rate", "of rain: particles per unit time, instead of rate", Kind::kNumber,
                 kPerTime, Positive(), kOptional},
                rain, rain.rate, true),
      AmountRow({"total", "of rain with a rate: total mass after which it ends", Kind::kNumber,
                 kMass, Positive("; no limit if not given"), kOptional},
                rain, rain.total, false),
      AmountRow({"number", "of rain with a number_rate: number of particles after which it ends",
                 Kind::kWhole, Range{"1 or more; no limit if not given", 1.0}, kOptional},
                rain, rain.total, true),
      {BeginKey("start", "of rain"), rain.start},
      {EndKey("end", "of rain: time at which it ends",
              "> start, whole steps; does not end if not given"),
       rain.end},
      {{"shower_every", "of rain: time between two attempts to insert particles", kTime, kOptional,
        Positive(", whole steps; if not given, the time in which the grains move a quarter of the "
                 "largest radius or, without gravity and velocity, in which one grain is due")},
       rain.interval},
  };
}

/// Requires that a total is combined with the rate of the same quantity (mass or particles).
void CheckAmounts(Section& section) {
  const auto check = [&](const char* total, const char* rate) {
    if (!section.IsGiven(total) || section.IsIntended(rate)) return;
    section.AddError(total, Text("requires ", rate, ", which is not given"));
  };
  check("total", "rate");
  check("number", "number_rate");
}

void VisitRainKeys(Section& section, Rain& rain, Scene& scene) {
  VisitRegionKeys(section, rain.region);
  section.VisitKeys(RainRows(rain));
  if (section.IsRead()) {
    CheckAmounts(section);
    section.CheckSpan("end", rain.end, "start", rain.start);
  }
  VisitGrainKeys(section, rain.grain, scene);
}

// ---- all inflows

constexpr std::size_t kRain = 1;  // index among the kinds of inflow

const KindKeys& InflowKinds() {
  static const KindKeys kinds = [] {
    std::string piston;
    Inflow inflow;
    Rain rain;
    return KindKeys(
        {"kind",
         "piston: layers that a wall drives in; rain: particles at a given rate, at random free "
         "positions in a region",
         Default{"piston"}, kOptional},
        {{"piston", SpecsOf(PistonRows(piston, inflow.lattice))},
         {"rain",
          Joined({ListedKeys([&](Section& section) { VisitRegionKeys(section, rain.region); }),
                  SpecsOf(RainRows)})}});
  }();
  return kinds;
}

void ReadInflows(const Settings& settings, ErrorList& errors, Scene& scene) {
  for (const std::string& name : settings.Sections("inflow")) {
    Section section(name, settings, errors);
    const auto kind = section.VisitKind(InflowKinds(), 0);
    if (!kind) continue;  // error already added
    if (*kind == kRain) {
      Rain rain;
      rain.name = NameInSection(name);
      VisitRainKeys(section, rain, scene);
      scene.rains.push_back(std::move(rain));
    } else {
      Inflow inflow;
      inflow.name = NameInSection(name);
      VisitPistonKeys(section, inflow, scene);
      scene.pistons.push_back(std::move(inflow));
    }
  }
}

void WriteInflows(Scene& scene, IniEntries& entries) {
  for (Inflow& inflow : scene.pistons) {
    Section section(SectionOf("inflow", inflow.name), entries);
    VisitPistonKeys(section, inflow, scene);
  }
  for (Rain& rain : scene.rains) {
    Section section(SectionOf("inflow", rain.name), entries);
    section.VisitKind(InflowKinds(), kRain);
    VisitRainKeys(section, rain, scene);
  }
}

}  // namespace

KeyGroup InflowKeys() {
  const KeySpecs keys = ListedKeys([](Section& section) {
    section.VisitKind(InflowKinds(), 0);
    GrainTemplate grain;
    VisitGrainKeys(section, grain, {});
  });
  return {
      {{"inflow", "inflow or inflow.NAME", 0, 1, "Particles that enter during the run",
        Never(
            "the count of inserted particles depends on it; let this inflow end, and give another "
            "[inflow.NAME] that starts then"),
        keys, "start"}},
      [](const Settings& settings, ErrorList& errors, RunConfig& run) {
        ReadInflows(settings, errors, run.scene);
      },
      [](RunConfig& run, IniEntries& entries) { WriteInflows(run.scene, entries); }};
}

}  // namespace scree
