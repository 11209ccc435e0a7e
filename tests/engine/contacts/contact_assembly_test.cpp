// Assembly of the contact problem: masses, free velocities, biases, friction, effective masses.
#include "engine/contacts/contact_assembly.hpp"

#include <gtest/gtest.h>

#include <numbers>

namespace scree::contact_assembly_test {
namespace {

constexpr double kStep = 1e-3;

struct Fixture {
  Scene scene;
  Particles particles;
  std::vector<double> inverse_masses;
  std::vector<WallBody> walls;
  std::vector<SphereBody> bodies;
  StepParameters parameters;

  Fixture() {
    const MaterialId light = scene.materials.Add({"light", 1000.0}, 0.1);
    const MaterialId heavy = scene.materials.Add({"heavy", 8000.0}, 0.2);
    const MaterialId wall = scene.materials.Add({"wall", 1.0}, 0.3);
    scene.materials.SetFriction(light, heavy, 0.5);
    scene.walls.push_back({"floor", {}, Vec3::Zero(), heavy});
    scene.walls.push_back({"belt", {}, Vec3(1, 2, 3), wall});
    Resize(particles, 2);
    particles.owned = 2;
    particles.radius = {0.01, 0.02};
    particles.material = {light, heavy};
    particles.velocity = {Vec3(1, 0, 0), Vec3(0, 1, 0)};
    particles.angular_velocity = {Vec3(0, 0, 7), Vec3(5, 0, 0)};
    parameters.dt = kStep;
    parameters.position_sweeps = 0;
    parameters.error_reduction = 0.8;
    SetInverseMasses(particles, scene, inverse_masses);
    BeginWallBodies(WallPoses(scene, kStep, 0), walls);
    AssembleBodies(particles, inverse_masses, scene, walls, {kStep * scene.gravity}, bodies);
  }
  Contact Assemble(const DetectedContact& detected, double cap,
                   const std::vector<Index>& other_rank_counts = {}) const {
    ContactBatches batches;
    std::vector<Index> impacts;
    const std::size_t shared = other_rank_counts.empty() ? 0 : 1;
    AssembleContacts({{std::span(&detected, 1)},
                      {},
                      shared,
                      particles,
                      scene,
                      walls,
                      inverse_masses,
                      {},
                      other_rank_counts},
                     parameters, cap, Friction(scene.materials), Restitution(scene, kStep), batches,
                     impacts, nullptr);
    EXPECT_EQ(batches.Size(), 1u);
    EXPECT_EQ(batches.Impulse(0), Vec3::Zero());
    return batches.At(0);
  }
};

TEST(ContactAssembly, MassIsDensityTimesVolume) {
  const Fixture fixture;
  const double volume = 4.0 / 3.0 * std::numbers::pi * 1e-6;
  EXPECT_NEAR(fixture.inverse_masses[0] * 1000.0 * volume, 1.0, 1e-14);
  EXPECT_NEAR(fixture.inverse_masses[1] * 8000.0 * 8.0 * volume, 1.0, 1e-14);
}

TEST(ContactAssembly, BodiesStartAtTheFreeVelocities) {
  const Fixture fixture;
  ASSERT_EQ(fixture.bodies.size(), 4u);
  EXPECT_LT((fixture.bodies[0].v - Vec3(1, 0, -9.81e-3)).norm(), 1e-15);
  EXPECT_LT((fixture.bodies[0].u - Vec3(0, 0, 0.07)).norm(), 1e-15);
  EXPECT_EQ(fixture.bodies[1].radius, 0.02);
  EXPECT_EQ(fixture.bodies[1].inverse_mass, fixture.inverse_masses[1]);
  EXPECT_EQ(fixture.bodies[3].v, Vec3(1, 2, 3));  // gravity does not move walls
  EXPECT_EQ(fixture.bodies[3].inverse_mass, 0.0);
}

TEST(ContactAssembly, BiasAllowsAGapToCloseOrCorrectsAnOverlap) {
  const Fixture fixture;
  const auto bias = [&fixture](double gap, double cap) {
    return fixture.Assemble({Vec3::UnitZ(), gap, 0, 1}, cap).bias;
  };
  EXPECT_NEAR(bias(1e-4, 1.0), 0.1, 1e-15);
  EXPECT_EQ(bias(0.0, 1.0), 0.0);
  EXPECT_NEAR(bias(-1e-4, 1.0), -0.08, 1e-15);
  EXPECT_NEAR(bias(-1e-2, 1.0), -1.0, 1e-15);  // an overlap: the speed of its correction is limited
  EXPECT_NEAR(bias(1e-2, 1.0), 10.0, 1e-13);   // a gap: no limit
  EXPECT_EQ(bias(-1e-2, 0.0), 0.0);
}

TEST(ContactAssembly, FrictionComesFromThePairOfMaterials) {
  const Fixture fixture;
  EXPECT_EQ(fixture.Assemble({Vec3::UnitZ(), 0.0, 0, 1}, 1.0).friction, 0.5);
  EXPECT_EQ(fixture.Assemble({Vec3::UnitZ(), 0.0, 0, 2}, 1.0).friction, 0.5);
  EXPECT_EQ(fixture.Assemble({Vec3::UnitZ(), 0.0, 1, 2}, 1.0).friction, 0.2);
  EXPECT_EQ(fixture.Assemble({Vec3::UnitZ(), 0.0, 0, 3}, 1.0).friction, 0.3);
}

/// The slip includes the rotation of the bodies, but not the velocity change by gravity, along z.
TEST(ContactAssembly, SlipDependentFrictionUsesTheSlipAtTheBeginningOfTheStep) {
  Fixture fixture;
  for (const MaterialId b : {0, 1, 2}) {
    fixture.scene.materials.SetSlip(0, b, {.kinetic = 0.05, .speed = 0.8});
  }
  const auto friction = [&](const Vec3& normal, Index a, Index b) {
    return fixture.Assemble({normal, 0.0, a, b}, 1.0).friction;
  };
  const auto expected = [](double static_coefficient, const Vec3& slip) {
    return 0.05 + (static_coefficient - 0.05) * std::exp(-slip.norm() / 0.8);
  };
  // Velocities (1, 0, 0), (0, 1, 0), angular velocities (0, 0, 7), (5, 0, 0), radii 0.01, 0.02.
  EXPECT_NEAR(friction(Vec3::UnitZ(), 0, 1), expected(0.5, Vec3(1.0, -1.0 + 0.1, 0.0)), 1e-15);
  EXPECT_NEAR(friction(Vec3::UnitX(), 0, 1), expected(0.5, Vec3(0.0, -1.0 - 0.07, 0.0)), 1e-15);
  EXPECT_EQ(friction(Vec3::UnitX(), 0, 1), friction(-Vec3::UnitX(), 1, 0));
  EXPECT_NEAR(friction(Vec3::UnitY(), 0, 2), expected(0.5, Vec3(1.0 + 0.07, 0.0, 0.0)), 1e-15);
  EXPECT_NEAR(friction(Vec3::UnitZ(), 0, 3), expected(0.3, Vec3(0.0, -2.0, 0.0)), 1e-15);
  EXPECT_EQ(friction(Vec3::UnitZ(), 1, 2), 0.2);  // this pair has no law
}

TEST(ContactAssembly, EffectiveMassIsTheInverseOfTheNormalBlock) {
  const Fixture fixture;
  const double w0 = fixture.inverse_masses[0], w1 = fixture.inverse_masses[1];
  const Contact pair = fixture.Assemble({Vec3::UnitX(), 0.0, 1, 0}, 1.0);
  EXPECT_NEAR(pair.effective_mass * (w0 + w1), 1.0, 1e-14);
  EXPECT_EQ(pair.normal, Vec3::UnitX());
  EXPECT_EQ(pair.a, 1);
  EXPECT_EQ(pair.b, 0);
  const Contact wall = fixture.Assemble({Vec3::UnitX(), 0.0, 1, 2}, 1.0);
  EXPECT_NEAR(wall.effective_mass * w1, 1.0, 1e-14);
}

/// κ = max(1, 1/2 [1 + (c_a n_a w_a + c_b n_b w_b) / (w_a + w_b)]), where n is the number of
/// contacts that other ranks have with the body, and w is its inverse mass. c is 0.55 for
/// the heavier body 1, c0 for body 0, and 1 for a body against a wall.
TEST(ContactAssembly, ContactsOfSharedBodiesAreUnderRelaxed) {
  Fixture fixture;
  fixture.parameters.solver.momentum = 0.0;
  const double w0 = fixture.inverse_masses[0], w1 = fixture.inverse_masses[1];
  const auto kappa = [&](Index other_rank_a, Index other_rank_b) {
    const Contact contact =
        fixture.Assemble({Vec3::UnitX(), 0.0, 0, 1}, 1.0, {other_rank_a, other_rank_b, 0, 0});
    return 1.0 / (contact.effective_mass * (w0 + w1));
  };
  const double fraction0 = w0 / (w0 + w1), fraction1 = w1 / (w0 + w1);
  const double c0 = 0.55 + 0.45 * (2.0 * fraction0 - 1.0);
  ASSERT_GT(fraction0, 0.9);
  EXPECT_NEAR(kappa(0, 0), 1.0, 1e-14);
  EXPECT_NEAR(kappa(1, 1), 1.0, 1e-14);
  EXPECT_NEAR(kappa(10, 10), 0.5 * (1.0 + 10 * c0 * fraction0 + 5.5 * fraction1), 1e-14);
  EXPECT_NEAR(kappa(10, 0), 0.5 * (1.0 + 10 * c0 * fraction0), 1e-14);
  EXPECT_NEAR(kappa(0, 200), 0.5 * (1.0 + 110.0 * fraction1), 1e-12);
  const Contact wall = fixture.Assemble({Vec3::UnitX(), 0.0, 0, 2}, 1.0, {10, 0, 0, 0});
  EXPECT_NEAR(1.0 / (wall.effective_mass * w0), 5.5, 1e-14);
  fixture.parameters.solver.momentum = 0.5;  // then c = 1, and 2/3 replaces 1/2
  EXPECT_NEAR(kappa(0, 0), 1.0, 1e-14);
  EXPECT_NEAR(kappa(10, 10), 2.0 / 3.0 * 11.0, 1e-14);
  EXPECT_NEAR(kappa(0, 200), 2.0 / 3.0 * (1.0 + 200.0 * fraction1), 1e-12);
}

}  // namespace
}  // namespace scree::contact_assembly_test
