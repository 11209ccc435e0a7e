#include "engine/filling/fills.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <optional>

#include "engine/filling/fill_blocks.hpp"
#include "engine/filling/random_placement.hpp"
#include "engine/particles/body_mass.hpp"
#include "engine/particles/grains.hpp"
#include "engine/particles/sphere_grid.hpp"
#include "engine/ranks/migration.hpp"
#include "engine/ranks/sparse_values.hpp"
#include "engine/scene/lattice.hpp"
#include "engine/scene/wall_images.hpp"
#include "solvers/base/exact_sum.hpp"

namespace scree {
namespace {

/// Poses of the walls at time zero.
std::vector<WallPose> InitialPoses(const Scene& scene) {
  std::vector<WallPose> poses(scene.walls.size());
  for (std::size_t w = 0; w < poses.size(); ++w) {
    poses[w].is_present = scene.walls[w].appears_at <= 0.0;
  }
  return poses;
}

/// Volume of a particle [m³], and of its bounding sphere, which must not overlap other particles.
struct Volumes {
  double solid = 0.0, bounding = 0.0;

  Volumes& operator+=(const Volumes& other) {
    solid += other.solid;
    bounding += other.bounding;
    return *this;
  }
};
Volumes VolumesOf(const Scene& scene, const GrainTemplate& grain, ParticleId id, double radius) {
  return {VolumeOf(scene, ShapeOf(grain, id, scene.seed), radius), SphereVolume(radius)};
}

constexpr double kMaxBoundingFraction = 0.3;  // solid fraction of bounding spheres

/// Requires that the bounding spheres, which fill more than the shapes, can find free positions.
void RequirePossibleFraction(const RandomRegion& random, const Volumes& filled) {
  const double bounding = filled.bounding / VolumeOf(random.region);
  if (bounding <= kMaxBoundingFraction) return;
  throw InputError(Text("has solid_fraction = ", random.solid_fraction,
                        ", at which the bounding spheres of its shapes fill more than ",
                        kMaxBoundingFraction, " of the region; expected less, about ",
                        kMaxBoundingFraction * filled.solid / filled.bounding,
                        ", or places = lattice"));
}

/// Generates the particles of a random fill: the given number, or the number that comes nearest to
/// the solid fraction, but at least one. Each particle depends on all previous ones, so every rank
/// generates all of them. No rank stores them all.
template <class Visit>
void ForEachGrain(const Scene& scene, const RandomRegion& random, const GrainTemplate& grain,
                  ParticleId first_id, Visit&& visit) {
  const bool has_number = random.number > 0;
  const double target_volume = random.solid_fraction * VolumeOf(random.region);
  BalancedMixture mixture(scene, grain);
  Volumes filled;
  for (std::int64_t number = 0; !has_number || number < random.number; ++number) {
    const ParticleId id = first_id + number;
    const BalancedMixture::Grain next = mixture.Next(id);
    const Volumes volumes = VolumesOf(scene, mixture.Part(next.part), id, next.radius);
    if (!has_number && number > 0 && filled.solid + 0.5 * volumes.solid > target_volume) break;
    mixture.AddMass(next);
    filled += volumes;
    if (!has_number && !grain.shapes.empty() && number > 0) RequirePossibleFraction(random, filled);
    visit(UnplacedSphere{number, next.radius, static_cast<std::int32_t>(next.part)});
  }
}

SphereSizes SizesOf(const Scene& scene, const RandomRegion& random, const GrainTemplate& grain,
                    ParticleId first_id) {
  SphereSizes sizes;
  ForEachGrain(scene, random, grain, first_id, [&](const UnplacedSphere& sphere) {
    sizes.smallest = sizes.count == 0 ? sphere.radius : std::min(sizes.smallest, sphere.radius);
    sizes.largest = std::max(sizes.largest, sphere.radius);
    ++sizes.count;
  });
  return sizes;
}

/// Makes this rank's particles, one fill after the other.
class Filling {
 public:
  /// @param existing  existing particles; must outlive this object
  Filling(const Communicator& communicator, const Scene& scene, const Particles& existing,
          ParticleId first_id)
      : communicator_(communicator), scene_(scene), existing_(existing), id_(first_id) {}

  void Make(const Fill& fill) {
    walls_.emplace(scene_, InitialPoses(scene_), MaterialsOf(fill.grain), fill.grain.sizes.largest);
    std::visit([&](const auto& positions) { Make(positions, fill.grain); }, fill.positions);
  }

  /// The first unused id.
  ParticleId NextId() const { return id_; }

  /// All particles made by this rank.
  Particles Take() {
    made_.owned = made_.Size();
    return std::move(made_);
  }

 private:
  void Make(const Lattice& lattice, const GrainTemplate& grain) {
    const auto sites = lattice.Sites();
    const ParticleId first_id = id_;
    id_ += sites[0] * sites[1] * sites[2];
    if (id_ == first_id) return;
    const Box bounds = BoundsOf(lattice.region);
    Vec3 upper;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const auto a = static_cast<Eigen::Index>(axis);
      upper[a] = bounds.lower[a] + static_cast<double>(sites[axis]) * lattice.spacing;
    }
    const FillBlocks blocks({bounds.lower, upper}, sites, communicator_.Size());
    GatherObstacles(bounds, blocks, grain.sizes.largest);
    const auto& [first, end] = blocks.UnitsOf(communicator_.Rank());
    // All sites of a box region are inside the region.
    const bool is_box = std::holds_alternative<Box>(lattice.region);
    for (std::int64_t k = first[2]; k < end[2]; ++k) {
      for (std::int64_t j = first[1]; j < end[1]; ++j) {
        for (std::int64_t i = first[0]; i < end[0]; ++i) {
          const ParticleId id = first_id + (k * sites[1] + j) * sites[0] + i;
          const Vec3 position = LatticeSite(lattice, {i, j, k});
          const double radius = RadiusOf(grain, id, scene_.seed);
          if (!is_box && !Contains(lattice.region, position, radius)) continue;
          if (IsFree(position, radius)) AddParticle(grain, position, id);
        }
      }
    }
  }

  void Make(const RandomRegion& random, const GrainTemplate& grain) {
    const SphereSizes sizes = SizesOf(scene_, random, grain, id_);
    RandomPlacement positions(communicator_, random.region, sizes, scene_.seed, id_);
    ForEachGrain(scene_, random, grain, id_,
                 [&](const UnplacedSphere& sphere) { positions.AddSphere(sphere); });
    GatherObstacles(BoundsOf(random.region), positions.Cells(), sizes.largest);
    const BalancedMixture mixture(scene_, grain);
    const auto found = positions.Find(
        [this](const Vec3& position, double radius) { return IsFree(position, radius); });
    for (const auto& [sphere, position] : found) {
      AddParticle(mixture.Part(static_cast<std::size_t>(sphere.part)), position,
                  id_ + sphere.number);
    }
    id_ += sizes.count;
  }

  void AddParticle(const GrainTemplate& grain, const Vec3& position, ParticleId id) {
    MakeParticle(grain, position, id, scene_.seed, made_);
    if (scene_.domain.HasMeanFlow()) made_.velocity.back() += scene_.domain.MeanFlow(position);
  }

  bool IsFree(const Vec3& position, double radius) const {
    return !walls_->HasWallWithin(position, radius) && !obstacles_->Overlaps(position, radius);
  }

  /// Sends each rank the existing particles, and those of earlier fills, that are in or around that
  /// rank's block, and sets obstacles_.
  /// @param largest  radius of the fill's particles [m]
  void GatherObstacles(const Box& bounds, const FillBlocks& blocks, double largest) {
    std::map<int, ByteWriter> messages;
    std::vector<PlacedSphere> obstacles;
    const PeriodicImages periodic_images(scene_.domain);
    const auto send = [&](const Particles& particles, std::size_t count) {
      for (std::size_t i = 0; i < count; ++i) {
        const PlacedSphere sphere{particles.position[i], particles.radius[i]};
        for (const PlacedSphere& image : ImagesIn(bounds, periodic_images, sphere)) {
          blocks.ForEachRankNear(image.centre, image.radius + largest, [&](int rank) {
            rank == communicator_.Rank() ? obstacles.push_back(image) : messages[rank].Put(image);
          });
        }
      }
    };
    send(existing_, existing_.owned);
    send(made_, made_.Size());
    const auto arrived = SendValues<PlacedSphere>(communicator_, messages);
    obstacles.insert(obstacles.end(), arrived.begin(), arrived.end());
    obstacles_.emplace(blocks.BoxOf(blocks.UnitsOf(communicator_.Rank())), obstacles);
  }

  const Communicator& communicator_;
  const Scene& scene_;
  const Particles& existing_;
  ParticleId id_;
  Particles made_;
  // Obstacles for the current fill.
  std::optional<PlacedWalls> walls_;
  std::optional<SphereGrid> obstacles_;
};

void SortById(Particles& particles) {
  std::vector<Index> order(particles.Size());
  std::iota(order.begin(), order.end(), Index{0});
  std::ranges::sort(order, {}, [&](Index i) { return particles.id[static_cast<std::size_t>(i)]; });
  Select(particles, order);
}

/// Subtracts from all new particles, on all ranks, the velocity of their common centre of mass
/// relative to the mean flow of a sheared domain.
void RemoveMomentum(const Communicator& communicator, const Scene& scene, Particles& made) {
  // Momentum along each axis, and the mass. Exact sums do not depend on the number of ranks.
  std::array<ExactSum, 4> sums;
  for (std::size_t i = 0; i < made.owned; ++i) {
    const double mass = MassOf(made, i, scene);
    const Vec3 momentum = mass * (made.velocity[i] - scene.domain.MeanFlow(made.position[i]));
    for (std::size_t axis = 0; axis < 3; ++axis) {
      sums[axis].Add(momentum[static_cast<Eigen::Index>(axis)]);
    }
    sums[3].Add(mass);
  }
  for (ExactSum& sum : sums) communicator.Sum(sum.Digits());
  const double mass = sums[3].Value();
  if (!(mass > 0.0)) return;
  const Vec3 mean_velocity = Vec3(sums[0].Value(), sums[1].Value(), sums[2].Value()) / mass;
  for (Vec3& velocity : made.velocity) velocity -= mean_velocity;
}

}  // namespace

std::string NameOf(const Fill& fill) {
  return fill.name.empty() ? "[fill]" : "[fill." + fill.name + "]";
}

ParticleId MakeFills(const Communicator& communicator, const Subdomains& subdomains,
                     const Scene& scene, Particles& particles, ParticleId first_id) {
  SCREE_DEMAND(particles.owned == particles.Size());
  Filling filling(communicator, scene, particles, first_id);
  for (const Fill& fill : scene.fills) {
    try {
      filling.Make(fill);
    } catch (const InputError& error) {
      throw InputError(NameOf(fill) + " " + error.what());
    }
  }
  Particles made = filling.Take();
  if (scene.domain.shear.IsActive()) RemoveMomentum(communicator, scene, made);
  Migrate(communicator, subdomains, made);
  SortById(made);
  Append(particles, made);
  particles.owned = particles.Size();
  return filling.NextId();
}

}  // namespace scree
