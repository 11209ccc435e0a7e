// Inserted layers in front of the piston, and removal at outflow faces.
#include "engine/particles/inflow.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "engine/scene/wall_motion.hpp"
#include "tests/support/paper_channel.hpp"

namespace scree::inflow_test {
namespace {

using test::kChannelStep;

bool OwnsAll(const Vec3&) { return true; }

TEST(Inflow, ChannelInserts27300ParticlesIn20Milliseconds) {
  constexpr ParticleId kFirstId = 195000;
  const Scene scene = test::PaperChannel();
  std::int64_t inserted = 0;
  std::set<ParticleId> ids;
  for (std::int64_t step = 0; step <= 2000; ++step) {
    ASSERT_EQ(IsLayerDue(scene, kChannelStep, step), step > 0 && step % 94 == 0) << step;
    if (!IsLayerDue(scene, kChannelStep, step)) continue;
    Particles layer;
    EXPECT_EQ(InsertLayer(scene, kChannelStep, step, kFirstId, OwnsAll, layer), 1300);
    EXPECT_EQ(layer.owned, 1300u);
    EXPECT_EQ(layer.Size(), 1300u);
    inserted += 1300;
    ids.insert(layer.id.begin(), layer.id.end());
  }
  EXPECT_EQ(inserted, 27300);
  ASSERT_EQ(ids.size(), 27300u);
  EXPECT_EQ(*ids.begin(), kFirstId);
  EXPECT_EQ(*ids.rbegin(), kFirstId + 27299);
}

TEST(Inflow, LayersAreOneRadiusInFrontOfThePiston) {
  const Scene scene = test::PaperChannel();
  Particles particles;
  InsertLayer(scene, kChannelStep, 94, 0, OwnsAll, particles);
  std::set<std::pair<int, int>> sites;
  for (std::size_t i = 0; i < particles.Size(); ++i) {
    const Vec3& x = particles.position[i];
    EXPECT_NEAR(x.x(), test::kChannelRadius, 1e-18);
    sites.emplace(static_cast<int>(std::floor(x.y() / 1e-3)), static_cast<int>(x.z() / 1e-3));
    EXPECT_EQ(particles.velocity[i].x(), 1.0);
    EXPECT_LE(particles.velocity[i].tail<2>().cwiseAbs().maxCoeff(), 0.5);
    EXPECT_EQ(particles.radius[i], test::kChannelRadius);
  }
  EXPECT_EQ(sites.size(), 1300u);
}

TEST(Inflow, SpheresOfAnySizeTouchThePistonButNotThePreviousLayer) {
  Scene scene = test::PaperChannel();
  scene.pistons[0].grain.sizes = SizeDistribution::Uniform(2e-4, 4.5e-4);
  // In 90 steps of 10 us the piston moves 0.9 mm at 1 m/s.
  ASSERT_EQ(StepsPerLayer(scene, scene.pistons[0], kChannelStep), 90);
  Particles particles;
  EXPECT_EQ(InsertLayer(scene, kChannelStep, 90, 0, OwnsAll, particles), 1300);
  double smallest = 1.0, largest = 0.0;
  for (std::size_t i = 0; i < particles.Size(); ++i) {
    const double radius = particles.radius[i];
    EXPECT_NEAR(particles.position[i].x(), radius, 1e-18);
    EXPECT_LE(particles.position[i].x() + radius, 90 * kChannelStep);
    smallest = std::min(smallest, radius);
    largest = std::max(largest, radius);
  }
  EXPECT_NEAR(smallest, 2e-4, 2e-6);
  EXPECT_NEAR(largest, 4.5e-4, 2e-6);
}

TEST(Inflow, LayersCanEnterFromAbove) {
  Scene scene = test::PaperChannel();
  scene.walls[0].shape = {{Plane{{0, 0, 0.02}, -Vec3::UnitZ()}}};
  scene.walls[0].velocity = -Vec3::UnitZ();
  Particles particles;
  EXPECT_EQ(InsertLayer(scene, kChannelStep, 94, 0, OwnsAll, particles), 150 * 65);
  for (const Vec3& x : particles.position) {
    ASSERT_NEAR(x.z(), 0.02 - test::kChannelRadius, 1e-15);
  }
}

TEST(Inflow, LayerIsTheSameOnAnyNumberOfRanks) {
  const Scene scene = test::PaperChannel();
  Particles all, left, right;
  const auto is_in_left_half = [](const Vec3& x) { return x.y() < 0.0325; };
  InsertLayer(scene, kChannelStep, 188, 7, OwnsAll, all);
  InsertLayer(scene, kChannelStep, 188, 7, is_in_left_half, left);
  InsertLayer(
      scene, kChannelStep, 188, 7, [&](const Vec3& x) { return !is_in_left_half(x); }, right);
  EXPECT_EQ(all.id[0], 7 + 1300);
  ASSERT_EQ(left.Size() + right.Size(), all.Size());
  std::size_t l = 0, r = 0;
  for (std::size_t i = 0; i < all.Size(); ++i) {
    const bool is_left = is_in_left_half(all.position[i]);
    const Particles& part = is_left ? left : right;
    const std::size_t k = is_left ? l++ : r++;
    ASSERT_EQ(part.id[k], all.id[i]);
    ASSERT_EQ(part.velocity[k], all.velocity[i]);
  }
}

TEST(Inflow, NoLayerIsDueWithoutAPiston) {
  Scene scene = test::PaperChannel();
  scene.pistons.clear();
  EXPECT_FALSE(IsLayerDue(scene, kChannelStep, 94));
}

TEST(Outflow, RemovesOnlyParticlesThatCrossedAnOutflowFace) {
  const Scene scene = test::PaperChannel();
  Particles particles;
  Resize(particles, 5);
  particles.owned = 4;
  particles.position = {{0.15, 0.03, 0.01},    // on the face
                        {0.1501, 0.03, 0.01},  // beyond
                        {-0.01, 0.03, 0.01},   // beyond a face that is not an outflow
                        {0.1, 0.2, 0.01},
                        {0.16, 0.03, 0.01}};  // a ghost
  particles.id = {0, 1, 2, 3, 4};
  EXPECT_EQ(RemoveOutflow(scene, particles), 1);
  EXPECT_EQ(particles.id, (std::vector<ParticleId>{0, kRemovedId, 2, 3, kRemovedId}));
  EXPECT_EQ(RemoveOutflow(scene, particles), 0);
  // Removed particles are far from all others and from each other.
  for (std::size_t i = 0; i < 5; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double squared = (particles.position[i] - particles.position[j]).squaredNorm();
      EXPECT_TRUE(std::isfinite(squared));
      if (particles.id[i] == kRemovedId || particles.id[j] == kRemovedId) {
        EXPECT_GT(squared, 1e100);
      }
    }
  }
}

TEST(Outflow, LowerFacesRemoveParticles) {
  Scene scene = test::PaperChannel();
  scene.outflow = {};
  scene.outflow[2][0] = true;
  Particles particles;
  Resize(particles, 2);
  particles.owned = 2;
  particles.position = {{0.16, 0.03, 0.0}, {0.1, 0.03, -1e-6}};
  particles.id = {0, 1};
  EXPECT_EQ(RemoveOutflow(scene, particles), 1);
  EXPECT_EQ(particles.id[1], kRemovedId);
}

}  // namespace
}  // namespace scree::inflow_test
