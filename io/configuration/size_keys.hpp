/// \file  The distribution of sizes that a [fill], [inflow] or [material] section of a scene gives.
#pragma once

#include <string>

#include "engine/scene/size_distribution.hpp"
#include "io/configuration/effective_ini.hpp"
#include "io/configuration/section_reader.hpp"

namespace scree {

/// All of these keys.
KeySpecs SizeSpecs();

/// Whether the section has one of these keys.
bool GivesSizes(const Settings& given, const std::string& section);

/// The distribution that a section gives; what is missing, contradicts itself, or does not belong
/// to it goes to the reader's errors.
SizeDistribution ReadSizes(SectionReader& reader, const std::string& section);

/// The way back.
void WriteSizes(const SizeDistribution& sizes, Echo& echo);

}  // namespace scree
