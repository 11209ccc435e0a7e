/// \file  All averages that a run was asked for, and when each of them looks.
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

/// One average. Fields have a frame at the steps first, first + every, ... up to last; flows count
/// what happens in all steps after first, last included.
struct AverageSpec {
  std::string name;
  std::variant<FieldGrid, FlowPlane> of;
  std::int64_t first = 0;
  std::int64_t last = 0;
  std::int64_t every = 1;           // ≥ 1; of flows 1
  std::size_t kinds = 1;            // fields: of particles that have means of their own
  std::int64_t frames_per_row = 0;  // of a time series, of flows steps; 0: one mean over all

  bool IsFlow() const { return std::holds_alternative<FlowPlane>(of); }
};

/// Of one rank, or of all after SumOverRanks: plain data, one entry per average. A checkpoint that
/// stores it has all that the averages need to go on.
using AverageSums = std::variant<FieldSums, FlowSeries>;

class Averages {
 public:
  /// @param scene  must outlive this
  Averages(const Scene& scene, double dt, std::vector<AverageSpec> specs);

  /// Adds the state after a step, or at step 0, to the fields that have a frame there.
  /// @param cell  the domain as it is, of a cell that deforms; else null
  void AddState(std::int64_t step, const Particles& particles, const Domain* cell = nullptr);

  /// Whether a field has its next frame after this step, for which it needs the step's contacts.
  bool WantsContacts(std::int64_t step) const;

  /// Adds the contacts of a step to the fields that have a frame after it; to be called before
  /// AddState, see AddContacts of field_average for when.
  /// @param step        number of steps done, this one included
  /// @param closed_gap  up to which a contact is closed [m]
  /// @param stride      of them, done as one step
  /// @param cell        the domain as the step began, of a cell that deforms; else null
  void AddContacts(std::int64_t step, const Particles& particles,
                   std::span<const ContactRecord> contacts, double closed_gap,
                   std::int64_t stride = 1, const Domain* cell = nullptr);

  /// Adds what crossed in a step; see AddCrossings for when to call it.
  /// @param step    number of steps done, this one included
  /// @param stride  of them, done as one step
  void AddMotion(std::int64_t step, const Particles& particles, std::int64_t stride = 1);

  /// The first step after this one at which an average begins, ends or has a frame; kNoEvent: none.
  std::int64_t NextEvent(std::int64_t step) const;

  /// Goes on from sums of an earlier run, one per spec and of its kind.
  void Restore(std::vector<AverageSums> sums);

  bool Empty() const { return specs_.empty(); }
  const Scene& OfScene() const { return scene_; }
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
