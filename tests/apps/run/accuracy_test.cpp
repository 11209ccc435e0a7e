// The accuracy of a run's results (good, fair or doubtful) and the advice for better ones.
#include "apps/run/accuracy.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/message_of.hpp"

namespace scree::accuracy_test {
namespace {

TEST(Accuracy, GoodResultsAreReportedInOneLine) {
  const std::string text = AccuracyInWords({.overlap = 0.002, .travel = 0.05});
  EXPECT_EQ(text,
            "accuracy: good; overlaps of up to 0.2 % of the smallest radius, up to 0.05 radii per "
            "step");
}

TEST(Accuracy, TargetOfTheStepIsNamedUnlessTheRunIsDoubtful) {
  AccuracyMeasures quantities = {.travel = 0.1, .residual = 0.02, .step_accuracy = 0.005};
  const char* const advice =
      "; the longest step corresponds to time.accuracy = 0.005; its error is not measured: a run "
      "with half the step would show it, and would take some 1.7 times as long";
  EXPECT_TRUE(AccuracyInWords(quantities).ends_with(advice));
  quantities.travel = 0.6;
  EXPECT_TRUE(Contains(AccuracyInWords(quantities), advice));
  quantities.travel = 1.1;
  EXPECT_FALSE(Contains(AccuracyInWords(quantities), "time.accuracy"));
}

TEST(Accuracy, SolveErrorsAreReportedForEachLoadedWall) {
  Scene scene;
  for (const char* name : {"floor", "lid", "funnel"}) scene.walls.emplace_back().name = name;
  const SolveError error = {.steps = 3,
                            .squared_error = 0.09,
                            .squared_impulses = 1.0,
                            .normal_squares = {1.21, 1.0},
                            .normal_impulses = {0.99, 1.0},
                            .squared_load_errors = {0.01, 0.0, 0.0},
                            .squared_loads = {1.0, 0.0, 2.0}};
  EXPECT_EQ(
      SolveErrorInWords(scene, error),
      "solve, against 10 times the sweeps in 3 steps: the force at a contact in one step is off by "
      "30 %, the RMS of normal forces is 10 % too large, their mean 1 % too small; loads of walls "
      "off by: floor 10 %, funnel below 0.01 %. Means over time are more accurate than one step: "
      "see the error bars");
}

TEST(Accuracy, ErrorBarsAddTheErrorsOfStepAndSolve) {
  EXPECT_EQ(
      ErrorBarsInWords({.step = 0.02, .solve = 0.05, .stress = 0.03, .energy = 0.004}),
      "error bars of means: flow 7 % (2 % for the step, not measured; 5 % for the solve), "
      "stress 5 %, energies 0.00028 J, the same share of 0.004 J; loads of walls 2 % plus those "
      "of the solve");
  EXPECT_TRUE(Contains(ErrorBarsInWords({.step = 0.02}),
                       "flow 2 % (2 % for the step, not measured; "
                       "below 0.01 % for the solve); loads"));
  EXPECT_TRUE(Contains(ErrorBarsInWords({.step = 0.02, .solve = INFINITY}), "not known"));
  EXPECT_TRUE(
      Contains(ErrorBarsInWords({.step = 0.02, .solve = 0.2}), "try [solver] sweeps = auto"));
}

TEST(Accuracy, QuantityAboveOneLimitIsFairAndAboveBothDoubtful) {
  for (const AccuracyScale& scale :
       {kOverlap, kTravel, kTravelOfImpacts, kFall, kStrain, kMasses, kResidual}) {
    AccuracyMeasures quantities;
    quantities.*scale.measure = 1.01 * scale.good;
    EXPECT_TRUE(Contains(AccuracyInWords(quantities), "accuracy: fair: ")) << scale.name;
    EXPECT_TRUE(Contains(AccuracyInWords(quantities), std::string(scale.name) + " reached"));
    quantities.*scale.measure = scale.doubtful;
    EXPECT_TRUE(Contains(AccuracyInWords(quantities), "accuracy: fair: ")) << scale.name;
    quantities.*scale.measure = 1.01 * scale.doubtful;
    EXPECT_TRUE(Contains(AccuracyInWords(quantities), "accuracy: DOUBTFUL")) << scale.name;
    EXPECT_TRUE(Contains(AccuracyInWords(quantities), scale.cure)) << scale.name;
    quantities.*scale.measure = std::nan("");
    EXPECT_TRUE(Contains(AccuracyInWords(quantities), "accuracy: DOUBTFUL")) << scale.name;
  }
}

TEST(Accuracy, WorstQuantityDecidesAndEachRemedyOccursOnce) {
  const std::string text = AccuracyInWords({.overlap = 0.06, .travel = 1.4, .fall = 5e-3});
  EXPECT_EQ(
      text,
      "accuracy: DOUBTFUL, results may be wrong: overlap / r reached 0.06 "
      "(good: below 0.05), v dt / r reached 1.4 (good: below 0.5), g dt^2 / r reached 0.005 "
      "(good: below 0.004). What helps: [time] step = auto, or a shorter step; a shorter [time] "
      "step, or with step = auto a smaller time.accuracy; more [solver] sweeps");
  EXPECT_TRUE(Contains(AccuracyInWords({.overlap = 0.06, .overlap_time = 0.105}),
                       "reached 0.06 (good: below 0.05) at 0.105 s or shortly before"));
}

}  // namespace
}  // namespace scree::accuracy_test
