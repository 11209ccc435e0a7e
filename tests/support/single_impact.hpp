/// \file  All kinds of impacts of a sphere on another sphere or on a wall, for tests of invariants.
#pragma once

#include <cmath>
#include <ostream>

#include "tests/support/scenes.hpp"

namespace scree::test {

struct ImpactCase {
  double angle;              // between approach and normal [rad]
  Vec3 spin;                 // of sphere a, as velocity of its surface [m/s]
  double friction;           // [-]
  double radius_b;           // 0: b is a wall; the radius of sphere a is 0.5 m [m]
  double gap;                // initial gap, divided by the path of sphere a in a step [-]
  double restitution = 0.0;  // coefficient [-]
};

inline std::ostream& operator<<(std::ostream& stream, const ImpactCase& impact) {
  return stream << "angle " << impact.angle << ", spin " << impact.spin.transpose() << ", friction "
                << impact.friction << ", radius of b " << impact.radius_b << ", gap " << impact.gap
                << ", e " << impact.restitution;
}

struct ImpactSetting {
  Scene scene;
  State state;
  StepParameters parameters;

  /// Sphere a falls onto b, which is at the origin and spins in the opposite sense.
  ImpactSetting(const ImpactCase& impact, const StepParameters& step_parameters,
                const Vec3& wall_velocity = Vec3::Zero())
      : scene(EmptyScene(Vec3::Constant(-4), Vec3::Constant(4), impact.friction)),
        parameters(step_parameters) {
    if (impact.restitution > 0.0)
      scene.materials.SetRestitution(0, 0, {.constant = impact.restitution});
    parameters.dt = 0.01;  // the normal rotates by up to a degree per step
    const double radius = 0.5, gap = impact.gap * parameters.dt;
    const Vec3 v(std::sin(impact.angle), 0, -std::cos(impact.angle));
    AddSphere(state.particles, 0, Vec3(0, 0, impact.radius_b + gap + radius), radius, v,
              impact.spin / radius);
    if (impact.radius_b > 0.0) {
      AddSphere(state.particles, 1, Vec3::Zero(), impact.radius_b, 0.3 * Vec3(0, 1, 1),
                -0.5 * impact.spin / impact.radius_b);
    } else {
      AddPlane(scene, Vec3::Zero(), Vec3::UnitZ(), wall_velocity);
    }
  }
};

/// Kinetic energy of this rank's spheres [J].
inline double EnergyOf(const Particles& particles) {
  double energy = 0.0;
  for (std::size_t i = 0; i < particles.owned; ++i) {
    const double r = particles.radius[i];
    energy += 0.5 * Mass(r) *
              (particles.velocity[i].squaredNorm() +
               0.4 * r * r * particles.angular_velocity[i].squaredNorm());
  }
  return energy;
}

}  // namespace scree::test
