#include "io/configuration/region_keys.hpp"

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

const KindKeys& RegionKinds() {
  static const KindKeys kinds =
      KindsOf<Region>({"region", "where the spheres are, wholly inside", Default{"box"}},
                      {"box", "cylinder", "sphere"}, [](auto& one) { return RegionRows(one); });
  return kinds;
}

void CheckRegion(SectionReader& reader, const std::string& section, const Box& box) {
  reader.CheckBox(section, box);
}
void CheckRegion(SectionReader& reader, const std::string& section, const Cylinder& cylinder) {
  if (!reader.HasValue(section, "from") || !reader.HasValue(section, "to")) return;
  if ((cylinder.to - cylinder.from).norm() > 0.0) return;
  reader.Complain(section, "to", "is the same place as from; expected the other end");
}
void CheckRegion(SectionReader&, const std::string&, const Ball&) {}

}  // namespace

KeyRows CornerRows(Box& box) {
  return {{{"lower", "lower corner", kLength, InWords("in the domain")}, box.lower},
          {{"upper", "upper corner", kLength, InWords("in the domain")}, box.upper}};
}

KeyRows SpacingRow(Lattice& lattice) {
  return {
      {{"spacing", "of the lattice", kLength, Range{">= diameter", 0.0, true}}, lattice.spacing}};
}

const KeySpecs& RegionSpecs() {
  static const KeySpecs specs = RegionKinds().All();
  return specs;
}

Region ReadRegion(SectionReader& reader, const std::string& section) {
  const auto kind = reader.ReadKind(section, RegionKinds());
  // Corners tell that a box is meant; of another region nothing more would be true.
  if (!kind && !reader.Given(section, "lower")) return Box{};
  Region region = AlternativeOf<Region>(kind.value_or(0));
  std::visit(
      [&](auto& one) {
        reader.Read(section, RegionRows(one));
        CheckRegion(reader, section, one);
      },
      region);
  return region;
}

void WriteRegion(Region region, Echo& echo) {
  std::string word = RegionKinds().words[region.index()];
  if (region.index() != 0) echo.Write({RegionKinds().Bound(word)});  // the default needs no line
  std::visit([&](auto& one) { echo.Write(RegionRows(one)); }, region);
}

}  // namespace scree
