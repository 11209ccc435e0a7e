// scree-contact: frictional contact problems, single or coupled, with both laws.
#include "apps/contact/commands.hpp"

int main(int argc, char** argv) {
  const std::string source =
      "T. Preclik, S. Eibl, U. Ruede, The maximum dissipation principle in rigid-body dynamics "
      "with purely inelastic impacts, Computational Mechanics 62 (2018)";
  const scree::AppCommand commands[] = {
      {"academic", "the single-contact problem with three Coulomb solutions, table 1 and figures",
       scree::ContactAcademic, source},
      {"painleve",
       "the rod of Painleve's paradox: thresholds, solutions, a map of angle and friction",
       scree::ContactPainleve, source},
      {"solve", "any single-contact problem, or a file of them", scree::ContactSolve, source},
      {"multiplicity", "how often Coulomb's law has several solutions, by friction and shape",
       scree::ContactMultiplicity, source},
      {"step",
       "a rod or the academic body on the ground, both laws, with shorter and shorter steps",
       scree::ContactStep, source},
      {"fclib", "problems of many contacts from FCLIB files", scree::ContactFclib, ""},
  };
  return scree::RunSmallApp(
      argc, argv,
      "Solves frictional contact problems by the maximum dissipation principle and by Coulomb's\n"
      "law. Results are CSV on standard output, or in the file given by --output.",
      commands);
}
