/// \file  One step of the engine: start reading here.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "engine/communicator.hpp"
#include "engine/contact_detection.hpp"
#include "engine/halo.hpp"
#include "engine/neighbor_list.hpp"
#include "engine/observables.hpp"
#include "engine/particles.hpp"
#include "engine/phase_timer.hpp"
#include "engine/scene.hpp"
#include "engine/step_parameters.hpp"
#include "engine/subdomains.hpp"
#include "solvers/contact_batches.hpp"
#include "solvers/contact_problem.hpp"
#include "solvers/solve_report.hpp"

namespace scree {

/// What the next step depends on, apart from the scene and the parameters. Everything else that
/// TimeStep holds can be made again from it.
struct State {
  Particles particles;        // this rank's; ghosts are the step's business
  std::int64_t step = 0;      // steps done
  std::int64_t inserted = 0;  // by this rank since the start
  std::int64_t deleted = 0;   // by this rank since the start
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

  /// Does one step.
  /// @param watcher  called once, if there is one
  /// @throws SimulationError on all ranks if particles are lost
  void Advance(State& state, const MotionWatcher& watcher = {});

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

  /// This rank's part of the last step's problem and solution; Problem and Solution are copies.
  const std::vector<DetectedContact>& Contacts() const { return contacts_; }
  ContactProblem Problem() const;
  ContactSolution Solution() const;

 private:
  void Rebuild(State& state);
  double SkinFor(const Particles& particles) const;
  void DemandNoneMissing(const State& state) const;
  bool RebuildIsDue(const State& state) const;

  const Communicator& communicator_;
  const Scene& scene_;
  StepParameters parameters_;
  Subdomains subdomains_;
  ParticipationRule rule_;
  double largest_radius_ = 0.0;    // of all particles that there are or will be [m]
  double skin_ = 0.0;              // least skin of the neighbour list [m]
  double correction_speed_ = 0.0;  // cap of the error reduction [m/s]
  std::int64_t balance_ = 0;       // particles - inserted + deleted, constant during the run

  // Scratch, made again at every rebuild or step.
  bool rebuild_due_ = true;
  Halo halo_;
  NeighborList neighbors_;
  std::vector<double> inverse_masses_;
  std::vector<DetectedContact> contacts_;
  std::vector<SphereBody> bodies_;
  ContactBatches batches_;

  double max_penetration_ = 0.0;  // of this rank in this interval [m]
  std::int64_t rebuilds_ = 0;
  PhaseTimer timer_;
};

}  // namespace scree
