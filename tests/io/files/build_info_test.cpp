// --version prints the source version and all libraries.
#include "io/files/build_info.hpp"

#include <gtest/gtest.h>

#include <regex>

namespace scree::build_info_test {
namespace {

TEST(BuildInfo, NamesSourceCompilerAndLibraries) {
  const std::string text = BuildDescription();
  for (const char* line :
       {"Scree \\d+\\.\\d+\\.\\d+", "source: +([0-9a-f]{7,40}(-dirty)?|unknown)",
        "build type: +\\w+", "compiler: +\\w+ \\d+.*", "target: .*, (128|256|512)-bit vectors",
        "MPI: +\\S.*", "HDF5: +\\d+\\.\\d+.*", "Eigen: +\\d+\\.\\d+\\.\\d+"}) {
    EXPECT_TRUE(std::regex_search(text, std::regex("(^|\n)" + std::string(line) + "\n")))
        << line << " in\n"
        << text;
  }
  EXPECT_EQ(text.find(ProgramVersion()), text.find(' ') + 1);
  EXPECT_NE(text.find(GitHash()), text.npos);
}

}  // namespace
}  // namespace scree::build_info_test
