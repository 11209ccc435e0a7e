/// \file  Relaxations of eight contacts by the general kernels, with the full blocks A: the setup
///        once per solve, then a solution per relaxation.
#pragma once

#include <cstdint>

#include "solvers/batches/batch_bodies.hpp"
#include "solvers/batches/contact_batch.hpp"
#include "solvers/batches/kernel_state.hpp"
#include "solvers/batches/wide_coulomb.hpp"
#include "solvers/batches/wide_max_dissipation.hpp"

namespace scree {

/// The right-hand side b = A λ − δv − bias n + u with the restitution slip u, in the coordinates of
/// kernel_state.hpp.
template <ContactLaw kLaw>
SCREE_INLINE Rhs8 RightHandSide(const ContactBatch& batch, const KernelState<kLaw>& kernel,
                                const Vector3<Double8>& delta_v) {
  const Double8 z = Fma(kernel.g[0], kernel.x.y1, Fma(kernel.g[1], kernel.x.y2, kernel.x.n));
  const Double8 biased_speed = Dot(NormalOf(batch), delta_v) + batch.bias;
  using Wide = WideKernel<kLaw>;
  const Double8 free1 = Fms(Wide::Eigenvalue1(kernel.shape), kernel.x.y1,
                            Dot(kernel.t1, delta_v) - kernel.restitution_slip[0]);
  const Double8 free2 = Fms(Wide::Eigenvalue2(kernel.shape), kernel.x.y2,
                            Dot(kernel.t2, delta_v) - kernel.restitution_slip[1]);
  return {Fms(kernel.nn, z, biased_speed), Fma(kernel.g[0], biased_speed, free1),
          Fma(kernel.g[1], biased_speed, free2)};
}

struct Relaxed8 {
  Vector3<Double8> impulse;   // λ* in world axes [N s]
  Coordinates8 change;        // change of the coordinates
  unsigned scalar_lanes = 0;  // lanes that SolveScalarLanes still has to solve
};

template <ContactLaw kLaw>
SCREE_INLINE Relaxed8 SolveByKernel(const ContactBatch& batch, KernelState<kLaw>& kernel,
                                    const Vector3<Double8>& delta_v) {
  const Solved8 solved =
      WideKernel<kLaw>::Solve(kernel.shape, kernel.kinds, kernel.inverse_nn, kernel.g,
                              batch.friction, RightHandSide(batch, kernel, delta_v));
  const auto& [n, y1, y2] = solved.x;
  Relaxed8 relaxed;
  relaxed.change = {n - kernel.x.n, y1 - kernel.x.y1, y2 - kernel.x.y2};
  const Vector3<Double8>&t1 = kernel.t1, &t2 = kernel.t2;
  relaxed.impulse = {Fma(n, batch.normal[0], Fma(y1, t1.x, y2 * t2.x)),
                     Fma(n, batch.normal[1], Fma(y1, t1.y, y2 * t2.y)),
                     Fma(n, batch.normal[2], Fma(y1, t1.z, y2 * t2.z))};
  relaxed.scalar_lanes = solved.scalar_lanes;
  kernel.x = solved.x;
  return relaxed;
}

/// y of tangential vectors x_T = T y, T having the columns t₁ and t₂.
struct Tangential8 {
  Double8 y1, y2;
};
SCREE_INLINE Tangential8 CoordinatesIn(const TangentBasis8& basis, const Double8& x_t,
                                       const Double8& x_o) {
  const Double8 inverse = 1.0 / Fms(basis.t1_t, basis.t2_o, basis.t1_o * basis.t2_t);
  return {Fms(x_t, basis.t2_o, x_o * basis.t2_t) * inverse,
          Fms(x_o, basis.t1_t, x_t * basis.t1_o) * inverse};
}

/// Makes the basis of a batch, and transforms its impulses to it.
template <class Body, ContactLaw kLaw>
SCREE_INLINE void SetUpKernel(const ContactBatch& batch, const BatchBodies<Body>& bodies,
                              KernelState<kLaw>& kernel) {
  const Double8 zero = {}, one = zero + 1.0;
  const Vector3<Double8> n = NormalOf(batch), impulse = ImpulseOf(batch);
  const Tangents8 tangents = TangentsOf(n);
  Block8 block = bodies.Block(n, tangents);
  // Where steps are shortened A is κ times as large; lanes without a contact get A = E, μ = 0.
  const Int8 is_used = batch.effective_mass > zero;
  const Double8 kappa = Select(is_used, one / (batch.effective_mass * block.nn), zero);
  block = {Select(is_used, kappa * block.nn, one),  Select(is_used, kappa * block.nt, zero),
           Select(is_used, kappa * block.no, zero), Select(is_used, kappa * block.tt, one),
           Select(is_used, kappa * block.to, zero), Select(is_used, kappa * block.oo, one)};
  TangentBasis8 basis;
  kernel.kinds = WideKernel<kLaw>::SetUp(block, batch.friction, basis, kernel.g, kernel.shape);
  kernel.nn = block.nn;
  kernel.inverse_nn = 1.0 / block.nn;
  const auto to_world = [&](const Double8& t, const Double8& o) -> Vector3<Double8> {
    return {Fma(t, tangents.t.x, o * tangents.o.x), Fma(t, tangents.t.y, o * tangents.o.y),
            Fma(t, tangents.t.z, o * tangents.o.z)};
  };
  kernel.t1 = to_world(basis.t1_t, basis.t1_o);
  kernel.t2 = to_world(basis.t2_t, basis.t2_o);
  const Vector3<Double8> restitution_slip = bodies.RestitutionSlip();
  kernel.restitution_slip = {Dot(kernel.t1, restitution_slip), Dot(kernel.t2, restitution_slip)};
  const Tangential8 y = CoordinatesIn(basis, Dot(impulse, tangents.t), Dot(impulse, tangents.o));
  kernel.x = {Dot(impulse, n), y.y1, y.y2};
}

/// In each lane the maximum of `largest` and ‖κ A Δλ‖², the squared change of relative velocity, in
/// which κ compensates for the shortened step [m²/s²].
/// @param skipped  lanes that do not count
template <ContactLaw kLaw>
SCREE_INLINE Double8 MaxSquaredChange(const KernelState<kLaw>& kernel, const Coordinates8& change,
                                      unsigned skipped, const Double8& largest) {
  const Double8 z = Fma(kernel.g[0], change.y1, Fma(kernel.g[1], change.y2, change.n));
  const Double8 normal = kernel.nn * z;
  using Wide = WideKernel<kLaw>;
  const Double8 w1 = Fma(kernel.g[0], normal, Wide::Eigenvalue1(kernel.shape) * change.y1);
  const Double8 w2 = Fma(kernel.g[1], normal, Wide::Eigenvalue2(kernel.shape) * change.y2);
  // w = Tᵀv_T, so ‖v_T‖² = w⋅(TᵀT)⁻¹w.
  const Double8 t11 = Dot(kernel.t1, kernel.t1), t12 = Dot(kernel.t1, kernel.t2),
                t22 = Dot(kernel.t2, kernel.t2);
  const Double8 tangential =
      Fma(w1, Fms(t22, w1, t12 * w2), w2 * Fms(t11, w2, t12 * w1)) / Fms(t11, t22, t12 * t12);
  const Double8 squared = Fma(normal, normal, tangential);
  const Int8 is_larger = (squared > largest) & ~MaskOf(skipped);
  return Select(is_larger, squared, largest);
}

/// Solves relaxed.scalar_lanes one after the other with the one-contact kernel.
/// @param[in,out] relaxed  receives the impulses of these lanes
/// @returns the largest ‖κ A Δλ‖ among them [m/s]
template <class Body, ContactLaw kLaw>
double SolveScalarLanes(const ContactBatch& batch, const ArmBatch* arms, const Body* bodies,
                        KernelState<kLaw>& kernel, Relaxed8& relaxed);

}  // namespace scree
