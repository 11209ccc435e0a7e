/// \file  One step of the engine: start reading here.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "engine/contacts/contact_detection.hpp"
#include "engine/contacts/warm_start.hpp"
#include "engine/observation/energy_book.hpp"
#include "engine/observation/memory_report.hpp"
#include "engine/observation/observables.hpp"
#include "engine/particles/particles.hpp"
#include "engine/particles/rain.hpp"
#include "engine/ranks/communicator.hpp"
#include "engine/ranks/phase_timer.hpp"
#include "engine/step/candidate_lists.hpp"
#include "engine/step/jam_watch.hpp"
#include "engine/step/load_balance.hpp"
#include "engine/step/restart_point.hpp"
#include "engine/step/step_books.hpp"
#include "engine/step/step_contacts.hpp"
#include "engine/step/step_projection.hpp"
#include "engine/step/step_setup.hpp"
#include "engine/step/step_solve.hpp"

namespace scree {

/// What the next step depends on, apart from the scene and the parameters. Everything else that
/// TimeStep holds can be made again from it, bit by bit from it and the RestartPoint.
struct State {
  Particles particles;        // this rank's; ghosts are the step's business
  std::int64_t step = 0;      // steps done
  std::int64_t inserted = 0;  // by this rank since the start
  std::int64_t deleted = 0;   // by this rank since the start
  EnergyBook energy;          // of this rank since the start, of the steps that kept a book
  ParticleId next_id = 0;     // first id of the inflow, above all initial ones; equal on all ranks
  std::vector<RainState> rains;           // one per rain of the scene; equal on all ranks
  std::vector<FreeWallState> free_walls;  // one per wall if any is free; equal on all ranks
};

/// Looks at the particles in the middle of a step: after they have moved, before any leaves or
/// appears. Ghosts are there too.
using MotionWatcher = std::function<void(const Particles&)>;

/// Advances a state. Every public call is collective over the communicator.
class TimeStep {
 public:
  /// @param state  may be distributed over the ranks in any way; particles beyond an outflow face
  ///               are deleted
  /// @throws InputError if the particles do not fit the subdomains
  /// @throws SimulationError if a particle lies outside the domain
  TimeStep(const Communicator& communicator, const Scene& scene, const StepParameters& parameters,
           const Subdomains& subdomains, State& state);

  /// Goes on where another one was when it gave this point, with the same bits if every rank has
  /// the particles that it had then.
  /// @param state  as it was then, owned particles only; if the point is Redistributed, in any
  ///               order on any ranks and without gone particles
  TimeStep(const Communicator& communicator, const Scene& scene, const StepParameters& parameters,
           const Subdomains& subdomains, State& state, const RestartPoint& point);

  /// What a later one needs to go on from here.
  RestartPoint Point(const State& state) const;

  /// Does one step. Its last reduction also tells every rank what any of them asks for.
  /// @param watcher  called once, if there is one
  /// @param request  the caller's, in numbers of its own
  /// @returns the greatest request of all ranks
  /// @throws SimulationError on all ranks if the state is no longer valid (validity.hpp)
  std::int64_t Advance(State& state, const MotionWatcher& watcher = {}, std::int64_t request = 0);

  /// Changes velocities before a step, v += dt a, by forces that the engine does not know.
  /// @param accelerations  one per owned particle [m/s²]
  /// @throws SimulationError on all ranks if a velocity is no longer valid
  void Accelerate(State& state, std::span<const Vec3> accelerations);

  /// Goes on with owned particles that somebody has altered, ids and shapes apart: with new lists.
  /// Orientations are normalised.
  /// @throws InputError on all ranks if a radius, orientation or material cannot be
  /// @throws SimulationError on all ranks if a place or a velocity is not valid
  void TakeChanges(State& state);

  /// Whether the steps from now on keep the book of their energy.
  void KeepEnergyBook(bool yes) { books_.keeps_energy = yes; }
  /// This rank's part of the last step's book; zeros if none was kept.
  const EnergyBook& Energy() const { return books_.energy; }

  /// Whether the steps from now on find the loads of the walls.
  void KeepWallLoads(bool yes);

  /// Whether the steps from now on find the energy that each contact dissipates.
  void KeepDissipation(bool yes) { books_.keeps_dissipation = yes; }
  /// Of each of Contacts() in the last step, if it was to be found [J].
  const std::vector<double>& Dissipation() const { return books_.dissipation; }

  /// Describes the state and the last step, over all ranks.
  Observables Observe(const State& state) const;
  /// Begins a new interval for what Observables tells of one, and the loads of free walls.
  void StartInterval(State& state);
  /// How well the last step's contact problem was solved, over all ranks.
  SolveReport Report() const { return ReportOf(setup_, contacts_, solve_); }

  /// The last step in which a wall seemed to jam grains of several ranks, which ends no run; −1:
  /// none (jam_watch.hpp).
  std::int64_t SuspectedJam() const { return setup_.communicator.Max(jam_watch_.Suspected()); }

  const Subdomains& Partition() const { return setup_.subdomains; }
  /// Of all particles that there are or will be.
  const RadiusRange& Radii() const { return setup_.radii; }
  const PhaseTimer& Timer() const { return timer_; }
  /// Adds to what another one has counted before.
  void GoOnCounting(const PhaseTimer& timer) { timer_ = timer; }
  /// Books time spent outside the step.
  void BookOther() { timer_.Mark(Phase::kOther); }
  std::int64_t Rebuilds() const { return rebuilds_; }
  /// Whether the next step begins with new lists.
  bool ListsAreDue(const State& state) const;
  /// How often the subdomains were cut anew in the run.
  std::int64_t Moves() const { return balance_.moves; }
  /// Of the last step, over all ranks.
  LoadImbalance Imbalance(const State& state) const;
  /// The same by places, of this rank; and what these cuts would be for any number of ranks.
  std::vector<WorkItem> Work(const State& state) const;
  Bisection CutFor(int ranks, std::vector<WorkItem> work, const std::vector<Cut>& before) const {
    return BisectWork(setup_, ranks, std::move(work), before);
  }
  /// By this rank in all solves; what it sent in whole steps is the communicator's to tell.
  const Traffic& SentInSweeps() const { return solve_.sent; }
  /// Ranks with which this one exchanges ghosts.
  int Neighbors() const;
  /// What this rank's arrays hold after the last step.
  MemoryReport Memory(const State& state) const;

  /// This rank's part of the last step's contacts and their solution, every contact on one rank;
  /// all but Contacts are copies.
  ContactSpan Contacts() const { return contacts_.treated.All(); }
  /// The contacts' bodies after the particles.
  const std::vector<WallBody>& WallBodies() const { return contacts_.wall_bodies; }
  const ContactBatches& Problem() const { return solve_.batches; }  // mirrors last
  std::vector<Vec3> Impulses() const { return ImpulsesOf(contacts_, solve_); }
  /// What the additional laws add to these, as cohesion does [N s]; empty: nothing.
  std::vector<Vec3> ImpulsesOfLaws() const { return LawImpulsesOf(contacts_, solve_); }

 private:
  TimeStep(const Communicator& communicator, const Scene& scene, const StepParameters& parameters,
           const Subdomains& subdomains, const State& state, const RadiusRange& radii);
  void RebuildLists(State& state);
  void RestoreLists(State& state, const RestartPoint& point);
  void BuildListsOf(Particles& particles, std::int64_t step, FreeWallStates free_walls,
                    const ListReach& reach);
  std::string FindContactsOf(const State& state, const WarmStart* warm_start);
  void Move(Particles& particles);
  bool ImagesMove() const { return setup_.scene.domain.shear.Acts(); }
  double TimeOf(std::int64_t steps) const {
    return setup_.parameters.dt * static_cast<double>(steps);
  }
  void BookRemap(State& state) const;
  void LetLeave(State& state);
  void LetEnter(State& state);
  bool LetRainIn(State& state, const OwnsPlace& owns, Particles& entering) const;
  std::int64_t Agree(const State& state, std::int64_t request, const std::string& invalid);
  Bisection FindCuts(std::vector<WorkItem> work) const;
  void CutByParticles(const State& state, std::span<const RememberedImpulse> impulses);
  void BalanceStart(State& state);
  void Balance(const State& state);
  void DemandNoneMissing(const State& state) const;
  void DemandValid(const State& state) const;

  StepSetup setup_;
  std::int64_t count_ = 0;  // particles - inserted + deleted of all ranks, constant in the run

  CandidateLists lists_;     // made anew when something has moved too far
  StepContacts contacts_;    // of the last step
  StepSolve solve_{setup_};  // of the last step
  StepProjection projection_;
  WarmStart warm_start_;  // what the contacts of the next step remember of it
  StepBooks books_;       // of the last step, and of the interval
  JamWatch jam_watch_;
  BalanceBook balance_;
  std::int64_t rebuilds_ = 0;
  PhaseTimer timer_;
};

}  // namespace scree
