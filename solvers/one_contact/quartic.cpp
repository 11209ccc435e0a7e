#include "solvers/one_contact/quartic.hpp"

#include <cmath>
#include <limits>

namespace scree {
namespace {

/// Bernstein coefficients of a quartic over an interval.
using Bernstein = std::array<double, 5>;

// After this number of halvings an interval counts as a point. If coefficients still change sign
// twice, the root is double, or two roots are closer than rounding can separate.
constexpr int kMaxHalvings = 60;
constexpr int kMaxNewtonSteps = 60;
// Each step of Newton's method squares the error, so the next step would be below rounding.
constexpr double kLastStep = 1e-9;

Bernstein ToBernstein(const Quartic& g, double length) {
  const double g1 = g[1] * length / 4.0;
  const double g2 = g[2] * length * length / 6.0;
  const double g3 = g[3] * length * length * length / 4.0;
  const double g4 = g[4] * length * length * length * length;
  return {g[0], g[0] + g1, g[0] + 2.0 * g1 + g2, g[0] + 3.0 * (g1 + g2) + g3,
          g[0] + 4.0 * (g1 + g3) + 6.0 * g2 + g4};
}

/// De Casteljau's construction at the middle of the interval.
void Halve(const Bernstein& b, Bernstein& left, Bernstein& right) {
  Bernstein row = b;
  left[0] = row[0];
  right[4] = row[4];
  for (std::size_t level = 1; level < 5; ++level) {
    for (std::size_t i = 0; i + level < 5; ++i) row[i] = 0.5 * (row[i] + row[i + 1]);
    left[level] = row[0];
    right[4 - level] = row[4 - level];
  }
}

/// The sign changes among the nonzero coefficients, and the point where the control polygon crosses
/// zero.
struct Signs {
  int changes = 0;
  double first = 0.0;     // sign of the first coefficient that is not zero
  double crossing = 0.5;  // of the last sign change, as a fraction of the interval
};

Signs CountSigns(const Bernstein& b) {
  Signs signs;
  double previous = 0.0;
  double position = 0.0;
  for (std::size_t i = 0; i < 5; ++i) {
    if (b[i] == 0.0) continue;
    if (previous == 0.0) {
      signs.first = b[i];
    } else if ((previous < 0.0) != (b[i] < 0.0)) {
      ++signs.changes;
      const double fraction = previous / (previous - b[i]);
      signs.crossing = position + fraction * (static_cast<double>(i) / 4.0 - position);
    }
    previous = b[i];
    position = static_cast<double>(i) / 4.0;
  }
  return signs;
}

/// The single root of g between low and high.
/// @param sign_low  has the sign of g at low
double Polish(const Quartic& g, double low, double high, double sign_low, double guess) {
  double x = guess;
  for (int step = 0; step < kMaxNewtonSteps; ++step) {
    const double value = (((g[4] * x + g[3]) * x + g[2]) * x + g[1]) * x + g[0];
    const double slope = ((4.0 * g[4] * x + 3.0 * g[3]) * x + 2.0 * g[2]) * x + g[1];
    if (value == 0.0) return x;
    ((value < 0.0) == (sign_low < 0.0) ? low : high) = x;
    const double next = x - value / slope;
    // A zero slope makes `next` infinite, so the step becomes a bisection.
    const bool is_inside = next >= low && next <= high;
    if (is_inside && std::abs(next - x) <= kLastStep * std::abs(next)) return next;
    x = is_inside ? next : 0.5 * (low + high);
    if (x == low || x == high) return x;
  }
  return x;
}

void Isolate(const Quartic& g, const Bernstein& b, double low, double high, int halvings,
             RootList<4>& roots) {
  const Signs signs = CountSigns(b);
  if (b[0] == 0.0 && signs.first != 0.0) roots.Add(low);
  if (signs.changes == 0) return;
  if (signs.changes == 1) {
    const double guess = low + signs.crossing * (high - low);
    roots.Add(Polish(g, low, high, signs.first, guess));
    return;
  }
  const double middle = 0.5 * (low + high);
  if (halvings == kMaxHalvings) {
    roots.Add(middle);
    return;
  }
  Bernstein left, right;
  Halve(b, left, right);
  Isolate(g, left, low, middle, halvings + 1, roots);
  Isolate(g, right, middle, high, halvings + 1, roots);
}

}  // namespace

RootList<4> RootsInInterval(const Quartic& g, double length) {
  RootList<4> roots;
  Isolate(g, ToBernstein(g, length), 0.0, length, 0, roots);
  return roots;
}

RootList<8> UnitCircleRoots(double p0, double p1, double q1, double p2, double q2) {
  // Four charts cover all u = tan(α/2): u = ±τ and 1/u = ±τ, τ in [0, 1].
  const Quartic in_u = {p0 + p1 + p2, 2.0 * q1 + 4.0 * q2, 2.0 * p0 - 6.0 * p2, 2.0 * q1 - 4.0 * q2,
                        p0 - p1 + p2};
  RootList<8> angles;
  for (const double sign : {1.0, -1.0}) {
    const Quartic direct = {in_u[0], sign * in_u[1], in_u[2], sign * in_u[3], in_u[4]};
    const Quartic inverse = {direct[4], direct[3], direct[2], direct[1], direct[0]};
    // α = 0 and α = π each belong to two charts; the second of them excludes the point.
    for (const double u : RootsInInterval(direct, 1.0)) {
      if (sign > 0.0 || u > 0.0) angles.Add(2.0 * std::atan2(sign * u, 1.0));
    }
    const double above_one = std::nextafter(1.0, 2.0);  // so that the interval includes 1
    for (const double w : RootsInInterval(inverse, above_one)) {
      if (sign > 0.0 || w > 0.0) angles.Add(2.0 * std::atan2(sign, w));
    }
  }
  return angles;
}

}  // namespace scree
