#include "apps/stop_signals.hpp"

#include <csignal>
#include <initializer_list>

namespace scree {
namespace {

volatile std::sig_atomic_t caught = 0;

extern "C" void Remember(int signal) { caught = signal; }

}  // namespace

void CatchStopSignals() {
  struct sigaction action = {};
  action.sa_handler = Remember;
  for (const int signal : {SIGUSR1, SIGTERM, SIGINT}) {
    // Input and output that a signal meets go on.
    action.sa_flags = signal == SIGINT ? SA_RESTART | static_cast<int>(SA_RESETHAND) : SA_RESTART;
    sigaction(signal, &action, nullptr);
  }
}

int StopSignal() { return caught; }

}  // namespace scree
