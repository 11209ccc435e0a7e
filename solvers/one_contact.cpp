#include "solvers/one_contact.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace scree {
namespace {

// Of a dozen rounded operations per component.
constexpr double kVelocityRounding = 64.0 * std::numeric_limits<double>::epsilon();
constexpr double kSymmetryTolerance = 1e-9;  // printed matrices carry rounded digits

/// Greatest power of two that is not above x, for normal x > 0.
double PowerOfTwo(double x) {
  constexpr std::uint64_t kExponentBits = 0x7FF0'0000'0000'0000;
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) & kExponentBits);
}

/// By Cholesky's elimination; a NaN pivot, of a zero matrix, counts as not positive.
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
  const double scale_a = PowerOfTwo(original.a.diagonal().maxCoeff());
  const double largest_b = original.b.cwiseAbs().maxCoeff();
  const double scale_b = largest_b > 0.0 ? PowerOfTwo(largest_b) : 1.0;
  contact.a *= 1.0 / scale_a;
  contact.b *= 1.0 / scale_b;
  impulse_scale = scale_b / scale_a;
}

StickCandidate FindStick(const OneContact& contact) {
  const Mat3& a = contact.a;
  const Vec3& b = contact.b;
  const double nn = 1.0 / a(0, 0);
  const double tt = a(1, 1) - nn * a(0, 1) * a(0, 1);
  const double to = a(1, 2) - nn * a(0, 1) * a(0, 2);
  const double oo = a(2, 2) - nn * a(0, 2) * a(0, 2);
  const double b_t = b[1] - nn * a(0, 1) * b[0];
  const double b_o = b[2] - nn * a(0, 2) * b[0];
  const double inverse = 1.0 / (tt * oo - to * to);
  StickCandidate stick;
  stick.x[1] = inverse * (oo * b_t - to * b_o);
  stick.x[2] = inverse * (tt * b_o - to * b_t);
  stick.x[0] = nn * (b[0] - a(0, 1) * stick.x[1] - a(0, 2) * stick.x[2]);
  const double limit = contact.mu * stick.x[0];
  const double squared = stick.x[1] * stick.x[1] + stick.x[2] * stick.x[2];
  stick.in_cone = stick.x[0] >= 0.0 && squared <= limit * limit;
  return stick;
}

bool Sticks(const OneContact& contact, const Vec3& x) {
  const double terms = (contact.a.cwiseAbs() * x.cwiseAbs() + contact.b.cwiseAbs()).norm();
  return VelocityAfter(contact, x).tail<2>().norm() <= kVelocityRounding * terms;
}

OneContactSolution Restore(const OneContact& original, const NormalizedContact& normalized,
                           const Vec3& x, ContactState state) {
  OneContactSolution solution;
  solution.x = normalized.impulse_scale * x;
  solution.energy = Energy(original, solution.x);
  solution.state = state;
  return solution;
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
