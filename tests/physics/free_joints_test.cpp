// Links on free joints: bodies made of walls, which fly, rotate, hit grains and rest on them.
#include <gtest/gtest.h>

#include <cmath>

#include "engine/particles/body_mass.hpp"
#include "engine/scene/links.hpp"
#include "tests/support/clump_scenes.hpp"
#include "tests/support/same_bits.hpp"

namespace scree::free_joints_test {
namespace {

constexpr double kRadius = 0.01;

struct World {
  Communicator world;
  Scene scene = test::EmptyScene(Vec3::Constant(-0.5), Vec3::Constant(0.5), 0.5);
  StepParameters parameters;
  State state;

  explicit World(double dt, const Communicator& communicator = Communicator::World())
      : world(communicator) {
    parameters.dt = dt;
  }
  void AddGrain(ParticleId id, const Vec3& x, const Vec3& v = Vec3::Zero(),
                double radius = kRadius) {
    if (world.IsRoot()) test::AddSphere(state.particles, id, x, radius, v);
  }
  /// Adds a link of one wall on a free joint. Tests may change the joint of later links.
  void AddFreeLink(const ShapePart& part, double mass, const Vec3& centre, const Mat3& inertia) {
    Wall wall{"wall" + std::to_string(scene.links.size()), {{part}}};
    wall.link = static_cast<Index>(scene.links.size());
    Joint joint;
    joint.kind = JointKind::kFree;
    joint.child = wall.link;
    scene.walls.push_back(wall);
    scene.links.push_back({.name = "link", .mass = mass, .centre = centre, .inertia = inertia});
    scene.joints.push_back(joint);
    state.free_walls.resize(scene.FreeRows());
  }
  void AddBlock(const Box& box, double mass) {
    const Vec3 squares = box.Extent().cwiseProduct(box.Extent());
    const Vec3 moments = mass / 12.0 * (squares.sum() * Vec3::Ones() - squares);
    AddFreeLink(Block{box}, mass, 0.5 * (box.lower + box.upper), Mat3(moments.asDiagonal()));
  }
  /// Sets the velocity and the angular velocity of the first joint.
  void SetSpeeds(const Vec3& v, const Vec3& omega) {
    for (std::size_t c = 0; c < 6; ++c) {
      state.free_walls[scene.JointRow(0, c)].speed = (c < 3 ? v : omega)[static_cast<Index>(c % 3)];
    }
  }
  /// Displacement (first = 0) or rotation vector (first = 3) of the first joint.
  Vec3 Travel(std::size_t first) const {
    Vec3 travel;
    for (std::size_t c = 0; c < 3; ++c) {
      travel[static_cast<Index>(c)] = state.free_walls[scene.JointRow(0, first + c)].travel;
    }
    return travel;
  }
  Vec3 Speed(std::size_t first) const {
    Vec3 speed;
    for (std::size_t c = 0; c < 3; ++c) {
      speed[static_cast<Index>(c)] = state.free_walls[scene.JointRow(0, first + c)].speed;
    }
    return speed;
  }
  TimeStep Start() {
    Resize(state.particles, state.particles.owned);
    return test::Start(world, scene, parameters, state);
  }
  TimeStep Run(int steps) {
    TimeStep step = Start();
    for (int k = 0; k < steps; ++k) step.Advance(state);
    return step;
  }
};

/// Rotation about the middle axis is unstable: the body turns over.
TEST(FreeJoints, SpinningLinkKeepsItsAngularMomentumToRounding) {
  World test(1e-3, Communicator::Self());
  test.AddBlock({Vec3(-0.01, -0.02, -0.03), Vec3(0.01, 0.02, 0.03)}, 0.2);
  const Vec3 v(0.01, 0.02, -0.03);
  test.SetSpeeds(v, Vec3(0.1, 20.0, 0.05));
  const Mat3 inertia = test.scene.links[0].inertia;
  const auto momentum = [&] {
    const Mat3 rotation = RotationMatrix(RotationBy(test.Travel(3)));
    return Vec3(rotation * inertia * rotation.transpose() * test.Speed(3));
  };
  const Vec3 momentum_before = momentum();
  const double energy = KineticEnergyOfLinks(test.scene, test.state.free_walls);
  TimeStep step = test.Start();
  double max_rotation = 0.0;
  for (int k = 0; k < 5000; ++k) {
    step.Advance(test.state);
    ASSERT_LT((momentum() - momentum_before).norm(), 1e-12 * momentum_before.norm()) << k;
    const double energy_now = KineticEnergyOfLinks(test.scene, test.state.free_walls);
    ASSERT_NEAR(energy_now / energy, 1.0, 1e-12) << k;
    const Vec3 axis = RotationMatrix(RotationBy(test.Travel(3))).col(1);
    max_rotation = std::max(max_rotation, 1.0 - axis.y());
  }
  EXPECT_GT(max_rotation, 1.9);
  EXPECT_LT((test.Travel(0) - 5.0 * v).norm(), 1e-12);
}

TEST(FreeJoints, LinkFallsWithItsFixedParts) {
  World test(1e-3, Communicator::Self());
  test.scene.gravity = Vec3(0, 0, -10.0);
  test.AddBlock({Vec3::Zero(), Vec3::Constant(0.02)}, 0.1);
  test.AddBlock({Vec3(0.02, 0, 0), Vec3(0.04, 0.02, 0.02)}, 0.3);
  test.scene.joints[1].kind = JointKind::kFixed;
  test.scene.joints[1].parent = 0;
  test.SetSpeeds(Vec3(0.1, 0, 0), Vec3(0, 0, 5.0));
  test.state.free_walls.resize(test.scene.FreeRows());
  test.Run(100);
  // Both links rotate about their common centre, which falls by g t (t + dt)/2.
  EXPECT_LT((test.Travel(0) - Vec3(0.01, 0.0, -5.0 * 0.1 * 0.101)).norm(), 1e-12);
  EXPECT_LT((test.Travel(3) - Vec3(0, 0, 0.5)).norm(), 1e-12);
}

/// A single oblique impact with friction.
TEST(FreeJoints, BallAsALinkIsHitLikeAParticle) {
  for (const double restitution : {0.0, 0.8}) {
    const auto hit = [&](bool is_link) {
      World test(1e-4, Communicator::Self());
      test.scene.materials.SetRestitution(0, 0, {restitution});
      test.parameters.solver.sweeps = 400;
      const double mass = test::Mass(kRadius);
      if (is_link) {
        test.AddFreeLink(Ball{Vec3::Zero(), kRadius}, mass, Vec3::Zero(),
                         0.4 * mass * kRadius * kRadius * Mat3::Identity());
      } else {
        test.AddGrain(1, Vec3::Zero());
      }
      test.AddGrain(2, Vec3(0.022, 0.01, 0.002), Vec3(-0.5, 0.0, 0.1));
      test.Run(200);
      const auto particles = test::GatherById(test.world, test.state.particles);
      const auto& other_ball = particles.at(2);
      std::vector<Vec3> motion = {other_ball.velocity, other_ball.angular_velocity,
                                  other_ball.position};
      if (is_link) {
        motion.insert(motion.end(), {test.Speed(0), test.Speed(3), test.Travel(0)});
      } else {
        const auto& ball = particles.at(1);
        motion.insert(motion.end(), {ball.velocity, ball.angular_velocity, ball.position});
      }
      return motion;
    };
    const auto link = hit(true), particle = hit(false);
    EXPECT_GT(particle[3].norm(), 0.1);
    EXPECT_GT(particle[4].norm(), 1.0);
    // A rebound of two particles acts at the time of the impact, a rebound of a link at the
    // beginning of the step. Their positions therefore differ.
    const double shift = restitution > 0.0 ? 1e-4 * 0.5 : 0.0;  // dt times the speed of the ball
    for (std::size_t k = 0; k < link.size(); ++k) {
      const double allowed = 1e-9 * std::max(1.0, particle[k].norm()) + (k % 3 == 2 ? shift : 0.0);
      EXPECT_LT((link[k] - particle[k]).norm(), allowed) << k;
    }
  }
}

/// A box, as a link or as a polyhedron of the same mass and inertia. It is 2 mm above the grains of
/// radius kRadius that tests add around the origin.
World BoxAboveGrains(bool is_link, double restitution) {
  World test(1e-4, Communicator::Self());
  test.scene.materials.SetRestitution(0, 0, {restitution});
  test.parameters.solver.kernel = kDefaultKernelOfBodies;
  const Vec3 half(0.02, 0.015, 0.01), centre(0.0, 0.0, kRadius + half.z() + 2e-3);
  ClumpDescription box;
  box.name = "box";
  box.solid = "box";
  box.size = {2 * half.x(), 2 * half.y(), 2 * half.z()};
  const ShapeId shape = test::AddShape(test.scene, box);
  if (!is_link) {
    test::AddClump(test.scene, test.state.particles, 100, shape, centre, {});
    return test;
  }
  const ClumpShape& clump_shape = test.scene.ClumpOf(shape);
  const double radius = clump_shape.bounding_radius, mass = clump_shape.Mass(2650.0, radius);
  const PrincipalInertia inertia = clump_shape.Inertia(mass, radius);
  const Mat3 axes = RotationMatrix(inertia.axes);
  test.AddFreeLink(Block{{centre - half, centre + half}}, mass, centre,
                   axes * inertia.moments.asDiagonal() * axes.transpose());
  return test;
}

/// Position, twice the vector part of the orientation, velocity and angular velocity of the box.
std::vector<Vec3> BoxMotion(const World& test) {
  const auto vector = [](const Quaternion& q) { return Vec3(2.0 * Vec3(q.x, q.y, q.z)); };
  if (!test.scene.links.empty()) {
    return {test.scene.links[0].centre + test.Travel(0), vector(RotationBy(test.Travel(3))),
            test.Speed(0), test.Speed(3)};
  }
  const auto box = test::GatherById(test.world, test.state.particles).at(100);
  return {box.position, vector(box.orientation), box.velocity, box.angular_velocity};
}

/// A grain flies obliquely against a face of the box, off the middle, and stays on it if e = 0. It
/// moves by 50 µm per step, so with e = 0.8 the step of the impact starts with a gap of 13 µm.
TEST(FreeJoints, BoxAsALinkIsHitLikeAPolyhedron) {
  const auto hit = [](bool is_link, Kernel kernel, double friction, double restitution, double z) {
    World test = BoxAboveGrains(is_link, restitution);
    test.scene.materials.SetFriction(0, 0, friction);
    test.parameters.solver.kernel = kernel;
    test.parameters.solver.sweeps = 50;
    test.AddGrain(0, Vec3(0.008, 0.004, z), Vec3(0.05, -0.02, 0.5));
    test.Run(100);
    std::vector<Vec3> motion = BoxMotion(test);
    const auto grain = test::GatherById(test.world, test.state.particles).at(0);
    motion.insert(motion.end(), {grain.position, grain.velocity, grain.angular_velocity});
    return motion;
  };
  for (const Kernel kernel : {Kernel::kCoulomb, Kernel::kMaxDissipation}) {
    for (const double friction : {0.0, 0.1, 0.5}) {
      for (const auto& [restitution, z] : {std::pair(0.0, 0.0), std::pair(0.8, -1.3e-5)}) {
        const auto link = hit(true, kernel, friction, restitution, z),
                   expected = hit(false, kernel, friction, restitution, z);
        EXPECT_GT(expected[3].norm(), 0.5);
        EXPECT_EQ(expected[6].norm() > 1.0, friction > 0.0);
        for (std::size_t k = 0; k < link.size(); ++k) {
          EXPECT_LT((link[k] - expected[k]).norm(), 1e-11 * std::max(1.0, expected[k].norm()))
              << k << " " << friction << " " << restitution;
        }
      }
    }
  }
}

/// The box falls on four grains that walls hold in place.
TEST(FreeJoints, BoxAsALinkRestsLikeAPolyhedron) {
  const auto run_fall = [](bool is_link, Kernel kernel, double restitution) {
    World test = BoxAboveGrains(is_link, restitution);
    test.scene.gravity = Vec3(0, 0, -9.81);
    test.parameters.dt = 2e-4;
    test.parameters.solver.kernel = kernel;
    test.parameters.solver.sweeps = 50;
    const MaterialId fixed_grain = test.scene.materials.Add({"held", 2650.0}, 0.5, {restitution});
    test.scene.materials.SetRestitution(0, fixed_grain, {restitution});
    for (int n = 0; n < 4; ++n) {
      test.AddGrain(n, kRadius * Vec3(n % 2 == 0 ? -1 : 1, n / 2 == 0 ? -1 : 1, 0));
      if (test.world.IsRoot()) test.state.particles.material.back() = fixed_grain;
    }
    test::AddPlane(test.scene, Vec3(0, 0, -kRadius), Vec3::UnitZ());
    for (const int axis : {0, 1}) {
      for (const double side : {-1.0, 1.0}) {
        test::AddPlane(test.scene, side * 2.0 * kRadius * Vec3::Unit(axis),
                       -side * Vec3::Unit(axis));
        test.scene.walls.back().stops = {fixed_grain};
      }
    }
    test.Run(restitution > 0.0 ? 2000 : 1000);  // the box rests after 1000 or 250 steps
    return BoxMotion(test);
  };
  for (const Kernel kernel : {Kernel::kCoulomb, Kernel::kMaxDissipation}) {
    for (const double restitution : {0.0, 0.8}) {
      const auto link = run_fall(true, kernel, restitution),
                 polyhedron = run_fall(false, kernel, restitution);
      for (const auto& box : {link, polyhedron}) {
        EXPECT_NEAR(box[0].z(), kRadius + 0.01, 1e-6) << restitution;
        EXPECT_LT(box[1].head<2>().norm(), 1e-5) << restitution;  // it lies flat
        EXPECT_LT(box[2].norm() + kRadius * box[3].norm(), 1e-5) << restitution;
      }
      if (restitution > 0.0) continue;  // rebounds of several corners differ by rounding
      EXPECT_LT((link[0] - polyhedron[0]).norm(), 1e-8);
      EXPECT_LT((link[1] - polyhedron[1]).norm(), 1e-6);
    }
  }
}

enum class Grains { kSpheres, kBoxes };

/// Grains and a free link, a block, fly about in a periodic box without gravity.
World Gas(const Communicator& communicator = Communicator::World(),
          Grains grains = Grains::kSpheres) {
  World test(1e-4, communicator);
  test.scene.domain.box = {Vec3::Constant(-0.06), Vec3::Constant(0.06)};
  test.scene.domain.periodic = {true, true, true};
  test.scene.materials.SetRestitution(0, 0, {0.7});
  test.AddBlock({Vec3(-0.02, -0.015, -0.01), Vec3(0.02, 0.015, 0.01)}, 0.1);
  test.SetSpeeds(Vec3(0.1, 0.2, -0.3), Vec3(3.0, -2.0, 5.0));
  ShapeId shape = kSphereShape;
  if (grains == Grains::kBoxes) {
    ClumpDescription box;
    box.name = "box";
    box.solid = "box";
    box.size = {0.012, 0.012, 0.012};
    shape = test::AddShape(test.scene, box);
    test.parameters.solver.kernel = kDefaultKernelOfBodies;
  }
  ParticleId id = 0;
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) {
      for (int k = 0; k < 4; ++k) {
        const Vec3 x = 0.03 * Vec3(i - 1.5, j - 1.5, k - 1.5);
        const Vec3 v(std::sin(3.0 * i + j), std::cos(2.0 * j + k), std::sin(k + 5.0 * i));
        if (x.cwiseAbs().maxCoeff() <= 0.035) continue;
        if (shape == kSphereShape) {
          test.AddGrain(id++, x, v);
        } else if (test.world.IsRoot()) {
          test::AddClump(test.scene, test.state.particles, id++, shape, x, {}, v, 20.0 * v);
        }
      }
    }
  }
  return test;
}

TEST(FreeJoints, GrainsAndALinkConserveMomentumAndGainNoEnergy) {
  World test = Gas();
  const double mass = test::Mass(kRadius);
  const auto totals = [&] {
    Vec3 momentum = 0.1 * test.Speed(0);
    double energy = KineticEnergyOfLinks(test.scene, test.state.free_walls);
    for (const auto& [id, kinematics] : test::GatherById(test.world, test.state.particles)) {
      momentum += mass * kinematics.velocity;
      energy += 0.5 * mass *
                (kinematics.velocity.squaredNorm() +
                 0.4 * kRadius * kRadius * kinematics.angular_velocity.squaredNorm());
    }
    return std::pair(momentum, energy);
  };
  TimeStep step = test.Start();
  const auto [momentum, energy] = totals();
  const Vec3 speed = test.Speed(0);
  double energy_before = energy;
  for (int k = 0; k < 3000; ++k) {
    step.Advance(test.state);
    const auto [momentum_now, energy_now] = totals();
    ASSERT_LT((momentum_now - momentum).norm(), 1e-12 * mass * 56) << k;
    ASSERT_LT(energy_now, energy_before * (1.0 + 1e-12)) << k;
    energy_before = energy_now;
  }
  EXPECT_LT(energy_before, 0.7 * energy);
  EXPECT_GT((test.Speed(0) - speed).norm(), 0.1);
}

/// Corners, edges and faces of the boxes hit the link, with friction and rebounds by either law.
TEST(FreeJoints, BoxesAndALinkConserveMomentumAndGainNoEnergy) {
  for (const Kernel kernel : {Kernel::kCoulomb, Kernel::kMaxDissipation}) {
    World test = Gas(Communicator::World(), Grains::kBoxes);
    test.parameters.solver.kernel = kernel;
    TimeStep step = test.Start();
    const double mass = test.scene.ClumpOf(1).Mass(2650.0, test.scene.ClumpOf(1).bounding_radius);
    const auto totals = [&] {
      Vec3 momentum = 0.1 * test.Speed(0);
      for (const auto& [id, kinematics] : test::GatherById(test.world, test.state.particles)) {
        momentum += mass * kinematics.velocity;
      }
      return std::pair(momentum, step.Observe(test.state).kinetic_energy +
                                     KineticEnergyOfLinks(test.scene, test.state.free_walls));
    };
    const auto [momentum, energy] = totals();
    const Vec3 speed = test.Speed(0);
    double energy_before = energy;
    for (int k = 0; k < 2000; ++k) {
      step.Advance(test.state);
      const auto [momentum_now, energy_now] = totals();
      ASSERT_LT((momentum_now - momentum).norm(), 1e-12 * mass * 56) << k;
      ASSERT_LT(energy_now, energy_before * (1.0 + 1e-9)) << k;
      energy_before = energy_now;
    }
    EXPECT_LT(energy_before, 0.7 * energy);
    EXPECT_GT((test.Speed(0) - speed).norm(), 0.02);
  }
}

TEST(FreeJoints, JacobiHasTheSameBitsOnAnyRanks) {
  const auto run = [](World test) {
    test.parameters.solver.scheme = Scheme::kJacobi;
    test.Run(600);
    return std::pair(test.state.free_walls, test::GatherById(test.world, test.state.particles));
  };
  for (const Grains grains : {Grains::kSpheres, Grains::kBoxes}) {
    const auto parallel = run(Gas(Communicator::World(), grains)),
               serial = run(Gas(Communicator::Self(), grains));
    EXPECT_EQ(parallel.first, serial.first);
    EXPECT_NE(parallel.first[0].travel, 0.0);
    test::ExpectSameBits(parallel.second, serial.second);
  }
}

TEST(FreeJoints, RestartContinuesWithTheSameBits) {
  World test = Gas();
  const TimeStep step = test.Run(333);
  test::ExpectRestartWithTheSameBits(test.world, test.scene, test.parameters, step, test.state,
                                     400);
}

/// A hinge connects two boxes, one of them on a free joint. Their momentum drifts in proportion to
/// the step.
TEST(FreeJoints, LinksOnAFreeLinkConserveMomentumToFirstOrder) {
  const auto drift = [](double dt) {
    World test(dt, Communicator::Self());
    test.AddBlock({Vec3(-0.02, -0.01, -0.01), Vec3(0.02, 0.01, 0.01)}, 0.1);
    test.AddBlock({Vec3(0.02, -0.01, -0.01), Vec3(0.06, 0.01, 0.01)}, 0.1);
    Joint& hinge = test.scene.joints[1];
    hinge.kind = JointKind::kHinge;
    hinge.parent = 0;
    hinge.point = Vec3(0.02, 0, 0);
    hinge.axis = Vec3::UnitY();
    test.state.free_walls.resize(test.scene.FreeRows());
    test.state.free_walls[1].speed = 10.0;
    test.SetSpeeds(Vec3::Zero(), Vec3(0, 2.0, 1.0));
    TimeStep step = test.Start();
    const auto momentum = [&] {
      const auto poses = WallPoses(test.scene, dt, 0, test.state.free_walls);
      return Vec3(0.1 * (poses[0].velocity + poses[1].velocity));
    };
    const Vec3 momentum_before = momentum();
    for (int k = 0; k < static_cast<int>(std::lround(0.2 / dt)); ++k) step.Advance(test.state);
    return (momentum() - momentum_before).norm() / momentum_before.norm();
  };
  const double coarse = drift(2e-4), fine = drift(1e-4);
  EXPECT_LT(fine, 0.02);
  EXPECT_NEAR(fine / coarse, 0.5, 0.1) << coarse << " " << fine;
}

}  // namespace
}  // namespace scree::free_joints_test
