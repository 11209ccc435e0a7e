/// \file  Narrow phase of clumps and polyhedra: finds members of two bodies that touch.
#pragma once

#include "engine/contacts/member_table.hpp"
#include "engine/contacts/pair_detection.hpp"

namespace scree {

/// Adds the active contacts of a scene in which particles may have members.
/// @param members  the members in this step
/// @returns the largest overlap [m]
double DetectClumps(const PairDetection& pairs, const MemberTable& members, WallDetection& walls);

}  // namespace scree
