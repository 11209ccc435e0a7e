// Waits on cores that other ranks and programs use too (apps/common/yield_patience.hpp): there a
// run was ten to forty times slower (engine/performance.md). A source of the programs that run in
// parallel, and of the tests: it replaces sched_yield, which Open MPI calls while it waits if asked
// to yield, as by open_mpi_settings.cpp.
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
  thread_local scree::YieldBackoff patience;
  const double before = Now();
  if (patience.Sleeps(before)) {
    std::this_thread::sleep_for(std::chrono::duration<double>(scree::YieldBackoff::kSleep));
    return 0;
  }
  const auto result = static_cast<int>(syscall(SYS_sched_yield));
  patience.Note(before, Now());
  return result;
}
#endif
