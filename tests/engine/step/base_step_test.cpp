// The base step follows from the time scales of the scene. Scenes that differ only in their scales
// have the same steps.
#include "engine/step/base_step.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "engine/filling/fills.hpp"
#include "tests/support/scenes.hpp"
#include "tests/support/schemes.hpp"

namespace scree::base_step_test {
namespace {

/// Particles that fall onto a floor. All lengths and times are multiplied by the arguments.
Scene Bed(double length, double time) {
  Scene scene = test::EmptyScene(Vec3::Zero(), length * Vec3(0.012, 0.01, 0.03), 0.4);
  scene.domain.periodic = {true, true, false};
  scene.gravity = length / (time * time) * Vec3(0.2, 0, -9.81);
  test::AddPlane(scene, Vec3::Zero(), Vec3::UnitZ());
  GrainTemplate grain;
  grain.sizes = SizeDistribution::Uniform(0.8e-3 * length, 1e-3 * length);
  grain.jitter = length / time * Vec3(0.2, 0.2, 0.1);
  scene.fills.push_back(
      {Lattice{Box{Vec3::Zero(), length * Vec3(0.012, 0.01, 0.012)}, 2.1e-3 * length}, grain});
  return scene;
}

TEST(BaseStep, BaseStepIsAPowerOfTenFromTheTimesOfTheScene) {
  EXPECT_EQ(ChooseBaseStep(Bed(1, 1), true, 1.0), 1e-9);
  EXPECT_EQ(ChooseBaseStep(Bed(0.15, 1), true, 1.0), 1e-9);      // radii from 0.12 mm under 0.15 g
  EXPECT_EQ(ChooseBaseStep(Bed(1e6, 1e3), true, 1e3), 1e-6);     // radii up to a kilometre
  EXPECT_EQ(ChooseBaseStep(Bed(1e-4, 1e-2), true, 1.0), 1e-11);  // radii up to 0.1 um
  Scene scene = Bed(1, 1);
  scene.fills[0].grain.velocity = Vec3(0, 0, -1000);
  EXPECT_EQ(ChooseBaseStep(scene, true, 1.0), 1e-11);
}

/// A run has 1e6 to 1e11 base steps. Step numbers then have at most twelve digits, unless the
/// run is extended.
TEST(BaseStep, BaseStepIsAFractionOfTheRun) {
  EXPECT_EQ(ChooseBaseStep(Bed(1, 1), true, 99.0), 1e-9);
  EXPECT_EQ(ChooseBaseStep(Bed(1, 1), true, 1e6), 1e-5);
  EXPECT_EQ(ChooseBaseStep(Bed(1, 1), true, 1e-5), 1e-11);
  EXPECT_EQ(ChooseBaseStep(Bed(1, 1), false, 1.0), 1e-11);  // other particles may come from a file
  Scene resting = Bed(1, 1);
  resting.gravity.setZero();
  resting.fills[0].grain.jitter.setZero();
  EXPECT_EQ(ChooseBaseStep(resting, true, 1.0), 1e-11);
}

struct Results {
  std::vector<double> times, energies;  // in the units of the scene
};

Results ResultsOf(const Communicator& world, double length, double time, double base) {
  const Scene scene = Bed(length, time);
  StepParameters parameters = test::WithScheme(test::kSchemes[0]);
  parameters.accuracy = 0.01;
  parameters.dt = base;
  State state;
  state.next_id = MakeFills(world, {scene.domain, SmallestHaloGrid(scene.domain, world.Size())},
                            scene, state.particles);
  TimeStep step = test::Start(world, scene, parameters, state);
  Results results;
  const auto end = std::llround(0.02 * time / parameters.dt);
  while (state.step < end) {
    step.Advance(state, {}, 0, end);
    results.times.push_back(step.Observe(state).time / time);
    const double mass = 2500.0 * length * length * length, speed = length / time;
    results.energies.push_back(step.Observe(state).kinetic_energy / (mass * speed * speed));
  }
  return results;
}

/// Scaling by powers of two changes no digit unless the program contains an absolute length, speed
/// or time. (The drift of neighbour lists contains an absolute speed: if speeds change by 2^13 or
/// more, the drift is rounded differently, which changes the times of new lists and the order of
/// contacts.)
TEST(BaseStep, ScenesOfAnyScaleHaveTheSameBits) {
  const Communicator world = Communicator::World();
  const Results reference = ResultsOf(world, 1.0, 1.0, 1e-9);
  const double scales[][2] = {
      {0x1p-10, 0x1p-10}, {0x1p+19, 0x1p+10}, {0x1p-14, 0x1p-7}, {0x1p+10, 0x1p+20}};
  for (const auto& [length, time] : scales) {
    const Results scaled = ResultsOf(world, length, time, 1e-9 * time);
    EXPECT_EQ(scaled.times, reference.times) << length << ", " << time;
    EXPECT_EQ(scaled.energies, reference.energies) << length << ", " << time;
  }
}

/// Scaling by powers of ten changes the rounding, and impacts amplify the difference.
TEST(BaseStep, DecimalScalesHaveTheSameResults) {
  const Communicator world = Communicator::World();
  const Results reference = ResultsOf(world, 1.0, 1.0, ChooseBaseStep(Bed(1.0, 1.0), true, 0.1));
  for (const auto& [length, time] : {std::pair(1e-3, 1e-3), std::pair(1e6, 1e3)}) {
    const Results scaled =
        ResultsOf(world, length, time, ChooseBaseStep(Bed(length, time), true, 0.1 * time));
    ASSERT_EQ(scaled.times.size(), reference.times.size()) << length;
    for (std::size_t k = 0; k < reference.times.size(); ++k) {
      EXPECT_NEAR(scaled.times[k], reference.times[k], 1e-12 * reference.times[k]) << length;
      EXPECT_NEAR(scaled.energies[k], reference.energies[k], 1e-6 * reference.energies[k])
          << length;
    }
  }
}

}  // namespace
}  // namespace scree::base_step_test
