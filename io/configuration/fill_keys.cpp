// [fill.NAME] and [inflow]: where particles begin, and what they look like.
#include <algorithm>

#include "io/configuration/clump_keys.hpp"
#include "io/configuration/key_groups.hpp"
#include "io/configuration/material_keys.hpp"
#include "io/configuration/size_keys.hpp"
#include "solvers/check.hpp"

namespace scree {
namespace {

using Places = std::variant<Lattice, RandomRegion>;

/// The kinds of places, in the order of the variant.
enum class PlacesKind { kLattice, kRandom };
constexpr std::array<const char*, 2> NamesOf(PlacesKind) { return {"lattice", "random"}; }

const KeySpec kLower = {
    .key = "lower", .doc = "lower corner", .range = "in the domain", .dimension = kLength};
const KeySpec kUpper = {
    .key = "upper", .doc = "upper corner", .range = "in the domain", .dimension = kLength};

Keys<PlacesKind> PlacesRow() {
  return {{{.key = "places",
            .doc = "random: none overlapping another of this fill, wholly in the region",
            .initial = "lattice"},
           [](auto& kind) -> decltype(auto) { return (kind); }}};
}

Keys<Box> CornerRows() { return {{kLower, &Box::lower}, {kUpper, &Box::upper}}; }

Keys<Lattice> RowsOf(const Lattice&) {
  return Within<Lattice>(&Lattice::region, CornerRows()) + Keys<Lattice>{{{.key = "spacing",
                                                                           .doc = "of the lattice",
                                                                           .range = ">= diameter",
                                                                           .dimension = kLength,
                                                                           .lower = 0.0,
                                                                           .open = true},
                                                                          &Lattice::spacing}};
}

Keys<RandomRegion> RowsOf(const RandomRegion&) {
  return Within<RandomRegion>(&RandomRegion::region, CornerRows()) +
         Keys<RandomRegion>{{{.key = "solid_fraction",
                              .doc = "random: volume of the spheres over that of the region",
                              .range = "> 0, at most 0.3",
                              .lower = 0.0,
                              .open = true,
                              .upper = 0.3},
                             &RandomRegion::solid_fraction}};
}

KeySpecs PlacesSpecs() {
  return Joined(
      {SpecsOf(PlacesRow()), SpecsOf(RowsOf(Lattice())), SpecsOf(RowsOf(RandomRegion()))});
}

template <class Region>
Region ReadRegion(SectionReader& reader, const std::string& section) {
  Region region;
  reader.Read(section, RowsOf(region), region);
  reader.CheckBox(section, region.region, kLower, kUpper);
  return region;
}

Places ReadPlaces(SectionReader& reader, const std::string& section) {
  PlacesKind kind = {};
  reader.Read(section, PlacesRow(), kind);
  const KeySpec row = PlacesRow().front().spec;
  if (!reader.HasValue(section, row)) {  // complained about
    Box region;
    reader.Read(section, CornerRows(), region);
    reader.CheckBox(section, region, kLower, kUpper);
    return Lattice{region, 0.0};
  }
  const bool is_random = kind == PlacesKind::kRandom;
  const KeySpecs mine = is_random ? SpecsOf(RowsOf(RandomRegion())) : SpecsOf(RowsOf(Lattice()));
  reader.Refuse(section, PlacesSpecs(), Joined({{row}, mine}), row.key + " = " + NameOf(kind));
  if (is_random) return ReadRegion<RandomRegion>(reader, section);
  return ReadRegion<Lattice>(reader, section);
}

void WritePlaces(const Places& places, Echo& echo) {
  const auto kind = static_cast<PlacesKind>(places.index());
  // The default goes without saying.
  if (kind != PlacesKind::kLattice) echo.Write(PlacesRow(), kind);
  std::visit([&](const auto& region) { echo.Write(RowsOf(region), region); }, places);
}

/// Particles with their material as the scene names it.
struct NamedGrain {
  GrainTemplate grain;
  std::string material;
};

/// All of the particles but their sizes.
Keys<NamedGrain> GrainRows() {
  return {
      {MaterialName(), &NamedGrain::material},
      {{.key = "velocity", .doc = "initial velocity", .initial = "0 0 0 m/s", .dimension = kSpeed},
       [](auto& named) -> decltype(auto) { return (named.grain.velocity); }},
      {{.key = "jitter",
        .doc = "each velocity component is uniform within plus or minus this",
        .initial = "0 0 0 m/s",
        .range = ">= 0",
        .dimension = kSpeed,
        .lower = 0.0},
       [](auto& named) -> decltype(auto) { return (named.grain.jitter); }},
  };
}

KeySpecs GrainSpecs() { return Joined({SizeSpecs(), {ShapeName()}, SpecsOf(GrainRows())}); }

Keys<std::string> ShapeRow() {
  return {{ShapeName(), [](auto& name) -> decltype(auto) { return (name); }}};
}

bool GivesSizes(const Settings& given, const std::string& section) {
  return std::ranges::any_of(SizeSpecs(),
                             [&](const KeySpec& spec) { return given.Given(section, spec.key); });
}

/// Bounds of the radii of shapes that are as large as they are described.
SizeDistribution DescribedSizes(const std::vector<GrainShape>& shapes) {
  const auto [least, most] = std::ranges::minmax(shapes, std::ranges::less(), &GrainShape::radius);
  SizeDistribution sizes(most.radius);
  sizes.smallest = least.radius;
  return sizes;
}

/// From shares of the mass to shares of the number.
void SetNumbers(const Scene& scene, GrainTemplate& grain) {
  const double density = scene.materials[grain.material].density;
  double sum = 0.0;
  for (GrainShape& one : grain.shapes) {
    const double radius = one.radius > 0.0 ? one.radius : grain.sizes.largest;
    sum += one.share / scene.ClumpOf(one.shape).Mass(density, radius);
    one.up_to = sum;
  }
  for (GrainShape& one : grain.shapes) one.up_to /= sum;
}

GrainTemplate ReadGrain(SectionReader& reader, const std::string& section, const Scene& scene) {
  NamedGrain named;
  GrainTemplate& grain = named.grain;
  std::string shapes;
  reader.Read(section, ShapeRow(), shapes);
  if (!shapes.empty()) grain.shapes = ReadGrainShapes(reader, section, shapes, scene);
  if (!shapes.empty() && !GivesSizes(reader.Given(), section)) {
    if (!grain.shapes.empty()) grain.sizes = DescribedSizes(grain.shapes);
  } else {
    grain.sizes = ReadSizes(reader, section);
    for (GrainShape& one : grain.shapes) one.radius = 0.0;
  }
  reader.Read(section, GrainRows(), named);
  grain.material = MaterialOf(reader, section, named.material, scene.materials);
  SetNumbers(scene, grain);
  return grain;
}

void WriteGrain(const GrainTemplate& grain, const Scene& scene, Echo& echo) {
  if (!grain.shapes.empty()) echo.Write(ShapeRow(), WriteGrainShapes(grain.shapes, scene));
  const bool as_described = !grain.shapes.empty() && grain.shapes[0].radius > 0.0;
  if (!as_described) WriteSizes(grain.sizes, echo);
  echo.Write(GrainRows(), NamedGrain{grain, scene.materials[grain.material].name});
}

/// The wall that drives an inflow, by name.
Keys<std::string> PistonRow() {
  return {{{.key = "piston",
            .doc = "wall that drives",
            .kind = Kind::kName,
            .range = "a wall that is a plane"},
           [](auto& name) -> decltype(auto) { return (name); }}};
}

std::size_t ReadPiston(SectionReader& reader, const std::vector<Wall>& walls) {
  std::string piston;
  reader.Read("inflow", PistonRow(), piston);
  std::vector<std::string> known;
  for (const Wall& wall : walls) known.push_back(wall.name);
  const auto found = std::ranges::find(known, piston);
  if (found == known.end() && !piston.empty() && !reader.IsMisspelt("wall." + piston)) {
    reader.Complain("inflow", PistonRow().front().spec,
                    Text("there is no [wall.", piston, "]", DidYouMean(piston, known)));
  }
  return static_cast<std::size_t>(found - known.begin());
}

void Read(SectionReader& reader, Scene& scene) {
  for (const std::string& section : reader.Given().Sections("fill")) {
    Places places = ReadPlaces(reader, section);
    scene.fills.push_back({std::move(places), ReadGrain(reader, section, scene)});
  }
  if (!reader.Given().Has("inflow")) return;
  const Lattice lattice = ReadRegion<Lattice>(reader, "inflow");
  const GrainTemplate grain = ReadGrain(reader, "inflow", scene);
  scene.inflow = Inflow{ReadPiston(reader, scene.walls), lattice, grain};
}

void Write(const Scene& scene, Echo& echo) {
  for (std::size_t f = 0; f < scene.fills.size(); ++f) {
    echo.Section(Text("fill.region", f + 1));
    WritePlaces(scene.fills[f].places, echo);
    WriteGrain(scene.fills[f].grain, scene, echo);
  }
  if (!scene.inflow) return;
  echo.Section("inflow");
  echo.Write(PistonRow(), scene.walls[scene.inflow->piston].name);
  echo.Write(RowsOf(scene.inflow->lattice), scene.inflow->lattice);
  WriteGrain(scene.inflow->grain, scene, echo);
}

/// Only the extent across the piston's axis counts.
KeySpecs InflowSpecs() {
  return Joined({SpecsOf(PistonRow()), SpecsOf(RowsOf(Lattice())), GrainSpecs()});
}

}  // namespace

KeyGroup FillKeys() {
  return {{{"fill", "fill or fill.NAME", 0, 1, "Particles at time zero", RestartRule::kNever,
            Joined({PlacesSpecs(), GrainSpecs()})},
           {"inflow", "inflow", 0, 0, "Layers of particles that a piston drives in",
            RestartRule::kNever, InflowSpecs()}},
          [](SectionReader& reader, RunConfig& run) { Read(reader, run.scene); },
          [](const RunConfig& run, Echo& echo) { Write(run.scene, echo); }};
}

}  // namespace scree
