/// \file  The particle fields in a snapshot, and their precision.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/geometry/box.hpp"
#include "engine/particles/particles.hpp"

namespace scree {

struct SnapshotFormat {
  std::string fields = "all";  // or names separated by blanks; position and id are always included
  bool is_single_precision = false;  // floating-point numbers have 32 bits

  bool Has(std::string_view field) const;
  friend bool operator==(const SnapshotFormat&, const SnapshotFormat&) = default;
};

/// Requires enough precision for positions anywhere in the domain. Positions are relative to the
/// scene's origin. Far from the origin, for example with map coordinates, rounding to 32 bits would
/// make particles overlap.
/// @param smallest_radius  [m]; 0: there are no particles
/// @throws InputError if rounding errors can exceed a hundredth of this radius
void RequirePositionPrecision(const SnapshotFormat& format, const Box& domain,
                              double smallest_radius);

/// Reads names of fields.
/// @returns "all", or the names in the order of Particles
/// @throws InputError naming a word that is not a field
std::string ReadFields(const std::string& text);

/// Converts a format to a number and back: bit 0 is `is_single_precision`, bit k is set if the
/// field with the permanent code k is included.
std::int64_t CodeOf(const SnapshotFormat& format);
SnapshotFormat FormatOf(std::int64_t code);

}  // namespace scree
