/// \file  The coarse half of a two-level solve: scales the impulses in a deep bed as a function of
///        height, so that the weight of the bed reaches the floor in one step.
///
/// Sweeps transmit a load through tens of layers. The remaining error in deeper beds is smooth in
/// height. The update below makes the mean error around each height zero, where each contact has
/// its normal impulse as weight. φₖ are basis functions, piecewise linear in the height zⱼ of a
/// contact, and s ≤ 1 is the factor that minimises the energy along α
/// (solvers/sweeps/banded_minimum.hpp); W, M, b and δv as in solvers/README.md:
///
///     λⱼ ← (1 + s Σₖ αₖ φₖ(zⱼ)) λⱼ,   C α = R,   −½ ≤ α ≤ 1
///     Cₖₗ = (W dₖ)⋅M⁻¹(W dₗ),  dₖ = φₖ λ,   Rₖ = −Σⱼ φₖ(zⱼ) gⱼ
///     gⱼ = λₙⱼ (δvₙⱼ + bⱼ), plus λₜⱼ⋅δvₜⱼ if contact j sticks
///
/// It is a Galerkin correction in the directions dₖ (solvers/README.md, Deep beds). It keeps
/// friction cones, because 1 + α > 0, and R is zero for the exact solution. It also scales impulses
/// of additional laws that grow with the normal impulse. It cannot create an impulse where there is
/// none. For rigid bodies of any shape, W and M⁻¹ include arms and inertia.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "solvers/batches/contact_batches.hpp"
#include "solvers/sweeps/banded_minimum.hpp"
#include "solvers/sweeps/block_jacobi.hpp"
#include "solvers/sweeps/velocity_sync.hpp"

namespace scree {

/// Heights in units of the node spacing: the level of a point x is x⋅up. φₖ is 1 at level k and 0
/// at distances of more than one level. The contacts of a body must be within half a level of the
/// body's level.
struct CoarseLevels {
  Vec3 up = Vec3::Zero();  // unit vector divided by the node spacing [1/m]; zero: no correction
  // No correction if the largest mean error of the contacts around a node, times the number of
  // nodes, is below this [m/s].
  double tolerance = 0.0;
  // A bed of which half moves faster than this gets no correction [m/s].
  double max_median_speed = std::numeric_limits<double>::infinity();

  bool IsActive() const { return up != Vec3::Zero(); }
};

/// Beds with fewer levels get no correction.
inline constexpr double kMinLevels = 8.0;

/// Impulses of a body's contacts on the body, by basis function. Three φₖ are nonzero at these
/// contacts; by_basis[k modulo 3] belongs to φₖ. Entries are bodies of unit mass, so that their v
/// and u are impulses; for a rigid body u is the angular impulse.
struct BasisImpulses {
  SphereBody by_basis[3];
};

/// Communication between ranks in a coarse correction.
class CoarseSync {
 public:
  virtual ~CoarseSync() = default;
  /// Scatter-add: owners add the values that other ranks hold for their copies.
  virtual void AddGhosts(std::span<BasisImpulses> bodies) = 0;
  /// All-reduces.
  virtual void Max(std::span<double> values) = 0;
  virtual void Sum(std::span<std::int64_t> values) = 0;
};

/// The problem on which the sweeps have worked.
struct CoarseInput {
  std::size_t owned = 0;                 // bodies before this index belong to this rank
  std::size_t fixed = 0;                 // bodies from this index on are driven
  std::size_t owned_contacts = 0;        // the first `owned_contacts` contacts belong to this rank
  const JacobiScratch* sides = nullptr;  // of owned bodies; null: no contact is on two ranks
};

/// The memory of coarse corrections, kept between steps.
class CoarseCorrection {
 public:
  void Reserve(const ContactBatches& batches, std::size_t bodies);

  /// Scales the impulses of the whole problem and updates the owned bodies. Collective.
  /// @param[in,out] body_levels  levels of the bodies before `fixed`; entries for the driven bodies
  /// are appended
  /// @param[in,out] bodies   spheres or rigid bodies, with capacity for one more; copies of owned
  /// bodies on other ranks become stale
  /// @returns false if no bed is deep enough or the errors are within the tolerance; then nothing
  ///          has changed, on any rank
  template <class Body>
  bool Correct(const CoarseLevels& levels, const CoarseInput& input, CoarseSync& sync,
               std::vector<double>& body_levels, ContactBatches& batches,
               std::vector<Body>& bodies);

  std::size_t Bytes() const;

 private:
  /// Level, load and work of eight contacts.
  struct Batch {
    Double8 level;
    Double8 load;  // λₙ [N s]
    Double8 work;  // gⱼ, in which only sticking contacts have a tangential term [J]
  };

  /// The terms of eight spheres of unit mass, or of eight rigid bodies, in (W dₖ)⋅M⁻¹(W dₖ) and in
  /// (W dₖ)⋅M⁻¹(W dₗ) with l = k + 1. The index is k modulo 3.
  struct Products {
    Double8 same[3], next[3];
  };

  template <class Body>
  bool FindLevels(const CoarseLevels& levels, CoarseSync& sync, std::span<const double> body_levels,
                  ContactBatches& batches, std::span<Body> bodies);
  bool FindErrors(const CoarseInput& input, double tolerance, CoarseSync& sync,
                  const ContactBatches& batches);
  void AddLoads(ContactBatches& batches, std::span<const SphereBody> bodies);
  void AddLoads(ContactBatches& batches, std::span<const RigidBody> bodies);
  void PrefetchLoads(const ContactBatch& batch) const;
  template <class Body>
  void AddLoadsOfSides(const CoarseInput& input, ContactBatches& batches);
  void FindProducts(std::span<const SphereBody> owned);
  void FindProducts(std::span<const RigidBody> owned);
  /// The product for body i of the basis functions k and l (modulo 3).
  double ProductOf(std::size_t i, std::size_t k, std::size_t l) const {
    const Products& packet = products_[i / kLanes];
    if (k == l) return packet.same[k][i % kLanes];
    return (k + 1) % 3 == l ? packet.next[k][i % kLanes] : packet.next[l][i % kLanes];
  }
  template <class Body>
  void FindAmplitudes(const CoarseInput& input, CoarseSync& sync,
                      std::span<const double> body_levels, std::span<const Body> bodies);
  /// Adds a body's or contact's term to entry `entry` of a basis function. Functions that are zero
  /// at every loaded contact have no entries.
  void AddTerm(std::int64_t basis, std::size_t entry, std::size_t entries, std::int64_t term) {
    const std::int64_t k = basis - first_basis_;
    if (k < 0 || k >= static_cast<std::int64_t>(amplitudes_.size())) return;
    sums_[entries * static_cast<std::size_t>(k) + entry] += term;
  }
  /// αₖ; zero if φₖ is zero at every loaded contact.
  double AmplitudeOf(std::int64_t basis) const {
    const std::int64_t k = basis - first_basis_;
    return k >= 0 && k < static_cast<std::int64_t>(amplitudes_.size())
               ? amplitudes_[static_cast<std::size_t>(k)]
               : 0.0;
  }
  void ScaleLoads(ContactBatches& batches) const;
  template <class Body>
  void UpdateOwned(std::size_t owned, std::span<const double> body_levels,
                   std::span<Body> bodies) const;

  std::vector<Batch> batches_;
  std::vector<BasisImpulses> loads_;  // one per body, then that of the padding body
  std::vector<Products> products_;    // one per packet of eight owned bodies
  // First of the basis functions that are nonzero at a loaded contact.
  std::int64_t first_basis_ = 0;
  double max_load_ = 0.0, max_work_ = 0.0;  // of all contacts
  std::vector<std::int64_t> sums_;          // scratch of exact sums
  std::vector<BandedRow> matrix_;
  std::vector<double> right_, amplitudes_;
  BandedScratch banded_;
};

}  // namespace scree
