#include "engine/observation/field_average.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "engine/geometry/periodic_images.hpp"
#include "engine/observation/contact_records.hpp"
#include "engine/particles/body_mass.hpp"
#include "solvers/base/check.hpp"

namespace scree {
namespace {

std::optional<std::size_t> CellOf(const FieldGrid& grid, const Vec3& x) {
  std::array<std::size_t, 3> indices;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto a = static_cast<Eigen::Index>(axis);
    const double coordinate = (x[a] - grid.region.lower[a]) / grid.region.Extent()[a];
    const double cell = std::floor(coordinate * grid.cells[axis]);
    if (!(cell >= 0.0 && cell < grid.cells[axis])) return std::nullopt;
    indices[axis] = static_cast<std::size_t>(cell);
  }
  const auto nx = static_cast<std::size_t>(grid.cells[0]);
  const auto ny = static_cast<std::size_t>(grid.cells[1]);
  return indices[0] + nx * (indices[1] + ny * indices[2]);
}

std::size_t KindOf(const FieldGrid& grid, const Particles& particles, std::size_t i) {
  switch (grid.by) {
    case FieldKinds::kAll:
      return 0;
    case FieldKinds::kMaterial:
      return static_cast<std::size_t>(particles.material[i]);
    case FieldKinds::kShape:
      return static_cast<std::size_t>(particles.shape[i]);
  }
  SCREE_DEMAND(false);
  return 0;
}

/// Adds a row of sums if the next frame starts a new one.
/// @returns first slot of the row of the next frame
std::size_t FirstSlotOfNextFrame(FieldSums& sums, std::int64_t frames_per_row) {
  const auto row = frames_per_row > 0 ? static_cast<std::size_t>(sums.frames / frames_per_row) : 0;
  sums.values.resize(std::max(sums.values.size(), FieldSums::kEntries * sums.slots * (row + 1)));
  return row * sums.slots;
}

void AddSymmetric(double factor, const Vec3& v, double* sum) {
  sum[0] += factor * v.x() * v.x();
  sum[1] += factor * v.y() * v.y();
  sum[2] += factor * v.z() * v.z();
  sum[3] += factor * v.x() * v.y();
  sum[4] += factor * v.x() * v.z();
  sum[5] += factor * v.y() * v.z();
}

Mat3 Symmetric(const double* sum) {
  Mat3 tensor;
  tensor << sum[0], sum[3], sum[4], sum[3], sum[1], sum[5], sum[4], sum[5], sum[2];
  return tensor;
}

/// Calls visit(cell, fraction) for each grid cell that a line crosses, with the fraction of the
/// line's length in the cell. Periodic images are ignored.
template <class Visit>
void ForEachCellOnLine(const FieldGrid& grid, const Vec3& from, const Vec3& to, Visit&& visit) {
  const Vec3 path = to - from, extent = grid.CellExtent();
  // Change of the line parameter s from face to face, and s at the next face, along each axis.
  std::array<double, 3> step = {}, next = {};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto a = static_cast<Eigen::Index>(axis);
    const double path_cells = std::abs(path[a]) / extent[a];
    const double point = (from[a] - grid.region.lower[a]) / extent[a];
    const double distance =
        path[a] > 0.0 ? std::floor(point) + 1.0 - point : point - std::floor(point);
    step[axis] = path_cells > 0.0 ? 1.0 / path_cells : std::numeric_limits<double>::infinity();
    next[axis] = path_cells > 0.0 ? distance / path_cells : std::numeric_limits<double>::infinity();
  }
  for (double s = 0.0; s < 1.0;) {
    const auto axis =
        static_cast<std::size_t>(std::min_element(next.begin(), next.end()) - next.begin());
    const double end = std::min(next[axis], 1.0);
    if (end > s) {
      const auto cell = CellOf(grid, from + 0.5 * (s + end) * path);
      if (cell) visit(*cell, end - s);
    }
    s = std::max(s, end);
    next[axis] += step[axis];
  }
}

bool CanCross(const Box& box, const Vec3& from, const Vec3& to) {
  return (from.cwiseMax(to).array() >= box.lower.array()).all() &&
         (from.cwiseMin(to).array() < box.upper.array()).all();
}

/// As ForEachCellOnLine, for a line and its images in a sheared domain.
template <class Visit>
void ForEachCellOnLineAndImages(const FieldGrid& grid, const Domain& domain,
                                const PeriodicImages& images, const Vec3& from, const Vec3& to,
                                Visit&& visit) {
  const Vec3 wrapped = images.Wrap(from), offset = wrapped - from;
  if (domain.box.Contains(wrapped) && domain.box.Contains(to + offset)) {
    return ForEachCellOnLine(grid, wrapped, to + offset, visit);
  }
  for (std::int8_t x = -1; x <= 1; ++x) {
    for (std::int8_t y = -1; y <= 1; ++y) {
      for (std::int8_t z = -1; z <= 1; ++z) {
        const Vec3 shift = offset + images.Shift({x, y, z});
        if (!CanCross(grid.region, from + shift, to + shift)) continue;
        ForEachCellOnLine(grid, from + shift, to + shift, visit);
      }
    }
  }
}

/// As ForEachCellOnLine, for a line and its periodic images in a domain without shear.
template <class Visit>
void ForEachCellOnLineAndImages(const FieldGrid& grid, const Domain& domain, const Vec3& from,
                                const Vec3& to, Visit&& visit) {
  const Vec3 offset = domain.Wrap(from) - from;
  Vec3 lower = Vec3::Zero(), upper = Vec3::Zero();  // images along each axis, in periods
  for (Eigen::Index a = 0; a < 3; ++a) {
    if (!domain.periodic[static_cast<std::size_t>(a)]) continue;
    const double end = to[a] + offset[a];
    if (end < domain.box.lower[a]) upper[a] = 1.0;
    if (end >= domain.box.upper[a]) lower[a] = -1.0;
  }
  const Vec3 period = domain.box.Extent();
  for (double x = lower.x(); x <= upper.x(); x += 1.0) {
    for (double y = lower.y(); y <= upper.y(); y += 1.0) {
      for (double z = lower.z(); z <= upper.z(); z += 1.0) {
        const Vec3 shift = offset + Vec3(x, y, z).cwiseProduct(period);
        ForEachCellOnLine(grid, from + shift, to + shift, visit);
      }
    }
  }
}

/// The wrapped position of a contact. A contact with a wall is on the wall's surface, or behind it
/// if they overlap. It is moved to the side of the particle, so that it counts in the particles'
/// cells if the wall is at a face of a cell or of the domain.
Vec3 ContactPosition(const ContactRecord& contact, const Domain& domain,
                     const PeriodicImages& images) {
  if (contact.b >= 0) return images.Wrap(contact.position);
  constexpr double kRounding = 1e-9;
  const double shift = std::max(0.0, -contact.gap) + kRounding * contact.arm_a.norm();
  Vec3 point = images.Wrap(contact.position + shift * contact.normal);
  for (Eigen::Index a = 0; a < 3; ++a) {
    if (domain.periodic[static_cast<std::size_t>(a)]) continue;
    const double last = std::nextafter(domain.box.upper[a], domain.box.lower[a]);
    point[a] = std::clamp(point[a], domain.box.lower[a], last);
  }
  return point;
}

struct CurrentGrid {
  const Domain& domain;
  FieldGrid grid;
  double volume_ratio;  // initial volume of a grid cell over the current volume: factor of the sums
};

CurrentGrid MakeCurrentGrid(const FieldGrid& grid, const Scene& scene, const Domain* cell) {
  if (cell == nullptr) return {scene.domain, grid, 1.0};
  const FieldGrid current_grid = grid.At(scene.domain, *cell);
  return {*cell, current_grid, grid.CellVolume() / current_grid.CellVolume()};
}

/// The part of a contact that belongs to one of its particles.
struct ContactSide {
  std::size_t kind = 0;
  Vec3 arm = Vec3::Zero();    // from the contact to the particle's centre [m]
  Vec3 force = Vec3::Zero();  // on the particle [N]
  double weight = 0.0;        // of the contact: 1/2, or 1 with a wall
};

}  // namespace

std::size_t CountKinds(const FieldGrid& grid, const Scene& scene) {
  switch (grid.by) {
    case FieldKinds::kAll:
      return 1;
    case FieldKinds::kMaterial:
      return scene.materials.Size();
    case FieldKinds::kShape:
      return 1 + scene.clumps.size();
  }
  SCREE_DEMAND(false);
  return 1;
}

std::size_t FieldGrid::Size() const {
  std::size_t size = 1;
  for (const int count : cells) size *= static_cast<std::size_t>(count);
  return size;
}

std::array<int, 3> FieldGrid::IndicesOf(std::size_t cell) const {
  const auto nx = static_cast<std::size_t>(cells[0]);
  const auto ny = static_cast<std::size_t>(cells[1]);
  return {static_cast<int>(cell % nx), static_cast<int>(cell / nx % ny),
          static_cast<int>(cell / (nx * ny))};
}

Vec3 FieldGrid::Centre(std::size_t cell) const {
  const std::array<int, 3> indices = IndicesOf(cell);
  Vec3 centre = region.lower;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto a = static_cast<Eigen::Index>(axis);
    centre[a] += (indices[axis] + 0.5) / cells[axis] * region.Extent()[a];
  }
  return centre;
}

Vec3 FieldGrid::CellExtent() const {
  return region.Extent().cwiseQuotient(Vec3(cells[0], cells[1], cells[2]));
}

double FieldGrid::CellVolume() const {
  return region.Extent().prod() / static_cast<double>(Size());
}

FieldGrid FieldGrid::At(const Domain& initial, const Domain& current) const {
  FieldGrid grid = *this;
  const Vec3 scale = current.box.Extent().cwiseQuotient(initial.box.Extent());
  const auto deform = [&](const Vec3& x) -> Vec3 {
    return current.box.lower + scale.cwiseProduct(x - initial.box.lower);
  };
  grid.region = {deform(region.lower), deform(region.upper)};
  return grid;
}

void AddFrame(const FieldGrid& scene_grid, const Scene& scene, const Particles& particles,
              FieldSums& sums, std::int64_t frames_per_row, double time,
              const Domain* current_cell) {
  const std::size_t first = FirstSlotOfNextFrame(sums, frames_per_row);
  const auto [domain, grid, volume_ratio] = MakeCurrentGrid(scene_grid, scene, current_cell);
  const PeriodicImages images(domain, time);
  for (std::size_t i = 0; i < particles.owned; ++i) {
    if (particles.id[i] == kRemovedId) continue;
    // A centre may be beyond a periodic end until the next rebuild of the lists.
    Vec3 x = particles.position[i], v = particles.velocity[i];
    images.Wrap(x, v);
    const std::optional<std::size_t> cell = CellOf(grid, x);
    if (!cell) continue;
    if (images.AreMoving()) v += domain.MeanFlow(grid.Centre(*cell)) - domain.MeanFlow(x);
    const Vec3& omega = particles.angular_velocity[i];
    const double volume = volume_ratio * VolumeOf(particles, i, scene);
    const double mass = volume_ratio * MassOf(particles, i, scene);
    const std::size_t slot = first + grid.Size() * KindOf(grid, particles, i) + *cell;
    double* sum = &sums.values[FieldSums::kEntries * slot];
    sum[FieldSums::kSamples] += 1.0;
    sum[FieldSums::kNumber] += volume_ratio;
    sum[FieldSums::kSpeedSum] += v.norm();
    sum[FieldSums::kAngularSpeed] += omega.norm();
    sum[FieldSums::kMassSum] += mass;
    sum[FieldSums::kVolume] += volume;
    Eigen::Map<Vec3>(sum + FieldSums::kVelocity) += v;
    Eigen::Map<Vec3>(sum + FieldSums::kAngularVelocity) += omega;
    Eigen::Map<Vec3>(sum + FieldSums::kMomentum) += mass * v;
    AddSymmetric(mass, v, sum + FieldSums::kMomentumFlux);
  }
  ++sums.frames;
}

namespace {

/// Marks the first closed contact of each two bodies, so that each neighbour counts once. Contacts
/// of the same two bodies need not follow one another: inactive contacts come after all active
/// ones. The table of hashes costs a tenth of sorting the contacts by bodies.
std::vector<bool> MarkNeighbours(std::span<const ContactRecord> contacts, double closed_gap) {
  constexpr auto kNone = std::numeric_limits<std::size_t>::max();
  // For each hash the last marked contact; for each marked contact the one before it.
  std::vector<std::size_t> last(contacts.size(), kNone), previous(contacts.size(), kNone);
  std::vector<bool> marks(contacts.size());
  for (std::size_t j = 0; j < contacts.size(); ++j) {
    const ContactRecord& contact = contacts[j];
    if (contact.gap > closed_gap) continue;
    const auto hash =
        static_cast<std::size_t>(contact.id_a) * 1000003 + static_cast<std::size_t>(contact.id_b);
    std::size_t& last_marked = last[hash % contacts.size()];
    std::size_t k = last_marked;
    while (k != kNone && !HaveSameBodies(contacts[k], contact)) k = previous[k];
    if (k != kNone) continue;
    marks[j] = true;
    previous[j] = last_marked;
    last_marked = j;
  }
  return marks;
}

}  // namespace

void AddContacts(const FieldGrid& scene_grid, const Scene& scene, const Particles& particles,
                 std::span<const ContactRecord> contacts, double dt, double closed_gap,
                 FieldSums& sums, std::int64_t frames_per_row, double time,
                 const Domain* current_cell) {
  const std::size_t first = FirstSlotOfNextFrame(sums, frames_per_row);
  const CurrentGrid current = MakeCurrentGrid(scene_grid, scene, current_cell);
  const Domain& domain = current.domain;
  const FieldGrid& grid = current.grid;
  const PeriodicImages images(domain, time);
  const auto side_of = [&](Index particle, const Vec3& arm, const Vec3& force, double weight) {
    return ContactSide{KindOf(grid, particles, static_cast<std::size_t>(particle)), arm, force,
                       weight};
  };
  const auto entries = [&](std::size_t kind, std::size_t cell) {
    return &sums.values[FieldSums::kEntries * (first + grid.Size() * kind + cell)];
  };
  const std::vector<bool> are_new_neighbours = MarkNeighbours(contacts, closed_gap);
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    const ContactRecord& contact = contacts[k];
    const bool with_wall = contact.b < 0;
    const bool is_closed = contact.gap <= closed_gap;
    const Vec3 force = (contact.impulse + contact.pull) / dt;
    std::array<ContactSide, 2> sides;
    sides[0] = side_of(contact.a, contact.arm_a, force, with_wall ? 1.0 : 0.5);
    if (!with_wall) sides[1] = side_of(contact.b, contact.arm_b, -force, 0.5);
    const auto contact_cell = CellOf(grid, ContactPosition(contact, domain, images));
    for (const ContactSide& side : std::span(sides).first(with_wall ? 1 : 2)) {
      const Vec3 side_centre = contact.position + side.arm;
      const auto add_stress = [&](std::size_t cell, double line_fraction) {
        const double factor = current.volume_ratio * line_fraction;
        double* stress = entries(side.kind, cell) + FieldSums::kContactStress;
        for (int i = 0; i < 3; ++i) {
          for (int j = 0; j < 3; ++j) stress[3 * i + j] += factor * side.force[i] * side.arm[j];
        }
      };
      if (images.AreMoving()) {
        ForEachCellOnLineAndImages(grid, domain, images, contact.position, side_centre, add_stress);
      } else {
        ForEachCellOnLineAndImages(grid, domain, contact.position, side_centre, add_stress);
      }
      const auto centre_cell = CellOf(grid, images.Wrap(side_centre));
      if (are_new_neighbours[k] && centre_cell) {
        entries(side.kind, *centre_cell)[FieldSums::kTouching] += 1.0;
      }
      if (!contact_cell) continue;
      double* point_sums = entries(side.kind, *contact_cell);
      if (with_wall)
        Eigen::Map<Vec3>(point_sums + FieldSums::kWallForce) += current.volume_ratio * force;
      if (!is_closed) continue;
      point_sums[FieldSums::kContacts] += side.weight;
      AddSymmetric(side.weight, contact.normal, point_sums + FieldSums::kFabric);
    }
  }
}

FieldSums SumOverRanks(const Communicator& communicator, FieldSums sums) {
  communicator.Sum(sums.values);
  return sums;
}

namespace {

/// Adds the means over contacts. They are NaN (0/0) if no frame has contacts.
void AddContactMeans(const FieldGrid& grid, std::span<const double> sum, FrameCount frames,
                     CellMeans& means) {
  const auto count = static_cast<double>(frames.contacts);
  const double volume_sum = grid.CellVolume() * count;
  means.contact_stress = Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(
                             &sum[FieldSums::kContactStress]) /
                         volume_sum;
  means.wall_force = Eigen::Map<const Vec3>(&sum[FieldSums::kWallForce]) / volume_sum;
  // The initial state has particles but no contact data, so frames.contacts may be smaller.
  const double samples = sum[FieldSums::kSamples] * count / static_cast<double>(frames.particles);
  means.coordination = sum[FieldSums::kTouching] / samples;
  means.fabric = Symmetric(&sum[FieldSums::kFabric]) / sum[FieldSums::kContacts];
}

}  // namespace

CellMeans MeansOf(const FieldGrid& grid, const FieldSums& sums, std::size_t cell) {
  return MeansOf(grid, sums.SlotSums(cell), {sums.frames, sums.frames});
}

CellMeans MeansOf(const FieldGrid& grid, std::span<const double> sum, FrameCount frames,
                  double free_fraction) {
  SCREE_DEMAND(frames.particles > 0);
  CellMeans means;
  means.samples = static_cast<std::int64_t>(sum[FieldSums::kSamples]);
  if (means.samples > 0) {
    const double count = sum[FieldSums::kSamples];
    means.velocity = Eigen::Map<const Vec3>(&sum[FieldSums::kVelocity]) / count;
    means.speed = sum[FieldSums::kSpeedSum] / count;
    means.angular_velocity = Eigen::Map<const Vec3>(&sum[FieldSums::kAngularVelocity]) / count;
    means.angular_speed = sum[FieldSums::kAngularSpeed] / count;
  }
  const double volume_sum = grid.CellVolume() * static_cast<double>(frames.particles);
  means.number_density = sum[FieldSums::kNumber] / volume_sum;
  means.mass_density = sum[FieldSums::kMassSum] / volume_sum;
  means.solid_fraction =
      free_fraction > 0.0 ? sum[FieldSums::kVolume] / (volume_sum * free_fraction) : 0.0;
  means.momentum_density = Eigen::Map<const Vec3>(&sum[FieldSums::kMomentum]) / volume_sum;
  if (means.mass_density > 0.0) {
    const Vec3& momentum = means.momentum_density;
    means.kinetic_stress = Symmetric(&sum[FieldSums::kMomentumFlux]) / volume_sum -
                           momentum * momentum.transpose() / means.mass_density;
    means.temperature = means.kinetic_stress.trace() / (3.0 * means.mass_density);
  }
  AddContactMeans(grid, sum, frames, means);
  return means;
}

}  // namespace scree
