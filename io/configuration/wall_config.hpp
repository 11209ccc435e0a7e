/// \file  The walls of a scene from their sections.
#pragma once

#include <vector>

#include "engine/scene/scene.hpp"
#include "io/configuration/settings.hpp"

namespace scree {

/// The walls of all [wall.NAME] and [wall.NAME.PART] sections, in the order of their first mention.
std::vector<Wall> ReadWalls(const Settings& settings, const MaterialTable& materials,
                            ErrorList& errors);

}  // namespace scree
