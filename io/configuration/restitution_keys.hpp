/// \file  The restitution that a [contact] or [pair] section of a scene gives.
#pragma once

#include <string>

#include "engine/scene/materials.hpp"
#include "io/configuration/ini_file.hpp"
#include "io/configuration/settings.hpp"

namespace scree {

/// A constant, or a law with its constants; those of [pair] do not mix with those of [contact].
/// What is missing, or has no effect, goes to `errors`. Whether the materials have what a law takes
/// from them is not looked at.
PairRestitution ReadRestitution(const Settings& settings, const std::string& section,
                                ErrorList& errors);

}  // namespace scree
