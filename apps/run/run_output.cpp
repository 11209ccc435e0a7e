#include "apps/run/run_output.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iomanip>
#include <limits>

#include "apps/run/accuracy.hpp"
#include "engine/contacts/contact_assembly.hpp"
#include "engine/contacts/restitution.hpp"
#include "engine/particles/body_mass.hpp"
#include "engine/step/adaptive_step.hpp"
#include "engine/step/automatic_sweeps.hpp"
#include "io/files/atomic_file.hpp"
#include "io/files/build_info.hpp"
#include "io/files/collective_call.hpp"
#include "io/files/fclib_file.hpp"
#include "io/files/hdf5_file.hpp"
#include "io/output/output_directory.hpp"
#include "io/output/series.hpp"
#include "io/output/surface_files.hpp"
#include "io/output/xdmf.hpp"
#include "io/scene/config_reader.hpp"
#include "io/scene/enum_names.hpp"

namespace scree {
namespace {

std::vector<std::string> TimingColumns() {
  std::vector<std::string> columns = {
      "step",    "steps_done", "wall_seconds", "steps_per_second", "particle_steps_per_second",
      "rebuilds"};
  for (const char* phase : kPhaseNames) columns.push_back(std::string(phase) + "_seconds");
  for (const char* quantity : {"particles", "contacts", "time"}) {
    columns.push_back(std::string(quantity) + "_imbalance");
  }
  columns.insert(columns.end(), {"imbalance", "moves"});
  return columns;
}

/// Largest over mean of the ranks' working times, without the time of waiting for each other.
double TimeImbalance(const Communicator& communicator, const PhaseTimer& timer) {
  double seconds = 0.0;
  for (const Phase phase : {Phase::kDetection, Phase::kAssembly, Phase::kSweeps}) {
    seconds += timer.Seconds(phase);
  }
  const double sum = communicator.Sum(seconds);
  return sum > 0.0 ? communicator.Max(seconds) * communicator.Size() / sum : 1.0;
}

/// The configuration for snapshots. It omits the output directory, so that equal runs give equal
/// bytes wherever they write.
std::string StoredConfiguration(RunConfig config) {
  config.output.directory = OutputConfig().directory;
  config.output.overwrite = OutputConfig().overwrite;
  TableFiles files;  // files named in config.ini
  return EffectiveIni(config, &files);
}

/// The energy balance in one line.
std::string EnergySummary(const EnergyBalance& balance) {
  return Text(std::setprecision(4), "energy in J: kinetic ", balance.kinetic, " = weight ",
              balance.forces, " + body forces ", balance.body_forces, " + contacts ",
              balance.contacts, " + walls ", balance.walls, " + shear ", balance.shear,
              " (imbalance ", balance.Imbalance(), "); dissipated ", balance.dissipated,
              ", restitution ", balance.restitution, ", error reduction ", balance.error_reduction,
              ", projection ", balance.projection, ", entered ", balance.inserted, ", left ",
              balance.removed);
}

/// A warning if contacts have added energy, which only cohesive surfaces may do; otherwise empty.
/// @param largest  LargestEnergy [J]
/// @param of_kick  energy that weight gives to particles at rest in a step: gains that are small
///                 compared with it are rounding errors of particles at rest [J]
std::string GainSummary(const Scene& scene, const EnergyBalance& balance, double largest,
                        double of_kick) {
  constexpr double kNoticeableShare = 1e-4;
  const bool is_cohesive = scene.ActiveLaws()[kLawIndex<CohesionLaw>];
  if (is_cohesive || !(balance.contacts > kNoticeableShare * std::max(largest, of_kick))) return {};
  return Text(std::setprecision(3), "WARNING: contacts should only remove energy, but have added ",
              balance.contacts, " J, ", 100.0 * balance.contacts / largest,
              " % of the largest term of the balance: use more [solver] sweeps or a shorter ",
              "[time] step, or, with friction, a restitution farther below 1");
}

/// Mass of all particles [kg]
double TotalMass(const Communicator& communicator, const Particles& particles, const Scene& scene) {
  double mass = 0.0;
  for (std::size_t i = 0; i < particles.owned; ++i) {
    if (particles.id[i] != kRemovedId) mass += MassOf(particles, i, scene);
  }
  return communicator.Sum(mass);
}

/// Describes how far the last step was from rest.
/// @param kick  velocity change by gravity in a step [m/s]
std::string RestSummary(const Observables& observed, const SolveReport& report, double kick) {
  const double open = observed.loaded_contacts > 0
                          ? 100.0 * static_cast<double>(observed.open_contacts) /
                                static_cast<double>(observed.loaded_contacts)
                          : 0.0;
  std::string line =
      Text(std::setprecision(3), "last step: residual ", report.residual_rms, " m/s RMS");
  if (kick > 0.0) line += Text(std::setprecision(3), ", ", report.residual_rms / kick, " g dt");
  line += Text(std::setprecision(3), "; of ", observed.loaded_contacts, " loaded contacts ", open,
               " % were open when the step began");
  const std::optional<double> touching = observed.TouchingPerParticle();
  if (!touching) return line;
  return line + Text(std::setprecision(3), "; ", *touching, " touching contacts per particle (gap ",
                     "at most ", kTouchingRadii, " of the smallest radius)");
}

/// Whether the solve of this step is measured: every kStepsPerMeasurement steps and, for short
/// runs, in a few early steps.
bool IsMeasured(std::int64_t steps) {
  constexpr std::int64_t kEarlySteps[] = {16, 64, 256};
  return steps % kStepsPerMeasurement == 0 ||
         std::ranges::find(kEarlySteps, steps) != std::end(kEarlySteps);
}

/// The largest of the first and the last kinetic energy, the works, and the energies that entered
/// and left [J].
/// @param kinetic  at the end [J]
double LargestEnergy(const EnergyBalance& balance, double kinetic) {
  return std::max({kinetic, kinetic - balance.kinetic, std::abs(balance.forces),
                   std::abs(balance.body_forces), std::abs(balance.contacts),
                   std::abs(balance.walls), std::abs(balance.shear), balance.inserted,
                   balance.removed});
}

/// Names of the walls whose loads are in the series.
std::vector<std::string> WallsInSeries(const RunConfig& config) {
  std::vector<std::string> names;
  if (!config.output.wall_forces) return names;
  for (const Wall& wall : config.scene.walls) names.push_back(wall.name);
  return names;
}

std::vector<std::string> FreeWallsInSeries(const RunConfig& config) {
  std::vector<std::string> names;
  for (const Wall& wall : config.scene.walls) {
    if (wall.IsFree()) names.push_back(wall.name);
  }
  return names;
}

std::vector<std::string> LinksInSeries(const RunConfig& config) {
  std::vector<std::string> names;
  if (!config.output.wall_forces) return names;
  for (const Link& link : config.scene.links) names.push_back(link.name);
  return names;
}

/// Section names of the rains.
std::vector<std::string> RainsInSeries(const RunConfig& config) {
  std::vector<std::string> names;
  for (const Rain& rain : config.scene.rains) names.push_back(SectionOf("inflow", rain.name));
  return names;
}

/// Describes the inserted and the due amount of a rain.
std::string RainProgress(const Rain& rain, const RainState& state, double dt, std::int64_t step) {
  const double due = AmountDue(rain, dt, step);
  const std::string amount = rain.counts
                                 ? Text(state.inserted, " of ", std::llround(due), " particles")
                                 : Text(std::setprecision(6), state.Mass(), " of ", due, " kg, ",
                                        state.inserted, " particles");
  return Text("[", SectionOf("inflow", rain.name), "] ", amount, " by ", std::setprecision(6),
              static_cast<double>(step) * dt, " s");
}

CsvTable OpenTable(const Communicator& communicator, const std::string& path,
                   const std::vector<std::string>& columns, const std::int64_t* rows,
                   std::int64_t step) {
  return rows == nullptr ? CsvTable(communicator, path, columns)
                         : CsvTable(communicator, path, columns, {*rows, step});
}

}  // namespace

RunOutput::RunOutput(const Communicator& communicator, const RunConfig& config, RunLog::Echo echo,
                     TimeStep& step, State& state, const OutputCounters* continued)
    : communicator_(communicator),
      config_(config),
      stored_configuration_(StoredConfiguration(config)),
      last_step_(Interval{0, config.time.end}.InSteps(config.step, "time.end")),
      snapshot_every_(config.output.interval.InSteps(config.step, "output.every")),
      log_every_(config.output.log_every.InSteps(config.step, "output.log_every")),
      step_(step),
      state_(state),
      series_(OpenTable(
          communicator, InDirectory(kSeriesFile),
          SeriesColumns(WallsInSeries(config), RainsInSeries(config), FreeWallsInSeries(config),
                        config.scene.cell.IsActive(), LinksInSeries(config),
                        JointColumns(config.scene, config.output.energy_book),
                        !config.scene.bonds.empty(), config.scene.HasDamageBonds()),
          continued != nullptr ? &continued->series_rows : nullptr, state.step)),
      timing_(OpenTable(communicator, InDirectory(kTimingFile), TimingColumns(),
                        continued != nullptr ? &continued->timing_rows : nullptr, state.step)),
      problem_steps_(ProblemSteps(config)),
      first_step_(step.StepsDone()),
      measured_step_(first_step_),
      interim_due_(first_step_ + 1),
      measured_base_step_(state.step),
      begin_(state.step) {
  if (log_every_ == 0) log_every_ = snapshot_every_;
  PrepareStep();
  if (continued != nullptr) snapshots_ = continued->snapshots;
  const auto earlier =
      continued != nullptr ? RunLog::Earlier::kContinued : RunLog::Earlier::kReplaced;
  OnRoot([&] { log_.emplace(InDirectory(kLogFile), echo, earlier); });
  shows_interim_ =
      communicator.Max(static_cast<std::int64_t>(log_ && log_->HasUpdatingLine())) != 0;
  WriteConfiguration();
  ReplaceFile(communicator, InDirectory(kWallsFile), WallsAsVtk(config.scene));
  if (continued == nullptr) return;
  if (snapshot_every_ > 0) WriteIndex();
  const auto warn_if_lost = [&](const char* file, std::int64_t rows, std::int64_t written) {
    if (rows == written) return;
    Warn(Text(InDirectory(file), " has lost ", written - rows, " of ", written, " rows"));
  };
  warn_if_lost(kSeriesFile, series_.Rows(), continued->series_rows);
  warn_if_lost(kTimingFile, timing_.Rows(), continued->timing_rows);
}

/// Writes the configuration with the large tables that it names.
void RunOutput::WriteConfiguration() {
  TableFiles files;
  const std::string text = EffectiveIni(config_, &files);
  for (const auto& [name, content] : files) {
    const std::filesystem::path path = InDirectory(name);
    OnRoot([&] { std::filesystem::create_directories(path.parent_path()); });
    ReplaceFile(communicator_, path, content);
  }
  ReplaceFile(communicator_, InDirectory(kConfigFile), text);
}

std::string RunOutput::InDirectory(const std::string& name) const {
  return config_.output.directory + "/" + name;
}

template <class Action>
void RunOutput::OnRoot(Action&& action) {
  CallOnRoot<OutputError>(communicator_, std::forward<Action>(action));
}

void RunOutput::Print(const std::string& line) {
  OnRoot([&] { log_->Print(line); });
}

void RunOutput::RequirePrinted() {
  OnRoot([&] { log_->RequirePrinted(); });
}

void RunOutput::Warn(const std::string& line) {
  OnRoot([&] { log_->Warn(line); });
}

void RunOutput::ReportSnapshots(const FoundSnapshots& found) {
  const auto names = [this](const std::vector<std::int64_t>& steps) {
    const auto [first, last] = std::ranges::minmax(steps);
    return Text(InDirectory(SnapshotFile(first)), first == last ? "" : " to " + StepName(last));
  };
  OnRoot([&] {
    if (!found.removed.empty()) {
      log_->Print(Text("snapshots written after the checkpoint were removed: ",
                       found.removed.size(), ", ", names(found.removed)));
    }
    if (!found.missing.empty()) {
      log_->Warn(Text("snapshots of the run so far are missing: ", found.missing.size(), " of ",
                      snapshots_.size(), ", ", names(found.missing)));
    }
  });
}

void RunOutput::WriteStart() {
  Log();
  WriteSnapshotNow();
}

void RunOutput::WatchMotion(const Particles& particles) {
  if (RecordsProblem(state_.step)) problem_ = step_.Record(particles);
  if (!RecordsContacts(state_.step)) return;
  contacts_ = step_.ContactRecords(particles);
}

/// Whether a snapshot with contacts is due after this step.
bool RunOutput::RecordsContacts(std::int64_t step) const {
  const bool is_due = snapshot_every_ > 0 && (step % snapshot_every_ == 0 || step == last_step_);
  return config_.output.contacts && is_due;
}

bool RunOutput::RecordsProblem(std::int64_t step) const {
  return std::ranges::binary_search(problem_steps_, step);
}

void RunOutput::PrepareStep() {
  step_.EnableEnergyBalance(config_.output.energy_book);
  step_.EnableWallLoads(config_.output.wall_forces);
}

void RunOutput::PrepareOutputOfStep(std::int64_t end, bool averages_contacts) {
  const bool is_observed = end == last_step_ || (log_every_ > 0 && end % log_every_ == 0) ||
                           (snapshot_every_ > 0 && end % snapshot_every_ == 0);
  step_.KeepTouching(is_observed || averages_contacts);
  step_.KeepDissipation(RecordsContacts(end));
  step_.KeepStartingImpulses(RecordsProblem(end));
  step_.KeepSolveError(IsMeasured(step_.StepsDone() + 1) || end == last_step_);
}

std::int64_t RunOutput::NextOutputStep() const {
  std::int64_t next = kNoEvent;
  for (const std::int64_t every : {log_every_, snapshot_every_}) {
    if (every > 0) next = std::min(next, (state_.step / every + 1) * every);
  }
  const auto problem = std::ranges::upper_bound(problem_steps_, state_.step);
  return problem == problem_steps_.end() ? next : std::min(next, *problem);
}

void RunOutput::WriteAfterStep() {
  if (const std::optional<SolveError>& error = step_.ErrorOfSolve(); error) {
    solve_error_ += *error;
    if (IsMeasured(step_.StepsDone())) last_solve_error_ = error->MeasuredAt(state_.step);
  }
  particle_steps_ += static_cast<double>(state_.particles.owned);
  if (IsDue(log_every_)) {
    Log();
  } else if (shows_interim_ && step_.StepsDone() >= interim_due_ && state_.step != last_step_) {
    ShowInterimProgress();
  }
  if (IsDue(snapshot_every_)) WriteSnapshotNow();
  if (RecordsProblem(state_.step)) WriteProblem();
}

void RunOutput::WriteEnd() {
  if (log_every_ > 0 && !IsDue(log_every_)) Log();
  if (!IsDue(snapshot_every_)) WriteSnapshotNow();
}

/// Writes a row of the series and of the timing, and a line of the log.
void RunOutput::Log() {
  step_.MarkOther();
  const Observables observed = step_.Observe(state_);
  const SolveReport report = Report();
  TrackExtremes(observed);
  std::vector<CsvValue> machines = LinkValuesOf(config_.scene, observed.interval_loads);
  const auto joint_values =
      JointValuesOf(config_.scene, config_.step.dt, state_.free_walls, config_.output.energy_book);
  machines.insert(machines.end(), joint_values.begin(), joint_values.end());
  series_.Append(SeriesRow(observed, report, state_.rains,
                           FreeWallRows(config_.scene, config_.step.dt, state_.free_walls),
                           machines));
  step_.StartInterval(state_);
  ReportRain();
  if (step_.StepsDone() > first_step_) MeasureSpeed();
  AppendTiming(Elapsed(started_));
  const std::string line = ProgressLine(observed, report, last_step_, speed_);
  OnRoot([&] { log_->ShowProgress(line); });
  step_.MarkOther();
}

void RunOutput::TrackExtremes(const Observables& observed) {
  if (observed.max_penetration_interval > max_overlap_) {
    max_overlap_ = observed.max_penetration_interval;
    max_overlap_time_ = observed.time;
  }
  longest_step_ = std::max(longest_step_, step_.Length());
  longest_path_ = std::max(longest_path_, observed.max_speed * step_.Length());
}

/// Mass of the heaviest over that of the lightest particle, over all ranks; 0 without particles.
double RunOutput::MassRatio() const {
  double range[2] = {-std::numeric_limits<double>::infinity(), 0.0};  // negated minimum, maximum
  for (std::size_t i = 0; i < state_.particles.owned; ++i) {
    if (state_.particles.id[i] == kRemovedId) continue;
    const double mass = MassOf(state_.particles, i, config_.scene);
    range[0] = std::max(range[0], -mass);
    range[1] = std::max(range[1], mass);
  }
  communicator_.Max(range);
  return range[1] / -range[0];
}

/// time.accuracy if steps are automatic; otherwise the accuracy for which automatic steps would be
/// as long as the longest step. Their limits are proportional to the accuracy.
double RunOutput::AccuracyOfStep(double radius) const {
  if (config_.step.accuracy > 0.0) return config_.step.accuracy;
  constexpr double kReferenceAccuracy = 0.01;
  StepParameters reference = config_.step;
  reference.accuracy = kReferenceAccuracy;
  const StepLimits limits = MakeStepLimits(config_.scene, reference, {radius, radius});
  return kReferenceAccuracy * longest_step_ / LongestStep(limits, longest_path_ / longest_step_);
}

/// @param last  observables of the last step
std::string RunOutput::Accuracy(const Observables& last) const {
  const double radius = step_.Radii().smallest, dt = longest_step_;
  if (!(radius > 0.0)) return "accuracy: there were no particles";
  const double kick = dt * config_.scene.gravity.norm();
  AccuracyMeasures measures;
  measures.overlap = max_overlap_ / radius;
  measures.overlap_time = max_overlap_time_;
  const bool can_rebound = HasReboundingPair(config_.scene.materials);
  (can_rebound ? measures.impacts : measures.travel) = longest_path_ / radius;
  measures.fall = kick * dt / radius;
  measures.strain = std::abs(config_.scene.domain.shear.rate) * dt;
  if (kick > 0.0) measures.masses = MassRatio();
  const double scale = std::max(kick, last.max_speed);
  if (scale > 0.0) measures.residual = step_.Report().residual_rms / scale;
  measures.step_accuracy = AccuracyOfStep(radius);
  return AccuracyInWords(measures);
}

/// Reports when a rain starts to lack space, and when it has caught up.
void RunOutput::ReportRain() {
  const std::vector<Rain>& rains = config_.scene.rains;
  rains_waiting_.resize(rains.size(), false);
  for (std::size_t r = 0; r < rains.size(); ++r) {
    const RainState& state = state_.rains[r];
    if (state.is_waiting == rains_waiting_[r]) continue;
    rains_waiting_[r] = state.is_waiting;
    Print(RainProgress(rains[r], state, config_.step.dt, state_.step) +
          (state.is_waiting ? "; full: the rest comes as space becomes free"
                            : "; the rest has come"));
  }
}

void RunOutput::AppendTiming(double seconds) {
  std::vector<CsvValue> row = {state_.step,
                               step_.StepsDone(),
                               seconds,
                               speed_.StepsPerSecond(),
                               speed_.ParticleStepsPerSecond(),
                               step_.Rebuilds()};
  for (std::size_t phase = 0; phase < kPhases; ++phase) {
    row.emplace_back(communicator_.Max(step_.Timer().Seconds(static_cast<Phase>(phase))));
  }
  const LoadImbalance imbalance = step_.Imbalance(state_);
  row.insert(row.end(),
             {imbalance.particles, imbalance.contacts, TimeImbalance(communicator_, step_.Timer()),
              imbalance.work, step_.Rebalances()});
  timing_.Append(row);
}

void RunOutput::ShowInterimProgress() {
  step_.MarkOther();
  const Observables observed = step_.Observe(state_);
  const SolveReport report = Report();
  MeasureSpeed();
  if (log_) log_->ShowTransient(ProgressLine(observed, report, last_step_, speed_));
  step_.MarkOther();
}

/// Measures the work since the last measurement, over all ranks, and estimates the step at which
/// the next second will be over.
void RunOutput::MeasureSpeed() {
  const double work = communicator_.Sum(particle_steps_);
  const double seconds = Elapsed(last_measured_);
  speed_.Add({.particle_steps = work,
              .steps = static_cast<double>(step_.StepsDone() - measured_step_),
              .base_steps = static_cast<double>(state_.step - measured_base_step_)},
             seconds);
  all_particle_steps_ += work;
  particle_steps_ = 0.0;
  measured_step_ = step_.StepsDone();
  measured_base_step_ = state_.step;
  last_measured_ = Clock::now();
  const std::int64_t wait =
      communicator_.IsRoot() ? std::max<std::int64_t>(1, std::llround(speed_.StepsPerSecond())) : 0;
  interim_due_ = step_.StepsDone() + communicator_.Max(wait);
}

/// The bonds and clusters for a snapshot; none in scenes without bonds.
std::optional<BondOutput> RunOutput::BondsNow() const {
  if (config_.scene.bonds.empty()) return {};
  return BondOutput{step_.Bonds(), step_.Clusters(state_), config_.scene.HasDamageBonds()};
}

void RunOutput::WriteSnapshotNow() {
  if (snapshot_every_ == 0) return;
  step_.MarkOther();
  const Observables observed = step_.Observe(state_);
  const std::string file = SnapshotFile(state_.step);
  const Box subdomain = step_.Partition().BoxOf(communicator_.Rank());
  const std::optional<BondOutput> bonds = BondsNow();
  WriteSnapshot(communicator_, InDirectory(file), state_.particles, Meta(observed, Report()),
                config_.output.format, config_.output.contacts ? &contacts_ : nullptr, &subdomain,
                step_.VelocitiesNow(state_).of_owned, bonds ? &*bonds : nullptr);
  snapshots_.push_back({observed.step, observed.particles, config_.output.format});
  WriteIndex();
  step_.MarkOther();
}

void RunOutput::WriteProblem() {
  step_.MarkOther();
  const SolveReport report = Report();
  // Only root opens this file, so no other rank can close it.
  CallOnRoot<UnclosedFile>(communicator_, [&] {
    const double time = config_.step.dt * static_cast<double>(state_.step);
    WriteFclib(
        InDirectory(ProblemFile(state_.step)),
        MakeFclibFile(problem_, step_.Length(), time, NameOf(config_.step.solver.kernel), report));
    problem_ = {};
  });
  step_.MarkOther();
}

void RunOutput::WriteIndex() {
  std::vector<XdmfStep> index;
  for (const WrittenSnapshot& snapshot : snapshots_) {
    index.push_back({SnapshotFile(snapshot.step),
                     config_.step.dt * static_cast<double>(snapshot.step), snapshot.particles,
                     snapshot.format, !config_.scene.bonds.empty()});
  }
  ReplaceFile(communicator_, InDirectory(kIndexFile), XdmfText(index));
}

void RunOutput::WriteFailedState(const std::string& reason) {
  OnRoot([&] { log_->Note(reason); });
  // A problem is only on root, and only if the step failed after recording it.
  const std::int64_t is_recorded = problem_.bodies.empty() ? 0 : 1;
  if (communicator_.Max(is_recorded) != 0) WriteProblem();
  // The step failed, so its contacts may be incomplete.
  std::vector<double> inverse_masses;
  SetInverseMasses(state_.particles, config_.scene, inverse_masses);
  const InstantaneousVelocities velocities = step_.VelocitiesNow(state_);
  Observables observed = Observe(communicator_, state_.particles, inverse_masses, {}, {}, 0.0, 0,
                                 {}, config_.scene.clumps, velocities.of_owned);
  observed.step = state_.step;
  observed.time = config_.step.dt * static_cast<double>(state_.step);
  observed.time_step = step_.Length();
  observed.particles = communicator_.Sum(static_cast<std::int64_t>(state_.particles.owned));
  observed.inserted = communicator_.Sum(state_.inserted);
  observed.deleted = communicator_.Sum(state_.deleted);
  const std::string path = InDirectory(kFailedFile);
  const std::optional<BondOutput> bonds = BondsNow();
  WriteSnapshot(communicator_, path, state_.particles, Meta(observed, {}), {}, nullptr, nullptr,
                velocities.of_owned, bonds ? &*bonds : nullptr);
  Print("the invalid state is in " + path);
}

SolveReport RunOutput::Report() const {
  SolveReport report = step_.Report();
  report.measured = last_solve_error_;
  return report;
}

OutputCounters RunOutput::Counters() const { return {series_.Rows(), timing_.Rows(), snapshots_}; }

SnapshotMeta RunOutput::Meta(const Observables& observed, const SolveReport& report) const {
  SnapshotMeta meta =
      MakeSnapshotMeta(config_.scene, config_.step.dt, observed, report, state_.free_walls);
  if (config_.scene.cell.IsActive()) meta.domain = step_.DomainNow();
  meta.configuration = stored_configuration_;
  meta.inputs = config_.inputs;
  return meta;
}

void RunOutput::ReportStart() {
  const Observables observed = step_.Observe(state_);
  Print(Text("Scree ", ProgramVersion(), " (", GitHash(), "), ", communicator_.Size(),
             communicator_.Size() == 1 ? " rank" : " ranks", " as ",
             DescribeCuts(step_.Partition().Description())));
  if (snapshot_every_ == 0 && log_every_ == 0 && config_.checkpoint.interval == Interval()) {
    Print(
        "[output] every = never, log_every = never, and there is no [checkpoint]: this run writes "
        "no snapshots, no series and no checkpoints");
  }
  if (!problem_steps_.empty() && problem_steps_.back() > last_step_) {
    Print(Text("[output] problems has times after the end of the run, up to ",
               config_.step.Moment(problem_steps_.back()), ": they are ignored"));
  }
  const std::string steps =
      config_.step.accuracy > 0.0
          ? Text(config_.time.end, " s in steps for an accuracy of ", config_.step.accuracy)
          : Text(last_step_, " steps of ", config_.step.dt, " s");
  Print(Text(observed.particles, " particles, ", steps, ", output in ", config_.output.directory));
}

/// Reports the load balance of the ranks, and its cost.
void RunOutput::PrintBalance() {
  if (communicator_.Size() == 1) return;
  const LoadImbalance last = step_.Imbalance(state_);
  const double time = TimeImbalance(communicator_, step_.Timer());
  const double seconds = communicator_.Max(step_.Timer().Seconds(Phase::kBalance));
  Print(Text(std::setprecision(3), "load imbalance (max/mean): particles ", last.particles,
             ", contacts ", last.contacts, ", counted work ", last.work,
             " in the last step, time at ", "work ", time, "; subdomains (",
             DescribeCuts(step_.Partition().Description()), ") rebalanced ", step_.Rebalances(),
             " times, which took ", seconds, " s"));
}

void RunOutput::ReportSummary() {
  MeasureSpeed();
  const double seconds = Elapsed(started_);
  const double rate = all_particle_steps_ / seconds;
  const double steps = static_cast<double>(step_.StepsDone() - first_step_);
  Print(Text("done in ", FormatDuration(seconds), ": ", FormatScaled(steps / seconds, 3),
             " steps/s, ", FormatScaled(rate, 3), " particle-steps/s, ",
             FormatScaled(rate / communicator_.Size(), 3), " per rank"));
  std::string phases = "seconds per phase (slowest rank):";
  for (std::size_t phase = 0; phase < kPhases; ++phase) {
    const double largest = communicator_.Max(step_.Timer().Seconds(static_cast<Phase>(phase)));
    phases += Text(" ", kPhaseNames[phase], " ", std::round(100.0 * largest) / 100.0);
  }
  Print(phases);
  PrintBalance();
  const double kick = step_.Length() * config_.scene.gravity.norm();
  const Observables last = step_.Observe(state_);
  Print(RestSummary(last, step_.Report(), kick));
  for (std::size_t r = 0; r < state_.rains.size(); ++r) {
    Print(RainProgress(config_.scene.rains[r], state_.rains[r], config_.step.dt, state_.step) +
          (state_.rains[r].is_waiting ? "; full" : ""));
  }
  ErrorBars bars;
  if (config_.output.energy_book) {
    const EnergyBalance balance = SumOverRanks(communicator_, state_.energy);
    bars.energy = LargestEnergy(balance, last.kinetic_energy);
    Print(EnergySummary(balance));
    const double of_kick =
        0.5 * kick * kick * TotalMass(communicator_, state_.particles, config_.scene);
    const std::string gain = GainSummary(config_.scene, balance, bars.energy, of_kick);
    if (!gain.empty()) Warn(gain);
  }
  if (const std::int64_t step = step_.SuspectedJam(); step >= 0) {
    Warn(Text("WARNING: up to ", config_.step.Moment(step),
              " a wall seemed to jam grains of several ranks. Jams are ",
              "not tested across ranks, so forces may have grown without bound. Use fewer ranks, ",
              "a free wall, or a gap that particles either pass or cannot enter"));
  }
  TrackExtremes(last);
  if (begin_ > 0) {
    Print(Text("accuracy and errors of the steps from ", config_.step.Moment(begin_),
               " on; earlier ones are in the log of the run that wrote the checkpoint"));
  }
  Print(Accuracy(last));
  if (config_.step.automatic_sweeps) {
    Print(Text(
        "sweeps = auto: ", step_.PlannedSweeps(), " a step at the end",
        step_.PlannedSweeps() == MaxAutomaticSweeps(config_.step) ? ", which is the maximum" : ""));
  }
  if (const double radius = step_.Radii().smallest; radius > 0.0 && solve_error_.steps > 0) {
    bars.step = kStepErrorFactor * AccuracyOfStep(radius);
    bars.solve = solve_error_.RelativeEnergyError();
    bars.stress = solve_error_.StressError();
    Print(ErrorBarsInWords(bars));
  }
  if (!config_.output.wall_forces) solve_error_.squared_loads.clear();
  if (solve_error_.steps > 0) Print(SolveErrorInWords(config_.scene, solve_error_));
}

}  // namespace scree
