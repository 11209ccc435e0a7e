// scree-contact academic: the problem of section 4.1 of Preclik, Eibl & Rüde, The maximum
// dissipation principle in rigid-body dynamics with purely inelastic impacts, and a hyperbola
// similar to that of its figure 4.
#include <Eigen/Geometry>
#include <array>
#include <cmath>
#include <string_view>

#include "apps/contact/commands.hpp"
#include "solvers/base/check.hpp"
#include "solvers/one_contact/angle_form.hpp"
#include "solvers/one_contact/contact_block.hpp"
#include "solvers/one_contact/contact_law.hpp"
#include "solvers/one_contact/point_body_stepper.hpp"

namespace scree {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr std::array<std::string_view, 3> kProblems = {"paper", "orthonormal", "hyperbola"};
constexpr std::array<std::string_view, 3> kTables = {"solutions", "section", "plane"};

/// A frame with the columns n, t = n × eₓ, o = n × t. The paper does not normalise t and o, and its
/// table 1 is valid only for the frame without normalisation.
Mat3 AcademicFrame(const Vec3& n, bool orthonormal) {
  Mat3 frame;
  frame.col(0) = n;
  frame.col(1) = n.cross(Vec3::UnitX());
  if (orthonormal) frame.col(1).normalize();
  frame.col(2) = n.cross(frame.col(1));
  return frame;
}

/// Six point masses on the axes; the one at +x hits an inclined plane.
OneContact AcademicProblem(bool orthonormal) {
  const PointBody body;
  const GroundPlane plane;
  const BodyInertia inertia{1.0 / Mass(body), Moments(body).cwiseInverse().asDiagonal()};
  const Mat3 frame = AcademicFrame(plane.normal, orthonormal);
  const Vec3 arm(body.distances[0], 0.0, 0.0);
  return {ContactBlock(frame, inertia, arm, {}, Vec3::Zero()),
          -frame.transpose() * kAcademicApproach, plane.mu};
}

/// A hyperbola. The energy on its branch has two minima, only one of which dissipates.
OneContact HyperbolaProblem() {
  Mat3 a;
  a << 5, 3, 2, 3, 6, 3, 2, 3, 3;
  return {a, Vec3(1, -1, -2), 1.5};
}

OneContact Problem(std::string_view name) {
  if (name == "hyperbola") return HyperbolaProblem();
  return AcademicProblem(name == "orthonormal");
}

/// Adds comments with the body and the plane, for drawings.
void AddBodyComments(CsvOutput& csv) {
  const PointBody body;
  const GroundPlane plane;
  const auto add_vector = [&](const char* name, const Vec3& x) {
    csv.AddComment(name, Text(x[0], " ", x[1], " ", x[2]));
  };
  add_vector("masses [kg]", body.masses);
  add_vector("distances [m]", body.distances);
  add_vector("normal", plane.normal);
  add_vector("approach [m/s]", kAcademicApproach);
  csv.AddComment("mu", plane.mu);
}

void AddSolution(CsvOutput& csv, std::string_view problem, const std::string& law,
                 const OneContact& contact, const Vec3& x) {
  const Vec3 v = VelocityAfter(contact, x);
  AddRow(csv, problem, law, x[0], x[1], x[2], v[0], v[1], v[2], Energy(contact, x));
}

void AddSolutions(CsvOutput& csv, std::string_view problem) {
  const OneContact contact = Problem(problem);
  const CoulombSolutions coulomb = FindCoulombSolutions(contact);
  // As in the paper, the least dissipative solution comes first.
  for (int i = coulomb.count - 1; i >= 0; --i) {
    AddSolution(csv, problem, "coulomb", contact, coulomb.values[static_cast<std::size_t>(i)].x);
  }
  AddSolution(csv, problem, "max_dissipation", contact, SolveMaxDissipation(contact).x);
  for (const double alpha : StationaryAngles(contact)) {
    if (RadialFactor(contact, alpha) <= 0.0) continue;
    AddSolution(csv, problem, "stationary", contact, PointAtAngle(contact, alpha));
  }
  AddSolution(csv, problem, "free_minimum", contact, FindStick(contact).x);  // without the cone
}

void WriteSolutions(CsvOutput& csv, const std::string& problem, bool all) {
  csv.Columns(ColumnNames(
      "problem, law, xn [N s], xt [N s], xo [N s], vn [m/s], vt [m/s], vo [m/s], energy [J]"));
  for (const std::string_view name : kProblems) {
    if (all || name == problem) AddSolutions(csv, name);
  }
}

/// The conic section and the energy on it, as functions of the angle of the friction impulse.
/// radial_factor is ≤ 0 where the friction cone does not meet the plane of maximum compression.
void WriteSection(CsvOutput& csv, const OneContact& contact, int points) {
  csv.Columns(
      ColumnNames("alpha [rad], radial_factor [N s], xn [N s], xt [N s], xo [N s], energy [J]"));
  for (int i = 0; i <= points; ++i) {
    const double alpha = kPi * (2.0 * i / points - 1.0);
    const Vec3 x = PointAtAngle(contact, alpha);
    AddRow(csv, alpha, RadialFactor(contact, alpha), x[0], x[1], x[2], Energy(contact, x));
  }
}

/// The energy on a square of the plane of maximum compression, for contour lines.
void WritePlane(CsvOutput& csv, const OneContact& contact, double extent, int points) {
  csv.Columns(ColumnNames("xt [N s], xo [N s], xn [N s], energy [J]"));
  for (int i = 0; i <= points; ++i) {
    for (int j = 0; j <= points; ++j) {
      const double t = extent * (2.0 * i / points - 1.0);
      const double o = extent * (2.0 * j / points - 1.0);
      const double n = (contact.b[0] - contact.a(0, 1) * t - contact.a(0, 2) * o) / contact.a(0, 0);
      AddRow(csv, t, o, n, Energy(contact, Vec3(n, t, o)));
    }
  }
}

}  // namespace

void ContactAcademic(AppRun& app) {
  AppOptions options(
      "scree-contact academic",
      "The single-contact problem of Preclik, Eibl and Ruede 2018, section 4.1, which has three\n"
      "Coulomb solutions, in the paper's frame, which is not orthonormal, and in an orthonormal\n"
      "one; and a hyperbola whose energy has two minima. Impulses in N s, velocities in m/s,\n"
      "energies in J.");
  std::string problem, table = "solutions";
  double extent = 8.0;
  int points = 0;
  options.Add("problem", problem, "paper, orthonormal or hyperbola; all if not given");
  options.Add(
      "table", table,
      "solutions; section: conic section and energy at each angle; plane: energy on a square");
  options.Add("extent", extent, "half the side of the square [N s]");
  options.Add("points", points, "intervals; 0: 2000 of a section, 200 along a side of the square");
  if (!app.Parse(options)) return;
  const bool all = problem.empty();
  if (!all) RequireChoice("--problem", problem, kProblems);
  RequireChoice("--table", table, kTables);
  RequireRange("--points", points, 0, 100000);
  if (table == "plane") RequireRange("--points", points, 0, 2000);
  RequireAbove0("--extent", extent);
  if (all && table != "solutions") {
    throw InputError("--table " + table + " needs one --problem: paper, orthonormal or hyperbola");
  }
  CsvOutput csv = app.Table();
  if (problem != "hyperbola") AddBodyComments(csv);
  if (table == "solutions") {
    WriteSolutions(csv, problem, all);
  } else if (table == "section") {
    WriteSection(csv, Problem(problem), points > 0 ? points : 2000);
  } else {
    WritePlane(csv, Problem(problem), extent, points > 0 ? points : 200);
  }
  app.Write(csv);
}

}  // namespace scree
