/// \file  run.log: the messages of a run.
#pragma once

#include <chrono>
#include <cstdio>
#include <optional>
#include <string>

namespace scree {

/// Writes messages to a file and to the terminal. One rank only.
class RunLog {
 public:
  /// What is printed in addition to the file. kUpdatingLine is for terminals: a progress line
  /// replaces the progress line before it.
  enum class Echo { kNothing, kLines, kUpdatingLine };

  enum class Earlier { kReplaced, kContinued };

  /// @param earlier  whether an existing file is replaced or continued
  /// @throws OutputError if the file cannot be opened
  RunLog(const std::string& path, Echo echo, Earlier earlier = Earlier::kReplaced);
  ~RunLog();
  RunLog(const RunLog&) = delete;
  RunLog& operator=(const RunLog&) = delete;

  /// Writes a permanent line. @throws OutputError if the file cannot be written
  void Print(const std::string& line);

  /// Writes a line only to the file, for lines that the program prints elsewhere.
  void Note(const std::string& line) { WriteToFile(line); }

  /// Writes a warning to the file and, whatever the echo is, to stderr.
  void Warn(const std::string& line);

  /// Writes a progress line to the file and echoes it. On a terminal it replaces the previous
  /// progress line. Elsewhere it echoes at most one progress line per second, and always the last
  /// one before another message or the end.
  void ShowProgress(const std::string& line);

  /// Shows a progress line only on a terminal, not in the file.
  void ShowTransient(const std::string& line);

  /// @throws OutputError if a line could not be echoed. Called at the end, so that such an error
  ///         does not stop a run
  void RequirePrinted();

  bool HasUpdatingLine() const { return echo_ == Echo::kUpdatingLine; }

 private:
  void WriteToFile(const std::string& line);
  void PrintText(const std::string& text);
  void PrintHeldBack();
  void EndUpdatingLine();

  using Clock = std::chrono::steady_clock;

  std::string path_;
  std::FILE* file_ = nullptr;
  Echo echo_;
  std::string echo_error_;                    // reason why a line was not echoed; empty: all were
  bool updating_ = false;                     // the terminal's cursor is in a progress line
  std::string held_back_;                     // a progress line that is not echoed yet; empty: none
  std::optional<Clock::time_point> printed_;  // when a progress line was last echoed
};

/// Cuts a line at a word so that the last column of a terminal stays free. A character there would
/// start another line.
/// @param width  columns; 0: unknown
std::string CutTo(std::size_t width, const std::string& line);

}  // namespace scree
