#include "engine/lists/neighbor_list.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "engine/geometry/triangle_mesh.hpp"

namespace scree {
namespace {

/// Calls visit(k) for each sphere packed[k], begin ≤ k < end, whose surface is within the skin of
/// the surface of `from`.
template <class Visit>
void VisitNear(const PackedSphere& from, double skin, const std::vector<PackedSphere>& packed,
               std::size_t begin, std::size_t end, Visit&& visit) {
  for (std::size_t k = begin; k < end; k += kLanes) {
    const PackedSphere* others[kLanes];
    for (std::size_t lane = 0; lane < kLanes; ++lane) others[lane] = &packed[k + lane];
    const Separation8 separation = Separation(from, others);
    const Double8 limit = separation.radii_sum + skin;
    unsigned near = Bits(separation.squared < limit * limit);
    if (end - k < kLanes) near &= (1u << (end - k)) - 1u;
    for (; near != 0; near &= near - 1) {
      visit(k + static_cast<std::size_t>(std::countr_zero(near)));
    }
  }
}

/// If the last listed particle has very many partners, and overlaps one so deeply that one of the
/// two contains the centre of the other, keeps only this one of its pairs. Such a state is invalid
/// (engine/step/validity.hpp), and the pairs of very many particles at one point would not fit into
/// memory.
/// @param i      the last listed particle
/// @param first  index of its first partner   @returns whether pairs were removed
bool KeepOnePairIfTooDeep(const std::vector<PackedSphere>& packed, std::size_t i, std::size_t first,
                          std::vector<Index>& partner) {
  constexpr std::size_t kManyPartners = 1024;  // a valid state may have several hundred
  if (partner.size() < first + kManyPartners) return false;
  for (std::size_t k = first; k < partner.size(); ++k) {
    const PackedSphere& a = packed[i];
    const PackedSphere& b = packed[static_cast<std::size_t>(partner[k])];
    const double distance = std::hypot(a.x - b.x, a.y - b.y, a.z - b.z);
    if (!(distance < std::max(a.radius, b.radius))) continue;
    partner[first] = partner[k];
    partner.resize(first + 1);
    return true;
  }
  return false;
}

/// While no sphere has more partners than this, the array of partners grows by an eighth at a time
/// instead of doubling.
constexpr std::size_t kTypicalPartners = 256;
void GrowTo(std::size_t size, std::vector<Index>& partner) {
  if (size > partner.capacity()) partner.reserve(size + size / 8);
}

/// Appends empty spheres, so that a whole packet can be read at the last sphere.
void Pad(std::vector<PackedSphere>& packed) {
  packed.resize(packed.size() + kLanes, PackedSphere{});
}

void FindPairs(const Particles& particles, const SizeClasses& classes, const Halo& halo,
               std::vector<PackedSphere>& packed, NeighborList& list) {
  PackSpheres(particles, halo.shift, packed);
  const std::size_t owned = particles.owned;
  std::vector<PackedSphere> ghosts(packed.begin() + static_cast<std::ptrdiff_t>(owned),
                                   packed.end());
  std::vector<Vec3> centres;
  for (const PackedSphere& ghost : ghosts) centres.emplace_back(ghost.x, ghost.y, ghost.z);
  const SizeClasses ghost_classes(centres, std::span(particles.radius).subspan(owned),
                                  list.reach.skin);
  for (std::size_t k = 0; k < ghosts.size(); ++k) {
    ghosts[k] = packed[owned + static_cast<std::size_t>(ghost_classes.Order()[k])];
  }
  Pad(packed);
  Pad(ghosts);

  list.first.resize(owned + 1);
  list.partner.clear();
  bool is_valid = true;
  for (std::size_t i = 0; i < owned; ++i) {
    const std::size_t first = list.partner.size();
    GrowTo(first + kTypicalPartners, list.partner);
    list.first[i] = static_cast<Index>(first);
    if (!is_valid) continue;
    const Vec3& x = particles.position[i];
    const double distance = particles.radius[i] + list.reach.skin;
    classes.VisitRunsAfter(i, x, distance, [&](std::size_t begin, std::size_t end) {
      VisitNear(packed[i], list.reach.skin, packed, begin, end,
                [&list](std::size_t j) { list.partner.push_back(static_cast<Index>(j)); });
    });
    if (!centres.empty()) {
      ghost_classes.VisitRunsNear(x, distance, [&](std::size_t begin, std::size_t end) {
        VisitNear(packed[i], list.reach.skin, ghosts, begin, end, [&](std::size_t k) {
          const auto ghost = static_cast<std::size_t>(ghost_classes.Order()[k]);
          list.partner.push_back(static_cast<Index>(owned + ghost));
        });
      });
    }
    is_valid = !KeepOnePairIfTooDeep(packed, i, first, list.partner);
  }
  list.first[owned] = static_cast<Index>(list.partner.size());
  GrowTo(list.partner.size() + kLanes, list.partner);
  list.partner.resize(list.partner.size() + kLanes - 1, 0);
}

double LargestRadius(const Particles& particles) {
  double largest = 0.0;
  for (const double radius : particles.radius) largest = std::max(largest, radius);
  return largest;
}

/// Adds the candidates of a wall or of one of its images.
void FindNear(const Particles& particles, const Wall& wall, const Shape& shape,
              const WallPose& pose, Index wall_index, Index image, NeighborList& list) {
  const TriangleMesh* const mesh = MeshOf(shape);
  const Plane* const plane = PlaneOf(shape);
  const Box bounds = BoundingBox(shape);
  for (std::size_t i = 0; i < particles.owned; ++i) {
    if (!wall.Stops(particles.material[i])) continue;
    const Vec3 x = pose.InShape(particles.position[i]);
    const double limit = particles.radius[i] + list.reach.wall_skin;
    // Nearly all particles are far from the wall.
    if ((plane != nullptr ? plane->Distance(x) : bounds.Distance(x)) >= limit) continue;
    const SurfacePoint nearest =
        mesh != nullptr ? mesh->Nearest(x, limit) : NearestSurface(shape, x);
    if (nearest.distance >= limit) continue;
    WallCandidate candidate{static_cast<Index>(i), wall_index, image,
                            nearest.distance - particles.radius[i]};
    if (mesh != nullptr) {
      candidate.first = static_cast<Index>(list.triangles.size());
      mesh->AppendNear(x, TriangleReach(particles.radius[i]), list.triangles);
      candidate.count = static_cast<Index>(list.triangles.size()) - candidate.first;
    }
    list.walls.push_back(candidate);
  }
}

void FindWalls(const Particles& particles, const Scene& scene, const std::vector<WallPose>& walls,
               NeighborList& list) {
  list.walls.clear();
  list.triangles.clear();
  list.wall_images.clear();
  const double reach = LargestRadius(particles) + list.reach.wall_skin;
  for (std::size_t w = 0; w < walls.size(); ++w) {
    if (!walls[w].is_present) continue;  // removed, or has not appeared yet
    const Wall& wall = scene.walls[w];
    const auto wall_index = static_cast<Index>(w);
    FindNear(particles, wall, wall.shape, walls[w], wall_index, kNoImage, list);
    std::size_t image = list.wall_images.size();
    AppendImages(scene, w, walls[w], reach, 2.0 * list.reach.wall_skin, list.wall_images);
    for (; image < list.wall_images.size(); ++image) {
      const WallImage& wall_image = list.wall_images[image];
      FindNear(particles, wall, wall_image.shape, Shifted(walls[w], wall_image.shift), wall_index,
               static_cast<Index>(image), list);
    }
  }
  std::stable_sort(
      list.walls.begin(), list.walls.end(),
      [](const WallCandidate& a, const WallCandidate& b) { return a.particle < b.particle; });
}

}  // namespace

void SortAlongCells(double skin, Particles& particles, SpareArrays& spare, SizeClasses& classes) {
  Resize(particles, particles.owned);
  classes.Sort(particles.position, particles.radius, skin);
  Select(particles, classes.Order(), spare);
}

std::vector<std::uint8_t> MarkNearGhosts(const Particles& particles, const SizeClasses& classes,
                                         const Halo& halo, double skin,
                                         std::vector<PackedSphere>& packed) {
  PackSpheres(particles, halo.shift, packed);
  Pad(packed);
  std::vector<std::uint8_t> marks(particles.Size() - particles.owned, 0);
  for (std::size_t ghost = 0; ghost < marks.size(); ++ghost) {
    const PackedSphere& ghost_sphere = packed[particles.owned + ghost];
    const auto mark = [&](std::size_t) { marks[ghost] = 1; };
    classes.VisitRunsNear(Vec3(ghost_sphere.x, ghost_sphere.y, ghost_sphere.z),
                          ghost_sphere.radius + skin, [&](std::size_t begin, std::size_t end) {
                            if (marks[ghost] == 0)
                              VisitNear(ghost_sphere, skin, packed, begin, end, mark);
                          });
  }
  return marks;
}

void BuildNeighborList(const Particles& particles, const SizeClasses& classes, const Halo& halo,
                       const Scene& scene, const std::vector<WallPose>& walls,
                       const ListReach& reach, std::vector<PackedSphere>& packed,
                       NeighborList& list) {
  SCREE_DEMAND(classes.Order().size() == particles.owned);
  list.reach = reach;
  FindPairs(particles, classes, halo, packed, list);
  FindWalls(particles, scene, walls, list);
  list.reference.assign(particles.position.begin(),
                        particles.position.begin() + static_cast<std::ptrdiff_t>(particles.owned));
  list.drift.clear();
  for (const Vec3& x : list.reference) list.drift.push_back(reach.drift.At(scene.domain, x));
  list.wall_reference = walls;
  list.wall_extent.clear();
  const Vec3 margin = Vec3::Constant(LargestRadius(particles) + reach.wall_skin);
  const Box region{scene.domain.box.lower - margin, scene.domain.box.upper + margin};
  for (std::size_t w = 0; w < walls.size(); ++w) {
    const Shape& shape = scene.walls[w].shape;
    list.wall_extent.push_back(CanHaveImages(scene.domain, shape)
                                   ? BoundingBox(shape)
                                   : ReachableExtent(shape, walls[w], region));
  }
}

bool CoversNextStep(const NeighborList& list, const Particles& particles,
                    std::span<const Vec3> velocities, const std::vector<WallPose>& walls,
                    double elapsed, double dt, const Vec3& kick, double margin,
                    const Domain& domain, double largest_radius) {
  SCREE_DEMAND(list.reach.drift.nodes.empty() || largest_radius > 0.0);
  double wall_moved = 0.0;
  for (std::size_t w = 0; w < walls.size(); ++w) {
    if (!walls[w].is_present) continue;
    if (!list.wall_reference[w].is_present) return false;  // the wall has appeared
    wall_moved =
        std::max(wall_moved, MaxTravel(list.wall_reference[w], walls[w], list.wall_extent[w]));
  }
  const double wall_limit = list.reach.wall_skin - margin - wall_moved;
  if (!walls.empty() && !(wall_limit >= 0.0)) return false;
  const double skin = list.reach.skin;
  const double pair_limit =
      0.5 *
      (skin - margin - StrainLoss(domain, list.reach.drift, elapsed, 2.0 * largest_radius + skin));
  if (!(pair_limit >= 0.0)) return false;
  const double pair_square = pair_limit * pair_limit;
  const double wall_square = walls.empty() ? HUGE_VAL : wall_limit * wall_limit;
  for (std::size_t i = 0; i < particles.owned; ++i) {
    const Vec3 moved = particles.position[i] - list.reference[i] + dt * (velocities[i] + kick);
    Vec3 relative = moved - elapsed * list.drift[i];
    if (domain.HasMeanFlow()) relative -= elapsed * domain.MeanFlow(list.reference[i]);
    // A NaN makes this comparison false.
    const bool is_covered =
        moved.squaredNorm() <= wall_square && relative.squaredNorm() <= pair_square;
    if (!is_covered && particles.id[i] != kRemovedId) return false;
  }
  return true;
}

}  // namespace scree
