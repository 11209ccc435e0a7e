/// \file  Shapes of particles from tables, taken into the scene's text, so that it is complete.
#pragma once

#include <string>

namespace scree {

/// The scene with `file = NAME` of each [shape.NAME] replaced by `spheres = ...` of that table, in
/// the same line. A table has a header x,y,z,r and a row for each sphere, in metres unless a line
/// "# unit mm" says otherwise; its name is relative to the working directory or to the scene's.
/// To be called on one rank.
/// @throws FileError if a table is missing or damaged
std::string WithShapeFiles(const std::string& scene_text, const std::string& scene_path);

}  // namespace scree
