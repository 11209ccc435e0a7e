#include "engine/contacts/sphere_detection.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace scree {
namespace {

class SphereDetection : public PairDetection {
 public:
  SphereDetection(const PairDetection& pairs, SphereBuffers& buffers)
      : PairDetection(pairs),
        packed_(buffers.packed),
        motions_(buffers.motions),
        tested_(buffers.tested) {
    PackSpheres(particles_, ghost_shift_, buffers.packed);
    if (!rule_.speculative) return;
    max_speed_ = SetMotions(particles_, velocities_, list_.reach.drift.mean, scene_.domain,
                            buffers.packed, buffers.motions);
    AddShear();
  }

  /// Tests the candidates of particles first .. last - 1 in packets of eight. Contacts are written
  /// only after all tests: the processor cannot predict their number, and a wrong prediction would
  /// discard its work on the next packet.
  void Prepare(std::size_t first, std::size_t last) {
    tested_.clear();
    tested_.reserve((LocalIndex(list_.first[last]) - LocalIndex(list_.first[first])) / kLanes +
                    last - first);
    for (std::size_t i = first; i < last; ++i) {
      // The approach speed is at most the sum of both speeds relative to the common motion.
      const double reach =
          rule_.MaxActiveGap(rule_.speculative ? RelativeSpeed(i) + max_speed_ : 0.0);
      for (Index k = list_.first[i]; k < list_.first[i + 1]; k += kLanes) {
        TestPacket(i, reach, &list_.partner[static_cast<std::size_t>(k)],
                   std::min<unsigned>(kLanes, static_cast<unsigned>(list_.first[i + 1] - k)));
      }
    }
    next_ = tested_.cbegin();
  }

  void AddPairsOf(std::size_t i) {
    for (; next_ != tested_.cend() && next_->i == i; ++next_) AddPacket(*next_);
  }

 private:
  /// In a sheared domain particles within the skin also approach each other with the mean flow.
  void AddShear() {
    if (!scene_.domain.HasMeanFlow()) return;
    double max_radius = 0.0;
    for (const double radius : particles_.radius) max_radius = std::max(max_radius, radius);
    max_speed_ += scene_.domain.StrainRate() * (2.0 * max_radius + list_.reach.skin);
  }

  /// Speed of an owned particle relative to the drift and the mean flow [m/s].
  double RelativeSpeed(std::size_t i) const {
    Vec3 relative = velocities_[i] - list_.reach.drift.mean;
    if (scene_.domain.HasMeanFlow()) relative -= scene_.domain.MeanFlow(particles_.position[i]);
    return relative.norm();
  }

  /// Tests the first `count` of eight partners of particle i. Gaps beyond `reach` are not active.
  void TestPacket(std::size_t i, double reach, const Index* partners, unsigned count) {
    const PackedSphere* others[kLanes];
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      others[lane] = AddressOf(packed_.data(), partners[lane]);
    }
    const Separation8 separation = Separation(packed_[i], others);
    const Double8 limit = kPositionRounding * separation.radii_sum + reach;
    const unsigned near = Bits(separation.squared <= limit * limit) & ((1u << count) - 1u);
    if (near == 0) return;  // nearly never in dense matter, nearly always in a gas
    const Double8 distance = Sqrt(separation.squared);
    const Double8 per_distance = 1.0 / distance;
    CandidatePacket& packet = tested_.emplace_back();
    packet.i = i;
    packet.partners = partners;
    packet.gap = distance - separation.radii_sum;
    packet.normal = {per_distance * separation.d.x, per_distance * separation.d.y,
                     per_distance * separation.d.z};
    packet.coincide = Bits(distance <= Double8{});
    packet.needs_scalar_test = ImageMask(partners, count);
    SetActive(separation, per_distance, packet);
    packet.needs_scalar_test &= near;
    packet.active &= near;
    packet.can_stay &= near;
  }

  /// Sets the masks of the gaps that are active, and of the gaps that stay active if they carried
  /// an impulse.
  void SetActive(const Separation8& separation, const Double8& per_distance,
                 CandidatePacket& packet) const {
    if (!rule_.speculative) {
      packet.active = Bits(packet.gap <= rule_.threshold);
      packet.can_stay = 0;
      return;
    }
    const PackedMotion* others[kLanes];
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      others[lane] = AddressOf(motions_.data(), packet.partners[lane]);
    }
    // Gravity accelerates both spheres equally, so it does not change their relative velocity.
    const RelativeMotion8 motion = RelativeMotion(motions_[packet.i], others);
    const Double8 opening = per_distance * Dot(motion.velocity, separation.d);
    packet.active = Bits(rule_.IsActive(packet.gap, motion.change, [&] { return opening; }));
    const Double8 speed = Sqrt(Dot(motion.velocity, motion.velocity));
    packet.needs_scalar_test |= Bits(rule_.dt * speed > kSweptPathFraction * separation.radii_sum);
    packet.can_stay = warm_start_ == nullptr
                          ? 0
                          : Bits(rule_.StaysActive(packet.gap, motion.change, speed, opening));
  }

  void AddPacket(const CandidatePacket& packet) {
    std::array<Index, kLanes + 1> stored_entries;
    stored_entries.fill(kNoStoredImpulse);
    const unsigned found = warm_start_ == nullptr
                               ? 0
                               : warm_start_->FindPacket(packet.i, packet.partners, stored_entries);
    unsigned remaining = packet.active | (packet.can_stay & found) | packet.needs_scalar_test;
    for (; remaining != 0; remaining &= remaining - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(remaining));
      const Index partner = packet.partners[lane];
      if ((packet.needs_scalar_test >> lane & 1u) != 0) {
        TestSinglePair(packet.i, partner);
      } else if ((packet.active >> lane & 1u) != 0 ||
                 warm_start_->HasImpulse(stored_entries[lane])) {
        const Vec3 normal =
            (packet.coincide >> lane & 1u) != 0
                ? AnyNormal(packet.i, LocalIndex(partner))
                : Vec3(packet.normal.x[lane], packet.normal.y[lane], packet.normal.z[lane]);
        Add({normal,
             packet.gap[lane],
             static_cast<Index>(packet.i),
             partner,
             {},
             stored_entries[lane]});
      }
    }
  }

  /// Mask of the partners beyond a periodic end, one bit per lane.
  unsigned ImageMask(const Index* partners, unsigned count) const {
    unsigned images = 0;
    if (LocalIndex(partners[count - 1]) < particles_.owned) return images;  // ghosts come last
    for (unsigned lane = 0; lane < count; ++lane) {
      const std::size_t j = LocalIndex(partners[lane]);
      const bool is_image =
          j >= particles_.owned && ghost_shift_[j - particles_.owned] != Vec3::Zero();
      images |= static_cast<unsigned>(is_image) << lane;
    }
    return images;
  }

  /// Tests a partner beyond a periodic end, or one that moves far relative to the particle.
  void TestSinglePair(std::size_t i, Index partner) {
    const std::size_t j = LocalIndex(partner);
    const Vec3 d = SeparationOf(i, j);
    const Vec3 velocity = velocities_[i] - velocities_[j];
    const double radii_sum = particles_.radius[i] + particles_.radius[j];
    const auto [normal, gap] = PlaneBetween(i, j, d, velocity, radii_sum);
    const Index stored_entry = FindStored(i, partner);
    if (IsActive(gap, ChangeOf(i, j), velocity, normal, [&] { return stored_entry; })) {
      Add({normal, gap, static_cast<Index>(i), partner, {}, stored_entry});
    }
  }

  const std::vector<PackedSphere>& packed_;
  const std::vector<PackedMotion>& motions_;
  std::vector<CandidatePacket>& tested_;  // of a block of particles
  std::vector<CandidatePacket>::const_iterator next_;
  double max_speed_ = 0.0;  // relative to the drift and the mean flow, plus AddShear [m/s]
};

}  // namespace

double DetectSpheres(const PairDetection& pairs, SphereBuffers& buffers, WallDetection& walls) {
  SphereDetection spheres(pairs, buffers);
  return AddContactsOfAll(spheres, walls);
}

}  // namespace scree
