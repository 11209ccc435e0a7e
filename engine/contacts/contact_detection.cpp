#include "engine/contacts/contact_detection.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "engine/contacts/contact_partner.hpp"
#include "engine/contacts/time_of_impact.hpp"
#include "engine/contacts/wall_detection.hpp"
#include "engine/contacts/warm_start.hpp"
#include "engine/geometry/core_distance.hpp"

namespace scree {
namespace {

/// Positions of ghosts are rounded when their shift is added. This factor widens limits so that no
/// near pair is missed.
constexpr double kPlaceRounding = 1.0 + 1e-9;

/// Finds the contacts of one particle after the other.
class Detection {
 public:
  Detection(const Particles& particles, std::span<const Vec3> velocities, const NeighborList& list,
            const Scene& scene, const std::vector<WallPose>& walls, const ActivationRule& rule,
            const WarmStart* warm_start, const std::vector<Vec3>& ghost_shift,
            DetectionBuffers& buffers, ContactList& contacts, std::vector<WallBody>& wall_bodies)
      : particles_(particles),
        velocities_(velocities),
        list_(list),
        scene_(scene),
        rule_(rule),
        warm_start_(warm_start),
        ghost_shift_(ghost_shift),
        places_(buffers.places),
        motions_(buffers.motions),
        members_(buffers.members),
        tested_(buffers.tested),
        contacts_(contacts),
        walls_(particles, velocities, list, scene, walls, rule, warm_start, buffers.members,
               contacts, wall_bodies, buffers.walls) {
    if (scene.HasClumps()) {
      buffers.members.Set(particles, scene.clumps);
      SetFaces();
      for (std::size_t i = 0; i < particles.Size(); ++i) {
        rim_speeds_.push_back(RimSpeed(particles, i, members_));
      }
      return;
    }
    PackSpheres(particles, ghost_shift, buffers.places);
    if (rule.speculative) {
      max_speed_ = SetMotions(particles, velocities, list.reach.drift.mean, scene.domain,
                              buffers.places, buffers.motions);
      AddShear();
    }
  }

  /// @returns the largest overlap [m]
  double Run() {
    constexpr std::size_t kBlock = 32;  // particles whose packets stay in the cache
    auto wall = list_.walls.begin();
    for (std::size_t first = 0; first < particles_.owned; first += kBlock) {
      const std::size_t last = std::min(first + kBlock, particles_.owned);
      if (members_.IsEmpty()) TestSpheres(first, last);
      auto packet = tested_.cbegin();
      for (std::size_t i = first; i < last; ++i) {
        if (members_.IsEmpty()) {
          for (; packet != tested_.cend() && packet->i == i; ++packet) AddSpheres(*packet);
        } else {
          TestClumps(i);
        }
        const auto first_wall = wall;
        while (wall != list_.walls.end() && static_cast<std::size_t>(wall->particle) == i) ++wall;
        if (wall == first_wall || particles_.id[i] == kRemovedId) continue;
        max_overlap_ = std::max(max_overlap_, walls_.AddContactsOf({first_wall, wall}));
      }
    }
    return max_overlap_;
  }

 private:
  /// In a sheared domain the mean flow also brings particles within the skin closer.
  void AddShear() {
    if (!scene_.domain.Flows()) return;
    double largest = 0.0;
    for (const double radius : particles_.radius) largest = std::max(largest, radius);
    max_speed_ += scene_.domain.StrainRate() * (2.0 * largest + list_.reach.skin);
  }

  /// Speed of an owned particle relative to the drift and the mean flow [m/s].
  double OwnSpeed(std::size_t i) const {
    Vec3 against = velocities_[i] - list_.reach.drift.mean;
    if (scene_.domain.Flows()) against -= scene_.domain.MeanFlow(particles_.position[i]);
    return against.norm();
  }

  /// Tests the candidates of particles first .. last - 1 in packets of eight, before any contact is
  /// written. The processor cannot predict the number of contacts, and each wrong prediction would
  /// discard its work on the next packet.
  void TestSpheres(std::size_t first, std::size_t last) {
    tested_.clear();
    tested_.reserve((Local(list_.first[last]) - Local(list_.first[first])) / kLanes + last - first);
    for (std::size_t i = first; i < last; ++i) {
      // No partner approaches faster than the sum of both speeds relative to the common motion.
      const double reach = rule_.MaxActiveGap(rule_.speculative ? OwnSpeed(i) + max_speed_ : 0.0);
      for (Index k = list_.first[i]; k < list_.first[i + 1]; k += kLanes) {
        TestPacket(i, reach, &list_.partner[static_cast<std::size_t>(k)],
                   std::min<unsigned>(kLanes, static_cast<unsigned>(list_.first[i + 1] - k)));
      }
    }
  }

  /// Tests the first `count` of eight partners of particle i. Gaps beyond `reach` are not active.
  void TestPacket(std::size_t i, double reach, const Index* partners, unsigned count) {
    const PackedSphere* others[kLanes];
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      others[lane] = AddressOf(places_.data(), partners[lane]);
    }
    const Separation8 apart = Separation(places_[i], others);
    const Double8 limit = kPlaceRounding * apart.touch + reach;
    const unsigned near = Bits(apart.squared <= limit * limit) & ((1u << count) - 1u);
    if (near == 0) return;  // nearly never in dense matter, nearly always in a gas
    const Double8 distance = Sqrt(apart.squared);
    const Double8 per_distance = 1.0 / distance;
    CandidatePacket& packet = tested_.emplace_back();
    packet.i = i;
    packet.partners = partners;
    packet.gap = distance - apart.touch;
    packet.normal = {per_distance * apart.d.x, per_distance * apart.d.y, per_distance * apart.d.z};
    packet.coincide = Bits(distance <= Double8{});
    packet.alone = Images(partners, count);
    Test(apart, per_distance, packet);
    packet.alone &= near;
    packet.active &= near;
    packet.may_stay &= near;
  }

  /// Sets the masks of the active gaps and of those that may stay active if they carried an
  /// impulse.
  void Test(const Separation8& apart, const Double8& per_distance, CandidatePacket& packet) const {
    if (!rule_.speculative) {
      packet.active = Bits(packet.gap <= rule_.threshold);
      packet.may_stay = 0;
      return;
    }
    const PackedMotion* others[kLanes];
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      others[lane] = AddressOf(motions_.data(), packet.partners[lane]);
    }
    // Gravity accelerates both equally, so their relative velocity is the same before and after it.
    const RelativeMotion8 motion = RelativeMotion(motions_[packet.i], others);
    const Double8 opening = per_distance * Dot(motion.velocity, apart.d);
    packet.active = Bits(rule_.IsActive(packet.gap, motion.change, [&] { return opening; }));
    const Double8 speed = Sqrt(Dot(motion.velocity, motion.velocity));
    packet.alone |= Bits(rule_.dt * speed > kFarForPairs * apart.touch);
    packet.may_stay = warm_start_ == nullptr
                          ? 0
                          : Bits(rule_.StaysActive(packet.gap, motion.change, speed, opening));
  }

  /// Adds the candidates of a packet that are contacts.
  void AddSpheres(const CandidatePacket& packet) {
    std::array<Index, kLanes + 1> last;
    last.fill(kNoStoredImpulse);
    const unsigned found =
        warm_start_ == nullptr ? 0 : warm_start_->FindPacket(packet.i, packet.partners, last);
    unsigned left = packet.active | (packet.may_stay & found) | packet.alone;
    for (; left != 0; left &= left - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(left));
      const Index partner = packet.partners[lane];
      if ((packet.alone >> lane & 1u) != 0) {
        TestAlone(packet.i, partner);
      } else if ((packet.active >> lane & 1u) != 0 || warm_start_->HasImpulse(last[lane])) {
        const Vec3 normal =
            (packet.coincide >> lane & 1u) != 0
                ? AnyNormal(packet.i, Local(partner))
                : Vec3(packet.normal.x[lane], packet.normal.y[lane], packet.normal.z[lane]);
        Add({normal, packet.gap[lane], static_cast<Index>(packet.i), partner, {}, last[lane]});
      }
    }
  }

  void Add(const DetectedContact& contact) {
    max_overlap_ = std::max(max_overlap_, -contact.gap);
    contacts_.Add(contact);
  }

  /// Mask of the partners beyond a periodic end, one bit per lane.
  unsigned Images(const Index* partners, unsigned count) const {
    unsigned images = 0;
    if (Local(partners[count - 1]) < particles_.owned) return images;  // ghosts come last
    for (unsigned lane = 0; lane < count; ++lane) {
      const std::size_t j = Local(partners[lane]);
      const bool shifted =
          j >= particles_.owned && ghost_shift_[j - particles_.owned] != Vec3::Zero();
      images |= static_cast<unsigned>(shifted) << lane;
    }
    return images;
  }

  /// Tests a partner beyond a periodic end, or one that moves far relative to the particle. The
  /// shift is added after the difference, so that both ranks of the pair round equally: each finds
  /// the other's normal with the opposite sign.
  void TestAlone(std::size_t i, Index partner) {
    const std::size_t j = Local(partner);
    Vec3 d = particles_.position[i] - particles_.position[j];
    if (j >= particles_.owned) d -= ghost_shift_[j - particles_.owned];
    const Vec3 velocity = velocities_[i] - velocities_[j];
    const double touch = particles_.radius[i] + particles_.radius[j];
    const auto [normal, gap] = PlaneBetween(i, j, d, velocity, touch);
    const Index last = FindStored(i, LocalPartner::Particle(partner));
    if (IsActive(gap, ChangeOf(i, j), velocity, normal, [&] { return last; })) {
      Add({normal, gap, static_cast<Index>(i), partner, {}, last});
    }
  }

  /// The contact plane between two spheres of particles i and j.
  PairPlane PlaneBetween(std::size_t i, std::size_t j, const Vec3& apart, const Vec3& velocity,
                         double touch) const {
    const double distance = apart.norm();
    const PairPlane now = {distance > 0.0 ? Vec3(apart / distance) : AnyNormal(i, j),
                           distance - touch};
    return rule_.speculative ? PredictPlane(now, apart, velocity, touch, rule_.dt) : now;
  }

  /// @param last  last() finds the contact's entry of WarmStart; called only if the result depends
  ///              on it
  template <class FindLast>
  bool IsActive(double gap, double change, const Vec3& velocity, const Vec3& normal,
                FindLast&& last) const {
    const double opening = velocity.dot(normal);
    return rule_.IsActive(gap, change, [&] { return opening; }) ||
           (HasImpulse(last()) && rule_.StaysActive(gap, change, velocity.norm(), opening));
  }

  /// Sum of both changes of velocity in the last step [m/s].
  double ChangeOf(std::size_t i, std::size_t j) const {
    return particles_.velocity_change[i] + particles_.velocity_change[j];
  }

  /// A normal for coinciding centres, which have no direction: any on which both ranks agree.
  Vec3 AnyNormal(std::size_t i, std::size_t j) const {
    return particles_.id[i] < particles_.id[j] ? Vec3::UnitZ() : Vec3(-Vec3::UnitZ());
  }

  /// Tests all candidates of a particle.
  void TestClumps(std::size_t i) {
    for (Index k = list_.first[i]; k < list_.first[i + 1]; ++k) {
      TestClumps(i, list_.partner[static_cast<std::size_t>(k)]);
    }
  }

  /// Tests all pairs of members; near ones are found in packets of eight. The order does not depend
  /// on which particle is i, so that sums over the contacts of a body do not depend on it either.
  /// The arithmetic is that of TestAlone.
  void TestClumps(std::size_t i, Index partner) {
    const std::size_t j = Local(partner);
    Vec3 d = particles_.position[i] - particles_.position[j];
    if (j >= particles_.owned) d -= ghost_shift_[j - particles_.owned];
    const double speed =
        (velocities_[i] - velocities_[j]).norm() + (rim_speeds_[i] + rim_speeds_[j]);
    const double reach = rule_.MaxActiveGap(speed);
    const double limit = kPlaceRounding * (particles_.radius[i] + particles_.radius[j]) + reach;
    if (d.squaredNorm() > limit * limit) return;
    if (!members_.SolidsOf(i).empty() || !members_.SolidsOf(j).empty()) {
      return TestParts(i, partner, d, reach);
    }
    const bool i_is_first = particles_.id[i] <= particles_.id[j];
    const std::size_t first = i_is_first ? i : j, second = i_is_first ? j : i;
    const Vec3 apart = i_is_first ? d : Vec3(-d);
    FindMembersNear(first, apart, second, reach, near_first_);
    FindMembersNear(second, -apart, first, reach, near_second_);
    for (std::size_t k = 0; k < near_first_.members.size(); ++k) {
      const Member& member = near_first_.members[k];
      VisitMembersNear(
          near_second_.members, -(apart + member.centre), member.radius, reach,
          [&](std::size_t other) {
            const MemberPair pair = {near_first_.numbers[k], near_second_.numbers[other]};
            TestMembers(i, partner, i_is_first ? pair : pair.Swapped(), d, reach);
          });
    }
  }

  /// Calls visit(k) in order for the members whose surfaces are within reach of a sphere's surface.
  /// @param d  from the centre of the sphere to that of the members' body [m]
  template <class Visit>
  static void VisitMembersNear(std::span<const Member> members, const Vec3& d, double radius,
                               double reach, Visit&& visit) {
    static_assert(sizeof(Member) == 4 * sizeof(double));  // centre and radius, loaded in one go
    for (std::size_t k = 0; k < members.size(); k += kLanes) {
      const double* lines[kLanes];
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        lines[lane] = members[std::min(k + lane, members.size() - 1)].centre.data();
      }
      const Fields4 member = LoadHalfLines(lines);
      const Vector3<Double8> apart = {d.x() + member.field[0], d.y() + member.field[1],
                                      d.z() + member.field[2]};
      const Double8 limit = kPlaceRounding * (radius + member.field[3]) + reach;
      unsigned near = Bits(Dot(apart, apart) <= limit * limit);
      if (members.size() - k < kLanes) near &= (1u << (members.size() - k)) - 1u;
      for (; near != 0; near &= near - 1) {
        visit(k + static_cast<std::size_t>(std::countr_zero(near)));
      }
    }
  }

  struct NearMembers {
    std::vector<Member> members;
    std::vector<std::uint16_t> numbers;
  };
  /// Finds the members of a body within reach of the other body's bounding sphere.
  /// @param d  from the other body's centre to this body's centre [m]
  void FindMembersNear(std::size_t i, const Vec3& d, std::size_t other, double reach,
                       NearMembers& near) const {
    near.members.clear();
    near.numbers.clear();
    const std::span<const Member> all = members_.Of(i);
    VisitMembersNear(all, d, particles_.radius[other], reach, [&](std::size_t k) {
      near.members.push_back(all[k]);
      near.numbers.push_back(static_cast<std::uint16_t>(k));
    });
  }

  void TestMembers(std::size_t i, Index partner, MemberPair pair, const Vec3& d, double reach) {
    const std::size_t j = Local(partner);
    const Member &a = members_.Of(i)[pair.a], &b = members_.Of(j)[pair.b];
    const Vec3 apart = d + (a.centre - b.centre);
    const double touch = a.radius + b.radius;
    if (apart.squaredNorm() > std::pow(kPlaceRounding * touch + reach, 2)) return;
    const Vec3 velocity = MemberVelocity(particles_, velocities_, i, a) -
                          MemberVelocity(particles_, velocities_, j, b);
    const auto [normal, gap] = PlaneBetween(i, j, apart, velocity, touch);
    const Index last = FindStored(i, LocalPartner::Particle(partner), pair);
    const bool is_active = IsActive(gap, ChangeOf(i, j), velocity, normal, [&] { return last; });
    if (!is_active || members_.Covers(i, pair.a, a.centre, normal, a.centre - apart) ||
        members_.Covers(j, pair.b, b.centre, -normal, b.centre + apart)) {
      return;
    }
    max_overlap_ = std::max(max_overlap_, -gap);
    // If the gap is wide, the contact points stay near the surfaces, where the members will touch.
    const double half = std::min(0.5 * gap, kFarForPairs * touch);
    contacts_.Add({normal, gap, static_cast<Index>(i), partner, pair, last},
                  {{a.centre - (a.radius + half) * normal, b.centre + (b.radius + half) * normal},
                   a.radius,
                   b.radius});
  }

  /// Packs the faces of all solids once, because each solid is in many pairs.
  void SetFaces() {
    first_faces_.assign(1, 0);
    for (std::size_t i = 0; i < particles_.Size(); ++i) {
      for (const PlacedSolid& solid : members_.SolidsOf(i)) {
        AppendFaces(solid.shape->core, members_.NormalsOf(i, *solid.shape), particles_.radius[i],
                    faces_);
        first_faces_.push_back(faces_.size());
      }
    }
  }
  std::span<const FacePacket> FacesOf(const PlacedSolid& solid) const {
    const auto k = static_cast<std::size_t>(&solid - members_.Solids().data());
    return std::span(faces_).subspan(first_faces_[k], first_faces_[k + 1] - first_faces_[k]);
  }

  /// A convex part of a body: a solid, or a sphere, which is a point with a radius.
  struct Part {
    PlacedCore core;
    const SolidMember* solid;  // null: a sphere
    double rounding;
    Member bounds;

    std::uint16_t FeatureOf(std::uint16_t of_core) const {
      return solid != nullptr ? solid->FeatureOf(of_core) : of_core;
    }
  };
  template <class Visit>
  void ForEachPart(std::size_t i, Visit&& visit) const {
    const std::span<const Member> members = members_.Of(i);
    for (const PlacedSolid& placed : members_.SolidsOf(i)) {
      const SolidMember& solid = *placed.shape;
      const std::span<const Member> balls = members_.BallsOf(i, solid);
      visit(Part{{balls, &solid.core, members_.NormalsOf(i, solid), FacesOf(placed), 0},
                 &solid,
                 balls[0].radius,
                 placed.bounds});
    }
    for (std::size_t k = members_.FirstSphere(i); k < members.size(); ++k) {
      visit(Part{{members.subspan(k, 1), nullptr, {}, {}, static_cast<std::uint16_t>(k)},
                 nullptr,
                 members[k].radius,
                 members[k]});
    }
  }

  /// Tests a pair of bodies of which at least one has a solid. It works in the frame of the body
  /// with the lower id, so that both ranks of the pair find the same bits. (Inlined, it would take
  /// registers from the loops over spheres.)
  [[gnu::noinline]] void TestParts(std::size_t i, Index partner, const Vec3& d, double reach) {
    const bool i_is_first = particles_.id[i] <= particles_.id[Local(partner)];
    const std::size_t first = i_is_first ? i : Local(partner);
    const std::size_t second = i_is_first ? Local(partner) : i;
    const Vec3 apart = i_is_first ? d : Vec3(-d);
    ForEachPart(first, [&](const Part& one) {
      ForEachPart(second, [&](const Part& other) {
        const double limit = kPlaceRounding * (one.bounds.radius + other.bounds.radius) + reach;
        const Vec3 between = apart + (one.bounds.centre - other.bounds.centre);
        if (between.squaredNorm() > limit * limit) return;
        if (one.solid == nullptr && other.solid == nullptr) {
          MemberPair pair = {one.core.number, other.core.number};
          return TestMembers(i, partner, i_is_first ? pair : pair.Swapped(), d, reach);
        }
        TestCores(i, partner, one, other, apart, reach);
      });
    });
  }

  /// @param one    part of the body with the lower id
  /// @param apart  from the other body to that body [m]
  void TestCores(std::size_t i, Index partner, const Part& one, const Part& other,
                 const Vec3& apart, double reach) {
    const bool i_is_first = particles_.id[i] <= particles_.id[Local(partner)];
    const double touch = one.rounding + other.rounding;
    const std::span<CoreContact> minima =
        cores_.FindMinima(one.core, other.core, apart, kPlaceRounding * touch + reach, touch);
    std::size_t kept = 0;
    for (CoreContact& minimum : minima) {
      minimum.first = one.FeatureOf(minimum.first);
      minimum.second = other.FeatureOf(minimum.second);
      const CoreTouch touching = TouchOf(i_is_first, minimum);
      if (IsActive(i, partner, touching, minimum.distance - touch)) minima[kept++] = minimum;
    }
    for (const CoreContact& minimum : ReduceManifold(minima.first(kept))) {
      AddCores(i, partner, TouchOf(i_is_first, minimum), minimum.distance - touch);
    }
  }

  /// A minimum in the frame of particle i, which may be the first or the second body of it.
  struct CoreTouch {
    MemberPair features;
    Vec3 normal, on_i, on_j;
    bool is_flat_i, is_flat_j;
  };
  static CoreTouch TouchOf(bool i_is_first, const CoreContact& minimum) {
    CoreTouch touch = {
        {minimum.first, minimum.second}, minimum.normal,        minimum.on_first, minimum.on_second,
        minimum.is_flat_first,           minimum.is_flat_second};
    if (!i_is_first) {
      touch.features = touch.features.Swapped();
      touch.normal = -touch.normal;
      std::swap(touch.on_i, touch.on_j);
      std::swap(touch.is_flat_i, touch.is_flat_j);
    }
    return touch;
  }

  bool IsActive(std::size_t i, Index partner, const CoreTouch& touch, double gap) const {
    const std::size_t j = Local(partner);
    const Vec3 velocity = velocities_[i] - velocities_[j] +
                          (particles_.angular_velocity[i].cross(touch.on_i) -
                           particles_.angular_velocity[j].cross(touch.on_j));
    const Vec3 apart = (gap + members_.RoundingAt(i, touch.features.a) +
                        members_.RoundingAt(j, touch.features.b)) *
                       touch.normal;
    const auto last = [&] {
      return FindStored(i, LocalPartner::Particle(partner), touch.features);
    };
    return IsActive(gap, ChangeOf(i, j), velocity, touch.normal, last) &&
           !members_.Covers(i, touch.features.a, touch.on_i, touch.normal, touch.on_i - apart) &&
           !members_.Covers(j, touch.features.b, touch.on_j, -touch.normal, touch.on_j + apart);
  }

  void AddCores(std::size_t i, Index partner, const CoreTouch& touch, double gap) {
    max_overlap_ = std::max(max_overlap_, -gap);
    const double radius_i = members_.RoundingAt(i, touch.features.a);
    const double radius_j = members_.RoundingAt(Local(partner), touch.features.b);
    const double half = std::min(0.5 * gap, kFarForPairs * (radius_i + radius_j));
    const Index last = FindStored(i, LocalPartner::Particle(partner), touch.features);
    contacts_.Add({touch.normal, gap, static_cast<Index>(i), partner, touch.features, last},
                  {{touch.on_i - (radius_i + half) * touch.normal,
                    touch.on_j + (radius_j + half) * touch.normal},
                   touch.is_flat_i ? kFlatRadius : radius_i,
                   touch.is_flat_j ? kFlatRadius : radius_j});
  }

  static std::size_t Local(Index partner) { return static_cast<std::size_t>(partner); }

  Index FindStored(std::size_t i, LocalPartner partner, MemberPair members = {}) const {
    if (warm_start_ == nullptr) return kNoStoredImpulse;
    return warm_start_->Find(static_cast<Index>(i), partner, members);
  }
  bool HasImpulse(Index last) const { return last >= 0 && warm_start_->HasImpulse(last); }

  const Particles& particles_;
  const std::span<const Vec3> velocities_;
  const NeighborList& list_;
  const Scene& scene_;
  const ActivationRule& rule_;
  const WarmStart* const warm_start_;
  const std::vector<Vec3>& ghost_shift_;
  const std::vector<PackedSphere>& places_;
  const std::vector<PackedMotion>& motions_;
  const MemberTable& members_;            // empty: only spheres
  std::vector<CandidatePacket>& tested_;  // of a block of particles
  ContactList& contacts_;
  WallDetection walls_;
  CoreDistance cores_;
  std::vector<FacePacket> faces_;         // of solids
  std::vector<std::size_t> first_faces_;  // of each solid, and the end
  std::vector<double> rim_speeds_;        // of each particle, if there are clumps [m/s]
  NearMembers near_first_, near_second_;  // of a pair
  double max_speed_ = 0.0;                // relative to the drift [m/s]
  double max_overlap_ = 0.0;              // so far [m]
};

}  // namespace

double DetectContacts(const Particles& particles, std::span<const Vec3> velocities,
                      const Halo& halo, const NeighborList& list, const Scene& scene,
                      const std::vector<WallPose>& walls, const ActivationRule& rule,
                      const WarmStart* warm_start, DetectionBuffers& buffers, ContactList& contacts,
                      std::vector<WallBody>& wall_bodies) {
  BeginWallBodies(walls, wall_bodies);
  return Detection(particles, velocities, list, scene, walls, rule, warm_start, halo.shift, buffers,
                   contacts, wall_bodies)
      .Run();
}

}  // namespace scree
