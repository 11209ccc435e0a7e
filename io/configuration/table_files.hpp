/// \file  Shapes of particles, motions of walls, tables and grids of forces from files, taken into
///        the scene's text, so that it is complete.
#pragma once

#include <string>
#include <vector>

#include "engine/ranks/communicator.hpp"
#include "io/configuration/ini_file.hpp"

namespace scree {

/// The scene with such lines replaced by what their tables say, each in its line:
///
///     [shape.NAME]  file = NAME.csv     by  spheres = ...
///     [shape.NAME]  file = NAME.stl     by  vertices = ..., those of the hull (shape_files.hpp)
///     [wall.NAME]   motion = NAME.csv   by  motion = time_s 0 0.1 ..., x_mm 0 2 ...
///     [field.NAME], [fluid]  table = NAME.csv, grid = NAME.csv  by  the same with their columns
///     [field.NAME], [fluid]  grid = NAME.h5  by  columns of its datasets x, y, z [N] and velocity,
///                                            acceleration or force_per_volume [N][3], in SI
///
/// A table of spheres has the header x,y,z,radius, in metres unless a line "# unit mm" or the names
/// of columns, x_mm, say otherwise; of a motion the columns are taken as they are, with names that
/// end with their units. Columns are separated by commas, or by semicolons or tabs. File names are
/// relative to the working directory or to the scene's. To be called on one rank.
/// @param[in,out] notes  if given, gets a sentence for each hull that adds volume to a solid
/// @throws FileError if a table or a surface is missing or damaged
std::string WithTables(const std::string& scene_text, const std::string& scene_path,
                       std::vector<std::string>* notes = nullptr);

/// The same for changed values, as of the command line. Collective.
/// @param[in,out] notes  of root alone
/// @throws FileError on all ranks
void TakeTables(const Communicator& communicator, const std::string& scene_path,
                std::vector<IniEntry>& changes, std::vector<std::string>* notes = nullptr);

}  // namespace scree
