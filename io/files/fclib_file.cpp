#include "io/files/fclib_file.hpp"

#include <vector>

#include "io/files/hdf5_file.hpp"
#include "solvers/base/check.hpp"

namespace scree {
namespace {

using SparseMatrix = Eigen::SparseMatrix<double>;

// The field nz of a matrix: how many triplets, or one of these.
constexpr std::int32_t kCompressedColumns = -1;
constexpr std::int32_t kCompressedRows = -2;

template <class Value>
std::vector<Value> ReadAll(const Hdf5Reader& file, const std::string& name) {
  return file.Rows<Value>(name, {}, 0, file.CountRows(name, {}));
}

std::int32_t ReadOne(const Hdf5Reader& file, const std::string& name) {
  const std::vector<std::int32_t> values = ReadAll<std::int32_t>(file, name);
  if (values.size() != 1) {
    throw FileError(
        Text("'", file.Path(), "': ", name, " has ", values.size(), " values, not one"));
  }
  return values.front();
}

Eigen::VectorXd ReadVector(const Hdf5Reader& file, const std::string& name) {
  const std::vector<double> values = ReadAll<double>(file, name);
  return Eigen::VectorXd::Map(values.data(), static_cast<Eigen::Index>(values.size()));
}

/// Row and column of each entry, from whichever of the three forms the file uses.
std::vector<Eigen::Triplet<double>> Triplets(const std::vector<std::int32_t>& p,
                                             const std::vector<std::int32_t>& i,
                                             const std::vector<double>& x, std::int32_t nz) {
  std::vector<Eigen::Triplet<double>> triplets;
  if (nz >= 0) {
    for (std::size_t k = 0; k < static_cast<std::size_t>(nz); ++k) {
      triplets.emplace_back(i.at(k), p.at(k), x.at(k));
    }
    return triplets;
  }
  for (std::size_t line = 0; line + 1 < p.size(); ++line) {
    for (std::int32_t k = p[line]; k < p[line + 1]; ++k) {
      const auto entry = static_cast<std::size_t>(k);
      const auto along = static_cast<std::int32_t>(line);
      if (nz == kCompressedColumns)
        triplets.emplace_back(i.at(entry), along, x.at(entry));
      else
        triplets.emplace_back(along, i.at(entry), x.at(entry));
    }
  }
  return triplets;
}

SparseMatrix ReadMatrix(const Hdf5Reader& file, const std::string& group) {
  const std::int32_t rows = ReadOne(file, group + "/m");
  const std::int32_t columns = ReadOne(file, group + "/n");
  const std::int32_t nz = ReadOne(file, group + "/nz");
  const auto damaged = [&](const std::string& reason) {
    return FileError(Text("'", file.Path(), "': the matrix ", group, " is damaged: ", reason));
  };
  if (rows < 0 || columns < 0) throw damaged(Text("its size is ", rows, " x ", columns));
  if (nz < kCompressedRows) throw damaged(Text("nz = ", nz, " is no storage form"));
  std::vector<Eigen::Triplet<double>> triplets;
  try {
    triplets = Triplets(ReadAll<std::int32_t>(file, group + "/p"),
                        ReadAll<std::int32_t>(file, group + "/i"),
                        ReadAll<double>(file, group + "/x"), nz);
  } catch (const std::out_of_range&) {
    throw damaged("its index arrays point past their ends");
  }
  for (const auto& entry : triplets) {
    if (entry.row() < 0 || entry.row() >= rows || entry.col() < 0 || entry.col() >= columns) {
      throw damaged(Text("an entry at (", entry.row(), ", ", entry.col(), ") lies outside ", rows,
                         " x ", columns));
    }
  }
  SparseMatrix matrix(rows, columns);
  matrix.setFromTriplets(triplets.begin(), triplets.end());
  return matrix;
}

void DemandSupported(const Hdf5Reader& file, const std::string& root,
                     const std::string& equality_matrix) {
  const std::int32_t dimension = ReadOne(file, root + "/spacedim");
  if (dimension != 3) {
    throw FileError(Text("'", file.Path(), "' is a problem in ", dimension,
                         " dimensions; only three are supported"));
  }
  if (file.Has(root + "/" + equality_matrix)) {
    throw FileError(Text("'", file.Path(), "' has equality constraints (", root, "/",
                         equality_matrix, "), which the contact solvers do not know"));
  }
}

}  // namespace

FclibProblem ReadFclib(const std::string& path) {
  const Hdf5Reader file(path);
  if (file.Has("/fclib_local")) {
    DemandSupported(file, "/fclib_local", "V");
    const SparseMatrix w = ReadMatrix(file, "/fclib_local/W");
    const Eigen::VectorXd q = ReadVector(file, "/fclib_local/vectors/q");
    return {FclibForm::kLocal, DelassusProblem(w, q, ReadVector(file, "/fclib_local/vectors/mu"))};
  }
  if (!file.Has("/fclib_global")) {
    throw FileError(Text("'", path, "' holds neither /fclib_local nor /fclib_global"));
  }
  DemandSupported(file, "/fclib_global", "G");
  const GlobalProblem global = {.m = ReadMatrix(file, "/fclib_global/M"),
                                .h = ReadMatrix(file, "/fclib_global/H"),
                                .f = ReadVector(file, "/fclib_global/vectors/f"),
                                .w = ReadVector(file, "/fclib_global/vectors/w"),
                                .mu = ReadVector(file, "/fclib_global/vectors/mu")};
  return {FclibForm::kGlobal, ReduceToContacts(global)};
}

}  // namespace scree
