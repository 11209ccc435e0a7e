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

/// Watches a simulation's steps.
class StepRecord {
 public:
  /// The results so far, which a moment of the simulation includes.
  struct Known {
    std::vector<ExactSum> impulses =
        {};                            // on the walls, six of each, this rank's part [N s], [N m s]
    double span = 0.0;                 // of the steps of this call [s]
    std::vector<WallLoad> loads = {};  // WallLoads
    bool is_last = false;              // the step is the last of its call
    Particles seen = {};               // of the last step, in the order to which its contacts refer
    double length = 0.0;               // of that step [s]
    std::int64_t seen_at = -1;         // steps done then
    std::vector<AverageSums> sums = {};  // only in moments
  };

  /// @param simulation  outlives this
  StepRecord(Simulation& simulation, std::vector<AverageSpec> averages);

  Known Save() const;
  void Restore(Known known);
  /// Forgets all results, after the simulation has begun again.
  void Reset();
  /// Starts the sums over the steps of a new call. Collective, as these steps are.
  void Begin();
  /// Whether the last step of each call measures the error of its solve.
  void MeasureSolves(bool yes) { measures_ = yes; }
  /// Where a call ends.
  struct End {
    std::int64_t steps = 0;         // steps left, including this one; 0: as many as `until` needs
    std::int64_t until = kNoEvent;  // base steps since the start
  };
  /// Does one step by calling `step`, and records it.
  template <class Step>
  void Take(const End& end, Step&& step) {
    Prepare(end);
    step();
    Complete();
  }

  /// The contacts of the last step, as arrays by name. Each contact is on the rank that treated it.
  /// @throws InputError if the last call did not end
  py::dict Contacts() const;
  /// The contact problem of the last step, at root; elsewhere empty. Collective.
  /// @throws InputError as Contacts does; also before the first step, and if the scene has features
  /// that such a problem cannot describe
  ProblemRecord Problem() const;
  /// Mean load of each wall over the steps of the last call, from all ranks; NaN before the first
  /// call. The same impulses give the same bits on any number of ranks.
  const std::vector<WallLoad>& WallLoads() const { return known_.loads; }
  /// Names of the averages that have a frame, with the text of the file that scree-run would write.
  /// Collective.
  std::vector<std::pair<std::string, std::string>> AverageTexts() const;

 private:
  void RequireSeen(const char* what) const;
  void Prepare(const End& end);
  void Complete();
  void Watch(const Particles& particles);
  void AddWallImpulses(const Particles& particles);
  void FindWallLoads();

  Simulation& simulation_;
  Averages averages_;
  bool measures_ = false;
  Known known_;
};

}  // namespace scree::python
