#include "engine/scene/fluid.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace scree {
namespace {

constexpr double kPi = std::numbers::pi;

/// Drag relative to Stokes' law.
double SchillerNaumann(double reynolds) {
  constexpr double kNewton = 0.44 / 24.0;  // C_D/24
  return reynolds < 1000.0 ? 1.0 + 0.15 * std::pow(reynolds, 0.687) : kNewton * reynolds;
}

double DiFelice(const Fluid& fluid, double d, double slip, double epsilon) {
  const double reynolds = epsilon * fluid.density * d * slip / fluid.viscosity;
  // The square root of s C_D, which is finite at rest.
  const double root =
      0.63 * std::sqrt(slip) + 4.8 * std::sqrt(fluid.viscosity / (epsilon * fluid.density * d));
  const double deviation = 1.5 - std::log10(std::max(reynolds, 1e-30));
  const double beta = 3.7 - 0.65 * std::exp(-0.5 * deviation * deviation);
  return kPi / 8.0 * d * d * fluid.density * root * root * std::pow(epsilon, 1.0 - beta);
}

double Gidaspow(const Fluid& fluid, double d, double slip, double epsilon) {
  const double stokes = 3.0 * kPi * fluid.viscosity * d;
  if (epsilon >= 0.8) {
    const double reynolds = epsilon * fluid.density * d * slip / fluid.viscosity;
    return stokes * SchillerNaumann(reynolds) * std::pow(epsilon, -3.65);
  }
  const double volume = kPi / 6.0 * d * d * d;
  return volume / epsilon *
         (150.0 * (1.0 - epsilon) * fluid.viscosity / (epsilon * d * d) +
          1.75 * fluid.density * slip / d);
}

}  // namespace

double DragCoefficient(const Fluid& fluid, double d, double slip, double epsilon) {
  const double stokes = 3.0 * kPi * fluid.viscosity * d;
  switch (fluid.drag) {
    case DragLaw::kNone:
      return 0.0;
    case DragLaw::kStokes:
      return stokes;
    case DragLaw::kSchillerNaumann:
      return stokes * SchillerNaumann(fluid.density * d * slip / fluid.viscosity);
    case DragLaw::kDiFelice:
      return DiFelice(fluid, d, slip, epsilon);
    case DragLaw::kGidaspow:
      return Gidaspow(fluid, d, slip, epsilon);
  }
  return 0.0;
}

double ImplicitDrag(const Fluid& fluid, double diameter, double mass, double slip, double epsilon,
                    double dt) {
  constexpr double kRounding = 1e-14;
  constexpr int kMaxIterations = 60;
  double k = DragCoefficient(fluid, diameter, slip, epsilon);
  const auto excess = [&](double s) {
    k = DragCoefficient(fluid, diameter, s, epsilon);
    return s * (1.0 + dt * k / mass) - slip;
  };
  // The root is between these bounds, because k grows with s. The Illinois variant of regula falsi
  // finds it.
  double upper = slip, excess_at_upper = slip * dt * k / mass;
  double lower = slip / (1.0 + dt * k / mass), excess_at_lower = excess(lower);
  int side = 0;
  for (int iteration = 0; iteration < kMaxIterations && excess_at_lower < -kRounding * slip;
       ++iteration) {
    const double s =
        (lower * excess_at_upper - upper * excess_at_lower) / (excess_at_upper - excess_at_lower);
    const double f = excess(s);
    if (std::abs(f) <= kRounding * slip) break;
    (f > 0.0 ? upper : lower) = s;
    (f > 0.0 ? excess_at_upper : excess_at_lower) = f;
    const int new_side = f > 0.0 ? 1 : -1;
    if (new_side == side) (new_side > 0 ? excess_at_lower : excess_at_upper) *= 0.5;
    side = new_side;
  }
  return k;
}

double RotationalDrag(const Fluid& fluid, double diameter) {
  return kPi * fluid.viscosity * diameter * diameter * diameter;
}

}  // namespace scree
