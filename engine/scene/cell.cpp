#include "engine/scene/cell.hpp"

#include <algorithm>
#include <cmath>

namespace scree {

bool CellControl::IsActive() const {
  return std::ranges::any_of(
      drives, [](const CellDrive& drive) { return drive.mode != CellControlMode::kFixed; });
}

bool CellControl::HasStress() const {
  return std::ranges::any_of(
      drives, [](const CellDrive& drive) { return drive.mode == CellControlMode::kStress; });
}

double CellControl::At(std::size_t k, double point) const {
  const CellDrive& drive = drives[k];
  if (drive.mode == CellControlMode::kFixed) return 0.0;
  if (drive.values.empty()) return drive.value;
  const auto next = static_cast<std::size_t>(std::upper_bound(points.begin(), points.end(), point) -
                                             points.begin());
  if (next == 0) return drive.values.front();
  if (next == points.size()) return drive.values.back();
  const double fraction = (point - points[next - 1]) / (points[next] - points[next - 1]);
  return drive.values[next - 1] + fraction * (drive.values[next] - drive.values[next - 1]);
}

double CellControl::PointOf(const CellState& begin, double time) const {
  return strain_component ? begin.StrainOfPath(*strain_component) : time;
}

double CellState::StrainOfPath(std::size_t k) const {
  if (k == kCellShear) return shear_strain - path_from[k];
  return std::log(path_from[k] / box.Extent()[static_cast<Eigen::Index>(k)]);
}

void StartCell(const CellControl& control, const Box& box, CellState& cell) {
  if (cell.box.Extent().isZero(0.0)) {
    cell.box = box;
    cell.first_volume = box.Extent().prod();
  }
  if (cell.path_since == control.since) return;
  const Vec3 edges = cell.box.Extent();
  cell.path_from = {edges.x(), edges.y(), edges.z(), cell.shear_strain};
  cell.path_since = control.since;
}

namespace {

double MaxOf(const CellControl& control, CellControlMode mode) {
  double max_value = 0.0;
  for (const CellDrive& drive : control.drives) {
    if (drive.mode != mode) continue;
    if (drive.values.empty()) max_value = std::max(max_value, std::abs(drive.value));
    for (const double value : drive.values) max_value = std::max(max_value, std::abs(value));
  }
  return max_value;
}

}  // namespace

double CellControl::MaxRate() const { return MaxOf(*this, CellControlMode::kRate); }
double CellControl::MaxStress() const { return MaxOf(*this, CellControlMode::kStress); }

CellComponents InertialRates(const CellComponents& rates, double dt, const Shear& axes) {
  CellComponents inertial_rates = rates;
  for (std::size_t k = 0; k < kCellShear; ++k) inertial_rates[k] /= 1.0 + dt * rates[k];
  const auto f = static_cast<std::size_t>(axes.Flow());
  const auto g = static_cast<std::size_t>(axes.Gradient());
  inertial_rates[kCellShear] /= (1.0 + dt * rates[f]) * (1.0 + dt * rates[g]);
  return inertial_rates;
}

void MoveCell(const CellComponents& rates, const CellComponents& displacement, double dt,
              const Shear& axes, CellState& cell) {
  CellComponents strain;
  for (std::size_t k = 0; k < kCellComponents; ++k) strain[k] = dt * rates[k] + displacement[k];
  const Vec3 centre = 0.5 * (cell.box.lower + cell.box.upper), length = cell.box.Extent();
  const auto f = static_cast<std::size_t>(axes.Flow());
  cell.image_offset += strain[f] * cell.image_offset + strain[kCellShear] * length[axes.Gradient()];
  for (int k = 0; k < 3; ++k) {
    const double half = 0.5 * length[k] * (1.0 + strain[static_cast<std::size_t>(k)]);
    cell.box.lower[k] = centre[k] - half;
    cell.box.upper[k] = centre[k] + half;
  }
  cell.shear_strain += strain[kCellShear];
  cell.rates = rates;
  cell.flow = InertialRates(rates, dt, axes);
}

void RenumberImages(const Shear& axes, CellState& cell) {
  const double period = cell.box.Extent()[axes.Flow()];
  cell.image_offset -= period * std::nearbyint(cell.image_offset / period);
}

Domain DomainOf(const Domain& domain, const CellState& cell) {
  Domain current = domain;
  current.box = cell.box;
  current.deforms = true;
  current.stretch = Vec3(cell.flow[0], cell.flow[1], cell.flow[2]);
  current.shear.rate = cell.flow[kCellShear];
  current.image_offset = cell.image_offset;
  return current;
}

Domain MeanStrain(const Domain& current, const CellState& before, const CellState& after,
                  double elapsed) {
  Domain mean = current;
  mean.stretch = (after.box.Extent().cwiseQuotient(before.box.Extent()) - Vec3::Ones()) / elapsed;
  // F = H' H⁻¹: F_fg = (s' − F_ff s)/L_g
  const int f = current.shear.Flow(), g = current.shear.Gradient();
  const double growth = 1.0 + elapsed * mean.stretch[f];
  mean.shear.rate =
      (after.image_offset - growth * before.image_offset) / (before.box.Extent()[g] * elapsed);
  return mean;
}

}  // namespace scree
