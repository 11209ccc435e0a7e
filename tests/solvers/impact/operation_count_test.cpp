// Counting scalars: every kind of operation is counted once, and the values stay right.
#include "solvers/impact/operation_count.hpp"

#include <gtest/gtest.h>

namespace scree::impact::operation_count_test {
namespace {

using C = CountedScalar;

template <class Function>
OperationCount Count(Function function) {
  Operations() = {};
  function();
  return Operations();
}

TEST(OperationCount, NamedOperandsAreRead) {
  const C a(3.0), b(4.0);
  const OperationCount count = Count([&] { static_cast<void>(a + b * a); });
  EXPECT_EQ(count.reads, 3);
  EXPECT_EQ(count.writes, 0);
  EXPECT_EQ(count.additions, 1);
  EXPECT_EQ(count.multiplications, 1);
}

TEST(OperationCount, NamesAreWrittenAndResultsAreFree) {
  const C a(3.0);
  C b(0.0);
  const OperationCount count = Count([&] {
    const C c = a / 2.0 - 1.0;
    b = c;
  });
  EXPECT_EQ(b.Value(), 0.5);
  EXPECT_EQ(count.writes, 2);
  EXPECT_EQ(count.reads, 2);
  EXPECT_EQ(count.divisions, 1);
  EXPECT_EQ(count.additions, 1);
}

TEST(OperationCount, EveryKindHasItsCounter) {
  const C a(2.0);
  const OperationCount count = Count([&] {
    EXPECT_EQ((-a).value, -2.0);
    EXPECT_EQ(Half(a).value, 1.0);
    EXPECT_EQ(Twice(a * a).value, 8.0);
    EXPECT_EQ(pow(a, 3.0).value, 8.0);
    EXPECT_EQ(exp(a - a).value, 1.0);
    EXPECT_EQ(log(a / a).value, 0.0);
    EXPECT_EQ(abs(1.0 - a).value, 1.0);
    EXPECT_TRUE(a > 1.0);
    EXPECT_FALSE(a <= 1.0);
  });
  EXPECT_EQ(count.additions, 3);
  EXPECT_EQ(count.shifts, 2);
  EXPECT_EQ(count.multiplications, 1);
  EXPECT_EQ(count.divisions, 1);
  EXPECT_EQ(count.powers, 2);
  EXPECT_EQ(count.logarithms, 1);
  EXPECT_EQ(count.comparisons, 3);
  EXPECT_EQ(count.Arithmetic(), 13);
  EXPECT_EQ(count.Total(), 13 + count.reads + count.writes);
}

}  // namespace
}  // namespace scree::impact::operation_count_test
