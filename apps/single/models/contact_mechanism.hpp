/// \file  The interface of a mechanism with two angles q, their velocities w and one contact, for
///        motion with impacts.
#pragma once

#include <Eigen/Core>
#include <limits>

namespace scree::impact {

using Vec2 = Eigen::Vector2d;
using Mat2 = Eigen::Matrix2d;

/// The contact at one configuration, with the sliding velocity s = J_s⋅w and the opening velocity
/// c = J_c⋅w = d(gap)/dt.
struct ContactGeometry {
  double gap = 0.0;             // > 0 open [m]
  Vec2 sliding = Vec2::Zero();  // J_s [m]
  Vec2 opening = Vec2::Zero();  // J_c [m]
  double sliding_bias = 0.0;    // J_s'⋅w [m/s²]
  double opening_bias = 0.0;    // J_c'⋅w [m/s²]
};

/// Equations of motion M(q) w' = Q(t, q, w) + J_cᵀ F + J_sᵀ T with the contact forces F, T.
class ContactMechanism {
 public:
  virtual ~ContactMechanism() = default;

  virtual Mat2 Mass(const Vec2& q) const = 0;                            // M [kg m²]
  virtual Vec2 Force(double t, const Vec2& q, const Vec2& w) const = 0;  // Q [N m]
  virtual ContactGeometry Contact(const Vec2& q, const Vec2& w) const = 0;
  virtual double Energy(const Vec2& q, const Vec2& w) const = 0;  // [J]
  /// Power of the drives, and power lost to damping [W].
  virtual double DrivePower(double, const Vec2&, const Vec2&) const { return 0.0; }
  virtual double DampingPower(const Vec2&, const Vec2&) const { return 0.0; }
  /// The model is valid while this quantity, of any unit, is not negative. Where it becomes
  /// negative, runs stop and report StopReason.
  virtual double ValidityMargin(const Vec2&) const {
    return std::numeric_limits<double>::infinity();
  }
  virtual const char* StopReason() const { return ""; }
  /// Upper bound of steps, short compared with the periods of the mechanism and its drives [s].
  virtual double LongestStep() const = 0;
};

}  // namespace scree::impact
