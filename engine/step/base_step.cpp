#include "engine/step/base_step.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numbers>
#include <string>

#include "engine/step/adaptive_step.hpp"

namespace scree {
namespace {

// The base step is the smallest of these fractions of time scales, rounded to a power of ten.
constexpr double kFractionOfFall = 1e-7;     // of sqrt(r/g)
constexpr double kFractionOfLongest = 4e-6;  // of StepLimits::longest
constexpr double kFractionOfTravel = 1e-5;   // of r/v
// Range of the base step as a fraction of the length of the run.
constexpr double kMaxFractionOfRun = 1e-6, kMinFractionOfRun = 1e-11;
constexpr double kExponentRounding = 1e-9;  // larger than the rounding errors of log10

/// 10 to the power of the rounded exponent. It is parsed from text, such as "1e-7", because
/// std::pow may return other bits.
double PowerOfTen(double exponent) {
  return std::strtod(("1e" + std::to_string(std::lround(exponent))).c_str(), nullptr);
}

double SpeedOf(const Oscillation& oscillation) {
  return 2.0 * std::numbers::pi * oscillation.frequency * oscillation.amplitude.norm();
}

/// The largest speed that the scene gives to walls and new particles [m/s].
double MaxSceneSpeed(const Scene& scene) {
  double speed = 0.0;
  const double diagonal = scene.domain.box.Extent().norm();
  for (const Wall& wall : scene.walls) {
    const MotionTable::Coordinates table_rates =
        wall.table.IsEmpty() ? MotionTable::Coordinates::Zero() : wall.table.MaxRates();
    double wall_speed =
        wall.velocity.norm() + SpeedOf(wall.oscillation) + table_rates.head<3>().norm() +
        diagonal * (wall.rotation.angular_velocity.norm() + std::abs(table_rates[3]));
    for (const TimedMotion& motion : wall.motions) {
      wall_speed += motion.velocity.norm() + SpeedOf(motion.oscillation) +
                    diagonal * motion.angular_velocity.norm();
    }
    speed = std::max(speed, wall_speed);
  }
  const auto include = [&](const GrainTemplate& grain) {
    speed = std::max(speed, grain.velocity.norm() + grain.jitter.norm());
  };
  for (const Fill& fill : scene.fills) include(fill.grain);
  for (const Inflow& inflow : scene.pistons) include(inflow.grain);
  for (const Rain& rain : scene.rains) include(rain.grain);
  return speed;
}

}  // namespace

double ChooseBaseStep(const Scene& scene, bool has_all_sizes, double end) {
  const double finest =
      PowerOfTen(std::ceil(std::log10(kMinFractionOfRun * end) - kExponentRounding));
  if (!has_all_sizes) return finest;
  const StepLimits limits = StepLimitsOfScene(scene, kAccuracy);
  if (!limits.is_automatic) return finest;
  const double scale =
      std::min({kFractionOfFall * limits.fall, kFractionOfLongest * limits.at_start.step,
                kFractionOfTravel * limits.radius / MaxSceneSpeed(scene)});
  if (!(std::isfinite(scale) && scale > 0.0)) return finest;
  const double coarsest =
      PowerOfTen(std::floor(std::log10(kMaxFractionOfRun * end) + kExponentRounding));
  return std::clamp(PowerOfTen(std::round(std::log10(scale))), finest, coarsest);
}

}  // namespace scree
