/// \file  What of the particles a snapshot holds, and how exactly.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/geometry/box.hpp"
#include "engine/particles/particles.hpp"

namespace scree {

struct SnapshotFormat {
  std::string fields = "all";  // or names separated by blanks; position and id always count
  bool single = false;         // floating-point numbers have 32 bits

  bool Has(std::string_view field) const;
  friend bool operator==(const SnapshotFormat&, const SnapshotFormat&) = default;
};

/// Demands that places anywhere in the domain are stored exactly enough: 32 bits count from the
/// scene's origin, and far from it, as with coordinates of a map, they put grains upon each other.
/// @param smallest_radius  0: there are no particles [m]
/// @throws InputError if they may be off by more than a hundredth of it
void RequireExactPlaces(const SnapshotFormat& format, const Box& domain, double smallest_radius);

/// The fields of a format as the names in the order of the particles, or "all".
/// @throws InputError naming a word that is no field
std::string ReadFields(const std::string& text);

/// A format as one number, and back: bit 0 is `single`, bit k the field whose lasting code is k.
std::int64_t CodeOf(const SnapshotFormat& format);
SnapshotFormat FormatOf(std::int64_t code);

}  // namespace scree
