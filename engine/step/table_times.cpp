#include "engine/step/table_times.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "engine/geometry/quaternion.hpp"
#include "engine/scene/links.hpp"
#include "engine/scene/step_parameters.hpp"

namespace scree {
namespace {

constexpr double kUnlimited = std::numeric_limits<double>::infinity();
constexpr double kNegligiblePath = 1e-4;  // of CurveTolerance::path

/// Finds the marks of a curve.
class MarkFinder {
 public:
  MarkFinder(const TimeCurve& curve, const CurveTolerance& tolerance)
      : times_(curve.times), values_(curve.values), max_path_(tolerance.path) {
    for (const double value : values_) max_change_ = std::max(max_change_, std::abs(value));
    max_change_ *= tolerance.change;
  }

  std::vector<TableTimes::Mark> Find() {
    marks_.push_back({times_.front()});
    for (std::size_t k = 1; k < times_.size(); ++k) {
      if (ChangesMuchBefore(k)) {
        Divide(k);
        continue;
      }
      Include(k);
      if (has_changed_ && IsCurved(k)) {
        BeginAt(k - 1);
        Include(k);
      }
      NarrowSlopes(k);
    }
    // What follows the last point lasts for ever.
    if (has_changed_) marks_.push_back({times_.back()});
    return std::move(marks_);
  }

 private:
  double NegligiblePath() const { return kNegligiblePath * max_path_; }
  double TimeSinceBegin(std::size_t k) const { return times_[k] - times_[begin_]; }

  /// Whether the curve changes too much in the interval before point k. The integral of a ramp
  /// differs from a straight line by up to an eighth of length times change.
  bool ChangesMuchBefore(std::size_t k) const {
    const double change = std::abs(values_[k] - values_[k - 1]);
    return change > max_change_ && (times_[k] - times_[k - 1]) * change > 8.0 * NegligiblePath();
  }
  void Include(std::size_t k) {
    has_changed_ |= std::abs(values_[k] - values_[begin_]) > max_change_;
    integral_ += 0.5 * (times_[k] - times_[k - 1]) * (values_[k] + values_[k - 1]);
  }
  /// Whether a straight line from the point `begin_` to point k is too far from the integral of the
  /// curve between them.
  bool IsCurved(std::size_t k) const {
    const double time = TimeSinceBegin(k);
    return time > 0.0 && (integral_ < min_slope_ * time || integral_ > max_slope_ * time);
  }
  /// Restricts the slopes to those of lines that pass the integral at point k.
  void NarrowSlopes(std::size_t k) {
    const double time = TimeSinceBegin(k);
    if (!(time > 0.0)) return;
    min_slope_ = std::max(min_slope_, (integral_ - NegligiblePath()) / time);
    max_slope_ = std::min(max_slope_, (integral_ + NegligiblePath()) / time);
  }
  void BeginAt(std::size_t k) {
    if (k == begin_) return;
    begin_ = k;
    has_changed_ = false;
    integral_ = 0.0;
    min_slope_ = -kUnlimited;
    max_slope_ = kUnlimited;
    marks_.push_back({times_[k]});
  }
  /// Divides the interval before point k into equal parts.
  void Divide(std::size_t k) {
    BeginAt(k - 1);
    const double length = times_[k] - times_[k - 1], change = std::abs(values_[k] - values_[k - 1]);
    const double parts = std::max(change / max_change_,
                                  max_path_ > 0.0 ? std::sqrt(change * length / max_path_) : 0.0);
    marks_.back().interval = length / std::ceil(parts);
    BeginAt(k);
  }

  std::span<const double> times_, values_;
  double max_path_, max_change_ = 0.0;
  std::vector<TableTimes::Mark> marks_;
  // Since the point `begin_`, at which the last mark is:
  std::size_t begin_ = 0;
  bool has_changed_ = false;                                 // by more than the maximum
  double integral_ = 0.0;                                    // of the curve
  double min_slope_ = -kUnlimited, max_slope_ = kUnlimited;  // of lines close to the integral
};

/// A curve that is constant between the times, and zero outside of them unless it repeats.
/// @param values  one per interval
TimeCurve Stairs(std::span<const double> times, std::span<const double> values, bool repeats) {
  TimeCurve curve;
  const auto add = [&](double time, double value) {
    curve.times.push_back(time);
    curve.values.push_back(value);
  };
  if (!repeats) add(times.front(), 0.0);
  for (std::size_t k = 0; k < values.size(); ++k) {
    add(times[k], values[k]);
    add(times[k + 1], values[k]);
  }
  if (!repeats) add(times.back(), 0.0);
  return curve;
}

/// Collects the tables of a scene.
class TableCollector {
 public:
  TableCollector(double change, double path) : change_(change), path_(path) {}

  void Add(const TimeCurve& curve, double path = 0.0, const TableTimes& span = {}) {
    TableTimes table = span;
    table.marks = MarksOf(curve, {change_, path});
    tables_.push_back(std::move(table));
  }

  /// @param begin, end  of the motion [s]
  /// @param arm         of rotations [m]
  void Add(const MotionTable& table, double begin, double end, double arm) {
    if (table.IsEmpty()) return;
    const double angle = path_ / arm;
    const std::vector<double>& times = table.Times();
    TableTimes span = {{}, begin, end};
    if (table.IsRepeating()) span.period = times.back() - times.front();
    for (int c = MotionTable::kX; c <= MotionTable::kAngle; ++c) {
      const double path = c == MotionTable::kAngle ? angle : path_;
      const auto values = [&](int column) -> const std::vector<double>& {
        return table.Values(static_cast<MotionTable::Column>(column));
      };
      const std::vector<double>& positions = values(c);
      const std::vector<double>& speeds = values(c + MotionTable::kVx);
      if (!speeds.empty()) Add(TimeCurve{times, speeds}, path, span);
      if (positions.empty()) continue;
      std::vector<double> slopes;
      for (std::size_t k = 1; k < times.size(); ++k) {
        slopes.push_back((positions[k] - positions[k - 1]) / (times[k] - times[k - 1]));
      }
      Add(Stairs(times, slopes, table.IsRepeating()), path, span);
    }
    if (!table.HasOrientation()) return;
    std::array<std::vector<double>, 3> rates;
    for (std::size_t k = 1; k < times.size(); ++k) {
      const Vec3 rotation =
          RotationVector(table.RotationAt(times[k]) * Inverse(table.RotationAt(times[k - 1])));
      for (std::size_t c = 0; c < 3; ++c) {
        rates[c].push_back(rotation[static_cast<Index>(c)] / (times[k] - times[k - 1]));
      }
    }
    for (const auto& rate : rates) Add(Stairs(times, rate, table.IsRepeating()), angle, span);
  }

  std::vector<TableTimes> Tables() { return std::move(tables_); }

 private:
  double change_, path_;
  std::vector<TableTimes> tables_;
};

/// The first of the times after `time`, both in the table's time; infinite: none [s].
double NextTime(const TableTimes& table, double time) {
  const double first = table.marks.front().time;
  const double passed =
      table.period > 0.0 ? table.period * std::max(std::floor((time - first) / table.period), 0.0)
                         : 0.0;
  const auto next =
      std::ranges::upper_bound(table.marks, time - passed, {}, &TableTimes::Mark::time);
  double next_time = table.period > 0.0 ? passed + table.period + first : kUnlimited;
  if (next != table.marks.end()) next_time = std::min(next_time, passed + next->time);
  if (next == table.marks.begin()) return next_time;
  const TableTimes::Mark& last = next[-1];
  if (!std::isfinite(last.interval)) return next_time;
  const double since = time - passed - last.time;
  return std::min(next_time,
                  passed + last.time + last.interval * (std::floor(since / last.interval) + 1.0));
}

std::int64_t StepOf(double time, double base) {
  return std::llround(std::min(time / base, static_cast<double>(kNoEvent)));
}

}  // namespace

std::vector<TableTimes::Mark> MarksOf(const TimeCurve& curve, const CurveTolerance& tolerance) {
  return MarkFinder(curve, tolerance).Find();
}

std::vector<TableTimes> TableTimesOf(const Scene& scene, double change, double path) {
  TableCollector collector(change, path);
  for (const Wall& wall : scene.walls) {
    collector.Add(wall.table, wall.moves_from, wall.moves_until, MaxArm(scene, wall));
  }
  const std::vector<double> arms = ArmsOfJoints(scene);
  for (std::size_t j = 0; j < scene.joints.size(); ++j) {
    const Joint& joint = scene.joints[j];
    collector.Add(joint.table, 0.0, kUnlimited, arms[j]);
    if (joint.forces.IsEmpty()) continue;
    TimeCurve forces{joint.forces.arguments, {}};
    for (const Vec3& value : joint.forces.values) forces.values.push_back(value.x());
    collector.Add(forces);
  }
  for (const CellDrive& drive : scene.cell.drives) {
    const bool is_of_time = drive.mode != CellControlMode::kFixed && !scene.cell.strain_component;
    if (is_of_time && !drive.values.empty())
      collector.Add(TimeCurve{scene.cell.points, drive.values});
  }
  return collector.Tables();
}

std::int64_t NextTableEvent(std::span<const TableTimes> tables, double base, std::int64_t step) {
  std::int64_t next = kNoEvent;
  for (const TableTimes& table : tables) {
    // As in the poses of walls, the table's time counts from the step nearest to its beginning.
    const std::int64_t first = StepOf(table.begin, base), end = StepOf(table.end, base);
    if (step < first || step >= end) continue;
    const std::int64_t since = step - first;
    // Later times are those that round to later steps.
    const double time = NextTime(table, base * (static_cast<double>(since) + 0.5));
    const std::int64_t event = first + std::max(StepOf(time, base), since + 1);
    if (event < end) next = std::min(next, event);
  }
  return next;
}

}  // namespace scree
