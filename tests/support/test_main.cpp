// Runs the tests of one program on every rank: each rank runs all of them, rank 0 prints, and the
// exit code is the maximum over all ranks, so that no failure is missed.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "engine/ranks/communicator.hpp"
#include "tests/support/seed.hpp"

int main(int argc, char** argv) {
  const scree::MpiSession session(&argc, &argv);
  const scree::Communicator world = scree::Communicator::World();
  testing::InitGoogleTest(&argc, argv);

  // A wrong launcher starts n programs of one rank each. Without this check every MPI test would
  // then pass on one rank.
  const char* expected = std::getenv("SCREE_EXPECTED_RANKS");
  if (expected != nullptr && std::to_string(world.Size()) != expected) {
    std::fprintf(stderr, "the launcher started %d ranks instead of %s\n", world.Size(), expected);
    return 1;
  }
  if (!world.IsRoot()) {
    testing::TestEventListeners& listeners = testing::UnitTest::GetInstance()->listeners();
    delete listeners.Release(listeners.default_result_printer());
  }
  const int failed_here = RUN_ALL_TESTS();
  if (testing::UnitTest::GetInstance()->test_to_run_count() == 0) {
    std::fprintf(stderr, "no test matches the filter\n");
    return 1;
  }
  if (failed_here != 0) {
    std::fprintf(stderr, "rank %d: some tests failed; SCREE_TEST_SEED was %s\n", world.Rank(),
                 scree::test::SeedToRepeat());
  }
  return static_cast<int>(world.Max(static_cast<std::int64_t>(failed_here)));
}
