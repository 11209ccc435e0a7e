#include "tests/support/routh_by_steps.hpp"

#include <algorithm>
#include <cmath>

namespace scree::test {

SteppedImpact RouthBySteps(const impact::RouthProblem& p, int steps) {
  SteppedImpact at{0.0, 0.0, p.s, p.c};
  const auto advance = [&](double normal) {
    const double limit = p.mu * normal;
    const double tangential = std::clamp(-(at.s + p.epsilon * normal) / p.alpha, -limit, limit);
    at.normal += normal;
    at.tangential += tangential;
    at.s += p.epsilon * normal + p.alpha * tangential;
    at.c += p.gamma * normal + p.epsilon * tangential;
  };
  const double step = -p.c / (p.gamma * steps);
  SteppedImpact before = at;
  while (at.c < 0.0) {
    before = at;
    advance(step);
  }
  // c reaches zero within the last step.
  const double part = before.c / (before.c - at.c);
  at = before;
  advance(part * step);

  const double restitution = p.restitution * at.normal;
  const int remaining = static_cast<int>(std::ceil(restitution / step));
  for (int i = 0; i < remaining; ++i) advance(restitution / remaining);
  return at;
}

}  // namespace scree::test
