// The torque-free top, compared with its solution in Jacobi's elliptic functions (L. D. Landau, E.
// M. Lifshitz, Mechanics, § 37), and its conserved quantities.
#include "engine/geometry/free_rotation.hpp"

#include <gtest/gtest.h>

#include <boost/math/special_functions/jacobi_elliptic.hpp>
#include <cmath>
#include <vector>

#include "tests/support/draw.hpp"

namespace scree::free_rotation_test {
namespace {

using test::Draw;

const Vec3 kMoments(1.0, 2.0, 2.7);

/// ω in body axes at the time t of a top whose ω about the middle axis is zero at time 0. Uses long
/// doubles because the closed form loses digits for nearly symmetric bodies and near the middle
/// axis.
/// @pre start[0] > 0, start[1] = 0, start[2] > 0
Vec3 ExactAngularVelocity(const Vec3& principal_moments, const Vec3& start, double t) {
  using Long = long double;
  using LongVec3 = Eigen::Matrix<Long, 3, 1>;
  const LongVec3 moments = principal_moments.cast<Long>(), omega = start.cast<Long>();
  // The motion is about the first or the third axis, depending on the sign of 2 E I₂ − L².
  const Long towards_first = moments[0] * (moments[1] - moments[0]) * omega[0] * omega[0];
  const Long towards_third = moments[2] * (moments[2] - moments[1]) * omega[2] * omega[2];
  const int k = towards_third > towards_first ? 2 : 0, l = 2 - k;
  const Long i_31 = moments[2] - moments[0];  // I₃ − I₁
  const Long term_l = moments[l] * i_31 * omega[l] * omega[l];
  const Long term_k = moments[k] * i_31 * omega[k] * omega[k];
  const Long i_k2 = std::abs(moments[k] - moments[1]);  // |I_k − I₂|
  const Long modulus = std::sqrt(std::abs(moments[1] - moments[l]) * term_l / (i_k2 * term_k));
  const Long time = t * std::sqrt(i_k2 * term_k / moments.prod());
  Long cn = 0.0, dn = 0.0;
  const Long sn = boost::math::jacobi_elliptic(modulus, time, &cn, &dn);
  Vec3 omega_body;
  omega_body[l] = static_cast<double>(omega[l] * cn);
  omega_body[1] = static_cast<double>(std::sqrt(term_l / (moments[1] * i_k2)) * sn);
  omega_body[k] = static_cast<double>(omega[k] * dn);
  return omega_body;
}

Quaternion RandomOrientation(Draw& draw) { return RotationBy(draw.Vector(3.0)); }

/// Angular velocities in body axes without a middle component: near the first axis, near the third
/// axis, and close to the separatrix, where the motion comes near the unstable middle axis.
std::vector<Vec3> InitialAngularVelocities(const Vec3& moments) {
  const double ratio =
      std::sqrt(moments[0] * (moments[1] - moments[0]) / (moments[2] * (moments[2] - moments[1])));
  return {Vec3(2.0, 0.0, 0.3),  Vec3(0.3, 0.0, 2.0),           Vec3(1.0, 0.0, 1e-3),
          Vec3(1e-3, 0.0, 1.0), Vec3(1.0, 0.0, 1.001 * ratio), Vec3(1.0, 0.0, 0.999 * ratio)};
}

// A step of any length is exact; the only error is rounding, which grows with the angle, here up to
// 400 rad.
TEST(FreeRotation, OmegaFollowsJacobisEllipticFunctionsInStepsOfAnyLength) {
  Draw draw(1);
  for (const Vec3& moments : {kMoments, Vec3(500.0, 1700.0, 2000.0), Vec3(1.0, 1.0 + 1e-7, 1.5),
                              Vec3(1.0, 1.5, 1.5 + 1e-7), Vec3(1.0, 1.0001, 1.0002),
                              Vec3(1e-3, 1.0, 1.0009), Vec3(1.0, 1.0 + 1e-12, 2.0)}) {
    for (const Vec3& start : InitialAngularVelocities(moments)) {
      const PrincipalInertia inertia = {moments, RandomOrientation(draw)};
      // Rounding of the orientation mixes the components of L in principal axes. The ratio of the
      // moments amplifies this in ω.
      const double rounding = 1e-13 * moments[2] / moments[0];
      // Angle per step, ‖ω(0)‖ dt [rad].
      for (const double angle : {1e-3, 0.1, 1.0, 7.0, 60.0, 400.0}) {
        const int steps = angle < 1.0 ? 100 : angle < 100.0 ? 5 : 1;
        const double dt = angle / start.norm(), time = steps * dt;
        Quaternion q = RandomOrientation(draw);
        Vec3 omega = RotationMatrix(q * inertia.axes) * start;
        const Vec3 angular_momentum = inertia.AngularMomentum(q, omega);
        const double energy = angular_momentum.dot(omega);
        for (int k = 0; k < steps; ++k) RotateFreely(inertia, dt, q, omega);
        const Vec3 body_omega = RotationMatrix(q * inertia.axes).transpose() * omega;
        const double error = (body_omega - ExactAngularVelocity(moments, start, time)).norm() /
                             omega.norm() / (1.0 + time * omega.norm());
        EXPECT_LT(error, rounding)
            << moments.transpose() << "; " << start.transpose() << "; " << angle;
        EXPECT_LT((inertia.AngularMomentum(q, omega) - angular_momentum).norm(),
                  rounding * angular_momentum.norm());
        EXPECT_NEAR(angular_momentum.dot(omega) / energy, 1.0, 1e-12)
            << moments.transpose() << "; " << start.transpose() << "; " << angle;
      }
    }
  }
}

TEST(FreeRotation, RotationDoesNotDependOnTheSteps) {
  Draw draw(5);
  for (int trial = 0; trial < 20; ++trial) {
    const Vec3 moments = trial % 2 == 0 ? kMoments : Vec3(500.0, 1700.0, 2000.0);
    const PrincipalInertia inertia = {moments, RandomOrientation(draw)};
    const Quaternion start = RandomOrientation(draw);
    const Vec3 spin = draw.Direction();
    const auto end = [&](int steps) {
      Quaternion q = start;
      Vec3 omega = spin;
      for (int k = 0; k < steps; ++k) RotateFreely(inertia, 30.0 / steps, q, omega);
      return RotationMatrix(q);
    };
    const Mat3 reference = end(3000);
    for (const int steps : {1, 3, 10, 100}) {
      EXPECT_LT((end(steps) - reference).norm(), 1e-10) << steps;
    }
  }
}

TEST(FreeRotation, ConservesAngularMomentumAndEnergyOverManySteps) {
  Draw draw(2);
  for (int trial = 0; trial < 4; ++trial) {
    const PrincipalInertia inertia = {kMoments, RandomOrientation(draw)};
    Quaternion q = RandomOrientation(draw);
    Vec3 omega = draw.Direction();
    const Vec3 angular_momentum = inertia.AngularMomentum(q, omega);
    const double energy = angular_momentum.dot(omega);
    double max_energy_error = 0.0;
    for (int k = 0; k < 100'000; ++k) {
      RotateFreely(inertia, 0.02, q, omega);
      max_energy_error =
          std::max(max_energy_error, std::abs(angular_momentum.dot(omega) / energy - 1.0));
    }
    EXPECT_LT((inertia.AngularMomentum(q, omega) - angular_momentum).norm(),
              1e-13 * angular_momentum.norm());
    EXPECT_LT(max_energy_error, 1e-12);
  }
}

TEST(FreeRotation, ManyRotationsPerStepConserveAngularMomentum) {
  const PrincipalInertia inertia = {kMoments, {}};
  for (const double rate : {1e6, 1e12}) {
    Quaternion q;
    Vec3 omega = rate * Vec3(0.3, 2.0, 0.1);
    const Vec3 angular_momentum = inertia.AngularMomentum(q, omega);
    const double energy = angular_momentum.dot(omega);
    RotateFreely(inertia, 1.0, q, omega);
    EXPECT_LT((inertia.AngularMomentum(q, omega) - angular_momentum).norm(),
              1e-14 * angular_momentum.norm());
    EXPECT_NEAR(angular_momentum.dot(omega) / energy, 1.0, 1e-10);
  }
}

TEST(FreeRotation, BodiesWithTwoEqualMomentsRotateExactly) {
  for (const Vec3& moments : {Vec3(1.0, 1.0, 1.7), Vec3(1.0, 2.0, 2.0), Vec3(1.3, 1.3, 1.3)}) {
    Draw draw(3);
    const PrincipalInertia inertia = {moments, RandomOrientation(draw)};
    const Quaternion start = RandomOrientation(draw);
    const Vec3 spin = draw.Direction();
    Quaternion one_step = start, many_steps = start;
    Vec3 omega_once = spin, omega_often = spin;
    RotateFreely(inertia, 3.0, one_step, omega_once);
    for (int k = 0; k < 64; ++k) RotateFreely(inertia, 3.0 / 64, many_steps, omega_often);
    EXPECT_LT((omega_once - omega_often).norm(), 1e-13);
    EXPECT_LT((RotationMatrix(one_step) - RotationMatrix(many_steps)).norm(), 1e-13);
    EXPECT_GT((RotationMatrix(one_step) - RotationMatrix(start)).norm(), 0.1);
  }
}

TEST(FreeRotation, InstantRotationKeepsTheAngularMomentum) {
  Draw draw(4);
  for (const Vec3& moments : {Vec3(1.0, 1.3, 1.9), Vec3(1.0, 1.0, 1.0)}) {
    const PrincipalInertia inertia = {moments, RandomOrientation(draw)};
    const Quaternion start = RandomOrientation(draw);
    const Vec3 phi = draw.Vector(0.3), spin = draw.Direction();
    Quaternion q = start;
    Vec3 omega = spin;
    RotateInstantly(inertia, phi, q, omega);
    EXPECT_LT((RotationMatrix(q) - RotationMatrix(RotationBy(phi) * start)).norm(), 1e-15);
    EXPECT_LT((inertia.AngularMomentum(q, omega) - inertia.AngularMomentum(start, spin)).norm(),
              1e-14);
  }
}

TEST(FreeRotation, SphereRotatesAboutItsAngularVelocity) {
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
