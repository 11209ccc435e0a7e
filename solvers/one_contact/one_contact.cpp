#include "solvers/one_contact/one_contact.hpp"

#include <cmath>
#include <limits>

namespace scree {
namespace {

// Bound of the rounding error of about twelve operations per component.
constexpr double kVelocityRounding = 64.0 * std::numeric_limits<double>::epsilon();
constexpr double kSymmetryTolerance = 1e-9;  // printed matrices carry rounded digits

/// Multiplies every entry by 2ᵏ, which itself may be outside the range of a double.
template <class Matrix>
Matrix Scaled(const Matrix& matrix, int k) {
  return matrix.unaryExpr([k](double x) { return std::ldexp(x, k); });
}

/// Pivots of Cholesky's elimination. The NaN pivot of a zero matrix counts as not positive.
bool HasPositivePivots(const Mat3& a) {
  const double tt = a(1, 1) - a(0, 1) / a(0, 0) * a(0, 1);
  const double to = a(1, 2) - a(0, 1) / a(0, 0) * a(0, 2);
  const double oo = a(2, 2) - a(0, 2) / a(0, 0) * a(0, 2);
  return a(0, 0) > 0.0 && tt > 0.0 && oo - to / tt * to > 0.0;
}

}  // namespace

const char* Name(ContactLaw law) {
  return law == ContactLaw::kCoulomb ? "coulomb" : "max_dissipation";
}

const char* Name(ContactState state) {
  switch (state) {
    case ContactState::kSeparating:
      return "separating";
    case ContactState::kFrictionless:
      return "frictionless";
    case ContactState::kStick:
      return "stick";
    case ContactState::kSlip:
      return "slip";
    case ContactState::kZero:
      return "zero";
  }
  return "unknown";
}

Vec3 VelocityAfter(const OneContact& contact, const Vec3& x) {
  return contact.a.selfadjointView<Eigen::Upper>() * x - contact.b;
}

double Energy(const OneContact& contact, const Vec3& x) {
  return 0.5 * x.dot(VelocityAfter(contact, x) - contact.b);
}

NormalizedContact::NormalizedContact(const OneContact& original) : contact(original) {
  const double largest_a = original.a.diagonal().maxCoeff();
  const double largest_b = original.b.cwiseAbs().maxCoeff();
  if (largest_a > 0.0 && std::isfinite(largest_a)) exponent_a = std::ilogb(largest_a);
  if (largest_b > 0.0 && std::isfinite(largest_b)) exponent_b = std::ilogb(largest_b);
  contact.a = Scaled(original.a, -exponent_a);
  contact.b = Scaled(original.b, -exponent_b);
}

StickCandidate FindStick(const OneContact& contact) {
  const Mat3& a = contact.a;
  const Vec3& b = contact.b;
  // Computes L and D row by row, then solves L⋅y = b and, from the last row up, D⋅Lᵀ⋅x = y.
  const double l_t = a(0, 1) / a(0, 0), l_o = a(0, 2) / a(0, 0);
  const double d_t = a(1, 1) - l_t * a(0, 1);
  const double to = a(1, 2) - l_t * a(0, 2);
  const double l_to = to / d_t;
  const double d_o = a(2, 2) - l_o * a(0, 2) - l_to * to;
  const double y_t = b[1] - l_t * b[0];
  const double y_o = b[2] - l_o * b[0] - l_to * y_t;
  StickCandidate stick;
  stick.x[2] = y_o / d_o;
  stick.x[1] = y_t / d_t - l_to * stick.x[2];
  stick.x[0] = b[0] / a(0, 0) - l_t * stick.x[1] - l_o * stick.x[2];
  const double limit = contact.mu * stick.x[0];
  const double tangential = std::hypot(stick.x[1], stick.x[2]);
  stick.in_cone = stick.x[0] >= 0.0 && tangential <= limit;
  return stick;
}

bool IsSticking(const OneContact& contact, const Vec3& x) {
  const double terms = (contact.a.cwiseAbs() * x.cwiseAbs() + contact.b.cwiseAbs()).norm();
  return VelocityAfter(contact, x).tail<2>().norm() <= kVelocityRounding * terms;
}

OneContactSolution SolutionOf(const NormalizedContact& normalized, const Vec3& x,
                              ContactState state) {
  return {x, Energy(normalized.contact, x), state};
}

OneContactSolution Restore(const NormalizedContact& normalized,
                           const OneContactSolution& solution) {
  const int exponent_x = normalized.exponent_b - normalized.exponent_a;
  return {Scaled(solution.x, exponent_x),
          std::ldexp(solution.energy, normalized.exponent_b + exponent_x), solution.state};
}

const char* Defect(const OneContact& contact) {
  if (!contact.a.allFinite()) return "A has an entry that is not a finite number";
  if (!contact.b.allFinite()) return "b has an entry that is not a finite number";
  if (!std::isfinite(contact.mu)) return "mu is not a finite number";
  if (contact.mu < 0.0) return "mu is negative; a friction coefficient is at least 0";
  const double size = contact.a.cwiseAbs().maxCoeff();
  if ((contact.a - contact.a.transpose()).cwiseAbs().maxCoeff() > kSymmetryTolerance * size) {
    return "A is not symmetric";
  }
  if (!HasPositivePivots(contact.a)) return "A is not positive definite";
  return "";
}

}  // namespace scree
