#include "io/files/csv_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <filesystem>

#include "solvers/base/check.hpp"
#include "tests/io/scratch.hpp"

namespace scree::csv_table_test {
namespace {

struct CsvTableTest : InScratch {};

TEST_F(CsvTableTest, NumbersReadBackExactlyAndAreShort) {
  EXPECT_EQ(ToText(0.1), "0.1");
  EXPECT_EQ(ToText(std::int64_t{-7}), "-7");
  EXPECT_EQ(ToText(std::monostate()), "");
  for (const double value : {0.1 + 0.2, 1.0 / 3.0, 5e-324, 1.7976931348623157e308}) {
    EXPECT_EQ(std::strtod(ToText(value).c_str(), nullptr), value);
  }
}

TEST_F(CsvTableTest, RowsAreWrittenImmediatelyAndByRootOnly) {
  CsvTable table(world, scratch / "t.csv", {"step", "time", "converged"});
  const std::array<CsvValue, 3> row = {std::int64_t{3}, 0.25, std::monostate()};
  table.Append(row);
  EXPECT_EQ(FileBytes(scratch / "t.csv"), "step,time,converged\n3,0.25,\n");
}

TEST_F(CsvTableTest, TruncatedOrReplacedFileContinuesWithCompleteRows) {
  const std::string path = scratch / "t.csv", other_path = scratch / "other.csv";
  const std::string header = "step,time\n", line = "3,0.25\n";
  CsvTable table(world, path, {"step", "time"});
  const std::array<CsvValue, 2> row = {std::int64_t{3}, 0.25};
  const auto expect_after = [&](auto&& change, const std::string& text, std::int64_t rows) {
    table.Append(row);
    table.Append(row);
    world.Barrier();
    if (world.IsRoot()) change();
    world.Barrier();
    table.Append(row);
    EXPECT_EQ(FileBytes(path), text);
    EXPECT_EQ(table.Rows(), rows);
    world.Barrier();
  };
  const auto cut_to = [&](std::size_t bytes) {
    return [&path, bytes] { std::filesystem::resize_file(path, bytes); };
  };
  expect_after(cut_to(0), header + line, 1);
  expect_after(cut_to(header.size()), header + line, 1);
  expect_after(cut_to(header.size() + line.size() + 2), header + line + line, 2);
  PutFile(world, other_path, header);
  expect_after([&] { std::filesystem::rename(other_path, path); }, header + line, 1);
  expect_after([&] { std::filesystem::remove(path); }, header + line, 1);
}

TEST_F(CsvTableTest, ContinuedFileMayBeTruncated) {
  const std::string path = scratch / "t.csv";
  PutFile(world, path, "a,b\n1,0.1\n2,0.2\n");
  CsvTable table(world, path, {"a", "b"}, ExistingRows{2});
  world.Barrier();
  if (world.IsRoot()) std::filesystem::resize_file(path, 0);
  world.Barrier();
  table.Append(std::array<CsvValue, 2>{std::int64_t{3}, 0.5});
  EXPECT_EQ(FileBytes(path), "a,b\n3,0.5\n");
  EXPECT_EQ(table.Rows(), 1);
}

TEST_F(CsvTableTest, ContinuesAfterTheRowsToKeep) {
  const std::string path = scratch / "t.csv";
  const std::array<CsvValue, 2> row = {std::int64_t{9}, 0.5};
  // Rows after the kept rows: later rows, a partial line, or both.
  for (const char* lost_rows : {"", "3,0.3\n4,0.4\n", "3,0.", "3,0.3\n4"}) {
    PutFile(world, path, std::string("a,b\n1,0.1\n2,0.2\n") + lost_rows);
    CsvTable table(world, path, {"a", "b"}, ExistingRows{2});
    EXPECT_EQ(table.Rows(), 2);
    table.Append(row);
    EXPECT_EQ(table.Rows(), 3);
    EXPECT_EQ(FileBytes(path), "a,b\n1,0.1\n2,0.2\n9,0.5\n") << lost_rows;
    world.Barrier();
  }
}

TEST_F(CsvTableTest, ExistingRowsAreCountedAndAMissingFileIsCreated) {
  PutFile(world, scratch / "t.csv", "a,b\n1,0.1\n2,0");
  EXPECT_EQ(CsvTable(world, scratch / "t.csv", {"a", "b"}, ExistingRows{5}).Rows(), 1);
  EXPECT_EQ(FileBytes(scratch / "t.csv"), "a,b\n1,0.1\n");
  EXPECT_EQ(CsvTable(world, scratch / "new.csv", {"a", "b"}, ExistingRows{5}).Rows(), 0);
  EXPECT_EQ(FileBytes(scratch / "new.csv"), "a,b\n");
}

TEST_F(CsvTableTest, RowsOfLaterStepsAreNotKept) {
  const std::string path = scratch / "t.csv", text = "step,b\n10,1\n20,2\n30,3\n30,4\n40,5\n";
  const auto continue_table = [&](std::int64_t rows, std::int64_t step) {
    world.Barrier();  // other ranks may still read the previous file
    PutFile(world, path, text);
    return CsvTable(world, path, {"step", "b"}, ExistingRows{rows, step}).Rows();
  };
  EXPECT_EQ(continue_table(3, 30), 3);
  EXPECT_EQ(continue_table(4, 30), 4);
  EXPECT_EQ(continue_table(9, 30), 4);
  EXPECT_EQ(FileBytes(path), "step,b\n10,1\n20,2\n30,3\n30,4\n");
  EXPECT_EQ(continue_table(2, 25), 2);
  EXPECT_THAT(MessageOf<FileError>([&] { continue_table(1, 25); }),
              testing::HasSubstr("row of step 20 after the 1 rows"));
  EXPECT_EQ(FileBytes(path), text);
}

TEST_F(CsvTableTest, FileWithOtherColumnsIsNotContinued) {
  PutFile(world, scratch / "t.csv", "a,b,c\n1,2,3\n");
  EXPECT_THAT(MessageOf<InputError>([&] {
                CsvTable(world, scratch / "t.csv", {"a", "b"}, ExistingRows{1});
              }),
              testing::HasSubstr("other columns"));
  EXPECT_EQ(FileBytes(scratch / "t.csv"), "a,b,c\n1,2,3\n");
}

TEST_F(CsvTableTest, NewColumnsAreEmptyInExistingRows) {
  PutFile(world, scratch / "t.csv", "a,c\n1,3\n,6\n7,");
  {
    CsvTable table(world, scratch / "t.csv", {"a", "b", "c", "d"}, ExistingRows{5});
    EXPECT_EQ(table.Rows(), 2);
    table.Append(std::vector<CsvValue>{std::int64_t{7}, 0.5, std::int64_t{9}, 0.25});
  }
  EXPECT_EQ(FileBytes(scratch / "t.csv"), "a,b,c,d\n1,,3,\n,,6,\n7,0.5,9,0.25\n");
}

TEST_F(CsvTableTest, FullDiskIsAnErrorOnAllRanks) {
  if (world.IsRoot()) std::filesystem::create_symlink("/dev/full", scratch / "t.csv");
  world.Barrier();
  EXPECT_THAT(MessageOf<OutputError>([&] { CsvTable(world, scratch / "t.csv", {"a"}); }),
              testing::HasSubstr("No space left"));
}

}  // namespace
}  // namespace scree::csv_table_test
