// The Delassus block of two bodies, compared with applied impulses, spheres and the rod
// of Preclik, Eibl & Rüde (2018).
#include "solvers/one_contact/contact_block.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <cmath>

namespace scree::contact_block_test {
namespace {

BodyInertia BrickInertia(double mass, const Vec3& sides, const Mat3& rotation) {
  const Vec3 s2 = sides.cwiseAbs2();
  const Vec3 inertia = mass / 12.0 * Vec3(s2[1] + s2[2], s2[0] + s2[2], s2[0] + s2[1]);
  const Mat3 body_inverse = inertia.cwiseInverse().asDiagonal();
  return {1.0 / mass, InverseInertiaInWorld(body_inverse, rotation)};
}

Mat3 RotationBy(double angle) {
  return Eigen::AngleAxisd(angle, Vec3(1, 2, -0.5).normalized()).toRotationMatrix();
}

/// Velocity of the contact point on a body after an impulse at this point.
Vec3 PointVelocity(const BodyInertia& body, const Vec3& arm, const Vec3& impulse) {
  const Vec3 omega = body.inverse_inertia * arm.cross(impulse);
  return body.inverse_mass * impulse + omega.cross(arm);
}

TEST(ContactBlock, MapsImpulseToRelativeVelocity) {
  const BodyInertia a = BrickInertia(2.0, Vec3(1, 0.5, 3), RotationBy(0.7));
  const BodyInertia b = BrickInertia(0.3, Vec3(0.2, 1, 0.1), RotationBy(-1.9));
  const Vec3 arm_a(0.3, -0.2, 1.4), arm_b(-0.05, 0.4, 0.02);
  const Mat3 frame = ContactFrame(Vec3(0.3, -0.7, 0.2).normalized());
  const Mat3 block = ContactBlock(frame, a, arm_a, b, arm_b);
  for (int axis = 0; axis < 3; ++axis) {
    const Vec3 impulse = frame.col(axis);
    const Vec3 change = PointVelocity(a, arm_a, impulse) - PointVelocity(b, arm_b, -impulse);
    EXPECT_LE((frame.transpose() * change - block.col(axis)).norm(), 1e-14 * block.norm());
  }
}

TEST(ContactBlock, IsSymmetricPositiveDefinite) {
  const BodyInertia wall;
  for (int i = 0; i < 50; ++i) {
    const BodyInertia a = BrickInertia(1e-3, Vec3(0.01, 0.002, 0.03), RotationBy(i));
    const Mat3 frame = ContactFrame(RotationBy(2.0 * i).col(1));
    const Mat3 block =
        ContactBlock(frame, a, 0.01 * RotationBy(3.0 * i).col(2), wall, Vec3(1, 2, 3));
    EXPECT_EQ(block, Mat3(block.transpose()));
    EXPECT_GT(Eigen::SelfAdjointEigenSolver<Mat3>(block).eigenvalues()[0], 0.0);
  }
}

TEST(ContactBlock, SpheresHaveADiagonalBlock) {
  const double m_a = 2.0, m_b = 0.5, r_a = 0.3, r_b = 0.1;
  const BodyInertia a{1.0 / m_a, Mat3::Identity() * 2.5 / (m_a * r_a * r_a)};
  const BodyInertia b{1.0 / m_b, Mat3::Identity() * 2.5 / (m_b * r_b * r_b)};
  const Vec3 n = Vec3(1, -2, 0.5).normalized();
  const Mat3 block = ContactBlock(ContactFrame(n), a, -r_a * n, b, r_b * n);
  const double nn = 1.0 / m_a + 1.0 / m_b;
  const Mat3 expected = Vec3(nn, 3.5 * nn, 3.5 * nn).asDiagonal();
  EXPECT_LE((block - expected).norm(), 1e-14 * expected.norm());
}

TEST(ContactBlock, MatchesTheBlockOfThePapersRod) {
  // Section 4.2 of the paper, with A_oo corrected to 4/m (solvers/README.md). n = e_y, t = e_x,
  // o = e_z.
  const double theta = 0.8, mass = 3.0, length = 2.0;
  const Vec3 direction(std::cos(theta), std::sin(theta), 0);
  const double inverse_inertia = 12.0 / (mass * length * length);
  const Mat3 world_inverse =
      inverse_inertia * (Mat3::Identity() - direction * direction.transpose());
  Mat3 frame = Mat3::Zero();
  frame(1, 0) = frame(0, 1) = frame(2, 2) = 1.0;
  const Mat3 block =
      ContactBlock(frame, {1.0 / mass, world_inverse}, -0.5 * length * direction, {}, Vec3::Zero());
  const double c = std::cos(theta), s = std::sin(theta);
  Mat3 expected;
  expected << 1 + 3 * c * c, -3 * s * c, 0, -3 * s * c, 1 + 3 * s * s, 0, 0, 0, 4;
  EXPECT_LE((block - expected / mass).norm(), 1e-14);
}

TEST(ContactFrame, IsOrthonormalAndRightHandedForAllNormals) {
  for (int i = 0; i < 200; ++i) {
    Vec3 n = RotationBy(0.37 * i).col(i % 3);
    if (i == 0) n = Vec3(0, 0, 1);
    if (i == 1) n = Vec3(0, 0, -1);
    if (i == 2) n = Vec3(1e-9, 0, -1).normalized();
    const Mat3 frame = ContactFrame(n);
    EXPECT_EQ(Vec3(frame.col(0)), n);
    EXPECT_LE((frame.transpose() * frame - Mat3::Identity()).norm(), 1e-14);
    EXPECT_NEAR(frame.determinant(), 1.0, 1e-14);
  }
}

}  // namespace
}  // namespace scree::contact_block_test
