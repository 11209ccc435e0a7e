// Load balance: when subdomains change, what imbalance remains, and that nothing else changes.
#include "engine/step/load_balance.hpp"

#include <gtest/gtest.h>

#include "engine/filling/fills.hpp"
#include "engine/step/time_step.hpp"
#include "tests/support/channel_scene.hpp"

namespace scree::load_balance_test {
namespace {

StepParameters ParametersWithBalance(std::int64_t balance) {
  StepParameters parameters;
  parameters.balance = balance;
  return parameters;
}

/// A heap in one corner of a wide box, which falls and spreads.
struct Heap {
  const Communicator world = Communicator::World();
  Scene scene = test::EmptyScene(Vec3::Zero(), Vec3(0.06, 0.02, 0.03), 0.3);
  State state;

  explicit Heap(double radius = 0.00049) {
    scene.gravity = Vec3(6.0, 0, -8.0);
    test::AddPlane(scene, Vec3::Zero(), Vec3::UnitX());
    test::AddPlane(scene, Vec3::Zero(), Vec3::UnitY());
    test::AddPlane(scene, Vec3::Zero(), Vec3::UnitZ());
    test::AddPlane(scene, Vec3(0.06, 0, 0), -Vec3::UnitX());
    test::AddPlane(scene, Vec3(0, 0.02, 0), -Vec3::UnitY());
    test::AddPlane(scene, Vec3(0, 0, 0.03), -Vec3::UnitZ());
    const GrainTemplate grain{radius, 0, Vec3::Zero(), Vec3(0.1, 0.1, 0.1)};
    scene.fills.push_back({Lattice{Box{Vec3::Zero(), Vec3(0.012, 0.02, 0.012)}, 1e-3}, grain});
    const Subdomains one_box(scene.domain, {1, 1, 1});
    state.next_id = MakeFills(Communicator::Self(), one_box, scene, state.particles);
    if (!world.IsRoot()) state.particles = {};
  }
};

/// The contacts that are counted for the first cuts do not belong to a step.
TEST(LoadBalance, NothingIsObservedBeforeTheFirstStep) {
  Heap heap(0.0005);
  TimeStep step = test::Start(heap.world, heap.scene, ParametersWithBalance(kBalanceWhenWorthwhile),
                              heap.state);
  const Observables observed_before = step.Observe(heap.state);
  EXPECT_EQ(observed_before.contacts, 0);
  EXPECT_EQ(observed_before.closed_contacts, 0);
  step.Advance(heap.state);
  EXPECT_GT(step.Observe(heap.state).contacts, 5000);
}

TEST(LoadBalance, WorkStartsAndStaysBalanced) {
  Heap heap;
  StepParameters parameters = ParametersWithBalance(kBalanceWhenWorthwhile);
  parameters.dt = 5e-5;
  TimeStep step = test::Start(heap.world, heap.scene, parameters, heap.state);
  constexpr double kMaxImbalance = 1.1;  // a layer of the lattice is a twelfth of a rank's work
  step.Advance(heap.state);
  EXPECT_LT(step.Imbalance(heap.state).work, kMaxImbalance);
  double worst = 1.0, sum = 0.0;
  constexpr int kSteps = 800;
  // A single rank has nothing to balance.
  const int steps = heap.world.Size() == 1 ? kSteps / 8 : kSteps;
  for (int k = 0; k < steps; ++k) {
    step.Advance(heap.state);
    if (k % 10 != 0) continue;
    const double work_imbalance = step.Imbalance(heap.state).work;
    worst = std::max(worst, work_imbalance);
    sum += work_imbalance;
  }
  if (heap.world.Size() == 1) {
    EXPECT_EQ(worst, 1.0);
    EXPECT_EQ(step.Rebalances(), 0);
    return;
  }
  EXPECT_LT(sum / (kSteps / 10), 1.05);
  EXPECT_LT(worst, 1.25);
  EXPECT_GE(step.Rebalances(), 1);
  EXPECT_LT(step.Rebalances(), kSteps / 20);  // not at every check
  EXPECT_EQ(heap.world.Sum(static_cast<std::int64_t>(heap.state.particles.owned)), 12 * 20 * 12);
}

TEST(LoadBalance, FixedGridIsNotChanged) {
  Heap heap;
  StepParameters parameters;
  parameters.dt = 5e-5;
  TimeStep step = test::Start(heap.world, heap.scene, parameters, heap.state);
  for (int k = 0; k < 50; ++k) step.Advance(heap.state);
  EXPECT_TRUE(step.Partition().Description().IsGrid());
  EXPECT_EQ(step.Rebalances(), 0);
  if (heap.world.Size() == 1) return;
  EXPECT_GT(step.Imbalance(heap.state).work, 1.5);
}

// After the change, the counted work of the boxes is as balanced as the cuts predict.
TEST(LoadBalance, PredictedBalanceIsReached) {
  Heap heap;
  StepParameters parameters = ParametersWithBalance(1000);
  parameters.dt = 5e-5;
  TimeStep step = test::Start(heap.world, heap.scene, parameters, heap.state);
  while (heap.state.step < 999) step.Advance(heap.state);
  step.Advance(heap.state);
  EXPECT_EQ(step.Rebalances(), heap.world.Size() > 1 ? 1 : 0);
  step.Advance(heap.state);
  EXPECT_LT(step.Imbalance(heap.state).work, 1.04);
}

TEST(LoadBalance, RebalancesFollowTheGivenInterval) {
  const Communicator world = Communicator::World();
  const Scene scene = test::SmallChannel();
  State state = test::FilledChannel(world, scene);
  TimeStep step = test::Start(world, scene, ParametersWithBalance(20), state);
  for (int k = 0; k < 105; ++k) step.Advance(state);
  EXPECT_EQ(step.Rebalances(), world.Size() > 1 ? 5 : 0);
}

// In some steps the cuts change when a layer of the inflow is due.
TEST(LoadBalance, LayersOfTheInflowGoToTheNewOwners) {
  const Communicator world = Communicator::World();
  const Scene scene = test::SmallChannel();
  const std::int64_t layer = StepsPerLayer(scene, scene.pistons.front(), StepParameters().dt);
  State state = test::FilledChannel(world, scene);
  TimeStep step = test::Start(world, scene, ParametersWithBalance(layer), state);
  while (state.step < 3 * layer + 2) step.Advance(state);
  EXPECT_EQ(world.Sum(state.inserted), 3 * 12 * 8);
  EXPECT_EQ(step.Rebalances(), world.Size() > 1 ? 3 : 0);
  for (std::size_t i = 0; i < state.particles.owned; ++i) {
    if (state.particles.id[i] == kRemovedId) continue;
    const Vec3 old_position = state.particles.position[i] - 3e-5 * state.particles.velocity[i];
    EXPECT_LT(step.Partition().BoxOf(world.Rank()).Distance(old_position), 2e-4);
  }
}

TEST(LoadBalance, ChecksBecomeRarerIfNoBetterCutsAreFound) {
  constexpr std::int64_t kAuto = kBalanceWhenWorthwhile;
  LoadBalanceState state;
  EXPECT_FALSE(RecordImbalance(kAuto, 5, 1.12, false, state));
  EXPECT_TRUE(RecordImbalance(kAuto, 10, 1.12, false, state));
  EXPECT_EQ(state.checked_at, 10);
  EXPECT_FALSE(DecideRebalance(kAuto, 1.12, {{}, 1.115}, state));
  EXPECT_EQ(state.delay, 0.0);
  EXPECT_FALSE(RecordImbalance(kAuto, 29, 1.12, false, state));
  EXPECT_TRUE(RecordImbalance(kAuto, 31, 1.12, false, state));
  EXPECT_TRUE(DecideRebalance(kAuto, 1.12, {{}, 1.02}, state));
  EXPECT_EQ(state.rebalances, 1);
  EXPECT_FALSE(RecordImbalance(kAuto, 36, 1.12, false, state));
  EXPECT_TRUE(RecordImbalance(kAuto, 41, 1.12, false, state));
}

TEST(LoadBalance, RebalanceIsDueEarlierIfListsAreRebuilt) {
  constexpr std::int64_t kAuto = kBalanceWhenWorthwhile;
  LoadBalanceState state;
  LoadBalanceState state_with_lists;
  EXPECT_FALSE(RecordImbalance(kAuto, 3, 1.12, false, state));
  EXPECT_TRUE(RecordImbalance(kAuto, 3, 1.12, true, state_with_lists));
}

TEST(LoadBalance, EmptySceneIsBalanced) {
  const Communicator world = Communicator::World();
  const Scene scene = test::EmptyScene(Vec3::Zero(), Vec3::Ones(), 0.3);
  State state;
  TimeStep step = test::Start(world, scene, ParametersWithBalance(2), state);
  for (int k = 0; k < 10; ++k) step.Advance(state);
  EXPECT_EQ(step.Imbalance(state).work, 1.0);
}

}  // namespace
}  // namespace scree::load_balance_test
