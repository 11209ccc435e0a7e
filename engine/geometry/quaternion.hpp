/// \file  Orientations as unit quaternions.
#pragma once

#include <cmath>

#include "solvers/base/types.hpp"

namespace scree {

/// Unit quaternion (w, x, y, z): rotates body axes to world axes.
struct Quaternion {
  double w = 1.0, x = 0.0, y = 0.0, z = 0.0;
  friend bool operator==(const Quaternion&, const Quaternion&) = default;
};

/// The rotation by b followed by the rotation by a.
inline Quaternion operator*(const Quaternion& a, const Quaternion& b) {
  return {
      a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
      a.w * b.y + a.y * b.w + a.z * b.x - a.x * b.z, a.w * b.z + a.z * b.w + a.x * b.y - a.y * b.x};
}

/// @pre q is not zero
inline Quaternion Normalized(const Quaternion& q) {
  const double scale = 1.0 / std::sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
  return {scale * q.w, scale * q.x, scale * q.y, scale * q.z};
}

/// R, which rotates vectors in body axes into world axes. Division by |q|² makes R orthogonal to
/// second order in the rounding error of q.
inline Mat3 RotationMatrix(const Quaternion& q) {
  const double scale = 2.0 / (q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
  Mat3 r;
  r << 1.0 - scale * (q.y * q.y + q.z * q.z), scale * (q.x * q.y - q.w * q.z),
      scale * (q.x * q.z + q.w * q.y),  //
      scale * (q.x * q.y + q.w * q.z), 1.0 - scale * (q.x * q.x + q.z * q.z),
      scale * (q.y * q.z - q.w * q.x),  //
      scale * (q.x * q.z - q.w * q.y), scale * (q.y * q.z + q.w * q.x),
      1.0 - scale * (q.x * q.x + q.y * q.y);
  return r;
}

/// Rotation by a rotation vector: |angle| [rad] about the direction of `angle`. It is computed by
/// series, so that all machines get the same bits.
inline Quaternion RotationBy(const Vec3& angle) {
  // q(a) = q(a/2)²: the angle is halved until the series is exact to the last bit.
  constexpr double kSmall = 0.25;  // upper limit of half the angle
  int halvings = 0;
  Vec3 half = 0.5 * angle;
  for (; half.squaredNorm() > kSmall * kSmall && halvings < 64; ++halvings) half *= 0.5;
  const double h = half.squaredNorm();
  const double sine =  // sin(x)/x
      1.0 - h / 6.0 * (1.0 - h / 20.0 * (1.0 - h / 42.0 * (1.0 - h / 72.0 * (1.0 - h / 110.0))));
  const double cosine =
      1.0 -
      h / 2.0 *
          (1.0 -
           h / 12.0 * (1.0 - h / 30.0 * (1.0 - h / 56.0 * (1.0 - h / 90.0 * (1.0 - h / 132.0)))));
  Quaternion q = {cosine, sine * half.x(), sine * half.y(), sine * half.z()};
  for (; halvings > 0; --halvings) q = q * q;
  return q;
}

/// The rotation vector of an orientation. Its length is the angle, which is ≤ π [rad].
inline Vec3 RotationVector(const Quaternion& orientation) {
  Quaternion q = Normalized(orientation);
  if (q.w < 0.0) q = {-q.w, -q.x, -q.y, -q.z};
  const Vec3 v(q.x, q.y, q.z);
  const double sine = v.norm();
  constexpr double kSmall = 1e-8;  // for smaller x, atan2(x, 1) = x to rounding
  return sine < kSmall ? Vec3(2.0 * v) : Vec3(2.0 * std::atan2(sine, q.w) / sine * v);
}

/// The opposite rotation. @pre q is a unit quaternion
inline Quaternion Inverse(const Quaternion& q) { return {q.w, -q.x, -q.y, -q.z}; }

}  // namespace scree
