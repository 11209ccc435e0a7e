// Times at which automatic steps end because of tables: changes are resolved, and the rows of a
// smooth motion do not count.
#include "engine/step/table_times.hpp"

#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "engine/scene/step_parameters.hpp"
#include "tests/support/scenes.hpp"

namespace scree::table_times_test {
namespace {

constexpr double kBase = 1e-6;
constexpr double kTenth = 0.1;

std::vector<double> TimesOf(const std::vector<TableTimes::Mark>& marks) {
  std::vector<double> times;
  for (const TableTimes::Mark& mark : marks) times.push_back(mark.time);
  return times;
}

TEST(MarksOf, JumpsAreMarked) {
  const TimeCurve blow = {{0, 1, 1, 2, 2, 3}, {0, 0, 2, 2, 0, 0}};
  for (const double path : {0.0, 0.1}) {
    EXPECT_EQ(TimesOf(MarksOf(blow, {kTenth, path})), (std::vector<double>{0, 1, 2}));
  }
}

TEST(MarksOf, RampsAreDividedIntoSmallChanges) {
  const auto marks = MarksOf({{0, 1, 3, 4}, {0, 0, -2, -2}}, {kTenth, 0.0});
  ASSERT_EQ(TimesOf(marks), (std::vector<double>{0, 1, 3}));
  EXPECT_TRUE(std::isinf(marks[0].interval));
  EXPECT_DOUBLE_EQ(marks[1].interval, 0.2);
  EXPECT_TRUE(std::isinf(marks[2].interval));
  // A wall that starts from rest moves by no more than the path.
  EXPECT_DOUBLE_EQ(MarksOf({{0, 1}, {0, 1}}, {kTenth, 1e-4})[0].interval, 0.01);
}

TEST(MarksOf, RowsAtThePeaksOfAZigzagDoNotHideIt) {
  const auto marks = MarksOf({{0, 1, 2, 3}, {1, -1, 1, -1}}, {kTenth, 1.0});
  EXPECT_EQ(TimesOf(marks), (std::vector<double>{0, 1, 2, 3}));
  EXPECT_DOUBLE_EQ(marks[1].interval, 0.05);
}

TEST(MarksOf, FineRowsOfASmoothCurveAreSkipped) {
  TimeCurve sine;
  for (int k = 0; k <= 10'000; ++k) {
    sine.times.push_back(1e-4 * k);
    sine.values.push_back(std::sin(2.0 * std::numbers::pi * sine.times.back()));
  }
  const auto marks = MarksOf(sine, {kTenth, 1e-3});
  EXPECT_GT(marks.size(), 30u);
  EXPECT_LT(marks.size(), 60u);
}

TEST(MarksOf, RoundingOfPositionsIsIgnored) {
  TimeCurve noisy;
  for (int k = 0; k <= 10'000; ++k) {
    noisy.times.push_back(1e-4 * k);
    noisy.values.push_back(k % 2 == 0 ? 0.02 : 0.0);  // 0.01 m/s, with positions rounded to 1 µm
  }
  EXPECT_LT(MarksOf(noisy, {kTenth, 0.01}).size(), 20u);
  EXPECT_GT(MarksOf(noisy, {kTenth, 1e-5}).size(), 5000u);
}

MotionTable Table(MotionTable::Column column, std::vector<double> times,
                  const std::vector<double>& values) {
  MotionTable::Columns columns;
  columns[column] = values;
  return {std::move(times), columns};
}

std::vector<std::int64_t> EventsOf(const Scene& scene, std::int64_t from, std::int64_t until) {
  const auto tables = TableTimesOf(scene, kTenth, 1e-3);
  std::vector<std::int64_t> events;
  for (std::int64_t step = from;;) {
    step = NextTableEvent(tables, kBase, step);
    if (step >= until) return events;
    events.push_back(step);
  }
}

TEST(NextTableEvent, RepeatedMotionsOfWallsHaveEventsInEachPeriod) {
  Scene scene = test::EmptyScene(Vec3::Zero(), Vec3::Constant(0.02), 0.4);
  test::AddPlane(scene, Vec3::Zero(), Vec3::UnitZ());
  scene.walls[0].table = Table(MotionTable::kZ, {0.0, 1e-3, 3e-3, 4e-3}, {0.0, 0.1, -0.1, 0.0});
  scene.walls[0].table.Repeat();
  scene.walls[0].moves_from = 0.02;
  scene.walls[0].moves_until = 0.0275;
  using Steps = std::vector<std::int64_t>;
  EXPECT_EQ(EventsOf(scene, 0, 19'999), Steps{});
  EXPECT_EQ(EventsOf(scene, 20'000, 100'000), (Steps{21'000, 23'000, 24'000, 25'000, 27'000}));
}

TEST(NextTableEvent, OrientationsOfWallsCount) {
  Scene scene = test::EmptyScene(Vec3::Zero(), Vec3::Constant(0.02), 0.4);
  test::AddPlane(scene, Vec3::Zero(), Vec3::UnitZ());
  scene.walls[0].table = Table(MotionTable::kYaw, {0.0, 1e-3, 2e-3}, {0.0, 0.0, 1.0});
  EXPECT_EQ(EventsOf(scene, 0, 100'000), (std::vector<std::int64_t>{1000, 2000}));
}

TEST(NextTableEvent, ForcesOfMotorsAndPathsOfCellsCount) {
  Scene scene = test::EmptyScene(Vec3::Zero(), Vec3::Constant(0.02), 0.4);
  scene.joints = {{.name = "turn", .axis = Vec3::UnitZ()}};
  scene.joints[0].forces = {{0.01, 0.011, 0.02}, {Vec3::Zero(), Vec3::UnitX(), Vec3::UnitX()}};
  std::vector<std::int64_t> ramp;
  for (std::int64_t k = 0; k <= 10; ++k) ramp.push_back(10'000 + 100 * k);
  EXPECT_EQ(EventsOf(scene, 0, 100'000), ramp);
  scene.joints.clear();
  scene.cell.points = {0.01, 0.011, 0.02};
  scene.cell.drives[2] = {CellControlMode::kRate, 0.0, {0.0, -4.0, -4.0}};
  EXPECT_EQ(EventsOf(scene, 0, 100'000), ramp);
  scene.cell.strain_component = 2;
  EXPECT_TRUE(EventsOf(scene, 0, 100'000).empty());  // points of the path are not times
}

}  // namespace
}  // namespace scree::table_times_test
