#include "solvers/base/exact_sum.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace scree::exact_sum_test {
namespace {

TEST(ExactSum, SumDoesNotDependOnOrderOrGrouping) {
  std::mt19937_64 engine(7);
  std::uniform_real_distribution<double> mantissa(-1.0, 1.0), exponent(-60.0, 20.0);
  std::vector<double> terms(1000);
  for (double& term : terms) term = mantissa(engine) * std::exp2(std::round(exponent(engine)));
  ExactSum total;
  for (const double term : terms) total.Add(term);
  std::ranges::shuffle(terms, engine);
  ExactSum first, second;
  for (std::size_t k = 0; k < terms.size(); ++k) (k % 3 == 0 ? first : second).Add(terms[k]);
  for (std::size_t k = 0; k < first.Digits().size(); ++k) first.Digits()[k] += second.Digits()[k];
  EXPECT_EQ(total.Value(), first.Value());
}

TEST(ExactSum, SumKeepsDigitsThatRoundingWouldLose) {
  ExactSum sum;
  for (const double term : {1e18, 1.0, 3e-20, -1e18, -1.0}) sum.Add(term);
  EXPECT_DOUBLE_EQ(sum.Value(), 3e-20);
}

TEST(ExactSum, TermsOutOfRangeGiveNaN) {
  for (const double term : {std::nan(""), HUGE_VAL, -1e30}) {
    ExactSum sum;
    sum.Add(1.0);
    sum.Add(term);
    EXPECT_TRUE(std::isnan(sum.Value())) << term;
  }
}

}  // namespace
}  // namespace scree::exact_sum_test
