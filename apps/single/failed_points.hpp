/// \file  Collects the failed points of a parameter sweep. Their cells in the table become NaN, and
///        the reason of the first failure is printed, so that one failed point does not lose the
///        table.
#pragma once

#include <cmath>
#include <cstdio>
#include <string>

#include "solvers/base/check.hpp"

namespace scree {

class FailedPoints {
 public:
  /// Returns value(), or NaN if the input of this point is out of range or its simulation fails.
  /// @param location  name of the point, for the message
  template <class Value>
  double Try(const std::string& location, Value value) {
    ++points_;
    try {
      return value();
    } catch (const InputError& error) {
      RecordFailure(location, error.what());
    } catch (const SimulationError& error) {
      RecordFailure(location, error.what());
    }
    return std::nan("");
  }

  /// Warns on stderr if any point failed.
  /// @throws InputError if all points failed, because then the parameters are wrong
  void Report() const {
    if (failures_ == 0) return;
    if (failures_ == points_) throw InputError("no point can be computed; " + first_message_);
    std::fprintf(stderr, "warning: %d of %d points failed and are nan; %s\n", failures_, points_,
                 first_message_.c_str());
  }

 private:
  void RecordFailure(const std::string& location, const char* reason) {
    if (failures_++ == 0) first_message_ = Text("the first at ", location, ": ", reason);
  }

  int points_ = 0, failures_ = 0;
  std::string first_message_;
};

}  // namespace scree
