// [inflow.NAME]: particles that enter during the run.
#include <cmath>

#include "io/configuration/grain_keys.hpp"
#include "io/configuration/key_groups.hpp"
#include "io/configuration/region_keys.hpp"
#include "solvers/base/check.hpp"

namespace scree {
namespace {

// ---- a piston

/// @param piston  the wall that drives it, by name
KeyRows PistonRows(std::string& piston, Lattice& lattice) {
  // Only the extent across the piston's axis counts.
  return KeyRows{{{"piston", "wall that drives", Kind::kName, InWords("a wall that is a plane")},
                  piston}} +
         CornerRows(std::get<Box>(lattice.region)) + SpacingRow(lattice);
}

Inflow ReadPiston(SectionReader& reader, const std::string& section, const Scene& scene) {
  Inflow inflow;
  inflow.name = NameInSection(section);
  std::string piston;
  reader.Read(section, PistonRows(piston, inflow.lattice));
  reader.CheckBox(section, std::get<Box>(inflow.lattice.region));
  inflow.grain = ReadGrain(reader, section, scene);
  if (piston.empty()) return inflow;  // complained about
  const std::string where = reader.All().Where(section, "piston");
  inflow.piston = reader.FindNamed(where, "wall", piston, ListNames(scene.walls)).value_or(0);
  return inflow;
}

// ---- a rain

/// A rate or total that counts particles, or one that does not.
KeyRow AmountRow(KeySpec spec, Rain& rain, double& amount, bool counts) {
  const bool is_whole = spec.kind == Kind::kWhole;
  const auto set = [&rain, &amount, counts](const Value& value) {
    const auto* whole = std::get_if<std::int64_t>(&value);
    amount = whole != nullptr ? static_cast<double>(*whole) : std::get<double>(value);
    if (&amount == &rain.rate) rain.counts = counts;
  };
  const auto get = [&rain, &amount, counts, is_whole]() -> std::optional<Value> {
    if (rain.counts != counts || !std::isfinite(amount)) return {};
    if (is_whole) return static_cast<std::int64_t>(amount);
    return amount;
  };
  return {std::move(spec), set, get};
}

KeyRows RainRows(Rain& rain) {
  return {
      AmountRow({"rate", "of rain: mass per time", Kind::kNumber, kMassRate, Positive(),
                 Instead{"number_rate"}},
                rain, rain.rate, false),
      AmountRow({"number_rate", "of rain: particles per time, in place of a rate", Kind::kNumber,
                 kFrequency, Positive(), kOptional},
                rain, rain.rate, true),
      AmountRow({"total", "of rain with a rate: mass after which it ends", Kind::kNumber, kMass,
                 Positive("; no such end if not given"), kOptional},
                rain, rain.total, false),
      AmountRow({"number", "of rain with a number_rate: particles after which it ends",
                 Kind::kWhole, Range{"1 or more; no such end if not given", 1.0}, kOptional},
                rain, rain.total, true),
      {BeginKey("start", "of rain"), rain.start},
      {EndKey("end", "of rain: from then on no more is due",
              "> start, whole steps; does not end if not given"),
       rain.end},
      {{"shower_every", "of rain: time from one look for room to the next", kTime, kOptional,
        Positive(", whole steps; that of a quarter of the largest radius of fall if not given")},
       rain.every},
  };
}

/// A total goes with the rate that counts the same.
void CheckAmounts(SectionReader& reader, const std::string& section) {
  const auto check = [&](const char* total, const char* rate) {
    if (!reader.Given(section, total) || reader.All().Intended(section, rate)) return;
    reader.Complain(section, total, Text("goes with ", rate, ", which is not given"));
  };
  check("total", "rate");
  check("number", "number_rate");
}

Rain ReadRain(SectionReader& reader, const std::string& section, const Scene& scene) {
  Rain rain;
  rain.name = NameInSection(section);
  rain.region = ReadRegion(reader, section);
  reader.Read(section, RainRows(rain));
  CheckAmounts(reader, section);
  reader.CheckSpan(section, "end", rain.end, "start", rain.start);
  rain.grain = ReadGrain(reader, section, scene);
  return rain;
}

// ---- all of them

constexpr std::size_t kRain = 1;  // of the kinds

const KindKeys& InflowKinds() {
  static const KindKeys kinds = [] {
    std::string piston;
    Inflow inflow;
    return KindKeys({"kind",
                     "layers that a piston drives in, or rain: at a rate, at random places in a "
                     "region where there is room",
                     Default{"piston"}},
                    {{"piston", SpecsOf(PistonRows(piston, inflow.lattice))},
                     {"rain", Joined({RegionSpecs(), SpecsOf(RainRows)})}});
  }();
  return kinds;
}

void ReadInflows(SectionReader& reader, Scene& scene) {
  for (const std::string& section : reader.All().Sections("inflow")) {
    const auto kind = reader.ReadKind(section, InflowKinds());
    if (!kind) continue;  // complained about
    if (*kind == kRain) {
      scene.rains.push_back(ReadRain(reader, section, scene));
    } else {
      scene.pistons.push_back(ReadPiston(reader, section, scene));
    }
  }
}

void WriteInflows(Scene& scene, Echo& echo) {
  for (Inflow& inflow : scene.pistons) {
    echo.Section(SectionOf("inflow", inflow.name));
    echo.Write(PistonRows(scene.walls[inflow.piston].name, inflow.lattice));
    WriteGrain(inflow.grain, scene, echo);
  }
  for (Rain& rain : scene.rains) {
    std::string word = InflowKinds().words[kRain];
    echo.Section(SectionOf("inflow", rain.name));
    echo.Write({InflowKinds().Bound(word)});
    WriteRegion(rain.region, echo);
    echo.Write(RainRows(rain));
    WriteGrain(rain.grain, scene, echo);
  }
}

}  // namespace

KeyGroup InflowKeys() {
  return {
      {{"inflow", "inflow or inflow.NAME", 0, 1, "Particles that enter during the run",
        Never("what has entered is counted by it; let it end, and give another [inflow.NAME] that "
              "starts then"),
        Joined({InflowKinds().All(), GrainSpecs()}), "start"}},
      [](SectionReader& reader, RunConfig& run) { ReadInflows(reader, run.scene); },
      [](RunConfig& run, Echo& echo) { WriteInflows(run.scene, echo); }};
}

}  // namespace scree
