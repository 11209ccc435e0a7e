// Options of several commands of scree-integrators.
#include <algorithm>

#include "apps/single/integrators_commands.hpp"
#include "solvers/base/check.hpp"

namespace scree::impact {

void IntegratorOptions::AddModel(AppOptions& options) {
  options.Add("mass", setup.model.mass, "mass m");
  options.Add("stiffness", setup.model.stiffness, "stiffness k");
  options.Add("relative-damping", setup.model.mu, "damping over stiffness, mu = lambda/k");
  options.Add("exponent", setup.model.alpha, "exponent of the compression, at least 1");
  options.Add("speed", setup.v_in, "velocity at the first touch");
  bodies.AddTo(options, "mass");
}

void IntegratorOptions::SetMassAndStiffness(const AppOptions& options) {
  HuntCrossley& model = setup.model;
  bodies.Apply(options, "mass", "stiffness", model.alpha, model.mass, model.stiffness);
}

void IntegratorOptions::AddSampling(AppOptions& options) {
  options.Add("rate", setup.rate, "samples per second");
  options.Add("oversampling", setup.oversampling, "steps per sample");
  options.Add("fewer-samples", setup.allows_fewer_samples,
              "allow contacts of fewer than four steps, where every method breaks down");
}

void IntegratorOptions::AddMethod(AppOptions& options) {
  options.Add("method", method,
              "am1 (Adams-Moulton, trapezoid), verlet, heun or rk4 (Runge-Kutta)");
}

void IntegratorOptions::AddCorrections(AppOptions& options) {
  options.Add("hybrid", setup.hybrid, "hybrid correction: compression by the closed form x(v)");
  options.Add("constrain", setup.constrain_outbound,
              "force the outbound velocity to its nonlocal approximation");
  options.Add("threshold", setup.outbound_threshold,
              "largest relative error of the approximation with which --constrain is applied");
}

void IntegratorOptions::CheckCorrections(const AppOptions& options) const {
  if (!setup.constrain_outbound) RejectUnused(options, "threshold", "--constrain");
}

SteppedImpactSetup IntegratorOptions::MakeSetup() const {
  std::array<std::string_view, kImpactMethods.size()> names;
  std::transform(kImpactMethods.begin(), kImpactMethods.end(), names.begin(), Name);
  RequireChoice("--method", method, names);
  SteppedImpactSetup full_setup = setup;
  const auto found = std::find(names.begin(), names.end(), method);
  full_setup.method = kImpactMethods[static_cast<std::size_t>(found - names.begin())];
  return full_setup;
}

void NoteModel(CsvOutput& csv, const HuntCrossley& model) {
  csv.AddComment("mass [kg]", model.mass);
  csv.AddComment("stiffness [N/m^alpha]", model.stiffness);
  csv.AddComment("mu [s/m]", model.mu);
  csv.AddComment("alpha", model.alpha);
}

void NoteSteps(CsvOutput& csv, const SteppedImpactSetup& setup) {
  csv.AddComment("rate [Hz]", setup.rate);
  csv.AddComment("oversampling", setup.oversampling);
  csv.AddComment("method", Name(setup.method));
  csv.AddComment("hybrid", setup.hybrid ? "yes" : "no");
  csv.AddComment("constrain", setup.constrain_outbound
                                  ? Text("within an error of ", setup.outbound_threshold)
                                  : std::string("no"));
}

}  // namespace scree::impact
