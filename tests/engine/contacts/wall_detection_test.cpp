// Which points of walls become contacts.
#include "engine/contacts/wall_detection.hpp"

#include <gtest/gtest.h>

#include <numbers>

#include "tests/support/lists.hpp"
#include "tests/support/meshes.hpp"
#include "tests/support/scenes.hpp"

namespace scree::wall_detection_test {
namespace {

constexpr double kRadius = 0.1;
constexpr ActivationRule kRule = {0.01, 1e-3, true};

struct WallContacts {
  std::vector<DetectedContact> contacts;
  std::vector<WallBody> bodies;  // bodies of the contacts
};

WallContacts Detect(const Scene& scene, const Vec3& x, const Vec3& v,
                    const ActivationRule& rule = kRule) {
  Particles sphere;
  test::AddSphere(sphere, 0, x, kRadius, v);
  sphere.velocity_change = {0.0};
  const std::vector<WallPose> walls = WallPoses(scene, rule.dt, 0);
  const NeighborList list = test::ListOf(sphere, 10.0, Halo(), scene, walls, {1.0, 1.0});
  ContactList contacts;
  DetectionBuffers buffers;
  WallContacts result;
  std::vector<WallBody> bodies;
  DetectContacts(sphere, sphere.velocity, Halo(), list, scene, walls, rule, nullptr, buffers,
                 contacts, bodies);
  result.contacts = {contacts.begin(), contacts.end()};
  for (const DetectedContact& contact : contacts) {
    result.bodies.push_back(bodies[static_cast<std::size_t>(contact.b) - 1]);
  }
  return result;
}

Scene SceneWith(const std::vector<ShapePart>& parts) {
  Scene scene = test::EmptyScene(Vec3(-2, -2, -2), Vec3(2, 2, 2), 0.0);
  for (const ShapePart& part : parts) scene.walls.push_back({"wall", {{part}}});
  return scene;
}
Block LeftBlock(double top = 0.0) { return {{Vec3(-1, -1, -1), Vec3(0, 1, top)}}; }
Block RightBlock(double top = 0.0) { return {{Vec3(0, -1, -1), Vec3(1, 1, top)}}; }

/// A sphere on the left box, close to the seam at x = 0.
WallContacts DetectAtSeam(const Scene& scene, double distance_to_seam = 0.02) {
  return Detect(scene, Vec3(-distance_to_seam, 0, kRadius), Vec3(5, 0, 0));
}

TEST(WallDetection, InternalEdgeBetweenTwoWallsIsNoContact) {
  for (const double distance_to_seam : {0.04, 1e-3, 1e-5, 1e-8, 0.0, -1e-8, -1e-3, -0.04}) {
    EXPECT_EQ(
        DetectAtSeam(SceneWith({LeftBlock(), RightBlock()}), distance_to_seam).contacts.size(), 1u)
        << distance_to_seam;
  }
  const Plane plane{Vec3::Zero(), Vec3::UnitZ()};
  EXPECT_EQ(DetectAtSeam(SceneWith({plane, RightBlock()})).contacts.size(), 1u);
}

TEST(WallDetection, ProtrudingEdgeIsAContact) {
  for (const double height : {1e-3 * kRadius, 0.1 * kRadius}) {
    EXPECT_EQ(DetectAtSeam(SceneWith({LeftBlock(), RightBlock(height)}), 0.005).contacts.size(), 2u)
        << height;
  }
}

/// The edge protrudes only at the end of the step, because one of the walls moves.
TEST(WallDetection, RisingEdgeIsAContact) {
  Scene scene = SceneWith({LeftBlock(), RightBlock()});
  scene.walls[1].velocity = Vec3(0, 0, 0.1);
  EXPECT_EQ(DetectAtSeam(scene, 0.005).contacts.size(), 2u);
  scene.walls[0].velocity = Vec3(0, 0, 0.1);
  EXPECT_EQ(DetectAtSeam(scene, 0.005).contacts.size(), 1u);
}

/// A sphere that rolls on one wall against a protruding edge of another, as seen by observers that
/// move with different velocities.
TEST(WallDetection, ContactAtAnEdgeDependsOnTheRelativeVelocityOnly) {
  const auto detect_with = [](const Vec3& velocity_of_all) {
    Scene scene = SceneWith({LeftBlock(), RightBlock(0.5 * kRadius)});
    for (Wall& wall : scene.walls) wall.velocity = velocity_of_all;
    return Detect(scene, Vec3(-1.1 * kRadius, 0, kRadius), Vec3(5, 0, 0) + velocity_of_all);
  };
  const WallContacts at_rest = detect_with(Vec3::Zero());
  ASSERT_EQ(at_rest.contacts.size(), 2u);
  for (const Vec3& velocity : {Vec3(-5, 0, 0), Vec3(-9, 0, 1), Vec3(5, 2, -1)}) {
    const WallContacts moving = detect_with(velocity);
    ASSERT_EQ(moving.contacts.size(), 2u) << velocity.transpose();
    for (std::size_t k = 0; k < 2; ++k) {
      EXPECT_NEAR(moving.contacts[k].gap, at_rest.contacts[k].gap, 1e-12) << velocity.transpose();
      EXPECT_NEAR((moving.contacts[k].normal - at_rest.contacts[k].normal).norm(), 0.0, 1e-12)
          << velocity.transpose();
    }
  }
}

TEST(WallDetection, EachWallOfAConcaveCornerIsAContact) {
  const Scene scene = SceneWith({LeftBlock(), RightBlock(1.0)});
  const WallContacts contacts = Detect(scene, Vec3(-kRadius, 0, kRadius), Vec3::Zero());
  ASSERT_EQ(contacts.contacts.size(), 2u);
  EXPECT_EQ(contacts.contacts[0].normal, Vec3(0, 0, 1));
  EXPECT_EQ(contacts.contacts[1].normal, Vec3(-1, 0, 0));
}

TEST(WallDetection, EdgeAtASeamOfTwoWallsHasOneContact) {
  const Scene scene = SceneWith({LeftBlock(), RightBlock()});
  EXPECT_EQ(Detect(scene, Vec3(0, 1 + kRadius, 0), Vec3::Zero()).contacts.size(), 1u);
}

TEST(WallDetection, ImagesOfWallsAreTouchedAtTheirOwnPosition) {
  Scene scene = SceneWith({Block{{Vec3(1.5, -1, -1), Vec3(2.5, 1, 0)}}});
  EXPECT_EQ(Detect(scene, Vec3(-1.8, 0, kRadius), Vec3::Zero()).contacts.size(), 0u);
  scene.domain.periodic = {true, false, false};
  const WallContacts contacts = Detect(scene, Vec3(-1.8, 0, kRadius), Vec3::Zero());
  ASSERT_EQ(contacts.contacts.size(), 1u);
  EXPECT_NEAR(contacts.contacts[0].gap, 0.0, 1e-15);
  EXPECT_EQ(contacts.bodies[0].wall, 0);
  EXPECT_EQ(contacts.bodies[0].shift, Vec3(-4, 0, 0));
}

// ---- displacements of more than a radius in a step

struct Enclosure {
  const char* name;
  Shape shape;
};

std::vector<Triangle> PipeOfTriangles(double radius, double half_length, int sides) {
  std::vector<Triangle> triangles;
  const auto corner_at = [&](int k, double z) {
    const double angle = 2.0 * std::numbers::pi * k / sides;
    return Vec3(radius * std::cos(angle), radius * std::sin(angle), z);
  };
  for (int k = 0; k < sides; ++k) {
    test::AddParallelogram(corner_at(k, -half_length), corner_at(k + 1, 0.0) - corner_at(k, 0.0),
                           2.0 * half_length * Vec3::UnitZ(), triangles);
  }
  return triangles;
}

/// Surfaces around a sphere of radius 0.1, which starts within 0.4 of the z axis.
std::vector<Enclosure> Enclosures() {
  Mesh mesh;
  mesh.surface =
      std::make_shared<const TriangleMesh>(PipeOfTriangles(0.6, 50.0, 12), MeshSolid::kNo);
  Shape four_parts;  // a single wall
  for (const double side : {-1.0, 1.0}) {
    const Vec3 x(side * 0.7, 0, 0), y(0, side * 0.7, 0);
    four_parts.parts.push_back(Block{{x - Vec3(0.1, 0.8, 50), x + Vec3(0.1, 0.8, 50)}});
    four_parts.parts.push_back(Block{{y - Vec3(0.8, 0.1, 50), y + Vec3(0.8, 0.1, 50)}});
  }
  return {{"pipe", {{Pipe{Vec3(0, 0, -50), Vec3(0, 0, 50), 0.6}}}},
          {"cone", {{Cone{Vec3(0, 0, -50), Vec3(0, 0, 50), 0.6, 0.9}}}},
          {"mesh", {{mesh}}},
          {"parts", four_parts}};
}

/// A sphere starts inside and moves in any direction. If it would slide by more than the width of
/// the enclosure, the step throws an error, so that the sphere is not lost.
TEST(WallDetection, EscapeFromAnEnclosureInOneStepIsDetected) {
  for (const Enclosure& enclosure : Enclosures()) {
    for (const double displacement : {0.7, 2.0, 5.0, 17.0, 90.0}) {  // radii per step
      int error_count = 0;
      for (int k = 0; k < 24; ++k) {
        Scene scene = test::EmptyScene(Vec3(-60, -60, -60), Vec3(60, 60, 60), 0.0);
        scene.walls.push_back({"wall", enclosure.shape});
        StepParameters parameters;
        parameters.dt = 1e-3;
        const double angle = 2.0 * std::numbers::pi * k / 24, start_angle = 0.7 * k;
        const Vec3 direction(std::cos(angle), std::sin(angle), 0.3 * (k % 3));
        State state;
        test::AddSphere(state.particles, 1,
                        0.05 * (k % 8) * Vec3(std::cos(start_angle), std::sin(start_angle), 0),
                        kRadius, displacement * kRadius / parameters.dt * direction);
        try {
          test::Run(Communicator::World(), scene, parameters, state, 3);
        } catch (const SimulationError& error) {
          EXPECT_NE(std::string(error.what()).find("[wall.wall]"), std::string::npos);
          ++error_count;
          continue;
        }
        const Vec3& x = state.particles.position.at(0);
        EXPECT_LT(x.head<2>().norm(), 0.85) << enclosure.name << ", " << displacement << ", " << k;
        EXPECT_GT(NearestSurface(enclosure.shape, x).distance, 0.3 * kRadius)
            << enclosure.name << ", " << displacement << ", " << k;
      }
      EXPECT_TRUE(error_count == 0 || displacement > 10.0)
          << enclosure.name << ", " << displacement << ": " << error_count;
    }
  }
}

/// A floor at z = 0 and an upright wall at x = 0.3, as one wall.
std::vector<Enclosure> FloorsWithAWall() {
  std::vector<Triangle> triangles;
  test::AddParallelogram(Vec3(-2, -1, 0), Vec3(2.3, 0, 0), Vec3(0, 2, 0), triangles);
  test::AddParallelogram(Vec3(0.3, -1, 0), Vec3(0, 0, 2), Vec3(0, 2, 0), triangles);
  Mesh mesh;
  mesh.surface = std::make_shared<const TriangleMesh>(triangles, MeshSolid::kNo);
  return {
      {"mesh", {{mesh}}},
      {"boxes",
       {{Block{{Vec3(-2, -2, -1), Vec3(2, 2, 0)}}, Block{{Vec3(0.3, -2, -1), Vec3(2, 2, 2)}}}}}};
}

TEST(WallDetection, SphereDeepInAFloorSlidesAlongItToTheNextWall) {
  for (const Enclosure& floor : FloorsWithAWall()) {
    Scene scene = SceneWith({});
    scene.walls.push_back({"wall", floor.shape});
    for (const double overlap : {0.0, 0.1, 0.25, 0.5}) {   // radii
      for (const double displacement : {0.7, 1.6, 5.0}) {  // radii per step
        const Vec3 v(displacement * kRadius / kRule.dt, 0, 0);
        const WallContacts found = Detect(scene, Vec3(0, 0, (1.0 - overlap) * kRadius), v);
        const std::string label = Text(floor.name, ", ", overlap, ", ", displacement);
        ASSERT_EQ(found.contacts.size(), displacement > 2.0 ? 2u : 1u) << label;
        EXPECT_NEAR(found.contacts[0].gap, -overlap * kRadius, 1e-15) << label;
        EXPECT_LT((found.contacts[0].normal - Vec3::UnitZ()).norm(), 1e-15) << label;
        if (found.contacts.size() < 2) continue;
        EXPECT_NEAR(found.contacts[1].gap, 0.2, 1e-15) << label;
        EXPECT_LT((found.contacts[1].normal + Vec3::UnitX()).norm(), 1e-15) << label;
      }
    }
  }
}

/// The sphere flies through the hole of a disk to the far rim of the hole.
TEST(WallDetection, FarRimOfAHoleIsTouched) {
  const Disk disk{Vec3::Zero(), Vec3::UnitZ(), 1.5, 0.5};
  Scene scene = SceneWith({disk});
  scene.domain.box = {Vec3(-60, -60, -60), Vec3(60, 60, 60)};
  StepParameters parameters;
  parameters.dt = 1e-3;
  State state;
  test::AddSphere(state.particles, 1, Vec3(-0.3, 0, 0.4), kRadius, Vec3(3000, 0, -1500));
  test::Run(Communicator::World(), scene, parameters, state, 1);
  EXPECT_GT(state.particles.position.at(0).z(), 0.0);
}

}  // namespace
}  // namespace scree::wall_detection_test
