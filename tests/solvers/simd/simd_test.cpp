#include "solvers/simd/simd.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace scree::simd_test {
namespace {

TEST(Simd, InverseSqrtIsAccurateOverTheWholeRange) {
  for (double x = 1e-300; x < 1e300; x *= 1.37) {
    EXPECT_NEAR(InverseSqrt(x) * std::sqrt(x), 1.0, 4.0 * std::numeric_limits<double>::epsilon());
  }
  EXPECT_TRUE(std::isfinite(InverseSqrt(0.0)));
}

TEST(Simd, EightLanesGiveTheBitsOfScalarCode) {
  Double8 a, b, c;
  for (int lane = 0; lane < kLanes; ++lane) {
    a[lane] = 1.0 / (lane + 3);
    b[lane] = std::exp(0.7 * lane);
    c[lane] = -0.1 * lane;
  }
  const Double8 fma = Fma(a, b, c), fms = Fms(a, b, c), fnma = Fnma(a, b, c);
  const Double8 root = InverseSqrt(b);
  const Double8 selected = Select(a > b * 0.1, a, c);
  for (int lane = 0; lane < kLanes; ++lane) {
    EXPECT_EQ(fma[lane], Fma(a[lane], b[lane], c[lane]));
    EXPECT_EQ(fms[lane], Fms(a[lane], b[lane], c[lane]));
    EXPECT_EQ(fnma[lane], Fnma(a[lane], b[lane], c[lane]));
    EXPECT_EQ(root[lane], InverseSqrt(b[lane]));
    EXPECT_EQ(selected[lane], Select(a[lane] > b[lane] * 0.1, a[lane], c[lane]));
  }
}

TEST(Simd, EqualMaskFindsTheNumberInEachLane) {
  const std::int32_t numbers[] = {7, -2, 7, 0, 5, -2, 3, 7, 9, 7};
  EXPECT_EQ(EqualMask(7, numbers), 0b10000101u);
  EXPECT_EQ(EqualMask(7, numbers + 1), 0b01000010u);  // not aligned
  EXPECT_EQ(EqualMask(-2, numbers), 0b00100010u);
  EXPECT_EQ(EqualMask(4, numbers + 2), 0u);
}

TEST(Simd, LinesAreTransposedBothWays) {
  alignas(64) double memory[kLanes][8];
  for (int line = 0; line < kLanes; ++line) {
    for (int entry = 0; entry < 8; ++entry) memory[line][entry] = 10.0 * line + entry;
  }
  const int order[kLanes] = {5, 0, 7, 2, 1, 6, 3, 4};
  double* lines[kLanes];
  for (int lane = 0; lane < kLanes; ++lane) lines[lane] = memory[order[lane]];
  const double* const constant[kLanes] = {lines[0], lines[1], lines[2], lines[3],
                                          lines[4], lines[5], lines[6], lines[7]};
  Fields8 fields = LoadLines(constant);
  for (int entry = 0; entry < 8; ++entry) {
    for (int lane = 0; lane < kLanes; ++lane) {
      EXPECT_EQ(fields.field[entry][lane], 10.0 * order[lane] + entry);
    }
    fields.field[entry] += 100.0 * entry;
  }
  StoreLines(fields, lines);
  for (int line = 0; line < kLanes; ++line) {
    for (int entry = 0; entry < 8; ++entry) {
      EXPECT_EQ(memory[line][entry], 10.0 * line + 101.0 * entry);
    }
  }
}

}  // namespace
}  // namespace scree::simd_test
