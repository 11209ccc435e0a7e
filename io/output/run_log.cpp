#include "io/output/run_log.hpp"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "io/files/standard_output.hpp"
#include "solvers/base/check.hpp"

namespace scree {

namespace {

/// Whether the file ends in the middle of a line, as after a killed run.
bool HasIncompleteLine(std::FILE* file) {
  const bool is_incomplete = std::fseek(file, -1, SEEK_END) == 0 && std::fgetc(file) != '\n';
  std::fseek(file, 0, SEEK_END);  // C requires this between reading and writing
  return is_incomplete;
}

std::size_t WidthOf(int terminal) {
  winsize size{};
  return ioctl(terminal, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

/// Columns of the terminal; 0: unknown. They may change during the run. mpirun gives its processes
/// a terminal without a size; in that case the size of mpirun's standard output is used.
std::size_t TerminalWidth() {
  const std::size_t width = WidthOf(STDOUT_FILENO);
  if (width > 0) return width;
  const std::string parent_output = "/proc/" + std::to_string(getppid()) + "/fd/1";
  const int terminal = open(parent_output.c_str(), O_RDONLY | O_NOCTTY | O_NONBLOCK);
  if (terminal < 0) return 0;
  const std::size_t parent_width = WidthOf(terminal);
  close(terminal);
  return parent_width;
}

}  // namespace

RunLog::RunLog(const std::string& path, Echo echo, Earlier earlier) : path_(path), echo_(echo) {
  if (earlier == Earlier::kReplaced) {
    std::FILE* const empty_file = std::fopen(path.c_str(), "w");
    if (empty_file != nullptr) std::fclose(empty_file);
  }
  file_ = std::fopen(path.c_str(), "a+");  // appends even if another program truncates the file
  if (file_ == nullptr) {
    throw OutputError(Text("cannot open ", path, " for writing: ", std::strerror(errno)));
  }
  if (earlier == Earlier::kContinued && HasIncompleteLine(file_)) WriteToFile("");
}

RunLog::~RunLog() {
  PrintHeldBack();
  EndUpdatingLine();
  std::fclose(file_);
}

void RunLog::Print(const std::string& line) {
  WriteToFile(line);
  PrintHeldBack();
  EndUpdatingLine();
  if (echo_ == Echo::kNothing) return;
  PrintText(line + "\n");
}

void RunLog::Warn(const std::string& line) {
  WriteToFile(line);
  PrintHeldBack();
  EndUpdatingLine();
  std::fprintf(stderr, "%s\n", line.c_str());
}

std::string CutTo(std::size_t width, const std::string& line) {
  if (width == 0) return line;
  const auto begins_letter = [](char byte) { return (byte & 0xC0) != 0x80; };  // of UTF-8
  std::size_t letters = 0;
  for (std::size_t k = 0; k < line.size(); ++k) {
    if (begins_letter(line[k]) && ++letters == width) return line.substr(0, line.rfind(' ', k));
  }
  return line;
}

void RunLog::ShowProgress(const std::string& line) {
  WriteToFile(line);
  if (echo_ == Echo::kUpdatingLine) {
    ShowTransient(line);
  } else if (echo_ == Echo::kLines) {
    held_back_ = line;
    constexpr std::chrono::seconds kMinWait(1);
    if (!printed_ || Clock::now() - *printed_ >= kMinWait) PrintHeldBack();
  }
}

void RunLog::ShowTransient(const std::string& line) {
  if (echo_ != Echo::kUpdatingLine) return;
  constexpr const char* kToLineStartAndClear = "\r\033[K";
  PrintText(kToLineStartAndClear + CutTo(TerminalWidth(), line));
  updating_ = true;
}

void RunLog::WriteToFile(const std::string& line) {
  if (std::fprintf(file_, "%s\n", line.c_str()) < 0 || std::fflush(file_) != 0) {
    throw OutputError(Text("cannot write to ", path_, ": ", std::strerror(errno)));
  }
}

void RunLog::PrintText(const std::string& text) {
  try {
    PrintResult(text);
  } catch (const OutputError& error) {
    if (echo_error_.empty()) echo_error_ = error.what();
  }
}

void RunLog::RequirePrinted() {
  PrintHeldBack();
  EndUpdatingLine();
  if (echo_error_.empty()) return;
  throw OutputError(Text(echo_error_, "; the run is done, and ", path_, " has all lines"));
}

void RunLog::PrintHeldBack() {
  if (held_back_.empty()) return;
  PrintText(held_back_ + "\n");
  held_back_.clear();
  printed_ = Clock::now();
}

void RunLog::EndUpdatingLine() {
  if (!updating_) return;
  PrintText("\n");
  updating_ = false;
}

}  // namespace scree
