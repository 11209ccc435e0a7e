/// \file  How a wall moves: as prescribed, by a table, or under forces; keys of [wall.NAME], and
///        [motion.NAME] for further motions.
#pragma once

#include <string>

#include "engine/scene/scene.hpp"
#include "io/configuration/effective_ini.hpp"
#include "io/configuration/section_reader.hpp"

namespace scree {

/// All keys of a wall that are about its motion.
KeySpecs WallMotionSpecs();

/// @param[in,out] wall  with name and shape
void ReadWallMotion(SectionReader& reader, const std::string& section, Wall& wall);
void WriteWallMotion(Wall& wall, Echo& echo);

}  // namespace scree
