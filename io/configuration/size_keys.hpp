/// \file  The distribution of sizes that a [fill] or [inflow] section of a scene gives.
#pragma once

#include <string>

#include "engine/scene/size_distribution.hpp"
#include "io/configuration/ini_file.hpp"
#include "io/configuration/settings.hpp"

namespace scree {

/// What is missing, contradicts itself, or does not belong to the distribution goes to `errors`.
SizeDistribution ReadSizes(const Settings& settings, const std::string& section, ErrorList& errors);

}  // namespace scree
