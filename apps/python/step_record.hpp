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
  struct Known {
    std::vector<ExactSum> impulses = {};  // sums for each wall, on this rank [N s], [N m s]
    double span = 0.0;                    // duration of the steps of this call [s]
    std::vector<WallLoad> loads = {};     // WallLoads
    bool is_last = false;                 // whether the step is the last of its call
    Particles seen = {};  // particles of the last step, in the order to which its contacts refer
    double length = 0.0;  // length of the last step [s]
    std::int64_t seen_at = -1;           // steps done at that time
    std::vector<AverageSums> sums = {};  // only in saved states
  };

  /// @param simulation  must outlive this record
  StepRecord(Simulation& simulation, std::vector<AverageSpec> averages);

  Known Save() const;
  void Restore(Known known);
  /// Drops all results, after the simulation has restarted.
  void Reset();
  /// Resets the sums for the steps of a new call. Collective, like these steps.
  void Begin();
  /// Sets whether the last step of each call measures the error of its solve.
  void MeasureSolves(bool enabled) { measures_ = enabled; }
  /// Where a call ends.
  struct End {
    std::int64_t steps =
        0;  // steps left, including this one; 0: as many as required to reach `until`
    std::int64_t until = kNoEvent;  // base steps since the start
  };
  /// Runs one step by calling `step`, and records it.
  template <class Step>
  void Take(const End& end, Step&& step) {
    Prepare(end);
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
  /// call. Equal impulses give equal bits on any number of ranks.
  const std::vector<WallLoad>& WallLoads() const { return known_.loads; }
  /// Names of the averages that have a frame, each with the text that scree-run would write to its
  /// file. Collective.
  std::vector<std::pair<std::string, std::string>> AverageTexts() const;

 private:
  void RequireSeen(const char* what) const;
  void Prepare(const End& end);
  void Complete();
  void AfterParticlesMoved(const Particles& particles);
  void AddWallImpulses(const Particles& particles);
  void FindWallLoads();

  Simulation& simulation_;
  Averages averages_;
  bool measures_ = false;
  Known known_;
};

}  // namespace scree::python
