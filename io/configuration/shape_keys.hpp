/// \file  The shapes of walls as a scene names them: one form each, with its keys.
#pragma once

#include <string>

#include "engine/geometry/shapes.hpp"
#include "io/configuration/effective_ini.hpp"
#include "io/configuration/section_reader.hpp"

namespace scree {

/// The key that names the shape and the keys of all shapes, which tell whose they are.
KeySpecs ShapeSpecs();

/// The shape that a section gives; what is missing in it, or is of another shape, goes to the
/// reader's errors.
/// @param of_wall     the other keys of a wall, which parts of it cannot have
/// @param whole_wall  the section is [wall.NAME], not one of a part of it
ShapePart ReadShape(SectionReader& reader, const std::string& section, const KeySpecs& of_wall,
                    bool whole_wall);

/// The way back.
void WriteShape(const ShapePart& part, Echo& echo);

}  // namespace scree
