/// \file  Keeps remembered loads from acting like springs: a line search along the impulses of a
///        step.
///
/// A warm start begins with the loads of the last step, and a few sweeps cannot take them back
/// where they are no longer asked for: bodies leave with the work that is stored in them. Along λ
/// the energy of the step is a parabola,
///
///     E(s) = s c⋅λ + ½ s² ‖Wλ‖²,   c = Wᵀ v_free + b,
///     ‖Wλ‖² = Σ m |v' − v_free|² + I |ω' − ω_free|²
///
/// with its minimum at s* = 1 − λ⋅(δv' + b)/‖Wλ‖², which is 1 at a solution without slip, and with
/// E ≤ 0, so that contacts give no energy, for s* ≥ ½. Where s* is below kLeastLoad, loads are
/// scaled by it and swept once more: they then hold what the step asks for and no more. Cones hold,
/// and v' = v_free + M⁻¹ W λ does. In a flow and at rest s* is not below: nothing is changed.
///
/// Between a heavy free wall and light grains sweeps build loads up slowly. In steps with free
/// walls loads are scaled up, too, if s* is above kMostLoad, by as much at most.
#pragma once

#include "engine/particles/particles.hpp"
#include "engine/step/step_contacts.hpp"
#include "engine/step/step_setup.hpp"
#include "engine/step/step_solve.hpp"

namespace scree {

inline constexpr double kLeastLoad = 0.5, kMostLoad = 4.0;  // of s* [-]

/// Whether no additional law acts but those that grow with the loads, which can be scaled then.
bool AllLawsGrowWithLoads(const Scene& scene);

/// Whether steps search along their loads: with a warm start and a projection of positions, where
/// nothing but λ, and what grows with it, acts in contacts.
bool SearchesLoads(const StepSetup& setup);

/// False where a look at the bodies alone shows that contacts give no energy: so it is in most
/// steps of spheres with Gauss-Seidel, without free walls, shear and additional laws. Collective
/// where it looks at them.
bool MayGiveEnergy(const StepSetup& setup, const Particles& particles, const StepContacts& contacts,
                   const StepSolve& solve);

/// s* of the impulses as they are, the same bits on all ranks, and with mirrors on any number of
/// them; not below 0, and 1 without any. Collective.
/// @param bodies  with the velocities that the impulses give; room for one more
template <class Body>
double BestLoad(const StepSetup& setup, const Particles& particles, const StepContacts& contacts,
                StepSolve& solve, std::vector<Body>& bodies);

/// Scales the loads, and lets own bodies follow; others are stale afterwards.
template <class Body>
void ScaleLoads(const StepSetup& setup, const Particles& particles, double factor, StepSolve& solve,
                std::vector<Body>& bodies);

}  // namespace scree
