/// \file  The words of the programs' command lines: one name for one quantity, with its unit.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "io/scene/units.hpp"

namespace scree {

/// A number that programs are told.
struct AppWord {
  std::string_view name;
  std::string_view unit;  // as scenes write it; empty: a pure number

  /// What values may be given in; none: in SI only, as the unit depends on an exponent.
  std::optional<Dimension> Measure() const;
};

/// The word behind an option: --speed, --speed-2 and --speed-b are all a speed, --gamma-to is a
/// gamma. A name without a word is a bug.
const AppWord& WordOf(std::string_view option);

/// One number in the word's unit or another one of its dimension: "1 mm/s"; without a unit in SI.
/// @param what  names it in the error: "--speed"
/// @throws InputError
double ReadQuantity(const std::string& what, const AppWord& word, std::string_view text);

/// What an option of an earlier version is called now, among those that a command knows; empty if
/// it never was one.
std::string NewName(std::string_view old, const std::function<bool(std::string_view)>& knows);

}  // namespace scree
