// An error of one rank is thrown on all ranks.
#include "engine/ranks/collective_error.hpp"

#include <gtest/gtest.h>

#include "solvers/base/check.hpp"

namespace scree::collective_error_test {
namespace {

TEST(CollectiveError, EveryRankGetsAllMessagesInTheOrderOfTheRanks) {
  const Communicator world = Communicator::World();
  std::string expected;
  for (int rank = 0; rank < world.Size(); ++rank) {
    if (rank % 2 == 0) expected += Text(rank == 0 ? "" : "\n", "rank ", rank);
  }
  const std::string message = world.Rank() % 2 == 0 ? Text("rank ", world.Rank()) : "";
  EXPECT_EQ(GatherErrors(world, message), expected);
}

TEST(CollectiveError, ErrorOfOnlyTheLastRankIsThrownOnAll) {
  const Communicator world = Communicator::World();
  const std::string message = world.Rank() == world.Size() - 1 ? "the last one failed" : "";
  try {
    ThrowIfAny<InputError>(world, message);
    FAIL() << "no error on rank " << world.Rank();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "the last one failed");
  }
}

TEST(CollectiveError, WithoutMessagesThereIsNoError) {
  const Communicator world = Communicator::World();
  EXPECT_EQ(GatherErrors(world, ""), "");
  EXPECT_NO_THROW(ThrowIfAny<SimulationError>(world, ""));
}

}  // namespace
}  // namespace scree::collective_error_test
