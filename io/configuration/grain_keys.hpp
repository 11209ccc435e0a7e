/// \file  The keys of newly made particles, in fills and inflows: sizes, shapes, material or
///        mixture, velocity.
#pragma once

#include <string>

#include "engine/scene/scene.hpp"
#include "io/configuration/effective_ini.hpp"
#include "io/configuration/section_reader.hpp"

namespace scree {

/// All of these keys.
KeySpecs GrainSpecs();

/// The particles that a section asks for, those of its shapes or materials where it gives no sizes;
/// what is wrong goes to the reader's errors.
GrainTemplate ReadGrain(SectionReader& reader, const std::string& section, const Scene& scene);
/// The way back.
void WriteGrain(GrainTemplate grain, const Scene& scene, Echo& echo);

}  // namespace scree
