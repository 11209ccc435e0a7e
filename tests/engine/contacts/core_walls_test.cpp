// Polyhedra whose edges and faces touch walls: the smallest local minimum that is found is
// the distance from the wall, and a cube rests at the correct position.
#include "engine/contacts/core_walls.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <memory>

#include "engine/geometry/rounded_polyhedron.hpp"
#include "tests/support/clump_scenes.hpp"
#include "tests/support/core_oracle.hpp"
#include "tests/support/draw.hpp"
#include "tests/support/meshes.hpp"

namespace scree::core_walls_test {
namespace {

using test::Draw;

Polyhedron RandomShape(Draw& draw) {
  const std::vector<std::pair<const char*, std::vector<double>>> solids = {
      {"box", {1.0, 0.5, 2.0}}, {"tetrahedron", {1.5}}, {"octahedron", {1.3}}, {"prism", {1, 1.5}}};
  const auto& [name, size] = solids[static_cast<std::size_t>(draw.Integer(0, 3))];
  return ConvexHull(VerticesOfSolid(name, size, 0));
}

/// Rotates a body so that the outward normal of a random face is −`normal`, up to a random tilt.
Polyhedron RotateFaceTowards(Draw& draw, const Polyhedron& body, const Vec3& normal) {
  const double tilt = std::pow(10.0, draw.Uniform(-9.0, 0.5));
  const auto last_face = static_cast<int>(body.faces.size()) - 1;
  const Vec3 face_normal = body.faces[static_cast<std::size_t>(draw.Integer(0, last_face))].normal;
  const Mat3 rotation = Eigen::Quaterniond::FromTwoVectors(face_normal, -normal).toRotationMatrix();
  const Mat3 spin = Eigen::AngleAxisd(draw.Uniform(0.0, 6.0), normal).toRotationMatrix();
  const Mat3 tilt_rotation = Eigen::AngleAxisd(tilt, draw.Direction()).toRotationMatrix();
  return test::MovePolyhedron(body, tilt_rotation * spin * rotation, Vec3::Zero());
}

CoreAtWall CoreOf(const Polyhedron& body) {
  CoreAtWall core{&body, body.vertices, {}};
  for (const PolyhedronFace& face : body.faces) core.normals.push_back(face.normal);
  return core;
}

double MinDistance(const std::vector<WallMinimum>& minima, const CoreAtWall& core, auto&& surface) {
  double min = HUGE_VAL;
  for (const WallMinimum& minimum : minima) min = std::min(min, minimum.surface.distance);
  for (const Vec3& vertex : core.vertices) min = std::min(min, surface(vertex).distance);
  return min;
}

TEST(CoreWalls, SmallestMinimumAtABoxOrItsMeshIsTheDistance) {
  Draw draw(1);
  constexpr double kLimit = 0.3;
  const Box box{Vec3(-1.0, -0.7, -1.5), Vec3(1.0, 0.7, 1.5)};
  const Block block{box};
  const Polyhedron wall = ConvexHull(VerticesOfSolid("box", std::vector{2.0, 1.4, 3.0}, 0));
  const TriangleMesh mesh(test::BoxSurface(box), MeshSolid::kInside);
  std::vector<Index> triangles, features;
  for (std::size_t t = 0; t < mesh.Corners().size(); ++t) {
    triangles.push_back(static_cast<Index>(t));
  }
  int near_count = 0;
  for (int k = 0; k < 3000; ++k) {
    const Vec3 axis = draw.Integer(0, 1) == 0
                          ? draw.Direction()
                          : wall.faces[static_cast<std::size_t>(draw.Integer(0, 5))].normal;
    Polyhedron body = RotateFaceTowards(draw, RandomShape(draw), axis);
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (const Vec3& x : body.vertices) low = std::min(low, axis.dot(x));
    for (const Vec3& y : wall.vertices) high = std::max(high, axis.dot(y));
    Vec3 start = draw.Vector(0.8);
    start += (draw.Uniform(0.01, 0.3) + high - low - axis.dot(start)) * axis;
    body = test::MovePolyhedron(body, Mat3::Identity(), start);
    const CoreAtWall core = CoreOf(body);
    const double distance = test::DistanceOf(body, wall);
    if (distance > kLimit) continue;
    ++near_count;
    std::vector<WallMinimum> minima;
    AppendMinima(core, block, kLimit, minima);
    const auto block_surface = [&](const Vec3& x) { return NearestSurface(block, x); };
    EXPECT_NEAR(MinDistance(minima, core, block_surface), distance, 1e-9) << "pair " << k;
    minima.clear();
    AppendMinima(core, mesh, triangles, kLimit, features, minima);
    for (const WallMinimum& minimum : minima) {
      const Vec3 wall_point = minimum.on_core - minimum.surface.distance * minimum.surface.normal;
      EXPECT_NEAR(NearestSurface(block, wall_point).distance, 0.0, 1e-12);
    }
    const auto mesh_surface = [&](const Vec3& x) { return mesh.Nearest(x, HUGE_VAL); };
    EXPECT_NEAR(MinDistance(minima, core, mesh_surface), distance, 1e-12) << "pair " << k;
  }
  EXPECT_GT(near_count, 1000);
}

/// Distance of a core from a convex solid by alternating projections, which converge from above.
double DistanceByProjections(const Polyhedron& body, const ShapePart& part, Vec3 x) {
  std::vector<Vec3> normals;
  std::vector<Member> vertices;
  std::vector<FacePacket> faces;
  for (const PolyhedronFace& face : body.faces) normals.push_back(face.normal);
  for (const Vec3& vertex : body.vertices) vertices.push_back({vertex, 0.0});
  AppendFaces(body, normals, 1.0, faces);
  CoreDistance cores;
  double distance = HUGE_VAL;
  for (int k = 0; k < 2000; ++k) {
    const SurfacePoint surface = NearestSurface(part, x);
    distance = surface.distance;
    const std::vector<Member> point = {{x - distance * surface.normal, 0.0}};
    const auto minima = cores.FindMinima({vertices, &body, normals, faces, 0},
                                         {point, nullptr, {}, {}, 0}, Vec3::Zero(), 10.0, 1e-9);
    if (minima.empty()) break;
    x = minima[0].on_first;
  }
  return distance;
}

TEST(CoreWalls, SmallestMinimumAtABallOrCylinderOrDiskIsTheDistance) {
  Draw draw(2);
  constexpr double kLimit = 0.3;
  const Ball ball{Vec3::Zero(), 0.8};
  const Cylinder cylinder{Vec3(0, 0, -1.0), Vec3(0, 0, 1.0), 0.7};
  const Disk disk{Vec3::Zero(), Vec3::UnitZ(), 0.7, 0.0};
  int near_count = 0;
  for (int k = 0; k < 180; ++k) {
    const ShapePart part = k >= 120     ? ShapePart(disk)
                           : k % 2 == 0 ? ShapePart(ball)
                                        : ShapePart(cylinder);
    const Vec3 axis = k % 3 == 0 ? Vec3(Vec3::UnitZ()) : draw.Direction();
    Polyhedron body = RotateFaceTowards(draw, RandomShape(draw), axis);
    double low = HUGE_VAL;
    for (const Vec3& x : body.vertices) low = std::min(low, axis.dot(x));
    const double rim = 0.7 * std::hypot(axis.x(), axis.y());
    const double high = k >= 120 ? rim : k % 2 == 0 ? 0.8 : std::abs(axis.z()) + rim;
    Vec3 position = draw.Vector(0.4);
    position += (draw.Uniform(0.01, 0.25) + high - low - axis.dot(position)) * axis;
    body = test::MovePolyhedron(body, Mat3::Identity(), position);
    const double distance = DistanceByProjections(body, part, position);
    if (distance > kLimit) continue;
    ++near_count;
    const CoreAtWall core = CoreOf(body);
    std::vector<WallMinimum> minima;
    AppendMinima(core, part, kLimit, minima);
    const auto surface = [&](const Vec3& x) { return NearestSurface(part, x); };
    // At a sharp rim the projections converge slowly.
    EXPECT_NEAR(MinDistance(minima, core, surface), distance, k >= 120 ? 1e-3 : 1e-4)
        << "pair " << k;
    EXPECT_LE(MinDistance(minima, core, surface), distance + 1e-9) << "pair " << k;
  }
  EXPECT_GT(near_count, 60);
}

TEST(CoreWalls, EdgeOverAHoleTouchesItsRimOnBothSidesForAnySmallTilt) {
  const Disk disk{Vec3::Zero(), Vec3::UnitZ(), 10.0, 1.0};
  const Polyhedron cube = ConvexHull(VerticesOfSolid("box", std::vector{4.0}, 0));
  for (const double height : {0.001, 0.02}) {
    for (const double tilt : {-0.02, -1e-3, -1e-6, 1e-6, 1e-3, 0.02}) {
      for (const double offset : {0.0, 0.6}) {
        // The lower edge along x, next to the face at −y, is over the hole.
        const Mat3 rotation =
            (Eigen::AngleAxisd(-0.3, Vec3::UnitX()) * Eigen::AngleAxisd(tilt, Vec3::UnitY()))
                .toRotationMatrix();
        const Vec3 edge = rotation * Vec3(0, -2, -2);
        const Polyhedron body =
            test::MovePolyhedron(cube, rotation, Vec3(0, offset, height) - edge);
        std::vector<WallMinimum> minima;
        AppendMinima(CoreOf(body), disk, 0.1, minima);
        bool touches_left = false, touches_right = false;
        for (const WallMinimum& minimum : minima) {
          const Vec3 on_wall = minimum.on_core - minimum.surface.distance * minimum.surface.normal;
          const bool is_at_rim = std::abs(on_wall.head<2>().norm() - 1.0) < 0.1;
          touches_left |= is_at_rim && on_wall.x() < 0.0;
          touches_right |= is_at_rim && on_wall.x() > 0.0;
        }
        EXPECT_TRUE(touches_left && touches_right)
            << height << ", " << tilt << ", " << offset << ", " << minima.size();
      }
    }
  }
}

TEST(CoreWalls, CubeRestsOnAnyWall) {
  constexpr double side = 1e-2;
  const auto make_mesh = [](const std::vector<Triangle>& triangles, MeshSolid solid) {
    Mesh mesh;
    mesh.surface = std::make_shared<const TriangleMesh>(triangles, solid);
    return Shape{{mesh}};
  };
  const auto box = [](double half) { return Box{Vec3(-half, -half, -0.02), Vec3(half, half, 0)}; };
  const std::vector<std::pair<const char*, Shape>> floors = {
      {"plane", {{Plane{}}}},
      {"sheet", make_mesh(test::Sheet(-0.031, 0.029, 0.0, 9), MeshSolid::kNo)},
      {"mesh narrower than the cube", make_mesh(test::BoxSurface(box(0.003)), MeshSolid::kInside)},
      {"box narrower than the cube", {{Block{box(0.003)}}}},
      {"box", {{Block{box(0.03)}}}},
      {"ball", {{Ball{Vec3(0, 0, -0.05), 0.05}}}},
      {"lying cylinder", {{Cylinder{Vec3(-0.1, 0, -0.05), Vec3(0.1, 0, -0.05), 0.05}}}},
      {"upright cylinder", {{Cylinder{Vec3(0, 0, -0.05), Vec3::Zero(), 0.004}}}},
      {"disk narrower than the cube", {{Disk{Vec3::Zero(), Vec3::UnitZ(), 0.003, 0.0}}}},
      {"disk with a hole", {{Disk{Vec3::Zero(), Vec3::UnitZ(), 0.03, 0.0055}}}},
      {"end of a pipe", {{Pipe{Vec3(0, 0, -0.05), Vec3::Zero(), 0.004}}}},
      {"end of a wide pipe", {{Pipe{Vec3(0, 0, -0.05), Vec3::Zero(), 0.0055}}}},
      {"end of a cone", {{Cone{Vec3(0, 0, -0.05), Vec3::Zero(), 0.001, 0.004}}}},
      {"lying pipe", {{Pipe{Vec3(-0.1, 0, -0.05), Vec3(0.1, 0, -0.05), 0.05}}}}};
  for (const auto& [name, shape] : floors) {
    Scene scene = test::EmptyScene(Vec3::Constant(-0.1), Vec3::Constant(0.1), 0.5);
    scene.gravity = Vec3(0, 0, -9.81);
    scene.walls.push_back({name, shape});
    ClumpDescription cube;
    cube.name = "cube";
    cube.solid = "box";
    cube.size = {side};
    scene.clumps.push_back(MakeClumpShape(cube));
    State state;
    test::AddClump(scene, state.particles, 0, 1, Vec3(1e-4, 2e-4, 0.5 * side + 2e-5),
                   RotationBy(Vec3(0, 0, 0.3)));
    StepParameters parameters;
    parameters.dt = 1e-4;
    parameters.solver.kernel = kDefaultKernelOfBodies;
    // After 30 sweeps the velocity at the contacts of a round edge still changes by 1e-6 m/s.
    parameters.solver.sweeps = 100;
    test::Run(Communicator::Self(), scene, parameters, state, 300);
    const Particles& particles = state.particles;
    const bool is_curved = name == std::string("ball") || std::string(name).starts_with("lying");
    EXPECT_NEAR(particles.position[0].z(), 0.5 * side, is_curved ? 1e-5 : 1e-6) << name;
    EXPECT_LT(particles.velocity[0].norm(), is_curved ? 5e-3 : 1e-6) << name;
  }
}

}  // namespace
}  // namespace scree::core_walls_test
