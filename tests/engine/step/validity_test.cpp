// An unphysical state ends the run on all ranks, and the error names the particles.
#include "engine/step/validity.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "engine/step/time_step.hpp"
#include "solvers/base/check.hpp"
#include "tests/support/scenes.hpp"

namespace scree::validity_test {
namespace {

using test::AddSphere;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kDt = 1e-5;
constexpr double kMaxDistance = 1.0;
const Domain kUnit = {{Vec3::Zero(), Vec3::Ones()}, {true, false, false}};

/// Ten valid particles on each rank.
Particles ValidParticles(const Communicator& world) {
  Particles particles;
  for (ParticleId k = 0; k < 10; ++k) {
    AddSphere(particles, 100 * world.Rank() + k, Vec3::Constant(0.05 * static_cast<double>(k)),
              0.01, Vec3(1, 2, 3));
  }
  return particles;
}

std::string ErrorMessage(const Communicator& world, const Particles& particles) {
  try {
    RequireValid(world, kUnit, kDt, kMaxDistance, "step 77", particles, particles.velocity);
  } catch (const SimulationError& error) {
    return error.what();
  }
  return {};
}

TEST(Validity, ValidStatesPass) {
  const Communicator world = Communicator::World();
  Particles particles = ValidParticles(world);
  particles.position[0] = Vec3::Zero();  // closed ends belong to the domain
  particles.position[1] = Vec3::Ones();
  particles.position[2].x() = -17.0;  // along a periodic axis
  particles.velocity[3] = Vec3(0.99 * kMaxDistance / kDt, 0, 0);
  particles.angular_velocity[3] = Vec3(0, 0.99 * kMaxDistance / kDt / 0.01, 0);
  particles.id[4] = kRemovedId;
  particles.position[4] = Vec3(1e100, 0, 0);
  EXPECT_EQ(ErrorMessage(world, particles), "");
}

TEST(Validity, LostParticlesAreNamedOnEveryRank) {
  const Communicator world = Communicator::World();
  for (const Vec3& position : {Vec3(0.5, 1.00001, 0.5), Vec3(0.5, -1e-9, 0.5), Vec3(0.5, 0.5, kNan),
                               Vec3(kInfinity, 0.5, 0.5)}) {
    Particles particles = ValidParticles(world);
    const bool is_bad_rank = world.Rank() == world.Size() - 1;
    if (is_bad_rank) particles.id[3] = 4711;
    if (is_bad_rank) particles.position[3] = position;
    const std::string error = ErrorMessage(world, particles);
    EXPECT_NE(error.find("1 particle lost on rank"), error.npos) << error;
    EXPECT_NE(error.find("id 4711 at ("), error.npos) << error;
    EXPECT_NE(error.find("at step 77"), error.npos) << error;
    EXPECT_EQ(world.Broadcast(error), error);
  }
}

TEST(Validity, ParticlesThatMoveTooFarAreNamed) {
  const Communicator world = Communicator::World();
  for (const Vec3& velocity :
       {Vec3(1.01 * kMaxDistance / kDt, 0, 0), Vec3(0, kNan, 0), Vec3(0, 0, -kInfinity)}) {
    Particles particles = ValidParticles(world);
    if (world.IsRoot()) particles.velocity[5] = velocity;
    const std::string error = ErrorMessage(world, particles);
    EXPECT_NE(error.find("1 particle running away on rank 0"), error.npos) << error;
    EXPECT_NE(error.find("id 5 "), error.npos) << error;
  }
  for (const double spin : {kNan, 1e160, 1.01 * kMaxDistance / kDt / 0.01}) {
    Particles particles = ValidParticles(world);
    particles.angular_velocity[1].z() = spin;
    EXPECT_NE(ErrorMessage(world, particles).find("running away"), std::string::npos) << spin;
  }
}

TEST(Validity, ManyBadParticlesOnAllRanksMakeAShortMessage) {
  const Communicator world = Communicator::World();
  Particles particles = ValidParticles(world);
  for (Vec3& x : particles.position) x.z() = 7.0;
  const std::string error = ErrorMessage(world, particles);
  for (int rank = 0; rank < world.Size(); ++rank) {
    EXPECT_NE(error.find(Text("10 particles lost on rank ", rank)), error.npos) << error;
  }
  EXPECT_LT(error.size(), 1000u * static_cast<std::size_t>(world.Size() + 1));
}

TEST(Validity, OverlapsBeyondTheSmallerRadiusAreNamed) {
  Particles particles;
  AddSphere(particles, 7, Vec3::Zero(), 0.01);
  AddSphere(particles, 8, Vec3::Zero(), 0.02);
  const std::vector<WallBody> walls = {
      {0, 0, Vec3::Zero()}, {1, 1, Vec3::Zero()}, {2, 9, Vec3::Zero()}};
  // The error for contacts of sphere 0 with these bodies.
  const auto describe = [&](double gap, const std::vector<Index>& partners) {
    std::vector<DetectedContact> contacts;
    for (const Index b : partners) contacts.push_back({Vec3::UnitZ(), gap, 0, b});
    return DescribeDeepOverlaps({contacts}, particles, walls, 3, "step 5");
  };
  EXPECT_EQ(describe(-0.0099, {1, 2}), "");
  const std::string pair = describe(-0.0101, {1});
  EXPECT_NE(pair.find("on rank 3 at step 5: id 7 at"), pair.npos) << pair;
  EXPECT_NE(pair.find("and id 8"), pair.npos) << pair;
  const std::string wall = describe(-0.0101, {4});
  EXPECT_NE(wall.find("and wall 2"), wall.npos) << wall;
}

TEST(Validity, SphereInsideAnotherFailsOnAllRanks) {
  const Communicator world = Communicator::World();
  const Scene scene = test::EmptyScene(Vec3::Zero(), Vec3(0.1, 0.02, 0.02), 0.4);
  State state;
  if (world.IsRoot()) {
    AddSphere(state.particles, 1, Vec3(0.09, 0.01, 0.01), 0.001);
    AddSphere(state.particles, 2, Vec3(0.0905, 0.01, 0.01), 0.001);
  }
  TimeStep step = test::Start(world, scene, StepParameters{}, state);
  EXPECT_THROW(step.Advance(state), SimulationError);
}

TEST(Validity, ManySpheresInOnePointAreAnErrorWithoutListingAllPairs) {
  constexpr ParticleId kCount = 30000;  // 450 million pairs
  const Communicator world = Communicator::World();
  const Scene scene = test::EmptyScene(Vec3::Zero(), Vec3(0.1, 0.02, 0.02), 0.4);
  // Within one rank, and on the border of ranks.
  for (const double x : {0.09, 0.05}) {
    State state;
    if (world.IsRoot()) {
      for (ParticleId id = 0; id < kCount; ++id) {
        AddSphere(state.particles, id, Vec3(x, 0.01, 0.01), 0.001);
      }
    }
    TimeStep step = test::Start(world, scene, StepParameters{}, state);
    EXPECT_THROW(step.Advance(state), SimulationError);
  }
}

}  // namespace
}  // namespace scree::validity_test
