/// \file  Read access to the data of the last step and of the steps before.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "engine/contacts/bond_clusters.hpp"
#include "engine/contacts/warm_start.hpp"
#include "engine/observation/contact_records.hpp"
#include "engine/observation/energy_balance.hpp"
#include "engine/observation/memory_report.hpp"
#include "engine/observation/observables.hpp"
#include "engine/observation/problem_record.hpp"
#include "engine/particles/position_corrections.hpp"
#include "engine/ranks/phase_timer.hpp"
#include "engine/step/candidate_lists.hpp"
#include "engine/step/jam_detector.hpp"
#include "engine/step/load_balance.hpp"
#include "engine/step/moment_velocities.hpp"
#include "engine/step/restart_point.hpp"
#include "engine/step/solve_error.hpp"
#include "engine/step/state.hpp"
#include "engine/step/step_bonds.hpp"
#include "engine/step/step_contacts.hpp"
#include "engine/step/step_diagnostics.hpp"
#include "engine/step/step_projection.hpp"
#include "engine/step/step_setup.hpp"
#include "engine/step/step_solve.hpp"

namespace scree {

/// When steps search for all touching contacts by an additional detection. With kOnRead the
/// particles are copied, and the search is done when the contacts are read.
enum class TouchingSearch { kNone, kInStep, kOnRead };

/// The data of a time step, one member per stage, which StepView reads and TimeStep changes. Calls
/// "over all ranks" are collective.
class StepView {
 public:
  /// The data from which a later TimeStep can continue, over all ranks.
  RestartPoint Point(const State& state) const;
  /// Velocities of this rank's particles at the end of the last step. In a rotating frame they
  /// differ from the velocities of the scheme.
  InstantaneousVelocities VelocitiesNow(const State& state) const {
    return FindInstantaneousVelocities(setup_, LastLength(), solve_.forces, solve_.inverse_masses,
                                       state.particles);
  }
  /// Describes the state and the last step, over all ranks.
  Observables Observe(const State& state) const;
  /// Accuracy of the solution of the last step's contact problem, over all ranks.
  SolveReport Report() const { return ReportOf(setup_, contacts_, solve_); }
  /// Error of the solve of the last step, over all ranks, if it was measured.
  const std::optional<SolveError>& ErrorOfSolve() const { return solve_error_; }
  /// The last step in which a wall seemed to jam particles of several ranks; −1: none
  /// (jam_detector.hpp). Such a jam does not end the run. Over all ranks.
  std::int64_t SuspectedJam() const { return setup_.communicator.Max(jam_detector_.Suspected()); }

  /// This rank's part of the energy balance of the last step; zeros if it was not recorded.
  const EnergyBalance& Energy() const { return diagnostics_.energy; }
  /// Energy that each of Contacts() dissipated in the last step, if it was recorded [J].
  const std::vector<double>& Dissipation() const { return diagnostics_.dissipation; }
  /// This rank's contacts of the last step, each contact on one rank. Impulses() and
  /// ImpulsesOfLaws() copy their solution.
  ContactSpan Contacts() const { return contacts_.owned.All(); }
  /// Bonds of this rank, intact and broken, each on one rank.
  std::span<const Bond> Bonds() const { return bonds_.table.HomeBonds(); }
  /// Numbers of bonds, over all ranks.
  BondCounts CountBonds() const;
  /// Energies of damage bonds, over all ranks.
  BondEnergies EnergiesOfBonds() const;
  /// Clusters of bonded particles, over all ranks.
  BondClusters Clusters(const State& state) const {
    return FindClusters(setup_.communicator, state.particles, bonds_.table.HomeBonds(),
                        bonds_.table.GuestBonds());
  }
  /// The bodies of walls in the contacts. Their indices follow the indices of the particles.
  const std::vector<WallBody>& WallBodies() const { return contacts_.wall_bodies; }
  /// Poses of the walls in the last step.
  std::span<const WallPose> WallPosesOfStep() const { return contacts_.walls; }
  /// The solved contacts: owned contacts, then ghost contacts.
  const ContactBatches& Problem() const { return solve_.batches; }
  /// λ of Contacts() [N s].
  std::vector<Vec3> Impulses() const { return ImpulsesOf(contacts_, solve_); }
  /// How far the local particles moved in the last step besides dt v'.
  PositionCorrections Corrections() const {
    return {projection_.positions.Displacements(), solve_.impact_order.Shifts()};
  }
  /// The contacts of this rank in the last step, for output. If the step kept touching contacts
  /// (TimeStep::KeepTouching), inactive contacts are included, with impulse zero.
  /// @param particles  as passed to a MotionWatcher in that step
  std::vector<ContactRecord> ContactRecords(const Particles& particles) const;
  /// The contact problem of the last step, at root; empty on other ranks. Over all ranks.
  /// @pre that step kept its starting impulses (TimeStep::KeepStartingImpulses)
  /// @param particles  as passed to a MotionWatcher in that step
  ProblemRecord Record(const Particles& particles) const;
  /// Impulses of the additional laws, such as cohesion, in addition to Impulses() [N s]; empty:
  /// none.
  std::vector<Vec3> ImpulsesOfLaws() const { return LawImpulsesOf(contacts_, solve_); }

  /// Impulses that the owned particles got in the last step from forces other than weight and
  /// contacts [N s]; empty: no such force acted.
  std::span<const Vec3> BodyImpulses() const { return solve_.forces.impulses; }

  /// The present domain; scenes with a cell deform it.
  const Domain& DomainNow() const { return setup_.scene.domain; }
  /// In scenes with a cell the present domain, and the domain at the beginning of the last step;
  /// else null.
  const Domain* CellNow() const { return setup_.deforming_scene ? &DomainNow() : nullptr; }
  const Domain* CellBefore() const {
    return setup_.deforming_scene ? &solve_.cell.DomainBefore() : nullptr;
  }
  /// Stress of the cell in the last step, with the signs of CellDrive [Pa]; zeros without a cell.
  CellComponents CellStress() const { return solve_.cell.Stress(); }

  const Subdomains& Partition() const { return setup_.subdomains; }
  const RadiusRange& Radii() const { return setup_.radii; }
  /// Largest gap of touching contacts [m].
  double TouchingGap() const { return GapOfTouching(setup_.radii.smallest_ball); }
  const PhaseTimer& Timer() const { return timer_; }
  std::int64_t Rebuilds() const { return rebuilds_; }
  /// Whether the next step starts with new lists.
  bool AreListsDue(const State& state) const {
    return scree::AreListsDue(setup_, state.step, lists_);
  }

  /// Number of base steps done after the next step.
  /// @param until  the next time that the caller requires, in base steps
  std::int64_t EndOfNextStep(const State& state, std::int64_t until = kNoEvent) const {
    if (!setup_.limits.is_automatic) return state.step + 1;
    return state.step +
           StrideTo(setup_.scene, setup_.limits, state.step, adaptive_.next_stride, until);
  }
  /// Number of base steps of the last step.
  std::int64_t Stride() const { return setup_.stride; }
  /// Length of the last step [s].
  double Length() const { return setup_.parameters.dt; }
  /// Length of the step over which the velocities are means [s]; 0 before the first step, when
  /// velocities belong to the present time.
  double LastLength() const { return adaptive_.steps_done > 0 ? Length() : 0.0; }
  /// Planned number of sweeps of a short step.
  int PlannedSweeps() const { return setup_.sweeps; }
  /// Number of steps of any length since the start of the run.
  std::int64_t StepsDone() const { return adaptive_.steps_done; }

  std::int64_t Rebalances() const { return balance_.rebalances; }
  /// Load imbalance of the last step, over all ranks.
  LoadImbalance Imbalance(const State& state) const {
    return MeasureImbalance(setup_, state.particles, lists_, contacts_, solve_.report.sweeps);
  }
  /// The work of this rank in the last step, as items at positions.
  std::vector<WorkItem> Work(const State& state) const {
    return WorkOfStep(setup_, state.particles, lists_, contacts_, solve_.report.sweeps);
  }
  /// Cuts for this work on any number of ranks. Collective.
  Bisection BisectionFor(int ranks, std::vector<WorkItem> work,
                         const std::vector<Cut>& old_cuts) const {
    return BisectWork(setup_, ranks, std::move(work), old_cuts);
  }

  /// Traffic sent by this rank in all velocity solves. Communicator::Sent() counts whole steps.
  const Traffic& SweepTraffic() const { return solve_.sent; }
  /// Number of ranks with which this rank exchanges ghosts.
  int Neighbors() const;
  /// Memory of this rank's arrays after the last step.
  MemoryReport Memory(const State& state) const;

 protected:
  CellObservables ObserveCell(const State& state) const;
  /// All touching contacts of the last step; null if they are not kept.
  const StepContacts* Touching() const;
  /// Finds all touching contacts, active or not.
  /// @param particles  at the beginning of the last step, with ghosts
  StepContacts FindTouchingContacts(const Particles& particles) const;
  explicit StepView(StepSetup setup) : setup_(std::move(setup)) {}

  StepSetup setup_;
  CandidateLists lists_;   // rebuilt when particles or walls have moved too far
  StepContacts contacts_;  // of the last step
  TouchingSearch touching_search_ = TouchingSearch::kNone;
  std::optional<Particles> particles_before_;  // at the last step's beginning, for a search on read
  mutable std::optional<StepContacts> touching_;  // of the last step, if kept
  StepSolve solve_{setup_};                       // of the last step
  bool keeps_solve_error_ = false;
  std::optional<SolveError> solve_error_;
  StepProjection projection_;
  WarmStart warm_start_;  // stored impulses for the next step
  StepBonds bonds_;
  StepDiagnostics diagnostics_;  // of the last step, and of the interval
  JamDetector jam_detector_;
  LoadBalanceState balance_;
  AdaptiveStepState adaptive_;
  AutomaticSweepsState sweeps_;
  std::int64_t rebuilds_ = 0;
  PhaseTimer timer_;
};

}  // namespace scree
