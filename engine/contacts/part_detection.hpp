/// \file  Narrow phase of the convex parts of bodies: member spheres and solids.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/contacts/member_table.hpp"
#include "engine/contacts/pair_detection.hpp"
#include "engine/geometry/core_distance.hpp"

namespace scree {

/// Tests the parts of two bodies, and adds the active contacts. The body with the lower id comes
/// first in all computations, so that both ranks of the pair get the same bits.
class PartDetection : public PairDetection {
 public:
  /// @param members  the members in this step; they must outlive this object
  PartDetection(const PairDetection& pairs, const MemberTable& members);

 protected:
  /// Tests two member spheres.
  /// @param d  from the partner's centre to that of particle i [m]
  /// @param reach  larger gaps are not active [m]
  void TestMembers(std::size_t i, Index partner, MemberPair pair, const Vec3& d, double reach);
  /// Tests all parts of two bodies, of which at least one has a solid. Parameters as above.
  void TestParts(std::size_t i, Index partner, const Vec3& d, double reach);

  const MemberTable& members_;

 private:
  /// A convex part of a body: a solid, or a sphere, which is a point with a radius.
  struct Part {
    PlacedCore core;
    const SolidMember* solid;  // null: a sphere
    double rounding;           // of a sphere: its radius [m]
    Member bounding_ball;

    std::uint16_t FeatureOf(std::uint16_t core_feature) const {
      return solid != nullptr ? solid->FeatureOf(core_feature) : core_feature;
    }
  };
  template <class Visit>
  void ForEachPart(std::size_t i, Visit&& visit) const;
  /// A minimum of the distance between two cores, with particle i as the first body.
  struct CoreTouch {
    MemberPair features;
    Vec3 normal;                                // from j to i
    Vec3 on_i, on_j;                            // relative to the centre of each body [m]
    bool is_feature_i_flat, is_feature_j_flat;  // the feature is a face
  };

  void SetFaces();
  std::span<const FacePacket> FacesOf(const PlacedSolid& solid) const;
  static CoreTouch MakeCoreTouch(bool i_is_first, const CoreContact& minimum);
  void TestCores(std::size_t i, Index partner, const Part& first, const Part& second,
                 const Vec3& separation, double reach);
  bool IsActiveCore(std::size_t i, Index partner, const CoreTouch& touch, double gap) const;
  void AddCores(std::size_t i, Index partner, const CoreTouch& touch, double gap);

  CoreDistance cores_;
  std::vector<FacePacket> faces_;         // of all solids
  std::vector<std::size_t> first_faces_;  // of each solid, then the number of packets
};

}  // namespace scree
