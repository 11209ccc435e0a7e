/// \file  Signals that ask a run to stop: caught, so that it can finish its step first.
#pragma once

namespace scree {

/// From here on the signals by which schedulers and terminals announce an end are only recorded:
/// SIGUSR1, SIGUSR2, SIGXCPU, SIGTERM, SIGINT, and SIGHUP unless it is ignored (nohup). A second
/// SIGINT ends the program as it always does. Call it before anything that takes long: until then
/// each of them ends the program.
void CatchStopSignals();

/// For actions other than a run: restores the default action of the signals, and raises one that
/// has come meanwhile.
void ReleaseStopSignals();

/// The signal that came; zero if none did.
int StopSignal();

}  // namespace scree
