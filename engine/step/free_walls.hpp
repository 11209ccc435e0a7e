/// \file  Free walls in the solve of a step: the speed of each is an unknown in addition to the
///        impulses of the contacts.
///
/// Every contact with a free wall has its own patch as body b, with a fraction of the wall's
/// inertia: for n contacts in total each patch has M°/n, so that relaxations of many contacts with
/// a light wall do not overshoot (mass splitting: R. Tonge, F. Benevolenski, A. Voroshilov, "Mass
/// splitting for jitter-free parallel rigid body simulation", ACM Trans. Graph. 31, 2012). After
/// each sweep all patches get the speed that the impulses of all contacts give the whole wall,
///
///     s' = s° − Σⱼ aⱼ⋅λⱼ/M°,   aⱼ the velocity of the surface at the contact per unit of s,
///
/// The guide of the wall takes all other components. So momentum is balanced to rounding at any
/// iterate. The fixed point is that of the contacts and the undivided wall, and n affects only the
/// rate of convergence. The sums are exact (exact_sum), so they do not depend on the ranks.
///
/// The projection of positions does the same with its displacements.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/contacts/wall_bodies.hpp"
#include "engine/particles/particles.hpp"
#include "engine/ranks/communicator.hpp"
#include "engine/step/step_contacts.hpp"
#include "solvers/base/exact_sum.hpp"
#include "solvers/batches/contact_batches.hpp"
#include "solvers/sweeps/position_projection.hpp"

namespace scree {

/// The free walls of one step. Does nothing if no wall is free in it.
class FreeWalls {
 public:
  /// Finds the contacts with free walls and sets the masses of their patches. Collective in scenes
  /// with free walls.
  /// @param[in,out] wall_bodies     their mobility is set
  /// @param[in,out] inverse_masses  of all bodies [1/kg]
  void Begin(const Communicator& communicator, const Scene& scene, const Particles& particles,
             StepContacts& contacts, std::vector<double>& inverse_masses);
  /// Sets the masses of the patches.
  template <class Body>
  void SetPatchMasses(std::span<Body> bodies) const;
  /// Sets the velocities of the patches without contact impulses.
  /// @param turn_with_wall  patches have the rotation of the wall (TurnPatches)
  void SetUp(bool turn_with_wall, std::span<SphereBody> bodies);
  void SetUp(bool turn_with_wall, std::span<RigidBody> bodies);

  bool Any() const { return !walls_.empty(); }
  /// Σ M° (s' − s°)² [J]
  double NormOfImpulses() const;
  /// Σ ½ M° (s'² − s°²): the energy that the impulses transfer to the walls [J]
  double EnergyOfImpulses() const;

  /// Updates the speeds of the walls from the present impulses. Collective.
  template <class Body>
  void UpdateFromImpulses(const Communicator& communicator, const ContactBatches& batches,
                          std::span<Body> bodies);
  /// @param bodies  of the projection: Displacement or RigidBody
  template <class Moved>
  void UpdateFromImpulses(const Communicator& communicator, const ContactBatches& batches,
                          const PositionProjection& positions, std::span<Moved> bodies);

  /// Sets the patches to the mean of the speeds before and after the step.
  template <class Body>
  void SetToMean(std::span<Body> bodies) const {
    Set(bodies, When::kMean);
  }

  /// Moves the walls to the end of the step.
  /// @throws SimulationError if a wall moves too far in the step for the contacts to be found
  void Move(const Scene& scene, double dt, std::int64_t stride,
            std::span<FreeWallState> states) const;

 private:
  struct FreeBody {
    std::size_t wall = 0;  // of the scene
    Freedom freedom = Freedom::kNone;
    Vec3 axis = Vec3::Zero();
    double inertia = 0.0;       // M°
    double free = 0.0;          // s°
    double before = 0.0;        // s
    double speed = 0.0;         // s' so far
    double displacement = 0.0;  // of the projection [m] or [rad]
    double impulse = 0.0;       // −Σ a⋅λ [N s] or [N m s]
    std::int64_t contacts = 0;  // on all ranks

    double Speed(bool mean) const { return mean ? 0.5 * (before + speed) : speed; }
  };
  struct Patch {
    std::size_t contact = 0, body = 0, wall = 0;  // numbers of contact and body; row of walls_
    Vec3 along = Vec3::Zero();                    // a
    Vec3 surface = Vec3::Zero();  // velocity of the surface without the free motion [m/s]
    Vec3 normal = Vec3::Zero();
    double radius = 0.0;           // of the sphere that touches, for patches that turn [m]
    Vec3 rotation = Vec3::Zero();  // u or omega without the free motion
  };

  enum class When { kMean, kAfter };
  void Set(std::span<SphereBody> bodies, When when) const;
  void Set(std::span<RigidBody> bodies, When when) const;
  void SumImpulses(const Communicator& communicator);

  std::vector<FreeBody> walls_;  // those that are free in this step
  std::vector<Patch> patches_;   // of this rank's contacts
  bool patches_turn_ = false;
  std::vector<ExactSum> sums_;        // scratch, one per wall
  std::vector<std::int64_t> digits_;  // scratch
  std::vector<Index> rows_;           // scratch: of each wall of the scene in walls_, or -1
};

}  // namespace scree
