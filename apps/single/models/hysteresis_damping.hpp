/// \file  Hunt-Crossley damping factors: from the restitution to μ in f = (k + μ dδ/dt) δⁿ.
///
/// Equations (13)-(19) of the paper on optimal damping (apps/single/README.md). Each formula has
/// the form μ = h k/v with the approach speed v, where h depends only on the restitution e. For any
/// exponent n, the restitution produced by a given h depends only on h.
#pragma once

#include <array>

namespace scree::impact {

enum class HysteresisFormula {
  kHuntCrossley,        // (13) h = 3/2 (1 − e)
  kLankaraniNikravesh,  // (14) h = 3/4 (1 − e²)
  kHuGuo,               // (15) h = 3/2 (1 − e)/e
  kFlores,              // (16) h = 8/5 (1 − e)/e
  kExact,               // (18)-(19)
};

inline constexpr std::array kHysteresisFormulas = {
    HysteresisFormula::kHuntCrossley, HysteresisFormula::kLankaraniNikravesh,
    HysteresisFormula::kHuGuo, HysteresisFormula::kFlores, HysteresisFormula::kExact};

/// The name, such as "hunt-crossley".
const char* Name(HysteresisFormula formula);

/// h = μ v/k for the restitution e by a formula.
/// @throws InputError if e is not in ]0, 1]; e = 0 is also allowed for (13) and (14)
double HysteresisFactor(HysteresisFormula formula, double restitution);

/// The restitution that h ≥ 0 gives: (1 + W₀(−(1+h) exp(−(1+h))))/h with Lambert's W.
/// @throws InputError
double RestitutionOfHysteresis(double factor);

}  // namespace scree::impact
