/// \file  Keys that several kinds of sections have, or that are about one part of a thing. What is
///        missing, contradicts itself or does not belong there goes to the errors of the section.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/scene/scene.hpp"
#include "io/scene/section.hpp"

namespace scree {

/// The shape of a wall: the word for it and the keys of all shapes, which tell whose they are.
const KeySpecs& ShapeSpecs();
void ShapeKeys(Section& section, ShapePart& part);

/// How a wall moves: as prescribed, by a table, or under forces.
/// @param[in,out] wall  with its name
void WallMotionKeys(Section& section, Wall& wall);

/// The sizes of a [fill], [inflow] or [material].
const KeySpecs& SizeSpecs();
void SizeKeys(Section& section, SizeDistribution& sizes);

/// The region in which particles are made.
void RegionKeys(Section& section, Region& region);
KeyRows CornerRows(Box& box);
KeyRows SpacingRow(Lattice& lattice);

/// Newly made particles: sizes, shapes, material or mixture, velocity. Where a section gives no
/// sizes they are those of its shapes or materials.
void GrainKeys(Section& section, GrainTemplate& grain, const Scene& scene);

/// A scene's word for spheres where a shape is asked for.
inline constexpr const char* kSphereName = "sphere";

/// The shapes that a value of the key `shape` names: "rod", or "rod 0.3, tetrapod 0.7" with shares
/// of the mass; their radii are as described.
std::vector<GrainShape> ReadGrainShapes(Section& section, const std::string& value,
                                        const Scene& scene);
/// The value that gives these shapes; empty: spheres.
std::string WriteGrainShapes(const std::vector<GrainShape>& shapes, const Scene& scene);

/// The key that names the material of walls and particles.
KeySpec MaterialName();
/// The material of this name; nothing if there is none, which is an error of `key`.
std::optional<MaterialId> FindMaterial(Section& section, const std::string& key,
                                       const std::string& name, const MaterialTable& materials);
/// That of the section; the first one if the name is empty, or if there is none.
MaterialId MaterialOf(Section& section, const std::string& name, const MaterialTable& materials);

struct NamedShare {
  std::string name;
  double share = 1.0;  // > 0; their sum need not be 1
};

/// Reads names with shares, or one name alone.
/// @param noun     what is named, "shape"
/// @param example  "rod 0.3, tetrapod 0.7"
/// @throws InputError if it is no such list, or names something twice
std::vector<NamedShare> ReadShares(const std::string& text, const std::string& noun,
                                   const std::string& example);

/// The text that ReadShares takes.
std::string WriteShares(const std::vector<NamedShare>& shares);

}  // namespace scree
