// Random places: inside, apart, reproducible, and an end to the search.
#include "engine/particles/random_places.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "solvers/check.hpp"

namespace scree::random_places_test {
namespace {

const Box kRegion = {{-1, 0, 2}, {1, 1, 3}};
const IsFree kAnywhere = [](const Vec3&, double) { return true; };

TEST(RandomPlaces, AreInsideAndApart) {
  std::vector<double> radii(1000, 0.04);
  for (std::size_t k = 0; k < 20; ++k) radii[50 * k] = 0.12;
  const std::vector<Vec3> places = RandomPlaces(kRegion, radii, 5, 100, kAnywhere);
  ASSERT_EQ(places.size(), radii.size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    EXPECT_GE((places[i] - kRegion.lower).minCoeff(), radii[i] - 1e-15);
    EXPECT_GE((kRegion.upper - places[i]).minCoeff(), radii[i] - 1e-15);
    for (std::size_t j = 0; j < i; ++j) {
      EXPECT_GE((places[i] - places[j]).norm(), (radii[i] + radii[j]) * (1.0 - 1e-12));
    }
  }
}

TEST(RandomPlaces, FollowSeedAndIds) {
  const std::vector<double> radii(20, 0.05);
  const auto places = RandomPlaces(kRegion, radii, 5, 100, kAnywhere);
  EXPECT_EQ(places, RandomPlaces(kRegion, radii, 5, 100, kAnywhere));
  EXPECT_NE(places, RandomPlaces(kRegion, radii, 6, 100, kAnywhere));
  EXPECT_NE(places, RandomPlaces(kRegion, radii, 5, 120, kAnywhere));
  EXPECT_TRUE(RandomPlaces(kRegion, {}, 5, 100, kAnywhere).empty());
}

TEST(RandomPlaces, AreSpreadEvenly) {
  const std::vector<double> radii(20000, 1e-4);
  Vec3 mean = Vec3::Zero();
  for (const Vec3& place : RandomPlaces(kRegion, radii, 1, 0, kAnywhere)) mean += place / 20000.0;
  const Vec3 error = (mean - Vec3(0, 0.5, 2.5)).cwiseQuotient(kRegion.Extent());
  EXPECT_LT(error.cwiseAbs().maxCoeff(), 4.0 / std::sqrt(12.0 * 20000.0));
}

TEST(RandomPlaces, LeaveFreeWhatIsNot) {
  const IsFree right = [](const Vec3& place, double radius) { return place.x() > radius; };
  for (const Vec3& place : RandomPlaces(kRegion, std::vector<double>(50, 0.05), 5, 0, right)) {
    EXPECT_GT(place.x(), 0.05);
  }
}

TEST(RandomPlaces, SayHowFarTheyGot) {
  try {
    RandomPlaces(kRegion, std::vector<double>(300, 0.12), 5, 0, kAnywhere);
    ADD_FAILURE() << "was accepted";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find(" of 300 spheres only"), std::string::npos);
  }
}

}  // namespace
}  // namespace scree::random_places_test
