/// \file  The energy balance of a step: it closes to rounding at any iterate of the solver, as long
///        as velocities and impulses belong together.
///
/// With the means of the velocities before and after the step, the kinetic energy changes by
///
///     ΔE = Σᵢ dt fᵢ·(vᵢ + vᵢ')/2 + Σⱼ λⱼ·(δvⱼ⁻ + δvⱼ')/2 + Σ_walls λⱼ·v_wall + Σ_images λⱼ·U
///          + Σᵢ Jᵢ·(vᵢ + vᵢ')/2 + Lᵢ·(ωᵢ + ωᵢ')/2
///
/// and as much again of each contact that resists rolling, Λⱼ·(Δωⱼ⁻ + Δωⱼ')/2 and Λⱼ·Ω_wall,
/// where f is the weight, J and L are what other forces and torques give a body in the step
/// (fields, a rotating frame, a fluid), δv⁻ is the relative velocity before the forces, and a wall
/// is always body b. What a contact dissipates is its term of the second sum, with a minus. The
/// weight has a term of its own: at rest, δv⁻ = δv' = 0, contacts dissipate nothing, a block that
/// slides the force of friction times its path, and a body that falls and comes to rest m g h, in
/// steps of any length. So the velocities of a wall are means over two steps, too, as far as it
/// is accelerated steadily (WallPose::ChangeOfCarried): what rests on a table that swings rests.
/// Clumps turn freely after the solve, which changes their energy by no more than rounding;
/// the projection of positions turns polyhedra, with their angular momentum as it is. U is the
/// velocity of b's image in a sheared domain; what crosses its ends is remapped to the velocity of
/// the image, which is work of the shear too.
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

/// Energies of one rank or of all, of one step or of many, all in J. A contact is booked by the
/// rank that treats it, so only the sum over the ranks closes.
struct EnergyBalance {
  double kinetic = 0.0;  // ΔE by forces, contacts and turning; what enters and leaves is not in it
  double forces = 0.0;   // work of the weight
  double body_forces = 0.0;  // work of all other forces on bodies: fields, frame, fluid
  double contacts = 0.0;     // work of λ and Λ on the relative velocities; friction, inelasticity
  double walls = 0.0;        // work that moving walls do; rotating ones with their Λ too
  double shear = 0.0;     // work that a sheared domain does: Σ λ·U, and ΔE of what is remapped
  double rotation = 0.0;  // ΔE of clumps as they turn after the solve (EnergyOfRotation)

  double potential = 0.0;   // −Σ dt f·v': change of the potential energy by the motion
  double projection = 0.0;  // −Σ f·d: the same by the projection of positions, without momentum

  // Parts of what the contacts do.
  double error_reduction = 0.0;  // Σ λₙ times the speed at which an overlap has to open
  double restitution = 0.0;  // Σ λₙ e |m|: times the speed at which a contact has to rebound
  // error_reduction − contacts: what friction and impacts took. In a single step it can be negative
  // by no more than half of what forces would have done on the contacts in it: the weight has
  // pressed what separated together again.
  double dissipated = 0.0;

  double entered = 0.0;  // kinetic energy of the particles of the inflow
  double left = 0.0;     // kinetic energy of the particles that flowed out

  /// −Σ dt f·(v' − v)/2: forces work on the mean velocity, but positions move by the new one. For
  /// constant forces it telescopes, so it does not grow with the number of steps.
  double Integration() const { return forces + potential; }
  /// What the balance misses: rounding.
  double Imbalance() const {
    return kinetic - (forces + contacts + walls + shear + rotation + body_forces);
  }

  EnergyBalance& operator+=(const EnergyBalance& other);
};

/// Calls visit(name, entry) for every entry; of several books visit(name, entries...).
template <class Visit, class... Books>
void ForEachEntry(Visit&& visit, Books&... books) {
  visit("kinetic", books.kinetic...);
  visit("forces", books.forces...);
  visit("contacts", books.contacts...);
  visit("walls", books.walls...);
  visit("potential", books.potential...);
  visit("error_reduction", books.error_reduction...);
  visit("restitution", books.restitution...);
  visit("dissipated", books.dissipated...);
  visit("entered", books.entered...);
  visit("left", books.left...);
  visit("projection", books.projection...);
  visit("rotation", books.rotation...);
  visit("shear", books.shear...);
  visit("body_forces", books.body_forces...);
}

/// m |v|²/2 + I |ω|²/2 of a solid sphere with the surface velocity u = r ω [J].
inline double KineticEnergy(double mass, const Vec3& v, const Vec3& u) {
  return 0.5 * mass * (v.squaredNorm() + u.squaredNorm() / kMassOverInertia);
}

/// The same of a particle of any shape.
/// @param clumps  the scene's
double KineticEnergyOf(const Particles& particles, std::size_t i, double inverse_mass,
                       std::span<const ClumpShape> clumps);

/// The means of the velocities of bodies at the beginning and at the end of a step.
/// @param before  particles at the velocities v, ω at the beginning of the step
/// @param after   bodies with v', u' after the last sweep: local particles, then walls
/// @param walls   those of the step
/// @param mean    as many; those of gone particles get w = 0
template <class Body>
void FindMeans(const Particles& before, std::span<const Body> after,
               std::span<const WallBody> walls, std::vector<Body>& mean);

/// This rank's part of a step between its solve and its motion.
/// @param before, after, mean  as FindMeans takes and leaves them
/// @param kick     what the weight adds to each velocity [m/s]
/// @param impacts  numbers of the contacts that had to rebound, ascending
/// @param batches  the solved problem of `contacts`
/// @param images   velocities of the images, one per ghost; empty: they rest [m/s]
template <class Body>
EnergyBalance ComputeEnergyBalance(const Particles& before, std::span<const Body> after,
                                   std::span<const Body> mean, const Vec3& kick,
                                   std::span<const DetectedContact> contacts,
                                   std::span<const Index> impacts, const ContactBatches& batches,
                                   std::span<const Vec3> images = {});

/// Work of the impulses of other forces than the weight on the means of the velocities [J].
/// @param mean     as FindMeans leaves it
/// @param impulses, angular_impulses  of the owned particles, or none [N s], [N m s]
template <class Body>
double WorkOfBodyForces(const Particles& before, std::span<const Body> mean,
                        std::span<const Vec3> impulses, std::span<const Vec3> angular_impulses);

/// What wrapping adds to the kinetic energy of the owned particles that are beyond a sheared end
/// [J].
double EnergyOfRemap(const PeriodicImages& images, const Particles& particles,
                     std::span<const double> inverse_masses);

/// What lifting the owned particles by their displacements costs against the weight [J].
/// @param displacements  one per body, or none: nothing was moved
double WorkAgainst(const Vec3& gravity, const Particles& particles,
                   std::span<const double> inverse_masses,
                   std::span<const Displacement> displacements);

/// Kinetic energy of the owned particles that are gone now, but were not in ComputeEnergyBalance
/// [J].
/// @param after, mean  as there
template <class Body>
double EnergyOfRemoved(const Particles& now, std::span<const Body> after,
                       std::span<const Body> mean);

/// Change of the kinetic energy of the owned clumps that are still there by their free rotation, to
/// rounding zero, and by that of the projection [J].
/// @param now    particles after the motion
/// @param after  as in ComputeEnergyBalance
double EnergyOfRotation(const Particles& now, std::span<const RigidBody> after,
                        std::span<const double> inverse_masses, std::span<const ClumpShape> clumps);

/// Kinetic energy of particle `first` and those after it [J].
/// @param inverse_masses  of all particles [1/kg]
double EnergyFrom(std::size_t first, const Particles& particles,
                  std::span<const double> inverse_masses, std::span<const ClumpShape> clumps);

/// The sum over all ranks, on every rank. Collective.
EnergyBalance SumOverRanks(const Communicator& communicator, EnergyBalance book);

}  // namespace scree
