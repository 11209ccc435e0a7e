#include "engine/scene/motion_table.hpp"

#include <gtest/gtest.h>

#include "solvers/base/check.hpp"

namespace scree::motion_table_test {
namespace {

MotionTable Of(MotionTable::Column column, const std::vector<double>& values,
               const std::vector<double>& times = {0.0, 1.0, 3.0}) {
  MotionTable::Columns columns;
  columns[column] = values;
  return {times, columns};
}

TEST(MotionTable, PositionsAreLinearBetweenRowsAndConstantOutside) {
  const MotionTable table = Of(MotionTable::kY, {2.0, 4.0, -4.0});
  EXPECT_EQ(table.At(0.0), MotionTable::Way::Zero());
  EXPECT_DOUBLE_EQ(table.At(0.5)[1], 1.0);
  EXPECT_DOUBLE_EQ(table.At(2.0)[1], -2.0);
  EXPECT_DOUBLE_EQ(table.At(3.0)[1], -6.0);
  EXPECT_DOUBLE_EQ(table.At(1e9)[1], -6.0);
  EXPECT_DOUBLE_EQ(table.At(-1.0)[1], 0.0);
  EXPECT_DOUBLE_EQ(table.MaxRates()[1], 4.0);
  EXPECT_TRUE(table.IsMoving());
  EXPECT_FALSE(table.Turns());
}

TEST(MotionTable, VelocitiesAreIntegratedAndContinueOutside) {
  const MotionTable table = Of(MotionTable::kVz, {0.0, 2.0, 1.0});
  EXPECT_DOUBLE_EQ(table.At(0.5)[2], 0.25);
  EXPECT_DOUBLE_EQ(table.At(1.0)[2], 1.0);
  EXPECT_DOUBLE_EQ(table.At(2.0)[2], 1.0 + 1.75);
  EXPECT_DOUBLE_EQ(table.At(3.0)[2], 4.0);
  EXPECT_DOUBLE_EQ(table.At(5.0)[2], 6.0);
  EXPECT_DOUBLE_EQ(table.MaxRates()[2], 2.0);
}

TEST(MotionTable, DisplacementsCountFromTimeZero) {
  const MotionTable table = Of(MotionTable::kAngle, {1.0, 2.0, 3.0}, {-1.0, 1.0, 2.0});
  EXPECT_DOUBLE_EQ(table.At(0.0)[3], 0.0);
  EXPECT_DOUBLE_EQ(table.At(1.0)[3], 0.5);
  EXPECT_TRUE(table.Turns());
  const MotionTable later = Of(MotionTable::kVx, {2.0, 2.0}, {1.0, 2.0});
  EXPECT_DOUBLE_EQ(later.At(0.5)[0], 1.0);  // the first row holds before it
}

TEST(MotionTable, ARepeatedTableContinuesFromItsLastPosition) {
  MotionTable strokes = Of(MotionTable::kX, {0.0, 2.0, 1.0});
  strokes.Repeat();
  MotionTable turns = Of(MotionTable::kRate, {0.0, 2.0, 0.0}, {1.0, 2.0, 3.0});
  turns.Repeat();
  for (const double round : {0.0, 1.0, 5.0}) {
    EXPECT_DOUBLE_EQ(strokes.At(0.5 + 3.0 * round)[0], 1.0 + round);
    EXPECT_DOUBLE_EQ(strokes.At(2.0 + 3.0 * round)[0], 1.5 + round);
    EXPECT_DOUBLE_EQ(strokes.At(3.0 + 3.0 * round)[0], 1.0 + round);
    EXPECT_DOUBLE_EQ(turns.At(2.0 + 2.0 * round)[3], 1.0 + 2.0 * round);
  }
  EXPECT_DOUBLE_EQ(turns.At(0.5)[3], 0.0);  // before its first row
}

TEST(MotionTable, InvalidTablesAreErrors) {
  EXPECT_THROW(Of(MotionTable::kX, {1.0}, {0.0}), InputError);
  EXPECT_THROW(Of(MotionTable::kX, {1.0, 2.0}, {0.0, 0.0}), InputError);
  EXPECT_THROW(Of(MotionTable::kX, {1.0, 2.0}), InputError);
  EXPECT_THROW(MotionTable({0.0, 1.0}, {}), InputError);
  MotionTable::Columns both;
  both[MotionTable::kX] = both[MotionTable::kVx] = {0.0, 1.0};
  EXPECT_THROW(MotionTable({0.0, 1.0}, both), InputError);
}

}  // namespace
}  // namespace scree::motion_table_test
