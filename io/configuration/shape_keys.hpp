/// \file  The shapes of walls as a scene names them: one form each, with its keys.
#pragma once

#include <string>

#include "engine/geometry/shapes.hpp"
#include "io/configuration/effective_ini.hpp"
#include "io/configuration/section_reader.hpp"

namespace scree {

/// The key that names the shape and the keys of all shapes, which tell whose they are.
const KeySpecs& ShapeSpecs();

/// The shape that a section gives; what is missing in it, or is of another shape, goes to the
/// reader's errors.
ShapePart ReadShape(SectionReader& reader, const std::string& section);

/// The way back.
void WriteShape(ShapePart part, Echo& echo);

}  // namespace scree
