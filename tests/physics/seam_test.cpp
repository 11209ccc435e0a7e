// Where coplanar surfaces meet, no edge stops a body. At other seams there is an edge.
#include <gtest/gtest.h>

#include "engine/geometry/triangle_mesh.hpp"
#include "tests/support/meshes.hpp"
#include "tests/support/scenes.hpp"

namespace scree::seam_test {
namespace {

constexpr double kRadius = 1e-3, kSeam = 0.02;

Shape Sheet(const std::vector<Triangle>& triangles, MeshSolid solid = MeshSolid::kNo) {
  Mesh mesh;
  mesh.solid = solid;
  mesh.surface = std::make_shared<const TriangleMesh>(triangles, solid);
  return {{mesh}};
}

Shape BoxFloor(double x_from, double x_to, double top = 0.0) {
  return {{Block{{Vec3(x_from, -0.02, -0.01), Vec3(x_to, 0.02, top)}}}};
}
/// Rectangles in rows along x. Sheets with different numbers of rows share only the vertices
/// at the outer corners.
std::vector<Triangle> FlatSheet(double x_from, double x_to, int rows, double height = 0.0) {
  std::vector<Triangle> triangles;
  for (int k = 0; k < rows; ++k) {
    test::AddParallelogram(Vec3(x_from, -0.02 + 0.04 * k / rows, height),
                           (x_to - x_from) * Vec3::UnitX(), 0.04 / rows * Vec3::UnitY(), triangles);
  }
  return triangles;
}
std::vector<Triangle> Join(std::vector<Triangle> a, const std::vector<Triangle>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

Scene SceneWith(const std::vector<Shape>& shapes, double restitution = 0.0) {
  Scene scene = test::EmptyScene(Vec3(-0.01, -0.02, -0.02), Vec3(0.05, 0.02, 0.02), 0.0);
  scene.gravity = Vec3(0, 0, -9.81);
  if (restitution > 0.0) scene.materials.SetRestitution(0, 0, {.constant = restitution});
  for (const Shape& shape : shapes) scene.walls.push_back({"wall", shape});
  return scene;
}

/// Moves a row of spheres from 10 mm before the seam to 10 mm behind it. Each sphere passes the
/// seam at a different phase of a step.
std::map<ParticleId, test::Kinematics> StatesAfterSeam(const Scene& scene, double dt, const Vec3& v,
                                                       double height, int steps) {
  const Communicator world = Communicator::World();
  State state;
  for (int k = 0; k < 7 && world.IsRoot(); ++k) {
    test::AddSphere(state.particles, k,
                    Vec3(kSeam - 0.01 + 0.17 * k * dt * v.x(), 0.0041 * k - 0.0123, height),
                    kRadius, v);
  }
  StepParameters parameters;
  parameters.dt = dt;
  test::Run(world, scene, parameters, state, steps);
  return test::GatherById(world, state.particles);
}

/// Expects that spheres without friction slide and bounce over the seam as over a plane.
void ExpectNoSeam(const std::vector<Shape>& shapes, const Vec3& wall_velocity = Vec3::Zero()) {
  const auto plane = SceneWith({{{Plane{Vec3::Zero(), Vec3::UnitZ()}}}});
  for (const double dt : {1e-5, 5e-5, 2e-4}) {  // v dt/r of 0.01, 0.05, 0.2
    for (const double restitution : {0.0, 0.6, 0.9}) {
      const int steps = static_cast<int>(0.02 / dt);
      const auto run_on = [&](const std::vector<Shape>& floor, const Vec3& v, double height) {
        Scene scene = SceneWith(floor, restitution);
        for (Wall& wall : scene.walls) wall.velocity = wall_velocity;
        return StatesAfterSeam(scene, dt, v, height, steps);
      };
      const std::vector<Shape> planes = {{{Plane{Vec3::Zero(), Vec3::UnitZ()}}}};
      for (const double height : {1.0, 1.3, 2.2}) {
        const Vec3 v(1.0, 0.03, height > 1.0 ? -0.2 : 0.0);
        const auto expected = run_on(planes, v, height * kRadius);
        for (const auto& [id, state] : run_on(shapes, v, height * kRadius)) {
          const test::Kinematics& plane_state = expected.at(id);
          EXPECT_LT((state.position - plane_state.position).norm(), 1e-4 * kRadius)
              << "dt " << dt << ", e " << restitution << ", from " << height << ", id " << id;
          EXPECT_LT((state.velocity - plane_state.velocity).norm(), 1e-4)
              << "dt " << dt << ", e " << restitution << ", from " << height << ", id " << id;
        }
      }
    }
  }
}

TEST(Seam, BoxesThatAbutAreAPlane) {
  ExpectNoSeam({BoxFloor(-0.02, kSeam), BoxFloor(kSeam, 0.06)});
}

TEST(Seam, BoxesThatOverlapAreAPlane) {
  ExpectNoSeam({BoxFloor(-0.02, kSeam + 0.004), BoxFloor(kSeam, 0.06)});
}

TEST(Seam, MeshesThatAbutAreAPlane) {
  ExpectNoSeam({Sheet(FlatSheet(-0.02, kSeam, 8)), Sheet(FlatSheet(kSeam, 0.06, 5))});
}

TEST(Seam, AbuttingUnsharedEdgesOfAMeshAreAPlane) {
  ExpectNoSeam({Sheet(Join(FlatSheet(-0.02, kSeam, 8), FlatSheet(kSeam, 0.06, 5)))});
}

TEST(Seam, MeshContinuesABox) {
  ExpectNoSeam({BoxFloor(-0.02, kSeam), Sheet(FlatSheet(kSeam, 0.06, 5))});
  ExpectNoSeam({Sheet(FlatSheet(-0.02, kSeam, 5)), BoxFloor(kSeam, 0.06)});
}

TEST(Seam, PlaneContinuesSurfacesThatLieInIt) {
  const Shape plane = {{Plane{Vec3::Zero(), Vec3::UnitZ()}}};
  ExpectNoSeam({plane, Sheet(FlatSheet(kSeam, kSeam + 0.005, 5))});
  ExpectNoSeam({BoxFloor(kSeam, kSeam + 0.005), plane});
}

TEST(Seam, ClosedMeshesThatAbutAreAPlane) {
  const auto box = [](double x_from, double x_to) {
    return Sheet(test::BoxSurface({Vec3(x_from, -0.02, -0.01), Vec3(x_to, 0.02, 0)}),
                 MeshSolid::kInside);
  };
  ExpectNoSeam({box(-0.02, kSeam), box(kSeam, 0.06)});
}

TEST(Seam, BothSidesOfAbuttingSheetMetalAreAPlane) {
  const auto metal = [](double x_from, double x_to, int rows) {
    return Sheet(
        Join(FlatSheet(x_from, x_to, rows), FlatSheet(x_from, x_to, rows, -0.3 * kRadius)));
  };
  ExpectNoSeam({metal(-0.02, kSeam, 8), metal(kSeam, 0.06, 5)});
}

TEST(Seam, CylindersAndDisksContinueBoxes) {
  const Shape post = {{Cylinder{Vec3(kSeam + 0.003, 0, -0.01), Vec3(kSeam + 0.003, 0, 0), 0.015}}};
  ExpectNoSeam({BoxFloor(-0.02, kSeam), BoxFloor(kSeam, 0.06), post});
  const Shape disk = {{Disk{Vec3(kSeam + 0.003, 0, 0), Vec3::UnitZ(), 0.015, 0.004}}};
  ExpectNoSeam({BoxFloor(-0.02, kSeam), BoxFloor(kSeam, 0.06), disk});
}

TEST(Seam, MovingSeamIsAPlane) {
  ExpectNoSeam({BoxFloor(-0.04, kSeam), BoxFloor(kSeam, 0.06)}, Vec3(0.4, 0, 0));
}

/// A step of a tenth of a radius deflects: sin θ = √(1 − 0.9²). The tangential velocity v cos θ =
/// 0.9 v remains, of which 0.81 v is horizontal.
TEST(Seam, StepDeflectsLikeAnEdge) {
  for (const Shape& step :
       {BoxFloor(kSeam, 0.06, 0.1 * kRadius),
        Sheet(test::BoxSurface({Vec3(kSeam, -0.02, -0.01), Vec3(0.06, 0.02, 0.1 * kRadius)}),
              MeshSolid::kInside)}) {
    const auto states = StatesAfterSeam(SceneWith({BoxFloor(-0.02, kSeam), step}), 1e-6,
                                        Vec3(1, 0, 0), kRadius, 11000);
    for (const auto& [id, state] : states) {
      EXPECT_NEAR(state.velocity.head<2>().norm(), 0.81, 0.01) << id;
      EXPECT_GT(state.position.z(), 1.1 * kRadius) << id;
    }
  }
}

TEST(Seam, ConcaveCornerHasTwoContacts) {
  const Communicator world = Communicator::World();
  for (const bool is_mesh : {false, true}) {
    Scene scene = SceneWith({BoxFloor(-0.02, kSeam)});
    const Box side{Vec3(kSeam, -0.02, -0.01), Vec3(0.06, 0.02, 0.01)};
    if (is_mesh) {
      scene.walls.push_back({"side", Sheet(test::BoxSurface(side), MeshSolid::kInside)});
    } else {
      scene.walls.push_back({"side", {{Block{side}}}});
    }
    scene.gravity = Vec3(5, 0, -9.81);
    State state;
    if (world.IsRoot()) {
      test::AddSphere(state.particles, 1, Vec3(kSeam - kRadius, 0, kRadius), kRadius);
    }
    StepParameters parameters;
    TimeStep step = test::Start(world, scene, parameters, state);
    for (int k = 0; k < 50; ++k) {
      step.Advance(state);
      EXPECT_EQ(step.Observe(state).wall_contacts, 2);
    }
    EXPECT_LT(test::GatherById(world, state.particles).at(1).velocity.norm(), 1e-9);
  }
}

}  // namespace
}  // namespace scree::seam_test
