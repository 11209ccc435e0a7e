/// \file  The words of the programs' command lines: one name for each quantity, with its unit.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "io/scene/units.hpp"

namespace scree {

/// A number that is an option of some programs.
struct AppWord {
  std::string_view name;
  std::string_view unit;  // as scenes write it; empty: a pure number

  /// The dimension of the units that values may have. None: the unit depends on an exponent, so
  /// values have no unit and are in SI.
  std::optional<Dimension> UnitDimension() const;
};

/// The word of an option: --speed, --speed-2 and --speed-b are speeds, --gamma-to is a gamma.
/// @pre the name has a word
const AppWord& WordOf(std::string_view option);

/// Reads one number in any unit of the word's dimension, such as "1 mm/s"; a number without a unit
/// is in SI.
/// @param name  name for errors, such as "--speed"
/// @throws InputError
double ReadQuantity(const std::string& name, const AppWord& word, std::string_view text);

/// The current name of an option that an earlier version called `old`; empty if the command has no
/// such option.
/// @param has_option  returns whether the command has an option with this name
std::string NewName(std::string_view old, const std::function<bool(std::string_view)>& has_option);

}  // namespace scree
