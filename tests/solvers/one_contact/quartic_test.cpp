// Real roots on an interval, and zeros of trigonometric polynomials for which closed formulas fail.
#include "solvers/one_contact/quartic.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "tests/support/seed.hpp"

namespace scree::quartic_test {
namespace {

constexpr double kRelative = 1e-14;   // simple, well-separated roots: several rounding errors
constexpr double kDoubleRoot = 1e-7;  // a double root has half of the digits
constexpr double kPi = 3.14159265358979323846;

Quartic FromRoots(const std::vector<double>& roots, double factor) {
  Quartic g = {factor, 0.0, 0.0, 0.0, 0.0};
  for (const double root : roots) {
    for (std::size_t k = 4; k > 0; --k) g[k] = g[k - 1] - root * g[k];
    g[0] *= -root;
  }
  return g;
}

std::vector<double> Sorted(const RootList<4>& roots) {
  std::vector<double> sorted(roots.begin(), roots.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

void ExpectRoots(const Quartic& g, double length, const std::vector<double>& expected,
                 double tolerance) {
  const std::vector<double> roots_found = Sorted(RootsInInterval(g, length));
  ASSERT_EQ(roots_found.size(), expected.size());
  for (std::size_t i = 0; i < roots_found.size(); ++i) {
    EXPECT_NEAR(roots_found[i], expected[i], tolerance * std::max(std::abs(expected[i]), 1e-300));
  }
}

TEST(Quartic, RootsInTheIntervalAreFoundWithAllDigits) {
  Quartic almost_quadratic = FromRoots({0.25, 0.5}, 1.0);
  almost_quadratic[4] = 1e-18;
  almost_quadratic[3] = -1e-17;
  const struct {
    const char* name;
    Quartic g;
    double length;
    std::vector<double> roots;
    double tolerance;
  } cases[] = {
      {"four", FromRoots({0.1, 0.35, 0.6, 0.95}, 3.0), 1.0, {0.1, 0.35, 0.6, 0.95}, 1e-13},
      {"one inside", FromRoots({-0.5, 0.25, 0.75, 1.5}, -1.0), 0.5, {0.25}, kRelative},
      {"none inside", FromRoots({-0.5, -0.25, 1.75, 1.5}, -1.0), 1.0, {}, kRelative},
      {"the start, not the end", FromRoots({0.0, 0.5}, 1.0), 0.5, {0.0}, kRelative},
      {"tiny", FromRoots({1e-300, 0.5, -0.3, 2.0}, 1.0), 1.0, {1e-300, 0.5}, kRelative},
      {"small", FromRoots({1e-9, 3e-9}, 1.0), 1.0, {1e-9, 3e-9}, 1e-13},
      {"quadratic", FromRoots({0.25, 0.5}, 1.0), 1.0, {0.25, 0.5}, kRelative},
      {"almost quadratic", almost_quadratic, 1.0, {0.25, 0.5}, kRelative},
      {"linear", {-0.5, 2.0, 0.0, 0.0, 0.0}, 1.0, {0.25}, kRelative},
      {"constant", {1.0, 0.0, 0.0, 0.0, 0.0}, 1.0, {}, kRelative},
      {"zero", {0.0, 0.0, 0.0, 0.0, 0.0}, 1.0, {}, kRelative},
      {"near", FromRoots({0.3, 0.3 + 1e-5, 2.0, -1.0}, 1.0), 1.0, {0.3, 0.3 + 1e-5}, 1e-10},
  };
  for (const auto& [name, g, length, roots, tolerance] : cases) {
    SCOPED_TRACE(name);
    ExpectRoots(g, length, roots, tolerance);
  }
}

TEST(Quartic, DoubleRootIsFound) {
  const std::vector<double> roots_found =
      Sorted(RootsInInterval(FromRoots({0.3, 0.3, -1.0}, 1.0), 1.0));
  ASSERT_GE(roots_found.size(), 1u);
  for (const double root : roots_found) EXPECT_NEAR(root, 0.3, kDoubleRoot);
}

TEST(Quartic, MinimumJustAboveZeroIsNotARoot) {
  Quartic g = FromRoots({0.3, 0.3, -1.0, 2.0}, -1.0);
  g[0] += 1e-9;  // (τ − 0.3)² (τ + 1)(2 − τ) + 1e-9 > 0
  ExpectRoots(g, 1.0, {}, kRelative);
}

TEST(Quartic, RootsDoNotDependOnTheScaleOfTheCoefficients) {
  for (const double factor : {1e-150, 1e-12, 1e12, 1e150}) {
    ExpectRoots(FromRoots({0.125, 0.5, 0.75, -3.0}, factor), 1.0, {0.125, 0.5, 0.75}, 1e-13);
  }
}

TEST(Quartic, RandomRootsAreAllFound) {
  std::mt19937_64 engine(test::SeedOf(11));
  std::uniform_real_distribution<double> uniform(-1.0, 2.0);
  for (int trial = 0; trial < 20000; ++trial) {
    std::vector<double> roots;
    for (int i = 0; i < 4; ++i) roots.push_back(uniform(engine));
    std::sort(roots.begin(), roots.end());
    bool are_separated = true;
    for (std::size_t i = 1; i < 4; ++i)
      are_separated = are_separated && roots[i] - roots[i - 1] > 1e-3;
    if (!are_separated) continue;
    std::vector<double> inside_interval;
    for (const double root : roots) {
      if (root >= 0.0 && root < 1.0) inside_interval.push_back(root);
    }
    const std::vector<double> roots_found = Sorted(RootsInInterval(FromRoots(roots, 1.0), 1.0));
    ASSERT_EQ(roots_found.size(), inside_interval.size());
    for (std::size_t i = 0; i < roots_found.size(); ++i)
      ASSERT_NEAR(roots_found[i], inside_interval[i], 1e-8);
  }
}

double Trigonometric(double alpha, const std::array<double, 5>& c) {
  return c[0] + c[1] * std::cos(alpha) + c[2] * std::sin(alpha) + c[3] * std::cos(2.0 * alpha) +
         c[4] * std::sin(2.0 * alpha);
}

TEST(UnitCircleRoots, SimpleAndDoubleRootsAreFound) {
  // cos α = 0; −1 + cos α = 0 with a double root; 1 + cos α = 0 with a double root at α = π,
  // where u = tan(α/2) is infinite.
  EXPECT_EQ(UnitCircleRoots(0.0, 1.0, 0.0, 0.0, 0.0).count, 2);
  for (const double alpha : UnitCircleRoots(-1.0, 1.0, 0.0, 0.0, 0.0))
    EXPECT_NEAR(alpha, 0.0, 1e-7);
  const RootList<8> root_at_pi = UnitCircleRoots(1.0, 1.0, 0.0, 0.0, 0.0);
  ASSERT_GE(root_at_pi.count, 1);
  for (const double alpha : root_at_pi) EXPECT_NEAR(std::abs(alpha), kPi, 1e-7);
  EXPECT_EQ(UnitCircleRoots(2.0, 1.0, 0.0, 0.0, 0.0).count, 0);
  EXPECT_EQ(UnitCircleRoots(0.0, 0.0, 0.0, 0.0, 1.0).count, 4);  // sin 2α
}

TEST(UnitCircleRoots, RootsAgreeWithASignScan) {
  std::mt19937_64 engine(test::SeedOf(12));
  std::normal_distribution<double> normal;
  constexpr int kSamples = 4000;
  for (int trial = 0; trial < 300; ++trial) {
    std::array<double, 5> c;
    for (double& value : c) value = normal(engine);
    const RootList<8> roots = UnitCircleRoots(c[0], c[1], c[2], c[3], c[4]);
    for (const double alpha : roots) EXPECT_NEAR(Trigonometric(alpha, c), 0.0, 1e-13);
    int sign_changes = 0;
    for (int i = 0; i < kSamples; ++i) {
      const double first_value = Trigonometric(2.0 * kPi * i / kSamples, c);
      const double last_value = Trigonometric(2.0 * kPi * (i + 1) / kSamples, c);
      if ((first_value < 0.0) != (last_value < 0.0)) ++sign_changes;
    }
    EXPECT_EQ(roots.count, sign_changes);
  }
}

}  // namespace
}  // namespace scree::quartic_test
