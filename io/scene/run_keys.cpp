// Sections that a scene has once: [scene], [domain], [outflow], [initial], [time], [solver],
// [parallel], [output], [checkpoint].
#include <algorithm>

#include "io/scene/key_groups.hpp"

namespace scree {
namespace {

/// A section that a scene has once.
/// @param check  what must hold between the keys
KeyGroup Once(const std::string& name, const std::string& doc, const ChangeRule& change,
              KeyRows (*rows)(RunConfig&), void (*check)(Section&, RunConfig&) = nullptr) {
  return {{{name, name, 0, 0, doc, change, SpecsOf(rows)}},
          [=](const Settings& settings, ErrorList& errors, RunConfig& run) {
            Section section(name, settings, errors);
            section.Keys(rows(run));
            if (check != nullptr) check(section, run);
          },
          [=](RunConfig& run, IniEntries& written) { Section(name, written).Keys(rows(run)); }};
}

// ---- the scene

KeyRows SceneRows(RunConfig& run) {
  return {{{"seed", "seed of all random numbers", NotNegative(), Default{"1"},
            Never("the random numbers of the whole run come from it")},
           run.scene.seed},
          {{"gravity", "gravity", kAcceleration, Default{"0 0 -9.81 m/s^2"}}, run.scene.gravity}};
}

KeyRows DomainRows(RunConfig& run) {
  Domain& domain = run.scene.domain;
  Shear& shear = domain.shear;
  const ChangeRule stays = Never("where the images stand follows from it since the start");
  return {
      {{"lower", "lower corner", kLength}, domain.box.lower},
      {{"upper", "upper corner", kLength, InWords("above lower")}, domain.box.upper},
      {{"periodic", "axes along which the box repeats", Default{"none"}}, domain.periodic},
      {{"shear_rate",
        "gradient of the mean velocity, kept up by periodic images that move (Lees-Edwards)",
        kFrequency, Default{"0 /s"}, stays},
       shear.rate},
      KeyRow({"shear_flow", "axis along which the sheared images move", Default{"x"}, stays},
             shear.flow)
          .OnlyIf(shear.Acts()),
      KeyRow({"shear_gradient", "axis along which the mean velocity grows", Default{"z"}, stays},
             shear.gradient)
          .OnlyIf(shear.Acts()),
  };
}

// ---- the run

KeyRows SweepRows(SolverParameters& solver) {
  return {
      {{"sweeps",
        "base of the relaxations of each contact per step, without a tolerance: long automatic "
        "steps take up to twice as many",
        Between(1, 1e6), Default{"10"}},
       solver.sweeps},
      {{"tolerance", "sweep until relative velocities change by less", kSpeed, Positive(),
        kOptional},
       solver.tolerance},
      {{"max_sweeps", "with a tolerance, no more sweeps than this", Between(1, 1e6),
        Default{"1000"}},
       solver.max_sweeps},
      {{"kernel",
        "solution of one contact: sphere, the closed form for spheres, or the law for bodies of "
        "any shape, slower and for spheres the same: coulomb, the default where a scene has "
        "shapes, or max_dissipation, whose sweeps take three quarters of the time",
        Default{"sphere"}},
       solver.kernel},
      {{"scheme", "jacobi: the same bits on any number of ranks, but slower",
        Default{"gauss_seidel"}},
       solver.scheme},
      {{"momentum",
        "gauss_seidel: a sweep begins with this share of what the last one changed, once more "
        "(heavy ball), with at most 0.7 after 100 sweeps; 0: plain sweeps, as they are in any case "
        "where something rebounds or a face of a solid has more than four corners",
        Between(0, 0.9), Default{"0.85"}},
       solver.momentum},
      {{"coarse_correction",
        "loads of beds more than 32 diameters deep are scaled after the sweeps, so that they reach "
        "the floor in one step",
        Default{"yes"}},
       solver.coarse_correction},
  };
}

KeyRows StepRows(StepParameters& step) {
  return {
      {{"position_sweeps",
        "sweeps that move overlapping spheres apart without changing velocities; 0: overlaps are "
        "removed through the velocities (Baumgarte stabilisation)",
        kOptional,
        Between(0, 1e6, "; eight tenths of sweeps, 1 to 5 (10 if they are plain), if not given")},
       step.position_sweeps},
      {{"error_reduction", "share of an overlap removed in one step", Between(0, 1),
        Default{"0.8"}},
       step.error_reduction},
      {{"warm_start", "contacts begin with their impulses of the last step", Default{"yes"}},
       step.warm_start},
      {{"speculative",
        "include open gaps that would close within the step; no: impacts are found once there is "
        "an overlap, so that heights of rebounds are of first order in the step",
        Default{"yes"}},
       step.speculative},
  };
}

KeyRows SolverRows(RunConfig& run) { return SweepRows(run.step.solver) + StepRows(run.step); }

KeyRows OutflowRows(RunConfig& run) {
  return {
      {{"faces", "faces that delete particles crossing them", Default{"none"}}, run.scene.outflow}};
}

KeyRows InitialRows(RunConfig& run) {
  return {{{"file", "snapshot or table of particles", kOptional,
            InWords(".h5 | .csv | .csv.gz | .lammpstrj | .dump")},
           run.initial.file},
          KeyRow({"with_fills",
                  "the fills are made too, around the particles of the file; else it replaces them",
                  Default{"no"}},
                 run.initial.with_fills)
              .OnlyIf(!run.initial.file.empty())};
}

/// An automatic step is counted in base steps and has an accuracy.
KeyRow StepRow(StepParameters& step) {
  return {{"step", "time step; auto: as long as time.accuracy allows, and changing on the way",
           Kind::kAutoNumber, kTime, OrAuto(Positive()), Default{"auto"},
           Never("time is counted in steps since the start")},
          [&step](const KeyValue& value) {
            const double given = std::get<double>(value);
            step.dt = std::max(given, 0.0);
            step.accuracy = given > 0.0 ? 0.0 : kAccuracy;
          },
          [&step]() -> std::optional<KeyValue> { return step.accuracy > 0.0 ? -1.0 : step.dt; },
          [&step] { step.dt = 0.0; }};
}

/// Automatic: found when the whole scene is known (config_reader).
KeyRow BaseStepRow(StepParameters& step) {
  return KeyRow(
             {"base_step",
              "of automatic steps, which are whole numbers of it; auto: a decimal power of a "
              "second by the scene's own times, 1 ns for grains of millimetres under their "
              "weight",
              Kind::kAutoNumber, kTime, OrAuto(Positive()), Default{"auto"},
              Never("time is counted in it since the start")},
             [&step](const KeyValue& value) {
               if (step.accuracy > 0.0) step.dt = std::max(std::get<double>(value), 0.0);
             },
             [&step]() -> std::optional<KeyValue> { return step.dt; })
      .OnlyIf(step.accuracy > 0.0);
}

KeyRows TimeRows(RunConfig& run) {
  return {
      StepRow(run.step),
      BaseStepRow(run.step),
      KeyRow(
          {"accuracy",
           "of automatic steps: relative error of figures of a flow (engine/time_steps.md)",
           Kind::kNumber, Between(1e-4, 0.1), Default{"0.01"}, AtAnyRestart()},
          [&run](const KeyValue& value) {
            if (run.step.accuracy > 0.0) run.step.accuracy = std::get<double>(value);
          },
          [&run]() -> std::optional<KeyValue> { return run.step.accuracy; })
          .OnlyIf(run.step.accuracy > 0.0),
      {{"end", "simulated time", kTime, Range{"whole steps", 0.0}, AtAnyRestart()}, run.time.end}};
}

KeyRows ParallelRows(RunConfig& run) {
  return {
      {{"subdomains", "a grid of equal subdomains along each axis, which stays; auto: see balance",
        Kind::kGrid, Default{"auto"}},
       run.parallel.subdomains},
      {{"balance",
        "subdomains auto: cut by the counted work at the start and every so many steps (Jacobi in "
        "periodic domains: with the next new lists), auto: when it pays; never: the grid with the "
        "smallest faces",
        Kind::kBalance, InWords("auto | never | every N steps"), Default{"auto"}},
       run.step.balance},
      {{"skin", "extra reach of the neighbour list; auto: 0.8 mean radii", Kind::kAutoNumber,
        kLength, OrAuto(Positive()), Default{"auto"}},
       run.step.skin},
  };
}

// ---- what is written

KeyRow PrecisionRow(bool& single) {
  return {{"precision", "of numbers in snapshots", Kind::kChoice, InWords("double | single"),
           Default{"double"}},
          [&single](const KeyValue& value) { single = std::get<std::string>(value) == "single"; },
          [&single] { return KeyValue(std::string(single ? "single" : "double")); }};
}

KeyRows OutputRows(RunConfig& run) {
  OutputConfig& output = run.output;
  return {
      {{"directory", "where everything is written", Default{"output"}}, output.directory},
      {{"every", "snapshots", kTime, Range{"whole steps", 0.0, true}, Default{"never"}},
       output.every},
      {{"log_every", "rows of series.csv and progress lines", kTime, kElsewhere,
        Range{"as every if not given", 0.0, true}},
       output.log_every},
      {{"energy_book", "series.csv tells where the energy goes, summed over all steps",
        Default{"no"}},
       output.energy_book},
      {{"wall_forces", "series.csv tells mean force and torque on each wall, with deviations",
        Default{"no"}},
       output.wall_forces},
      {{"overwrite", "replace existing output", Default{"no"}}, output.overwrite},
      {{"fields", "of the particles; position and id always", Kind::kFields, Default{"all"}},
       output.format.fields},
      PrecisionRow(output.format.single),
      {{"contacts", "snapshots have the contacts too", Default{"no"}}, output.contacts},
      {{"problems",
        "times: for each step that ends then, writes the contact problem as an FCLIB file, with "
        "the impulses found and the warm start",
        kTime, Positive(", whole steps"), kOptional},
       output.problems},
  };
}

KeyRows CheckpointRows(RunConfig& run) {
  return {{{"every", "checkpoints, also one at the end", Kind::kPace, kTime,
            Range{"whole steps, or \"30 min wall\"", 0.0, true}, Default{"never"}},
           run.checkpoint.every},
          {{"keep", "how many of the last ones are kept", Range{">= 1", 1.0}, Default{"2"}},
           run.checkpoint.keep}};
}

void LogAsOftenAsSnapshots(Section& section, RunConfig& run) {
  if (!section.HasValue("log_every")) run.output.log_every = run.output.every;
}

}  // namespace

std::vector<KeyGroup> SceneKeys() {
  return {Once("scene", "What holds for the whole scene", OnTheWay(), SceneRows),
          Once("domain", "The simulated box",
               Never("particles and their images have their places in it"), DomainRows,
               [](Section& section, RunConfig& run) { section.CheckBox(run.scene.domain.box); })};
}

std::vector<KeyGroup> RunKeys() {
  return {
      Once("outflow", "Where particles leave", OnTheWay(), OutflowRows),
      Once("initial", "Particles read from a file", Never("it is read at time zero"), InitialRows),
      Once("time", "Time stepping", AtAnyRestart(), TimeRows),
      Once("solver", "Contact solver", OnTheWay(), SolverRows),
      Once("parallel", "Distribution over ranks", AtAnyRestart(), ParallelRows),
      Once("output", "What is written", AtAnyRestart(), OutputRows, LogAsOftenAsSnapshots),
      Once("checkpoint", "What --restart goes on from", AtAnyRestart(), CheckpointRows),
  };
}

}  // namespace scree
