#include "engine/scene/motion_table.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace scree {
namespace {

constexpr double kDegree = std::numbers::pi / 180.0;
// Numbers in tables may be rounded to three digits.
constexpr double kNormTolerance = 2e-3;
// The direction of a rotation that is this close to half a turn is ambiguous [rad].
constexpr double kHalfTurnTolerance = 1e-4;

/// Orientation after rotations about the fixed axes x, then y, then z.
Quaternion OrientationOf(double roll, double pitch, double yaw) {
  return RotationBy(Vec3(0.0, 0.0, yaw)) * RotationBy(Vec3(0.0, pitch, 0.0)) *
         RotationBy(Vec3(roll, 0.0, 0.0));
}

}  // namespace

MotionTable::MotionTable(std::vector<double> times, Columns columns)
    : times_(std::move(times)), columns_(std::move(columns)) {
  CheckColumns();
  Integrate();
  ReadOrientations();
  at_zero_ = RawCoordinates(0.0);
  if (HasOrientation()) orientation_at_zero_ = RawOrientation(0.0);
}

void MotionTable::CheckColumns() const {
  if (times_.size() < 2) {
    throw InputError(Text("has ", times_.size(), " rows; expected at least 2"));
  }
  for (std::size_t k = 1; k < times_.size(); ++k) {
    if (times_[k] > times_[k - 1]) continue;
    throw RowError(k + 1, Text("has the time ", times_[k], " s after ", times_[k - 1],
                               " s; expected increasing times"));
  }
  bool has_column = false;
  for (std::size_t c = 0; c < kColumns; ++c) {
    has_column = has_column || !columns_[c].empty();
    if (columns_[c].empty() || columns_[c].size() == times_.size()) continue;
    throw InputError(Text("has ", columns_[c].size(), " values of ", kNames[c], " for ",
                          times_.size(), " times; expected one per time"));
  }
  if (!has_column)
    throw InputError("has no column besides the time; expected x, y, z, angle, vx, ...");
  for (std::size_t c = 0; c < 4; ++c) {
    if (columns_[c].empty() || columns_[c + kVx].empty()) continue;
    throw InputError(
        Text("has both ", kNames[c], " and ", kNames[c + kVx], "; expected one of them"));
  }
}

void MotionTable::Integrate() {
  for (std::size_t c = 0; c < 4; ++c) {
    const std::vector<double>& rates = columns_[c + kVx];
    if (rates.empty()) continue;
    sums_[c].assign(times_.size(), 0.0);
    for (std::size_t k = 1; k < times_.size(); ++k) {
      sums_[c][k] = sums_[c][k - 1] + 0.5 * (times_[k] - times_[k - 1]) * (rates[k - 1] + rates[k]);
    }
  }
}

void MotionTable::ReadOrientations() {
  const auto first_name_in = [&](Column from, Column until) {
    const auto begin = columns_.begin();
    const auto found = std::find_if(begin + from, begin + until + 1,
                                    [](const auto& values) { return !values.empty(); });
    return found == begin + until + 1 ? nullptr : kNames[static_cast<std::size_t>(found - begin)];
  };
  const char* const quaternion = first_name_in(kQw, kQz);
  const char* const angle = first_name_in(kRoll, kYaw);
  if (quaternion == nullptr && angle == nullptr) return;
  const char* const about_axis = columns_[kAngle].empty() ? "rate" : "angle";
  if (HasAngle() || (quaternion != nullptr && angle != nullptr)) {
    throw InputError(Text("has both ", HasAngle() ? about_axis : quaternion, " and ",
                          angle == nullptr ? quaternion : angle,
                          "; expected one kind of rotation: ",
                          "angle or rate about the axis, qw, qx, qy, qz, or roll, pitch, yaw"));
  }
  for (std::size_t c = kQw; quaternion != nullptr && c <= kQz; ++c) {
    if (!columns_[c].empty()) continue;
    throw InputError(Text("has ", quaternion, " without ", kNames[c],
                          "; expected the whole quaternion: qw, qx, qy, qz"));
  }
  const auto value = [&](Column column, std::size_t row) {
    return columns_[column].empty() ? 0.0 : columns_[column][row];
  };
  for (std::size_t k = 0; k < times_.size(); ++k) {
    if (quaternion == nullptr) {
      orientations_.push_back(OrientationOf(value(kRoll, k), value(kPitch, k), value(kYaw, k)));
      continue;
    }
    const Quaternion q = {value(kQw, k), value(kQx, k), value(kQy, k), value(kQz, k)};
    const double norm = std::hypot(std::hypot(q.w, q.x), std::hypot(q.y, q.z));
    if (!(std::abs(norm - 1.0) <= kNormTolerance)) {
      throw RowError(k + 1, Text("has the quaternion (", q.w, ", ", q.x, ", ", q.y, ", ", q.z,
                                 ") of norm ", norm, "; expected 1"));
    }
    orientations_.push_back(Normalized(q));
  }
  for (std::size_t k = 1; k < times_.size(); ++k) {
    for (const Column column : {kRoll, kPitch, kYaw}) {
      const double change = value(column, k) - value(column, k - 1);
      if (std::abs(change) < std::numbers::pi - kHalfTurnTolerance) continue;
      throw RowError(k + 1, Text("changes ", kNames[column], " by ", change / kDegree,
                                 " degrees; expected less than half a turn between rows, so that ",
                                 "its direction is clear (numpy.unwrap removes jumps by a turn)"));
    }
    const Vec3 rotation = RotationVector(orientations_[k] * Inverse(orientations_[k - 1]));
    if (rotation.norm() >= std::numbers::pi - kHalfTurnTolerance) {
      throw RowError(k + 1,
                     Text("rotates by ", rotation.norm() / kDegree, " degrees; expected less ",
                          "than half a turn between rows, so that its direction is clear"));
    }
    row_rotations_.push_back(rotation);
  }
}

MotionTable::Phase MotionTable::PhaseAt(double time) const {
  const double last = times_.back();
  if (!repeats_ || time <= last) return {time, 0.0};
  const double period = last - times_.front();
  const double periods = std::floor((time - times_.front()) / period);
  return {time - periods * period, periods};
}

MotionTable::Coordinates MotionTable::At(double time) const {
  const Phase phase = PhaseAt(time);
  if (phase.periods == 0.0) return RawCoordinates(time) - at_zero_;
  return RawCoordinates(phase.time) +
         phase.periods * (RawCoordinates(times_.back()) - RawCoordinates(times_.front())) -
         at_zero_;
}

Quaternion MotionTable::RotationAt(double time) const {
  const Phase phase = PhaseAt(time);
  Quaternion q = RawOrientation(phase.time);
  if (phase.periods > 0.0) {
    const Quaternion inverse_first = Inverse(orientations_.front());
    const Vec3 per_period = RotationVector(orientations_.back() * inverse_first);
    q = q * inverse_first * RotationBy(phase.periods * per_period) * orientations_.front();
  }
  return q * Inverse(orientation_at_zero_);
}

MotionTable::RowPosition MotionTable::RowPositionAt(double time) const {
  const auto after = std::upper_bound(times_.begin(), times_.end(), time);
  const auto next = static_cast<std::size_t>(after - times_.begin());
  const std::size_t row = next == 0 ? 0 : next - 1;
  const bool is_between = next > 0 && next < times_.size();
  const double since = time - times_[row];
  return {row, is_between, since, is_between ? since / (times_[next] - times_[row]) : 0.0};
}

MotionTable::Coordinates MotionTable::RawCoordinates(double time) const {
  const auto [row, is_between, since, fraction] = RowPositionAt(time);
  const std::size_t next = row + 1;
  Coordinates coordinates = Coordinates::Zero();
  for (std::size_t c = 0; c < 4; ++c) {
    const std::vector<double>&positions = columns_[c], &rates = columns_[c + kVx];
    double& travel = coordinates.data()[c];
    if (!positions.empty()) {
      travel = is_between ? positions[row] + fraction * (positions[next] - positions[row])
                          : positions[row];
    } else if (!rates.empty()) {
      const double current_rate =
          is_between ? rates[row] + fraction * (rates[next] - rates[row]) : rates[row];
      travel = sums_[c][row] + 0.5 * since * (rates[row] + current_rate);
    }
  }
  return coordinates;
}

Quaternion MotionTable::RawOrientation(double time) const {
  const RowPosition position = RowPositionAt(time);
  const Quaternion& from = orientations_[position.row];
  return position.is_between ? RotationBy(position.fraction * row_rotations_[position.row]) * from
                             : from;
}

MotionTable::Coordinates MotionTable::MaxRates() const {
  Coordinates max_rates = Coordinates::Zero();
  for (std::size_t c = 0; c < 4; ++c) {
    double& max = max_rates.data()[c];
    for (const double rate : columns_[c + kVx]) max = std::max(max, std::abs(rate));
    const std::vector<double>& positions = columns_[c];
    for (std::size_t k = 1; k < positions.size(); ++k) {
      const double rate = (positions[k] - positions[k - 1]) / (times_[k] - times_[k - 1]);
      max = std::max(max, std::abs(rate));
    }
  }
  for (std::size_t k = 0; k < row_rotations_.size(); ++k) {
    max_rates[3] = std::max(max_rates[3], row_rotations_[k].norm() / (times_[k + 1] - times_[k]));
  }
  return max_rates;
}

}  // namespace scree
