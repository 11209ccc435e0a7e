// Spheres on meshes move as on the shapes that the meshes approximate, on any number of ranks.
#include <gtest/gtest.h>

#include "engine/geometry/triangle_mesh.hpp"
#include "tests/support/meshes.hpp"
#include "tests/support/same_bits.hpp"

namespace scree::mesh_test {
namespace {

constexpr double kRadius = 0.01, kDt = 1e-4;

Shape MeshShape(const std::vector<Triangle>& triangles, MeshSolid solid = MeshSolid::kNo) {
  Mesh mesh;
  mesh.file = "made by a test";
  mesh.solid = solid;
  mesh.surface = std::make_shared<const TriangleMesh>(triangles, solid);
  return {{mesh}};
}

Scene SceneWithFloor(const Shape& floor) {
  Scene scene = test::EmptyScene(Vec3(-0.2, -0.2, -0.1), Vec3(0.2, 0.2, 0.2), 0.4);
  scene.gravity = Vec3(0, 0, -10);
  scene.walls.push_back({"floor", floor});
  return scene;
}

std::map<ParticleId, test::Kinematics> RunOn(const Scene& scene, int steps, const Vec3& v) {
  const Communicator world = Communicator::World();
  State state;
  if (world.IsRoot()) {
    test::AddSphere(state.particles, 1, Vec3(-0.15, -0.1, kRadius), kRadius, v);
    test::AddSphere(state.particles, 2, Vec3(-0.15, 0.0, 2.0 * kRadius), kRadius, v);
  }
  StepParameters parameters;
  parameters.dt = kDt;
  test::Run(world, scene, parameters, state, steps);
  return test::GatherById(world, state.particles);
}

/// Spheres roll over many edges and vertices, across the borders of subdomains.
TEST(Mesh, SpheresRollOverAFlatMeshAsOverAPlane) {
  const Vec3 v(0.7, 0.31, 0);
  const auto plane = RunOn(SceneWithFloor({{Plane{Vec3::Zero(), Vec3::UnitZ()}}}), 3000, v);
  const auto mesh = RunOn(SceneWithFloor(MeshShape(test::Sheet(-0.3, 0.3, 0.0, 40))), 3000, v);
  for (const ParticleId id : {1, 2}) {
    EXPECT_LT((mesh.at(id).position - plane.at(id).position).norm(), 1e-6) << id;
    EXPECT_LT((mesh.at(id).velocity - plane.at(id).velocity).norm(), 1e-4) << id;
    EXPECT_LT((mesh.at(id).angular_velocity - plane.at(id).angular_velocity).norm(), 1e-2) << id;
  }
}

TEST(Mesh, SphereInACornerOfAMeshRestsOnThreeFaces) {
  const Communicator world = Communicator::World();
  const Box cavity{Vec3(-0.1, -0.1, -0.05), Vec3(0.1, 0.1, 0.1)};
  Scene scene =
      SceneWithFloor(MeshShape(test::Reversed(test::BoxSurface(cavity)), MeshSolid::kOutside));
  scene.gravity = Vec3(6, 5, -8);
  State state;
  if (world.IsRoot()) test::AddSphere(state.particles, 1, Vec3(0.08, 0.08, -0.03), kRadius);
  StepParameters parameters;
  parameters.dt = kDt;
  TimeStep step = test::Start(world, scene, parameters, state);
  step.EnableWallLoads(true);
  for (int k = 0; k < 2000; ++k) step.Advance(state);
  const Observables observed = step.Observe(state);
  EXPECT_EQ(observed.wall_contacts, 3);
  const Vec3 weight = test::Mass(kRadius) * scene.gravity;
  EXPECT_LT((observed.wall_loads.at(0).force - weight).norm(), 1e-6 * weight.norm());
  EXPECT_LT(
      (test::GatherById(world, state.particles).at(1).position - Vec3(0.09, 0.09, -0.04)).norm(),
      1e-6);
}

/// The key of a contact contains the feature of the mesh. After a restart from these keys, each
/// contact finds its stored impulse.
TEST(Mesh, ImpulsesOfMeshFeaturesSurviveARestart) {
  const Communicator world = Communicator::World();
  const Scene scene = SceneWithFloor(MeshShape(test::Sheet(-0.3, 0.3, 0.0, 40)));
  State state;
  for (int k = 0; k < 20 && world.IsRoot(); ++k) {
    test::AddSphere(state.particles, k, Vec3(-0.19 + 0.019 * k, 0.013 * k - 0.13, kRadius), kRadius,
                    Vec3(0.1, 0, 0));
  }
  StepParameters parameters;
  parameters.dt = kDt;
  const TimeStep step = test::Run(world, scene, parameters, state, 50);
  test::ExpectRestartWithTheSameBits(world, scene, parameters, step, state, 50);
  EXPECT_EQ(test::GatherById(world, state.particles).size(), 20u);
}

TEST(Mesh, RotatingMeshDragsSpheresLikeATurntable) {
  const auto run_on = [](const Shape& shape) {
    Scene scene = SceneWithFloor(shape);
    scene.walls[0].rotation = {Vec3(-0.12, -0.05, 0), Vec3(0, 0, 3)};
    return RunOn(scene, 1000, Vec3::Zero());
  };
  const auto plane = run_on({{Plane{Vec3::Zero(), Vec3::UnitZ()}}});
  const auto mesh = run_on(MeshShape(test::Sheet(-0.5, 0.5, 0.0, 40)));
  for (const ParticleId id : {1, 2}) {
    EXPECT_GT(plane.at(id).velocity.norm(), 0.02);
    EXPECT_LT((mesh.at(id).position - plane.at(id).position).norm(), 1e-5) << id;
    EXPECT_LT((mesh.at(id).velocity - plane.at(id).velocity).norm(), 1e-3) << id;
  }
}

}  // namespace
}  // namespace scree::mesh_test
