#include "engine/particles/fills.hpp"

#include <algorithm>
#include <optional>

#include "engine/particles/lattice.hpp"
#include "engine/particles/random_places.hpp"

namespace scree {
namespace {

bool TouchesWall(const Scene& scene, const Vec3& center, double radius) {
  for (const Wall& wall : scene.walls) {
    if (wall.appears_at <= 0.0 && IsNearer(wall.shape, center, radius)) return true;
  }
  return false;
}

/// Volume of the particle [m³]; and of its bounding sphere, which must not overlap with others.
struct Volumes {
  double solid = 0.0, bounding = 0.0;

  Volumes& operator+=(const Volumes& other) {
    solid += other.solid;
    bounding += other.bounding;
    return *this;
  }
};
Volumes VolumesOf(const Scene& scene, const GrainTemplate& grain, ParticleId id, double radius) {
  const double bounding = SphereVolume(radius);
  const ShapeId shape = ShapeOf(grain, id, scene.seed);
  if (shape == kSphereShape) return {bounding, bounding};
  return {scene.ClumpOf(shape).volume * radius * radius * radius, bounding};
}

constexpr std::size_t kMost = 50'000'000;  // every rank holds them all
constexpr double kDensest = 0.3;           // of bounding spheres

/// The solid fraction can be had although it is that of shapes with room between them.
void DemandRoom(const RandomRegion& random, const Volumes& filled) {
  const double bounding = filled.bounding / VolumeOf(random.region);
  if (bounding <= kDensest) return;
  throw InputError(Text("has solid_fraction = ", random.solid_fraction,
                        ", at which the bounding spheres of its shapes fill more than ", kDensest,
                        " of the region; expected less, about ",
                        kDensest * filled.solid / filled.bounding, ", or places = lattice"));
}

/// As many particles as come nearest to the solid fraction, at least one, or the number asked for.
std::vector<BalancedMixture::Grain> RandomGrains(const Scene& scene, const RandomRegion& random,
                                                 const GrainTemplate& grain,
                                                 BalancedMixture& mixture, ParticleId first_id) {
  const bool counts = random.number > 0;
  const double wanted = random.solid_fraction * VolumeOf(random.region);
  std::vector<BalancedMixture::Grain> grains;
  for (Volumes filled; !counts || grains.size() < static_cast<std::size_t>(random.number);) {
    if (grains.size() == kMost) {
      throw InputError(Text("has more than ", kMost,
                            " spheres at random; expected a smaller region, ",
                            "larger radii, or places = lattice"));
    }
    const auto id = first_id + static_cast<ParticleId>(grains.size());
    const BalancedMixture::Grain next = mixture.Next(id);
    const Volumes one = VolumesOf(scene, mixture.Part(next.part), id, next.radius);
    if (!counts && !grains.empty() && filled.solid + 0.5 * one.solid > wanted) break;
    mixture.Take(next);
    grains.push_back(next);
    filled += one;
    if (!counts && !grain.shapes.empty() && grains.size() > 1) DemandRoom(random, filled);
  }
  return grains;
}

const Region& RegionOf(const Fill& fill) {
  return std::visit([](const auto& places) -> const Region& { return places.region; }, fill.places);
}

bool Meet(const Box& a, const Box& b) {
  return (a.lower.array() < b.upper.array()).all() && (b.lower.array() < a.upper.array()).all();
}

/// Makes the particles of one fill after the other.
class Filling {
 public:
  Filling(const Scene& scene, const OwnsPlace& owns, Particles& particles, ParticleId first_id,
          std::span<const PlacedSphere> present)
      : scene_(scene),
        owns_(owns),
        particles_(particles),
        id_(first_id),
        there_(present.begin(), present.end()) {}

  void Make(std::size_t number) {
    const Fill& fill = scene_.fills[number];
    const Box bounds = BoundsOf(RegionOf(fill));
    others_.emplace(bounds, SpheresIn(bounds));
    later_meet_ = std::any_of(
        scene_.fills.begin() + static_cast<std::ptrdiff_t>(number) + 1, scene_.fills.end(),
        [&](const Fill& later) { return Meet(bounds, BoundsOf(RegionOf(later))); });
    std::visit([&](const auto& places) { Make(places, fill.grain); }, fill.places);
  }

  /// The first id that is not in use.
  ParticleId NextId() const { return id_; }

 private:
  void Make(const Lattice& lattice, const GrainTemplate& grain) {
    const auto sites = lattice.Sites();
    for (std::int64_t k = 0; k < sites[2]; ++k) {
      for (std::int64_t j = 0; j < sites[1]; ++j) {
        for (std::int64_t i = 0; i < sites[0]; ++i, ++id_) {
          const Vec3 place = LatticeSite(lattice, {i, j, k});
          if (!later_meet_ && !owns_(place)) continue;
          const double radius = RadiusOf(grain, id_, scene_.seed);
          // A box's sites are inside.
          const bool is_box = std::holds_alternative<Box>(lattice.region);
          if (!is_box && !Holds(lattice.region, place, radius)) continue;
          if (IsFree(place, radius)) Put(grain, place, radius);
        }
      }
    }
  }

  void Make(const RandomRegion& random, const GrainTemplate& grain) {
    BalancedMixture mixture(scene_, grain);
    const auto grains = RandomGrains(scene_, random, grain, mixture, id_);
    std::vector<double> radii;
    for (const BalancedMixture::Grain& one : grains) radii.push_back(one.radius);
    const auto is_free = [this](const Vec3& place, double radius) { return IsFree(place, radius); };
    const auto places = RandomPlaces(random.region, radii, scene_.seed, id_, is_free);
    for (std::size_t k = 0; k < places.size(); ++k, ++id_) {
      Put(mixture.Part(grains[k].part), places[k], radii[k]);
    }
  }

  bool IsFree(const Vec3& place, double radius) const {
    return !TouchesWall(scene_, place, radius) && !others_->Overlaps(place, radius);
  }

  void Put(const GrainTemplate& grain, const Vec3& place, double radius) {
    if (later_meet_) there_.push_back({place, radius});
    if (!owns_(place)) return;
    MakeParticle(grain, place, id_, scene_.seed, particles_);
    if (scene_.domain.shear.Acts()) particles_.velocity.back() += scene_.domain.MeanFlow(place);
  }

  std::vector<PlacedSphere> SpheresIn(const Box& bounds) const {
    std::vector<PlacedSphere> spheres;
    for (const PlacedSphere& sphere : there_) {
      const auto images = ImagesIn(bounds, scene_.domain, sphere);
      spheres.insert(spheres.end(), images.begin(), images.end());
    }
    return spheres;
  }

  const Scene& scene_;
  const OwnsPlace& owns_;
  Particles& particles_;
  ParticleId id_;
  std::vector<PlacedSphere> there_;   // of all ranks, that later fills may meet
  std::optional<SphereGrid> others_;  // of these, what the present fill may meet
  bool later_meet_ = false;           // a later fill may meet the present one
};

}  // namespace

std::string NameOf(const Fill& fill) {
  return fill.name.empty() ? "[fill]" : "[fill." + fill.name + "]";
}

bool MeetsFill(const Scene& scene, const PlacedSphere& sphere) {
  return std::ranges::any_of(scene.fills, [&](const Fill& fill) {
    return !ImagesIn(BoundsOf(RegionOf(fill)), scene.domain, sphere).empty();
  });
}

ParticleId MakeFills(const Scene& scene, const OwnsPlace& owns, Particles& particles,
                     ParticleId first_id, std::span<const PlacedSphere> present) {
  SCREE_DEMAND(particles.owned == particles.Size());
  Filling filling(scene, owns, particles, first_id, present);
  for (std::size_t k = 0; k < scene.fills.size(); ++k) {
    try {
      filling.Make(k);
    } catch (const InputError& error) {
      throw InputError(NameOf(scene.fills[k]) + " " + error.what());
    }
  }
  particles.owned = particles.Size();
  return filling.NextId();
}

}  // namespace scree
