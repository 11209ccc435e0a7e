#include "apps/single/models/pendulum_pair.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "solvers/base/check.hpp"

namespace scree::impact {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kStepsPerSwing = 20.0;
constexpr double kTouchingGap = 1e-12;  // gaps below this fraction of L1 are rounding errors

void Check(const PendulumPairParameters& p) {
  using Named = std::pair<const char*, double>;
  for (const auto& [name, value] : {Named("m1", p.m1), Named("m2", p.m2), Named("L1", p.L1),
                                    Named("L2", p.L2), Named("a", p.a), Named("g", p.g)}) {
    if (!(value > 0.0 && std::isfinite(value))) {
      throw InputError(Text(name, " = ", value, " must be above 0 and finite"));
    }
  }
  if (p.L1 < p.L2 + p.a) {
    throw InputError(Text("L1 = ", p.L1, " must be at least L2 + a = ", p.L2 + p.a,
                          ": otherwise the tip of rod 2 can reach past the end of rod 1"));
  }
}

/// Whole turns to subtract so that the angle lies in [lowest, lowest + 2π[.
double WholeTurns(double angle, double lowest) {
  return 2.0 * kPi * std::floor((angle - lowest) / (2.0 * kPi));
}

}  // namespace

PendulumPair::PendulumPair(const PendulumPairParameters& parameters, const Vec2& start)
    : p_(parameters) {
  Check(p_);
  if (!start.allFinite()) throw InputError("the angles at the start must be finite");
  turns_ = {WholeTurns(start[0], -0.5 * kPi), WholeTurns(start[1], -1.5 * kPi)};
  const bool is_touching =
      DistanceAlong(start) > 0.0 && std::abs(Side(start)) <= kTouchingGap * p_.L1;
  const double angle = AngleFromTip(start);
  if (!is_touching && (angle < 0.0 || angle > 2.0 * kPi)) {
    throw InputError(Text("theta1 = ", start[0], " and theta2 = ", start[1],
                          " make the rods cross at the start"));
  }
}

/// Distance of tip 2 from the line of rod 1; positive if the tip is counter-clockwise of rod 1.
double PendulumPair::Side(const Vec2& q) const {
  return -p_.a * std::cos(q[0]) + p_.L2 * std::sin(q[1] - q[0]);
}

/// The counter-clockwise angle about pivot 1 from tip 2 to rod 1, in [0, 2π] unless the rods cross.
/// Seen from pivot 1, rod 2 covers the directions from pivot 2 (−π/2 or 3π/2) to tip 2; these
/// include the directions below pivot 1 if the tip is below.
double PendulumPair::AngleFromTip(const Vec2& q) const {
  const double right = -p_.a + p_.L2 * std::sin(q[1]), down = p_.L2 * std::cos(q[1]);
  const double rod = q[0] - turns_[0];
  const double tip = std::atan2(right, down);
  if (down >= 0.0) return rod - tip;
  return rod - tip + (tip < 0.0 ? 0.0 : 2.0 * kPi);
}

double PendulumPair::DistanceAlong(const Vec2& q) const {
  return -p_.a * std::sin(q[0]) + p_.L2 * std::cos(q[1] - q[0]);
}

Mat2 PendulumPair::Mass(const Vec2&) const {
  return Vec2(p_.m1 * p_.L1 * p_.L1 / 3.0, p_.m2 * p_.L2 * p_.L2 / 3.0).asDiagonal();
}

Vec2 PendulumPair::Force(double, const Vec2& q, const Vec2&) const {
  return {-0.5 * p_.m1 * p_.g * p_.L1 * std::sin(q[0]),
          -0.5 * p_.m2 * p_.g * p_.L2 * std::sin(q[1])};
}

ContactGeometry PendulumPair::Contact(const Vec2& q, const Vec2& w) const {
  const double relative = q[1] - q[0];
  const double distance_along = DistanceAlong(q);
  if (distance_along < 0.0) return ContactBehindPivot(q, w);
  // The nearer face of rod 1: counter-clockwise (−1) or clockwise (1).
  const double face = AngleFromTip(q) < kPi ? -1.0 : 1.0;
  const double along_rate =
      -p_.a * std::cos(q[0]) * w[0] - p_.L2 * std::sin(relative) * (w[1] - w[0]);
  ContactGeometry contact;
  contact.gap = face * Side(q);
  contact.sliding = {0.0, -p_.L2 * std::sin(relative)};
  contact.sliding_bias = -p_.L2 * std::cos(relative) * (w[1] - w[0]) * w[1];
  contact.opening = face * Vec2(-distance_along, p_.L2 * std::cos(relative));
  contact.opening_bias =
      face * (-along_rate * w[0] - p_.L2 * std::sin(relative) * (w[1] - w[0]) * w[1]);
  return contact;
}

/// If tip 2 is behind pivot 1, the gap is the distance of the tip from the pivot. Where the tip
/// passes the pivot, this equals the gap to the face.
ContactGeometry PendulumPair::ContactBehindPivot(const Vec2& q, const Vec2& w) const {
  const Vec2 across(std::cos(q[1]), std::sin(q[1])), outward(std::sin(q[1]), -std::cos(q[1]));
  const Vec2 tip = Vec2(-p_.a, 0.0) + p_.L2 * outward;
  const Vec2 velocity = p_.L2 * w[1] * across;
  ContactGeometry contact;
  contact.gap = tip.norm();
  const Vec2 direction = tip / contact.gap;
  const double rate = direction.dot(velocity);
  contact.opening = {0.0, p_.L2 * direction.dot(across)};
  contact.opening_bias = (velocity.squaredNorm() - rate * rate) / contact.gap -
                         p_.L2 * w[1] * w[1] * direction.dot(outward);
  contact.sliding = {0.0, -p_.L2 * std::sin(q[1] - q[0])};
  contact.sliding_bias = -p_.L2 * std::cos(q[1] - q[0]) * (w[1] - w[0]) * w[1];
  return contact;
}

double PendulumPair::Energy(const Vec2& q, const Vec2& w) const {
  return 0.5 * w.dot(Mass(q) * w) -
         0.5 * p_.g * (p_.m1 * p_.L1 * std::cos(q[0]) + p_.m2 * p_.L2 * std::cos(q[1]));
}

double PendulumPair::ValidityMargin(const Vec2& q) const {
  // Rod 1 must not point left, where pivot 2 is. Rod 2 must not point right, where pivot 1 is,
  // unless it is too short to reach pivot 1.
  const double angle1 = q[0] - turns_[0], angle2 = q[1] - turns_[1];
  double limit = std::min(angle1 + 0.5 * kPi, 1.5 * kPi - angle1);
  if (p_.L2 >= p_.a) limit = std::min({limit, angle2 + 1.5 * kPi, 0.5 * kPi - angle2});
  return limit;
}

const char* PendulumPair::StopReason() const {
  return "a rod swings over the pivot of the other: the model has no such contact";
}

double PendulumPair::LongestStep() const {
  return 2.0 * kPi * std::sqrt(std::min(p_.L1, p_.L2) / p_.g) / kStepsPerSwing;
}

}  // namespace scree::impact
