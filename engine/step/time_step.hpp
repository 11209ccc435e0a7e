/// \file  One step of the engine: start reading here.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "engine/particles/particles.hpp"
#include "engine/ranks/communicator.hpp"
#include "engine/ranks/phase_timer.hpp"
#include "engine/step/restart_point.hpp"
#include "engine/step/state.hpp"
#include "engine/step/step_view.hpp"

namespace scree {

/// Called with the particles in the middle of a step: after they have moved, before any is removed
/// or inserted. Ghosts are included.
using MotionWatcher = std::function<void(const Particles&)>;

/// Advances a state. Every public call is collective over the communicator.
class TimeStep : public StepView {
 public:
  /// @param state  its particles may be on any ranks; particles beyond an outflow face are deleted
  /// @throws InputError if the particles do not fit the subdomains
  /// @throws SimulationError if a particle lies outside the domain
  /// @pre the communicator outlives this object
  TimeStep(const Communicator& communicator, const Scene& scene, const StepParameters& parameters,
           const Subdomains& subdomains, State& state);

  /// Continues from the restart point of another TimeStep, with the same bits if every rank has the
  /// same particles as at that point.
  /// @param state  the state at that point, owned particles only. If point.redistributed is set,
  ///               they may be in any order and on any ranks, but none may be removed. The bits are
  ///               then the same only if the scheme is Jacobi's and the lists of the point also fit
  ///               the subdomains.
  TimeStep(const Communicator& communicator, const Scene& scene, const StepParameters& parameters,
           const Subdomains& subdomains, State& state, const RestartPoint& point);

  /// Does one step. The last reduction of the step also distributes the requests of the ranks.
  /// @param watcher  called once; may be empty
  /// @param request  a number whose meaning the caller defines
  /// @param until    latest end of the step, in base steps since the start of the run
  /// @param program_forces  forces of the caller; null: none
  /// @returns the maximum of the requests of all ranks
  /// @throws SimulationError on all ranks if the state is no longer valid (validity.hpp)
  std::int64_t Advance(State& state, const MotionWatcher& watcher = {}, std::int64_t request = 0,
                       std::int64_t until = kNoEvent, const BodyForces* program_forces = nullptr);

  /// Whether the lists cover the next step. Also true if new lists are due, because the next step
  /// builds them first. Always true after a restart from an unchanged point and state. Equal on all
  /// ranks.
  bool ListsCover(const State& state);

  /// Ends an edit in which the caller has altered owned particles, except ids and shapes.
  /// Normalises orientations, removes the ghosts, and makes the next step build new lists.
  /// @throws InputError on all ranks if a radius, orientation or material is not possible
  /// @throws SimulationError on all ranks if a position or a velocity is not valid
  void EndEdit(State& state);
  /// Continues after the caller has changed the motion of a wall or the drive of a joint in the
  /// scene (scene/steering.hpp).
  /// @param was_at_rest  whether the steered wall was at rest until now
  void UpdateAfterSteering(const State& state, bool was_at_rest);

  /// Sets the domain to the cell of this state. A copy needs this call when its original has made
  /// steps since, because both refer to one domain.
  void PlaceCell(const State& state) { setup_.PlaceCell(state.cell); }

  void EnableEnergyBalance(bool enabled) { diagnostics_.keeps_energy = enabled; }
  void EnableWallLoads(bool enabled) { scree::EnableWallLoads(setup_, enabled, diagnostics_); }
  /// Sets whether the next steps measure the error of their solve (solve_error.hpp).
  void KeepSolveError(bool enabled) { keeps_solve_error_ = enabled; }
  /// Sets whether the next steps find all touching contacts, active or not, by an additional
  /// detection (Observables::touching_contacts). Touching bodies have a gap of at most 0.01 r. In
  /// scenes with restitution the lists may reach less far, so that contacts with gaps of more than
  /// 3e-4 r may be missed.
  void KeepTouching(bool enabled) {
    KeepTouching(enabled ? TouchingSearch::kInStep : TouchingSearch::kNone);
  }
  void KeepTouching(TouchingSearch search) { touching_search_ = search; }
  /// Sets whether later steps record the energy that each contact dissipates.
  void KeepDissipation(bool enabled) { diagnostics_.keeps_dissipation = enabled; }
  /// Sets whether the next steps keep the starting impulses of their sweeps, for Record.
  void KeepStartingImpulses(bool enabled) { solve_.keeps_guess = enabled; }
  /// Starts a new interval for the interval quantities in Observables and the loads of free walls.
  void StartInterval(State& state);

  /// Continues the times of another timer.
  void ResumeTimer(const PhaseTimer& timer) { timer_ = timer; }
  /// Adds the time since the last mark to Phase::kOther, which is time outside the step.
  void MarkOther() { timer_.Mark(Phase::kOther); }

 private:
  TimeStep(const Communicator& communicator, const Scene& scene, const StepParameters& parameters,
           const Subdomains& subdomains, State& state, const RadiusRange& radii);
  std::int64_t StrideOfNext(const State& state, std::int64_t until,
                            const BodyForces* program_forces) const;
  void FindTouching(const State& state);
  void MeasureSolve(const Particles& particles);
  double InsertParticles(State& state);
  void PlanStep(const State& state, double deepest);
  double LongestNextStep(const State& state) const;
  void ShortenPlan(const State& state);
  void BeginStep(std::int64_t stride, State& state);
  void ComputeForces(State& state, double last_length, const BodyForces* program_forces);
  void ShearImages(std::int64_t step);
  void DeformCell(State& state);
  void Rebuild(State& state);
  void ReserveMemory(const Particles& particles);
  std::int64_t Agree(const State& state, std::int64_t request, const std::string& invalid);
};

}  // namespace scree
