// Rounded polyhedra: blocks that lie, slide, topple and stack; cubes and other bodies poured into a
// box.
#include <gtest/gtest.h>

#include <cmath>

#include "engine/particles/body_mass.hpp"
#include "solvers/base/check.hpp"
#include "tests/support/clump_scenes.hpp"
#include "tests/support/draw.hpp"
#include "tests/support/meshes.hpp"
#include "tests/support/same_bits.hpp"

namespace scree::polyhedron_test {
namespace {

using test::AddClump;
using test::AddShape;
using test::Draw;

constexpr double kGravity = 9.81;

StepParameters Parameters(double dt, int sweeps) {
  StepParameters parameters;
  parameters.dt = dt;
  parameters.solver.kernel = kDefaultKernelOfBodies;
  parameters.solver.sweeps = sweeps;
  return parameters;
}

ShapeId AddSolid(Scene& scene, const std::string& solid, const std::vector<double>& size) {
  ClumpDescription description;
  description.name = "shape" + std::to_string(scene.clumps.size());
  description.solid = solid;
  description.size = size;
  scene.clumps.push_back(MakeClumpShape(description));
  return static_cast<ShapeId>(scene.clumps.size());
}

/// A block on a plane that slopes down along x.
struct Incline {
  Scene scene;
  State state;

  Incline(double angle, double friction, const std::vector<double>& sides)
      : scene(test::EmptyScene(Vec3(-0.2, -0.2, -0.1), Vec3(2.0, 0.2, 0.2), friction)) {
    scene.gravity = kGravity * Vec3(std::sin(angle), 0.0, -std::cos(angle));
    test::AddPlane(scene, Vec3::Zero(), Vec3::UnitZ());
    const ShapeId shape = AddSolid(scene, "box", sides);
    AddClump(scene, state.particles, 0, shape, Vec3(0.0, 0.0, 0.5 * sides[2]), {});
  }
  static constexpr double kStep = 1e-4;
};

TEST(Polyhedron, BlockOnAnInclineSlidesOrStays) {
  if (!test::IsSingleRank()) GTEST_SKIP() << "one rank suffices";
  constexpr double angle = 0.4, kStep = Incline::kStep;
  const Communicator self = Communicator::Self();
  for (const Kernel kernel : {Kernel::kCoulomb, Kernel::kMaxDissipation}) {
    for (const double ratio : {0.5, 0.99, 1.01, 2.0}) {
      const double friction = ratio * std::tan(angle);
      Incline block(angle, friction, {3e-2, 2e-2, 1e-2});
      StepParameters parameters = Parameters(kStep, 30);
      parameters.solver.kernel = kernel;
      // Skips the first steps, in which the forces on the four corners develop.
      TimeStep step = test::Run(self, block.scene, parameters, block.state, 100);
      const Particles& particles = block.state.particles;
      const double speed_before = particles.velocity[0].x();
      constexpr int kSteps = 400;
      for (int k = 0; k < kSteps; ++k) step.Advance(block.state);
      const double resistance = friction * std::cos(angle);
      const double expected =
          kGravity * kSteps * kStep * std::max(0.0, std::sin(angle) - resistance);
      // With maximum dissipation the friction of a corner need not be opposite to its slip.
      const bool is_exact = kernel == Kernel::kCoulomb || ratio > 1.0;
      const double tolerance = is_exact ? 1e-6 : 0.02 * kGravity * kSteps * kStep * resistance;
      EXPECT_NEAR(particles.velocity[0].x() - speed_before, expected, tolerance) << friction;
      EXPECT_LT(particles.angular_velocity[0].norm(), 1e-6);
      EXPECT_NEAR(particles.position[0].z(), 0.5e-2, 1e-7);
    }
  }
}

TEST(Polyhedron, BlockOnAnInclineTopplesOrStands) {
  if (!test::IsSingleRank()) GTEST_SKIP() << "one rank suffices";
  // The block tilts about the vertices of its lower edge, which lie one rounding inside the side.
  const std::vector<double> size = {1e-2, 2e-2, 3e-2};
  for (const double ratio : {0.98, 1.02}) {
    Incline block(0.1, 2.0, size);
    const ClumpShape& shape = block.scene.clumps[0];
    const double rounding = shape.smallest_member * shape.bounding_radius;
    const double angle = std::atan(ratio * (0.5 * size[0] - rounding) / (0.5 * size[2]));
    block.scene.gravity = kGravity * Vec3(std::sin(angle), 0.0, -std::cos(angle));
    test::Run(Communicator::Self(), block.scene, Parameters(Incline::kStep, 30), block.state, 2000);
    const double tilt = 2.0 * std::asin(std::abs(block.state.particles.orientation[0].y));
    if (ratio < 1.0) {
      EXPECT_LT(tilt, 1e-5);
    } else {
      EXPECT_GT(tilt, 0.02);
    }
  }
}

/// Two blocks hang from a ceiling, one below the other. A quarter of the attraction acts at each
/// corner of a face, also while the lower block is jolted. Then a dumbbell hangs from the ceiling
/// by one ball, and swings until it is vertical.
TEST(Polyhedron, BlocksAndClumpsHangByAttraction) {
  if (!test::IsSingleRank()) GTEST_SKIP() << "one rank suffices";
  constexpr double r = 1e-2;
  for (const auto& [ratio, spin] :
       {std::pair(0.98, 0.0), std::pair(1.02, 0.0), std::pair(2.0, 0.05)}) {
    Scene scene = test::EmptyScene(Vec3::Constant(-0.2), Vec3(0.2, 0.2, 0.0), 0.5);
    scene.gravity = Vec3(0.0, 0.0, -kGravity);
    test::AddPlane(scene, Vec3::Zero(), -Vec3::UnitZ());
    const ShapeId block = AddSolid(scene, "box", {3e-2, 2e-2, 1e-2});
    State state;
    AddClump(scene, state.particles, 0, block, Vec3(0.0, 0.0, -0.5e-2), {});
    AddClump(scene, state.particles, 1, block, Vec3(0.0, 0.0, -1.5e-2), {}, Vec3::Zero(),
             spin * Vec3(1.0, 1.0, 0.0));
    const double weight = 2.0 * kGravity * MassOf(state.particles, 0, scene);
    scene.materials.SetLaw<CohesionLaw>(0, 0, {.force = 0.25 * ratio * weight, .adhesion = 1e-9});
    scene.materials.SetLaw<RollingLaw>(0, 0, {0.05, 0.05});
    test::Run(Communicator::Self(), scene, Parameters(1e-4, 50), state, 1000);
    const double distance = -1.5e-2 - state.particles.position[1].z();
    if (ratio > 1.0) {
      EXPECT_LT(std::abs(distance), 1e-8 + 1e-5 * spin);
    } else {
      EXPECT_GT(distance, 0.01);
    }
  }
  Scene scene = test::EmptyScene(Vec3::Constant(-0.2), Vec3(0.2, 0.2, 0.0), 2.0);
  scene.gravity = Vec3(0.0, 0.0, -kGravity);
  test::AddPlane(scene, Vec3::Zero(), -Vec3::UnitZ());
  const ShapeId dumbbell = AddShape(scene, test::Dumbbell(r));
  scene.materials.SetLaw<RollingLaw>(0, 0, {0.05, 0.05});
  State state;
  AddClump(scene, state.particles, 0, dumbbell, Vec3(0.0, 0.0, -r * (1.0 + std::sin(0.6))),
           RotationBy(Vec3(0.0, 0.6, 0.0)));
  const double weight = kGravity * MassOf(state.particles, 0, scene);
  scene.materials.SetLaw<CohesionLaw>(0, 0, {.force = 3.0 * weight});
  test::Run(Communicator::Self(), scene, Parameters(1e-4, 50), state, 20000);
  EXPECT_NEAR(state.particles.position[0].z(), -2.0 * r, 0.03 * r);
  EXPECT_LT(state.particles.velocity[0].norm(), 1e-3);
}

/// A cube at rest on a table of several pieces, 3 mm from two seams that cross below it. The table
/// ends at the periodic ends, so its images continue it.
TEST(Polyhedron, CubeAcrossSeamsHasTheContactsOfItsCorners) {
  if (!test::IsSingleRank()) GTEST_SKIP() << "one rank suffices";
  constexpr double side = 1e-2;
  const auto piece = [](double left, double right, double back, double front) {
    return Block{{Vec3(left, back, -0.02), Vec3(right, front, 0.0)}};
  };
  const auto mesh = [](const Block& block) {
    Mesh surface;
    surface.surface =
        std::make_shared<const TriangleMesh>(test::BoxSurface(block.box), MeshSolid::kInside);
    return Shape{{surface}};
  };
  const Block left = piece(-0.05, 0.0, -0.05, 0.05), right = piece(0.0, 0.05, -0.05, 0.05),
              whole = piece(-0.05, 0.05, -0.05, 0.05);
  const std::vector<std::tuple<const char*, std::vector<Shape>, Vec3>> tables = {
      {"two walls", {{{left}}, {{right}}}, Vec3::Zero()},
      {"two parts", {{{left, right}}}, Vec3::Zero()},
      {"images", {{{whole}}}, Vec3(0.05, 0.05, 0.0)},
      {"two walls and images", {{{left}}, {{right}}}, Vec3(0.0, 0.05, 0.0)},
      {"images of a mesh", {mesh(whole)}, Vec3(0.05, 0.05, 0.0)},
      {"a mesh and a box", {mesh(left), {{right}}}, Vec3::Zero()},
      {"walls that overlap", {{{left}}, {{whole}}}, Vec3::Zero()},
      // The edge of the table carries two of the four contacts.
      {"an edge", {{{left}}}, Vec3(-0.004, 0.0, 0.0)}};
  for (const auto& [name, shapes, seam] : tables) {
    Scene scene = test::EmptyScene(Vec3::Constant(-0.05), Vec3::Constant(0.05), 0.5);
    scene.domain.periodic = {true, true, false};
    scene.gravity = Vec3(0.0, 0.0, -kGravity);
    for (const Shape& shape : shapes) scene.walls.push_back({"table", shape});
    const ShapeId cube = AddSolid(scene, "box", {side});
    State state;
    AddClump(scene, state.particles, 0, cube,
             seam + Vec3(-0.003, name == std::string("an edge") ? 0.0 : -0.003, 0.5 * side),
             RotationBy(Vec3(0.0, 0.0, 0.3)));
    TimeStep step = test::Run(Communicator::Self(), scene, Parameters(1e-4, 50), state, 20);
    EXPECT_EQ(step.Contacts().size(), 4u) << name;
  }
}

/// Force of this rank's particles on all walls [N].
Vec3 LoadOnWalls(const TimeStep& step, const State& state, double dt) {
  Vec3 load = Vec3::Zero();
  for (std::size_t j = 0; j < step.Contacts().size(); ++j) {
    const auto b = static_cast<std::size_t>(step.Contacts()[j].b);
    if (b >= state.particles.Size()) load += step.Impulses()[j] / dt;
  }
  return load;
}

/// A cube with one edge in the floor, or wedged between floor and lid. The projection rotates it.
/// If the projection only displaced it, the first cube would be lifted off its other edge and fall
/// back at 18 mm/s, and the second cube would not move.
TEST(Polyhedron, BlockThatOverlapsWallsIsRotated) {
  if (!test::IsSingleRank()) GTEST_SKIP() << "one rank suffices";
  constexpr double side = 1e-2, dt = 1e-4;
  const Communicator self = Communicator::Self();
  for (const bool is_wedged : {false, true}) {
    Scene scene = test::EmptyScene(Vec3::Constant(-0.1), Vec3::Constant(0.1), 0.5);
    test::AddPlane(scene, Vec3::Zero(), Vec3::UnitZ());
    if (is_wedged) test::AddPlane(scene, side * Vec3::UnitZ(), -Vec3::UnitZ());
    if (!is_wedged) scene.gravity = Vec3(0, 0, -kGravity);
    const ShapeId shape = AddSolid(scene, "box", {side});
    const double rounding = scene.clumps[0].smallest_member * scene.clumps[0].bounding_radius;
    const double half = 0.5 * side - rounding, depth = 0.02 * side;
    const double angle = std::asin(depth / (2.0 * half));
    const double centre_height = rounding + half * (std::cos(angle) - std::sin(angle));
    State state;
    AddClump(scene, state.particles, 0, shape,
             (is_wedged ? 0.5 * side : centre_height) * Vec3::UnitZ(),
             RotationBy(Vec3(0.0, angle, 0.0)));
    TimeStep step = test::Start(self, scene, Parameters(dt, 30), state);
    step.EnableEnergyBalance(true);
    double fastest = 0.0;
    for (int k = 0; k < 100; ++k) {
      step.Advance(state);
      fastest = std::max(fastest, step.Observe(state).max_speed);
    }
    EXPECT_LT(fastest, 1e-2 * kGravity * dt) << is_wedged;
    const double tolerance = 2.0 * kSlopRadii * 0.5 * side;  // twice the slop
    EXPECT_LT(step.Observe(state).max_penetration, tolerance) << is_wedged;
    EXPECT_LT(2.0 * std::asin(std::abs(state.particles.orientation[0].y)), 2.0 * tolerance / half);
    const double weight = kGravity * MassOf(state.particles, 0, scene);
    EXPECT_LT(std::abs(state.energy.Imbalance()), 1e-12 * weight * depth);
    if (is_wedged) continue;
    // The projection lifts the centre of the cube by half the depth of its edge.
    EXPECT_NEAR(state.energy.projection, 0.5 * weight * depth, 0.02 * weight * depth);
  }
}

TEST(Polyhedron, TowerOfTenCubesStands) {
  if (!test::IsSingleRank()) GTEST_SKIP() << "one rank suffices";
  constexpr double side = 1e-2;
  Scene scene = test::EmptyScene(Vec3(-0.1, -0.1, -0.1), Vec3(0.1, 0.1, 0.2), 0.5);
  scene.gravity = Vec3(0, 0, -kGravity);
  test::AddPlane(scene, Vec3::Zero(), Vec3::UnitZ());
  const ShapeId shape = AddSolid(scene, "box", {side});
  State state;
  Draw draw(1);
  for (int k = 0; k < 10; ++k) {
    const Vec3 offset = 0.05 * side * Vec3(draw.Uniform(-1.0, 1.0), draw.Uniform(-1.0, 1.0), 0.0);
    AddClump(scene, state.particles, k, shape, offset + Vec3(0.0, 0.0, side * (k + 0.5)),
             RotationBy(Vec3(0.0, 0.0, draw.Uniform(-0.3, 0.3))));
  }
  const Communicator self = Communicator::Self();
  TimeStep step = test::Start(self, scene, Parameters(2e-4, 50), state);
  for (int k = 0; k < 1000; ++k) step.Advance(state);
  const auto settled = test::GatherById(self, state.particles);
  for (int k = 0; k < 2000; ++k) step.Advance(state);
  for (const auto& [id, body] : test::GatherById(self, state.particles)) {
    EXPECT_LT((body.position - settled.at(id).position).norm(), 1e-6 * side) << "cube " << id;
  }
  const double floor = LoadOnWalls(step, state, 2e-4).z();
  const double weight = 10.0 * kGravity * scene.clumps[0].Mass(2650.0, state.particles.radius[0]);
  EXPECT_NEAR(floor, weight, 1e-3 * weight);
}

/// Many corners of a cylinder touch its neighbours, of which four become contacts.
TEST(Polyhedron, TowerOfCylindersComesToRestWithMomentum) {
  if (!test::IsSingleRank()) GTEST_SKIP() << "one rank suffices";
  constexpr double radius = 1e-2, height = 1e-2;
  constexpr int kCylinders = 25;
  Scene scene = test::EmptyScene(Vec3(-0.1, -0.1, -0.1), Vec3(0.1, 0.1, 0.4), 0.5);
  scene.gravity = Vec3(0, 0, -kGravity);
  test::AddPlane(scene, Vec3::Zero(), Vec3::UnitZ());
  const ShapeId shape = AddSolid(scene, "cylinder", {radius, height});
  State state;
  Draw draw(3);
  for (int k = 0; k < kCylinders; ++k) {
    const Vec3 offset = 0.02 * radius * Vec3(draw.Uniform(-1.0, 1.0), draw.Uniform(-1.0, 1.0), 0.0);
    AddClump(scene, state.particles, k, shape, offset + Vec3(0.0, 0.0, height * (k + 0.5)),
             RotationBy(Vec3(0.0, 0.0, draw.Uniform(-0.3, 0.3))));
  }
  const Communicator self = Communicator::Self();
  StepParameters parameters = Parameters(2e-4, 40);
  parameters.solver.momentum = 0.85;
  TimeStep step = test::Run(self, scene, parameters, state, 2500);
  const double mass = scene.clumps[0].Mass(2650.0, state.particles.radius[0]);
  EXPECT_LT(step.Observe(state).kinetic_energy, 1e-6 * kCylinders * mass * kGravity * height);
}

/// Faces that meet nearly flat touch at several points at once, for which ten sweeps leave an error
/// of the impulses. It must not become energy. (Ten sweeps of Jacobi's scheme lose energy.)
TEST(Polyhedron, ElasticCylindersThatMeetFlatGainNoEnergy) {
  if (!test::IsSingleRank()) GTEST_SKIP() << "one rank suffices";
  constexpr double height = 0.1;
  const Communicator self = Communicator::Self();
  Scene scene = test::EmptyScene(Vec3::Constant(-1.0), Vec3::Constant(1.0), 0.0);
  scene.materials.SetRestitution(0, 0, {.constant = 1.0});
  const ShapeId shape = AddSolid(scene, "cylinder", {0.08, height});
  Draw draw(7);
  for (const Scheme scheme : {Scheme::kGaussSeidel, Scheme::kJacobi}) {
    StepParameters parameters = Parameters(1e-4, 10);
    parameters.solver.scheme = scheme;
    for (int k = 0; k < 50; ++k) {
      State state;
      AddClump(scene, state.particles, 0, shape, Vec3(0.0, 0.0, 0.52 * height),
               RotationBy(draw.Vector(0.02)), Vec3(0.0, 0.0, -1.0), draw.Vector(1.0));
      AddClump(scene, state.particles, 1, shape, Vec3(0.01, 0.02, -0.52 * height),
               RotationBy(draw.Vector(0.02)), Vec3(0.0, 0.0, 1.0), draw.Vector(1.0));
      TimeStep step = test::Start(self, scene, parameters, state);
      const double energy = step.Observe(state).kinetic_energy;
      for (int i = 0; i < 100; ++i) step.Advance(state);
      const double ratio = step.Observe(state).kinetic_energy / energy;
      EXPECT_LT(ratio, 1.0 + 1e-3) << k;
      EXPECT_GT(ratio, scheme == Scheme::kGaussSeidel ? 1.0 - 1e-2 : 0.0) << k;
    }
  }
}

TEST(Polyhedron, EllRestsInEachStablePose) {
  if (!test::IsSingleRank()) GTEST_SKIP() << "one rank suffices";
  // The ell stands on its foot, lies on its back, or lies flat. It starts slightly above the floor.
  constexpr double r = 5e-3, dt = 1e-4;
  const Communicator self = Communicator::Self();
  for (const Vec3& down : {Vec3(0, 0, -1), Vec3(-1, 0, 0), Vec3(0, 1, 0)}) {
    Scene scene = test::EmptyScene(Vec3::Constant(-0.1), Vec3::Constant(0.1), 0.5);
    scene.gravity = kGravity * down;
    test::AddPlane(scene, Vec3::Zero(), -down);
    const ShapeId shape = AddShape(scene, test::Ell(r));
    const ClumpShape& ell = scene.ClumpOf(shape);
    double height = 0.0;
    for (const Member& member : ell.members) {
      height = std::max(height, ell.bounding_radius * (down.dot(member.centre) + member.radius));
    }
    State state;
    AddClump(scene, state.particles, 0, shape, -(height + 2e-5) * down, {});
    const TimeStep step = test::Run(self, scene, Parameters(dt, 30), state, 400);
    EXPECT_LT((state.particles.position[0] + height * down).norm(), 1e-6) << down.transpose();
    EXPECT_LT(state.particles.velocity[0].norm(), 1e-6);
    EXPECT_LT(state.particles.angular_velocity[0].norm(), 1e-4);
    const Vec3 weight = MassOf(state.particles, 0, scene) * scene.gravity;
    EXPECT_LT((LoadOnWalls(step, state, dt) + weight).norm(), 1e-3 * weight.norm());
  }
}

TEST(Polyhedron, EllHangsInAnotherEll) {
  if (!test::IsSingleRank()) GTEST_SKIP() << "one rank suffices";
  // The first ell lies on its back. The second is upside down and has a shorter foot. Its leg is in
  // the corner of the first ell and touches nothing else. The weight is along -x:
  //
  //        z |  +-----------+        second: foot x 0.5 .. 2, z 3 .. 4, leg x 1 .. 2, z 1 .. 3
  //          |  +---+       |
  //          +------|   leg |        first: leg x 0 .. 1, z 1 .. 3, foot x 0 .. 2, z 0 .. 1
  //          | leg  +-------+
  //          +--------------+
  constexpr double r = 5e-3, dt = 1e-4, gap = 1e-5;
  Scene scene = test::EmptyScene(Vec3::Constant(-0.1), Vec3::Constant(0.1), 0.5);
  scene.gravity = kGravity * Vec3(-1, 0, 0);
  test::AddPlane(scene, Vec3::Zero(), Vec3::UnitX());
  const ShapeId first = AddShape(scene, test::Ell(r));
  ClumpDescription shorter;
  shorter.name = "shorter";
  shorter.parts = {test::BoxPart(r * Vec3(0.5, 0, 3), r * Vec3(2, 1, 4)),
                   test::BoxPart(r * Vec3(1, 0, 1), r * Vec3(2, 1, 3))};
  const ShapeId second = AddShape(scene, shorter);
  const auto centre = [&](ShapeId shape) {
    Vec3 sum = Vec3::Zero();
    double volume = 0.0;
    for (const PartDescription& part : scene.ClumpOf(shape).description.parts) {
      const double part_volume = part.size[0] * part.size[1] * part.size[2];
      sum += part_volume * part.position;
      volume += part_volume;
    }
    return Vec3(sum / volume);
  };
  State state;
  AddClump(scene, state.particles, 0, first, centre(first), {});
  AddClump(scene, state.particles, 1, second, centre(second) + gap * Vec3(1, 0, 2), {});
  const auto start = state.particles.position;
  const Communicator self = Communicator::Self();
  const TimeStep step = test::Run(self, scene, Parameters(dt, 50), state, 400);
  double weight = 0.0;
  std::size_t contact_count = 0;
  for (const std::size_t i : {0u, 1u}) {
    // Rounding shifts the centres of mass slightly.
    EXPECT_LT((state.particles.position[i] - start[i]).norm(), 2e-2 * r);
    EXPECT_LT(state.particles.velocity[i].norm(), 1e-6);
    weight += kGravity * MassOf(state.particles, i, scene);
  }
  for (const DetectedContact& contact : step.Contacts()) {
    if (static_cast<std::size_t>(contact.b) < state.particles.Size()) ++contact_count;
    EXPECT_TRUE(contact.a == 0 || contact.b == 0) << "the second touches the floor";
  }
  EXPECT_GE(contact_count, 4u);
  EXPECT_NEAR(LoadOnWalls(step, state, dt).x(), weight, 1e-3 * weight);
}

TEST(Polyhedron, InnerEdgesOfAUnionDoNotSlowABody) {
  if (!test::IsSingleRank()) GTEST_SKIP() << "one rank suffices";
  // A cube slides without friction along the top of two overlapping boxes. Edges of one box that
  // are inside the other must not slow it down.
  constexpr double side = 1e-2;
  Scene scene = test::EmptyScene(Vec3::Constant(-0.1), Vec3::Constant(0.1), 0.0);
  scene.gravity = Vec3(0, 0, -kGravity);
  test::AddPlane(scene, Vec3::Zero(), Vec3::UnitZ());
  ClumpDescription bench;
  bench.name = "bench";
  bench.mass = 1e3;
  bench.parts = {test::BoxPart(side * Vec3(-4, -2, -1), side * Vec3(0.5, 2, 0)),
                 test::BoxPart(side * Vec3(-0.5, -2, -1), side * Vec3(4, 2, 0))};
  const ShapeId bench_shape = AddShape(scene, bench), cube = AddSolid(scene, "box", {side});
  State state;
  AddClump(scene, state.particles, 0, bench_shape, Vec3(0, 0, 0.5 * side), {});
  AddClump(scene, state.particles, 1, cube, Vec3(-0.02, 1e-4, 1.5 * side), {}, Vec3(0.2, 0, 0));
  const Communicator self = Communicator::Self();
  test::Run(self, scene, Parameters(1e-4, 30), state, 2000);
  const auto bodies = test::GatherById(self, state.particles);
  EXPECT_NEAR(bodies.at(1).position.x(), 0.02, 1e-5);
  EXPECT_NEAR(bodies.at(1).velocity.x(), 0.2, 1e-4);
}

/// Cubes, octahedra, tetrahedra and dodecahedra that fall into a box; optionally also cylinders and
/// balls, which roll, and bodies with several members.
struct Pour {
  static constexpr double kSize = 2e-3;
  Scene scene;
  std::vector<ShapeId> shapes;

  explicit Pour(bool has_clumps)
      : scene(test::EmptyScene(Vec3::Constant(-1e-3), Vec3(0.012, 0.012, 0.03), 0.4)) {
    scene.gravity = Vec3(0, 0, -kGravity);
    for (int axis = 0; axis < 3; ++axis) test::AddPlane(scene, Vec3::Zero(), Vec3::Unit(axis));
    for (int axis = 0; axis < 2; ++axis) {
      test::AddPlane(scene, 0.011 * Vec3::Unit(axis), -Vec3::Unit(axis));
    }
    shapes = {AddSolid(scene, "box", {kSize}), AddSolid(scene, "octahedron", {kSize}),
              AddSolid(scene, "tetrahedron", {1.5 * kSize}),
              AddSolid(scene, "dodecahedron", {0.5 * kSize})};
    if (!has_clumps) return;
    for (ClumpDescription mixed :
         {test::Ell(0.3 * kSize), test::Barbell(0.4 * kSize), test::Cross(0.5 * kSize)}) {
      mixed.rounding = mixed.solid.empty() ? 0.0 : 5e-5;
      for (PartDescription& part : mixed.parts) part.rounding = 5e-5;
      shapes.push_back(AddShape(scene, mixed));
    }
    shapes.push_back(AddSolid(scene, "cylinder", {kSize, kSize}));
    shapes.push_back(kSphereShape);
  }
  State Bodies(const Communicator& communicator) const {
    State state;
    Draw draw(4);
    constexpr double spacing = 3.6e-3;
    for (int k = 0; k < 36; ++k) {
      const Vec3 position = Vec3(2e-3, 2e-3, 2.5e-3) + spacing * Vec3(k % 3, k / 3 % 3, k / 9);
      const Quaternion orientation = Normalized(RotationBy(draw.Vector(3.0)));
      const Vec3 velocity = draw.Vector(0.1);
      const ShapeId shape =
          shapes[static_cast<std::size_t>(draw.Integer(0, static_cast<int>(shapes.size()) - 1))];
      if (k % communicator.Size() != communicator.Rank()) continue;
      if (shape == kSphereShape) {
        test::AddSphere(state.particles, k, position, 0.5 * kSize, velocity);
      } else {
        AddClump(scene, state.particles, k, shape, position, orientation, velocity);
      }
    }
    return state;
  }
};

TEST(Polyhedron, BodiesPouredIntoABoxComeToRest) {
  const Communicator world = Communicator::World();
  const Pour pour(false);
  State state = pour.Bodies(world);
  constexpr double dt = 1e-4;
  // One of the bodies stands on an edge until 0.21 s.
  TimeStep step = test::Run(world, pour.scene, Parameters(dt, 20), state, 3000);
  double fastest = 0.0, floor = 0.0, weight = 0.0;
  for (int k = 0; k < 100; ++k) {
    step.Advance(state);
    floor += LoadOnWalls(step, state, 100.0 * dt).z();  // mean of 100 steps
  }
  for (std::size_t i = 0; i < state.particles.owned; ++i) {
    fastest = std::max(fastest, state.particles.velocity[i].norm());
    weight += kGravity * MassOf(state.particles, i, pour.scene);
  }
  EXPECT_LT(world.Max(fastest), 1e-6);
  EXPECT_NEAR(world.Sum(floor), world.Sum(weight), 1e-3 * world.Sum(weight));
}

TEST(Polyhedron, JacobiHasTheSameBitsOnAnyNumberOfRanks) {
  const Communicator world = Communicator::World(), self = Communicator::Self();
  Pour pour(true);
  pour.scene.gravity *= 10.0;
  pour.scene.materials.SetLaw<RollingLaw>(0, 0, {0.05, 0.02});
  pour.scene.materials.SetLaw<CohesionLaw>(0, 0, {.force = 1e-3, .adhesion = 0.1});
  StepParameters parameters = Parameters(5e-5, 30);
  parameters.solver.scheme = Scheme::kJacobi;
  constexpr int kSteps = 500;
  State parallel_state = pour.Bodies(world);
  TimeStep parallel = test::Run(world, pour.scene, parameters, parallel_state, kSteps);
  EXPECT_GT(parallel.Observe(parallel_state).loaded_contacts, 30);
  const auto bodies = test::GatherById(world, parallel_state.particles);
  if (!world.IsRoot()) return;
  State serial_state = pour.Bodies(self);
  test::Run(self, pour.scene, parameters, serial_state, kSteps);
  test::ExpectSameBits(bodies, test::GatherById(self, serial_state.particles));
}

TEST(Polyhedron, RestartContinuesWithTheSameBits) {
  const Communicator world = Communicator::World();
  const Pour pour(true);
  State state = pour.Bodies(world);
  const StepParameters parameters = Parameters(1e-4, 10);
  const TimeStep step = test::Run(world, pour.scene, parameters, state, 600);
  auto [continued, restart_state] =
      test::ExpectRestartWithTheSameBits(world, pour.scene, parameters, step, state, 60);
  EXPECT_GT(continued.Observe(restart_state).loaded_contacts, 20);
}

TEST(Polyhedron, TooDeepOverlapsEndTheRun) {
  if (!test::IsSingleRank()) GTEST_SKIP() << "one rank suffices";
  Scene scene = test::EmptyScene(Vec3::Constant(-0.1), Vec3::Constant(0.1), 0.5);
  const ShapeId shape = AddSolid(scene, "box", {1e-2});
  const Communicator self = Communicator::Self();
  for (const double depth : {0.5, 1.5, 8.0, 19.0}) {  // relative to the rounding of 2.5e-4 m
    State state;
    AddClump(scene, state.particles, 0, shape, Vec3::Zero(), {});
    AddClump(scene, state.particles, 1, shape, Vec3(1e-2 - 2.5e-4 * depth, 2e-4, 1e-4),
             RotationBy(Vec3(1e-3, 0, 0)));
    TimeStep step = test::Start(self, scene, Parameters(1e-5, 10), state);
    const auto advance = [&] { step.Advance(state); };
    if (depth < 1.0) {
      EXPECT_NO_THROW(advance());
    } else {
      EXPECT_THROW(advance(), SimulationError) << depth;
    }
  }
}

}  // namespace
}  // namespace scree::polyhedron_test
