#include "engine/contact_detection.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "engine/warm_start.hpp"

namespace scree {
namespace {

/// Of all local particles, against the drift [m/s].
double GreatestSpeed(const Particles& particles, const Vec3& drift) {
  double squared = 0.0;
  for (const Vec3& v : particles.velocity) squared = std::max(squared, (v - drift).squaredNorm());
  return std::sqrt(squared);
}

/// Places of ghosts are rounded when their shift is added: what is near counts as near in spite of
/// that.
constexpr double kPlaceRounding = 1.0 + 1e-9;

/// Looks for the contacts of one particle after the other.
class Detection {
 public:
  Detection(const Particles& particles, const NeighborList& list, const Scene& scene,
            const std::vector<Vec3>& walls, const ParticipationRule& rule,
            const WarmStart* warm_start, const std::vector<Place>& places,
            const std::vector<Vec3>& ghost_shift, std::vector<DetectedContact>& contacts)
      : particles_(particles),
        list_(list),
        scene_(scene),
        walls_(walls),
        rule_(rule),
        warm_start_(warm_start),
        places_(places),
        ghost_shift_(ghost_shift),
        contacts_(contacts),
        greatest_speed_(GreatestSpeed(particles, list.reach.drift)) {}

  void Run() {
    auto wall = list_.walls.begin();
    for (std::size_t i = 0; i < particles_.owned; ++i) {
      // No partner approaches faster than both move against the drift.
      const double own_speed = (particles_.velocity[i] - list_.reach.drift).norm();
      const double reach = rule_.Reach(own_speed + greatest_speed_);
      for (Index k = list_.first[i]; k < list_.first[i + 1]; k += kLanes) {
        LookAtEight(i, reach, static_cast<std::size_t>(k),
                    std::min<unsigned>(kLanes, static_cast<unsigned>(list_.first[i + 1] - k)));
      }
      for (; wall != list_.walls.end() && static_cast<std::size_t>(wall->particle) == i; ++wall) {
        if (particles_.id[i] != kGone) LookAtWall(i, static_cast<std::size_t>(wall->wall));
      }
    }
  }

 private:
  /// Partners k .. k + count - 1 of particle i; gaps beyond `reach` take no part.
  void LookAtEight(std::size_t i, double reach, std::size_t k, unsigned count) {
    const Place* others[kLanes];
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      others[lane] = &places_[static_cast<std::size_t>(list_.partner[k + lane])];
    }
    const Separation8 apart = Separation(places_[i], others);
    const Double8 limit = kPlaceRounding * apart.touch + reach;
    unsigned near = Bits(apart.squared <= limit * limit) & ((1u << count) - 1u);
    if (near == 0) return;
    const Double8 distance = Sqrt(apart.squared);
    const Double8 gap = distance - apart.touch;
    const Double8 per_distance = 1.0 / distance;
    for (; near != 0; near &= near - 1) {
      const int lane = std::countr_zero(near);
      const Index partner = list_.partner[k + static_cast<std::size_t>(lane)];
      const auto j = static_cast<std::size_t>(partner);
      if (IsShifted(j)) {
        LookAtImage(i, partner);
        continue;
      }
      const Vec3 d(apart.d.x[lane], apart.d.y[lane], apart.d.z[lane]);
      const Vec3 normal = distance[lane] > 0.0 ? Vec3(per_distance[lane] * d) : AnyNormal(i, j);
      Judge(i, partner, gap[lane], normal);
    }
  }

  /// A partner beyond a periodic end. The shift comes after the difference, so that both ranks of
  /// the pair round alike: each finds the other's normal with the opposite sign.
  void LookAtImage(std::size_t i, Index partner) {
    const auto j = static_cast<std::size_t>(partner);
    const Vec3 d =
        (particles_.position[i] - particles_.position[j]) - ghost_shift_[j - particles_.owned];
    const double distance = d.norm();
    const Vec3 normal = distance > 0.0 ? Vec3(d / distance) : AnyNormal(i, j);
    Judge(i, partner, distance - (particles_.radius[i] + particles_.radius[j]), normal);
  }

  void Judge(std::size_t i, Index partner, double gap, const Vec3& normal) {
    const auto j = static_cast<std::size_t>(partner);
    // Gravity acts on both alike, so the velocity before the forces is the one after them.
    const Vec3 velocity = particles_.velocity[i] - particles_.velocity[j];
    const bool takes_part = rule_.TakesPart(gap, [&] { return velocity.dot(normal); }) ||
                            (gap <= rule_.Reach(velocity.norm()) && Carried(i, partner));
    if (takes_part) contacts_.push_back({normal, gap, static_cast<Index>(i), partner});
  }

  bool IsShifted(std::size_t j) const {
    return j >= particles_.owned && ghost_shift_[j - particles_.owned] != Vec3::Zero();
  }

  /// Coinciding centres have no direction; any one separates them that both ranks agree on.
  Vec3 AnyNormal(std::size_t i, std::size_t j) const {
    return particles_.id[i] < particles_.id[j] ? Vec3::UnitZ() : Vec3(-Vec3::UnitZ());
  }

  void LookAtWall(std::size_t i, std::size_t w) {
    const SurfacePoint surface =
        NearestSurface(scene_.walls[w].shape, particles_.position[i] - walls_[w]);
    const double gap = surface.distance - particles_.radius[i];
    const Vec3 velocity = particles_.velocity[i] - scene_.walls[w].velocity;
    const auto approach = [&] {
      const double m = velocity.dot(surface.normal);
      return std::min(m, m + rule_.dt * scene_.gravity.dot(surface.normal));
    };
    const auto wall = static_cast<Index>(particles_.Size() + w);
    const bool takes_part =
        rule_.TakesPart(gap, approach) || (gap <= rule_.Reach(velocity.norm()) && Carried(i, wall));
    if (takes_part) contacts_.push_back({surface.normal, gap, static_cast<Index>(i), wall});
  }

  bool Carried(std::size_t i, Index partner) const {
    return warm_start_ != nullptr && warm_start_->Carried(static_cast<Index>(i), partner);
  }

  const Particles& particles_;
  const NeighborList& list_;
  const Scene& scene_;
  const std::vector<Vec3>& walls_;
  const ParticipationRule& rule_;
  const WarmStart* const warm_start_;
  const std::vector<Place>& places_;
  const std::vector<Vec3>& ghost_shift_;
  std::vector<DetectedContact>& contacts_;
  const double greatest_speed_;  // against the drift [m/s]
};

}  // namespace

ParticipationRule MakeParticipationRule(const Scene& scene, const StepParameters& parameters) {
  const double dt = parameters.dt;
  return {dt, 5.0 * scene.gravity.norm() * dt * dt, parameters.speculative,
          parameters.contact_threshold};
}

void DetectContacts(const Particles& particles, const Halo& halo, const NeighborList& list,
                    const Scene& scene, const std::vector<Vec3>& walls,
                    const ParticipationRule& rule, const WarmStart* warm_start,
                    std::vector<Place>& places, std::vector<DetectedContact>& contacts) {
  contacts.clear();
  SetPlaces(particles, halo.shift, places);
  Detection(particles, list, scene, walls, rule, warm_start, places, halo.shift, contacts).Run();
}

}  // namespace scree
