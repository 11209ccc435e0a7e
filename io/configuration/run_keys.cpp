// How the run goes: [outflow], [initial], [time], [solver], [parallel].
#include "io/configuration/key_groups.hpp"

namespace scree {
namespace {

Keys<SolverParameters> SolverRows() {
  using P = SolverParameters;
  return {
      {{.key = "sweeps",
        .doc = "relaxations of each contact per step, without a tolerance",
        .initial = "10",
        .range = "1 to 1000000",
        .lower = 1.0,
        .upper = 1e6},
       &P::sweeps},
      {{.key = "tolerance",
        .doc = "sweep until relative velocities change by less",
        .lacking = Lacking::kMeansNone,
        .range = "> 0",
        .dimension = kSpeed,
        .lower = 0.0,
        .open = true},
       &P::tolerance},
      {{.key = "max_sweeps",
        .doc = "with a tolerance, no more sweeps than this",
        .initial = "1000",
        .range = "1 to 1000000",
        .lower = 1.0,
        .upper = 1e6},
       &P::max_sweeps},
      {{.key = "kernel",
        .doc = "what solves one contact; all agree for spheres, the general two are slower; with "
               "shapes of several spheres max_dissipation, or coulomb",
        .initial = "sphere"},
       &P::kernel},
      {{.key = "scheme",
        .doc = "jacobi: the same bits on any number of ranks, but slower",
        .initial = "gauss_seidel"},
       &P::scheme},
      {{.key = "momentum",
        .doc = "gauss_seidel, no tolerance: a sweep begins with this share of what "
               "the last one changed, once more (heavy ball); 0: plain sweeps, as they are in any "
               "case where something rebounds",
        .initial = "0.85",
        .range = "0 to 0.9",
        .lower = 0.0,
        .upper = 0.9},
       &P::momentum},
      {{.key = "coarse_correction",
        .doc = "loads of beds more than 32 diameters deep are scaled after the sweeps, so that "
               "they reach the floor in one step",
        .initial = "yes"},
       &P::coarse_correction},
  };
}

bool ProjectsPositions(const StepParameters& step) { return PositionSweeps(step) > 0; }
bool IsSpeculative(const StepParameters& step) { return step.speculative; }
bool IsNotSpeculative(const StepParameters& step) { return !step.speculative; }

Keys<StepParameters> StepRows() {
  using P = StepParameters;
  return {
      {{.key = "position_sweeps",
        .doc =
            "sweeps that move overlapping spheres apart without changing velocities; 0: overlaps "
            "are removed through the velocities (Baumgarte stabilisation)",
        .lacking = Lacking::kMeansNone,
        .range =
            "0 to 1000000; eight tenths of sweeps, 1 to 5 (10 if they are plain), if not given",
        .lower = 0.0,
        .upper = 1e6},
       &P::position_sweeps},
      Key<P>({.key = "slop",
              .doc = "an overlap that position_sweeps leave; auto: 3e-4 of the smallest radius",
              .kind = Kind::kAutoNumber,
              .initial = "auto",
              .range = "auto | >= 0",
              .dimension = kLength,
              .lower = 0.0},
             &P::slop)
          .OnlyIf(ProjectsPositions),
      {{.key = "error_reduction",
        .doc = "share of an overlap removed in one step",
        .initial = "0.8",
        .range = "0 to 1",
        .lower = 0.0,
        .upper = 1.0},
       &P::error_reduction},
      {{.key = "max_correction_speed",
        .doc = "cap on the speed of that; auto: a tenth of the smallest radius per step",
        .kind = Kind::kAutoNumber,
        .initial = "auto",
        .range = "auto | >= 0",
        .dimension = kSpeed,
        .lower = 0.0},
       &P::max_correction_speed},
      {{.key = "warm_start",
        .doc = "contacts begin with their impulses of the last step",
        .initial = "yes"},
       &P::warm_start},
      {{.key = "speculative",
        .doc = "include open gaps that would close within the step",
        .initial = "yes"},
       &P::speculative},
      Key<P>({.key = "contact_margin",
              .doc = "gaps that the step would leave smaller are included too; auto: 5 g dt^2, at "
                     "least 0.4 % of the smallest radius, and more for spheres whose velocities "
                     "have just changed; where something rebounds 3e-4 of the smallest radius",
              .kind = Kind::kAutoNumber,
              .initial = "auto",
              .range = "auto | >= 0",
              .dimension = kLength,
              .lower = 0.0},
             &P::contact_margin)
          .OnlyIf(IsSpeculative),
      Key<P>(
          {.key = "contact_threshold",
           .doc = "gaps up to this take part if speculative = no; auto: those that are closed, of "
                  "at most 2.13e-5 of the smallest radius",
           .kind = Kind::kAutoNumber,
           .initial = "auto",
           .range = "auto | >= 0",
           .dimension = kLength,
           .lower = 0.0},
          &P::contact_threshold)
          .OnlyIf(IsNotSpeculative),
  };
}

Keys<RunConfig> TimeRows() {
  return {
      {{.key = "step",
        .doc = "time step",
        .initial = "10 us",
        .range = "> 0",
        .dimension = kTime,
        .lower = 0.0,
        .open = true,
        .change = Never("time is counted in steps since the start")},
       [](auto& run) -> decltype(auto) { return (run.step.dt); }},
      {{.key = "end",
        .doc = "simulated time",
        .range = "whole steps",
        .dimension = kTime,
        .lower = 0.0,
        .change = AtAnyRestart()},
       [](auto& run) -> decltype(auto) { return (run.time.end); }},
  };
}

Keys<RunConfig> ParallelRows() {
  return {
      {{.key = "subdomains",
        .doc = "a grid of equal subdomains along each axis, which stays; auto: see balance",
        .kind = Kind::kGrid,
        .initial = "auto"},
       [](auto& run) -> decltype(auto) { return (run.parallel.subdomains); }},
      {{.key = "balance",
        .doc = "subdomains auto: cut by the counted work at the start and every so many steps "
               "(Jacobi in periodic domains: with the next new lists), auto: when it pays; never: "
               "the grid with the smallest faces",
        .kind = Kind::kBalance,
        .initial = "auto",
        .range = "auto | never | every N steps"},
       [](auto& run) -> decltype(auto) { return (run.step.balance); }},
      {{.key = "skin",
        .doc = "extra reach of the neighbour list; auto: 0.8 mean radii",
        .kind = Kind::kAutoNumber,
        .initial = "auto",
        .range = "auto | > 0",
        .dimension = kLength,
        .lower = 0.0,
        .open = true},
       [](auto& run) -> decltype(auto) { return (run.step.skin); }},
  };
}

}  // namespace

std::vector<KeyGroup> RunKeys() {
  const Keys<RunConfig> outflow = {
      {{.key = "faces", .doc = "faces that delete particles crossing them", .initial = "none"},
       [](auto& run) -> decltype(auto) { return (run.scene.outflow); }}};
  const Keys<RunConfig> initial = {
      {{.key = "file",
        .doc = "snapshot or table of particles",
        .lacking = Lacking::kMeansNone,
        .range = ".h5 | .csv | .csv.gz"},
       [](auto& run) -> decltype(auto) { return (run.initial.file); }},
      Key<RunConfig>({.key = "with_fills",
                      .doc = "the fills are made too, around the particles of the file; else it "
                             "replaces them",
                      .initial = "no"},
                     [](auto& run) -> decltype(auto) { return (run.initial.with_fills); })
          .OnlyIf([](const RunConfig& run) { return !run.initial.file.empty(); })};
  const Keys<RunConfig> solver =
      Within<RunConfig>([](auto& run) -> decltype(auto) { return (run.step.solver); },
                        SolverRows()) +
      Within<RunConfig>(&RunConfig::step, StepRows());
  return {
      Once({"outflow", "outflow", 0, 0, "Where particles leave", OnTheWay(), {}}, outflow),
      Once({"initial",
            "initial",
            0,
            0,
            "Particles read from a file",
            Never("it is read at time zero"),
            {}},
           initial),
      Once({"time", "time", 0, 0, "Time stepping", AtAnyRestart(), {}}, TimeRows()),
      Once({"solver", "solver", 0, 0, "Contact solver", OnTheWay(), {}}, solver),
      Once({"parallel", "parallel", 0, 0, "Distribution over ranks", AtAnyRestart(), {}},
           ParallelRows()),
  };
}

}  // namespace scree
