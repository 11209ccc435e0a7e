#include "apps/single/models/rebounds.hpp"

#include <cmath>

namespace scree::impact {

std::vector<Rebound> SimulateRebounds(const SteppedImpactSetup& setup, int count,
                                      NextImpactVelocity next_velocity) {
  const ImpactRunner runner(setup);
  std::vector<Rebound> rebounds;
  double v_in = setup.v_in, v_exact = setup.v_in;
  for (int i = 0; i < count; ++i) {
    const SteppedImpact run = runner.RunToRelease(v_in);
    v_exact = std::abs(HuntCrossleyImpact(setup.model, v_exact).OutboundVelocity());
    const HuntCrossleyImpact exact(setup.model, v_in);
    rebounds.push_back(
        {v_in, run.OutboundVelocity(), -v_exact, run.Steps(), Deviations(exact, run)});
    v_in = std::abs(next_velocity == NextImpactVelocity::kPredicted ? run.predicted_velocity
                                                                    : run.OutboundVelocity());
  }
  return rebounds;
}

}  // namespace scree::impact
