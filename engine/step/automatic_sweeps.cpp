#include "engine/step/automatic_sweeps.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace scree {
namespace {

/// Of a measured step, less the scatter from step to step: below it no sweeps are saved.
constexpr double kCloseEnough = 0.7;
/// Errors of single steps scatter, and too few sweeps cost more than too many.
constexpr double kMaxSweepGrowth = 2.0, kMaxSweepDecline = 0.8;
/// A measurement costs ten steps, so that these come to one per cent in long runs.
constexpr std::int64_t kMaxSweepInterval = kStepsPerMeasurement;

}  // namespace

bool AreSweepsDue(const StepParameters& parameters, std::int64_t step,
                  const AutomaticSweepsState& state) {
  return parameters.automatic_sweeps && step >= state.measure_at;
}

double ErrorOverAllowed(const StepParameters& parameters, const SolveError& error) {
  const double accuracy = parameters.accuracy > 0.0 ? parameters.accuracy : kAccuracy;
  const double of_forces =
      parameters.force_accuracy > 0.0 ? parameters.force_accuracy : 5.0 * accuracy;
  const double load = std::reduce(error.loads.begin(), error.loads.end());
  const double load_error = std::reduce(error.load_errors.begin(), error.load_errors.end());
  const double of_walls = load > 0.0 ? std::sqrt(load_error / load) : 0.0;
  return std::max({std::abs(error.OfNormalMean()) / accuracy, of_walls / accuracy,
                   std::abs(error.OfNormalRms()) / of_forces, error.OfImpulses() / of_forces});
}

void AdaptSweeps(const StepParameters& parameters, const SolveError& error,
                 AutomaticSweepsState& state) {
  state.interval = std::min(2 * state.interval, kMaxSweepInterval);
  state.measure_at += state.interval;
  if (!(error.squared > 0.0)) return;  // no contact carried anything
  const double excess = ErrorOverAllowed(parameters, error);
  if (excess >= kCloseEnough && excess <= 1.0) return;
  // Sweeps with momentum reduce the error of flows by k^-1 to k^-1.5 (solvers/performance.md).
  const double factor =
      std::clamp(std::sqrt(excess * std::sqrt(excess)), kMaxSweepDecline, kMaxSweepGrowth);
  const auto most = std::int64_t{std::max(parameters.solver.max_sweeps, 1)};
  state.sweeps = std::clamp(std::llround(factor * static_cast<double>(state.sweeps)),
                            static_cast<long long>(std::min(kMinAutomaticSweeps, most)),
                            static_cast<long long>(most));
}

}  // namespace scree
