/// \file  Friction laws: the friction coefficient of a contact if it depends on slip.
///
/// The coefficient is μ₀ for a sticking contact and μ_∞ for fast slip ‖δvₜ‖:
///
///     μ = μ_∞ + (μ₀ − μ_∞) exp(−‖δvₜ‖/v₀)
///
/// Source: J. Bo, D. Pavelescu, Wear 82 (1982) 277, with the exponent 1; in earthquake engineering
/// M. C. Constantinou, P. Tsopelas, A. Kasalanati, E. Wolff, MCEER-99-0012 (1999).
///
/// μ is computed from the slip at the beginning of the step, before the forces, and is constant
/// during the step. This is explicit Euler for μ: first order in dt, and stable while slip changes
/// by less than v₀ in a step. For a block on a floor this means |μ₀ − μ_∞| g dt ≪ v₀. A law that
/// depends on the normal force would be evaluated here too, from the impulse of the last step.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "engine/scene/materials.hpp"

namespace scree {

class Friction {
 public:
  Friction() = default;
  /// @throws InputError with the materials, the value and the expected range
  explicit Friction(const MaterialTable& materials);

  /// Whether some pair has a law. Without one, all coefficients are constants of the MaterialTable.
  bool HasLaws() const { return !pairs_.empty(); }

  /// μ of a contact of two materials. The order of the materials changes no bit.
  /// @param slip  ‖δvₜ‖ [m/s]
  /// @pre HasLaws()
  double Coefficient(MaterialId a, MaterialId b, double slip) const {
    const Pair& pair =
        pairs_[static_cast<std::size_t>(a) * materials_ + static_cast<std::size_t>(b)];
    if (pair.at_rest == pair.kinetic) return pair.at_rest;
    return pair.kinetic + (pair.at_rest - pair.kinetic) * std::exp(-slip / pair.speed);
  }

 private:
  struct Pair {
    double at_rest, kinetic;  // μ₀, μ_∞
    double speed;             // v₀ [m/s]
  };

  std::size_t materials_ = 0;
  std::vector<Pair> pairs_;  // materials_ x materials_; empty: no law
};

}  // namespace scree
