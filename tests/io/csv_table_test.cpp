#include "io/csv_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <filesystem>

#include "solvers/check.hpp"
#include "tests/io/scratch.hpp"

namespace scree {
namespace {

TEST(CsvTable, NumbersReadBackExactlyAndAreShort) {
  EXPECT_EQ(ToText(0.1), "0.1");
  EXPECT_EQ(ToText(std::int64_t{-7}), "-7");
  EXPECT_EQ(ToText(std::monostate()), "");
  for (const double value : {0.1 + 0.2, 1.0 / 3.0, 5e-324, 1.7976931348623157e308}) {
    EXPECT_EQ(std::strtod(ToText(value).c_str(), nullptr), value);
  }
}

TEST(CsvTable, RowsAreOnDiskAtOnceAndWrittenByRootAlone) {
  const Communicator world = Communicator::World();
  const Scratch scratch(world);
  CsvTable table(world, scratch / "t.csv", {"step", "time", "converged"});
  const std::array<CsvValue, 3> row = {std::int64_t{3}, 0.25, std::monostate()};
  table.Append(row);
  EXPECT_EQ(FileBytes(scratch / "t.csv"), "step,time,converged\n3,0.25,\n");
}

TEST(CsvTable, FullDiskReachesAllRanks) {
  const Communicator world = Communicator::World();
  const Scratch scratch(world);
  if (world.IsRoot()) std::filesystem::create_symlink("/dev/full", scratch / "t.csv");
  world.Barrier();
  EXPECT_THAT(MessageOf<OutputError>([&] { CsvTable(world, scratch / "t.csv", {"a"}); }),
              testing::HasSubstr("No space left"));
}

}  // namespace
}  // namespace scree
