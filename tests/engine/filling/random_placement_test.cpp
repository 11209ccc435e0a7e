// Random positions are inside the region, evenly distributed and the same on any number of ranks.
// Spheres do not overlap. The number of trials is limited.
#include "engine/filling/random_placement.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "solvers/base/check.hpp"

namespace scree::random_placement_test {
namespace {

const Region kRegion = Box{{-1, 0, 2}, {1, 1, 3}};
const IsFree kNoObstacle = [](const Vec3&, double) { return true; };

/// The positions of all spheres, by their numbers.
std::vector<Vec3> FindPositions(const Region& region, const std::vector<double>& radii,
                                std::uint64_t seed, ParticleId first_id, const IsFree& is_free,
                                const Communicator& communicator = Communicator::Self()) {
  const auto [smallest, largest] = std::ranges::minmax(radii);
  const auto count = static_cast<std::int64_t>(radii.size());
  RandomPlacement placement(communicator, region, {count, smallest, largest}, seed, first_id);
  for (std::int64_t k = 0; k < count; ++k)
    placement.AddSphere({k, radii[static_cast<std::size_t>(k)]});
  std::vector<double> coordinates(3 * radii.size(), 0.0);
  for (const auto& [sphere, position] : placement.Find(is_free)) {
    EXPECT_EQ(sphere.radius, radii[static_cast<std::size_t>(sphere.number)]);
    for (int axis = 0; axis < 3; ++axis) {
      coordinates[static_cast<std::size_t>(3 * sphere.number + axis)] += position[axis];
    }
  }
  communicator.Sum(coordinates);  // each coordinate is nonzero on one rank only
  std::vector<Vec3> positions;
  for (std::size_t k = 0; k < radii.size(); ++k) {
    positions.emplace_back(coordinates[3 * k], coordinates[3 * k + 1], coordinates[3 * k + 2]);
  }
  return positions;
}

std::vector<double> ManySizes() {
  std::vector<double> radii(1000, 0.04);
  for (std::size_t k = 0; k < 20; ++k) radii[50 * k] = 0.12;
  for (std::size_t k = 0; k < 500; ++k) radii.push_back(0.01 + 0.00002 * static_cast<double>(k));
  return radii;
}

TEST(RandomPlacement, PositionsAreInsideAndApart) {
  const std::vector<double> radii = ManySizes();
  const std::vector<Vec3> positions = FindPositions(kRegion, radii, 5, 100, kNoObstacle);
  for (std::size_t i = 0; i < positions.size(); ++i) {
    EXPECT_TRUE(Contains(kRegion, positions[i], radii[i] * (1.0 - 1e-12)));
    for (std::size_t j = 0; j < i; ++j) {
      EXPECT_GE((positions[i] - positions[j]).norm(), (radii[i] + radii[j]) * (1.0 - 1e-12));
    }
  }
}

TEST(RandomPlacement, PositionsAreTheSameOnAnyNumberOfRanks) {
  const Communicator world = Communicator::World();
  for (const Region& region :
       {kRegion, Region(Ball{{0, 0, 0}, 0.9}), Region(Cylinder{{-1, -1, -1}, {1, 1, 1}, 0.7})}) {
    EXPECT_EQ(FindPositions(region, ManySizes(), 5, 100, kNoObstacle),
              FindPositions(region, ManySizes(), 5, 100, kNoObstacle, world));
    const std::vector<double> small(5000, 0.02);
    EXPECT_EQ(FindPositions(region, small, 5, 100, kNoObstacle),
              FindPositions(region, small, 5, 100, kNoObstacle, world));
  }
}

TEST(RandomPlacement, PositionsDependOnSeedAndIds) {
  const std::vector<double> radii(20, 0.05);
  const auto positions = FindPositions(kRegion, radii, 5, 100, kNoObstacle);
  EXPECT_NE(positions, FindPositions(kRegion, radii, 6, 100, kNoObstacle));
  EXPECT_NE(positions, FindPositions(kRegion, radii, 5, 120, kNoObstacle));
}

/// Tests spheres that are nearly points, and spheres that fill a third of the volume, so that free
/// positions are rare.
TEST(RandomPlacement, PositionsAreEvenlyDistributed) {
  for (const double radius : {1e-4, 0.016}) {
    const std::size_t count = radius < 0.01 ? 20000 : 35000;
    const auto positions =
        FindPositions(kRegion, std::vector<double>(count, radius), 1, 0, kNoObstacle);
    Vec3 mean = Vec3::Zero();
    for (const Vec3& position : positions) mean += position / static_cast<double>(count);
    const Vec3 error = (mean - Vec3(0, 0.5, 2.5)).cwiseQuotient(Vec3(2, 1, 1));
    EXPECT_LT(error.cwiseAbs().maxCoeff(), 4.0 / std::sqrt(12.0 * static_cast<double>(count)));
  }
}

TEST(RandomPlacement, PositionsAvoidOccupiedSpace) {
  const IsFree is_right_free = [](const Vec3& position, double radius) {
    return position.x() > radius;
  };
  for (const Vec3& position :
       FindPositions(kRegion, std::vector<double>(50, 0.05), 5, 0, is_right_free)) {
    EXPECT_GT(position.x(), 0.05);
  }
}

TEST(RandomPlacement, FailureReportsThePlacedNumberOnAllRanks) {
  try {
    FindPositions(kRegion, std::vector<double>(300, 0.12), 5, 0, kNoObstacle,
                  Communicator::World());
    ADD_FAILURE() << "was accepted";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find(" of 300 spheres; expected a smaller"),
              std::string::npos);
  }
}

}  // namespace
}  // namespace scree::random_placement_test
