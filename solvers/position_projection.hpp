/// \file  Moves overlapping spheres apart without touching their velocities: the second stage of a
///        step.
///
/// With the velocities v' of the first stage a contact will have the gap ξ' = ξ + dt δv'ₙ. Bodies
/// get displacements d, which begin at zero and are forgotten after the step, by impulses pⱼ along
/// the normals alone:
///
///     0 ≤ pⱼ  ⊥  gⱼ + n⋅(d_a − d_b) ≥ 0,   d = M⁻¹ Σ ± n p,   x' = x + dt v' + d
///
/// where g = ξ' + s, and a share of it where this is negative: overlaps up to the slop s stay.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "solvers/block_jacobi.hpp"
#include "solvers/body_sync.hpp"
#include "solvers/contact_batches.hpp"
#include "solvers/contact_problem.hpp"

namespace scree {

/// How far the projection moves one body: half a cache line.
struct alignas(32) Displacement {
  Vec3 d = Vec3::Zero();      // [m]
  double inverse_mass = 0.0;  // w [1/kg]; 0 for a body that stays where it is
};
static_assert(sizeof(Displacement) == 32);

struct ProjectionParameters {
  int sweeps = 3;     // relaxations of every contact per step, ≥ 0
  double slop = 0.0;  // s, an overlap that may stay [m], ≥ 0
  double share = 1.0;  // of what an overlap is beyond the slop, removed in one step, 0..1 [-]
  double relaxation = 1.0;  // ω, over-relaxation of the impulses, 0 < ω < 2 [-]
};

/// What the projection adds to the batch of eight contacts of the same number.
struct ProjectionBatch {
  Double8 gap;      // ξ, then g [m]
  Double8 impulse;  // p [kg m]
};

/// The projection of one step, on the batches of its contact problem.
class PositionProjection {
 public:
  /// Makes room for so many batches and bodies.
  void Reserve(std::size_t batches, std::size_t bodies);

  /// Begins a step.
  void Begin(const ContactBatches& batches);
  /// Gap of a contact at the beginning of the step [m].
  void SetGap(ContactBatches::Slot slot, double gap) {
    batches_[slot.batch].gap[slot.lane] = gap;
  }

  /// Removes overlaps.
  /// @param bodies  with the velocities of the step
  void Sweep(const ProjectionParameters& parameters, double dt, std::size_t shared,
             BodySync<Displacement>& sync, ContactBatches& batches,
             std::vector<SphereBody>& bodies);
  void SweepJacobi(const ProjectionParameters& parameters, double dt, std::size_t own,
                   const JacobiScratch& sides, BodySync<Displacement>& sync,
                   ContactBatches& batches, std::vector<SphereBody>& bodies);

  /// One per body; empty: nothing was moved.
  std::span<const Displacement> Displacements() const { return displacements_; }

 private:
  void Predict(const ProjectionParameters& parameters, double dt, ContactBatches& batches,
               std::vector<SphereBody>& bodies);

  std::vector<ProjectionBatch> batches_;
  std::vector<std::uint32_t> active_;   // numbers of the batches that take part, ascending
  std::vector<std::size_t> first_;      // of each piece: its first in active_; one more at the end
  std::vector<Displacement> displacements_;
  std::vector<Vector3<Double8>> changes_;  // Jacobi: n (p* − p), one per batch
};

}  // namespace scree
