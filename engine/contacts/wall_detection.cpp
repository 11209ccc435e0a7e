#include "engine/contacts/wall_detection.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <tuple>

#include "engine/contacts/time_of_impact.hpp"
#include "engine/geometry/quaternion.hpp"
#include "solvers/base/check.hpp"

namespace scree {
namespace {

/// Reserved capacity for the touches of a particle.
constexpr std::size_t kTypicalTouches = 32;
/// Fraction of the distance from a sphere's centre: surfaces closer together than this count as one
/// surface. This is less than the slop by which resting bodies may sink into a surface.
constexpr double kOneSurface = 1e-4;
/// Fraction of the distance: a surface is flat around a point if it continues for this length on
/// all sides.
constexpr double kFlatLength = 0.1;
/// Fraction of the distance: a point is nearer than another only if it is nearer by more than this.
constexpr double kNearer = 1e-9;
// The swept test. kFar, kMinPath, kTouching and kDeep are fractions of the radius of a sphere.
/// A sphere with a longer path in a step needs the swept test.
constexpr double kFar = 0.5;
/// The test advances along the path by at least this length.
constexpr double kMinPath = 0.25;
/// The test ends where the sphere is nearer to the wall than this ...
constexpr double kTouching = 1e-3;
/// ... and would end the step with a larger overlap than this. The projection removes smaller
/// overlaps.
constexpr double kDeep = 0.2;
/// Angle [rad]. If a sphere hits a wall at a smaller angle and would still end deep in it, the wall
/// is curved or has many facets. The test then continues to an overlap of kDeep/2 and takes the
/// plane there, so that a few planes suffice.
constexpr double kGrazing = 0.3;
/// Maximum number of planes along the path of a sphere. A sphere that slides around a pipe hits
/// several.
constexpr int kMaxPlanes = 6;
/// Multiple of the radius: a sphere may pass the second and later planes by at most this length,
/// because the solver converges slowly if planes make a small angle.
constexpr double kMaxBeyond = 4.0;
/// Safety factor of the quick test for walls out of reach.
constexpr double kRounding = 1.0 + 1e-9;

/// Whether a part of a shape is convex: the whole solid or sheet is behind the tangent plane at the
/// nearest point. There is no default, so that the compiler reports a new kind of part.
struct ConvexPart {
  bool operator()(const Plane&) const { return true; }
  bool operator()(const Block&) const { return true; }
  bool operator()(const Cylinder&) const { return true; }
  bool operator()(const Ball&) const { return true; }
  bool operator()(const Pipe&) const { return false; }
  bool operator()(const Cone&) const { return false; }
  bool operator()(const Disk& disk) const { return disk.hole == 0.0; }
  bool operator()(const Mesh&) const { return false; }
};

bool IsConvex(const Shape& shape) {
  return shape.parts.size() == 1 && std::visit(ConvexPart{}, shape.parts.front());
}

/// Position of a sphere when it first touches a wall along its path; none if it does not touch.
std::optional<Vec3> FirstTouch(const Shape& shape, const Vec3& x, double radius, const Vec3& path) {
  const TriangleMesh* const mesh = MeshOf(shape);
  const double length = path.norm();
  for (double travelled = 0.0; travelled < length;) {
    const Vec3 position = x + travelled / length * path;
    const double remaining = length - travelled;
    const SurfacePoint nearest = mesh != nullptr ? mesh->Nearest(position, radius + remaining)
                                                 : NearestSurface(shape, position);
    const double gap = nearest.distance - radius;
    if (gap > remaining) return {};
    const double approach = -nearest.normal.dot(path) / length;
    const double deepening = approach * remaining;
    // A sphere that only slides along a wall in which it is deep already needs no further plane.
    const bool slides_deep = gap < -kDeep * radius && deepening < 0.5 * kDeep * radius;
    if (gap < kTouching * radius && gap - deepening < -kDeep * radius && !slides_deep &&
        (approach > kGrazing || gap < -0.5 * kDeep * radius)) {
      return position;
    }
    travelled += std::max(gap, kMinPath * radius);
  }
  return {};
}

}  // namespace

WallDetection::WallDetection(const Particles& particles, std::span<const Vec3> velocities,
                             const NeighborList& list, const Scene& scene,
                             const std::vector<WallPose>& walls, const ActivationRule& rule,
                             const WarmStart* warm_start, const MemberTable& members,
                             ContactList& contacts, std::vector<WallBody>& wall_bodies,
                             WallScratch& scratch)
    : particles_(particles),
      velocities_(velocities),
      list_(list),
      scene_(scene),
      walls_(walls),
      rule_(rule),
      warm_start_(warm_start),
      weight_kick_(rule.dt * scene.gravity.norm()),
      members_(members),
      contacts_(contacts),
      wall_bodies_(wall_bodies),
      image_poses_(scratch.image_poses),
      touches_(scratch.touches),
      supports_(scratch.supports),
      query_(scratch.query),
      error_(scratch.error) {
  error_.clear();
  image_poses_.clear();
  touches_.reserve(kTypicalTouches);
  for (const WallImage& image : list.wall_images) {
    image_poses_.push_back(Shifted(walls[static_cast<std::size_t>(image.wall)], image.shift));
  }
}

/// Whether a gap [m] is too wide to close within the step at the speed |velocity| + extra_speed.
inline bool WallDetection::IsTooWide(double gap, const Vec3& velocity, double extra_speed) const {
  const double excess = gap - kRounding * rule_.MaxActiveGap(extra_speed);
  if (!(excess > 0.0)) return false;
  if (!rule_.speculative) return true;
  const double time = kRounding * rule_.dt;
  return excess * excess > time * time * velocity.squaredNorm();
}

double WallDetection::AddContactsOf(std::span<const WallCandidate> candidates) {
  max_overlap_ = 0.0;
  touches_.clear();
  bool all_planes = true;
  for (const WallCandidate& candidate : candidates) {
    all_planes = Test(candidate) && all_planes;
  }
  // Touches with planes need no correction: planes have no edges, and their normal is constant.
  if (!all_planes) {
    if (candidates.size() > 1 || !members_.IsEmpty()) DropInternalTouches(candidates);
    DropDistantTouches();
    PredictEdgeNormals(candidates);
    SweepSphere(candidates);
  }
  for (const Touch& touch : touches_) Add(touch);
  return max_overlap_;
}

template <class Visit>
void WallDetection::ForEachMember(std::size_t i, Visit&& visit) const {
  const Vec3& x = particles_.position[i];
  if (members_.IsEmpty()) {
    visit(TouchingSphere{i, 0, x, velocities_[i], particles_.radius[i]});
    return;
  }
  std::uint16_t number = 0;
  for (const Member& member : members_.MembersOf(i)) {
    visit(TouchingSphere{i, number++, x + member.centre,
                         MemberVelocity(particles_, velocities_, i, member), member.radius});
  }
}

/// @returns whether the wall is a plane
bool WallDetection::Test(const WallCandidate& candidate) {
  const PlacedWall wall = PlacedWallOf(candidate);
  const Plane* const plane = PlaneOf(wall.shape);
  const bool is_plane = plane != nullptr;
  if (!wall.pose.is_present) return is_plane;
  if (const TriangleMesh* mesh = is_plane ? nullptr : MeshOf(wall.shape)) {
    TestMesh(candidate, *mesh);
    return false;
  }
  const auto nearest = [&](const Vec3& x) {
    return is_plane ? SurfacePoint{plane->Distance(x), plane->normal}
                    : NearestSurface(wall.shape, x);
  };
  const auto i = static_cast<std::size_t>(candidate.particle);
  if (is_plane || !members_.IsEmpty()) {
    const double distance = nearest(wall.pose.InShape(particles_.position[i])).distance;
    if (IsOutOfReach(i, wall.pose, distance)) return is_plane;
  }
  ForEachMember(i, [&](const TouchingSphere& member) {
    SurfacePoint surface = nearest(wall.pose.InShape(member.centre));
    surface.normal = wall.pose.DirectionInSpace(surface.normal);
    TestPoint(member, candidate, candidate.wall, surface);
  });
  TestCores(candidate);
  return is_plane;
}

/// Whether the bounding sphere of a particle is too far from the wall to touch it, for any
/// direction of its velocity. This holds for most candidates and saves the tests of their members.
/// False for a free wall, whose kick is not known here.
/// @param distance  of the centre from the surface [m]
inline bool WallDetection::IsOutOfReach(std::size_t i, const WallPose& pose,
                                        double distance) const {
  if (pose.IsFree()) return false;
  const double radius = particles_.radius[i];
  double extra_speed = weight_kick_ + RimSpeed(particles_, i, members_);
  // |distance| + 2 r is the largest distance from the centre at which a member touches the wall.
  if (pose.IsRotating())
    extra_speed += pose.angular_velocity.norm() * (std::abs(distance) + 2.0 * radius);
  const Vec3 velocity = velocities_[i] - pose.SurfaceVelocity(particles_.position[i]);
  return IsTooWide(distance - kRounding * radius, velocity, extra_speed);
}

/// The largest gap to the wall that can be active [m].
double WallDetection::ReachOf(const WallCandidate& candidate) const {
  const auto i = static_cast<std::size_t>(candidate.particle);
  const WallPose& pose = PlacedWallOf(candidate).pose;
  const Vec3& x = particles_.position[i];
  const double radius = particles_.radius[i];
  const double speed = (velocities_[i] - pose.SurfaceVelocity(x)).norm() +
                       pose.angular_velocity.norm() * (radius + list_.reach.wall_skin) +
                       weight_kick_ + RimSpeed(particles_, i, members_);
  return rule_.MaxActiveGap(speed);
}

void WallDetection::TestMesh(const WallCandidate& candidate, const TriangleMesh& mesh) {
  const auto i = static_cast<std::size_t>(candidate.particle);
  const PlacedWall wall = PlacedWallOf(candidate);
  const WallPose& pose = wall.pose;
  const Vec3& x = particles_.position[i];
  const double radius = particles_.radius[i], reach = ReachOf(candidate);
  const double travel =
      (x - list_.reference[i]).norm() +
      MaxTravel(list_.wall_reference[wall.wall], walls_[wall.wall], list_.wall_extent[wall.wall]);
  if (candidate.gap - travel > reach) return;
  const Index first_surface = FirstSurface(scene_, wall.wall);
  const bool is_list_complete = radius + reach + travel <= TriangleReach(radius);
  ForEachMember(i, [&](const TouchingSphere& member) {
    if (is_list_complete) {
      mesh.FindPoints(pose.InShape(member.centre), member.radius + reach,
                      std::span(list_.triangles)
                          .subspan(static_cast<std::size_t>(candidate.first),
                                   static_cast<std::size_t>(candidate.count)),
                      query_);
    } else {
      mesh.FindPoints(pose.InShape(member.centre), member.radius + reach, query_);
    }
    for (const MeshPoint& point : query_.points) {
      TestPoint(member, candidate, first_surface + point.feature,
                {point.distance, pose.DirectionInSpace(point.normal)});
    }
  });
  TestCores(candidate);
}

/// Adds a touch if it is active.
/// @param piece  number of the piece of surface (WallBody::surface)
void WallDetection::TestPoint(const TouchingSphere& sphere, const WallCandidate& candidate,
                              Index piece, const SurfacePoint& surface) {
  const Vec3 point = sphere.centre - surface.distance * surface.normal;
  const WallPose& pose = PlacedWallOf(candidate).pose;
  const Vec3 wall_velocity = pose.SurfaceVelocity(point);
  if (!pose.IsFree() &&
      IsTooWide(surface.distance - sphere.radius, sphere.velocity - wall_velocity, weight_kick_)) {
    return;
  }
  const Index stored_entry = FindStored(sphere, piece, surface.normal);
  Touch touch{sphere, &candidate, piece, surface, point, wall_velocity, stored_entry};
  touch.closing = ClosingOf(touch);
  if (IsActive(touch)) touches_.push_back(touch);
}

/// WallBody::closing: the gap that a sphere loses at a hollow wall if it moves along the tangent
/// plane in the step, with its velocity after the forces [m]. It is 0 if the path is longer than
/// half the radius: SweepSphere then finds several planes. It is also 0 if the sphere passes near
/// the axis, where the nearest point moves to the other side of the wall.
double WallDetection::ClosingOf(const Touch& touch) const {
  const PlacedWall wall = PlacedWallOf(*touch.candidate);
  if (!rule_.speculative || !IsHollow(wall.shape)) return 0.0;
  const WallPose& pose = wall.pose;
  const TouchingSphere& sphere = touch.sphere;
  const auto& [distance, normal] = touch.surface;
  const Vec3 velocity = sphere.velocity + rule_.dt * scene_.gravity;
  const Vec3 path = rule_.dt * (velocity - (velocity - touch.wall_velocity).dot(normal) * normal);
  const Vec3 end = sphere.centre + path - rule_.dt * pose.velocity;
  const bool is_rotating = pose.is_rotated && pose.IsRotating();
  const Mat3 back_rotation = is_rotating
                                 ? RotationMatrix(RotationBy(-rule_.dt * pose.angular_velocity))
                                 : Mat3(Mat3::Identity());
  const auto at_end = [&](const Vec3& point) {
    return pose.InShape(
        is_rotating ? Vec3(pose.CurrentCentre() + back_rotation * (point - pose.CurrentCentre()))
                    : point);
  };
  const double max_path = kFar * sphere.radius;
  if ((path - rule_.dt * pose.velocity).squaredNorm() > max_path * max_path) return 0.0;
  const Vec3 x = pose.InShape(sphere.centre);
  for (const ShapePart& part : wall.shape.parts) {
    if (!IsHollowPart(part)) continue;
    const SurfacePoint now = NearestSurface(part, x);
    if (std::abs(now.distance - distance) > kNearer * sphere.radius) continue;
    double closing = 0.0;
    for (int k = 0; k < 2; ++k) {  // Newton's method, along the normal at the beginning of the step
      const SurfacePoint later = NearestSurface(part, at_end(end + closing * normal));
      if (later.normal.dot(now.normal) < 0.0) return 0.0;
      closing += now.distance - later.distance;
      if (!(closing > 0.0)) return 0.0;
    }
    return closing;
  }
  return 0.0;
}

bool WallDetection::IsActive(const Touch& touch) const {
  const auto& [distance, normal] = touch.surface;
  const WallPose& pose = PlacedWallOf(*touch.candidate).pose;
  const double gap = distance - touch.sphere.radius;
  const Vec3 velocity = touch.sphere.velocity - touch.wall_velocity;
  const double before = velocity.dot(normal);
  double after = before + rule_.dt * scene_.gravity.dot(normal);
  if (pose.IsFree()) after -= pose.KickAt(touch.position).dot(normal);
  const double change = particles_.velocity_change[touch.sphere.particle];
  const bool has_impulse = touch.stored_entry >= 0 && warm_start_->HasImpulse(touch.stored_entry);
  return rule_.IsActive(gap - touch.closing, change, [&] { return std::min(before, after); }) ||
         (has_impulse && rule_.StaysActive(gap, change, velocity.norm(), before));
}

/// Whether the path of a sphere relative to a wall is longer than half its radius, so that the
/// point of impact has to be found along the path. Planes need no such test. Rotating convex walls
/// get none.
/// @param path  path of the sphere in the step [m]
bool WallDetection::NeedsSweptTest(const TouchingSphere& sphere, const PlacedWall& wall,
                                   const Vec3& path) const {
  const double max_path = kFar * sphere.radius;
  return wall.pose.is_present && PlaneOf(wall.shape) == nullptr &&
         !(wall.pose.IsRotating() && IsConvex(wall.shape)) &&
         (path - rule_.dt * wall.pose.SurfaceVelocity(sphere.centre)).squaredNorm() >
             max_path * max_path;
}

/// Drops touches across wide gaps of spheres that need the swept test. Such touches would stop
/// spheres that only pass by. SweepSphere finds the touches along the path.
void WallDetection::DropDistantTouches() {
  if (!rule_.speculative) return;
  std::erase_if(touches_, [&](const Touch& touch) {
    const TouchingSphere& sphere = touch.sphere;
    const PlacedWall wall = PlacedWallOf(*touch.candidate);
    return touch.surface.distance - sphere.radius > kFar * sphere.radius &&
           !wall.pose.IsRotating() && NeedsSweptTest(sphere, wall, rule_.dt * sphere.velocity);
  });
}

/// Adds the planes that a sphere hits along a path of more than half its radius: the first plane,
/// then the first plane along the remaining path, and so on. The touches that are already known
/// shorten the path first.
void WallDetection::SweepSphere(std::span<const WallCandidate> candidates) {
  if (!rule_.speculative) return;
  const auto i = static_cast<std::size_t>(candidates.front().particle);
  ForEachMember(i, [&](const TouchingSphere& sphere) {
    const Vec3 free_path = rule_.dt * sphere.velocity;
    Vec3 path = free_path;
    const auto needs_sweep = [&](const WallCandidate& candidate) {
      return NeedsSweptTest(sphere, PlacedWallOf(candidate), free_path);
    };
    if (std::ranges::none_of(candidates, needs_sweep)) return;
    for (const Touch& touch : touches_) {
      if (touch.sphere.number == sphere.number) path = RemainingPath(touch, path);
    }
    for (int k = 0;; ++k) {
      const WallCandidate* first = nullptr;
      double min = HUGE_VAL;  // fraction of the path until the first touch
      Vec3 point;
      for (const WallCandidate& candidate : candidates) {
        if (!needs_sweep(candidate)) continue;
        const auto touch = FirstTouchOf(candidate, sphere, path);
        if (!touch || touch->second >= min) continue;
        std::tie(point, min) = *touch;
        first = &candidate;
      }
      if (first == nullptr) return;
      const PlacedWall wall = PlacedWallOf(*first);
      if (k == kMaxPlanes) return SetError(sphere, wall);
      const auto [surface, piece] = NearestOf(wall, point);
      const Vec3 x = wall.pose.InShape(sphere.centre);
      const double distance = surface.distance + surface.normal.dot(x - point);
      const Vec3 normal = wall.pose.DirectionInSpace(surface.normal);
      const Vec3 relative_path = path - rule_.dt * wall.pose.SurfaceVelocity(sphere.centre);
      const double beyond = sphere.radius - distance - normal.dot(relative_path);
      if ((k > 0 || path != free_path) && beyond > kMaxBeyond * sphere.radius) {
        return SetError(sphere, wall);
      }
      const std::size_t count_before = touches_.size();
      TestPoint(sphere, *first, piece, {distance, normal});
      if (touches_.size() == count_before) return;
      path = RemainingPath(touches_.back(), path);
    }
  });
}

/// Finds the first touch of a sphere along its path.
/// @returns the centre there, in the coordinates of the wall's shape, and the fraction of the path
std::optional<std::pair<Vec3, double>> WallDetection::FirstTouchOf(const WallCandidate& candidate,
                                                                   const TouchingSphere& sphere,
                                                                   const Vec3& path) const {
  const PlacedWall wall = PlacedWallOf(candidate);
  const Vec3 wall_path = rule_.dt * wall.pose.SurfaceVelocity(sphere.centre);
  const Vec3 x = wall.pose.InShape(sphere.centre);
  const Vec3 end = wall.pose.InShape(sphere.centre + (path - wall_path));
  const auto point = FirstTouch(wall.shape, x, sphere.radius, end - x);
  if (!point) return {};
  return std::pair{*point, (*point - x).norm() / (end - x).norm()};
}

void WallDetection::SetError(const TouchingSphere& sphere, const PlacedWall& wall) {
  if (!error_.empty()) return;
  error_ =
      Text("particle ", particles_.id[sphere.particle], " at (", sphere.centre.transpose(),
           ") m moves ", rule_.dt * sphere.velocity.norm(),
           " m in one step and would slide far around [wall.", scene_.walls[wall.wall].name,
           "]; use a shorter step, in which it moves less than the wall's radius of curvature");
}

/// The path that remains if a contact stops the approach of the sphere [m].
Vec3 WallDetection::RemainingPath(const Touch& touch, const Vec3& path) const {
  const Vec3& normal = touch.surface.normal;
  const double gap = std::max(0.0, touch.surface.distance - touch.sphere.radius);
  const double remaining = gap + normal.dot(path - rule_.dt * touch.wall_velocity);
  return path - std::min(0.0, remaining) * normal;
}

/// The nearest point of a wall and the number of its piece of surface.
/// @param x  in the coordinates of the wall's shape
std::pair<SurfacePoint, Index> WallDetection::NearestOf(const PlacedWall& wall, const Vec3& x) {
  const TriangleMesh* const mesh = MeshOf(wall.shape);
  if (mesh == nullptr) return {NearestSurface(wall.shape, x), static_cast<Index>(wall.wall)};
  const SurfacePoint nearest = mesh->Nearest(x, HUGE_VAL);
  mesh->FindPoints(x, (1.0 + kTouching) * std::abs(nearest.distance), query_);
  const Index feature = query_.points.empty() ? 0 : query_.points.front().feature;
  return {nearest, FirstSurface(scene_, wall.wall) + feature};
}

/// Drops touches that are not local minima of the distance from the surface of all walls together.
void WallDetection::DropInternalTouches(std::span<const WallCandidate> candidates) {
  std::size_t kept = 0;
  for (std::size_t k = 0; k < touches_.size(); ++k) {
    if (IsContinued(touches_[k], candidates, kept)) continue;
    if (kept < k) touches_[kept] = touches_[k];
    ++kept;
  }
  touches_.erase(touches_.begin() + static_cast<std::ptrdiff_t>(kept), touches_.end());
}

/// Whether another wall, or a kept touch, continues the surface at this touch.
/// @param kept  number of touches in touches_ that are already known to be contacts
bool WallDetection::IsContinued(const Touch& touch, std::span<const WallCandidate> candidates,
                                std::size_t kept) {
  // Planes are infinite.
  if (PlaneOf(PlacedWallOf(*touch.candidate).shape) != nullptr) return false;
  if (!(touch.surface.distance > 0.0)) return false;
  const double one_surface = kOneSurface * touch.surface.distance;
  for (std::size_t k = 0; k < kept; ++k) {
    const Touch& other = touches_[k];
    if (other.sphere.number == touch.sphere.number && other.candidate != touch.candidate &&
        (other.position - touch.position).squaredNorm() <= one_surface * one_surface &&
        other.surface.distance > 0.0) {
      return true;
    }
  }
  if (IsCorePoint(touch.sphere) && IsOnSeam(touch, candidates)) return true;
  return std::ranges::any_of(candidates, [&](const WallCandidate& other) {
    return &other != touch.candidate && ContinuesSurface(other, touch);
  });
}

/// Whether flat pieces of walls together have a flat surface around the touch of an edge or a face
/// of a polyhedron, but not its own wall alone. A seam between walls, parts or images is then no
/// edge, and the vertices of the polyhedron touch the surface.
bool WallDetection::IsOnSeam(const Touch& touch, std::span<const WallCandidate> candidates) {
  const double distance = touch.surface.distance, tolerance = kOneSurface * distance;
  const Vec3 first = kFlatLength * distance * touch.surface.normal.unitOrthogonal(),
             second = touch.surface.normal.cross(first);
  const std::array<Vec3, 4> points = {touch.position + first, touch.position - first,
                                      touch.position + second, touch.position - second};
  constexpr unsigned kAll = 15;
  unsigned covered = 0;  // one bit per point
  for (const WallCandidate& candidate : candidates) {
    const PlacedWall wall = PlacedWallOf(candidate);
    if (!wall.pose.is_present) continue;
    for (const ShapePart& part : wall.shape.parts) {
      const Mesh* const mesh = std::get_if<Mesh>(&part);
      if (mesh == nullptr && !std::holds_alternative<Block>(part)) continue;
      unsigned covered_by_part = 0;
      for (std::size_t k = 0; k < points.size(); ++k) {
        const Vec3 x = wall.pose.InShape(points[k]);
        const SurfacePoint nearest =
            mesh ? mesh->surface->Nearest(x, tolerance) : NearestSurface(part, x);
        if (nearest.distance <= tolerance) covered_by_part |= 1u << k;
      }
      if (covered_by_part == kAll && &candidate == touch.candidate) return false;
      covered |= covered_by_part;
    }
  }
  return covered == kAll;
}

/// Whether another wall has a nearer point, and the touch lies on or behind the other wall's
/// surface, now and at the end of the step.
bool WallDetection::ContinuesSurface(const WallCandidate& other, const Touch& touch) {
  const PlacedWall wall = PlacedWallOf(other);
  const WallPose& pose = wall.pose;
  if (!pose.is_present) return false;
  const double distance = touch.surface.distance;
  const Vec3 x = pose.InShape(touch.sphere.centre);
  const Vec3 now = pose.InShape(touch.position);
  const Vec3 later = pose.InShape(
      touch.position + rule_.dt * (touch.wall_velocity - pose.SurfaceVelocity(touch.position)));
  const auto is_covered = [&](const auto& covers) { return covers(now) && covers(later); };
  if (const TriangleMesh* mesh = MeshOf(wall.shape)) {
    return is_covered([&](const Vec3& point) {
      return mesh->Covers(x, point, (1.0 - kNearer) * distance, kOneSurface * distance, query_);
    });
  }
  return std::ranges::any_of(wall.shape.parts, [&](const ShapePart& part) {
    return NearestSurface(part, x).distance < (1.0 - kNearer) * distance &&
           is_covered([&](const Vec3& point) {
             return NearestSurface(part, point).distance <= kOneSurface * distance;
           });
  });
}

void WallDetection::Add(const Touch& touch) {
  const TouchingSphere& sphere = touch.sphere;
  const auto i = static_cast<Index>(sphere.particle);
  const Vec3& x = particles_.position[sphere.particle];
  if (members_.Covers(sphere.particle, sphere.number, sphere.centre - x, touch.surface.normal,
                      touch.position - x)) {
    return;
  }
  const PlacedWall wall = PlacedWallOf(*touch.candidate);
  const double gap = touch.surface.distance - sphere.radius;
  // A free wall is a body like the particles, so the contact point is in the middle of the gap.
  const double offset = wall.pose.IsFree() && !members_.IsEmpty()
                            ? std::min(0.5 * gap, kSweptPathFraction * sphere.radius)
                            : 0.0;
  const auto w = static_cast<Index>(wall.wall);
  auto body = static_cast<Index>(particles_.Size() + wall.wall);
  const bool is_image = touch.candidate->image != kNoImage;
  if (wall.pose.IsRotating() || touch.piece != w || wall.pose.IsFree() || wall.pose.IsBelt() ||
      is_image || IsHollow(wall.shape)) {
    body = static_cast<Index>(particles_.Size() + wall_bodies_.size());
    const Vec3 change = wall.pose.CarriedVelocityChange(x);
    wall_bodies_.push_back({w, touch.piece, touch.wall_velocity, change});
    wall_bodies_.back().shift = wall.shift;
    wall_bodies_.back().closing = touch.closing;
    if (wall.pose.IsBelt()) {
      wall_bodies_.back().velocity += wall.pose.BeltVelocityAt(touch.surface.normal);
    }
    if (wall.pose.IsFree()) {
      const Vec3 shift = offset * touch.surface.normal, point = touch.position + shift;
      if (offset != 0.0) wall_bodies_.back().velocity += wall.pose.angular_velocity.cross(shift);
      wall_bodies_.back().kick = wall.pose.KickAt(point);
      wall_bodies_.back().free_velocity = wall.pose.FreeVelocity(point);
      wall_bodies_.back().contact_point = point - wall.pose.tree_shift;
    }
  }
  max_overlap_ = std::max(max_overlap_, -gap);
  const DetectedContact contact = {touch.surface.normal, gap, i, body, {sphere.number, 0},
                                   touch.stored_entry};
  if (members_.IsEmpty()) {
    contacts_.Add(contact);
    return;
  }
  const Vec3 centre =
      IsCorePoint(sphere) ? Vec3(sphere.centre - x) : members_.MemberOf(i, sphere.number).centre;
  const Vec3 arm = centre - (sphere.radius + gap - offset) * contact.normal;
  contacts_.Add(contact, {{arm, Vec3::Zero()}, sphere.radius, kFlatRadius});
}

Index WallDetection::FindStored(const TouchingSphere& sphere, Index piece,
                                const Vec3& normal) const {
  if (warm_start_ == nullptr) return kNoStoredImpulse;
  return warm_start_->FindSurface(static_cast<Index>(sphere.particle), piece, {sphere.number, 0},
                                  normal);
}

}  // namespace scree
