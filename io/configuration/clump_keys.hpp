/// \file  The key `shape` of particles, in fills and in an inflow.
#pragma once

#include <string>
#include <vector>

#include "engine/scene/scene.hpp"
#include "io/configuration/section_reader.hpp"

namespace scree {

/// A scene's word for spheres where a shape is asked for.
inline constexpr const char* kSphereName = "sphere";

/// The key itself.
KeySpec ShapeName();

/// The shapes that a value of the key names: "rod", or "rod 0.3, tetrapod 0.7" with shares of the
/// mass; their radii are as described.
/// @param section  where complaints belong to
std::vector<GrainShape> ReadGrainShapes(SectionReader& reader, const std::string& section,
                                        const std::string& value, const Scene& scene);

/// The value that gives these shapes; empty: spheres.
std::string WriteGrainShapes(const std::vector<GrainShape>& shapes, const Scene& scene);

}  // namespace scree
