#include "engine/contacts/activation_rule.hpp"

#include "engine/contacts/restitution.hpp"

namespace scree {

ActivationRule MakeActivationRule(const Scene& scene, const StepParameters& parameters,
                                  double smallest_radius, bool rebounds) {
  ActivationRule rule;
  rule.dt = parameters.dt;
  rule.speculative = parameters.speculative;
  rule.threshold = parameters.contact_threshold >= 0.0 ? parameters.contact_threshold
                                                       : ClosedGap(smallest_radius);
  // Touching bodies that turn about each other move along the tangent, so they separate at the end
  // of a step. If they attract each other, they may stay together.
  const bool may_pull = scene.materials.ActiveLaws()[kLawIndex<CohesionLaw>];
  if (rebounds && !may_pull) rule.max_separation_speed = ReboundThreshold(scene, parameters.dt);
  if (rebounds) {
    rule.margin = TouchingGap(smallest_radius);
    return rule;
  }
  rule.margin = std::max(5.0 * MaxBodyAcceleration(scene) * parameters.dt * parameters.dt,
                         0.004 * smallest_radius);
  if (PositionSweeps(parameters) > 0) {
    rule.prediction_time = 4.0 * parameters.dt;
    rule.max_margin = 0.04 * smallest_radius;
  }
  return rule;
}

ActivationRule WithAttraction(ActivationRule rule, double range) {
  rule.always_active_gap = std::max(rule.always_active_gap, range);
  rule.margin = std::max(rule.margin, range);  // the margin also sets how far the lists reach
  rule.threshold = std::max(rule.threshold, range);
  return rule;
}

ActivationRule WithBonds(ActivationRule rule, double gap, double smallest_radius) {
  constexpr double kOpening = 0.02;  // fraction of a radius; sweeps leave bonds open by far less
  rule = WithAttraction(rule, gap);
  rule.margin = std::max(rule.margin, gap + kOpening * smallest_radius);
  return rule;
}

}  // namespace scree
