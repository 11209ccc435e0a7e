/// \file  One step of the engine: start reading here.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "engine/contacts/contact_counts.hpp"
#include "engine/contacts/contact_detection.hpp"
#include "engine/contacts/restitution.hpp"
#include "engine/contacts/wall_bodies.hpp"
#include "engine/contacts/warm_start.hpp"
#include "engine/lists/neighbor_list.hpp"
#include "engine/observation/energy_book.hpp"
#include "engine/observation/memory_report.hpp"
#include "engine/observation/observables.hpp"
#include "engine/observation/wall_loads.hpp"
#include "engine/particles/particles.hpp"
#include "engine/ranks/communicator.hpp"
#include "engine/ranks/displacement_exchange.hpp"
#include "engine/ranks/halo.hpp"
#include "engine/ranks/phase_timer.hpp"
#include "engine/ranks/subdomains.hpp"
#include "engine/ranks/velocity_exchange.hpp"
#include "engine/scene/scene.hpp"
#include "engine/scene/step_parameters.hpp"
#include "engine/scene/wall_motion.hpp"
#include "engine/step/restart_point.hpp"
#include "solvers/block_jacobi.hpp"
#include "solvers/contact_batches.hpp"
#include "solvers/contact_problem.hpp"
#include "solvers/solve_report.hpp"

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
};

/// Looks at the particles in the middle of a step: after they have moved, before any leaves or
/// appears. Ghosts are there too.
using MotionWatcher = std::function<void(const Particles&)>;

/// Advances a state. Every public call is collective over the communicator.
class TimeStep {
 public:
  /// @param state  may be distributed over the ranks in any way; particles beyond an outflow face
  /// are
  ///               deleted
  /// @throws InputError if the particles do not fit the subdomains
  /// @throws SimulationError if a particle lies outside the domain
  TimeStep(const Communicator& communicator, const Scene& scene, const StepParameters& parameters,
           const Subdomains& subdomains, State& state);

  /// Goes on where another one was when it gave this point, with the same bits if every rank has
  /// the particles that it had then.
  /// @param state  as it was then, owned particles only; if the point is Redistributed, in any
  /// order
  ///               on any ranks and without gone particles
  TimeStep(const Communicator& communicator, const Scene& scene, const StepParameters& parameters,
           const Subdomains& subdomains, State& state, const RestartPoint& point);

  /// What a later one needs to go on from here.
  RestartPoint Point(const State& state) const;

  /// Does one step. Its one reduction also tells every rank what any of them asks for.
  /// @param watcher  called once, if there is one
  /// @param request  the caller's, in numbers of its own
  /// @returns the greatest request of all ranks
  /// @throws SimulationError on all ranks if the state is no longer valid
  /// (engine/step/validity.hpp)
  std::int64_t Advance(State& state, const MotionWatcher& watcher = {}, std::int64_t request = 0);

  /// Whether the steps from now on keep the book of their energy.
  void KeepEnergyBook(bool yes) { keeps_energy_ = yes; }
  /// This rank's part of the last step's book; zeros if none was kept.
  const EnergyBook& Energy() const { return energy_; }

  /// Whether the steps from now on find the loads of the walls.
  void KeepWallLoads(bool yes) {
    keeps_wall_loads_ = yes;
    wall_loads_.assign(yes ? scene_.walls.size() : 0, {});
  }

  /// Describes the state and the last step, over all ranks.
  Observables Observe(const State& state) const;
  /// Begins a new interval for Observables::max_penetration_interval.
  void StartInterval() { max_penetration_ = 0.0; }
  /// How well the last step's contact problem was solved, over all ranks.
  SolveReport Report() const;

  const Subdomains& Partition() const { return subdomains_; }
  const PhaseTimer& Timer() const { return timer_; }
  /// Books time spent outside the step.
  void BookOther() { timer_.Mark(Phase::kOther); }
  std::int64_t Rebuilds() const { return rebuilds_; }
  /// By this rank in all solves; what it sent in whole steps is the communicator's to tell.
  const Traffic& SentInSweeps() const { return sent_in_sweeps_; }
  /// Ranks with which this one exchanges ghosts.
  int Neighbors() const;
  /// What this rank's arrays hold after the last step.
  MemoryReport Memory(const State& state) const;

  /// This rank's part of the last step's problem and solution, every contact on one rank; all but
  /// Contacts are copies.
  const std::vector<DetectedContact>& Contacts() const { return contacts_; }
  /// The contacts' bodies after the particles.
  const std::vector<WallBody>& WallBodies() const { return wall_bodies_; }
  ContactProblem Problem() const;
  ContactSolution Solution() const;
  std::vector<Vec3> Impulses() const;
  std::vector<Vec3> RollingImpulses() const;  // L of solvers/rolling.hpp; empty: nothing resists

 private:
  TimeStep(const Communicator& communicator, const Scene& scene, const StepParameters& parameters,
           const Subdomains& subdomains, const State& state, const RadiusRange& radii);
  void Assemble(const Particles& particles, const WarmStart* warm_start);
  void Solve(const Particles& particles);
  void Project(const Particles& particles, double deepest);
  void Rebuild(State& state);
  void BuildLists(Particles& particles, std::int64_t step, const ListReach& reach);
  void RestoreList(State& state, const RestartPoint& point);
  void DemandNoneMissing(const State& state) const;
  void DemandValid(const State& state) const;
  std::int64_t Agree(const State& state, std::int64_t request, const std::string& invalid);

  const Communicator& communicator_;
  const Scene& scene_;
  StepParameters parameters_;
  Subdomains subdomains_;
  Restitution restitution_;
  ParticipationRule rule_;
  RadiusRange radii_;              // of all particles that there are or will be
  double correction_speed_ = 0.0;  // cap of the error reduction [m/s]
  ProjectionParameters projection_parameters_;
  bool rolls_ = false;        // some pair of materials resists rolling
  std::int64_t balance_ = 0;  // particles - inserted + deleted, constant during the run

  // Scratch, made again at every rebuild or step.
  bool rebuild_due_ = true;
  Halo halo_;
  NeighborList neighbors_;
  std::int64_t list_step_ = 0;  // steps done when it was built
  Particles spare_;
  SizeClasses classes_;
  std::vector<WallPose> walls_;        // at the step, or the next one
  std::vector<WallBody> wall_bodies_;  // of contacts_
  DetectionBuffers detection_;
  std::vector<double> inverse_masses_;
  std::vector<DetectedContact> contacts_;  // that this rank treats
  std::vector<DetectedContact> mirrors_;   // with Jacobi: of its particles, but others treat them
  std::vector<std::uint8_t> shared_;       // marks of local particles (shared_contacts)
  std::size_t shared_contacts_ = 0;        // of contacts_, those in front that touch a shared one
  std::vector<DetectedContact> spare_contacts_;
  ContactCounts counts_;
  std::vector<SphereBody> bodies_;
  ContactBatches batches_;      // contacts_, then mirrors_
  std::vector<Index> impacts_;  // of contacts_, those that have to rebound
  std::vector<std::int64_t> keys_;
  JacobiScratch jacobi_;
  VelocityBuffers buffers_;
  PositionProjection projection_;
  DisplacementBuffers displacement_buffers_;
  SolveReport solved_;  // without residuals
  WarmStart warm_start_;

  bool keeps_energy_ = false;
  EnergyBook energy_;             // of this rank, last step
  std::vector<SphereBody> mean_;  // bodies at their mean velocities, only for the book

  bool keeps_wall_loads_ = false;
  std::vector<WallLoad> wall_loads_;  // of this rank, last step

  double max_penetration_ = 0.0;  // of this rank in this interval [m]
  std::int64_t rebuilds_ = 0;
  Traffic sent_in_sweeps_;
  PhaseTimer timer_;
};

}  // namespace scree
