// Single contacts in Python (scripts/scree/solvers.py): each function solves many contacts, one per
// row.
#include <pybind11/stl.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "apps/python/bindings.hpp"
#include "solvers/one_contact/contact_block.hpp"
#include "solvers/one_contact/contact_restitution.hpp"
#include "solvers/one_contact/coulomb.hpp"
#include "solvers/one_contact/max_dissipation.hpp"

namespace scree::python {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
using Table = py::array_t<double>;

Mat3 Matrix(const double* row) {
  return Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(row);
}
Vec3 Vector(const double* row) { return Eigen::Map<const Vec3>(row); }

double* Put(const Vec3& v, double* out) {
  Eigen::Map<Vec3>{out} = v;
  return out + 3;
}
double* Put(const Mat3& m, double* out) {
  Eigen::Map<Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>{out} = m;
  return out + 9;
}
/// Writes x, v, E and the state.
double* Put(const OneContact& contact, const OneContactSolution& solution, double* out) {
  out = Put(solution.x, out);
  out = Put(VelocityAfter(contact, solution.x), out);
  *out++ = solution.energy;
  *out++ = static_cast<double>(solution.state);
  return out;
}

Table MakeTable(py::ssize_t rows, py::ssize_t columns) {
  return Table(std::vector<py::ssize_t>{rows, columns});
}

/// Numbers in the row of a contact: 9 of A, 3 of b, and μ.
constexpr py::ssize_t kContactNumbers = 13;

/// Calls solve(contact, row of the result) for each row.
/// @throws InputError naming the first row that is not a valid contact
template <class Solve>
Table ForEachContact(const Array<double>& rows, py::ssize_t columns, Solve&& solve) {
  RequireShape(rows, rows.shape(0), kContactNumbers, "contacts");
  Table result = MakeTable(rows.shape(0), columns);
  for (py::ssize_t k = 0; k < rows.shape(0); ++k) {
    const double* const row = rows.data(k, 0);
    const OneContact contact{Matrix(row), Vector(row + 9), row[12]};
    if (const char* const defect = Defect(contact); *defect != '\0') {
      throw InputError(Text("contact ", k, ": ", defect));
    }
    solve(contact, result.mutable_data(k, 0));
  }
  return result;
}

Table SolveEach(const Array<double>& rows, ContactLaw law) {
  return ForEachContact(rows, 8, [law](const OneContact& contact, double* out) {
    const bool is_coulomb = law == ContactLaw::kCoulomb;
    Put(contact, is_coulomb ? SolveCoulomb(contact) : SolveMaxDissipation(contact), out);
  });
}

/// Each row has the number of solutions, then the solutions, then NaN.
Table FindAllCoulomb(const Array<double>& rows) {
  constexpr py::ssize_t kMax = std::tuple_size_v<decltype(CoulombSolutions::values)>;
  return ForEachContact(rows, 1 + 8 * kMax, [](const OneContact& contact, double* out) {
    double* const end = out + 1 + 8 * kMax;
    const CoulombSolutions solutions = FindCoulombSolutions(contact);
    *out++ = static_cast<double>(solutions.count);
    for (const OneContactSolution& solution : solutions) out = Put(contact, solution, out);
    std::fill(out, end, kNone);
  });
}

/// Each row has the impulse of the compression, the impulse of the whole impact, and the velocity
/// and energy after it.
Table SolveRebounds(const Array<double>& rows, const Array<double>& restitution, ContactLaw law,
                    RestitutionHypothesis hypothesis) {
  RequireShape(restitution, rows.shape(0), 1, "restitution");
  const double* e = restitution.data();
  return ForEachContact(rows, 10, [&, k = 0](const OneContact& contact, double* out) mutable {
    if (!(*e >= 0.0 && *e <= 1.0)) {
      throw InputError(Text("contact ", k, ": restitution ", *e, "; expected 0 to 1"));
    }
    const ReboundingSolution solution = SolveRebound(contact, law, hypothesis, *e++);
    out = Put(solution.velocity, Put(solution.x, Put(solution.compression, out)));
    *out = solution.energy;
    ++k;
  });
}

/// The frame and A of each contact.
/// @param rows  the normal (3 numbers), then for each of the two bodies 1/m (1), I⁻¹ in world axes
///              (9) and the arm (3)
Table MakeBlocks(const Array<double>& rows) {
  constexpr py::ssize_t kBodyNumbers = 13;
  RequireShape(rows, rows.shape(0), 3 + 2 * kBodyNumbers, "bodies");
  Table result = MakeTable(rows.shape(0), 18);
  for (py::ssize_t k = 0; k < rows.shape(0); ++k) {
    const double* const a = rows.data(k, 3);
    const double* const b = a + kBodyNumbers;
    const Mat3 frame = ContactFrame(Vector(rows.data(k, 0)));
    const Mat3 block = ContactBlock(frame, {a[0], Matrix(a + 1)}, Vector(a + 10),
                                    {b[0], Matrix(b + 1)}, Vector(b + 10));
    Put(block, Put(frame, result.mutable_data(k, 0)));
  }
  return result;
}

}  // namespace

void BindSolvers(py::module_& module) {
  module.def("solve_contacts",
             [](const Array<double>& rows, int law) { return SolveEach(rows, ContactLaw{law}); });
  module.def("coulomb_solutions", &FindAllCoulomb);
  module.def("rebounds", [](const Array<double>& rows, const Array<double>& restitution, int law,
                            int hypothesis) {
    return SolveRebounds(rows, restitution, ContactLaw{law}, RestitutionHypothesis{hypothesis});
  });
  module.def("contact_blocks", &MakeBlocks);
}

}  // namespace scree::python
