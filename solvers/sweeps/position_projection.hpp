/// \file  Moves overlapping bodies apart without changing their velocities: the second stage of a
///        step.
///
/// With the velocities v' of the first stage a contact will have the gap
/// ξ' = ξ + dt n⋅(v'_a − v'_b). Bodies get displacements d, zero at first, by impulses p along the
/// normals alone,
///
///     0 ≤ pⱼ  ⊥  gⱼ + n⋅(d_a − d_b) ≥ 0,   d = M⁻¹ Σ ± n p,   x' = x + dt v' + d
///
///     g = ξ' + δ for ξ' ≥ −δ,   g = max(eps (ξ' + δ), −c) for ξ' < −δ
///
/// so that overlaps up to the slop δ stay. Of a larger overlap the fraction eps of its excess over
/// δ is removed, but at most c. Bodies may also be rotated, by rotation vectors φ,
///
///     φ = I⁻¹ Σ ± s × n p,   g + n⋅(d_a + φ_a × s_a − d_b − φ_b × s_b) ≥ 0
///
/// with the arms s. So a body that cannot translate, such as a block in a slot, rotates instead,
/// and a body that leans into a floor is not lifted off the edge on which it lies. d and φ are
/// discarded after the step. p starts from a fraction of its value in the last step, because in a
/// flow the velocity sweeps leave similar errors at the same contacts in each step. Sweeps of the
/// projection have no momentum.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "solvers/batches/contact_batches.hpp"
#include "solvers/sweeps/block_jacobi.hpp"
#include "solvers/sweeps/body_sync.hpp"
#include "solvers/sweeps/sweep_order.hpp"

namespace scree {

/// Fraction of the last step's p with which p starts [-]. It reduces the remaining overlap to a
/// fifth (solvers/README.md, Overlaps and rest). Fractions nearer to 1 let long modes oscillate.
inline constexpr double kProjectionMemory = 0.8;

/// The displacement of one body by the projection: half a cache line.
struct alignas(32) Displacement {
  Vec3 d = Vec3::Zero();      // [m]
  double inverse_mass = 0.0;  // w [1/kg]; 0 for a body that does not move
};
static_assert(sizeof(Displacement) == 32);

/// Sweeps of the projection store d in a DisplacedBody. This is a Displacement if bodies are only
/// translated. If they are also rotated, it is a RigidBody with d as v [m] and φ as omega [rad].
/// kDisplacement is the member that contains d.
template <class DisplacedBody>
inline constexpr Vec3 DisplacedBody::*kDisplacement = &DisplacedBody::d;
template <>
inline constexpr Vec3 RigidBody::*kDisplacement<RigidBody> = &RigidBody::v;

struct ProjectionParameters {
  int sweeps = 0;               // relaxations of every contact, ≥ 0
  double dt = 0.0;              // length of the step [s]
  double slop = 0.0;            // δ [m], ≥ 0
  double fraction = 1.0;        // eps, 0..1 [-]
  double max_correction = 0.0;  // c, largest reduction of an overlap in one step [m]
  bool rotates = false;         // whether bodies are also rotated (DisplacedBody is RigidBody)
};

/// Data of the projection for the contact batch with the same index.
struct ProjectionBatch {
  Double8 gap;      // ξ, then g [m]
  Double8 impulse;  // p [kg m]
};

/// The projection of one step. It uses the batches of the step's contact problem, after the solve.
class PositionProjection {
 public:
  /// Reserves memory for problems up to the capacity of the batches.
  /// @param is_jacobi  whether SweepJacobi will be called
  /// @param rotates    whether sweeps will rotate bodies too
  void Reserve(const ContactBatches& batches, std::size_t bodies, bool is_jacobi, bool rotates);

  /// Begins a step. Call SetContact for every contact, once it is in the batches, then End. Without
  /// End nothing is moved in this step.
  /// @param contacts  expected number of contacts
  void Begin(std::size_t contacts);
  /// @param gap   ξ of contact j at the beginning of the step [m]
  /// @param last  p of the last step; 0: unknown [kg m]
  void SetContact(const ContactBatches& batches, std::size_t j, double gap, double last) {
    const ContactSlot slot = batches.SlotOf(j);
    if (slot.batch >= batches_.size()) ReserveBatch(slot.batch);
    batches_[slot.batch].gap[slot.lane] = gap;
    batches_[slot.batch].impulse[slot.lane] = kProjectionMemory * last;
  }
  /// @param reach   contacts with a larger g are inactive [m]
  /// @param bodies  number of bodies
  void End(const ProjectionParameters& parameters, double reach, const ContactBatches& batches,
           std::size_t bodies);

  /// Gauss-Seidel, pipelined where the order allows; parameters as for BlockGaussSeidel. Only
  /// batches with a pushed body (is_pushed_) are active: a third in a dense flow. The steps of p
  /// are as long as those of λₙ. (Longer steps would move bodies too far, and no impulse pulls them
  /// back.)
  /// @param order   as BlockGaussSeidel left it for these batches
  /// @param sync    decides by its type whether bodies are also rotated (DisplacedBody)
  /// @param bodies  spheres or rigid bodies with the velocities v'; capacity for one more avoids an
  ///                allocation
  template <class DisplacedBody, class Body>
  void Sweep(const SweepOrder& order, BodySync<DisplacedBody>& sync, ContactBatches& batches,
             std::vector<Body>& bodies);
  /// Jacobi, with the same bits on any number of ranks; parameters as for BlockJacobi.
  /// @param sides  as BlockJacobi left them for these batches
  template <class DisplacedBody, class Body>
  void SweepJacobi(std::size_t owned, const JacobiScratch& sides, BodySync<DisplacedBody>& sync,
                   ContactBatches& batches, std::vector<Body>& bodies);

  /// One per body, and one for the padding body; empty if nothing was moved.
  std::span<const Displacement> Displacements() const { return displacements_; }
  /// The bodies with d as v and φ as omega, in the same order; empty if bodies were not rotated.
  std::span<const RigidBody> RotatedBodies() const { return rotated_; }
  /// p of contact j; 0 if nothing was moved [kg m]
  double Impulse(const ContactBatches& batches, std::size_t j) const {
    if (displacements_.empty()) return 0.0;
    const ContactSlot slot = batches.SlotOf(j);
    return batches_[slot.batch].impulse[slot.lane];
  }
  SCREE_INLINE void PrefetchImpulse(const ContactBatches& batches, std::size_t j) const {
    if (!displacements_.empty()) __builtin_prefetch(&batches_[batches.SlotOf(j).batch].impulse);
  }
  std::size_t Bytes() const;

 private:
  void ReserveBatch(std::size_t batch);
  template <class Body>
  void Predict(ContactBatches& batches, std::vector<Body>& bodies);
  /// Returns all bodies except the padding body, with zero displacements.
  template <class DisplacedBody, class Body>
  std::span<DisplacedBody> BeginSweeps(ContactBatches& batches, std::vector<Body>& bodies);
  template <class DisplacedBody>
  void EndSweeps(std::span<const DisplacedBody> bodies);
  void ListActive(std::size_t first, std::size_t last, std::span<const ContactBatch> all);
  /// Index of the body with this offset.
  std::size_t IndexOf(BodyOffset offset) const { return (offset >> shift_) / sizeof(Displacement); }
  template <class DisplacedBody>
  void MoveOwned(std::size_t owned, const JacobiScratch& sides, std::span<const ArmBatch> arms,
                 DisplacedBody* bodies) const;
  template <bool kIsStart, class DisplacedBody>
  void Move(std::size_t first, std::size_t last, ContactBatches& batches, DisplacedBody* bodies);
  template <class DisplacedBody>
  void DoSweeps(const SweepOrder& order, BodySync<DisplacedBody>& sync,
                std::span<DisplacedBody> bodies, ContactBatches& batches);

  ProjectionParameters parameters_;
  double reach_ = 0.0;
  int shift_ = 1;  // right shift from offsets of bodies to offsets of displacements [bits]
  std::vector<ProjectionBatch> batches_;
  std::vector<std::uint8_t> is_pushed_;  // one per body: 1 if it moves and one of its contacts has
                                         // p > 0 or g < 0
  std::vector<std::uint32_t> active_;    // numbers of the active batches, in sweep order
  std::vector<std::uint32_t> first_active_;  // first index in active_ of each chunk, then the end
  std::vector<Displacement> displacements_;
  std::vector<RigidBody> rotated_;
  std::vector<Vector3<Double8>> changes_;  // Jacobi: n Δp, one per batch
};

}  // namespace scree
