// With Jacobi's scheme the bits of a flow do not depend on the number of ranks.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "engine/particles/random.hpp"
#include "tests/support/channel_scene.hpp"
#include "tests/support/same_bits.hpp"

namespace scree::jacobi_test {
namespace {

StepParameters JacobiParameters(Kernel kernel = Kernel::kSphere) {
  StepParameters parameters;
  parameters.solver.scheme = Scheme::kJacobi;
  parameters.solver.kernel = kernel;
  return parameters;
}

/// A floor and a lid under inclined gravity, periodic along x and y.
Scene PeriodicBed() {
  Scene scene = test::EmptyScene(Vec3::Zero(), Vec3(0.03, 0.024, 0.02), 0.4);
  scene.domain.periodic = {true, true, false};
  scene.gravity = Vec3(3.0, -2.0, -9.81);
  test::AddPlane(scene, Vec3::Zero(), Vec3::UnitZ());
  test::AddPlane(scene, Vec3(0, 0, 0.02), -Vec3::UnitZ());
  return scene;
}

/// @param ratio  of the largest to the smallest radius; radii are distributed in between
State BedOf(const Communicator& communicator, double ratio) {
  State state;
  if (!communicator.IsRoot()) return state;
  for (ParticleId id = 0; id < 15 * 12 * 8; ++id) {
    const auto random = [&](std::uint64_t draw) { return UniformAroundZero(3, id, draw); };
    const Vec3 site(static_cast<double>(id % 15), static_cast<double>(id / 15 % 12),
                    static_cast<double>(id / 180));
    const Vec3 position = 0.002 * (site + Vec3::Constant(0.5));
    test::AddSphere(
        state.particles, id, position, 1.05e-3 * std::pow(ratio, 0.5 * (random(0) - 1.0)),
        Vec3(1.0 + random(1), random(2), random(3)), 100.0 * Vec3(random(4), random(5), random(6)));
  }
  return state;
}
State BedState(const Communicator& communicator) { return BedOf(communicator, 1.2); }

/// Final state of a run on one rank, whose domain is not divided.
struct Reference {
  Observables end;
  double residual_max = 0.0;
  std::int64_t rebuilds = 0;
  std::map<ParticleId, test::Kinematics> spheres;
};

template <class MakeState>
Reference RunAlone(const Scene& scene, const StepParameters& parameters, int steps,
                   MakeState&& make_state) {
  const Communicator self = Communicator::Self();
  State serial_state = make_state(self);
  TimeStep serial = test::Run(self, scene, parameters, serial_state, steps);
  return {serial.Observe(serial_state), serial.Report().residual_max, serial.Rebuilds(),
          test::GatherById(self, serial_state.particles)};
}

/// @param reference   function that returns the result on one rank; called on root only
/// @param min_loaded  minimum number of contacts with an impulse in the last step
template <class MakeState, class MakeReference>
void ExpectTheBitsOf(MakeReference&& reference, const Scene& scene,
                     const StepParameters& parameters, int steps, MakeState&& make_state,
                     int min_loaded = 100) {
  const Communicator world = Communicator::World();
  State parallel_state = make_state(world);
  TimeStep parallel = test::Run(world, scene, parameters, parallel_state, steps);
  const Observables end = parallel.Observe(parallel_state);
  const auto spheres = test::GatherById(world, parallel_state.particles);
  const SolveReport report = parallel.Report();
  EXPECT_GT(end.loaded_contacts, min_loaded);
  if (!world.IsRoot()) return;

  const Reference& serial = reference();
  EXPECT_EQ(end.contacts, serial.end.contacts);  // each is counted once
  EXPECT_EQ(end.loaded_contacts, serial.end.loaded_contacts);
  EXPECT_EQ(end.max_penetration_interval, serial.end.max_penetration_interval);
  EXPECT_EQ(report.residual_max, serial.residual_max);
  // New subdomains require new lists, which do not change bits in these scenes.
  const bool has_same_lists = parameters.balance == kNeverBalance;
  EXPECT_EQ(has_same_lists ? parallel.Rebuilds() : 0, has_same_lists ? serial.rebuilds : 0);
  EXPECT_GT(parallel.Rebuilds(), 1);

  test::ExpectSameBits(spheres, serial.spheres);
}

template <class MakeState>
void ExpectTheBitsOfOneRank(const Scene& scene, const StepParameters& parameters, int steps,
                            MakeState&& make_state, int min_loaded = 100) {
  ExpectTheBitsOf([&] { return RunAlone(scene, parameters, steps, make_state); }, scene, parameters,
                  steps, make_state, min_loaded);
}

constexpr int kSteps = 200;

State ChannelState(const Communicator& communicator) {
  return test::FilledChannel(communicator, test::SmallChannel());
}
/// Runs on a single rank, shared by all tests.
const Reference& ChannelAlone() {
  static const Reference run =
      RunAlone(test::SmallChannel(), JacobiParameters(), kSteps, ChannelState);
  return run;
}
const Reference& BedAlone() {
  static const Reference run = RunAlone(PeriodicBed(), JacobiParameters(), kSteps, BedState);
  return run;
}

TEST(Jacobi, ChannelHasTheSameBitsOnAnyNumberOfRanks) {
  ExpectTheBitsOf(ChannelAlone, test::SmallChannel(), JacobiParameters(), kSteps, ChannelState);
}

TEST(Jacobi, PeriodicBedHasTheSameBitsOnAnyNumberOfRanks) {
  ExpectTheBitsOf(BedAlone, PeriodicBed(), JacobiParameters(), kSteps, BedState);
}

TEST(Jacobi, FlowHasTheSameBitsIfSubdomainsAreRebalanced) {
  StepParameters parameters = JacobiParameters();
  for (const std::int64_t balance : {std::int64_t{7}, kBalanceWhenWorthwhile}) {
    parameters.balance = balance;
    ExpectTheBitsOf(ChannelAlone, test::SmallChannel(), parameters, kSteps, ChannelState);
    ExpectTheBitsOf(BedAlone, PeriodicBed(), parameters, kSteps, BedState);
  }
}

TEST(Jacobi, SizesOfOneToTenHaveTheSameBitsOnAnyNumberOfRanks) {
  const auto mixture = [](const Communicator& communicator) { return BedOf(communicator, 10.0); };
  Scene scene = PeriodicBed();
  scene.gravity = Vec3(200.0, -100.0, -900.0);  // packs them quickly
  ExpectTheBitsOfOneRank(scene, JacobiParameters(), 400, mixture);
}

TEST(Jacobi, FrictionThatDependsOnSlipHasTheSameBitsOnAnyNumberOfRanks) {
  Scene scene = PeriodicBed();
  scene.materials.SetSlip(0, 0, {.kinetic = 0.1, .speed = 0.2});
  ExpectTheBitsOfOneRank(scene, JacobiParameters(), kSteps, BedState);
}

TEST(Jacobi, ReboundsHaveTheSameBitsOnAnyNumberOfRanks) {
  Scene scene = PeriodicBed();
  for (const PairRestitution& restitution :
       {PairRestitution{.constant = 0.9},
        PairRestitution{.law = "kuwabara-kono", .stiffness = 1e7, .dissipation = 1e-5}}) {
    scene.materials.SetRestitution(0, 0, restitution);
    // Spheres that rebound do not stay in contact, so fewer contacts carry load.
    ExpectTheBitsOfOneRank(scene, JacobiParameters(), 100, BedState, 20);
  }
}

TEST(Jacobi, RollingResistanceHasTheSameBitsOnAnyNumberOfRanks) {
  Scene scene = PeriodicBed();
  scene.materials.SetLaw<RollingLaw>(0, 0, {0.1, 0.05});
  ExpectTheBitsOfOneRank(scene, JacobiParameters(), 200, BedState);
  ExpectTheBitsOfOneRank(scene, JacobiParameters(Kernel::kCoulomb), 80, BedState);
}

TEST(Jacobi, GeneralKernelsHaveTheSameBitsOnAnyNumberOfRanks) {
  for (const Kernel kernel : {Kernel::kMaxDissipation, Kernel::kCoulomb}) {
    ExpectTheBitsOfOneRank(PeriodicBed(), JacobiParameters(kernel), 40, BedState);
  }
}

}  // namespace
}  // namespace scree::jacobi_test
