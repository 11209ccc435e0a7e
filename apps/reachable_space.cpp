#include "apps/reachable_space.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "engine/particles/lattice.hpp"

namespace scree {
namespace {

constexpr double kCells = 48.0;  // along the longest edge
constexpr double kDense = 0.6;   // solid fraction of what has settled
constexpr double kTight = 0.9;   // of a radius: what rests on a wall is not in it

using Cell = std::array<int, 3>;

class Flood {
 public:
  Flood(const Scene& scene, double radius) : scene_(scene), radius_(radius) {
    const Vec3 extent = scene.domain.box.Extent();
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const auto a = static_cast<Eigen::Index>(axis);
      cells_[axis] = static_cast<int>(std::ceil(kCells * extent[a] / extent.maxCoeff()));
      width_[a] = extent[a] / cells_[axis];
      if (!scene.domain.periodic[axis]) down_[a] = scene.gravity[a];
    }
    reached_.assign(static_cast<std::size_t>(cells_[0]) * static_cast<std::size_t>(cells_[1]) *
                        static_cast<std::size_t>(cells_[2]),
                    0);
    tried_ = reached_;
    volumes_.assign(reached_.size(), 0.0);
  }

  /// Potential energy per mass [m²/s²].
  double Height(const Vec3& x) const { return -down_.dot(x); }

  /// Starts from here.
  void Seed(const Vec3& x) {
    const Cell cell = CellOf(x);
    if (tried_[Number(cell)] != 0) return;
    highest_ = std::max(highest_, Height(x));
    for (int k = 0; k < 27; ++k) {
      const Cell near = {cell[0] + k % 3 - 1, cell[1] + k / 3 % 3 - 1, cell[2] + k / 9 - 1};
      if (!IsInside(near) || !Passes(x, Centre(near))) continue;
      reached_[Number(near)] = 1;
      tried_[Number(cell)] = 1;
    }
  }

  /// Takes in a particle and where it is.
  void Seed(const Vec3& x, double radius) {
    volumes_[Number(CellOf(x))] += SphereVolume(radius);
    Seed(x);
  }

  /// Brings together what all ranks started from.
  void Join(const Communicator& communicator) {
    communicator.Max(reached_);
    communicator.Sum(volumes_);
    highest_ = communicator.Max(highest_);
  }

  ReachableSpace Fill(double speed) {
    const bool lifts = std::ranges::any_of(scene_.walls, &Wall::Moves);
    const double limit = lifts ? std::numeric_limits<double>::infinity()
                               : highest_ + 0.5 * speed * speed + 0.5 * Height(Up());
    for (std::size_t n = 0; n < reached_.size(); ++n) {
      if (reached_[n] != 0) front_.push_back(CellNumbered(n));
    }
    while (!front_.empty()) {
      const Cell cell = front_.back();
      front_.pop_back();
      for (std::size_t face = 0; face < 6; ++face) Cross(cell, face / 2, face % 2, limit);
    }
    ReachableSpace space;
    for (std::size_t face = 0; face < 6; ++face) {
      if (open_[face]) space.open_faces.push_back({"xyz"[face / 2], "-+"[face % 2]});
    }
    space.drop = Drop();
    return space;
  }

  /// Starts from all cells whose centres are inside.
  void Seed(const Region& region) {
    for (std::size_t n = 0; n < reached_.size(); ++n) {
      const Vec3 centre = Centre(CellNumbered(n));
      if (Holds(region, centre, 0.0)) Seed(centre);
    }
    const Box bounds = BoundsOf(region);
    Seed(Vec3(0.5 * (bounds.lower + bounds.upper)));
  }

 private:
  /// The longest free fall along the axis of the strongest pull: where a column of reached cells
  /// has no particles, and what dense packing leaves of it where it has.
  double Drop() const {
    Eigen::Index a = 0;
    if (!(down_.cwiseAbs().maxCoeff(&a) > 0.0)) return 0.0;
    const auto axis = static_cast<std::size_t>(a);
    double longest = 0.0;
    for (std::size_t n = 0; n < reached_.size(); ++n) {
      Cell cell = CellNumbered(n);
      if (cell[axis] != 0) continue;
      for (double way = 0.0; cell[axis] < cells_[axis]; ++cell[axis]) {
        // What is packed more densely than it settles takes from the way.
        const double more = width_[a] * EmptyShare(cell);
        way = reached_[Number(cell)] == 0 ? 0.0 : std::max(0.0, way + more);
        longest = std::max(longest, way);
      }
    }
    return std::abs(down_[a]) * longest;
  }

  /// Of the cells around one, 1 where nothing is, 0 where they are densely filled; the cells may be
  /// smaller than particles, and are then too full or too empty by turns.
  double EmptyShare(const Cell& cell) const {
    double volume = 0.0, space = 0.0;
    for (int k = 0; k < 27; ++k) {
      const Cell near =
          Mirrored({cell[0] + k % 3 - 1, cell[1] + k / 3 % 3 - 1, cell[2] + k / 9 - 1});
      const auto weight = [](int step) { return step == 1 ? 2.0 : 1.0; };
      const double share = weight(k % 3) * weight(k / 3 % 3) * weight(k / 9);
      volume += share * volumes_[Number(near)];
      space += share * width_.prod();
    }
    return 1.0 - volume / (kDense * space);
  }

  /// A cell beyond the domain's end as the one as far inside.
  Cell Mirrored(Cell cell) const {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const int last = cells_[axis] - 1;
      if (cell[axis] < 0) cell[axis] = std::min(1, last);
      if (cell[axis] > last) cell[axis] = std::max(0, last - 1);
    }
    return cell;
  }

  /// Goes on through a face of a cell, or out of the domain.
  void Cross(const Cell& cell, std::size_t axis, std::size_t side, double limit) {
    const auto a = static_cast<Eigen::Index>(axis);
    Cell next = cell;
    next[axis] += side == 0 ? -1 : 1;
    Vec3 there = Centre(next);
    if (!IsInside(next) && !scene_.domain.periodic[axis]) {
      there[a] = side == 0 ? scene_.domain.box.lower[a] : scene_.domain.box.upper[a];
      if (scene_.outflow[axis][side] || open_[2 * axis + side]) return;
      open_[2 * axis + side] = Height(there) <= limit && Passes(Centre(cell), there);
      return;
    }
    const Vec3 from = Centre(cell);
    next[axis] = (next[axis] + cells_[axis]) % cells_[axis];
    if (reached_[Number(next)] != 0 || Height(Centre(next)) > limit) return;
    // Walls end at the domain's ends: the other half of a way across one is looked at from there.
    const Vec3 arrival = Centre(next);
    const Vec3 half = 0.5 * (there - from);
    if (!Passes(from, from + half) || !Passes(arrival, arrival - half)) return;
    reached_[Number(next)] = 1;
    front_.push_back(next);
  }

  /// Whether a sphere gets straight from one place to the other (sphere tracing: no wall is nearer
  /// than the nearest).
  bool Passes(const Vec3& from, const Vec3& to) const {
    const double length = (to - from).norm();
    constexpr double kLeast = 0.2;  // of a radius, so that it comes to an end
    for (double way = 0.0;;) {
      const double room = Room(from + (length > 0.0 ? way / length : 0.0) * (to - from));
      if (room < 0.0) return false;
      if (way >= length) return true;
      way = std::min(length, way + std::max(room, kLeast * radius_));
    }
  }

  /// From a sphere's surface, its centre here, to the nearest wall [m].
  double Room(const Vec3& x) const {
    double room = std::numeric_limits<double>::infinity();
    for (const Wall& wall : scene_.walls) {
      if (std::isfinite(wall.removed_at) || !wall.StopsAll()) continue;
      room = std::min(room, NearestSurface(wall.shape, x).distance);
    }
    return room - kTight * radius_;
  }

  /// Of a cell, against gravity [m].
  Vec3 Up() const { return -down_.cwiseSign().cwiseProduct(width_); }

  Vec3 Centre(const Cell& cell) const {
    return scene_.domain.box.lower +
           (Vec3(cell[0], cell[1], cell[2]) + Vec3::Constant(0.5)).cwiseProduct(width_);
  }
  Cell CellOf(const Vec3& x) const {
    Cell cell;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const auto a = static_cast<Eigen::Index>(axis);
      const double along = std::floor((x[a] - scene_.domain.box.lower[a]) / width_[a]);
      cell[axis] = static_cast<int>(std::clamp(along, 0.0, cells_[axis] - 1.0));
    }
    return cell;
  }
  bool IsInside(const Cell& cell) const {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (cell[axis] < 0 || cell[axis] >= cells_[axis]) return false;
    }
    return true;
  }
  std::size_t Number(const Cell& cell) const {
    return static_cast<std::size_t>((cell[2] * cells_[1] + cell[1]) * cells_[0] + cell[0]);
  }
  Cell CellNumbered(std::size_t n) const {
    const int number = static_cast<int>(n);
    return {number % cells_[0], number / cells_[0] % cells_[1], number / (cells_[0] * cells_[1])};
  }

  const Scene& scene_;
  double radius_;
  Cell cells_ = {1, 1, 1};
  Vec3 width_ = Vec3::Zero();                  // of a cell [m]
  Vec3 down_ = Vec3::Zero();                   // gravity along the axes that have ends [m/s²]
  std::vector<std::int64_t> reached_, tried_;  // by cell
  std::vector<double> volumes_;                // of the particles in a cell [m³]
  std::vector<Cell> front_;
  std::array<bool, 6> open_ = {};
  double highest_ = -std::numeric_limits<double>::infinity();
};

/// Where the particles of a piston's first layer appear.
void SeedLayer(const Scene& scene, const Inflow& inflow, Flood& flood) {
  const auto& piston = std::get<Plane>(scene.walls[inflow.piston].shape.parts[0]);
  int axis = 0;
  piston.normal.cwiseAbs().maxCoeff(&axis);
  auto sites = inflow.lattice.Sites();
  sites[static_cast<std::size_t>(axis)] = 1;
  for (std::int64_t n = 0; n < sites[0] * sites[1] * sites[2]; ++n) {
    Vec3 place = LatticeSite(inflow.lattice,
                             {n % sites[0], n / sites[0] % sites[1], n / (sites[0] * sites[1])});
    place[axis] = piston.point[axis] + inflow.grain.sizes.largest * piston.normal[axis];
    flood.Seed(place);
  }
}

}  // namespace

ReachableSpace FindReachableSpace(const Communicator& communicator, const Scene& scene,
                                  const Particles& particles, double radius, double speed) {
  Flood flood(scene, radius);
  for (std::size_t i = 0; i < particles.owned; ++i) {
    flood.Seed(particles.position[i], particles.radius[i]);
  }
  for (const Inflow& inflow : scene.pistons) SeedLayer(scene, inflow, flood);
  for (const Rain& rain : scene.rains) flood.Seed(rain.region);
  flood.Join(communicator);
  return flood.Fill(speed);
}

}  // namespace scree
