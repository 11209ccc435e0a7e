#include "io/configuration/grain_keys.hpp"

#include <algorithm>

#include "engine/particles/grains.hpp"
#include "io/configuration/clump_keys.hpp"
#include "io/configuration/key_groups.hpp"
#include "io/configuration/material_keys.hpp"
#include "io/configuration/share_list.hpp"
#include "io/configuration/size_keys.hpp"
#include "solvers/base/check.hpp"

namespace scree {
namespace {

/// Particles with their material as the scene names it.
struct NamedGrain {
  GrainTemplate grain;
  std::string material;
};

/// All of the particles but their sizes.
Keys<NamedGrain> GrainRows() {
  return {
      Key<NamedGrain>(MaterialName(), &NamedGrain::material).OnlyIf([](const NamedGrain& named) {
        return !named.material.empty();
      }),
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

const KeySpec kMixture = {.key = "mixture",
                          .doc =
                              "materials with shares of the mass, each with its own sizes: "
                              "glass 0.7, steel 0.3",
                          .kind = Kind::kText,
                          .lacking = Lacking::kMeansNone,
                          .range = "one material if not given"};

Keys<std::string> TextRow(const KeySpec& spec) {
  return {{spec, [](auto& text) -> decltype(auto) { return (text); }}};
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

/// The smallest radius of all parts to the largest.
SizeDistribution BoundsOf(const std::vector<MixturePart>& mixture) {
  SizeDistribution bounds;
  for (const MixturePart& part : mixture) {
    const bool first = &part == &mixture.front();
    bounds.smallest = first ? part.sizes.smallest : std::min(bounds.smallest, part.sizes.smallest);
    bounds.largest = std::max(bounds.largest, part.sizes.largest);
  }
  return bounds;
}

/// Sizes of a material that were told there.
SizeDistribution SizesOf(const Material& material) {
  if (material.sizes) return *material.sizes;
  throw InputError(Text("[material.", material.name,
                        "] tells no sizes of its grains; expected a radius there, or one here "
                        "for all"));
}

/// The parts of a mixture.
/// @param own  sizes that the section tells for all of them
std::vector<MixturePart> ReadParts(SectionReader& reader, const std::string& section,
                                   const std::string& text, const MaterialTable& materials,
                                   const std::optional<SizeDistribution>& own) {
  std::vector<MixturePart> parts;
  try {
    for (const NamedShare& one : ReadShares(text, "material", "glass 0.7, steel 0.3")) {
      const auto material = FindMaterial(reader, one.name, materials);
      if (!material) return {};
      parts.push_back({*material, one.share, own ? *own : SizesOf(materials[*material])});
    }
  } catch (const InputError& error) {
    reader.Complain(section, kMixture, error.what());
    return {};
  }
  return parts;
}

void RefuseBesideMixture(SectionReader& reader, const std::string& section) {
  for (const KeySpec& other : {MaterialName(), ShapeName()}) {
    if (!reader.Given().Given(section, other.key)) continue;
    reader.Complain(section, other,
                    "stands beside a mixture, which names materials of spheres; expected one of "
                    "the two keys");
  }
}

void ReadMixture(SectionReader& reader, const std::string& section, const std::string& text,
                 const Scene& scene, GrainTemplate& grain) {
  RefuseBesideMixture(reader, section);
  std::optional<SizeDistribution> own;
  if (GivesSizes(reader.Given(), section)) own = ReadSizes(reader, section);
  grain.mixture = ReadParts(reader, section, text, scene.materials, own);
  if (grain.mixture.empty()) return;  // complained about
  SetNumberShares(scene.materials, grain.mixture);
  grain.sizes = BoundsOf(grain.mixture);
  grain.material = grain.mixture.front().material;
}

/// Spheres or shapes of one material.
void ReadOneMaterial(SectionReader& reader, const std::string& section, const std::string& name,
                     const Scene& scene, GrainTemplate& grain) {
  grain.material = MaterialOf(reader, section, name, scene.materials);
  std::string shapes;
  reader.Read(section, TextRow(ShapeName()), shapes);
  if (!shapes.empty()) grain.shapes = ReadGrainShapes(reader, section, shapes, scene);
  const std::optional<SizeDistribution>& of_material = scene.materials[grain.material].sizes;
  const bool tells = GivesSizes(reader.Given(), section);
  if (!shapes.empty() && !tells) {
    if (!grain.shapes.empty()) grain.sizes = DescribedSizes(grain.shapes);
  } else if (!tells && of_material) {
    grain.sizes = *of_material;
  } else {
    grain.sizes = ReadSizes(reader, section);
    for (GrainShape& one : grain.shapes) one.radius = 0.0;
  }
  SetNumbers(scene, grain);
}

void WriteMixture(const GrainTemplate& grain, const MaterialTable& materials, Echo& echo) {
  std::vector<NamedShare> shares;
  bool of_materials = true;
  for (const MixturePart& part : grain.mixture) {
    shares.push_back({materials[part.material].name, part.share});
    of_materials = of_materials && materials[part.material].sizes == part.sizes;
  }
  echo.Write(TextRow(kMixture), WriteShares(shares));
  if (!of_materials) WriteSizes(grain.mixture.front().sizes, echo);
}

}  // namespace

KeySpecs GrainSpecs() {
  return Joined({SizeSpecs(), {ShapeName(), kMixture}, SpecsOf(GrainRows())});
}

GrainTemplate ReadGrain(SectionReader& reader, const std::string& section, const Scene& scene) {
  NamedGrain named;
  std::string mixture;
  reader.Read(section, GrainRows(), named);
  reader.Read(section, TextRow(kMixture), mixture);
  if (mixture.empty()) {
    ReadOneMaterial(reader, section, named.material, scene, named.grain);
  } else {
    ReadMixture(reader, section, mixture, scene, named.grain);
  }
  return named.grain;
}

void WriteGrain(const GrainTemplate& grain, const Scene& scene, Echo& echo) {
  NamedGrain named{grain, scene.materials[grain.material].name};
  if (!grain.mixture.empty()) {
    WriteMixture(grain, scene.materials, echo);
    named.material.clear();
  } else {
    if (!grain.shapes.empty()) {
      echo.Write(TextRow(ShapeName()), WriteGrainShapes(grain.shapes, scene));
    }
    const bool as_described = !grain.shapes.empty() && grain.shapes[0].radius > 0.0;
    if (!as_described) WriteSizes(grain.sizes, echo);
  }
  echo.Write(GrainRows(), named);
}

}  // namespace scree
