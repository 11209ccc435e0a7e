/// \file  run.log: what a run said, kept beside its output.
#pragma once

#include <chrono>
#include <cstdio>
#include <optional>
#include <string>

namespace scree {

/// Lines for the reader of a run, to a file and to the terminal. One rank only.
class RunLog {
 public:
  enum class Echo { kNothing, kLines, kUpdatingLine };

  enum class Earlier { kReplaced, kContinued };

  /// @param earlier  what becomes of an existing file
  /// @throws OutputError if the file cannot be opened
  RunLog(const std::string& path, Echo echo, Earlier earlier = Earlier::kReplaced);
  ~RunLog();
  RunLog(const RunLog&) = delete;
  RunLog& operator=(const RunLog&) = delete;

  /// A line that stays. @throws OutputError if the file cannot be written
  void Say(const std::string& line);

  /// The same of what may have gone wrong: on stderr, whether there is an echo or not.
  void Warn(const std::string& line);

  /// Where the run is now: replaces the last such line on a terminal, an ordinary line elsewhere.
  /// Ordinary ones are echoed once a second at most, the last one before another message or the
  /// end always; the file has them all.
  void ShowProgress(const std::string& line);

  /// The same on the terminal only, not worth keeping.
  void ShowPassing(const std::string& line);

  /// @throws OutputError if a line could not be echoed: that ends no run on the way
  void RequirePrinted();

  bool WantsPassing() const { return echo_ == Echo::kUpdatingLine; }

 private:
  void WriteToFile(const std::string& line);
  void Print(const std::string& text);
  void PrintHeldBack();
  void EndUpdatingLine();

  using Clock = std::chrono::steady_clock;

  std::string path_;
  std::FILE* file_ = nullptr;
  Echo echo_;
  std::string lost_;       // why a line was not echoed; empty: all were
  bool updating_ = false;  // the terminal's cursor is in a line that may be replaced
  std::string held_back_;  // a progress line not echoed yet; empty: none
  std::optional<Clock::time_point> printed_;  // when a progress line was last echoed
};

/// The words of a line that leave the last column of a terminal free, where it would begin another
/// line.
/// @param width  columns; 0: not known
std::string CutTo(std::size_t width, const std::string& line);

}  // namespace scree
