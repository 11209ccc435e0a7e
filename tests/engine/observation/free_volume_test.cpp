// Free volume of cells, compared with known volumes of walls.
#include "engine/observation/free_volume.hpp"

#include <gtest/gtest.h>

#include <array>
#include <numbers>
#include <numeric>

#include "tests/support/scenes.hpp"

namespace scree::free_volume_test {
namespace {

constexpr double kDt = 0.1;
constexpr std::array<std::int64_t, 1> kStart = {0};
constexpr double kMaxError = 1e-3;  // fraction of a cell, as free_volume.hpp promises

Scene UnitScene() { return test::EmptyScene(Vec3::Zero(), Vec3::Ones(), 0.4); }

std::vector<double> FreeFractions(const Scene& scene, const FieldGrid& grid,
                                  std::span<const std::int64_t> steps = kStart) {
  return FreeCellFractions(Communicator::World(), grid, scene, kDt, steps);
}

TEST(FreeVolume, SpaceWithoutWallsIsFree) {
  const Scene scene = UnitScene();
  for (const double fraction : FreeFractions(scene, {scene.domain.box, {3, 2, 1}}))
    EXPECT_EQ(fraction, 1.0);
}

TEST(FreeVolume, UprightCylinderOccupiesItsArea) {
  Scene scene = UnitScene();
  scene.walls.push_back(
      {"post", {{Cylinder{{0.5, 0.5, -1}, {0.5, 0.5, 2}, 0.3}}}, Vec3::Zero(), 0});
  const FieldGrid one_cell{scene.domain.box, {1, 1, 1}};
  const double area = std::numbers::pi * 0.09;
  EXPECT_NEAR(FreeFractions(scene, one_cell)[0], 1.0 - area, kMaxError);
  const auto cells = FreeFractions(scene, {scene.domain.box, {10, 10, 2}});
  const double mean = std::accumulate(cells.begin(), cells.end(), 0.0) / 200.0;
  EXPECT_NEAR(mean, 1.0 - area, 0.1 * kMaxError);
  EXPECT_EQ(cells[0], 1.0);
  EXPECT_EQ(cells[5 + 10 * 5], 0.0);
}

TEST(FreeVolume, LongCellsAreAsAccurateAsCubes) {
  Scene scene = test::EmptyScene(Vec3::Zero(), Vec3(1, 1, 60), 0.4);
  scene.walls.push_back(
      {"post", {{Cylinder{{0.5, 0.5, -1}, {0.5, 0.5, 61}, 0.2}}}, Vec3::Zero(), 0});
  const FieldGrid one_cell{scene.domain.box, {1, 1, 1}};
  EXPECT_NEAR(FreeFractions(scene, one_cell)[0], 1.0 - std::numbers::pi * 0.04, kMaxError);
}

TEST(FreeVolume, PlanesAreExactAndSheetsOccupyNothing) {
  Scene scene = UnitScene();
  test::AddPlane(scene, Vec3(0, 0, 0.13), Vec3::UnitZ());
  scene.walls.push_back({"pipe", {{Pipe{{0.5, 0.5, 0}, {0.5, 0.5, 1}, 0.4}}}, Vec3::Zero(), 0});
  const auto cells = FreeFractions(scene, {scene.domain.box, {1, 1, 5}});
  EXPECT_NEAR(cells[0], 0.35, 1e-12);
  for (std::size_t k = 1; k < 5; ++k) EXPECT_EQ(cells[k], 1.0);
}

TEST(FreeVolume, FreeWallsAreAtTheirCurrentPositions) {
  Scene scene = UnitScene();
  Wall lid{"lid", {{Plane{Vec3(0, 0, 0.9), -Vec3::UnitZ()}}}};
  lid.free.freedom = Freedom::kAlong;
  lid.axis = Vec3::UnitZ();
  scene.walls.push_back(lid);
  const FieldGrid halves{scene.domain.box, {1, 1, 2}};
  EXPECT_NEAR(FreeFractions(scene, halves)[1], 0.8, 1e-12);
  std::vector<FreeWallState> states(1);
  states[0].travel = -0.15;
  const auto cells = FreeCellFractions(Communicator::World(), halves, scene, kDt, kStart, states);
  EXPECT_EQ(cells[0], 1.0);
  EXPECT_NEAR(cells[1], 0.5, 1e-12);
}

TEST(FreeVolume, OverlappingWallsCountOnce) {
  Scene scene = UnitScene();
  for (int k = 0; k < 2; ++k) {
    scene.walls.push_back(
        {"block", {{Block{{{0.25, 0.25, 0.25}, {0.75, 0.75, 0.75}}}}}, Vec3::Zero(), 0});
  }
  EXPECT_NEAR(FreeFractions(scene, {scene.domain.box, {1, 1, 1}})[0], 0.875, kMaxError);
}

TEST(FreeVolume, VolumeIsAveragedOverTheStepsIfWallsMoveOrAreRemoved) {
  Scene scene = UnitScene();
  test::AddPlane(scene, Vec3(0, 0, 0.2), Vec3::UnitZ(), Vec3(0, 0, 1));
  const FieldGrid grid{scene.domain.box, {1, 1, 1}};
  const std::array<std::int64_t, 3> steps = {0, 2, 4};  // plane at 0.2, 0.4, 0.6 m
  EXPECT_NEAR(FreeFractions(scene, grid, steps)[0], 0.6, 1e-12);
  scene.walls[0].removed_at = 0.3;
  EXPECT_NEAR(FreeFractions(scene, grid, steps)[0], (0.8 + 0.6 + 1.0) / 3.0, 1e-12);
}

}  // namespace
}  // namespace scree::free_volume_test
