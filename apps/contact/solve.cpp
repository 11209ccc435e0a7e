// scree-contact solve: solves single-contact problems from the command line or from a file.
#include <array>
#include <string_view>

#include "apps/contact/commands.hpp"
#include "io/command_line/csv_input.hpp"
#include "solvers/base/check.hpp"
#include "solvers/one_contact/contact_law.hpp"
#include "solvers/one_contact/contact_restitution.hpp"

namespace scree {
namespace {

constexpr std::array<std::string_view, 3> kKernels = {"max_dissipation", "coulomb", "all-coulomb"};
constexpr std::string_view kHeader = "a11,a12,a13,a21,a22,a23,a31,a32,a33,b1,b2,b3,mu";

OneContact MakeContact(const std::string& location, std::span<const double> matrix,
                       std::span<const double> b, double mu) {
  OneContact contact;
  contact.a = Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(matrix.data());
  contact.b = Eigen::Map<const Vec3>(b.data());
  contact.mu = mu;
  const std::string defect = Defect(contact);
  if (!defect.empty()) throw InputError(location + ": " + defect);
  // The kernels read only one triangle of the matrix. If the digits were rounded, the two triangles
  // may differ slightly, so their mean is used.
  contact.a = 0.5 * (contact.a + contact.a.transpose()).eval();
  return contact;
}

std::vector<OneContact> ReadProblems(const std::string& path) {
  std::vector<OneContact> contacts;
  for (const CsvInputRow& row : ReadCsvInput(path, kHeader)) {
    const std::span<const double> numbers(row.numbers);
    contacts.push_back(
        MakeContact(row.location, numbers.first(9), numbers.subspan(9, 3), row.numbers[12]));
  }
  return contacts;
}

void AddSolution(CsvOutput& csv, std::size_t problem, int number,
                 const OneContactSolution& solution) {
  AddRow(csv, problem, number, solution.x[0], solution.x[1], solution.x[2], solution.energy,
         Name(solution.state));
}

void SolveAll(CsvOutput& csv, const std::vector<OneContact>& contacts, std::string_view kernel) {
  csv.Columns(ColumnNames("problem, solution, xn [N s], xt [N s], xo [N s], energy [J], state"));
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    if (kernel == "max_dissipation") {
      AddSolution(csv, i, 0, SolveMaxDissipation(contacts[i]));
    } else if (kernel == "coulomb") {
      AddSolution(csv, i, 0, SolveCoulomb(contacts[i]));
    } else {
      int number = 0;
      for (const OneContactSolution& solution : FindCoulombSolutions(contacts[i])) {
        AddSolution(csv, i, number++, solution);
      }
    }
  }
}

/// Writes the solutions of rebounding impacts, for both laws and each hypothesis of restitution.
void SolveRebounds(CsvOutput& csv, const std::vector<OneContact>& contacts, double restitution) {
  csv.Columns(
      ColumnNames("problem, law, hypothesis, xn [N s], xt [N s], xo [N s], vn [m/s], vt [m/s], vo "
                  "[m/s], energy [J], "
                  "compression_xn [N s]"));
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    for (const ContactLaw law : {ContactLaw::kMaxDissipation, ContactLaw::kCoulomb}) {
      for (const RestitutionHypothesis hypothesis :
           {RestitutionHypothesis::kNewton, RestitutionHypothesis::kPoisson,
            RestitutionHypothesis::kEnergetic}) {
        const ReboundingSolution solution = SolveRebound(contacts[i], law, hypothesis, restitution);
        AddRow(csv, i, Name(law), Name(hypothesis), solution.x[0], solution.x[1], solution.x[2],
               solution.velocity[0], solution.velocity[1], solution.velocity[2], solution.energy,
               solution.compression[0]);
      }
    }
  }
}

}  // namespace

void ContactSolve(AppRun& app) {
  AppOptions options(
      "scree-contact solve",
      "Solves single-contact problems: v = A x - b with A symmetric positive definite. In the\n"
      "frame (n, t, o), n points towards the body that receives the impulse x. Problems and\n"
      "solutions are counted from 0.\n"
      "all-coulomb lists the solutions that do not reduce the normal velocity\n"
      "(a_n.x >= 0), the most dissipative first. For b_n < 0 it lists only the zero impulse,\n"
      "although with large friction there are others (Painleve's paradox).");
  double restitution = 0.0;
  std::string matrix, b, mu, input, kernel = "coulomb";
  options.Add("matrix", matrix, "A, nine numbers row by row [1/kg]");
  options.Add("b", b, "three numbers [m/s]");
  options.Add("friction", mu, "friction coefficient");
  options.Add(
      "input", input,
      "CSV file of problems, instead of these three options; header " + std::string(kHeader));
  options.Add("kernel", kernel, "coulomb, max_dissipation or all-coulomb");
  options.Add(
      "restitution", restitution,
      "coefficient e, 0 to 1: solves impacts with the velocity -b before them, by Newton's,\n"
      "      Poisson's and the energetic hypothesis and both laws, instead of --kernel;\n"
      "      compression_xn is the normal impulse of the compression");
  if (!app.Parse(options)) return;
  RequireChoice("--kernel", kernel, kKernels);
  const bool is_single =
      options.IsGiven("matrix") || options.IsGiven("b") || options.IsGiven("friction");
  if (is_single == options.IsGiven("input")) {
    throw InputError("give either --matrix, --b and --friction, or --input");
  }
  const bool has_rebound = options.IsGiven("restitution");
  RequireRange("--restitution", restitution, 0.0, 1.0);
  if (has_rebound && options.IsGiven("kernel")) {
    throw InputError("--restitution and --kernel exclude each other: rebounds use both laws");
  }
  CsvOutput csv = app.Table();
  if (has_rebound) {
    csv.AddComment("restitution", restitution);
  } else {
    csv.AddComment("kernel", kernel);
  }
  std::vector<OneContact> contacts;
  if (is_single) {
    contacts.push_back(MakeContact("the problem of the command line",
                                   ReadNumbers("--matrix", matrix, 9), ReadNumbers("--b", b, 3),
                                   ReadNumber("--friction", mu)));
  } else {
    contacts = ReadProblems(input);
  }
  if (has_rebound) {
    SolveRebounds(csv, contacts, restitution);
  } else {
    SolveAll(csv, contacts, kernel);
  }
  app.Write(csv);
}

}  // namespace scree
