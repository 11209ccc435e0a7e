// The small channel on any number of ranks: the same bits at the start, the same inflow, and the
// same key quantities within the scatter of a chaotic flow.
#include <gtest/gtest.h>

#include "tests/support/channel_scene.hpp"

namespace scree::channel_test {
namespace {

TEST(Channel, InitialStateHasTheSameBitsOnAnyRanks) {
  const Communicator world = Communicator::World();
  const Communicator self = Communicator::Self();
  const Scene scene = test::SmallChannel();
  const State parallel_state = test::FilledChannel(world, scene);
  const State serial_state = test::FilledChannel(self, scene);
  const auto parallel = test::GatherById(world, parallel_state.particles);
  const auto serial = test::GatherById(self, serial_state.particles);
  ASSERT_EQ(parallel.size(), serial.size());
  for (const auto& [id, sphere] : serial) {
    ASSERT_EQ(parallel.count(id), 1u);
    EXPECT_EQ(parallel.at(id).position, sphere.position);
    EXPECT_EQ(parallel.at(id).velocity, sphere.velocity);
  }
}

double ClosedPerParticle(const Observables& observed) {
  return 2.0 * static_cast<double>(observed.closed_contacts) /
         static_cast<double>(observed.particles);
}

struct KeyQuantities {
  double particles = 0, velocity = 0, closed_per_particle = 0, penetration = 0;
};

/// The flow after 1800 steps, and averages over their second half, sampled every 50 steps.
struct DevelopedFlow {
  State state;
  KeyQuantities mean;
};

DevelopedFlow RunChannel(const Communicator& communicator) {
  const Scene scene = test::SmallChannel();
  DevelopedFlow flow{test::FilledChannel(communicator, scene), {}};
  auto& [state, mean] = flow;
  TimeStep step = test::Start(communicator, scene, StepParameters(), state);
  const int steps = 1800, interval = 50, samples = steps / interval / 2;
  for (int k = 1; k <= steps; ++k) {
    step.Advance(state);
    if (k % interval != 0) continue;
    const Observables observed = step.Observe(state);
    step.StartInterval(state);
    if (k <= steps / 2) continue;
    mean.particles += static_cast<double>(observed.particles) / samples;
    mean.velocity += observed.mean_velocity.x() / samples;
    mean.closed_per_particle += ClosedPerParticle(observed) / samples;
    mean.penetration += observed.max_penetration_interval / samples;
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

TEST(Channel, KeyQuantitiesDoNotDependOnTheRanks) {
  const KeyQuantities& parallel = FlowOnAllRanks().mean;
  constexpr KeyQuantities serial = {2806.0556, 1.153733, 1.687969, 3.890318e-06};  // on one rank
  // About five times the scatter between eight seeds on one rank.
  EXPECT_NEAR(parallel.particles / serial.particles, 1.0, 0.02);
  EXPECT_NEAR(parallel.velocity, serial.velocity, 0.03);
  EXPECT_NEAR(parallel.closed_per_particle, serial.closed_per_particle, 0.15);
  EXPECT_LT(parallel.penetration, 2.0 * serial.penetration);
  EXPECT_LT(parallel.penetration, 0.1 * 0.00047);
}

/// Continues the developed flow.
/// @returns all particles, and the key quantities of the last step
std::pair<std::map<ParticleId, test::Kinematics>, KeyQuantities> Continue(Scheme scheme,
                                                                          Kernel kernel) {
  const Communicator world = Communicator::World();
  const Scene scene = test::SmallChannel();
  StepParameters parameters;
  parameters.solver.scheme = scheme;
  parameters.solver.kernel = kernel;
  State state = FlowOnAllRanks().state;
  const TimeStep step = test::Run(world, scene, parameters, state, 25);
  const Observables observed = step.Observe(state);
  // The flow is dense: 0.69 to 0.83 loaded contacts per particle on 1, 2 and 4 ranks, whose flows
  // differ.
  EXPECT_GT(observed.loaded_contacts, observed.particles / 2);
  const KeyQuantities quantities{static_cast<double>(observed.particles),
                                 observed.mean_velocity.x(), ClosedPerParticle(observed),
                                 observed.max_penetration_interval};
  return {test::GatherById(world, state.particles), quantities};
}

double MaxDifference(const std::map<ParticleId, test::Kinematics>& a,
                     const std::map<ParticleId, test::Kinematics>& b) {
  EXPECT_EQ(a.size(), b.size());
  double max = 0.0;
  for (const auto& [id, kinematics] : a)
    max = std::max(max, (b.at(id).velocity - kinematics.velocity).norm());
  return max;
}

// Kernels differ only in rounding, which 25 chaotic steps have amplified very little.
constexpr double kAgreement = 1e-9;  // [m/s]

TEST(Channel, JacobiFlowIsTheSameWithEveryKernel) {
  const auto sphere = Continue(Scheme::kJacobi, Kernel::kSphere);
  for (const Kernel kernel : {Kernel::kMaxDissipation, Kernel::kCoulomb}) {
    const auto general = Continue(Scheme::kJacobi, kernel);
    EXPECT_LT(MaxDifference(general.first, sphere.first), kAgreement);
  }
}

/// The closed form relaxes contacts in the order of the batches, the other kernels in the order of
/// the contact list, so only their key quantities agree.
TEST(Channel, GaussSeidelFlowIsTheSameWithEveryKernel) {
  const auto sphere = Continue(Scheme::kGaussSeidel, Kernel::kSphere);
  const auto dissipation = Continue(Scheme::kGaussSeidel, Kernel::kMaxDissipation);
  const auto coulomb = Continue(Scheme::kGaussSeidel, Kernel::kCoulomb);
  EXPECT_LT(MaxDifference(coulomb.first, dissipation.first), kAgreement);
  const KeyQuantities &sphere_quantities = sphere.second, &coulomb_quantities = coulomb.second;
  EXPECT_NEAR(sphere_quantities.particles / coulomb_quantities.particles, 1.0, 1e-3);
  EXPECT_NEAR(sphere_quantities.velocity, coulomb_quantities.velocity, 5e-3);
  EXPECT_NEAR(sphere_quantities.closed_per_particle, coulomb_quantities.closed_per_particle, 0.1);
  EXPECT_LT(sphere_quantities.penetration, 2.0 * coulomb_quantities.penetration);
  EXPECT_LT(coulomb_quantities.penetration, 0.1 * 0.00047);
}

TEST(Channel, RepeatedRunHasTheSameBits) {
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
