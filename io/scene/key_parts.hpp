/// \file  Keys that several kinds of sections share, or that describe a part of an object. Missing,
///        contradictory and misplaced keys are errors of the section.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/scene/scene.hpp"
#include "io/scene/section.hpp"

namespace scree {

/// The shape of a wall: the key `shape` and the keys of all shapes. The help of these keys names
/// the shapes to which they belong.
const KeySpecs& ShapeSpecs();
void VisitShapeKeys(Section& section, ShapePart& part);

/// The motion of a wall: prescribed, by a table, or under forces.
/// @param[in,out] wall  its name and shape must be set
void VisitWallMotionKeys(Section& section, Wall& wall);

/// The sizes of a [fill], [inflow] or [material].
const KeySpecs& SizeSpecs();
void VisitSizeKeys(Section& section, SizeDistribution& sizes);

/// The region in which particles are made.
void VisitRegionKeys(Section& section, Region& region);
KeyRows CornerRows(Box& box);
KeyRows SpacingRow(Lattice& lattice);

/// Newly made particles: sizes, shapes, material or mixture, velocity. A section without sizes uses
/// those of its shapes or materials.
void VisitGrainKeys(Section& section, GrainTemplate& grain, const Scene& scene);

/// The name that means spheres in a list of shapes.
inline constexpr const char* kSphereName = "sphere";

/// The shapes named by a value of the key `shape`: "rod", or "rod 0.3, tetrapod 0.7" with mass
/// fractions. Radii are those in the descriptions of the shapes.
std::vector<GrainShape> ReadGrainShapes(Section& section, const std::string& value,
                                        const Scene& scene);
/// The text that ReadGrainShapes reads back as these shapes; empty: spheres.
std::string WriteGrainShapes(const std::vector<GrainShape>& shapes, const Scene& scene);

/// The key that names the material of walls and particles.
KeySpec MaterialNameKey();
/// The material of this name. If it does not exist, adds an error to `key` and returns nothing.
std::optional<MaterialId> FindMaterial(Section& section, const std::string& key,
                                       const std::string& name, const MaterialTable& materials);
/// The material of a section: the first one if the name is empty or unknown.
MaterialId MaterialOf(Section& section, const std::string& name, const MaterialTable& materials);

struct NamedShare {
  std::string name;
  double share = 1.0;  // > 0; the sum of all shares need not be 1
};

/// Reads names with fractions, or a single name.
/// @param noun     kind of the named things, such as "shape"
/// @param example  "rod 0.3, tetrapod 0.7"
/// @throws InputError if the text is not such a list, or repeats a name
std::vector<NamedShare> ReadShares(const std::string& text, const std::string& noun,
                                   const std::string& example);

/// The text that ReadShares reads.
std::string WriteShares(const std::vector<NamedShare>& shares);

}  // namespace scree
