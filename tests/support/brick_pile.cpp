#include "tests/support/brick_pile.hpp"

#include <Eigen/Dense>
#include <cmath>

#include "solvers/one_contact/contact_block.hpp"

namespace scree::test {
namespace {

Mat3 CrossMatrix(const Vec3& r) {
  Mat3 m;
  m << 0.0, -r[2], r[1], r[2], 0.0, -r[0], -r[1], r[0], 0.0;
  return m;
}

}  // namespace

BrickPile MakeBrickPile(int bricks, double friction) {
  const Vec3 half_size(0.05, 0.04, 0.03);
  const int contacts = 4 * bricks;
  Eigen::MatrixXd mass = Eigen::MatrixXd::Zero(6 * bricks, 6 * bricks);
  Eigen::MatrixXd wrenches = Eigen::MatrixXd::Zero(6 * bricks, 3 * contacts);
  Eigen::VectorXd velocity(6 * bricks);
  for (int i = 0; i < bricks; ++i) {
    const double m = 0.5 + 0.1 * i;
    mass.diagonal().segment<3>(6 * i).setConstant(m);
    const Vec3 s2 = half_size.cwiseAbs2();
    mass.diagonal().segment<3>(6 * i + 3) =
        m / 3.0 * Vec3(s2[1] + s2[2], s2[0] + s2[2], s2[0] + s2[1]);
    velocity.segment<6>(6 * i) << 0.3 * std::sin(i), 0.2, -0.5 - 0.05 * i, 0.4, -0.3 * i, 0.7;
    for (int corner = 0; corner < 4; ++corner) {
      const Vec3 arm(corner % 2 == 0 ? half_size[0] : -half_size[0],
                     corner < 2 ? half_size[1] : -half_size[1], -half_size[2]);
      const Mat3 frame = ContactFrame(Vec3(0.05 * i, 0.1, 1.0).normalized());
      const int column = 3 * (4 * i + corner);
      wrenches.block<3, 3>(6 * i, column) = frame;
      wrenches.block<3, 3>(6 * i + 3, column) = CrossMatrix(arm) * frame;
      if (i == 0) continue;  // the lowest brick stands on the wall
      const Vec3 arm_below(arm[0], arm[1], half_size[2]);
      wrenches.block<3, 3>(6 * (i - 1), column) = -frame;
      wrenches.block<3, 3>(6 * (i - 1) + 3, column) = -CrossMatrix(arm_below) * frame;
    }
  }
  BrickPile pile;
  pile.mass = mass.sparseView();
  pile.wrenches = wrenches.sparseView();
  pile.momentum = mass * velocity;
  pile.bias = Eigen::VectorXd::Zero(3 * contacts);
  for (int j = 0; j < contacts; ++j) pile.bias[3 * j] = 1e-3;  // a small gap over dt [m/s]
  pile.friction = Eigen::VectorXd::Constant(contacts, friction);
  const Eigen::MatrixXd delassus = wrenches.transpose() * mass.inverse() * wrenches;
  pile.delassus = delassus.sparseView();
  pile.free_velocity = wrenches.transpose() * velocity + pile.bias;
  return pile;
}

}  // namespace scree::test
