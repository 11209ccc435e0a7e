/// \file  Signals that ask a run to stop: caught, so that it can finish its step first.
#pragma once

namespace scree {

/// From here on SIGUSR1, SIGTERM and SIGINT are only remembered, but a second SIGINT ends the
/// program as it always does.
void CatchStopSignals();

/// The signal that came; zero if none did.
int StopSignal();

}  // namespace scree
