// Options and values of any command line; what Boost never comes to an end with is refused.
#include "io/split_arguments.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "solvers/check.hpp"
#include "tests/io/scratch.hpp"

namespace scree {
namespace {

namespace po = boost::program_options;

po::options_description Known() {
  po::options_description known;
  known.add_options()("mu", po::value<std::string>())("quiet", "");
  return known;
}

std::vector<po::option> Split(const std::vector<std::string>& arguments) {
  return SplitArguments(arguments, Known(), "see --help");
}

std::string ErrorOf(const std::vector<std::string>& arguments) {
  return MessageOf<InputError>([&] { Split(arguments); });
}

TEST(SplitArguments, ValuesFollowOrAreJoined) {
  const auto options = Split({"--mu", "-0.5", "--mu=-1", "--quiet"});
  ASSERT_EQ(options.size(), 3u);
  EXPECT_EQ(options[0].value, std::vector<std::string>{"-0.5"});
  EXPECT_EQ(options[1].value, std::vector<std::string>{"-1"});
  EXPECT_EQ(options[2].string_key, "quiet");
  EXPECT_TRUE(options[2].value.empty());
}

TEST(SplitArguments, ArgumentsWithoutANameHaveTheirPlace) {
  const auto options = Split({"a.csv", "--quiet", "b.csv"});
  ASSERT_EQ(options.size(), 3u);
  EXPECT_EQ(options[0].position_key, 0);
  EXPECT_EQ(options[2].value, std::vector<std::string>{"b.csv"});
  po::positional_options_description positional;
  positional.add("mu", 1);
  EXPECT_EQ(SplitArguments({"0.3"}, Known(), "", &positional)[0].string_key, "mu");
  EXPECT_THROW(SplitArguments({"0.3", "0.4"}, Known(), "", &positional), InputError);
}

TEST(SplitArguments, ErrorsNameTheOption) {
  EXPECT_EQ(ErrorOf({"--mu"}), "--mu: needs a value; see --help");
  EXPECT_EQ(ErrorOf({"--mu="}), "--mu: needs a value; see --help");
  EXPECT_EQ(ErrorOf({"--zzz"}), "--zzz: unknown option; see --help");
}

TEST(SplitArguments, AnythingElseThatBoostRefusesIsAnInputErrorToo) {
  po::options_description twice = Known();
  twice.add_options()("mu", po::value<std::string>());
  EXPECT_THROW(SplitArguments({"--mu", "1"}, twice, "see --help"), InputError);
}

TEST(SplitArguments, NamesThatMeanSomethingToBoostAreRefused) {
  for (const char* name :
       {"--a%option%b", "--%original_token%", "--tan%%original_token%%g", "--%canonical_option%=1",
        "--mu%value%", "--%", "--mu,", "--mu,m", "--m*", "--*", "--,=1"}) {
    EXPECT_THROW(Split({name}), InputError) << name;
    EXPECT_THROW(Split({"--quiet", name, "1"}), InputError) << name;
  }
}

TEST(SplitArguments, ValuesMayHoldAnything) {
  for (const char* value : {"%option%", "%original_token%", "%%canonical_option%%", "a=%value%"}) {
    EXPECT_EQ(Split({"--mu", value})[0].value[0], value);
    EXPECT_EQ(ErrorOf({std::string("--muu=") + value}),
              "--muu: unknown option (did you mean \"--mu\"?); see --help");
    EXPECT_EQ(ErrorOf({std::string("--quiet=") + value}), "--quiet: takes no value; see --help");
  }
}

}  // namespace
}  // namespace scree
