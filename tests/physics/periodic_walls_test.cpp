// Walls at periodic ends: on any number of ranks, results do not depend on where the domain starts.
#include <gtest/gtest.h>

#include "engine/geometry/triangle_mesh.hpp"
#include "engine/particles/random.hpp"
#include "tests/support/meshes.hpp"
#include "tests/support/scenes.hpp"

namespace scree::periodic_walls_test {
namespace {

constexpr double kRadius = 2e-3, kLength = 0.04, kDt = 5e-5;
// Shifted coordinates round differently, and contacts amplify the difference.
constexpr double kRounding = 1e-9;

Shape MeshOfBox(const Box& box) {
  Mesh mesh;
  mesh.solid = MeshSolid::kInside;
  const std::vector<Triangle> triangles = test::BoxSurface(box);
  mesh.surface = std::make_shared<const TriangleMesh>(triangles, mesh.solid);
  return {{mesh}};
}

Scene Empty(std::array<bool, 3> periodic = {true, true, false}) {
  Scene scene = test::EmptyScene(Vec3(0, 0, -0.02), Vec3(kLength, kLength, 0.04), 0.3);
  scene.domain.periodic = periodic;
  scene.gravity = Vec3(0, 0, -9.81);
  return scene;
}

struct Sample {
  std::map<ParticleId, test::Kinematics> particles;
  std::vector<Observables> observed;
};

/// @param spheres  placed by the root rank
Sample RunSample(const Scene& scene, const Particles& spheres, int steps,
                 Scheme scheme = StepParameters().solver.scheme) {
  const Communicator world = Communicator::World();
  State state;
  if (world.IsRoot()) state.particles = spheres;
  StepParameters parameters;
  parameters.dt = kDt;
  parameters.solver.scheme = scheme;
  TimeStep step = test::Start(world, scene, parameters, state);
  step.EnableWallLoads(true);
  Sample sample;
  for (int k = 0; k < steps; ++k) {
    step.Advance(state);
    sample.observed.push_back(step.Observe(state));
  }
  sample.particles = test::GatherById(world, state.particles);
  return sample;
}

/// Expects that spheres slide over this floor as over a plane, in different directions and through
/// all periodic ends.
void ExpectFlat(const Shape& shape, const Vec3& velocity = Vec3::Zero()) {
  Scene scene = Empty();
  scene.materials = MaterialTable();
  scene.materials.Add({"grain", 2650.0}, 0.0);
  scene.walls.push_back({"floor", shape, velocity});
  Particles spheres;
  test::AddSphere(spheres, 1, Vec3(0.02, 0.01, kRadius), kRadius, Vec3(0.5, 0, 0));
  test::AddSphere(spheres, 2, Vec3(0.02, 0.03, kRadius), kRadius, Vec3(-0.4, 0.3, 0));
  const Sample sample = RunSample(scene, spheres, 4000);
  for (const ParticleId id : {1, 2}) {
    const test::Kinematics& kinematics = sample.particles.at(id);
    EXPECT_NEAR(kinematics.position.z(), kRadius, 1e-5 * kRadius);
    EXPECT_NEAR(kinematics.velocity.norm(), 0.5, 1e-9);
  }
  const double weight = 2.0 * test::Mass(kRadius) * 9.81;
  for (std::size_t k = 10; k < sample.observed.size(); ++k) {
    const auto& load = sample.observed[k].wall_loads.at(0);
    ASSERT_NEAR(load.force.z(), -weight, 1e-6 * weight) << k;
    ASSERT_EQ(sample.observed[k].wall_contacts, 2) << k;
  }
}

Shape Slab(const Vec3& lower, const Vec3& upper) { return {{Block{{lower, upper}}}}; }

TEST(PeriodicWallsAlone, FloorThatFillsAPeriodActsLikeAPlane) {
  const std::pair<const char*, Shape> floors[] = {
      {"of the domain's length", Slab(Vec3(0, 0, -0.01), Vec3(kLength, kLength, 0))},
      {"from one end through the other",
       Slab(Vec3(0.013, -0.3 * kLength, -0.01), Vec3(kLength + 0.013, 0.7 * kLength, 0))},
      {"past all ends", Slab(Vec3(-0.01, -0.003, -0.01), Vec3(0.05, 0.043, 0))},
      {"far past all ends", Slab(Vec3(-1, -1, -0.01), Vec3(1, 1, 0))},
      {"a mesh", MeshOfBox({Vec3(0, 0, -0.01), Vec3(kLength, kLength, 0)})}};
  for (const auto& [name, shape] : floors) {
    SCOPED_TRACE(name);
    ExpectFlat(shape);
  }
}

/// After 0.2 s the floor is three periods away.
TEST(PeriodicWalls, MovingFloorReturnsThroughThePeriodicEnd) {
  ExpectFlat(Slab(Vec3(0, 0, -0.01), Vec3(kLength, kLength, 0)), Vec3(0.6, 0, 0));
}

TEST(PeriodicWallsAlone, SphereFallsThroughAGapOfTheFloor) {
  Scene scene = Empty();
  scene.walls.push_back({"floor", {{Block{{Vec3(0.03, -1, -0.01), Vec3(0.05, 1, 0)}}}}});
  Particles spheres;
  test::AddSphere(spheres, 1, Vec3(0.02, 0.02, kRadius), kRadius);
  test::AddSphere(spheres, 2, Vec3(0.005, 0.02, kRadius), kRadius);
  const Sample sample = RunSample(scene, spheres, 400);
  EXPECT_LT(sample.particles.at(1).position.z(), 0.5 * kRadius);
  EXPECT_NEAR(sample.particles.at(2).position.z(), kRadius, 1e-5 * kRadius);
}

Vec3 Middle() { return Vec3(0.5 * kLength, 0.5 * kLength, 0.0); }

using WallMaker = Wall (*)(const Vec3& centre);

/// Runs a scene around an obstacle in the middle of the domain, with all positions displaced by
/// `shift` and wrapped.
Sample RunShifted(WallMaker make_wall, const Vec3& shift) {
  Scene scene = Empty();
  test::AddPlane(scene, Vec3(0, 0, -0.01), Vec3::UnitZ());
  scene.walls.push_back(make_wall(Middle() + shift));
  Particles spheres;
  for (int k = 0; k < 16; ++k) {
    const Vec3 position =
        Vec3(0.005 + 0.01 * (k % 4), 0.005 + 0.01 * (k / 4), 0.012 + 5e-4 * k) + shift;
    test::AddSphere(spheres, k, scene.domain.Wrap(position), kRadius * (0.8 + 0.02 * k),
                    Vec3(0.1 * (k % 3) - 0.1, 0.07 * (k % 5) - 0.1, -0.2));
  }
  return RunSample(scene, spheres, 1200, Scheme::kJacobi);  // independent of the order of contacts
}

/// Expects that the result is the same with the obstacle at an end or a corner of the domain.
void ExpectSameAtAnyPosition(WallMaker make_wall) {
  const Sample reference = RunShifted(make_wall, Vec3::Zero());
  double total_force = 0.0;
  for (const Observables& observables : reference.observed)
    total_force += observables.wall_loads.at(1).force.norm();
  EXPECT_GT(total_force, 0.0);
  for (const Vec3& shift : {Vec3(0.5 * kLength, 0, 0), Vec3(-0.45 * kLength, 0.5 * kLength, 0)}) {
    const Sample moved_sample = RunShifted(make_wall, shift);
    const Domain domain = Empty().domain;
    for (const auto& [id, kinematics] : reference.particles) {
      const test::Kinematics& moved_particle = moved_sample.particles.at(id);
      Vec3 separation =
          domain.Wrap(kinematics.position + shift) - domain.Wrap(moved_particle.position);
      for (int axis = 0; axis < 2; ++axis)
        separation[axis] = std::remainder(separation[axis], kLength);
      EXPECT_LT(separation.norm(), kRounding) << id;
      EXPECT_LT((kinematics.velocity - moved_particle.velocity).norm(), 1e3 * kRounding) << id;
    }
    for (std::size_t k = 0; k < reference.observed.size(); ++k) {
      const auto &wall_load = reference.observed[k].wall_loads.at(1),
                 &moved_load = moved_sample.observed[k].wall_loads.at(1);
      ASSERT_LT((wall_load.force - moved_load.force).norm(), 1e-5) << k;
      ASSERT_LT((wall_load.torque - moved_load.torque).norm(), 1e-5 * kLength) << k;
    }
  }
}

Wall ObstacleAt(const Shape& shape, const Vec3& middle) {
  Wall wall{"obstacle", shape};
  wall.rotation.centre = middle;
  return wall;
}

Wall BoxAt(const Vec3& centre, const Vec3& half) {
  return ObstacleAt(Slab(centre - half, centre + half), centre);
}

Wall RotatingWall(Wall wall) {
  wall.rotation.angular_velocity = Vec3(0, 0, 20);
  return wall;
}
Wall MeshAt(const Vec3& centre, double half) {
  return ObstacleAt(MeshOfBox({centre - Vec3::Constant(half), centre + Vec3::Constant(half)}),
                    centre);
}
Wall MovingMesh(const Vec3& centre) {
  Wall wall = MeshAt(centre, 0.006);
  wall.velocity = Vec3(0.3, -0.2, 0);
  return wall;
}
Wall FreeLid(const Vec3& centre) {
  Wall wall = BoxAt(centre, Vec3(0.01, 0.01, 0.002));
  wall.axis = Vec3::UnitZ();
  wall.free.freedom = Freedom::kAlong;
  wall.free.mass = 1e-3;
  wall.free.spring = 100.0;
  wall.free.damping = 0.05;
  return wall;
}
Wall FreeFlap(const Vec3& centre) {
  Wall wall = BoxAt(centre, Vec3(0.012, 0.01, 0.002));
  wall.axis = Vec3::UnitY();
  wall.free.freedom = Freedom::kAbout;
  wall.free.inertia = 1e-7;
  wall.free.torsion_spring = 1e-3;
  wall.free.torsion_damping = 1e-6;
  return wall;
}
constexpr std::pair<const char*, WallMaker> kObstacles[] = {
    {"box", [](const Vec3& centre) { return BoxAt(centre, Vec3::Constant(0.008)); }},
    {"ball",
     [](const Vec3& centre) {
       return ObstacleAt({{Ball{centre, 0.009}}}, centre);
     }},
    {"oblique cylinder",
     [](const Vec3& centre) {
       const Vec3 half(0.01, 0.006, 0.003);
       return ObstacleAt({{Cylinder{centre - half, centre + half, 0.005}}}, centre);
     }},
    {"pipe",
     [](const Vec3& centre) {
       return ObstacleAt({{Pipe{centre - Vec3(0, 0, 0.01), centre + Vec3(0, 0, 0.006), 0.008}}},
                         centre);
     }},
    {"cone",
     [](const Vec3& centre) {
       return ObstacleAt({{Cone{centre, centre + Vec3(0, 0, 0.006), 0.003, 0.012}}}, centre);
     }},
    {"disk",
     [](const Vec3& centre) {
       return ObstacleAt({{Disk{centre, Vec3(0.1, 0.2, 1).normalized(), 0.012, 0.003}}}, centre);
     }},
    {"mesh", [](const Vec3& centre) { return MeshAt(centre, 0.008); }},
    {"rotating paddle",
     [](const Vec3& centre) { return RotatingWall(BoxAt(centre, Vec3(0.012, 0.002, 0.01))); }},
    // The fast tip reaches the spheres only as an image.
    {"blade that rotates about its end",
     [](const Vec3& centre) {
       return RotatingWall(ObstacleAt(
           Slab(centre - Vec3(0, 0.001, 0.01), centre + Vec3(0.03, 0.001, 0.01)), centre));
     }},
    {"free lid", FreeLid}};

TEST(PeriodicWallsAlone, AnyObstacleActsEquallyAtAnyPosition) {
  for (const auto& [name, make_wall] : kObstacles) {
    SCOPED_TRACE(name);
    ExpectSameAtAnyPosition(make_wall);
  }
}
TEST(PeriodicWalls, MovingMeshActsEquallyAtAnyPosition) { ExpectSameAtAnyPosition(MovingMesh); }
TEST(PeriodicWalls, FreeFlapActsEquallyAtAnyPosition) { ExpectSameAtAnyPosition(FreeFlap); }

/// Between a wall and its own image a sphere has two contacts with separate stored impulses.
TEST(PeriodicWalls, WallAndItsImageHoldASphere) {
  Scene scene = Empty();
  scene.gravity = Vec3(0.2, 0.0, -9.81);
  const double half = 0.7 * kRadius;  // half the width of the slot between the edges
  scene.walls.push_back({"slot", {{Block{{Vec3(half, -1, -0.01), Vec3(kLength - half, 1, 0)}}}}});
  Particles spheres;
  const double height = std::sqrt(kRadius * kRadius - half * half);
  test::AddSphere(spheres, 1, Vec3(0.0, 0.02, height), kRadius);
  const Sample sample = RunSample(scene, spheres, 400);
  EXPECT_EQ(sample.observed.back().wall_contacts, 2);
  const Vec3 weight = test::Mass(kRadius) * scene.gravity;
  EXPECT_LT((sample.observed.back().wall_loads.at(0).force - weight).norm(), 1e-9 * weight.norm());
  EXPECT_LT(sample.particles.at(1).velocity.norm(), 1e-9);
}

}  // namespace
}  // namespace scree::periodic_walls_test
