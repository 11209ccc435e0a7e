/// \file  The kinds of errors: a bug (assert, demand), wrong user input, a damaged file, a
///        simulation that became invalid, output that cannot be written.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <stdexcept>
#include <string>

namespace scree {

/// The user's input is wrong. The message gives the name, the value, and a valid value.
struct InputError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// An input file is missing or damaged.
struct FileError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The state is no longer physical: NaN, lost particle, overlap beyond a radius.
struct SimulationError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct OutputError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Joins its arguments to a text for messages.
template <class... Parts>
std::string Text(const Parts&... parts) {
  std::ostringstream text;
  text.precision(12);
  (text << ... << parts);
  return text.str();
}

namespace internal {
[[noreturn]] inline void Fail(const char* message, const char* file, int line) {
  std::fprintf(stderr, "scree: internal error: %s (%s:%d)\n", message, file, line);
  std::abort();
}
}  // namespace internal

}  // namespace scree

/// In all builds, aborts if the condition is false. Only a bug can make it false.
#define SCREE_DEMAND(condition) \
  ((condition) ? void() : ::scree::internal::Fail("not true: " #condition, __FILE__, __LINE__))

/// As SCREE_DEMAND, but only in debug, asan and release-checked builds: for conditions that cost
/// too much to check in production.
#ifdef SCREE_CHECKED
#define SCREE_ASSERT(condition) SCREE_DEMAND(condition)
#else
#define SCREE_ASSERT(condition) static_cast<void>(0)
#endif
