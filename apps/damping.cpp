// scree-damping: the damping that gives a contact its restitution.
#include "apps/damping_commands.hpp"
#include "apps/small_app.hpp"

int main(int argc, char** argv) {
  const scree::AppCommand commands[] = {
      {"force", "force against penetration of the contact models, figure 2",
       scree::impact::DampingForce},
      {"table", "Hunt-Crossley damping factors by formula and the restitution they really give",
       scree::impact::DampingTable},
      {"optimal", "the linear damping that gives a restitution, exact and by the fit",
       scree::impact::DampingOptimal},
      {"sweep", "data of figures 3 to 7 and 9, with the fits behind alpha(n) and beta(n)",
       scree::impact::DampingSweep},
      {"verify", "the error of the fit over random parameters, section 5.1 and figure 8",
       scree::impact::DampingVerify},
  };
  return scree::RunSmallApp(
      argc, argv,
      "Calibrates the damping of contact forces, k d^n + c d' (linear damper) and\n"
      "(k + mu d') d^n (Hunt and Crossley), so that an impact has a wanted coefficient of\n"
      "restitution. Results are CSV on standard output, or in the file given by --out.",
      commands);
}
