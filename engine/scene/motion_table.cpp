#include "engine/scene/motion_table.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "solvers/base/check.hpp"

namespace scree {

MotionTable::MotionTable(std::vector<double> times, Columns columns)
    : times_(std::move(times)), columns_(std::move(columns)) {
  if (times_.size() < 2) {
    throw InputError(Text("has ", times_.size(), " rows; expected at least 2"));
  }
  for (std::size_t k = 1; k < times_.size(); ++k) {
    if (times_[k] > times_[k - 1]) continue;
    throw InputError(Text("row ", k + 1, " has the time ", times_[k], " s after ", times_[k - 1],
                          " s; expected increasing times"));
  }
  bool any = false;
  for (std::size_t c = 0; c < kColumns; ++c) {
    any = any || !columns_[c].empty();
    if (columns_[c].empty() || columns_[c].size() == times_.size()) continue;
    throw InputError(Text("has ", columns_[c].size(), " values of ", kNames[c], " for ",
                          times_.size(), " times; expected one per time"));
  }
  if (!any) throw InputError("has no column besides the time; expected x, y, z, angle, vx, ...");
  for (std::size_t c = 0; c < 4; ++c) {
    const std::vector<double>& rates = columns_[c + kVx];
    if (rates.empty()) continue;
    if (!columns_[c].empty()) {
      throw InputError(Text("has both ", kNames[c], " and ", kNames[c + kVx], "; expected one"));
    }
    sums_[c].assign(times_.size(), 0.0);
    for (std::size_t k = 1; k < times_.size(); ++k) {
      sums_[c][k] = sums_[c][k - 1] + 0.5 * (times_[k] - times_[k - 1]) * (rates[k - 1] + rates[k]);
    }
  }
  at_zero_ = Raw(0.0);
}

MotionTable::Way MotionTable::At(double time) const {
  const double last = times_.back();
  if (!repeats_ || time <= last) return Raw(time) - at_zero_;
  const double period = last - times_.front();
  const double rounds = std::floor((time - times_.front()) / period);
  return Raw(time - rounds * period) + rounds * (Raw(last) - Raw(times_.front())) - at_zero_;
}

MotionTable::Way MotionTable::Raw(double time) const {
  const auto after = std::upper_bound(times_.begin(), times_.end(), time);
  const auto next = static_cast<std::size_t>(after - times_.begin());
  const std::size_t row = next == 0 ? 0 : next - 1;
  const bool between = next > 0 && next < times_.size();
  const double since = time - times_[row];
  const double share = between ? since / (times_[next] - times_[row]) : 0.0;
  Way way = Way::Zero();
  for (std::size_t c = 0; c < 4; ++c) {
    const std::vector<double>&places = columns_[c], &rates = columns_[c + kVx];
    double& travel = way.data()[c];
    if (!places.empty()) {
      travel = between ? places[row] + share * (places[next] - places[row]) : places[row];
    } else if (!rates.empty()) {
      const double now = between ? rates[row] + share * (rates[next] - rates[row]) : rates[row];
      travel = sums_[c][row] + 0.5 * since * (rates[row] + now);
    }
  }
  return way;
}

MotionTable::Way MotionTable::MaxRates() const {
  Way greatest = Way::Zero();
  for (std::size_t c = 0; c < 4; ++c) {
    double& most = greatest.data()[c];
    for (const double rate : columns_[c + kVx]) most = std::max(most, std::abs(rate));
    const std::vector<double>& places = columns_[c];
    for (std::size_t k = 1; k < places.size(); ++k) {
      const double rate = (places[k] - places[k - 1]) / (times_[k] - times_[k - 1]);
      most = std::max(most, std::abs(rate));
    }
  }
  return greatest;
}

}  // namespace scree
