/// \file  Names and rules that the sections of links, joints and loops share.
#pragma once

#include <string>

#include "engine/scene/scene.hpp"
#include "io/scene/section.hpp"

namespace scree {

inline constexpr const char* kGroundName = "ground";

/// The rule of keys that place links.
inline ChangeRule StaysWithLinks() {
  return Never("the positions of links follow from their joints since the start");
}

/// Finds the links of a joint or a loop by their names.
/// @returns whether both exist
bool FindLinks(Section& section, const std::string& parent_name, const std::string& child_name,
               const Scene& scene, Index& parent, Index& child);
/// The name of a link, or "ground".
std::string LinkName(const Scene& scene, Index link);

}  // namespace scree
