// A body that moves up to a thousand radii in a step hits the obstacles on its path, and no others.
#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "engine/geometry/triangle_mesh.hpp"
#include "tests/support/meshes.hpp"
#include "tests/support/scenes.hpp"

namespace scree::shots_test {
namespace {

constexpr double kRadius = 1e-3, kStep = 1e-4;
constexpr double kPlateHalfWidth = 40.0 * kRadius;  // half the width of plates
constexpr double kClearance = 0.05 * kRadius;

/// A target, defined independently of the engine by the distance of a point from it.
struct Target {
  std::function<double(const Vec3&)> distance;
  std::vector<Shape> walls;         // empty: the target is a particle
  double extent = kPlateHalfWidth;  // shots aim within this distance
  double grain_radius = 0.0;        // [m]
  double max_speed = 0.0;           // maximum speed of the target [m/s]
};

double DistanceToBox(const Vec3& x, const Vec3& half) {
  return (x.cwiseAbs() - half).cwiseMax(0.0).norm();
}
Target PlateTarget(double half_thickness, std::vector<Shape> walls) {
  const Vec3 half(kPlateHalfWidth, kPlateHalfWidth, half_thickness);
  return {[half](const Vec3& x) { return DistanceToBox(x, half); }, std::move(walls),
          1.2 * kPlateHalfWidth};
}
Shape MeshOfTriangles(const std::vector<Triangle>& triangles, MeshSolid solid) {
  Mesh mesh;
  mesh.solid = solid;
  mesh.surface = std::make_shared<const TriangleMesh>(triangles, solid);
  return {{mesh}};
}
Target BlockTarget(double half_thickness) {
  const Vec3 half(kPlateHalfWidth, kPlateHalfWidth, half_thickness);
  return PlateTarget(half_thickness, {{{scree::Block{{-half, half}}}}});
}

struct Shot {
  Vec3 start, velocity, target_velocity;
};

/// The smallest gap between the surface of a shot on a straight path and the target [m]; at least
/// −kRadius.
double MinGap(const Target& target, const Vec3& start, const Vec3& end) {
  const double length = (end - start).norm();
  double min = HUGE_VAL;
  for (double travelled = 0.0; travelled <= length;) {
    const double gap = target.distance(start + travelled / length * (end - start)) - kRadius;
    min = std::min(min, gap);
    travelled += std::max(gap, 1e-2 * kRadius);
  }
  return min;
}

class Shots : public ::testing::Test {
 protected:
  Vec3 Direction() {
    while (true) {
      const Vec3 v(Draw(-1, 1), Draw(-1, 1), Draw(-1, 1));
      if (v.norm() < 1.0 && v.norm() > 0.1) return v.normalized();
    }
  }
  double Draw(double lower, double upper) {
    return std::uniform_real_distribution(lower, upper)(random_);
  }

  Shot DrawShot(const Target& target) {
    while (true) {
      const Vec3 aim(Draw(-1, 1) * target.extent, Draw(-1, 1) * target.extent,
                     Draw(-1, 1) * kRadius);
      const double length = kRadius * std::pow(10.0, Draw(0.5, 3));
      const Vec3 direction = Direction();
      Shot shot;
      shot.target_velocity = Draw(0, 1) * target.max_speed * Direction();
      shot.velocity = length / kStep * direction + shot.target_velocity;
      shot.start = aim - Draw(0, 1) * length * direction;
      if (target.distance(shot.start) > 1.01 * kRadius) return shot;
    }
  }

  struct Outcome {
    Vec3 velocity;
    Vec3 position;  // relative to the target
  };
  /// The result of one step of the engine.
  Outcome Fire(const Target& target, const Shot& shot, double restitution) {
    const Communicator world = Communicator::World();
    const Vec3 half_size = Vec3::Constant(12.0);
    Scene scene = test::EmptyScene(-half_size, half_size, 0.5);
    scene.materials.SetRestitution(0, 0, {.constant = restitution});
    for (const Shape& shape : target.walls) {
      scene.walls.push_back({"target", shape, shot.target_velocity});
    }
    StepParameters parameters;
    parameters.dt = kStep;
    State state;
    if (world.IsRoot()) {
      test::AddSphere(state.particles, 0, shot.start, kRadius, shot.velocity);
      if (target.walls.empty()) {
        test::AddSphere(state.particles, 1, Vec3::Zero(), target.grain_radius,
                        shot.target_velocity);
      }
    }
    test::Run(world, scene, parameters, state, 1);
    const auto bodies = test::GatherById(world, state.particles);
    const Vec3 position =
        target.walls.empty() ? bodies.at(1).position : Vec3(kStep * shot.target_velocity);
    return {bodies.at(0).velocity, bodies.at(0).position - position};
  }

  void ExpectHitsAndMisses(const Target& target, int count = 1300) {
    int hit_count = 0, miss_count = 0;
    for (int k = 0; k < count; ++k) {
      const Shot shot = DrawShot(target);
      const Vec3 relative_path = kStep * (shot.velocity - shot.target_velocity);
      const double gap = MinGap(target, shot.start, shot.start + relative_path);
      const double restitution = k % 2 == 0 ? 0.0 : 0.8;
      const Outcome outcome = Fire(target, shot, restitution);
      SCOPED_TRACE(::testing::Message()
                   << "shot " << k << " from " << shot.start.transpose() << " at "
                   << shot.velocity.transpose() << ", target at "
                   << shot.target_velocity.transpose() << ", e " << restitution);
      if (gap < -kClearance) {
        ++hit_count;
        EXPECT_GT(MinGap(target, shot.start, outcome.position), -0.25 * kRadius);
      } else if (gap > kClearance && target.distance(shot.start) > 1.5 * kRadius) {
        // Shots that start nearer may be stopped by the tangent planes at the nearest points.
        ++miss_count;
        EXPECT_LT((outcome.velocity - shot.velocity).norm(), 1e-9 * shot.velocity.norm());
      }
      if (HasFailure()) return;
    }
    EXPECT_GT(hit_count, count / 20);
    EXPECT_GT(miss_count, count / 20);
  }

 private:
  std::mt19937_64 random_{20};  // the same on all ranks
};

using ShotsAlone = Shots;

TEST_F(ShotsAlone, ShotsHitASheetOfTriangles) {
  ExpectHitsAndMisses(PlateTarget(
      0.0,
      {MeshOfTriangles(test::Sheet(-kPlateHalfWidth, kPlateHalfWidth, 0.0, 3), MeshSolid::kNo)}));
}
TEST_F(ShotsAlone, ShotsHitAThinPlate) { ExpectHitsAndMisses(BlockTarget(0.05 * kRadius)); }
TEST_F(ShotsAlone, ShotsHitAClosedMesh) {
  const Vec3 half(kPlateHalfWidth, kPlateHalfWidth, kRadius);
  ExpectHitsAndMisses(
      PlateTarget(kRadius, {MeshOfTriangles(test::BoxSurface({-half, half}), MeshSolid::kInside)}));
}
TEST_F(ShotsAlone, ShotsHitAMovingPaddle) {
  Target paddle = BlockTarget(0.5 * kRadius);
  paddle.max_speed = 1000.0 * kRadius / kStep;
  ExpectHitsAndMisses(paddle);
}
TEST_F(ShotsAlone, ShotsHitAMovingMesh) {
  const Vec3 half(kPlateHalfWidth, kPlateHalfWidth, kRadius);
  Target mesh =
      PlateTarget(kRadius, {MeshOfTriangles(test::BoxSurface({-half, half}), MeshSolid::kInside)});
  mesh.max_speed = 1000.0 * kRadius / kStep;
  ExpectHitsAndMisses(mesh);
}
Target GrainTarget(double radius) {
  return {[radius](const Vec3& x) { return x.norm() - radius; },
          {},
          2.0 * (radius + kRadius),
          radius,
          1000.0 * kRadius / kStep};
}
TEST_F(ShotsAlone, ShotsHitSmallAndLargeGrains) {
  for (const double size : {0.3, 4.0}) ExpectHitsAndMisses(GrainTarget(size * kRadius));
}
TEST_F(Shots, ShotsHitGrains) {
  ExpectHitsAndMisses(GrainTarget(kRadius), test::IsSingleRank() ? 1300 : 400);
}

}  // namespace
}  // namespace scree::shots_test
