// [fill.NAME]: particles at time zero, with their positions and properties.
#include "io/scene/key_groups.hpp"
#include "io/scene/key_parts.hpp"

namespace scree {
namespace {

using Positions = decltype(Fill::positions);

/// The keys of the positions, except for the region.
KeyRows PositionRows(Lattice& lattice) { return SpacingRow(lattice); }
KeyRows PositionRows(RandomRegion& random) {
  return {KeyRow({"solid_fraction", "random: volume of the spheres divided by that of the region",
                  AlternativeKey{"number"}, Range{"> 0, at most 0.3", 0.0, true, 0.3}},
                 random.solid_fraction)
              .OnlyIf(random.number == 0),
          {{"number", "random: number of spheres, instead of solid_fraction", kOptional,
            Between(1, 5e7)},
           random.number}};
}

void VisitPositionKeys(Section& section, Positions& positions) {
  static const KindKeys kinds = KindsOf<Positions>(
      {"places",
       "lattice, or random positions without overlaps, with all particles inside the region",
       Default{"lattice"}, kOptional},
      {"lattice", "random"}, [](auto& choice) { return PositionRows(choice); });
  section.VisitVariant(positions, kinds, [&](auto& choice) {
    VisitRegionKeys(section, choice.region);
    section.VisitKeys(PositionRows(choice));
  });
  Region any_region;
  if (section.IsListed()) VisitRegionKeys(section, any_region);
}

void VisitFillKeys(Section& section, Fill& fill, RunConfig& run) {
  VisitPositionKeys(section, fill.positions);
  VisitGrainKeys(section, fill.grain, run.scene);
}

}  // namespace

KeyGroup FillKeys() {
  return RepeatedSection<Fill>(
      {"fill",
       "fill or fill.NAME",
       0,
       1,
       "Particles at time zero",
       Never("the particles are made at time zero"),
       {}},
      [](RunConfig & run) -> auto& { return run.scene.fills; }, VisitFillKeys);
}

}  // namespace scree
