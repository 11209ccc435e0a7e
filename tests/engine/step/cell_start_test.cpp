// A cell starts with the mean flow of its particles, so that velocities do not get it twice, and
// with the image offset of the domain that it continues.
#include "engine/step/cell_start.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "engine/step/simulation.hpp"
#include "engine/step/step_view.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/scenes.hpp"

namespace scree::cell_start_test {
namespace {

using testing::HasSubstr;

constexpr double kSide = 0.012;

/// A cell with prescribed rates, also of a shear, and a stress along y.
Scene Cell() {
  Scene scene = test::EmptyScene(Vec3::Zero(), Vec3::Constant(kSide), 0.0);
  scene.domain.periodic = {true, true, true};
  scene.cell.drives[0] = {CellControlMode::kRate, -20.0};
  scene.cell.drives[1] = {CellControlMode::kStress, 1e3};
  scene.cell.drives[2] = {CellControlMode::kRate, 0.0, {5.0, 6.0}};
  scene.cell.points = {0.0, 1.0};
  scene.cell.drives[kCellShear] = {CellControlMode::kRate, 30.0};
  return scene;
}

/// Small spheres far from each other; the root has all but the last.
Particles Spheres(const Communicator& communicator) {
  Particles particles;
  const bool is_last = communicator.Rank() == communicator.Size() - 1;
  for (ParticleId id = 0; id < 8; ++id) {
    if (id < 7 ? !communicator.IsRoot() : !is_last) continue;
    const Vec3 corner(static_cast<double>(id % 2), static_cast<double>(id / 2 % 2),
                      static_cast<double>(id / 4));
    test::AddSphere(particles, id, kSide * (0.5 * corner + Vec3(0.2, 0.3, 0.1)), 1e-4);
  }
  particles.owned = particles.Size();
  return particles;
}

TEST(CellStart, CellAroundMovingParticlesHasThePrescribedRates) {
  const Communicator world = Communicator::World();
  Particles particles = Spheres(world);
  if (world.Rank() == world.Size() - 1) particles.velocity.back() = Vec3(0, 0.1, 0);
  const CellState cell = CellAround(world, Cell(), particles);
  EXPECT_EQ(cell.flow, (CellComponents{-20.0, 0.0, 5.0, 30.0}));
  EXPECT_EQ(cell.rates, cell.flow);
}

TEST(CellStart, CellAroundParticlesAtRestIsAtRest) {
  const Communicator world = Communicator::World();
  EXPECT_EQ(CellAround(world, Cell(), Spheres(world)).flow, CellComponents{});
}

TEST(CellStart, ParticlesThatHaveTheMeanFlowKeepIt) {
  const Communicator world = Communicator::World();
  Scene scene = Cell();
  scene.cell.drives[1] = {CellControlMode::kRate, 8.0};
  scene.cell.drives[2] = {CellControlMode::kRate, -5.0};
  Particles particles = Spheres(world);
  Domain start = scene.domain;
  start.deforms = true;
  start.stretch = Vec3(-20.0, 8.0, -5.0);
  start.shear.rate = 30.0;
  for (std::size_t i = 0; i < particles.owned; ++i) {
    particles.velocity[i] = start.MeanFlow(particles.position[i]);
  }
  StepParameters parameters;
  parameters.dt = 2e-5;
  Simulation simulation(world, scene, parameters, particles);
  for (int k = 0; k < 50; ++k) simulation.Step();
  const Domain domain = simulation.View().DomainNow();
  EXPECT_NEAR(domain.stretch.x(), -20.0, 0.01);
  for (std::size_t i = 0; i < simulation.Grains().owned; ++i) {
    const Vec3 flow = domain.MeanFlow(simulation.Grains().position[i]);
    EXPECT_LT((simulation.Grains().velocity[i] - flow).norm(), 1e-9);
  }
}

TEST(CellStart, CellContinuesWithRatesAndImageOffset) {
  Domain domain = Cell().domain;
  domain.deforms = true;
  domain.stretch = Vec3(1, 2, 3);
  domain.shear.rate = 4.0;
  domain.image_offset = 0.3 * kSide;
  const CellState cell = CellThatContinues(Cell(), domain);
  EXPECT_EQ(cell.flow, (CellComponents{1.0, 2.0, 3.0, 4.0}));
  EXPECT_EQ(cell.image_offset, domain.image_offset);
  EXPECT_EQ(cell.box.upper, domain.box.upper);
}

TEST(CellStart, ImagesWithAnOffsetNeedACellWithTheSameAxes) {
  Domain sheared = Cell().domain;
  sheared.deforms = true;
  sheared.image_offset = 0.3 * kSide;
  Scene other_axes = Cell(), no_cell = Cell();
  other_axes.domain.shear.flow = CoordinateAxis::kY;
  no_cell.cell = {};
  for (const Scene& scene : {other_axes, no_cell}) {
    EXPECT_THAT(MessageOf<InputError>([&] { CellThatContinues(scene, sheared); }),
                HasSubstr("expected a scene with a [cell] that has flow = x and gradient = z"));
    Domain aligned = sheared;
    aligned.image_offset = kSide;
    EXPECT_NO_THROW(CellThatContinues(scene, aligned));
  }
  sheared.image_offset = 0.0;
  sheared.shear.rate = 1.0;
  EXPECT_THROW(CellThatContinues(other_axes, sheared), InputError);
  EXPECT_NO_THROW(CellThatContinues(no_cell, sheared));
}

}  // namespace
}  // namespace scree::cell_start_test
