/// \file  Assembles the contact problem from the particles and the detected contacts.
#pragma once

#include <span>
#include <type_traits>
#include <vector>

#include "engine/contacts/attraction.hpp"
#include "engine/contacts/body_kick.hpp"
#include "engine/contacts/contact_partner.hpp"
#include "engine/contacts/detected_contact.hpp"
#include "engine/contacts/friction.hpp"
#include "engine/contacts/restitution.hpp"
#include "engine/contacts/wall_bodies.hpp"
#include "engine/contacts/warm_start.hpp"
#include "engine/particles/particles.hpp"
#include "engine/scene/materials.hpp"
#include "engine/scene/scene.hpp"
#include "engine/scene/step_parameters.hpp"
#include "solvers/batches/contact_batches.hpp"
#include "solvers/one_contact/rigid_body.hpp"
#include "solvers/sweeps/position_projection.hpp"

namespace scree {

/// Sets 1/m of every body [1/kg]. The mass of a local particle follows from the density of its
/// material, its radius and its shape. Walls get 0.
void SetInverseMasses(const Particles& particles, const Scene& scene,
                      std::vector<double>& inverse_masses);

/// Sets the bodies (local particles, then walls) and their free velocities: v + dt g, unless other
/// forces act.
void AssembleBodies(const Particles& particles, const std::vector<double>& inverse_masses,
                    const Scene& scene, std::span<const WallBody> walls, const BodyKicks& kicks,
                    std::vector<SphereBody>& bodies);

/// Sets the same bodies as rigid bodies of any shape, for scenes with clumps.
void AssembleBodies(const Particles& particles, const std::vector<double>& inverse_masses,
                    const Scene& scene, std::span<const WallBody> walls, const BodyKicks& kicks,
                    std::vector<RigidBody>& bodies);

/// The angular velocity of a particle as its Body stores it: u = r ω of a sphere [m/s], ω of a
/// rigid body [1/s].
template <class Body>
Vec3 SpinOf(const Particles& particles, std::size_t i) {
  if constexpr (std::is_same_v<Body, RigidBody>) return particles.angular_velocity[i];
  return particles.radius[i] * particles.angular_velocity[i];
}

/// The change of SpinOf by forces in a step.
/// @pre kicks.HasForces()
template <class Body>
Vec3 SpinKick(const Particles& particles, const BodyKicks& kicks, std::size_t i) {
  if constexpr (std::is_same_v<Body, RigidBody>) return kicks.per_particle[i].omega;
  return particles.radius[i] * kicks.per_particle[i].omega;
}

/// Principal moments of a particle, which is a sphere or a clump.
/// @param clumps  Scene::clumps
PrincipalInertia InertiaOf(const Particles& particles, std::size_t i, double inverse_mass,
                           std::span<const ClumpShape> clumps);

/// The input of the assembly: the contacts of a step and the properties of their bodies.
struct ContactInput {
  ContactSpan detected;
  ContactSpan ghosts;      // ghost contacts, numbered after the detected ones (ghost_contacts)
  std::size_t shared = 0;  // number of contacts with a shared body; they come first
  const Particles& particles;
  const Scene& scene;
  std::span<const WallBody> walls;         // bodies b of the contacts with walls
  std::span<const double> inverse_masses;  // of particles, then walls [1/kg]
  BodyKicks kicks = {};
  std::span<const Index> counts;          // ContactCounts::PerBody; empty: no body is shared
  const WarmStart* warm_start = nullptr;  // null: all contacts start with zero impulse
  std::span<const RigidBody> rigid = {};  // particles, then walls; null: all are spheres
  double last_dt = 0.0;   // length of the step over which the velocities are means; 0: none [s]
  double held_gap = 0.0;  // gaps up to this count as zero if the contact starts with an impulse [m]

  ContactBodies Bodies() const { return {particles, walls}; }
  MaterialId MaterialOf(Index body) const {
    const ContactBodies bodies = Bodies();
    if (!bodies.IsWall(body)) return particles.material[static_cast<std::size_t>(body)];
    return scene.walls[static_cast<std::size_t>(bodies.WallOf(body).wall)].material;
  }
  /// Whether contacts may pull (solvers/sweeps/effective_mass.hpp).
  bool MayPull() const { return scene.ActiveLaws()[kLawIndex<CohesionLaw>]; }
  /// Whether bodies are RigidBodies. This is the same on all ranks, also on one without bodies.
  bool IsRigid() const { return rigid.data() != nullptr; }
  /// δv of a contact at the beginning of the step, before the forces [m/s]. If the two bodies are
  /// exchanged, only the signs change, and no other bit.
  Vec3 RelativeVelocityOf(const ContactSpan& contacts, std::size_t j) const;
  /// Velocity of a particle's surface [m/s]. Only its component along the normal is correct,
  /// because the rotation of spheres is left out.
  /// @param arm  to the contact point
  Vec3 VelocityOf(Index body, const Vec3& arm) const {
    const auto i = static_cast<std::size_t>(body);
    if (!IsRigid()) return particles.velocity[i];
    return particles.velocity[i] + particles.angular_velocity[i].cross(arm);
  }
  /// Change of the velocity of a particle's surface by the forces of the step [m/s].
  Vec3 KickAt(Index body, const Vec3& arm) const {
    const auto i = static_cast<std::size_t>(body);
    return IsRigid() ? kicks.VelocityAt(i, arm) : kicks.VelocityOf(i);
  }
  /// Change of δv by the forces of the step [m/s].
  Vec3 KickApart(const ContactSpan& contacts, std::size_t j) const;
  /// @pre IsRigid()
  ContactArms ArmsOf(const ContactSpan& contacts, std::size_t j) const {
    const ContactArms& arms = contacts.geometry[j].arms;
    const ContactBodies bodies = Bodies();
    const Index b = contacts[j].b;
    return bodies.IsWall(b) ? ContactArms{arms.a, bodies.WallOf(b).arm} : arms;
  }
  /// The contributions of a and b to Aₙₙ [1/kg].
  struct Weights {
    double a, b;
  };
  Weights WeightsOf(const ContactSpan& contacts, std::size_t j) const {
    const DetectedContact& found = contacts[j];
    const auto a = static_cast<std::size_t>(found.a), b = static_cast<std::size_t>(found.b);
    if (!IsRigid()) return {inverse_masses[a], inverse_masses[b]};
    const ContactArms arms = ArmsOf(contacts, j);
    return {NormalMobility(rigid[a], arms.a, found.normal),
            NormalMobility(rigid[b], arms.b, found.normal)};
  }
  /// Aₙₙ of the two bodies, of which b may be a free wall [1/kg].
  double InverseMassOf(const ContactSpan& contacts, std::size_t j) const {
    const ContactBodies bodies = Bodies();
    const auto [weight_a, weight_b] = WeightsOf(contacts, j);
    const Index b = contacts[j].b;
    return weight_a + (bodies.IsWall(b) ? bodies.WallOf(b).mobility : weight_b);
  }
  /// The gap up to which cohesion without a cohesion_range holds a contact [m]. Touching bodies
  /// that turn about each other move along the tangent by s in a step, which opens the gap by s²/(2
  /// (r_a + r_b)). A contact that carried an impulse is held up to twice that.
  double AttractionGap(const ContactSpan& contacts, std::size_t j) const;
  /// The attraction of the two bodies by cohesion; inactive if their materials have none.
  Attraction AttractionOf(const ContactSpan& contacts, std::size_t j) const;
};

/// Assembles the contacts with bias, friction, effective mass and starting impulses:
///
///     b = ξ/dt for ξ > 0,   b = 0 for ξ ≤ 0, or max(eps ξ/dt, −cap) if no projection follows,
///     b = 0 for a contact that starts with an impulse if ξ ≤ held_gap,
///
/// where eps is the error reduction. At a hollow wall c/dt is subtracted (c: WallBody::closing).
///
/// Restitution and friction laws replace the bias and the friction of the contacts on which they
/// act. In scenes with clumps the contacts have arms, for RigidBodies.
///
/// @param max_correction_speed  the cap [m/s]
/// @param impacts    set to the indices of the detected contacts that have to rebound, ascending
/// @param positions  receives the gap of each contact and p, the impulse of its last projection;
///                   ghost contacts come last. Null: no projection follows
void AssembleContacts(const ContactInput& input, const StepParameters& parameters,
                      double max_correction_speed, const Friction& friction,
                      const Restitution& restitution, ContactBatches& batches,
                      std::vector<Index>& impacts, PositionProjection* positions);

}  // namespace scree
