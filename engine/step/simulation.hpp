/// \file  A simulation of a scene: the interface for external programs (apps/example).
///
/// It hides the internals of a step, so that these programs include few headers. scree-run and the
/// tests use TimeStep (step/time_step.hpp) directly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "engine/contacts/body_kick.hpp"
#include "engine/observation/observables.hpp"
#include "engine/particles/particles.hpp"
#include "engine/ranks/communicator.hpp"
#include "engine/scene/scene.hpp"
#include "engine/scene/steering.hpp"
#include "engine/scene/step_parameters.hpp"
#include "solvers/sweeps/solve_report.hpp"

namespace scree {

class StepView;
struct BondClusters;
struct State;

/// The arrays of this rank's owned particles that a program may change, one entry per particle.
struct EditableParticles {
  std::span<Vec3> position;           // [m]
  std::span<Vec3> velocity;           // [m/s]
  std::span<Vec3> angular_velocity;   // world axes [rad/s]
  std::span<Quaternion> orientation;  // will be normalised
  std::span<double> radius;           // in the range of past and future particles [m]
  std::span<MaterialId> material;
};

/// All calls are collective except those marked "this rank".
class Simulation {
 public:
  /// Starts with the particles of the scene's fills. The subdomain of each rank is one box.
  /// @throws InputError if the parameters or the ranks do not fit the scene
  Simulation(const Communicator& communicator, const Scene& scene,
             const StepParameters& parameters);
  /// Starts with these particles. Each is passed on exactly one rank, no matter which. Ids are
  /// unique and ≥ 0.
  /// @param cell  in a scene with a cell, the cell in which the particles move, the same on all
  ///              ranks; none: the cell around particles of these velocities (step/cell_start)
  Simulation(const Communicator& communicator, const Scene& scene, const StepParameters& parameters,
             Particles particles, std::optional<CellState> cell = {});
  ~Simulation();
  Simulation(Simulation&& other) noexcept;
  Simulation& operator=(Simulation&& other) noexcept;

  /// Does one step.
  /// @throws SimulationError on all ranks if the state is no longer valid
  void Step();
  /// Does one step with forces in addition to the forces of the scene. The default rebound
  /// threshold takes only the forces of the scene into account. Bodies that the additional forces f
  /// press together therefore come to rest only if Scene::restitution_threshold is a few dt f/m.
  /// @throws InputError on all ranks if a force or a torque is not finite, or a drag not a finite
  ///         number from 0
  /// @throws SimulationError on all ranks if the state is no longer valid
  void Step(const BodyForces& forces);
  /// Impulse that each owned particle got in the last step from forces other than weight and
  /// contacts [N s]; particles inserted since then have no entry. Empty: no such force acted. A
  /// fluid has received the opposite impulse.
  std::span<const Vec3> BodyImpulses() const;

  /// Starts an edit of this rank's owned particles between two steps. Not all ranks need to alter
  /// particles. Velocities belong to the present time. Call EndEdit before the next step.
  EditableParticles BeginEdit();
  /// Present velocities of this rank's owned particles [m/s]; empty: the velocities of Grains().
  std::vector<Vec3> VelocitiesNow() const;
  /// Ends an edit: builds new neighbour lists and keeps the stored impulses.
  /// @throws InputError on all ranks if a radius, orientation or material is not possible
  /// @throws SimulationError on all ranks if a position or a velocity is not valid
  void EndEdit();

  /// Inserts particles with new ids. Each rank may pass any of the particles; their ids are
  /// ignored.
  /// @returns the ids of the particles that this rank passed
  /// @throws InputError on all ranks, and nothing has changed, if a new particle has an impossible
  ///         value, is outside the domain, or overlaps a wall or a particle, old or new (clumps
  ///         count with their bounding spheres)
  std::vector<ParticleId> Insert(Particles new_particles);
  /// Removes particles.
  /// @param rows  one per owned particle of this rank; nonzero: remove it
  /// @returns the number of removed particles of all ranks
  std::int64_t Remove(std::span<const std::uint8_t> rows);

  /// Moves a wall with these velocities from now on, instead of its motion in the scene.
  /// @param velocity          of the wall's centre [m/s]; the same on all ranks
  /// @param angular_velocity  about the wall's centre [rad/s]; the same on all ranks
  /// @throws InputError on all ranks, and nothing has changed, if the wall cannot move in this way
  void MoveWall(std::size_t wall, const Vec3& velocity, const Vec3& angular_velocity);

  /// Drives a joint by this command from now on, instead of by its drive in the scene.
  /// @param command  the same on all ranks
  /// @throws InputError on all ranks, and nothing has changed, if the joint cannot be driven in
  ///         this way
  void DriveJoint(std::size_t joint, const JointCommand& command);

  /// A copy, in memory, of everything on which later steps and observations depend. It belongs to
  /// this simulation, and keeps the simulation's data alive. Steps after Restore have the same bits
  /// as steps after Save. This rank.
  class Moment;
  std::shared_ptr<const Moment> Save() const;
  /// @returns whether the moment belongs to this simulation; if not, nothing has changed
  bool Restore(const Moment& moment);
  /// Starts again as the constructors do.
  /// @param scene  as passed to the constructor
  /// @throws as the constructors, and nothing has changed
  void Reset(const Scene& scene);
  void Reset(const Scene& scene, Particles particles, std::optional<CellState> cell = {});

  /// Starts a new interval for the interval quantities in Observables and the loads of free walls
  /// and joints.
  void StartInterval();
  /// Sets a function that later steps call after the particles have moved, before any is removed or
  /// inserted; ghosts still exist. This rank.
  void SetWatcher(std::function<void(const Particles&)> watcher);
  /// Limits the next steps: a step that would pass this number of base steps since the start ends
  /// there.
  void EndStepAt(std::int64_t base_steps);
  /// Number of base steps done after the next step, if the program adds no forces; this rank.
  std::int64_t EndOfNextStep() const;
  /// Makes Observe report the energies of all later steps.
  void EnableEnergyBalance();
  /// Sets whether the next steps keep the data that StepView::Record needs.
  void KeepStartingImpulses(bool enabled);
  /// Sets whether the next steps find all touching contacts (TimeStep::KeepTouching).
  void KeepTouching(bool enabled);
  /// Sets whether touching contacts can be found after the step, when View or Observe reads them.
  void KeepTouchingOnRead(bool enabled);
  /// Sets whether the next steps measure the error of their solve, for Report. Such a step takes as
  /// long as ten steps and has two solves in memory.
  void MeasureSolve(bool enabled);
  /// Read access to the last step (step/step_view.hpp).
  const StepView& View() const;

  /// Releases this rank's arrays of these names (kParticleFields) to callers that still read them.
  /// The simulation continues with copies.
  /// @returns particles with only these arrays
  Particles ReleaseArrays(std::span<const std::string_view> fields);

  /// Base steps done since the start; this rank.
  std::int64_t Steps() const;
  /// Time since the start [s]; this rank.
  double Time() const;

  /// This rank's particles: owned particles, then ghosts. Owned particles with the id kRemovedId
  /// are removed. Particles change their order but not their ids.
  const Particles& Grains() const;
  /// Masses of this rank's owned particles [kg].
  std::vector<double> Masses() const;

  /// Quantities of the state and the last step, over all ranks.
  Observables Observe() const;
  /// Clusters of bonded particles, over all ranks (contacts/bond_clusters.hpp).
  BondClusters Clusters() const;
  /// Accuracy of the solution of the last step's contact problem, over all ranks.
  SolveReport Report() const;

  /// The arguments of the constructor, with the changes by MoveWall and DriveJoint; this rank.
  const Scene& GetScene() const;
  const StepParameters& Parameters() const;
  const Communicator& Ranks() const;
  /// States of free walls and joints (Scene::FreeRows); this rank, equal on all ranks.
  std::span<const FreeWallState> FreeWalls() const;

 private:
  double EnergyOf(std::size_t i) const;  // kinetic [J]

  struct Parts;
  void ResetTo(const Scene& scene, State initial_state);
  std::shared_ptr<Parts> parts_;  // shared with moments
};

}  // namespace scree
