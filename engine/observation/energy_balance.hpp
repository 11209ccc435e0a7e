/// \file  The energy balance of a step. After any number of sweeps its error is only rounding, as
///        long as the velocities are those that the impulses give.
///
/// With the means of the velocities before and after the step, the kinetic energy changes by
///
///     ΔE = Σᵢ dt fᵢ·(vᵢ + vᵢ')/2 + Σⱼ λⱼ·(δvⱼ⁻ + δvⱼ')/2 + Σ_walls λⱼ·v_wall + Σ_images λⱼ·U
///          + Σᵢ Jᵢ·(vᵢ + vᵢ')/2 + Lᵢ·(ωᵢ + ωᵢ')/2
///
/// Contacts that resist rolling add the analogous terms of their angular impulses,
/// Λⱼ·(Δωⱼ⁻ + Δωⱼ')/2 and Λⱼ·Ω_wall. Here f is the weight; J and L are the impulses of other forces
/// and torques on a body in the step (fields, a rotating frame, a fluid); δv⁻ is the relative
/// velocity before the forces. A wall is always body b. A contact dissipates the negative of its
/// term in the second sum. Because the weight has a separate term, the following holds for steps of
/// any length: contacts at rest (δv⁻ = δv' = 0) dissipate nothing, a sliding block dissipates the
/// friction force times its path, and a body that falls by h and comes to rest dissipates m g h.
///
/// v_wall is also a mean, of the wall's velocities in this step and the last
/// (WallPose::CarriedVelocityChange). A body at rest on a swinging table is then at rest in the
/// balance.
///
/// Clumps rotate freely after the solve, which changes their energy only by rounding. The
/// projection of positions rotates polyhedra at constant angular momentum, which does change their
/// energy. U is the velocity of b's image in a sheared domain. A particle that crosses a sheared
/// end gets the velocity of its image; this change of energy is also work of the shear.
#pragma once

#include <span>
#include <vector>

#include "engine/geometry/clump_shape.hpp"
#include "engine/particles/particles.hpp"
#include "engine/ranks/communicator.hpp"
#include "solvers/one_contact/sphere_contact.hpp"

namespace scree {

struct DetectedContact;
struct Displacement;
struct RigidBody;
struct WallBody;
class ContactBatches;
class PeriodicImages;

/// Energies of one rank or of all ranks, of one step or of many [J]. Each contact is recorded only
/// by the rank that owns it, so only the sum over the ranks is balanced.
struct EnergyBalance {
  double kinetic = 0.0;  // ΔE by forces, contacts, rotation; not by inserted or removed particles
  double forces = 0.0;   // work of the weight
  double body_forces = 0.0;  // work of all other forces on bodies: fields, frame, fluid
  double contacts = 0.0;     // work of λ and Λ on the relative velocities
  double walls = 0.0;        // work of moving walls, including Λ of rotating ones
  double shear = 0.0;        // work of a sheared domain: Σ λ·U, and ΔE of remapped particles
  double rotation = 0.0;     // ΔE of clumps by their rotation after the solve (EnergyOfRotation)

  double potential = 0.0;   // −Σ dt f·v': change of the potential energy by the motion
  double projection = 0.0;  // −Σ f·d: change of the potential energy by the position projection

  // Parts of the work of the contacts.
  double error_reduction = 0.0;  // Σ λₙ times the prescribed opening speed of an overlap
  double restitution = 0.0;      // Σ λₙ times the prescribed rebound speed
  // error_reduction − contacts: energy lost to friction and impacts. It can be negative in a step
  // in which the weight presses separating bodies together again, but by at most half of the work
  // that the weight would do against the separation at its initial speed.
  double dissipated = 0.0;

  double inserted = 0.0;  // kinetic energy of inserted particles
  double removed = 0.0;   // kinetic energy of removed particles

  /// −Σ dt f·(v' − v)/2: forces work on the mean velocity, but positions move with the new
  /// velocity. For constant forces the sum over the steps telescopes, so it does not grow with the
  /// number of steps.
  double IntegrationError() const { return forces + potential; }
  /// The error of the balance, which is only rounding.
  double Imbalance() const {
    return kinetic - (forces + contacts + walls + shear + rotation + body_forces);
  }

  EnergyBalance& operator+=(const EnergyBalance& other);
};

/// Calls visit(name, entry) for every entry; for several balances visit(name, entry of each). The
/// names are those of the output columns.
template <class Visit, class... Balances>
void ForEachEntry(Visit&& visit, Balances&... balances) {
  visit("kinetic", balances.kinetic...);
  visit("forces", balances.forces...);
  visit("contacts", balances.contacts...);
  visit("walls", balances.walls...);
  visit("potential", balances.potential...);
  visit("error_reduction", balances.error_reduction...);
  visit("restitution", balances.restitution...);
  visit("dissipated", balances.dissipated...);
  visit("entered", balances.inserted...);
  visit("left", balances.removed...);
  visit("projection", balances.projection...);
  visit("rotation", balances.rotation...);
  visit("shear", balances.shear...);
  visit("body_forces", balances.body_forces...);
}

/// m |v|²/2 + I |ω|²/2 of a solid sphere with the surface velocity u = r ω [J].
inline double KineticEnergy(double mass, const Vec3& v, const Vec3& u) {
  return 0.5 * mass * (v.squaredNorm() + u.squaredNorm() / kMassOverInertia);
}

/// The kinetic energy of a particle of any shape [J].
/// @param clumps  shapes of the scene
double KineticEnergyOf(const Particles& particles, std::size_t i, double inverse_mass,
                       std::span<const ClumpShape> clumps);

/// Finds the mean of each body's velocities at the beginning and at the end of a step.
/// @param before  particles at the velocities v, ω at the beginning of the step
/// @param after   bodies with v', u' after the last sweep: this rank's particles, then walls
/// @param walls   walls of the step
/// @param mean    one per body; removed particles get the inverse mass 0
template <class Body>
void FindMeans(const Particles& before, std::span<const Body> after,
               std::span<const WallBody> walls, std::vector<Body>& mean);

/// Computes the energy balance of this rank in a step. Call it after the solve and before the
/// motion.
/// @param before, after, mean  as in FindMeans, which has set `mean`
/// @param kick     change of each velocity by the weight [m/s]
/// @param impacts  indices of the contacts with a prescribed rebound, ascending
/// @param batches  the solved problem of `contacts`
/// @param images   velocities of the periodic images, one per ghost; empty: zero [m/s]
template <class Body>
EnergyBalance ComputeEnergyBalance(const Particles& before, std::span<const Body> after,
                                   std::span<const Body> mean, const Vec3& kick,
                                   std::span<const DetectedContact> contacts,
                                   std::span<const Index> impacts, const ContactBatches& batches,
                                   std::span<const Vec3> images = {});

/// Work of all forces except the weight, from their impulses and the mean velocities [J].
/// @param mean     output of FindMeans
/// @param impulses, angular_impulses  of the owned particles, or empty [N s], [N m s]
template <class Body>
double WorkOfBodyForces(const Particles& before, std::span<const Body> mean,
                        std::span<const Vec3> impulses, std::span<const Vec3> angular_impulses);

/// Change of the kinetic energy when the owned particles beyond a sheared end are wrapped [J].
double EnergyOfRemap(const PeriodicImages& images, const Particles& particles,
                     std::span<const double> inverse_masses);

/// Work that displacements of the owned particles do against their weight [J].
/// @param displacements  one per body; empty: no body was moved
double WorkAgainstGravity(const Vec3& gravity, const Particles& particles,
                          std::span<const double> inverse_masses,
                          std::span<const Displacement> displacements);

/// Kinetic energy of the owned particles that were removed since ComputeEnergyBalance [J].
/// @param after, mean  as in ComputeEnergyBalance
template <class Body>
double EnergyOfRemoved(const Particles& particles, std::span<const Body> after,
                       std::span<const Body> mean);

/// Change of the kinetic energy of the remaining owned clumps by their free rotation, which is zero
/// up to rounding, and by the rotation of the projection [J].
/// @param particles  after the motion
/// @param after  as in ComputeEnergyBalance
double EnergyOfRotation(const Particles& particles, std::span<const RigidBody> after,
                        std::span<const double> inverse_masses, std::span<const ClumpShape> clumps);

/// Kinetic energy of particle `first` and those after it [J].
/// @param inverse_masses  of all particles [1/kg]
double EnergyOfParticlesFrom(std::size_t first, const Particles& particles,
                             std::span<const double> inverse_masses,
                             std::span<const ClumpShape> clumps);

/// The sum over all ranks, on every rank. Collective.
EnergyBalance SumOverRanks(const Communicator& communicator, EnergyBalance balance);

}  // namespace scree
