// Bisection: boxes of equal work and sufficient width, the same cuts on any number of ranks.
#include "engine/ranks/bisection.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "engine/ranks/contact_ownership.hpp"
#include "tests/support/draw.hpp"

namespace scree::bisection_test {
namespace {

using test::Draw;

constexpr double kWidth = 0.01;

Domain Cube(std::array<bool, 3> periodic = {}) {
  return {{Vec3(-0.3, 0, 0), Vec3(0.7, 1, 1)}, periodic};
}

/// Work of particles and pairs, denser towards one corner and distributed over the ranks.
std::vector<WorkItem> MakeItems(const Communicator& communicator, int count) {
  Draw draw(1);
  const Box box = Cube().box;
  std::vector<WorkItem> items;
  for (int k = 0; k < count; ++k) {
    const Vec3 corner_point = draw.PointIn({Vec3::Zero(), Vec3::Ones()}).array().cube();
    const Vec3 a = box.lower + corner_point.cwiseProduct(box.Extent());
    const Vec3 partner = a + 0.01 * draw.Direction();
    const std::int64_t work = draw.Integer(10, 100);
    if (k % communicator.Size() != communicator.Rank()) continue;
    items.push_back({a, k % 2 == 0 ? a : partner.cwiseMax(box.lower).cwiseMin(box.upper), work});
  }
  return items;
}

double ImbalanceOf(const Communicator& communicator, const Subdomains& subdomains,
                   const std::vector<WorkItem>& items) {
  const std::vector<std::int64_t> work = WorkOfBoxes(communicator, subdomains, items);
  double sum = 0.0;
  for (const std::int64_t box_work : work) sum += static_cast<double>(box_work);
  return static_cast<double>(*std::ranges::max_element(work)) * subdomains.Count() / sum;
}

TEST(Bisection, BoxesHaveEqualWork) {
  const Communicator world = Communicator::World();
  const std::vector<WorkItem> items = MakeItems(world, 40000);
  for (const int boxes : {2, 3, 5, 7, 16, 64}) {
    const Bisection bisection = Bisect(world, Cube(), boxes, kWidth, items, {});
    const Subdomains subdomains = Subdomains::WithCuts(Cube(), bisection.cuts);
    EXPECT_EQ(subdomains.Count(), boxes);
    const double imbalance = ImbalanceOf(world, subdomains, items);
    EXPECT_LT(imbalance, 1.03) << boxes;
    EXPECT_NEAR(imbalance, bisection.imbalance, 1e-3) << boxes;
    EXPECT_GT(ImbalanceOf(world, Subdomains(Cube(), SmallestHaloGrid(Cube(), boxes)), items), 1.4);
  }
}

TEST(Bisection, CutsAreTheSameOnAnyNumberOfRanks) {
  const Communicator world = Communicator::World(), self = Communicator::Self();
  const Bisection parallel = Bisect(world, Cube(), 12, kWidth, MakeItems(world, 5000), {});
  const Bisection serial = Bisect(self, Cube(), 12, kWidth, MakeItems(self, 5000), {});
  EXPECT_EQ(parallel.cuts, serial.cuts);
  EXPECT_EQ(parallel.imbalance, serial.imbalance);
}

TEST(Bisection, NoBoxIsNarrowerThanTheMinimum) {
  const Communicator world = Communicator::World();
  for (const double width : {0.05, 0.1, 0.2}) {
    const Bisection bisection = Bisect(world, Cube(), 25, width, MakeItems(world, 3000), {});
    EXPECT_GE(Subdomains::WithCuts(Cube(), bisection.cuts).SmallestBox().minCoeff(),
              width * 0.999999);
  }
}

TEST(Bisection, MoreBoxesThanFitStillDivideTheDomain) {
  const Communicator world = Communicator::World();
  const Bisection bisection = Bisect(world, Cube(), 30, 0.6, MakeItems(world, 1000), {});
  EXPECT_TRUE(AreCuts(bisection.cuts));
  const Subdomains subdomains = Subdomains::WithCuts(Cube(), bisection.cuts);
  EXPECT_GT(subdomains.SmallestBox().minCoeff(), 0.0);
  EXPECT_EQ(subdomains.Count(), 30);
}

TEST(Bisection, BoxesWithoutWorkHaveEqualSize) {
  const Communicator world = Communicator::World();
  const Bisection bisection = Bisect(world, Cube(), 8, kWidth, {}, {});
  EXPECT_EQ(bisection.imbalance, 1.0);
  const Subdomains subdomains = Subdomains::WithCuts(Cube(), bisection.cuts);
  EXPECT_NEAR(subdomains.SmallestBox().minCoeff(), 0.5, 1e-12);
}

TEST(Bisection, WorkAtOnePointBelongsToOneRank) {
  const Communicator world = Communicator::World();
  const Vec3 x(0.1, 0.2, 0.3);
  std::vector<WorkItem> items;
  if (world.IsRoot()) items.assign(10, {x, x, 7});
  const Bisection bisection = Bisect(world, Cube(), 6, kWidth, items, {});
  EXPECT_NEAR(bisection.imbalance, 6.0, 1e-12);
  EXPECT_NEAR(ImbalanceOf(world, Subdomains::WithCuts(Cube(), bisection.cuts), items), 6.0, 1e-12);
}

TEST(Bisection, CutsLieBetweenLayers) {
  const Communicator world = Communicator::World();
  std::vector<WorkItem> items;
  for (int k = 0; k < 1000 && world.IsRoot(); ++k) {
    const Vec3 x =
        Vec3(-0.3 + (k % 10 + 0.5) * 0.1, (k / 10 % 10 + 0.5) * 0.01, (k / 100 + 0.5) * 0.01);
    items.push_back({x, x, 1});
  }
  const Bisection bisection = Bisect(world, Cube(), 2, kWidth, items, {});
  ASSERT_EQ(bisection.cuts.tree.size(), 1u);
  EXPECT_EQ(bisection.cuts.tree[0].axis, 0);
  EXPECT_NEAR(bisection.cuts.tree[0].position, 0.2, 0.02);
  EXPECT_EQ(bisection.imbalance, 1.0);
}

// Five layers along the longest side cannot be halved; ten layers along the next side can.
TEST(Bisection, AnotherAxisIsCutIfLayersCannotBeHalved) {
  const Communicator world = Communicator::World();
  std::vector<WorkItem> items;
  for (int k = 0; k < 50 && world.IsRoot(); ++k) {
    const Vec3 x = Vec3(-0.3 + (k % 5 + 0.5) * 0.2, (k / 5 + 0.5) * 0.06, 0.5);
    items.push_back({x, x, 1});
  }
  const Bisection bisection = Bisect(world, Cube(), 2, kWidth, items, {});
  EXPECT_EQ(bisection.cuts.tree[0].axis, 1);
  EXPECT_EQ(bisection.imbalance, 1.0);
}

TEST(Bisection, PreviousCutAxisIsKeptWhileItIsNearlyTheLongest) {
  const Communicator world = Communicator::World();
  const auto axis_with = [&](double height) {
    Draw draw(3);
    std::vector<WorkItem> items;
    for (int k = 0; k < 1000 && world.IsRoot(); ++k) {
      const Vec3 x = draw.PointIn({Vec3(0, 0, 0), Vec3(0.3, 0.3, height)});
      items.push_back({x, x, 1});
    }
    const std::vector<Cut> previous_cuts = {{0.1, 0, 1}};
    return Bisect(world, Cube(), 2, kWidth, items, previous_cuts).cuts.tree[0].axis;
  };
  EXPECT_EQ(axis_with(0.36), 0);
  EXPECT_EQ(axis_with(0.6), 2);
}

}  // namespace
}  // namespace scree::bisection_test
