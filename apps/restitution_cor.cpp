// scree-restitution cor: the restitution of one impact, integrated and by the closed forms.
#include <algorithm>

#include "apps/restitution_commands.hpp"
#include "apps/restitution_model.hpp"
#include "apps/small_app.hpp"
#include "io/command_line/app_options.hpp"
#include "io/command_line/csv_output.hpp"
#include "solvers/check.hpp"
#include "solvers/impact/restitution_expansion.hpp"

namespace scree::impact {
namespace {

void WriteMethods(CsvOutput& csv, const ScaledImpact& impact, const ImpactResult& result) {
  const ContactModel model{impact.alpha, impact.beta};
  const double gamma = impact.gamma, load = impact.load;
  const LoadIntegrals integrals = IntegrateLoad(model.alpha, model.beta, load);
  const LoadIntegrals sums = SumLoadBetas(model.alpha, model.beta, load);
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
void NoteCoefficients(CsvOutput& csv, const ScaledImpact& impact) {
  const LoadIntegrals integrals = IntegrateLoad(impact.alpha, impact.beta, impact.load);
  const ExpansionCoefficients c = Expand({impact.alpha, impact.beta});
  csv.Note("I0", integrals.i0);
  csv.Note("Q0", integrals.q0);
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
  impact_options.AddTo(options);
  options.Add("out", out, "file for the table instead of standard output");
  if (!ParseOrHelp(arguments, options)) return;
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
  csv.Note("duration", result.duration * scales.time);
  csv.Note("greatest deformation", result.max_deformation * scales.length);
  csv.Note("deformation at the end", result.end_deformation * scales.length);
  double force = 0.0;
  for (const ImpactSample& sample : FollowImpact(impact, 8)) force = std::max(force, sample.force);
  csv.Note("greatest force",
           force * impact_options.mass(options) * impact_options.speed() / scales.time);
  NoteCoefficients(csv, impact);
  csv.Note("gamma up to which (37) falls", limit);
  WriteMethods(csv, impact, result);
  csv.Write(out);
  if (impact.gamma > limit) {
    std::fprintf(stderr,
                 "warning: gamma = %g is beyond 1/(2 beta Q0) = %g, where (36) turns upward: only "
                 "the integrated value means anything\n",
                 impact.gamma, limit);
  }
}

}  // namespace scree::impact
