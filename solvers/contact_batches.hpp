/// \file  Contacts packed into batches of eight that share no moving body, for kernels that treat
///        eight contacts at once.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "solvers/contact_problem.hpp"
#include "solvers/simd.hpp"

namespace scree {

/// Place of a body's line in the array of bodies, in bytes: an address without arithmetic. Enough
/// for 67 million bodies.
using BodyOffset = std::uint32_t;

/// Eight contacts side by side. A lane without a contact has both bodies at the padding body, an
/// effective mass of zero and an impulse that stays zero.
struct ContactBatch {
  Double8 normal[3];       // n
  Double8 bias;            // b [m/s]
  Double8 effective_mass;  // 1/(κ Aₙₙ) [kg]
  Double8 friction;        // μ [-]
  Double8 impulse[3];      // λ [N s]
  std::array<BodyOffset, kLanes> a, b;
};

/// A contact problem and its impulses, laid out in batches.
///
/// Neighbouring batches share no moving body either, so that the processor can work on the next one
/// while the last one's velocities are still on their way. Contacts keep their order up to a window
/// of 64 batches: particles sorted in space give batches whose bodies are near each other.
class ContactBatches {
 public:
  /// The two bodies of a contact.
  struct Pair {
    Index a, b;
  };

  /// Begins a problem of `contacts` contacts. Contact j has the bodies pair(j); if all have those
  /// of the last problem, they keep their places, else all are placed anew.
  /// @param first_fixed  bodies from here on do not move: a batch may have one of them many times
  /// @param bodies       number of bodies; the padding body is the one after the last
  template <class PairOf>
  void Begin(std::size_t contacts, Index first_fixed, std::size_t bodies, PairOf&& pair) {
    if (HasPlaces(contacts, first_fixed, bodies, pair)) return;
    BeginArranging(first_fixed, bodies);
    for (std::size_t j = 0; j < contacts; ++j) Place(pair(j));
    EndArranging();
  }

  /// Sets the data of contact j, whose bodies Begin has, and its impulse.
  void Set(std::size_t j, const Contact& contact, const Vec3& impulse) {
    ContactBatch& batch = batches_[BatchOf(place_[j])];
    const std::size_t lane = LaneOf(place_[j]);
    for (int axis = 0; axis < 3; ++axis) batch.normal[axis][lane] = contact.normal[axis];
    batch.bias[lane] = contact.bias;
    batch.effective_mass[lane] = contact.effective_mass;
    batch.friction[lane] = contact.friction;
    SetImpulse(j, impulse);
  }
  void SetImpulse(std::size_t j, const Vec3& impulse) {
    ContactBatch& batch = batches_[BatchOf(place_[j])];
    const std::size_t lane = LaneOf(place_[j]);
    for (int axis = 0; axis < 3; ++axis) batch.impulse[axis][lane] = impulse[axis];
  }

  std::size_t Size() const { return place_.size(); }
  Contact At(std::size_t j) const;
  Vec3 Impulse(std::size_t j) const;

  std::span<ContactBatch> All() { return std::span(batches_).first(used_); }

  /// How often contacts had to be placed anew.
  std::int64_t Arrangements() const { return arrangements_; }

 private:
  static constexpr std::size_t kWindow = 64;  // batches that are open at a time: one bit each

  static BodyOffset OffsetOf(Index body) {
    return static_cast<BodyOffset>(body) * static_cast<BodyOffset>(sizeof(SphereBody));
  }
  static std::size_t BatchOf(Index place) { return static_cast<std::size_t>(place) / kLanes; }
  static std::size_t LaneOf(Index place) { return static_cast<std::size_t>(place) % kLanes; }

  template <class PairOf>
  bool HasPlaces(std::size_t contacts, Index first_fixed, std::size_t bodies, PairOf&& pair) const {
    if (place_.size() != contacts || padding_ != bodies || first_fixed_ != first_fixed) {
      return false;
    }
    for (std::size_t j = 0; j < contacts; ++j) {
      const ContactBatch& batch = batches_[BatchOf(place_[j])];
      const std::size_t lane = LaneOf(place_[j]);
      const Pair now = pair(j);
      if (batch.a[lane] != OffsetOf(now.a) || batch.b[lane] != OffsetOf(now.b)) return false;
    }
    return true;
  }

  void BeginArranging(Index first_fixed, std::size_t bodies);
  void Place(Pair pair);
  void CloseOldest();
  void Forget(std::size_t closed);
  void EndArranging();

  std::vector<ContactBatch> batches_;  // the first `used_` are in use
  std::size_t used_ = 0;
  std::vector<Index> place_;  // of each contact: batch * kLanes + lane
  Index first_fixed_ = 0;
  std::size_t padding_ = 0;  // index of the padding body
  std::int64_t arrangements_ = 0;

  // While arranging. The window is a ring of bits: batch k has bit k mod 64.
  std::vector<std::uint64_t> in_window_;      // of each body: the open batches it is in
  std::array<std::uint8_t, kWindow> filled_;  // lanes in use
  std::uint64_t open_ = 0;                    // batches with a free lane
  std::size_t oldest_ = 0;
};

}  // namespace scree
