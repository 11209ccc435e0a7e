/// \file  Two rods on pivots of equal height. The tip of the second rod strikes the face of the
///        first.
///
/// The example of [DAMP], section 6 (apps/single/README.md), without friction. Figure 10 of the
/// paper is not available, but the lengths in the paper allow only this arrangement: pivot 1 at the
/// origin, pivot 2 at (−a, 0), angles counter-clockwise from the downward vertical, slender uniform
/// rods.
#pragma once

#include "apps/single/models/contact_mechanism.hpp"

namespace scree::impact {

struct PendulumPairParameters {
  double m1 = 1.0, m2 = 0.2;  // masses [kg]
  double L1 = 6.0, L2 = 4.0;  // lengths; L1 ≥ L2 + a, so that tip 2 cannot reach past rod 1 [m]
  double a = 2.0;             // distance of the pivots [m]
  double g = 9.81;            // [m/s²]
};

/// The gap is the distance of tip 2 from the face of rod 1, or from pivot 1 if tip 2 is behind this
/// pivot. Rods cannot cross, so the angles determine which face is near tip 2.
class PendulumPair final : public ContactMechanism {
 public:
  /// @param start  angles at the start; whole turns are subtracted
  /// @throws InputError naming the parameter that is out of range, or if the rods cross at the
  ///         start
  PendulumPair(const PendulumPairParameters& parameters, const Vec2& start);

  Mat2 Mass(const Vec2& q) const override;
  Vec2 Force(double t, const Vec2& q, const Vec2& w) const override;
  ContactGeometry Contact(const Vec2& q, const Vec2& w) const override;  // s > 0: down along rod 1
  double Energy(const Vec2& q, const Vec2& w) const override;
  /// Negative once a rod swings over the other's pivot.
  double ValidityMargin(const Vec2& q) const override;
  const char* StopReason() const override;
  double LongestStep() const override;

  /// Distance of tip 2 from pivot 1 along rod 1 [m].
  double DistanceAlong(const Vec2& q) const;

 private:
  double Side(const Vec2& q) const;
  double AngleFromTip(const Vec2& q) const;
  ContactGeometry ContactBehindPivot(const Vec2& q, const Vec2& w) const;

  PendulumPairParameters p_;
  Vec2 turns_ = Vec2::Zero();  // whole turns in the starting angles [rad]
};

}  // namespace scree::impact
