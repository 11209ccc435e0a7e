#include "solvers/one_contact/contact_block.hpp"

#include <cmath>

namespace scree {
namespace {

Mat3 CrossMatrix(const Vec3& r) {
  Mat3 m;
  m << 0.0, -r[2], r[1], r[2], 0.0, -r[0], -r[1], r[0], 0.0;
  return m;
}

Mat3 Mobility(const BodyInertia& body, const Vec3& arm) {
  const Mat3 cross = CrossMatrix(arm);
  return body.inverse_mass * Mat3::Identity() - cross * body.inverse_inertia * cross;
}

}  // namespace

Mat3 InverseInertiaInWorld(const Mat3& inverse_inertia_in_body, const Mat3& rotation) {
  return rotation * inverse_inertia_in_body * rotation.transpose();
}

Mat3 ContactFrame(const Vec3& n) {
  // Frisvad's frame in the branchless form of Duff et al., Building an orthonormal basis, revisited
  // (2017). It needs no normalisation and no choice of an axis.
  const double sign = std::copysign(1.0, n[2]);
  const double a = -1.0 / (sign + n[2]);
  const double b = n[0] * n[1] * a;
  Mat3 frame;
  frame.col(0) = n;
  frame.col(1) = Vec3(1.0 + sign * n[0] * n[0] * a, sign * b, -sign * n[0]);
  frame.col(2) = Vec3(b, sign + n[1] * n[1] * a, -n[1]);
  return frame;
}

Mat3 OddContactFrame(const Vec3& n) {
  const double last = n[2] != 0.0 ? n[2] : n[1] != 0.0 ? n[1] : n[0];
  const double sign = last < 0.0 ? -1.0 : 1.0;
  const double a = -1.0 / (sign + n[2]);
  const double b = n[0] * n[1] * a;
  Mat3 frame;
  frame.col(0) = n;
  frame.col(1) = Vec3(sign + n[0] * n[0] * a, b, -n[0]);
  frame.col(2) = Vec3(b, sign + n[1] * n[1] * a, -n[1]);
  return frame;
}

Mat3 ContactBlock(const Mat3& frame, const BodyInertia& a, const Vec3& arm_a, const BodyInertia& b,
                  const Vec3& arm_b) {
  const Mat3 block = frame.transpose() * (Mobility(a, arm_a) + Mobility(b, arm_b)) * frame;
  return 0.5 * (block + block.transpose());  // rounding breaks the symmetry that the kernels use
}

}  // namespace scree
