#include "engine/contacts/bond_contacts.hpp"

#include <algorithm>
#include <cmath>

#include "engine/geometry/quaternion.hpp"

namespace scree {
namespace {

/// A contact of a bond, seen from body a of the bond.
struct BondPoint {
  Vec3 normal;  // to a
  double gap;   // relative to that at birth [m]
  ContactArms arms;
  double radius_a, radius_b;  // [m]
  MemberPair members;
};

class BondGeometry {
 public:
  BondGeometry(const BondBodies& bodies, const BondTable& bonds) : bodies_(bodies), bonds_(bonds) {}

  /// Point k of a bond between two particles.
  BondPoint At(const BondRow& row, std::size_t k) const {
    const Bond& bond = bonds_.At(row.bond);
    const Index first = row.is_swapped ? row.partner : row.i;
    const Index second = row.is_swapped ? row.i : row.partner;
    // As PairDetection::Apart, so that both ranks of the pair have the same bits.
    Vec3 d = PositionOf(row.i) - PositionOf(row.partner);
    const auto j = static_cast<std::size_t>(row.partner);
    if (j >= bodies_.particles.owned) d -= bodies_.ghost_shift[j - bodies_.particles.owned];
    if (row.is_swapped) d = -d;
    return bond.points > 0 ? OfFaces(bond, first, second, d, k) : OfSpheres(bond, first, second, d);
  }

  /// Point k of a bond with a wall.
  /// @param pose  of the touched image
  BondPoint AtWall(const BondRow& row, const WallPose& pose, std::size_t k) const {
    const Bond& bond = bonds_.At(row.bond);
    const Vec3 normal = pose.Turned(bond.normal);
    const Vec3 place = pose.InSpace(bond.on_b[k]);
    const Vec3& x = PositionOf(row.i);
    if (bond.points > 0) {
      const Vec3 arm = RotationOf(row.i) * bond.on_a[k];
      return {normal,
              normal.dot(x + arm - place),
              {arm, Vec3::Zero()},
              kFlatRadius,
              kFlatRadius,
              PointMembers(k)};
    }
    const Member ball = MemberOf(row.i, bond.members.a);
    const double gap = normal.dot(x + ball.centre - place) - ball.radius;
    return {normal,      gap - bond.gap, {ball.centre - (ball.radius + gap) * normal, Vec3::Zero()},
            ball.radius, kFlatRadius,    bond.members};
  }

  /// The shift from a wall to its image that a bond touches [m].
  Vec3 ShiftOf(const BondRow& row, const WallPose& pose) const {
    const Domain& domain = bodies_.scene.domain;
    const Vec3 apart = PositionOf(row.i) - pose.InSpace(bonds_.At(row.bond).on_b[0]);
    Vec3 shift = Vec3::Zero();
    for (int axis = 0; axis < 3; ++axis) {
      const double length = domain.box.Extent()[axis];
      if (!domain.periodic[static_cast<std::size_t>(axis)]) continue;
      shift[axis] = length * std::round(apart[axis] / length);
    }
    return shift;
  }

 private:
  static MemberPair PointMembers(std::size_t k) {
    const auto feature = static_cast<std::uint16_t>(kFirstBondPoint + k);
    return {feature, feature};
  }
  const Vec3& PositionOf(Index i) const {
    return bodies_.particles.position[static_cast<std::size_t>(i)];
  }
  Mat3 RotationOf(Index i) const {
    return RotationMatrix(bodies_.particles.orientation[static_cast<std::size_t>(i)]);
  }
  Member MemberOf(Index i, std::uint16_t member) const {
    if (!bodies_.members.IsEmpty()) return bodies_.members.Of(i, member);
    return {Vec3::Zero(), bodies_.particles.radius[static_cast<std::size_t>(i)]};
  }

  BondPoint OfSpheres(const Bond& bond, Index first, Index second, const Vec3& d) const {
    const Member a = MemberOf(first, bond.members.a), b = MemberOf(second, bond.members.b);
    const Vec3 apart = d + (a.centre - b.centre);
    const double distance = apart.norm();
    const Vec3 normal = distance > 0.0 ? Vec3(apart / distance) : Vec3(Vec3::UnitZ());
    const double gap = distance - (a.radius + b.radius), half = 0.5 * gap;
    return {normal,
            gap - bond.gap,
            {a.centre - (a.radius + half) * normal, b.centre + (b.radius + half) * normal},
            a.radius,
            b.radius,
            bond.members};
  }

  BondPoint OfFaces(const Bond& bond, Index first, Index second, const Vec3& d,
                    std::size_t k) const {
    const Mat3 turned = RotationOf(first);
    const Vec3 on_a = turned * bond.on_a[k], on_b = RotationOf(second) * bond.on_b[k];
    const Vec3 normal = turned * bond.normal;
    return {normal,         normal.dot(d + on_a - on_b), {on_a, on_b}, kFlatRadius, kFlatRadius,
            PointMembers(k)};
  }

  const BondBodies& bodies_;
  const BondTable& bonds_;
};

/// Whether the surfaces of a contact are bonded.
bool IsBonded(const BondTable& bonds, const ContactBodies& numbers, const DetectedContact& contact,
              const BondRow& row) {
  const Bond& bond = bonds.At(row.bond);
  if (numbers.IsWall(contact.b) != (row.partner < 0)) return false;
  if (row.partner >= 0 && contact.b != row.partner) return false;
  if (row.partner < 0) {
    const WallBody& wall = numbers.WallOf(contact.b);
    if (wall.wall != bond.wall) return false;
    if (bond.points == 0 && wall.surface != bond.b.Surface()) return false;
    return bond.points > 0 || contact.members.a == bond.members.a;
  }
  const MemberPair members = row.is_swapped ? bond.members.Swapped() : bond.members;
  return bond.points > 0 || contact.members == members;
}

class BondMerger {
 public:
  BondMerger(const BondBodies& bodies, const BondTable& bonds, std::vector<WallBody>& wall_bodies,
             ContactList& contacts)
      : bodies_(bodies),
        bonds_(bonds),
        geometry_(bodies, bonds),
        wall_bodies_(wall_bodies),
        contacts_(contacts) {}

  void AddPoints(const BondRow& row) {
    const auto i = static_cast<std::size_t>(row.i);
    if (bodies_.particles.id[i] == kRemovedId) return;
    const Bond& bond = bonds_.At(row.bond);
    if (row.partner < 0) return AddPointsOfWall(row);
    if (bodies_.particles.id[static_cast<std::size_t>(row.partner)] == kRemovedId) return;
    for (std::size_t k = 0; k < bond.Contacts(); ++k) {
      BondPoint point = geometry_.At(row, k);
      if (row.is_swapped) {
        point.normal = -point.normal;
        std::swap(point.arms.a, point.arms.b);
        std::swap(point.radius_a, point.radius_b);
        point.members = point.members.Swapped();
      }
      const Index last =
          bodies_.warm_start == nullptr
              ? kNoStoredImpulse
              : bodies_.warm_start->Find(row.i, LocalPartner::Particle(row.partner), KeyOf(point));
      Add(row.i, row.partner, point, last);
    }
  }

  void Add(const ContactSpan& found, std::size_t j) {
    if (found.geometry.empty()) return contacts_.Add(found[j]);
    contacts_.Add(found[j], found.geometry[j]);
  }

 private:
  /// The members by which impulses are stored: spheres have none.
  MemberPair KeyOf(const BondPoint& point) const {
    return bodies_.members.IsEmpty() ? MemberPair{} : point.members;
  }

  void AddPointsOfWall(const BondRow& row) {
    const Bond& bond = bonds_.At(row.bond);
    const auto w = static_cast<std::size_t>(bond.wall);
    if (!bodies_.walls[w].is_there) return;
    const Vec3 shift = geometry_.ShiftOf(row, bodies_.walls[w]);
    const WallPose pose = shift.isZero(0.0) ? bodies_.walls[w] : Shifted(bodies_.walls[w], shift);
    const Vec3& x = bodies_.particles.position[static_cast<std::size_t>(row.i)];
    for (std::size_t k = 0; k < bond.Contacts(); ++k) {
      const BondPoint point = geometry_.AtWall(row, pose, k);
      const Vec3 place = x + point.arms.a;
      const auto body = static_cast<Index>(bodies_.particles.Size() + wall_bodies_.size());
      WallBody& patch = wall_bodies_.emplace_back();
      patch = {bond.wall, bond.b.Surface(), pose.SurfaceVelocity(place), pose.ChangeOfCarried(x)};
      patch.shift = shift;
      if (pose.IsBelt()) patch.velocity += pose.AlongSurface(point.normal);
      if (pose.IsFree()) {
        patch.push = pose.Push(place);
        patch.free = pose.FreeVelocity(place);
        patch.place = place - pose.tree_shift;
      }
      MemberPair key = KeyOf(point);
      key.b = 0;
      const Index last =
          bodies_.warm_start == nullptr
              ? kNoStoredImpulse
              : bodies_.warm_start->FindSurface(row.i, bond.b.Surface(), key, point.normal);
      Add(row.i, body, point, last);
    }
  }

  void Add(Index i, Index b, const BondPoint& point, Index last) {
    MemberPair members = KeyOf(point);
    if (static_cast<std::size_t>(b) >= bodies_.particles.Size()) members.b = 0;
    const DetectedContact contact = {point.normal, point.gap, i, b, members, last};
    if (bodies_.members.IsEmpty()) return contacts_.Add(contact);
    contacts_.Add(contact, {point.arms, point.radius_a, point.radius_b});
  }

  const BondBodies& bodies_;
  const BondTable& bonds_;
  const BondGeometry geometry_;
  std::vector<WallBody>& wall_bodies_;
  ContactList& contacts_;
};

}  // namespace

void MergeBondContacts(const BondBodies& bodies, const BondTable& bonds, const ContactList& found,
                       std::vector<WallBody>& wall_bodies, ContactList& contacts) {
  const ContactSpan all = found.All();
  BondMerger merger(bodies, bonds, wall_bodies, contacts);
  const std::span<const BondRow> rows = bonds.Rows();
  auto row = rows.begin();
  std::size_t j = 0;
  const auto add_found = [&](Index end) {  // of particles before this one
    for (; j < all.size() && all[j].a < end; ++j) merger.Add(all, j);
  };
  while (row != rows.end()) {
    const Index i = row->i;
    const auto first = row;
    while (row != rows.end() && row->i == i) ++row;
    add_found(i);
    for (; j < all.size() && all[j].a == i; ++j) {
      const ContactBodies numbers(bodies.particles, wall_bodies);
      const bool is_bonded = std::any_of(
          first, row, [&](const BondRow& one) { return IsBonded(bonds, numbers, all[j], one); });
      if (!is_bonded) merger.Add(all, j);
    }
    std::for_each(first, row, [&](const BondRow& one) { merger.AddPoints(one); });
  }
  add_found(static_cast<Index>(bodies.particles.owned));
}

void FindBondContacts(const BondBodies& bodies, const BondTable& bonds,
                      std::span<const WallBody> wall_bodies, std::span<const DetectedContact> owned,
                      std::span<const DetectedContact> ghosts, std::vector<BondContact>& found) {
  found.clear();
  const ContactBodies numbers(bodies.particles, wall_bodies);
  const auto add = [&](const DetectedContact& contact, std::size_t j) {
    const bool is_point = contact.members.a >= kFirstBondPoint;
    for (const BondRow& row : bonds.RowsOf(contact.a)) {
      if (!IsBonded(bonds, numbers, contact, row)) continue;
      if (is_point != (bonds.At(row.bond).points > 0)) continue;
      const std::uint32_t point = is_point ? contact.members.a - kFirstBondPoint : 0u;
      found.push_back({static_cast<std::uint32_t>(j), row.bond, point});
      return;
    }
  };
  for (std::size_t j = 0; j < owned.size(); ++j) add(owned[j], j);
  for (std::size_t j = 0; j < ghosts.size(); ++j) add(ghosts[j], owned.size() + j);
}

}  // namespace scree
