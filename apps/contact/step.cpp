// scree-contact step: simulates a rod or the academic body on the ground, with both laws. The time
// step is halved several times, which shows the limits to which the results converge.
#include <array>
#include <cmath>
#include <limits>
#include <string_view>

#include "apps/contact/commands.hpp"
#include "solvers/base/check.hpp"
#include "solvers/one_contact/point_body_stepper.hpp"
#include "solvers/one_contact/rod_stepper.hpp"

namespace scree {
namespace {

constexpr double kMaxSteps = 1e9;

constexpr std::array<std::string_view, 2> kBodies = {"rod", "academic"};
// Options only for the rod.
constexpr std::array kRodOptions = {"angle",      "mass",       "length",
                                    "velocity-x", "velocity-y", "angular-velocity"};

struct Settings {
  std::string body = "rod";
  GroundPlane plane;  // of the academic body
  Rod rod{.mu = 0.3};
  RodState start{.theta = 1.1071487177940904, .vx = -1.0};
  double height = 0.0;  // of the lower end [m]
  double end = 0.1, dt = 1e-2;
  int halvings = 8;
};

void Check(const Settings& x) {
  RequireAbove0("--mass", x.rod.mass);
  RequireAbove0("--length", x.rod.length);
  RequireAbove0("--end", x.end);
  RequireAbove0("--step", x.dt);
  for (const auto& [name, value] :
       {std::pair("--friction", x.rod.mu), {"--gravity", x.rod.gravity}, {"--height", x.height}}) {
    RequireRange(name, value, 0.0, std::numeric_limits<double>::max());
  }
  RequireRange("--halvings", x.halvings, 0, 40);
  const double steps = std::ceil(x.end / x.dt) * std::pow(2.0, x.halvings);
  if (steps > kMaxSteps) {
    throw InputError(Text("--halvings = ", x.halvings, " makes ", steps, " steps; at most ",
                          kMaxSteps, " are made"));
  }
}

/// The motion until the end in equal steps, and the losses by friction and impacts.
struct Outcome {
  RodState state;
  double normal = 0.0, tangential = 0.0;  // impulses of the ground, summed [N s]
};

Outcome Run(const Settings& x, ContactLaw law, long steps) {
  Outcome outcome{.state = x.start};
  for (long i = 0; i < steps; ++i) {
    const Vec3 impulse = StepRod(x.rod, law, x.end / static_cast<double>(steps), outcome.state);
    outcome.normal += impulse[0];
    outcome.tangential += impulse[1];
  }
  return outcome;
}

void WriteConvergence(CsvOutput& csv, const Settings& x) {
  csv.Columns(
      ColumnNames("law, dt [s], x [m], y [m], theta [rad], vx [m/s], vy [m/s], omega [rad/s], gap "
                  "[m], energy [J], "
                  "impulse_n [N s], impulse_t [N s], change [rad]"));
  for (const ContactLaw law : {ContactLaw::kMaxDissipation, ContactLaw::kCoulomb}) {
    long steps = static_cast<long>(std::ceil(x.end / x.dt));
    double last = std::nan("");
    for (int i = 0; i <= x.halvings; ++i, steps *= 2) {
      const Outcome outcome = Run(x, law, steps);
      const RodState& s = outcome.state;
      AddRow(csv, Name(law), x.end / static_cast<double>(steps), s.x, s.y, s.theta, s.vx, s.vy,
             s.omega, Gap(x.rod, s), Energy(x.rod, s), outcome.normal, outcome.tangential,
             std::abs(s.theta - last));
      last = s.theta;
    }
  }
}

/// The academic body touches the plane at the start, or starts at its height above the plane.
PointBodyState AcademicStart(const Settings& x, const PointBody& body) {
  PointBodyState state;
  state.x = x.height * x.plane.normal - Vec3(body.distances[0], 0.0, 0.0);
  state.v = kAcademicApproach;
  return state;
}

void WriteAcademicConvergence(CsvOutput& csv, const Settings& x) {
  csv.Columns(ColumnNames(
      "law, dt [s], x [m], y [m], z [m], vx [m/s], vy [m/s], vz [m/s], omega_x [rad/s], "
      "omega_y [rad/s], omega_z [rad/s], gap [m], energy [J], impulse_n [N s], "
      "impulse_t [N s], impulse_o [N s], change [rad]"));
  const PointBody body;
  for (const ContactLaw law : {ContactLaw::kMaxDissipation, ContactLaw::kCoulomb}) {
    long steps = static_cast<long>(std::ceil(x.end / x.dt));
    Eigen::Quaterniond last(0.0, 0.0, 0.0, 0.0);
    for (int i = 0; i <= x.halvings; ++i, steps *= 2) {
      const double dt = x.end / static_cast<double>(steps);
      PointBodyState s = AcademicStart(x, body);
      Vec3 impulse = Vec3::Zero();
      for (long step = 0; step < steps; ++step) {
        impulse += StepPointBody(body, x.plane, law, dt, s);
      }
      AddRow(csv, Name(law), dt, s.x[0], s.x[1], s.x[2], s.v[0], s.v[1], s.v[2], s.omega[0],
             s.omega[1], s.omega[2], Gap(body, x.plane, s), Energy(body, x.plane, s), impulse[0],
             impulse[1], impulse[2], i == 0 ? std::nan("") : s.rotation.angularDistance(last));
      last = s.rotation;
    }
  }
}

}  // namespace

void ContactStep(AppRun& app) {
  AppOptions options(
      "scree-contact step",
      "A slender rod falls, slides and hits the ground with its lower end, or the academic body\n"
      "of six point masses its inclined plane, by the impulse-velocity time step under both laws,\n"
      "with dt halved again and again. Each row is the state at --end, with the ground's impulses\n"
      "summed; change is by which angle the body turned otherwise than before the last halving.");
  Settings x;
  options.Add("body", x.body, "rod or academic");
  options.Add("angle", x.start.theta, "angle from the ground to the rod");
  options.Add("friction", x.rod.mu, "friction coefficient; of the academic body 3.7 unless given");
  options.Add("mass", x.rod.mass, "mass of the rod");
  options.Add("length", x.rod.length, "length of the rod");
  options.Add("gravity", x.rod.gravity,
              "gravity, against the plane's normal; of the academic body 0 unless given");
  options.Add("height", x.height, "of the lower end at the start");
  options.Add("velocity-x", x.start.vx, "velocity of the centre along the ground");
  options.Add("velocity-y", x.start.vy, "velocity of the centre upwards");
  options.Add("angular-velocity", x.start.omega, "angular velocity");
  options.Add("end", x.end, "simulated time");
  options.Add("step", x.dt, "first time step");
  options.Add("halvings", x.halvings, "how often it is halved");
  if (!app.Parse(options)) return;
  RequireChoice("--body", x.body, kBodies);
  Check(x);
  CsvOutput csv = app.Table();
  if (x.body == "academic") {
    for (const char* name : kRodOptions) RequireUsed(options, name, "--body rod");
    if (options.IsGiven("friction")) x.plane.mu = x.rod.mu;
    if (options.IsGiven("gravity")) x.plane.gravity = x.rod.gravity;
    csv.AddComment("mu", x.plane.mu);
    WriteAcademicConvergence(csv, x);
    app.Write(csv);
    return;
  }
  x.start.y = x.height + 0.5 * x.rod.length * std::abs(std::sin(x.start.theta));
  csv.AddComment("mu", x.rod.mu);
  WriteConvergence(csv, x);
  app.Write(csv);
}

}  // namespace scree
