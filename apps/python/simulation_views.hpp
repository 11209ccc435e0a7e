/// \file  A simulation whose arrays are shared with NumPy without copies.
///
/// A view shows the engine's own memory while the simulation is at rest. Before a step or an edit
/// changes this memory, arrays that still have views are left to these views, and the engine
/// continues with copies. A view therefore keeps the values of the time when it was made, and never
/// shows reused memory. A copy is made only if a view is kept.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "apps/python/bindings.hpp"
#include "apps/python/step_record.hpp"
#include "engine/step/simulation.hpp"

namespace scree::python {

/// A saved state of a simulation, with the results of its steps.
struct SavedMoment {
  std::shared_ptr<const Simulation::Moment> moment;
  StepRecord::Results results;
};

/// Particles with which a simulation starts.
struct FirstParticles {
  Particles particles;
  std::optional<CellState> cell;  // in which they move; none: Simulation derives it
};

class SimulationViews {
 public:
  SimulationViews(Simulation simulation, std::vector<AverageSpec> averages)
      : simulation_(std::move(simulation)), record_(simulation_, std::move(averages)) {}
  ~SimulationViews();
  SimulationViews(const SimulationViews&) = delete;
  SimulationViews& operator=(const SimulationViews&) = delete;

  /// The owned particles' array of this field (kParticleFields). If the engine's array does not
  /// hold the present velocities (Simulation::VelocitiesNow), the view shows a read-only copy of
  /// them.
  /// @param is_editable  whether the user edits particles through the view, between BeginEdit and
  ///                     EndEdit
  /// @throws InputError if the field is unknown, or the simulation is in a step
  py::array View(std::string_view name, bool is_editable);

  /// Runs steps without Python's lock. @throws as Simulation::Step
  void Step(std::int64_t count);
  /// Runs steps for this duration. The last step ends exactly when the duration is over.
  /// @throws InputError also if a fixed time step does not divide the duration
  void StepFor(double duration);
  /// Runs one step with a force, a torque and a drag on each owned particle, one row each.
  /// @throws InputError also if the arrays have wrong shapes
  void StepWith(const Array<double>& force, const Array<double>& torque, const Array<double>& drag);

  /// Impulse on each owned particle in the last step, of all forces except weight and contacts
  /// [N s]; rows of three. Zero for particles inserted after that step.
  py::array BodyImpulses() const;
  /// Divides the domain into equal cells, and sums values over the particles in each cell, over all
  /// ranks. Equal values give equal bits on any number of ranks (ExactSum). Collective.
  /// @param cells   number of cells along each axis
  /// @param values  one row for each owned particle
  /// @returns one row for each cell
  py::array SumInCells(const std::array<int, 3>& cells, const Array<double>& values) const;

  void BeginEdit();
  void EndEdit();

  /// Copies all data of this rank on which later steps and results depend.
  std::unique_ptr<SavedMoment> Save() const;
  /// Continues from a saved state with the same bits, even after an edit or a failed step.
  /// @throws InputError if the state was saved by another simulation
  void Restore(const SavedMoment& saved);
  /// Restarts with a new scene.
  /// @param first  initial particles instead of the scene's fills; none: the fills
  void Reset(const Scene& scene, std::optional<FirstParticles> first);

  /// These functions pass their arguments on to Simulation or to the record of its steps.
  std::vector<ParticleId> Insert(Particles entering);
  std::int64_t Remove(const Array<std::uint8_t>& rows);
  void MoveWall(std::size_t wall, const Vec3& velocity, const Vec3& angular_velocity);
  void DriveJoint(std::size_t joint, const JointCommand& command);
  void EnableEnergyBalance() { simulation_.EnableEnergyBalance(); }
  void MeasureSolves(bool enabled) { record_.MeasureSolves(enabled); }

  /// @throws InputError during a step
  const Simulation& Check() const;
  /// @throws InputError also during an edit
  const Simulation& CheckAtRest() const;
  /// The record of the steps so far. @throws as CheckAtRest
  const StepRecord& Record() const { return CheckAtRest(), record_; }
  /// Owned particles of this rank.
  std::int64_t Count() const { return static_cast<std::int64_t>(Check().Grains().owned); }

 private:
  /// Keeps the arrays alive that only views still show.
  struct ViewKeeper {
    std::shared_ptr<const Particles> arrays;
  };
  static constexpr std::size_t kFields = std::tuple_size_v<decltype(kParticleFields)>;

  void DetachViews();
  void CheckSignals() const;
  std::int64_t BaseStepsIn(double duration) const;
  template <class Work>
  void RunUnlocked(Work&& work);

  Simulation simulation_;
  StepRecord record_;
  std::array<std::weak_ptr<ViewKeeper>, kFields> keepers_;  // in the order of the fields
  bool is_stepping_ = false;
  bool is_edited_ = false;
};

}  // namespace scree::python
