/// \file  The data and the impulses of a contact problem in batches of eight, for kernels that
///        solve eight contacts at once.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "solvers/batches/additional_laws.hpp"
#include "solvers/batches/contact_batch.hpp"
#include "solvers/batches/contact_colouring.hpp"
#include "solvers/one_contact/rigid_body.hpp"

namespace scree {

/// Whether the initial velocities of a solve already include the initial impulses.
enum class StartingImpulses { kApplied, kToApply };

/// The kind of bodies in a problem: all are of one kind.
enum class BodyKind {
  kSphere,  // SphereBody; arms are parallel to the normal and need not be given
  kRigid,   // RigidBody; every contact has its arms
};

/// A contact problem and its impulses. The layout maps a contact to its batch and lane; this class
/// has the arrays of λ and of the additional laws.
class ContactBatches {
 public:
  void Reserve(std::size_t contacts, std::size_t bodies, const LawFlags& laws = {},
               BodyKind kind = BodyKind::kSphere);

  /// Begins a problem. Its contacts are added afterwards. An additional law is inactive until
  /// BeginLaw<Law>().
  /// @param first_fixed, bodies, shared  as in ContactColouring; the padding body follows the last
  ///                                     body
  void Begin(Index first_fixed, std::size_t bodies, BodyKind kind = BodyKind::kSphere,
             std::size_t shared = 0);
  void Add(const Contact& contact, const Vec3& impulse);
  void Add(const Contact& contact, const ContactArms& arms, const Vec3& impulse);
  /// Adds the first `count` of eight contacts of spheres, in which a and b are indices of bodies,
  /// not offsets.
  void Add(const ContactBatch& packet, std::size_t count);
  /// Adds the first arms.size() of eight contacts of rigid bodies.
  void Add(const ContactBatch& packet, std::span<const ContactArms> arms);
  void End();
  BodyKind Kind() const { return kind_; }

  const ContactColouring& Colouring() const { return layout_; }
  std::size_t Size() const { return layout_.Size(); }
  ContactSlot SlotOf(std::size_t j) const { return layout_.SlotOf(j); }

  Contact At(std::size_t j) const;
  /// @pre bodies are rigid
  ContactArms ArmsAt(std::size_t j) const;
  double Bias(std::size_t j) const {
    const ContactSlot slot = SlotOf(j);
    return batches_[slot.batch].bias[slot.lane];
  }
  Vec3 Impulse(std::size_t j) const {
    const ContactSlot slot = SlotOf(j);
    const ContactBatch& batch = batches_[slot.batch];
    return {batch.impulse[0][slot.lane], batch.impulse[1][slot.lane], batch.impulse[2][slot.lane]};
  }
  /// Prefetches bias and impulse. Inlining is forced, because GCC removes calls of a function that
  /// only prefetches.
  SCREE_INLINE void PrefetchImpulse(std::size_t j) const {
    const ContactBatch& batch = batches_[SlotOf(j).batch];
    __builtin_prefetch(&batch.bias);
    for (const Double8& part : batch.impulse) __builtin_prefetch(&part);
  }
  void SetImpulse(std::size_t j, const Vec3& impulse);
  /// Sets the restitution slip of a contact, which is zero otherwise. @pre bodies are rigid
  void SetRestitutionSlip(std::size_t j, const Vec3& restitution_slip);

  /// Batches in use, in the order of the layout.
  std::span<ContactBatch> All() { return std::span(batches_).first(layout_.Batches()); }
  /// The arms of the batches in use; empty for spheres.
  std::span<ArmBatch> Arms() { return std::span(arms_).first(arms_.empty() ? 0 : All().size()); }
  /// The number of batches that fit into the reserved memory.
  std::size_t BatchCapacity() const { return batches_.capacity(); }

  /// The arrays of an additional law; set its data after End.
  template <class Law>
  LawArrays<Law>& ArraysOf() {
    return std::get<LawArrays<Law>>(laws_);
  }
  template <class Law>
  const LawArrays<Law>& ArraysOf() const {
    return std::get<LawArrays<Law>>(laws_);
  }
  template <class Law>
  void BeginLaw() {
    ArraysOf<Law>().Begin(layout_.Batches());
  }
  PerLaw<LawArrays>& Laws() { return laws_; }
  /// L of all laws at contact j.
  LawImpulses ImpulsesOfLaws(std::size_t j) const;
  LawFlags ActiveLaws() const;

  std::size_t Bytes() const;

 private:
  void Put(const ContactBatch& packet, std::size_t count);
  void PutAt(ContactSlot slot, const ContactBatch& packet, std::size_t packet_lane);
  void SetArms(ContactSlot slot, const ContactArms& arms,
               const Vec3& restitution_slip = Vec3::Zero());
  void ReserveBatch(std::size_t batch);
  BodyOffset OffsetOf(Index body) const {
    return static_cast<BodyOffset>(body) * static_cast<BodyOffset>(BodySize());
  }
  std::size_t BodySize() const {
    return kind_ == BodyKind::kSphere ? sizeof(SphereBody) : sizeof(RigidBody);
  }

  ContactColouring layout_;
  BodyKind kind_ = BodyKind::kSphere;
  BodyOffset padding_ = 0;             // offset of the padding body
  std::vector<ContactBatch> batches_;  // layout_.Batches() are in use
  std::vector<ArmBatch> arms_;         // as many as batches if bodies are rigid
  PerLaw<LawArrays> laws_;
};

}  // namespace scree
