// Chains of a hundred impacts: table III, with and without the prediction handed on.
#include "solvers/impact/rebounds.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "solvers/base/check.hpp"

namespace scree::impact::rebounds_test {
namespace {

constexpr int kImpacts = 100;
constexpr double kDigits = 0.0005;  // half a unit of the last printed digit, in percent

SteppedImpactSetup LowDissipation() { return {.model = {0.01, 1e7, 0.01, 1.3}, .v_in = 0.5}; }
SteppedImpactSetup HardImpact() { return {.model = {0.01, 1e9, 0.5, 1.5}, .v_in = 1.0}; }

struct ChainError {
  double accumulated = 0.0;  // percent
  double greatest = 0.0;     // deviation of the energy, release included, percent
};

ChainError Chain(SteppedImpactSetup setup, ImpactMethod method,
                 HandedOn handed_on = HandedOn::kOutbound) {
  setup.method = method;
  const std::vector<Rebound> rebounds = SimulateRebounds(setup, kImpacts, handed_on);
  ChainError error{100.0 * rebounds.back().EnergyError(), 0.0};
  for (const Rebound& rebound : rebounds) {
    const ClosedFormDeviations& d = rebound.deviations;
    error.greatest = std::max({error.greatest, 100.0 * d.energy, 100.0 * d.release_energy});
  }
  return error;
}

void Expect(const ChainError& found, double accumulated, double greatest) {
  EXPECT_NEAR(found.accumulated, accumulated, 1.1 * kDigits);
  EXPECT_NEAR(found.greatest, greatest, 1.1 * kDigits);
}

TEST(Rebounds, TableIIIa) {
  Expect(Chain(LowDissipation(), ImpactMethod::kAdamsMoulton), 12.022, 72.962);
  Expect(Chain(LowDissipation(), ImpactMethod::kVerlet), 10.059, 72.107);
  Expect(Chain(LowDissipation(), ImpactMethod::kHeun), 9.417, 75.728);
  Expect(Chain(LowDissipation(), ImpactMethod::kRungeKutta4), -0.907, 14.466);
}

TEST(Rebounds, TableIIIb) {
  // The paper has 24.285 and 69.156 for Adams-Moulton: its Newton iteration stops early.
  Expect(Chain(HardImpact(), ImpactMethod::kAdamsMoulton), 24.297, 69.154);
  Expect(Chain(HardImpact(), ImpactMethod::kVerlet), 15.780, 43.966);
  Expect(Chain(HardImpact(), ImpactMethod::kHeun), 0.246, 51.740);
  Expect(Chain(HardImpact(), ImpactMethod::kRungeKutta4), -2.153, 6.255);
}

TEST(Rebounds, PrintedHeunHandsThePredictionOn) {
  Expect(Chain(LowDissipation(), ImpactMethod::kHeun, HandedOn::kPredicted), 147.036, 63.043);
  Expect(Chain(HardImpact(), ImpactMethod::kHeun, HandedOn::kPredicted), 946.600, 27.418);
}

TEST(Rebounds, CorrectedChainsStayOnTheExactOne) {
  SteppedImpactSetup low = LowDissipation(), hard = HardImpact();
  for (SteppedImpactSetup* setup : {&low, &hard}) setup->hybrid = setup->constrain_outbound = true;
  for (const ImpactMethod method : kImpactMethods) {
    SCOPED_TRACE(Name(method));
    EXPECT_LT(std::abs(Chain(low, method).accumulated), 1e-7);
    EXPECT_NEAR(Chain(hard, method).accumulated, 0.001, kDigits);
  }
}

TEST(Rebounds, OversampledRungeKuttaIsTheReference) {
  SteppedImpactSetup low = LowDissipation(), hard = HardImpact();
  low.oversampling = hard.oversampling = 16;
  Expect(Chain(low, ImpactMethod::kRungeKutta4), -0.0014, 0.0240);
  Expect(Chain(hard, ImpactMethod::kRungeKutta4), -0.0015, 0.0060);
}

TEST(Rebounds, EachImpactBeginsWhereTheLastEnded) {
  const std::vector<Rebound> rebounds = SimulateRebounds(HardImpact(), 5);
  ASSERT_EQ(rebounds.size(), 5u);
  EXPECT_EQ(rebounds[0].v_in, 1.0);
  for (std::size_t i = 1; i < 5; ++i) {
    EXPECT_EQ(rebounds[i].v_in, std::abs(rebounds[i - 1].v_out));
    EXPECT_EQ(
        rebounds[i].v_reference,
        HuntCrossleyImpact(HardImpact().model, -rebounds[i - 1].v_reference).OutboundVelocity());
    EXPECT_GE(rebounds[i].steps, rebounds[i - 1].steps) << "slower impacts last longer";
  }
}

TEST(Rebounds, LongChainsGetTheTimeTheyNeed) {
  // Slow impacts on a spring of α = 4 last far longer than the first one.
  SteppedImpactSetup setup = {.model = {0.01, 1e15, 1.0, 4.0}, .v_in = 1.0};
  const std::vector<Rebound> rebounds = SimulateRebounds(setup, 3000);
  EXPECT_GT(rebounds.back().steps, 20 * rebounds.front().steps);
}

TEST(Rebounds, ImpactThatDoesNotEndIsAnError) {
  SteppedImpactSetup setup = HardImpact();
  setup.duration = 1e-4;
  EXPECT_THROW(SimulateRebounds(setup, 2), SimulationError);
}

}  // namespace
}  // namespace scree::impact::rebounds_test
