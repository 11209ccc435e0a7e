/// \file  Random single-contact problems: generic problems, and problems near each border of the
///        decision tree.
#pragma once

#include <cmath>
#include <random>

#include "solvers/one_contact/one_contact.hpp"
#include "tests/support/seed.hpp"

namespace scree::test {

enum class ContactKind {
  kGeneric,          // b_n > 0
  kGrazing,          // b_n = 0
  kAlmostGrazing,    // b_n from 1e-16 to 1e-1 of |b|
  kAlmostParabolic,  // μ within 1e-16 to 1e-1 (relative) of Aₙₙ/‖(A_nt, A_no)‖, or on it
  kAlmostSticking,   // A⁻¹⋅b within 1e-16 to 1e-1 of the cone's surface
  kSphere,           // A = diag(a, c, c)
};
inline constexpr int kContactKinds = 6;

class RandomContacts {
 public:
  /// @param stream  see SeedOf
  explicit RandomContacts(std::uint64_t stream) : engine_(SeedOf(stream)) {}

  /// @param decades  log₁₀ of the largest condition number
  OneContact Draw(ContactKind kind, double decades);

 private:
  double Uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(engine_);
  }
  double LogUniform(double low, double high) { return std::pow(10.0, Uniform(low, high)); }
  double Sign() { return Uniform(-1.0, 1.0) < 0.0 ? -1.0 : 1.0; }
  Vec3 Gaussian();
  Mat3 SpdMatrix(double decades);

  std::mt19937_64 engine_;
};

}  // namespace scree::test
