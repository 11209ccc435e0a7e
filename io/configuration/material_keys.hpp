/// \file  Materials of a scene: how other sections name one, and what holds between two.
#pragma once

#include <optional>
#include <string>

#include "engine/scene/materials.hpp"
#include "io/configuration/section_reader.hpp"

namespace scree {

/// The key that names the material of walls and particles.
KeySpec MaterialName();

/// The material of this name; nothing if there is none, which goes to the reader's errors.
/// @param where  that is told
std::optional<MaterialId> FindMaterial(SectionReader& reader, const std::string& where,
                                       const std::string& name, const MaterialTable& materials);

/// The material of a section whose key has this value; the first one if it is empty, or if there is
/// none.
MaterialId MaterialOf(SectionReader& reader, const std::string& section, const std::string& name,
                      const MaterialTable& materials);

}  // namespace scree
