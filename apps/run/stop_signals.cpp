#include "apps/run/stop_signals.hpp"

#include <array>
#include <csignal>

namespace scree {
namespace {

constexpr std::array kStopSignals = {SIGUSR1, SIGUSR2, SIGXCPU, SIGTERM, SIGINT, SIGHUP};

volatile std::sig_atomic_t caught_signal = 0;

extern "C" void RecordSignal(int signal) { caught_signal = signal; }

/// Flags that restart interrupted system calls (input and output). After a first SIGINT, they also
/// restore its default action.
constexpr int FlagsOf(int signal) {
  return signal == SIGINT ? SA_RESTART | static_cast<int>(SA_RESETHAND) : SA_RESTART;
}

bool IsIgnored(int signal) {
  struct sigaction action = {};
  return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

void CatchStopSignals() {
  for (const int signal : kStopSignals) {
    if (signal == SIGHUP && IsIgnored(signal)) continue;
    struct sigaction action = {};
    action.sa_handler = RecordSignal;
    action.sa_flags = FlagsOf(signal);
    sigaction(signal, &action, nullptr);
  }
}

void ReleaseStopSignals() {
  for (const int signal : kStopSignals) {
    if (!IsIgnored(signal)) std::signal(signal, SIG_DFL);
  }
  if (caught_signal != 0) std::raise(caught_signal);
}

int StopSignal() { return caught_signal; }

}  // namespace scree
