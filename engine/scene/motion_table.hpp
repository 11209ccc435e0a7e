/// \file  The motion of a wall tabulated over time: positions or velocities, angles or rates.
#pragma once

#include <array>
#include <string>
#include <vector>

#include <Eigen/Core>

namespace scree {

/// Positions and velocities are interpolated linearly between rows and are constant before the
/// first row and after the last. A column of velocities is integrated to positions. A repeating
/// table continues after the last row with the first one, starting from the position reached.
class MotionTable {
 public:
  /// Columns in addition to the time. Each axis has either positions or velocities.
  enum Column { kX, kY, kZ, kAngle, kVx, kVy, kVz, kRate, kColumns };
  static constexpr std::array<const char*, kColumns> kNames = {"x",  "y",  "z",  "angle",
                                                               "vx", "vy", "vz", "rate"};
  using Columns = std::array<std::vector<double>, kColumns>;
  using Way = Eigen::Vector4d;  // x, y, z [m] and angle [rad]

  MotionTable() = default;
  /// @param times    ascending [s]
  /// @param columns  in m, rad, m/s and rad/s, as long as the times or empty
  /// @throws InputError that describes the error: number of rows, order of the times, columns that
  ///         exclude each other
  MotionTable(std::vector<double> times, Columns columns);

  void Repeat() { repeats_ = true; }
  bool Repeats() const { return repeats_; }

  bool IsEmpty() const { return times_.empty(); }
  bool IsMoving() const { return Has(kX) || Has(kY) || Has(kZ); }
  bool Turns() const { return Has(kAngle); }
  /// Displacement and angle since time zero.
  /// @pre !IsEmpty()
  Way At(double time) const;
  /// Upper bounds of the rates [m/s, last component rad/s].
  Way MaxRates() const;

  const std::vector<double>& Times() const { return times_; }
  const std::vector<double>& Of(Column column) const { return columns_[column]; }
  friend bool operator==(const MotionTable& a, const MotionTable& b) {
    return a.times_ == b.times_ && a.columns_ == b.columns_ && a.repeats_ == b.repeats_;
  }

 private:
  /// Whether the table moves this component.
  bool Has(Column component) const {
    return !columns_[component].empty() || !columns_[component + kVx].empty();
  }
  Way Raw(double time) const;

  std::vector<double> times_;
  Columns columns_;
  std::array<std::vector<double>, 4> sums_;  // integrals of the velocities up to each row
  Way at_zero_ = Way::Zero();
  bool repeats_ = false;
};

}  // namespace scree
