#include "engine/contacts/bond_birth.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <tuple>

#include "engine/contacts/bonded_surface.hpp"
#include "engine/geometry/quaternion.hpp"
#include "engine/particles/random.hpp"
#include "engine/ranks/contact_ownership.hpp"

namespace scree {
namespace {

/// Sides of a polygon that are shorter than this fraction of its size are ignored.
constexpr double kMinSide = 1e-3;
/// Number of the random stream of the strengths.
constexpr std::uint64_t kBondStream = 0x626f6e6400000000ULL;

/// The random factor of a bond's strengths: Weibull-distributed with mean 1, equal on all ranks.
double StrengthFactor(const BondRule& rule, std::uint64_t seed, const Bond& bond) {
  if (rule.weibull == 0.0) return 1.0;
  // Two clumps may have several bonds, between different members. (Spheres have the member 0.)
  const std::uint64_t members = (std::uint64_t{bond.members.a} << 16 | bond.members.b) << 32;
  const auto code = static_cast<std::uint64_t>(bond.b.Code()) ^ members;
  const double uniform =
      0.5 + 0.5 * UniformAroundZero(seed ^ internal::MixBits(code), bond.a, kBondStream);
  return std::pow(-std::log1p(-uniform), 1.0 / rule.weibull) /
         std::tgamma(1.0 + 1.0 / rule.weibull);
}

class BondMaker {
 public:
  BondMaker(const BondBodies& bodies, const BondTable& existing, const ContactSpan& found,
            std::span<const WallBody> wall_bodies, std::span<const std::uint8_t> is_due,
            const Communicator& communicator, const Halo& halo, double now)
      : bodies_(bodies),
        existing_(existing),
        found_(found),
        body_map_(bodies.particles, wall_bodies),
        is_due_(is_due),
        communicator_(communicator),
        halo_(halo),
        now_(now) {}

  NewBonds Make() {
    for (std::size_t j = 0; j < found_.size();) {
      // The contacts of two bodies are consecutive.
      std::size_t end = j + 1;
      while (end < found_.size() && found_[end].a == found_[j].a &&
             IsSamePartner(found_[end], found_[j])) {
        ++end;
      }
      AddBonds(j, end);
      j = end;
    }
    return std::move(new_bonds_);
  }

 private:
  bool IsSamePartner(const DetectedContact& first, const DetectedContact& second) const {
    if (body_map_.IsWall(first.b) != body_map_.IsWall(second.b)) return false;
    if (!body_map_.IsWall(first.b)) return first.b == second.b;
    return body_map_.WallOf(first.b).wall == body_map_.WallOf(second.b).wall;
  }
  bool IsOwned(const DetectedContact& contact) const {
    const auto b = static_cast<std::size_t>(contact.b);
    if (body_map_.IsWall(contact.b) || b < bodies_.particles.owned) return true;
    const std::size_t ghost = b - bodies_.particles.owned;
    return OwnsContact(communicator_.Rank(), halo_.owner[ghost], halo_.image[ghost]);
  }
  /// Index of the first due rule that applies to a contact; −1: none.
  std::int32_t RuleOf(const DetectedContact& contact) const {
    const MaterialId a = bodies_.particles.material[static_cast<std::size_t>(contact.a)];
    const MaterialId b =
        body_map_.IsWall(contact.b)
            ? bodies_.scene.walls[static_cast<std::size_t>(body_map_.WallOf(contact.b).wall)]
                  .material
            : bodies_.particles.material[static_cast<std::size_t>(contact.b)];
    const std::vector<BondRule>& rules = bodies_.scene.bonds;
    for (std::size_t r = 0; r < rules.size(); ++r) {
      if (is_due_[r] != 0 && rules[r].IsBetween(a, b) && contact.gap <= rules[r].gap) {
        return static_cast<std::int32_t>(r);
      }
    }
    return -1;
  }
  bool AreBonded(const DetectedContact& contact) const {
    return std::ranges::any_of(existing_.RowsOf(contact.a), [&](const BondRow& row) {
      if (body_map_.IsWall(contact.b)) {
        const Bond& bond = existing_.At(row.bond);
        const Index wall = body_map_.WallOf(contact.b).wall;
        if (row.partner >= 0 || bond.wall != wall) return false;
        return bond.point_count == 0 ||
               IsOnBondedFace(bond, bodies_.walls[static_cast<std::size_t>(wall)], contact.normal);
      }
      return row.partner == contact.b;
    });
  }
  /// Whether a feature is a sphere: a particle, or a member of a clump.
  bool IsSphere(Index body, std::uint16_t feature) const {
    if (bodies_.members.IsEmpty()) return true;
    const auto i = static_cast<std::size_t>(body);
    return feature >= bodies_.members.FirstSphere(i) &&
           feature < bodies_.members.MembersOf(i).size();
  }
  bool IsPointContact(const DetectedContact& contact) const {
    if (!IsSphere(contact.a, contact.members.a)) return false;
    return body_map_.IsWall(contact.b) || IsSphere(contact.b, contact.members.b);
  }

  /// Adds the bonds of contacts j .. end - 1, which have the same bodies.
  void AddBonds(std::size_t j, std::size_t end) {
    if (!IsOwned(found_[j])) return;
    std::vector<FaceContacts> faces;
    for (std::size_t k = j; k < end; ++k) {
      const std::int32_t rule = RuleOf(found_[k]);
      if (rule < 0 || AreBonded(found_[k])) continue;
      if (IsPointContact(found_[k])) {
        AddPointBond(k, rule);
      } else {
        FaceAt(found_[k], faces).Add(k, rule);
      }
    }
    for (const FaceContacts& face : faces) AddFaceBond(face.contacts, face.rule);
  }

  /// Contacts that get one bond.
  struct FaceContacts {
    Vec3 normal;  // of the first one
    std::vector<std::size_t> contacts = {};
    std::int32_t rule = -1;

    void Add(std::size_t contact, std::int32_t rule_index) {
      contacts.push_back(contact);
      rule = rule_index;
    }
  };
  /// The face to which a contact belongs. Only bonds with walls are made face by face.
  FaceContacts& FaceAt(const DetectedContact& contact, std::vector<FaceContacts>& faces) const {
    constexpr double kSameFace = 0.99;  // cosine of the largest angle between the normals
    const auto face = std::ranges::find_if(faces, [&](const FaceContacts& found) {
      return !body_map_.IsWall(contact.b) || found.normal.dot(contact.normal) > kSameFace;
    });
    return face != faces.end() ? *face : faces.emplace_back(contact.normal);
  }

  /// Sets the bodies and the birth of a bond.
  /// @returns whether body a of the contact is also body a of the bond
  bool SetBodies(const DetectedContact& contact, std::int32_t rule, Bond& bond) const {
    const auto i = static_cast<std::size_t>(contact.a), j = static_cast<std::size_t>(contact.b);
    bond.rule = rule;
    bond.born = now_;
    bond.a = bodies_.particles.id[i];
    if (body_map_.IsWall(contact.b)) {
      bond.b = GlobalPartner::Surface(body_map_.WallOf(contact.b).surface);
      bond.wall = body_map_.WallOf(contact.b).wall;
      return true;
    }
    const ParticleId other = bodies_.particles.id[j];
    const bool is_same_order = bond.a <= other;
    bond.b = GlobalPartner::Particle(is_same_order ? other : bond.a);
    if (!is_same_order) bond.a = other;
    return is_same_order;
  }

  void AddPointBond(std::size_t k, std::int32_t rule_index) {
    const DetectedContact& contact = found_[k];
    const BondRule& rule = RuleAt(rule_index);
    Bond bond;
    const bool is_same_order = SetBodies(contact, rule_index, bond);
    const ContactGeometry geometry = found_.GeometryOf(k, bodies_.particles);
    const double smaller = std::min(geometry.radius_a, geometry.radius_b);
    const double max_area = std::numbers::pi * smaller * smaller;
    bond.area = rule.area > 0.0 ? rule.area : max_area * rule.radius * rule.radius;
    bond.gap = contact.gap;
    bond.members = is_same_order ? contact.members : contact.members.Swapped();
    if (body_map_.IsWall(contact.b)) {
      const auto i = static_cast<std::size_t>(contact.a);
      const WallPose pose = PoseOf(contact);
      bond.members.b = 0;
      bond.normal =
          pose.is_rotated ? Vec3(pose.rotation.transpose() * contact.normal) : contact.normal;
      bond.on_b[0] = pose.InShape(bodies_.particles.position[i] + geometry.arms.a);
      // A contact with an edge has the gap that is predicted for the impact.
      if (!IsBondedToPlane(bodies_, bond)) {
        bond.gap = FindBondedPoint(bodies_, bond, contact.a).nearest.distance - geometry.radius_a;
      }
    }
    if (bond.area > max_area * (1.0 + 1e-9)) {
      new_bonds_.error = Text("[bond.", rule.name, "] area is ", rule.area,
                              " m^2, but the smaller body of a contact of particle ", bond.a,
                              " has a cross-section of ", max_area,
                              " m^2; expected at most this area, or `radius` instead of `area`");
    }
    Finish(contact, is_same_order, rule, bond);
  }

  void AddFaceBond(std::span<const std::size_t> contacts, std::int32_t rule_index) {
    const DetectedContact& contact = found_[contacts[0]];
    const BondRule& rule = RuleAt(rule_index);
    Bond bond;
    const bool is_same_order = SetBodies(contact, rule_index, bond);
    const double sign = is_same_order ? 1.0 : -1.0;
    std::vector<Vec3> points;  // from the centre of body a of the bond
    Vec3 normal = Vec3::Zero();
    Vec3 separation = Vec3::Zero();  // from the centre of body b of the bond to that of a
    for (const std::size_t k : contacts) {
      const ContactArms& arms = found_.geometry[k].arms;
      points.push_back(is_same_order ? arms.a : arms.b);
      normal += sign * found_[k].normal;
      separation += (1.0 / static_cast<double>(contacts.size())) *
                    (is_same_order ? Vec3(arms.b - arms.a) : Vec3(arms.a - arms.b));
    }
    normal.normalize();
    const SectionCore core = FindSectionCore(points, normal);
    if (core.area == 0.0) return;  // the bodies touch at a point or along a line
    bond.area = rule.area > 0.0 ? rule.area : core.area;
    bond.point_count = static_cast<std::int64_t>(core.corners.size());
    if (bond.area > core.area * (1.0 + 1e-9)) {
      new_bonds_.error = Text("[bond.", rule.name, "] area is ", rule.area, " m^2, but particle ",
                              bond.a, " touches its neighbour on ", core.area,
                              " m^2; expected at most this area, or no `area`");
    }
    const Mat3 to_axes_of_a = RotationToBodyAxes(is_same_order ? contact.a : contact.b);
    bond.normal = to_axes_of_a * normal;
    for (std::size_t k = 0; k < core.corners.size(); ++k) {
      bond.area_fraction[k] = core.fraction[k];
      bond.on_a[k] = to_axes_of_a * core.corners[k];
      if (!body_map_.IsWall(contact.b)) {
        bond.on_b[k] = RotationToBodyAxes(is_same_order ? contact.b : contact.a) *
                       (core.corners[k] + separation);
        continue;
      }
      const auto i = static_cast<std::size_t>(contact.a);
      bond.on_b[k] = PoseOf(contact).InShape(bodies_.particles.position[i] + core.corners[k]);
    }
    if (body_map_.IsWall(contact.b)) {
      const WallPose pose = PoseOf(contact);
      bond.normal = pose.is_rotated ? Vec3(pose.rotation.transpose() * normal) : normal;
    }
    Finish(contact, is_same_order, rule, bond);
  }

  void Finish(const DetectedContact& contact, bool is_same_order, const BondRule& rule,
              Bond& bond) {
    bond.strength = StrengthFactor(rule, bodies_.scene.seed, bond);
    const auto home = static_cast<std::size_t>(is_same_order ? contact.a : contact.b);
    new_bonds_.bonds.push_back(bond);
    new_bonds_.homes.push_back(home < bodies_.particles.owned
                                   ? communicator_.Rank()
                                   : halo_.owner[home - bodies_.particles.owned]);
  }

  const BondRule& RuleAt(std::int32_t rule) const {
    return bodies_.scene.bonds[static_cast<std::size_t>(rule)];
  }
  /// The pose of the touched image of a wall.
  WallPose PoseOf(const DetectedContact& contact) const {
    const WallBody& wall = body_map_.WallOf(contact.b);
    const WallPose& pose = bodies_.walls[static_cast<std::size_t>(wall.wall)];
    return wall.shift.isZero(0.0) ? pose : Shifted(pose, wall.shift);
  }
  Mat3 RotationToBodyAxes(Index body) const {
    const Mat3 rotation =
        RotationMatrix(bodies_.particles.orientation[static_cast<std::size_t>(body)]);
    return rotation.transpose();
  }

  const BondBodies& bodies_;
  const BondTable& existing_;
  const ContactSpan& found_;
  const ContactBodies body_map_;
  const std::span<const std::uint8_t> is_due_;
  const Communicator& communicator_;
  const Halo& halo_;
  const double now_;
  NewBonds new_bonds_;
};

/// Finds the corners of the convex hull, in counterclockwise order about the normal.
std::vector<Vec3> FindHull(std::span<const Vec3> points, const Vec3& normal) {
  Vec3 mean = Vec3::Zero();
  for (const Vec3& x : points) mean += (1.0 / static_cast<double>(points.size())) * x;
  double size = 0.0;
  for (const Vec3& x : points) size = std::max(size, (x - mean).norm());
  std::vector<Vec3> hull;
  const auto is_outside = [&](const Vec3& from, const Vec3& to, const Vec3& x) {
    return (to - from).cross(x - from).dot(normal) < -kMinSide * size * (to - from).norm();
  };
  // A side of the hull has all points on its left.
  std::vector<std::pair<std::size_t, std::size_t>> sides;
  for (std::size_t k = 0; k < points.size(); ++k) {
    for (std::size_t l = 0; l < points.size(); ++l) {
      if ((points[l] - points[k]).norm() <= kMinSide * size) continue;
      const bool is_side = std::ranges::none_of(
          points, [&](const Vec3& x) { return is_outside(points[k], points[l], x); });
      if (is_side) sides.emplace_back(k, l);
    }
  }
  if (sides.size() < 3) return hull;
  std::size_t corner = sides.front().first;
  for (std::size_t k = 0; k < points.size(); ++k) {
    hull.push_back(points[corner]);
    const auto next = std::ranges::find(sides, corner, &std::pair<std::size_t, std::size_t>::first);
    if (next == sides.end()) return {};
    corner = next->second;
    if (corner == sides.front().first) break;
  }
  return hull;
}

/// Finds four points on the boundary of a core between which the largest scaled copy of the core
/// fits. All positions are relative to the centroid, and counterclockwise about the normal.
class FourPoints {
 public:
  /// @param core    its corners
  /// @param fibres  one vector u per corner of the section: a unit force at e gives the stress
  ///                (1 − u⋅e)/S at this corner, which is not negative if e is in the core
  FourPoints(std::span<const Vec3> core, std::span<const Vec3> fibres, const Vec3& normal)
      : core_(core), fibres_(fibres), normal_(normal) {}

  std::array<Vec3, 4> Find() const {
    constexpr int kBisections = 30;
    constexpr double kBetter = 1e-6;  // between equal ones, rounding must not decide
    double scale = 0.0;               // of the copy
    std::array<Vec3, 4> best = {}, points = {};
    const auto fits = [&](const Vec3& start, double larger) {
      if (larger >= 1.0 || !AreAroundCopy(start, larger, points)) return false;
      scale = larger;
      best = points;
      return true;
    };
    for (std::size_t k = 0; k < 2 * core_.size(); ++k) {  // corners and middles of sides
      const Vec3 middle = 0.5 * (core_[k / 2] + core_[(k + 1) / 2 % core_.size()]);
      const Vec3 start = DistanceToBoundary(Vec3::Zero(), middle) * middle;
      if (!fits(start, scale + kBetter)) continue;
      double too_large = 1.0;
      for (int i = 0; i < kBisections; ++i) {
        const double between = 0.5 * (scale + too_large);
        if (!fits(start, between)) too_large = between;
      }
    }
    return best;
  }

 private:
  /// Sets the points: each is where the tangent from the one before to the copy leaves the core.
  /// @returns whether the fourth tangent reaches the first point
  bool AreAroundCopy(Vec3 point, double scale, std::array<Vec3, 4>& points) const {
    double angle = 0.0;
    for (Vec3& corner : points) {
      corner = point;
      Vec3 tangent = scale * core_[0] - corner;
      for (const Vec3& x : core_) {
        const Vec3 direction = scale * x - corner;
        if (tangent.cross(direction).dot(normal_) < 0.0) tangent = direction;
      }
      point = corner + DistanceToBoundary(corner, tangent) * tangent;
      angle += std::atan2(corner.cross(point).dot(normal_), corner.dot(point));
    }
    return angle >= 2.0 * std::numbers::pi;
  }
  /// From a point of the core, in lengths of the direction.
  double DistanceToBoundary(const Vec3& point, const Vec3& direction) const {
    double distance = std::numeric_limits<double>::infinity();
    for (const Vec3& u : fibres_) {
      if (u.dot(direction) <= 0.0) continue;
      distance = std::min(distance, (1.0 - u.dot(point)) / u.dot(direction));
    }
    return distance;
  }

  const std::span<const Vec3> core_, fibres_;
  const Vec3& normal_;
};

/// Replaces the corners of a core by four points. Their fractions are those of a section whose core
/// has these four corners, expressed without this section: the Wachspress coordinates of the
/// centroid (E. L. Wachspress, A Rational Finite Element Basis, 1975).
/// @param fibres  as in FourPoints
void ReduceToFourPoints(std::span<const Vec3> fibres, const Vec3& normal, SectionCore& core) {
  std::vector<Vec3> corners;
  for (const Vec3& corner : core.corners) corners.push_back(corner - core.centre);
  const std::array<Vec3, 4> points = FourPoints(corners, fibres, normal).Find();
  core.corners.clear();
  core.fraction.clear();
  double sum = 0.0;
  for (std::size_t k = 0; k < points.size(); ++k) {
    const Vec3 &before = points[(k + 3) % 4], &x = points[k], &after = points[(k + 1) % 4];
    const double weight = (x - before).cross(after - x).dot(normal) /
                          (before.cross(x).dot(normal) * x.cross(after).dot(normal));
    core.corners.push_back(core.centre + x);
    core.fraction.push_back(weight);
    sum += weight;
  }
  for (double& fraction : core.fraction) fraction /= sum;
}

}  // namespace

SectionCore FindSectionCore(std::span<const Vec3> points, const Vec3& normal) {
  SectionCore core;
  const std::vector<Vec3> hull = FindHull(points, normal);
  if (hull.size() < 3) return core;
  // Sums over triangles from the first corner: ∫ dS, ∫ x dS and ∫ x xᵀ dS.
  const Vec3 origin = hull.front();
  Vec3 first = Vec3::Zero();
  Mat3 second = Mat3::Zero();
  double area = 0.0;
  for (std::size_t k = 1; k + 1 < hull.size(); ++k) {
    const Vec3 p = hull[k] - origin, q = hull[k + 1] - origin;
    const double triangle_area = 0.5 * p.cross(q).dot(normal);
    area += triangle_area;
    first += triangle_area / 3.0 * (p + q);
    second += triangle_area / 12.0 *
              (p * p.transpose() + q * q.transpose() + (p + q) * (p + q).transpose());
  }
  double length = 0.0;
  for (const Vec3& corner : hull) length = std::max(length, (corner - origin).norm());
  if (!(area > kMinSide * length * length)) return core;
  const Vec3 centroid = first / area;
  second -= area * centroid * centroid.transpose();
  core.centre = origin + centroid;
  core.area = area;
  for (std::size_t k = 0; k < hull.size(); ++k) {
    const Vec3 start = hull[k], side = hull[(k + 1) % hull.size()] - start;
    const Vec3 outward = side.cross(normal).normalized();
    const double distance = outward.dot(start - core.centre);
    core.corners.push_back(core.centre - second * outward / (area * distance));
    core.fraction.push_back(0.5 * side.norm() * distance / area);
  }
  if (hull.size() <= kMaxBondPoints) return core;
  const Mat3 invertible = second + second.trace() * normal * normal.transpose();
  const Mat3 to_fibre = -area * invertible.inverse();
  std::vector<Vec3> fibres;
  for (const Vec3& corner : hull) fibres.push_back(to_fibre * (corner - core.centre));
  ReduceToFourPoints(fibres, normal, core);
  return core;
}

NewBonds MakeBonds(const BondBodies& bodies, const BondTable& existing, const ContactSpan& found,
                   std::span<const WallBody> wall_bodies, std::span<const std::uint8_t> is_due,
                   const Communicator& communicator, const Halo& halo, double now) {
  return BondMaker(bodies, existing, found, wall_bodies, is_due, communicator, halo, now).Make();
}

}  // namespace scree
