// scree-restitution: the coefficient of restitution of viscoelastic contacts under load.
#include "apps/restitution_commands.hpp"
#include "apps/small_app.hpp"

int main(int argc, char** argv) {
  const scree::AppCommand commands[] = {
      {"cor", "the coefficient of restitution: integrated and by all closed forms",
       scree::impact::RestitutionCor},
      {"trajectory", "deformation, velocity and force during one impact, figures 3 and 4",
       scree::impact::RestitutionTrajectory},
      {"sweep", "data of figures 2 and 5 to 11", scree::impact::RestitutionSweep},
      {"tables", "tables 2, 3 and 4 beside the printed values", scree::impact::RestitutionTables},
      {"invert", "the constants of the laws from a measured restitution, or from two",
       scree::impact::RestitutionInvert},
      {"curve", "one contact over the approach speed, the dissipation or the load",
       scree::impact::RestitutionCurve},
      {"critical", "load and dissipation beyond which a body does not rebound",
       scree::impact::RestitutionCritical},
  };
  return scree::RunSmallApp(
      argc, argv,
      "Restitution of the contact m x'' = k [(-x)^alpha + gamma0 d/dt (-x)^beta] - m g - F:\n"
      "linear (1, 1), hertz-linear (3/2, 1), tsuji-tanaka-ishida (3/2, 5/4), kuwabara-kono\n"
      "(3/2, 3/2), hunt-crossley (3/2, 5/2), or any alpha, beta of at least 1. Results are CSV on\n"
      "standard output, or in the file given by --out.",
      commands);
}
