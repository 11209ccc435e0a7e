// Ball and planar joints, and loops closed by joints other than hinges, compared with mechanics.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>

#include "engine/geometry/quaternion.hpp"
#include "engine/scene/links.hpp"
#include "engine/scene/loops.hpp"
#include "tests/support/linked_scene.hpp"
#include "tests/support/same_bits.hpp"

namespace scree::joint_kinds_test {
namespace {

constexpr double kGravity = 10.0;

struct World : test::LinkedScene {
  explicit World(double dt, const Communicator& communicator = Communicator::Self())
      : LinkedScene(dt, {Vec3::Constant(-1.0), Vec3::Constant(1.0)}, kGravity, communicator) {}
  /// Adds a link of one block around its centre of mass.
  Index AddBlock(const Vec3& centre, double mass, const Vec3& moments, double half = 0.01) {
    const Vec3 corner = Vec3::Constant(half);
    return LinkedScene::AddBlock("block" + std::to_string(scene.links.size()),
                                 {centre - corner, centre + corner}, mass, moments);
  }
  /// State of axis c of a joint.
  FreeWallState& Axis(std::size_t joint, std::size_t c = 0) {
    state.free_walls.resize(scene.FreeRows());
    return state.free_walls[scene.JointRow(joint, c)];
  }
  void SetSpeeds(std::size_t joint, const Vec3& speeds) {
    for (std::size_t c = 0; c < 3; ++c) Axis(joint, c).speed = speeds[static_cast<Index>(c)];
  }
  LinkPose Pose(std::size_t link) const { return LinkPoses(scene, state.free_walls).at(link); }
  double Energy() const {
    double energy = KineticEnergyOfLinks(scene, state.free_walls);
    for (std::size_t l = 0; l < scene.links.size(); ++l) {
      energy -= scene.links[l].mass * scene.gravity.dot(Pose(l).centre);
    }
    return energy;
  }
};

// ---- ball joints

/// Steady precession of a heavy top (Goldstein, Classical Mechanics, §5.7). I is the moment about
/// transverse axes through the pivot, I₃ the moment about the axis, θ the angle from the vertical,
/// and ψ' the spin in the frame that precesses with Ω:
///
///     (I₃ − I) Ω² cos θ + I₃ ψ' Ω = m g l
///
/// Without spin and below the pivot it is a conical pendulum.
struct Top {
  double theta, precession;
};

TEST(BallJointAlone, TopPrecessesAtTheExactRate) {
  constexpr double kMass = 0.2, kLength = 0.1, kTransverseInertia = 4e-4, kAxialInertia = 1e-4;
  constexpr double kPivotInertia = kTransverseInertia + kMass * kLength * kLength, kTime = 0.5;
  for (const Top& top : {Top{0.5, 6.0}, Top{2.4, 11.0}, Top{1.2, -4.0}}) {
    const double spin =
        (kMass * kGravity * kLength -
         (kAxialInertia - kPivotInertia) * top.precession * top.precession * std::cos(top.theta)) /
        (kAxialInertia * top.precession);
    const auto angle_errors = [&](double dt) {
      World test(dt);
      const Vec3 axis(std::sin(top.theta), 0.0, std::cos(top.theta));
      const Index link = test.AddBlock(kLength * axis, kMass, Vec3::Ones());
      test.scene.links[0].inertia = kTransverseInertia * Mat3::Identity() +
                                    (kAxialInertia - kTransverseInertia) * axis * axis.transpose();
      test.AddJoint(JointKind::kBall, Joint::kGround, link, Vec3::Zero());
      test.SetSpeeds(0, top.precession * Vec3::UnitZ() + spin * axis);
      test.Run(static_cast<int>(std::lround(kTime / dt)));
      const Vec3 centre = test.Pose(0).centre;
      EXPECT_NEAR(centre.norm(), kLength, 1e-14);
      const double angle = top.precession * kTime;  // expected azimuth, may exceed π
      double azimuth = std::atan2(centre.y(), centre.x());
      azimuth += 2.0 * M_PI * std::round((angle - azimuth) / (2.0 * M_PI));
      return std::pair(azimuth - angle, std::acos(centre.z() / kLength) - top.theta);
    };
    const auto coarse = angle_errors(2e-4), fine = angle_errors(1e-4);
    EXPECT_NEAR(fine.first, 0.0, 2e-3) << top.theta;
    EXPECT_NEAR(fine.second, 0.0, 2e-3) << top.theta;
    EXPECT_LT(std::hypot(fine.first, fine.second),
              0.6 * std::hypot(coarse.first, coarse.second) + 1e-9)
        << top.theta;
  }
}

/// Two bars in a row that swing in a plane.
TEST(BallJointAlone, ChainInAPlaneMovesAsOnHinges) {
  const auto angles = [](JointKind kind) {
    World test(5e-4);
    for (int k = 0; k < 2; ++k) {
      const Index link = test.AddBlock(Vec3(0.1 + 0.2 * k, 0, 0), 0.3, Vec3(1e-4, 1e-3, 1e-3));
      test.AddJoint(kind, link - 1, link, Vec3(0.2 * k, 0, 0), Vec3::UnitY());
    }
    test.Run(1200);
    const std::size_t about_y = kind == JointKind::kBall ? 1 : 0;
    return Vec3(test.Axis(0, about_y).travel, test.Axis(1, about_y).travel, 0.0);
  };
  const Vec3 hinges = angles(JointKind::kHinge), balls = angles(JointKind::kBall);
  EXPECT_GT(hinges.norm(), 1.0);
  EXPECT_LT((balls - hinges).norm(), 1e-9);
}

/// Two bodies on ball joints rotate in space. Gravity does not change the angular momentum about
/// the vertical, and the energy is conserved.
TEST(BallJointAlone, ChainInSpaceKeepsEnergyAndAngularMomentum) {
  const auto errors = [](double dt) {
    World test(dt);
    const Index upper = test.AddBlock(Vec3(0.1, 0.0, 0.0), 0.3, Vec3(2e-4, 1e-3, 1.1e-3));
    const Index lower = test.AddBlock(Vec3(0.3, 0.02, 0.0), 0.2, Vec3(3e-4, 8e-4, 6e-4));
    test.AddJoint(JointKind::kBall, Joint::kGround, upper, Vec3::Zero());
    test.AddJoint(JointKind::kBall, upper, lower, Vec3(0.2, 0.0, 0.0));
    test.SetSpeeds(0, Vec3(3.0, -2.0, 4.0));
    test.SetSpeeds(1, Vec3(-5.0, 2.0, 6.0));
    const auto momentum = [&] {
      double sum = 0.0;
      for (std::size_t l = 0; l < 2; ++l) {
        const LinkPose pose = test.Pose(l);
        const Link& link = test.scene.links[l];
        sum += (link.mass * pose.centre.cross(pose.velocity) +
                pose.rotation * link.inertia * pose.rotation.transpose() * pose.angular_velocity)
                   .z();
      }
      return sum;
    };
    const double momentum_before = momentum(), energy = test.Energy();
    double momentum_drift = 0.0, energy_drift = 0.0;
    TimeStep step = test.Start();
    for (int k = 0; k < static_cast<int>(std::lround(0.5 / dt)); ++k) {
      step.Advance(test.state);
      momentum_drift = std::max(momentum_drift, std::abs(momentum() / momentum_before - 1.0));
      energy_drift = std::max(energy_drift, std::abs(test.Energy() / energy - 1.0));
    }
    return std::pair(momentum_drift, energy_drift);
  };
  const auto coarse = errors(2e-4), fine = errors(1e-4);
  EXPECT_LT(fine.first, 0.01);
  EXPECT_LT(fine.second, 0.01);
  EXPECT_LT(fine.first, 0.6 * coarse.first) << coarse.first;
  EXPECT_LT(fine.second, 0.6 * coarse.second) << coarse.second;
}

TEST(BallJointAlone, DampingStopsTheRotation) {
  World test(1e-3);
  test.scene.gravity = Vec3::Zero();
  const Index link = test.AddBlock(Vec3(0.1, 0.0, 0.0), 0.3, Vec3::Constant(1e-3));
  test.AddJoint(JointKind::kBall, Joint::kGround, link, Vec3::Zero()).damping = 0.02;
  test.SetSpeeds(0, Vec3(0.0, 3.0, 0.0));
  const double energy = test.Energy();
  test.Run(200);
  const double inertia = 1e-3 + 0.3 * 0.01;
  EXPECT_NEAR(test.Axis(0, 1).speed, 3.0 * std::pow(1.0 + 1e-3 * 0.02 / inertia, -200), 1e-12);
  EXPECT_NEAR(test.Axis(0, 1).lost_energy, energy - test.Energy(), 1e-12);
}

// ---- planar joints

TEST(PlanarJointAlone, BodyFallsInThePlaneOnly) {
  World test(1e-3);
  const Vec3 normal = Vec3(1.0, 2.0, 2.0) / 3.0;
  const Index link = test.AddBlock(Vec3(0.1, 0.0, 0.0), 0.3, Vec3(1e-4, 2e-4, 3e-4));
  test.AddJoint(JointKind::kPlanar, Joint::kGround, link, Vec3::Zero(), normal);
  test.Axis(0, 2).speed = 2.0;
  test.Run(200);
  const LinkPose pose = test.Pose(0);
  const Vec3 pull = test.scene.gravity - normal * normal.dot(test.scene.gravity);
  EXPECT_LT((pose.centre - Vec3(0.1, 0, 0) - 0.5 * 0.2 * 0.201 * pull).norm(), 1e-12);
  EXPECT_LT((pose.rotation - Eigen::AngleAxisd(0.4, normal).matrix()).norm(), 1e-12);
}

/// A planar joint holds a block just above a turntable. The block stays at rest while the table
/// rotates.
TEST(PlanarJointAlone, BodyOnATurntableStaysAtItsPosition) {
  const auto displacement = [](double dt) {
    World test(dt);
    const Index table = test.AddBlock(Vec3(0.0, 0.0, -0.1), 1e6, Vec3::Constant(1e6));
    test.AddJoint(JointKind::kHinge, Joint::kGround, table, Vec3::Zero(), Vec3::UnitZ());
    const Vec3 position(0.2, 0.1, 0.0);
    const Index link = test.AddBlock(position, 0.3, Vec3(1e-4, 2e-4, 3e-4));
    Joint& joint = test.AddJoint(JointKind::kPlanar, table, link, Vec3::Zero(), Vec3::UnitZ());
    const Vec3 first = joint.FirstPlaneAxis(), second = Vec3::UnitZ().cross(first);
    test.Axis(0).speed = 5.0;
    const Vec3 relative_velocity = -5.0 * Vec3::UnitZ().cross(position);
    test.SetSpeeds(1, Vec3(first.dot(relative_velocity), second.dot(relative_velocity), -5.0));
    test.Run(static_cast<int>(std::lround(0.4 / dt)));
    EXPECT_NEAR(test.Pose(0).rotation(0, 0), std::cos(2.0), 1e-6);
    const Mat3 rotation = test.Pose(1).rotation;
    return (test.Pose(1).centre - position).norm() + std::abs(rotation(1, 0));
  };
  const double coarse = displacement(1e-3), fine = displacement(5e-4);
  EXPECT_LT(fine, 2e-3);
  EXPECT_LT(fine, 0.6 * coarse) << coarse;
}

/// A sled that moves in a vertical plane comes to rest on grains, which carry its weight.
TEST(PlanarJointOnGrains, SledComesToRest) {
  constexpr double kRadius = 0.01;
  World test(2e-4, Communicator::World());
  test.scene.walls.push_back({"floor", {{Plane{Vec3(0, 0, -kRadius), Vec3::UnitZ()}}}});
  const Index sled =
      test.AddBlock(Vec3(0.0, 0.0, kRadius + 0.031), 0.1, Vec3::Constant(1e-4), 0.03);
  test.AddJoint(JointKind::kPlanar, Joint::kGround, sled, Vec3::Zero(), Vec3::UnitY());
  if (test.world.IsRoot()) {
    for (const ParticleId id : {1, 2, 3, 4}) {
      const auto n = static_cast<double>(id);
      test::AddSphere(test.state.particles, id,
                      Vec3(0.015 * (n - 2.4), 0.011 * (id % 2 ? 1 : -1), 0), kRadius, Vec3::Zero());
    }
  }
  TimeStep step = test.Start();
  for (int k = 0; k < 4000; ++k) step.Advance(test.state);
  step.StartInterval(test.state);
  for (int k = 0; k < 100; ++k) step.Advance(test.state);
  const Vec3 first = test.scene.joints[0].FirstPlaneAxis();
  const Vec3 second = Vec3::UnitY().cross(first);
  const Vec3 load =
      (first * test.Axis(0, 0).impulse + second * test.Axis(0, 1).impulse) / (100 * 2e-4);
  EXPECT_NEAR(load.z(), 0.1 * kGravity, 1e-6);
  EXPECT_NEAR(test.Pose(0).centre.z(), kRadius + 0.03, 1e-6);
  EXPECT_NEAR(test.Pose(0).velocity.z(), 0.0, 1e-6);  // the grains below may roll
  EXPECT_EQ(test.Pose(0).centre.y(), 0.0);
}

/// A sled moves in a vertical plane. A bob hangs from it on a ball joint and hits grains.
World SledWithBob(const Communicator& world) {
  constexpr double kRadius = 0.01;
  World test(2e-4, world);
  test.parameters.solver.scheme = Scheme::kJacobi;
  test.scene.walls.push_back({"floor", {{Plane{Vec3(0, 0, -kRadius), Vec3::UnitZ()}}}});
  const Index sled = test.AddBlock(Vec3(0.0, 0.0, 0.12), 0.1, Vec3::Constant(1e-4));
  const Index bob = test.AddBlock(Vec3(0.02, 0.01, 0.035), 0.05, Vec3(1e-5, 2e-5, 3e-5), 0.02);
  test.AddJoint(JointKind::kPlanar, Joint::kGround, sled, Vec3::Zero(), Vec3::UnitY());
  test.AddJoint(JointKind::kBall, sled, bob, Vec3(0.0, 0.0, 0.09));
  for (ParticleId id = 1; test.world.IsRoot() && id <= 9; ++id) {
    test::AddSphere(
        test.state.particles, id,
        Vec3(0.021 * static_cast<double>(id % 3), 0.021 * static_cast<double>(id / 3) - 0.04, 0),
        kRadius, Vec3::Zero());
  }
  return test;
}

TEST(JointKindsOnGrains, JacobiHasTheSameBitsOnAnyRanks) {
  const auto run = [](const Communicator& world) {
    World test = SledWithBob(world);
    test.Run(800);
    return std::pair(test.state.free_walls, test::GatherById(test.world, test.state.particles));
  };
  const auto parallel = run(Communicator::World()), serial = run(Communicator::Self());
  EXPECT_EQ(parallel.first, serial.first);
  test::ExpectSameBits(parallel.second, serial.second);
}

TEST(JointKindsOnGrains, RestartContinuesWithTheSameBits) {
  World test = SledWithBob(Communicator::World());
  TimeStep step = test.Start();
  for (int k = 0; k < 333; ++k) step.Advance(test.state);
  const State end = test::ExpectRestartWithTheSameBits(test.world, test.scene, test.parameters,
                                                       step, test.state, 400)
                        .second;
  double load = 0.0;
  for (std::size_t c = 0; c < 3; ++c) {
    load += std::abs(end.free_walls[test.scene.JointRow(1, c)].load_energy);
  }
  EXPECT_GT(load, 0.0);
}

// ---- loops

/// A crank about y and a rod on its end. Tests add a piston that moves along x, and close a loop.
constexpr double kCrank = 0.05, kRod = 0.15;
World CrankAndRod(double dt) {
  World test(dt);
  test.scene.gravity = Vec3::Zero();
  const Index crank = test.AddBlock(Vec3(0.5 * kCrank, 0, 0), 0.2, Vec3::Constant(1e-4));
  const Index rod = test.AddBlock(Vec3(kCrank + 0.5 * kRod, 0, 0), 0.3, Vec3::Constant(1e-3));
  test.AddJoint(JointKind::kHinge, Joint::kGround, crank, Vec3::Zero(), Vec3::UnitY());
  test.AddJoint(JointKind::kHinge, crank, rod, Vec3(kCrank, 0, 0), Vec3::UnitY());
  return test;
}
double PistonAt(double angle) {
  const double height = kCrank * std::sin(angle);
  return kCrank * std::cos(angle) + std::sqrt(kRod * kRod - height * height);
}

TEST(LoopsAlone, SliderGuidesAPiston) {
  World test = CrankAndRod(1e-3);
  const Index piston = test.AddBlock(Vec3(kCrank + kRod, 0, 0), 0.4, Vec3::Constant(1e-4));
  test.AddJoint(JointKind::kHinge, 1, piston, Vec3(kCrank + kRod, 0, 0), Vec3::UnitY());
  test.scene.loop_joints = {
      {"guide", Joint::kGround, piston, Vec3::Zero(), Vec3::UnitX(), LoopKind::kSlider}};
  ASSERT_EQ(DegreesOfFreedomOfTrees(test.scene), std::vector<std::size_t>{1});
  test.scene.joints[0].force = 0.05;
  TimeStep step = test.Start();
  for (int k = 0; k < 2000; ++k) {
    step.Advance(test.state);
    const LinkPose pose = test.Pose(2);
    ASSERT_NEAR(pose.centre.x(), PistonAt(test.Axis(0).travel), 1e-11) << k;
    ASSERT_NEAR(pose.centre.z(), 0.0, 1e-12);
    ASSERT_LT((pose.rotation - Mat3::Identity()).norm(), 1e-11);
  }
  EXPECT_GT(test.Axis(0).travel, 6.0);
}

TEST(LoopsAlone, PistonMovesOnABallJointAsOnAHinge) {
  const auto travel = [](LoopKind kind) {
    World test = CrankAndRod(1e-3);
    const Vec3 end(kCrank + kRod, 0, 0);
    const Index piston = test.AddBlock(end, 0.4, Vec3::Constant(1e-4));
    test.AddJoint(JointKind::kSlider, Joint::kGround, piston, Vec3::Zero(), Vec3::UnitX());
    test.scene.loop_joints = {{"pin", 1, piston, end, Vec3::UnitY(), kind}};
    test.scene.joints[0].force = 0.05;
    test.Run(1000);
    return test.Axis(0).travel;
  };
  const double with_hinge = travel(LoopKind::kHinge);
  EXPECT_GT(with_hinge, 1.5);
  EXPECT_NEAR(travel(LoopKind::kBall), with_hinge, 1e-10);
}

/// A linkage in space: a rod connects a crank about x and a rocker about y. It has ball joints at
/// both ends, and can also spin about its axis.
TEST(LoopsAlone, RodWithTwoBallJointsConnectsCrankAndRocker) {
  const auto drift = [](double dt) {
    World test(dt);
    test.scene.gravity = Vec3(0.0, -3.0, -kGravity);
    const Vec3 pin(0.0, 0.0, 0.05), far(0.2, 0.05, 0.1), pivot(0.2, 0.05, 0.0);
    const Index crank = test.AddBlock(0.5 * pin, 0.2, Vec3::Constant(1e-4));
    const Index rod = test.AddBlock(0.5 * (pin + far), 0.1, Vec3(1e-4, 3e-4, 3e-4));
    const Index rocker = test.AddBlock(0.5 * (far + pivot), 0.2, Vec3::Constant(2e-4));
    test.AddJoint(JointKind::kHinge, Joint::kGround, crank, Vec3::Zero(), Vec3::UnitX());
    test.AddJoint(JointKind::kBall, crank, rod, pin);
    test.AddJoint(JointKind::kHinge, Joint::kGround, rocker, pivot, Vec3::UnitY());
    test.scene.loop_joints = {{"ball", rod, rocker, far, Vec3::Zero(), LoopKind::kBall}};
    EXPECT_EQ(DegreesOfFreedomOfTrees(test.scene), std::vector<std::size_t>{2});
    const double energy = test.Energy();
    double max = 0.0;
    TimeStep step = test.Start();
    for (int k = 0; k < static_cast<int>(std::lround(0.4 / dt)); ++k) {
      step.Advance(test.state);
      const auto point_on = [&](std::size_t link, const Vec3& point) {
        const LinkPose pose = test.Pose(link);
        return Vec3(pose.centre + pose.rotation * (point - test.scene.links[link].centre));
      };
      EXPECT_LT((point_on(1, far) - point_on(2, far)).norm(), 1e-11) << k;
      EXPECT_LT((point_on(0, pin) - point_on(1, pin)).norm(), 1e-14) << k;
      max = std::max(max, std::abs(test.Energy() - energy));
    }
    EXPECT_GT(std::abs(test.Axis(0).travel), 0.5);
    return max;
  };
  const double coarse = drift(4e-4), fine = drift(2e-4);
  EXPECT_LT(fine, 0.02 * 0.5 * kGravity * 0.05);
  EXPECT_LT(fine, 0.6 * coarse) << coarse;
}

/// A loop between two free bodies makes them one tree.
TEST(LoopsAlone, FreeBodiesOnABallJointKeepTheirMomentum) {
  World test(1e-3);
  test.scene.gravity = Vec3::Zero();
  const Index first = test.AddBlock(Vec3(0.0, 0.0, 0.0), 0.3, Vec3(1e-4, 2e-4, 1.5e-4));
  const Index second = test.AddBlock(Vec3(0.1, 0.0, 0.0), 0.2, Vec3(2e-4, 1e-4, 2e-4));
  test.AddJoint(JointKind::kFree, Joint::kGround, first, Vec3::Zero());
  test.AddJoint(JointKind::kFree, Joint::kGround, second, Vec3::Zero());
  const Vec3 pin(0.05, 0.0, 0.0);
  test.scene.loop_joints = {{"ball", first, second, pin, Vec3::Zero(), LoopKind::kBall}};
  ASSERT_EQ(DegreesOfFreedomOfTrees(test.scene), std::vector<std::size_t>{9});
  test.Axis(0, 1).speed = 0.5;
  Vec3 momentum_before = Vec3::Zero();
  TimeStep step = test.Start();
  for (int k = 0; k < 500; ++k) {
    step.Advance(test.state);
    const LinkPose a = test.Pose(0), b = test.Pose(1);
    const Vec3 momentum = 0.3 * a.velocity + 0.2 * b.velocity;
    if (k == 0) momentum_before = momentum;
    ASSERT_LT((momentum - momentum_before).norm(), 1e-12) << k;
    ASSERT_LT(
        (a.centre + a.rotation * pin - b.centre - b.rotation * (pin - Vec3(0.1, 0, 0))).norm(),
        1e-11);
  }
  EXPECT_GT(momentum_before.norm(), 0.1);
  EXPECT_GT(test.Pose(1).angular_velocity.norm(), 0.5);
}

}  // namespace
}  // namespace scree::joint_kinds_test
