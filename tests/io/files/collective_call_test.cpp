#include "io/files/collective_call.hpp"

#include <gtest/gtest.h>

#include <new>

#include "solvers/base/check.hpp"
#include "tests/io/scratch.hpp"

namespace scree::collective_call_test {
namespace {

TEST(CollectiveCall, ErrorOfOneRankIsThrownOnAll) {
  const Communicator world = Communicator::World();
  const int last_rank = world.Size() - 1;
  const std::string message = MessageOf<OutputError>([&] {
    CallOnAll<OutputError>(world, [&] {
      if (world.Rank() == last_rank) throw FileError("last rank");
    });
  });
  EXPECT_EQ(message, "last rank");
}

TEST(CollectiveCall, SameErrorIsReportedOnce) {
  const Communicator world = Communicator::World();
  EXPECT_EQ(MessageOf<FileError>(
                [&] { CallOnAll<FileError>(world, [] { throw FileError("missing"); }); }),
            "missing");
}

TEST(CollectiveCall, OutOfMemoryIsNotAFileError) {
  const Communicator world = Communicator::World();
  EXPECT_THROW(CallOnAll<FileError>(world, [] { throw std::bad_alloc(); }), std::bad_alloc);
}

TEST(CollectiveCall, OnlyRootMakesTheCall) {
  const Communicator world = Communicator::World();
  std::int64_t calls = 0;
  CallOnRoot<OutputError>(world, [&] { ++calls; });
  EXPECT_EQ(world.Sum(calls), 1);
}

}  // namespace
}  // namespace scree::collective_call_test
