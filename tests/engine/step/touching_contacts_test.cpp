// Touching contacts are counted at the beginning of a step, whether the step solves them or not.
// They are compared with a search of all pairs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>
#include <vector>

#include "engine/particles/random.hpp"
#include "engine/step/time_step.hpp"
#include "tests/support/same_bits.hpp"
#include "tests/support/scenes.hpp"

namespace scree::touching_contacts_test {
namespace {

constexpr double kRadius = 1e-3;
constexpr std::size_t kCount = 400;
const Vec3 kBox(0.0198, 0.0132, 0.05);

Scene Bed(double restitution) {
  Scene scene = test::EmptyScene(Vec3::Zero(), kBox, 0.4);
  scene.domain.periodic = {true, true, false};
  scene.gravity = Vec3(1.0, 0, -9.81);
  scene.materials.SetRestitution(0, 0, {.constant = restitution});
  test::AddPlane(scene, Vec3::Zero(), Vec3::UnitZ());
  return scene;
}

/// Loose spheres, all on root. Start distributes them.
State LooseSpheres(const Communicator& world) {
  State state;
  for (ParticleId id = 0; world.IsRoot() && id < static_cast<ParticleId>(kCount); ++id) {
    const auto random = [&](std::uint64_t draw) { return UniformAroundZero(4, id, draw); };
    const Vec3 site(static_cast<double>(id % 9), static_cast<double>(id / 9 % 6),
                    static_cast<double>(id / 54));
    test::AddSphere(state.particles, id, 0.0022 * (site + Vec3::Constant(0.5)), kRadius,
                    0.1 * Vec3(random(1), random(2), random(3)));
  }
  return state;
}

using Pair = std::pair<ParticleId, ParticleId>;  // a pair with −1 is a contact with the floor

/// Pairs and wall contacts with a gap of at most 0.01 r, on all ranks.
std::set<Pair> AllPairs(const Communicator& world, const Particles& particles) {
  std::vector<double> positions(3 * kCount, 0.0);
  for (std::size_t i = 0; i < particles.owned; ++i) {
    const auto id = static_cast<std::size_t>(particles.id[i]);
    for (int k = 0; k < 3; ++k)
      positions[3 * id + static_cast<std::size_t>(k)] = particles.position[i][k];
  }
  world.Sum(positions);
  const double max_gap = 0.01 * kRadius;
  std::set<Pair> pairs;
  for (std::size_t a = 0; a < kCount; ++a) {
    const Eigen::Map<const Vec3> x_a(&positions[3 * a]);
    if (x_a.z() - kRadius <= max_gap) pairs.emplace(-1, a);
    for (std::size_t b = 0; b < a; ++b) {
      Vec3 separation = x_a - Eigen::Map<const Vec3>(&positions[3 * b]);
      for (int k = 0; k < 2; ++k) separation[k] -= kBox[k] * std::round(separation[k] / kBox[k]);
      if (separation.norm() - 2.0 * kRadius <= max_gap) pairs.emplace(b, a);
    }
  }
  return pairs;
}

StepParameters ShortSteps() {
  StepParameters parameters;
  parameters.dt = 1e-4;
  return parameters;
}

TEST(TouchingContacts, TouchingContactsAreCountedWithoutBeingSolved) {
  const Communicator world = Communicator::World();
  for (const double restitution : {0.0, 0.9}) {
    const Scene scene = Bed(restitution);
    State state = LooseSpheres(world);
    TimeStep step = test::Start(world, scene, ShortSteps(), state);
    EXPECT_EQ(step.Observe(state).touching_contacts, 0);
    int differing_steps = 0, inactive_count = 0;
    for (int k = 0; k < 300; ++k) {
      const bool is_counted = k % 10 == 0;
      step.KeepTouching(is_counted);
      if (!is_counted) {
        step.Advance(state);
        ASSERT_FALSE(step.Observe(state).touching_contacts);
        continue;
      }
      const std::set<Pair> expected = AllPairs(world, state.particles);
      std::set<Pair> actual;
      std::size_t record_count = 0;
      step.Advance(state, [&](const Particles& particles) {
        for (const ContactRecord& record : step.ContactRecords(particles)) {
          if (record.gap > step.TouchingGap()) continue;
          ++record_count;
          inactive_count += record.impulse.isZero() && record.gap > 0.0;
          actual.insert(std::minmax(record.id_a, record.id_b));
        }
      });
      const Observables observed = step.Observe(state);
      const auto count = static_cast<std::int64_t>(expected.size());
      EXPECT_EQ(observed.touching_contacts, count) << k;
      EXPECT_DOUBLE_EQ(*observed.TouchingPerParticle(),
                       2.0 / static_cast<double>(kCount) * static_cast<double>(count));
      // Each contact is on one rank and is counted once.
      EXPECT_EQ(world.Sum(static_cast<std::int64_t>(record_count)), count);
      EXPECT_EQ(record_count, actual.size());
      EXPECT_TRUE(std::ranges::includes(expected, actual));
      differing_steps += observed.touching_contacts != observed.closed_contacts;
    }
    EXPECT_GT(AllPairs(world, state.particles).size(), 200u);
    EXPECT_GT(differing_steps, 10);
    EXPECT_GT(world.Sum(std::int64_t{inactive_count}), 10);
  }
}

TEST(TouchingContacts, SearchOnReadEqualsSearchInTheStep) {
  const Communicator world = Communicator::World();
  const Scene scene = Bed(0.0);
  State eager_state = LooseSpheres(world), lazy_state = LooseSpheres(world);
  TimeStep search_in_step = test::Start(world, scene, ShortSteps(), eager_state);
  TimeStep search_on_read = test::Start(world, scene, ShortSteps(), lazy_state);
  search_in_step.KeepTouching(TouchingSearch::kInStep);
  search_on_read.KeepTouching(TouchingSearch::kOnRead);
  Particles eager_particles, lazy_particles;
  for (int k = 0; k < 200; ++k) {
    search_in_step.Advance(eager_state,
                           [&](const Particles& particles) { eager_particles = particles; });
    search_on_read.Advance(lazy_state,
                           [&](const Particles& particles) { lazy_particles = particles; });
  }
  const std::vector<ContactRecord> expected = search_in_step.ContactRecords(eager_particles);
  const std::vector<ContactRecord> records = search_on_read.ContactRecords(lazy_particles);
  ASSERT_EQ(records.size(), expected.size());
  EXPECT_GT(world.Sum(static_cast<std::int64_t>(records.size())), 200);
  for (std::size_t j = 0; j < records.size(); ++j) {
    EXPECT_EQ(records[j].id_a, expected[j].id_a);
    EXPECT_EQ(records[j].id_b, expected[j].id_b);
    EXPECT_EQ(records[j].gap, expected[j].gap);
    EXPECT_EQ(records[j].position, expected[j].position);
  }
  EXPECT_EQ(search_on_read.Observe(lazy_state).touching_contacts,
            search_in_step.Observe(eager_state).touching_contacts);
  search_on_read.KeepTouching(false);
  search_on_read.Advance(lazy_state);
  EXPECT_FALSE(search_on_read.Observe(lazy_state).touching_contacts);
}

Scene Cell() {
  Scene scene = test::EmptyScene(Vec3::Zero(), Vec3(0.0198, 0.0132, 0.023), 0.4);
  scene.domain.periodic = {true, true, true};
  for (std::size_t k = 0; k < 3; ++k) scene.cell.drives[k] = {CellControlMode::kStress, 1e3};
  scene.cell.max_rate = 100.0;
  return scene;
}

TEST(TouchingContacts, CountingChangesNoBit) {
  const Communicator world = Communicator::World();
  for (const Scene& scene : {Bed(0.5), Cell()}) {
    State counted_state = LooseSpheres(world), uncounted_state = LooseSpheres(world);
    TimeStep counting = test::Start(world, scene, ShortSteps(), counted_state);
    TimeStep not_counting = test::Start(world, scene, ShortSteps(), uncounted_state);
    counting.KeepTouching(true);
    for (int k = 0; k < 60; ++k) {
      counting.Advance(counted_state);
      not_counting.Advance(uncounted_state);
    }
    test::ExpectSameBits(test::GatherById(world, counted_state.particles),
                         test::GatherById(world, uncounted_state.particles));
    EXPECT_EQ(counted_state.cell.box.upper, uncounted_state.cell.box.upper);
  }
}

}  // namespace
}  // namespace scree::touching_contacts_test
