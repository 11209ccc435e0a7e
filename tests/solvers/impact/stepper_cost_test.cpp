// Table IV: what is counted, against a count by hand of the printed formulas.
#include "solvers/impact/stepper_cost.hpp"

#include <gtest/gtest.h>

namespace scree::impact::stepper_cost_test {
namespace {

/// Additions, multiplications, divisions, shifts, powers, comparisons.
void Expect(const OperationCount& count, int add, int mul, int div, int shift, int power,
            int compare) {
  EXPECT_EQ(count.additions, add);
  EXPECT_EQ(count.multiplications, mul);
  EXPECT_EQ(count.divisions, div);
  EXPECT_EQ(count.shifts, shift);
  EXPECT_EQ(count.powers, power);
  EXPECT_EQ(count.comparisons, compare);
}

TEST(StepperCost, VerletByHand) {
  // x + h v + h²/2 f/m; v + h/2 f/m; f_e − k x^α (1 + μ v); v + h/2 f/m
  Expect(CountStep(ImpactMethod::kVerlet).step, 2 + 1 + 2 + 1, 3 + 1 + 3 + 1, 3, 3, 1, 1);
}

TEST(StepperCost, HeunByHand) {
  // v + h f/m; x + h/2 (v + ṽ); f_e − k x^α (1 + μ ṽ); v + h/2 (f + f')/m
  Expect(CountStep(ImpactMethod::kHeun).step, 1 + 2 + 2 + 2, 1 + 1 + 3 + 1, 2, 2, 1, 1);
}

TEST(StepperCost, RungeKuttaByHand) {
  // k: h f/m; l: h v, h (v + k/2) twice, h (v + k); arguments; sums with their doubled terms
  Expect(CountStep(ImpactMethod::kRungeKutta4).step, 3 + 6 + 8 + 4 * 2, 4 + 4 + 4 * 3, 4 + 2,
         2 + 4 + 4, 4, 4);
}

TEST(StepperCost, AdamsMoultonByHand) {
  const StepCost cost = CountStep(ImpactMethod::kAdamsMoulton);
  // known part: x + h v + c f, v + d f; result: x + c f, v + d f
  Expect(cost.step, 5, 5, 0, 0, 0, 0);
  EXPECT_EQ(cost.iteration.powers, 1);
  EXPECT_EQ(cost.iteration.divisions, 2);
}

TEST(StepperCost, OnlyTheImplicitMethodIterates) {
  for (const ImpactMethod method : kImpactMethods) {
    EXPECT_EQ(CountStep(method).iteration.Total() > 0, method == ImpactMethod::kAdamsMoulton);
  }
}

TEST(StepperCost, TwoIterationsCostAsMuchAsRungeKutta) {
  // The paper's remark, in its totals and in ours.
  const StepCost implicit = CountStep(ImpactMethod::kAdamsMoulton);
  const int two = implicit.step.Arithmetic() + 2 * implicit.iteration.Arithmetic();
  EXPECT_NEAR(two, CountStep(ImpactMethod::kRungeKutta4).step.Arithmetic(), 7);
}

TEST(StepperCost, CorrectionsByHand) {
  Expect(CountHybridCorrection(), 6, 7, 3, 0, 1, 1);
  EXPECT_EQ(CountHybridCorrection().logarithms, 1);
  Expect(CountOutboundConstraint(), 6, 6, 1, 1, 1, 1);
  Expect(CountOutboundRootStep(), 4, 3, 1, 0, 0, 1);
  EXPECT_EQ(CountOutboundRootStep().logarithms, 1);
}

}  // namespace
}  // namespace scree::impact::stepper_cost_test
