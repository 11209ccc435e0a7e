#include "engine/geometry/free_rotation.hpp"

namespace scree {
namespace {

/// L is found from ω and ω from L in every step: rounded to double, R is a little off a rotation,
/// by the same for long, and L would drift by 1e-12 in 1e5 steps.
using Long = long double;
using LongVec3 = Eigen::Matrix<Long, 3, 1>;
using LongMat3 = Eigen::Matrix<Long, 3, 3>;

LongMat3 PrincipalAxes(const PrincipalInertia& inertia, const Quaternion& orientation) {
  const auto extended = [](const Quaternion& q) {
    return Eigen::Quaternion<Long>(q.w, q.x, q.y, q.z);
  };
  const Eigen::Quaternion<Long> q = extended(orientation) * extended(inertia.axes);
  return q.normalized().toRotationMatrix();
}

}  // namespace

void RotateFreely(const PrincipalInertia& inertia, double t, Quaternion& orientation, Vec3& omega) {
  const Vec3& moments = inertia.moments;
  if (moments[0] == moments[2]) {  // ω is constant
    orientation = Normalized(RotationBy(t * omega) * orientation);
    return;
  }
  const LongVec3 long_moments = moments.cast<Long>();
  const LongMat3 before = PrincipalAxes(inertia, orientation);
  const LongVec3 start = long_moments.cwiseProduct(before.transpose() * omega.cast<Long>());
  const LongVec3 momentum = before * start;

  Quaternion q = orientation * inertia.axes;
  Vec3 in_body = start.cast<double>();
  const auto turn = [&](int axis, double time) {
    const double rate = (1.0 / moments[axis] - 1.0 / moments[1]) * in_body[axis];
    if (rate == 0.0) return;
    const Quaternion part = RotationBy(rate * time * Vec3::Unit(axis));
    q = q * part;
    in_body = RotationMatrix(part).transpose() * in_body;
  };
  turn(0, 0.5 * t);
  turn(2, t);
  turn(0, 0.5 * t);
  q = RotationBy(t / moments[1] * momentum.cast<double>()) * q;
  const Quaternion& p = inertia.axes;
  orientation = Normalized(q * Quaternion{p.w, -p.x, -p.y, -p.z});

  const LongMat3 after = PrincipalAxes(inertia, orientation);
  const LongVec3 turned = after.transpose() * momentum;
  omega = (after * turned.cwiseQuotient(long_moments)).cast<double>();
}

void TurnAtOnce(const PrincipalInertia& inertia, const Vec3& phi, Quaternion& orientation,
                Vec3& omega) {
  const Vec3 momentum = inertia.AngularMomentum(orientation, omega);
  orientation = Normalized(RotationBy(phi) * orientation);
  if (inertia.moments[0] == inertia.moments[2]) return;  // ω is constant
  omega = inertia.InverseInWorld(orientation) * momentum;
}

}  // namespace scree
