// Boxes, generated packings and copies of them, on any number of ranks.
#include "apps/common/packing.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/support/scenes.hpp"

namespace scree::packing_test {
namespace {

constexpr int kCount = 300;

/// Gap of the closest pair of different spheres on all ranks together [m].
double SmallestGap(const std::map<ParticleId, test::Kinematics>& all) {
  double gap = std::numeric_limits<double>::infinity();
  for (auto a = all.begin(); a != all.end(); ++a) {
    for (auto b = std::next(a); b != all.end(); ++b) {
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
  const Vec3 inside(0.25, 0.5, 0.75);
  const double distances[] = {0.25, 0.75, 0.5, 1.5, 0.75, 2.25};
  for (std::size_t w = 0; w < 6; ++w) {
    const SurfacePoint nearest = NearestSurface(scene.walls[w].shape, inside);
    EXPECT_DOUBLE_EQ(nearest.distance, distances[w]) << w;
    EXPECT_DOUBLE_EQ(nearest.normal[static_cast<int>(w / 2)], w % 2 == 0 ? 1.0 : -1.0) << w;
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
  const auto all = test::AllById(world_, packing_.particles);
  ASSERT_EQ(all.size(), static_cast<std::size_t>(kCount));
  EXPECT_EQ(all.begin()->first, 0);
  EXPECT_EQ(all.rbegin()->first, kCount - 1);
  const double radius = all.begin()->second.radius;
  constexpr double kOverlap = 0.01;  // a dense packing, not a compressed one
  double volume = 0.0;
  for (const auto& [id, one] : all) {
    volume += SphereVolume(one.radius);
    EXPECT_EQ(one.velocity, Vec3::Zero());
    EXPECT_EQ(one.angular_velocity, Vec3::Zero());
    EXPECT_GT(one.position.minCoeff(), radius * (1.0 - kOverlap)) << id;
    EXPECT_GT((packing_.box - one.position).minCoeff(), radius * (1.0 - kOverlap)) << id;
  }
  const double solid = volume / packing_.box.prod();
  EXPECT_GT(solid, 0.53);
  EXPECT_LT(solid, 0.60);
  EXPECT_GT(SmallestGap(all), -kOverlap * 2.0 * radius);
}

TEST_F(GeneratedPacking, SpheresTouchManyOthers) {
  const auto all = test::AllById(world_, packing_.particles);
  const double near = 0.01 * 2.0 * all.begin()->second.radius;
  int contacts = 0;
  for (auto a = all.begin(); a != all.end(); ++a) {
    for (auto b = std::next(a); b != all.end(); ++b) {
      const double distance = (a->second.position - b->second.position).norm();
      contacts += distance - a->second.radius - b->second.radius < near;
    }
  }
  // Frictionless spheres support each other from three contacts per sphere on; walls carry some
  // here.
  EXPECT_GT(contacts, 2 * kCount);
}

TEST_F(GeneratedPacking, TilesAreCopiesSideBySide) {
  const auto one = test::AllById(world_, packing_.particles);
  const Vec3 box = packing_.box;
  Tile({2, 1, 3}, world_, packing_);
  EXPECT_EQ(packing_.particles.owned, packing_.particles.Size());
  EXPECT_EQ(packing_.box, Vec3(2 * box[0], box[1], 3 * box[2]));
  const auto all = test::AllById(world_, packing_.particles);
  ASSERT_EQ(all.size(), 6u * kCount);
  for (const auto& [id, copy] : all) {
    const auto number = static_cast<int>(id / kCount);
    const Vec3 place(number % 2, 0, number / 2);
    const Vec3 expected = one.at(id % kCount).position + place.cwiseProduct(box);
    EXPECT_EQ(copy.position, expected) << id;
  }
  EXPECT_GE(SmallestGap(all), -0.01 * 2.0 * one.begin()->second.radius);
}

}  // namespace
}  // namespace scree::packing_test
