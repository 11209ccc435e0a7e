/// \file  The motion of a wall, given by a table of positions or velocities, of angles or rates
///        about an axis, or of orientations.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "engine/geometry/quaternion.hpp"
#include "solvers/base/check.hpp"

namespace scree {

/// An error in one row of a table.
struct RowError : InputError {
  std::size_t row;  // from 1
  std::string problem;

  RowError(std::size_t number, const std::string& message)
      : InputError(Text("row ", number, " ", message)), row(number), problem(message) {}
};

/// Positions and velocities are interpolated linearly between rows and are constant before the
/// first row and after the last. A column of velocities is integrated to positions. Orientations
/// are interpolated at a constant angular velocity, along the shorter rotation (slerp). After the
/// last row a repeating table continues with the first row, from the position reached.
class MotionTable {
 public:
  /// Columns in addition to the time. Each axis has either positions or velocities, and the
  /// rotation is given by angles or rates about one axis, by unit quaternions, or by roll, pitch
  /// and yaw: rotations about the fixed axes x, then y, then z.
  enum Column {
    kX,
    kY,
    kZ,
    kAngle,
    kVx,
    kVy,
    kVz,
    kRate,
    kQw,
    kQx,
    kQy,
    kQz,
    kRoll,
    kPitch,
    kYaw,
    kColumns
  };
  static constexpr std::array<const char*, kColumns> kNames = {"x",  "y",  "z",    "angle", "vx",
                                                               "vy", "vz", "rate", "qw",    "qx",
                                                               "qy", "qz", "roll", "pitch", "yaw"};
  using Columns = std::array<std::vector<double>, kColumns>;
  using Coordinates = Eigen::Vector4d;  // x, y, z [m] and angle [rad]

  MotionTable() = default;
  /// @param times    ascending [s]
  /// @param columns  in m, rad, m/s and rad/s, each as long as the times or empty
  /// @throws InputError that describes the error: number of rows, order of the times, columns that
  ///         exclude each other, quaternions that are not unit quaternions, rotations by half a
  ///         turn
  MotionTable(std::vector<double> times, Columns columns);

  void Repeat() { repeats_ = true; }
  bool IsRepeating() const { return repeats_; }

  bool IsEmpty() const { return times_.empty(); }
  bool IsMoving() const { return Has(kX) || Has(kY) || Has(kZ); }
  /// Whether the table rotates about one axis.
  bool HasAngle() const { return Has(kAngle); }
  bool HasOrientation() const { return !orientations_.empty(); }
  bool HasRotation() const { return HasAngle() || HasOrientation(); }
  /// Displacement and angle since time zero.
  /// @pre !IsEmpty()
  Coordinates At(double time) const;
  /// Rotation since time zero.
  /// @pre HasOrientation()
  Quaternion RotationAt(double time) const;
  /// Upper bounds of the rates [m/s, last component rad/s].
  Coordinates MaxRates() const;

  const std::vector<double>& Times() const { return times_; }
  const std::vector<double>& Values(Column column) const { return columns_[column]; }
  friend bool operator==(const MotionTable& a, const MotionTable& b) {
    return a.times_ == b.times_ && a.columns_ == b.columns_ && a.repeats_ == b.repeats_;
  }

 private:
  /// Position in the table: between a row and the next one, before the first, or after the last.
  struct RowPosition {
    std::size_t row;
    bool is_between;
    double since, fraction;  // time since the row [s]; the same as a fraction of the interval
  };
  /// A time within the first period of a repeating table, and the number of completed periods.
  struct Phase {
    double time, periods;
  };

  /// Whether the table has positions or velocities of this component, which is kX to kAngle.
  bool Has(Column component) const {
    return !columns_[component].empty() || !columns_[component + kVx].empty();
  }
  void CheckColumns() const;
  void Integrate();
  void ReadOrientations();
  Phase PhaseAt(double time) const;
  RowPosition RowPositionAt(double time) const;
  // Values of the table, not relative to time zero.
  Coordinates RawCoordinates(double time) const;
  Quaternion RawOrientation(double time) const;

  std::vector<double> times_;
  Columns columns_;
  std::array<std::vector<double>, 4> sums_;  // integrals of velocities and rates up to each row
  std::vector<Quaternion> orientations_;     // of the rows; empty: no columns of orientations
  std::vector<Vec3> row_rotations_;          // rotation vectors from each row to the next [rad]
  Coordinates at_zero_ = Coordinates::Zero();
  Quaternion orientation_at_zero_;
  bool repeats_ = false;
};

}  // namespace scree
