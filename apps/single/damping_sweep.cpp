// scree-damping sweep: data of the figures in sections 4.2 and 5.2 of the paper on optimal linear
// damping.
#include <cmath>
#include <vector>

#include "apps/single/damping_commands.hpp"
#include "apps/single/models/damping_fit.hpp"
#include "apps/single/models/linear_damping.hpp"
#include "solvers/base/check.hpp"

namespace scree::impact {
namespace {

struct Sweep {
  int figure = 3;
  double min_e = 0.05;  // smallest e of the fits in figures 6 and 7
  int points = 0;       // values of m, v, k or e
  int n_points = 0;     // values of n in [1, 2]
};

double Interpolate(double from, double to, int i, int points) {
  return i + 1 == points ? to : from + (to - from) * i / (points - 1);
}

/// The quantity that figures 3, 4 and 5 vary: m, v or k, equally spaced as in the paper.
struct VariedQuantity {
  const char *name, *unit;
  double LinearDampingImpact::*member;
  double from, to;
  double (*exponent)(double n);  // the optimal damping grows as this power of the quantity
};
constexpr VariedQuantity kVaried[] = {
    {"m", "kg", &LinearDampingImpact::mass, 1e-5, 50.0, [](double n) { return n / (n + 1.0); }},
    {"v", "m/s", &LinearDampingImpact::speed, 0.01, 50.0,
     [](double n) { return (n - 1.0) / (n + 1.0); }},
    {"k", "N/m^n", &LinearDampingImpact::stiffness, 1e5, 1e10,
     [](double n) { return 1.0 / (n + 1.0); }},
};

/// The optimal damping c_opt as a function of one quantity, and the slope of the line fitted to the
/// logarithms of both. e is 0.7, and the two quantities that do not vary are 1.
void WritePowerLaw(CsvOutput& csv, const VariedQuantity& quantity, const Sweep& sweep) {
  constexpr double kRestitution = 0.7;
  csv.Columns(
      {"n", Text(quantity.name, " [", quantity.unit, "]"), "c [kg/s]", "slope", "exponent"});
  for (int i = 0; i < sweep.n_points; ++i) {
    const double n = Interpolate(1.0, 2.0, i, sweep.n_points);
    LinearDampingImpact impact{n};
    std::vector<double> log_x, log_c;
    for (int j = 0; j < sweep.points; ++j) {
      impact.*quantity.member = Interpolate(quantity.from, quantity.to, j, sweep.points);
      log_x.push_back(std::log(impact.*quantity.member));
      log_c.push_back(std::log(OptimalDamping(impact, kRestitution)));
    }
    const double slope = FitLine(log_x, log_c).slope;
    for (int j = 0; j < sweep.points; ++j) {
      const auto row = static_cast<std::size_t>(j);
      csv.Row({impact.n, std::exp(log_x[row]), std::exp(log_c[row]), slope,
               quantity.exponent(impact.n)});
    }
  }
}

struct Curve {
  std::vector<double> e, c;
};

Curve OptimalCurve(double n, double min_e, int points) {
  Curve curve;
  for (int i = 0; i < points; ++i) {
    curve.e.push_back(Interpolate(min_e, 1.0, i, points));
    curve.c.push_back(OptimalDamping({n}, curve.e.back()));
  }
  return curve;
}

/// Figure 6: c_opt as a function of e for m = k = v = 1, the pattern (45) fitted to it, and (49).
void WriteDampingCurves(CsvOutput& csv, const Sweep& sweep) {
  csv.Columns({"n", "e", "c [kg/s]", "c_pattern [kg/s]", "c_formula [kg/s]", "alpha", "beta"});
  for (const double n : {1.0, 1.2, 1.5, 1.8, 2.0}) {
    const Curve curve = OptimalCurve(n, sweep.min_e, sweep.points);
    const DampingFit fit = FitDampingPattern(curve.e, curve.c);
    for (std::size_t i = 0; i < curve.e.size(); ++i) {
      const double pattern = fit.alpha * std::expm1(fit.beta * std::log(curve.e[i]));
      AddRow(csv, n, curve.e[i], curve.c[i], pattern, FittedDamping({n}, curve.e[i]), fit.alpha,
             fit.beta);
    }
  }
}

/// Figure 7: α(n) and β(n), fitted for each n, and by (46) and (47); and our fits of both
/// functions.
void WriteFits(CsvOutput& csv, const Sweep& sweep) {
  std::vector<double> n, alpha, beta, max_residuals;
  for (int i = 0; i < sweep.n_points; ++i) {
    n.push_back(Interpolate(1.0, 2.0, i, sweep.n_points));
    const Curve curve = OptimalCurve(n.back(), sweep.min_e, sweep.points);
    const DampingFit fit = FitDampingPattern(curve.e, curve.c);
    alpha.push_back(fit.alpha);
    beta.push_back(fit.beta);
    max_residuals.push_back(fit.max_residual);
  }
  const auto p = FitAlpha(n, alpha);
  const BetaFit b = FitBeta(n, beta);
  csv.AddComment("alpha(n), our fit",
                 Text(p[0], " n^4 + ", p[1], " n^3 + ", p[2], " n^2 + ", p[3], " n + ", p[4]));
  csv.AddComment("beta(n), our fit", Text(b.a, " n^", b.b, " + ", b.c));
  csv.Columns({"n", "alpha", "beta", "alpha_formula", "beta_formula", "worst_residual"});
  for (std::size_t i = 0; i < n.size(); ++i) {
    AddRow(csv, n[i], alpha[i], beta[i], DampingAlpha(n[i]), DampingBeta(n[i]), max_residuals[i]);
  }
}

/// Figure 8 for n in [1, 2], figure 9 for n = 1: the restitution of the fitted damping (49), (57).
/// It depends only on n and e, so the random m, k and v of the paper are not needed here.
void WriteErrors(CsvOutput& csv, const Sweep& sweep) {
  const bool has_exponents = sweep.figure == 8;
  csv.Columns(has_exponents ? std::vector<std::string>{"n", "e", "c [kg/s]", "e_exact", "error"}
                            : std::vector<std::string>{"e", "c [kg/s]", "e_exact", "error"});
  for (int j = 0; j < (has_exponents ? sweep.n_points : 1); ++j) {
    const double n = has_exponents ? Interpolate(1.0, 2.0, j, sweep.n_points) : 1.0;
    for (int i = 0; i < sweep.points; ++i) {
      const double e = Interpolate(1e-4, 1.0, i, sweep.points);
      const double c = FittedDamping({n}, e);
      const double e_exact = RestitutionOfDamping({n}, c);
      std::vector<CsvOutput::Cell> row = {e, c, e_exact, e_exact - e};
      if (has_exponents) row.insert(row.begin(), n);
      csv.Row(row);
    }
  }
}

}  // namespace

void DampingSweep(AppRun& app) {
  AppOptions options(
      "scree-damping sweep",
      "Data of figures 3, 4, 5 (c_opt against m, v, k, and the slope of the logarithms), 6 (c_opt\n"
      "against e with the fits), 7 (alpha and beta against n), 8 and 9 (the error of the fit\n"
      "against e, for n from 1 to 2 and for n = 1). c_opt is the exact solution of (23).");
  Sweep sweep;
  options.Add("figure", sweep.figure, "3 to 9");
  options.Add("points", sweep.points, "values of m, v, k or e; 0: 200, in figures 6 and 7: 112");
  options.Add("exponents", sweep.n_points, "values of n; 0: 11, in figure 7: 41");
  options.Add(
      "restitution-min", sweep.min_e,
      "smallest e in figures 6 and 7; the paper states 0.45, but only 0.05 reproduces (46), (47)");
  if (!app.Parse(options)) return;
  RequireRange("--figure", sweep.figure, 3, 9);
  const bool uses_fits = sweep.figure == 6 || sweep.figure == 7;
  if (!uses_fits) RejectUnused(options, "restitution-min", "--figure 6 or 7");
  if (sweep.figure == 6 || sweep.figure == 9) {
    RejectUnused(options, "exponents", "--figure 3, 4, 5, 7 or 8");
  }
  if (sweep.points == 0) sweep.points = uses_fits ? 112 : 200;
  if (sweep.n_points == 0) sweep.n_points = sweep.figure == 7 ? 41 : 11;
  RequireRange("--points", sweep.points, 2, 100000);
  RequireRange("--exponents", sweep.n_points, sweep.figure == 7 ? 5 : 2, 10000);
  if (!(sweep.min_e > 0.0 && sweep.min_e < 1.0)) {
    throw InputError(Text("--restitution-min = ", sweep.min_e, " must be above 0 and below 1"));
  }
  CsvOutput csv = app.Table();
  if (sweep.figure <= 5) {
    WritePowerLaw(csv, kVaried[sweep.figure - 3], sweep);
  } else if (sweep.figure == 6) {
    WriteDampingCurves(csv, sweep);
  } else if (sweep.figure == 7) {
    WriteFits(csv, sweep);
  } else {
    WriteErrors(csv, sweep);
  }
  app.Write(csv);
}

}  // namespace scree::impact
