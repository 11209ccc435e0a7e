// Candidate pairs, compared with a search of all pairs, and how long a list is valid.
#include "engine/lists/neighbor_list.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>

#include "tests/support/all_pairs.hpp"
#include "tests/support/lists.hpp"

namespace scree::neighbor_list_test {
namespace {

using Pairs = std::set<std::pair<std::size_t, std::size_t>>;

TEST(NeighborList, EachNearPairIsOnExactlyOneRank) {
  constexpr std::size_t kCount = 250;
  constexpr double kRadius = 0.05, kSkin = 0.03;
  const Communicator world = Communicator::World();
  for (const Subdomains& subdomains : test::DivideUnitCube(world.Size())) {
    const Particles all = test::RandomParticles(subdomains.WholeDomain().box, kCount, kRadius, 1);
    Particles particles = test::OwnedBy(subdomains, world.Rank(), all);
    const SizeClasses classes = test::SortIntoClasses(particles, kSkin);
    const Halo halo = test::MakeNearGhosts(world, subdomains, classes, kSkin, kRadius,
                                           InterfacePairs::kOwnedContact, particles);
    NeighborList list;
    std::vector<PackedSphere> packed;
    BuildNeighborList(particles, classes, halo, {}, {}, {kSkin, kSkin}, packed, list);

    std::vector<std::int64_t> pair_count(kCount * kCount, 0);
    ASSERT_EQ(list.first.size(), particles.owned + 1);
    for (std::size_t i = 0; i < particles.owned; ++i) {
      for (Index k = list.first[i]; k < list.first[i + 1]; ++k) {
        const auto j = static_cast<std::size_t>(list.partner[static_cast<std::size_t>(k)]);
        EXPECT_GT(j, i);
        const auto [low, high] = std::minmax(particles.id[i], particles.id[j]);
        ++pair_count[static_cast<std::size_t>(low) * kCount + static_cast<std::size_t>(high)];
      }
    }
    for (std::size_t g = particles.owned; g < particles.Size(); ++g) {
      EXPECT_TRUE(std::ranges::count(list.partner, static_cast<Index>(g)))
          << "ghost without a pair";
    }
    world.Sum(pair_count);
    const Pairs expected = test::AllPairs(subdomains, all, kSkin);
    EXPECT_GT(expected.size(), 100u);
    for (std::size_t a = 0; a < kCount; ++a) {
      for (std::size_t b = 0; b < kCount; ++b) {
        EXPECT_EQ(pair_count[a * kCount + b], static_cast<std::int64_t>(expected.count({a, b})))
            << a << " and " << b << " on " << world.Size() << " ranks";
      }
    }
  }
}

constexpr double kSortSkin = 0.6;  // skin for which the tests below sort particles

NeighborList ListAtRest(const Particles& particles, const Scene& scene,
                        const std::vector<WallPose>& walls, double skin) {
  return test::ListOf(particles, kSortSkin, Halo(), scene, walls, {skin, skin});
}

Scene PostAndFloor() {
  Scene scene;
  scene.walls.push_back({"floor", {{Plane{{0, 0, 0}, Vec3::UnitZ()}}}, Vec3::Zero(), 0});
  scene.walls.push_back({"post", {{Block{{{0, 0.4, 0.4}, {0.2, 0.6, 0.6}}}}}, Vec3::Zero(), 0});
  return scene;
}

TEST(NeighborList, WallsWithinTheSkinAreListed) {
  constexpr double kSkin = 0.05;
  const Scene scene = PostAndFloor();
  const std::vector<WallPose> walls = {WallPose(), test::DisplacedPose(Vec3(0.3, 0, 0))};
  Particles particles = test::RandomParticles({{0, 0, 0}, {1, 1, 1}}, 500, 0.1, 2);
  test::SortIntoClasses(particles, kSortSkin);
  const NeighborList list = ListAtRest(particles, scene, walls, kSkin);
  std::set<std::pair<Index, Index>> actual, expected;
  for (const WallCandidate& candidate : list.walls) {
    EXPECT_TRUE(actual.emplace(candidate.particle, candidate.wall).second);
  }
  for (std::size_t i = 0; i < particles.owned; ++i) {
    const double limit = particles.radius[i] + kSkin;
    const auto index = static_cast<Index>(i);
    if (particles.position[i].z() < limit) expected.emplace(index, 0);
    const Box post = {{0.3, 0.4, 0.4}, {0.5, 0.6, 0.6}};
    if (post.Distance(particles.position[i]) < limit) expected.emplace(index, 1);
  }
  EXPECT_EQ(actual, expected);
  EXPECT_GT(actual.size(), 50u);
}

/// Spheres on an arc around the origin.
/// @param centre_radius  radius of the last sphere, which is at the origin [m]
Particles Arc(std::size_t count, double distance, double radius, double centre_radius) {
  Particles particles;
  Resize(particles, count + 1);
  particles.owned = count + 1;
  for (std::size_t i = 0; i < particles.owned; ++i) {
    particles.id[i] = static_cast<ParticleId>(i);
    particles.radius[i] = radius;
    const double angle = 0.001 * static_cast<double>(i);
    particles.position[i] = distance * Vec3(std::cos(angle), std::sin(angle), 0.0);
  }
  particles.radius[count] = centre_radius;
  particles.position[count].setZero();
  return particles;
}

TEST(NeighborList, ManySpheresAroundALargeOneAreListed) {
  const NeighborList list = ListAtRest(Arc(2000, 0.102, 1e-3, 0.1), {}, {}, 0.003);
  const Index large_index = 2000;
  EXPECT_EQ(std::count(list.partner.begin(), list.partner.end(), large_index), 2000);
}

/// Particles at one point are an invalid state. A list of all their pairs would not fit into
/// memory.
TEST(NeighborList, ManyParticlesAtOnePointHaveOnePair) {
  const Particles overlapping = Arc(2000, 1e-3, 0.1, 0.1);
  const NeighborList list = ListAtRest(overlapping, {}, {}, 0.003);
  EXPECT_EQ(list.Pairs(), 1u);
  EXPECT_EQ(list.first.size(), overlapping.owned + 1);
  EXPECT_EQ(list.first[1], 1);
}

TEST(NeighborList, WithoutParticlesThereAreNoPairs) {
  const NeighborList list = ListAtRest(Particles(), PostAndFloor(), {WallPose(), WallPose()}, 0.1);
  EXPECT_EQ(list.first.size(), 1u);
  EXPECT_EQ(list.Pairs(), 0u);
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

const Box kUnitBox{{0, 0, 0}, {1, 1, 1}};

using Flow = std::function<Vec3(const Vec3&)>;
using DriftFunction = std::function<DriftField(const Particles&)>;

Flow UniformFlow(const Vec3& drift) {
  return [drift](const Vec3&) { return drift; };
}
DriftFunction ConstantDrift(const Vec3& drift) {
  return [drift](const Particles&) { return drift; };
}

/// Particles move with the flow and change their velocity at random in every step. The list is
/// rebuilt when it is stale. The list must contain all pairs within the margin at any time.
/// @returns the number of rebuilds
int RebuildsDuringRandomMotion(const Flow& flow, const DriftFunction& find_drift) {
  constexpr double kSkin = 0.02, kStep = 1e-3, kMargin = 1e-3, kRadius = 0.06;
  constexpr int kSteps = 200;
  const Vec3 kick(0, 0, -0.01);
  Scene scene;
  scene.domain.box = kUnitBox;
  const Subdomains subdomains(Domain{{{-9, -9, -9}, {9, 9, 9}}, {}}, {1, 1, 1});
  test::Draw draw(3);
  Particles particles = test::RandomParticles(kUnitBox, 150, kRadius, 4);
  std::vector<Vec3> fluctuation = particles.velocity;  // in addition to the drift
  NeighborList list;
  std::vector<PackedSphere> packed;
  Pairs listed;
  int rebuilds = 0;
  double age = 0.0;
  for (int step = 0; step < kSteps; ++step) {
    for (std::size_t i = 0; i < fluctuation.size(); ++i) {
      particles.velocity[i] = fluctuation[i] + flow(particles.position[i]);
    }
    age += kStep;
    const auto covers = [&] {
      return CoversNextStep(list, particles, particles.velocity, {}, age, kStep, kick, kMargin, {},
                            kRadius);
    };
    if (step == 0 || !covers()) {
      // Sorting changes the order of the particles, so `fluctuation` is computed again.
      const SizeClasses classes = test::SortIntoClasses(particles, kSkin);
      for (std::size_t i = 0; i < fluctuation.size(); ++i) {
        fluctuation[i] = particles.velocity[i] - flow(particles.position[i]);
      }
      const ListReach reach = {kSkin, kSkin, find_drift(particles)};
      BuildNeighborList(particles, classes, Halo(), scene, {}, reach, packed, list);
      listed = PairsOf(list);
      ++rebuilds;
      age = kStep;
      EXPECT_TRUE(covers());
    }
    for (std::size_t i = 0; i < particles.owned; ++i) {
      particles.position[i] += kStep * (particles.velocity[i] + kick);
    }
    for (const auto& pair : test::AllPairs(subdomains, particles, kMargin)) {
      EXPECT_TRUE(listed.count(pair)) << pair.first << " and " << pair.second;
    }
    for (Vec3& v : fluctuation) v = 0.9 * v + draw.Vector(0.5);
  }
  return rebuilds;
}

int RebuildsAtRest() {
  return RebuildsDuringRandomMotion(UniformFlow(Vec3::Zero()), ConstantDrift(Vec3::Zero()));
}

TEST(NeighborList, ValidListMissesNoContactDuringRandomMotion) {
  const int rebuilds = RebuildsAtRest();
  EXPECT_GT(rebuilds, 5);
  EXPECT_LT(rebuilds, 100);
}

TEST(NeighborList, OnlyAWrongDriftCausesMoreRebuilds) {
  const Vec3 drift(4, -3, 1), no_drift = Vec3::Zero();
  const int rebuilds_at_rest = RebuildsAtRest();
  EXPECT_NEAR(RebuildsDuringRandomMotion(UniformFlow(drift), ConstantDrift(drift)),
              rebuilds_at_rest, 2);
  EXPECT_GT(RebuildsDuringRandomMotion(UniformFlow(drift), ConstantDrift(no_drift)),
            1.5 * rebuilds_at_rest);
  EXPECT_GT(RebuildsDuringRandomMotion(UniformFlow(no_drift), ConstantDrift(drift)),
            1.5 * rebuilds_at_rest);
}

TEST(NeighborList, ListWithLocalDriftLastsLongerInAShear) {
  const Flow shear = [](const Vec3& x) { return Vec3(8.0 * x.z(), 0, 0); };
  const DriftFunction local = [](const Particles& particles) {
    return LocalDrift(Communicator::Self(), Domain{kUnitBox, {}}, particles, Vec3::Zero(), 0.25);
  };
  const int rebuilds_with_mean = RebuildsDuringRandomMotion(shear, ConstantDrift(Vec3(4.0, 0, 0)));
  EXPECT_LT(RebuildsDuringRandomMotion(shear, local), 0.8 * rebuilds_with_mean);
}

TEST(NeighborList, DriftIsNotSubtractedForWalls) {
  Particles particles = test::RandomParticles({{0, 0, 0}, {1, 1, 1}}, 10, 0.01, 5);
  test::SortIntoClasses(particles, kSortSkin);
  const Vec3 drift(1, 0, 0);
  for (Vec3& v : particles.velocity) v = drift;
  const ListReach reach = {0.5, 0.1, drift};
  const auto covers = [&](const Scene& scene, const std::vector<WallPose>& walls, double distance) {
    const NeighborList list = test::ListOf(particles, kSortSkin, Halo(), scene, walls, reach);
    Particles moved_particles = particles;
    for (Vec3& x : moved_particles.position) x += (distance - 1e-3) * drift;
    return CoversNextStep(list, moved_particles, moved_particles.velocity, walls, distance, 1e-3,
                          Vec3::Zero(), 0.0);
  };
  EXPECT_TRUE(covers({}, {}, 100.0));
  EXPECT_TRUE(covers(PostAndFloor(), {WallPose(), WallPose()}, 0.099));
  EXPECT_FALSE(covers(PostAndFloor(), {WallPose(), WallPose()}, 0.101));
}

TEST(NeighborList, MovingWallsMakeTheListStale) {
  constexpr double kSkin = 0.02, kMargin = 1e-3;
  const Scene scene = PostAndFloor();
  const std::vector<WallPose> start = {WallPose(), test::DisplacedPose(Vec3(0.1, 0, 0))};
  const Particles no_particles;
  const NeighborList list = ListAtRest(no_particles, scene, start, kSkin);
  const auto covers = [&](double distance) {
    return CoversNextStep(list, no_particles, no_particles.velocity,
                          {WallPose(), test::DisplacedPose(Vec3(0.1, distance, 0))}, 1e-3, 1e-3,
                          Vec3::Zero(), kMargin);
  };
  EXPECT_TRUE(covers(0.0));
  EXPECT_TRUE(covers(0.0189));
  EXPECT_FALSE(covers(0.0191));
  EXPECT_FALSE(covers(-0.0191));
}

TEST(NeighborList, RotatingWallMovesAsFarAsItsFarthestReachablePoint) {
  constexpr double kSkin = 0.02, kMargin = 1e-3;
  Scene scene = PostAndFloor();
  scene.domain.box = {{0, 0, 0}, {1, 1, 1}};
  scene.walls[1].rotation = {Vec3(0, 0.5, 0.5), Vec3(0, 0, 1)};
  const Particles no_particles;
  const NeighborList list = ListAtRest(no_particles, scene, WallPoses(scene, 1e-3, 0), kSkin);
  const auto covers = [&](std::int64_t step) {
    return CoversNextStep(list, no_particles, no_particles.velocity, WallPoses(scene, 1e-3, step),
                          1e-3, 1e-3, Vec3::Zero(), kMargin);
  };
  // The post's farthest edge is at (0.2, 0.1) from the axis and may move 0.019. It does so in 85
  // mrad, or 85 steps.
  EXPECT_TRUE(covers(84));
  EXPECT_FALSE(covers(86));
  scene.walls[1].removed_at = 0.05;
  EXPECT_TRUE(covers(86));
  // A rotation about its own axis does not change the pipe.
  scene.walls[1].shape = {{Pipe{{0, 0.5, 0}, {0, 0.5, 1}, 0.4}}};
  scene.walls[1].rotation.centre = Vec3(0, 0.5, 0);
  scene.walls[1].removed_at = HUGE_VAL;
  EXPECT_TRUE(covers(1000000));
}

TEST(NeighborList, WallsListOnlyParticlesOfMaterialsThatTheyStop) {
  Scene scene = PostAndFloor();
  Particles particles = test::RandomParticles({{0, 0, 0}, {1, 1, 1}}, 500, 0.1, 2);
  test::SortIntoClasses(particles, kSortSkin);
  for (std::size_t i = 0; i < particles.owned; ++i) {
    particles.material[i] = static_cast<MaterialId>(i % 3);
  }
  const std::vector<WallPose> walls(2);
  const auto all = ListAtRest(particles, scene, walls, 0.05).walls;
  scene.walls[0].stops = {0, 2};
  const auto listed = ListAtRest(particles, scene, walls, 0.05).walls;
  std::vector<WallCandidate> expected;
  std::ranges::copy_if(all, std::back_inserter(expected), [](const WallCandidate& candidate) {
    return candidate.wall != 0 || candidate.particle % 3 != 1;
  });
  EXPECT_LT(expected.size(), all.size());
  ASSERT_EQ(listed.size(), expected.size());
  for (std::size_t k = 0; k < listed.size(); ++k) {
    EXPECT_EQ(listed[k].particle, expected[k].particle);
    EXPECT_EQ(listed[k].wall, expected[k].wall);
  }
}

TEST(NeighborList, RemovedWallsAreNotListed) {
  Scene scene = PostAndFloor();
  scene.walls[0].removed_at = 5e-3;
  Particles particles = test::RandomParticles({{0, 0, 0}, {1, 1, 1}}, 500, 0.1, 2);
  test::SortIntoClasses(particles, kSortSkin);
  const auto floor_candidates = [&](std::int64_t step) {
    std::size_t count = 0;
    for (const WallCandidate& candidate :
         ListAtRest(particles, scene, WallPoses(scene, 1e-3, step), 0.05).walls) {
      count += candidate.wall == 0;
    }
    return count;
  };
  EXPECT_GT(floor_candidates(4), 10u);
  EXPECT_EQ(floor_candidates(5), 0u);
}

TEST(NeighborList, NaNMakesTheListStaleButRemovedParticlesDoNot) {
  Particles particles = test::RandomParticles({{0, 0, 0}, {1, 1, 1}}, 10, 0.01, 5);
  for (Vec3& v : particles.velocity) v.setZero();
  test::SortIntoClasses(particles, kSortSkin);
  const NeighborList list = ListAtRest(particles, {}, {}, 0.1);
  particles.position[4].x() = 1e100;
  EXPECT_FALSE(
      CoversNextStep(list, particles, particles.velocity, {}, 1e-3, 1e-3, Vec3::Zero(), 0.0));
  particles.id[4] = kRemovedId;
  EXPECT_TRUE(
      CoversNextStep(list, particles, particles.velocity, {}, 1e-3, 1e-3, Vec3::Zero(), 0.0));
  particles.position[5].y() = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(
      CoversNextStep(list, particles, particles.velocity, {}, 1e-3, 1e-3, Vec3::Zero(), 0.0));
}

}  // namespace
}  // namespace scree::neighbor_list_test
