#include "engine/step/automatic_sweeps.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace scree {
namespace {

/// If the ratio of the error to the allowed error is between this value and 1, the number of sweeps
/// is kept, because the error scatters from step to step.
constexpr double kKeptRatio = 0.7;
/// The number of sweeps changes at most by these factors at a time. Errors of single steps scatter,
/// and too few sweeps cost more than too many, so the number falls more slowly than it grows.
constexpr double kMaxSweepGrowth = 2.0, kMaxSweepDecline = 0.8;
/// Below this ratio of the error to the allowed error, sweeps are halved: such a small error means
/// that a load has been removed.
constexpr double kHalvingRatio = 0.1;
/// More sweeps are not worth their cost if doubling them leaves more than this fraction of the
/// error, unless force_accuracy is given.
constexpr double kWorthDoubling = 0.7;
/// A measurement costs as much as ten steps. At this interval, the largest, measurements take one
/// per cent of the time.
constexpr std::int64_t kMaxSweepInterval = kStepsPerMeasurement;

/// A step of few contacts does at least this number of relaxations, which take no longer than its
/// other work. No measurement before a sudden load shows that they will be needed.
constexpr std::int64_t kCheapRelaxations = 500;

constexpr std::int64_t kFirstInterval = AutomaticSweepsState().interval;
/// Measurements stay frequent while sweeps are added and the error exceeds the allowed error by
/// this factor. Errors of single steps scatter by less.
constexpr double kUnsettledRatio = 1.5;
/// Changes by these factors make measurements frequent again.
constexpr double kErrorChange = 3.0, kForceChange = 2.0, kContactChange = 1.5;

/// Whether two values differ by more than this factor. A change between zero and another value
/// counts as a change.
bool HasChanged(double before, double after, double factor) {
  return after > factor * before || before > factor * after;
}

std::int64_t MinSweeps(const ContactLoads& loads, std::int64_t max) {
  const std::int64_t cheap = loads.loaded > 0 ? kCheapRelaxations / loads.loaded : 0;
  return std::min(std::clamp(cheap, kMinAutomaticSweeps, kMaxAutomaticSweeps), max);
}

/// Bins of forces, four for each power of two.
constexpr int kBins = 640, kZeroBin = 480;

}  // namespace

ContactLoads FindContactLoads(const Communicator& communicator, const ContactSpan& contacts,
                              const ContactBatches& batches, double dt) {
  std::array<std::int64_t, kBins> counts = {};
  for (std::size_t j = 0; j < contacts.size(); ++j) {
    const double force = batches.Impulse(j).dot(contacts[j].normal) / dt;
    if (!(force > 0.0)) continue;
    const double square = std::min(force * force, 1e20);
    const int bin = std::clamp(std::ilogb(square * square) + kZeroBin, 0, kBins - 1);
    ++counts[static_cast<std::size_t>(bin)];
  }
  communicator.Sum(counts);
  ContactLoads loads = {.loaded = std::reduce(counts.begin(), counts.end())};
  std::int64_t below = 0;
  for (int bin = 0; bin < kBins && loads.loaded > 0; ++bin) {
    below += counts[static_cast<std::size_t>(bin)];
    if (2 * below < loads.loaded) continue;
    loads.median_force = std::exp2(0.25 * (bin - kZeroBin));
    break;
  }
  return loads;
}

void CheckLoads(const ContactLoads& loads, std::int64_t step, AutomaticSweepsState& state) {
  const bool has_changed = HasChanged(state.median_force, loads.median_force, kForceChange) ||
                           HasChanged(static_cast<double>(state.loaded),
                                      static_cast<double>(loads.loaded), kContactChange);
  if (!has_changed) return;
  state.interval = kFirstInterval;
  state.measure_at = std::min(state.measure_at, step + 1);
}

bool IsMeasurementDue(const StepParameters& parameters, std::int64_t step,
                      const AutomaticSweepsState& state) {
  return parameters.automatic_sweeps && step >= state.measure_at;
}

double MaxErrorRatio(const StepParameters& parameters, const SolveError& error) {
  const double accuracy = parameters.accuracy > 0.0 ? parameters.accuracy : kAccuracy;
  const double force_accuracy =
      parameters.force_accuracy > 0.0 ? parameters.force_accuracy : 5.0 * accuracy;
  const double load = std::reduce(error.squared_loads.begin(), error.squared_loads.end());
  const double load_error =
      std::reduce(error.squared_load_errors.begin(), error.squared_load_errors.end());
  const double wall_error = load > 0.0 ? std::sqrt(load_error / load) : 0.0;
  return std::max({std::abs(error.NormalMeanError()) / accuracy, wall_error / accuracy,
                   error.StressError() / accuracy,
                   std::abs(error.NormalRmsError()) / force_accuracy,
                   error.ImpulseError() / force_accuracy});
}

void AdaptSweeps(const StepParameters& parameters, const SolveError& error, std::int64_t step,
                 const ContactLoads& loads, AutomaticSweepsState& state) {
  const double ratio_before = state.error_ratio;
  const std::int64_t sweeps_before = state.sweeps;
  state.loaded = loads.loaded;
  state.median_force = loads.median_force;
  state.error_ratio = error.squared_impulses > 0.0 ? MaxErrorRatio(parameters, error) : 0.0;
  const std::int64_t max = MaxAutomaticSweeps(parameters);
  const bool has_too_many = state.error_ratio > 0.0 && state.error_ratio < kKeptRatio;
  const bool is_worthwhile =
      parameters.force_accuracy > 0.0 || error.RemainingErrorRatio() < kWorthDoubling;
  if (has_too_many || (state.error_ratio > 1.0 && is_worthwhile)) {
    // With heavy-ball momentum, k sweeps leave errors of flows in proportion to k^-1 to k^-1.5
    // (solvers/performance.md).
    const double decline = state.error_ratio < kHalvingRatio ? 0.5 : kMaxSweepDecline;
    const double factor = std::clamp(std::sqrt(state.error_ratio * std::sqrt(state.error_ratio)),
                                     decline, kMaxSweepGrowth);
    state.sweeps =
        std::min<std::int64_t>(std::llround(factor * static_cast<double>(state.sweeps)), max);
  }
  state.sweeps = std::max(state.sweeps, MinSweeps(loads, max));
  const bool is_unsettled =
      (state.error_ratio > kUnsettledRatio && state.sweeps > sweeps_before) ||
      state.sweeps < static_cast<std::int64_t>(0.75 * static_cast<double>(sweeps_before));
  const bool has_changed = HasChanged(ratio_before, state.error_ratio, kErrorChange);
  state.interval = is_unsettled || has_changed ? kFirstInterval
                                               : std::min(2 * state.interval, kMaxSweepInterval);
  state.measure_at = step + state.interval;
}

}  // namespace scree
