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

const MaxOverRanks kAlone = [](std::span<std::int64_t>) {};
const OwnsPosition kEverywhere = [](const Vec3&) { return true; };

/// A mixture that falls into a region of about 10 x 10 x 4 radii.
Scene RainyScene() {
  Scene scene;
  scene.domain = {{{0, 0, 0}, {1, 1, 2}}, {true, false, false}};
  scene.materials.Add({"light", 1000.0}, 0.0);
  scene.materials.Add({"heavy", 4000.0}, 0.0);
  Rain rain;
  rain.region = Box{{0.0, 0.1, 1.4}, {1.0, 0.9, 1.9}};
  rain.grain.sizes = SizeDistribution::Uniform(0.03, 0.06);
  rain.grain.mixture = {{0, 0.4, rain.grain.sizes}, {1, 0.6, 0.04}};
  SetNumberShares(scene.materials, rain.grain.mixture);
  rain.rate = 400.0;
  rain.start = 0.1;
  rain.end = 0.4;
  scene.rains = {rain};
  return scene;
}

/// Runs the rain events of steps 1 to `last`. Inserted particles leave the region immediately.
struct Rainfall {
  explicit Rainfall(const Scene& its_scene) : scene(its_scene), state{0, {0.0, 0.0}} {}

  void Until(std::int64_t last, bool keep = false) {
    for (; step < last;) {
      ++step;
      if (!IsRainDue(scene, scene.rains[0], kStep, step)) continue;
      if (!keep) {
        for (Vec3& place : all.position) place.z() -= 5.0;
      }
      Particles entering;
      InsertRain({scene, 0, kStep, step, 100, owns, kAlone}, all, state, entering);
      Append(all, entering);
      all.owned = all.Size();
    }
  }

  Scene scene;
  OwnsPosition owns = kEverywhere;
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
  const std::int64_t every = StepsPerRainEvent(run.scene, rain, kStep);
  EXPECT_GT(every, 10);
  for (const std::int64_t step : {std::int64_t{100}, 100 + every, 100 + 2 * every, 100 + 4 * every,
                                  std::int64_t{400}, std::int64_t{700}}) {
    run.Until(step);
    const double rained = AmountSoFar(rain, run.state);
    EXPECT_NEAR(rained, AmountDue(rain, kStep, step), heaviest);
    EXPECT_NEAR(MassIn(run, 0) + MassIn(run, 1), rained, 1e-12);
    EXPECT_NEAR(MassIn(run, 0), 0.4 * rained, heaviest);
  }
  EXPECT_NEAR(run.state.Mass(), 120.0, heaviest);
  EXPECT_FALSE(run.state.is_waiting);
}

TEST(Rain, NumbersAreExactAtTheEnd) {
  Scene scene = RainyScene();
  scene.rains[0].counts = true;
  scene.rains[0].rate = 110.0;
  Rainfall run(scene);
  run.Until(500);
  EXPECT_EQ(run.state.inserted, 33);
  scene.rains[0].end = HUGE_VAL;
  scene.rains[0].total = 17;
  Rainfall limited(scene);
  limited.Until(500);
  EXPECT_EQ(limited.state.inserted, 17);
}

TEST(Rain, WaitsForFreeSpaceAndCatchesUp) {
  Scene scene = RainyScene();
  scene.rains[0].rate = 2000.0;  // 600 kg, more than the region can hold
  scene.rains[0].grain.mixture.clear();
  scene.rains[0].grain.material = 1;
  Rainfall run(scene);
  run.state.masses = {0.0};
  run.Until(500, true);
  EXPECT_TRUE(run.state.is_waiting);
  const double held = run.state.Mass();
  EXPECT_GT(held, 40.0);
  EXPECT_LT(held, 0.4 * 4000.0 * 0.4);
  run.Until(3000);
  EXPECT_FALSE(run.state.is_waiting);
  EXPECT_NEAR(run.state.Mass(), 600.0, 4000.0 * SphereVolume(0.06));
}

TEST(Rain, OverlapsNeitherParticlesNorItsOwnPeriodicImages) {
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
  run.Until(300, true);
  ASSERT_GT(all.Size(), 100u);
  for (std::size_t i = 0; i < all.Size(); ++i) {
    if (i > 0) {
      EXPECT_FALSE(IsWithin(scene.walls[0].shape, all.position[i], all.radius[i]));
      EXPECT_TRUE(Contains(scene.rains[0].region, all.position[i], all.radius[i]));
    }
    for (std::size_t j = 0; j < i; ++j) {
      Vec3 apart = all.position[i] - all.position[j];
      apart.x() -= std::round(apart.x());
      EXPECT_GE(apart.norm(), all.radius[i] + all.radius[j]) << i << " " << j;
    }
  }
}

TEST(Rain, TwoRanksInsertTheSameParticles) {
  const Scene scene = RainyScene();
  Rainfall whole(scene);
  whole.Until(400, true);
  // Two ranks in one process: each rain event is repeated on both until each rank knows the result
  // of the other.
  Rainfall left(scene), right(scene);
  left.owns = [](const Vec3& place) { return place.x() < 0.37; };
  right.owns = [](const Vec3& place) { return place.x() >= 0.37; };
  for (std::int64_t step = 1; step <= 400; ++step) {
    if (!IsRainDue(scene, scene.rains[0], kStep, step)) continue;
    // Both ranks must see all particles, so that the same particles block them.
    Particles present = left.all;
    Append(present, right.all);
    present.owned = present.Size();
    for (Rainfall* run : {&left, &right}) {
      Particles entering;
      InsertRain({scene, 0, kStep, step, 100, run->owns, kAlone}, present, run->state, entering);
      Append(run->all, entering);
    }
  }
  EXPECT_EQ(left.state, right.state);
  EXPECT_EQ(left.state, whole.state);
  EXPECT_GT(left.all.Size(), 20u);
  EXPECT_GT(right.all.Size(), 20u);
  Particles both = left.all;
  Append(both, right.all);
  ASSERT_EQ(both.Size(), whole.all.Size());
  for (std::size_t i = 0; i < both.Size(); ++i) {
    const auto found = std::ranges::find(whole.all.id, both.id[i]);
    ASSERT_NE(found, whole.all.id.end());
    const auto k = static_cast<std::size_t>(found - whole.all.id.begin());
    EXPECT_EQ(both.position[i], whole.all.position[k]);
    EXPECT_EQ(both.radius[i], whole.all.radius[k]);
  }
}

TEST(Rain, TwoRainsHaveDifferentIds) {
  Scene scene = RainyScene();
  EXPECT_EQ(StreamId(scene, 100, 0, 5), 105);
  scene.pistons.resize(1);
  scene.rains.resize(2);
  EXPECT_EQ(StreamId(scene, 100, 0, 5), 115);
  EXPECT_EQ(StreamId(scene, 100, 2, 5), 117);
}

}  // namespace
}  // namespace scree::rain_test
