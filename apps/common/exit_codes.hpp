/// \file  The exit codes of the programs, and the errors that lead to them.
#pragma once

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <string>

#include "engine/ranks/communicator.hpp"
#include "io/files/hdf5_file.hpp"
#include "solvers/base/check.hpp"

namespace scree {

enum ExitCode : int {
  kDone = 0,
  kInternalError = 1,
  kWrongUsage = 2,         // options or configuration
  kBadInputFile = 3,       // missing or damaged
  kInvalidSimulation = 4,  // NaN, lost particle; the state was written for inspection
  kOutputFailed = 5,
  kStoppedEarly = 75,  // by a signal or the wall-clock limit, after a checkpoint
};

/// Ignores the signal SIGXFSZ, which would end the program without a message when a file exceeds
/// the size limit (ulimit -f). Writing then fails instead, and the program reports the error.
inline void IgnoreFileSizeSignal() { std::signal(SIGXFSZ, SIG_IGN); }

inline ExitCode ExitCodeOf(const std::exception& error) {
  if (dynamic_cast<const InputError*>(&error) != nullptr) return kWrongUsage;
  if (dynamic_cast<const FileError*>(&error) != nullptr) return kBadInputFile;
  if (dynamic_cast<const SimulationError*>(&error) != nullptr) return kInvalidSimulation;
  if (dynamic_cast<const OutputError*>(&error) != nullptr) return kOutputFailed;
  return kInternalError;
}

/// Whether the error is a lack of memory. Its own text would not help the user.
inline bool IsOutOfMemory(const std::exception& error) {
  return dynamic_cast<const std::bad_alloc*>(&error) != nullptr;
}

/// The message for an error: the error's own text, marked as a bug if it is one.
inline std::string MessageFor(const std::exception& error) {
  if (IsOutOfMemory(error)) return "out of memory";
  return (ExitCodeOf(error) == kInternalError ? "internal error: " : "") +
         std::string(error.what());
}

/// Prints on stderr the error that ended a parallel program. Every rank that caught it calls this.
/// @returns the exit code; but after an internal error or an UnclosedFile (such as a
///          LocalWriteError) it ends the program and does not return
inline ExitCode ReportError(const char* program, const Communicator& world,
                            const std::exception& error) {
  const ExitCode code = ExitCodeOf(error);
  // Our errors are thrown on all ranks together. Any other error may be on this rank alone.
  if (code == kInternalError) {
    const char* const advice =
        IsOutOfMemory(error) ? "; use fewer particles, more machines, or a higher ulimit -v" : "";
    std::fprintf(stderr, "%s: rank %d: %s%s\n", program, world.Rank(), MessageFor(error).c_str(),
                 advice);
    world.Abort(code);
  }
  if (dynamic_cast<const LocalWriteError*>(&error) != nullptr) {
    std::fprintf(stderr, "%s: %s\n", program, error.what());
    world.Abort(code);
  }
  if (world.IsRoot()) std::fprintf(stderr, "%s: %s\n", program, error.what());
  if (dynamic_cast<const UnclosedFile*>(&error) != nullptr) {
    std::fflush(stdout);
    world.Barrier();  // a rank that exits ends the others, so all wait until root has printed
    std::_Exit(code);
  }
  return code;
}

}  // namespace scree
