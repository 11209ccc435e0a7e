/// \file  Assembles the contact problem from the particles. No other file knows both.
#pragma once

#include <span>
#include <type_traits>
#include <vector>

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

/// 1/m of every body [1/kg]: of a local particle from the density of its material, its radius and
/// its shape; 0 of a wall.
void SetInverseMasses(const Particles& particles, const Scene& scene,
                      std::vector<double>& inverse_masses);

/// Bodies at the free velocities, v + dt g unless other forces act: local particles, then walls.
void AssembleBodies(const Particles& particles, const std::vector<double>& inverse_masses,
                    const Scene& scene, std::span<const WallBody> walls, const BodyKicks& kicks,
                    std::vector<SphereBody>& bodies);

/// The same as rigid bodies of any shape, for scenes with clumps.
void AssembleBodies(const Particles& particles, const std::vector<double>& inverse_masses,
                    const Scene& scene, std::span<const WallBody> walls, const BodyKicks& kicks,
                    std::vector<RigidBody>& bodies);

/// The rotation of a particle as its Body stores it: u = r ω of a sphere [m/s], ω of a rigid body
/// [1/s].
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

/// Principal moments of a particle, sphere or clump.
/// @param clumps  the scene's
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
  const WarmStart* warm_start = nullptr;  // null: all start with zero
  std::span<const RigidBody> rigid = {};  // particles, then walls; null: all are spheres
  double held_gap = 0.0;                  // loaded contacts with a gap up to this are closed [m]

  ContactBodies Bodies() const { return {particles, walls}; }
  MaterialId MaterialOf(Index body) const {
    const ContactBodies bodies = Bodies();
    if (!bodies.IsWall(body)) return particles.material[static_cast<std::size_t>(body)];
    return scene.walls[static_cast<std::size_t>(bodies.WallOf(body).wall)].material;
  }
  /// Whether bodies are RigidBodies. True also on a rank without bodies, if others have some.
  bool IsRigid() const { return rigid.data() != nullptr; }
  /// δv of a contact at the beginning of the step, before the forces [m/s]. Exchanging the two
  /// bodies changes the signs and no other bit.
  Vec3 RelativeVelocityOf(const ContactSpan& contacts, std::size_t j) const;
  /// Velocity of a particle's surface [m/s]. Only its component along the normal is correct,
  /// because the rotation of spheres is left out.
  /// @param arm  to the contact point
  Vec3 VelocityOf(Index body, const Vec3& arm) const {
    const auto i = static_cast<std::size_t>(body);
    if (!IsRigid()) return particles.velocity[i];
    return particles.velocity[i] + particles.angular_velocity[i].cross(arm);
  }
  /// Arms of the bodies of a contact.
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
};

/// Assembles the contacts with bias, friction, effective mass and starting impulses:
///
///     b = ξ/dt for ξ > 0,   b = 0 for ξ ≤ 0, or max(eps ξ/dt, −cap) if no projection follows,
///     b = 0 for a contact that starts with an impulse if ξ ≤ held_gap,
/// less c/dt at a hollow wall, where c is the gap that its curvature takes along the path.
///
/// Restitution changes the bias where it acts, and a friction law the friction. In scenes with
/// clumps the contacts have arms, for RigidBodies.
///
/// @param max_correction_speed  the cap [m/s]
/// @param impacts    set to the indices of the detected contacts that have to rebound, ascending
/// @param positions  receives the gaps and the last step's p of all contacts, ghost contacts last;
///                   null: no projection follows
void AssembleContacts(const ContactInput& input, const StepParameters& parameters,
                      double max_correction_speed, const Friction& friction,
                      const Restitution& restitution, ContactBatches& batches,
                      std::vector<Index>& impacts, PositionProjection* positions);

}  // namespace scree
