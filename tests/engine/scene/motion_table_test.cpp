// Tables of wall motion: interpolation, repetition, orientations, and errors.
#include "engine/scene/motion_table.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "solvers/base/check.hpp"

namespace scree::motion_table_test {
namespace {

MotionTable TableOf(MotionTable::Column column, const std::vector<double>& values,
                    const std::vector<double>& times = {0.0, 1.0, 3.0}) {
  MotionTable::Columns columns;
  columns[column] = values;
  return {times, columns};
}

TEST(MotionTable, PositionsAreLinearBetweenRowsAndConstantOutside) {
  const MotionTable table = TableOf(MotionTable::kY, {2.0, 4.0, -4.0});
  EXPECT_EQ(table.At(0.0), MotionTable::Coordinates::Zero());
  EXPECT_DOUBLE_EQ(table.At(0.5)[1], 1.0);
  EXPECT_DOUBLE_EQ(table.At(2.0)[1], -2.0);
  EXPECT_DOUBLE_EQ(table.At(3.0)[1], -6.0);
  EXPECT_DOUBLE_EQ(table.At(1e9)[1], -6.0);
  EXPECT_DOUBLE_EQ(table.At(-1.0)[1], 0.0);
  EXPECT_DOUBLE_EQ(table.MaxRates()[1], 4.0);
  EXPECT_TRUE(table.IsMoving());
  EXPECT_FALSE(table.HasRotation());
}

TEST(MotionTable, VelocitiesAreIntegratedAndContinueOutside) {
  const MotionTable table = TableOf(MotionTable::kVz, {0.0, 2.0, 1.0});
  EXPECT_DOUBLE_EQ(table.At(0.5)[2], 0.25);
  EXPECT_DOUBLE_EQ(table.At(1.0)[2], 1.0);
  EXPECT_DOUBLE_EQ(table.At(2.0)[2], 1.0 + 1.75);
  EXPECT_DOUBLE_EQ(table.At(3.0)[2], 4.0);
  EXPECT_DOUBLE_EQ(table.At(5.0)[2], 6.0);
  EXPECT_DOUBLE_EQ(table.MaxRates()[2], 2.0);
}

TEST(MotionTable, DisplacementsCountFromTimeZero) {
  const MotionTable table = TableOf(MotionTable::kAngle, {1.0, 2.0, 3.0}, {-1.0, 1.0, 2.0});
  EXPECT_DOUBLE_EQ(table.At(0.0)[3], 0.0);
  EXPECT_DOUBLE_EQ(table.At(1.0)[3], 0.5);
  EXPECT_TRUE(table.HasRotation());
  const MotionTable late_table = TableOf(MotionTable::kVx, {2.0, 2.0}, {1.0, 2.0});
  EXPECT_DOUBLE_EQ(late_table.At(0.5)[0],
                   1.0);  // the velocity before the first row is that of the first row
}

TEST(MotionTable, RepeatedTableContinuesFromItsLastPosition) {
  MotionTable strokes = TableOf(MotionTable::kX, {0.0, 2.0, 1.0});
  strokes.Repeat();
  MotionTable rotation = TableOf(MotionTable::kRate, {0.0, 2.0, 0.0}, {1.0, 2.0, 3.0});
  rotation.Repeat();
  for (const double period : {0.0, 1.0, 5.0}) {
    EXPECT_DOUBLE_EQ(strokes.At(0.5 + 3.0 * period)[0], 1.0 + period);
    EXPECT_DOUBLE_EQ(strokes.At(2.0 + 3.0 * period)[0], 1.5 + period);
    EXPECT_DOUBLE_EQ(strokes.At(3.0 + 3.0 * period)[0], 1.0 + period);
    EXPECT_DOUBLE_EQ(rotation.At(2.0 + 2.0 * period)[3], 1.0 + 2.0 * period);
  }
  EXPECT_DOUBLE_EQ(rotation.At(0.5)[3], 0.0);  // before its first row
}

TEST(MotionTable, InvalidTablesAreErrors) {
  EXPECT_THROW(TableOf(MotionTable::kX, {1.0}, {0.0}), InputError);
  EXPECT_THROW(TableOf(MotionTable::kX, {1.0, 2.0}, {0.0, 0.0}), InputError);
  EXPECT_THROW(TableOf(MotionTable::kX, {1.0, 2.0}), InputError);
  EXPECT_THROW(MotionTable({0.0, 1.0}, {}), InputError);
  MotionTable::Columns columns;
  columns[MotionTable::kX] = columns[MotionTable::kVx] = {0.0, 1.0};
  EXPECT_THROW(MotionTable({0.0, 1.0}, columns), InputError);
}

using Values = std::vector<std::pair<MotionTable::Column, std::vector<double>>>;

MotionTable RotationTable(const std::vector<double>& times, const Values& values) {
  MotionTable::Columns columns;
  for (const auto& [column, numbers] : values) columns[column] = numbers;
  return {times, columns};
}

Vec3 Rotate(const Quaternion& q, const Vec3& v) { return RotationMatrix(q) * v; }

TEST(MotionTable, OrientationsAreExactAtRowsAndRotateSteadilyInBetween) {
  const double c = std::cos(0.3), s = std::sin(0.3);  // 0.6 rad about z
  const MotionTable table = RotationTable({0.0, 2.0}, {{MotionTable::kQw, {1.0, -c}},
                                                       {MotionTable::kQx, {0.0, 0.0}},
                                                       {MotionTable::kQy, {0.0, 0.0}},
                                                       {MotionTable::kQz, {0.0, -s}}});
  EXPECT_TRUE(table.HasOrientation());
  EXPECT_TRUE(table.HasRotation());
  EXPECT_FALSE(table.HasAngle());
  for (const double time : {-1.0, 0.0, 0.5, 1.7, 2.0, 9.0}) {
    const double angle = 0.3 * std::clamp(time, 0.0, 2.0);
    EXPECT_LT((RotationVector(table.RotationAt(time)) - Vec3(0.0, 0.0, angle)).norm(), 1e-15);
  }
  EXPECT_NEAR(table.MaxRates()[3], 0.3, 1e-15);
}

TEST(MotionTable, RollPitchYawAreAboutFixedAxesInThisOrder) {
  const double quarter = std::numbers::pi / 2.0;
  const MotionTable table = RotationTable(
      {0.0, 1.0}, {{MotionTable::kRoll, {0.0, quarter}}, {MotionTable::kYaw, {0.0, quarter}}});
  const Quaternion end = table.RotationAt(1.0);
  EXPECT_LT((Rotate(end, Vec3::UnitY()) - Vec3::UnitZ()).norm(), 1e-15);
  EXPECT_LT((Rotate(end, Vec3::UnitX()) - Vec3::UnitY()).norm(), 1e-15);
}

TEST(MotionTable, RepeatedRotationContinuesFromItsLastOrientation) {
  MotionTable table = RotationTable({0.0, 1.0}, {{MotionTable::kPitch, {0.2, 0.9}}});
  table.Repeat();
  for (const double time : {0.5, 1.0, 1.5, 3.25}) {
    const Vec3 rotation_vector = RotationVector(table.RotationAt(time));
    EXPECT_LT((rotation_vector - Vec3(0.0, 0.7 * time, 0.0)).norm(), 1e-14) << time;
  }
}

std::string RotationError(const Values& values) {
  try {
    RotationTable({0.0, 1.0}, values);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(MotionTable, InvalidRotationsAreErrors) {
  const std::vector<double> ones = {1.0, 1.0}, zeros = {0.0, 0.0};
  EXPECT_EQ(RotationError(
                {{MotionTable::kQw, ones}, {MotionTable::kQx, zeros}, {MotionTable::kQy, zeros}}),
            "has qw without qz; expected the whole quaternion: qw, qx, qy, qz");
  const std::string kinds =
      "; expected one kind of rotation: angle or rate about the axis, qw, qx, qy, qz, or roll, "
      "pitch, yaw";
  EXPECT_EQ(RotationError({{MotionTable::kRate, ones}, {MotionTable::kYaw, zeros}}),
            "has both rate and yaw" + kinds);
  EXPECT_EQ(RotationError({{MotionTable::kQw, ones}, {MotionTable::kYaw, zeros}}),
            "has both qw and yaw" + kinds);
  EXPECT_EQ(RotationError({{MotionTable::kQw, {1.0, 0.5}},
                           {MotionTable::kQx, zeros},
                           {MotionTable::kQy, zeros},
                           {MotionTable::kQz, zeros}}),
            "row 2 has the quaternion (0.5, 0, 0, 0) of norm 0.5; expected 1");
  EXPECT_EQ(RotationError({{MotionTable::kQw, {1.0, 0.0}},
                           {MotionTable::kQx, {0.0, 1.0}},
                           {MotionTable::kQy, zeros},
                           {MotionTable::kQz, zeros}}),
            "row 2 rotates by 180 degrees; expected less than half a turn between rows, so that "
            "its direction is clear");
  EXPECT_NE(RotationError({{MotionTable::kRoll, {3.0, -3.0}}}).find("row 2 changes roll by -343.7"),
            std::string::npos);
}

}  // namespace
}  // namespace scree::motion_table_test
