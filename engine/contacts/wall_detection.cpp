#include "engine/contacts/wall_detection.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>

#include "engine/contacts/time_of_impact.hpp"
#include "solvers/base/check.hpp"

namespace scree {
namespace {

/// Room for the touches of a particle, so that hardly any step allocates.
constexpr std::size_t kTypicalTouches = 32;
/// Of the distance: surfaces closer than this are one. Less than the slop by which what rests on a
/// surface may sink in.
constexpr double kOneSurface = 1e-4;
/// Of the distance: nearer is what is nearer by more than this.
constexpr double kNearer = 1e-9;
/// Of a radius: spheres that move farther in a step are followed ...
constexpr double kFar = 0.5;
/// ... in steps no shorter than this, ...
constexpr double kMinPath = 0.25;
/// ... until they are as near as this ...
constexpr double kTouching = 1e-3;
/// ... and would end deeper in the wall than this. The overlap that is left is projected away.
constexpr double kDeep = 0.2;
/// A wall that is met at a smaller angle is bent or made of many facets: its plane is taken from
/// where half of that overlap is reached, so that few planes do [rad].
constexpr double kGrazing = 0.3;
/// Planes that may hold a sphere on its way; one that skids round a pipe meets several.
constexpr int kMaxPlanes = 6;
/// Of a radius: how far a sphere would pass the second one at most, and further ones. Sweeps
/// converge slowly where planes make a small angle.
constexpr double kMaxBeyond = 4.0;
/// By so much more than it can reach a sphere has to be away before nothing else is asked.
constexpr double kRounding = 1.0 + 1e-9;

/// Whether a plane that touches the solid or the sheet at its nearest place has all of it behind.
bool IsConvex(const Shape& shape) {
  if (shape.parts.size() != 1) return false;
  const ShapePart& part = shape.parts.front();
  if (const auto* disk = std::get_if<Disk>(&part)) return disk->hole == 0.0;
  return !std::holds_alternative<Pipe>(part) && !std::holds_alternative<Cone>(part) &&
         !std::holds_alternative<Mesh>(part);
}

/// Where a sphere is when it first meets a wall on its way; nothing if it does not.
std::optional<Vec3> FirstTouch(const Shape& shape, const Vec3& x, double radius, const Vec3& way) {
  const TriangleMesh* const mesh = MeshOf(shape);
  const double length = way.norm();
  for (double gone = 0.0; gone < length;) {
    const Vec3 here = x + gone / length * way;
    const double left = length - gone;
    const SurfacePoint nearest =
        mesh != nullptr ? mesh->Nearest(here, radius + left) : NearestSurface(shape, here);
    const double room = nearest.distance - radius;
    if (room > left) return {};
    const double approach = -nearest.normal.dot(way) / length;
    if (room < kTouching * radius && room - approach * left < -kDeep * radius &&
        (approach > kGrazing || room < -0.5 * kDeep * radius)) {
      return here;
    }
    gone += std::max(room, kMinPath * radius);
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
      fall_(rule.dt * scene.gravity.norm()),
      members_(members),
      contacts_(contacts),
      wall_bodies_(wall_bodies),
      image_poses_(scratch.image_poses),
      touches_(scratch.touches),
      supports_(scratch.supports),
      query_(scratch.query),
      trouble_(scratch.trouble) {
  trouble_.clear();
  image_poses_.clear();
  touches_.reserve(kTypicalTouches);
  for (const WallImage& image : list.wall_images) {
    image_poses_.push_back(Shifted(walls[static_cast<std::size_t>(image.wall)], image.shift));
  }
}

/// Whether nothing at this velocity, or faster by `extra` [m/s], can close the gap [m] in the step.
inline bool WallDetection::IsTooWide(double gap, const Vec3& velocity, double extra) const {
  const double room = gap - kRounding * rule_.MaxActiveGap(extra);
  if (!(room > 0.0)) return false;
  if (!rule_.speculative) return true;
  const double way = kRounding * rule_.dt;
  return room * room > way * way * velocity.squaredNorm();
}

double WallDetection::AddContactsOf(std::span<const WallCandidate> candidates) {
  deepest_ = 0.0;
  touches_.clear();
  bool all_planes = true;
  for (const WallCandidate& candidate : candidates) {
    all_planes = Test(candidate) && all_planes;
  }
  // Planes have no edges, go on for ever, and are the same wherever they are met.
  if (!all_planes) {
    if (candidates.size() > 1) DropInternalTouches(candidates);
    DropDistantTouches();
    PredictEdgeNormals(candidates);
    SweepSphere(candidates);
  }
  for (const Touch& touch : touches_) Add(touch);
  return deepest_;
}

template <class Visit>
void WallDetection::ForEachMember(std::size_t i, Visit&& visit) const {
  const Vec3& x = particles_.position[i];
  if (members_.IsEmpty()) {
    visit(Touching{i, 0, x, velocities_[i], particles_.radius[i]});
    return;
  }
  std::uint16_t number = 0;
  for (const Member& member : members_.Of(i)) {
    visit(Touching{i, number++, x + member.centre,
                   MemberVelocity(particles_, velocities_, i, member), member.radius});
  }
}

/// @returns whether it is a plane
bool WallDetection::Test(const WallCandidate& candidate) {
  const PlacedWall wall = PlacedWallOf(candidate);
  const Plane* const plane = PlaneOf(wall.shape);
  const bool is_plane = plane != nullptr;
  if (!wall.pose.is_there) return is_plane;
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
  ForEachMember(i, [&](const Touching& member) {
    SurfacePoint surface = nearest(wall.pose.InShape(member.centre));
    surface.normal = wall.pose.Turned(surface.normal);
    TestPoint(member, candidate, candidate.wall, surface);
  });
  JudgeCores(candidate);
  return is_plane;
}

/// Most candidates are too far away whatever the direction of their velocity: asked of the bounding
/// sphere, which saves a look at each member. What a free wall is pushed by is not known here.
/// @param distance  of the centre from the surface [m]
inline bool WallDetection::IsOutOfReach(std::size_t i, const WallPose& pose,
                                        double distance) const {
  if (pose.IsFree()) return false;
  const double radius = particles_.radius[i];
  double extra = fall_ + RimSpeed(particles_, i, members_);
  // Members touch no farther from the centre than this.
  if (pose.Rotates()) extra += pose.angular_velocity.norm() * (std::abs(distance) + 2.0 * radius);
  const Vec3 velocity = velocities_[i] - pose.SurfaceVelocity(particles_.position[i]);
  return IsTooWide(distance - kRounding * radius, velocity, extra);
}

/// No point of the wall approaches a particle faster than makes gaps up to this take part [m].
double WallDetection::ReachOf(const WallCandidate& candidate) const {
  const auto i = static_cast<std::size_t>(candidate.particle);
  const WallPose& pose = PlacedWallOf(candidate).pose;
  const Vec3& x = particles_.position[i];
  const double radius = particles_.radius[i];
  const double speed = (velocities_[i] - pose.SurfaceVelocity(x)).norm() +
                       pose.angular_velocity.norm() * (radius + list_.reach.wall_skin) + fall_ +
                       RimSpeed(particles_, i, members_);
  return rule_.MaxActiveGap(speed);
}

/// All places where the particle might touch within the step.
void WallDetection::TestMesh(const WallCandidate& candidate, const TriangleMesh& mesh) {
  const auto i = static_cast<std::size_t>(candidate.particle);
  const PlacedWall wall = PlacedWallOf(candidate);
  const WallPose& pose = wall.pose;
  const Vec3& x = particles_.position[i];
  const double radius = particles_.radius[i], reach = ReachOf(candidate);
  const double moved =
      (x - list_.reference[i]).norm() +
      MaxTravel(list_.wall_reference[wall.wall], walls_[wall.wall], list_.wall_extent[wall.wall]);
  if (candidate.gap - moved > reach) return;
  const Index surfaces = FirstSurface(scene_, wall.wall);
  const bool listed = radius + reach + moved <= NearTriangles(radius);
  ForEachMember(i, [&](const Touching& member) {
    if (listed) {
      mesh.FindPoints(pose.InShape(member.centre), member.radius + reach,
                      std::span(list_.triangles)
                          .subspan(static_cast<std::size_t>(candidate.first),
                                   static_cast<std::size_t>(candidate.count)),
                      query_);
    } else {
      mesh.FindPoints(pose.InShape(member.centre), member.radius + reach, query_);
    }
    for (const MeshPoint& place : query_.places) {
      TestPoint(member, candidate, surfaces + place.feature,
                {place.distance, pose.Turned(place.normal)});
    }
  });
  JudgeCores(candidate);
}

/// @param piece  number of the piece of surface
void WallDetection::TestPoint(const Touching& sphere, const WallCandidate& candidate, Index piece,
                              const SurfacePoint& surface) {
  const Vec3 place = sphere.centre - surface.distance * surface.normal;
  const WallPose& pose = PlacedWallOf(candidate).pose;
  const Vec3 wall_velocity = pose.SurfaceVelocity(place);
  if (!pose.IsFree() &&
      IsTooWide(surface.distance - sphere.radius, sphere.velocity - wall_velocity, fall_)) {
    return;
  }
  const Index last = FindStored(sphere, piece, surface.normal);
  const Touch touch{sphere, &candidate, piece, surface, place, wall_velocity, last};
  if (IsActive(touch)) touches_.push_back(touch);
}

bool WallDetection::IsActive(const Touch& touch) const {
  const auto& [distance, normal] = touch.surface;
  const WallPose& pose = PlacedWallOf(*touch.candidate).pose;
  const double gap = distance - touch.sphere.radius;
  const Vec3 velocity = touch.sphere.velocity - touch.wall_velocity;
  const double before = velocity.dot(normal);
  double after = before + rule_.dt * scene_.gravity.dot(normal);
  if (pose.IsFree()) after -= pose.Push(touch.place).dot(normal);
  const double change = particles_.velocity_change[touch.sphere.particle];
  const bool carried = touch.last >= 0 && warm_start_->HasImpulse(touch.last);
  return rule_.IsActive(gap, change, [&] { return std::min(before, after); }) ||
         (carried && rule_.StaysActive(gap, change, velocity.norm(), before));
}

/// Whether a wall stands still, as a sphere sees it, while the sphere goes more than half its
/// radius, so that its straight way tells where they meet. The plane of a plane is the same
/// everywhere.
/// @param way  of the sphere in the step [m]
bool WallDetection::NeedsSweptTest(const Touching& sphere, const PlacedWall& wall,
                                   const Vec3& way) const {
  const double far = kFar * sphere.radius;
  return wall.pose.is_there && PlaneOf(wall.shape) == nullptr &&
         !(wall.pose.Rotates() && IsConvex(wall.shape)) &&
         (way - rule_.dt * wall.pose.SurfaceVelocity(sphere.centre)).squaredNorm() > far * far;
}

/// Drops touches across wide gaps of spheres that are met far: those on their way are found by
/// SweepSphere, and others would stop what passes by.
void WallDetection::DropDistantTouches() {
  if (!rule_.speculative) return;
  std::erase_if(touches_, [&](const Touch& touch) {
    const Touching& sphere = touch.sphere;
    const PlacedWall wall = PlacedWallOf(*touch.candidate);
    return touch.surface.distance - sphere.radius > kFar * sphere.radius && !wall.pose.Rotates() &&
           NeedsSweptTest(sphere, wall, rule_.dt * sphere.velocity);
  });
}

/// Adds the planes that spheres meet on a way of more than half their radius, once those that are
/// nearest hold them: the one met first, then what is met first if that one holds, and so on.
void WallDetection::SweepSphere(std::span<const WallCandidate> candidates) {
  if (!rule_.speculative) return;
  ForEachMember(static_cast<std::size_t>(candidates.front().particle), [&](const Touching& sphere) {
    const Vec3 free = rule_.dt * sphere.velocity;
    Vec3 way = free;
    const auto is_met_far = [&](const WallCandidate& candidate) {
      return NeedsSweptTest(sphere, PlacedWallOf(candidate), free);
    };
    if (std::ranges::none_of(candidates, is_met_far)) return;
    for (const Touch& touch : touches_) {
      if (touch.sphere.number == sphere.number) way = RemainingPath(touch, way);
    }
    for (int k = 0;; ++k) {
      const WallCandidate* first = nullptr;
      double least = HUGE_VAL;
      Vec3 place;
      for (const WallCandidate& candidate : candidates) {
        if (!is_met_far(candidate)) continue;
        const auto touching = FirstTouchOf(candidate, sphere, way);
        if (!touching || touching->second >= least) continue;
        std::tie(place, least) = *touching;
        first = &candidate;
      }
      if (first == nullptr) return;
      const PlacedWall wall = PlacedWallOf(*first);
      if (k == kMaxPlanes) return Complain(sphere, wall);
      const auto [surface, piece] = NearestOf(wall, place);
      const Vec3 x = wall.pose.InShape(sphere.centre);
      const double distance = surface.distance + surface.normal.dot(x - place);
      const Vec3 normal = wall.pose.Turned(surface.normal);
      const Vec3 against = way - rule_.dt * wall.pose.SurfaceVelocity(sphere.centre);
      const double beyond = sphere.radius - distance - normal.dot(against);
      if ((k > 0 || way != free) && beyond > kMaxBeyond * sphere.radius) {
        return Complain(sphere, wall);
      }
      const std::size_t before = touches_.size();
      TestPoint(sphere, *first, piece, {distance, normal});
      if (touches_.size() == before) return;
      way = RemainingPath(touches_.back(), way);
    }
  });
}

/// Where the centre of a sphere is, in the shape of a wall, when they first touch on its way, and
/// which share of it it has gone.
std::optional<std::pair<Vec3, double>> WallDetection::FirstTouchOf(const WallCandidate& candidate,
                                                                   const Touching& sphere,
                                                                   const Vec3& way) const {
  const PlacedWall wall = PlacedWallOf(candidate);
  const Vec3 carried = rule_.dt * wall.pose.SurfaceVelocity(sphere.centre);
  const Vec3 x = wall.pose.InShape(sphere.centre);
  const Vec3 to = wall.pose.InShape(sphere.centre + (way - carried));
  const auto place = FirstTouch(wall.shape, x, sphere.radius, to - x);
  if (!place) return {};
  return std::pair{*place, (*place - x).norm() / (to - x).norm()};
}

void WallDetection::Complain(const Touching& sphere, const PlacedWall& wall) {
  if (!trouble_.empty()) return;
  trouble_ = Text(
      "particle ", particles_.id[sphere.particle], " at (", sphere.centre.transpose(), ") m moves ",
      rule_.dt * sphere.velocity.norm(),
      " m in one step, along which it would skid far round [wall.", scene_.walls[wall.wall].name,
      "]; expected a step so short that it moves less than the radius to which the wall is bent");
}

/// What is left of a way of a sphere if a contact holds it [m].
Vec3 WallDetection::RemainingPath(const Touch& touch, const Vec3& way) const {
  const Vec3& normal = touch.surface.normal;
  const double gap = std::max(0.0, touch.surface.distance - touch.sphere.radius);
  const double left = gap + normal.dot(way - rule_.dt * touch.wall_velocity);
  return way - std::min(0.0, left) * normal;
}

/// The nearest place of a wall and the number of its piece of surface.
/// @param x  in the shape
std::pair<SurfacePoint, Index> WallDetection::NearestOf(const PlacedWall& wall, const Vec3& x) {
  const TriangleMesh* const mesh = MeshOf(wall.shape);
  if (mesh == nullptr) return {NearestSurface(wall.shape, x), static_cast<Index>(wall.wall)};
  const SurfacePoint nearest = mesh->Nearest(x, HUGE_VAL);
  mesh->FindPoints(x, (1.0 + kTouching) * std::abs(nearest.distance), query_);
  const Index feature = query_.places.empty() ? 0 : query_.places.front().feature;
  return {nearest, FirstSurface(scene_, wall.wall) + feature};
}

/// Drops touches that are no local minima of the distance to all walls together.
void WallDetection::DropInternalTouches(std::span<const WallCandidate> candidates) {
  std::size_t kept = 0;
  for (std::size_t k = 0; k < touches_.size(); ++k) {
    if (IsContinued(touches_[k], candidates, kept)) continue;
    if (kept < k) touches_[kept] = touches_[k];
    ++kept;
  }
  touches_.erase(touches_.begin() + static_cast<std::ptrdiff_t>(kept), touches_.end());
}

/// @param kept  so many of the touches are contacts
bool WallDetection::IsContinued(const Touch& touch, std::span<const WallCandidate> candidates,
                                std::size_t kept) {
  // Planes go on for ever.
  if (PlaneOf(PlacedWallOf(*touch.candidate).shape) != nullptr) return false;
  if (!(touch.surface.distance > 0.0)) return false;
  const double one_surface = kOneSurface * touch.surface.distance;
  for (std::size_t k = 0; k < kept; ++k) {
    const Touch& other = touches_[k];
    if (other.sphere.number == touch.sphere.number && other.candidate != touch.candidate &&
        (other.place - touch.place).squaredNorm() <= one_surface * one_surface &&
        other.surface.distance > 0.0) {
      return true;
    }
  }
  return std::ranges::any_of(candidates, [&](const WallCandidate& other) {
    return &other != touch.candidate && ContinuesSurface(other, touch);
  });
}

/// Whether the touch lies on or behind the surface of another wall, now and at the end of the step,
/// and that wall has a nearer point.
bool WallDetection::ContinuesSurface(const WallCandidate& other, const Touch& touch) {
  const PlacedWall wall = PlacedWallOf(other);
  const WallPose& pose = wall.pose;
  if (!pose.is_there) return false;
  const double distance = touch.surface.distance;
  const Vec3 x = pose.InShape(touch.sphere.centre);
  const Vec3 now = pose.InShape(touch.place);
  const Vec3 later = pose.InShape(
      touch.place + rule_.dt * (touch.wall_velocity - pose.SurfaceVelocity(touch.place)));
  const auto holds = [&](const auto& covers) { return covers(now) && covers(later); };
  if (const TriangleMesh* mesh = MeshOf(wall.shape)) {
    return holds([&](const Vec3& place) {
      return mesh->Covers(x, place, (1.0 - kNearer) * distance, kOneSurface * distance, query_);
    });
  }
  return std::ranges::any_of(wall.shape.parts, [&](const ShapePart& part) {
    return NearestSurface(part, x).distance < (1.0 - kNearer) * distance &&
           holds([&](const Vec3& place) {
             return NearestSurface(part, place).distance <= kOneSurface * distance;
           });
  });
}

void WallDetection::Add(const Touch& touch) {
  const Touching& sphere = touch.sphere;
  const auto i = static_cast<Index>(sphere.particle);
  const Vec3& x = particles_.position[sphere.particle];
  if (members_.Covers(sphere.particle, sphere.number, sphere.centre - x, touch.surface.normal,
                      touch.place - x)) {
    return;
  }
  const PlacedWall wall = PlacedWallOf(*touch.candidate);
  const auto w = static_cast<Index>(wall.wall);
  auto body = static_cast<Index>(particles_.Size() + wall.wall);
  const bool is_image = touch.candidate->image != kNoImage;
  if (wall.pose.Rotates() || touch.piece != w || wall.pose.IsFree() || wall.pose.IsBelt() ||
      is_image) {
    body = static_cast<Index>(particles_.Size() + wall_bodies_.size());
    const Vec3 change = wall.pose.ChangeOfCarried(x);
    wall_bodies_.push_back({w, touch.piece, touch.wall_velocity, change});
    wall_bodies_.back().shift = wall.shift;
    if (wall.pose.IsBelt()) {
      wall_bodies_.back().velocity += wall.pose.AlongSurface(touch.surface.normal);
    }
    if (wall.pose.IsFree()) {
      wall_bodies_.back().push = wall.pose.Push(touch.place);
      wall_bodies_.back().free = wall.pose.FreeVelocity(touch.place);
      wall_bodies_.back().place = touch.place - wall.pose.tree_shift;
    }
  }
  const double gap = touch.surface.distance - sphere.radius;
  deepest_ = std::max(deepest_, -gap);
  const DetectedContact contact = {touch.surface.normal, gap,       i, body,
                                   {sphere.number, 0},   touch.last};
  if (members_.IsEmpty()) return contacts_.Add(contact);
  const Vec3 centre =
      IsOfCore(sphere) ? Vec3(sphere.centre - x) : members_.Of(i, sphere.number).centre;
  const Vec3 arm = centre - (sphere.radius + gap) * contact.normal;
  contacts_.Add(contact, {{arm, Vec3::Zero()}, sphere.radius, kFlatRadius});
}

Index WallDetection::FindStored(const Touching& sphere, Index piece, const Vec3& normal) const {
  if (warm_start_ == nullptr) return kNoStoredImpulse;
  return warm_start_->FindSurface(static_cast<Index>(sphere.particle), piece, {sphere.number, 0},
                                  normal);
}

}  // namespace scree
