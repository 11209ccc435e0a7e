// Free volume of cells, compared with known volumes of walls.
#include "engine/observation/free_volume.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

#include "tests/support/scenes.hpp"

namespace scree::free_volume_test {
namespace {

constexpr double kDt = 0.1;
constexpr double kMaxError = 1e-3;  // fraction of a cell, as free_volume.hpp promises

Scene UnitScene() { return test::EmptyScene(Vec3::Zero(), Vec3::Ones(), 0.4); }

std::vector<double> FreeFractions(const Scene& scene, const FieldGrid& grid,
                                  const FrameSequence& frames = {}) {
  return FreeCellFractions(Communicator::World(), grid, scene, kDt, frames);
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
  const auto cells = FreeCellFractions(Communicator::World(), halves, scene, kDt, {}, states);
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

TEST(FreeVolume, VolumeIsAveragedOverTheFramesIfWallsMoveOrAreRemoved) {
  Scene scene = UnitScene();
  test::AddPlane(scene, Vec3(0, 0, 0.2), Vec3::UnitZ(), Vec3(0, 0, 1));
  const FieldGrid grid{scene.domain.box, {1, 1, 1}};
  const FrameSequence frames{.first = 0, .interval = 2, .count = 3};  // plane at 0.2, 0.4, 0.6 m
  EXPECT_NEAR(FreeFractions(scene, grid, frames)[0], 0.6, 1e-12);
  scene.walls[0].removed_at = 0.3;
  EXPECT_NEAR(FreeFractions(scene, grid, frames)[0], (0.8 + 0.6 + 1.0) / 3.0, 1e-12);
}

/// Compares the cells of a column with a floor that vibrates through them.
void ExpectVibrationIsAveraged(double frequency, const FrameSequence& frames) {
  Scene scene = UnitScene();
  test::AddPlane(scene, Vec3(0, 0, 0.3), Vec3::UnitZ());
  scene.walls[0].oscillation = {Vec3(0, 0, 0.25), frequency, 0.0};
  const auto cells = FreeFractions(scene, {scene.domain.box, {1, 1, 4}}, frames);
  for (std::size_t k = 0; k < 4; ++k) {
    double exact = 0.0;
    for (std::int64_t frame = 0; frame < frames.count; ++frame) {
      const double time = kDt * static_cast<double>(frames.first + frame * frames.interval);
      const double height = 0.3 + 0.25 * std::sin(2.0 * std::numbers::pi * frequency * time);
      exact += std::clamp(static_cast<double>(k + 1) - 4.0 * height, 0.0, 1.0);
    }
    EXPECT_NEAR(cells[k], exact / static_cast<double>(frames.count), kMaxError) << k;
  }
}

TEST(FreeVolume, VibrationsAreAveragedOverAllFrames) {
  ExpectVibrationIsAveraged(0.5, {.first = 0, .interval = 1, .count = 141});
  ExpectVibrationIsAveraged(0.5, {.first = 3, .interval = 7, .count = 2000});
  ExpectVibrationIsAveraged(0.7654321, {.first = 0, .interval = 3, .count = 50000});
  ExpectVibrationIsAveraged(0.7654321, {.first = 0, .interval = 3, .count = 250000});
}

TEST(FreeVolume, RemovedWallsCountInTheFramesBeforeTheirRemoval) {
  Scene scene = UnitScene();
  test::AddPlane(scene, Vec3(0, 0, 0.4), Vec3::UnitZ());
  scene.walls[0].removed_at = 1.0;
  const FieldGrid grid{scene.domain.box, {1, 1, 1}};
  EXPECT_NEAR(FreeFractions(scene, grid, {.first = 0, .interval = 1, .count = 141})[0],
              1.0 - 0.4 * 10.0 / 141.0, 1e-12);
  scene.walls[0].removed_at = 1000.0;
  EXPECT_NEAR(FreeFractions(scene, grid, {.first = 0, .interval = 1, .count = 30001})[0],
              1.0 - 0.4 / 3.0, kMaxError);
}

TEST(FreeVolume, RotatingBladeSpendsEqualTimesInEqualCells) {
  Scene scene = UnitScene();
  Wall blade{"blade", {{Block{{{0.5, 0.45, -1}, {0.9, 0.55, 2}}}}}};
  blade.rotation = {Vec3(0.5, 0.5, 0.5), Vec3(0, 0, 0.6180339887)};
  scene.walls.push_back(blade);
  const FrameSequence frames{.first = 0, .interval = 10, .count = 20000};
  const auto cells = FreeFractions(scene, {scene.domain.box, {10, 10, 1}}, frames);
  const double mean = std::accumulate(cells.begin(), cells.end(), 0.0) / 100.0;
  EXPECT_NEAR(mean, 0.96, 0.1 * kMaxError);
  // By symmetry.
  for (const auto& [i, j] : {std::pair{1, 4}, {2, 3}, {5, 7}}) {
    const auto at = [&](int x, int y) { return cells[static_cast<std::size_t>(x + 10 * y)]; };
    EXPECT_NEAR(at(i, j), at(j, 9 - i), 2.0 * kMaxError);
    EXPECT_NEAR(at(i, j), at(9 - i, j), 2.0 * kMaxError);
  }
}

/// Error of the free fraction of a cell in which a slow post stays.
double ErrorWithSlowPost(double x, double radius, const std::array<int, 3>& cells) {
  Scene scene = UnitScene();
  Wall post{"post", {{Cylinder{{x, x + 0.015, -1}, {x, x + 0.015, 2}, radius}}}};
  post.velocity = Vec3(1e-3, 0, 0);  // 0.03 m
  scene.walls.push_back(post);
  const FieldGrid grid{scene.domain.box, cells};
  const auto cell = static_cast<std::size_t>(cells[0] / 2 * (1 + cells[0]));
  const double area = std::numbers::pi * radius * radius * cells[0] * cells[0];
  const FrameSequence frames{.first = 0, .interval = 1, .count = 300};
  return FreeFractions(scene, grid, frames)[cell] - (1.0 - area);
}

TEST(FreeVolume, ManyPosesInManyCellsAreAlmostAsAccurateAsOnePose) {
  EXPECT_NEAR(ErrorWithSlowPost(0.485, 0.06, {5, 5, 40}), 0.0, kMaxError);
  EXPECT_NEAR(ErrorWithSlowPost(0.535, 0.03, {10, 10, 1}), 0.0, 3.0 * kMaxError);
}

}  // namespace
}  // namespace scree::free_volume_test
