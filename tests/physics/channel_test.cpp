// The small channel on any number of ranks: the same bits at the start, the same inflow, and the
// same key quantities within the scatter of a chaotic flow.
#include <gtest/gtest.h>

#include "tests/support/channel_scene.hpp"

namespace scree::channel_test {
namespace {

TEST(Channel, StartsFromTheSameBitsOnAnyRanks) {
  const Communicator world = Communicator::World();
  const Communicator self = Communicator::Self();
  const Scene scene = test::SmallChannel();
  const State many = test::FilledChannel(world, scene);
  const State one = test::FilledChannel(self, scene);
  const auto together = test::AllById(world, many.particles);
  const auto alone = test::AllById(self, one.particles);
  ASSERT_EQ(together.size(), alone.size());
  for (const auto& [id, sphere] : alone) {
    ASSERT_EQ(together.count(id), 1u);
    EXPECT_EQ(together.at(id).position, sphere.position);
    EXPECT_EQ(together.at(id).velocity, sphere.velocity);
  }
}

double ClosedPerParticle(const Observables& now) {
  return 2.0 * static_cast<double>(now.closed_contacts) / static_cast<double>(now.particles);
}

struct KeyFigures {
  double particles = 0, velocity = 0, closed_per_particle = 0, penetration = 0;
};

/// The flow after 1800 steps, and averages over their second half, sampled every 50 steps.
struct DevelopedFlow {
  State state;
  KeyFigures mean;
};

DevelopedFlow RunChannel(const Communicator& communicator) {
  const Scene scene = test::SmallChannel();
  DevelopedFlow flow{test::FilledChannel(communicator, scene), {}};
  auto& [state, mean] = flow;
  TimeStep step = test::Start(communicator, scene, StepParameters(), state);
  const int steps = 1800, every = 50, samples = steps / every / 2;
  for (int k = 1; k <= steps; ++k) {
    step.Advance(state);
    if (k % every != 0) continue;
    const Observables now = step.Observe(state);
    step.StartInterval(state);
    if (k <= steps / 2) continue;
    mean.particles += static_cast<double>(now.particles) / samples;
    mean.velocity += now.mean_velocity.x() / samples;
    mean.closed_per_particle += ClosedPerParticle(now) / samples;
    mean.penetration += now.max_penetration_interval / samples;
  }
  const std::int64_t layer = 12 * 8;
  EXPECT_EQ(communicator.Sum(state.inserted), layer * (steps / 94));
  Resize(state.particles, state.particles.owned);  // without ghosts
  return flow;
}

/// Reference run on all ranks, shared by all tests. Collective.
const DevelopedFlow& FlowOnAllRanks() {
  static const DevelopedFlow flow = RunChannel(Communicator::World());
  return flow;
}

TEST(Channel, KeyFiguresDoNotDependOnTheRanks) {
  const KeyFigures& many = FlowOnAllRanks().mean;
  constexpr KeyFigures one = {2806.0556, 1.153733, 1.687969, 3.890318e-06};  // on one rank
  // About five times the scatter between eight seeds on one rank.
  EXPECT_NEAR(many.particles / one.particles, 1.0, 0.02);
  EXPECT_NEAR(many.velocity, one.velocity, 0.03);
  EXPECT_NEAR(many.closed_per_particle, one.closed_per_particle, 0.15);
  EXPECT_LT(many.penetration, 2.0 * one.penetration);
  EXPECT_LT(many.penetration, 0.1 * 0.00047);
}

/// Continues the developed flow. @returns all particles, and the key quantities of the last step
std::pair<std::map<ParticleId, test::Kinematics>, KeyFigures> GoOn(Scheme scheme, Kernel kernel) {
  const Communicator world = Communicator::World();
  const Scene scene = test::SmallChannel();
  StepParameters parameters;
  parameters.solver.scheme = scheme;
  parameters.solver.kernel = kernel;
  State state = FlowOnAllRanks().state;
  const TimeStep step = test::Run(world, scene, parameters, state, 25);
  const Observables now = step.Observe(state);
  // The flow is dense: 0.69 to 0.83 contacts per particle on 1, 2 and 4 ranks, whose flows differ.
  EXPECT_GT(now.loaded_contacts, now.particles / 2);
  const KeyFigures figures{static_cast<double>(now.particles), now.mean_velocity.x(),
                           ClosedPerParticle(now), now.max_penetration_interval};
  return {test::AllById(world, state.particles), figures};
}

double MaxDifference(const std::map<ParticleId, test::Kinematics>& a,
                     const std::map<ParticleId, test::Kinematics>& b) {
  EXPECT_EQ(a.size(), b.size());
  double max = 0.0;
  for (const auto& [id, one] : a) max = std::max(max, (b.at(id).velocity - one.velocity).norm());
  return max;
}

// Kernels differ only in rounding, which 25 chaotic steps have amplified very little.
constexpr double kAgreement = 1e-9;  // [m/s]

TEST(Channel, JacobiFlowIsTheSameWithEveryKernel) {
  const auto sphere = GoOn(Scheme::kJacobi, Kernel::kSphere);
  for (const Kernel kernel : {Kernel::kMaxDissipation, Kernel::kCoulomb}) {
    const auto other = GoOn(Scheme::kJacobi, kernel);
    EXPECT_LT(MaxDifference(other.first, sphere.first), kAgreement);
  }
}

/// The closed form relaxes contacts in the order of the batches, the other kernels in that of the
/// list.
TEST(Channel, GaussSeidelFlowIsTheSameWithEveryKernel) {
  const auto sphere = GoOn(Scheme::kGaussSeidel, Kernel::kSphere);
  const auto dissipation = GoOn(Scheme::kGaussSeidel, Kernel::kMaxDissipation);
  const auto coulomb = GoOn(Scheme::kGaussSeidel, Kernel::kCoulomb);
  EXPECT_LT(MaxDifference(coulomb.first, dissipation.first), kAgreement);
  const KeyFigures &closed = sphere.second, &other = coulomb.second;
  EXPECT_NEAR(closed.particles / other.particles, 1.0, 1e-3);
  EXPECT_NEAR(closed.velocity, other.velocity, 5e-3);
  EXPECT_NEAR(closed.closed_per_particle, other.closed_per_particle, 0.1);
  EXPECT_LT(closed.penetration, 2.0 * other.penetration);
  EXPECT_LT(other.penetration, 0.1 * 0.00047);
}

TEST(Channel, SameRanksTwiceGiveTheSameBits) {
  const Communicator world = Communicator::World();
  const Scene scene = test::SmallChannel();
  State first = FlowOnAllRanks().state, second = first;
  test::Run(world, scene, StepParameters{}, first, 100);  // inserts a layer of the inflow
  test::Run(world, scene, StepParameters{}, second, 100);
  EXPECT_EQ(first.particles.id, second.particles.id);
  EXPECT_EQ(first.particles.position, second.particles.position);
  EXPECT_EQ(first.particles.velocity, second.particles.velocity);
  EXPECT_EQ(first.particles.orientation, second.particles.orientation);
}

}  // namespace
}  // namespace scree::channel_test
