#include "tests/support/routh_by_steps.hpp"

#include <algorithm>
#include <cmath>

namespace scree::test {

SteppedImpact RouthBySteps(const impact::RouthProblem& p, int steps) {
  SteppedImpact impact{0.0, 0.0, p.s, p.c};
  const auto advance = [&](double normal) {
    const double limit = p.mu * normal;
    const double tangential = std::clamp(-(impact.s + p.epsilon * normal) / p.alpha, -limit, limit);
    impact.normal += normal;
    impact.tangential += tangential;
    impact.s += p.epsilon * normal + p.alpha * tangential;
    impact.c += p.gamma * normal + p.epsilon * tangential;
  };
  const double step = -p.c / (p.gamma * steps);
  SteppedImpact start = impact;
  while (impact.c < 0.0) {
    start = impact;
    advance(step);
  }
  // c reaches zero within the last step.
  const double fraction = start.c / (start.c - impact.c);
  impact = start;
  advance(fraction * step);

  const double restitution_impulse = p.restitution * impact.normal;
  const int restitution_steps = static_cast<int>(std::ceil(restitution_impulse / step));
  for (int i = 0; i < restitution_steps; ++i) advance(restitution_impulse / restitution_steps);
  return impact;
}

}  // namespace scree::test
