/// \file  All averages of a run, and the steps at which they take frames.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "engine/observation/field_average.hpp"
#include "engine/observation/flow_average.hpp"
#include "engine/scene/step_parameters.hpp"

namespace scree {

/// One average. Fields have frames at the steps first, first + frame_interval, ... up to `last`.
/// Flows count crossings in all steps after `first`, up to and including `last`.
struct AverageSpec {
  std::string name;
  std::variant<FieldGrid, FlowPlane> geometry;
  std::int64_t first = 0;
  std::int64_t last = 0;
  std::int64_t frame_interval = 1;  // ≥ 1; 1 for flows
  std::size_t kinds = 1;            // fields: number of particle kinds with separate means
  std::int64_t frames_per_row = 0;  // frames (flows: steps) per row of a time series; 0: one mean

  bool IsFlow() const { return std::holds_alternative<FlowPlane>(geometry); }
};

/// Sums of one average, of one rank or (after SumOverRanks) of all ranks. Checkpoints store these
/// sums.
using AverageSums = std::variant<FieldSums, FlowSeries>;

class Averages {
 public:
  /// @param scene  must outlive this object
  /// @param dt     length of a base step [s]
  Averages(const Scene& scene, double dt, std::vector<AverageSpec> specs);

  /// Adds the state after a step, or at step 0, to the fields that have a frame there.
  /// @param cell  a deforming cell's current domain; else null
  void AddState(std::int64_t step, const Particles& particles, const Domain* cell);

  /// Whether a field has a frame after this step and so needs the step's contacts.
  bool NeedsContacts(std::int64_t step) const;

  /// Adds the contacts of a step to the fields that have a frame after it. Call it before AddState,
  /// in the middle of the step, where MotionWatchers are called (time_step.hpp).
  /// @param step        number of steps done, including this one
  /// @param closed_gap  largest gap of a closed contact [m]
  /// @param stride      number of base steps that this step took
  /// @param cell        a deforming cell's domain at the beginning of the step; else null
  void AddContacts(std::int64_t step, const Particles& particles,
                   std::span<const ContactRecord> contacts, double closed_gap, std::int64_t stride,
                   const Domain* cell);

  /// Adds the crossings of a step to the flows. Call it where MotionWatchers are called, too.
  /// @param step         number of steps done, including this one
  /// @param corrections  of this step (StepView::Corrections)
  /// @param stride       number of base steps that this step took
  void AddMotion(std::int64_t step, const Particles& particles,
                 const PositionCorrections& corrections, std::int64_t stride = 1);

  /// The first step after this one at which an average starts or ends, a field has a frame or a row
  /// of a flow's time series ends; kNoEvent: none.
  std::int64_t NextEvent(std::int64_t step) const;

  /// Replaces the sums by those of an earlier run, one per spec, each of its spec's kind.
  void Restore(std::vector<AverageSums> sums);

  bool IsEmpty() const { return specs_.empty(); }
  const Scene& ObservedScene() const { return scene_; }
  const std::vector<AverageSpec>& Specs() const { return specs_; }
  const std::vector<AverageSums>& Sums() const { return sums_; }

 private:
  static bool HasFrame(const AverageSpec& spec, std::int64_t step);

  const Scene& scene_;
  double dt_;
  std::vector<AverageSpec> specs_;
  std::vector<AverageSums> sums_;  // one per spec
};

/// The sums of all ranks, on every rank. Collective.
AverageSums SumOverRanks(const Communicator& communicator, const AverageSums& sums);

}  // namespace scree
