// A waiting rank sleeps for a while after a yield that gave another program a time slice, and only
// then. Libraries call the sched_yield of the program, not that of the C library.
#include "apps/common/yield_patience.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sched.h>

namespace scree::yield_patience_test {
namespace {

TEST(YieldBackoff, YieldsWhileYieldsAreShort) {
  YieldBackoff backoff;
  EXPECT_FALSE(backoff.ShouldSleep(0.0));
  backoff.RecordYield(10.0, 10.0005);
  EXPECT_FALSE(backoff.ShouldSleep(10.0005));
}

TEST(YieldBackoff, SleepsAfterAnotherProgramHadATimeSlice) {
  YieldBackoff backoff;
  backoff.RecordYield(10.0, 10.004);
  EXPECT_TRUE(backoff.ShouldSleep(10.004));
  EXPECT_TRUE(backoff.ShouldSleep(10.1));
  EXPECT_FALSE(backoff.ShouldSleep(10.11));
}

TEST(YieldBackoff, LibrariesCallTheYieldOfTheProgram) {
#ifdef __linux__
  Dl_info yield_info = {};
  ASSERT_NE(dladdr(dlsym(RTLD_DEFAULT, "sched_yield"), &yield_info), 0);
  Dl_info program_info = {};
  static const int program_object = 0;
  ASSERT_NE(dladdr(&program_object, &program_info), 0);
  EXPECT_EQ(yield_info.dli_fbase, program_info.dli_fbase) << yield_info.dli_fname;
  EXPECT_EQ(sched_yield(), 0);
#endif
}

}  // namespace
}  // namespace scree::yield_patience_test
