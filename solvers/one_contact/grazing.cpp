#include "solvers/one_contact/grazing.hpp"

#include <array>
#include <cmath>

#include "solvers/one_contact/rotated_contact.hpp"

namespace scree {
namespace {

// A ray u and its image Âu count as parallel if the sine of their angle is at most this.
constexpr double kParallel = 1e-14;

/// Unit tangential parts (t, o) of the rays on the friction cone, in the rotated frame.
struct Rays {
  explicit Rays(const RotatedContact& rotated, double mu) {
    if (rotated.m > 0.0) return;
    const double mu_h = mu * rotated.h;
    const double cosine = -rotated.nn / mu_h;
    const double sine = std::sqrt(-rotated.m * rotated.p) / mu_h;
    o = {-sine, sine};
    t = {cosine, cosine};
    count = rotated.m == 0.0 ? 1 : 2;
  }
  std::array<double, 2> t, o;
  int count = 0;
};

}  // namespace

Vec3 MinEnergyOnRays(const OneContact& contact) {
  const RotatedContact rotated(contact);
  const Rays rays(rotated, contact.mu);
  Vec3 best = Vec3::Zero();
  double best_energy = 0.0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(rays.count); ++i) {
    const double t = rays.t[i], o = rays.o[i];
    const double product = t * rotated.b_t + o * rotated.b_o;
    const double curvature = t * t * rotated.tt + 2.0 * t * o * rotated.to + o * o * rotated.oo;
    const double r = product / curvature;
    const double energy = -0.5 * r * product;
    if (r > 0.0 && energy < best_energy) {
      best_energy = energy;
      best = rotated.RotateBack(r / contact.mu, r * t, r * o);
    }
  }
  return best;
}

SlipList CoulombSlipsOnRays(const OneContact& contact) {
  const RotatedContact rotated(contact);
  const Rays rays(rotated, contact.mu);
  SlipList slips;
  for (std::size_t i = 0; i < static_cast<std::size_t>(rays.count); ++i) {
    // r Âu + s u = b̂ with r > 0 and s ≥ 0: the velocity rÂu − b̂ = −su opposes the impulse ru.
    const double t = rays.t[i], o = rays.o[i];
    const double image_t = rotated.tt * t + rotated.to * o;
    const double image_o = rotated.to * t + rotated.oo * o;
    const double determinant = image_t * o - image_o * t;
    if (std::abs(determinant) <= kParallel * std::hypot(image_t, image_o)) continue;
    const double r = (rotated.b_t * o - rotated.b_o * t) / determinant;
    const double s = (image_t * rotated.b_o - image_o * rotated.b_t) / determinant;
    if (r > 0.0 && s >= 0.0) {
      slips.values[static_cast<std::size_t>(slips.count++)] =
          rotated.RotateBack(r / contact.mu, r * t, r * o);
    }
  }
  return slips;
}

}  // namespace scree
