#include "engine/contacts/bond_contacts.hpp"

#include <algorithm>
#include <cmath>

#include "engine/contacts/bonded_surface.hpp"
#include "engine/contacts/ghost_contacts.hpp"
#include "engine/geometry/quaternion.hpp"

namespace scree {
namespace {

/// Geometry of the contact at one point of a bond.
struct BondPoint {
  Vec3 normal;  // towards a
  double gap;   // relative to the gap at birth [m]
  ContactArms arms;
  double radius_a, radius_b;  // [m]
  MemberPair members;
  Vec3 displacement;  // as in BondContact
};

class BondGeometry {
 public:
  BondGeometry(const BondBodies& bodies, const BondTable& bonds) : bodies_(bodies), bonds_(bonds) {}

  /// Point k of a bond between two particles, seen from particle i of the row.
  BondPoint PointAt(const BondRow& row, std::size_t k) const {
    return row.is_anchored ? FacePoint(row, SeparationOf(row), k)
                           : MemberPoint(row, SeparationOf(row));
  }

  /// The contact of a bond between two particles in a scene of spheres.
  DetectedContact SphereContact(const BondRow& row, Index stored_entry) const {
    const Vec3 d = SeparationOf(row);
    const double distance = d.norm();
    const double radii_sum = bodies_.particles.radius[static_cast<std::size_t>(row.i)] +
                             bodies_.particles.radius[static_cast<std::size_t>(row.partner)];
    return {NormalOf(row, d, distance),
            distance - radii_sum - row.gap,
            row.i,
            row.partner,
            {},
            stored_entry};
  }

  /// Point k of a bond of faces with a wall, seen from the particle.
  /// @param pose  of the touched image
  BondPoint WallFacePoint(const BondRow& row, const WallPose& pose, std::size_t k) const {
    const Bond& bond = bonds_.At(row.bond);
    const Vec3 normal = pose.DirectionInSpace(bond.normal);
    const Vec3 arm = RotationOf(row.i) * bond.on_a[k];
    const Vec3 displacement = PositionOf(row.i) + arm - pose.InSpace(bond.on_b[k]);
    return {normal,      normal.dot(displacement), {arm, Vec3::Zero()}, kFlatRadius,
            kFlatRadius, PointMembers(k),          displacement};
  }

  /// The point of the bond of a sphere with a wall.
  BondPoint WallPoint(const BondRow& row, const SurfacePoint& nearest) const {
    const Bond& bond = bonds_.At(row.bond);
    const Member member = BondedMember(bodies_, row.i, bond.members.a);
    const Vec3& normal = nearest.normal;
    const double gap = nearest.distance - member.radius;
    return {normal,
            gap - bond.gap,
            {member.centre - (member.radius + gap) * normal, Vec3::Zero()},
            member.radius,
            kFlatRadius,
            bond.members,
            (gap - bond.gap) * normal};
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

  /// As PairDetection::SeparationOf, so that both ranks get the same bits.
  Vec3 SeparationOf(const BondRow& row) const {
    Vec3 d = PositionOf(row.i) - PositionOf(row.partner);
    const auto j = static_cast<std::size_t>(row.partner);
    if (j >= bodies_.particles.owned) d -= bodies_.ghost_shift[j - bodies_.particles.owned];
    return d;
  }
  static Vec3 NormalOf(const BondRow& row, const Vec3& separation, double distance) {
    if (distance > 0.0) return separation / distance;
    return (row.is_swapped ? -1.0 : 1.0) * Vec3::UnitZ();
  }

  BondPoint MemberPoint(const BondRow& row, const Vec3& d) const {
    const Member a = BondedMember(bodies_, row.i, row.members.a);
    const Member b = BondedMember(bodies_, row.partner, row.members.b);
    const Vec3 separation = d + (a.centre - b.centre);
    const double distance = separation.norm();
    const Vec3 normal = NormalOf(row, separation, distance);
    const double gap = distance - (a.radius + b.radius), half = 0.5 * gap;
    return {normal,
            gap - row.gap,
            {a.centre - (a.radius + half) * normal, b.centre + (b.radius + half) * normal},
            a.radius,
            b.radius,
            row.members,
            (gap - row.gap) * normal};
  }

  /// The impulse acts midway between the two anchored points, so that it gives no net angular
  /// momentum.
  BondPoint FacePoint(const BondRow& row, const Vec3& d, std::size_t k) const {
    const Bond& bond = bonds_.At(row.bond);
    const Mat3 rotation_a = RotationOf(row.is_swapped ? row.partner : row.i);
    const Mat3 rotation_b = RotationOf(row.is_swapped ? row.i : row.partner);
    const Vec3 on_a = rotation_a * bond.on_a[k], on_b = rotation_b * bond.on_b[k];
    const Vec3 normal = rotation_a * bond.normal;
    const Vec3 displacement = (row.is_swapped ? Vec3(-d) : d) + on_a - on_b;
    const double gap = normal.dot(displacement);
    const Vec3 arm_a = on_a - 0.5 * displacement, arm_b = on_b + 0.5 * displacement;
    if (row.is_swapped) {
      return {-normal,         gap,          {arm_b, arm_a}, kFlatRadius, kFlatRadius,
              PointMembers(k), -displacement};
    }
    return {normal, gap, {arm_a, arm_b}, kFlatRadius, kFlatRadius, PointMembers(k), displacement};
  }

  const BondBodies& bodies_;
  const BondTable& bonds_;
};

/// Whether a bond joins the two surfaces of a contact.
/// @param on_wall  where the bond holds a sphere to a wall
bool IsBonded(const BondTable& bonds, const ContactBodies& body_map,
              std::span<const WallPose> walls, const DetectedContact& contact, const BondRow& row,
              const BondedPoint& on_wall) {
  if (row.partner >= 0) {
    return contact.b == row.partner && (row.is_anchored || contact.members == row.members);
  }
  if (!body_map.IsWall(contact.b)) return false;
  const Bond& bond = bonds.At(row.bond);
  const WallBody& wall = body_map.WallOf(contact.b);
  if (wall.wall != bond.wall) return false;
  if (bond.point_count > 0)
    return IsOnBondedFace(bond, walls[static_cast<std::size_t>(wall.wall)], contact.normal);
  return wall.surface == on_wall.piece && contact.members.a == bond.members.a &&
         contact.normal.dot(on_wall.nearest.normal) > kSameFace;
}

class BondMerger {
 public:
  BondMerger(const BondBodies& bodies, BondTable& bonds, std::vector<WallBody>& wall_bodies,
             const MergedContacts& contacts, std::vector<BondContact>& bond_contacts)
      : bodies_(bodies),
        bonds_(bonds),
        geometry_(bodies, bonds),
        wall_bodies_(wall_bodies),
        contacts_(contacts),
        bond_contacts_(bond_contacts) {
    bond_contacts.clear();
  }

  /// Adds contacts j .. end - 1 of the narrow phase.
  void AddFound(const ContactSpan& found, std::size_t j, std::size_t end) {
    for (; j < end; ++j) AddFound(found, j);
  }

  /// Adds the contacts of one particle that has bonds.
  /// @param found  its contacts of the narrow phase
  void AddContactsOf(std::span<const BondRow> rows, const ContactSpan& found) {
    FindPlaces(rows);
    const ContactBodies body_map(bodies_.particles, wall_bodies_);
    for (std::size_t j = 0; j < found.size(); ++j) {
      std::size_t k = 0;
      while (k < rows.size() &&
             !(ReplacesContacts(rows[k]) &&
               IsBonded(bonds_, body_map, bodies_.walls, found[j], rows[k], places_[k].on_wall))) {
        ++k;
      }
      if (k == rows.size()) {
        AddFound(found, j);
      } else {
        places_[k].stored = found[j].stored_entry;
      }
    }
    for (std::size_t k = 0; k < rows.size(); ++k) AddPoints(rows[k], places_[k]);
  }

  /// Completes the contact indices. Shared contacts come first, then other owned contacts, then
  /// ghosts.
  void Finish() {
    const auto shared = static_cast<std::uint32_t>(contacts_.owned.SharedCount());
    const auto others = static_cast<std::uint32_t>(contacts_.owned.size());
    for (BondContact& entry : bond_contacts_) entry.contact += shared;
    for (BondContact& entry : ghost_bond_contacts_) entry.contact += shared + others;
    bond_contacts_.insert(bond_contacts_.begin(), shared_bond_contacts_.begin(),
                          shared_bond_contacts_.end());
    bond_contacts_.insert(bond_contacts_.end(), ghost_bond_contacts_.begin(),
                          ghost_bond_contacts_.end());
  }

 private:
  /// Whether the contacts of a bond replace those of the surfaces. Faces with a damage bond keep
  /// their own contacts, because they rotate against each other and touch at their corners.
  bool ReplacesContacts(const BondRow& row) const {
    return !row.is_anchored || bodies_.scene.bonds[static_cast<std::size_t>(row.rule)].IsBrittle();
  }

  static constexpr Index kUnknown = kNoStoredImpulse - 1;

  /// What is known of a bond before its contacts are added.
  struct Place {
    Index stored = kUnknown;  // entry of WarmStart that the narrow phase found
    BondedPoint on_wall;      // of a sphere bonded to a wall
  };
  void FindPlaces(std::span<const BondRow> rows) {
    places_.assign(rows.size(), {});
    for (std::size_t k = 0; k < rows.size(); ++k) {
      if (rows[k].partner >= 0 || rows[k].is_anchored || IsGone(rows[k])) continue;
      places_[k].on_wall = FindBondedPoint(bodies_, bonds_.At(rows[k].bond), rows[k].i);
    }
  }
  /// Whether a body of a bond has been removed, or its wall has.
  bool IsGone(const BondRow& row) const {
    const auto is_removed = [&](Index i) {
      return bodies_.particles.id[static_cast<std::size_t>(i)] == kRemovedId;
    };
    if (is_removed(row.i)) return true;
    if (row.partner >= 0) return is_removed(row.partner);
    return !bodies_.walls[static_cast<std::size_t>(bonds_.At(row.bond).wall)].is_present;
  }

  void AddFound(const ContactSpan& found, std::size_t j) {
    Add(found[j], found.geometry.empty() ? nullptr : &found.geometry[j]);
  }

  void AddPoints(const BondRow& row, const Place& place) {
    if (IsGone(row)) return;
    if (row.partner < 0) return AddWallPoints(row, place.on_wall);
    const auto find_entry = [&](MemberPair members) {
      if (bodies_.warm_start == nullptr) return kNoStoredImpulse;
      if (!row.is_anchored && place.stored != kUnknown) return place.stored;
      return bodies_.warm_start->Find(row.i, LocalPartner::Particle(row.partner), members);
    };
    if (bodies_.members.IsEmpty()) {
      const DetectedContact contact = geometry_.SphereContact(row, find_entry({}));
      return Record(row, 0, contact.gap * contact.normal, Add(contact, nullptr));
    }
    const std::size_t count = row.is_anchored ? bonds_.At(row.bond).ContactCount() : 1;
    for (std::size_t k = 0; k < count; ++k) {
      const BondPoint point = geometry_.PointAt(row, k);
      AddPoint(row, row.partner, point, k, find_entry(point.members));
    }
  }

  /// The members that identify the stored impulse of a point; spheres have none.
  MemberPair KeyOf(const BondPoint& point) const {
    return bodies_.members.IsEmpty() ? MemberPair{} : point.members;
  }

  void AddWallPoints(const BondRow& row, const BondedPoint& on_wall) {
    const Bond& bond = bonds_.At(row.bond);
    const Vec3 shift = row.is_anchored ? ShiftToTouchedImage(bodies_, bond, row.i) : on_wall.shift;
    const WallPose pose = PoseOfImage(bodies_, bond.wall, shift);
    const Vec3& x = bodies_.particles.position[static_cast<std::size_t>(row.i)];
    for (std::size_t k = 0; k < bond.ContactCount(); ++k) {
      const BondPoint point = row.is_anchored ? geometry_.WallFacePoint(row, pose, k)
                                              : geometry_.WallPoint(row, on_wall.nearest);
      const Vec3 position = x + point.arms.a;
      const auto body = static_cast<Index>(bodies_.particles.Size() + wall_bodies_.size());
      WallBody& patch = wall_bodies_.emplace_back();
      patch = {bond.wall, bond.b.Surface(), pose.SurfaceVelocity(position),
               pose.CarriedVelocityChange(x)};
      patch.shift = shift;
      if (pose.IsBelt()) patch.velocity += pose.BeltVelocityAt(point.normal);
      if (pose.IsFree()) {
        patch.kick = pose.KickAt(position);
        patch.free_velocity = pose.FreeVelocity(position);
        patch.contact_point = position - pose.tree_shift;
      }
      MemberPair key = KeyOf(point);
      key.b = 0;
      const Index stored_entry =
          bodies_.warm_start == nullptr
              ? kNoStoredImpulse
              : bodies_.warm_start->FindSurface(row.i, bond.b.Surface(), key, point.normal);
      AddPoint(row, body, point, k, stored_entry);
      if (!row.is_anchored && !IsBondedToPlane(bodies_, bond)) {
        bonds_.MoveOnWall(row.bond, pose.InShape(position) - bond.on_b[0]);
      }
    }
  }

  void AddPoint(const BondRow& row, Index b, const BondPoint& point, std::size_t k,
                Index stored_entry) {
    MemberPair members = KeyOf(point);
    if (static_cast<std::size_t>(b) >= bodies_.particles.Size()) members.b = 0;
    const DetectedContact contact = {point.normal, point.gap, row.i, b, members, stored_entry};
    const ContactGeometry geometry = {point.arms, point.radius_a, point.radius_b};
    Record(row, k, point.displacement,
           Add(contact, bodies_.members.IsEmpty() ? nullptr : &geometry));
  }

  struct AddedContact {
    std::vector<BondContact>* list;  // bond contacts of the same kind: shared, ghost or other
    std::uint32_t number;            // index among the contacts of this kind
  };
  void Record(const BondRow& row, std::size_t k, const Vec3& displacement,
              const AddedContact& added) {
    const auto index = static_cast<std::uint32_t>(&row - bonds_.Rows().data());
    added.list->push_back(
        {added.number, row.bond, static_cast<std::uint32_t>(k), index, displacement});
  }
  /// @param geometry  null: the bodies are spheres
  AddedContact Add(const DetectedContact& contact, const ContactGeometry* geometry) {
    const bool is_ghost =
        contacts_.ghosts != nullptr &&
        IsGhostContact(contacts_.rank, bodies_.particles, contacts_.halo, contact);
    ContactList& list = is_ghost ? *contacts_.ghosts : contacts_.owned;
    const bool is_shared = geometry == nullptr ? list.Add(contact) : list.Add(contact, *geometry);
    const std::size_t count = is_shared ? list.SharedCount() : list.size();
    return {is_shared  ? &shared_bond_contacts_
            : is_ghost ? &ghost_bond_contacts_
                       : &bond_contacts_,
            static_cast<std::uint32_t>(count - 1)};
  }

  const BondBodies& bodies_;
  BondTable& bonds_;
  const BondGeometry geometry_;
  std::vector<WallBody>& wall_bodies_;
  const MergedContacts& contacts_;
  std::vector<BondContact>& bond_contacts_;
  std::vector<BondContact> shared_bond_contacts_, ghost_bond_contacts_;
  std::vector<Place> places_;  // one per row of the current particle
};

}  // namespace

void MergeBondContacts(const BondBodies& bodies, BondTable& bonds, const ContactList& found,
                       std::vector<WallBody>& wall_bodies, const MergedContacts& contacts,
                       std::vector<BondContact>& bond_contacts) {
  const ContactSpan all = found.All();
  BondMerger merger(bodies, bonds, wall_bodies, contacts, bond_contacts);
  const std::span<const BondRow> rows = bonds.Rows();
  std::size_t j = 0;
  for (std::size_t row = 0; row < rows.size();) {
    const Index i = rows[row].i;
    const std::size_t first_row = row, before = j;
    while (row < rows.size() && rows[row].i == i) ++row;
    while (j < all.size() && all[j].a < i) ++j;
    merger.AddFound(all, before, j);
    const std::size_t first = j;
    while (j < all.size() && all[j].a == i) ++j;
    merger.AddContactsOf(rows.subspan(first_row, row - first_row), all.Subspan(first, j - first));
  }
  merger.AddFound(all, j, all.size());
  merger.Finish();
}

}  // namespace scree
