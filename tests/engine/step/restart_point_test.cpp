// A run that continues from a restart point has the same bits as a run that never stopped.
#include "engine/step/restart_point.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "engine/step/time_step.hpp"
#include "tests/support/channel_scene.hpp"
#include "tests/support/same_bits.hpp"

namespace scree::restart_point_test {
namespace {

/// The bytes of all fields of this rank's particles, and of the last impulses.
std::string Bytes(const State& state, const TimeStep& step) {
  ByteWriter writer;
  ForEachField(state.particles, [&](const Field&, const auto& field) {
    for (std::size_t i = 0; i < state.particles.owned; ++i) writer.Put(field[i]);
  });
  for (std::size_t j = 0; j < step.Contacts().size(); ++j) {
    writer.Put(step.Problem().Impulse(j));
    writer.Put(step.Problem().ImpulsesOfLaws(j).of[kLawIndex<RollingLaw>]);
  }
  const std::vector<std::byte> bytes = writer.Take();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// A channel whose particles rebound by a law, with optional rolling friction.
Scene ReboundingChannel(const PairRolling& rolling) {
  Scene scene = test::SmallChannel();
  scene.materials.SetLaw<RollingLaw>(0, 0, rolling);
  scene.materials.SetRestitution(0, 0,
                                 {.law = "kuwabara-kono", .stiffness = 1e7, .dissipation = 1e-5});
  return scene;
}

Scene SlidingChannel() { return ReboundingChannel({}); }
Scene RollingChannel() { return ReboundingChannel({0.1, 0.05}); }

/// A channel that is periodic in y instead of having side walls, so that a rank can be its own
/// neighbour.
Scene PeriodicChannel() {
  Scene scene = SlidingChannel();
  scene.walls.erase(scene.walls.begin() + 2, scene.walls.begin() + 4);
  scene.pistons[0].piston -= 2;
  scene.domain.periodic[1] = true;
  return scene;
}

struct ChannelKind {
  const char* name;
  Scene (*make)();
  std::int64_t balance = kNeverBalance;
};

struct RestartPointOfAChannel : testing::TestWithParam<ChannelKind> {
  const Communicator world = Communicator::World();
  const Scene scene = GetParam().make();
  const Subdomains subdomains{scene.domain, SmallestHaloGrid(scene.domain, world.Size())};
  const StepParameters parameters = [] {
    StepParameters parameters_of_kind;
    parameters_of_kind.balance = GetParam().balance;
    return parameters_of_kind;
  }();
  State state = test::FilledChannel(world, scene);
};

INSTANTIATE_TEST_SUITE_P(
    Channel, RestartPointOfAChannel,
    testing::Values(ChannelKind{"Sliding", SlidingChannel}, ChannelKind{"Rolling", RollingChannel},
                    ChannelKind{"Periodic", PeriodicChannel},
                    ChannelKind{"Rebalanced", RollingChannel, 10},
                    ChannelKind{"PeriodicAndRebalanced", PeriodicChannel, 11},
                    ChannelKind{"AutomaticallyBalanced", SlidingChannel, kBalanceWhenWorthwhile}),
    [](const auto& channel) { return std::string(channel.param.name); });

/// Results that must not depend on an earlier stop.
struct Trace {
  std::string bytes;
  std::int64_t rebuilds, rebalances;
  Cuts partition;
  std::int64_t deleted;
  double max_penetration_interval;

  Trace(const State& state, const TimeStep& step)
      : bytes(Bytes(state, step)),
        rebuilds(step.Rebuilds()),
        rebalances(step.Rebalances()),
        partition(step.Partition().Description()),
        deleted(step.Observe(state).deleted),
        max_penetration_interval(step.Observe(state).max_penetration_interval) {}
};

/// The data for a restart at one step of the uninterrupted run.
struct Stop {
  State restart_state;
  RestartPoint point;
  Subdomains partition;
};

// Some restarts are just before a new list, some between two lists, some near the inflow layer of
// step 94, and some have removed particles. Each is compared with the uninterrupted run 35 steps
// later. To save time, only one of the channels with constant cuts runs on several ranks.
TEST_P(RestartPointOfAChannel, RestartFromAnyStepHasTheSameBits) {
  const bool is_balanced = parameters.balance != kNeverBalance;
  if (world.Size() == 1 && is_balanced) GTEST_SKIP() << "one rank has no cuts";
  if (world.Size() > 1 && !is_balanced && GetParam().make != RollingChannel) {
    GTEST_SKIP() << "the rebalanced channels test this kind on several ranks";
  }
  constexpr int kLastStop = 130, kStepsAfter = 35;
  const auto stops_at = [](int k) {
    return k > 0 && k <= kLastStop && (k % 18 == 0 || (k >= 92 && k <= 96));
  };
  TimeStep step(world, scene, parameters, subdomains, state);
  std::map<int, Stop> stops;
  std::map<int, Trace> uninterrupted;
  bool has_due_lists = false, has_valid_lists = false, has_removed = false;
  for (int k = 1; k <= kLastStop + kStepsAfter; ++k) {
    step.Advance(state);
    if (stops_at(k)) {
      const Stop& stop =
          stops.emplace(k, Stop{test::CheckpointState(state), step.Point(state), step.Partition()})
              .first->second;
      (stop.point.rebuild_due ? has_due_lists : has_valid_lists) = true;
      has_removed |= std::count(stop.restart_state.particles.id.begin(),
                                stop.restart_state.particles.id.end(), kRemovedId) > 0;
    }
    if (stops_at(k - kStepsAfter)) uninterrupted.emplace(k - kStepsAfter, Trace(state, step));
    if (k != kLastStop) continue;
    EXPECT_GE(step.Rebalances(), parameters.balance > 0 && world.Size() > 1 ? 10 : 0);
  }
  EXPECT_TRUE(has_due_lists && has_valid_lists);
  EXPECT_NE(world.Max(std::int64_t{has_removed}), 0);
  ASSERT_EQ(stops.size(), uninterrupted.size());
  for (auto& [k, stop] : stops) {
    TimeStep continued(world, scene, parameters, stop.partition, stop.restart_state, stop.point);
    for (int step_after = 0; step_after < kStepsAfter; ++step_after)
      continued.Advance(stop.restart_state);
    const Trace restarted(stop.restart_state, continued);
    const Trace& expected = uninterrupted.at(k);
    const bool is_same = restarted.bytes == expected.bytes;
    ASSERT_EQ(world.Max(std::int64_t{!is_same}), 0) << "from step " << k;
    EXPECT_EQ(restarted.rebuilds, expected.rebuilds);
    EXPECT_EQ(restarted.rebalances, expected.rebalances);
    EXPECT_EQ(restarted.partition, expected.partition);
    EXPECT_EQ(restarted.deleted, expected.deleted);
    EXPECT_EQ(restarted.max_penetration_interval, expected.max_penetration_interval);
  }
}

TEST_P(RestartPointOfAChannel, RestartOnOtherRanksLosesNoParticles) {
  TimeStep step(world, scene, parameters, subdomains, state);
  for (int k = 0; k < 130; ++k) step.Advance(state);
  const auto particles_before = test::GatherById(world, state.particles);
  const Observables observed = step.Observe(state);

  State redistributed;  // all particles on the last rank, in the order of their ids
  redistributed.step = state.step;
  redistributed.next_id = state.next_id;
  if (world.IsRoot()) redistributed.inserted = observed.inserted;
  if (world.IsRoot()) redistributed.deleted = observed.deleted;
  for (const auto& [id, sphere] : particles_before) {
    if (world.Rank() != world.Size() - 1) break;
    test::AddSphere(redistributed.particles, id, sphere.position, sphere.radius, sphere.velocity,
                    sphere.angular_velocity);
  }
  TimeStep continued(world, scene, parameters, subdomains, redistributed,
                     Redistributed(step.Point(state)));
  EXPECT_EQ(continued.Observe(redistributed).particles, observed.particles);
  constexpr double kRounding = 1e-12;  // relative error of a sum of a thousand terms
  EXPECT_NEAR(continued.Observe(redistributed).kinetic_energy, observed.kinetic_energy,
              kRounding * observed.kinetic_energy);
  for (int k = 0; k < 100; ++k) continued.Advance(redistributed);
  const Observables end = continued.Observe(redistributed);
  EXPECT_EQ(end.particles - end.inserted + end.deleted,
            observed.particles - observed.inserted + observed.deleted);
  EXPECT_GT(end.deleted, observed.deleted);
}

/// Reverses the order of the particles and drops the removed particles, as reading a checkpoint on
/// other ranks may do.
RestartPoint ReverseLiveParticles(RestartPoint point, Particles& particles) {
  std::vector<Index> live_rows;
  std::vector<Vec3> reference;
  for (std::size_t i = particles.owned; i-- > 0;) {
    if (particles.id[i] == kRemovedId) continue;
    live_rows.push_back(static_cast<Index>(i));
    if (!point.rebuild_due) reference.push_back(point.reference[i]);
  }
  Select(particles, live_rows);
  point.reference = reference;
  point.redistributed = true;
  return point;
}

struct JacobiOnOtherSubdomains : testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(RestartPoint, JacobiOnOtherSubdomains, testing::Bool(),
                         [](const auto& automatic) {
                           return std::string(automatic.param ? "AutomaticSteps" : "GivenSteps");
                         });

/// A rebuild of lists wraps particles, which rounds positions. Both runs must therefore rebuild in
/// the same steps, and a restart must restore the lists of the uninterrupted run.
TEST_P(JacobiOnOtherSubdomains, RestartHasTheSameBits) {
  const Communicator world = Communicator::World();
  const Scene scene = PeriodicChannel();
  StepParameters parameters;
  parameters.solver.scheme = Scheme::kJacobi;
  if (GetParam()) parameters.accuracy = 0.01, parameters.dt = kBaseStep;
  const Subdomains slices_along_x(scene.domain, {world.Size(), 1, 1});
  const Subdomains slices_along_y(scene.domain, {1, world.Size(), 1});
  State state = test::FilledChannel(world, scene);
  TimeStep step(world, scene, parameters, slices_along_x, state);
  std::vector<Stop> stops;
  bool has_valid_lists = false;
  for (int k = 1; k <= 100; ++k) {
    step.Advance(state);
    if (k % 36 != 0) continue;
    stops.push_back({test::CheckpointState(state), step.Point(state), slices_along_y});
    has_valid_lists |= !stops.back().point.rebuild_due;
  }
  EXPECT_TRUE(has_valid_lists);
  const auto expected = test::GatherById(world, state.particles);
  for (Stop& stop : stops) {
    const RestartPoint point = ReverseLiveParticles(stop.point, stop.restart_state.particles);
    TimeStep continued(world, scene, parameters, stop.partition, stop.restart_state, point);
    EXPECT_TRUE(continued.ListsCover(stop.restart_state));
    while (stop.restart_state.step < state.step) continued.Advance(stop.restart_state);
    EXPECT_EQ(continued.Rebuilds(), step.Rebuilds());
    test::ExpectSameBits(test::GatherById(world, stop.restart_state.particles), expected);
  }
}

TEST(RestartPoint, NewWallsComeBeforeMeshSurfacesAndHaveNoLoads) {
  RestartPoint point;
  point.rebuild_due = false;
  for (const GlobalPartner partner : {GlobalPartner::Surface(1), GlobalPartner::Surface(2)}) {
    point.impulses.emplace_back();
    point.impulses.back().b = partner;
  }
  point.wall_loads = StartWallLoadSums(2);
  std::ranges::fill(point.wall_loads.mean, 1.0);
  point.wall_loads.pending.assign(24, 2.0);  // of two steps
  const RestartPoint extended = WithNewWalls(point, 2, 3);
  EXPECT_TRUE(extended.rebuild_due);
  EXPECT_EQ(extended.impulses[0].b, GlobalPartner::Surface(1));
  EXPECT_EQ(extended.impulses[1].b, GlobalPartner::Surface(3));
  ASSERT_EQ(extended.wall_loads.mean.size(), 18u);
  EXPECT_EQ(extended.wall_loads.mean[11], 1.0);
  EXPECT_EQ(extended.wall_loads.mean[12], 0.0);
  ASSERT_EQ(extended.wall_loads.pending.size(), 36u);
  EXPECT_EQ(extended.wall_loads.pending[17], 0.0);
  EXPECT_EQ(extended.wall_loads.pending[18], 2.0);
  EXPECT_FALSE(WithNewWalls(point, 2, 2).rebuild_due);
}

}  // namespace
}  // namespace scree::restart_point_test
