#include "solvers/one_contact/grazing.hpp"

#include <array>
#include <cmath>

#include "solvers/one_contact/turned_contact.hpp"

namespace scree {
namespace {

// A ray and its image count as parallel if the sine of their angle is at most this.
constexpr double kParallel = 1e-14;

/// Unit vectors along the rays, in the tangential plane of the rotated frame.
struct Rays {
  explicit Rays(const RotatedContact& turned, double mu) {
    if (turned.m > 0.0) return;
    const double reach = mu * turned.h;
    const double cosine = -turned.nn / reach;
    const double sine = std::sqrt(-turned.m * turned.p) / reach;
    o = {-sine, sine};
    t = {cosine, cosine};
    count = turned.m == 0.0 ? 1 : 2;
  }
  std::array<double, 2> t, o;
  int count = 0;
};

}  // namespace

Vec3 MinEnergyOnRays(const OneContact& contact) {
  const RotatedContact turned(contact);
  const Rays rays(turned, contact.mu);
  Vec3 best = Vec3::Zero();
  double best_energy = 0.0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(rays.count); ++i) {
    const double t = rays.t[i], o = rays.o[i];
    const double along = t * turned.b_t + o * turned.b_o;
    const double stiffness = t * t * turned.tt + 2.0 * t * o * turned.to + o * o * turned.oo;
    const double r = along / stiffness;
    const double energy = -0.5 * r * along;
    if (r > 0.0 && energy < best_energy) {
      best_energy = energy;
      best = turned.RotateBack(r / contact.mu, r * t, r * o);
    }
  }
  return best;
}

SlipList CoulombSlipsOnRays(const OneContact& contact) {
  const RotatedContact turned(contact);
  const Rays rays(turned, contact.mu);
  SlipList slips;
  for (std::size_t i = 0; i < static_cast<std::size_t>(rays.count); ++i) {
    // r Âu + s u = b̂ with r > 0 and s ≥ 0: the velocity rÂu − b̂ = −su opposes the impulse ru.
    const double t = rays.t[i], o = rays.o[i];
    const double image_t = turned.tt * t + turned.to * o;
    const double image_o = turned.to * t + turned.oo * o;
    const double determinant = image_t * o - image_o * t;
    if (std::abs(determinant) <= kParallel * std::hypot(image_t, image_o)) continue;
    const double r = (turned.b_t * o - turned.b_o * t) / determinant;
    const double s = (image_t * turned.b_o - image_o * turned.b_t) / determinant;
    if (r > 0.0 && s >= 0.0) {
      slips.values[static_cast<std::size_t>(slips.count++)] =
          turned.RotateBack(r / contact.mu, r * t, r * o);
    }
  }
  return slips;
}

}  // namespace scree
