#include "solvers/one_contact/rod_stepper.hpp"

#include <algorithm>
#include <cmath>

#include "solvers/one_contact/contact_block.hpp"
#include "solvers/one_contact/contact_law.hpp"

namespace scree {
namespace {

// n = e_y, t = eₓ, o = e_z.
const Mat3 kFrame = (Mat3() << 0, 1, 0, 1, 0, 0, 0, 0, 1).finished();

/// Vector from the centre to the lower end [m].
Vec3 Arm(const Rod& rod, const RodState& state) {
  const Vec3 half_rod = 0.5 * rod.length * Vec3(std::cos(state.theta), std::sin(state.theta), 0.0);
  return half_rod[1] > 0.0 ? Vec3(-half_rod) : half_rod;
}

/// Moment of inertia about an axis perpendicular to the rod [kg m²].
double Inertia(const Rod& rod) { return rod.mass * rod.length * rod.length / 12.0; }

}  // namespace

double Gap(const Rod& rod, const RodState& state) { return state.y + Arm(rod, state)[1]; }

double Energy(const Rod& rod, const RodState& state) {
  return 0.5 * rod.mass * (state.vx * state.vx + state.vy * state.vy) +
         0.5 * Inertia(rod) * state.omega * state.omega + rod.mass * rod.gravity * state.y;
}

Vec3 StepRod(const Rod& rod, ContactLaw law, double dt, RodState& state) {
  state.vy -= dt * rod.gravity;
  const Vec3 arm = Arm(rod, state);
  const Vec3 tip_velocity =
      Vec3(state.vx, state.vy, 0.0) + state.omega * Vec3(-arm[1], arm[0], 0.0);
  // The rod only rotates in the plane, so the moment of inertia about the rod itself has no effect.
  const BodyInertia body{1.0 / rod.mass, Mat3::Identity() / Inertia(rod)};
  OneContact contact{ContactBlock(kFrame, body, arm, {}, Vec3::Zero()),
                     -kFrame.transpose() * tip_velocity, rod.mu};
  contact.b[0] -= std::max(Gap(rod, state), 0.0) / dt;
  const Vec3 impulse = SolveOneContact(contact, law).x;
  state.vx += impulse[1] / rod.mass;
  state.vy += impulse[0] / rod.mass;
  state.omega += (arm[0] * impulse[0] - arm[1] * impulse[1]) / Inertia(rod);
  state.x += dt * state.vx;
  state.y += dt * state.vy;
  state.theta += dt * state.omega;
  return impulse;
}

}  // namespace scree
