// What schemes ask for, and that masses which were split are whole again afterwards.
#include "solvers/sweeps/scheme.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace scree::scheme_test {
namespace {

SolverParameters With(Scheme scheme, Sharing sharing) {
  SolverParameters parameters;
  parameters.scheme = scheme;
  parameters.sharing = sharing;
  return parameters;
}

TEST(SchemeNeeds, JacobiIgnoresHowGaussSeidelShares) {
  for (const Sharing sharing : {Sharing::kLocalWeights, Sharing::kMassSplitting}) {
    const SchemeNeeds needs = NeedsOf(With(Scheme::kJacobi, sharing));
    EXPECT_TRUE(needs.mirrors);
    EXPECT_TRUE(needs.counts_alone);
    EXPECT_FALSE(needs.splits_masses);
    EXPECT_EQ(needs.count, BodyCount::kContacts);
  }
}

TEST(SchemeNeeds, GaussSeidelCountsOtherRanksOnly) {
  const SchemeNeeds weights = NeedsOf(With(Scheme::kGaussSeidel, Sharing::kLocalWeights));
  const SchemeNeeds split = NeedsOf(With(Scheme::kGaussSeidel, Sharing::kMassSplitting));
  EXPECT_EQ(weights.count, BodyCount::kContactsElsewhere);
  EXPECT_EQ(split.count, BodyCount::kRanks);
  EXPECT_FALSE(weights.splits_masses);
  EXPECT_TRUE(split.splits_masses);
  for (const SchemeNeeds& needs : {weights, split}) {
    EXPECT_FALSE(needs.mirrors);
    EXPECT_FALSE(needs.counts_alone);
  }
}

/// A sphere of unit mass that two ranks share meets a wall at 1 m/s: the share of this rank, half
/// the mass, is stopped by half the impulse.
TEST(SolveByScheme, SplitMassesAreWholeAgainAfterwards) {
  std::vector<SphereBody> bodies(2);
  bodies[0].v = Vec3(0, 0, -1);
  bodies[0].inverse_mass = 1.0;
  bodies[0].radius = 1.0;
  ContactBatches batches;
  batches.Begin(1, 2);
  batches.Add({.effective_mass = 0.5, .a = 0, .b = 1}, Vec3::Zero());
  batches.End();
  const std::vector<Index> shares = {2, 0};
  const std::vector<double> inverse_masses = {1.0, 0.0};
  const SchemeInput input = {
      .own = 1, .keys = {}, .counts = shares, .inverse_masses = inverse_masses};
  NoSync sync;
  SchemeScratch scratch;
  SolveByScheme(With(Scheme::kGaussSeidel, Sharing::kMassSplitting), input, sync,
                StartingImpulses::kApplied, batches, bodies, scratch);
  EXPECT_EQ(bodies[0].inverse_mass, 1.0);
  EXPECT_NEAR(bodies[0].v.z(), 0.0, 1e-15);
  EXPECT_NEAR(batches.Impulse(0).z(), 0.5, 1e-15);
}

}  // namespace
}  // namespace scree::scheme_test
