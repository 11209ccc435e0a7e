/// \file  The keys of the region in which particles are made, in fills and in rains.
#pragma once

#include <string>

#include "engine/scene/scene.hpp"
#include "io/configuration/effective_ini.hpp"
#include "io/configuration/section_reader.hpp"

namespace scree {

/// The keys of all kinds of regions.
KeySpecs RegionSpecs();

/// The corners of a box.
Keys<Box> CornerRows();

/// A box of which both corners were read has its lower corner below the upper one.
void CheckCorners(SectionReader& reader, const std::string& section, const Box& box);

/// The spacing of a lattice.
Keys<Lattice> SpacingRow();

/// The region that a section gives; what is missing, or is of another kind of region, goes to the
/// reader's errors.
Region ReadRegion(SectionReader& reader, const std::string& section);
/// The way back.
void WriteRegion(const Region& region, Echo& echo);

}  // namespace scree
