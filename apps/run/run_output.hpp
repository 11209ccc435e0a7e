/// \file  Writes the output during a run: series, timing, snapshots, messages.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/observation/contact_records.hpp"
#include "engine/observation/problem_record.hpp"
#include "engine/ranks/communicator.hpp"
#include "engine/step/time_step.hpp"
#include "io/files/csv_table.hpp"
#include "io/output/output_directory.hpp"
#include "io/output/progress.hpp"
#include "io/output/run_log.hpp"
#include "io/scene/run_config.hpp"
#include "io/state/checkpoint.hpp"

namespace scree {

/// Every public call is collective.
class RunOutput {
 public:
  /// @param continued  how far the output had come that is to be continued; null: it begins again
  /// @throws OutputError, InputError on all ranks, as all other calls
  RunOutput(const Communicator& communicator, const RunConfig& config, RunLog::Echo echo,
            TimeStep& step, State& state, const OutputCounters* continued);

  /// Prints a line for the user.
  void Print(const std::string& line);
  /// The same of earlier output that is lost, on stderr too.
  void Warn(const std::string& line);
  /// Reports which snapshots were kept or removed at the restart.
  void ReportSnapshots(const FoundSnapshots& found);
  void ReportStart();
  void ReportSummary();
  /// Requires that all lines came through to standard output. @throws OutputError on all ranks
  void RequirePrinted();

  /// The first state.
  void AtStart();
  /// Makes a new time step keep what is written about all steps.
  void PrepareStep();
  /// Makes the next step keep what is written about it alone.
  /// @param end  base steps done after it
  /// @param averages_contacts  averages have a frame there
  void BeforeStep(std::int64_t end, bool averages_contacts);
  /// Base steps done when something is to be written next.
  std::int64_t NextMoment() const;
  /// In the middle of a step, as a MotionWatcher: records its contacts and its problem, if they
  /// will be written.
  void WatchMotion(const Particles& particles);
  /// Writes the regular output due after a step.
  void AfterStep();
  /// What is due only because the run ends here. A last checkpoint is recorded before, so that a
  /// run that is prolonged has no trace of it.
  void AtEnd();
  /// The state that is no longer valid.
  void WriteFailedState();

  /// How well the last step was solved, with the error of the last that is measured regularly: of
  /// no other, so that the end of a run leaves no trace in one that is prolonged.
  SolveReport Report() const;
  /// A run that goes on has this error of the steps before.
  void Restore(const std::optional<MeasuredSolveError>& measured) { last_solve_error_ = measured; }

  /// What has been written so far.
  OutputCounters Counters() const;

  /// What a snapshot or checkpoint of this moment says.
  SnapshotMeta Meta(const Observables& observed, const SolveReport& report) const;

 private:
  using Clock = std::chrono::steady_clock;

  std::string InDirectory(const std::string& name) const;
  template <class Action>
  void OnRoot(Action&& action);
  bool RecordsContacts(std::int64_t step) const;
  bool RecordsProblem(std::int64_t step) const;
  void WriteProblem();
  bool IsDue(std::int64_t every) const { return every > 0 && state_.step % every == 0; }
  void Log();
  void ReportRain();
  void TrackExtremes(const Observables& observed);
  double MassRatio() const;
  double AccuracyOfStep(double radius) const;
  std::string Accuracy(const Observables& last) const;
  void AppendTiming(double seconds);
  void PrintBalance();
  void ShowInPassing();
  void WriteConfiguration();
  void WriteSnapshotNow();
  void WriteIndex();
  void Measure();
  double Elapsed(Clock::time_point since) const {
    return std::chrono::duration<double>(Clock::now() - since).count();
  }

  const Communicator& communicator_;
  const RunConfig& config_;
  std::string stored_;  // the configuration as snapshots have it
  std::int64_t last_step_, snapshot_every_, log_every_;
  TimeStep& step_;
  State& state_;
  std::optional<RunLog> log_;  // on root
  CsvTable series_, timing_;
  std::vector<WrittenSnapshot> snapshots_;
  std::vector<ContactRecord> contacts_;  // of the step at which a snapshot is due
  std::vector<std::int64_t> problem_steps_;
  ProblemRecord problem_;  // at root, of the step at which it is due

  // Speed; the clock of root decides.
  Clock::time_point started_ = Clock::now(), measured_ = started_;
  SpeedEstimate speed_;
  double particle_steps_ = 0.0;  // of this rank since the last measurement
  double all_particle_steps_ = 0.0;
  std::int64_t first_step_, measured_step_, passing_due_;  // steps done
  std::int64_t measured_time_;                             // base steps done
  std::vector<bool> rains_waiting_;                        // as last printed
  SolveError solve_error_;                                 // of the steps measured since then
  std::optional<MeasuredSolveError> last_solve_error_;     // Report
  double deepest_ = 0.0;                                   // overlap since the program started [m]
  double longest_ = 0.0;                                   // step in what was logged since then [s]
  double farthest_ = 0.0;                                  // path of a particle in such a step [m]
  bool shows_passing_ = false;
};

}  // namespace scree
