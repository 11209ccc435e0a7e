/// \file  A simulation whose arrays are NumPy's, without copies.
///
/// A view looks at the engine's own memory while the simulation rests. Before anything moves there,
/// in a step or when changes are taken, the engine hands arrays that still have views over to the
/// views and continues with copies: a view keeps the values of its moment, never shows memory that
/// is used for something else, and costs a copy only if it is kept.
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

/// A moment of a simulation with the results of its steps.
struct SavedMoment {
  std::shared_ptr<const Simulation::Moment> moment;
  StepRecord::Known known;
};

class SimulationViews {
 public:
  SimulationViews(Simulation simulation, std::vector<AverageSpec> averages)
      : simulation_(std::move(simulation)), record_(simulation_, std::move(averages)) {}
  ~SimulationViews();
  SimulationViews(const SimulationViews&) = delete;
  SimulationViews& operator=(const SimulationViews&) = delete;

  /// The owned particles' array of this name (kParticleFields).
  /// @param written  whether the user edits particles through the view, between BeginEdit and
  /// EndEdit
  /// @throws InputError if there is none, or the simulation is in a step
  py::array View(std::string_view name, bool written);

  /// Does steps, without Python's lock. @throws as Simulation::Step
  void Step(std::int64_t count);
  /// Does steps until this time has passed; the last step ends exactly then.
  /// @throws InputError also if a given time step does not divide the time
  void StepFor(double duration);
  /// Does one step with a force, a torque and a drag for each owned particle, one row each.
  /// @throws InputError also if the arrays have other shapes
  void StepWith(const Array<double>& force, const Array<double>& torque, const Array<double>& drag);

  /// Impulse of all forces but weight and contacts on each owned particle in the last step [N s].
  py::array BodyImpulses() const;
  /// Sums of values over the particles of all ranks, for each of equal cells of the domain.
  /// Collective.
  /// @param values  a row for each owned particle
  py::array SumInCells(const std::array<int, 3>& cells, const Array<double>& values) const;

  void BeginEdit();
  void EndEdit();

  /// Copies everything on this rank that later steps and results depend on.
  std::unique_ptr<SavedMoment> Save() const;
  /// Continues from a saved moment with the same bits, also after an edit or a step that failed.
  /// @throws InputError if it is of another simulation
  void Restore(const SavedMoment& saved);
  /// Begins again.
  /// @param particles  in place of the scene's fills
  void Reset(const Scene& scene, std::optional<Particles> particles);

  /// These pass their arguments on to Simulation.
  std::vector<ParticleId> Insert(Particles entering);
  std::int64_t Remove(const Array<std::uint8_t>& rows);
  void MoveWall(std::size_t wall, const Vec3& velocity, const Vec3& angular_velocity);
  void DriveJoint(std::size_t joint, const JointCommand& command);
  void EnableEnergyBalance() { simulation_.EnableEnergyBalance(); }
  void MeasureSolves(bool yes) { record_.MeasureSolves(yes); }

  /// @throws InputError while something moves
  const Simulation& Check() const;
  /// @throws InputError also while particles are altered
  const Simulation& AtRest() const;
  /// The record of the steps so far. @throws as AtRest
  const StepRecord& Record() const { return AtRest(), record_; }
  /// Owned particles of this rank.
  std::int64_t Count() const { return static_cast<std::int64_t>(Check().Grains().owned); }

 private:
  /// What the views of an array keep once the engine has left it.
  struct Shown {
    std::shared_ptr<const Particles> kept;
  };
  static constexpr std::size_t kFields = std::tuple_size_v<decltype(kParticleFields)>;

  void LeaveViews();
  void LookForSignals() const;
  std::int64_t BaseStepsIn(double duration) const;
  template <class Work>
  void Move(Work&& work);

  Simulation simulation_;
  StepRecord record_;
  std::array<std::weak_ptr<Shown>, kFields> shown_;  // in the order of the fields
  bool is_moving_ = false;
  bool is_altered_ = false;
};

}  // namespace scree::python
