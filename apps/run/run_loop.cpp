#include "apps/run/run_loop.hpp"

#include <algorithm>
#include <chrono>
#include <future>
#include <optional>
#include <span>
#include <vector>

#include "apps/common/initial_state.hpp"
#include "apps/run/check_scene.hpp"
#include "apps/run/run_output.hpp"
#include "apps/run/stop_signals.hpp"
#include "engine/observation/averages.hpp"
#include "engine/step/time_step.hpp"
#include "io/files/collective_call.hpp"
#include "io/output/average_files.hpp"
#include "io/output/output_directory.hpp"
#include "io/scene/config_changes.hpp"
#include "io/scene/config_reader.hpp"
#include "io/state/checkpoint.hpp"
#include "io/state/checkpoint_directory.hpp"

namespace scree {
namespace {

/// Requests of a rank. In each step the ranks agree on the largest request.
enum Request : std::int64_t { kNothing, kCheckpoint, kStopForTime, kStopForSignal };

std::vector<AverageSpec> ScheduledAverages(const RunConfig& config) {
  std::vector<AverageSpec> specs;
  for (const AverageConfig& average : config.averages) specs.push_back(Schedule(average, config));
  return specs;
}

/// The time step, and the present configuration of the scene, on which it depends.
struct Engine {
  Engine(const Communicator& all_ranks, RunConfig first_config)
      : communicator(all_ranks), config(std::move(first_config)) {}

  /// Continues with another configuration, as a restart at this step would.
  void ContinueWith(RunConfig new_config, State& state) {
    const RestartPoint point = WithNewLists(step->Point(state));
    const Subdomains subdomains = step->Partition();
    const PhaseTimer timer = step->Timer();
    Resize(state.particles, state.particles.owned);  // without ghosts
    step.reset();
    config = std::move(new_config);
    step.emplace(communicator, config.scene, config.step, subdomains, state, point);
    step->ResumeTimer(timer);
  }

  const Communicator& communicator;
  RunConfig config;  // the configuration without its list of changes
  std::optional<TimeStep> step;
};

class Run {
 public:
  /// @param from   the checkpoint from which to continue; null: start with the first state
  /// @param found  snapshots that were removed or are missing at the restart
  Run(const Communicator& communicator, const RunConfig& config, const RunOptions& options,
      Engine& engine, State& state, const Checkpoint* from, FoundSnapshots found);

  RunEnd RunToEnd();

 private:
  using Clock = RunOptions::Clock;

  void Begin();
  void ReportLaterChanges();
  void ChangeIfDue();
  RunEnd RunSteps();
  Request Advance();
  std::int64_t NextEventStep() const;
  Request OwnRequest() const;
  bool IsCheckpointDue(Request request) const;
  Checkpoint Record();
  void Write(const Checkpoint& checkpoint);
  void AddToAverages();
  void AddContactsToAverages(const Particles& particles);
  double SecondsSince(Clock::time_point then) const {
    return std::chrono::duration<double>(Clock::now() - then).count();
  }

  const Communicator& communicator_;
  const RunConfig& config_;
  const RunOptions& options_;
  std::int64_t last_step_, checkpoint_every_;
  Engine& engine_;
  TimeStep& step_;  // member of engine_, at a fixed address
  std::size_t changes_made_;
  IniEntries rows_;  // rows of the present configuration, once something has changed
  State& state_;
  RunOutput output_;
  FoundSnapshots found_;
  Averages averages_;
  MotionWatcher watcher_;  // records flows and contacts, if requested
  Clock::time_point last_checkpoint_ = Clock::now();
  std::future<void>
      deletion_;  // on root: deletion of old checkpoints; the next checkpoint may need their space
};

Run::Run(const Communicator& communicator, const RunConfig& config, const RunOptions& options,
         Engine& engine, State& state, const Checkpoint* from, FoundSnapshots found)
    : communicator_(communicator),
      config_(config),
      options_(options),
      last_step_(Interval{0, config.time.end}.InSteps(config.step, "time.end")),
      checkpoint_every_(config.checkpoint.interval.InSteps(config.step, "checkpoint.every")),
      engine_(engine),
      step_(*engine.step),
      changes_made_(ChangeCount(config, state.step)),
      state_(state),
      output_(communicator, config, options.echo, step_, state,
              from != nullptr && options.restart->in_place ? &from->output : nullptr),
      found_(std::move(found)),
      averages_(config.scene, config.step.dt, ScheduledAverages(config)) {
  if (from != nullptr) averages_.Restore(from->averages);
  if (from != nullptr) output_.Restore(from->meta.solve.measured);
  if (!averages_.IsEmpty() || config.output.contacts || !config.output.problems.empty()) {
    watcher_ = [this](const Particles& particles) {
      averages_.AddMotion(state_.step, particles, step_.Corrections(), step_.Stride());
      if (averages_.NeedsContacts(state_.step)) AddContactsToAverages(particles);
      output_.WatchMotion(particles);
    };
  }
}

RunEnd Run::RunToEnd() {
  Begin();
  try {
    if (RunSteps() == RunEnd::kStopped) return RunEnd::kStopped;
  } catch (const SimulationError& error) {
    output_.WriteFailedState(error.what());
    throw;
  }
  // Record the checkpoint before the output that is due only because the run ends here, so that a
  // prolonged run removes this output. Write the checkpoint after this output, so that all output
  // exists if the last checkpoint does.
  const Checkpoint checkpoint = Record();
  const std::vector<FreeWallState> walls_before_end = state_.free_walls;
  output_.WriteEnd();
  state_.free_walls = walls_before_end;  // because the last row of the series resets their means
  WriteAverages(communicator_, config_.output.directory, averages_, config_.step.dt,
                state_.free_walls);
  if (config_.checkpoint.interval != Interval()) Write(checkpoint);
  output_.ReportSummary();
  output_.RequirePrinted();
  return RunEnd::kDone;
}

void Run::Begin() {
  output_.ReportStart();
  if (options_.restart) {
    for (const std::string& message : options_.restart->messages) output_.Print(message);
    output_.ReportSnapshots(found_);
  }
  for (const AverageSpec& average : averages_.Specs()) {
    if (HasSamples(average)) continue;
    output_.Print(Text("average.", average.name, " would begin at ",
                       config_.step.Moment(average.first),
                       ", after the end of the run: it stays empty"));
  }
  ReportLaterChanges();
  if (options_.restart) return;
  for (const std::string& sentence : AdviceOnLinks(config_.scene)) {
    output_.Print(sentence);
  }
  output_.WriteStart();
  AddToAverages();
}

/// Reports changes that are due only after the run. They stay in the configuration, in case the run
/// is prolonged.
void Run::ReportLaterChanges() {
  for (const SceneChange& change : config_.changes) {
    const std::int64_t step = StepOf(change, config_.step.dt);
    if (step < last_step_) continue;
    output_.Print(Text("[", ChangeSectionName(change.time), "] would change the scene at ",
                       config_.step.Moment(step),
                       ", not before the end of the run: it has no effect"));
  }
}

/// Makes the changes that are due before the next step.
void Run::ChangeIfDue() {
  const std::size_t due = ChangeCount(config_, state_.step);
  if (due == changes_made_) return;
  const auto made = std::span(config_.changes).subspan(changes_made_, due - changes_made_);
  changes_made_ = due;
  if (rows_.empty()) rows_ = RowsOf(engine_.config);
  RunConfig after = AfterChanges(engine_.config, made, rows_);
  const std::vector<ConfigChange> changes = ChangeRows(made, rows_);
  engine_.ContinueWith(std::move(after), state_);
  output_.PrepareStep();
  output_.Print(
      Text(config_.step.Moment(state_.step), ", changed from now on:\n", Describe(changes)));
}

RunEnd Run::RunSteps() {
  while (state_.step < last_step_) {
    const Request request = Advance();
    if (state_.step == last_step_) break;
    if (IsCheckpointDue(request)) Write(Record());
    if (request < kStopForTime) continue;
    const std::string end =
        config_.step.accuracy > 0.0 ? config_.step.Moment(last_step_) : std::to_string(last_step_);
    output_.Print(Text("stopped at ", config_.step.Moment(state_.step), " of ", end,
                       request == kStopForTime ? ": the wall-clock time is over" : " by a signal",
                       "; to continue: scree-run --restart ", config_.output.directory));
    return RunEnd::kStopped;
  }
  return RunEnd::kDone;
}

Request Run::Advance() {
  ChangeIfDue();
  const std::int64_t until = NextEventStep();
  const std::int64_t end = step_.EndOfNextStep(state_, until);
  output_.PrepareOutputOfStep(end, averages_.NeedsContacts(end));
  const auto request = static_cast<Request>(step_.Advance(state_, watcher_, OwnRequest(), until));
  AddToAverages();
  output_.WriteAfterStep();
  return request;
}

/// The base step at which the next step must end at the latest, because output, an average, a
/// checkpoint, a change or the end of the run is due.
std::int64_t Run::NextEventStep() const {
  std::int64_t next = std::min(last_step_, output_.NextOutputStep());
  next = std::min(next, averages_.NextEvent(state_.step));
  if (checkpoint_every_ > 0) {
    next = std::min(next, (state_.step / checkpoint_every_ + 1) * checkpoint_every_);
  }
  if (changes_made_ < config_.changes.size()) {
    next = std::min(next, StepOf(config_.changes[changes_made_], config_.step.dt));
  }
  return next;
}

/// Each rank catches its own signals. Root's clock decides about the time.
Request Run::OwnRequest() const {
  if (StopSignal() != 0) return kStopForSignal;
  if (!communicator_.IsRoot()) return kNothing;
  if (options_.max_wall_time && SecondsSince(options_.started) >= *options_.max_wall_time)
    return kStopForTime;
  const double every = config_.checkpoint.interval.wall;
  return every > 0.0 && SecondsSince(last_checkpoint_) >= every ? kCheckpoint : kNothing;
}

bool Run::IsCheckpointDue(Request request) const {
  return request != kNothing || (checkpoint_every_ > 0 && state_.step % checkpoint_every_ == 0);
}

Checkpoint Run::Record() {
  step_.MarkOther();
  Checkpoint checkpoint;
  checkpoint.meta = output_.Meta(step_.Observe(state_), output_.Report());
  checkpoint.cuts = step_.Partition().Description();
  checkpoint.point = step_.Point(state_);
  checkpoint.averages = averages_.Sums();
  checkpoint.output = output_.Counters();
  return checkpoint;
}

void Run::Write(const Checkpoint& checkpoint) {
  const std::string& directory = config_.output.directory;
  if (deletion_.valid()) deletion_.get();
  WriteCheckpoint(communicator_, directory + "/" + CheckpointFile(state_.step), checkpoint, state_,
                  averages_.Specs());
  // The rows that the checkpoint counts must be on disk before it is published.
  deletion_ = PublishCheckpoint(communicator_, directory, state_.step, config_.checkpoint.keep,
                                {directory + "/" + kSeriesFile, directory + "/" + kTimingFile});
  last_checkpoint_ = Clock::now();
  step_.MarkOther();
}

void Run::AddToAverages() {
  if (averages_.IsEmpty()) return;
  step_.MarkOther();
  averages_.AddState(state_.step, state_.particles, step_.CellNow());
  step_.MarkOther();
}

void Run::AddContactsToAverages(const Particles& particles) {
  averages_.AddContacts(state_.step, particles, step_.ContactRecords(particles),
                        step_.TouchingGap(), step_.Stride(), step_.CellBefore());
}

/// Removes the output written after the checkpoint.
FoundSnapshots RemoveLaterOutput(const Communicator& communicator, const std::string& directory,
                                 std::int64_t step, const OutputCounters& counters) {
  std::vector<std::int64_t> kept;
  for (const WrittenSnapshot& snapshot : counters.snapshots) kept.push_back(snapshot.step);
  FoundSnapshots found = ContinueOutputDirectory(communicator, directory, step, kept);
  CallOnRoot<OutputError>(communicator, [&] { RemoveLaterCheckpoints(directory, step); });
  return found;
}

/// Makes later ids larger than all existing ones. Needed if a restart adds inflows, because ids are
/// then assigned in another way.
void RaiseNextId(const Communicator& communicator, State& state) {
  std::int64_t largest = state.next_id;
  for (const ParticleId id : state.particles.id) largest = std::max(largest, id + 1);
  state.next_id = communicator.Max(largest);
}

void RequirePositionPrecision(const RunConfig& config, const TimeStep& step) {
  RequirePositionPrecision(config.output.format, config.scene.domain.box, step.Radii().smallest);
}

RunEnd RunFromStart(const Communicator& communicator, const RunConfig& config,
                    const RunOptions& options) {
  const Subdomains subdomains = MakeSubdomains(config, communicator.Size());
  State state = MakeInitialState(communicator, config, subdomains);
  Engine engine(communicator, AfterChanges(config, 0));
  engine.step.emplace(communicator, engine.config.scene, engine.config.step, subdomains, state);
  RequirePositionPrecision(config, *engine.step);
  // Locks the directory only now, so that a scene that cannot run leaves earlier output unchanged.
  const auto lock = LockOutputDirectory(communicator, config.output.directory);
  PrepareOutputDirectory(communicator, config.output.directory, config.output.overwrite);
  return Run(communicator, config, options, engine, state, nullptr, {}).RunToEnd();
}

RunEnd RunFromCheckpoint(const Communicator& communicator, const RunConfig& config,
                         const RunOptions& options) {
  const std::string& directory = config.output.directory;
  const std::string& path = options.restart->path;
  const bool in_place = options.restart->in_place;
  // Locks the directory while the checkpoint is read, so that no other run continues it. A new
  // directory is locked only after the scene has proved valid.
  auto lock = in_place ? LockOutputDirectory(communicator, directory) : nullptr;
  const Cuts written = ReadCheckpointCuts(communicator, path);
  const Subdomains subdomains = MakeSubdomains(config, communicator.Size(), &written);
  State state;
  const Checkpoint from = ReadCheckpoint(communicator, path, subdomains.Description(),
                                         ScheduledAverages(config), state);
  CheckCheckpoint(communicator, path,
                  {.scene = config.scene,
                   .walls = options.restart->walls,
                   .rains = options.restart->rains,
                   .step = config.step,
                   .reads_particles = !config.initial.file.empty(),
                   .has_changes = !config.changes.empty()},
                  from, state);
  RestartPoint point = WithNewWalls(from.point, options.restart->walls, config.scene.walls.size());
  const bool changes_now = ChangeCount(config, state.step) > ChangeCount(config, state.step - 1);
  if (changes_now) point = WithNewLists(std::move(point));
  if (options.restart->rains < config.scene.rains.size()) RaiseNextId(communicator, state);
  Engine engine(communicator, AfterChanges(config, ChangeCount(config, state.step)));
  engine.step.emplace(communicator, engine.config.scene, engine.config.step, subdomains, state,
                      point);
  if (!engine.step->ListsCover(state)) {
    throw FileError(Text("'", path,
                         "': particles/reference, list_skin or list_step do not belong to its ",
                         "neighbour list: particles have moved farther than the list reaches"));
  }
  RequirePositionPrecision(config, *engine.step);
  FoundSnapshots found;
  if (in_place) {
    found = RemoveLaterOutput(communicator, directory, state.step, from.output);
  } else {
    lock = LockOutputDirectory(communicator, directory);
    PrepareOutputDirectory(communicator, directory, config.output.overwrite);
  }
  return Run(communicator, config, options, engine, state, &from, found).RunToEnd();
}

}  // namespace

RunEnd RunScene(const Communicator& communicator, const RunConfig& config,
                const RunOptions& options) {
  return options.restart ? RunFromCheckpoint(communicator, config, options)
                         : RunFromStart(communicator, config, options);
}

}  // namespace scree
