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

/// Looks at the particles in the middle of a step: after they have moved, before any leaves or
/// appears. Ghosts are there too.
using MotionWatcher = std::function<void(const Particles&)>;

/// Advances a state. Every public call is collective over the communicator.
class TimeStep : public StepView {
 public:
  /// @param state  may be distributed over the ranks in any way; particles beyond an outflow face
  ///               are deleted
  /// @throws InputError if the particles do not fit the subdomains
  /// @throws SimulationError if a particle lies outside the domain
  TimeStep(const Communicator& communicator, const Scene& scene, const StepParameters& parameters,
           const Subdomains& subdomains, State& state);

  /// Goes on where another one was when it gave this point, with the same bits if every rank has
  /// the particles that it had then.
  /// @param state  as it was then, owned particles only; if the point is redistributed, in any
  ///               order on any ranks and without gone particles: if it has lists, and these fit
  ///               the subdomains, bits are the same with Jacobi's scheme
  TimeStep(const Communicator& communicator, const Scene& scene, const StepParameters& parameters,
           const Subdomains& subdomains, State& state, const RestartPoint& point);

  /// Does one step. Its last reduction also tells every rank what any of them asks for.
  /// @param watcher  called once, if there is one
  /// @param request  the caller's, in numbers of its own
  /// @param until    base steps done at which this step has to end if it would take longer
  /// @param given    forces of the caller's; null: none
  /// @returns the greatest request of all ranks
  /// @throws SimulationError on all ranks if the state is no longer valid (validity.hpp)
  std::int64_t Advance(State& state, const MotionWatcher& watcher = {}, std::int64_t request = 0,
                       std::int64_t until = kNoEvent, const BodyForces* given = nullptr);

  /// Whether the lists of a point that is not due for new ones are good for the next step, as they
  /// were when it was given. Equal on all ranks.
  bool ListsCover(const State& state);

  /// Goes on with owned particles that somebody has altered, ids and shapes apart: with new lists.
  /// Orientations are normalised.
  /// @throws InputError on all ranks if a radius, orientation or material cannot be
  /// @throws SimulationError on all ranks if a place or a velocity is not valid
  void EndEdit(State& state);
  /// Goes on after its scene has been told how a wall moves from now on (scene/steering.hpp).
  /// @param begins  the wall has stood so far
  void TakeSteering(const State& state, bool begins);

  // Whether the steps from now on keep the book of their energy, find the loads of the walls, find
  // the energy that each contact dissipates.
  void EnableEnergyBalance(bool yes) { books_.keeps_energy = yes; }
  void EnableWallLoads(bool yes) { scree::EnableWallLoads(setup_, yes, books_); }
  /// Whether the next steps measure the error of their solve (solve_error.hpp).
  void KeepSolveError(bool yes) { keeps_solve_error_ = yes; }
  /// Whether they find all contacts that touch, active or not, which takes one more detection
  /// (Observables::touching_contacts). Where particles rebound, gaps beyond 3e-4 r may be missed
  /// that no list has, as those of the step need not reach so far.
  void KeepTouching(bool yes) { keeps_touching_ = yes; }
  void KeepDissipation(bool yes) { books_.keeps_dissipation = yes; }
  /// Whether they keep the impulses with which their sweeps begin, as Record needs them.
  void KeepGuess(bool yes) { solve_.keeps_guess = yes; }
  /// Begins a new interval for what Observables tells of one, and the loads of free walls.
  void StartInterval(State& state);

  /// Adds to what another one has counted before.
  void ResumeTimer(const PhaseTimer& timer) { timer_ = timer; }
  /// Books time spent outside the step.
  void MarkOther() { timer_.Mark(Phase::kOther); }

 private:
  TimeStep(const Communicator& communicator, const Scene& scene, const StepParameters& parameters,
           const Subdomains& subdomains, State& state, const RadiusRange& radii);
  std::int64_t StrideOfNext(const State& state, std::int64_t until, const BodyForces* given) const;
  void FindTouching(const State& state);
  void MeasureSolve(const Particles& particles);
  double InsertParticles(State& state);
  void PlanStep(const State& state, double deepest);
  double Allowed(const State& state) const;
  void ShortenPlan(const State& state);
  void BeginStep(std::int64_t stride, const BodyForces* given, State& state);
  void TakeForces(State& state, double last, const BodyForces* given);
  void DeformCell(State& state);
  void Rebuild(State& state);
  void MakeRoom(const Particles& particles);
  std::int64_t Agree(const State& state, std::int64_t request, const std::string& invalid);
};

}  // namespace scree
