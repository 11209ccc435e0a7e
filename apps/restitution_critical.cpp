// scree-restitution critical: where a body stays, figure 6 point by point.
#include "apps/restitution_commands.hpp"
#include "apps/restitution_model.hpp"
#include "apps/small_app.hpp"
#include "io/command_line/app_options.hpp"
#include "io/command_line/csv_output.hpp"
#include "solvers/base/check.hpp"
#include "solvers/impact/restitution_expansion.hpp"

namespace scree::impact {

void RestitutionCritical(const std::vector<std::string>& arguments,
                         const std::string& command_line) {
  AppOptions options(
      "scree-restitution critical",
      "The dimensionless load beyond which a body with the dissipation --gamma does not rebound,\n"
      "or the dissipation beyond which one under --load does not: from the integrated impact, and\n"
      "by the closed form (22) for large loads.");
  ModelOptions model_options;
  double gamma = 0.0, load = 0.0;
  std::string out;
  model_options.AddTo(options);
  options.Add("gamma", gamma, "dissipation of which the critical load is wanted");
  options.Add("load", load, "load of which the critical dissipation is wanted");
  options.Add("out", out, "file for the table instead of standard output");
  if (!ParseOrHelp(arguments, options)) return;
  if (options.Given("gamma") == options.Given("load")) {
    throw InputError("give one of --gamma and --load");
  }
  const ContactModel model = model_options.Model(options);
  const bool of_gamma = options.Given("gamma");
  const double exact = of_gamma ? CriticalLoad(model, gamma) : CriticalDissipation(model, load);
  const double closed = of_gamma ? CriticalLoadOfSmallDissipation(model, gamma)
                                 : CriticalDissipationOfLargeLoad(model, load);
  CsvOutput csv(command_line);
  csv.Columns({"alpha", "beta", "gamma", "load", "by_22", "relative_error"});
  csv.Row({model.alpha, model.beta, of_gamma ? gamma : exact, of_gamma ? exact : load, closed,
           closed / exact - 1.0});
  csv.Write(out);
}

}  // namespace scree::impact
