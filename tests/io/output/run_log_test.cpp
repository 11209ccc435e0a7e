// run.log keeps every line; the echo is one updating line, few lines, or nothing.
#include "io/output/run_log.hpp"

#include <gtest/gtest.h>

#include "solvers/base/check.hpp"
#include "tests/io/scratch.hpp"

namespace scree::run_log_test {
namespace {

struct RunLogTest : InOwnScratch {
  const std::string path = scratch / "run.log";

  /// The echo of a log that prints a line, shows progress 100 times and prints another line.
  std::string EchoOf(RunLog::Echo echo) {
    ::testing::internal::CaptureStdout();
    {
      RunLog log(path, echo);
      log.Print("begin");
      for (int k = 0; k < 100; ++k) log.ShowProgress("p" + std::to_string(k));
      log.Print("end");
    }
    return ::testing::internal::GetCapturedStdout();
  }
};

TEST(CutTo, KeepsWholeWordsThatFitIntoALine) {
  const std::string line = " 3.1% t 1ms n 100 pen 2\u00b5m res 0.1";
  EXPECT_EQ(CutTo(0, line), line);
  EXPECT_EQ(CutTo(80, line), line);
  EXPECT_EQ(CutTo(34, line), line) << "33 letters";
  EXPECT_EQ(CutTo(33, line), " 3.1% t 1ms n 100 pen 2\u00b5m res") << "one too many";
  EXPECT_EQ(CutTo(20, line), " 3.1% t 1ms n 100");
}

TEST_F(RunLogTest, FileHasEveryLineForAnyEcho) {
  std::string all = "begin\n";
  for (int k = 0; k < 100; ++k) all += "p" + std::to_string(k) + "\n";
  all += "end\n";
  for (const RunLog::Echo echo :
       {RunLog::Echo::kNothing, RunLog::Echo::kLines, RunLog::Echo::kUpdatingLine}) {
    EchoOf(echo);
    EXPECT_EQ(FileBytes(path), all);
  }
}

TEST_F(RunLogTest, ContinuingKeepsTheLinesAndRepairsAPartialOne) {
  for (const char* previous_text : {"before\n", "befo", ""}) {
    PutFile(self, path, previous_text);
    RunLog(path, RunLog::Echo::kNothing, RunLog::Earlier::kContinued).Print("after");
    const std::string repaired = std::string(previous_text) == "befo" ? "befo\n" : previous_text;
    EXPECT_EQ(FileBytes(path), repaired + "after\n");
  }
}

TEST_F(RunLogTest, FirstAndLastProgressLineOfASecondAreEchoed) {
  // A hundred lines take far less than the second between two echoes.
  EXPECT_EQ(EchoOf(RunLog::Echo::kLines), "begin\np0\np99\nend\n");
}

TEST_F(RunLogTest, LastProgressLineIsEchoedAtTheEnd) {
  ::testing::internal::CaptureStdout();
  {
    RunLog log(path, RunLog::Echo::kLines);
    log.ShowProgress("a");
    log.ShowProgress("b");
  }
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "a\nb\n");
}

TEST_F(RunLogTest, TerminalShowsOneUpdatedLine) {
  const std::string echo = EchoOf(RunLog::Echo::kUpdatingLine);
  EXPECT_TRUE(echo.starts_with("begin\n\r\033[Kp0\r\033[Kp1")) << echo;
  EXPECT_TRUE(echo.ends_with("\r\033[Kp99\nend\n")) << echo;
}

TEST_F(RunLogTest, TransientLinesAreForTheTerminalOnly) {
  for (const RunLog::Echo echo : {RunLog::Echo::kLines, RunLog::Echo::kUpdatingLine}) {
    ::testing::internal::CaptureStdout();
    {
      RunLog log(path, echo);
      log.ShowTransient("x");
      EXPECT_EQ(log.HasUpdatingLine(), echo == RunLog::Echo::kUpdatingLine);
    }
    EXPECT_EQ(::testing::internal::GetCapturedStdout(),
              echo == RunLog::Echo::kLines ? "" : "\r\033[Kx\n");
    EXPECT_EQ(FileBytes(path), "");
  }
}

TEST_F(RunLogTest, FileThatCannotBeWrittenIsNamed) {
  const std::string missing_path = scratch / "no_such_folder/run.log";
  const std::string message =
      MessageOf<OutputError>([&] { RunLog log(missing_path, RunLog::Echo::kNothing); });
  EXPECT_NE(message.find(missing_path), message.npos);
  RunLog full("/dev/full", RunLog::Echo::kNothing);
  EXPECT_THROW(full.Print("a"), OutputError);
}

}  // namespace
}  // namespace scree::run_log_test
