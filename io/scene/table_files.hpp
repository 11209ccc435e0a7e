/// \file  Reads the files that keys name: shapes of particles, motions of walls, tables and grids
///        of forces.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/ranks/communicator.hpp"
#include "io/scene/ini_file.hpp"

namespace scree {

/// How to read the files that a scene names.
struct SceneFiles {
  std::optional<Communicator> communicator =
      {};                  // root reads for all ranks; none: this rank reads alone
  std::string scene = {};  // path; files may also be in its folder; "" for none
  std::vector<std::string>* notes = nullptr;  // at root: a sentence for each hull that adds volume
};

/// Whether the text of an entry is the name of a file that contains the value.
bool NamesTableFile(const IniEntry& entry);

/// The folder in which a run keeps large tables.
inline constexpr const char* kTableFolder = "tables";
/// The name of a table's file: "tables/DIGEST.csv".
std::string KeptTableName(const std::string& content);
/// The digest in such a name; empty if the name has another form.
std::string DigestInName(const std::string& name);

/// Reads the value of an entry from its file:
///
///     [shape.NAME]  file = NAME.csv     becomes the key spheres
///     [shape.NAME]  file = NAME.stl     becomes the key vertices, of the hull (shape_files)
///     [wall.NAME]   motion = NAME.csv
///     [joint.NAME]  table = NAME.csv
///     [field.NAME], [fluid]  table = NAME.csv, grid = NAME.csv
///     [field.NAME], [fluid]  grid = NAME.h5: datasets x, y, z [N] and velocity, acceleration or
///                                            force_per_volume [N][3], in SI
///
/// A table of spheres has the header x,y,z,radius. It is in metres unless a line "# unit mm" or the
/// names of columns, such as x_mm, give another unit. In other tables the names of columns end with
/// units. Columns are separated by commas, or by semicolons or tabs. File names are relative to the
/// working directory or to the folder of the scene. Collective if there is a communicator.
/// @param location  file and line of the entry, for messages
/// @throws FileError on all ranks if a table or surface is missing or damaged, or if the stored
/// table of a run has changed
void LoadTableFile(const SceneFiles& files, const std::string& location, IniEntry& entry);

}  // namespace scree
