#include "solvers/one_contact/conic_section.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace scree {
namespace {

using Quadratic = std::array<double, 3>;

// Charts overlap by this much, so that rounding loses no root between two of them.
constexpr double kOverlap = 1e-6;
// Points of two overlapping charts with a smaller relative distance are the same point.
constexpr double kSamePoint = 1e-9;

// Smaller values of bₙ are raised to this bound, because products would be subnormal, and x would
// lose digits. (|b| is of order one.)
constexpr double kMinApproach = 1e-290;

double ValueAt(const Quadratic& f, double tau) { return (f[2] * tau + f[1]) * tau + f[0]; }

Quadratic Scaled(double factor, const Quadratic& f) {
  return {factor * f[0], factor * f[1], factor * f[2]};
}

Quadratic Combined(double x, const Quadratic& f, double y, const Quadratic& g, double z,
                   const Quadratic& h) {
  return {x * f[0] + y * g[0] + z * h[0], x * f[1] + y * g[1] + z * h[1],
          x * f[2] + y * g[2] + z * h[2]};
}

}  // namespace

ConicSection::ConicSection(const OneContact& contact)
    : contact_(contact), rotated_(contact), kappa_(rotated_.m / rotated_.p) {
  contact_.b[0] = std::max(contact_.b[0], kMinApproach);
}

// Charts of the parameter u, by number:
//
//   number   0, 1       2, 3        4, 5
//            u = ±τ     u = ±1/τ    u = ±(1 − τ)/√−κ, hyperbola only: τ = 0 is the asymptote
//
// Bounds of |u|, with τ between them in brackets:
//
//   ellipse     0  [|u|]  1  [1/|u|]  ∞
//   hyperbola   0  [|u|]  1  [1/|u|]  ½/√−κ  [1 − √−κ |u|]  1/√−κ;  [1/|u|] is empty for κ < −¼
ConicSection::Chart ConicSection::MakeChart(int number) const {
  const double sign = number % 2 == 0 ? 1.0 : -1.0;
  const double root = std::sqrt(std::max(0.0, -kappa_));
  if (number < 2) {
    return {{1.0, 0.0, 1.0},
            {1.0, 0.0, -1.0},
            {0.0, 2.0 * sign, 0.0},
            {1.0, 0.0, kappa_},
            {1.0, 0.0, -kappa_},
            0.0,
            root > 0.5 ? 0.5 / root : 1.0};
  }
  if (number < 4) {
    return {{1.0, 0.0, 1.0},    {-1.0, 0.0, 1.0},    {0.0, 2.0 * sign, 0.0},
            {kappa_, 0.0, 1.0}, {-kappa_, 0.0, 1.0}, 2.0 * root * (1.0 - kOverlap),
            1.0 + kOverlap};
  }
  return {{1.0 - kappa_, -2.0, 1.0},
          {-2.0 * rotated_.nn / rotated_.p, 2.0, -1.0},
          {2.0 * sign * root, -2.0 * sign * root, 0.0},
          {0.0, -2.0 * kappa_, kappa_},
          {-2.0 * kappa_, 2.0 * kappa_, -kappa_},
          0.0,
          0.5 + kOverlap};
}

ConicSection::Velocity ConicSection::VelocityOn(const Chart& chart) const {
  const double friction_limit = contact_.mu * contact_.b[0];
  const RotatedContact& y = rotated_;
  return {Combined(friction_limit * y.tt, chart.c, friction_limit * y.to, chart.s, -y.b_t * y.p,
                   chart.d),
          Combined(friction_limit * y.to, chart.c, friction_limit * y.oo, chart.s, -y.b_o * y.p,
                   chart.d)};
}

ConicSection::SlipCondition ConicSection::MakeSlipCondition(const Chart& chart,
                                                            ContactLaw law) const {
  const Velocity velocity = VelocityOn(chart);
  if (law == ContactLaw::kCoulomb) return {chart.c, chart.s, velocity};
  return {Scaled(rotated_.p, chart.e), Scaled(rotated_.nn, chart.s), velocity};
}

Quartic ConicSection::SlipCondition::Cross() const {
  const Quadratic& x = direction_t;
  const Quadratic& y = direction_o;
  const Quadratic& t = velocity.t;
  const Quadratic& o = velocity.o;
  return {x[0] * o[0] - y[0] * t[0], x[0] * o[1] + x[1] * o[0] - y[0] * t[1] - y[1] * t[0],
          x[0] * o[2] + x[1] * o[1] + x[2] * o[0] - y[0] * t[2] - y[1] * t[1] - y[2] * t[0],
          x[1] * o[2] + x[2] * o[1] - y[1] * t[2] - y[2] * t[1], x[2] * o[2] - y[2] * t[2]};
}

double ConicSection::SlipCondition::Dot(double tau) const {
  return ValueAt(direction_t, tau) * ValueAt(velocity.t, tau) +
         ValueAt(direction_o, tau) * ValueAt(velocity.o, tau);
}

Vec3 ConicSection::PointOn(const Chart& chart, double tau) const {
  const double scale = contact_.b[0] / (rotated_.p * ValueAt(chart.d, tau));
  const double friction_limit = contact_.mu * scale;
  return rotated_.RotateBack(scale * ValueAt(chart.radius, tau),
                             friction_limit * ValueAt(chart.c, tau),
                             friction_limit * ValueAt(chart.s, tau));
}

template <class Visitor>
void ConicSection::VisitRoots(ContactLaw law, Visitor visit) const {
  // Friction has roughly the direction of b̂, so the search begins in that quadrant: if there is
  // only one solution, it is found first.
  const int likely_chart = (rotated_.b_t < 0.0 ? 2 : 0) + (rotated_.b_o < 0.0 ? 1 : 0);
  const int charts = kappa_ < 0.0 ? 6 : 4;
  for (int i = 0; i < charts; ++i) {
    const Chart chart = MakeChart(i < 4 ? likely_chart ^ i : i);
    if (chart.first >= chart.last) continue;
    const SlipCondition condition = MakeSlipCondition(chart, law);
    for (const double tau : RootsInInterval(condition.Cross(), chart.last)) {
      if (tau < chart.first || !(ValueAt(chart.d, tau) > 0.0)) continue;
      if (!visit(PointOn(chart, tau), condition.Dot(tau))) return;
    }
  }
}

Vec3 ConicSection::MinEnergyPoint() const {
  Vec3 best = Vec3::Zero();
  double best_energy = std::numeric_limits<double>::infinity();
  VisitRoots(ContactLaw::kMaxDissipation, [&](const Vec3& point, double dot) {
    if (dot < 0.0) {  // the only such point, because the problem is convex
      best = point;
      return false;
    }
    // On the border of stick and slip the velocity is only a rounding error. If therefore no point
    // satisfies the conditions, the point of lowest energy is taken.
    if (const double energy = Energy(contact_, point); energy < best_energy) {
      best_energy = energy;
      best = point;
    }
    return true;
  });
  return best;
}

SlipList ConicSection::CoulombSlips() const {
  SlipList slips;
  VisitRoots(ContactLaw::kCoulomb, [&](const Vec3& point, double dot) {
    if (dot > 0.0 && !IsSticking(contact_, point)) return true;
    for (int i = 0; i < slips.count; ++i) {
      const Vec3& other = slips.values[static_cast<std::size_t>(i)];
      if ((point - other).norm() <= kSamePoint * other.norm()) return true;
    }
    slips.values[static_cast<std::size_t>(slips.count++)] = point;
    return slips.count < 4;
  });
  return slips;
}

}  // namespace scree
