// Routh's impact: every case of figure 4 of the paper cited in routh.hpp, its mirror image, and
// properties of random cases.
#include "apps/single/models/routh.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "tests/support/csv_rows.hpp"
#include "tests/support/draw.hpp"
#include "tests/support/routh_by_steps.hpp"

namespace scree::impact::routh_test {
namespace {

constexpr int kRandomProblems = 120'000;
// Rounding of a dozen operations; αγ − ε² cancels to a tenth of αγ at |ε| = 0.95 √(αγ).
constexpr double kRounding = 1e-12;

RouthProblem Mirrored(RouthProblem p) {
  p.epsilon = -p.epsilon;
  p.s = -p.s;
  return p;
}

/// Solves the problem and its mirror image, expects the same bits except for signs, and returns the
/// solution.
RouthSolution SolveAndCheckMirrored(const RouthProblem& problem) {
  const RouthSolution x = SolveRouth(problem), y = SolveRouth(Mirrored(problem));
  EXPECT_EQ(x.mode, y.mode);
  EXPECT_EQ(x.normal, y.normal);
  EXPECT_EQ(x.tangential, -y.tangential);
  EXPECT_EQ(x.s, -y.s);
  EXPECT_EQ(x.c, y.c);
  return x;
}

void ExpectMode(const RouthProblem& problem, RouthMode mode, const std::string& path) {
  const RouthSolution solution = SolveAndCheckMirrored(problem);
  EXPECT_EQ(solution.mode, mode) << Name(solution.mode);
  EXPECT_EQ(RouthPath(solution), path);
}

// The initialisers below list alpha, epsilon, gamma, s, c, mu, restitution.

// A disc that hits with spin: α = 3, γ = 1, without coupling of the directions.
TEST(Routh, DiscSlipsDuringTheWholeImpact) {
  const RouthSolution disc = SolveRouth({3.0, 0.0, 1.0, 2.0, -1.0, 0.1, 0.5});
  EXPECT_EQ(disc.mode, RouthMode::kSlip);
  EXPECT_DOUBLE_EQ(disc.normal, 1.5);
  EXPECT_DOUBLE_EQ(disc.tangential, -0.15);
  EXPECT_DOUBLE_EQ(disc.s, 1.55);
  EXPECT_DOUBLE_EQ(disc.c, 0.5);
  EXPECT_DOUBLE_EQ(EnergeticRestitution(disc), 0.5);
}

TEST(Routh, DiscSticksDuringCompression) {
  const RouthSolution disc = SolveRouth({3.0, 0.0, 1.0, 0.6, -1.0, 0.4, 0.5});
  EXPECT_EQ(disc.mode, RouthMode::kStickInCompression);
  EXPECT_DOUBLE_EQ(disc.normal, 1.5);
  EXPECT_DOUBLE_EQ(disc.tangential, -0.2);
  EXPECT_EQ(disc.s, 0.0);
  ASSERT_EQ(disc.corners.size(), 4u);
  EXPECT_DOUBLE_EQ(disc.corners[1].normal, 0.5) << "slip ends";
  EXPECT_DOUBLE_EQ(disc.corners[2].normal, 1.0) << "largest compression";
  EXPECT_TRUE(disc.corners[2].ends_compression);
}

TEST(Routh, EveryCaseOfFigure4AndItsMirrorImageMatch) {
  ExpectMode({3.0, 0.0, 1.0, 2.0, -1.0, 0.1, 0.5}, RouthMode::kSlip, "+|+");
  ExpectMode({3.0, 0.0, 1.0, 0.6, -1.0, 0.4, 0.5}, RouthMode::kStickInCompression, "+K|K");
  ExpectMode({1.0, -0.5, 1.0, 0.2, -1.0, 0.2, 0.5}, RouthMode::kReversalInCompression, "+-|-");
  ExpectMode({3.0, 0.0, 1.0, 1.5, -1.0, 0.4, 0.5}, RouthMode::kStickInRestitution, "+|+K");
  ExpectMode({1.0, -0.5, 1.0, 0.8, -1.0, 0.2, 0.5}, RouthMode::kReversalInRestitution, "+|+-");
}

TEST(Routh, ImpactWithoutInitialSlipIsSolved) {
  ExpectMode({1.0, 0.3, 1.0, 0.0, -1.0, 0.4, 0.5}, RouthMode::kStickFromStart, "K|K");
  ExpectMode({1.0, 0.5, 1.0, 0.0, -1.0, 0.4, 0.5}, RouthMode::kSlipFromStart, "+|+");
}

TEST(Routh, ContactSticksAtTheFrictionLimit) {
  ExpectMode({1.0, 0.5, 1.0, 0.0, -1.0, 0.5, 0.5}, RouthMode::kStickFromStart, "K|K");
}

TEST(Routh, FrictionlessImpactObeysNewtonsLaw) {
  const RouthSolution solution = SolveRouth({2.0, 0.7, 0.5, -1.0, -3.0, 0.0, 0.8});
  EXPECT_EQ(solution.mode, RouthMode::kFrictionless);
  EXPECT_EQ(solution.tangential, 0.0);
  EXPECT_DOUBLE_EQ(solution.c, 2.4);
  EXPECT_DOUBLE_EQ(solution.s, -1.0 + 0.7 * solution.normal);
}

TEST(Routh, FrictionlessImpactNeedsNoTangentialInertia) {
  const RouthProblem problem{0.0, 0.0, 2.0, 0.0, -1.0, 0.0, 0.5};
  EXPECT_STREQ(Defect(problem), "");
  EXPECT_DOUBLE_EQ(SolveRouth(problem).normal, 0.75);
}

TEST(Routh, SeparatingAndGrazingNeedNoImpulse) {
  for (const double c : {1.0, 0.0}) {
    const RouthSolution solution = SolveRouth({1.0, 0.3, 1.0, 0.5, c, 0.2, 0.9});
    EXPECT_EQ(solution.mode, RouthMode::kSeparating);
    EXPECT_EQ(solution.normal, 0.0);
    EXPECT_EQ(solution.c, c);
    EXPECT_EQ(solution.s, 0.5);
    EXPECT_EQ(EnergeticRestitution(solution), 0.0);
  }
}

// Sliding presses the bodies together: γ < μ ε. The impulse is the limit for an approach
// velocity that tends to zero.
TEST(Routh, JammedSlideStopsEvenAtZeroApproachVelocity) {
  const RouthProblem jammed{1.0, 0.9, 1.0, 1.0, 0.0, 2.0, 0.5};
  const RouthSolution solution = SolveRouth(jammed);
  EXPECT_EQ(solution.mode, RouthMode::kStickInCompression);
  EXPECT_EQ(solution.s, 0.0);
  EXPECT_GT(solution.c, 0.0);
  RouthProblem slow = jammed;
  slow.c = -1e-9;
  EXPECT_NEAR(SolveRouth(slow).normal, solution.normal, 1e-8);
  EXPECT_LT(EnergyChange(solution), 0.0);
}

TEST(Routh, PublishedImpactsAreReproduced) {
  constexpr double kTableError = 1e-12;  // the table has 16 digits, the velocities are up to 10 m/s
  int count = 0;
  for (const auto& row : test::ReadRows("routh_impacts.csv")) {
    const auto number = [&](std::size_t i) { return std::stod(row.at(i)); };
    const RouthSolution solution =
        SolveRouth({number(12), number(13), number(14), number(8), number(9), number(0), 0.9});
    EXPECT_NEAR(solution.s, number(10), kTableError);
    EXPECT_NEAR(solution.c, number(11), kTableError);
    EXPECT_NEAR(solution.normal, number(15), 10 * kTableError);
    EXPECT_NEAR(solution.tangential, number(16), 10 * kTableError);
    EXPECT_NEAR(EnergyChange(solution), number(18) - number(17), 10 * kTableError);
    const std::string mode = row.at(19);
    EXPECT_EQ(mode == "frictionless" ? mode : RouthPath(solution),
              mode == "frictionless" ? Name(solution.mode) : mode);
    ++count;
  }
  EXPECT_EQ(count, 16);
}

/// Inverse masses over two decades, coupling up to 95 % of the limit of positive definiteness,
/// velocities of order one. No initial slip, no friction, no restitution and full restitution each
/// occur in a tenth of the problems.
RouthProblem RandomProblem(test::Draw& draw) {
  RouthProblem p;
  p.alpha = std::pow(10.0, draw.Uniform(-1, 1));
  p.gamma = std::pow(10.0, draw.Uniform(-1, 1));
  p.epsilon = draw.Uniform(-0.95, 0.95) * std::sqrt(p.alpha * p.gamma);
  p.s = draw.Integer(0, 9) == 0 ? 0.0 : draw.Uniform(-1, 1) * std::sqrt(p.alpha);
  p.c = -draw.Uniform(0.01, 1) * std::sqrt(p.gamma);
  p.mu = draw.Integer(0, 9) == 0 ? 0.0 : std::pow(10.0, draw.Uniform(-2, 1));
  const int kind = draw.Integer(0, 9);
  p.restitution = kind == 0 ? 0.0 : kind == 1 ? 1.0 : draw.Uniform(0, 1);
  return p;
}

double KineticEnergy(const RouthProblem& p, double s, double c) {
  return 0.5 * (p.gamma * s * s - 2.0 * p.epsilon * s * c + p.alpha * c * c) /
         (p.alpha * p.gamma - p.epsilon * p.epsilon);
}

TEST(RouthProperties, ImpulsesObeyTheLawsAndEnergyDoesNotGrow) {
  test::Draw draw(1);
  std::map<RouthMode, int> modes;
  for (int i = 0; i < kRandomProblems; ++i) {
    const RouthProblem p = RandomProblem(draw);
    ASSERT_STREQ(Defect(p), "");
    const RouthSolution x = SolveAndCheckMirrored(p);
    ASSERT_FALSE(HasFailure());
    ++modes[x.mode];
    const double speed =
        std::abs(p.s) + std::abs(p.c) + p.gamma * x.normal + p.alpha * std::abs(x.tangential);
    ASSERT_GT(x.normal, 0.0);
    ASSERT_LE(std::abs(x.tangential), p.mu * x.normal * (1.0 + kRounding));
    ASSERT_GE(x.c, 0.0);
    ASSERT_NEAR(x.s, p.s + p.alpha * x.tangential + p.epsilon * x.normal, kRounding * speed);
    ASSERT_NEAR(x.c, p.c + p.epsilon * x.tangential + p.gamma * x.normal, kRounding * speed);
    const double energy = KineticEnergy(p, p.s, p.c);
    ASSERT_NEAR(EnergyChange(x), KineticEnergy(p, x.s, x.c) - energy, 100 * kRounding * energy);
    ASSERT_LE(EnergyChange(x), kRounding * energy);
    ASSERT_LE(x.compression_work, 0.0);
    ASSERT_GE(x.restitution_work, 0.0);
    ASSERT_LE(x.friction_work, kRounding * energy);
  }
  EXPECT_EQ(modes.size(), 8u) << "every mode of an impact occurs";
  for (const auto& [mode, count] : modes) EXPECT_GT(count, 500) << Name(mode);
}

// If slip keeps its direction, the normal force returns at most the energy that it took. If slip
// ends, it may return more under Poisson's hypothesis; the solution reports this.
TEST(RouthProperties, NormalForceGainsEnergyOnlyIfSlipEnds) {
  test::Draw draw(3);
  int gains = 0;
  for (int i = 0; i < kRandomProblems; ++i) {
    const RouthProblem p = RandomProblem(draw);
    const RouthSolution x = SolveRouth(p);
    const bool keeps_direction = x.mode == RouthMode::kSlip || x.mode == RouthMode::kFrictionless ||
                                 x.mode == RouthMode::kStickFromStart ||
                                 x.mode == RouthMode::kSlipFromStart;
    if (keeps_direction) {
      ASSERT_NEAR(EnergeticRestitution(x), p.restitution, 1e-9);
    } else if (EnergeticRestitution(x) > 1.0 + kRounding) {
      ASSERT_GT(x.restitution_work, -x.compression_work);
      ++gains;
    }
  }
  EXPECT_GT(gains, 100);
}

TEST(RouthProperties, SmallStepsInImpulseSpaceGiveTheSolution) {
  constexpr int kSteps = 500;
  // Corners of the path are found to one step of |c₀|/(γ kSteps). In units with α = γ = 1 and
  // c₀ = −1 this is 1/kSteps. Measured errors are below one step.
  constexpr double kTolerance = 2.0 / kSteps;
  test::Draw draw(5);
  for (int i = 0; i < kRandomProblems; ++i) {
    const RouthProblem p = RandomProblem(draw);
    const RouthSolution exact = SolveRouth(p);
    const test::SteppedImpact by_steps = test::RouthBySteps(p, kSteps);
    const double normal = std::abs(exact.normal - by_steps.normal) * p.gamma / -p.c;
    const double tangential = std::abs(exact.tangential - by_steps.tangential) *
                              std::sqrt(p.alpha * p.gamma) / (-p.c * std::max(1.0, p.mu));
    ASSERT_LE(std::max(normal, tangential), kTolerance)
        << Name(exact.mode) << " " << RouthPath(exact) << " F " << exact.normal << " "
        << by_steps.normal << " T " << exact.tangential << " " << by_steps.tangential;
  }
}

TEST(RouthProperties, SmallStepsConvergeToTheSolution) {
  test::Draw draw(6);
  double coarse = 0.0, fine = 0.0;
  for (int i = 0; i < 1000; ++i) {
    const RouthProblem p = RandomProblem(draw);
    const double exact = SolveRouth(p).tangential;
    coarse += std::abs(exact - test::RouthBySteps(p, 100).tangential);
    fine += std::abs(exact - test::RouthBySteps(p, 10'000).tangential);
  }
  EXPECT_LT(fine, coarse / 50.0)
      << "first order: steps a hundred times finer must reduce the error about a hundredfold";
}

TEST(Routh, NearlySingularProblemsEnd) {
  test::Draw draw(7);
  for (int i = 0; i < kRandomProblems; ++i) {
    RouthProblem p = RandomProblem(draw);
    const double relative_determinant = std::pow(10.0, draw.Uniform(-13, -2));  // 1 − ε²/(αγ)
    p.epsilon =
        std::copysign(std::sqrt(p.alpha * p.gamma * (1.0 - relative_determinant)), p.epsilon);
    if (*Defect(p) != '\0') continue;
    const RouthSolution x = SolveRouth(p);
    ASSERT_TRUE(std::isfinite(x.normal) && std::isfinite(x.tangential));
    ASSERT_GE(x.c, 0.0);
    ASSERT_LE(std::abs(x.tangential), p.mu * x.normal * (1.0 + kRounding));
  }
}

TEST(Routh, BadInputIsNamed) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto defect = [](const RouthProblem& p) { return std::string(Defect(p)); };
  EXPECT_EQ(defect({1.0, 0.3, 1.0, 1.0, -1.0, 0.2, 0.5}), "");
  EXPECT_NE(defect({0.0, 0.0, 1.0, 1.0, -1.0, 0.2, 0.5}).find("alpha"), std::string::npos);
  EXPECT_NE(defect({1.0, 0.3, -1.0, 1.0, -1.0, 0.2, 0.5}).find("gamma"), std::string::npos);
  EXPECT_NE(defect({1.0, 1.0, 1.0, 1.0, -1.0, 0.2, 0.5}).find("epsilon"), std::string::npos);
  EXPECT_NE(defect({1.0, 2.0, 1.0, 1.0, -1.0, 0.0, 0.5}).find("epsilon"), std::string::npos);
  EXPECT_NE(defect({1.0, 0.3, 1.0, 1.0, -1.0, -0.2, 0.5}).find("mu"), std::string::npos);
  EXPECT_NE(defect({1.0, 0.3, 1.0, 1.0, -1.0, 0.2, 1.5}).find("restitution"), std::string::npos);
  EXPECT_NE(defect({1.0, 0.3, 1.0, nan, -1.0, 0.2, 0.5}).find("finite"), std::string::npos);
}

}  // namespace
}  // namespace scree::impact::routh_test
