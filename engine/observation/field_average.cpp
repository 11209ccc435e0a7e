#include "engine/observation/field_average.hpp"

#include <cmath>
#include <optional>

#include "engine/particles/body_mass.hpp"
#include "solvers/check.hpp"

namespace scree {
namespace {

std::optional<std::size_t> CellOf(const FieldGrid& grid, const Vec3& x) {
  std::array<std::size_t, 3> place;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto a = static_cast<Eigen::Index>(axis);
    const double along = (x[a] - grid.region.lower[a]) / grid.region.Extent()[a];
    const double cell = std::floor(along * grid.cells[axis]);
    if (!(cell >= 0.0 && cell < grid.cells[axis])) return std::nullopt;
    place[axis] = static_cast<std::size_t>(cell);
  }
  const auto nx = static_cast<std::size_t>(grid.cells[0]);
  const auto ny = static_cast<std::size_t>(grid.cells[1]);
  return place[0] + nx * (place[1] + ny * place[2]);
}

}  // namespace

std::size_t FieldGrid::Size() const {
  std::size_t size = 1;
  for (const int count : cells) size *= static_cast<std::size_t>(count);
  return size;
}

std::array<int, 3> FieldGrid::Place(std::size_t cell) const {
  const auto nx = static_cast<std::size_t>(cells[0]);
  const auto ny = static_cast<std::size_t>(cells[1]);
  return {static_cast<int>(cell % nx), static_cast<int>(cell / nx % ny),
          static_cast<int>(cell / (nx * ny))};
}

Vec3 FieldGrid::Centre(std::size_t cell) const {
  const std::array<int, 3> place = Place(cell);
  Vec3 centre = region.lower;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto a = static_cast<Eigen::Index>(axis);
    centre[a] += (place[axis] + 0.5) / cells[axis] * region.Extent()[a];
  }
  return centre;
}

double FieldGrid::CellVolume() const {
  return region.Extent().prod() / static_cast<double>(Size());
}

void AddFrame(const FieldGrid& grid, const Scene& scene, const Particles& particles,
              FieldSums& sums) {
  for (std::size_t i = 0; i < particles.owned; ++i) {
    if (particles.id[i] == kGone) continue;
    // Between rebuilds a centre may be beyond a periodic end.
    const std::optional<std::size_t> cell = CellOf(grid, scene.domain.Wrap(particles.position[i]));
    if (!cell) continue;
    const Vec3& v = particles.velocity[i];
    const Vec3& omega = particles.angular_velocity[i];
    const double volume = VolumeOf(particles, i, scene);
    double* sum = &sums.values[FieldSums::kEntries * *cell];
    sum[FieldSums::kSamples] += 1.0;
    sum[FieldSums::kSpeed] += v.norm();
    sum[FieldSums::kAngularSpeed] += omega.norm();
    sum[FieldSums::kMass] += MassOf(particles, i, scene);
    sum[FieldSums::kVolume] += volume;
    Eigen::Map<Vec3>(sum + FieldSums::kVelocity) += v;
    Eigen::Map<Vec3>(sum + FieldSums::kAngularVelocity) += omega;
  }
  ++sums.frames;
}

FieldSums SumOverRanks(const Communicator& communicator, FieldSums sums) {
  communicator.Sum(sums.values);
  return sums;
}

CellMeans MeansOf(const FieldGrid& grid, const FieldSums& sums, std::size_t cell) {
  SCREE_DEMAND(sums.frames > 0);
  const std::span<const double> sum = sums.Of(cell);
  CellMeans means;
  means.samples = static_cast<std::int64_t>(sum[FieldSums::kSamples]);
  if (means.samples > 0) {
    const double count = sum[FieldSums::kSamples];
    means.velocity = Eigen::Map<const Vec3>(&sum[FieldSums::kVelocity]) / count;
    means.speed = sum[FieldSums::kSpeed] / count;
    means.angular_velocity = Eigen::Map<const Vec3>(&sum[FieldSums::kAngularVelocity]) / count;
    means.angular_speed = sum[FieldSums::kAngularSpeed] / count;
  }
  const double space = grid.CellVolume() * static_cast<double>(sums.frames);
  means.number_density = sum[FieldSums::kSamples] / space;
  means.mass_density = sum[FieldSums::kMass] / space;
  means.solid_fraction = sum[FieldSums::kVolume] / space;
  return means;
}

}  // namespace scree
