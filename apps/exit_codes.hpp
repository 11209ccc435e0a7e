/// \file  What the programs' exit codes mean.
#pragma once

#include <exception>

#include "solvers/check.hpp"

namespace scree {

enum ExitCode : int {
  kDone = 0,
  kInternalError = 1,
  kWrongUsage = 2,         // options or configuration
  kBadInputFile = 3,       // missing or damaged
  kInvalidSimulation = 4,  // NaN, lost particle; the state was written for inspection
  kOutputFailed = 5,
};

inline ExitCode ExitCodeOf(const std::exception& error) {
  if (dynamic_cast<const InputError*>(&error) != nullptr) return kWrongUsage;
  if (dynamic_cast<const FileError*>(&error) != nullptr) return kBadInputFile;
  if (dynamic_cast<const SimulationError*>(&error) != nullptr) return kInvalidSimulation;
  if (dynamic_cast<const OutputError*>(&error) != nullptr) return kOutputFailed;
  return kInternalError;
}

}  // namespace scree
