// [fill.NAME]: where particles begin, and what they look like.
#include "io/configuration/grain_keys.hpp"
#include "io/configuration/key_groups.hpp"
#include "io/configuration/region_keys.hpp"

namespace scree {
namespace {

using Places = std::variant<Lattice, RandomRegion>;

/// The kinds of places, in the order of the variant.
enum class PlacesKind { kLattice, kRandom };
constexpr std::array<const char*, 2> NamesOf(PlacesKind) { return {"lattice", "random"}; }

Keys<PlacesKind> PlacesRow() {
  return {{{.key = "places",
            .doc = "random: none overlapping another, wholly in the region",
            .initial = "lattice"},
           [](auto& kind) -> decltype(auto) { return (kind); }}};
}

/// The keys of the places but for their region.
Keys<Lattice> RowsOf(const Lattice&) { return SpacingRow(); }

Keys<RandomRegion> RowsOf(const RandomRegion&) {
  return {Key<RandomRegion>({.key = "solid_fraction",
                             .doc = "random: volume of the spheres over that of the region",
                             .instead = "number",
                             .range = "> 0, at most 0.3",
                             .lower = 0.0,
                             .open = true,
                             .upper = 0.3},
                            &RandomRegion::solid_fraction)
              .OnlyIf([](const RandomRegion& random) { return random.number == 0; }),
          {{.key = "number",
            .doc = "random: of spheres, in place of a solid_fraction",
            .lacking = Lacking::kMeansNone,
            .range = "1 to 50000000",
            .lower = 1.0,
            .upper = 5e7},
           &RandomRegion::number}};
}

KeySpecs PlacesSpecs() {
  return Joined(
      {SpecsOf(PlacesRow()), SpecsOf(RowsOf(Lattice())), SpecsOf(RowsOf(RandomRegion()))});
}

template <class OfKind>
OfKind Read(SectionReader& reader, const std::string& section) {
  OfKind places{ReadRegion(reader, section)};
  reader.Read(section, RowsOf(places), places);
  return places;
}

Places ReadPlaces(SectionReader& reader, const std::string& section) {
  PlacesKind kind = {};
  reader.Read(section, PlacesRow(), kind);
  const KeySpec row = PlacesRow().front().spec;
  if (!reader.HasValue(section, row)) return Lattice{ReadRegion(reader, section)};  // told
  const bool is_random = kind == PlacesKind::kRandom;
  const KeySpecs mine = is_random ? SpecsOf(RowsOf(RandomRegion())) : SpecsOf(RowsOf(Lattice()));
  reader.Refuse(section, PlacesSpecs(), Joined({{row}, mine}), row.key + " = " + NameOf(kind));
  if (is_random) return Read<RandomRegion>(reader, section);
  return Read<Lattice>(reader, section);
}

void WritePlaces(const Places& places, Echo& echo) {
  const auto kind = static_cast<PlacesKind>(places.index());
  // The default goes without saying.
  if (kind != PlacesKind::kLattice) echo.Write(PlacesRow(), kind);
  std::visit(
      [&](const auto& one) {
        WriteRegion(one.region, echo);
        echo.Write(RowsOf(one), one);
      },
      places);
}

void ReadFills(SectionReader& reader, Scene& scene) {
  for (const std::string& section : reader.Given().Sections("fill")) {
    Places places = ReadPlaces(reader, section);
    scene.fills.push_back(
        {std::move(places), ReadGrain(reader, section, scene), NameInSection(section)});
  }
}

void WriteFills(const Scene& scene, Echo& echo) {
  for (const Fill& fill : scene.fills) {
    echo.Section(SectionOf("fill", fill.name));
    WritePlaces(fill.places, echo);
    WriteGrain(fill.grain, scene, echo);
  }
}

}  // namespace

KeyGroup FillKeys() {
  return {
      {{"fill", "fill or fill.NAME", 0, 1, "Particles at time zero",
        Never("it is made at time zero"), Joined({PlacesSpecs(), RegionSpecs(), GrainSpecs()})}},
      [](SectionReader& reader, RunConfig& run) { ReadFills(reader, run.scene); },
      [](const RunConfig& run, Echo& echo) { WriteFills(run.scene, echo); }};
}

}  // namespace scree
