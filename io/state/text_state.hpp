/// \file  Spheres from text files of other programs: dumps of LAMMPS and LIGGGHTS, exports of Yade.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace scree {

/// Whether the name of a file is that of such a text: .lammpstrj, .dump, or .txt for Yade.
bool IsTextStateName(std::string_view path);

/// The spheres of such a file as a table of particles (io/state/particle_csv). Numbers are in SI.
///
/// LAMMPS: the last frame must have x y z or xu yu zu, and radius or diameter; vx vy vz and omegax
/// omegay omegaz are read if they exist. `type` k is the k-th material of the scene, from 1.
/// Yade: yade.export.text and textExt, whose line `#format x_y_z_r_matId` names the columns;
/// `matId` k is the k-th material, from 0. Clumps are refused.
/// Other columns and the box are ignored.
///
/// @param materials  names of the scene's materials
/// @throws FileError naming the file and the error
std::string TableOfTextState(std::string_view text, const std::string& path,
                             std::span<const std::string> materials);

}  // namespace scree
