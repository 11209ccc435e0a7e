/// \file  A scene that is stepped: what programs of others build on (apps/example).
///
/// The inside of a step is hidden, so that these see no more headers than they need; scree-run and
/// the tests work with TimeStep (step/time_step.hpp) itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "engine/contacts/body_kick.hpp"
#include "engine/observation/observables.hpp"
#include "engine/particles/particles.hpp"
#include "engine/ranks/communicator.hpp"
#include "engine/scene/scene.hpp"
#include "engine/scene/step_parameters.hpp"
#include "solvers/sweeps/solve_report.hpp"

namespace scree {

class StepView;

/// What a program may alter of this rank's owned particles, one entry each.
struct AlterableGrains {
  std::span<Vec3> position;           // [m]
  std::span<Vec3> velocity;           // [m/s]
  std::span<Vec3> angular_velocity;   // world axes [rad/s]
  std::span<Quaternion> orientation;  // is normalised
  std::span<double> radius;           // within those that there were or will be [m]
  std::span<MaterialId> material;
};

/// All calls are collective but for those that say "this rank".
class Simulation {
 public:
  /// Begins with the particles of the scene's fills, on one box per rank.
  /// @throws InputError if the parameters, or the ranks, do not fit the scene
  Simulation(const Communicator& communicator, const Scene& scene,
             const StepParameters& parameters);
  /// Begins with these particles, which the ranks hold in any way, each on one rank; ids, ≥ 0, are
  /// unique.
  Simulation(const Communicator& communicator, const Scene& scene, const StepParameters& parameters,
             Particles particles);
  ~Simulation();
  Simulation(Simulation&& other) noexcept;
  Simulation& operator=(Simulation&& other) noexcept;

  /// Does one step.
  /// @throws SimulationError on all ranks if the state is no longer valid
  void Step();
  /// The same with forces beside those of the scene. Bodies that they hold together come to rest if
  /// they rebound only above a few dt f/m (Scene::restitution_threshold; of those of the scene the
  /// step itself takes care).
  /// @throws InputError on all ranks if a drag is negative or no number
  void Step(const BodyForces& forces);
  /// What forces beside weight and contacts gave each owned particle in the last step, less what
  /// has come in since [N s]; empty: none acted. A fluid has been given the opposite.
  std::span<const Vec3> BodyImpulses() const;

  /// This rank's owned particles to alter between two steps, by some ranks or all; velocities are
  /// those of the moment. Before the next step EndEdit has to be called.
  AlterableGrains BeginEdit();
  /// Of this rank's owned particles at this moment [m/s]; empty: those of Grains().
  std::vector<Vec3> VelocitiesNow() const;
  /// Makes new lists of neighbours, and keeps what contacts remember.
  /// @throws InputError on all ranks if a radius, orientation or material cannot be
  /// @throws SimulationError on all ranks if a place or a velocity is not valid
  void EndEdit();

  /// Lets particles in, which the ranks give in any way, with new ids whatever theirs are.
  /// @returns the ids of those that this rank gave
  /// @throws InputError on all ranks, and nothing has changed, if one cannot be, is outside the
  ///         domain, or overlaps a wall, a particle or another one (of clumps bounding spheres)
  std::vector<ParticleId> Insert(Particles entering);
  /// Takes particles out.
  /// @param rows  one per owned particle of this rank, not zero: goes
  /// @returns how many went, of all ranks
  std::int64_t Remove(std::span<const std::uint8_t> rows);

  /// Lets a wall move so from now on, whatever its scene says of later times.
  /// @param velocity, angular_velocity  of its centre, and about it; the same on all ranks
  /// @throws InputError on all ranks, and nothing has changed, if it cannot
  void MoveWall(std::size_t wall, const Vec3& velocity, const Vec3& angular_velocity);

  /// Called in the steps from now on after the particles have moved, before any leaves or appears;
  /// ghosts are there too. This rank.
  void Watch(std::function<void(const Particles&)> watcher);
  /// Base steps done at which a step has to end if it would take longer.
  void EndStepAt(std::int64_t base_steps);
  /// Observe tells of energies, of the steps from now on.
  void EnableEnergyBalance();
  /// Whether the next steps keep what StepView::Record needs.
  void KeepGuess(bool yes);
  /// Whether the next steps find all contacts that touch (TimeStep::KeepTouching).
  void KeepTouching(bool yes);
  /// Whether the next steps measure the error of their solve, which Report then has: a step takes
  /// as long as ten, and holds two solves.
  void MeasureSolve(bool yes);
  /// What there is to see of the steps done (step/step_view.hpp).
  const StepView& View() const;

  /// Gives this rank's arrays of these names (kParticleFields) away and goes on with copies, for
  /// others who still look at them. @returns particles with these arrays alone
  Particles ReleaseArrays(std::span<const std::string_view> fields);

  /// Steps done since the beginning; this rank.
  std::int64_t Steps() const;
  /// [s]
  double Time() const;

  /// This rank's particles: owned ones, of which those with the id kRemovedId have left, then
  /// ghosts. The order changes as particles move; their ids do not.
  const Particles& Grains() const;
  /// Of this rank's owned particles [kg].
  std::vector<double> Masses() const;

  /// Figures of the state and the last step, over all ranks.
  Observables Observe() const;
  /// How well the contact problem of the last step was solved, over all ranks.
  SolveReport Report() const;

  /// What it was made with; this rank.
  const Scene& GetScene() const;
  const StepParameters& Parameters() const;
  const Communicator& Ranks() const;
  /// Of the scene's walls, if any is free; this rank, equal on all.
  std::span<const FreeWallState> FreeWalls() const;

 private:
  double EnergyOf(std::size_t i) const;  // kinetic [J]

  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace scree
