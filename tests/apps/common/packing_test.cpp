// Boxes, generated packings and copies of them, on any number of ranks.
#include "apps/common/packing.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/support/scenes.hpp"

namespace scree::packing_test {
namespace {

constexpr int kCount = 300;

/// Smallest gap between two of the spheres [m].
double SmallestGap(const std::map<ParticleId, test::Kinematics>& spheres) {
  double gap = std::numeric_limits<double>::infinity();
  for (auto a = spheres.begin(); a != spheres.end(); ++a) {
    for (auto b = std::next(a); b != spheres.end(); ++b) {
      const double distance = (a->second.position - b->second.position).norm();
      gap = std::min(gap, distance - a->second.radius - b->second.radius);
    }
  }
  return gap;
}

TEST(ClosedBox, WallsFaceInward) {
  const Vec3 box(1, 2, 3);
  const Scene scene = ClosedBox(box, {"grain"}, 0.4);
  ASSERT_EQ(scene.walls.size(), 6u);
  const Vec3 centre(0.25, 0.5, 0.75);
  const double distances[] = {0.25, 0.75, 0.5, 1.5, 0.75, 2.25};
  for (std::size_t w = 0; w < 6; ++w) {
    const SurfacePoint surface = NearestSurface(scene.walls[w].shape, centre);
    EXPECT_DOUBLE_EQ(surface.distance, distances[w]) << w;
    EXPECT_DOUBLE_EQ(surface.normal[static_cast<int>(w / 2)], w % 2 == 0 ? 1.0 : -1.0) << w;
  }
}

class GeneratedPacking : public testing::Test {
 protected:
  static const Packing& Generated() {
    static const Packing packing = GeneratePacking(Communicator::World(), kCount);
    return packing;
  }
  Communicator world_ = Communicator::World();
  Packing packing_ = Generated();
};

TEST_F(GeneratedPacking, ContainsTheSpheresDenselyAndAtRest) {
  const auto spheres = test::GatherById(world_, packing_.particles);
  ASSERT_EQ(spheres.size(), static_cast<std::size_t>(kCount));
  EXPECT_EQ(spheres.begin()->first, 0);
  EXPECT_EQ(spheres.rbegin()->first, kCount - 1);
  const double radius = spheres.begin()->second.radius;
  constexpr double kOverlap = 0.01;  // of a dense packing that is not compressed
  double volume = 0.0;
  for (const auto& [id, sphere] : spheres) {
    volume += SphereVolume(sphere.radius);
    EXPECT_EQ(sphere.velocity, Vec3::Zero());
    EXPECT_EQ(sphere.angular_velocity, Vec3::Zero());
    EXPECT_GT(sphere.position.minCoeff(), radius * (1.0 - kOverlap)) << id;
    EXPECT_GT((packing_.box - sphere.position).minCoeff(), radius * (1.0 - kOverlap)) << id;
  }
  const double solid_fraction = volume / packing_.box.prod();
  EXPECT_GT(solid_fraction, 0.53);
  EXPECT_LT(solid_fraction, 0.60);
  EXPECT_GT(SmallestGap(spheres), -kOverlap * 2.0 * radius);
}

TEST_F(GeneratedPacking, SpheresTouchManyOthers) {
  const auto spheres = test::GatherById(world_, packing_.particles);
  const double max_gap = 0.01 * 2.0 * spheres.begin()->second.radius;
  int contacts = 0;
  for (auto a = spheres.begin(); a != spheres.end(); ++a) {
    for (auto b = std::next(a); b != spheres.end(); ++b) {
      const double distance = (a->second.position - b->second.position).norm();
      contacts += distance - a->second.radius - b->second.radius < max_gap;
    }
  }
  // Frictionless spheres support each other with at least three contacts per sphere. Walls carry a
  // part here.
  EXPECT_GT(contacts, 2 * kCount);
}

TEST_F(GeneratedPacking, TilesAreAdjacentCopies) {
  const auto original = test::GatherById(world_, packing_.particles);
  const Vec3 box = packing_.box;
  Tile({2, 1, 3}, world_, packing_);
  EXPECT_EQ(packing_.particles.owned, packing_.particles.Size());
  EXPECT_EQ(packing_.box, Vec3(2 * box[0], box[1], 3 * box[2]));
  const auto spheres = test::GatherById(world_, packing_.particles);
  ASSERT_EQ(spheres.size(), 6u * kCount);
  for (const auto& [id, copy] : spheres) {
    const auto number = static_cast<int>(id / kCount);
    const Vec3 tile(number % 2, 0, number / 2);
    const Vec3 expected = original.at(id % kCount).position + tile.cwiseProduct(box);
    EXPECT_EQ(copy.position, expected) << id;
  }
  EXPECT_GE(SmallestGap(spheres), -0.01 * 2.0 * original.begin()->second.radius);
}

}  // namespace
}  // namespace scree::packing_test
