// Spheres of any sizes: each near pair is visited once, and small spheres visit only few others,
// even next to a large one.
#include "engine/lists/size_classes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "tests/support/draw.hpp"

namespace scree::size_classes_test {
namespace {

struct Cloud {
  std::vector<Vec3> centres;
  std::vector<double> radii;

  std::size_t Size() const { return radii.size(); }
  double Gap(std::size_t i, std::size_t j) const {
    return (centres[i] - centres[j]).norm() - radii[i] - radii[j];
  }
};

/// Radii from 1e-3 to 1e-3 times `ratio`, with uniform ln r.
Cloud RandomCloud(std::size_t count, double ratio, double extent, std::uint64_t seed) {
  test::Draw draw(seed);
  Cloud cloud;
  for (std::size_t i = 0; i < count; ++i) {
    cloud.centres.push_back(draw.Vector(extent));
    cloud.radii.push_back(1e-3 * std::pow(ratio, draw.Uniform(0.0, 1.0)));
  }
  return cloud;
}

/// Compares VisitRunsNear and VisitRunsAfter with a search of all pairs.
void ExpectFindsAllWithin(double skin, const Cloud& cloud, const SizeClasses& classes) {
  const std::vector<Index>& order = classes.Order();
  ASSERT_EQ(std::set<Index>(order.begin(), order.end()).size(), cloud.Size());
  const auto sphere_in_slot = [&order](std::size_t k) {
    return static_cast<std::size_t>(order[k]);
  };
  std::set<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t k = 0; k < cloud.Size(); ++k) {
    const std::size_t i = sphere_in_slot(k);
    const double distance = cloud.radii[i] + skin;
    std::vector<int> visits(cloud.Size(), 0);
    classes.VisitRunsNear(cloud.centres[i], distance, [&](std::size_t begin, std::size_t end) {
      for (; begin < end; ++begin) ++visits[sphere_in_slot(begin)];
    });
    for (std::size_t j = 0; j < cloud.Size(); ++j) {
      EXPECT_LE(visits[j], 1);
      if (cloud.Gap(i, j) < skin) {
        EXPECT_EQ(visits[j], 1) << i << " and " << j;
      }
    }
    classes.VisitRunsAfter(k, cloud.centres[i], distance, [&](std::size_t begin, std::size_t end) {
      EXPECT_GT(begin, k);
      for (; begin < end; ++begin) {
        EXPECT_TRUE(pairs.insert(std::minmax(i, sphere_in_slot(begin))).second);
      }
    });
    if (testing::Test::HasFailure()) return;
  }
  for (std::size_t i = 0; i < cloud.Size(); ++i) {
    for (std::size_t j = i + 1; j < cloud.Size(); ++j) {
      if (cloud.Gap(i, j) < skin) {
        ASSERT_TRUE(pairs.count({i, j}));
      }
    }
  }
}

TEST(SizeClasses, EachNearPairIsVisitedOnceForAnySizes) {
  for (const double ratio : {1.0, 1.9, 10.0, 1e4}) {
    const Cloud cloud = RandomCloud(500, ratio, 0.02 * std::sqrt(ratio), 3);
    for (const double skin : {0.0, 1e-3, 5e-3}) {
      const SizeClasses classes(cloud.centres, cloud.radii, skin);
      ExpectFindsAllWithin(skin, cloud, classes);
      ExpectFindsAllWithin(2e-3, cloud, classes);  // a skin that differs from that of the classes
    }
  }
}

TEST(SizeClasses, ClassesCanSortAnotherCloud) {
  SizeClasses classes;
  for (const double ratio : {100.0, 1.0, 7.0}) {
    const Cloud cloud = RandomCloud(200, ratio, 0.02, 4);
    classes.Sort(cloud.centres, cloud.radii, 1e-3);
    ExpectFindsAllWithin(1e-3, cloud, classes);
  }
  classes.Sort({}, {}, 1e-3);
  EXPECT_TRUE(classes.Order().empty());
  classes.VisitRunsNear(Vec3::Zero(), 1.0, [](std::size_t, std::size_t) { ADD_FAILURE(); });
}

TEST(SizeClasses, SortedParticlesKeepTheirOrder) {
  const Cloud cloud = RandomCloud(1000, 30.0, 0.05, 5);
  const SizeClasses classes(cloud.centres, cloud.radii, 1e-3);
  Cloud sorted;
  for (const Index i : classes.Order()) {
    sorted.centres.push_back(cloud.centres[static_cast<std::size_t>(i)]);
    sorted.radii.push_back(cloud.radii[static_cast<std::size_t>(i)]);
  }
  const SizeClasses resorted(sorted.centres, sorted.radii, 1e-3);
  EXPECT_TRUE(std::ranges::is_sorted(resorted.Order()));
}

TEST(SizeClasses, EqualSpheresHaveTheOrderOfACellGrid) {
  const Cloud cloud = RandomCloud(1000, 1.0, 0.05, 6);
  const SizeClasses classes(cloud.centres, cloud.radii, 5e-4);
  EXPECT_EQ(classes.Order(), CellGrid(cloud.centres, 2.5e-3).Order());
}

/// Small spheres fill the space around a large one. In cells as wide as the large sphere, each
/// small sphere would visit thousands of others.
TEST(SizeClasses, SmallSpheresNextToALargeOneVisitFewSpheres) {
  test::Draw draw(7);
  Cloud cloud;
  for (int i = 0; i < 8000; ++i) {
    cloud.centres.push_back(draw.Vector(0.03));
    cloud.radii.push_back(1e-3);
  }
  cloud.centres.emplace_back(0.0, 0.0, 0.0);
  cloud.radii.push_back(1e-2);
  const SizeClasses classes(cloud.centres, cloud.radii, 8e-4);
  std::size_t visited = 0;
  for (std::size_t k = 0; k < cloud.Size(); ++k) {
    const auto i = static_cast<std::size_t>(classes.Order()[k]);
    classes.VisitRunsAfter(k, cloud.centres[i], cloud.radii[i] + 8e-4,
                           [&](std::size_t begin, std::size_t end) { visited += end - begin; });
  }
  // A search visits 14 cells of 2.8 mm. On average they contain 11 of the 8000 spheres, which are
  // spread over a cube of 6 cm.
  EXPECT_LT(visited, 20 * cloud.Size());
}

}  // namespace
}  // namespace scree::size_classes_test
