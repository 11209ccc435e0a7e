// Estimated counts of fills, compared with the particles that are made.
#include "engine/filling/fill_count.hpp"

#include <gtest/gtest.h>

#include "engine/filling/fills.hpp"
#include "engine/particles/grains.hpp"
#include "solvers/base/check.hpp"

namespace scree::fill_count_test {
namespace {

Scene SceneWith(const std::variant<Lattice, RandomRegion>& positions, double radius) {
  Scene scene;
  scene.domain.box = {Vec3::Zero(), Vec3::Ones()};
  scene.materials.Add({"grain", 1000.0}, 0.0);
  scene.materials.Add({"lead", 11000.0}, 0.0);
  scene.fills.push_back({positions, {radius, 0, Vec3::Zero(), Vec3::Zero()}, "bed"});
  return scene;
}

double CountCreated(const Scene& scene) {
  Particles particles;
  MakeFills(Communicator::Self(), Subdomains(scene.domain, {1, 1, 1}), scene, particles);
  return static_cast<double>(particles.Size());
}

std::string ErrorOf(const Scene& scene, int ranks) {
  try {
    RequireFillsFitInMemory(scene, ranks, 16e9);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(FillCount, EstimateEqualsTheNumberOfCreatedParticles) {
  const Box unit{Vec3::Zero(), Vec3::Ones()};
  const Scene lattice = SceneWith(Lattice{unit, 0.05}, 0.02);
  EXPECT_NEAR(EstimateCount(lattice, lattice.fills[0]), 8000.0, 1e-8);
  EXPECT_EQ(CountCreated(lattice), 8000.0);
  // For a ball, the estimate uses the ratio of volumes instead of testing the sites.
  const Scene ball = SceneWith(Lattice{Ball{Vec3::Constant(0.5), 0.5}, 0.02}, 0.001);
  EXPECT_NEAR(EstimateCount(ball, ball.fills[0]), CountCreated(ball), 0.05 * CountCreated(ball));
  const Scene random = SceneWith(RandomRegion{unit, 0.1}, 0.03);
  EXPECT_NEAR(EstimateCount(random, random.fills[0]), CountCreated(random), 1.0);
  Scene mixture = SceneWith(RandomRegion{unit, 0.1}, 0.03);
  mixture.fills[0].grain.mixture = {{0, 1.0, 0.03}, {1, 1.0, 0.02}};
  SetNumberFractions(mixture.materials, mixture.fills[0].grain.mixture);
  EXPECT_NEAR(EstimateCount(mixture, mixture.fills[0]), CountCreated(mixture), 2.0);
  // A prescribed mass does not change how many shapes fill the volume.
  Scene shapes = SceneWith(RandomRegion{unit, 0.01}, 0.03);
  ClumpDescription description;
  description.name = "light";
  description.spheres = {{Vec3::Zero(), 0.02}, {Vec3(0.02, 0.0, 0.0), 0.02}};
  description.mass = 1e-6;
  shapes.clumps.push_back(MakeClumpShape(description));
  shapes.fills[0].grain.shapes = {{.shape = 1, .radius = 0.03, .cumulative_fraction = 1.0}};
  EXPECT_NEAR(EstimateCount(shapes, shapes.fills[0]), CountCreated(shapes), 1.0);
  const Scene number = SceneWith(RandomRegion{unit, 0.0, 77}, 0.03);
  EXPECT_EQ(EstimateCount(number, number.fills[0]), 77.0);
}

TEST(FillCount, TooManyParticlesForTheMachineAreAnError) {
  const Box unit{Vec3::Zero(), Vec3::Ones()};
  EXPECT_EQ(ErrorOf(SceneWith(Lattice{unit, 0.05}, 0.02), 1), "");
  // 1e12 particles fit on a million machines, but not on one.
  const Scene lattice = SceneWith(Lattice{unit, 1e-4}, 4e-5);
  const std::string error = ErrorOf(lattice, 1);
  EXPECT_NE(error.find("[fill.bed] would have 1e+12 particles, which take at least"), error.npos)
      << error;
  EXPECT_EQ(ErrorOf(lattice, 1'000'000), "");
  // More sites than the largest integer.
  EXPECT_NE(ErrorOf(SceneWith(Lattice{unit, 1e-12}, 4e-13), 1), "");
}

TEST(FillCount, RandomFillsHaveAMaximumNumberOnAnyNumberOfRanks) {
  const Box unit{Vec3::Zero(), Vec3::Ones()};
  const Scene random = SceneWith(RandomRegion{unit, 0.1}, 1e-4);
  const std::string error = ErrorOf(random, 1'000'000);
  EXPECT_NE(error.find("expected at most 5e+07, or places = lattice"), error.npos) << error;
}

}  // namespace
}  // namespace scree::fill_count_test
