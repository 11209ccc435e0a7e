#include "engine/step/cell_start.hpp"

#include <algorithm>
#include <cmath>

#include "solvers/base/check.hpp"

namespace scree {
namespace {

CellState StartWith(const CellComponents& rates, const Scene& scene) {
  CellState cell;
  StartCell(scene.cell, scene.domain.box, cell);
  cell.rates = cell.flow = rates;
  return cell;
}

/// Whether the next image up the gradient is at a whole number of periods along the flow.
bool AreImagesAligned(const Domain& domain) {
  constexpr double kRounding = 1e-9;
  const double periods = domain.image_offset / domain.box.Extent()[domain.shear.Flow()];
  return std::abs(periods - std::nearbyint(periods)) <= kRounding;
}

/// @throws InputError
void RequireSameImages(const Scene& scene, const Domain& domain) {
  const Shear &shear = domain.shear, &axes = scene.domain.shear;
  const bool is_cell = scene.cell.IsActive();
  const bool has_same_axes = is_cell && shear.flow == axes.flow && shear.gradient == axes.gradient;
  const bool needs_axes = !AreImagesAligned(domain) || (is_cell && shear.IsActive());
  if (has_same_axes || !needs_axes) return;
  const auto name = [](CoordinateAxis axis) {
    return NamesOf(axis)[static_cast<std::size_t>(axis)];
  };
  throw InputError(Text("the periodic images along ", name(shear.gradient), " have an offset of ",
                        domain.image_offset, " m and the shear rate ", shear.rate, " /s along ",
                        name(shear.flow), "; expected a scene with a [cell] that has flow = ",
                        name(shear.flow), " and gradient = ", name(shear.gradient)));
}

}  // namespace

CellState CellAround(const Communicator& communicator, const Scene& scene,
                     const Particles& particles) {
  if (!scene.cell.IsActive()) return {};
  const bool has_motion = std::ranges::any_of(
      particles.velocity, [](const Vec3& velocity) { return velocity != Vec3::Zero(); });
  CellComponents rates = {};
  if (communicator.Max(std::int64_t{has_motion}) == 0) return StartWith(rates, scene);
  for (std::size_t k = 0; k < kCellComponents; ++k) {
    if (scene.cell.drives[k].mode == CellControlMode::kRate) rates[k] = scene.cell.At(k, 0.0);
  }
  return StartWith(rates, scene);
}

CellState CellThatContinues(const Scene& scene, const Domain& domain) {
  RequireSameImages(scene, domain);
  if (!scene.cell.IsActive()) return {};
  const Vec3& stretch = domain.stretch;
  CellState cell = StartWith({stretch.x(), stretch.y(), stretch.z(), domain.shear.rate}, scene);
  cell.image_offset = domain.image_offset;
  return cell;
}

}  // namespace scree
