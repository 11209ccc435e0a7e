// The command line of scree-bench: sources, lengths, keys of scenes, errors.
#include "apps/bench/options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "solvers/base/check.hpp"

namespace scree::bench_options_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Words = std::vector<std::string>;

BenchOptions Parse(const Words& arguments) {
  std::string help;
  const auto options = ParseBenchOptions(arguments, help);
  EXPECT_TRUE(options) << help;
  return options.value_or(BenchOptions());
}

std::string Refusal(const Words& arguments) {
  std::string help;
  try {
    ParseBenchOptions(arguments, help);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no refusal";
}

Words Packing(Words extra_words) {
  extra_words.insert(extra_words.begin(), {"--packing", "a.csv"});
  return extra_words;
}

TEST(BenchOptions, PackingHasDefaults) {
  const BenchOptions bench = Parse({"--packing", "a.csv"});
  EXPECT_EQ(bench.packing, "a.csv");
  EXPECT_DOUBLE_EQ(bench.box.threshold.InMetres(2.0), 0.02);
  EXPECT_EQ(bench.box.sweeps, 10);
  EXPECT_EQ(bench.box.friction, 0.4);
  EXPECT_EQ(bench.box.dt, 1e-5);
  EXPECT_LT(bench.box.skin, 0.0);
  EXPECT_EQ(bench.tile, (std::array<int, 3>{1, 1, 1}));
}

TEST(BenchOptions, ThresholdIsInDiametersOrALength) {
  EXPECT_DOUBLE_EQ(Parse(Packing({"--threshold", "0.5d"})).box.threshold.InMetres(3.0), 1.5);
  EXPECT_DOUBLE_EQ(Parse(Packing({"--threshold", "0.5 d"})).box.threshold.InMetres(3.0), 1.5);
  EXPECT_DOUBLE_EQ(Parse(Packing({"--threshold", "4 um"})).box.threshold.InMetres(3.0), 4e-6);
  EXPECT_DOUBLE_EQ(Parse(Packing({"--threshold", "1e-8"})).box.threshold.InMetres(3.0), 1e-8);
  EXPECT_EQ(Parse(Packing({"--threshold", "0"})).box.threshold.InMetres(3.0), 0.0);
  for (const char* bad : {"", "d", "5 kg", "0.01dd", "x", "nan"}) {
    EXPECT_THAT(Refusal(Packing({"--threshold", bad})), HasSubstr("0.01d or a length")) << bad;
  }
  EXPECT_THAT(Refusal(Packing({"--threshold", "-1d"})), HasSubstr("out of range"));
}

TEST(BenchOptions, KeysGoToTheScene) {
  const BenchOptions bench = Parse({"--scene", "s.ini", "--solver.sweeps", "20", "--steps", "7",
                                    "--output.every=1 ms", "--wall.piston.velocity", "--1"});
  EXPECT_EQ(bench.scene, "s.ini");
  EXPECT_EQ(bench.steps, 7);
  EXPECT_THAT(bench.scene_keys, ElementsAre("--solver.sweeps", "20", "--output.every=1 ms",
                                            "--wall.piston.velocity", "--1"));
  // A dot in a value does not make it a key.
  EXPECT_EQ(Parse({"--packing=a.b.csv"}).packing, "a.b.csv");
  EXPECT_EQ(Parse({"--packing", "./a.csv", "--threshold", "0.1d"}).packing, "./a.csv");
}

TEST(BenchOptions, ExactlyOneSourceIsRequired) {
  EXPECT_THAT(Refusal({}), HasSubstr("nothing to measure"));
  EXPECT_THAT(Refusal({"--packing", "a", "--generate", "100"}), HasSubstr("more than one source"));
  EXPECT_THAT(Refusal({"--generate", "99"}), HasSubstr("--generate = 99 is out of range"));
}

TEST(BenchOptions, OptionsOfTheOtherSourceAreErrors) {
  EXPECT_THAT(Refusal(Packing({"--time.step", "1 us"})), HasSubstr("are for --scene"));
  for (const Words& option : {Words{"--sweeps", "20"},
                              {"--tile", "2,1,1"},
                              {"--output", "a.h5"},
                              {"--threshold", "1d"},
                              {"--skin", "1"},
                              {"--step", "1"}}) {
    EXPECT_THAT(Refusal({"--scene", "s.ini", option[0], option[1]}),
                HasSubstr(option[0] + " is for packings"));
  }
  EXPECT_THAT(Refusal({"--scene", "s.ini", "--open-top"}), HasSubstr("--open-top is for packings"));
}

TEST(BenchOptions, PackingsTakeKeysOfTheSolver) {
  const BenchOptions bench =
      Parse(Packing({"--solver.warm_start", "yes", "--solver.scheme=jacobi"}));
  ASSERT_EQ(bench.solver_keys.size(), 2u);
  EXPECT_EQ(bench.solver_keys[0].key, "warm_start");
  EXPECT_EQ(bench.solver_keys[0].value, "yes");
  EXPECT_EQ(bench.solver_keys[1].section, "solver");
  EXPECT_EQ(bench.solver_keys[1].key, "scheme");
  EXPECT_EQ(bench.solver_keys[1].value, "jacobi");
  EXPECT_EQ(bench.solver_keys[1].location, "--solver.scheme");
  EXPECT_THAT(Refusal(Packing({"--solver.scheme"})), HasSubstr("--solver.scheme VALUE"));
}

TEST(BenchOptions, ConvergenceHasSweepsAndVariants) {
  const BenchOptions bench = Parse(Packing(
      {"--convergence", "1 2 50", "--variants", "; warm_start=no;scheme=jacobi  speculative=no "}));
  EXPECT_THAT(bench.convergence, ElementsAre(1, 2, 50));
  ASSERT_EQ(bench.variants.size(), 3u);
  EXPECT_EQ(bench.variants[0].name, "as run");
  EXPECT_TRUE(bench.variants[0].keys.empty());
  EXPECT_EQ(bench.variants[1].name, "warm_start=no");
  EXPECT_EQ(bench.variants[2].name, "scheme=jacobi speculative=no");
  ASSERT_EQ(bench.variants[2].keys.size(), 2u);
  EXPECT_EQ(bench.variants[2].keys[1].key, "speculative");
  EXPECT_EQ(bench.variants[2].keys[1].value, "no");
  EXPECT_EQ(Parse({"--scene", "s.ini", "--convergence", "10"}).variants.size(), 1u);
  EXPECT_TRUE(Parse(Packing({})).convergence.empty());
}

TEST(BenchOptions, BadConvergenceNamesTheOption) {
  for (const char* bad : {"0", "1 x", "1.5", "-2", "1e7", ""}) {
    EXPECT_THAT(Refusal(Packing({"--convergence", bad})), HasSubstr("--convergence")) << bad;
  }
  EXPECT_THAT(Refusal(Packing({"--variants", "scheme=jacobi"})),
              HasSubstr("requires --convergence"));
  for (const char* bad : {"jacobi", "=jacobi", "scheme=", "sweeps=3"}) {
    EXPECT_THAT(Refusal(Packing({"--convergence", "1", "--variants", bad})),
                HasSubstr("--variants"))
        << bad;
  }
  EXPECT_THAT(Refusal(Packing({"--convergence", "1", "--steps", "5"})), HasSubstr("--steps"));
}

TEST(BenchOptions, BadValuesNameTheExpectedValues) {
  EXPECT_THAT(Refusal(Packing({"--tile", "2,2"})), HasSubstr("3 numbers"));
  EXPECT_THAT(Refusal(Packing({"--tile", "2,0,1"})), HasSubstr("whole numbers from 1"));
  EXPECT_THAT(Refusal(Packing({"--tile", "2,1.5,1"})), HasSubstr("whole numbers from 1"));
  EXPECT_THAT(Refusal(Packing({"--tile", "2,1e99,1"})), HasSubstr("whole numbers from 1"));
  EXPECT_THAT(Refusal(Packing({"--output", "a.txt"})), HasSubstr(".h5 or .csv"));
  EXPECT_THAT(Refusal(Packing({"--sweeps", "0"})), HasSubstr("--sweeps = 0"));
  EXPECT_THAT(Refusal(Packing({"--step", "0"})), HasSubstr("above 0"));
  EXPECT_THAT(Refusal(Packing({"--skin", "0"})), HasSubstr("above 0"));
  EXPECT_THAT(Refusal(Packing({"--skin", "much"})), HasSubstr("'much'"));
  EXPECT_THAT(Refusal(Packing({"--steps", "-1"})), HasSubstr("--steps = -1"));
  EXPECT_THAT(Refusal(Packing({"--repeat", "0"})), HasSubstr("--repeat = 0"));
  EXPECT_THAT(Refusal(Packing({"--stepps", "1"})), HasSubstr("stepps"));
  EXPECT_THAT(Refusal(Packing({"surplus"})), HasSubstr("'surplus'"));
}

TEST(BenchOptions, HelpNeedsNoOtherOptions) {
  std::string help;
  EXPECT_FALSE(ParseBenchOptions({"--help"}, help));
  EXPECT_THAT(help, HasSubstr("--packing"));
}

TEST(BenchOptions, ImbalanceTakesNumbersOfRanks) {
  EXPECT_THAT(Parse(Packing({"--imbalance", "2 16 64"})).imbalance, ElementsAre(2, 16, 64));
  EXPECT_TRUE(Parse(Packing({})).imbalance.empty());
  EXPECT_THAT(Refusal(Packing({"--imbalance", " "})), HasSubstr("numbers of ranks such as"));
  EXPECT_THAT(Refusal(Packing({"--imbalance", "2.5"})), HasSubstr("not a whole number of ranks"));
  EXPECT_THAT(Refusal(Packing({"--imbalance", "0"})), HasSubstr("out of range"));
  EXPECT_THAT(Refusal(Packing({"--imbalance", "2", "--repeat", "3"})), HasSubstr("--repeat"));
  EXPECT_THAT(Refusal(Packing({"--imbalance", "2", "--convergence", "3"})),
              HasSubstr("--convergence"));
}

}  // namespace
}  // namespace scree::bench_options_test
