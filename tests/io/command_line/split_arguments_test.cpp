// Splits any command line into options and values. Input on which Boost would loop for ever is an
// error.
#include "io/command_line/split_arguments.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "solvers/base/check.hpp"
#include "tests/io/scratch.hpp"

namespace scree::split_arguments_test {
namespace {

const std::vector<KnownOption> kKnownOptions = {{"mu"}, {"quiet", false}};

std::vector<GivenOption> Split(const std::vector<std::string>& arguments) {
  return SplitArguments(arguments, kKnownOptions, "see --help");
}

std::string ErrorOf(const std::vector<std::string>& arguments) {
  return MessageOf<InputError>([&] { Split(arguments); });
}

TEST(SplitArguments, ValuesFollowTheirOptionOrAnEqualsSign) {
  const auto options = Split({"--mu", "-0.5", "--mu=-1", "--quiet"});
  ASSERT_EQ(options.size(), 3u);
  EXPECT_EQ(options[0].name, "mu");
  EXPECT_EQ(options[0].value, "-0.5");
  EXPECT_EQ(options[1].value, "-1");
  EXPECT_EQ(options[2].name, "quiet");
  EXPECT_EQ(options[2].value, "");
}

TEST(SplitArguments, ArgumentsWithoutANameKeepTheirPosition) {
  const auto options = Split({"a.csv", "--quiet", "b.csv"});
  ASSERT_EQ(options.size(), 3u);
  EXPECT_EQ(options[0].name, "");
  EXPECT_EQ(options[0].value, "a.csv");
  EXPECT_EQ(options[1].name, "quiet");
  EXPECT_EQ(options[2].value, "b.csv");
}

TEST(SplitArguments, ErrorsNameTheOption) {
  EXPECT_EQ(ErrorOf({"--mu"}), "--mu: needs a value; see --help");
  EXPECT_EQ(ErrorOf({"--mu="}), "--mu: needs a value; see --help");
  EXPECT_EQ(ErrorOf({"--zzz"}), "--zzz: unknown option; see --help");
  EXPECT_EQ(ErrorOf({"--e"}), "--e: unknown option; see --help");
}

TEST(SplitArguments, OtherErrorsOfBoostAreInputErrors) {
  const std::vector<KnownOption> duplicate = {{"mu"}, {"mu"}};
  EXPECT_THROW(SplitArguments({"--mu", "1"}, duplicate, "see --help"), InputError);
}

TEST(SplitArguments, NamesWithAMeaningForBoostAreErrors) {
  for (const char* name :
       {"--a%option%b", "--%original_token%", "--tan%%original_token%%g", "--%canonical_option%=1",
        "--mu%value%", "--%", "--mu,", "--mu,m", "--m*", "--*", "--,=1"}) {
    EXPECT_THROW(Split({name}), InputError) << name;
    EXPECT_THROW(Split({"--quiet", name, "1"}), InputError) << name;
  }
}

TEST(SplitArguments, OptionWithoutANameIsAnError) {
  EXPECT_EQ(ErrorOf({"--=a.csv"}), "--=a.csv: an option without a name; see --help");
  EXPECT_EQ(ErrorOf({"--="}), "--=: an option without a name; see --help");
}

TEST(SplitArguments, ValuesMayContainTheMarkersOfBoost) {
  for (const char* value : {"%option%", "%original_token%", "%%canonical_option%%", "a=%value%"}) {
    EXPECT_EQ(Split({"--mu", value})[0].value, value);
    EXPECT_EQ(ErrorOf({std::string("--muu=") + value}),
              "--muu: unknown option (did you mean \"--mu\"?); see --help");
    EXPECT_EQ(ErrorOf({std::string("--quiet=") + value}), "--quiet: takes no value; see --help");
  }
}

}  // namespace
}  // namespace scree::split_arguments_test
