#include "io/files/hdf5_file.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <semaphore.h>
#include <unistd.h>

#include <filesystem>

#include "solvers/base/check.hpp"
#include "tests/io/scratch.hpp"

namespace scree::hdf5_file_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// Rank k writes k rows of three values, so rank 0 writes none.
void WriteSample(const Communicator& world, const std::string& path) {
  Hdf5Writer file(world, path);
  file.MakeGroup("/g");
  const std::vector<double> rows(static_cast<std::size_t>(3 * world.Rank()), 1.0 * world.Rank());
  file.Rows<double>("/g/rows", rows, {3, false});
  const std::vector<std::int32_t> no_rows;
  file.Rows<std::int32_t>("/g/none", no_rows, {});
  file.TextAttribute("/g", "empty", "");
  file.Link("/g/rows", "/g/again");
  file.Close();
}

struct Hdf5File : InScratch {};

TEST_F(Hdf5File, HintsComeFromTheEnvironment) {
  setenv(kIoHintsVariable, "striping_factor=1;no_such_hint=7", 1);
  WriteSample(world, scratch / "a.h5");
  const auto rows = static_cast<std::size_t>(world.Size() * (world.Size() - 1) / 2);
  EXPECT_EQ(Hdf5Reader(scratch / "a.h5").CountRows("/g/rows", {3, false}), rows);
  for (const char* malformed : {"striping_factor", "=1", "striping_factor=", "a=1;b"}) {
    setenv(kIoHintsVariable, malformed, 1);
    EXPECT_THROW(WriteSample(world, scratch / "b.h5"), OutputError) << malformed;
    EXPECT_FALSE(std::filesystem::exists(scratch / "b.h5"));
  }
  unsetenv(kIoHintsVariable);
}

/// Object headers of HDF5 have no space for such attributes by default.
TEST_F(Hdf5File, AttributesAbove64KiBReadBack) {
  std::vector<std::string> names;
  std::vector<double> numbers;
  for (int k = 0; k < 9000; ++k) {
    names.push_back(Text("a_wall_with_a_long_name_", k));
    numbers.push_back(0.1 * k);
  }
  {
    Hdf5Writer file(world, scratch / "a.h5");
    file.MakeGroup("/g");
    file.Attribute("/g", "one", 1.5);
    file.TextListAttribute("/g", "name", names);
    file.ListAttribute<double>("/g", "number", numbers);
    file.Close();
  }
  const Hdf5Reader file(scratch / "a.h5");
  EXPECT_EQ(file.TextListAttribute("/g", "name"), names);
  EXPECT_EQ(file.ListAttribute<double>("/g", "number"), numbers);
  EXPECT_EQ(file.Attribute<double>("/g", "one"), 1.5);
}

/// Open MPI leaves a locked semaphore if a program is killed at the wrong moment.
TEST_F(Hdf5File, LockedSemaphoreBlocksNoProgram) {
  const std::string base = Text("locked_", world.Broadcast(Text(getpid())), ".h5");
  const std::string name = "OMPIO_" + base;
  if (world.IsRoot()) {
    sem_t* const locked = sem_open(name.c_str(), O_CREAT, 0600, 0);
    EXPECT_NE(locked, SEM_FAILED);
    sem_close(locked);
  }
  world.Barrier();
  WriteSample(world, scratch / base);
  world.Barrier();
  if (!world.IsRoot()) return;
  sem_unlink(name.c_str());
  const std::filesystem::directory_iterator files(scratch.Path());
  EXPECT_EQ(std::distance(begin(files), end(files)), 1) << "the file alone";
}

TEST_F(Hdf5File, RowsAreInRankOrder) {
  WriteSample(world, scratch / "a.h5");
  const Hdf5Reader file(scratch / "a.h5");
  std::vector<double> expected;
  for (int rank = 0; rank < world.Size(); ++rank) {
    expected.insert(expected.end(), static_cast<std::size_t>(3 * rank), 1.0 * rank);
  }
  EXPECT_EQ(file.CountRows("/g/rows", {3, false}), expected.size() / 3);
  EXPECT_EQ(file.Rows<double>("/g/again", {3, false}, 0, expected.size() / 3), expected);
  EXPECT_EQ(file.CountRows("/g/none", {}), 0u);
  EXPECT_EQ(file.TextAttribute("/g", "empty"), "");
}

TEST_F(Hdf5File, FolderMissingOnSomeRanksIsAnErrorOnAll) {
  const bool has_folder = world.Size() > 1 && world.IsRoot();
  const std::string path = scratch / (has_folder ? "a.h5" : "missing/a.h5");
  EXPECT_THAT(
      MessageOf<OutputError>([&] { const Hdf5Writer file(world, path); }),
      AllOf(HasSubstr("cannot open"), HasSubstr("missing/a.h5"), HasSubstr("No such file")));
}

TEST_F(Hdf5File, ErrorsNameFileAndObject) {
  WriteSample(world, scratch / "a.h5");
  const Hdf5Reader file(scratch / "a.h5");
  const auto expect = [](const char* object, const char* expected_name, auto&& call) {
    EXPECT_THAT(MessageOf<FileError>(call),
                AllOf(HasSubstr("a.h5"), HasSubstr(object), HasSubstr(expected_name)));
  };
  const RowShape three = {3, false}, four = {4, false}, framed = {3, true};
  expect("/g/missing", "shape [N]", [&] { file.CountRows("/g/missing", {}); });
  expect("/g/rows", "shape [N][4]", [&] { file.CountRows("/g/rows", four); });
  expect("/g/rows", "shape [1][N][3]", [&] { file.CountRows("/g/rows", framed); });
  expect("/g/rows", "64-bit integers", [&] { file.Rows<std::int64_t>("/g/rows", three, 0, 0); });
  expect("/g/rows", "at least 99 rows", [&] { file.Rows<double>("/g/rows", three, 0, 99); });
  expect("'empty' of /g", "floating-point", [&] { file.Attribute<double>("/g", "empty"); });
  expect("/g/rows", "text", [&] { file.Text("/g/rows"); });
}

TEST_F(Hdf5File, WritingTwiceToOneNameIsAnOutputErrorOnAllRanks) {
  Hdf5Writer file(world, scratch / "a.h5");
  file.MakeGroup("/g");
  EXPECT_THAT(MessageOf<OutputError>([&] { file.MakeGroup("/g"); }),
              AllOf(HasSubstr("/g"), HasSubstr("a.h5")));
}

}  // namespace
}  // namespace scree::hdf5_file_test
