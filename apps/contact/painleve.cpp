// scree-contact painleve: a slender rod that slides on a plane, Painlevé's paradox (section 4.2 of
// Preclik, Eibl & Rüde, The maximum dissipation principle in rigid-body dynamics with purely
// inelastic impacts).
#include <cmath>
#include <limits>

#include "apps/contact/commands.hpp"
#include "solvers/base/check.hpp"
#include "solvers/one_contact/contact_block.hpp"
#include "solvers/one_contact/contact_law.hpp"

namespace scree {
namespace {

constexpr double kPi = 3.14159265358979323846;
// A friction coefficient this close to the threshold μ* (relative) counts as equal to it. At the
// threshold a family of solutions exists.
constexpr double kAtThreshold = 1e-12;
constexpr int kFamilyMembers = 5;

struct Rod {
  double theta = 1.1;  // angle to the plane, in ]0, π/2[ [rad]
  double mu = 1.5;
  double mass = 1.0;      // [kg]
  double length = 1.0;    // [m]
  double speed = 1.0;     // along −t [m/s]
  double gravity = 9.81;  // along −n [m/s²]
};

/// μ* = (cos θ + 1/(3 cos θ)) / sin θ. Below it a sliding rod needs no impulse.
double Threshold(double theta) {
  return (std::cos(theta) + 1.0 / (3.0 * std::cos(theta))) / std::sin(theta);
}

// n = e_y, t = eₓ, o = e_z. The rod's axis has no component along o, and its lower tip touches the
// plane on which the rod slides.
const Mat3 kFrame = (Mat3() << 0, 1, 0, 1, 0, 0, 0, 0, 1).finished();

/// From the centre to the lower tip, in (x, y, z).
Vec3 Arm(const Rod& rod) {
  return -0.5 * rod.length * Vec3(std::cos(rod.theta), std::sin(rod.theta), 0.0);
}

BodyInertia Inertia(const Rod& rod) {
  const Vec3 rod_direction = Arm(rod).normalized();
  const double inverse = 12.0 / (rod.mass * rod.length * rod.length);
  return {1.0 / rod.mass, inverse * (Mat3::Identity() - rod_direction * rod_direction.transpose())};
}

OneContact RodContact(const Rod& rod) {
  const Mat3 a = ContactBlock(kFrame, Inertia(rod), Arm(rod), {}, Vec3::Zero());
  return {a, Vec3(0.0, rod.speed, 0.0), rod.mu};
}

/// Normal acceleration of the tip without contact forces, after the impulse x: gravity and
/// n⋅(ω × (ω × r)) [m/s²]. The rod does not rotate before the impulse.
double FreeAcceleration(const Rod& rod, const Vec3& x) {
  const Vec3 arm = Arm(rod);
  const Vec3 omega = Inertia(rod).inverse_inertia * arm.cross(kFrame * x);
  return -rod.gravity + kFrame.col(0).dot(omega.cross(omega.cross(arm)));
}

/// Whether finite contact forces exist in the state after the impulse x. They exist if the tip
/// lifts off without them, if the rod sticks, or if it slides and n⋅A⋅(1, −μ v_to/‖v_to‖) > 0.
bool HasForces(const Rod& rod, const OneContact& contact, const Vec3& x) {
  const Vec3 velocity = VelocityAfter(contact, x);
  const double slip = std::hypot(velocity[1], velocity[2]);
  if (slip <= kAtThreshold * rod.speed || FreeAcceleration(rod, x) >= 0.0) return true;
  const double coefficient =
      contact.a(0, 0) -
      contact.mu / slip * (contact.a(0, 1) * velocity[1] + contact.a(0, 2) * velocity[2]);
  return coefficient > kAtThreshold * contact.a(0, 0);
}

void WriteSolutions(CsvOutput& csv, const Rod& rod) {
  const OneContact contact = RodContact(rod);
  const double threshold = Threshold(rod.theta);
  const bool at_threshold = std::abs(rod.mu - threshold) <= kAtThreshold * threshold;
  csv.Columns(ColumnNames(
      "law, solution, mu_star, ann [1/kg], ant [1/kg], att [1/kg], aoo [1/kg], xn [N s], xt [N s], "
      "xo [N s], vn [m/s], vt [m/s], vo [m/s], energy [J], forces_exist_after"));
  const auto add = [&](ContactLaw law, const std::string& solution, const Vec3& x) {
    const Vec3 v = VelocityAfter(contact, x);
    const std::int64_t forces = HasForces(rod, contact, x) ? 1 : 0;
    AddRow(csv, Name(law), solution, threshold, contact.a(0, 0), contact.a(0, 1), contact.a(1, 1),
           contact.a(2, 2), x[0], x[1], x[2], v[0], v[1], v[2], Energy(contact, x), forces);
  };
  if (at_threshold) {
    // The cone touches the plane of maximum compression along one ray, so the kernel's result would
    // depend on rounding. All impulses from zero to the sticking impulse satisfy Coulomb's law. The
    // sticking impulse dissipates most.
    const Vec3 stick = FindStick(contact).x;
    for (int i = 0; i < kFamilyMembers; ++i) {
      const double part = static_cast<double>(i) / (kFamilyMembers - 1);
      const bool last = i == kFamilyMembers - 1;
      add(ContactLaw::kCoulomb, i == 0 ? "zero" : last ? "stick" : "family", part * stick);
    }
    add(ContactLaw::kMaxDissipation, "stick", stick);
    return;
  }
  const CoulombSolutions coulomb = FindCoulombSolutions(contact);
  for (int i = coulomb.count - 1; i >= 0; --i) {
    const OneContactSolution& solution = coulomb.values[static_cast<std::size_t>(i)];
    add(ContactLaw::kCoulomb, Name(solution.state), solution.x);
  }
  const OneContactSolution dissipative = SolveMaxDissipation(contact);
  add(ContactLaw::kMaxDissipation, Name(dissipative.state), dissipative.x);
}

void WriteMap(CsvOutput& csv, Rod rod, int angles, int frictions, double mu_max) {
  csv.Columns(
      ColumnNames("theta [rad], mu, mu_star, forces_exist_before, coulomb_solutions, "
                  "max_dissipation, xn [N s], "
                  "xt [N s]"));
  for (int i = 1; i < angles; ++i) {
    rod.theta = 0.5 * kPi * i / angles;
    for (int j = 0; j <= frictions; ++j) {
      rod.mu = mu_max * j / frictions;
      const OneContact contact = RodContact(rod);
      const OneContactSolution solution = SolveMaxDissipation(contact);
      const std::int64_t forces = HasForces(rod, contact, Vec3::Zero()) ? 1 : 0;
      AddRow(csv, rod.theta, rod.mu, Threshold(rod.theta), forces,
             FindCoulombSolutions(contact).count, Name(solution.state), solution.x[0],
             solution.x[1]);
    }
  }
}

void Check(const Rod& rod) {
  if (!(rod.theta > 0.0 && rod.theta < 0.5 * kPi)) {
    throw InputError(
        Text("--angle = ", rod.theta, " is out of range: it must lie between 0 and pi/2"));
  }
  RequireRange("--friction", rod.mu, 0.0, std::numeric_limits<double>::infinity());
  RequireRange("--gravity", rod.gravity, 0.0, std::numeric_limits<double>::max());
  RequireAbove0("--mass", rod.mass);
  RequireAbove0("--length", rod.length);
  RequireAbove0("--speed", rod.speed);
}

}  // namespace

void ContactPainleve(AppRun& app) {
  AppOptions options(
      "scree-contact painleve",
      "A slender rod slides along -t with its tip on a plane, neither approaching nor\n"
      "separating. Above the threshold mu_star no finite forces exist and an impulse is needed.\n"
      "Frame: n away from the plane, t against the motion, o across. forces_exist_after is 1 if\n"
      "the motion under gravity can continue with finite forces after the impulse; these forces\n"
      "are zero if the rotation lifts the tip. With --map, forces_exist_before is the same\n"
      "without an impulse, and max_dissipation is the contact's state by that law.");
  Rod rod;
  bool map = false;
  int angles = 90, frictions = 100;
  double mu_max = 5.0;
  options.Add("angle", rod.theta, "angle between rod and plane, between 0 and pi/2");
  options.Add("friction", rod.mu, "friction coefficient");
  options.Add("mass", rod.mass, "mass of the rod");
  options.Add("length", rod.length, "length of the rod");
  options.Add("speed", rod.speed, "sliding speed");
  options.Add("gravity", rod.gravity, "gravity, for forces_exist_after");
  options.Add("map", map, "solve for many angles and frictions instead of one problem");
  options.Add("angles", angles, "number of intervals into which the map divides ]0, pi/2[");
  options.Add("frictions", frictions, "number of intervals of [0, friction-to]");
  options.Add("friction-to", mu_max, "largest friction coefficient of the map");
  if (!app.Parse(options)) return;
  Check(rod);
  for (const char* name : {"angle", "friction"}) {
    if (map && options.IsGiven(name))
      throw InputError(Text("--", name, " and --map exclude each other"));
  }
  for (const char* name : {"angles", "frictions", "friction-to"}) {
    if (!map) RejectUnused(options, name, "--map");
  }
  RequireRange("--angles", angles, 2, 10000);
  RequireRange("--frictions", frictions, 1, 10000);
  RequireAbove0("--friction-to", mu_max);
  CsvOutput csv = app.Table();
  csv.AddComment("mass [kg]", rod.mass);
  csv.AddComment("length [m]", rod.length);
  csv.AddComment("speed [m/s]", rod.speed);
  csv.AddComment("gravity [m/s^2]", rod.gravity);
  if (map) {
    WriteMap(csv, rod, angles, frictions, mu_max);
  } else {
    csv.AddComment("theta [rad]", rod.theta);
    csv.AddComment("mu", rod.mu);
    WriteSolutions(csv, rod);
  }
  app.Write(csv);
}

}  // namespace scree
