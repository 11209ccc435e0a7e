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
  double height = 0.0;  // of the point that hits the ground, at the start [m]
  double end = 0.1, dt = 1e-2;
  int halvings = 8;
};

void Check(const Settings& settings) {
  RequireAbove0("--mass", settings.rod.mass);
  RequireAbove0("--length", settings.rod.length);
  RequireAbove0("--end", settings.end);
  RequireAbove0("--step", settings.dt);
  for (const auto& [name, value] : {std::pair("--friction", settings.rod.mu),
                                    {"--gravity", settings.rod.gravity},
                                    {"--height", settings.height}}) {
    RequireRange(name, value, 0.0, std::numeric_limits<double>::max());
  }
  RequireRange("--halvings", settings.halvings, 0, 40);
  const double steps = std::ceil(settings.end / settings.dt) * std::pow(2.0, settings.halvings);
  if (steps > kMaxSteps) {
    throw InputError(Text("--halvings = ", settings.halvings, " makes ", steps, " steps; at most ",
                          kMaxSteps, " are allowed"));
  }
}

/// The state at the end, and the impulses of the ground until then.
struct Outcome {
  RodState state;
  double normal = 0.0, tangential = 0.0;  // impulses of the ground, summed [N s]
};

Outcome Run(const Settings& settings, ContactLaw law, long steps) {
  Outcome outcome{.state = settings.start};
  for (long i = 0; i < steps; ++i) {
    const Vec3 impulse =
        StepRod(settings.rod, law, settings.end / static_cast<double>(steps), outcome.state);
    outcome.normal += impulse[0];
    outcome.tangential += impulse[1];
  }
  return outcome;
}

void WriteConvergence(CsvOutput& csv, const Settings& settings) {
  csv.Columns(
      ColumnNames("law, dt [s], x [m], y [m], theta [rad], vx [m/s], vy [m/s], omega [rad/s], gap "
                  "[m], energy [J], "
                  "impulse_n [N s], impulse_t [N s], change [rad]"));
  for (const ContactLaw law : {ContactLaw::kMaxDissipation, ContactLaw::kCoulomb}) {
    long steps = static_cast<long>(std::ceil(settings.end / settings.dt));
    double last = std::nan("");
    for (int i = 0; i <= settings.halvings; ++i, steps *= 2) {
      const Outcome outcome = Run(settings, law, steps);
      const RodState& state = outcome.state;
      AddRow(csv, Name(law), settings.end / static_cast<double>(steps), state.x, state.y,
             state.theta, state.vx, state.vy, state.omega, Gap(settings.rod, state),
             Energy(settings.rod, state), outcome.normal, outcome.tangential,
             std::abs(state.theta - last));
      last = state.theta;
    }
  }
}

/// The academic body starts with its point on the positive x axis at --height above the plane.
PointBodyState AcademicStart(const Settings& settings, const PointBody& body) {
  PointBodyState state;
  state.x = settings.height * settings.plane.normal - Vec3(body.distances[0], 0.0, 0.0);
  state.v = kAcademicApproach;
  return state;
}

void WriteAcademicConvergence(CsvOutput& csv, const Settings& settings) {
  csv.Columns(ColumnNames(
      "law, dt [s], x [m], y [m], z [m], vx [m/s], vy [m/s], vz [m/s], omega_x [rad/s], "
      "omega_y [rad/s], omega_z [rad/s], gap [m], energy [J], impulse_n [N s], "
      "impulse_t [N s], impulse_o [N s], change [rad]"));
  const PointBody body;
  for (const ContactLaw law : {ContactLaw::kMaxDissipation, ContactLaw::kCoulomb}) {
    long steps = static_cast<long>(std::ceil(settings.end / settings.dt));
    Eigen::Quaterniond last(0.0, 0.0, 0.0, 0.0);
    for (int i = 0; i <= settings.halvings; ++i, steps *= 2) {
      const double dt = settings.end / static_cast<double>(steps);
      PointBodyState state = AcademicStart(settings, body);
      Vec3 impulse = Vec3::Zero();
      for (long step = 0; step < steps; ++step) {
        impulse += StepPointBody(body, settings.plane, law, dt, state);
      }
      AddRow(csv, Name(law), dt, state.x[0], state.x[1], state.x[2], state.v[0], state.v[1],
             state.v[2], state.omega[0], state.omega[1], state.omega[2],
             Gap(body, settings.plane, state), Energy(body, settings.plane, state), impulse[0],
             impulse[1], impulse[2], i == 0 ? std::nan("") : state.rotation.angularDistance(last));
      last = state.rotation;
    }
  }
}

}  // namespace

void ContactStep(AppRun& app) {
  AppOptions options(
      "scree-contact step",
      "A slender rod falls, slides and hits the ground with its lower end; or the academic body\n"
      "(Preclik, Eibl and Ruede 2018, section 4.1) hits an inclined plane with one of its six\n"
      "point masses. Each law is simulated with the impulse-velocity time step, which is halved\n"
      "again and again. Each row has the state at --end and the sums of the ground's impulses\n"
      "along the normal (impulse_n) and the tangents (impulse_t and, for the academic body,\n"
      "impulse_o). change is the angle between the orientations at --end of this row and the row\n"
      "before.");
  Settings settings;
  options.Add("body", settings.body, "rod or academic");
  options.Add("angle", settings.start.theta, "angle from the ground to the rod");
  options.Add("friction", settings.rod.mu,
              "friction coefficient; default for the academic body: 3.7");
  options.Add("mass", settings.rod.mass, "mass of the rod");
  options.Add("length", settings.rod.length, "length of the rod");
  options.Add("gravity", settings.rod.gravity,
              "gravity, against the plane's normal; default for the academic body: 0");
  options.Add("height", settings.height,
              "height above the ground, at the start, of the lower end or the point that hits");
  options.Add("velocity-x", settings.start.vx, "velocity of the centre along the ground");
  options.Add("velocity-y", settings.start.vy, "velocity of the centre upwards");
  options.Add("angular-velocity", settings.start.omega, "angular velocity");
  options.Add("end", settings.end, "simulated time");
  options.Add("step", settings.dt, "first time step");
  options.Add("halvings", settings.halvings, "how often the step is halved");
  if (!app.Parse(options)) return;
  RequireChoice("--body", settings.body, kBodies);
  Check(settings);
  CsvOutput csv = app.Table();
  if (settings.body == "academic") {
    for (const char* name : kRodOptions) RejectUnused(options, name, "--body rod");
    if (options.IsGiven("friction")) settings.plane.mu = settings.rod.mu;
    if (options.IsGiven("gravity")) settings.plane.gravity = settings.rod.gravity;
    csv.AddComment("mu", settings.plane.mu);
    WriteAcademicConvergence(csv, settings);
    app.Write(csv);
    return;
  }
  settings.start.y =
      settings.height + 0.5 * settings.rod.length * std::abs(std::sin(settings.start.theta));
  csv.AddComment("mu", settings.rod.mu);
  WriteConvergence(csv, settings);
  app.Write(csv);
}

}  // namespace scree
