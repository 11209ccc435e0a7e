#include "solvers/batches/contact_batches.hpp"

#include <algorithm>
#include <limits>

#include "solvers/base/check.hpp"
#include "solvers/simd/prefetch.hpp"

namespace scree {
namespace {

constexpr std::size_t kAhead = 8;  // batches between the prefetch of a batch and its use

template <class Batch>
void GrowTo(std::size_t size, std::vector<Batch>& batches) {
  batches.resize(GrownSize(size, batches.capacity()));
}

/// Fills a lane without a contact.
void Pad(BodyOffset padding, std::size_t lane, ContactBatch& batch) {
  batch.a[lane] = batch.b[lane] = padding;
  for (int axis = 0; axis < 3; ++axis) batch.normal[axis][lane] = batch.impulse[axis][lane] = 0.0;
  batch.bias[lane] = batch.effective_mass[lane] = batch.friction[lane] = 0.0;
}
void Pad(std::size_t lane, ArmBatch& batch) {
  for (int axis = 0; axis < 3; ++axis) {
    batch.a[axis][lane] = batch.b[axis][lane] = batch.restitution_slip[axis][lane] = 0.0;
  }
}

/// A packet with one contact in the first lane.
ContactBatch PacketOf(const Contact& contact, const Vec3& impulse) {
  ContactBatch packet;
  for (int axis = 0; axis < 3; ++axis) {
    packet.normal[axis][0] = contact.normal[axis];
    packet.impulse[axis][0] = impulse[axis];
  }
  packet.bias[0] = contact.bias;
  packet.effective_mass[0] = contact.effective_mass;
  packet.friction[0] = contact.friction;
  packet.a[0] = static_cast<BodyOffset>(contact.a);
  packet.b[0] = static_cast<BodyOffset>(contact.b);
  return packet;
}

}  // namespace

void ContactBatches::Reserve(std::size_t contacts, std::size_t bodies, const LawFlags& laws,
                             BodyKind kind) {
  layout_.Reserve(contacts, bodies);
  batches_.reserve(ContactColouring::BatchesFor(contacts));
  if (kind == BodyKind::kRigid) arms_.reserve(batches_.capacity());
  ForEachLaw([&](auto law) {
    using Law = typename decltype(law)::type;
    if (laws[kLawIndex<Law>]) ArraysOf<Law>().Reserve(batches_.capacity());
  });
}

void ContactBatches::Begin(Index first_fixed, std::size_t bodies, BodyKind kind,
                           std::size_t shared) {
  const bool is_new_kind = kind != kind_;
  kind_ = kind;
  SCREE_DEMAND(bodies < std::numeric_limits<BodyOffset>::max() / BodySize());
  if (is_new_kind) layout_.Invalidate();  // the offsets written so far are for the other kind
  if (kind == BodyKind::kSphere) arms_.clear();
  layout_.Begin(first_fixed, bodies, shared);
  padding_ = OffsetOf(static_cast<Index>(bodies));
  std::apply([](auto&... arrays) { (arrays.Clear(), ...); }, laws_);
}

void ContactBatches::Add(const Contact& contact, const Vec3& impulse) {
  SCREE_DEMAND(kind_ == BodyKind::kSphere);
  Put(PacketOf(contact, impulse), 1);
}

void ContactBatches::Add(const Contact& contact, const ContactArms& arms, const Vec3& impulse) {
  SCREE_DEMAND(kind_ == BodyKind::kRigid);
  Put(PacketOf(contact, impulse), 1);
  SetArms(SlotOf(Size() - 1), arms, contact.restitution_slip);
}

void ContactBatches::Add(const ContactBatch& packet, std::size_t count) {
  SCREE_DEMAND(kind_ == BodyKind::kSphere);
  Put(packet, count);
}

void ContactBatches::Add(const ContactBatch& packet, std::span<const ContactArms> arms) {
  SCREE_DEMAND(kind_ == BodyKind::kRigid);
  const std::size_t first = Size();
  Put(packet, arms.size());
  for (std::size_t lane = 0; lane < arms.size(); ++lane) SetArms(SlotOf(first + lane), arms[lane]);
}

/// Adds the first `count` lanes of a packet, in which a and b are body indices.
void ContactBatches::Put(const ContactBatch& packet, std::size_t count) {
  std::array<BodyPair, kLanes> pairs;
  for (std::size_t k = 0; k < count; ++k) {
    pairs[k] = {static_cast<Index>(packet.a[k]), static_cast<Index>(packet.b[k])};
  }
  const std::size_t first = layout_.Size();
  layout_.Add(std::span(pairs).first(count));
  for (std::size_t k = 0; k < count; ++k) PutAt(layout_.SlotOf(first + k), packet, k);
}

SCREE_INLINE void ContactBatches::PutAt(ContactSlot slot, const ContactBatch& packet,
                                        std::size_t packet_lane) {
  const std::size_t lane = slot.lane;
  if (lane == 0) ReserveBatch(slot.batch + kAhead);
  ContactBatch& batch = batches_[slot.batch];
  batch.a[lane] = OffsetOf(static_cast<Index>(packet.a[packet_lane]));
  batch.b[lane] = OffsetOf(static_cast<Index>(packet.b[packet_lane]));
  for (int axis = 0; axis < 3; ++axis) {
    batch.normal[axis][lane] = packet.normal[axis][packet_lane];
    batch.impulse[axis][lane] = packet.impulse[axis][packet_lane];
  }
  batch.bias[lane] = packet.bias[packet_lane];
  batch.effective_mass[lane] = packet.effective_mass[packet_lane];
  batch.friction[lane] = packet.friction[packet_lane];
}

void ContactBatches::SetArms(ContactSlot slot, const ContactArms& arms,
                             const Vec3& restitution_slip) {
  ArmBatch& batch = arms_[slot.batch];
  for (int axis = 0; axis < 3; ++axis) {
    batch.a[axis][slot.lane] = arms.a[axis];
    batch.b[axis][slot.lane] = arms.b[axis];
    batch.restitution_slip[axis][slot.lane] = restitution_slip[axis];
  }
}

/// Adds empty batches up to a batch that will soon be written.
void ContactBatches::ReserveBatch(std::size_t batch) {
  if (batch + 1 > batches_.size()) GrowTo(batch + 65, batches_);
  PrefetchToWrite(&batches_[batch]);
  if (kind_ == BodyKind::kSphere) return;
  if (batch + 1 > arms_.size()) GrowTo(batch + 65, arms_);
  PrefetchToWrite(&arms_[batch]);
}

void ContactBatches::End() {
  layout_.End();
  if (layout_.IsReused()) return;
  for (std::size_t k = 0; k < layout_.Batches(); ++k) {
    for (std::size_t lane = layout_.LanesOf(k); lane < kLanes; ++lane) {
      Pad(padding_, lane, batches_[k]);
      if (kind_ == BodyKind::kRigid) Pad(lane, arms_[k]);
    }
  }
}

Contact ContactBatches::At(std::size_t j) const {
  const ContactSlot slot = SlotOf(j);
  const ContactBatch& batch = batches_[slot.batch];
  const std::size_t lane = slot.lane;
  Contact contact;
  contact.normal = Vec3(batch.normal[0][lane], batch.normal[1][lane], batch.normal[2][lane]);
  contact.bias = batch.bias[lane];
  contact.effective_mass = batch.effective_mass[lane];
  contact.friction = batch.friction[lane];
  if (kind_ == BodyKind::kRigid) {
    const ArmBatch& arms = arms_[slot.batch];
    contact.restitution_slip = Vec3(arms.restitution_slip[0][lane], arms.restitution_slip[1][lane],
                                    arms.restitution_slip[2][lane]);
  }
  contact.a = static_cast<Index>(batch.a[lane] / BodySize());
  contact.b = static_cast<Index>(batch.b[lane] / BodySize());
  return contact;
}

ContactArms ContactBatches::ArmsAt(std::size_t j) const {
  SCREE_DEMAND(kind_ == BodyKind::kRigid);
  const ContactSlot slot = SlotOf(j);
  const ArmBatch& batch = arms_[slot.batch];
  ContactArms arms;
  for (int axis = 0; axis < 3; ++axis) {
    arms.a[axis] = batch.a[axis][slot.lane];
    arms.b[axis] = batch.b[axis][slot.lane];
  }
  return arms;
}

void ContactBatches::SetImpulse(std::size_t j, const Vec3& impulse) {
  const ContactSlot slot = SlotOf(j);
  for (int axis = 0; axis < 3; ++axis) {
    batches_[slot.batch].impulse[axis][slot.lane] = impulse[axis];
  }
}

void ContactBatches::SetRestitutionSlip(std::size_t j, const Vec3& restitution_slip) {
  SCREE_DEMAND(kind_ == BodyKind::kRigid);
  const ContactSlot slot = SlotOf(j);
  for (int axis = 0; axis < 3; ++axis)
    arms_[slot.batch].restitution_slip[axis][slot.lane] = restitution_slip[axis];
}

LawImpulses ContactBatches::ImpulsesOfLaws(std::size_t j) const {
  LawImpulses impulses;
  ForEachLaw([&](auto law) {
    using Law = typename decltype(law)::type;
    impulses.of[kLawIndex<Law>] = ArraysOf<Law>().Impulse(SlotOf(j));
  });
  return impulses;
}

LawFlags ContactBatches::ActiveLaws() const {
  return std::apply([](const auto&... arrays) { return LawFlags{arrays.IsActive()...}; }, laws_);
}

std::size_t ContactBatches::Bytes() const {
  const auto sum = [](const auto&... arrays) { return (arrays.Bytes() + ... + 0); };
  return layout_.Bytes() + batches_.capacity() * sizeof(ContactBatch) +
         arms_.capacity() * sizeof(ArmBatch) + std::apply(sum, laws_);
}

}  // namespace scree
