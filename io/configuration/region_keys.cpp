#include "io/configuration/key_parts.hpp"

namespace scree {
namespace {

KeySpec RegionRadius() {
  return {"region_radius", "cylinder and sphere: of the region", kLength, Positive()};
}
KeyRows RegionRows(Box& box) { return CornerRows(box); }
KeyRows RegionRows(Cylinder& cylinder) {
  return {{{"from", "cylinder: centre of one end", kLength}, cylinder.from},
          {{"to", "cylinder: centre of the other", kLength}, cylinder.to},
          {RegionRadius(), cylinder.radius}};
}
KeyRows RegionRows(Ball& ball) {
  return {{{"centre", "sphere: of the region", kLength}, ball.centre},
          {RegionRadius(), ball.radius}};
}

void CheckRegion(Section& section, const Box& box) { section.CheckBox(box); }
void CheckRegion(Section& section, const Cylinder& cylinder) {
  if (!section.HasValue("from") || !section.HasValue("to")) return;
  if ((cylinder.to - cylinder.from).norm() > 0.0) return;
  section.Complain("to", "is the same place as from; expected the other end");
}
void CheckRegion(Section&, const Ball&) {}

}  // namespace

KeyRows CornerRows(Box& box) {
  return {{{"lower", "lower corner", kLength, InWords("in the domain")}, box.lower},
          {{"upper", "upper corner", kLength, InWords("in the domain")}, box.upper}};
}

KeyRows SpacingRow(Lattice& lattice) {
  return {
      {{"spacing", "of the lattice", kLength, Range{">= diameter", 0.0, true}}, lattice.spacing}};
}

void RegionKeys(Section& section, Region& region) {
  static const KindKeys kinds =
      KindsOf<Region>({"region", "where the spheres are, wholly inside", Default{"box"}, kOptional},
                      {"box", "cylinder", "sphere"}, [](auto& one) { return RegionRows(one); });
  section.KindOf(region, kinds, [&](auto& one) {
    section.Keys(RegionRows(one));
    if (section.IsRead()) CheckRegion(section, one);
  });
}

}  // namespace scree
