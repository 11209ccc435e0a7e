/// \file  All schemes across ranks, for tests of what each must keep.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "tests/support/scenes.hpp"

namespace scree::test {

struct NamedScheme {
  const char* name;
  Scheme scheme;
  Sharing sharing;
};
inline constexpr std::array<NamedScheme, 3> kSchemes = {{
    {"LocalWeights", Scheme::kGaussSeidel, Sharing::kLocalWeights},
    {"MassSplitting", Scheme::kGaussSeidel, Sharing::kMassSplitting},
    {"Jacobi", Scheme::kJacobi, Sharing::kLocalWeights},
}};
inline void PrintTo(const NamedScheme& scheme, std::ostream* out) { *out << scheme.name; }
inline std::string NameOfScheme(const testing::TestParamInfo<NamedScheme>& info) {
  return info.param.name;
}

inline StepParameters WithScheme(const NamedScheme& scheme) {
  StepParameters parameters;
  parameters.solver.scheme = scheme.scheme;
  parameters.solver.sharing = scheme.sharing;
  return parameters;
}

}  // namespace scree::test
