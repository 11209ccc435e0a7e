// Balls, clumps and polyhedra do not feel seams that are flat up to the precision of files or
// builders. Higher steps deflect them as rigid mechanics predicts.
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

Triangles Quad(double from, double to, double right, double left, double height = 0.0) {
  Triangles quad;
  test::AddParallelogram(Vec3(from, right, height), (to - from) * Vec3::UnitX(),
                         (left - right) * Vec3::UnitY(), quad);
  return quad;
}
Triangles Before() { return Quad(-0.04, kSeam, -0.04, 0.04); }
Triangles Beyond(double height = 0.0, double crack = 0.0) {
  return Quad(kSeam + crack, 0.07, -0.04, 0.04, height);
}
Triangles operator+(Triangles a, const Triangles& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}
/// Two quads that meet at y = 1.3 mm, where one has its long side.
Triangles Junction() {
  return Before() + Quad(kSeam, 0.07, -0.04, 1.3e-3) + Quad(kSeam, 0.07, 1.3e-3, 0.04);
}
Triangles Turned(Triangles triangles, double angle) {
  const Mat3 turn = RotationMatrix(RotationBy(angle * Vec3::UnitZ()));
  const Vec3 centre(kSeam, 0.0, 0.0);
  for (Triangle& triangle : triangles) {
    for (Vec3& corner : triangle) corner = turn * (corner - centre) + centre;
  }
  return triangles;
}
Triangles Lowered(Triangles triangles, double depth) {
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
Shape Boxed(double from, double to, double top) {
  return {{Block{{Vec3(from, -0.04, -0.01), Vec3(to, 0.04, top)}}}};
}
const Shape kPlane = {{Plane{Vec3::Zero(), Vec3::UnitZ()}}};

enum class Body { kBall, kBox, kClump };
constexpr double kBall = 5e-3, kMember = 1e-3;

/// A scene that can be moved and rotated anywhere, and the parameters of the step.
struct Setting {
  Mat3 turn = Mat3::Identity();
  Vec3 offset = Vec3::Zero();
  double dt = 2e-4, friction = 0.0;
  double sunk = 0.0, start = 0.0;  // depth in the floor, position along x [m]
  double heading = 0.0;            // of the box, about the vertical [rad]
  double aside = 0.0;              // velocity along y [m/s]
};

struct Way {
  double highest = 0.0;                               // maximum height above the start [m]
  double spin = 0.0;                                  // maximum change of angular velocity [rad/s]
  Vec3 after = Vec3::Zero(), turning = Vec3::Zero();  // velocities at that height
  double last = 0.0;                                  // final speed along the floor [m/s]
};

/// Moves over the seam and as far beyond it. Walls are in the coordinates of the floor.
Way Along(const std::vector<Shape>& walls, Body body, const Setting& setting = {}) {
  const Vec3 half = Vec3::Constant(0.2);
  Scene scene = test::EmptyScene(setting.offset - half, setting.offset + half, setting.friction);
  scene.gravity = setting.turn * Vec3(0, 0, -kGravity);
  for (const Shape& wall : walls) scene.walls.push_back({"wall", wall});
  State state;
  Particles& particles = state.particles;
  const double centre = body == Body::kBall  ? kBall
                        : body == Body::kBox ? 0.5 * kHeight
                                             : kMember * (1.0 + std::sqrt(0.5));
  const Vec3 from(setting.start, 3e-4, centre - setting.sunk);
  const Vec3 place = setting.turn * from + setting.offset;
  if (body == Body::kBall) {
    test::AddSphere(particles, 0, place, kBall);
    if (setting.friction > 0.0) {
      particles.angular_velocity[0] = setting.turn * Vec3(0, kSpeed / kBall, 0);
    }
  } else {
    ClumpDescription box;
    box.name = "box";
    box.solid = "box";
    box.size = {kLength, kWidth, kHeight};
    scene.clumps.push_back(MakeClumpShape(box));
    const ShapeId shape =
        body == Body::kBox ? ShapeId{1} : test::AddShape(scene, test::Tetrapod(kMember));
    const Eigen::Quaterniond turn(setting.turn * Eigen::AngleAxisd(setting.heading, Vec3::UnitZ()));
    test::AddClump(scene, particles, 0, shape, place, {turn.w(), turn.x(), turn.y(), turn.z()});
  }
  particles.velocity[0] = setting.turn * Vec3(kSpeed, setting.aside, 0);
  StepParameters parameters;
  parameters.dt = setting.dt;
  parameters.solver.sweeps = 50;
  if (scene.HasClumps()) parameters.solver.kernel = Kernel::kCoulomb;
  const Communicator self = Communicator::Self();
  TimeStep step = test::Start(self, scene, parameters, state);
  const Vec3 began = particles.angular_velocity[0];
  Way way;
  const auto steps = static_cast<int>(2.1 * kSeam / kSpeed / setting.dt);
  for (int k = 0; k < steps; ++k) {
    step.Advance(state);
    const auto unturned = [&](const Vec3& v) { return Vec3(setting.turn.transpose() * v); };
    const double height = (unturned(particles.position[0] - setting.offset) - from).z();
    const Vec3 spin = unturned(particles.angular_velocity[0] - began);
    way.spin = std::max(way.spin, spin.norm());
    way.last = unturned(particles.velocity[0]).head<2>().norm();
    if (!(way.turning.norm() > 0.5 * spin.norm()) || way.after.isZero()) {
      way.after = unturned(particles.velocity[0]);
      way.turning = spin;
    }
    way.highest = std::max(way.highest, height);
  }
  return way;
}

/// Expects the same motion as over a plane; `rough` is the error of the coordinates.
void ExpectNothing(const std::string& what, const std::vector<Shape>& walls, Setting setting = {},
                   double rough = 1e-9) {
  for (const Body body : {Body::kBall, Body::kBox, Body::kClump}) {
    for (const double heading : {0.0, 0.3}) {
      if (heading > 0.0 && body != Body::kBox) continue;
      for (const double start : {3e-5, 1.2e-4}) {
        setting.heading = heading;
        setting.start = start;
        const Way way = Along(walls, body, setting);
        const std::string which = what + ", body " + std::to_string(static_cast<int>(body)) +
                                  ", turned by " + std::to_string(heading) + ", from " +
                                  std::to_string(start);
        EXPECT_NEAR(way.last, kSpeed, 1e-5 * kSpeed) << which;
        // The projection lifts a body that has sunk in, or is in a crack of a micrometre, up to the
        // slop.
        EXPECT_LT(way.highest, setting.sunk + rough) << which;
        EXPECT_LT(way.spin, 1e-3 + rough / kMicrometre) << which;
      }
    }
  }
}

TEST(LowEdges, VertexOnAnEdgeIsNotFelt) {
  if (!test::RunsAlone()) GTEST_SKIP() << "the same on one rank";
  ExpectNothing("junction", {Sheet(Junction())});
  ExpectNothing("oblique junction", {Sheet(Turned(Junction(), 0.4))});
  ExpectNothing("of two meshes", {Sheet(Before()), Sheet(Quad(kSeam, 0.07, -0.04, 1.3e-3) +
                                                         Quad(kSeam, 0.07, 1.3e-3, 0.04))});
  ExpectNothing("both skins", {Sheet(Junction() + Lowered(Junction(), 3e-4))});
}

TEST(LowEdges, CrackIsNotFelt) {
  if (!test::RunsAlone()) GTEST_SKIP() << "the same on one rank";
  for (const double width : {0.1 * kMicrometre, kMicrometre, 10.0 * kMicrometre}) {
    const std::string what = "crack of " + std::to_string(width / kMicrometre);
    for (const double sunk : {0.0, 3e-6}) {
      ExpectNothing(what, {Sheet(Before() + Beyond(0.0, width))}, {.sunk = sunk});
    }
    ExpectNothing(what + " between walls", {Sheet(Before()), Sheet(Beyond(0.0, width))});
    ExpectNothing(what + " between boxes",
                  {Boxed(-0.04, kSeam, 0.0), Boxed(kSeam + width, 0.07, 0.0)}, {.sunk = 3e-6});
  }
  ExpectNothing("oblique crack", {Sheet(Turned(Before() + Beyond(0.0, kMicrometre), 0.4))});
}

/// The steps are a tenth of a micrometre high: 2e-5 of the ball and 5e-4 of the rounding. The clump
/// has spheres of 1 mm, as large as the rounding.
TEST(LowEdges, StepBelowTheToleranceIsNotFelt) {
  if (!test::RunsAlone()) GTEST_SKIP() << "the same on one rank";
  const double height = 0.09 * kMicrometre;
  ExpectNothing("sheets", {Sheet(Before() + Beyond(height))}, {}, 0.1 * kMicrometre);
  ExpectNothing("meshes", {Sheet(Before()), Sheet(Beyond(height))}, {}, 0.1 * kMicrometre);
  ExpectNothing("a plane", {kPlane, Boxed(kSeam, 0.07, height)}, {}, 0.1 * kMicrometre);
}

/// In single precision, coordinates at 1 m and 10 m from the origin have steps of 0.1 µm and 1 µm.
TEST(LowEdges, RoundingToSinglePrecisionIsNotFelt) {
  if (!test::RunsAlone()) GTEST_SKIP() << "the same on one rank";
  for (const double away : {1.0, 3.0, 10.0}) {
    Setting setting;
    setting.turn = RotationMatrix(RotationBy(Vec3(0.3, 0.5, 0.2)));
    setting.offset = Vec3::Constant(away);
    for (const Triangles& floor : {Junction(), Before() + Beyond(0.0, kMicrometre)}) {
      Triangles rounded = floor;
      for (Triangle& triangle : rounded) {
        for (Vec3& corner : triangle) {
          const Vec3 x = setting.turn * corner + setting.offset;
          corner = x.cast<float>().cast<double>();
        }
      }
      ExpectNothing("rounded at " + std::to_string(away), {Sheet(rounded)}, setting,
                    0.1 * kMicrometre * away);
    }
  }
}

/// If the floor drops by h, rotation can only come from the weight: its energy is at most m g h.
TEST(LowEdges, DropGivesNoMoreEnergyThanTheWeight) {
  if (!test::RunsAlone()) GTEST_SKIP() << "the same on one rank";
  // Smallest squared radii of gyration: of the tetrapod, and of the box about its length.
  const double of_clump = 1.4 * kMember * kMember;
  const double of_box = (8e-3 * 8e-3 + kHeight * kHeight) / 12.0;
  for (const double drop : {0.03, 0.06, 0.1, 1.0}) {
    for (const double dt : {2e-4, 5e-5}) {
      const double height = -drop * kMicrometre;
      for (const auto& walls : {std::vector{Sheet(Before() + Beyond(height))},
                                {Boxed(-0.04, kSeam, 0.0), Boxed(kSeam, 0.07, height)}}) {
        for (const Body body : {Body::kBall, Body::kBox, Body::kClump}) {
          const Way way = Along(walls, body, {.dt = dt, .start = 3e-5});
          const double squared = body == Body::kBox ? of_box : of_clump;
          const std::string which = std::to_string(drop) + " um, dt " + std::to_string(dt) +
                                    ", body " + std::to_string(static_cast<int>(body));
          EXPECT_LT(0.5 * squared * way.spin * way.spin, -kGravity * height) << which;
          EXPECT_NEAR(way.last, kSpeed, 1e-5 * kSpeed) << which;
          EXPECT_LT(way.highest, 1e-9) << which;
        }
      }
    }
  }
}

TEST(LowEdges, BallRollsOverSeamsWithFriction) {
  if (!test::RunsAlone()) GTEST_SKIP() << "the same on one rank";
  for (const double sunk : {0.0, 3e-6}) {
    const Way way = Along({Sheet(Before() + Beyond(0.0, kMicrometre))}, Body::kBall,
                          {.friction = 0.5, .sunk = sunk});
    EXPECT_NEAR(way.last, kSpeed, 1e-6 * kSpeed);
    EXPECT_LT(way.spin, 1e-3);
    EXPECT_LT(way.highest, sunk + 1e-9);
  }
}

/// A ball that meets an edge of height h ≪ r loses its velocity along the normal there, at the
/// angle θ with cos θ = 1 − h/r. Its vertical velocity is then v sin θ cos θ, and it rises by v²
/// h/(r g).
TEST(LowEdges, BallTakesAStepAsInRigidMechanics) {
  if (!test::RunsAlone()) GTEST_SKIP() << "the same on one rank";
  for (const double height : {kMicrometre, 20.0 * kMicrometre}) {
    const double cosine = 1.0 - height / kBall, sine = std::sqrt(1.0 - cosine * cosine);
    const double rises = kSpeed * sine * cosine;
    for (const double dt : {2e-4, 5e-5}) {
      for (const double start : {0.0, 3e-5, 7e-5, 1.2e-4}) {
        for (const double sunk : {0.0, 3e-6}) {
          const Setting setting = {.dt = dt, .sunk = sunk, .start = start};
          const double lifted = sunk > 0.0 ? 1.3e-6 : 0.0;  // to the slop
          for (const auto& walls : {std::vector{Sheet(Before() + Beyond(height))},
                                    {kPlane, Boxed(kSeam, 0.07, height)}}) {
            const Way way = Along(walls, Body::kBall, setting);
            // In the step of the impact the ball rises, and the edge carries its weight.
            EXPECT_NEAR(way.highest, rises * rises / (2.0 * kGravity) + 0.5 * rises * dt + lifted,
                        0.01 * way.highest + 0.15 * lifted);
            EXPECT_NEAR(way.last, kSpeed * cosine * cosine, 1.1 * kGravity * dt * sine);
          }
        }
      }
    }
  }
}

/// Velocities of a box after its front vertices slide against an edge, with the normal of a ball
/// whose radius is the rounding. The floor may hold the rear vertices: J v' ≥ 0 with impulses λ ≥ 0
/// along the rows of J. The exact solution decides which of them act.
Vec3 AfterStep(double height, bool rear_is_held) {
  const double cosine = 1.0 - height / kRounding, sine = std::sqrt(1.0 - cosine * cosine);
  const double a = 0.5 * kLength - kRounding, b = 0.5 * kHeight - kRounding;
  const double inertia = (kLength * kLength + kHeight * kHeight) / 12.0;  // over the mass
  // (v_x, v_z, ω_y) gives a point at (x, z) the velocity v + ω_y (z, −x).
  const Vec3 front(-sine, cosine, sine * b - cosine * a), rear(0.0, 1.0, a);
  const Vec3 inverse(1.0, 1.0, 1.0 / inertia), before(kSpeed, 0.0, 0.0);
  Eigen::MatrixXd jacobian(rear_is_held ? 2 : 1, 3);
  jacobian.row(0) = front;
  if (rear_is_held) jacobian.row(1) = rear;
  const Eigen::MatrixXd moved = inverse.asDiagonal() * jacobian.transpose();
  return before - moved * (jacobian * moved).inverse() * (jacobian * before);
}

TEST(LowEdges, BoxTakesAStepAsInRigidMechanics) {
  if (!test::RunsAlone()) GTEST_SKIP() << "the same on one rank";
  for (const auto& [height, rear_is_held] : {std::pair{kMicrometre, true}, {20e-6, false}}) {
    const Vec3 expected = AfterStep(height, rear_is_held);
    for (const double start : {0.0, 3e-5, 7e-5, 1.2e-4}) {
      for (const double sunk : {0.0, 1e-6}) {
        const Setting setting = {.sunk = sunk, .start = start};
        for (const auto& walls : {std::vector{Sheet(Before() + Beyond(height))},
                                  {Sheet(Before()), Sheet(Beyond(height))},
                                  {kPlane, Boxed(kSeam, 0.07, height)}}) {
          const Way way = Along(walls, Body::kBox, setting);
          EXPECT_NEAR(way.after.x(), expected.x(), 1e-3) << height << ' ' << start << ' ' << sunk;
          EXPECT_NEAR(way.after.z(), expected.y(), 2e-3) << height << ' ' << start << ' ' << sunk;
          EXPECT_NEAR(way.turning.y(), expected.z(), 0.01 * std::abs(expected.z()));
        }
      }
    }
  }
}

using Velocity = Eigen::Matrix<double, 6, 1>;

/// Velocities of a rotated box that moves obliquely, after its foremost vertex has hit the edge.
/// The floor may hold the other three vertices.
Velocity AfterCorner(double height, double heading, double aside) {
  const double cosine = 1.0 - height / kRounding, sine = std::sqrt(1.0 - cosine * cosine);
  const Mat3 turn = RotationMatrix(RotationBy(heading * Vec3::UnitZ()));
  const Vec3 half = 0.5 * Vec3(kLength, kWidth, kHeight), sq = half.cwiseAbs2() / 3.0;
  const Vec3 moments(sq.y() + sq.z(), sq.x() + sq.z(), sq.x() + sq.y());
  Eigen::Matrix<double, 6, 6> inverse = Eigen::Matrix<double, 6, 6>::Identity();
  inverse.bottomRightCorner<3, 3>() = turn * moments.cwiseInverse().asDiagonal() * turn.transpose();
  Eigen::Matrix<double, 4, 6> rows;
  for (int k = 0; k < 4; ++k) {
    const Vec3 signs(k < 2 ? 1.0 : -1.0, k % 2 == 0 ? -1.0 : 1.0,
                     -1.0);  // the first vertex is the foremost
    const Vec3 arm = turn * signs.cwiseProduct(half - Vec3::Constant(kRounding));
    const Vec3 normal = k == 0 ? Vec3(-sine, 0.0, cosine) : Vec3(Vec3::UnitZ());
    rows.row(k) << normal.transpose(), arm.cross(normal).transpose();
  }
  Velocity before = Velocity::Zero();
  before.head<2>() << kSpeed, aside;
  // Sets of acting vertices, which always include the foremost vertex.
  for (int acting = 1; acting < 16; acting += 2) {
    std::vector<int> which;
    for (int k = 0; k < 4; ++k) {
      if ((acting >> k & 1) != 0) which.push_back(k);
    }
    if (which.size() == 4) continue;
    const Eigen::MatrixXd j = rows(which, Eigen::all), moved = inverse * j.transpose();
    const Eigen::VectorXd impulses = -(j * moved).inverse() * (j * before);
    const Velocity after = before + moved * impulses;
    if (impulses.minCoeff() >= 0.0 && (rows * after).minCoeff() > -1e-12) return after;
  }
  ADD_FAILURE() << "no solution";
  return before;
}

TEST(LowEdges, CornerTakesAStepInTimeStepsOfAnyLength) {
  if (!test::RunsAlone()) GTEST_SKIP() << "the same on one rank";
  for (const double heading : {0.1, 0.35, 0.7}) {
    for (const double height : {kMicrometre, 20.0 * kMicrometre}) {
      const Velocity expected = AfterCorner(height, heading, 0.1);
      for (const double dt : {2e-6, 1e-5, 5e-5, 2e-4}) {
        for (const double start : {0.0, 5e-5, 1.1e-4}) {
          if (dt < 1e-5 && start > 0.0) continue;
          const bool is_solid = start == 5e-5;
          const Way way =
              Along(is_solid ? std::vector{kPlane, Boxed(kSeam, 0.07, height)}
                             : std::vector{Sheet(Before() + Beyond(height))},
                    Body::kBox, {.dt = dt, .start = start, .heading = heading, .aside = 0.1});
          const std::string which = std::to_string(heading) + " rad, " +
                                    std::to_string(height / kMicrometre) + " um, dt " +
                                    std::to_string(dt) + ", from " + std::to_string(start);
          EXPECT_LT((way.after - expected.head<3>()).norm(), 3e-3) << which;
          EXPECT_LT((way.turning - expected.tail<3>()).norm(), 0.03 * expected.tail<3>().norm())
              << which;
          if (height > kMicrometre) continue;
          // The whole flight: the corner rises by 117 to 124 um in time steps of any length.
          EXPECT_NEAR(way.highest, 120e-6, 6e-6) << which;
        }
      }
    }
  }
}

/// The edges of a rotated box pass the border after its corner.
TEST(LowEdges, EdgesOfABoxHitTheStepOfASolidLikeThatOfAMesh) {
  if (!test::RunsAlone()) GTEST_SKIP() << "the same on one rank";
  for (const double start : {3e-5, 1.2e-4}) {
    const Setting setting = {.start = start, .heading = 0.3};
    const Way mesh = Along({kPlane, Sheet(Beyond(kMicrometre))}, Body::kBox, setting);
    const Way solid = Along({kPlane, Boxed(kSeam, 0.07, kMicrometre)}, Body::kBox, setting);
    EXPECT_NEAR(solid.highest, mesh.highest, 0.01 * mesh.highest);
    EXPECT_NEAR(solid.spin, mesh.spin, 0.01 * mesh.spin);
    EXPECT_NEAR(solid.last, mesh.last, 5e-3 * kSpeed);
  }
}

}  // namespace
}  // namespace scree::low_edges_test
