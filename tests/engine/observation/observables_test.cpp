// Observables are sums, means and maxima over all ranks.
#include "engine/observation/observables.hpp"

#include <gtest/gtest.h>

#include "engine/contacts/contact_detection.hpp"
#include "engine/scene/step_parameters.hpp"

namespace scree::observables_test {
namespace {

/// Each rank has two owned particles, a removed one, and a ghost.
struct Fixture {
  Communicator world = Communicator::World();
  Particles particles;
  std::vector<double> inverse_masses = {0.5, 0.25, 1.0, 1.0};
  std::vector<DetectedContact> contacts;
  std::vector<Vec3> impulses;
  double closed_gap = ClosedGap(0.47e-3);

  Fixture() {
    Resize(particles, 4);
    particles.owned = 3;
    particles.id = {0, 1, kRemovedId, 3};
    particles.radius = {0.5, 2.0, 1.0, 1.0};
    const double rank = world.Rank();
    particles.velocity = {Vec3(3, rank, 4), Vec3(1, 0, 0), Vec3(99, 99, 99), Vec3(77, 0, 0)};
    particles.angular_velocity = {Vec3(0, 2, 0), Vec3::Zero(), Vec3::Zero(), Vec3(9, 9, 9)};
  }
  void Add(double gap, Index b, double impulse) {
    contacts.push_back({Vec3::UnitZ(), gap, 0, b});
    impulses.push_back(Vec3(0.1, 0, impulse));
  }
  Observables ObserveAll() const {
    return Observe(world, particles, inverse_masses, contacts, impulses, closed_gap,
                   particles.Size());
  }
};

TEST(Observables, OnlyOwnedParticlesThatAreNotRemovedCount) {
  const Fixture fixture;
  const double ranks = fixture.world.Size();
  const Observables observed = fixture.ObserveAll();
  EXPECT_EQ(observed.particles, 2 * fixture.world.Size());
  EXPECT_NEAR(observed.mean_velocity.x(), 2.0, 1e-14);
  EXPECT_NEAR(observed.mean_velocity.y(), 0.25 * (ranks - 1.0), 1e-14);
  EXPECT_NEAR(observed.mean_velocity.z(), 2.0, 1e-14);
  EXPECT_NEAR(observed.max_speed, std::sqrt(25.0 + (ranks - 1.0) * (ranks - 1.0)), 1e-14);
}

TEST(Observables, KineticEnergyIncludesRotation) {
  const Fixture fixture;
  double expected = 0.0;
  for (int rank = 0; rank < fixture.world.Size(); ++rank) {
    // m = 2: 1/2 m v² + 1/2 (2/5 m r²) ω²; m = 4 without spin.
    expected += (25.0 + rank * rank) + 0.5 * 0.4 * 2.0 * 0.25 * 4.0 + 0.5 * 4.0;
  }
  EXPECT_NEAR(fixture.ObserveAll().kinetic_energy, expected, 1e-12 * expected);
}

TEST(Observables, ClosedLoadedAndWallContactsAreCounted) {
  Fixture fixture;
  const int ranks = fixture.world.Size();
  fixture.Add(-1e-3 * (1.0 + fixture.world.Rank()), 1, 1.0);
  fixture.Add(1e-8, 3, 0.0);    // with a ghost, at the limit of closed contacts
  fixture.Add(1.1e-8, 1, 2.0);  // loaded, not closed
  fixture.Add(-1e-5, 4, 0.5);   // with the first wall
  fixture.Add(1e-3, 5, 0.0);    // with the second wall, open
  const Observables observed = fixture.ObserveAll();
  EXPECT_EQ(observed.contacts, 5 * ranks);
  EXPECT_EQ(observed.closed_contacts, 3 * ranks);
  EXPECT_EQ(observed.loaded_contacts, 3 * ranks);
  EXPECT_EQ(observed.open_contacts, ranks);
  EXPECT_EQ(observed.wall_contacts, ranks);
  EXPECT_NEAR(observed.max_penetration, 1e-3 * ranks, 1e-18);
  EXPECT_FALSE(observed.touching_contacts);
  EXPECT_FALSE(observed.TouchingPerParticle());
}

// A contact with a gap of 10 nm is closed between particles of 0.47 mm, but not of 0.47 um.
TEST(Observables, ClosedContactsHaveASmallGapRelativeToTheRadii) {
  Fixture fixture;
  const int ranks = fixture.world.Size();
  fixture.Add(1e-8, 1, 1.0);
  fixture.Add(1e-11, 1, 1.0);
  EXPECT_EQ(fixture.ObserveAll().closed_contacts, 2 * ranks);
  fixture.closed_gap = ClosedGap(0.47e-6);
  EXPECT_EQ(fixture.ObserveAll().closed_contacts, ranks);
}

TEST(Observables, WallLoadsAreSummedOverTheRanks) {
  const Fixture fixture;
  const double ranks = fixture.world.Size(), rank = fixture.world.Rank();
  const Observables observed =
      Observe(fixture.world, fixture.particles, fixture.inverse_masses, {}, {}, 0.0, 4,
              {{Vec3(1, rank, 3), Vec3(4, 5, 6)}, {Vec3::Zero(), Vec3(0, 0, 1)}});
  ASSERT_EQ(observed.wall_loads.size(), 2u);
  EXPECT_EQ(observed.wall_loads[0].force, Vec3(ranks, 0.5 * ranks * (ranks - 1.0), 3.0 * ranks));
  EXPECT_EQ(observed.wall_loads[0].torque, Vec3(4.0 * ranks, 5.0 * ranks, 6.0 * ranks));
  EXPECT_EQ(observed.wall_loads[1].torque, Vec3(0, 0, ranks));
  EXPECT_EQ(observed.mean_velocity.x(), 2.0);
}

TEST(Observables, AllQuantitiesOfAnEmptySceneAreZero) {
  const Observables observed = Observe(Communicator::World(), {}, {}, {}, {}, 0.0, 0);
  EXPECT_EQ(observed.particles, 0);
  EXPECT_EQ(observed.mean_velocity, Vec3::Zero());
  EXPECT_EQ(observed.max_penetration, 0.0);
}

}  // namespace
}  // namespace scree::observables_test
