// Owners of points, and neighbours of ranks.
#include "engine/ranks/subdomains.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "solvers/base/check.hpp"
#include "tests/support/draw.hpp"

namespace scree::subdomains_test {
namespace {

using test::Draw;

Domain MakeDomain(const Vec3& lower, const Vec3& upper, std::array<bool, 3> periodic = {}) {
  return {{lower, upper}, periodic};
}

const std::vector<std::array<int, 3>> kGrids = {{1, 1, 1}, {4, 1, 1}, {2, 3, 1},
                                                {1, 2, 5}, {3, 3, 3}, {7, 2, 4}};

/// Domains whose cuts are rounded.
const Domain kOpen = MakeDomain({-0.1, 0.3, 1e-3}, {0.2, 1.7, 0.123});
const Domain kMixed = MakeDomain({-0.1, 0.3, 1e-3}, {0.2, 1.7, 0.123}, {true, false, true});
const Domain kPeriodic = MakeDomain({-0.1, 0.3, 1e-3}, {0.2, 1.7, 0.123}, {true, true, true});

Subdomains RandomTree(const Domain& domain, int boxes, std::uint64_t stream) {
  Draw draw(stream);
  Cuts cuts;
  const std::function<void(const Box&, int)> divide = [&](const Box& box, int ranks) {
    if (ranks == 1) return;
    const int axis = draw.Integer(0, 2);
    const double fraction = draw.Uniform(0.2, 0.8);
    const Cut cut{box.lower[axis] + fraction * box.Extent()[axis], axis,
                  draw.Integer(1, ranks - 1)};
    cuts.tree.push_back(cut);
    divide(LowerPart(box, cut), cut.ranks_below);
    divide(UpperPart(box, cut), ranks - cut.ranks_below);
  };
  divide(domain.box, boxes);
  return Subdomains::WithCuts(domain, cuts);
}

/// Subdomains of all kinds: grids, and trees that are not grids.
std::vector<Subdomains> AllKinds(const Domain& domain) {
  std::vector<Subdomains> all;
  for (const auto& grid : kGrids) all.emplace_back(domain, grid);
  for (const int boxes : {2, 3, 5, 16, 40}) {
    all.push_back(RandomTree(domain, boxes, static_cast<std::uint64_t>(boxes)));
  }
  return all;
}

void ExpectOneOwner(const Subdomains& subdomains, const Vec3& x) {
  int owners = 0;
  for (int rank = 0; rank < subdomains.Count(); ++rank) {
    if (!subdomains.BoxOf(rank).Contains(x)) continue;
    ++owners;
    EXPECT_EQ(subdomains.OwnerOf(x), rank);
  }
  EXPECT_EQ(owners, 1) << x.transpose();
}

TEST(Subdomains, EveryPointHasExactlyOneOwner) {
  Draw draw(1);
  for (const Domain& domain : {kOpen, kMixed, kPeriodic}) {
    for (const Subdomains& subdomains : AllKinds(domain)) {
      for (int k = 0; k < 500; ++k) ExpectOneOwner(subdomains, draw.PointIn(domain.box));
    }
  }
}

TEST(Subdomains, PointsOnAndNextToTheCutsHaveExactlyOneOwner) {
  Draw draw(2);
  for (const Subdomains& subdomains : AllKinds(kPeriodic)) {
    for (int rank = 0; rank < subdomains.Count(); ++rank) {
      const Box box = subdomains.BoxOf(rank);
      for (int axis = 0; axis < 3; ++axis) {
        Vec3 x = draw.PointIn(box);
        x[axis] = box.lower[axis];
        ExpectOneOwner(subdomains, x);
        x[axis] = std::nextafter(box.upper[axis], box.lower[axis]);
        ExpectOneOwner(subdomains, x);
        EXPECT_EQ(subdomains.OwnerOf(x), rank);
      }
      ExpectOneOwner(subdomains, box.lower);
    }
  }
}

TEST(Subdomains, NearestBoxOwnsPointsBeyondOpenEnds) {
  const Subdomains subdomains(kOpen, {2, 3, 1});
  Draw draw(3);
  for (int k = 0; k < 500; ++k) ExpectOneOwner(subdomains, draw.Vector(5.0));
  ExpectOneOwner(subdomains, kOpen.box.upper);
  EXPECT_EQ(subdomains.OwnerOf({-1e300, 0.3, 0.0}), 0);
  EXPECT_EQ(subdomains.OwnerOf({1e300, 1e300, 1e300}), subdomains.Count() - 1);
}

TEST(Subdomains, WrapReturnsTheSamePointInsideTheDomain) {
  Draw draw(4);
  for (int k = 0; k < 2000; ++k) {
    const Vec3 lower = draw.Vector(1.0);
    const Vec3 upper = lower + Vec3::Constant(1.5) + draw.Vector(1.0);
    const Subdomains subdomains(MakeDomain(lower, upper, {true, true, false}), {1, 1, 1});
    const Vec3 x = draw.Vector(10.0);
    const Vec3 wrapped = subdomains.Wrap(x);
    EXPECT_EQ(wrapped.z(), x.z());
    for (int axis = 0; axis < 2; ++axis) {
      EXPECT_GE(wrapped[axis], lower[axis]);
      EXPECT_LT(wrapped[axis], upper[axis]);
      const double periods = (x[axis] - wrapped[axis]) / (upper[axis] - lower[axis]);
      EXPECT_NEAR(periods, std::round(periods), 1e-12);
    }
  }
}

TEST(Subdomains, WrapKeepsInnerPointsAndMovesTheEndsInside) {
  constexpr double kTiny = std::numeric_limits<double>::denorm_min();
  Draw draw(5);
  for (int k = 0; k < 2000; ++k) {
    const Vec3 lower = k == 0 ? Vec3(0, 0, 0) : draw.Vector(0.2);
    const Vec3 upper = lower + Vec3(2.0, 0.3, 1.7) + (k == 0 ? Vec3(0, 0, 0) : draw.Vector(0.1));
    const Box box{lower, upper};
    const Subdomains subdomains(MakeDomain(lower, upper, {true, true, true}), {1, 1, 1});
    const Vec3 inner = draw.PointIn(box);
    EXPECT_EQ(subdomains.Wrap(inner), inner);
    EXPECT_TRUE(box.Contains(subdomains.Wrap(upper)));
    EXPECT_TRUE(box.Contains(subdomains.Wrap(Vec3(lower.array() - kTiny))));
    EXPECT_TRUE(box.Contains(subdomains.Wrap(Vec3(lower.array() - 1e-17))));
    EXPECT_TRUE(box.Contains(subdomains.Wrap(Vec3(upper.array() + 1e-16))));
  }
}

TEST(Subdomains, NeighboursAreMutualWithOppositeImages) {
  for (const Domain& domain : {kOpen, kMixed, kPeriodic}) {
    for (const Subdomains& subdomains : AllKinds(domain)) {
      for (int rank = 0; rank < subdomains.Count(); ++rank) {
        for (const NeighbourSubdomain& neighbour : subdomains.NeighboursWithin(rank, 0.01)) {
          int return_count = 0;
          for (const NeighbourSubdomain& return_neighbour :
               subdomains.NeighboursWithin(neighbour.rank, 0.01)) {
            bool is_opposite = return_neighbour.rank == rank;
            for (std::size_t a = 0; a < 3; ++a)
              is_opposite &= return_neighbour.image[a] == -neighbour.image[a];
            return_count += is_opposite;
          }
          EXPECT_EQ(return_count, 1);
          EXPECT_EQ(neighbour.box.lower, subdomains.BoxOf(neighbour.rank).lower);
        }
      }
    }
  }
}

/// All ranks and images whose boxes are within reach, found by a loop over all of them.
std::vector<std::pair<int, Image>> FindNeighboursBySearch(const Subdomains& subdomains, int rank,
                                                          double reach) {
  std::vector<std::pair<int, Image>> neighbours;
  const std::array<bool, 3> periodic = subdomains.WholeDomain().periodic;
  const Box box = subdomains.BoxOf(rank);
  for (int rank_b = 0; rank_b < subdomains.Count(); ++rank_b) {
    const Box box_b = subdomains.BoxOf(rank_b);
    for (int number = 0; number < 27; ++number) {
      const std::array<int, 3> shift = {number / 9 - 1, number / 3 % 3 - 1, number % 3 - 1};
      Image image = {};
      double squared = 0.0;
      bool exists = rank_b != rank || shift != std::array<int, 3>{0, 0, 0};
      for (std::size_t a = 0; a < 3; ++a) {
        exists = exists && (shift[a] == 0 || periodic[a]);
        image[a] = static_cast<std::int8_t>(shift[a]);
        const auto e = static_cast<Eigen::Index>(a);
        const double length =
            shift[a] == 0 ? 0.0 : shift[a] * subdomains.WholeDomain().box.Extent()[e];
        const double gap = std::max(
            {0.0, box.lower[e] + length - box_b.upper[e], box_b.lower[e] - box.upper[e] - length});
        squared += gap * gap;
      }
      if (exists && std::sqrt(squared) < reach) neighbours.emplace_back(rank_b, image);
    }
  }
  std::sort(neighbours.begin(), neighbours.end());
  return neighbours;
}

TEST(Subdomains, AllBoxesWithinReachAreNeighbours) {
  for (const Domain& domain : {kOpen, kMixed, kPeriodic}) {
    for (const Subdomains& subdomains : AllKinds(domain)) {
      const double reach = std::min(1.0, 0.999 * subdomains.LargestReach());
      ASSERT_NO_THROW(subdomains.RequireWidth(reach));
      for (int rank = 0; rank < subdomains.Count(); ++rank) {
        std::vector<std::pair<int, Image>> actual;
        for (const NeighbourSubdomain& neighbour : subdomains.NeighboursWithin(rank, reach)) {
          actual.emplace_back(neighbour.rank, neighbour.image);
        }
        EXPECT_EQ(actual, FindNeighboursBySearch(subdomains, rank, reach));
      }
    }
  }
}

std::string WidthError(const Subdomains& subdomains, double reach, double skin = 0.0) {
  try {
    subdomains.RequireWidth(reach, skin);
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

TEST(Subdomains, CutsReproduceTheBoxes) {
  for (const Subdomains& subdomains : AllKinds(kMixed)) {
    const Cuts cuts = subdomains.Description();
    EXPECT_TRUE(AreCuts(cuts));
    EXPECT_EQ(CountBoxes(cuts), subdomains.Count());
    const Subdomains restored = Subdomains::WithCuts(kMixed, cuts);
    EXPECT_EQ(restored.Description(), cuts);
    EXPECT_EQ(restored.SmallestBox(), subdomains.SmallestBox());
    for (int rank = 0; rank < subdomains.Count(); ++rank) {
      EXPECT_EQ(restored.BoxOf(rank).lower, subdomains.BoxOf(rank).lower);
      EXPECT_EQ(restored.BoxOf(rank).upper, subdomains.BoxOf(rank).upper);
    }
  }
  EXPECT_EQ(DescribeCuts(Subdomains(kMixed, {7, 2, 4}).Description()), "7x2x4");
  EXPECT_EQ(DescribeCuts(RandomTree(kMixed, 5, 1).Description()), "5 boxes by bisection");
}

// Ranks of a grid are numbered along x first, then y, then z.
TEST(Subdomains, GridsHaveEqualBoxesInOrder) {
  const Domain domain = MakeDomain({0, 0, 0}, {7, 2, 4}, {true, true, true});
  const Subdomains subdomains(domain, {7, 2, 4});
  for (int rank = 0; rank < 56; ++rank) {
    const Vec3 lower(rank % 7, rank / 7 % 2, rank / 14);
    EXPECT_LT((subdomains.BoxOf(rank).lower - lower).norm(), 1e-14);
    EXPECT_LT((subdomains.BoxOf(rank).upper - lower - Vec3::Ones()).norm(), 1e-14);
  }
  EXPECT_EQ(subdomains.SmallestBox(), Vec3::Ones());
}

TEST(Subdomains, InvalidNumbersAreNotCuts) {
  EXPECT_TRUE(AreCuts({{2, 3, 1}, {}}));
  EXPECT_TRUE(AreCuts({{}, {{0.5, 2, 1}}}));
  EXPECT_FALSE(AreCuts({}));
  EXPECT_FALSE(AreCuts({{2, 0, 1}, {}}));
  EXPECT_FALSE(AreCuts({{0, 2, 1}, {{0.5, 2, 1}}}));
  EXPECT_FALSE(AreCuts({{2, 3, 1}, {{0.5, 2, 1}}}));
  EXPECT_FALSE(AreCuts({{100000, 100000, 1}, {}}));
  EXPECT_FALSE(AreCuts({{}, {{0.5, 3, 1}}}));
  EXPECT_FALSE(AreCuts({{}, {{0.5, -1, 1}}}));
  EXPECT_FALSE(AreCuts({{}, {{0.5, 0, 0}}}));
  EXPECT_FALSE(AreCuts({{}, {{0.5, 0, 2}}}));  // no rank above the cut
  EXPECT_FALSE(AreCuts({{}, {{std::nan(""), 0, 1}}}));
  EXPECT_FALSE(AreCuts({{}, std::vector<Cut>(100, {0.5, 0, 1})}));  // deeper than any bisection
}

TEST(Subdomains, BoxesFromBisectionMayBeNarrowerThanTheReach) {
  const Domain domain = MakeDomain({0, 0, 0}, {1, 1, 1}, {false, true, false});
  const Subdomains narrow = RandomTree(domain, 40, 7);
  EXPECT_LT(narrow.SmallestBox().minCoeff(), 0.1);
  EXPECT_EQ(WidthError(narrow, 0.49), "");
  EXPECT_NE(WidthError(narrow, 0.51).find("periodic length along y"), std::string::npos);
}

TEST(Subdomains, OnlyNeighboursOfASingleBoxAreItsPeriodicImages) {
  EXPECT_TRUE(Subdomains(kOpen, {1, 1, 1}).NeighboursWithin(0, 1e9).empty());
  EXPECT_EQ(Subdomains(kPeriodic, {1, 1, 1}).NeighboursWithin(0, 0.01).size(), 26u);
}

TEST(Subdomains, TooNarrowBoxesAreErrorsWithAdvice) {
  const Domain domain = MakeDomain({0, 0, 0}, {1, 1, 1});
  const Subdomains subdomains(domain, {1, 4, 1});
  EXPECT_EQ(WidthError(subdomains, 0.25), "");
  const std::string error = WidthError(subdomains, 0.3);
  EXPECT_NE(error.find("4 boxes along y"), std::string::npos) << error;
  EXPECT_NE(error.find("at most 3 along y"), std::string::npos) << error;
  EXPECT_NE(WidthError(subdomains, 2.0).find("at most 1 along y"), std::string::npos);
  EXPECT_EQ(WidthError(Subdomains(domain, {1, 1, 1}), 1e9), "");
}

TEST(Subdomains, TooShortPeriodicLengthsAreErrors) {
  const Subdomains subdomains(MakeDomain({0, 0, 0}, {1, 1, 0.4}, {false, false, true}), {1, 1, 1});
  EXPECT_EQ(WidthError(subdomains, 0.2), "");
  const std::string error = WidthError(subdomains, 0.201);
  EXPECT_NE(error.find("periodic length along z is 0.4"), std::string::npos) << error;
  EXPECT_NE(error.find("0.402"), std::string::npos) << error;
  EXPECT_EQ(error.find("parallel.skin"), std::string::npos) << error;
}

TEST(Subdomains, ErrorSuggestsASmallEnoughSkin) {
  const Subdomains period(MakeDomain({0, 0, 0}, {1, 1, 0.4}, {false, false, true}), {1, 1, 1});
  // The reach may be half the periodic length, 0.2. Without the skin it is 0.15, so that 0.05 is
  // left for the skin. The error suggests 80 % of that.
  const std::string error = WidthError(period, 0.25, 0.1);
  EXPECT_NE(error.find("parallel.skin = 0.04 m"), std::string::npos) << error;
  EXPECT_EQ(WidthError(period, 0.15 + 0.04, 0.04), "");
  const Subdomains boxes(MakeDomain({0, 0, 0}, {1, 1, 1}), {1, 4, 1});
  EXPECT_NE(WidthError(boxes, 0.3, 0.1).find("parallel.skin = 0.04 m"), std::string::npos);
  EXPECT_EQ(WidthError(boxes, 0.4, 0.1).find("parallel.skin"), std::string::npos);
}

TEST(Subdomains, SmallestHaloGridHasTheSmallestHaloOfAllGrids) {
  using Grid = std::array<int, 3>;
  const Domain channel = MakeDomain({0, 0, 0}, {0.15, 0.065, 0.02});
  EXPECT_EQ(SmallestHaloGrid(channel, 1), (Grid{1, 1, 1}));
  EXPECT_EQ(SmallestHaloGrid(channel, 2), (Grid{2, 1, 1}));
  EXPECT_EQ(SmallestHaloGrid(channel, 7), (Grid{7, 1, 1}));
  EXPECT_EQ(SmallestHaloGrid(MakeDomain({0, 0, 0}, {1, 1, 1}), 8), (Grid{2, 2, 2}));
  EXPECT_EQ(SmallestHaloGrid(MakeDomain({0, 0, 0}, {1, 1, 1}), 4), (Grid{2, 2, 1}));
  EXPECT_EQ(SmallestHaloGrid(MakeDomain({0, 0, 0}, {1, 1, 9}), 5), (Grid{1, 1, 5}));
  const Vec3 length = channel.box.Extent();
  const auto area = [&length](const Grid& grid) {
    return (grid[0] - 1) * length[1] * length[2] + (grid[1] - 1) * length[0] * length[2] +
           (grid[2] - 1) * length[0] * length[1];
  };
  for (const int ranks : {12, 64, 640}) {
    const Grid best = SmallestHaloGrid(channel, ranks);
    EXPECT_EQ(best[0] * best[1] * best[2], ranks);
    for (int x = 1; x <= ranks; ++x) {
      for (int y = 1; x * y <= ranks; ++y) {
        const int z = ranks / (x * y);
        if (x * y * z != ranks) continue;
        EXPECT_LE(area(best), area({x, y, z}) * (1.0 + 1e-12));
      }
    }
  }
}

}  // namespace
}  // namespace scree::subdomains_test
