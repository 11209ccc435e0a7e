/// \file  Shapes of particles, motions of walls, tables and grids of forces from the files that
/// keys
///        name.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/ranks/communicator.hpp"
#include "io/scene/ini_file.hpp"

namespace scree {

/// Who reads the files that a scene names, and where they are.
struct SceneFiles {
  std::optional<Communicator> communicator = {};  // root reads for all of them; none: alone
  std::string scene = {};                         // files may be beside it, too; "" for none
  std::vector<std::string>* notes = nullptr;  // of root: a sentence on each hull that adds volume
};

/// Whether the text of an entry is the name of a file that has its value.
bool NamesTableFile(const IniEntry& entry);

/// The folder in which a run keeps large tables.
inline constexpr const char* kTableFolder = "tables";
/// The name of the file of one: "tables/DIGEST.csv".
std::string KeptTableName(const std::string& content);
/// The digest in such a name; empty if it is another one.
std::string DigestInName(const std::string& name);

/// Reads the value of an entry from its file:
///
///     [shape.NAME]  file = NAME.csv     becomes the key spheres
///     [shape.NAME]  file = NAME.stl     becomes the key vertices, those of the hull (shape_files)
///     [wall.NAME]   motion = NAME.csv
///     [field.NAME], [fluid]  table = NAME.csv, grid = NAME.csv
///     [field.NAME], [fluid]  grid = NAME.h5: datasets x, y, z [N] and velocity, acceleration or
///                                            force_per_volume [N][3], in SI
///
/// A table of spheres has the header x,y,z,radius, in metres unless a line "# unit mm" or the names
/// of columns, x_mm, say otherwise; other columns have names that end with their units. Columns are
/// separated by commas, or by semicolons or tabs. File names are relative to the working directory
/// or to the scene's. Collective if there is a communicator.
/// @param where  the entry stands, for messages
/// @throws FileError on all ranks if a table or a surface is missing or damaged, or one that a run
///         has kept is not what it was
void LoadTableFile(const SceneFiles& files, const std::string& where, IniEntry& entry);

}  // namespace scree
