// Seams that are flat to the precision of mesh files or of coordinates do not deflect balls, clumps
// and polyhedra. Higher steps deflect them as in rigid mechanics.
#include <gtest/gtest.h>

#include <cmath>

#include "engine/geometry/triangle_mesh.hpp"
#include "tests/support/clump_scenes.hpp"
#include "tests/support/draw.hpp"
#include "tests/support/meshes.hpp"

namespace scree::low_edges_test {
namespace {

using Triangles = std::vector<Triangle>;

constexpr double kGravity = 9.81, kSpeed = 0.8, kMicrometre = 1e-6;
constexpr double kSeam = 8e-3;  // position of the seam; bodies start at x = 0 [m]
constexpr double kLength = 12e-3, kWidth = 8e-3, kHeight = 10e-3,
                 kRounding = 2e-4;  // default rounding of this box

Triangles Quad(double x_from, double x_to, double y_right, double y_left, double height = 0.0) {
  Triangles quad;
  test::AddParallelogram(Vec3(x_from, y_right, height), (x_to - x_from) * Vec3::UnitX(),
                         (y_left - y_right) * Vec3::UnitY(), quad);
  return quad;
}
Triangles QuadBeforeSeam() { return Quad(-0.04, kSeam, -0.04, 0.04); }
Triangles QuadBeyondSeam(double height = 0.0, double crack = 0.0) {
  return Quad(kSeam + crack, 0.07, -0.04, 0.04, height);
}
Triangles operator+(Triangles a, const Triangles& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}
/// Two quads beyond the seam that meet at y = 1.3 mm, on the long side of the quad before
/// the seam.
Triangles Junction() {
  return QuadBeforeSeam() + Quad(kSeam, 0.07, -0.04, 1.3e-3) + Quad(kSeam, 0.07, 1.3e-3, 0.04);
}
Triangles RotateAboutSeam(Triangles triangles, double angle) {
  const Mat3 rotation = RotationMatrix(RotationBy(angle * Vec3::UnitZ()));
  const Vec3 centre(kSeam, 0.0, 0.0);
  for (Triangle& triangle : triangles) {
    for (Vec3& corner : triangle) corner = rotation * (corner - centre) + centre;
  }
  return triangles;
}
Triangles Lower(Triangles triangles, double depth) {
  for (Triangle& triangle : triangles) {
    for (Vec3& corner : triangle) corner.z() -= depth;
  }
  return triangles;
}

Shape Sheet(const Triangles& triangles) {
  Mesh mesh;
  mesh.surface = std::make_shared<const TriangleMesh>(triangles, MeshSolid::kNo);
  return {{mesh}};
}
Shape BoxFloor(double x_from, double x_to, double top) {
  return {{Block{{Vec3(x_from, -0.04, -0.01), Vec3(x_to, 0.04, top)}}}};
}
const Shape kPlane = {{Plane{Vec3::Zero(), Vec3::UnitZ()}}};

enum class Body { kBall, kBox, kClump };
constexpr double kBall = 5e-3, kMember = 1e-3;

/// The position and rotation of a scene in space, and the parameters of the step and of the body.
struct Setting {
  Mat3 rotation = Mat3::Identity();
  Vec3 offset = Vec3::Zero();
  double dt = 2e-4, friction = 0.0;
  double depth = 0.0, start = 0.0;  // initial depth in the floor and position along x [m]
  double heading = 0.0;             // of the box, about the vertical [rad]
  double lateral = 0.0;             // velocity along y [m/s]
};

struct Motion {
  double max_height = 0.0;  // maximum height above the start [m]
  double max_spin = 0.0;    // maximum change of angular velocity [rad/s]
  Vec3 velocity_after_edge = Vec3::Zero(),
       spin_after_edge = Vec3::Zero();  // velocities after the impact on the edge
  double final_speed = 0.0;             // final speed along the floor [m/s]
};

/// Moves the body to the seam and the same distance beyond it. The walls are in world axes,
/// already rotated and displaced.
Motion MoveOverSeam(const std::vector<Shape>& walls, Body body, const Setting& setting = {}) {
  const Vec3 half = Vec3::Constant(0.2);
  Scene scene = test::EmptyScene(setting.offset - half, setting.offset + half, setting.friction);
  scene.gravity = setting.rotation * Vec3(0, 0, -kGravity);
  for (const Shape& wall : walls) scene.walls.push_back({"wall", wall});
  State state;
  Particles& particles = state.particles;
  const double centre = body == Body::kBall  ? kBall
                        : body == Body::kBox ? 0.5 * kHeight
                                             : kMember * (1.0 + std::sqrt(0.5));
  const Vec3 start_position(setting.start, 3e-4, centre - setting.depth);
  const Vec3 position = setting.rotation * start_position + setting.offset;
  if (body == Body::kBall) {
    test::AddSphere(particles, 0, position, kBall);
    if (setting.friction > 0.0) {
      particles.angular_velocity[0] = setting.rotation * Vec3(0, kSpeed / kBall, 0);
    }
  } else {
    ClumpDescription box;
    box.name = "box";
    box.solid = "box";
    box.size = {kLength, kWidth, kHeight};
    scene.clumps.push_back(MakeClumpShape(box));
    const ShapeId shape =
        body == Body::kBox ? ShapeId{1} : test::AddShape(scene, test::Tetrapod(kMember));
    const Eigen::Quaterniond orientation(setting.rotation *
                                         Eigen::AngleAxisd(setting.heading, Vec3::UnitZ()));
    test::AddClump(scene, particles, 0, shape, position,
                   {orientation.w(), orientation.x(), orientation.y(), orientation.z()});
  }
  particles.velocity[0] = setting.rotation * Vec3(kSpeed, setting.lateral, 0);
  StepParameters parameters;
  parameters.dt = setting.dt;
  parameters.solver.sweeps = 50;
  if (scene.HasClumps()) parameters.solver.kernel = Kernel::kCoulomb;
  const Communicator self = Communicator::Self();
  TimeStep step = test::Start(self, scene, parameters, state);
  const Vec3 initial_spin = particles.angular_velocity[0];
  Motion motion;
  const auto steps = static_cast<int>(2.1 * kSeam / kSpeed / setting.dt);
  for (int k = 0; k < steps; ++k) {
    step.Advance(state);
    const auto to_floor_axes = [&](const Vec3& v) {
      return Vec3(setting.rotation.transpose() * v);
    };
    const double height =
        (to_floor_axes(particles.position[0] - setting.offset) - start_position).z();
    const Vec3 spin = to_floor_axes(particles.angular_velocity[0] - initial_spin);
    motion.max_spin = std::max(motion.max_spin, spin.norm());
    motion.final_speed = to_floor_axes(particles.velocity[0]).head<2>().norm();
    if (!(motion.spin_after_edge.norm() > 0.5 * spin.norm()) ||
        motion.velocity_after_edge.isZero()) {
      motion.velocity_after_edge = to_floor_axes(particles.velocity[0]);
      motion.spin_after_edge = spin;
    }
    motion.max_height = std::max(motion.max_height, height);
  }
  return motion;
}

/// Expects the same motion as over a plane.
/// @param coordinate_error  error of the coordinates [m]
void ExpectNoDeflection(const std::string& name, const std::vector<Shape>& walls,
                        Setting setting = {}, double coordinate_error = 1e-9) {
  for (const Body body : {Body::kBall, Body::kBox, Body::kClump}) {
    for (const double heading : {0.0, 0.3}) {
      if (heading > 0.0 && body != Body::kBox) continue;
      for (const double start : {3e-5, 1.2e-4}) {
        setting.heading = heading;
        setting.start = start;
        const Motion motion = MoveOverSeam(walls, body, setting);
        const std::string description = name + ", body " + std::to_string(static_cast<int>(body)) +
                                        ", turned by " + std::to_string(heading) + ", from " +
                                        std::to_string(start);
        EXPECT_NEAR(motion.final_speed, kSpeed, 1e-5 * kSpeed) << description;
        // If a body starts in the floor or is in a crack of a micrometre, the projection lifts it
        // until its overlap is the slop.
        EXPECT_LT(motion.max_height, setting.depth + coordinate_error) << description;
        EXPECT_LT(motion.max_spin, 1e-3 + coordinate_error / kMicrometre) << description;
      }
    }
  }
}

TEST(LowEdges, VertexOnAnEdgeChangesNothing) {
  if (!test::IsSingleRank()) GTEST_SKIP() << "one rank suffices";
  ExpectNoDeflection("junction", {Sheet(Junction())});
  ExpectNoDeflection("oblique junction", {Sheet(RotateAboutSeam(Junction(), 0.4))});
  ExpectNoDeflection("of two meshes",
                     {Sheet(QuadBeforeSeam()),
                      Sheet(Quad(kSeam, 0.07, -0.04, 1.3e-3) + Quad(kSeam, 0.07, 1.3e-3, 0.04))});
  ExpectNoDeflection("both skins", {Sheet(Junction() + Lower(Junction(), 3e-4))});
}

TEST(LowEdges, CrackChangesNothing) {
  if (!test::IsSingleRank()) GTEST_SKIP() << "one rank suffices";
  for (const double width : {0.1 * kMicrometre, kMicrometre, 10.0 * kMicrometre}) {
    const std::string name = "crack of " + std::to_string(width / kMicrometre);
    for (const double depth : {0.0, 3e-6}) {
      ExpectNoDeflection(name, {Sheet(QuadBeforeSeam() + QuadBeyondSeam(0.0, width))},
                         {.depth = depth});
    }
    ExpectNoDeflection(name + " between walls",
                       {Sheet(QuadBeforeSeam()), Sheet(QuadBeyondSeam(0.0, width))});
    ExpectNoDeflection(name + " between boxes",
                       {BoxFloor(-0.04, kSeam, 0.0), BoxFloor(kSeam + width, 0.07, 0.0)},
                       {.depth = 3e-6});
  }
  ExpectNoDeflection(
      "oblique crack",
      {Sheet(RotateAboutSeam(QuadBeforeSeam() + QuadBeyondSeam(0.0, kMicrometre), 0.4))});
}

/// The steps are about a tenth of a micrometre high: 2e-5 of the ball's radius, 5e-4 of the box's
/// rounding, and 1e-4 of the radius of the clump's spheres.
TEST(LowEdges, StepBelowTheToleranceChangesNothing) {
  if (!test::IsSingleRank()) GTEST_SKIP() << "one rank suffices";
  const double height = 0.09 * kMicrometre;
  ExpectNoDeflection("sheets", {Sheet(QuadBeforeSeam() + QuadBeyondSeam(height))}, {},
                     0.1 * kMicrometre);
  ExpectNoDeflection("meshes", {Sheet(QuadBeforeSeam()), Sheet(QuadBeyondSeam(height))}, {},
                     0.1 * kMicrometre);
  ExpectNoDeflection("a plane", {kPlane, BoxFloor(kSeam, 0.07, height)}, {}, 0.1 * kMicrometre);
}

/// In single precision, coordinates of 1 m and 10 m are rounded to 0.1 µm and 1 µm.
TEST(LowEdges, RoundingToSinglePrecisionChangesNothing) {
  if (!test::IsSingleRank()) GTEST_SKIP() << "one rank suffices";
  for (const double coordinate : {1.0, 3.0, 10.0}) {
    Setting setting;
    setting.rotation = RotationMatrix(RotationBy(Vec3(0.3, 0.5, 0.2)));
    setting.offset = Vec3::Constant(coordinate);
    for (const Triangles& floor :
         {Junction(), QuadBeforeSeam() + QuadBeyondSeam(0.0, kMicrometre)}) {
      Triangles rounded = floor;
      for (Triangle& triangle : rounded) {
        for (Vec3& corner : triangle) {
          const Vec3 x = setting.rotation * corner + setting.offset;
          corner = x.cast<float>().cast<double>();
        }
      }
      ExpectNoDeflection("rounded at " + std::to_string(coordinate), {Sheet(rounded)}, setting,
                         0.1 * kMicrometre * coordinate);
    }
  }
}

/// If the floor is lower by h beyond the seam, only the weight can cause rotation, with an energy
/// of at most m g h.
TEST(LowEdges, DropGivesNoMoreEnergyThanTheWeight) {
  if (!test::IsSingleRank()) GTEST_SKIP() << "one rank suffices";
  // Smallest squared radii of gyration: of the tetrapod, and of the box about its length.
  const double clump_gyration = 1.4 * kMember * kMember;
  const double box_gyration = (8e-3 * 8e-3 + kHeight * kHeight) / 12.0;
  for (const double drop : {0.03, 0.06, 0.1, 1.0}) {
    for (const double dt : {2e-4, 5e-5}) {
      const double height = -drop * kMicrometre;
      for (const auto& walls : {std::vector{Sheet(QuadBeforeSeam() + QuadBeyondSeam(height))},
                                {BoxFloor(-0.04, kSeam, 0.0), BoxFloor(kSeam, 0.07, height)}}) {
        for (const Body body : {Body::kBall, Body::kBox, Body::kClump}) {
          const Motion motion = MoveOverSeam(walls, body, {.dt = dt, .start = 3e-5});
          const double squared = body == Body::kBox ? box_gyration : clump_gyration;
          const std::string description = std::to_string(drop) + " um, dt " + std::to_string(dt) +
                                          ", body " + std::to_string(static_cast<int>(body));
          EXPECT_LT(0.5 * squared * motion.max_spin * motion.max_spin, -kGravity * height)
              << description;
          EXPECT_NEAR(motion.final_speed, kSpeed, 1e-5 * kSpeed) << description;
          EXPECT_LT(motion.max_height, 1e-9) << description;
        }
      }
    }
  }
}

TEST(LowEdges, BallRollsOverSeamsWithFriction) {
  if (!test::IsSingleRank()) GTEST_SKIP() << "one rank suffices";
  for (const double depth : {0.0, 3e-6}) {
    const Motion motion = MoveOverSeam({Sheet(QuadBeforeSeam() + QuadBeyondSeam(0.0, kMicrometre))},
                                       Body::kBall, {.friction = 0.5, .depth = depth});
    EXPECT_NEAR(motion.final_speed, kSpeed, 1e-6 * kSpeed);
    EXPECT_LT(motion.max_spin, 1e-3);
    EXPECT_LT(motion.max_height, depth + 1e-9);
  }
}

/// A ball that meets an edge of height h ≪ r loses its velocity along the normal there. The normal
/// has the angle θ with the vertical, cos θ = 1 − h/r. After the impact the vertical velocity is
/// v sin θ cos θ, and the ball rises by v² h/(r g).
TEST(LowEdges, BallClimbsAStepAsInRigidMechanics) {
  if (!test::IsSingleRank()) GTEST_SKIP() << "one rank suffices";
  for (const double height : {kMicrometre, 20.0 * kMicrometre}) {
    const double cosine = 1.0 - height / kBall, sine = std::sqrt(1.0 - cosine * cosine);
    const double rise_speed = kSpeed * sine * cosine;
    for (const double dt : {2e-4, 5e-5}) {
      for (const double start : {0.0, 3e-5, 7e-5, 1.2e-4}) {
        for (const double depth : {0.0, 3e-6}) {
          const Setting setting = {.dt = dt, .depth = depth, .start = start};
          const double lifted = depth > 0.0 ? 1.3e-6 : 0.0;  // by the projection
          for (const auto& walls : {std::vector{Sheet(QuadBeforeSeam() + QuadBeyondSeam(height))},
                                    {kPlane, BoxFloor(kSeam, 0.07, height)}}) {
            const Motion motion = MoveOverSeam(walls, Body::kBall, setting);
            // In the step of the impact the edge carries the weight, so the ball rises higher.
            EXPECT_NEAR(motion.max_height,
                        rise_speed * rise_speed / (2.0 * kGravity) + 0.5 * rise_speed * dt + lifted,
                        0.01 * motion.max_height + 0.15 * lifted);
            EXPECT_NEAR(motion.final_speed, kSpeed * cosine * cosine, 1.1 * kGravity * dt * sine);
          }
        }
      }
    }
  }
}

/// Velocities (v_x, v_z, ω_y) of a box after its front vertices have hit an edge while it slides.
/// The normal is that of a ball whose radius is the rounding. The floor may hold the rear vertices:
/// J v' ≥ 0 with impulses λ ≥ 0 along the rows of J.
/// @param rear_is_held  whether the floor holds the rear vertices in the exact solution
Vec3 VelocityAfterStep(double height, bool rear_is_held) {
  const double cosine = 1.0 - height / kRounding, sine = std::sqrt(1.0 - cosine * cosine);
  const double a = 0.5 * kLength - kRounding, b = 0.5 * kHeight - kRounding;
  const double inertia = (kLength * kLength + kHeight * kHeight) / 12.0;  // over the mass
  // (v_x, v_z, ω_y) gives a point at (x, z) the velocity v + ω_y (z, −x).
  const Vec3 front(-sine, cosine, sine * b - cosine * a), rear(0.0, 1.0, a);
  const Vec3 inverse(1.0, 1.0, 1.0 / inertia), before(kSpeed, 0.0, 0.0);
  Eigen::MatrixXd jacobian(rear_is_held ? 2 : 1, 3);
  jacobian.row(0) = front;
  if (rear_is_held) jacobian.row(1) = rear;
  const Eigen::MatrixXd response = inverse.asDiagonal() * jacobian.transpose();
  return before - response * (jacobian * response).inverse() * (jacobian * before);
}

TEST(LowEdges, BoxClimbsAStepAsInRigidMechanics) {
  if (!test::IsSingleRank()) GTEST_SKIP() << "one rank suffices";
  for (const auto& [height, rear_is_held] : {std::pair{kMicrometre, true}, {20e-6, false}}) {
    const Vec3 expected = VelocityAfterStep(height, rear_is_held);
    for (const double start : {0.0, 3e-5, 7e-5, 1.2e-4}) {
      for (const double depth : {0.0, 1e-6}) {
        const Setting setting = {.depth = depth, .start = start};
        for (const auto& walls : {std::vector{Sheet(QuadBeforeSeam() + QuadBeyondSeam(height))},
                                  {Sheet(QuadBeforeSeam()), Sheet(QuadBeyondSeam(height))},
                                  {kPlane, BoxFloor(kSeam, 0.07, height)}}) {
          const Motion motion = MoveOverSeam(walls, Body::kBox, setting);
          EXPECT_NEAR(motion.velocity_after_edge.x(), expected.x(), 1e-3)
              << height << ' ' << start << ' ' << depth;
          EXPECT_NEAR(motion.velocity_after_edge.z(), expected.y(), 2e-3)
              << height << ' ' << start << ' ' << depth;
          EXPECT_NEAR(motion.spin_after_edge.y(), expected.z(), 0.01 * std::abs(expected.z()));
        }
      }
    }
  }
}

using Velocity = Eigen::Matrix<double, 6, 1>;

/// Velocities of a rotated box that moves obliquely, after its foremost vertex has hit the edge.
/// The floor may hold the other three vertices.
Velocity VelocityAfterCorner(double height, double heading, double lateral) {
  const double cosine = 1.0 - height / kRounding, sine = std::sqrt(1.0 - cosine * cosine);
  const Mat3 rotation = RotationMatrix(RotationBy(heading * Vec3::UnitZ()));
  const Vec3 half = 0.5 * Vec3(kLength, kWidth, kHeight), sq = half.cwiseAbs2() / 3.0;
  const Vec3 moments(sq.y() + sq.z(), sq.x() + sq.z(), sq.x() + sq.y());
  Eigen::Matrix<double, 6, 6> inverse = Eigen::Matrix<double, 6, 6>::Identity();
  inverse.bottomRightCorner<3, 3>() =
      rotation * moments.cwiseInverse().asDiagonal() * rotation.transpose();
  Eigen::Matrix<double, 4, 6> rows;
  for (int k = 0; k < 4; ++k) {
    const Vec3 signs(k < 2 ? 1.0 : -1.0, k % 2 == 0 ? -1.0 : 1.0,
                     -1.0);  // the first vertex is the foremost
    const Vec3 arm = rotation * signs.cwiseProduct(half - Vec3::Constant(kRounding));
    const Vec3 normal = k == 0 ? Vec3(-sine, 0.0, cosine) : Vec3(Vec3::UnitZ());
    rows.row(k) << normal.transpose(), arm.cross(normal).transpose();
  }
  Velocity initial = Velocity::Zero();
  initial.head<2>() << kSpeed, lateral;
  // Sets of acting vertices, which always include the foremost vertex.
  for (int acting = 1; acting < 16; acting += 2) {
    std::vector<int> active;
    for (int k = 0; k < 4; ++k) {
      if ((acting >> k & 1) != 0) active.push_back(k);
    }
    if (active.size() == 4) continue;
    const Eigen::MatrixXd j = rows(active, Eigen::all), response = inverse * j.transpose();
    const Eigen::VectorXd impulses = -(j * response).inverse() * (j * initial);
    const Velocity final_velocity = initial + response * impulses;
    if (impulses.minCoeff() >= 0.0 && (rows * final_velocity).minCoeff() > -1e-12)
      return final_velocity;
  }
  ADD_FAILURE() << "no solution";
  return initial;
}

TEST(LowEdges, CornerClimbsAStepInTimeStepsOfAnyLength) {
  if (!test::IsSingleRank()) GTEST_SKIP() << "one rank suffices";
  for (const double heading : {0.1, 0.35, 0.7}) {
    for (const double height : {kMicrometre, 20.0 * kMicrometre}) {
      const Velocity expected = VelocityAfterCorner(height, heading, 0.1);
      for (const double dt : {2e-6, 1e-5, 5e-5, 2e-4}) {
        for (const double start : {0.0, 5e-5, 1.1e-4}) {
          if (dt < 1e-5 && start > 0.0) continue;
          const bool is_solid = start == 5e-5;
          const Motion motion = MoveOverSeam(
              is_solid ? std::vector{kPlane, BoxFloor(kSeam, 0.07, height)}
                       : std::vector{Sheet(QuadBeforeSeam() + QuadBeyondSeam(height))},
              Body::kBox, {.dt = dt, .start = start, .heading = heading, .lateral = 0.1});
          const std::string description = std::to_string(heading) + " rad, " +
                                          std::to_string(height / kMicrometre) + " um, dt " +
                                          std::to_string(dt) + ", from " + std::to_string(start);
          EXPECT_LT((motion.velocity_after_edge - expected.head<3>()).norm(), 3e-3) << description;
          EXPECT_LT((motion.spin_after_edge - expected.tail<3>()).norm(),
                    0.03 * expected.tail<3>().norm())
              << description;
          if (height > kMicrometre) continue;
          // The box rises by 117 to 124 um in time steps of any length.
          EXPECT_NEAR(motion.max_height, 120e-6, 6e-6) << description;
        }
      }
    }
  }
}

/// First the corner of a rotated box passes the border of the step, then its edges do.
TEST(LowEdges, EdgesOfABoxHitTheStepOfASolidLikeTheStepOfAMesh) {
  if (!test::IsSingleRank()) GTEST_SKIP() << "one rank suffices";
  for (const double start : {3e-5, 1.2e-4}) {
    const Setting setting = {.start = start, .heading = 0.3};
    const Motion mesh =
        MoveOverSeam({kPlane, Sheet(QuadBeyondSeam(kMicrometre))}, Body::kBox, setting);
    const Motion solid =
        MoveOverSeam({kPlane, BoxFloor(kSeam, 0.07, kMicrometre)}, Body::kBox, setting);
    EXPECT_NEAR(solid.max_height, mesh.max_height, 0.01 * mesh.max_height);
    EXPECT_NEAR(solid.max_spin, mesh.max_spin, 0.01 * mesh.max_spin);
    EXPECT_NEAR(solid.final_speed, mesh.final_speed, 5e-3 * kSpeed);
  }
}

}  // namespace
}  // namespace scree::low_edges_test
