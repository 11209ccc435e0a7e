/// \file  The section of the plane of maximum compression with the friction cone, and the slip
///        solutions on it.
#pragma once

#include <array>

#include "solvers/one_contact/one_contact.hpp"
#include "solvers/one_contact/quartic.hpp"
#include "solvers/one_contact/rotated_contact.hpp"

namespace scree {

/// Slip solutions in no particular order; a quartic has at most four.
struct SlipList {
  std::array<Vec3, 4> values;
  int count = 0;
};

/// The boundary of the feasible set of a colliding contact, in the tangential plane: an ellipse if
/// Aₙₙ − μ ‖(A_nt, A_no)‖ is positive, a parabola if it is zero, or one branch of a hyperbola if it
/// is negative.
///
/// In the rotated frame (solvers/one_contact/rotated_contact.hpp) we use a rational parameter u
/// instead of the paper's angle α: with p and m of RotatedContact, κ = m/p and u = tan(α/2),
///
///     x = bₙ/(p d) (1 + u², μc, μs),   c = 1 − u², s = 2u, d = 1 + κu².
///
/// Numerators and d are quadratics, so every condition on x is one quartic in u. Each part of the
/// curve has its own parameter (MakeChart), so that x loses no digits close to an asymptote
/// (bₙ → 0), far out on a long ellipse, or when the curve is nearly a parabola.
class ConicSection {
 public:
  /// @pre contact is normalised, bₙ > 0, μ > 0
  explicit ConicSection(const OneContact& contact);

  Vec3 MinEnergyPoint() const;

  SlipList CoulombSlips() const;

 private:
  using Quadratic = std::array<double, 3>;

  /// A part of the curve with its own parameter τ in [first, last[. A quantity that is small at
  /// τ = 0 is a small coefficient, not a difference. All quadratics are multiplied by the same
  /// positive factor, which cancels.
  struct Chart {
    Quadratic radius, c, s, d, e;  // 1 + u², 1 − u², 2u, 1 + κu², 1 − κu²
    double first, last;
  };
  struct Velocity {
    Quadratic t, o;  // p d times the tangential velocity in the rotated frame
  };
  /// Velocity and direction are opposite where their cross product is 0 and their dot product < 0.
  struct SlipCondition {
    Quadratic direction_t, direction_o;
    Velocity velocity;
    Quartic Cross() const;
    double Dot(double tau) const;
  };

  Chart MakeChart(int number) const;
  Velocity VelocityOn(const Chart& chart) const;
  SlipCondition MakeSlipCondition(const Chart& chart, ContactLaw law) const;
  Vec3 PointOn(const Chart& chart, double tau) const;

  /// Calls visit(x, direction⋅velocity) at each root until visit returns false.
  template <class Visitor>
  void VisitRoots(ContactLaw law, Visitor visit) const;

  OneContact contact_;
  RotatedContact rotated_;
  double kappa_;  // m/p in ]−1, 1]: > 0 ellipse, 0 parabola, < 0 hyperbola
};

}  // namespace scree
