/// \file  What there is to see of the steps done: read only.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "engine/contacts/warm_start.hpp"
#include "engine/observation/contact_records.hpp"
#include "engine/observation/energy_balance.hpp"
#include "engine/observation/memory_report.hpp"
#include "engine/observation/observables.hpp"
#include "engine/observation/problem_record.hpp"
#include "engine/ranks/phase_timer.hpp"
#include "engine/step/candidate_lists.hpp"
#include "engine/step/jam_detector.hpp"
#include "engine/step/load_balance.hpp"
#include "engine/step/moment_velocities.hpp"
#include "engine/step/restart_point.hpp"
#include "engine/step/solve_error.hpp"
#include "engine/step/state.hpp"
#include "engine/step/step_contacts.hpp"
#include "engine/step/step_diagnostics.hpp"
#include "engine/step/step_projection.hpp"
#include "engine/step/step_setup.hpp"
#include "engine/step/step_solve.hpp"

namespace scree {

/// The data of a time step, one member per stage; whoever holds a view changes none of them, and a
/// TimeStep is the one that does. Calls "over all ranks" are collective.
class StepView {
 public:
  /// What a later one needs to go on from here, over all ranks.
  RestartPoint Point(const State& state) const;
  /// Of this rank's particles at the end of the last step, which the scheme's are not in a frame.
  MomentVelocities VelocitiesNow(const State& state) const {
    return FindMomentVelocities(setup_, LastLength(), solve_.forces, solve_.inverse_masses,
                                state.particles);
  }
  /// Describes the state and the last step, over all ranks.
  Observables Observe(const State& state) const;
  /// How well the last step's contact problem was solved, over all ranks.
  SolveReport Report() const { return ReportOf(setup_, contacts_, solve_); }
  /// Of the last step, over all ranks, if it was to be measured.
  const std::optional<SolveError>& ErrorOfSolve() const { return solve_error_; }
  /// The last step in which a wall seemed to jam grains of several ranks, which ends no run; −1:
  /// none (jam_detector.hpp). Over all ranks.
  std::int64_t SuspectedJam() const { return setup_.communicator.Max(jam_watch_.Suspected()); }

  /// This rank's part of the last step's energy; zeros if it was not booked.
  const EnergyBalance& Energy() const { return books_.energy; }
  /// Of each of Contacts() in the last step, if it was to be found [J].
  const std::vector<double>& Dissipation() const { return books_.dissipation; }
  /// This rank's part of the last step's contacts and their solution, every contact on one rank;
  /// all but Contacts are copies.
  ContactSpan Contacts() const { return contacts_.treated.All(); }
  /// The contacts' bodies after the particles.
  const std::vector<WallBody>& WallBodies() const { return contacts_.wall_bodies; }
  /// Where the walls were in the last step.
  std::span<const WallPose> PosesOfWalls() const { return contacts_.walls; }
  const ContactBatches& Problem() const { return solve_.batches; }  // mirrors last
  std::vector<Vec3> Impulses() const { return ImpulsesOf(contacts_, solve_); }
  /// The contacts of this rank in the last step for others; those that touched without being active
  /// are among them, with no impulse, if the step kept them (TimeStep::KeepTouching).
  /// @param particles  as a MotionWatcher has seen them in that step
  std::vector<ContactRecord> ContactRecords(const Particles& particles) const;
  /// The contact problem of the last step, which kept its guess (TimeStep::KeepGuess), at root;
  /// elsewhere empty. Over all ranks.
  /// @param particles  as a MotionWatcher has seen them in that step
  ProblemRecord Record(const Particles& particles) const;
  /// What the additional laws add to these, as cohesion does [N s]; empty: nothing.
  std::vector<Vec3> ImpulsesOfLaws() const { return LawImpulsesOf(contacts_, solve_); }

  /// What forces beside weight and contacts gave the owned particles in the last step [N s]; empty:
  /// none acted.
  std::span<const Vec3> BodyImpulses() const { return solve_.forces.impulses; }

  /// The simulated region as it is now.
  const Domain& DomainNow() const { return setup_.scene.domain; }
  /// The same as the last step began, where a cell deforms.
  const Domain& CellBefore() const { return solve_.cell.DomainBefore(); }
  /// Stress of the cell in the last step, as CellDrive has it [Pa]; zeros without one.
  CellComponents CellStress() const { return solve_.cell.Stress(); }

  const Subdomains& Partition() const { return setup_.subdomains; }
  /// Of all particles that there are or will be.
  const RadiusRange& Radii() const { return setup_.radii; }
  /// Up to which contacts touch [m].
  double TouchingGap() const {
    return GapOfTouching(setup_.radii.smallest * InscribedOverMember(setup_.scene));
  }
  const PhaseTimer& Timer() const { return timer_; }
  std::int64_t Rebuilds() const { return rebuilds_; }
  /// Whether the next step begins with new lists.
  bool ListsAreDue(const State& state) const {
    return scree::ListsAreDue(setup_, state.step, lists_);
  }

  /// Base steps done after the next step.
  /// @param until  the caller's next moment, in base steps
  std::int64_t EndOfNext(const State& state, std::int64_t until = kNoEvent) const {
    if (!setup_.pace.is_automatic) return state.step + 1;
    return state.step + StrideTo(setup_.scene, setup_.base, state.step, pace_.next, until);
  }
  /// Base steps that the last step took, and its length [s].
  std::int64_t Stride() const { return setup_.stride; }
  double Length() const { return setup_.parameters.dt; }
  /// Of the step on whose way the velocities are means; 0: none is done, they are of the moment.
  double LastLength() const { return pace_.done > 0 ? Length() : 0.0; }
  /// Sweeps of a short step, as they are planned now.
  int PlannedSweeps() const { return setup_.sweeps; }
  /// Steps done since the start of the run, of whatever length.
  std::int64_t StepsDone() const { return pace_.done; }

  /// How often the subdomains were cut anew in the run.
  std::int64_t Rebalances() const { return balance_.moves; }
  /// Of the last step, over all ranks.
  LoadImbalance Imbalance(const State& state) const {
    return MeasureImbalance(setup_, state.particles, lists_, contacts_, solve_.report.sweeps);
  }
  /// The same by places, of this rank; and what these cuts would be for any number of ranks.
  std::vector<WorkItem> Work(const State& state) const {
    return WorkOfStep(setup_, state.particles, lists_, contacts_, solve_.report.sweeps);
  }
  Bisection CutFor(int ranks, std::vector<WorkItem> work, const std::vector<Cut>& before) const {
    return BisectWork(setup_, ranks, std::move(work), before);
  }

  /// By this rank in all solves; what it sent in whole steps is the communicator's to tell.
  const Traffic& SentInSweeps() const { return solve_.sent; }
  /// Ranks with which this one exchanges ghosts.
  int Neighbors() const;
  /// What this rank's arrays hold after the last step.
  MemoryReport Memory(const State& state) const;

 protected:
  CellObservables ObserveCell(const State& state) const;
  explicit StepView(StepSetup setup) : setup_(std::move(setup)) {}

  StepSetup setup_;
  CandidateLists lists_;   // made anew when something has moved too far
  StepContacts contacts_;  // of the last step
  bool keeps_touching_ = false;
  std::optional<StepContacts> touching_;  // of the last step, if they are kept, active or not
  StepSolve solve_{setup_};               // of the last step
  bool keeps_solve_error_ = false;
  std::optional<SolveError> solve_error_;
  StepProjection projection_;
  WarmStart warm_start_;   // what the contacts of the next step remember of it
  StepDiagnostics books_;  // of the last step, and of the interval
  JamDetector jam_watch_;
  LoadBalanceState balance_;
  AdaptiveStepState pace_;
  AutomaticSweepsState sweeps_;
  std::int64_t rebuilds_ = 0;
  PhaseTimer timer_;
};

}  // namespace scree
