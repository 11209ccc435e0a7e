// Candidate pairs against a look at all pairs, and how long the list may be trusted.
#include "engine/neighbor_list.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "tests/support/all_pairs.hpp"

namespace scree {
namespace {

using Pairs = std::set<std::pair<std::size_t, std::size_t>>;

TEST(NeighborList, EachClosePairIsOnExactlyOneRank) {
  constexpr std::size_t kCount = 250;
  constexpr double kRadius = 0.05, kSkin = 0.03;
  const Communicator world = Communicator::World();
  for (const Subdomains& subdomains : test::UnitCubes(world.Size())) {
    const Particles all = test::RandomParticles(subdomains.WholeDomain().box, kCount, kRadius, 1);
    Particles particles = test::OwnedBy(subdomains, world.Rank(), all);
    const Halo halo = BuildHalo(world, subdomains, 2.0 * kRadius + kSkin, particles);
    const NeighborList list = BuildNeighborList(particles, halo, {}, {}, kSkin, world.Rank());

    std::vector<std::int64_t> found(kCount * kCount, 0);
    ASSERT_EQ(list.first.size(), particles.owned + 1);
    for (std::size_t i = 0; i < particles.owned; ++i) {
      for (Index k = list.first[i]; k < list.first[i + 1]; ++k) {
        const auto j = static_cast<std::size_t>(list.partner[static_cast<std::size_t>(k)]);
        EXPECT_GT(j, i);
        const auto [low, high] = std::minmax(particles.id[i], particles.id[j]);
        ++found[static_cast<std::size_t>(low) * kCount + static_cast<std::size_t>(high)];
      }
    }
    world.Sum(found);
    const Pairs expected = test::AllPairs(subdomains, all, kSkin);
    EXPECT_GT(expected.size(), 100u);
    for (std::size_t a = 0; a < kCount; ++a) {
      for (std::size_t b = 0; b < kCount; ++b) {
        EXPECT_EQ(found[a * kCount + b], static_cast<std::int64_t>(expected.count({a, b})))
            << a << " and " << b << " on " << world.Size() << " ranks";
      }
    }
  }
}

Scene PostAndFloor() {
  Scene scene;
  scene.walls.push_back({"floor", {{Plane{{0, 0, 0}, Vec3::UnitZ()}}}, Vec3::Zero(), 0});
  scene.walls.push_back({"post", {{Block{{{0, 0.4, 0.4}, {0.2, 0.6, 0.6}}}}}, Vec3::Zero(), 0});
  return scene;
}

TEST(NeighborList, WallsWithinTheSkinWhereTheyAreNow) {
  constexpr double kSkin = 0.05;
  const Scene scene = PostAndFloor();
  const std::vector<Vec3> walls = {Vec3::Zero(), Vec3(0.3, 0, 0)};
  const Particles particles = test::RandomParticles({{0, 0, 0}, {1, 1, 1}}, 500, 0.1, 2);
  const NeighborList list = BuildNeighborList(particles, Halo(), scene, walls, kSkin, 0);
  std::set<std::pair<Index, Index>> found, expected;
  for (const WallCandidate& candidate : list.walls) {
    EXPECT_TRUE(found.emplace(candidate.particle, candidate.wall).second);
  }
  for (std::size_t i = 0; i < particles.owned; ++i) {
    const double limit = particles.radius[i] + kSkin;
    const auto index = static_cast<Index>(i);
    if (particles.position[i].z() < limit) expected.emplace(index, 0);
    const Box post = {{0.3, 0.4, 0.4}, {0.5, 0.6, 0.6}};
    if (post.Distance(particles.position[i]) < limit) expected.emplace(index, 1);
  }
  EXPECT_EQ(found, expected);
  EXPECT_GT(found.size(), 50u);
}

TEST(NeighborList, NoParticlesNoPairs) {
  const NeighborList list =
      BuildNeighborList(Particles(), Halo(), PostAndFloor(), {Vec3::Zero(), Vec3::Zero()}, 0.1, 0);
  EXPECT_EQ(list.first.size(), 1u);
  EXPECT_TRUE(list.partner.empty());
  EXPECT_TRUE(list.walls.empty());
}

Pairs PairsOf(const NeighborList& list) {
  Pairs pairs;
  for (std::size_t i = 0; i + 1 < list.first.size(); ++i) {
    for (Index k = list.first[i]; k < list.first[i + 1]; ++k) {
      pairs.emplace(i, static_cast<std::size_t>(list.partner[static_cast<std::size_t>(k)]));
    }
  }
  return pairs;
}

/// Particles that change their velocity at random in every step; the list is made anew when it
/// says so. No pair within the margin may ever be missing from it.
TEST(NeighborList, TrustedListMissesNoContactDuringRandomMotion) {
  constexpr double kSkin = 0.02, kStep = 1e-3, kMargin = 1e-3;
  const Vec3 kick(0, 0, -0.01);
  const Subdomains subdomains(Domain{{{0, 0, 0}, {1, 1, 1}}, {}}, {1, 1, 1});
  test::Draw draw(3);
  Particles particles = test::RandomParticles({{0, 0, 0}, {1, 1, 1}}, 150, 0.06, 4);
  NeighborList list = BuildNeighborList(particles, Halo(), {}, {}, kSkin, 0);
  Pairs listed = PairsOf(list);
  int rebuilds = 0;
  constexpr int kSteps = 200;
  for (int step = 0; step < kSteps; ++step) {
    if (!CoversNextStep(list, particles, {}, kStep, kick, kMargin)) {
      list = BuildNeighborList(particles, Halo(), {}, {}, kSkin, 0);
      listed = PairsOf(list);
      ++rebuilds;
      ASSERT_TRUE(CoversNextStep(list, particles, {}, kStep, kick, kMargin));
    }
    for (std::size_t i = 0; i < particles.owned; ++i) {
      particles.position[i] += kStep * (particles.velocity[i] + kick);
    }
    for (const auto& pair : test::AllPairs(subdomains, particles, kMargin)) {
      ASSERT_TRUE(listed.count(pair)) << pair.first << " and " << pair.second;
    }
    for (Vec3& v : particles.velocity) v = 0.9 * v + draw.Vector(0.5);
  }
  EXPECT_GT(rebuilds, 5);
  EXPECT_LT(rebuilds, kSteps / 2);
}

TEST(NeighborList, MovingWallsCountToo) {
  constexpr double kSkin = 0.02, kMargin = 1e-3;
  const Scene scene = PostAndFloor();
  const std::vector<Vec3> start = {Vec3::Zero(), Vec3(0.1, 0, 0)};
  const Particles none;
  const NeighborList list = BuildNeighborList(none, Halo(), scene, start, kSkin, 0);
  const auto covers = [&](double moved) {
    return CoversNextStep(list, none, {Vec3::Zero(), start[1] + Vec3(0, moved, 0)}, 1e-3,
                          Vec3::Zero(), kMargin);
  };
  EXPECT_TRUE(covers(0.0));
  EXPECT_TRUE(covers(0.009));
  EXPECT_FALSE(covers(0.01));
  EXPECT_FALSE(covers(-0.01));
}

TEST(NeighborList, NaNIsNotTrustedAndTheGoneDoNotMatter) {
  Particles particles = test::RandomParticles({{0, 0, 0}, {1, 1, 1}}, 10, 0.01, 5);
  for (Vec3& v : particles.velocity) v.setZero();
  const NeighborList list = BuildNeighborList(particles, Halo(), {}, {}, 0.1, 0);
  particles.position[4].x() = 1e100;
  EXPECT_FALSE(CoversNextStep(list, particles, {}, 1e-3, Vec3::Zero(), 0.0));
  particles.id[4] = kGone;
  EXPECT_TRUE(CoversNextStep(list, particles, {}, 1e-3, Vec3::Zero(), 0.0));
  particles.position[5].y() = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(CoversNextStep(list, particles, {}, 1e-3, Vec3::Zero(), 0.0));
}

}  // namespace
}  // namespace scree
