#include "engine/observation/averages.hpp"

#include <algorithm>

#include "engine/observation/contact_records.hpp"
#include "solvers/base/check.hpp"

namespace scree {

Averages::Averages(const Scene& scene, double dt, std::vector<AverageSpec> specs)
    : scene_(scene), dt_(dt), specs_(std::move(specs)) {
  for (const AverageSpec& spec : specs_) {
    SCREE_DEMAND(spec.frame_interval >= 1);
    if (const auto* grid = std::get_if<FieldGrid>(&spec.geometry)) {
      SCREE_DEMAND(spec.kinds == CountKinds(*grid, scene));
      sums_.emplace_back(FieldSums(*grid, spec.kinds));
    } else {
      sums_.emplace_back(FlowSeries(1));
    }
  }
}

bool Averages::HasFrame(const AverageSpec& spec, std::int64_t step) {
  return !spec.IsFlow() && step >= spec.first && step <= spec.last &&
         (step - spec.first) % spec.frame_interval == 0;
}

bool Averages::NeedsContacts(std::int64_t step) const {
  return std::ranges::any_of(specs_,
                             [step](const AverageSpec& spec) { return HasFrame(spec, step); });
}

void Averages::AddContacts(std::int64_t step, const Particles& particles,
                           std::span<const ContactRecord> contacts, double closed_gap,
                           std::int64_t stride, const Domain* cell) {
  for (std::size_t k = 0; k < specs_.size(); ++k) {
    if (!HasFrame(specs_[k], step)) continue;
    scree::AddContacts(std::get<FieldGrid>(specs_[k].geometry), scene_, particles, contacts,
                       dt_ * static_cast<double>(stride), closed_gap, std::get<FieldSums>(sums_[k]),
                       specs_[k].frames_per_row, dt_ * static_cast<double>(step - stride), cell);
  }
}

void Averages::AddState(std::int64_t step, const Particles& particles, const Domain* cell) {
  for (std::size_t k = 0; k < specs_.size(); ++k) {
    const AverageSpec& spec = specs_[k];
    if (!HasFrame(spec, step)) continue;
    AddFrame(std::get<FieldGrid>(spec.geometry), scene_, particles, std::get<FieldSums>(sums_[k]),
             spec.frames_per_row, dt_ * static_cast<double>(step), cell);
  }
}

void Averages::AddMotion(std::int64_t step, const Particles& particles,
                         const PositionCorrections& corrections, std::int64_t stride) {
  for (std::size_t k = 0; k < specs_.size(); ++k) {
    const AverageSpec& spec = specs_[k];
    if (!spec.IsFlow() || step <= spec.first || step > spec.last) continue;
    auto& series = std::get<FlowSeries>(sums_[k]);
    if (spec.frames_per_row > 0 && series.back().steps == spec.frames_per_row) {
      series.emplace_back();
    }
    AddCrossings(std::get<FlowPlane>(spec.geometry), scene_, dt_ * static_cast<double>(stride),
                 particles, corrections, series.back(), dt_ * static_cast<double>(step), stride);
  }
}

std::int64_t Averages::NextEvent(std::int64_t step) const {
  std::int64_t next = kNoEvent;
  for (const AverageSpec& spec : specs_) {
    if (step < spec.first) {
      next = std::min(next, spec.first);
    } else if (step < spec.last) {
      const std::int64_t interval = spec.IsFlow() ? spec.frames_per_row : spec.frame_interval;
      const std::int64_t frame =
          interval > 0 ? spec.first + ((step - spec.first) / interval + 1) * interval : spec.last;
      next = std::min({next, spec.last, frame});
    }
  }
  return next;
}

void Averages::Restore(std::vector<AverageSums> sums) {
  SCREE_DEMAND(sums.size() == sums_.size());
  for (std::size_t k = 0; k < sums.size(); ++k) {
    SCREE_DEMAND(sums[k].index() == sums_[k].index());
  }
  sums_ = std::move(sums);
}

AverageSums SumOverRanks(const Communicator& communicator, const AverageSums& sums) {
  return std::visit(
      [&](const auto& average) -> AverageSums { return SumOverRanks(communicator, average); },
      sums);
}

}  // namespace scree
