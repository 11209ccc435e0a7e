// [inflow.NAME]: particles that enter during the run.
#include <algorithm>
#include <cmath>

#include "io/configuration/grain_keys.hpp"
#include "io/configuration/key_groups.hpp"
#include "io/configuration/region_keys.hpp"
#include "solvers/base/check.hpp"

namespace scree {
namespace {

enum class InflowKind { kPiston, kRain };
constexpr std::array<const char*, 2> NamesOf(InflowKind) { return {"piston", "rain"}; }

Keys<InflowKind> InflowKindRow() {
  return {{{.key = "kind",
            .doc = "layers that a piston drives in, or rain: at a rate, at random places in a "
                   "region where there is room",
            .initial = "piston"},
           [](auto& kind) -> decltype(auto) { return (kind); }}};
}

// ---- a piston

/// The wall that drives an inflow, by name.
Keys<std::string> PistonRow() {
  return {{{.key = "piston",
            .doc = "wall that drives",
            .kind = Kind::kName,
            .range = "a wall that is a plane"},
           [](auto& name) -> decltype(auto) { return (name); }}};
}

/// Only the extent across the piston's axis counts.
Keys<Lattice> LayerRows() {
  const auto corners = [](auto& lattice) -> decltype(auto) {
    return (std::get<Box>(lattice.region));
  };
  return Within<Lattice>(corners, CornerRows()) + SpacingRow();
}

KeySpecs PistonSpecs() { return Joined({SpecsOf(PistonRow()), SpecsOf(LayerRows())}); }

std::size_t ReadPiston(SectionReader& reader, const std::string& section,
                       const std::vector<Wall>& walls) {
  std::string piston;
  reader.Read(section, PistonRow(), piston);
  std::vector<std::string> known;
  for (const Wall& wall : walls) known.push_back(wall.name);
  const auto found = std::ranges::find(known, piston);
  if (found == known.end() && !piston.empty() && !reader.IsMisspelt("wall." + piston)) {
    reader.Complain(section, PistonRow().front().spec,
                    Text("there is no [wall.", piston, "]", DidYouMean(piston, known)));
  }
  return static_cast<std::size_t>(found - known.begin());
}

Inflow ReadInflow(SectionReader& reader, const std::string& section, const Scene& scene) {
  Lattice lattice;
  reader.Read(section, LayerRows(), lattice);
  CheckCorners(reader, section, std::get<Box>(lattice.region));
  const GrainTemplate grain = ReadGrain(reader, section, scene);
  return {ReadPiston(reader, section, scene.walls), lattice, grain, NameInSection(section)};
}

void Write(const Inflow& inflow, const Scene& scene, Echo& echo) {
  echo.Section(SectionOf("inflow", inflow.name));
  echo.Write(PistonRow(), scene.walls[inflow.piston].name);
  echo.Write(LayerRows(), inflow.lattice);
  WriteGrain(inflow.grain, scene, echo);
}

// ---- a rain

const KeySpec kRate = {.key = "rate",
                       .doc = "of rain: mass per time",
                       .kind = Kind::kNumber,
                       .instead = "number_rate",
                       .range = "> 0",
                       .dimension = kMassRate,
                       .lower = 0.0,
                       .open = true};
const KeySpec kNumberRate = {.key = "number_rate",
                             .doc = "of rain: particles per time, in place of a rate",
                             .kind = Kind::kNumber,
                             .lacking = Lacking::kMeansNone,
                             .range = "> 0",
                             .dimension = kFrequency,
                             .lower = 0.0,
                             .open = true};
const KeySpec kTotal = {.key = "total",
                        .doc = "of rain with a rate: mass after which it ends",
                        .kind = Kind::kNumber,
                        .lacking = Lacking::kMeansNone,
                        .range = "> 0; no such end if not given",
                        .dimension = kMass,
                        .lower = 0.0,
                        .open = true};
const KeySpec kNumber = {.key = "number",
                         .doc = "of rain with a number_rate: particles after which it ends",
                         .kind = Kind::kWhole,
                         .lacking = Lacking::kMeansNone,
                         .range = "1 or more; no such end if not given",
                         .lower = 1.0};
const KeySpec kEnd = {.key = "end",
                      .doc = "of rain: from then on no more is due",
                      .lacking = Lacking::kMeansNone,
                      .range = "> start, whole steps; does not end if not given",
                      .dimension = kTime,
                      .lower = 0.0,
                      .open = true,
                      .change = WhileAhead()};

/// A rate or total that counts particles, or one that does not.
Key<Rain> Amount(const KeySpec& spec, double Rain::*amount, bool counts) {
  return {spec,
          [=](Rain& rain, const Value& value) {
            const auto* whole = std::get_if<std::int64_t>(&value);
            rain.*amount = whole != nullptr ? static_cast<double>(*whole) : std::get<double>(value);
            if (amount == &Rain::rate) rain.counts = counts;
          },
          [=](const Rain& rain) -> std::optional<Value> {
            if (rain.counts != counts || !std::isfinite(rain.*amount)) return {};
            if (spec.kind == Kind::kWhole) return static_cast<std::int64_t>(rain.*amount);
            return rain.*amount;
          }};
}

Keys<Rain> RainRows() {
  return {
      Amount(kRate, &Rain::rate, false),
      Amount(kNumberRate, &Rain::rate, true),
      Amount(kTotal, &Rain::total, false),
      Amount(kNumber, &Rain::total, true),
      {{.key = "start",
        .doc = "of rain",
        .initial = "0 s",
        .range = ">= 0, whole steps",
        .dimension = kTime,
        .lower = 0.0,
        .change = WhileAhead()},
       &Rain::start},
      {kEnd, &Rain::end},
      {{.key = "shower_every",
        .doc = "of rain: time from one look for room to the next",
        .lacking = Lacking::kMeansNone,
        .range = "> 0, whole steps; that of a quarter of the largest radius of fall if not given",
        .dimension = kTime,
        .lower = 0.0,
        .open = true},
       &Rain::every},
  };
}

KeySpecs RainSpecs() { return Joined({RegionSpecs(), SpecsOf(RainRows())}); }

/// A total goes with the rate that counts the same.
void CheckAmounts(SectionReader& reader, const std::string& section) {
  const Settings& given = reader.Given();
  const auto check = [&](const KeySpec& total, const KeySpec& rate) {
    if (!given.Given(section, total.key) || given.Intended(section, rate.key)) return;
    reader.Complain(section, total, "goes with " + rate.key + ", which is not given");
  };
  check(kTotal, kRate);
  check(kNumber, kNumberRate);
}

Rain ReadRain(SectionReader& reader, const std::string& section, const Scene& scene) {
  Rain rain;
  rain.name = NameInSection(section);
  rain.region = ReadRegion(reader, section);
  reader.Read(section, RainRows(), rain);
  CheckAmounts(reader, section);
  if (reader.HasValue(section, kEnd) && !(rain.end > rain.start)) {
    reader.Complain(section, kEnd,
                    Text("is ", rain.end, " s; expected more than start, ", rain.start, " s"));
  }
  rain.grain = ReadGrain(reader, section, scene);
  return rain;
}

void Write(const Rain& rain, const Scene& scene, Echo& echo) {
  echo.Section(SectionOf("inflow", rain.name));
  echo.Write(InflowKindRow(), InflowKind::kRain);
  WriteRegion(rain.region, echo);
  echo.Write(RainRows(), rain);
  WriteGrain(rain.grain, scene, echo);
}

// ---- all of them

void ReadInflows(SectionReader& reader, Scene& scene) {
  const KeySpec row = InflowKindRow().front().spec;
  for (const std::string& section : reader.Given().Sections("inflow")) {
    InflowKind kind = {};
    reader.Read(section, InflowKindRow(), kind);
    if (!reader.HasValue(section, row)) continue;  // complained about
    const bool is_rain = kind == InflowKind::kRain;
    reader.Refuse(section, Joined({PistonSpecs(), RainSpecs()}),
                  is_rain ? RainSpecs() : PistonSpecs(), row.key + " = " + NameOf(kind));
    if (is_rain) {
      scene.rains.push_back(ReadRain(reader, section, scene));
    } else {
      scene.pistons.push_back(ReadInflow(reader, section, scene));
    }
  }
}

void WriteInflows(const Scene& scene, Echo& echo) {
  for (const Inflow& inflow : scene.pistons) Write(inflow, scene, echo);
  for (const Rain& rain : scene.rains) Write(rain, scene, echo);
}

}  // namespace

KeyGroup InflowKeys() {
  return {
      {{"inflow", "inflow or inflow.NAME", 0, 1, "Particles that enter during the run",
        Never("what has entered is counted by it; let it end, and give another [inflow.NAME] that "
              "starts then"),
        Joined({SpecsOf(InflowKindRow()), PistonSpecs(), RainSpecs(), GrainSpecs()}), "start"}},
      [](SectionReader& reader, RunConfig& run) { ReadInflows(reader, run.scene); },
      [](const RunConfig& run, Echo& echo) { WriteInflows(run.scene, echo); }};
}

}  // namespace scree
