#include "io/output/run_log.hpp"

#include <cerrno>
#include <cstring>

#include "solvers/base/check.hpp"

namespace scree {

namespace {

/// True if the file ends in the middle of a line, as that of a killed run may.
bool EndsInLine(std::FILE* file) {
  const bool is_half = std::fseek(file, -1, SEEK_END) == 0 && std::fgetc(file) != '\n';
  std::fseek(file, 0, SEEK_END);  // C wants it between reading and writing
  return is_half;
}

}  // namespace

RunLog::RunLog(const std::string& path, Echo echo, Earlier earlier) : path_(path), echo_(echo) {
  file_ = std::fopen(path.c_str(), earlier == Earlier::kReplaced ? "w" : "a+");
  if (file_ == nullptr) {
    throw OutputError(Text("cannot open ", path, " for writing: ", std::strerror(errno)));
  }
  if (earlier == Earlier::kContinued && EndsInLine(file_)) WriteToFile("");
}

RunLog::~RunLog() {
  PrintHeldBack();
  EndUpdatingLine();
  std::fclose(file_);
}

void RunLog::Say(const std::string& line) {
  WriteToFile(line);
  PrintHeldBack();
  EndUpdatingLine();
  if (echo_ == Echo::kNothing) return;
  std::printf("%s\n", line.c_str());
  std::fflush(stdout);
}

void RunLog::Warn(const std::string& line) {
  WriteToFile(line);
  PrintHeldBack();
  EndUpdatingLine();
  std::fprintf(stderr, "%s\n", line.c_str());
}

void RunLog::ShowProgress(const std::string& line) {
  WriteToFile(line);
  if (echo_ == Echo::kUpdatingLine) {
    ShowPassing(line);
  } else if (echo_ == Echo::kLines) {
    held_back_ = line;
    constexpr std::chrono::seconds kLeastWait(1);
    if (!printed_ || Clock::now() - *printed_ >= kLeastWait) PrintHeldBack();
  }
}

void RunLog::ShowPassing(const std::string& line) {
  if (echo_ != Echo::kUpdatingLine) return;
  constexpr const char* kToLineStartAndClear = "\r\033[K";
  std::printf("%s%s", kToLineStartAndClear, line.c_str());
  std::fflush(stdout);
  updating_ = true;
}

void RunLog::WriteToFile(const std::string& line) {
  if (std::fprintf(file_, "%s\n", line.c_str()) < 0 || std::fflush(file_) != 0) {
    throw OutputError(Text("cannot write to ", path_, ": ", std::strerror(errno)));
  }
}

void RunLog::PrintHeldBack() {
  if (held_back_.empty()) return;
  std::printf("%s\n", held_back_.c_str());
  std::fflush(stdout);
  held_back_.clear();
  printed_ = Clock::now();
}

void RunLog::EndUpdatingLine() {
  if (!updating_) return;
  std::printf("\n");
  updating_ = false;
}

}  // namespace scree
