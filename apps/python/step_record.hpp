/// \file  Records the steps of a call from Python: contacts, loads of walls, averages.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "apps/python/bindings.hpp"
#include "engine/observation/averages.hpp"
#include "engine/observation/problem_record.hpp"
#include "engine/observation/wall_loads.hpp"
#include "engine/step/simulation.hpp"
#include "solvers/base/exact_sum.hpp"

namespace scree::python {

/// Observes the steps of a simulation.
class StepRecord {
 public:
  /// The results so far, which a saved state of the simulation includes.
  struct Results {
    std::vector<ExactSum> impulses = {};  // sums for each wall, on this rank [N s], [N m s]
    double duration = 0.0;                // of the steps of this call [s]
    std::vector<WallLoad> loads = {};     // see WallLoads()
    bool is_last = false;                 // whether the recorded step is the last of its call
    Particles last_particles = {};    // of the last step, in the order to which its contacts refer
    double last_dt = 0.0;             // length of the last step [s]
    std::int64_t recorded_step = -1;  // step count after the last recorded step; -1: none
    std::vector<AverageSums> sums = {};  // of the averages; only in saved states
  };

  /// @param simulation  must outlive this record
  StepRecord(Simulation& simulation, std::vector<AverageSpec> averages);

  Results Save() const;
  void Restore(Results results);
  /// Drops all results, after the simulation has restarted.
  void Reset();
  /// Resets the sums for the steps of a new call. Collective, like these steps.
  void BeginCall();
  /// Sets whether the last step of each call measures the error of its solve.
  void MeasureSolves(bool enabled) { measures_solve_ = enabled; }
  /// When a call from Python ends: after a number of steps, or at a base step.
  struct CallLimit {
    std::int64_t steps = 0;  // steps left, including this one; 0: as many as it takes to `end_step`
    std::int64_t end_step = kNoEvent;  // base steps since the start of the simulation
  };
  /// Runs one step by calling `step`, and records it.
  template <class Step>
  void RecordStep(const CallLimit& limit, Step&& step) {
    Prepare(limit);
    step();
    Complete();
  }

  /// The contacts of the last step, as arrays by name. Each contact is on the rank that owns it.
  /// @throws InputError if the last call failed
  py::dict Contacts() const;
  /// The contact problem of the last step, at root; empty on other ranks. Collective.
  /// @throws InputError as Contacts does; also before the first step, and if a contact problem
  ///         cannot describe a feature of the scene
  ProblemRecord Problem() const;
  /// Mean load of each wall over the steps of the last call, over all ranks; NaN before the first
  /// call and after a failed one. Equal impulses give equal bits on any number of ranks.
  const std::vector<WallLoad>& WallLoads() const { return results_.loads; }
  /// The name of each average that has data, and the text that scree-run would write to the file of
  /// this average. Collective.
  std::vector<std::pair<std::string, std::string>> AverageTexts() const;

 private:
  void RequireLastStepDone(const char* action) const;
  void Prepare(const CallLimit& limit);
  void Complete();
  void AfterParticlesMoved(const Particles& particles);
  void AddWallImpulses(const Particles& particles);
  void FindWallLoads();

  Simulation& simulation_;
  Averages averages_;
  bool measures_solve_ = false;
  Results results_;
};

}  // namespace scree::python
