#include "io/configuration/region_keys.hpp"

#include "io/configuration/key_groups.hpp"

namespace scree {
namespace {

/// The kinds of regions, in the order of the variant.
enum class RegionKind { kBox, kCylinder, kSphere };
constexpr std::array<const char*, 3> NamesOf(RegionKind) { return {"box", "cylinder", "sphere"}; }

const KeySpec kRegionLower = {
    .key = "lower", .doc = "lower corner", .range = "in the domain", .dimension = kLength};
const KeySpec kRegionUpper = {
    .key = "upper", .doc = "upper corner", .range = "in the domain", .dimension = kLength};
const KeySpec kRegionFrom = {
    .key = "from", .doc = "cylinder: centre of one end", .dimension = kLength};
const KeySpec kRegionTo = {
    .key = "to", .doc = "cylinder: centre of the other", .dimension = kLength};
const KeySpec kCentre = {.key = "centre", .doc = "sphere: of the region", .dimension = kLength};
const KeySpec kRegionRadius = {.key = "region_radius",
                               .doc = "cylinder and sphere: of the region",
                               .range = "> 0",
                               .dimension = kLength,
                               .lower = 0.0,
                               .open = true};

Keys<RegionKind> RegionKindRow() {
  return {{{.key = "region", .doc = "where the spheres are, wholly inside", .initial = "box"},
           [](auto& kind) -> decltype(auto) { return (kind); }}};
}

Keys<Box> RowsOf(const Box&) { return CornerRows(); }
Keys<Cylinder> RowsOf(const Cylinder&) {
  return {{kRegionFrom, &Cylinder::from},
          {kRegionTo, &Cylinder::to},
          {kRegionRadius, &Cylinder::radius}};
}
Keys<Ball> RowsOf(const Ball&) {
  return {{kCentre, &Ball::centre}, {kRegionRadius, &Ball::radius}};
}

Region Empty(RegionKind kind) {
  if (kind == RegionKind::kCylinder) return Cylinder{};
  if (kind == RegionKind::kSphere) return Ball{};
  return Box{};
}

void Check(SectionReader& reader, const std::string& section, const Cylinder& cylinder) {
  if (!reader.HasValue(section, kRegionFrom) || !reader.HasValue(section, kRegionTo)) return;
  if ((cylinder.to - cylinder.from).norm() > 0.0) return;
  reader.Complain(section, kRegionTo, "is the same place as from; expected the other end");
}
void Check(SectionReader& reader, const std::string& section, const Box& box) {
  CheckCorners(reader, section, box);
}
void Check(SectionReader&, const std::string&, const Ball&) {}

}  // namespace

Keys<Box> CornerRows() { return {{kRegionLower, &Box::lower}, {kRegionUpper, &Box::upper}}; }

Keys<Lattice> SpacingRow() {
  return {{{.key = "spacing",
            .doc = "of the lattice",
            .range = ">= diameter",
            .dimension = kLength,
            .lower = 0.0,
            .open = true},
           &Lattice::spacing}};
}

void CheckCorners(SectionReader& reader, const std::string& section, const Box& box) {
  reader.CheckBox(section, box, kRegionLower, kRegionUpper);
}

KeySpecs RegionSpecs() {
  return Joined({SpecsOf(RegionKindRow()), SpecsOf(RowsOf(Box())), SpecsOf(RowsOf(Cylinder())),
                 SpecsOf(RowsOf(Ball()))});
}

Region ReadRegion(SectionReader& reader, const std::string& section) {
  RegionKind kind = {};
  reader.Read(section, RegionKindRow(), kind);
  Region region = Empty(kind);
  const KeySpec row = RegionKindRow().front().spec;
  const bool is_known = reader.HasValue(section, row);  // else it was complained about
  std::visit(
      [&](auto& one) {
        const auto rows = RowsOf(one);
        if (is_known) {
          reader.Refuse(section, RegionSpecs(), Joined({{row}, SpecsOf(rows)}),
                        row.key + " = " + NameOf(kind));
        }
        if (!is_known && !reader.Given().Given(section, kRegionLower.key)) return;
        reader.Read(section, rows, one);
        Check(reader, section, one);
      },
      region);
  return region;
}

void WriteRegion(const Region& region, Echo& echo) {
  const auto kind = static_cast<RegionKind>(region.index());
  // The default goes without saying.
  if (kind != RegionKind::kBox) echo.Write(RegionKindRow(), kind);
  std::visit([&](const auto& one) { echo.Write(RowsOf(one), one); }, region);
}

}  // namespace scree
