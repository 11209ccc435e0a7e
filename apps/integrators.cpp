// scree-integrators: a Hunt-Crossley impact in closed form and by four numerical methods.
#include "apps/integrators_commands.hpp"
#include "apps/small_app.hpp"

int main(int argc, char** argv) {
  const scree::AppCommand commands[] = {
      {"closed-form", "one impact in closed form: key figures, curves over the velocity",
       scree::impact::IntegratorsClosedForm},
      {"simulate", "one impact step by step, with or without corrections",
       scree::impact::IntegratorsSimulate},
      {"tables", "tables I to IV of the paper beside the printed values",
       scree::impact::IntegratorsTables},
      {"rebounds", "a chain of impacts: errors that add up, or the motion between them",
       scree::impact::IntegratorsRebounds},
      {"resonate", "an impact on a body that rings, with the corrections carried over to it",
       scree::impact::IntegratorsResonate},
      {"roll", "a mass that rolls over a rough floor, and what it sounds like",
       scree::impact::IntegratorsRoll},
      {"sweep", "error of the approximate outbound velocity, of the energy over mu and v_in",
       scree::impact::IntegratorsSweep},
      {"order", "error over the step, and the order of convergence",
       scree::impact::IntegratorsOrder},
      {"cost", "what each method costs and how exact it is", scree::impact::IntegratorsCost},
  };
  return scree::RunSmallApp(
      argc, argv,
      "Compares numerical methods for the impact of a mass on a wall through a Hunt-Crossley\n"
      "spring and damper, f = k x^alpha (1 + mu v), with its closed forms. Source: S. Papetti,\n"
      "F. Avanzini, D. Rocchesso, Numerical methods for a nonlinear impact model (2011).\n"
      "Results are CSV on standard output, or in the file given by --out. All units are SI.",
      commands);
}
