// Replaces sched_yield for ranks that share their cores with other ranks and programs. This version
// sometimes sleeps (apps/common/yield_patience.hpp). With the system's sched_yield, runs on shared
// cores were ten to seventeen times slower (engine/performance.md). Open MPI calls sched_yield
// while it waits, because open_mpi_settings.cpp makes it yield. The parallel programs and the
// tests link this file.
#ifdef __linux__
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "apps/common/yield_patience.hpp"

namespace {

double Now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

extern "C" int sched_yield() noexcept {
  thread_local scree::YieldBackoff backoff;
  const double before = Now();
  if (backoff.ShouldSleep(before)) {
    std::this_thread::sleep_for(std::chrono::duration<double>(scree::YieldBackoff::kSleep));
    return 0;
  }
  const auto result = static_cast<int>(syscall(SYS_sched_yield));
  backoff.RecordYield(before, Now());
  return result;
}
#endif
