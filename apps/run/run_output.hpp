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
#include "io/state/snapshot.hpp"

namespace scree {

/// The output of one run. All public functions are collective.
class RunOutput {
 public:
  /// @param continued  counters of the output to continue; null: start new output
  /// @throws OutputError, InputError on all ranks, like all other functions
  RunOutput(const Communicator& communicator, const RunConfig& config, RunLog::Echo echo,
            TimeStep& step, State& state, const OutputCounters* continued);

  /// Prints a line for the user.
  void Print(const std::string& line);
  /// Prints a line about lost output, also on stderr.
  void Warn(const std::string& line);
  /// Reports the snapshots that were removed at the restart, or are missing.
  void ReportSnapshots(const FoundSnapshots& found);
  void ReportStart();
  void ReportSummary();
  /// Requires that all lines reached standard output. @throws OutputError on all ranks
  void RequirePrinted();

  /// Writes the first state.
  void WriteStart();
  /// Tells a new TimeStep to record the quantities that the output needs of every step.
  void PrepareStep();
  /// Tells the next step to record the quantities that the output needs of this step only.
  /// @param end  base steps done after the step
  /// @param averages_contacts  whether averages need the contacts of the step
  void PrepareOutputOfStep(std::int64_t end, bool averages_contacts);
  /// The base step at which the next output is due.
  std::int64_t NextOutputStep() const;
  /// Called within a step, as a MotionWatcher: records the step's contacts and problem if they will
  /// be written.
  void WatchMotion(const Particles& particles);
  /// Writes the regular output due after a step.
  void WriteAfterStep();
  /// Writes the output that is due only because the run ends here. A last checkpoint is recorded
  /// before this output, so that a prolonged run removes this output.
  void WriteEnd();
  /// Writes the state that is no longer valid, the reason (to the log), and the contact problem of
  /// the failed step if one is due.
  void WriteFailedState(const std::string& reason);

  /// The residual of the last step, with the last solve error that was measured on schedule. The
  /// extra measurement at the end is left out, because a prolonged run does not make it.
  SolveReport Report() const;
  /// Sets the solve error of earlier steps, for a run that continues.
  void Restore(const std::optional<MeasuredSolveError>& measured) { last_solve_error_ = measured; }

  /// Counts of the output so far.
  OutputCounters Counters() const;

  /// The metadata of a snapshot or checkpoint at this moment.
  SnapshotMeta Meta(const Observables& observed, const SolveReport& report) const;
  std::optional<BondOutput> BondsNow() const;

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
  void ShowInterimProgress();
  void WriteConfiguration();
  void WriteSnapshotNow();
  void WriteIndex();
  void MeasureSpeed();
  double Elapsed(Clock::time_point since) const {
    return std::chrono::duration<double>(Clock::now() - since).count();
  }

  const Communicator& communicator_;
  const RunConfig& config_;
  std::string stored_configuration_;  // the configuration as stored in snapshots
  std::int64_t last_step_, snapshot_every_, log_every_;
  TimeStep& step_;
  State& state_;
  std::optional<RunLog> log_;  // on root
  CsvTable series_, timing_;
  std::vector<WrittenSnapshot> snapshots_;
  std::vector<ContactRecord> contacts_;  // of the last step after which a snapshot was due
  std::vector<std::int64_t> problem_steps_;
  ProblemRecord problem_;  // on root, for a step at which it is due

  // Speed, measured by root's clock.
  Clock::time_point started_ = Clock::now(), last_measured_ = started_;
  SpeedEstimate speed_;
  double particle_steps_ = 0.0;  // of this rank since the last measurement
  double all_particle_steps_ = 0.0;
  // Steps done at the start, at the last measurement, and when the next interim line is due.
  std::int64_t first_step_, measured_step_, interim_due_;
  std::int64_t measured_base_step_;  // base steps done at the last measurement
  std::int64_t begin_;               // base steps done at the start
  std::vector<bool> rains_waiting_;  // whether each rain lacked space when last reported
  SolveError solve_error_;           // of the steps measured since the program started
  std::optional<MeasuredSolveError> last_solve_error_;  // see Report()
  double max_overlap_ = 0.0;        // largest overlap since the program started [m]
  double max_overlap_time_ = -1.0;  // of the log line that reported this overlap [s]
  double longest_step_ = 0.0;       // longest logged step since the program started [s]
  double longest_path_ = 0.0;       // longest path of a particle in a logged step [m]
  bool shows_interim_ = false;      // whether a terminal shows progress between log lines
};

}  // namespace scree
