/// \file  The motion of a wall as a table over time: positions or velocities, angles or rates.
#pragma once

#include <array>
#include <string>
#include <vector>

#include <Eigen/Core>

namespace scree {

/// Positions are interpolated linearly between rows and constant before the first and after the
/// last. So are velocities, whose integral the positions are. One that repeats goes on after its
/// last row as after its first, from where it then is.
class MotionTable {
 public:
  /// The columns beside the time; along an axis either position or velocity.
  enum Column { kX, kY, kZ, kAngle, kVx, kVy, kVz, kRate, kColumns };
  static constexpr std::array<const char*, kColumns> kNames = {"x",  "y",  "z",  "angle",
                                                               "vx", "vy", "vz", "rate"};
  using Columns = std::array<std::vector<double>, kColumns>;
  using Way = Eigen::Vector4d;  // x, y, z [m] and angle [rad]

  MotionTable() = default;
  /// @param times    ascending [s]
  /// @param columns  in m, rad, m/s and rad/s, as long as the times or empty
  /// @throws InputError saying what is wrong: rows, order of the times, columns that exclude each
  ///         other
  MotionTable(std::vector<double> times, Columns columns);

  void Repeat() { repeats_ = true; }
  bool Repeats() const { return repeats_; }

  bool IsEmpty() const { return times_.empty(); }
  bool IsMoving() const { return Has(kX) || Has(kY) || Has(kZ); }
  bool Turns() const { return Has(kAngle); }
  /// What has changed since time zero.
  /// @pre !IsEmpty()
  Way At(double time) const;
  /// No speed is greater [m/s, the last one rad/s].
  Way MaxRates() const;

  const std::vector<double>& Times() const { return times_; }
  const std::vector<double>& Of(Column column) const { return columns_[column]; }
  friend bool operator==(const MotionTable& a, const MotionTable& b) {
    return a.times_ == b.times_ && a.columns_ == b.columns_ && a.repeats_ == b.repeats_;
  }

 private:
  /// Whether the way has this component.
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
