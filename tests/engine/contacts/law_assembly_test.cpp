// Assembly of rolling resistance from the data of particles and walls.
#include "engine/contacts/law_assembly.hpp"

#include <gtest/gtest.h>

#include "engine/contacts/contact_assembly.hpp"
#include "tests/support/scenes.hpp"

namespace scree::law_assembly_test {
namespace {

constexpr double kTolerance = 1e-14;  // relative

/// Two spheres of two materials with the same density, and a rotating wall of the first material.
struct Fixture {
  Scene scene = test::EmptyScene(Vec3::Constant(-9), Vec3::Constant(9), 0.3);
  Particles particles;
  std::vector<WallBody> walls;
  std::vector<double> inverse_masses;
  std::vector<SphereBody> bodies;
  std::vector<DetectedContact> contacts = {{Vec3::UnitX(), 0.0, 0, 1}, {Vec3::UnitZ(), 0.0, 0, 3}};
  StepParameters parameters;

  Fixture() {
    scene.materials.Add({"other", 2650.0}, 0.3);
    scene.materials.SetLaw<RollingLaw>(0, 1, {0.2, 0.1});
    scene.materials.SetLaw<RollingLaw>(0, 0, {0.5, 0.0});
    test::AddPlane(scene, Vec3::Zero(), Vec3::UnitZ(), Vec3(1, 2, 3));
    scene.walls[0].rotation = {Vec3::Zero(), Vec3(0.3, 0, 7)};
    test::AddSphere(particles, 0, Vec3(0, 0, 2), 2.0);
    test::AddSphere(particles, 1, Vec3(-3, 0, 2), 1.0);
    particles.material = {0, 1};
    SetInverseMasses(particles, scene, inverse_masses);
    inverse_masses.push_back(0.0);  // inverse mass of the patch
    BeginWallBodies(WallPoses(scene, 1e-3, 0), walls);
    walls.push_back({0, 0, Vec3(4, 5, 6)});  // patch of the second contact
    AssembleBodies(particles, inverse_masses, scene, walls, {1e-3 * scene.gravity}, bodies);
  }
  ContactBatches Assemble(const std::vector<Index>& counts = {}) {
    ContactBatches batches;
    std::vector<Index> impacts;
    const ContactInput input = {.detected = {contacts},
                                .ghosts = {},
                                .particles = particles,
                                .scene = scene,
                                .walls = walls,
                                .inverse_masses = inverse_masses,
                                .counts = counts};
    const Restitution restitution(scene, 1e-3);
    AssembleContacts(input, {}, 1.0, Friction(), restitution, batches, impacts, nullptr);
    EXPECT_FALSE(batches.ArraysOf<RollingLaw>().IsActive());
    AssembleLaws(input, parameters, restitution, batches);
    EXPECT_TRUE(batches.ArraysOf<RollingLaw>().IsActive());
    return batches;
  }
};

TEST(LawAssembly, CoefficientsComeFromThePairAndArmsFromTheRadii) {
  Fixture fixture;
  const ContactBatches batches = fixture.Assemble();
  const RollingContact spheres = batches.ArraysOf<RollingLaw>().At(batches.SlotOf(0)),
                       wall = batches.ArraysOf<RollingLaw>().At(batches.SlotOf(1));
  EXPECT_EQ(spheres.rolling, 0.2);
  EXPECT_EQ(spheres.spinning, 0.1);
  EXPECT_EQ(wall.rolling, 0.5);
  EXPECT_EQ(wall.spinning, 0.0);
  const double reduced_radius = 1.0 / (1.0 / 2.0 + 1.0 / 1.0);
  EXPECT_NEAR(spheres.fraction_a, reduced_radius / 2.0, kTolerance);
  EXPECT_NEAR(spheres.fraction_b, reduced_radius / 1.0, kTolerance);
  EXPECT_EQ(wall.fraction_a, 1.0);
  EXPECT_EQ(wall.fraction_b, 1.0);
}

TEST(LawAssembly, EffectiveMassComesFromTheInertias) {
  Fixture fixture;
  fixture.parameters.solver.momentum = 0.0;
  const double r_a = 2.0, r_b = 1.0, reduced_radius = r_a * r_b / (r_a + r_b);
  const double i_a = 0.4 * test::Mass(r_a) * r_a * r_a, i_b = 0.4 * test::Mass(r_b) * r_b * r_b;
  const auto expect = [&](const std::vector<Index>& counts, double sphere_block,
                          double wall_block) {
    const ContactBatches batches = fixture.Assemble(counts);
    EXPECT_NEAR(batches.ArraysOf<RollingLaw>().At(batches.SlotOf(0)).effective_mass * sphere_block,
                1.0, kTolerance);
    EXPECT_NEAR(batches.ArraysOf<RollingLaw>().At(batches.SlotOf(1)).effective_mass * wall_block,
                1.0, kTolerance);
  };
  const double a = reduced_radius * reduced_radius / i_a, b = reduced_radius * reduced_radius / i_b,
               flat = r_a * r_a / i_a;
  expect({}, a + b, flat);
  expect({0, 0, 0, 0}, a + b, flat);
  // Contacts that other ranks have with the bodies under-relax the law like the contact itself, but
  // each of them counts eight times, with inverse inertias as weights.
  expect({3, 1, 0, 0}, 0.5 * (a + b + 8 * 0.55 * (3 * a + b)), 0.5 * (1 + 8 * 0.55 * 3) * flat);
  fixture.parameters.solver.momentum = 0.5;  // the factor is 2/3 instead of 1/2
  expect({3, 1, 0, 0}, (a + b + 8 * 0.55 * (3 * a + b)) / 1.5, (1 + 8 * 0.55 * 3) * flat / 1.5);
  fixture.parameters.solver.scheme = Scheme::kJacobi;
  expect({2, 3, 0, 1}, (2 * a + 3 * b) / 1.9, 2 * flat / 1.9);
}

TEST(LawAssembly, PatchesRotateWithTheWallAndKeepTheSurfaceVelocity) {
  Fixture fixture;
  const std::vector<WallPose> poses = WallPoses(fixture.scene, 1e-3, 0);
  std::vector<SphereBody> bodies = fixture.bodies;
  SetPatchRotations(fixture.contacts, fixture.particles, fixture.walls, poses, bodies);
  const SphereBody& patch = bodies[3];
  EXPECT_EQ(patch.inverse_mass, 0.0);
  EXPECT_LT((patch.u / patch.radius - Vec3(0.3, 0, 7)).norm(), kTolerance);
  const Vec3 n = fixture.contacts[1].normal;
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(bodies[i].u, fixture.bodies[i].u);
  EXPECT_LT((RelativeVelocity(bodies[0], patch, n) -
             RelativeVelocity(fixture.bodies[0], fixture.bodies[3], n))
                .norm(),
            10 * kTolerance);
  fixture.scene.walls[0].rotation = {};
  SetPatchRotations(fixture.contacts, fixture.particles, fixture.walls,
                    WallPoses(fixture.scene, 1e-3, 0), fixture.bodies);
  EXPECT_EQ(fixture.bodies[3].u, Vec3::Zero());
}

/// A sphere rests on a slope. If it starts with the rolling impulses L of the last step, one sweep
/// is enough.
TEST(LawAssembly, WarmStartIncludesTheRollingImpulses) {
  const Communicator self = Communicator::Self();
  Scene scene = test::EmptyScene(Vec3::Constant(-0.1), Vec3::Constant(0.1), 0.6);
  scene.materials.SetLaw<RollingLaw>(0, 0, {0.3, 0.0});
  scene.gravity = Vec3(2.0, 0.0, -9.0);
  test::AddPlane(scene, Vec3::Zero(), Vec3::UnitZ());
  State state;
  test::AddSphere(state.particles, 0, Vec3(0, 0, 0.001), 0.001);
  StepParameters parameters;
  parameters.solver.sweeps = 200;
  const Subdomains subdomains(scene.domain, {1, 1, 1});
  TimeStep first(self, scene, parameters, subdomains, state);
  first.Advance(state);
  RestartPoint point = first.Point(state);
  ASSERT_TRUE(point.laws[kLawIndex<RollingLaw>]);
  parameters.solver.sweeps = 1;
  const double kick = 2.0 * parameters.dt;
  for (const bool has_stored_impulses : {true, false}) {
    State copy = state;
    Resize(copy.particles, copy.particles.owned);
    if (!has_stored_impulses) {
      for (StoredImpulse& impulse : point.impulses) impulse.laws = {};
    }
    TimeStep restarted(self, scene, parameters, subdomains, copy, point);
    restarted.Advance(copy);
    if (has_stored_impulses) {
      EXPECT_LT(restarted.Report().residual_max, 1e-9 * kick);
    } else {
      EXPECT_GT(restarted.Report().residual_max, 0.1 * kick);
    }
  }
}

}  // namespace
}  // namespace scree::law_assembly_test
