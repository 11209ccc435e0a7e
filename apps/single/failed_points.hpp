/// \file  Collects the failed points of a sweep. Their cells become NaN, and the reason of the
///        first failure is printed, so that one failed point does not lose the table.
#pragma once

#include <cmath>
#include <cstdio>
#include <string>

#include "solvers/base/check.hpp"

namespace scree {

class FailedPoints {
 public:
  /// Returns value(); or NaN if the input of this point is out of range or its simulation fails.
  /// @param location  name of the point, for the message
  template <class Value>
  double Try(const std::string& location, Value value) {
    ++points_;
    try {
      return value();
    } catch (const InputError& error) {
      Note(location, error.what());
    } catch (const SimulationError& error) {
      Note(location, error.what());
    }
    return std::nan("");
  }

  /// Warns on stderr if any point failed.
  /// @throws InputError if all points failed, because then the parameters are wrong
  void Report() const {
    if (failed_ == 0) return;
    if (failed_ == points_) throw InputError("no point can be computed; " + first_);
    std::fprintf(stderr, "warning: %d of %d points failed and are nan; %s\n", failed_, points_,
                 first_.c_str());
  }

 private:
  void Note(const std::string& location, const char* reason) {
    if (failed_++ == 0) first_ = Text("the first at ", location, ": ", reason);
  }

  int points_ = 0, failed_ = 0;
  std::string first_;
};

}  // namespace scree
