// scree-contact: frictional contact problems, one at a time or coupled, by both laws.
#include "apps/contact_commands.hpp"

int main(int argc, char** argv) {
  const scree::AppCommand commands[] = {
      {"academic", "the single-contact problem with three Coulomb solutions, table 1 and figures",
       scree::ContactAcademic},
      {"painleve",
       "the rod of Painleve's paradox: thresholds, solutions, a map over angle and friction",
       scree::ContactPainleve},
      {"solve", "any single-contact problem, or a file of them", scree::ContactSolve},
      {"multiplicity", "how often Coulomb's law has several solutions, over friction and shape",
       scree::ContactMultiplicity},
      {"step", "a rod or the academic body on the ground by ever shorter time steps, both laws",
       scree::ContactStep},
      {"fclib", "problems of many contacts from FCLIB files", scree::ContactFclib},
  };
  return scree::RunSmallApp(
      argc, argv,
      "Solves frictional contact problems by the maximum dissipation principle and by Coulomb's\n"
      "law. Results are CSV on standard output, or in the file given by --out.",
      commands);
}
