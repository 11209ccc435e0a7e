#include "engine/contacts/clump_detection.hpp"

#include <algorithm>
#include <bit>
#include <span>
#include <vector>

#include "engine/contacts/part_detection.hpp"
#include "solvers/simd/simd.hpp"

namespace scree {
namespace {

class ClumpDetection : public PartDetection {
 public:
  ClumpDetection(const PairDetection& pairs, const MemberTable& members)
      : PartDetection(pairs, members) {
    for (std::size_t i = 0; i < particles_.Size(); ++i) {
      rim_speeds_.push_back(RimSpeed(particles_, i, members));
    }
  }

  void Prepare(std::size_t /*first*/, std::size_t /*last*/) {}

  void AddPairsOf(std::size_t i) {
    for (Index k = list_.first[i]; k < list_.first[i + 1]; ++k) {
      TestBodies(i, list_.partner[static_cast<std::size_t>(k)]);
    }
  }

 private:
  /// Tests all pairs of members, and finds near ones in packets of eight. The order of the
  /// contacts does not depend on which particle is i, so neither do the bits of sums over them. The
  /// arithmetic is that of SphereDetection::TestSinglePair.
  void TestBodies(std::size_t i, Index partner) {
    const std::size_t j = LocalIndex(partner);
    const Vec3 d = SeparationOf(i, j);
    const double speed =
        (velocities_[i] - velocities_[j]).norm() + (rim_speeds_[i] + rim_speeds_[j]);
    const double reach = rule_.MaxActiveGap(speed);
    const double limit = kPositionRounding * (particles_.radius[i] + particles_.radius[j]) + reach;
    if (d.squaredNorm() > limit * limit) return;
    if (!members_.SolidsOf(i).empty() || !members_.SolidsOf(j).empty()) {
      return TestParts(i, partner, d, reach);
    }
    const bool i_is_first = particles_.id[i] <= particles_.id[j];
    const std::size_t first = i_is_first ? i : j, second = i_is_first ? j : i;
    const Vec3 separation = i_is_first ? d : Vec3(-d);
    FindMembersNear(first, separation, second, reach, near_first_);
    FindMembersNear(second, -separation, first, reach, near_second_);
    for (std::size_t k = 0; k < near_first_.members.size(); ++k) {
      const Member& member = near_first_.members[k];
      VisitMembersNear(
          near_second_.members, -(separation + member.centre), member.radius, reach,
          [&](std::size_t other) {
            const MemberPair pair = {near_first_.numbers[k], near_second_.numbers[other]};
            TestMembers(i, partner, i_is_first ? pair : pair.Swapped(), d, reach);
          });
    }
  }

  /// Calls visit(k), with ascending k, for members whose surface is within reach of a sphere.
  /// @param d  from the centre of the sphere to the centre of the members' body [m]
  template <class Visit>
  static void VisitMembersNear(std::span<const Member> members, const Vec3& d, double radius,
                               double reach, Visit&& visit) {
    static_assert(sizeof(Member) == 4 * sizeof(double));  // centre and radius, loaded together
    for (std::size_t k = 0; k < members.size(); k += kLanes) {
      const double* addresses[kLanes];
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        addresses[lane] = members[std::min(k + lane, members.size() - 1)].centre.data();
      }
      const Fields4 member = LoadHalfLines(addresses);
      const Vector3<Double8> separation = {d.x() + member.field[0], d.y() + member.field[1],
                                           d.z() + member.field[2]};
      const Double8 limit = kPositionRounding * (radius + member.field[3]) + reach;
      unsigned near = Bits(Dot(separation, separation) <= limit * limit);
      if (members.size() - k < kLanes) near &= (1u << (members.size() - k)) - 1u;
      for (; near != 0; near &= near - 1) {
        visit(k + static_cast<std::size_t>(std::countr_zero(near)));
      }
    }
  }

  struct NearMembers {
    std::vector<Member> members;
    std::vector<std::uint16_t> numbers;  // in the body
  };
  /// Finds the members of a body within reach of the other body's bounding sphere.
  /// @param d  from the other body's centre to this body's centre [m]
  void FindMembersNear(std::size_t i, const Vec3& d, std::size_t other, double reach,
                       NearMembers& near) const {
    near.members.clear();
    near.numbers.clear();
    const std::span<const Member> all = members_.MembersOf(i);
    VisitMembersNear(all, d, particles_.radius[other], reach, [&](std::size_t k) {
      near.members.push_back(all[k]);
      near.numbers.push_back(static_cast<std::uint16_t>(k));
    });
  }

  std::vector<double> rim_speeds_;        // of each particle [m/s]
  NearMembers near_first_, near_second_;  // of a pair
};

}  // namespace

double DetectClumps(const PairDetection& pairs, const MemberTable& members, WallDetection& walls) {
  ClumpDetection clumps(pairs, members);
  return AddContactsOfAll(clumps, walls);
}

}  // namespace scree
