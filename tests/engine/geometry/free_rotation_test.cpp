// The torque-free top against its solution in Jacobi's elliptic functions (L. D. Landau, E. M.
// Lifshitz, Mechanics, § 37), and what does not change.
#include "engine/geometry/free_rotation.hpp"

#include <gtest/gtest.h>

#include <boost/math/special_functions/jacobi_elliptic.hpp>
#include <cmath>

#include "tests/support/draw.hpp"

namespace scree::free_rotation_test {
namespace {

using test::Draw;

const Vec3 kMoments(1.0, 2.0, 2.7);

/// ω in body axes at the time t of a top that at time 0 has none about its middle axis.
/// @pre first and third component > 0
Vec3 Elliptic(const Vec3& moments, const Vec3& omega, double t) {
  const double energy = moments.dot(omega.cwiseAbs2());  // twice
  const double square = moments.cwiseProduct(omega).squaredNorm();
  // The axis about which it turns is the first or the third.
  const int k = square > energy * moments[1] ? 2 : 0, l = 2 - k;
  const double of_l = std::abs(energy * moments[k] - square);
  const double of_k = std::abs(square - energy * moments[l]);
  const double middle = std::abs(moments[k] - moments[1]), all = std::abs(moments[2] - moments[0]);
  const double modulus = std::sqrt(std::abs(moments[1] - moments[l]) * of_l / (middle * of_k));
  const double time = t * std::sqrt(middle * of_k / moments.prod());
  double cn = 0.0, dn = 0.0;
  const double sn = boost::math::jacobi_elliptic(modulus, time, &cn, &dn);
  Vec3 now;
  now[l] = std::sqrt(of_l / (moments[l] * all)) * cn;
  now[1] = std::sqrt(of_l / (moments[1] * middle)) * sn;
  now[k] = std::sqrt(of_k / (moments[k] * all)) * dn;
  return now;
}

Quaternion Turned(Draw& draw) { return RotationBy(draw.Vector(3.0)); }

/// Error of ω in principal axes after some ten turns.
double ErrorOfTop(const Vec3& omega_in_body, int steps) {
  Draw draw(1);
  const PrincipalInertia inertia = {kMoments, Turned(draw)};
  Quaternion q = Turned(draw);
  Vec3 omega = RotationMatrix(q * inertia.axes) * omega_in_body;
  const double time = 20.0 * 3.14159 / omega.norm();
  for (int k = 0; k < steps; ++k) RotateFreely(inertia, time / steps, q, omega);
  const Vec3 in_body = RotationMatrix(q * inertia.axes).transpose() * omega;
  return (in_body - Elliptic(kMoments, omega_in_body, time)).norm() / omega.norm();
}

TEST(FreeRotation, AsJacobisEllipticFunctionsToSecondOrder) {
  for (const Vec3& omega : {Vec3(2.0, 0.0, 0.3), Vec3(0.3, 0.0, 2.0),
                            // Passes close by the middle axis, about which it is unstable.
                            Vec3(1.0, 0.0, 0.6485)}) {
    const double coarse = ErrorOfTop(omega, 1000), fine = ErrorOfTop(omega, 2000);
    EXPECT_LT(coarse, 0.02) << omega.transpose();
    EXPECT_GT(coarse, 1e-9) << omega.transpose();
    EXPECT_NEAR(coarse / fine, 4.0, 0.4) << omega.transpose();
  }
}

TEST(FreeRotation, AngularMomentumAndEnergyOverManySteps) {
  Draw draw(2);
  for (int trial = 0; trial < 4; ++trial) {
    const PrincipalInertia inertia = {kMoments, Turned(draw)};
    Quaternion q = Turned(draw);
    Vec3 omega = draw.Direction();
    const Vec3 momentum = inertia.AngularMomentum(q, omega);
    const double energy = momentum.dot(omega);
    double most = 0.0;
    for (int k = 0; k < 100'000; ++k) {
      RotateFreely(inertia, 0.02, q, omega);
      most = std::max(most, std::abs(momentum.dot(omega) / energy - 1.0));
    }
    EXPECT_LT((inertia.AngularMomentum(q, omega) - momentum).norm(), 1e-13 * momentum.norm());
    EXPECT_LT(most, 1e-4);  // does not grow with the number of steps
  }
}

TEST(FreeRotation, TwoEqualMomentsTurnExactly) {
  for (const Vec3& moments : {Vec3(1.0, 1.0, 1.7), Vec3(1.0, 2.0, 2.0), Vec3(1.3, 1.3, 1.3)}) {
    Draw draw(3);
    const PrincipalInertia inertia = {moments, Turned(draw)};
    const Quaternion start = Turned(draw);
    const Vec3 spin = draw.Direction();
    Quaternion once = start, often = start;
    Vec3 omega_once = spin, omega_often = spin;
    RotateFreely(inertia, 3.0, once, omega_once);
    for (int k = 0; k < 64; ++k) RotateFreely(inertia, 3.0 / 64, often, omega_often);
    EXPECT_LT((omega_once - omega_often).norm(), 1e-13);
    EXPECT_LT((RotationMatrix(once) - RotationMatrix(often)).norm(), 1e-13);
    EXPECT_GT((RotationMatrix(once) - RotationMatrix(start)).norm(), 0.1);
  }
}

TEST(FreeRotation, ATurnAtOnceKeepsTheAngularMomentum) {
  Draw draw(4);
  for (const Vec3& moments : {Vec3(1.0, 1.3, 1.9), Vec3(1.0, 1.0, 1.0)}) {
    const PrincipalInertia inertia = {moments, Turned(draw)};
    const Quaternion start = Turned(draw);
    const Vec3 phi = draw.Vector(0.3), spin = draw.Direction();
    Quaternion q = start;
    Vec3 omega = spin;
    TurnAtOnce(inertia, phi, q, omega);
    EXPECT_LT((RotationMatrix(q) - RotationMatrix(RotationBy(phi) * start)).norm(), 1e-15);
    EXPECT_LT((inertia.AngularMomentum(q, omega) - inertia.AngularMomentum(start, spin)).norm(),
              1e-14);
  }
}

TEST(FreeRotation, ASphereTurnsAboutItsAngularVelocity) {
  const PrincipalInertia inertia = {Vec3::Constant(0.4), {}};
  Quaternion q;
  Vec3 omega(0.0, 0.0, 2.0);
  RotateFreely(inertia, 0.5, q, omega);
  EXPECT_NEAR(q.w, std::cos(0.5), 1e-15);
  EXPECT_NEAR(q.z, std::sin(0.5), 1e-15);
  EXPECT_LT((omega - Vec3(0.0, 0.0, 2.0)).norm(), 1e-15);
}

}  // namespace
}  // namespace scree::free_rotation_test
