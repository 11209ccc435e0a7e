#include "solvers/sweeps/position_projection.hpp"

#include <algorithm>
#include <bit>
#include <type_traits>

#include "solvers/base/check.hpp"
#include "solvers/batches/batch_bodies.hpp"
#include "solvers/simd/prefetch.hpp"
#include "solvers/simd/simd.hpp"

namespace scree {
namespace {

/// The gap of inactive lanes: no displacement closes it [m].
constexpr double kFar = 1e100;
const ProjectionBatch kNoContacts = {Double8{} + kFar, Double8{}};

/// log₂ of the ratio of the sizes of a body and of its Displacement.
int ShiftOf(BodyKind kind) {
  static_assert(sizeof(SphereBody) == 2 * sizeof(Displacement) &&
                sizeof(RigidBody) == 4 * sizeof(Displacement));
  return kind == BodyKind::kSphere ? 1 : 2;
}

/// Sets `lines` to the addresses of the displacements of the bodies of a batch.
SCREE_INLINE void FindLines(const std::array<BodyOffset, kLanes>& offsets, int shift,
                            Displacement* bodies, double* (&lines)[kLanes]) {
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    lines[lane] =
        reinterpret_cast<double*>(reinterpret_cast<std::byte*>(bodies) + (offsets[lane] >> shift));
  }
}

constexpr std::size_t kAhead = 3;     // batches between the prefetch of bodies and their use
constexpr std::size_t kFarAhead = 8;  // batches between the prefetch of a batch and its use

SCREE_INLINE void PrefetchBodies(const ContactBatch& batch, int shift, const void* bodies) {
  const auto* start = static_cast<const std::byte*>(bodies);
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    __builtin_prefetch(start + (batch.a[lane] >> shift));
    __builtin_prefetch(start + (batch.b[lane] >> shift));
  }
}

SCREE_INLINE void PrefetchBatch(const ContactBatch& batch, const ProjectionBatch& projection) {
  for (const Double8& component : batch.normal) __builtin_prefetch(&component);
  __builtin_prefetch(&batch.effective_mass);
  __builtin_prefetch(&batch.a);
  PrefetchToWrite(&projection);
}

/// n⋅(a − b), where the first three fields of a and b are vectors.
SCREE_INLINE Double8 DifferenceAlongNormal(const ContactBatch& batch, const Fields4& a,
                                           const Fields4& b) {
  const Vector3<Double8> n = {batch.normal[0], batch.normal[1], batch.normal[2]};
  return Dot(n, {a.field[0] - b.field[0], a.field[1] - b.field[1], a.field[2] - b.field[2]});
}

/// n⋅(v_a − v_b) at the contacts of batch k.
SCREE_INLINE Double8 NormalSpeed(ContactBatches& batches, std::size_t k, SphereBody* bodies) {
  const ContactBatch& batch = batches.All()[k];
  double* a_lines[kLanes];
  double* b_lines[kLanes];
  FindLines(batch.a, bodies, a_lines);
  FindLines(batch.b, bodies, b_lines);
  return DifferenceAlongNormal(batch, LoadHalfLines(a_lines), LoadHalfLines(b_lines));
}
SCREE_INLINE Double8 NormalSpeed(ContactBatches& batches, std::size_t k, RigidBody* bodies) {
  const ContactBatch& batch = batches.All()[k];
  const Vector3<Double8> n = NormalOf(batch);
  return Dot(n, BatchBodies<RigidBody>(batch, &batches.Arms()[k], bodies).RelativeVelocity(n));
}

class TranslatedBatch {
 public:
  SCREE_INLINE TranslatedBatch(const ContactBatch& batch, const ArmBatch*, int shift,
                               Displacement* bodies)
      : batch_(batch) {
    FindLines(batch.a, shift, bodies, a_lines_);
    FindLines(batch.b, shift, bodies, b_lines_);
    a_ = LoadHalfLines(a_lines_);
    b_ = LoadHalfLines(b_lines_);
  }
  /// n⋅(d_a − d_b)
  SCREE_INLINE Double8 Opening() const { return DifferenceAlongNormal(batch_, a_, b_); }
  SCREE_INLINE void Apply(const Double8& change) {
    const Double8 move_a = a_.field[3] * change, move_b = b_.field[3] * change;
    for (int axis = 0; axis < 3; ++axis) {
      a_.field[axis] = Fma(move_a, batch_.normal[axis], a_.field[axis]);
      b_.field[axis] = Fnma(move_b, batch_.normal[axis], b_.field[axis]);
    }
  }
  SCREE_INLINE void Store() const {
    StoreHalfLines(a_, a_lines_);
    StoreHalfLines(b_, b_lines_);
  }

 private:
  const ContactBatch& batch_;
  Fields4 a_, b_;
  double* a_lines_[kLanes];
  double* b_lines_[kLanes];
};

class RotatedBatch {
 public:
  SCREE_INLINE RotatedBatch(const ContactBatch& batch, const ArmBatch* arms, int, RigidBody* bodies)
      : n_(NormalOf(batch)), bodies_(batch, arms, bodies) {}
  SCREE_INLINE Double8 Opening() const { return Dot(n_, bodies_.RelativeVelocity(n_)); }
  SCREE_INLINE void Apply(const Double8& change) {
    bodies_.Apply(n_, {change * n_.x, change * n_.y, change * n_.z});
  }
  SCREE_INLINE void Store() const { bodies_.Store(); }

 private:
  const Vector3<Double8> n_;
  BatchBodies<RigidBody> bodies_;
};

template <class DisplacedBody>
using BatchOf =
    std::conditional_t<std::is_same_v<DisplacedBody, RigidBody>, RotatedBatch, TranslatedBatch>;

/// The arms of batch k; null for spheres.
SCREE_INLINE const ArmBatch* ArmsOf(std::span<const ArmBatch> arms, std::size_t k) {
  return arms.empty() ? nullptr : &arms[k];
}

/// Relaxes p to p* = max(0, p − (g + opening)/(κ Aₙₙ)).
/// @returns p* − p
SCREE_INLINE Double8 SolveGaps(const ContactBatch& batch, ProjectionBatch& projection,
                               const Double8& opening) {
  const Double8 zero = {};
  const Double8 step = Fnma(opening + projection.gap, batch.effective_mass, projection.impulse);
  const Double8 solved = Select(step > zero, step, zero);
  const Double8 change = solved - projection.impulse;
  projection.impulse = solved;
  return change;
}

}  // namespace

void PositionProjection::Reserve(const ContactBatches& batches, std::size_t bodies, bool is_jacobi,
                                 bool rotates) {
  batches_.reserve(batches.BatchCapacity());
  active_.reserve(batches.BatchCapacity());
  first_active_.reserve(batches.Colouring().ChunkCapacity() + 3);
  displacements_.reserve(bodies + 1);
  is_pushed_.reserve(bodies + 1);
  if (is_jacobi) changes_.reserve(batches.BatchCapacity());
  if (rotates) rotated_.reserve(bodies + 1);
}

void PositionProjection::Begin(std::size_t contacts) {
  displacements_.clear();
  rotated_.clear();
  batches_.assign(std::min(ContactColouring::BatchesFor(contacts), batches_.capacity()),
                  kNoContacts);
}

void PositionProjection::ReserveBatch(std::size_t batch) {
  batches_.resize(GrownSize(batch + 1, batches_.capacity()), kNoContacts);
}

void PositionProjection::End(const ProjectionParameters& parameters, double reach,
                             const ContactBatches& batches, std::size_t bodies) {
  parameters_ = parameters;
  reach_ = reach;
  shift_ = ShiftOf(batches.Kind());
  batches_.resize(batches.Colouring().Batches(), kNoContacts);
  displacements_.assign(bodies + 1, {});  // the padding body comes last
}

/// Replaces the gaps ξ by g. Marks the bodies of contacts with g < 0 or p > 0.
template <class Body>
void PositionProjection::Predict(ContactBatches& batches, std::vector<Body>& bodies) {
  SCREE_DEMAND(displacements_.size() == bodies.size() + 1);
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    displacements_[i].inverse_mass = bodies[i].inverse_mass;
  }
  bodies.emplace_back();  // the padding body
  is_pushed_.assign(bodies.size(), 0);
  const std::span<const ContactBatch> all = batches.All();
  const Double8 zero = {};
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (k + kAhead < all.size()) PrefetchBodies(all[k + kAhead], 0, bodies.data());
    if (k + kFarAhead < all.size()) PrefetchBatch(all[k + kFarAhead], batches_[k + kFarAhead]);
    const Double8 speed = NormalSpeed(batches, k, bodies.data());
    const Double8 gap = Fma(speed, zero + parameters_.dt, batches_[k].gap) + parameters_.slop;
    const Double8 partial_gap = parameters_.fraction * gap;
    const Double8 limited_gap = Select(partial_gap > -parameters_.max_correction, partial_gap,
                                       zero - parameters_.max_correction);
    const Int8 is_active = gap < reach_;
    batches_[k].gap = Select(is_active, Select(gap < zero, limited_gap, gap), zero + kFar);
    batches_[k].impulse = Select(is_active, batches_[k].impulse, zero);
    unsigned pushing_lanes = Bits((gap < zero) | (batches_[k].impulse > zero));
    for (; pushing_lanes != 0; pushing_lanes &= pushing_lanes - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(pushing_lanes));
      is_pushed_[IndexOf(all[k].a[lane])] = is_pushed_[IndexOf(all[k].b[lane])] = 1;
    }
  }
  // Unmarks walls: a marked wall would make the batches of all bodies that touch it active.
  for (std::size_t i = 0; i < bodies.size(); ++i) is_pushed_[i] &= bodies[i].inverse_mass > 0.0;
  bodies.pop_back();
}

/// Lists the active batches among first .. last - 1: the batches with a marked body.
void PositionProjection::ListActive(std::size_t first, std::size_t last,
                                    std::span<const ContactBatch> all) {
  first_active_.push_back(static_cast<std::uint32_t>(active_.size()));
  for (std::size_t k = first; k < last; ++k) {
    unsigned pushed = 0;
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      pushed |= is_pushed_[IndexOf(all[k].a[lane])] | is_pushed_[IndexOf(all[k].b[lane])];
    }
    if (pushed != 0) active_.push_back(static_cast<std::uint32_t>(k));
  }
}

/// Displaces the bodies of active batches first .. last - 1: by the starting p, or by the changes
/// of a relaxation. Prefetches the bodies of the next batches.
template <bool kIsStart, class DisplacedBody>
void PositionProjection::Move(std::size_t first, std::size_t last, ContactBatches& batches,
                              DisplacedBody* bodies) {
  const std::span<const ContactBatch> all = batches.All();
  const std::span<const ArmBatch> arms = batches.Arms();
  const int shift = std::is_same_v<DisplacedBody, RigidBody> ? 0 : shift_;
  for (std::size_t i = first; i < last; ++i) {
    if (i + kAhead < last) PrefetchBodies(all[active_[i + kAhead]], shift, bodies);
    if (i + kFarAhead < last) {
      const std::uint32_t far_batch = active_[i + kFarAhead];
      PrefetchBatch(all[far_batch], batches_[far_batch]);
    }
    const std::uint32_t k = active_[i];
    BatchOf<DisplacedBody> batch(all[k], ArmsOf(arms, k), shift, bodies);
    batch.Apply(kIsStart ? batches_[k].impulse : SolveGaps(all[k], batches_[k], batch.Opening()));
    batch.Store();
  }
}

/// Pipelined like the sweeps of BlockGaussSeidel: each sweep starts on a chunk as soon as the sweep
/// before it has finished all chunks that share a body with it. An additional first sweep applies
/// the starting p.
template <class DisplacedBody>
void PositionProjection::DoSweeps(const SweepOrder& order, BodySync<DisplacedBody>& sync,
                                  std::span<DisplacedBody> bodies, ContactBatches& batches) {
  constexpr int kDepth = 8;
  active_.clear();
  first_active_.clear();
  for (std::size_t p = 0; p < order.Chunks(); ++p) {
    ListActive(order.FirstOf(p), order.EndOf(p), batches.All());
  }
  first_active_.push_back(static_cast<std::uint32_t>(active_.size()));
  PipelinedExchange exchange(order, sync, bodies);
  RunWavefront<kDepth>(order, 1 + parameters_.sweeps, [&](int sweep, std::size_t p) {
    exchange.BeforeChunk(p);
    const std::size_t first = first_active_[p], last = first_active_[p + 1];
    sweep == 0 ? Move<true>(first, last, batches, bodies.data())
               : Move<false>(first, last, batches, bodies.data());
    exchange.AfterChunk(p);
  });
  exchange.Finish();
}

template <class DisplacedBody, class Body>
std::span<DisplacedBody> PositionProjection::BeginSweeps(ContactBatches& batches,
                                                         std::vector<Body>& bodies) {
  Predict(batches, bodies);
  if constexpr (std::is_same_v<DisplacedBody, RigidBody>) {
    rotated_.assign(bodies.begin(), bodies.end());
    for (RigidBody& body : rotated_) body.v = body.omega = Vec3::Zero();
    rotated_.emplace_back();  // the padding body
    return std::span(rotated_).first(bodies.size());
  } else {
    return std::span(displacements_).first(bodies.size());
  }
}

template <class DisplacedBody>
void PositionProjection::EndSweeps(std::span<const DisplacedBody> bodies) {
  if constexpr (std::is_same_v<DisplacedBody, RigidBody>) {
    for (std::size_t i = 0; i < bodies.size(); ++i) displacements_[i].d = bodies[i].v;
  }
}

template <class DisplacedBody, class Body>
void PositionProjection::Sweep(const SweepOrder& order, BodySync<DisplacedBody>& sync,
                               ContactBatches& batches, std::vector<Body>& bodies) {
  const std::span<DisplacedBody> real_bodies = BeginSweeps<DisplacedBody>(batches, bodies);
  sync.Start(real_bodies);
  DoSweeps(order, sync, real_bodies, batches);
  EndSweeps<DisplacedBody>(real_bodies);
}

template <class DisplacedBody, class Body>
void PositionProjection::SweepJacobi(std::size_t owned, const JacobiScratch& sides,
                                     BodySync<DisplacedBody>& sync, ContactBatches& batches,
                                     std::vector<Body>& bodies) {
  const std::span<DisplacedBody> real_bodies = BeginSweeps<DisplacedBody>(batches, bodies);
  const std::span<const ContactBatch> all = batches.All();
  const std::span<const ArmBatch> arms = batches.Arms();
  const int shift = std::is_same_v<DisplacedBody, RigidBody> ? 0 : shift_;
  changes_.resize(all.size());
  for (int sweep = 0; sweep <= parameters_.sweeps; ++sweep) {
    for (std::size_t k = 0; k < all.size(); ++k) {
      Double8 change = batches_[k].impulse;
      if (sweep > 0) {
        const BatchOf<DisplacedBody> batch(all[k], ArmsOf(arms, k), shift, real_bodies.data());
        change = SolveGaps(all[k], batches_[k], batch.Opening());
      }
      const auto& n = all[k].normal;
      changes_[k] = {change * n[0], change * n[1], change * n[2]};
    }
    MoveOwned(owned, sides, arms, real_bodies.data());
    sync.Gather(real_bodies);
  }
  EndSweeps<DisplacedBody>(real_bodies);
}

template void PositionProjection::Sweep(const SweepOrder&, BodySync<Displacement>&, ContactBatches&,
                                        std::vector<SphereBody>&);
template void PositionProjection::SweepJacobi(std::size_t, const JacobiScratch&,
                                              BodySync<Displacement>&, ContactBatches&,
                                              std::vector<SphereBody>&);
template void PositionProjection::Sweep(const SweepOrder&, BodySync<Displacement>&, ContactBatches&,
                                        std::vector<RigidBody>&);
template void PositionProjection::SweepJacobi(std::size_t, const JacobiScratch&,
                                              BodySync<Displacement>&, ContactBatches&,
                                              std::vector<RigidBody>&);
template void PositionProjection::Sweep(const SweepOrder&, BodySync<RigidBody>&, ContactBatches&,
                                        std::vector<RigidBody>&);
template void PositionProjection::SweepJacobi(std::size_t, const JacobiScratch&,
                                              BodySync<RigidBody>&, ContactBatches&,
                                              std::vector<RigidBody>&);

/// Displaces owned bodies by the changes of p at all their contacts.
template <class DisplacedBody>
void PositionProjection::MoveOwned(std::size_t owned, const JacobiScratch& sides,
                                   std::span<const ArmBatch> arms, DisplacedBody* bodies) const {
  for (std::size_t i = 0; i < owned; ++i) {
    Vec3 sum = Vec3::Zero(), moment = Vec3::Zero();
    for (Index s = sides.first_side[i]; s < sides.first_side[i + 1]; ++s) {
      const JacobiScratch::Side& side = sides.sides[static_cast<std::size_t>(s)];
      const auto [batch, lane] = side.slot;
      const Vec3 change = side.sign * LaneOf(changes_[batch], lane);
      sum += change;
      if constexpr (std::is_same_v<DisplacedBody, RigidBody>) {
        const Double8(&arm)[3] = side.sign > 0.0 ? arms[batch].a : arms[batch].b;
        moment += LaneOf({arm[0], arm[1], arm[2]}, lane).cross(change);
      }
    }
    bodies[i].*kDisplacement<DisplacedBody> += bodies[i].inverse_mass * sum;
    if constexpr (std::is_same_v<DisplacedBody, RigidBody>) {
      bodies[i].omega += bodies[i].InverseInertia() * moment;
    }
  }
}

std::size_t PositionProjection::Bytes() const {
  return batches_.capacity() * sizeof(ProjectionBatch) +
         (active_.capacity() + first_active_.capacity()) * sizeof(std::uint32_t) +
         displacements_.capacity() * sizeof(Displacement) +
         rotated_.capacity() * sizeof(RigidBody) + is_pushed_.capacity() +
         changes_.capacity() * sizeof(Vector3<Double8>);
}

}  // namespace scree
