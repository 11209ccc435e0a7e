// scree-restitution sweep: the data of figures 2 and 5 to 11 of Chatterjee, James & Brogliato,
// Approximate coefficient of restitution for nonlinear viscoelastic contact with external load.
#include <algorithm>
#include <array>
#include <cmath>

#include "apps/single/failed_points.hpp"
#include "apps/single/restitution_commands.hpp"
#include "solvers/base/check.hpp"
#include "solvers/restitution/restitution_expansion.hpp"

namespace scree::impact {
namespace {

constexpr ContactModel kKuwabaraKono{1.5, 1.5};
constexpr std::array kLoads = {0.0, 0.05, 1.0, 10.0};
constexpr std::array kBetas = {1.0, 1.5, 2.5};
// Kuwabara and Kono's steel balls, from the caption of figure 2.
constexpr ContactConstants kSteel{0.154, 3.6138e10, 1.5237e-6, 9.8};

double Interpolate(double from, double to, int i, int points) {
  return i + 1 == points ? to : from + (to - from) * i / (points - 1);
}

double IntegratedRestitution(const ContactModel& model, double gamma, double load) {
  return IntegrateImpact({model.alpha, model.beta, gamma, load}).restitution;
}

/// Figure 2: the dissipation γ as a function of the approach speed, and the load g̃ as a function
/// of the external force at four speeds.
void WriteScales(CsvOutput& csv, int points) {
  csv.Columns({"speed [m/s]", "force [N]", "gamma", "load"});
  const auto add = [&](double speed, double force) {
    ContactConstants constants = kSteel;
    // Rounding must not make the sum negative when the force balances the weight.
    constants.acceleration = std::max(0.0, constants.acceleration + force / constants.mass);
    const ScaledImpact impact = Scale(kKuwabaraKono, constants, speed);
    AddRow(csv, speed, force, impact.gamma, impact.load);
  };
  for (int i = 1; i <= points; ++i) add(10.0 * i / points, 0.0);
  const double weight = kSteel.mass * kSteel.acceleration;
  for (const double speed : {0.1, 0.2, 0.5, 1.0}) {
    for (int i = 0; i < points; ++i) add(speed, Interpolate(-weight, 10.0, i, points));
  }
}

/// Figure 5: e as a function of load, integrated and by (18), for three dissipations.
void WriteSmallLoads(CsvOutput& csv, double max_load, int points) {
  csv.Columns({"gamma", "load", "e", "e_first_order"});
  for (const double gamma : {1e-4, 1e-3, 1e-2}) {
    for (int i = 0; i < points; ++i) {
      const double load = Interpolate(0.0, max_load, i, points);
      AddRow(csv, gamma, load, IntegratedRestitution(kKuwabaraKono, gamma, load),
             FirstOrderRestitution(Expand(kKuwabaraKono), gamma, load));
    }
  }
}

/// Figure 6: the load beyond which bodies do not rebound.
void WriteCriticalLoads(CsvOutput& csv, int points) {
  csv.Columns({"beta", "gamma", "load", "load_by_22", "relative_error"});
  FailedPoints failed_points;
  for (const double beta : kBetas) {
    const ContactModel model{1.5, beta};
    for (int i = 0; i < points; ++i) {
      // Denser towards zero, where the paper zooms in.
      const double gamma = std::pow(static_cast<double>(i + 1) / points, 2);
      const double exact = failed_points.Try(Text("beta = ", beta, ", gamma = ", gamma),
                                             [&] { return CriticalLoad(model, gamma); });
      const double approximate = AsymptoticCriticalLoad(model, gamma);
      AddRow(csv, beta, gamma, exact, approximate, std::abs(approximate / exact - 1.0));
    }
  }
  failed_points.Report();
}

/// Figures 7 and 8: first and second order for the Kuwabara-Kono model, and their errors.
void WriteExpansions(CsvOutput& csv, double max_gamma, int points) {
  csv.Columns({"load", "gamma", "e", "e_first_order", "e_schwager_poschel", "error_first_order",
               "error_schwager_poschel"});
  for (const double load : kLoads) {
    for (int i = 0; i < points; ++i) {
      // Denser towards zero, where the paper zooms in.
      const double gamma = max_gamma * std::pow(static_cast<double>(i) / (points - 1), 2);
      const double e = IntegratedRestitution(kKuwabaraKono, gamma, load);
      const double first = FirstOrderRestitution(Expand(kKuwabaraKono), gamma, load);
      const double second = SecondOrderRestitution(SchwagerPoschel(), gamma, load);
      AddRow(csv, load, gamma, e, first, second, std::abs(first - e), std::abs(second - e));
    }
  }
}

/// Figures 9 to 11: (36) with coefficients by quadrature and by Beta sums.
/// @param max_gamma  upper limit of γ; 0: the limit is 0.1, but 1.25 times the critical γ under the
///                   load 10, where bodies do not rebound in most of [0, 0.1]
void WriteProposition(CsvOutput& csv, double beta, double max_gamma, int points) {
  csv.Columns({"load", "gamma", "e", "e_quadrature", "e_beta_sums", "e_schwager_poschel"});
  const ContactModel model{1.5, beta};
  for (const double load : kLoads) {
    const LoadIntegrals integrals = IntegrateLoad(model.alpha, beta, load);
    const LoadIntegrals sums = ApproximateLoadIntegrals(model.alpha, beta, load);
    const double max = max_gamma > 0.0 ? max_gamma
                       : load > 1.0    ? 1.25 * CriticalDissipation(model, load)
                                       : 0.1;
    for (int i = 0; i < points; ++i) {
      const double gamma = Interpolate(0.0, max, i, points);
      // Schwager and Pöschel treat only the Kuwabara-Kono model.
      const double schwager_poschel =
          beta == 1.5 ? SecondOrderRestitution(SchwagerPoschel(), gamma, load) : std::nan("");
      AddRow(csv, load, gamma, IntegratedRestitution(model, gamma, load),
             PropositionRestitution(beta, gamma, integrals),
             PropositionRestitution(beta, gamma, sums), schwager_poschel);
    }
  }
}

}  // namespace

void RestitutionSweep(AppRun& app) {
  AppOptions options(
      "scree-restitution sweep",
      "Data of figures 2 (dimensionless dissipation and load of steel balls), 5 (e against\n"
      "load), 6 (critical loads), 7 and 8 (e against dissipation, Kuwabara-Kono, by (18) and by\n"
      "(23)), and 9, 10, 11 (e against dissipation by (36): hertz-linear, kuwabara-kono,\n"
      "hunt-crossley).");
  int figure = 10, points = 201;
  double max_load = 10.0, max_gamma = 0.0;
  options.Add("figure", figure, "2, or 5 to 11; 7 and 8 have the same data");
  options.Add("points", points, "points of each curve");
  options.Add("load-to", max_load, "largest load of figure 5");
  options.Add("gamma-to", max_gamma,
              "largest dissipation of figures 7 to 11; 0: 1 in figures 7 and 8, else 0.1 (less at "
              "load 10)");
  if (!app.Parse(options)) return;
  RequireRange("--points", points, 2, 100000);
  if (figure != 5) RejectUnused(options, "load-to", "--figure 5");
  if (figure < 7) RejectUnused(options, "gamma-to", "--figure 7 to 11");
  RequireRange("--gamma-to", max_gamma, 0.0, 100.0);
  RequireAbove0("--load-to", max_load);
  CsvOutput csv = app.Table();
  if (figure == 2) {
    WriteScales(csv, points);
  } else if (figure == 5) {
    WriteSmallLoads(csv, max_load, points);
  } else if (figure == 6) {
    WriteCriticalLoads(csv, points);
  } else if (figure == 7 || figure == 8) {
    WriteExpansions(csv, max_gamma > 0.0 ? max_gamma : 1.0, points);
  } else if (figure >= 9 && figure <= 11) {
    WriteProposition(csv, kBetas[static_cast<std::size_t>(figure - 9)], max_gamma, points);
  } else {
    throw InputError(Text(
        "--figure ", figure, " is unknown; choose one of 2, 5, 6, 7, 8, 9, 10, 11",
        figure == 3 || figure == 4 ? " (3 and 4 are made by scree-restitution trajectory)" : ""));
  }
  app.Write(csv);
}

}  // namespace scree::impact
