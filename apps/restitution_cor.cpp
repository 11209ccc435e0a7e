// scree-restitution cor: the restitution of one impact, integrated and by the closed forms.
#include <algorithm>

#include "apps/restitution_commands.hpp"
#include "apps/restitution_model.hpp"
#include "apps/small_app.hpp"
#include "io/command_line/app_options.hpp"
#include "io/command_line/csv_output.hpp"
#include "solvers/base/check.hpp"
#include "solvers/impact/restitution_expansion.hpp"

namespace scree::impact {
namespace {

void WriteMethods(CsvOutput& csv, const ScaledImpact& impact, const ImpactResult& result,
                  const LoadIntegrals& sums) {
  const ContactModel model{impact.alpha, impact.beta};
  const double gamma = impact.gamma, load = impact.load;
  const LoadIntegrals integrals = IntegrateLoad(model.alpha, model.beta, load);
  csv.Columns({"method", "e", "error"});
  const auto add = [&](const char* method, double e) {
    csv.Row({std::string(method), e, e - result.restitution});
  };
  add("integrated", result.restitution);
  add("(36) quadrature", PropositionRestitution(model.beta, gamma, integrals));
  add("(36) Beta sums", PropositionRestitution(model.beta, gamma, sums));
  add("(46)", SecondOrderRestitution(Expand(model), gamma, load));
  add("(18)", FirstOrderRestitution(Expand(model), gamma, load));
  if (load > 0.0) add("(21) large load", LargeLoadRestitution(model, gamma, load));
}

/// What the closed forms are made of, by the paper's names.
void NoteCoefficients(CsvOutput& csv, const ScaledImpact& impact, const LoadIntegrals& sums,
                      int nodes) {
  const LoadIntegrals integrals = IntegrateLoad(impact.alpha, impact.beta, impact.load);
  const ExpansionCoefficients c = Expand({impact.alpha, impact.beta});
  const double beta = impact.beta;
  csv.Note("u_M", GreatestDeformation(impact.alpha, impact.load));
  csv.Note("I0", integrals.i0);
  csv.Note("Q0", integrals.q0);
  csv.Note(Text("I0 by Beta sums, n = ", nodes), sums.i0);
  csv.Note(Text("Q0 by Beta sums, n = ", nodes), sums.q0);
  csv.Note("A1", beta * integrals.i0);  // (42)
  csv.Note("A2", beta * beta * integrals.i0 * (0.5 * integrals.i0 - integrals.q0));
  csv.Note("C0", c.c0);
  csv.Note("C1", c.c1);
  csv.Note("C2", c.c2);
}

}  // namespace

void RestitutionCor(const std::vector<std::string>& arguments, const std::string& command_line) {
  AppOptions options(
      "scree-restitution cor",
      "The coefficient of restitution of one impact: integrated, and by the closed forms with\n"
      "their errors. The closed forms are for impacts that end at deformation zero.");
  ImpactOptions impact_options;
  std::string out;
  int nodes = 21;
  impact_options.AddTo(options);
  options.Add("n", nodes, "degree of the interpolation behind the Beta sums of (53), odd");
  options.Add("out", out, "file for the table instead of standard output");
  if (!ParseOrHelp(arguments, options)) return;
  DemandRange("--n", nodes, 3, 41);
  if (nodes % 2 == 0) throw InputError(Text("--n = ", nodes, " must be odd"));
  const ScaledImpact impact = impact_options.Impact(options);
  const ImpactScales scales = impact_options.Scales(options);
  const ImpactResult result = IntegrateImpact(impact, kImpactTolerance, CaughtImpact::kFollow);
  const double limit =
      PropositionLimit(impact.beta, IntegrateLoad(impact.alpha, impact.beta, impact.load));
  CsvOutput csv(command_line);
  csv.Note("alpha", impact.alpha);
  csv.Note("beta", impact.beta);
  csv.Note("gamma", impact.gamma);
  csv.Note("load", impact.load);
  csv.Note("detached", result.detached ? "yes" : "no");
  csv.Note("1 - e^2", result.loss);
  csv.Note("energy lost", 0.5 * impact_options.mass(options) * impact_options.speed() *
                              impact_options.speed() * result.loss);
  csv.Note("duration", result.duration * scales.time);
  csv.Note("greatest deformation", result.max_deformation * scales.length);
  csv.Note("deformation at the end", result.end_deformation * scales.length);
  csv.Note("greatest force", GreatestForce(impact) * impact_options.mass(options) *
                                 impact_options.speed() / scales.time);
  const LoadIntegrals sums = SumLoadBetas(impact.alpha, impact.beta, impact.load, nodes);
  NoteCoefficients(csv, impact, sums, nodes);
  csv.Note("gamma up to which (37) falls", limit);
  WriteMethods(csv, impact, result, sums);
  csv.Write(out);
  if (impact.gamma > limit) {
    std::fprintf(stderr,
                 "warning: gamma = %g is beyond 1/(2 beta Q0) = %g, where (36) turns upward: only "
                 "the integrated value means anything\n",
                 impact.gamma, limit);
  }
}

}  // namespace scree::impact
