#include "io/files/fclib_file.hpp"

#include <iomanip>
#include <span>
#include <vector>

#include "io/files/atomic_file.hpp"
#include "io/files/hdf5_file.hpp"
#include "solvers/base/check.hpp"

namespace scree {
namespace {

using SparseMatrix = Eigen::SparseMatrix<double>;

const std::string kLocal = "/fclib_local", kGlobal = "/fclib_global";
const std::string kIds = "/scree";
constexpr std::int32_t kDimension = 3;

// The field nz of a matrix is the number of triplets, or one of these values.
constexpr std::int32_t kCompressedColumns = -1;
constexpr std::int32_t kCompressedRows = -2;

template <class Value>
std::vector<Value> ReadAll(const Hdf5Reader& file, const std::string& name) {
  return file.Rows<Value>(name, {}, 0, file.CountRows(name, {}));
}

std::int32_t ReadScalar(const Hdf5Reader& file, const std::string& name) {
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

/// Converts a matrix from any of the three forms (see nz above) to triplets.
std::vector<Eigen::Triplet<double>> ReadTriplets(const std::vector<std::int32_t>& p,
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
      const auto index = static_cast<std::int32_t>(line);
      if (nz == kCompressedColumns)
        triplets.emplace_back(i.at(entry), index, x.at(entry));
      else
        triplets.emplace_back(index, i.at(entry), x.at(entry));
    }
  }
  return triplets;
}

SparseMatrix ReadMatrix(const Hdf5Reader& file, const std::string& group) {
  const std::int32_t rows = ReadScalar(file, group + "/m");
  const std::int32_t columns = ReadScalar(file, group + "/n");
  const std::int32_t nz = ReadScalar(file, group + "/nz");
  const auto damage_error = [&](const std::string& reason) {
    return FileError(Text("'", file.Path(), "': the matrix ", group, " is damaged: ", reason));
  };
  if (rows < 0 || columns < 0) throw damage_error(Text("its size is ", rows, " x ", columns));
  if (nz < kCompressedRows) throw damage_error(Text("nz = ", nz, " is not a storage form"));
  std::vector<Eigen::Triplet<double>> triplets;
  try {
    triplets = ReadTriplets(ReadAll<std::int32_t>(file, group + "/p"),
                            ReadAll<std::int32_t>(file, group + "/i"),
                            ReadAll<double>(file, group + "/x"), nz);
  } catch (const std::out_of_range&) {
    throw damage_error("an index lies beyond the end of an array");
  }
  for (const auto& entry : triplets) {
    if (entry.row() < 0 || entry.row() >= rows || entry.col() < 0 || entry.col() >= columns) {
      throw damage_error(Text("an entry at (", entry.row(), ", ", entry.col(), ") lies outside ",
                              rows, " x ", columns));
    }
  }
  SparseMatrix matrix(rows, columns);
  matrix.setFromTriplets(triplets.begin(), triplets.end());
  return matrix;
}

void RequireSupported(const Hdf5Reader& file, const std::string& root,
                      const std::string& equality_matrix) {
  const std::int32_t dimension = ReadScalar(file, root + "/spacedim");
  if (dimension != kDimension) {
    throw FileError(Text("'", file.Path(), "' is a problem in ", dimension,
                         " dimensions; only three are supported"));
  }
  if (file.Has(root + "/" + equality_matrix)) {
    throw FileError(Text("'", file.Path(), "' has equality constraints (", root, "/",
                         equality_matrix, "), which the contact solvers do not support"));
  }
}

/// Reads the title or the description. Solvers need neither, so an unreadable text is ignored.
std::string ReadText(const Hdf5Reader& file, const std::string& path) {
  try {
    return file.Has(path) ? file.Text(path) : std::string();
  } catch (const FileError&) {
    return {};
  }
}

/// Writes a text that ends with a zero, as C programs do.
void WriteText(Hdf5Writer& file, const std::string& path, const std::string& text) {
  file.Text(path, text + '\0');
}

void WriteScalar(Hdf5Writer& file, const std::string& name, std::int32_t value) {
  file.Rows<std::int32_t>(name, std::span(&value, 1), {});
}

void WriteVector(Hdf5Writer& file, const std::string& name, const Eigen::VectorXd& values) {
  file.Rows<double>(name, {values.data(), static_cast<std::size_t>(values.size())}, {});
}

void WriteMatrix(Hdf5Writer& file, const std::string& group, SparseMatrix matrix) {
  matrix.makeCompressed();
  const auto count = static_cast<std::size_t>(matrix.nonZeros());
  const auto columns = static_cast<std::size_t>(matrix.cols());
  file.MakeGroup(group);
  WriteScalar(file, group + "/m", static_cast<std::int32_t>(matrix.rows()));
  WriteScalar(file, group + "/n", static_cast<std::int32_t>(matrix.cols()));
  WriteScalar(file, group + "/nz", kCompressedColumns);
  WriteScalar(file, group + "/nzmax", static_cast<std::int32_t>(count));
  file.Rows<std::int32_t>(group + "/p", {matrix.outerIndexPtr(), columns + 1}, {});
  file.Rows<std::int32_t>(group + "/i", {matrix.innerIndexPtr(), count}, {});
  file.Rows<double>(group + "/x", {matrix.valuePtr(), count}, {});
}

void WriteProblem(Hdf5Writer& file, const std::string& root, const LocalProblem& problem) {
  WriteMatrix(file, root + "/W", problem.w);
  file.MakeGroup(root + "/vectors");
  WriteVector(file, root + "/vectors/q", problem.q);
  WriteVector(file, root + "/vectors/mu", problem.mu);
}

void WriteProblem(Hdf5Writer& file, const std::string& root, const GlobalProblem& problem) {
  WriteMatrix(file, root + "/M", problem.m);
  WriteMatrix(file, root + "/H", problem.h);
  file.MakeGroup(root + "/vectors");
  WriteVector(file, root + "/vectors/f", problem.f);
  WriteVector(file, root + "/vectors/w", problem.w);
  WriteVector(file, root + "/vectors/mu", problem.mu);
}

void WriteSolution(Hdf5Writer& file, const std::string& group, const FclibSolution& solution) {
  file.MakeGroup(group);
  if (solution.v.size() > 0) WriteVector(file, group + "/v", solution.v);
  WriteVector(file, group + "/u", solution.u);
  WriteVector(file, group + "/r", solution.r);
}

void WriteIds(Hdf5Writer& file, const FclibFile& content) {
  std::vector<std::int64_t> ids;
  std::vector<std::int32_t> walls;
  for (const ContactPair& contact : content.contacts) {
    ids.insert(ids.end(), {contact.id_a, contact.id_b});
    walls.push_back(contact.wall);
  }
  file.MakeGroup(kIds);
  file.Rows<std::int64_t>(kIds + "/bodies", content.bodies, {});
  file.MakeGroup(kIds + "/contacts");
  file.Rows<std::int64_t>(kIds + "/contacts/id", ids, {2});
  file.Rows<std::int32_t>(kIds + "/contacts/wall", walls, {});
}

void ReadIds(const Hdf5Reader& file, FclibFile& content) {
  content.bodies = ReadAll<std::int64_t>(file, kIds + "/bodies");
  const auto walls = ReadAll<std::int32_t>(file, kIds + "/contacts/wall");
  const std::string name = kIds + "/contacts/id";
  const auto ids = file.Rows<std::int64_t>(name, {2}, 0, file.CountRows(name, {2}));
  if (ids.size() != 2 * walls.size()) {
    throw FileError(Text("'", file.Path(), "': ", name, " has ", ids.size() / 2, " rows; expected ",
                         walls.size(), ", one for each contact"));
  }
  for (std::size_t j = 0; j < walls.size(); ++j) {
    content.contacts.push_back({ids[2 * j], ids[2 * j + 1], walls[j]});
  }
}

}  // namespace

FclibFile ReadFclib(const std::string& path) {
  const Hdf5Reader file(path);
  FclibFile content;
  const bool is_local = file.Has(kLocal);
  if (!is_local && !file.Has(kGlobal)) {
    throw FileError(Text("'", path, "' holds neither ", kLocal, " nor ", kGlobal));
  }
  const std::string root = is_local ? kLocal : kGlobal, vectors = root + "/vectors/";
  RequireSupported(file, root, is_local ? "V" : "G");
  content.title = ReadText(file, root + "/info/title");
  content.description = ReadText(file, root + "/info/description");
  if (is_local) {
    content.problem = LocalProblem{ReadMatrix(file, root + "/W"), ReadVector(file, vectors + "q"),
                                   ReadVector(file, vectors + "mu")};
  } else {
    content.problem = GlobalProblem{.m = ReadMatrix(file, root + "/M"),
                                    .h = ReadMatrix(file, root + "/H"),
                                    .f = ReadVector(file, vectors + "f"),
                                    .w = ReadVector(file, vectors + "w"),
                                    .mu = ReadVector(file, vectors + "mu")};
  }
  if (file.Has(kIds)) ReadIds(file, content);
  return content;
}

Eigen::VectorXd ReadFclibImpulses(const std::string& path, const std::string& group,
                                  Eigen::Index size) {
  const Hdf5Reader file(path);
  const std::string name = group + "/r";
  if (!file.Has(name)) throw FileError(Text("'", path, "' has no ", name, " to start with"));
  Eigen::VectorXd r = ReadVector(file, name);
  if (r.size() == size) return r;
  throw FileError(Text("'", path, "': ", name, " has ", r.size(), " values; expected ", size));
}

void WriteFclib(const std::string& path, const FclibFile& content) {
  const std::string root = content.IsGlobal() ? kGlobal : kLocal;
  Hdf5Writer file(Communicator::Self(), TemporaryName(path));
  file.MakeGroup(root);
  WriteScalar(file, root + "/spacedim", kDimension);
  file.MakeGroup(root + "/info");
  WriteText(file, root + "/info/title", content.title);
  WriteText(file, root + "/info/description", content.description);
  WriteText(file, root + "/info/math_info", "");
  std::visit([&](const auto& problem) { WriteProblem(file, root, problem); }, content.problem);
  if (content.solution) WriteSolution(file, kFclibSolution, *content.solution);
  if (content.guess) {
    file.MakeGroup("/guesses");
    WriteScalar(file, "/guesses/number_of_guesses", 1);
    WriteSolution(file, kFclibGuess, *content.guess);
  }
  if (!content.bodies.empty()) WriteIds(file, content);
  file.Close();
  CommitFile(path);
}

FclibFile MakeFclibFile(const ProblemRecord& record, double length, double time,
                        const std::string& kernel, const SolveReport& report) {
  constexpr int kAllDigits = 17;
  FclibFile file;
  file.problem = record.problem;
  file.title = Text("Scree: the step of ", length, " s that ends at ", time, " s");
  file.description = Text(std::setprecision(kAllDigits), "kernel ", kernel, ", ", report.sweeps,
                          " sweeps, residual_max ", report.residual_max, " m/s, residual_rms ",
                          report.residual_rms, " m/s");
  file.bodies = record.bodies;
  file.contacts = record.contacts;
  const GlobalProblem& global = record.problem;
  file.solution = {.v = record.velocities,
                   .u = global.h.transpose() * record.velocities + global.w,
                   .r = record.impulses};
  file.guess = SolutionOf(file, record.guess);
  return file;
}

DelassusProblem ContactsOf(const FclibFile& file) {
  if (file.IsGlobal()) return ReduceToContacts(std::get<GlobalProblem>(file.problem));
  const auto& [w, q, mu] = std::get<LocalProblem>(file.problem);
  return {w, q, mu};
}

FclibSolution SolutionOf(const FclibFile& file, const Eigen::VectorXd& r) {
  if (!file.IsGlobal()) {
    const auto& local = std::get<LocalProblem>(file.problem);
    return {{}, local.w * r + local.q, r};
  }
  const auto& global = std::get<GlobalProblem>(file.problem);
  const Eigen::VectorXd v = VelocitiesAfter(global, r);
  return {v, global.h.transpose() * v + global.w, r};
}

}  // namespace scree
