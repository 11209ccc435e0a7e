#include "apps/run_loop.hpp"

#include <chrono>
#include <cmath>
#include <optional>
#include <vector>

#include "apps/initial_state.hpp"
#include "engine/averages.hpp"
#include "engine/time_step.hpp"
#include "io/atomic_file.hpp"
#include "io/average_files.hpp"
#include "io/build_info.hpp"
#include "io/collective_call.hpp"
#include "io/config_reader.hpp"
#include "io/csv_table.hpp"
#include "io/output_directory.hpp"
#include "io/progress.hpp"
#include "io/series.hpp"
#include "io/snapshot.hpp"
#include "io/surface_files.hpp"
#include "io/xdmf.hpp"

namespace scree {
namespace {

std::vector<std::string> TimingColumns() {
  std::vector<std::string> columns = {"step", "wall_seconds", "steps_per_second",
                                      "particle_steps_per_second", "rebuilds"};
  for (const char* phase : kPhaseNames) columns.push_back(std::string(phase) + "_seconds");
  return columns;
}

std::vector<AverageSpec> ScheduledAverages(const RunConfig& config) {
  std::vector<AverageSpec> specs;
  for (const AverageConfig& average : config.averages) specs.push_back(Schedule(average, config));
  return specs;
}

class Run {
 public:
  Run(const Communicator& communicator, const RunConfig& config, RunLog::Echo echo, TimeStep& step,
      State& state);

  void ToTheEnd();

 private:
  using Clock = std::chrono::steady_clock;

  std::string InDirectory(const std::string& name) const {
    return config_.output.directory + "/" + name;
  }
  template <class Action>
  void OnRoot(Action&& action) {
    CallOnRoot<OutputError>(communicator_, std::forward<Action>(action));
  }
  void SayWhatRuns();
  void SayWhatWasDone();
  void Advance();
  void AddToAverages();
  void Log();
  void AppendTiming(double seconds);
  void ShowInPassing();
  void WriteSnapshotNow();
  void WriteFailedState();
  SnapshotMeta Meta(const Observables& observed, const SolveReport& report) const;
  void Measure();
  double Elapsed(Clock::time_point since) const {
    return std::chrono::duration<double>(Clock::now() - since).count();
  }

  const Communicator& communicator_;
  const RunConfig& config_;
  std::int64_t last_step_, snapshot_every_, log_every_;
  TimeStep& step_;
  State& state_;
  std::optional<RunLog> log_;  // on root
  CsvTable series_, timing_;
  std::vector<XdmfStep> index_;
  Averages averages_;
  MotionWatcher watcher_;  // of the flows, if any is asked for

  // Speed; the clock of root decides.
  Clock::time_point started_ = Clock::now(), measured_ = started_;
  SpeedEstimate speed_;
  double particle_steps_ = 0.0;  // of this rank since the last measurement
  double all_particle_steps_ = 0.0;
  std::int64_t measured_step_ = 0, passing_due_ = 1;
  bool shows_passing_ = false;
};

Run::Run(const Communicator& communicator, const RunConfig& config, RunLog::Echo echo,
         TimeStep& step, State& state)
    : communicator_(communicator),
      config_(config),
      last_step_(Interval{0, config.time.end}.InSteps(config.step.dt, "time.end")),
      snapshot_every_(config.output.every.InSteps(config.step.dt, "output.every")),
      log_every_(config.output.log_every.InSteps(config.step.dt, "output.log_every")),
      step_(step),
      state_(state),
      series_(communicator, InDirectory(kSeriesFile), SeriesColumns()),
      timing_(communicator, InDirectory(kTimingFile), TimingColumns()),
      averages_(config.scene, config.step.dt, ScheduledAverages(config)) {
  if (averages_.HaveFlow()) {
    watcher_ = [this](const Particles& particles) { averages_.AddMotion(state_.step, particles); };
  }
  if (log_every_ == 0) log_every_ = snapshot_every_;
  OnRoot([&] { log_.emplace(InDirectory(kLogFile), echo); });
  shows_passing_ = communicator.Max(static_cast<std::int64_t>(log_ && log_->WantsPassing())) != 0;
  WriteWholeFile(communicator, InDirectory(kConfigFile), EffectiveIni(config));
  WriteWholeFile(communicator, InDirectory(kWallsFile), WallsAsVtk(config.scene));
}

void Run::ToTheEnd() {
  SayWhatRuns();
  Log();
  WriteSnapshotNow();
  AddToAverages();
  try {
    while (state_.step < last_step_) Advance();
  } catch (const SimulationError&) {
    WriteFailedState();
    throw;
  }
  WriteAverages(communicator_, config_.output.directory, averages_, config_.step.dt);
  SayWhatWasDone();
}

void Run::Advance() {
  step_.Advance(state_, watcher_);
  AddToAverages();
  particle_steps_ += static_cast<double>(state_.particles.owned);
  const bool is_last = state_.step == last_step_;
  const auto due = [&](std::int64_t every) {
    return every > 0 && (state_.step % every == 0 || is_last);
  };
  if (due(log_every_)) {
    Log();
  } else if (shows_passing_ && state_.step >= passing_due_) {
    ShowInPassing();
  }
  if (due(snapshot_every_)) WriteSnapshotNow();
}

void Run::AddToAverages() {
  if (averages_.Empty()) return;
  step_.BookOther();
  averages_.AddState(state_.step, state_.particles);
  step_.BookOther();
}

/// A row of the series and of the timing, and a line for the reader.
void Run::Log() {
  step_.BookOther();
  const Observables observed = step_.Observe(state_);
  const SolveReport report = step_.Report();
  step_.StartInterval();
  series_.Append(SeriesRow(observed, report));
  if (state_.step > 0) Measure();
  AppendTiming(Elapsed(started_));
  const std::string line = ProgressLine(observed, report, last_step_, speed_);
  OnRoot([&] { log_->ShowProgress(line); });
  step_.BookOther();
}

void Run::AppendTiming(double seconds) {
  std::vector<CsvValue> row = {state_.step, seconds, speed_.StepsPerSecond(),
                               speed_.ParticleStepsPerSecond(), step_.Rebuilds()};
  for (std::size_t phase = 0; phase < kPhases; ++phase) {
    row.emplace_back(communicator_.Max(step_.Timer().Seconds(static_cast<Phase>(phase))));
  }
  timing_.Append(row);
}

void Run::ShowInPassing() {
  step_.BookOther();
  const Observables observed = step_.Observe(state_);
  const SolveReport report = step_.Report();
  Measure();
  if (log_) log_->ShowPassing(ProgressLine(observed, report, last_step_, speed_));
  step_.BookOther();
}

/// Work since the last measurement, over all ranks; also says when a second will have passed.
void Run::Measure() {
  const double work = communicator_.Sum(particle_steps_);
  const double seconds = Elapsed(measured_);
  speed_.Add(work, static_cast<double>(state_.step - measured_step_), seconds);
  all_particle_steps_ += work;
  particle_steps_ = 0.0;
  measured_step_ = state_.step;
  measured_ = Clock::now();
  const std::int64_t wait =
      communicator_.IsRoot() ? std::max<std::int64_t>(1, std::llround(speed_.StepsPerSecond())) : 0;
  passing_due_ = state_.step + communicator_.Max(wait);
}

void Run::WriteSnapshotNow() {
  if (snapshot_every_ == 0) return;
  step_.BookOther();
  const Observables observed = step_.Observe(state_);
  const std::string file = SnapshotFile(state_.step);
  WriteSnapshot(communicator_, InDirectory(file), state_.particles, Meta(observed, step_.Report()));
  index_.push_back({file, observed.time, observed.particles});
  WriteWholeFile(communicator_, InDirectory(kIndexFile), XdmfText(index_));
  step_.BookOther();
}

void Run::WriteFailedState() {
  Observables observed;
  observed.step = state_.step;
  observed.time = config_.step.dt * static_cast<double>(state_.step);
  const std::string path = InDirectory(kFailedFile);
  WriteSnapshot(communicator_, path, state_.particles, Meta(observed, {}));
  OnRoot([&] { log_->Say("the invalid state is in " + path); });
}

/// The configuration as it is stored in snapshots: without the place of the output, so that equal
/// runs give equal bytes wherever they write.
std::string StoredConfiguration(RunConfig config) {
  config.output.directory = OutputConfig().directory;
  config.output.overwrite = OutputConfig().overwrite;
  return EffectiveIni(config);
}

SnapshotMeta Run::Meta(const Observables& observed, const SolveReport& report) const {
  SnapshotMeta meta;
  meta.domain = config_.scene.domain;
  for (std::size_t k = 0; k < config_.scene.materials.Size(); ++k) {
    meta.materials.push_back(config_.scene.materials[static_cast<MaterialId>(k)]);
  }
  meta.configuration = StoredConfiguration(config_);
  meta.program_version = ProgramVersion();
  meta.git_hash = GitHash();
  meta.seed = config_.scene.seed;
  meta.observables = observed;
  meta.solve = report;
  return meta;
}

void Run::SayWhatRuns() {
  const std::array<int, 3> grid = step_.Partition().Grid();
  const Observables observed = step_.Observe(state_);
  OnRoot([&] {
    log_->Say(Text("Scree ", ProgramVersion(), " (", GitHash(), "), ", communicator_.Size(),
                   communicator_.Size() == 1 ? " rank" : " ranks", " as ", grid[0], "x", grid[1],
                   "x", grid[2]));
    log_->Say(Text(observed.particles, " particles, ", last_step_, " steps of ", config_.step.dt,
                   " s, output in ", config_.output.directory));
    for (const AverageSpec& average : averages_.Specs()) {
      if (HasWindow(average)) continue;
      log_->Say(Text("average.", average.name, " would begin at step ", average.first,
                     ", after the end of the run: it is not taken"));
    }
  });
}

void Run::SayWhatWasDone() {
  Measure();
  const double seconds = Elapsed(started_);
  const double rate = all_particle_steps_ / seconds;
  OnRoot([&] {
    log_->Say(Text("done in ", FormatDuration(seconds), ": ",
                   FormatScaled(static_cast<double>(last_step_) / seconds, 3), " steps/s, ",
                   FormatScaled(rate, 3), " particle-steps/s, ",
                   FormatScaled(rate / communicator_.Size(), 3), " per rank"));
  });
  std::string phases = "seconds per phase (slowest rank):";
  for (std::size_t phase = 0; phase < kPhases; ++phase) {
    const double greatest = communicator_.Max(step_.Timer().Seconds(static_cast<Phase>(phase)));
    phases += Text(" ", kPhaseNames[phase], " ", std::round(100.0 * greatest) / 100.0);
  }
  OnRoot([&] { log_->Say(phases); });
}

}  // namespace

void RunScene(const Communicator& communicator, const RunConfig& config, RunLog::Echo echo) {
  const Subdomains subdomains = MakeSubdomains(communicator, config);
  State state = MakeInitialState(communicator, config, subdomains);
  TimeStep step(communicator, config.scene, config.step, subdomains, state);
  // Only now, so that a scene that cannot run leaves earlier output alone.
  PrepareOutputDirectory(communicator, config.output.directory, config.output.overwrite);
  Run(communicator, config, echo, step, state).ToTheEnd();
}

}  // namespace scree
