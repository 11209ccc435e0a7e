// scree-pendulum pair: two rods on level pivots, section 6 of the paper on the optimal linear
// damping of a Hertz-type contact.
#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "apps/single/impact_bodies.hpp"
#include "apps/single/models/compliant_run.hpp"
#include "apps/single/models/impact_run.hpp"
#include "apps/single/models/pendulum_pair.hpp"
#include "apps/single/pendulum_commands.hpp"
#include "solvers/base/check.hpp"

namespace scree::impact {
namespace {

constexpr std::array<std::string_view, 3> kModels = {"piecewise", "linear-damping",
                                                     "hunt-crossley"};
constexpr double kPi = 3.14159265358979323846;

struct Settings {
  PendulumPairParameters pair;
  CompliantContact contact;
  BodyOptions bodies;
  Vec2 q{kPi / 12.0, -kPi / 2.0}, w{0.0, 0.0};
  ImpactRunControl control{.end = 8.0};
  double mu = 0.0;
  std::string damping = "default";
  std::string model = "piecewise", impacts_out, force_out, paths_out;
};

void AddOptions(AppOptions& options, Settings& settings) {
  options.Add("model", settings.model,
              "piecewise: instantaneous impacts; linear-damping: f = k d^n + c d', optimal c;\n"
              "      hunt-crossley: f = k d^n + mu d^n d', mu of Flores et al.");
  options.Add("mass-1", settings.pair.m1, "mass of rod 1");
  options.Add("mass-2", settings.pair.m2, "mass of rod 2");
  options.Add("length-1", settings.pair.L1, "length of rod 1, at least L2 + a");
  options.Add("length-2", settings.pair.L2, "length of rod 2");
  options.Add("distance", settings.pair.a, "distance of the pivots");
  options.Add("gravity", settings.pair.g, "gravity");
  options.Add("restitution", settings.contact.restitution, "coefficient of restitution");
  options.Add("stiffness", settings.contact.stiffness, "stiffness of the contact");
  options.Add("exponent", settings.contact.exponent, "exponent of the contact force, 1 to 2");
  settings.bodies.AddSurfacesTo(options, "tip of rod 2", "face of rod 1");
  options.Add("damping-formula", settings.damping,
              "formula of c or mu. linear-damping: fit (49) (default), or exact;\n"
              "      hunt-crossley: hunt-crossley, lankarani-nikravesh, hu-guo, flores (default),\n"
              "      or exact");
  options.Add("friction", settings.mu, "friction coefficient of tip and face");
  options.Add("angle-1", settings.q[0], "angle of rod 1 from the downward vertical at t = 0");
  options.Add("angle-2", settings.q[1], "the same of rod 2");
  options.Add("angular-velocity-1", settings.w[0], "angular velocity of rod 1 at t = 0");
  options.Add("angular-velocity-2", settings.w[1], "the same of rod 2");
  options.Add("end", settings.control.end, "simulated time");
  options.Add("interval", settings.control.sample_step, "time between rows of the trajectory");
  options.Add("max-impacts", settings.control.max_events, "maximum number of impacts");
  options.Add("impacts", settings.impacts_out,
              "file for the table of impacts; - is standard output, which then gets no trajectory");
  options.Add("forces", settings.force_out,
              "file for force and penetration during the contacts; not with the piecewise model");
  options.Add("paths", settings.paths_out,
              "file for the paths of the impacts in impulse space; piecewise model only");
}

void Check(const Settings& settings) {
  RequireChoice("--model", settings.model, kModels);
  RequireRange("--restitution", settings.contact.restitution, 0.0, 1.0);
  RequireRange("--friction", settings.mu, 0.0, HUGE_VAL);
  CheckPendulumTimes(settings.control.end, settings.control.sample_step,
                     settings.control.max_events);
  if (settings.model == "piecewise" && !settings.force_out.empty()) {
    throw InputError(
        "--forces needs --model linear-damping or hunt-crossley: the piecewise model has impulses "
        "instead of forces");
  }
}

/// Chooses the damping by --damping-formula.
void ChooseDamping(Settings& settings) {
  if (settings.model == "linear-damping") {
    constexpr std::array<std::string_view, 3> kSources = {"default", "fit", "exact"};
    RequireChoice("--damping-formula", settings.damping, kSources);
    if (settings.damping == "exact") settings.contact.linear_source = LinearDampingSource::kExact;
    return;
  }
  std::array<std::string_view, kHysteresisFormulas.size() + 1> names = {"default"};
  std::transform(kHysteresisFormulas.begin(), kHysteresisFormulas.end(), names.begin() + 1,
                 [](HysteresisFormula formula) { return Name(formula); });
  RequireChoice("--damping-formula", settings.damping, names);
  for (const HysteresisFormula formula : kHysteresisFormulas) {
    if (settings.damping == Name(formula)) settings.contact.hysteresis_formula = formula;
  }
}

void AddNotes(CsvOutput& csv, const Settings& settings, std::size_t impacts,
              const std::string& stopped) {
  for (const auto& [name, value] : {std::pair("m1 [kg]", settings.pair.m1),
                                    {"m2 [kg]", settings.pair.m2},
                                    {"L1 [m]", settings.pair.L1},
                                    {"L2 [m]", settings.pair.L2},
                                    {"a [m]", settings.pair.a},
                                    {"g [m/s^2]", settings.pair.g},
                                    {"e", settings.contact.restitution},
                                    {"mu", settings.mu}}) {
    csv.AddComment(name, value);
  }
  csv.AddComment("model", settings.model);
  if (settings.model != "piecewise") {
    csv.AddComment("k [N/m^n]", settings.contact.stiffness);
    csv.AddComment("n", settings.contact.exponent);
    csv.AddComment("damping", settings.damping);
  }
  csv.AddComment("impacts", std::to_string(impacts));
  csv.AddComment("stopped", stopped.empty() ? "at the end of time" : stopped);
}

void WriteTrajectory(CsvOutput& csv, const PendulumPair& pair,
                     const std::vector<MotionSample>& trajectory) {
  csv.Columns(ColumnNames(
      "t [s], theta1 [rad], theta2 [rad], omega1 [rad/s], omega2 [rad/s], gap [m], energy [J], "
      "struck [J], rubbed [J], F [N], T [N], phase"));
  for (const MotionSample& x : trajectory) {
    AddRow(csv, x.t, x.q[0], x.q[1], x.w[0], x.w[1], pair.Contact(x.q, x.w).gap,
           pair.Energy(x.q, x.w), x.balance.struck, x.balance.rubbed, x.normal, x.tangential,
           Name(x.phase));
  }
}

// The columns of rigid and compliant impacts. Columns that do not apply are empty.
const char kImpactColumns[] =
    "impact, t [s], mode, theta1 [rad], theta2 [rad], omega1_before [rad/s], omega2_before "
    "[rad/s], "
    "omega1_after [rad/s], omega2_after [rad/s], contact_distance [m], effective_mass [kg], "
    "speed_in [m/s], speed_out [m/s], restitution, impulse [N s], friction_impulse [N s], "
    "energy_before [J], energy_after [J], energy_lost [J], friction_loss [J], duration [s], "
    "damping, "
    "greatest_penetration [m], separation_penetration [m], greatest_force [N], then";

void WriteImpacts(CsvOutput& csv, const PendulumPair& pair, const ImpactRun& run) {
  csv.Columns(ColumnNames(kImpactColumns));
  const std::string empty;
  std::int64_t number = 0;
  for (const Impact& x : run.impacts) {
    AddRow(csv, ++number, x.t, Name(x.solution.mode), x.q[0], x.q[1], x.velocity_before[0],
           x.velocity_before[1], x.velocity_after[0], x.velocity_after[1], pair.DistanceAlong(x.q),
           1.0 / x.problem.gamma, -x.problem.c, x.solution.c, x.solution.c / -x.problem.c,
           x.solution.normal, x.solution.tangential, x.energy_before, x.energy_after,
           x.energy_before - x.energy_after, -x.solution.friction_work, empty, empty, empty, empty,
           empty, Name(x.next_phase));
  }
}

void WriteImpacts(CsvOutput& csv, const PendulumPair& pair, const CompliantRun& run,
                  const std::string& model) {
  csv.Columns(ColumnNames(kImpactColumns));
  using Cell = CsvOutput::Cell;
  std::int64_t number = 0;
  for (const CompliantImpact& x : run.impacts) {
    const Cell empty = std::string();
    const bool has_rebound = x.has_separated && !x.is_held_closed;
    AddRow(csv, ++number, x.t, model, x.q[0], x.q[1], x.velocity_before[0], x.velocity_before[1],
           x.velocity_after[0], x.velocity_after[1], pair.DistanceAlong(x.q), x.effective_mass,
           x.speed_in, x.has_separated ? Cell(x.speed_out) : empty,
           has_rebound ? Cell(x.speed_out / x.speed_in) : empty, x.impulse, x.friction_impulse,
           x.energy_before, x.energy_after, x.energy_before - x.energy_after, x.friction_loss,
           x.duration, x.damping, x.max_penetration, x.separation_penetration, x.max_force,
           x.has_separated ? "flight" : "contact");
  }
}

void WriteForces(CsvOutput& csv, const CompliantRun& run) {
  csv.Columns(ColumnNames("impact, t [s], penetration [m], speed [m/s], force [N]"));
  std::int64_t number = 0;
  for (const CompliantImpact& x : run.impacts) {
    ++number;
    for (const ForceSample& y : x.force) {
      AddRow(csv, number, y.t, y.penetration, y.speed, y.force);
    }
  }
}

void RunPiecewise(const AppRun& app, const Settings& settings, const PendulumPair& pair) {
  const ImpactRun run = RunWithImpacts(
      pair, {settings.q, settings.w, settings.mu, settings.contact.restitution}, settings.control);
  CsvOutput trajectory = app.Table(), impacts = app.Table();
  AddNotes(trajectory, settings, run.impacts.size(), run.stop_reason);
  AddNotes(impacts, settings, run.impacts.size(), run.stop_reason);
  WriteTrajectory(trajectory, pair, run.trajectory);
  WriteImpacts(impacts, pair, run);
  WriteImpulsePaths(app, run.impacts, settings.paths_out);
  WritePendulumTables(app, trajectory, impacts, settings.impacts_out);
  ReportPendulumStop(run.trajectory.back().t, run.stop_reason);
}

void RunContinuous(const AppRun& app, const Settings& settings, const PendulumPair& pair) {
  const CompliantRun run =
      RunCompliant(pair, settings.contact, settings.q, settings.w, settings.control);
  CsvOutput trajectory = app.Table(), impacts = app.Table(), forces = app.Table();
  for (CsvOutput* csv : {&trajectory, &impacts, &forces}) {
    AddNotes(*csv, settings, run.impacts.size(), run.stop_reason);
  }
  WriteTrajectory(trajectory, pair, run.trajectory);
  WriteImpacts(impacts, pair, run, settings.model);
  if (!settings.force_out.empty()) {
    WriteForces(forces, run);
    forces.Write(settings.force_out);
  }
  WritePendulumTables(app, trajectory, impacts, settings.impacts_out);
  ReportPendulumStop(run.trajectory.back().t, run.stop_reason);
}

}  // namespace

void PendulumPairCommand(AppRun& app) {
  AppOptions options(
      "scree-pendulum pair",
      "Two uniform rods hang from pivots of equal height, pivot 2 at the distance a left of pivot\n"
      "1. The tip of rod 2 strikes the face of rod 1. Angles are counter-clockwise from the\n"
      "downward vertical. energy + rubbed + struck is constant except during a compliant contact,\n"
      "whose spring stores energy.");
  Settings settings;
  AddOptions(options, settings);
  if (!app.Parse(options)) return;
  app.RequireDifferentFiles({{"impacts", settings.impacts_out},
                             {"forces", settings.force_out},
                             {"paths", settings.paths_out}});
  Check(settings);
  if (settings.model == "piecewise") {
    for (const char* name :
         {"stiffness", "exponent", "damping-formula", "material", "radius", "young", "poisson",
          "material-b", "radius-b", "young-b", "poisson-b"}) {
      RejectUnused(options, name, "--model linear-damping or hunt-crossley");
    }
  }
  if (settings.model != "piecewise") {
    RejectUnused(options, "paths", "--model piecewise");
    if (settings.bodies.IsGiven(options)) {
      settings.contact.stiffness =
          settings.bodies.MakeStiffness(options, "stiffness", settings.contact.exponent);
    }
    settings.contact.mu = settings.mu;
    ChooseDamping(settings);
  }
  const PendulumPair pair(settings.pair, settings.q);
  if (settings.model == "piecewise") return RunPiecewise(app, settings, pair);
  settings.contact.model = settings.model == "linear-damping" ? CompliantModel::kLinearDamping
                                                              : CompliantModel::kHuntCrossley;
  RunContinuous(app, settings, pair);
}

}  // namespace scree::impact
