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
    Particles seen = {};               // in the last step of a call, as contacts count them
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
  /// Begins what is of one call. Collective, as are its steps.
  void Begin();
  /// Whether the last step of each call measures the error of its solve.
  void MeasureSolves(bool yes) { measures_ = yes; }
  /// Where a call ends.
  struct End {
    std::int64_t steps = 0;         // that are left, this one included; 0: as many as `until` needs
    std::int64_t until = kNoEvent;  // base steps since the start
  };
  /// Does one step by this function and takes it in.
  template <class Step>
  void Take(const End& end, Step&& step) {
    Prepare(end);
    step();
    Complete();
  }

  /// Of the last step, each on the rank that treated it: arrays by their names.
  /// @throws InputError if the last call did not end
  py::dict Contacts() const;
  /// The contact problem of the last step, at root; elsewhere empty. Collective.
  /// @throws InputError as Contacts, before the first step, or if the scene has features that a
  /// problem cannot describe
  ProblemRecord Problem() const;
  /// Mean load of each wall in the steps of the last call, over all ranks, with the same bits on
  /// any number of them that found the same impulses; NaN before the first.
  const std::vector<WallLoad>& WallLoads() const { return known_.loads; }
  /// The tables of the averages that have a frame, as files of scree-run. Collective.
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
