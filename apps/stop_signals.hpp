/// \file  Signals that ask a run to stop: caught, so that it can finish its step first.
#pragma once

namespace scree {

/// From here on the signals by which schedulers and terminals announce an end are only recorded:
/// SIGUSR1, SIGUSR2, SIGXCPU, SIGTERM, SIGINT, and SIGHUP unless it is ignored (nohup). A second
/// SIGINT ends the program as it always does. Call it before anything that takes long: until then
/// each of them ends the program.
void CatchStopSignals();

/// For a program that turns out to be no run: they end it again, and so does one that has come.
void ReleaseStopSignals();

/// The signal that came; zero if none did.
int StopSignal();

}  // namespace scree
