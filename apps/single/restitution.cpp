// scree-restitution: the coefficient of restitution of viscoelastic contacts under load.
#include "apps/single/restitution_commands.hpp"

#include <algorithm>

#include "apps/single/restitution_model.hpp"
#include "solvers/base/check.hpp"
#include "solvers/restitution/restitution_expansion.hpp"

namespace scree::impact {

// ---- cor: the restitution of one impact, integrated and by the closed forms.

namespace {

void WriteMethods(CsvOutput& csv, const ScaledImpact& impact, const ImpactResult& result,
                  const LoadIntegrals& sums) {
  const ContactModel model{impact.alpha, impact.beta};
  const double gamma = impact.gamma, load = impact.load;
  const LoadIntegrals integrals = IntegrateLoad(model.alpha, model.beta, load);
  csv.Columns({"method", "e", "error"});
  const auto add = [&](const char* method, double e) {
    AddRow(csv, method, e, e - result.restitution);
  };
  add("integrated", result.restitution);
  add("eq. (36), quadrature", PropositionRestitution(model.beta, gamma, integrals));
  add("eq. (36), Beta sums (53)", PropositionRestitution(model.beta, gamma, sums));
  add("eq. (46)", SecondOrderRestitution(Expand(model), gamma, load));
  add("eq. (18)", FirstOrderRestitution(Expand(model), gamma, load));
  if (load > 0.0) add("eq. (21), large load", LargeLoadRestitution(model, gamma, load));
}

/// Writes the coefficients of the closed forms by the paper's names.
void NoteCoefficients(CsvOutput& csv, const ScaledImpact& impact, const LoadIntegrals& sums,
                      int nodes) {
  const LoadIntegrals integrals = IntegrateLoad(impact.alpha, impact.beta, impact.load);
  const ExpansionCoefficients c = Expand({impact.alpha, impact.beta});
  const double beta = impact.beta;
  csv.AddComment("u_M", MaxDeformation(impact.alpha, impact.load));
  csv.AddComment("I0", integrals.i0);
  csv.AddComment("Q0", integrals.q0);
  csv.AddComment(Text("I0 by Beta sums, n = ", nodes), sums.i0);
  csv.AddComment(Text("Q0 by Beta sums, n = ", nodes), sums.q0);
  csv.AddComment("A1", beta * integrals.i0);  // (42)
  csv.AddComment("A2", beta * beta * integrals.i0 * (0.5 * integrals.i0 - integrals.q0));
  csv.AddComment("C0", c.c0);
  csv.AddComment("C1", c.c1);
  csv.AddComment("C2", c.c2);
}

}  // namespace

void RestitutionCor(AppRun& app) {
  AppOptions options(
      "scree-restitution cor",
      "The coefficient of restitution of one impact: integrated, and by the closed forms with\n"
      "their errors. The closed forms are for impacts that end at deformation zero.");
  ImpactOptions impact_options;
  int nodes = 21;
  impact_options.AddTo(options);
  options.Add("nodes", nodes, "degree of the interpolation behind the Beta sums of (53), odd");
  if (!app.Parse(options)) return;
  RequireRange("--nodes", nodes, 3, 41);
  if (nodes % 2 == 0) throw InputError(Text("--nodes = ", nodes, " must be odd"));
  const ScaledImpact impact = impact_options.Impact(options);
  const ImpactScales scales = impact_options.Scales(options);
  const bool in_units = impact_options.IsGivenInUnits(options);
  const ImpactResult result = IntegrateImpact(impact, kImpactTolerance, OnCapture::kFollow);
  const double limit =
      PropositionLimit(impact.beta, IntegrateLoad(impact.alpha, impact.beta, impact.load));
  CsvOutput csv = app.Table();
  csv.AddComment("alpha", impact.alpha);
  csv.AddComment("beta", impact.beta);
  csv.AddComment("gamma", impact.gamma);
  csv.AddComment("load", impact.load);
  csv.AddComment("detached", result.detached ? "yes" : "no");
  csv.AddComment("1 - e^2", result.loss);
  csv.AddComment("energy lost" + InUnit(in_units, "J"), 0.5 * impact_options.mass(options) *
                                                            impact_options.speed() *
                                                            impact_options.speed() * result.loss);
  csv.AddComment("duration" + InUnit(in_units, "s"), result.duration * scales.time);
  csv.AddComment("largest deformation" + InUnit(in_units, "m"),
                 result.max_deformation * scales.length);
  csv.AddComment("deformation at the end" + InUnit(in_units, "m"),
                 result.end_deformation * scales.length);
  csv.AddComment(
      "largest force" + InUnit(in_units, "N"),
      MaxForce(impact) * impact_options.mass(options) * impact_options.speed() / scales.time);
  const LoadIntegrals sums =
      ApproximateLoadIntegrals(impact.alpha, impact.beta, impact.load, nodes);
  NoteCoefficients(csv, impact, sums, nodes);
  csv.AddComment("gamma up to which (37) falls", limit);
  WriteMethods(csv, impact, result, sums);
  app.Write(csv);
  if (impact.gamma > limit) {
    std::fprintf(stderr,
                 "warning: gamma = %g is beyond 1/(2 beta Q0) = %g, where (37) starts to rise: "
                 "only the integrated value is valid\n",
                 impact.gamma, limit);
  }
}

// ---- trajectory: one impact as a function of time, figures 3 and 4.

void RestitutionTrajectory(AppRun& app) {
  AppOptions options(
      "scree-restitution trajectory",
      "Deformation, velocity of deformation and contact force during one impact, until the body\n"
      "detaches, reverses a second time without detaching, or is at rest. The values are\n"
      "dimensionless, or in SI units if the contact's constants are given. Figure 3:\n"
      "--gamma 0.006 --load 0.1; figure 4: --gamma 0.06 --load 4.");
  ImpactOptions impact_options;
  int parts = 4;
  impact_options.AddTo(options);
  options.Add("parts", parts, "points for each step of the integrator");
  if (!app.Parse(options)) return;
  RequireRange("--parts", parts, 1, 1000);
  const ScaledImpact impact = impact_options.Impact(options);
  const ImpactScales scales = impact_options.Scales(options);
  const double speed = impact_options.speed();
  const double force = impact_options.mass(options) * speed / scales.time;
  CsvOutput csv = app.Table();
  csv.AddComment("gamma", impact.gamma);
  csv.AddComment("load", impact.load);
  const bool in_units = impact_options.IsGivenInUnits(options);
  csv.Columns({"time" + InUnit(in_units, "s"), "deformation" + InUnit(in_units, "m"),
               "velocity" + InUnit(in_units, "m/s"), "force" + InUnit(in_units, "N")});
  for (const ImpactSample& sample : SampleImpactPath(impact, parts)) {
    AddRow(csv, sample.time * scales.time, sample.deformation * scales.length,
           sample.velocity * speed, sample.force * force);
  }
  app.Write(csv);
}

// ---- critical: the limit beyond which a body does not rebound; one point of figure 6.

void RestitutionCritical(AppRun& app) {
  AppOptions options(
      "scree-restitution critical",
      "The dimensionless load beyond which a body with the dissipation --gamma does not rebound,\n"
      "or the dissipation beyond which a body under --load does not: from the integrated impact,\n"
      "and by the closed form (22) for large loads.");
  ModelOptions model_options;
  double gamma = 0.0, load = 0.0;
  model_options.AddTo(options);
  options.Add("gamma", gamma, "dissipation; the critical load is computed");
  options.Add("load", load, "load; the critical dissipation is computed");
  if (!app.Parse(options)) return;
  if (options.IsGiven("gamma") == options.IsGiven("load")) {
    throw InputError("give one of --gamma and --load");
  }
  const ContactModel model = model_options.Model(options);
  const bool has_gamma = options.IsGiven("gamma");
  const double exact = has_gamma ? CriticalLoad(model, gamma) : CriticalDissipation(model, load);
  const double closed_form =
      has_gamma ? AsymptoticCriticalLoad(model, gamma) : AsymptoticCriticalDissipation(model, load);
  CsvOutput csv = app.Table();
  csv.Columns({"alpha", "beta", "gamma", "load", "by_22", "relative_error"});
  AddRow(csv, model.alpha, model.beta, has_gamma ? gamma : exact, has_gamma ? exact : load,
         closed_form, closed_form / exact - 1.0);
  app.Write(csv);
}

}  // namespace scree::impact

int main(int argc, char** argv) {
  const std::string source =
      "A. Chatterjee, G. James, B. Brogliato, Approximate coefficient of restitution for nonlinear "
      "viscoelastic contact with external load, Granular Matter 24 (2022) 124";
  const scree::AppCommand commands[] = {
      {"cor", "the coefficient of restitution: integrated and by all closed forms",
       scree::impact::RestitutionCor, source},
      {"trajectory", "deformation, velocity and force during one impact, figures 3 and 4",
       scree::impact::RestitutionTrajectory, source},
      {"sweep", "data of figures 2 and 5 to 11", scree::impact::RestitutionSweep, source},
      {"invert", "the constants of the laws from one or two measured restitutions",
       scree::impact::RestitutionInvert, source},
      {"curve", "one contact at a range of approach speeds, dissipations or loads",
       scree::impact::RestitutionCurve, source},
      {"critical", "load and dissipation beyond which a body does not rebound",
       scree::impact::RestitutionCritical, source},
  };
  return scree::RunSmallApp(
      argc, argv,
      "Restitution of the contact m x'' = k [(-x)^alpha + gamma0 d/dt (-x)^beta] - m g - F:\n"
      "linear (1, 1), hertz-linear (3/2, 1), tsuji-tanaka-ishida (3/2, 5/4), kuwabara-kono\n"
      "(3/2, 3/2), hunt-crossley (3/2, 5/2), or any alpha, beta of at least 1. Results are CSV on\n"
      "standard output, or in the file given by --output.",
      commands);
}
