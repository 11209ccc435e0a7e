// [fill.NAME]: where particles begin, and what they look like.
#include "io/configuration/grain_keys.hpp"
#include "io/configuration/key_groups.hpp"
#include "io/configuration/region_keys.hpp"

namespace scree {
namespace {

using Places = decltype(Fill::places);

/// The keys of the places but for their region.
KeyRows PlaceRows(Lattice& lattice) { return SpacingRow(lattice); }
KeyRows PlaceRows(RandomRegion& random) {
  return {
      KeyRow({"solid_fraction", "random: volume of the spheres over that of the region",
              Instead{"number"}, Range{"> 0, at most 0.3", 0.0, true, 0.3}},
             random.solid_fraction)
          .OnlyIf(random.number == 0),
      {{"number", "random: of spheres, in place of a solid_fraction", kOptional, Between(1, 5e7)},
       random.number}};
}

const KindKeys& PlaceKinds() {
  static const KindKeys kinds = KindsOf<Places>(
      {"places", "random: none overlapping another, wholly in the region", Default{"lattice"}},
      {"lattice", "random"}, [](auto& one) { return PlaceRows(one); });
  return kinds;
}

Places ReadPlaces(SectionReader& reader, const std::string& section) {
  const auto kind = reader.ReadKind(section, PlaceKinds());
  Places places = AlternativeOf<Places>(kind.value_or(0));
  std::visit(
      [&](auto& one) {
        one.region = ReadRegion(reader, section);
        if (kind) reader.Read(section, PlaceRows(one));  // else it was complained about
      },
      places);
  return places;
}

void WritePlaces(Places& places, Echo& echo) {
  std::string word = PlaceKinds().words[places.index()];
  if (places.index() != 0) echo.Write({PlaceKinds().Bound(word)});  // the default needs no line
  std::visit(
      [&](auto& one) {
        WriteRegion(one.region, echo);
        echo.Write(PlaceRows(one));
      },
      places);
}

}  // namespace

KeyGroup FillKeys() {
  return {{{"fill", "fill or fill.NAME", 0, 1, "Particles at time zero",
            Never("it is made at time zero"),
            Joined({PlaceKinds().All(), RegionSpecs(), GrainSpecs()})}},
          [](SectionReader& reader, RunConfig& run) {
            for (const std::string& section : reader.All().Sections("fill")) {
              Places places = ReadPlaces(reader, section);
              run.scene.fills.push_back({std::move(places), ReadGrain(reader, section, run.scene),
                                         NameInSection(section)});
            }
          },
          [](RunConfig& run, Echo& echo) {
            for (Fill& fill : run.scene.fills) {
              echo.Section(SectionOf("fill", fill.name));
              WritePlaces(fill.places, echo);
              WriteGrain(fill.grain, run.scene, echo);
            }
          }};
}

}  // namespace scree
