/// \file  Finds the contacts of particles with walls.
///
/// A sphere touches a wall at a point whose distance from the sphere's centre is a local minimum.
/// Several walls together form one surface. A point of one wall, for example on an edge, is not a
/// minimum of the whole surface if it lies on or in another wall that has a point nearer to the
/// centre. Such a point is not a contact.
///
///     x                       The edge P of the right box lies in the left box, which has a point
///     |  \                    nearer to the centre x. A sphere that rolls from left to right does
///     |    \                  not touch P. (If points coincide, the first one counts.)
///     +------P-------
///            |
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/contacts/activation_rule.hpp"
#include "engine/contacts/contact_list.hpp"
#include "engine/contacts/core_walls.hpp"
#include "engine/contacts/member_table.hpp"
#include "engine/contacts/wall_bodies.hpp"
#include "engine/contacts/wall_touch.hpp"
#include "engine/contacts/warm_start.hpp"
#include "engine/geometry/triangle_mesh.hpp"
#include "engine/lists/neighbor_list.hpp"

namespace scree {

/// A sphere that moves far in the step may hit a surface far from the present nearest point, or
/// pass the surface. A swept test therefore follows its path to the first touch, makes the plane
/// there active, and continues along the remaining path.
///
/// The caller passes the candidates of one particle at a time. The arguments of the constructor
/// must outlive the object. WallScratch::error is set if a particle hits more planes than a few
/// sweeps of the solver can resolve.
class WallDetection {
 public:
  /// @param velocities  of the particles in this step, without the change by the weight [m/s]
  WallDetection(const Particles& particles, std::span<const Vec3> velocities,
                const NeighborList& list, const Scene& scene, const std::vector<WallPose>& walls,
                const ActivationRule& rule, const WarmStart* warm_start, const MemberTable& members,
                ContactList& contacts, std::vector<WallBody>& wall_bodies, WallScratch& scratch);

  /// @param candidates  all candidates of this particle
  /// @returns the largest overlap [m]; 0: none
  double AddContactsOf(std::span<const WallCandidate> candidates);

 private:
  using Touch = WallTouch;
  /// A wall or an image of a wall.
  struct PlacedWall {
    std::size_t wall;
    const Shape& shape;
    const WallPose& pose;
    const Vec3& shift;  // from the wall [m]
  };
  /// The point of an edge that is nearest to the touching sphere.
  struct Border {
    Vec3 position;
    const WallCandidate* candidate;
    Index piece;  // of surface
  };
  PlacedWall PlacedWallOf(const WallCandidate& candidate) const;
  template <class Visit>
  void ForEachMember(std::size_t i, Visit&& visit) const;
  bool Test(const WallCandidate& candidate);
  bool IsOutOfReach(std::size_t i, const WallPose& pose, double distance) const;
  void TestMesh(const WallCandidate& candidate, const TriangleMesh& mesh);
  void TestCores(const WallCandidate& candidate);
  void TestCore(const WallCandidate& candidate, const PlacedSolid& solid);
  void PlaceCore(std::size_t i, const SolidMember& solid, const WallPose& pose);
  double ReachOf(const WallCandidate& candidate) const;
  /// Whether the sphere is not a member, but represents a point of an edge or a face of a
  /// polyhedron.
  bool IsCorePoint(const TouchingSphere& sphere) const {
    return !members_.IsEmpty() && sphere.number >= members_.MembersOf(sphere.particle).size();
  }
  void TestPoint(const TouchingSphere& sphere, const WallCandidate& candidate, Index piece,
                 const SurfacePoint& surface);
  bool IsTooWide(double gap, const Vec3& velocity, double extra_speed) const;
  bool IsActive(const Touch& touch) const;
  double ClosingOf(const Touch& touch) const;
  void PredictEdgeNormals(std::span<const WallCandidate> candidates);
  void BridgeCracks();
  bool BridgeCrack(Touch& touch, const Vec3& border) const;
  Vec3 FlatNormalAt(const Touch& touch) const;
  bool BridgeBorders(Touch& touch) const;
  bool IsFlat(const Touch& touch) const;
  void FindSupports(const Touch& touch, std::span<const WallCandidate> candidates);
  void AddSupports(const Touch& touch, const WallCandidate& candidate);
  bool IsUnfelt(const Touch& touch) const;
  double MaxUnfeltHeight(const Touch& touch) const;
  bool PredictTouch(Touch& touch) const;
  SurfacePoint PredictPlane(const Touch& touch, const Vec3& x, const Vec3& velocity) const;
  SurfacePoint NearestOnPiece(const PlacedWall& wall, Index piece, const Vec3& x) const;
  bool NeedsSweptTest(const TouchingSphere& sphere, const PlacedWall& wall, const Vec3& path) const;
  void DropDistantTouches();
  void SweepSphere(std::span<const WallCandidate> candidates);
  std::optional<std::pair<Vec3, double>> FirstTouchOf(const WallCandidate& candidate,
                                                      const TouchingSphere& sphere,
                                                      const Vec3& path) const;
  void SetError(const TouchingSphere& sphere, const PlacedWall& wall);
  Vec3 RemainingPath(const Touch& touch, const Vec3& path) const;
  std::pair<SurfacePoint, Index> NearestOf(const PlacedWall& wall, const Vec3& x);
  void DropInternalTouches(std::span<const WallCandidate> candidates);
  bool IsContinued(const Touch& touch, std::span<const WallCandidate> candidates, std::size_t kept);
  bool IsOnSeam(const Touch& touch, std::span<const WallCandidate> candidates);
  bool ContinuesSurface(const WallCandidate& other, const Touch& touch);
  void Add(const Touch& touch);
  Index FindStored(const TouchingSphere& sphere, Index piece, const Vec3& normal) const;

  const Particles& particles_;
  const std::span<const Vec3> velocities_;
  const NeighborList& list_;
  const Scene& scene_;
  const std::vector<WallPose>& walls_;
  const ActivationRule& rule_;
  const WarmStart* const warm_start_;
  const double weight_kick_;  // change of speed by the weight in the step [m/s]
  const Vec3 no_shift_ = Vec3::Zero();
  const MemberTable& members_;  // empty: there are only spheres
  ContactList& contacts_;
  std::vector<WallBody>& wall_bodies_;
  std::vector<WallPose>& image_poses_;
  std::vector<Touch>& touches_;
  std::vector<Touch>& supports_;
  std::vector<Border> borders_;  // of the current touch
  MeshQuery& query_;
  CoreAtWall core_;  // of the current solid
  std::vector<Index> triangles_, features_;
  std::vector<WallMinimum> minima_;
  std::string& error_;
  double max_overlap_ = 0.0;  // [m]
};

inline WallDetection::PlacedWall WallDetection::PlacedWallOf(const WallCandidate& candidate) const {
  const auto w = static_cast<std::size_t>(candidate.wall);
  if (candidate.image == kNoImage) return {w, scene_.walls[w].shape, walls_[w], no_shift_};
  const auto k = static_cast<std::size_t>(candidate.image);
  const WallImage& image = list_.wall_images[k];
  return {w, image.shape, image_poses_[k], image.shift};
}

}  // namespace scree
