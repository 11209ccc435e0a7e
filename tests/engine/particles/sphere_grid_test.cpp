// Overlaps found by cells, compared with a search of all pairs.
#include "engine/particles/sphere_grid.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "engine/particles/random.hpp"

namespace scree::sphere_grid_test {
namespace {

const Box kBounds{{-1, 0, 2}, {2, 1, 4}};

/// A random sphere in or near the bounds.
PlacedSphere DrawSphere(std::int64_t id, double max_radius) {
  const auto draw = [&](std::uint64_t number) { return UniformAroundZero(3, id, number); };
  return {Vec3(0.5 + 1.8 * draw(0), 0.5 + 0.8 * draw(1), 3.0 + 1.3 * draw(2)),
          max_radius * (0.55 + 0.45 * draw(3))};
}

TEST(SphereGrid, FindsTheSameOverlapsAsASearchOfAllPairs) {
  for (const double width : {0.03, 0.2, 5.0}) {
    SphereGrid grid(kBounds, width);
    std::vector<PlacedSphere> spheres;
    int overlapping = 0;
    for (std::int64_t id = 0; id < 1200; ++id) {
      const PlacedSphere sphere = DrawSphere(id, id % 7 == 0 ? 0.4 : 0.05);
      const bool expected = std::ranges::any_of(spheres, [&](const PlacedSphere& placed) {
        return (sphere.centre - placed.centre).norm() < sphere.radius + placed.radius;
      });
      EXPECT_EQ(grid.Overlaps(sphere.centre, sphere.radius), expected) << id;
      overlapping += expected;
      if (expected) continue;
      grid.Add(sphere);
      spheres.push_back(sphere);
    }
    EXPECT_GT(overlapping, 100);
    EXPECT_GT(spheres.size(), 50u);
  }
}

TEST(SphereGrid, ImagesThatReachIntoTheBoundsAreFound) {
  const PeriodicImages images(Domain{{{-1, 0, 0}, {2, 1, 4}}, {true, true, false}});
  SphereGrid grid(kBounds, 0.3);
  for (const PlacedSphere& image : ImagesIn(kBounds, images, {{-0.95, 0.02, 3.0}, 0.1})) {
    grid.Add(image);
  }
  for (const Vec3& corner :
       {Vec3(-0.9, 0.1, 3), Vec3(1.99, 0.1, 3), Vec3(-0.9, 0.95, 3), Vec3(1.99, 0.95, 3)}) {
    EXPECT_TRUE(grid.Overlaps(corner, 0.1)) << corner.transpose();
  }
  EXPECT_FALSE(grid.Overlaps(Vec3(0.5, 0.5, 3), 0.3));
  EXPECT_EQ(ImagesIn(kBounds, images, {{-0.95, 0.02, 3.0}, 0.1}).size(), 4u);
  EXPECT_EQ(ImagesIn(kBounds, images, {{0.5, 0.5, 3.0}, 0.1}).size(), 1u);
  EXPECT_TRUE(ImagesIn(kBounds, images, {{0.5, 0.5, 1.0}, 0.1}).empty());
  EXPECT_EQ(ImagesIn(kBounds, images, {{-0.95 + 21.0, 0.02 - 5.0, 3.0}, 0.1}).size(), 4u);
}

// After 0.1 s the next image up z is 0.5 m farther along x.
TEST(SphereGrid, ImagesOfAShearedDomainAreWhereTheyHaveMoved) {
  const Shear shear{2.5, CoordinateAxis::kX, CoordinateAxis::kZ};
  const Domain domain{{{-1, 0, 2}, {2, 1, 4}}, {true, false, true}, shear};
  SphereGrid grid(kBounds, 0.3);
  const PlacedSphere sphere{{0, 0.5, 3.95}, 0.1};
  for (const PlacedSphere& image : ImagesIn(kBounds, PeriodicImages(domain, 0.1), sphere)) {
    grid.Add(image);
  }
  EXPECT_TRUE(grid.Overlaps({0, 0.5, 3.95}, 0.05));
  EXPECT_TRUE(grid.Overlaps({-0.5, 0.5, 2.0}, 0.05));
  EXPECT_FALSE(grid.Overlaps({0, 0.5, 2.0}, 0.05));
  EXPECT_FALSE(grid.Overlaps({0.5, 0.5, 2.0}, 0.05));
}

}  // namespace
}  // namespace scree::sphere_grid_test
