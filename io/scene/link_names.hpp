/// \file  Names and rules that the sections of links, joints and loops share.
#pragma once

#include <string>

#include "engine/scene/scene.hpp"
#include "io/scene/section.hpp"

namespace scree {

inline constexpr const char* kGroundName = "ground";

/// The rule of keys on which the positions of links depend.
inline ChangeRule LinkPlacementRule() {
  return Never("the position of a link depends on its joints since the start");
}

/// Sets `parent` and `child` to the links with these names; the name "ground" leaves `parent`
/// unchanged. An unknown name is an error of the section.
/// @returns whether both links exist
bool FindLinks(Section& section, const std::string& parent_name, const std::string& child_name,
               const Scene& scene, Index& parent, Index& child);
/// The name of a link, or "ground".
std::string LinkName(const Scene& scene, Index link);

}  // namespace scree
