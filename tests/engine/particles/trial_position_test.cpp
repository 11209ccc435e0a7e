// Trial positions: the whole sphere is inside the box; the positions are uniform and functions of
// seed, particle and trial only.
#include "engine/particles/trial_position.hpp"

#include <gtest/gtest.h>

namespace scree::trial_position_test {
namespace {

const Box kBounds = {{-1, 0, 2}, {1, 1, 3}};

TEST(TrialPosition, WholeSphereIsInside) {
  const Box centres = CentresIn(kBounds, 0.25);
  EXPECT_EQ(centres.lower, Vec3(-0.75, 0.25, 2.25));
  EXPECT_EQ(centres.upper, Vec3(0.75, 0.75, 2.75));
  const Box midpoint_box = CentresIn(kBounds, 0.7);
  EXPECT_TRUE(midpoint_box.lower.isApprox(Vec3(-0.3, 0.5, 2.5), 1e-15))
      << "the midpoint along axes on which the sphere does not fit";
  EXPECT_TRUE(midpoint_box.upper.isApprox(Vec3(0.3, 0.5, 2.5), 1e-15));
}

TEST(TrialPosition, PositionsAreUniformInTheBox) {
  constexpr int kCount = 20000;
  Vec3 mean = Vec3::Zero();
  for (ParticleId id = 0; id < kCount; ++id) {
    const Vec3 position = TrialPosition(kBounds, 5, id, 3);
    EXPECT_TRUE(kBounds.Contains(position));
    mean += position / kCount;
  }
  const Vec3 error = (mean - Vec3(0, 0.5, 2.5)).cwiseQuotient(kBounds.Extent());
  EXPECT_LT(error.cwiseAbs().maxCoeff(), 4.0 / std::sqrt(12.0 * kCount));
}

TEST(TrialPosition, PositionDependsOnSeedParticleAndTrial) {
  const Vec3 position = TrialPosition(kBounds, 5, 100, 3);
  EXPECT_EQ(position, TrialPosition(kBounds, 5, 100, 3));
  EXPECT_NE(position, TrialPosition(kBounds, 6, 100, 3));
  EXPECT_NE(position, TrialPosition(kBounds, 5, 101, 3));
  EXPECT_NE(position, TrialPosition(kBounds, 5, 100, 4));
}

}  // namespace
}  // namespace scree::trial_position_test
