/// \file  Spheres from text dumps of LAMMPS and LIGGGHTS.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace scree {

bool IsDumpName(std::string_view path);

/// The last frame of a text dump as a table of particles (io/state/particle_csv): x y z, or xu yu
/// zu, radius or diameter, and vx vy vz and omegax omegay omegaz if they exist. `type` k is the
/// scene's k-th material. Other columns and the box are ignored. Numbers are in SI.
/// @param materials  of the scene
/// @throws FileError naming the file and the error
std::string TableOfDump(std::string_view text, const std::string& path,
                        std::span<const std::string> materials);

}  // namespace scree
