/// \file  All solver schemes, as parameters of tests of properties that each scheme must have.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "tests/support/scenes.hpp"

namespace scree::test {

struct NamedScheme {
  const char* name;
  Scheme scheme;
};
inline constexpr std::array<NamedScheme, 2> kSchemes = {{
    {"GaussSeidel", Scheme::kGaussSeidel},
    {"Jacobi", Scheme::kJacobi},
}};
inline void PrintTo(const NamedScheme& scheme, std::ostream* stream) { *stream << scheme.name; }
inline std::string NameOfScheme(const testing::TestParamInfo<NamedScheme>& info) {
  return info.param.name;
}

inline StepParameters WithScheme(const NamedScheme& scheme) {
  StepParameters parameters;
  parameters.solver.scheme = scheme.scheme;
  return parameters;
}

}  // namespace scree::test
