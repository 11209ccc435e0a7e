/// \file  A mass that rolls over a rough floor: the Hunt-Crossley contact under its weight, shaken
///        by the profile that passes beneath it, until it comes to rest.
///
/// With the compression x = h(s(t)) − z of a mass at the height z over the profile h,
///
///     m x'' = −f(x, x') + m (g + h''),      h'' = d²h/dt² at s(t) = v t − a t²/2,
///
/// so that roughness is an external force of the impact of Papetti, Avanzini & Rocchesso
/// (hunt_crossley.hpp). Fast over rough ground the mass leaves the floor and bounces.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "solvers/impact/hunt_crossley.hpp"

namespace scree::impact {

/// A sum of sines with wavelengths equally far apart in the logarithm and amplitudes that grow with
/// them, as those of worn surfaces do; phases are random.
class RoughFloor {
 public:
  /// @param rms                root mean square of the height, ≥ 0 [m]
  /// @param shortest, longest  wavelengths, 0 < shortest ≤ longest [m]
  /// @throws InputError
  RoughFloor(double rms, double shortest, double longest, std::uint64_t seed);

  double Height(double s) const;  // [m]
  /// d²h/dt² at the place s, passed with the speed v and the acceleration a [m/s²].
  double Acceleration(double s, double v, double a) const;

 private:
  struct Wave {
    double amplitude, number, phase;  // [m], 2π/wavelength [1/m], [rad]
  };
  std::vector<Wave> waves_;
};

struct RollingSetup {
  HuntCrossley model;
  double speed = 0.5;         // at the start, > 0 [m/s]
  double deceleration = 0.2;  // by rolling friction, > 0 [m/s²]
  double gravity = 9.81;      // > 0 [m/s²]
  double step = 1e-6;         // > 0 [s]
};

struct RollingSample {
  double t = 0.0;      // [s]
  double speed = 0.0;  // along the floor [m/s]
  double x = 0.0;      // compression [m]
  double force = 0.0;  // on the floor, 0 while the mass is above it [N]
};

/// Rolls from the compression at rest to the end of the way; `observe` gets each step.
/// @throws InputError for what is out of range, SimulationError if the motion does not stay finite
void Roll(const RollingSetup& setup, const RoughFloor& floor,
          const std::function<void(const RollingSample&)>& observe);

}  // namespace scree::impact
