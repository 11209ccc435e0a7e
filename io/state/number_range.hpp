/// \file  Valid ranges of numbers in snapshots and checkpoints. They are checked in addition to the
///        digest, which shows that a file is undamaged but not who wrote it.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>

#include "engine/particles/particles.hpp"
#include "engine/particles/radius_limits.hpp"
#include "io/files/field_layout.hpp"
#include "solvers/base/check.hpp"

namespace scree {

/// Includes both ends; NaN is in no range.
struct NumberRange {
  double min, max;

  template <class Number>
  bool Contains(Number number) const {
    return static_cast<double>(number) >= min && static_cast<double>(number) <= max;
  }
};

// Squares and sums of squares stay finite.
inline constexpr NumberRange kAnyNumber{-1e150, 1e150};
inline constexpr NumberRange kNotNegative{0.0, 1e150};
// Below the largest 64-bit integer, so that a run can continue to count.
inline constexpr NumberRange kCount{0.0, 2e18};
inline constexpr NumberRange kPosition{-1e9, 1e9};           // [m]
inline constexpr NumberRange kVelocity{-3e8, 3e8};           // up to the speed of light [m/s]
inline constexpr NumberRange kAngularVelocity{-1e15, 1e15};  // [rad/s]
inline constexpr NumberRange kRadius{kMinRadius, kMaxRadius};
inline constexpr NumberRange kRadiusOrNone{0.0, kRadius.max};
inline constexpr NumberRange kTableRow{0.0, 2147483647.0};  // if the table's length is not known

/// The range of a field's numbers.
struct FieldRange {
  int code;  // Field::code
  NumberRange range;
};
inline constexpr std::array kFieldRanges = {
    FieldRange{1, kPosition},              // position
    FieldRange{2, kVelocity},              // velocity
    FieldRange{3, kAngularVelocity},       // angular_velocity
    FieldRange{4, {-1.000001, 1.000001}},  // orientation
    FieldRange{5, kRadius},                // radius
    FieldRange{6, kCount},                 // id
    FieldRange{7, kTableRow},              // material
    FieldRange{8, kTableRow},              // shape
    FieldRange{9, {0.0, 6e8}},             // velocity_change
};

/// @pre the field has a range
constexpr NumberRange RangeOf(const Field& field) {
  std::size_t k = 0;
  while (kFieldRanges[k].code != field.code) ++k;
  return kFieldRanges[k].range;
}

static_assert(
    std::apply([](const auto&... entry) { return (RangeOf(entry.first).max + ...) > 0.0; },
               kParticleFields),
    "a field of kParticleFields has no range here");

/// "expected 0 to 3"; for messages.
inline std::string DescribeRange(const NumberRange& range) {
  return Text("expected ", range.min, " to ", range.max);
}

/// @param name  name of the number, for the message
/// @throws FileError
template <class Number>
void RequireNumber(const std::string& path, const std::string& name, Number number,
                   const NumberRange& range) {
  if (range.Contains(number)) return;
  throw FileError(Text("'", path, "': ", name, " is ", number, "; ", DescribeRange(range)));
}

/// Calls RequireNumber for each number of a list.
template <class Number>
void RequireNumbers(const std::string& path, const std::string& name,
                    std::span<const Number> numbers, const NumberRange& range) {
  for (const Number number : numbers) RequireNumber(path, "a number of " + name, number, range);
}

/// Requires that a count equals that of the scene or of another part of the file.
/// @throws FileError
inline void RequireCount(const std::string& path, const std::string& name, std::size_t found,
                         std::size_t expected) {
  if (found == expected) return;
  throw FileError(Text("'", path, "': ", name, ": found ", found, ", expected ", expected));
}

}  // namespace scree
