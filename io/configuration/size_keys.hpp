/// \file  The distribution of sizes that a [fill], [inflow] or [material] section of a scene gives.
#pragma once

#include <string>

#include "engine/scene/size_distribution.hpp"
#include "io/configuration/effective_ini.hpp"
#include "io/configuration/section_reader.hpp"

namespace scree {

/// All of these keys.
const KeySpecs& SizeSpecs();

/// The distribution that a section gives; what is missing, contradicts itself, or does not belong
/// to it goes to the reader's errors.
SizeDistribution ReadSizes(SectionReader& reader, const std::string& section);

/// The way back.
void WriteSizes(SizeDistribution sizes, Echo& echo);

}  // namespace scree
