/// \file  Catches signals to stop, so that a run can finish its step first.
#pragma once

namespace scree {

/// From now on, the signals by which schedulers and terminals end a program are only recorded:
/// SIGUSR1, SIGUSR2, SIGXCPU, SIGTERM, SIGINT, and SIGHUP unless it is ignored (nohup). A second
/// SIGINT still ends the program. Call this before anything that takes long.
void CatchStopSignals();

/// For actions other than a run: restores the signals' default actions, and raises a signal that
/// has come since CatchStopSignals.
void ReleaseStopSignals();

/// The signal that came; zero if there was none.
int StopSignal();

}  // namespace scree
