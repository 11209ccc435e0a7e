// Computed values beside printed digits.
#include "apps/printed_value.hpp"

#include <gtest/gtest.h>

#include <string>

namespace scree::printed_value_test {
namespace {

std::string Of(double value, const std::string& text, bool without_sign = false) {
  return Agreement(value, {text, "", without_sign});
}

TEST(PrintedValue, RoundedToTheLastDigit) {
  EXPECT_EQ(Of(0.2545, "0.255"), "rounded");
  EXPECT_EQ(Of(0.25549, "0.255"), "rounded");
  EXPECT_EQ(Of(1.686e-5, "2e-5"), "rounded");
  EXPECT_EQ(Of(-4.69219, "-4.692"), "rounded");
  EXPECT_EQ(Of(0.4104, "0.410"), "rounded") << "a printed zero is a digit";
  EXPECT_EQ(Of(7.0, "7"), "rounded");
}

TEST(PrintedValue, TruncatedAwayFromZero) {
  EXPECT_EQ(Of(0.2559, "0.255"), "truncated");
  EXPECT_EQ(Of(-0.2559, "-0.255"), "truncated");
  EXPECT_EQ(Of(0.256, "0.255"), "no");
}

TEST(PrintedValue, DifferentIsNo) {
  EXPECT_EQ(Of(0.2544, "0.255"), "no");
  EXPECT_EQ(Of(0.416, "0.410"), "no");
  EXPECT_EQ(Of(1.4e-5, "2e-5"), "no");
  EXPECT_EQ(Of(0.255, "-0.255"), "no");
  EXPECT_EQ(Of(6.0, "7"), "no");
}

TEST(PrintedValue, MagnitudesHaveNoSign) {
  EXPECT_EQ(Of(-0.907, "0.907"), "no");
  EXPECT_EQ(Of(-0.907, "0.907", true), "rounded");
}

TEST(PrintedValue, BoundsAndZeros) {
  EXPECT_EQ(Of(-3e-8, "<1e-7"), "below");
  EXPECT_EQ(Of(-3e-7, "<1e-7"), "no");
  EXPECT_EQ(Of(1e-11, "0"), "rounded");
  EXPECT_EQ(Of(0.03, "0"), "no");
  EXPECT_EQ(Of(0.03, ""), "");
}

}  // namespace
}  // namespace scree::printed_value_test
