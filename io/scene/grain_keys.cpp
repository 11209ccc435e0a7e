// Regions, sizes and mixtures of particles: the keys that [fill] and [inflow] share.
#include <algorithm>
#include <sstream>

#include "engine/particles/grains.hpp"
#include "io/scene/key_parts.hpp"
#include "io/scene/units.hpp"
#include "solvers/base/check.hpp"

namespace scree {

std::vector<NamedShare> ReadShares(const std::string& text, const std::string& noun,
                                   const std::string& example) {
  std::vector<NamedShare> shares;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    std::istringstream words(part);
    std::string share, rest;
    NamedShare named;
    words >> named.name >> share >> rest;
    if (!share.empty()) named.share = ReadQuantities(share, 1, kPlain)[0];
    const bool is_single = shares.empty() && parts.eof();
    if (!rest.empty() || !(named.share > 0.0) || (share.empty() && !is_single)) {
      throw InputError(Text("\"", part, "\" is not a ", noun,
                            " with a share; expected a name, or names with shares above 0 such ",
                            "as ", example));
    }
    if (std::ranges::count(shares, named.name, &NamedShare::name) > 0) {
      throw InputError(Text("names ", named.name, " twice; expected each ", noun, " once"));
    }
    shares.push_back(named);
  }
  return shares;
}

std::string WriteShares(const std::vector<NamedShare>& shares) {
  std::string text;
  for (const NamedShare& entry : shares) {
    text += (text.empty() ? "" : ", ") + entry.name;
    if (shares.size() > 1) text += " " + ShortestText(entry.share);
  }
  return text;
}

namespace {

/// Values of keys, as text with the names of materials and shapes.
struct GrainNames {
  std::string material, shapes, mixture;
};

/// All properties of the particles except their sizes.
KeyRows GrainRows(GrainTemplate& grain, GrainNames& names) {
  return {
      {{"shape", "a [shape.NAME], or several with mass fractions: rod 0.3, tetrapod 0.7", kOptional,
        InWords("spheres if not given")},
       names.shapes},
      {{"mixture", "materials with mass fractions, each with its own sizes: glass 0.7, steel 0.3",
        kOptional, InWords("one material if not given")},
       names.mixture},
      KeyRow(MaterialNameKey(), names.material).OnlyIf(!names.material.empty()),
      {{"velocity", "initial velocity", kSpeed, Default{"0 0 0 m/s"}}, grain.velocity},
      {{"jitter", "random velocity added to each component, uniform between -jitter and +jitter",
        kSpeed, NotNegative(), Default{"0 0 0 m/s"}},
       grain.jitter},
  };
}

/// Range of the radii of shapes that all have their described size.
SizeDistribution DescribedSizes(const std::vector<GrainShape>& shapes) {
  const auto [min, max] = std::ranges::minmax(shapes, std::ranges::less(), &GrainShape::radius);
  SizeDistribution sizes(max.radius);
  sizes.smallest = min.radius;
  return sizes;
}

/// Converts mass fractions of shapes to cumulative number fractions.
void SetCumulativeFractions(const Scene& scene, GrainTemplate& grain) {
  const double density = scene.materials[grain.material].density;
  double sum = 0.0;
  for (GrainShape& shape : grain.shapes) {
    const double radius = shape.radius > 0.0 ? shape.radius : grain.sizes.largest;
    sum += shape.fraction / scene.ClumpOf(shape.shape).Mass(density, radius);
    shape.cumulative_fraction = sum;
  }
  for (GrainShape& shape : grain.shapes) shape.cumulative_fraction /= sum;
}

/// The range from the smallest to the largest radius of all parts.
SizeDistribution BoundsOf(const std::vector<MixturePart>& mixture) {
  SizeDistribution bounds;
  for (const MixturePart& part : mixture) {
    const bool is_first = &part == &mixture.front();
    bounds.smallest =
        is_first ? part.sizes.smallest : std::min(bounds.smallest, part.sizes.smallest);
    bounds.largest = std::max(bounds.largest, part.sizes.largest);
  }
  return bounds;
}

/// The sizes given in [material.NAME].
SizeDistribution SizesOf(const Material& material) {
  if (material.sizes) return *material.sizes;
  throw InputError(Text(
      "[material.", material.name,
      "] gives no sizes of its grains; expected a radius there, or one in this section for all "
      "materials"));
}

/// The parts of a mixture.
/// @param section_sizes  sizes that the section gives for all parts
std::vector<MixturePart> ReadParts(Section& section, const std::string& text,
                                   const MaterialTable& materials,
                                   const std::optional<SizeDistribution>& section_sizes) {
  std::vector<MixturePart> parts;
  try {
    for (const NamedShare& entry : ReadShares(text, "material", "glass 0.7, steel 0.3")) {
      const auto material = FindMaterial(section, "mixture", entry.name, materials);
      if (!material) return {};
      parts.push_back(
          {*material, entry.share, section_sizes ? *section_sizes : SizesOf(materials[*material])});
    }
  } catch (const InputError& error) {
    section.AddError("mixture", error.what());
    return {};
  }
  return parts;
}

void ReadMixture(Section& section, const GrainNames& names, const Scene& scene,
                 GrainTemplate& grain) {
  for (const char* other : {"material", "shape"}) {
    if (!section.IsGiven(other)) continue;
    section.AddError(other,
                     "is given together with a mixture, which names materials of spheres; expected "
                     "one of the two keys");
  }
  std::optional<SizeDistribution> sizes;
  if (section.IsAnyGiven(SizeSpecs())) VisitSizeKeys(section, sizes.emplace());
  grain.mixture = ReadParts(section, names.mixture, scene.materials, sizes);
  if (grain.mixture.empty()) return;  // error already added
  SetNumberFractions(scene.materials, grain.mixture);
  grain.sizes = BoundsOf(grain.mixture);
  grain.material = grain.mixture.front().material;
}

/// Spheres or shapes of one material.
void ReadOneMaterial(Section& section, const GrainNames& names, const Scene& scene,
                     GrainTemplate& grain) {
  grain.material = MaterialOf(section, names.material, scene.materials);
  const bool has_shapes = !names.shapes.empty();
  if (has_shapes) grain.shapes = ReadGrainShapes(section, names.shapes, scene);
  const std::optional<SizeDistribution>& material_sizes = scene.materials[grain.material].sizes;
  const bool has_size_keys = section.IsAnyGiven(SizeSpecs());
  if (has_shapes && !has_size_keys) {
    if (!grain.shapes.empty()) grain.sizes = DescribedSizes(grain.shapes);
  } else if (!has_size_keys && material_sizes) {
    grain.sizes = *material_sizes;
  } else {
    VisitSizeKeys(section, grain.sizes);
    for (GrainShape& shape : grain.shapes) shape.radius = 0.0;
  }
  SetCumulativeFractions(scene, grain);
}

/// Whether shapes or materials imply the sizes, so that the section needs no size keys.
bool AreSizesImplied(const GrainTemplate& grain, const MaterialTable& materials) {
  if (!grain.mixture.empty()) {
    return std::ranges::all_of(grain.mixture, [&](const MixturePart& part) {
      return materials[part.material].sizes == part.sizes;
    });
  }
  return !grain.shapes.empty() && grain.shapes[0].radius > 0.0;  // the described radii
}

GrainNames NamesOf(const GrainTemplate& grain, const Scene& scene) {
  std::vector<NamedShare> mixture;
  for (const MixturePart& part : grain.mixture) {
    mixture.push_back({scene.materials[part.material].name, part.fraction});
  }
  return {mixture.empty() ? scene.materials[grain.material].name : "",
          WriteGrainShapes(grain.shapes, scene), WriteShares(mixture)};
}

}  // namespace

void VisitGrainKeys(Section& section, GrainTemplate& grain, const Scene& scene) {
  GrainNames names;
  if (section.IsWritten()) names = NamesOf(grain, scene);
  if (!section.IsRead() && !AreSizesImplied(grain, scene.materials)) {
    VisitSizeKeys(section, grain.mixture.empty() ? grain.sizes : grain.mixture.front().sizes);
  }
  section.VisitKeys(GrainRows(grain, names));
  if (!section.IsRead()) return;
  if (names.mixture.empty()) {
    ReadOneMaterial(section, names, scene, grain);
  } else {
    ReadMixture(section, names, scene, grain);
  }
}

namespace {

KeySpec RegionRadiusKey() {
  return {"region_radius", "cylinder, sphere: radius of the region", kLength, Positive()};
}
KeyRows RegionRows(Box& box) { return CornerRows(box); }
KeyRows RegionRows(Cylinder& cylinder) {
  return {{{"from", "cylinder: centre of one end", kLength}, cylinder.from},
          {{"to", "cylinder: centre of the other end", kLength}, cylinder.to},
          {RegionRadiusKey(), cylinder.radius}};
}
KeyRows RegionRows(Ball& ball) {
  return {{{"centre", "sphere: centre of the region", kLength}, ball.centre},
          {RegionRadiusKey(), ball.radius}};
}

void CheckRegion(Section& section, const Box& box) { section.CheckBox(box); }
void CheckRegion(Section& section, const Cylinder& cylinder) {
  if (!section.HasValue("from") || !section.HasValue("to")) return;
  if ((cylinder.to - cylinder.from).norm() > 0.0) return;
  section.AddError("to", "is the same point as from; expected the other end");
}
void CheckRegion(Section&, const Ball&) {}

}  // namespace

KeyRows CornerRows(Box& box) {
  return {{{"lower", "lower corner", kLength, InWords("in the domain")}, box.lower},
          {{"upper", "upper corner", kLength, InWords("in the domain")}, box.upper}};
}

KeyRows SpacingRow(Lattice& lattice) {
  return {{{"spacing", "spacing of the lattice", kLength, Range{">= diameter", 0.0, true}},
           lattice.spacing}};
}

void VisitRegionKeys(Section& section, Region& region) {
  static const KindKeys kinds = KindsOf<Region>(
      {"region", "region; particles lie completely inside", Default{"box"}, kOptional},
      {"box", "cylinder", "sphere"}, [](auto& shape) { return RegionRows(shape); });
  section.VisitVariant(region, kinds, [&](auto& shape) {
    section.VisitKeys(RegionRows(shape));
    if (section.IsRead()) CheckRegion(section, shape);
  });
}

}  // namespace scree
