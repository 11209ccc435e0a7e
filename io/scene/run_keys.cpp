// Sections that a scene has once: [scene], [domain], [outflow], [initial], [time], [solver],
// [parallel], [output], [checkpoint].
#include <algorithm>

#include "io/scene/key_groups.hpp"

namespace scree {
namespace {

/// A section that a scene has once.
/// @param check  checks the keys against each other
KeyGroup SingleSection(const std::string& name, const std::string& doc, const ChangeRule& change,
                       KeyRows (*rows)(RunConfig&), void (*check)(Section&, RunConfig&) = nullptr) {
  return {
      {{name, name, 0, 0, doc, change, SpecsOf(rows)}},
      [=](const Settings& settings, ErrorList& errors, RunConfig& run) {
        Section section(name, settings, errors);
        section.VisitKeys(rows(run));
        if (check != nullptr) check(section, run);
      },
      [=](RunConfig& run, IniEntries& entries) { Section(name, entries).VisitKeys(rows(run)); }};
}

// ---- the scene

KeyRows SceneRows(RunConfig& run) {
  return {{{"seed", "seed of all random numbers", NotNegative(), Default{"1"},
            Never("all random numbers of the run depend on it")},
           run.scene.seed},
          {{"gravity", "gravity", kAcceleration, Default{"0 0 -9.81 m/s^2"}}, run.scene.gravity}};
}

KeyRows DomainRows(RunConfig& run) {
  Domain& domain = run.scene.domain;
  Shear& shear = domain.shear;
  const ChangeRule constant_rule =
      Never("the positions of the periodic images depend on it since the start");
  return {
      {{"lower", "lower corner", kLength}, domain.box.lower},
      {{"upper", "upper corner", kLength, InWords("above lower")}, domain.box.upper},
      {{"periodic", "axes along which the box repeats", Default{"none"}}, domain.periodic},
      {{"shear_rate",
        "gradient of the mean velocity, maintained by moving periodic images (Lees-Edwards)",
        kPerTime, Default{"0 /s"}, constant_rule},
       shear.rate},
      KeyRow(
          {"shear_flow", "axis along which the sheared images move", Default{"x"}, constant_rule},
          shear.flow)
          .OnlyIf(shear.IsActive()),
      KeyRow({"shear_gradient", "axis along which the mean velocity increases", Default{"z"},
              constant_rule},
             shear.gradient)
          .OnlyIf(shear.IsActive()),
  };
}

// ---- the run

KeyRow SweepsRow(StepParameters& step) {
  return {{"sweeps",
           "sweeps over all contacts per step if there is no tolerance; long automatic steps do up "
           "to twice as many; auto: 10 or more, as long as more pay, so that the measured error of "
           "single solves reaches time.accuracy and force_accuracy; columns solve_error_* have "
           "this error; default with [cell]: 40",
           Kind::kAutoWhole, OrAuto(Between(1, 1e6)), Default{"10"}},
          [&step](const KeyValue& value) {
            const std::int64_t sweeps = std::get<std::int64_t>(value);
            step.automatic_sweeps = sweeps < 0;
            if (sweeps > 0) step.solver.sweeps = static_cast<int>(sweeps);
          },
          [&step]() -> std::optional<KeyValue> {
            return step.automatic_sweeps ? std::int64_t{-1} : std::int64_t{step.solver.sweeps};
          }};
}

KeyRows SweepRows(StepParameters& step) {
  SolverParameters& solver = step.solver;
  return {
      SweepsRow(step),
      KeyRow({"force_accuracy",
              "with sweeps = auto: target for the relative error of the contact impulses of a step "
              "(L2) and of their RMS; auto: five times time.accuracy",
              Kind::kAutoNumber, OrAuto(Between(1e-4, 1.0)), Default{"auto"}},
             step.force_accuracy)
          .OnlyIf(step.automatic_sweeps),
      {{"tolerance", "sweep until the relative velocities change by less than this", kSpeed,
        Positive(), kOptional},
       solver.tolerance},
      {{"max_sweeps",
        "maximum number of sweeps with a tolerance or sweeps = auto; with auto at most 100, unless "
        "force_accuracy is given",
        Between(1, 1e6), Default{"1000"}},
       solver.max_sweeps},
      {{"kernel",
        "solution of one contact; sphere: closed form, for spheres only; coulomb: bodies of any "
        "shape, slower, the same result for spheres, default where a scene has shapes; "
        "max_dissipation: bodies of any shape, sweeps take three quarters of coulomb's time",
        Default{"sphere"}},
       solver.kernel},
      {{"scheme", "jacobi: the same bits on any number of ranks, but slower",
        Default{"gauss_seidel"}},
       solver.scheme},
      {{"momentum",
        "gauss_seidel: each sweep first adds this fraction of the previous sweep's change (heavy "
        "ball), at most 0.7 after 100 sweeps; 0: plain sweeps, also used where something rebounds "
        "or a face of a solid has more than four corners",
        Between(0, 0.9), Default{"0.85"}},
       solver.momentum},
      {{"coarse_correction",
        "after the sweeps, scale the loads in beds more than 32 diameters deep, so that the weight "
        "reaches the floor in one step",
        Default{"yes"}},
       solver.coarse_correction},
  };
}

KeyRows StepRows(StepParameters& step) {
  return {
      {{"position_sweeps",
        "sweeps that move overlapping particles apart without changing their velocities; 0: "
        "velocities remove the overlaps (Baumgarte stabilisation)",
        kOptional,
        Between(0, 1e6,
                "; if not given, 0.8 times sweeps, but at least 1 and at most 5 (10 if sweeps are "
                "plain)")},
       step.position_sweeps},
      {{"error_reduction", "fraction of an overlap removed in one step", Between(0, 1),
        Default{"0.8"}},
       step.error_reduction},
      {{"warm_start", "start each contact from its impulse of the last step", Default{"yes"}},
       step.warm_start},
      {{"speculative",
        "include open gaps that would close within the step; no: impacts are found after an "
        "overlap exists, and the error of rebound heights is of first order in the step",
        Default{"yes"}},
       step.speculative},
  };
}

KeyRows SolverRows(RunConfig& run) { return SweepRows(run.step) + StepRows(run.step); }

KeyRows OutflowRows(RunConfig& run) {
  return {
      {{"faces", "faces of the domain that delete the particles which cross them", Default{"none"}},
       run.scene.outflow}};
}

KeyRows InitialRows(RunConfig& run) {
  return {
      {{"file", "snapshot or table of particles", kOptional,
        InWords(".h5 | .csv | .csv.gz | .lammpstrj | .dump | .txt")},
       run.initial.file},
      KeyRow(
          {"with_fills",
           "make the fills too, around the particles of the file; no: the file replaces the fills",
           Default{"no"}},
          run.initial.with_fills)
          .OnlyIf(!run.initial.file.empty())};
}

/// An automatic step is a whole number of base steps and has an accuracy.
KeyRow StepRow(StepParameters& step) {
  return {{"step", "time step; auto: as long as time.accuracy allows, adapted during the run",
           Kind::kAutoNumber, kTime, OrAuto(Positive()), Default{"auto"},
           Never("time is counted in steps since the start")},
          [&step](const KeyValue& value) {
            const double dt = std::get<double>(value);
            step.dt = std::max(dt, 0.0);
            step.accuracy = dt > 0.0 ? 0.0 : kAccuracy;
          },
          [&step]() -> std::optional<KeyValue> { return step.accuracy > 0.0 ? -1.0 : step.dt; },
          [&step] { step.dt = 0.0; }};
}

/// The automatic value is computed when the whole scene is known (config_reader).
KeyRow BaseStepRow(StepParameters& step) {
  return KeyRow(
             {"base_step",
              "automatic steps are whole multiples of it; auto: a power of ten seconds chosen from "
              "the scene's time scales, such as 1 ns for millimetre grains under gravity",
              Kind::kAutoNumber, kTime, OrAuto(Positive()), Default{"auto"},
              Never("time is counted in base steps since the start")},
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
           "relative error of a flow's results at which automatic steps aim; not measured "
           "(engine/time_steps.md)",
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
      {{"subdomains",
        "number of equal subdomains along each axis, fixed during the run; auto: see balance",
        Kind::kGrid, Default{"auto"}},
       run.parallel.subdomains},
      {{"balance",
        "when automatic subdomains are cut again so that ranks have equal work: at the start, and "
        "every N steps or, with auto, when it saves time (Jacobi in periodic domains waits for the "
        "next neighbour lists); never: keep the grid with the smallest faces",
        Kind::kBalance, InWords("auto | never | every N steps"), Default{"auto"}},
       run.step.balance},
      {{"skin", "extra search distance of the neighbour list; auto: 0.8 mean radii",
        Kind::kAutoNumber, kLength, OrAuto(Positive()), Default{"auto"}},
       run.step.skin},
  };
}

// ---- output

KeyRow PrecisionRow(bool& single) {
  return {{"precision", "precision of the numbers in snapshots", Kind::kChoice,
           InWords("double | single"), Default{"double"}},
          [&single](const KeyValue& value) { single = std::get<std::string>(value) == "single"; },
          [&single] { return KeyValue(std::string(single ? "single" : "double")); }};
}

KeyRows OutputRows(RunConfig& run) {
  OutputConfig& output = run.output;
  return {
      {{"directory", "directory for all output", Default{"output"}}, output.directory},
      {{"every", "time between snapshots", kTime, Range{"whole steps", 0.0, true},
        Default{"never"}},
       output.interval},
      {{"log_every", "time between rows of series.csv and between progress lines", kTime, kDerived,
        Range{"equal to every if not given", 0.0, true}},
       output.log_every},
      {{"energy_book", "write the energy balance, summed over all steps, to series.csv",
        Default{"no"}},
       output.energy_book},
      {{"wall_forces",
        "write the mean force and torque on each wall, with standard deviations, to series.csv",
        Default{"no"}},
       output.wall_forces},
      {{"overwrite", "replace existing output", Default{"no"}}, output.overwrite},
      {{"fields", "particle fields in snapshots; position and id are always written", Kind::kFields,
        Default{"all"}},
       output.format.fields},
      PrecisionRow(output.format.is_single_precision),
      {{"contacts", "write the contacts to snapshots too", Default{"no"}}, output.contacts},
      {{"problems",
        "times: for each step that ends at one of them, write the contact problem as an FCLIB "
        "file, with the computed impulses and the warm start",
        kTime, Positive(", whole steps"), kOptional},
       output.problems},
  };
}

KeyRows CheckpointRows(RunConfig& run) {
  return {{{"every", "time between checkpoints; one more is written at the end",
            Kind::kIntervalOrWallTime, kTime, Range{"whole steps, or \"30 min wall\"", 0.0, true},
            Default{"never"}},
           run.checkpoint.interval},
          {{"keep", "number of latest checkpoints that are kept", Range{">= 1", 1.0}, Default{"2"}},
           run.checkpoint.keep}};
}

void LogAsOftenAsSnapshots(Section& section, RunConfig& run) {
  if (!section.HasValue("log_every")) run.output.log_every = run.output.interval;
}

}  // namespace

std::vector<KeyGroup> SceneKeys() {
  return {SingleSection("scene", "Settings of the whole scene", DuringRun(), SceneRows),
          SingleSection(
              "domain", "The simulated box",
              Never("the positions of particles and of their images depend on it"), DomainRows,
              [](Section& section, RunConfig& run) { section.CheckBox(run.scene.domain.box); })};
}

std::vector<KeyGroup> RunKeys() {
  return {
      SingleSection("outflow", "Where particles leave", DuringRun(), OutflowRows),
      SingleSection("initial", "Particles read from a file", Never("the file is read at time zero"),
                    InitialRows),
      SingleSection("time", "Time stepping", AtAnyRestart(), TimeRows),
      SingleSection("solver", "Contact solver", DuringRun(), SolverRows),
      SingleSection("parallel", "Distribution over ranks", AtAnyRestart(), ParallelRows),
      SingleSection("output", "What is written", AtAnyRestart(), OutputRows, LogAsOftenAsSnapshots),
      SingleSection("checkpoint", "Checkpoints, from which --restart continues", AtAnyRestart(),
                    CheckpointRows),
  };
}

}  // namespace scree
