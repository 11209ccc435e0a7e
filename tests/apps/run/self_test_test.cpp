// The self-test accepts correct results and reports wrong ones, equally on all ranks.
#include "apps/run/self_test.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "apps/run/golden_channel.hpp"
#include "tests/io/scratch.hpp"

namespace scree::self_test_test {
namespace {

using testing::HasSubstr;

TEST(SelfTest, MessagesArrive) {
  const Communicator world = Communicator::World();
  EXPECT_THAT(TryMessages(world), HasSubstr(Text(world.Size(), " rank")));
}

TEST(SelfTest, DifferentBitsAreReported) {
  const std::string message = MessageOf<std::runtime_error>(
      [] { TryBits(Communicator::World(), kGoldenChannelDigest + 1); });
  EXPECT_THAT(message, HasSubstr("end with 0x04d8badb5d3576cf, expected 0x04d8badb5d3576d0"));
}

TEST(SelfTest, FilesAreCorrectAndRemovedAfterwards) {
  const Communicator world = Communicator::World();
  const Scratch scratch(world);
  EXPECT_THAT(TryFiles(world, scratch / "try.h5"), HasSubstr("is read"));
  world.Barrier();
  EXPECT_TRUE(std::filesystem::is_empty(scratch.Path()));
}

TEST(SelfTest, MissingFolderIsReported) {
  EXPECT_THROW(TryFiles(Communicator::World(), "/dev/null/try.h5"), OutputError);
}

}  // namespace
}  // namespace scree::self_test_test
