// FCLIB files: local and global form, every storage format of a matrix, and damaged files.
#include "io/files/fclib_file.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "io/files/hdf5_file.hpp"
#include "solvers/base/check.hpp"
#include "tests/io/scratch.hpp"
#include "tests/support/brick_pile.hpp"

namespace scree::fclib_file_test {
namespace {

using test::BrickPile;
using test::MakeBrickPile;

enum class Storage { kTriplets, kColumns, kRows };

class FclibWriter {
 public:
  explicit FclibWriter(const std::string& path) : file_(Communicator::World(), path) {}

  void MakeGroup(const std::string& name) { file_.MakeGroup(name); }
  void Integers(const std::string& name, const std::vector<std::int32_t>& values) {
    file_.Rows<std::int32_t>(name, values, {});
  }
  void Numbers(const std::string& name, const Eigen::VectorXd& values) {
    file_.Rows<double>(name, {values.data(), static_cast<std::size_t>(values.size())}, {});
  }

  void Matrix(const std::string& group, const Eigen::SparseMatrix<double>& matrix,
              Storage storage) {
    file_.MakeGroup(group);
    std::vector<std::int32_t> p, i;
    std::vector<double> x;
    const auto add = [&](std::int32_t index, double value) {
      i.push_back(index);
      x.push_back(value);
    };
    if (storage == Storage::kRows) {
      const Eigen::SparseMatrix<double, Eigen::RowMajor> rows = matrix;
      p.push_back(0);
      for (int r = 0; r < rows.rows(); ++r) {
        for (decltype(rows)::InnerIterator entry(rows, r); entry; ++entry) {
          add(static_cast<std::int32_t>(entry.col()), entry.value());
        }
        p.push_back(static_cast<std::int32_t>(i.size()));
      }
    } else {
      if (storage == Storage::kColumns) p.push_back(0);
      for (int c = 0; c < matrix.cols(); ++c) {
        for (Eigen::SparseMatrix<double>::InnerIterator entry(matrix, c); entry; ++entry) {
          add(static_cast<std::int32_t>(entry.row()), entry.value());
          if (storage == Storage::kTriplets) p.push_back(c);
        }
        if (storage == Storage::kColumns) p.push_back(static_cast<std::int32_t>(i.size()));
      }
    }
    const std::int32_t count = static_cast<std::int32_t>(x.size());
    const std::int32_t nz = storage == Storage::kTriplets  ? count
                            : storage == Storage::kColumns ? -1
                                                           : -2;
    Integers(group + "/m", {static_cast<std::int32_t>(matrix.rows())});
    Integers(group + "/n", {static_cast<std::int32_t>(matrix.cols())});
    Integers(group + "/nz", {nz});
    Integers(group + "/nzmax", {count});
    Integers(group + "/p", p);
    Integers(group + "/i", i);
    Numbers(group + "/x", Eigen::VectorXd::Map(x.data(), count));
  }

 private:
  Hdf5Writer file_;
};

void WriteLocal(const std::string& path, const BrickPile& pile, Storage storage,
                std::int32_t dimension = 3, bool has_equality = false) {
  FclibWriter file(path);
  file.MakeGroup("/fclib_local");
  file.Integers("/fclib_local/spacedim", {dimension});
  file.Matrix("/fclib_local/W", pile.delassus, storage);
  if (has_equality) file.Matrix("/fclib_local/V", pile.delassus, storage);
  file.MakeGroup("/fclib_local/vectors");
  file.Numbers("/fclib_local/vectors/q", pile.free_velocity);
  file.Numbers("/fclib_local/vectors/mu", pile.friction);
}

void WriteGlobal(const std::string& path, const BrickPile& pile) {
  FclibWriter file(path);
  file.MakeGroup("/fclib_global");
  file.Integers("/fclib_global/spacedim", {3});
  file.Matrix("/fclib_global/M", pile.mass, Storage::kTriplets);
  file.Matrix("/fclib_global/H", pile.wrenches, Storage::kTriplets);
  file.MakeGroup("/fclib_global/vectors");
  file.Numbers("/fclib_global/vectors/f", pile.momentum);
  file.Numbers("/fclib_global/vectors/w", pile.bias);
  file.Numbers("/fclib_global/vectors/mu", pile.friction);
}

void ExpectSameProblem(const DelassusProblem& problem, const BrickPile& pile) {
  const DelassusProblem expected(pile.delassus, pile.free_velocity, pile.friction);
  ASSERT_EQ(problem.ContactCount(), expected.ContactCount());
  const std::vector<Vec3> impulses(static_cast<std::size_t>(problem.ContactCount()),
                                   Vec3(1, -2, 3));
  for (Index j = 0; j < problem.ContactCount(); ++j) {
    const Vec3 velocity = expected.Velocity(j, impulses);
    EXPECT_LE((problem.Velocity(j, impulses) - velocity).norm(), 1e-12 * velocity.norm());
    EXPECT_EQ(problem.Friction(j), expected.Friction(j));
  }
}

std::string FileErrorOf(const std::function<void()>& call) {
  return RefusalOf<FileError>([&] { call(); });
}

TEST(FclibFile, LocalProblemsAreReadInAllStorageFormats) {
  const Scratch scratch(Communicator::World());
  const BrickPile pile = MakeBrickPile(2, 0.4);
  for (const Storage storage : {Storage::kTriplets, Storage::kColumns, Storage::kRows}) {
    const std::string path = scratch / "local.hdf5";
    WriteLocal(path, pile, storage);
    const FclibFile file = ReadFclib(path);
    EXPECT_FALSE(file.IsGlobal());
    ExpectSameProblem(ContactsOf(file), pile);
  }
}

TEST(FclibFile, GlobalProblemIsRead) {
  const Scratch scratch(Communicator::World());
  const BrickPile pile = MakeBrickPile(3, 0.7);
  const std::string path = scratch / "global.hdf5";
  WriteGlobal(path, pile);
  const FclibFile file = ReadFclib(path);
  EXPECT_TRUE(file.IsGlobal());
  ExpectSameProblem(ContactsOf(file), pile);
}

Eigen::VectorXd TestImpulses(const BrickPile& pile) {
  return Eigen::VectorXd::LinSpaced(pile.bias.size(), -1.0, 2.0);
}

TEST(FclibFile, WrittenFilesReadBack) {
  const Scratch scratch(Communicator::World());
  const BrickPile pile = MakeBrickPile(2, 0.4);
  const std::string path = scratch / "written.hdf5";
  const Eigen::VectorXd r = TestImpulses(pile);
  for (const bool is_global : {false, true}) {
    FclibFile file;
    file.problem = LocalProblem{pile.delassus, pile.free_velocity, pile.friction};
    if (is_global) {
      file.problem =
          GlobalProblem{pile.mass, pile.wrenches, pile.momentum, pile.bias, pile.friction};
    }
    file.title = "a pile";
    file.description = "of bricks";
    file.solution = SolutionOf(file, r);
    file.guess = SolutionOf(file, 0.5 * r);
    WriteFclib(path, file);
    const FclibFile read_back = ReadFclib(path);
    EXPECT_EQ(read_back.IsGlobal(), is_global);
    ExpectSameProblem(ContactsOf(read_back), pile);
    EXPECT_EQ(read_back.title, file.title);
    EXPECT_EQ(read_back.description, file.description);
    EXPECT_EQ(ReadFclibImpulses(path, kFclibSolution, r.size()), r);
    EXPECT_EQ(ReadFclibImpulses(path, kFclibGuess, r.size()), 0.5 * r);
  }
}

TEST(FclibFile, SolutionsSatisfyTheEquations) {
  const BrickPile pile = MakeBrickPile(2, 0.4);
  FclibFile file;
  file.problem = GlobalProblem{pile.mass, pile.wrenches, pile.momentum, pile.bias, pile.friction};
  const Eigen::VectorXd r = TestImpulses(pile);
  const FclibSolution solution = SolutionOf(file, r);
  const Eigen::VectorXd momentum = pile.wrenches * r + pile.momentum;
  EXPECT_LT((pile.mass * solution.v - momentum).norm(), 1e-12 * momentum.norm());
  EXPECT_LT((pile.delassus * r + pile.free_velocity - solution.u).norm(),
            1e-12 * solution.u.norm());
}

TEST(FclibFile, MissingImpulsesAreErrors) {
  const Scratch scratch(Communicator::World());
  const BrickPile pile = MakeBrickPile(1, 0.4);
  FclibFile file;
  file.problem = LocalProblem{pile.delassus, pile.free_velocity, pile.friction};
  file.guess = {{}, Eigen::VectorXd::Zero(2), Eigen::VectorXd::Zero(2)};
  const std::string path = scratch / "short.hdf5";
  WriteFclib(path, file);
  const Eigen::Index size = 3 * pile.friction.size();
  EXPECT_NE(FileErrorOf([&] { ReadFclibImpulses(path, kFclibGuess, size); }).find("has 2 values"),
            std::string::npos);
  EXPECT_NE(
      FileErrorOf([&] { ReadFclibImpulses(path, kFclibSolution, size); }).find("no /solution"),
      std::string::npos);
}

TEST(FclibFile, UnsupportedFilesAreReported) {
  const Scratch scratch(Communicator::World());
  const BrickPile pile = MakeBrickPile(1, 0.4);
  const std::string path = scratch / "local.hdf5";
  WriteLocal(path, pile, Storage::kRows, 2);
  EXPECT_NE(FileErrorOf([&] { ReadFclib(path); }).find("2 dimensions"), std::string::npos);
  WriteLocal(path, pile, Storage::kRows, 3, true);
  EXPECT_NE(FileErrorOf([&] { ReadFclib(path); }).find("equality"), std::string::npos);
}

TEST(FclibFile, MissingAndForeignFilesAreErrors) {
  const Scratch scratch(Communicator::World());
  EXPECT_NE(FileErrorOf([&] { ReadFclib(scratch / "none.hdf5"); }).find("none.hdf5"),
            std::string::npos);
  const std::string path = scratch / "other.hdf5";
  FclibWriter(path).MakeGroup("/particles");
  EXPECT_NE(FileErrorOf([&] { ReadFclib(path); }).find("/fclib_global"), std::string::npos);
}

TEST(FclibFile, DamagedMatricesAreErrors) {
  const Scratch scratch(Communicator::World());
  const std::string path = scratch / "damaged.hdf5";
  const auto error_with = [&](std::int32_t nz, const std::vector<std::int32_t>& p,
                              const std::vector<std::int32_t>& i) {
    {
      FclibWriter file(path);
      file.MakeGroup("/fclib_local");
      file.Integers("/fclib_local/spacedim", {3});
      file.MakeGroup("/fclib_local/W");
      file.Integers("/fclib_local/W/m", {3});
      file.Integers("/fclib_local/W/n", {3});
      file.Integers("/fclib_local/W/nz", {nz});
      file.Integers("/fclib_local/W/p", p);
      file.Integers("/fclib_local/W/i", i);
      file.Numbers("/fclib_local/W/x", Eigen::VectorXd::Ones(3));
    }
    return FileErrorOf([&] { ReadFclib(path); });
  };
  EXPECT_NE(error_with(3, {0, 1, 3}, {0, 1, 2}).find("outside"), std::string::npos);
  EXPECT_NE(error_with(3, {0, 1, 2}, {0, -1, 2}).find("outside"), std::string::npos);
  EXPECT_NE(error_with(5, {0, 1, 2}, {0, 1, 2}).find("beyond the end"), std::string::npos);
  EXPECT_NE(error_with(-1, {0, 1, 2, 9}, {0, 1, 2}).find("beyond the end"), std::string::npos);
  EXPECT_NE(error_with(-3, {0, 1, 2}, {0, 1, 2}).find("nz = -3"), std::string::npos);
}

}  // namespace
}  // namespace scree::fclib_file_test
