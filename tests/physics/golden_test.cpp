// The state after 200 steps has the recorded digest, that is, the same bits on every instruction
// set and, with Jacobi, on any number of ranks.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>

#include "engine/particles/random.hpp"
#include "io/state/state_digest.hpp"
#include "tests/support/channel_scene.hpp"

namespace scree::golden_test {
namespace {

constexpr int kSteps = kGoldenChannelSteps;

std::string Hexadecimal(std::uint64_t value) {
  std::array<char, 19> text;
  std::snprintf(text.data(), text.size(), "0x%016llx", static_cast<unsigned long long>(value));
  return text.data();
}

struct Golden {
  std::uint64_t digest = 0;
  std::int64_t loaded = 0;  // contacts with an impulse, mean over every tenth step
};

/// @param state  initial state on entry, final state on return
Golden RunFrom(const Communicator& communicator, const Scene& scene,
               const StepParameters& parameters, State& state) {
  TimeStep step = test::Start(communicator, scene, parameters, state);
  Golden golden;
  for (int k = 0; k < kSteps; ++k) {
    step.Advance(state);
    if (k % 10 == 9) golden.loaded += step.Observe(state).loaded_contacts / (kSteps / 10);
  }
  EXPECT_GT(step.Rebuilds(), 2);
  golden.digest = StateDigest(communicator, state, step);
  return golden;
}

void ExpectDigest(std::uint64_t digest, std::uint64_t recorded, const char* place) {
  EXPECT_EQ(Hexadecimal(digest), Hexadecimal(recorded))
      << "The bits differ from the recorded ones. If results were meant to change, set the digest\n"
      << "of " << place << " to the first number above, and give the reason in the commit message\n"
      << "(tests/README.md, Golden digests). Otherwise there is a defect.";
}

/// A channel with obstacle, piston, inflow and outflow, warm start and speculative contacts.
Golden RunChannel(const Communicator& communicator, const StepParameters& parameters) {
  const Scene scene = test::SmallChannel();
  State state = test::FilledChannel(communicator, scene);
  const Golden golden = RunFrom(communicator, scene, parameters, state);
  EXPECT_GT(communicator.Sum(state.inserted), 0);
  EXPECT_GT(communicator.Sum(state.deleted), 0);
  EXPECT_GT(golden.loaded, 300);
  return golden;
}

/// Digests of one scheme on 1, 2 and 4 ranks.
struct RecordedDigests {
  std::uint64_t on_one_rank, on_two_ranks, on_four_ranks;
};

void ExpectChannel(const StepParameters& parameters, const RecordedDigests& recorded,
                   const char* place) {
  const Communicator world = Communicator::World();
  const Golden golden = RunChannel(world, parameters);
  switch (world.Size()) {
    case 1:
      return ExpectDigest(golden.digest, recorded.on_one_rank, place);
    case 2:
      return ExpectDigest(golden.digest, recorded.on_two_ranks, place);
    case 4:
      return ExpectDigest(golden.digest, recorded.on_four_ranks, place);
    default:
      FAIL() << "no digest was recorded for " << world.Size() << " ranks";
  }
}

constexpr std::uint64_t kJacobi = kGoldenChannelDigest;             // on any number of ranks
constexpr std::uint64_t kJacobiWithBaumgarte = 0x1486892d824c23ec;  // on any number of ranks

TEST(Golden, ChannelWithGaussSeidel) {
  ExpectChannel({}, {0xbfc3de661e191aed, 0x9899a4aeea4fdf9b, 0x2acb60d6a96ca7f9},
                "ChannelWithGaussSeidel (tests/physics/golden_test.cpp)");
}

TEST(Golden, ChannelWithPlainSweeps) {
  StepParameters parameters;
  parameters.solver.momentum = 0.0;
  ExpectChannel(parameters, {0xc0901cb52a5dc114, 0x7907eb699acdff4e, 0x2f45c140bab1f187},
                "ChannelWithPlainSweeps (tests/physics/golden_test.cpp)");
}

TEST(Golden, ChannelWithJacobi) {
  StepParameters parameters;
  parameters.solver.scheme = Scheme::kJacobi;
  ExpectChannel(parameters, {kJacobi, kJacobi, kJacobi},
                "kGoldenChannelDigest (apps/run/golden_channel.hpp)");
}

// Overlaps are removed through the velocities. These digests were recorded before the position
// projection existed, so a run without it must reproduce them.
TEST(Golden, ChannelWithBaumgarteStabilisation) {
  StepParameters parameters;
  parameters.position_sweeps = 0;
  parameters.solver.momentum = 0.0;
  ExpectChannel(parameters, {0xdeab281b0ef73008, 0xa36816e074d5f8cc, 0xbe3a0c12976b8510},
                "ChannelWithBaumgarteStabilisation (tests/physics/golden_test.cpp)");
}

TEST(Golden, ChannelWithBaumgarteStabilisationAndJacobi) {
  StepParameters parameters;
  parameters.position_sweeps = 0;
  parameters.solver.scheme = Scheme::kJacobi;
  ExpectChannel(parameters, {kJacobiWithBaumgarte, kJacobiWithBaumgarte, kJacobiWithBaumgarte},
                "kJacobiWithBaumgarte (tests/physics/golden_test.cpp)");
}

}  // namespace
}  // namespace scree::golden_test
