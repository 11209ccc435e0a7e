/// \file  The keys of the region in which particles are made, in fills and in rains.
#pragma once

#include <string>

#include "engine/scene/scene.hpp"
#include "io/configuration/effective_ini.hpp"
#include "io/configuration/section_reader.hpp"

namespace scree {

/// The keys of all kinds of regions.
const KeySpecs& RegionSpecs();

/// The corners of a box.
KeyRows CornerRows(Box& box);

/// The spacing of a lattice.
KeyRows SpacingRow(Lattice& lattice);

/// The region that a section gives; what is missing, or is of another kind of region, goes to the
/// reader's errors.
Region ReadRegion(SectionReader& reader, const std::string& section);
/// The way back.
void WriteRegion(Region region, Echo& echo);

}  // namespace scree
