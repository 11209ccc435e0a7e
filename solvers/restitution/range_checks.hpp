/// \file  Checks that the user's parameters of impact models are finite and in range. The
///        InputError names the parameter with its value and unit ("" for none).
#pragma once

#include <cmath>
#include <string_view>

#include "solvers/base/check.hpp"

namespace scree::impact {

inline void RequireAtLeast(std::string_view name, std::string_view unit, double value, double low) {
  if (value >= low && std::isfinite(value)) return;
  throw InputError(Text(name, " = ", value, unit.empty() ? "" : " ", unit,
                        " is out of range: it must be at least ", low, " and finite"));
}

inline void RequirePositive(std::string_view name, std::string_view unit, double value) {
  if (value > 0.0 && std::isfinite(value)) return;
  throw InputError(Text(name, " = ", value, unit.empty() ? "" : " ", unit,
                        " is out of range: it must be above 0 and finite"));
}

}  // namespace scree::impact
