#include "engine/particles/fills.hpp"

#include "engine/particles/random_places.hpp"

namespace scree {
namespace {

bool TouchesWall(const Scene& scene, const Vec3& center, double radius) {
  for (const Wall& wall : scene.walls) {
    if (IsNearer(wall.shape, center, radius)) return true;
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

/// As many particles as come nearest to the solid fraction, at least one.
std::vector<double> RandomRadii(const Scene& scene, const RandomRegion& random,
                                const GrainTemplate& grain, ParticleId first_id) {
  const double wanted = random.solid_fraction * random.region.Extent().prod();
  constexpr std::size_t kMost = 50'000'000;  // every rank holds them all
  constexpr double kDensest = 0.3;           // of bounding spheres
  std::vector<double> radii;
  for (Volumes filled;;) {
    if (radii.size() == kMost) {
      throw InputError(Text("has more than ", kMost,
                            " spheres at random; expected a smaller region, ",
                            "larger radii, or places = lattice"));
    }
    const auto id = first_id + static_cast<ParticleId>(radii.size());
    const double radius = RadiusOf(grain, id, scene.seed);
    const Volumes one = VolumesOf(scene, grain, id, radius);
    if (!radii.empty() && filled.solid + 0.5 * one.solid > wanted) return radii;
    radii.push_back(radius);
    filled += one;
    const double bounding = filled.bounding / random.region.Extent().prod();
    if (!grain.shapes.empty() && bounding > kDensest && radii.size() > 1) {
      throw InputError(Text("has solid_fraction = ", random.solid_fraction,
                            ", at which the bounding spheres of its shapes fill more than ",
                            kDensest, " of the region; expected less, about ",
                            kDensest * filled.solid / filled.bounding, ", or places = lattice"));
    }
  }
}

/// Makes the particles of one fill after the other.
class Filling {
 public:
  Filling(const Scene& scene, const OwnsPlace& owns, Particles& particles)
      : scene_(scene), owns_(owns), particles_(particles) {}

  void Make(const Lattice& lattice, const GrainTemplate& grain) {
    const auto sites = lattice.Sites();
    for (std::int64_t k = 0; k < sites[2]; ++k) {
      for (std::int64_t j = 0; j < sites[1]; ++j) {
        for (std::int64_t i = 0; i < sites[0]; ++i, ++id_) {
          const Vec3 place = LatticeSite(lattice, {i, j, k});
          if (!owns_(place)) continue;
          if (TouchesWall(scene_, place, RadiusOf(grain, id_, scene_.seed))) continue;
          MakeParticle(grain, place, id_, scene_.seed, particles_);
        }
      }
    }
  }

  /// The first id that is not in use.
  ParticleId NextId() const { return id_; }

  void Make(const RandomRegion& random, const GrainTemplate& grain) {
    const std::vector<double> radii = RandomRadii(scene_, random, grain, id_);
    const auto is_free = [this](const Vec3& place, double radius) {
      return !TouchesWall(scene_, place, radius);
    };
    for (const Vec3& place : RandomPlaces(random.region, radii, scene_.seed, id_, is_free)) {
      if (owns_(place)) MakeParticle(grain, place, id_, scene_.seed, particles_);
      ++id_;
    }
  }

 private:
  const Scene& scene_;
  const OwnsPlace& owns_;
  Particles& particles_;
  ParticleId id_ = 0;
};

}  // namespace

ParticleId MakeFills(const Scene& scene, const OwnsPlace& owns, Particles& particles) {
  SCREE_DEMAND(particles.owned == particles.Size());
  Filling filling(scene, owns, particles);
  for (std::size_t k = 0; k < scene.fills.size(); ++k) {
    const Fill& fill = scene.fills[k];
    try {
      std::visit([&](const auto& places) { filling.Make(places, fill.grain); }, fill.places);
    } catch (const InputError& error) {
      throw InputError(Text("[fill] number ", k + 1, " of the scene ", error.what()));
    }
  }
  particles.owned = particles.Size();
  return filling.NextId();
}

}  // namespace scree
