/// \file  Narrow phase of the convex parts of bodies: member spheres, and solids, whose cores have
///        faces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/contacts/member_table.hpp"
#include "engine/contacts/pair_detection.hpp"
#include "engine/geometry/core_distance.hpp"

namespace scree {

/// Tests the parts of two bodies. It works in the frame of the body with the lower id, so that both
/// ranks of the pair find the same bits.
class PartDetection : public PairDetection {
 public:
  /// @param members  the members in this step; they must outlive this object
  PartDetection(const PairDetection& pairs, const MemberTable& members);

 protected:
  /// Tests two member spheres.
  /// @param d  from the partner's centre to that of particle i [m]
  /// @param reach  larger gaps are not active [m]
  void TestMembers(std::size_t i, Index partner, MemberPair pair, const Vec3& d, double reach);
  /// Tests all parts of two bodies. At least one of the bodies has a solid.
  void TestParts(std::size_t i, Index partner, const Vec3& d, double reach);

  const MemberTable& members_;

 private:
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
  void ForEachPart(std::size_t i, Visit&& visit) const;
  /// A minimum in the frame of particle i, which may be its first or its second body.
  struct CoreTouch {
    MemberPair features;
    Vec3 normal, on_i, on_j;
    bool is_flat_i, is_flat_j;
  };

  void SetFaces();
  std::span<const FacePacket> FacesOf(const PlacedSolid& solid) const;
  static CoreTouch MakeCoreTouch(bool i_is_first, const CoreContact& minimum);
  void TestCores(std::size_t i, Index partner, const Part& one, const Part& other,
                 const Vec3& separation, double reach);
  bool IsActiveCore(std::size_t i, Index partner, const CoreTouch& touch, double gap) const;
  void AddCores(std::size_t i, Index partner, const CoreTouch& touch, double gap);

  CoreDistance cores_;
  std::vector<FacePacket> faces_;         // of solids
  std::vector<std::size_t> first_faces_;  // of each solid, and the end
};

}  // namespace scree
