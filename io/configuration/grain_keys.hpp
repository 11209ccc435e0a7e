/// \file  The keys of newly made particles, in fills and inflows: sizes, shapes, material or
///        mixture, velocity.
#pragma once

#include <string>

#include "engine/scene/scene.hpp"
#include "io/configuration/effective_ini.hpp"
#include "io/configuration/section_reader.hpp"

namespace scree {

KeySpecs GrainSpecs();

/// Sizes that a section does not tell are those of its shapes or materials.
GrainTemplate ReadGrain(SectionReader& reader, const std::string& section, const Scene& scene);
void WriteGrain(const GrainTemplate& grain, const Scene& scene, Echo& echo);

}  // namespace scree
