/// \file  The problem of a single contact with all other impulses fixed, and its solution.
///
/// Convention of all one-contact kernels: the contact frame is (n, t, o), orthonormal, n pointing
/// from body b to body a; the impulse x acts on a, −x on b; v = A⋅x − b is the velocity of a minus
/// that of b at the contact after the impulse, v_n > 0 separates.
#pragma once

#include "solvers/base/types.hpp"

namespace scree {

/// The problem to minimise E(x) = ½ x⋅A⋅x − x⋅b over the cone ‖(x_t, x_o)‖ ≤ μ x_n with
/// 0 ≤ x_n ⊥ v_n ≥ 0 and a_n⋅x ≥ 0, where a_n is the first row of A.
struct OneContact {
  Mat3 a = Mat3::Identity();  // A, symmetric positive definite [1/kg]; the upper triangle is read
  Vec3 b = Vec3::Zero();  // minus the contact velocity without this impulse, bias included [m/s]
  double mu = 0.0;        // friction coefficient μ, ≥ 0 [-]
};

/// The direction that the tangential velocity of a slipping contact opposes.
enum class ContactLaw {
  kMaxDissipation,  // the outward normal of the feasible set: least energy
  kCoulomb,         // the friction impulse
};

const char* Name(ContactLaw law);

enum class ContactState {
  kSeparating,    // b_n < 0: no impulse
  kFrictionless,  // μ = 0
  kStick,         // v = 0
  kSlip,          // on the cone
  kZero,          // b_n = 0 and no impulse dissipates
};

const char* Name(ContactState state);

struct OneContactSolution {
  Vec3 x = Vec3::Zero();  // impulse [N s]
  double energy = 0.0;    // E(x), the change of kinetic energy if b contains no bias [J]
  ContactState state = ContactState::kSeparating;
};

/// E(x) = ½ x⋅A⋅x − x⋅b [J].
double Energy(const OneContact& contact, const Vec3& x);

/// v = A⋅x − b [m/s].
Vec3 VelocityAfter(const OneContact& contact, const Vec3& x);

/// The problem in units in which A and b are of order one, even if their numbers are subnormal. The
/// units are powers of two, so that scaling does not round: the solutions for (A, b) and (2ᵏA, 2ˡb)
/// differ only in the exponent.
struct NormalizedContact {
  explicit NormalizedContact(const OneContact& contact);

  OneContact contact;
  // log₂ of the units of A and b.
  int exponent_a = 0, exponent_b = 0;
};

/// The sticking impulse x₀ = A⁻¹⋅b, and whether it is in the cone. Rounding in the factors
/// A = L⋅D⋅Lᵀ leaves a velocity A⋅x₀ − b of a few eps (|A||x₀| + |b|), whatever the condition
/// number of A.
struct StickCandidate {
  Vec3 x = Vec3::Zero();
  bool in_cone = false;
};
StickCandidate FindStick(const OneContact& contact);

/// Whether the tangential velocity after x is below the rounding error of its terms, so that its
/// direction has no meaning. This happens on the border between stick and slip.
bool IsSticking(const OneContact& contact, const Vec3& x);

/// The solution with this impulse of the normalised problem: computes its energy.
OneContactSolution SolutionOf(const NormalizedContact& normalized, const Vec3& x,
                              ContactState state);
/// The solution of the problem from which `normalized` was made. The energy itself is scaled:
/// computed from the scaled impulse it would underflow earlier, because it contains squares.
OneContactSolution Restore(const NormalizedContact& normalized, const OneContactSolution& solution);
inline OneContactSolution Restore(const NormalizedContact& normalized, const Vec3& x,
                                  ContactState state) {
  return Restore(normalized, SolutionOf(normalized, x, state));
}

/// The reason why A is not symmetric positive definite, b not finite or μ out of range; empty if
/// valid. Use it to check external input, because the kernels do not check.
const char* Defect(const OneContact& contact);

}  // namespace scree
