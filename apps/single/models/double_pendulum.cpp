#include "apps/single/models/double_pendulum.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "solvers/base/check.hpp"

namespace scree::impact {
namespace {

constexpr double kTwoPi = 6.28318530717958647692;
constexpr double kStepsPerTurn = 20.0;
constexpr double kMaxReach = 1.0 - 1e-12;  // below 1, because sums of decimal lengths are rounded

void Check(const DoublePendulumParameters& p) {
  using Named = std::pair<const char*, double>;
  for (const auto& [name, value] :
       {Named("m1", p.m1), Named("m2", p.m2), Named("l1", p.l1), Named("l2", p.l2), Named("r", p.r),
        Named("lc", p.lc), Named("I1", p.I1), Named("I2", p.I2), Named("g", p.g)}) {
    if (!(value > 0.0 && std::isfinite(value))) {
      throw InputError(Text(name, " = ", value, " must be above 0 and finite"));
    }
  }
  for (const auto& [name, value] : {Named("c1", p.c1), Named("c2", p.c2)}) {
    if (!(value >= 0.0 && std::isfinite(value))) {
      throw InputError(Text(name, " = ", value, " must be at least 0 and finite"));
    }
  }
  for (const auto& [name, value] : {Named("M01", p.M01), Named("M02", p.M02),
                                    Named("Omega1", p.Omega1), Named("Omega2", p.Omega2)}) {
    if (!std::isfinite(value)) throw InputError(Text(name, " = ", value, " must be finite"));
  }
  const double reach = p.l1 + p.l2 + 2.0 * p.r;
  const bool has_no_obstacle = p.D == std::numeric_limits<double>::infinity();
  if (!has_no_obstacle && !(p.D > p.l1 && p.D < reach * kMaxReach)) {
    throw InputError(Text("D = ", p.D, " must lie between l1 = ", p.l1,
                          " and l1 + l2 + 2r = ", reach,
                          ": only the disk may touch the obstacle, and the disk must reach it"));
  }
  if (p.lc > p.l2 + 2.0 * p.r) {
    throw InputError(Text("lc = ", p.lc, " must be at most l2 + 2r = ", p.l2 + 2.0 * p.r,
                          ": the centre of mass lies within the body"));
  }
}

}  // namespace

DoublePendulum::DoublePendulum(const DoublePendulumParameters& parameters) : p_(parameters) {
  Check(p_);
}

Mat2 DoublePendulum::Mass(const Vec2& q) const {
  const double coupling = p_.l1 * p_.lc * p_.m2 * std::cos(q[0] - q[1]);
  Mat2 mass;
  mass << p_.I1 + p_.l1 * p_.l1 * (0.25 * p_.m1 + p_.m2), coupling, coupling,
      p_.I2 + p_.lc * p_.lc * p_.m2;
  return mass;
}

Vec2 DoublePendulum::Force(double t, const Vec2& q, const Vec2& w) const {
  const double coupling = p_.l1 * p_.lc * p_.m2 * std::sin(q[0] - q[1]);
  return {p_.M01 * std::cos(p_.Omega1 * t) - (p_.c1 + p_.c2) * w[0] + p_.c2 * w[1] -
              coupling * w[1] * w[1] - (0.5 * p_.m1 + p_.m2) * p_.g * p_.l1 * std::sin(q[0]),
          p_.M02 * std::cos(p_.Omega2 * t) + p_.c2 * (w[0] - w[1]) + coupling * w[0] * w[0] -
              p_.m2 * p_.g * p_.lc * std::sin(q[1])};
}

ContactGeometry DoublePendulum::Contact(const Vec2& q, const Vec2& w) const {
  const double arm = p_.l2 + p_.r;
  const double cos1 = std::cos(q[0]), sin1 = std::sin(q[0]);
  const double cos2 = std::cos(q[1]), sin2 = std::sin(q[1]);
  ContactGeometry contact;
  contact.gap = p_.D - p_.l1 * cos1 - arm * cos2 - p_.r;
  contact.sliding = {-p_.l1 * cos1, -(p_.r + arm * cos2)};
  contact.opening = {p_.l1 * sin1, arm * sin2};
  contact.sliding_bias = p_.l1 * sin1 * w[0] * w[0] + arm * sin2 * w[1] * w[1];
  contact.opening_bias = p_.l1 * cos1 * w[0] * w[0] + arm * cos2 * w[1] * w[1];
  return contact;
}

double DoublePendulum::Energy(const Vec2& q, const Vec2& w) const {
  return 0.5 * w.dot(Mass(q) * w) - (0.5 * p_.m1 + p_.m2) * p_.g * p_.l1 * std::cos(q[0]) -
         p_.m2 * p_.g * p_.lc * std::cos(q[1]);
}

double DoublePendulum::DrivePower(double t, const Vec2&, const Vec2& w) const {
  return p_.M01 * std::cos(p_.Omega1 * t) * w[0] + p_.M02 * std::cos(p_.Omega2 * t) * w[1];
}

double DoublePendulum::DampingPower(const Vec2&, const Vec2& w) const {
  const double relative = w[0] - w[1];
  return p_.c1 * w[0] * w[0] + p_.c2 * relative * relative;
}

double DoublePendulum::LongestStep() const {
  const double swing = kTwoPi * std::sqrt(std::min(p_.l1, p_.l2) / p_.g);
  const double frequency = std::max(std::abs(p_.Omega1), std::abs(p_.Omega2));
  return std::min(swing, frequency > 0.0 ? kTwoPi / frequency : swing) / kStepsPerTurn;
}

/// @param left, up  contribution of each rod to the accelerations along the axes, divided by its
///                  lever arm [1/s²]; for impulses, to the changes of velocity [1/s]
JointLoads DoublePendulum::Loads(const Vec2& left, const Vec2& up, double normal,
                                 double tangential) const {
  JointLoads loads;
  loads.H = tangential + p_.m2 * (p_.l1 * left[0] + p_.lc * left[1]);
  loads.V = normal - p_.m2 * (p_.l1 * up[0] + p_.lc * up[1]);
  loads.R = loads.H + 0.5 * p_.m1 * p_.l1 * left[0];
  loads.P = 0.5 * p_.m1 * p_.l1 * up[0] - loads.V;
  return loads;
}

JointLoads DoublePendulum::Reactions(const Vec2& q, const Vec2& w, const Vec2& acceleration,
                                     double normal, double tangential) const {
  const Eigen::Array2d cos = q.array().cos(), sin = q.array().sin();
  const Vec2 left = acceleration.array() * cos - w.array().square() * sin;
  const Vec2 up = acceleration.array() * sin + w.array().square() * cos;
  JointLoads loads = Loads(left, up, normal, tangential);
  loads.V -= p_.m2 * p_.g;
  loads.P += (p_.m1 + p_.m2) * p_.g;
  return loads;
}

JointLoads DoublePendulum::ReactionImpulses(const Vec2& q, const Vec2& dw, double normal,
                                            double tangential) const {
  return Loads(dw.array() * q.array().cos(), dw.array() * q.array().sin(), normal, tangential);
}

}  // namespace scree::impact
