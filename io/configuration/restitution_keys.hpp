/// \file  The restitution that a [contact] or [pair] section of a scene gives.
#pragma once

#include <string>

#include "engine/scene/materials.hpp"
#include "io/configuration/key_binding.hpp"
#include "io/configuration/section_reader.hpp"

namespace scree {

/// A number or the name of a law, and the constants of a law.
KeyRows RestitutionRows(PairRestitution& restitution);

/// The same of a [pair], which has no default: without a restitution of its own all of it is that
/// of [contact].
KeyRows RestitutionRowsOfPairs(PairRestitution& restitution);

/// A constant, or a law with its constants; those of [pair] do not mix with those of [contact].
/// What is missing, or has no effect, goes to the errors. Whether the materials have what a law
/// takes from them is not looked at.
PairRestitution ReadRestitution(SectionReader& reader, const std::string& section);

}  // namespace scree
