// Rain: rates, free space, ids and positions.
#include "engine/particles/rain.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "engine/particles/body_mass.hpp"
#include "engine/particles/inflow.hpp"

namespace scree::rain_test {
namespace {

constexpr double kStep = 1e-3;  // dt [s]

const MaxOverRanks kOneRank = [](std::span<std::int64_t>) {};
const OwnsPosition kOwnsAll = [](const Vec3&) { return true; };

/// A mixture that falls into a region of about 11 x 9 x 6 diameters.
Scene RainyScene() {
  Scene scene;
  scene.domain = {{{0, 0, 0}, {1, 1, 2}}, {true, false, false}};
  scene.materials.Add({"light", 1000.0}, 0.0);
  scene.materials.Add({"heavy", 4000.0}, 0.0);
  Rain rain;
  rain.region = Box{{0.0, 0.1, 1.4}, {1.0, 0.9, 1.9}};
  rain.grain.sizes = SizeDistribution::Uniform(0.03, 0.06);
  rain.grain.mixture = {{0, 0.4, rain.grain.sizes}, {1, 0.6, 0.04}};
  SetNumberFractions(scene.materials, rain.grain.mixture);
  rain.rate = 400.0;
  rain.start = 0.1;
  rain.end = 0.4;
  scene.rains = {rain};
  return scene;
}

/// Runs rain events. Before each event, all particles leave the region unless `keeps_particles`.
struct Rainfall {
  explicit Rainfall(const Scene& rain_scene) : scene(rain_scene), state{0, {0.0, 0.0}} {}

  void RunUntil(std::int64_t last_step, bool keeps_particles = false) {
    for (; step < last_step;) {
      ++step;
      if (!IsRainDue(scene, scene.rains[0], kStep, step)) continue;
      if (!keeps_particles) {
        for (Vec3& position : all.position) position.z() -= 5.0;
      }
      Particles new_particles;
      InsertRain({scene, 0, kStep, step, 100, owns, kOneRank}, all, state, new_particles);
      Append(all, new_particles);
      all.owned = all.Size();
    }
  }

  Scene scene;
  OwnsPosition owns = kOwnsAll;
  RainState state;
  Particles all;
  std::int64_t step = 0;
};

double MassIn(const Rainfall& run, MaterialId material) {
  double mass = 0.0;
  for (std::size_t i = 0; i < run.all.Size(); ++i) {
    if (run.all.material[i] == material) mass += MassOf(run.all, i, run.scene);
  }
  return mass;
}

TEST(Rain, MassIsRateTimesTimeWithinOneParticle) {
  Rainfall run(RainyScene());
  const double heaviest = 4000.0 * SphereVolume(0.04);
  const Rain& rain = run.scene.rains[0];
  const std::int64_t interval = StepsPerRainEvent(run.scene, rain, kStep);
  EXPECT_GT(interval, 10);
  for (const std::int64_t step : {std::int64_t{100}, 100 + interval, 100 + 2 * interval,
                                  100 + 4 * interval, std::int64_t{400}, std::int64_t{700}}) {
    run.RunUntil(step);
    const double rained = AmountSoFar(rain, run.state);
    EXPECT_NEAR(rained, AmountDue(rain, kStep, step), heaviest);
    EXPECT_NEAR(MassIn(run, 0) + MassIn(run, 1), rained, 1e-12);
    EXPECT_NEAR(MassIn(run, 0), 0.4 * rained, heaviest);
  }
  EXPECT_NEAR(run.state.Mass(), 120.0, heaviest);
  EXPECT_FALSE(run.state.is_waiting);
}

TEST(Rain, NumberOfParticlesIsExactAtTheEnd) {
  Scene scene = RainyScene();
  scene.rains[0].counts = true;
  scene.rains[0].rate = 110.0;
  Rainfall run(scene);
  run.RunUntil(500);
  EXPECT_EQ(run.state.inserted, 33);
  scene.rains[0].end = HUGE_VAL;
  scene.rains[0].total = 17;
  Rainfall limited(scene);
  limited.RunUntil(500);
  EXPECT_EQ(limited.state.inserted, 17);
}

/// A fluid or a field moves the grains away, for example.
TEST(Rain, RainWithoutWeightAndVelocityKeepsItsRate) {
  for (const bool counts : {false, true}) {
    Scene scene = RainyScene();
    scene.gravity = Vec3::Zero();
    scene.rains[0].counts = counts;
    scene.rains[0].rate = counts ? 110.0 : 400.0;
    scene.rains[0].max_steps = kMaxBaseStepsPerRainEvent;
    const double particle = counts ? 1.0 : 4000.0 * SphereVolume(0.04);
    Rainfall run(scene);
    for (const std::int64_t step : {150, 200, 250, 300, 399}) {
      run.RunUntil(step);
      const Rain& rain = run.scene.rains[0];
      EXPECT_NEAR(AmountSoFar(rain, run.state), AmountDue(rain, kStep, step), 2.0 * particle);
    }
  }
}

TEST(Rain, RainWaitsForFreeSpaceAndCatchesUp) {
  Scene scene = RainyScene();
  scene.rains[0].rate = 2000.0;  // 600 kg, more than the region can hold
  scene.rains[0].grain.mixture.clear();
  scene.rains[0].grain.material = 1;
  Rainfall run(scene);
  run.state.masses = {0.0};
  run.RunUntil(500, true);
  EXPECT_TRUE(run.state.is_waiting);
  const double mass_in_region = run.state.Mass();
  EXPECT_GT(mass_in_region, 40.0);
  EXPECT_LT(mass_in_region, 0.4 * 4000.0 * 0.4);
  run.RunUntil(3000);
  EXPECT_FALSE(run.state.is_waiting);
  EXPECT_NEAR(run.state.Mass(), 600.0, 4000.0 * SphereVolume(0.06));
}

TEST(Rain, RainOverlapsNeitherParticlesNorPeriodicImages) {
  Scene scene = RainyScene();
  scene.rains[0].rate = 600.0;
  scene.walls.push_back({"post", {{Cylinder{{0.5, 0.5, 0}, {0.5, 0.5, 2}, 0.1}}}, Vec3::Zero(), 0});
  Rainfall run(scene);
  Particles& all = run.all;
  Resize(all, 1);
  all.position[0] = Vec3(1.02, 0.5, 1.6);  // its image reaches into the region
  all.radius[0] = 0.2;
  all.id[0] = 7;
  all.owned = 1;
  run.RunUntil(300, true);
  ASSERT_GT(all.Size(), 100u);
  for (std::size_t i = 0; i < all.Size(); ++i) {
    if (i > 0) {
      EXPECT_FALSE(IsWithin(scene.walls[0].shape, all.position[i], all.radius[i]));
      EXPECT_TRUE(Contains(scene.rains[0].region, all.position[i], all.radius[i]));
    }
    for (std::size_t j = 0; j < i; ++j) {
      Vec3 distance = all.position[i] - all.position[j];
      distance.x() -= std::round(distance.x());
      EXPECT_GE(distance.norm(), all.radius[i] + all.radius[j]) << i << " " << j;
    }
  }
}

TEST(Rain, TwoRanksInsertTheSameParticles) {
  const Scene scene = RainyScene();
  Rainfall serial(scene);
  serial.RunUntil(400, true);
  // Two ranks in one process, which run each rain event one after the other.
  Rainfall left_rank(scene), right_rank(scene);
  left_rank.owns = [](const Vec3& position) { return position.x() < 0.37; };
  right_rank.owns = [](const Vec3& position) { return position.x() >= 0.37; };
  for (std::int64_t step = 1; step <= 400; ++step) {
    if (!IsRainDue(scene, scene.rains[0], kStep, step)) continue;
    // Both ranks get all particles as obstacles.
    Particles present = left_rank.all;
    Append(present, right_rank.all);
    present.owned = present.Size();
    for (Rainfall* run : {&left_rank, &right_rank}) {
      Particles new_particles;
      InsertRain({scene, 0, kStep, step, 100, run->owns, kOneRank}, present, run->state,
                 new_particles);
      Append(run->all, new_particles);
    }
  }
  EXPECT_EQ(left_rank.state, right_rank.state);
  EXPECT_EQ(left_rank.state, serial.state);
  EXPECT_GT(left_rank.all.Size(), 20u);
  EXPECT_GT(right_rank.all.Size(), 20u);
  Particles all_particles = left_rank.all;
  Append(all_particles, right_rank.all);
  ASSERT_EQ(all_particles.Size(), serial.all.Size());
  for (std::size_t i = 0; i < all_particles.Size(); ++i) {
    const auto match = std::ranges::find(serial.all.id, all_particles.id[i]);
    ASSERT_NE(match, serial.all.id.end());
    const auto k = static_cast<std::size_t>(match - serial.all.id.begin());
    EXPECT_EQ(all_particles.position[i], serial.all.position[k]);
    EXPECT_EQ(all_particles.radius[i], serial.all.radius[k]);
  }
}

TEST(Rain, StreamsHaveDifferentIds) {
  Scene scene = RainyScene();
  EXPECT_EQ(StreamId(scene, 100, 0, 5), 105);
  scene.pistons.resize(1);
  scene.rains.resize(2);
  EXPECT_EQ(StreamId(scene, 100, 0, 5), 115);
  EXPECT_EQ(StreamId(scene, 100, 2, 5), 117);
}

}  // namespace
}  // namespace scree::rain_test
