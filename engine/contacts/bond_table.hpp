/// \file  The bonds of a rank: state of the engine, which migrates with the particles.
///
/// The home of a bond is the owner of its particle a. If another rank owns particle b, that
/// rank keeps a copy, the guest, until the lists are rebuilt, because it may have to solve the
/// contact. The rank that solves the contact reports a break to the home.
///
/// A bond of two spheres acts at one point between their centres, a bond of a sphere with a wall at
/// the nearest point of the wall (bonded_surface.hpp). A bond of two faces acts at up to four
/// points, which are anchored in the axes of both bodies (bond_birth.hpp).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "engine/contacts/contact_partner.hpp"
#include "engine/contacts/detected_contact.hpp"
#include "engine/particles/particles.hpp"
#include "engine/ranks/communicator.hpp"
#include "engine/ranks/halo.hpp"
#include "engine/ranks/migration.hpp"
#include "engine/scene/bond.hpp"

namespace scree {

enum class BondState : std::int32_t { kIntact = 0, kBrokenByTension = 1, kBrokenByShear = 2 };

inline constexpr std::size_t kMaxBondPoints = 4;  // maximum number of anchored points
/// A contact at point k of an anchored bond has kFirstBondPoint + k as both members.
inline constexpr std::uint16_t kFirstBondPoint = 65532;

/// A bond as stored and sent, byte by byte: it has no padding.
struct Bond {
  ParticleId a = 0;       // the lower id, if b is a particle too
  GlobalPartner b;        // a particle or a piece of a wall's surface
  double area = 0.0;      // S [m²]
  double strength = 1.0;  // factor of the tensile and the shear strength of the rule [-]
  double gap = 0.0;       // at birth; unused if anchored [m]
  double born = 0.0;      // [s]
  double broken = -1.0;   // time of the break; < 0: the bond is intact [s]
  std::int32_t rule = 0;  // row of Scene::bonds
  BondState state = BondState::kIntact;
  MemberPair members = {};       // the touching members; unused if anchored
  Index wall = -1;               // row of Scene::walls; −1: b is a particle
  std::int64_t point_count = 0;  // anchored points; 0: the bond is between two members
  // Unit vector from b to a at birth, in the axes of a; if b is a wall, in the axes of its shape at
  // time zero.
  Vec3 normal = Vec3::Zero();
  // The anchored points relative to the centre of each body, in its axes; on a wall in the
  // coordinates of its shape. A bond of a sphere with a wall has its last point in on_b[0] [m].
  std::array<Vec3, kMaxBondPoints> on_a = {Vec3::Zero(), Vec3::Zero(), Vec3::Zero(), Vec3::Zero()};
  std::array<Vec3, kMaxBondPoints> on_b = {Vec3::Zero(), Vec3::Zero(), Vec3::Zero(), Vec3::Zero()};
  std::array<double, kMaxBondPoints> area_fraction = {};  // at each point
  // State of a damage bond at each point: the intact fraction β (< 0: the point broke at −β), and
  // the stored energy [J].
  std::array<double, kMaxBondPoints> intact_fraction = {1.0, 1.0, 1.0, 1.0};
  std::array<double, kMaxBondPoints> stored_energy = {};
  // Tangential displacement of a relative to b since the birth of a damage bond; unused if the bond
  // is anchored [m].
  Vec3 slip = Vec3::Zero();

  /// Fraction of the area at point k.
  double AreaFraction(std::size_t k) const { return point_count == 0 ? 1.0 : area_fraction[k]; }
  /// Mean of 1 − β over the area [-].
  double Damage() const {
    double damage = 0.0;
    for (std::size_t k = 0; k < ContactCount(); ++k) {
      damage += AreaFraction(k) * (1.0 - std::max(0.0, intact_fraction[k]));
    }
    return damage;
  }
  bool IsIntact() const { return state == BondState::kIntact; }
  std::size_t ContactCount() const {
    return point_count == 0 ? 1 : static_cast<std::size_t>(point_count);
  }
};
static_assert(sizeof(Bond) == 8 * 8 + 4 * 4 + 10 * sizeof(Vec3) + 12 * 8);

/// State of a damage bond at one of its points.
struct PointDamage {
  double intact_fraction = 1.0;  // as in Bond [-]
  double stored_energy = 0.0;    // [J]
  Vec3 slip = Vec3::Zero();      // as in Bond [m]
};

/// A bond with the local indices of its bodies, and copies of the data that each step reads,
/// because a Bond fills several cache lines.
struct BondRow {
  Index i = 0;               // owned particle; body a of the contact
  Index partner = -1;        // local index of the other particle; −1: a wall
  std::uint32_t bond = 0;    // number for BondTable::At
  std::int32_t rule = 0;     // row of Scene::bonds
  MemberPair members = {};   // of i and the partner
  bool is_swapped = false;   // particle i is b of the bond
  bool is_anchored = false;  // the bond has anchored points
  double gap = 0.0;          // at birth [m]
  double area = 0.0;         // S [m²]
  double strength = 1.0;     // as in Bond [-]
  double born = 0.0;         // [s]
};

class BondTable {
 public:
  /// Bonds whose home is this rank, intact and broken.
  std::span<const Bond> HomeBonds() const { return std::span(all_).first(home_); }
  /// Copies of the bonds whose particle b this rank owns and whose home is another rank. All were
  /// intact at the last Bind.
  std::span<const Bond> GuestBonds() const { return std::span(all_).subspan(home_); }
  /// Bond `number` of the home bonds, followed by the guests.
  const Bond& At(std::uint32_t number) const { return all_[number]; }
  /// All intact bonds whose contact this rank solves, or has as a ghost contact, in the order of
  /// their particles i.
  std::span<const BondRow> Rows() const { return rows_; }
  std::span<const BondRow> RowsOf(Index i) const;

  /// Packs and unpacks the home bonds, which migrate with their particles a.
  /// @param particles  before the migration; must outlive the attachment
  Attachment AttachedToParticles(const Particles& particles);
  /// Finds the bodies of all bonds after a rebuild, including bonds that migrated here. Removes
  /// bonds whose particles were removed. Collective.
  /// @param all_interfaces  whether both ranks find each contact across an interface (Jacobi)
  void Bind(const Communicator& communicator, const Particles& particles, const Halo& halo,
            bool all_interfaces);
  /// Adds new bonds, or sends them to their homes. Call Bind afterwards. Collective.
  /// @param homes  rank of the home of each bond
  void Add(const Communicator& communicator, std::span<const Bond> new_bonds,
           std::span<const int> homes);
  /// Erases all bonds with some walls. Call Bind afterwards.
  /// @param is_removed  one per wall
  void EraseOfWalls(std::span<const std::uint8_t> is_removed);
  /// Moves the points of a bond on its wall. @param displacement  in the axes of its shape [m]
  void MoveOnWall(std::uint32_t number, const Vec3& displacement);
  /// Breaks a bond. ReportBreaks later removes its rows and, if it is a guest, informs its home.
  void Break(std::uint32_t number, BondState state, double time);
  /// Sets the state of a damage bond. If it is a guest, ReportBreaks later informs its home.
  void SetDamage(std::uint32_t number, std::size_t point, const PointDamage& damage);
  /// Reports the breaks and the damage of guests to their homes, and removes the rows of broken
  /// bonds. Collective over the peers.
  void ReportBreaks(const Communicator& communicator, const Halo& halo);

  /// The counts of this rank.
  BondCounts Counts() const;
  void SetWaiting(std::int64_t waiting) { waiting_ = waiting; }

  /// For checkpoints: the home bonds in the order of the owned particles.
  /// @param first  set to the index of each particle's first bond, then the number of bonds
  std::vector<Bond> InParticleOrder(const Particles& particles, std::vector<Index>& first) const;
  /// Replaces all bonds. Call Bind afterwards. @param counts  this rank's broken bonds so far
  void Restore(std::vector<Bond> home, const BondCounts& counts);

 private:
  void ExchangeGuests(const Communicator& communicator, const Particles& particles,
                      const Halo& halo, const std::unordered_map<ParticleId, Index>& owned);
  void AddRows(const Communicator& communicator, const Particles& particles, const Halo& halo,
               bool all_interfaces, const std::unordered_map<ParticleId, Index>& owned,
               const std::unordered_multimap<ParticleId, Index>& ghosts);
  void ExchangeBreaks(const Communicator& communicator, const Halo& halo);

  std::vector<Bond> all_;  // home bonds, then guests
  std::size_t home_ = 0;
  std::vector<Bond> arrived_;  // bonds that migrated here with their particles
  std::vector<BondRow> rows_;
  std::vector<Bond> to_report_;         // guests that have broken
  std::vector<std::uint32_t> damaged_;  // guests whose damage has to be reported
  bool homes_solve_contacts_ = false;   // the homes of guests solve the contacts too
  bool has_broken_ = false;             // rows_ has rows of broken bonds
  BondCounts broken_;                   // home bonds that have broken so far
  std::int64_t waiting_ = 0;            // BondCounts::waiting
};

}  // namespace scree
