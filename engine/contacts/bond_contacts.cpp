#include "engine/contacts/bond_contacts.hpp"

#include <algorithm>
#include <cmath>

#include "engine/contacts/ghost_contacts.hpp"
#include "engine/geometry/quaternion.hpp"

namespace scree {
namespace {

/// A contact of a bond.
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

  /// Point k of a bond between two particles, seen from particle i of the row.
  BondPoint At(const BondRow& row, std::size_t k) const {
    return row.is_anchored ? OfFaces(row, SeparationOf(row), k) : OfMembers(row, SeparationOf(row));
  }

  /// The contact of a bond between two particles in a scene of spheres.
  DetectedContact OfSpheres(const BondRow& row, Index last) const {
    const Vec3 d = SeparationOf(row);
    const double distance = d.norm();
    const double touch = bodies_.particles.radius[static_cast<std::size_t>(row.i)] +
                         bodies_.particles.radius[static_cast<std::size_t>(row.partner)];
    return {NormalOf(row, d, distance), distance - touch - row.gap, row.i, row.partner, {}, last};
  }

  /// Point k of a bond with a wall, seen from the particle.
  /// @param pose  of the touched image
  BondPoint AtWall(const BondRow& row, const WallPose& pose, std::size_t k) const {
    const Bond& bond = bonds_.At(row.bond);
    const Vec3 normal = pose.DirectionInSpace(bond.normal);
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
    if (!bodies_.members.IsEmpty()) return bodies_.members.MemberOf(i, member);
    return {Vec3::Zero(), bodies_.particles.radius[static_cast<std::size_t>(i)]};
  }

  /// From the partner to particle i. As PairDetection::SeparationOf, so that both ranks have
  /// the same bits.
  Vec3 SeparationOf(const BondRow& row) const {
    Vec3 d = PositionOf(row.i) - PositionOf(row.partner);
    const auto j = static_cast<std::size_t>(row.partner);
    if (j >= bodies_.particles.owned) d -= bodies_.ghost_shift[j - bodies_.particles.owned];
    return d;
  }
  static Vec3 NormalOf(const BondRow& row, const Vec3& apart, double distance) {
    if (distance > 0.0) return apart / distance;
    return (row.is_swapped ? -1.0 : 1.0) * Vec3::UnitZ();
  }

  BondPoint OfMembers(const BondRow& row, const Vec3& d) const {
    const Member a = MemberOf(row.i, row.members.a), b = MemberOf(row.partner, row.members.b);
    const Vec3 apart = d + (a.centre - b.centre);
    const double distance = apart.norm();
    const Vec3 normal = NormalOf(row, apart, distance);
    const double gap = distance - (a.radius + b.radius), half = 0.5 * gap;
    return {normal,
            gap - row.gap,
            {a.centre - (a.radius + half) * normal, b.centre + (b.radius + half) * normal},
            a.radius,
            b.radius,
            row.members};
  }

  BondPoint OfFaces(const BondRow& row, const Vec3& d, std::size_t k) const {
    const Bond& bond = bonds_.At(row.bond);
    const Mat3 turned = RotationOf(row.is_swapped ? row.partner : row.i);
    const Mat3 turned_b = RotationOf(row.is_swapped ? row.i : row.partner);
    const Vec3 on_a = turned * bond.on_a[k], on_b = turned_b * bond.on_b[k];
    const Vec3 normal = turned * bond.normal;
    BondPoint point = {normal,       normal.dot((row.is_swapped ? Vec3(-d) : d) + on_a - on_b),
                       {on_a, on_b}, kFlatRadius,
                       kFlatRadius,  PointMembers(k)};
    if (row.is_swapped) {
      point.normal = -normal;
      point.arms = {on_b, on_a};
    }
    return point;
  }

  const BondBodies& bodies_;
  const BondTable& bonds_;
};

/// Whether the surfaces of a contact are bonded.
bool IsBonded(const BondTable& bonds, const ContactBodies& numbers, const DetectedContact& contact,
              const BondRow& row) {
  if (row.partner >= 0) {
    return contact.b == row.partner && (row.is_anchored || contact.members == row.members);
  }
  if (!numbers.IsWall(contact.b)) return false;
  const Bond& bond = bonds.At(row.bond);
  const WallBody& wall = numbers.WallOf(contact.b);
  if (wall.wall != bond.wall) return false;
  if (bond.points == 0 && wall.surface != bond.b.Surface()) return false;
  return bond.points > 0 || contact.members.a == bond.members.a;
}

class BondMerger {
 public:
  BondMerger(const BondBodies& bodies, const BondTable& bonds, std::vector<WallBody>& wall_bodies,
             const MergedContacts& contacts, std::vector<BondContact>& bonded)
      : bodies_(bodies),
        bonds_(bonds),
        geometry_(bodies, bonds),
        wall_bodies_(wall_bodies),
        contacts_(contacts),
        bonded_(bonded) {
    bonded.clear();
  }

  /// Adds contacts j .. end - 1 of the narrow phase.
  void AddFound(const ContactSpan& found, std::size_t j, std::size_t end) {
    for (; j < end; ++j) AddFound(found, j);
  }

  /// Adds the contacts of a particle with bonds.
  /// @param found  of the narrow phase
  void AddOfParticle(std::span<const BondRow> rows, const ContactSpan& found) {
    stored_.assign(rows.size(), kUnknown);
    const ContactBodies numbers(bodies_.particles, wall_bodies_);
    for (std::size_t j = 0; j < found.size(); ++j) {
      const auto row = std::ranges::find_if(rows, [&](const BondRow& one) {
        return Replaces(one) && IsBonded(bonds_, numbers, found[j], one);
      });
      if (row == rows.end()) {
        AddFound(found, j);
      } else {
        stored_[static_cast<std::size_t>(row - rows.begin())] = found[j].stored_entry;
      }
    }
    for (std::size_t k = 0; k < rows.size(); ++k) AddPoints(rows[k], stored_[k]);
  }

  /// Completes the numbers of the contacts of bonds.
  void Finish() {
    const auto shared = static_cast<std::uint32_t>(contacts_.owned.SharedCount());
    const auto others = static_cast<std::uint32_t>(contacts_.owned.size());
    for (BondContact& one : bonded_) one.contact += shared;
    for (BondContact& one : of_ghosts_) one.contact += shared + others;
    bonded_.insert(bonded_.begin(), of_shared_.begin(), of_shared_.end());
    bonded_.insert(bonded_.end(), of_ghosts_.begin(), of_ghosts_.end());
  }

 private:
  /// Whether the contacts of a bond replace those of the surfaces. Faces with a damage bond turn on
  /// each other, and touch at their corners.
  bool Replaces(const BondRow& row) const {
    return !row.is_anchored || bodies_.scene.bonds[static_cast<std::size_t>(row.rule)].IsBrittle();
  }

  static constexpr Index kUnknown = kNoStoredImpulse - 1;

  void AddFound(const ContactSpan& found, std::size_t j) {
    Add(found[j], found.geometry.empty() ? nullptr : &found.geometry[j]);
  }

  /// @param stored  entry of WarmStart that the narrow phase found, or kUnknown
  void AddPoints(const BondRow& row, Index stored) {
    const auto i = static_cast<std::size_t>(row.i);
    if (bodies_.particles.id[i] == kRemovedId) return;
    if (row.partner < 0) return AddPointsOfWall(row);
    if (bodies_.particles.id[static_cast<std::size_t>(row.partner)] == kRemovedId) return;
    const auto find = [&](MemberPair members) {
      if (bodies_.warm_start == nullptr) return kNoStoredImpulse;
      if (!row.is_anchored && stored != kUnknown) return stored;
      return bodies_.warm_start->Find(row.i, LocalPartner::Particle(row.partner), members);
    };
    if (bodies_.members.IsEmpty()) {
      return Record(row, 0, Add(geometry_.OfSpheres(row, find({})), nullptr));
    }
    const std::size_t count = row.is_anchored ? bonds_.At(row.bond).Contacts() : 1;
    for (std::size_t k = 0; k < count; ++k) {
      const BondPoint point = geometry_.At(row, k);
      AddPoint(row, row.partner, point, k, find(point.members));
    }
  }

  /// The members by which impulses are stored: spheres have none.
  MemberPair KeyOf(const BondPoint& point) const {
    return bodies_.members.IsEmpty() ? MemberPair{} : point.members;
  }

  void AddPointsOfWall(const BondRow& row) {
    const Bond& bond = bonds_.At(row.bond);
    const auto w = static_cast<std::size_t>(bond.wall);
    if (!bodies_.walls[w].is_present) return;
    const Vec3 shift = geometry_.ShiftOf(row, bodies_.walls[w]);
    const WallPose pose = shift.isZero(0.0) ? bodies_.walls[w] : Shifted(bodies_.walls[w], shift);
    const Vec3& x = bodies_.particles.position[static_cast<std::size_t>(row.i)];
    for (std::size_t k = 0; k < bond.Contacts(); ++k) {
      const BondPoint point = geometry_.AtWall(row, pose, k);
      const Vec3 place = x + point.arms.a;
      const auto body = static_cast<Index>(bodies_.particles.Size() + wall_bodies_.size());
      WallBody& patch = wall_bodies_.emplace_back();
      patch = {bond.wall, bond.b.Surface(), pose.SurfaceVelocity(place),
               pose.CarriedVelocityChange(x)};
      patch.shift = shift;
      if (pose.IsBelt()) patch.velocity += pose.BeltVelocityAt(point.normal);
      if (pose.IsFree()) {
        patch.kick = pose.KickAt(place);
        patch.free_velocity = pose.FreeVelocity(place);
        patch.contact_point = place - pose.tree_shift;
      }
      MemberPair key = KeyOf(point);
      key.b = 0;
      const Index last =
          bodies_.warm_start == nullptr
              ? kNoStoredImpulse
              : bodies_.warm_start->FindSurface(row.i, bond.b.Surface(), key, point.normal);
      AddPoint(row, body, point, k, last);
    }
  }

  void AddPoint(const BondRow& row, Index b, const BondPoint& point, std::size_t k, Index last) {
    MemberPair members = KeyOf(point);
    if (static_cast<std::size_t>(b) >= bodies_.particles.Size()) members.b = 0;
    const DetectedContact contact = {point.normal, point.gap, row.i, b, members, last};
    const ContactGeometry geometry = {point.arms, point.radius_a, point.radius_b};
    Record(row, k, Add(contact, bodies_.members.IsEmpty() ? nullptr : &geometry));
  }

  /// The list for a contact if it is of a bond, and the number of the contact there.
  struct Added {
    std::vector<BondContact>* list;
    std::uint32_t number;
  };
  void Record(const BondRow& row, std::size_t k, const Added& added) {
    const auto index = static_cast<std::uint32_t>(&row - bonds_.Rows().data());
    added.list->push_back({added.number, row.bond, static_cast<std::uint32_t>(k), index});
  }
  /// @param geometry  null: of spheres
  Added Add(const DetectedContact& contact, const ContactGeometry* geometry) {
    const bool is_ghost =
        contacts_.ghosts != nullptr &&
        IsGhostContact(contacts_.rank, bodies_.particles, contacts_.halo, contact);
    ContactList& list = is_ghost ? *contacts_.ghosts : contacts_.owned;
    const bool is_shared = geometry == nullptr ? list.Add(contact) : list.Add(contact, *geometry);
    const std::size_t count = is_shared ? list.SharedCount() : list.size();
    return {is_shared  ? &of_shared_
            : is_ghost ? &of_ghosts_
                       : &bonded_,
            static_cast<std::uint32_t>(count - 1)};
  }

  const BondBodies& bodies_;
  const BondTable& bonds_;
  const BondGeometry geometry_;
  std::vector<WallBody>& wall_bodies_;
  const MergedContacts& contacts_;
  std::vector<BondContact>& bonded_;
  std::vector<BondContact> of_shared_, of_ghosts_;
  std::vector<Index> stored_;  // of each row of a particle
};

}  // namespace

void MergeBondContacts(const BondBodies& bodies, const BondTable& bonds, const ContactList& found,
                       std::vector<WallBody>& wall_bodies, const MergedContacts& contacts,
                       std::vector<BondContact>& bonded) {
  const ContactSpan all = found.All();
  BondMerger merger(bodies, bonds, wall_bodies, contacts, bonded);
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
    merger.AddOfParticle(rows.subspan(first_row, row - first_row), all.Subspan(first, j - first));
  }
  merger.AddFound(all, j, all.size());
  merger.Finish();
}

}  // namespace scree
