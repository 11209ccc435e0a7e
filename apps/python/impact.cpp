// Laws of single impacts in Python (scripts/scree/impact.py). The laws are rows of a table. One
// function of the module evaluates any of them.
#include <pybind11/stl.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "apps/python/bindings.hpp"
#include "apps/single/models/hunt_crossley.hpp"
#include "apps/single/models/hysteresis_damping.hpp"
#include "apps/single/models/linear_damping.hpp"
#include "apps/single/models/restitution_inverse.hpp"
#include "apps/single/models/routh.hpp"
#include "solvers/restitution/restitution_law.hpp"
#include "solvers/restitution/viscoelastic.hpp"

namespace scree::python {
namespace {

using namespace impact;  // NOLINT: everything below uses it

/// Evaluates a law.
/// @param in      the arguments, in the order of scripts/scree/impact.py
/// @param choice  number of the variant, if the law has variants
using EvaluateFunction = void (*)(const double* in, int choice, double* out);

struct Law {
  std::string_view name;
  int arguments;
  int results;
  EvaluateFunction evaluate;
};

ContactModel Model(const double* in) { return {in[0], in[1]}; }
ContactConstants Constants(const double* in) { return {in[0], in[1], in[2], in[3]}; }
LinearDampingImpact Linear(const double* in) { return {in[0], in[1], in[2], in[3]}; }

/// Arguments: alpha, beta, gamma, load. Variant: the ImpactEnd.
void EvaluateViscoelastic(const double* in, int choice, double* out) {
  const ScaledImpact impact{in[0], in[1], in[2], in[3], ImpactEnd{choice}};
  ImpactResult result = IntegrateImpact(impact, kImpactTolerance, OnCapture::kFollow);
  if (!result.detached) {  // the path may end where the body turns, but the body oscillates to rest
    result.duration = INFINITY;
    result.end_deformation = std::pow(impact.load, 1.0 / impact.alpha);
  }
  const double results[] = {static_cast<double>(result.detached),
                            result.restitution,
                            result.loss,
                            result.duration,
                            result.max_deformation,
                            result.end_deformation};
  std::ranges::copy(results, out);
}

/// Arguments: mass, stiffness, mu, alpha, speed.
void EvaluateHuntCrossley(const double* in, int, double* out) {
  const HuntCrossleyImpact impact({in[0], in[1], in[2], in[3]}, in[4]);
  out[0] = -impact.OutboundVelocity() / impact.v_in();
  out[1] = impact.MaxCompression();
  out[2] = impact.ContactTime();
}

void EvaluateRouth(const double* in, int, double* out) {
  const RouthProblem problem{in[0], in[1], in[2], in[3], in[4], in[5], in[6]};
  if (const char* const defect = Defect(problem); *defect != '\0') throw InputError(defect);
  const RouthSolution solution = SolveRouth(problem);
  const double results[] = {solution.normal,
                            solution.tangential,
                            solution.s,
                            solution.c,
                            EnergyChange(solution),
                            EnergeticRestitution(solution),
                            static_cast<double>(solution.mode)};
  std::ranges::copy(results, out);
}

constexpr Law kLaws[] = {
    {"hertz_stiffness", 6, 1,
     [](const double* in, int, double* out) {
       *out = HertzStiffness({in[0], in[1], in[2]}, {in[3], in[4], in[5]});
     }},
    {"viscoelastic", 4, 6, &EvaluateViscoelastic},
    {"restitution_of_speed", 7, 1,
     [](const double* in, int choice, double* out) {
       *out = ExactRestitution({Model(in), ImpactEnd{choice}}, Constants(in + 2), in[6]);
     }},
    {"dissipation_of", 4, 1,
     [](const double* in, int, double* out) { *out = DissipationOf(Model(in), in[2], in[3]); }},
    {"physical_dissipation", 6, 1,
     [](const double* in, int, double* out) {
       *out = PhysicalDissipation(Model(in), {in[2], in[3], 0.0, 0.0}, in[4], in[5]);
     }},
    {"critical_dissipation", 3, 1,
     [](const double* in, int, double* out) { *out = CriticalDissipation(Model(in), in[2]); }},
    {"critical_load", 3, 1,
     [](const double* in, int, double* out) { *out = CriticalLoad(Model(in), in[2]); }},
    {"optimal_damping", 5, 1,
     [](const double* in, int, double* out) { *out = OptimalDamping(Linear(in), in[4]); }},
    {"restitution_of_damping", 5, 1,
     [](const double* in, int, double* out) { *out = RestitutionOfDamping(Linear(in), in[4]); }},
    {"hysteresis_factor", 1, 1,
     [](const double* in, int choice, double* out) {
       *out = HysteresisFactor(kHysteresisFormulas.at(static_cast<std::size_t>(choice)), in[0]);
     }},
    {"restitution_of_hysteresis", 1, 1,
     [](const double* in, int, double* out) { *out = RestitutionOfHysteresis(in[0]); }},
    {"hunt_crossley", 5, 3, &EvaluateHuntCrossley},
    {"routh", 7, 7, &EvaluateRouth},
};

/// Evaluates a law for many rows of arguments.
/// @param rows  one row of arguments for each evaluation
/// @returns one row of results for each evaluation
py::array_t<double> EvaluateRows(const std::string& name, const Array<double>& rows, int choice) {
  const auto* const law = std::ranges::find(kLaws, name, &Law::name);
  if (law == std::end(kLaws)) throw InputError(Text("unknown law \"", name, "\""));
  RequireShape(rows, rows.shape(0), law->arguments, name);
  py::array_t<double> results(std::vector<py::ssize_t>{rows.shape(0), law->results});
  for (py::ssize_t k = 0; k < rows.shape(0); ++k) {
    law->evaluate(rows.data(k, 0), choice, results.mutable_data(k, 0));
  }
  return results;
}

/// The motion of one impact. Each row is a point: τ, u, du/dτ, force.
py::array_t<double> SamplePath(double alpha, double beta, double gamma, double load, int end,
                               int parts) {
  const std::vector<ImpactSample> samples =
      SampleImpactPath({alpha, beta, gamma, load, ImpactEnd{end}}, parts);
  py::array_t<double> rows(std::vector<py::ssize_t>{static_cast<py::ssize_t>(samples.size()), 4});
  double* to = rows.mutable_data();
  for (const ImpactSample& sample : samples) {
    for (const double number : {sample.time, sample.deformation, sample.velocity, sample.force}) {
      *to++ = number;
    }
  }
  return rows;
}

std::vector<std::tuple<std::string, double, double>> Models() {
  std::vector<std::tuple<std::string, double, double>> models;
  for (const NamedModel& named : kContactModels) {
    models.emplace_back(named.name, named.model.alpha, named.model.beta);
  }
  return models;
}

}  // namespace

void BindImpact(py::module_& module) {
  module.def("impact_law", &EvaluateRows);
  module.def("impact_path", &SamplePath);
  module.def("contact_models", &Models);
}

}  // namespace scree::python
