// Lattice fills: how many, where, with which ids.
#include "engine/lattice.hpp"

#include <gtest/gtest.h>

#include <set>

#include "tests/support/paper_channel.hpp"

namespace scree {
namespace {

bool Everywhere(const Vec3&) { return true; }

TEST(Lattice, CountsWholeSpacingsDespiteRounding) {
  for (int sites = 1; sites <= 200; ++sites) {
    for (const double lower : {0.0, 0.01, -0.037}) {
      const double width = 0.001 * sites;
      const Lattice exact{{Vec3::Constant(lower), Vec3::Constant(lower + width)}, 0.001};
      EXPECT_EQ(exact.Sites()[0], sites);
      const Lattice narrower{{Vec3::Constant(lower), Vec3::Constant(lower + width - 1e-6)}, 0.001};
      EXPECT_EQ(narrower.Sites()[2], sites - 1);
    }
  }
  EXPECT_EQ((Lattice{{Vec3::Zero(), Vec3(0.15, 0.065, 0.02)}, 0.001}.Sites()),
            (std::array<std::int64_t, 3>{150, 65, 20}));
}

TEST(Lattice, ChannelHoldsItsNumberOfParticles) {
  Particles particles;
  MakeFills(test::PaperChannel(), Everywhere, particles);
  EXPECT_EQ(particles.owned, 187680u);
  EXPECT_EQ(particles.Size(), 187680u);
  EXPECT_EQ(FillSites(test::PaperChannel()), 195000);
}

TEST(Lattice, IdsNumberTheSitesAndEmptySitesKeepTheirs) {
  Scene scene;
  scene.materials.Add({"grain", 1000.0}, 0.0);
  const GrainTemplate grain = {0.4, 0, Vec3(1, 2, 3), Vec3::Zero()};
  scene.fills.push_back({{{{0, 0, 0}, {3, 2, 2}}, 1.0}, grain});
  scene.fills.push_back({{{{0, 0, 5}, {1, 1, 7}}, 1.0}, grain});
  scene.walls.push_back({"post", {{Block{{{0.9, -1, -1}, {1.2, 3, 1.5}}}}}, Vec3::Zero(), 0});

  Particles particles;
  MakeFills(scene, Everywhere, particles);
  // The post overlaps the spheres at x = 1.5 and leaves those at x = 0.5 just free; z = 1.5 too.
  const std::set<ParticleId> left_out = {1, 4, 7, 10};
  std::set<ParticleId> ids(particles.id.begin(), particles.id.end());
  EXPECT_EQ(ids.size(), particles.Size());
  for (ParticleId id = 0; id < 14; ++id) EXPECT_EQ(ids.count(id), 1u - left_out.count(id)) << id;
  EXPECT_EQ(FillSites(scene), 14);
  for (std::size_t i = 0; i < particles.Size(); ++i) {
    const ParticleId id = particles.id[i];
    const Vec3 expected =
        id >= 12 ? Vec3(0.5, 0.5, 5.5 + static_cast<double>(id - 12))
                 : Vec3(0.5 + static_cast<double>(id % 3), 0.5 + static_cast<double>(id / 3 % 2),
                        0.5 + static_cast<double>(id / 6));
    EXPECT_LT((particles.position[i] - expected).norm(), 1e-14);
    EXPECT_EQ(particles.velocity[i], Vec3(1, 2, 3));
  }
}

TEST(Lattice, RanksMakeTheSameParticlesBetweenThem) {
  const Scene scene = test::PaperChannel();
  Particles all, left, right;
  MakeFills(scene, Everywhere, all);
  const auto is_left = [](const Vec3& x) { return x.x() < 0.0405; };
  MakeFills(scene, is_left, left);
  MakeFills(
      scene, [&](const Vec3& x) { return !is_left(x); }, right);
  ASSERT_EQ(left.owned + right.owned, all.owned);
  std::size_t l = 0, r = 0;
  for (std::size_t i = 0; i < all.Size(); ++i) {
    const bool from_left = l < left.Size() && left.id[l] == all.id[i];
    const Particles& part = from_left ? left : right;
    const std::size_t k = from_left ? l++ : r++;
    ASSERT_EQ(part.id[k], all.id[i]);
    ASSERT_EQ(part.velocity[k], all.velocity[i]);
    ASSERT_EQ(part.position[k], all.position[i]);
  }
}

TEST(Lattice, JitterStaysInItsBoundsAndFollowsTheSeed) {
  Scene scene = test::PaperChannel();
  Particles first, again, other;
  MakeFills(scene, Everywhere, first);
  MakeFills(scene, Everywhere, again);
  scene.seed = 2;
  MakeFills(scene, Everywhere, other);
  EXPECT_EQ(first.velocity, again.velocity);
  EXPECT_NE(first.velocity, other.velocity);
  Vec3 lowest = Vec3::Constant(9), highest = Vec3::Constant(-9);
  for (const Vec3& v : first.velocity) {
    lowest = lowest.cwiseMin(v);
    highest = highest.cwiseMax(v);
  }
  EXPECT_EQ(lowest.x(), 1.0);
  EXPECT_EQ(highest.x(), 1.0);
  for (int axis = 1; axis < 3; ++axis) {
    EXPECT_GE(lowest[axis], -0.5);
    EXPECT_LT(highest[axis], 0.5);
    EXPECT_LT(lowest[axis], -0.499);
    EXPECT_GT(highest[axis], 0.499);
  }
}

}  // namespace
}  // namespace scree
