// scree-pendulum obstacle: the double pendulum of Sypniewska-Kamińska, Starosta & Awrejcewicz,
// Motion of double pendulum colliding with an obstacle of rough surface.
#include <array>
#include <cmath>
#include <limits>
#include <string_view>

#include "apps/single/models/double_pendulum.hpp"
#include "apps/single/models/impact_run.hpp"
#include "apps/single/pendulum_commands.hpp"
#include "solvers/base/check.hpp"

namespace scree::impact {
namespace {

constexpr std::array<std::string_view, 2> kMethods = {"dense", "paper"};
constexpr double kDegree = 3.14159265358979323846 / 180.0;
// Penetration at the start that counts as touching, because angles are rounded to 17 digits [m].
constexpr double kGapRounding = 1e-12;

struct Settings {
  DoublePendulumParameters pendulum;
  ImpactRunStart start{Vec2(140.0 * kDegree, -90.0 * kDegree), Vec2(1.2, -0.5), 0.15, 0.9};
  ImpactRunControl control{.end = 6.0};
  std::string method = "dense", impacts_out, paths_out;
  double step = 1e-3;
  bool has_no_obstacle = false;
};

void AddOptions(AppOptions& options, Settings& settings) {
  DoublePendulumParameters& p = settings.pendulum;
  options.Add("mass-1", p.m1, "mass of the rod OA");
  options.Add("mass-2", p.m2, "mass of the second rod with its disk");
  options.Add("length-1", p.l1, "length of the rod OA");
  options.Add("length-2", p.l2, "length of the second rod, up to the disk");
  options.Add("radius", p.r, "radius of the disk");
  options.Add("centre", p.lc, "distance of the second centre of mass from A");
  options.Add("inertia-1", p.I1, "moment of inertia of the rod OA about its centre");
  options.Add("inertia-2", p.I2, "the same of the second rod with its disk");
  options.Add("depth", p.D, "depth of the obstacle below O, between l1 and l1 + l2 + 2r");
  options.Add("free", settings.has_no_obstacle, "no obstacle: the pendulum swings freely");
  options.Add("gravity", p.g, "gravity");
  options.Add("joint-damping-1", p.c1, "damping of the joint O");
  options.Add("joint-damping-2", p.c2, "damping of the joint A");
  options.Add("drive-torque-1", p.M01, "amplitude of the driving torque M01 cos(Omega1 t) on OA");
  options.Add("drive-torque-2", p.M02, "the same on the second rod");
  options.Add("drive-frequency-1", p.Omega1, "angular frequency of the first torque");
  options.Add("drive-frequency-2", p.Omega2, "angular frequency of the second torque");
  options.Add("friction", settings.start.mu, "friction coefficient of obstacle and disk");
  options.Add("restitution", settings.start.restitution, "coefficient of restitution (Poisson)");
  options.Add("angle-1", settings.start.q[0], "angle of OA from the downward vertical at t = 0");
  options.Add("angle-2", settings.start.q[1], "the same of the second rod");
  options.Add("angular-velocity-1", settings.start.w[0], "angular velocity of OA at t = 0");
  options.Add("angular-velocity-2", settings.start.w[1], "the same of the second rod");
  options.Add("end", settings.control.end, "simulated time");
  options.Add("interval", settings.control.sample_step, "time between rows of the trajectory");
  options.Add("method", settings.method,
              "dense: Dormand-Prince to 1e-13, impacts located on its dense output;\n"
              "      paper: Runge-Kutta of order 4 with step h, impacts by linear interpolation");
  options.Add("step", settings.step, "step of --method paper");
  options.Add("rest-speed", settings.control.rest_speed,
              "a rebound slower than this ends a series of impacts");
  options.Add("max-impacts", settings.control.max_events,
              "maximum number of impacts and of changes between flight, slip and stick");
  options.Add("impacts", settings.impacts_out,
              "file for the table of impacts; - is standard output, which then gets no trajectory");
  options.Add("paths", settings.paths_out, "file for the paths of the impacts in impulse space");
}

void Check(const Settings& settings) {
  RequireRange("--friction", settings.start.mu, 0.0, HUGE_VAL);
  RequireRange("--restitution", settings.start.restitution, 0.0, 1.0);
  RequireChoice("--method", settings.method, kMethods);
  CheckPendulumTimes(settings.control.end, settings.control.sample_step,
                     settings.control.max_events);
  RequireAbove0("--step", settings.step);
  RequireAbove0("--rest-speed", settings.control.rest_speed);
}

void CheckStart(const DoublePendulum& pendulum, const Settings& settings) {
  const double gap = pendulum.Contact(settings.start.q, settings.start.w).gap;
  if (gap >= -kGapRounding) return;
  throw InputError(Text("--angle-1 = ", settings.start.q[0],
                        " and --angle-2 = ", settings.start.q[1], " put the disk ", -gap,
                        " m into the obstacle; the disk must start above it"));
}

/// Steps longer than a small part of a swing would create energy and miss the obstacle.
void CheckStep(const DoublePendulum& pendulum, const Settings& settings) {
  const double max_step = pendulum.LongestStep();
  if (settings.step <= max_step) return;
  throw InputError(Text("--step = ", settings.step, " must be at most ", max_step,
                        " s, a twentieth of a swing or of a period of the drive"));
}

void AddNotes(CsvOutput& csv, const Settings& settings, const ImpactRun& run) {
  const DoublePendulumParameters& p = settings.pendulum;
  for (const auto& [name, value] : {std::pair("m1 [kg]", p.m1),
                                    {"m2 [kg]", p.m2},
                                    {"l1 [m]", p.l1},
                                    {"l2 [m]", p.l2},
                                    {"r [m]", p.r},
                                    {"lc [m]", p.lc},
                                    {"I1 [kg m^2]", p.I1},
                                    {"I2 [kg m^2]", p.I2},
                                    {"D [m]", p.D},
                                    {"g [m/s^2]", p.g},
                                    {"c1 [N m s]", p.c1},
                                    {"c2 [N m s]", p.c2},
                                    {"M01 [N m]", p.M01},
                                    {"M02 [N m]", p.M02},
                                    {"Omega1 [rad/s]", p.Omega1},
                                    {"Omega2 [rad/s]", p.Omega2},
                                    {"mu", settings.start.mu},
                                    {"k", settings.start.restitution}}) {
    csv.AddComment(name, value);
  }
  csv.AddComment("method",
                 settings.method == "paper" ? Text("paper, h = ", settings.step) : settings.method);
  csv.AddComment("impacts", std::to_string(run.impacts.size()));
  csv.AddComment("stopped", run.stop_reason.empty() ? "at the end of time" : run.stop_reason);
}

void WriteTrajectory(CsvOutput& csv, const DoublePendulum& pendulum, const ImpactRun& run) {
  csv.Columns(ColumnNames(
      "t [s], psi1 [rad], psi2 [rad], omega1 [rad/s], omega2 [rad/s], gap [m], s [m/s], c [m/s], "
      "energy [J], supplied [J], damped [J], rubbed [J], struck [J], R [N], P [N], H [N], V [N], F "
      "[N], "
      "T [N], phase"));
  for (const MotionSample& x : run.trajectory) {
    const ContactGeometry contact = pendulum.Contact(x.q, x.w);
    const JointLoads j = pendulum.Reactions(x.q, x.w, x.acceleration, x.normal, x.tangential);
    using Cell = CsvOutput::Cell;
    AddRow(csv, x.t, x.q[0], x.q[1], x.w[0], x.w[1],
           std::isfinite(contact.gap) ? Cell(contact.gap) : Cell(std::string()),
           contact.sliding.dot(x.w), contact.opening.dot(x.w), pendulum.Energy(x.q, x.w),
           x.balance.supplied, x.balance.damped, x.balance.rubbed, x.balance.struck, j.R, j.P, j.H,
           j.V, x.normal, x.tangential, Name(x.phase));
  }
}

void WriteImpacts(CsvOutput& csv, const DoublePendulum& pendulum, const ImpactRun& run) {
  csv.Columns(ColumnNames(
      "impact, t [s], mode, path, psi1 [rad], psi2 [rad], omega1_before [rad/s], omega2_before "
      "[rad/s], omega1_after [rad/s], omega2_after [rad/s], s_before [m/s], c_before [m/s], "
      "s_after "
      "[m/s], c_after [m/s], alpha [1/kg], epsilon [1/kg], gamma [1/kg], F [N s], T [N s], R [N "
      "s], "
      "P [N s], H [N s], V [N s], energy_before [J], energy_after [J], energy_lost [J], "
      "compression_work [J], restitution_work [J], friction_work [J], energetic_restitution, "
      "then"));
  std::int64_t number = 0;
  for (const Impact& x : run.impacts) {
    const RouthProblem& p = x.problem;
    const RouthSolution& y = x.solution;
    const JointLoads j = pendulum.ReactionImpulses(x.q, x.velocity_after - x.velocity_before,
                                                   y.normal, y.tangential);
    AddRow(csv, ++number, x.t, Name(y.mode), RouthPath(y), x.q[0], x.q[1], x.velocity_before[0],
           x.velocity_before[1], x.velocity_after[0], x.velocity_after[1], p.s, p.c, y.s, y.c,
           p.alpha, p.epsilon, p.gamma, y.normal, y.tangential, j.R, j.P, j.H, j.V, x.energy_before,
           x.energy_after, x.energy_before - x.energy_after, y.compression_work, y.restitution_work,
           y.friction_work, EnergeticRestitution(y), Name(x.next_phase));
  }
}

}  // namespace

void PendulumObstacle(AppRun& app) {
  AppOptions options(
      "scree-pendulum obstacle",
      "A double pendulum hangs from O; the disk at its end may hit the rough plane at depth D.\n"
      "Angles are counter-clockwise from the downward vertical. The axis of s and T points left,\n"
      "the axis of c and F up. The joint O acts on the rod OA with the forces R to the right and\n"
      "P up, the joint A with H to the left and V up.\n"
      "energy + damped + rubbed + struck - supplied is constant.\n"
      "path has one character for each stretch of an impact: its direction of slip, + or -, or K\n"
      "if it sticks; | marks the largest compression. Defaults are the paper's.");
  Settings settings;
  AddOptions(options, settings);
  if (!app.Parse(options)) return;
  app.RequireDifferentFiles({{"impacts", settings.impacts_out}, {"paths", settings.paths_out}});
  Check(settings);
  if (settings.has_no_obstacle) {
    for (const char* name :
         {"depth", "friction", "restitution", "rest-speed", "impacts", "paths"}) {
      RejectUnused(options, name, "an obstacle, so leave out --free");
    }
    settings.pendulum.D = std::numeric_limits<double>::infinity();
  }
  const DoublePendulum pendulum(settings.pendulum);
  CheckStart(pendulum, settings);
  if (settings.method != "paper") RejectUnused(options, "step", "--method paper");
  if (settings.method == "paper") {
    CheckStep(pendulum, settings);
    settings.control.fixed_step = settings.step;
  }
  const ImpactRun run = RunWithImpacts(pendulum, settings.start, settings.control);

  CsvOutput trajectory = app.Table(), impacts = app.Table();
  AddNotes(trajectory, settings, run);
  AddNotes(impacts, settings, run);
  WriteTrajectory(trajectory, pendulum, run);
  WriteImpacts(impacts, pendulum, run);
  WriteImpulsePaths(app, run.impacts, settings.paths_out);
  WritePendulumTables(app, trajectory, impacts, settings.impacts_out);
  ReportPendulumStop(run.trajectory.back().t, run.stop_reason);
}

}  // namespace scree::impact
