// With Jacobi's scheme a flow has the same bits on any number of ranks.
#include <gtest/gtest.h>

#include <cmath>

#include "engine/particles/random.hpp"
#include "tests/support/channel_scene.hpp"

namespace scree::jacobi_test {
namespace {

StepParameters Jacobi(Kernel kernel = Kernel::kSphere) {
  StepParameters parameters;
  parameters.solver.scheme = Scheme::kJacobi;
  parameters.solver.kernel = kernel;
  return parameters;
}

/// Spheres of several sizes that fly about and fall, periodic along x and y.
Scene PeriodicBed() {
  Scene scene = test::EmptyScene(Vec3::Zero(), Vec3(0.03, 0.024, 0.02), 0.4);
  scene.domain.periodic = {true, true, false};
  scene.gravity = Vec3(3.0, -2.0, -9.81);
  test::AddPlane(scene, Vec3::Zero(), Vec3::UnitZ());
  test::AddPlane(scene, Vec3(0, 0, 0.02), -Vec3::UnitZ());
  return scene;
}

/// @param ratio  of the largest radius to the smallest; radii lie anywhere between
State BedOf(const Communicator& communicator, double ratio) {
  State state;
  if (!communicator.IsRoot()) return state;
  for (ParticleId id = 0; id < 15 * 12 * 8; ++id) {
    const auto random = [&](std::uint64_t draw) { return UniformAroundZero(3, id, draw); };
    const Vec3 site(static_cast<double>(id % 15), static_cast<double>(id / 15 % 12),
                    static_cast<double>(id / 180));
    const Vec3 place = 0.002 * (site + Vec3::Constant(0.5));
    test::AddSphere(state.particles, id, place, 1.05e-3 * std::pow(ratio, 0.5 * (random(0) - 1.0)),
                    Vec3(1.0 + random(1), random(2), random(3)),
                    100.0 * Vec3(random(4), random(5), random(6)));
  }
  return state;
}
State BedState(const Communicator& communicator) { return BedOf(communicator, 1.2); }

/// @param busy  more contacts than this carry an impulse in the last step
template <class MakeState>
void ExpectTheBitsOfOneRank(const Scene& scene, const StepParameters& parameters, int steps,
                            MakeState&& make_state, int busy = 100) {
  const Communicator world = Communicator::World();
  const Communicator self = Communicator::Self();
  State many = make_state(world);
  TimeStep together = test::Run(world, scene, parameters, many, steps);
  const Observables end = together.Observe(many);
  const auto spheres = test::AllById(world, many.particles);
  const SolveReport report = together.Report();
  EXPECT_GT(end.loaded_contacts, busy);
  if (!world.IsRoot()) return;  // one rank does the reference for all

  State one = make_state(self);
  TimeStep alone = test::Run(self, scene, parameters, one, steps);
  const Observables expected = alone.Observe(one);
  EXPECT_EQ(end.contacts, expected.contacts);  // each is counted once
  EXPECT_EQ(end.loaded_contacts, expected.loaded_contacts);
  EXPECT_EQ(end.max_penetration_interval, expected.max_penetration_interval);
  EXPECT_EQ(report.residual_max, alone.Report().residual_max);
  // New cuts ask for new lists, where these change no bits.
  const bool same_lists = parameters.balance == kNeverBalance;
  EXPECT_EQ(same_lists ? together.Rebuilds() : 0, same_lists ? alone.Rebuilds() : 0);
  EXPECT_GT(together.Rebuilds(), 1);

  const auto reference = test::AllById(self, one.particles);
  ASSERT_EQ(spheres.size(), reference.size());
  std::size_t different = 0;
  for (const auto& [id, sphere] : reference) {
    ASSERT_EQ(spheres.count(id), 1u);
    different += std::memcmp(&spheres.at(id), &sphere, sizeof sphere) != 0;
  }
  EXPECT_EQ(different, 0u) << "of " << reference.size();
}

TEST(Jacobi, ChannelHasTheSameBitsOnAnyNumberOfRanks) {
  const Scene scene = test::SmallChannel();
  ExpectTheBitsOfOneRank(scene, Jacobi(), 200, [&](const Communicator& communicator) {
    return test::FilledChannel(communicator, scene);
  });
}

TEST(Jacobi, PeriodicBedHasTheSameBitsOnAnyNumberOfRanks) {
  ExpectTheBitsOfOneRank(PeriodicBed(), Jacobi(), 200, BedState);
}

TEST(Jacobi, AnyCutsGiveTheSameBits) {
  StepParameters parameters = Jacobi();
  for (const std::int64_t balance : {std::int64_t{7}, kBalanceWhenItPays}) {
    parameters.balance = balance;
    const Scene channel = test::SmallChannel();
    ExpectTheBitsOfOneRank(channel, parameters, 200, [&](const Communicator& communicator) {
      return test::FilledChannel(communicator, channel);
    });
    ExpectTheBitsOfOneRank(PeriodicBed(), parameters, 200, BedState);
  }
}

TEST(Jacobi, SizesOfOneToTenHaveTheSameBitsOnAnyNumberOfRanks) {
  const auto mixture = [](const Communicator& communicator) { return BedOf(communicator, 10.0); };
  Scene scene = PeriodicBed();
  scene.gravity = Vec3(200.0, -100.0, -900.0);  // packs them in little time
  ExpectTheBitsOfOneRank(scene, Jacobi(), 400, mixture);
}

TEST(Jacobi, ReboundsHaveTheSameBitsOnAnyNumberOfRanks) {
  Scene scene = PeriodicBed();
  for (const PairRestitution& restitution :
       {PairRestitution{.constant = 0.9},
        PairRestitution{.law = "kuwabara-kono", .stiffness = 1e7, .dissipation = 1e-5}}) {
    scene.materials.SetRestitution(0, 0, restitution);
    // What rebounds does not stay in contact.
    ExpectTheBitsOfOneRank(scene, Jacobi(), 100, BedState, 20);
  }
}

TEST(Jacobi, RollingResistanceHasTheSameBitsOnAnyNumberOfRanks) {
  Scene scene = PeriodicBed();
  scene.materials.SetLaw<RollingLaw>(0, 0, {0.1, 0.05});
  ExpectTheBitsOfOneRank(scene, Jacobi(), 200, BedState);
  ExpectTheBitsOfOneRank(scene, Jacobi(Kernel::kCoulomb), 80, BedState);
}

TEST(Jacobi, GeneralKernelsHaveTheSameBitsOnAnyNumberOfRanks) {
  for (const Kernel kernel : {Kernel::kMaxDissipation, Kernel::kCoulomb}) {
    ExpectTheBitsOfOneRank(PeriodicBed(), Jacobi(kernel), 40, BedState);
  }
}

}  // namespace
}  // namespace scree::jacobi_test
