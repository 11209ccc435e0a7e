// Options of the small apps: values, defaults and all errors.
#include "io/command_line/app_options.hpp"

#include <gtest/gtest.h>

#include <array>

#include "solvers/base/check.hpp"
#include "tests/io/scratch.hpp"

namespace scree::app_options_test {
namespace {

struct Fixture {
  double friction = 0.5, speed = 0.0;
  int count = 7;
  std::string text = "plain";
  bool flag = false;
  std::vector<std::string> files;
  AppOptions options{"scree-thing part", "Computes a thing."};

  explicit Fixture(bool takes_files = true) {
    options.Add("friction", friction, "of the plane");
    options.Add("speed-2", speed, "of the second");
    options.Add("count", count, "how many");
    options.Add("text", text, "some text");
    options.Add("flag", flag, "a switch");
    if (takes_files) options.AddPositional("FILE", files, "files");
  }
};

std::string ErrorOf(const std::vector<std::string>& arguments, bool takes_files = true) {
  Fixture fixture(takes_files);
  return RefusalOf<InputError>([&] { fixture.options.Parse(arguments); });
}

TEST(AppOptions, ValuesReachTheirVariables) {
  Fixture fixture;
  EXPECT_TRUE(fixture.options.Parse(
      {"a.h5", "--friction", "-1.5e-3", "--count=12", "--text", "-1 2 3", "--flag", "b.h5"}));
  EXPECT_EQ(fixture.friction, -1.5e-3);
  EXPECT_EQ(fixture.count, 12);
  EXPECT_EQ(fixture.text, "-1 2 3");
  EXPECT_TRUE(fixture.flag);
  EXPECT_EQ(fixture.files, (std::vector<std::string>{"a.h5", "b.h5"}));
  EXPECT_TRUE(fixture.options.IsGiven("friction"));
}

TEST(AppOptions, QuantitiesHaveUnits) {
  Fixture fixture;
  EXPECT_TRUE(fixture.options.Parse({"--speed-2", "1 mm/s", "--friction=30 %"}));
  EXPECT_EQ(fixture.speed, 1e-3);
  EXPECT_EQ(fixture.friction, 0.3);
  EXPECT_NE(fixture.options.Help().find("of the second [m/s]"), std::string::npos);
  EXPECT_NE(ErrorOf({"--speed-2", "1 mm"}).find("--speed-2 \"1 mm\": is a length"),
            std::string::npos);
}

TEST(AppOptions, OldNamesAreErrorsThatGiveTheNewNames) {
  EXPECT_NE(ErrorOf({"--mu", "1"}).find("--mu: is now called --friction"), std::string::npos);
  EXPECT_NE(ErrorOf({"--speed2=1"}).find("--speed2: is now called --speed-2"), std::string::npos);
  EXPECT_EQ(ErrorOf({"--psi1", "1"}).find("is --"), std::string::npos) << "of another command";
}

TEST(AppOptions, MissingOptionsKeepTheirDefaults) {
  Fixture fixture;
  EXPECT_TRUE(fixture.options.Parse({}));
  EXPECT_EQ(fixture.friction, 0.5);
  EXPECT_EQ(fixture.count, 7);
  EXPECT_FALSE(fixture.flag);
  EXPECT_FALSE(fixture.options.IsGiven("friction"));
}

TEST(AppOptions, HelpNamesAllOptionsAndDefaults) {
  Fixture fixture;
  EXPECT_FALSE(fixture.options.Parse({"--help"}));
  const std::string help = fixture.options.Help();
  for (const char* part : {"scree-thing part", "Computes a thing.", "--friction", "(default 0.5)",
                           "--count", "(default 7)", "--flag", "FILE"}) {
    EXPECT_NE(help.find(part), std::string::npos) << part;
  }
}

TEST(AppOptions, ErrorsNameTheOption) {
  EXPECT_NE(ErrorOf({"--friction", "fast"}).find("--friction"), std::string::npos);
  EXPECT_NE(ErrorOf({"--friction", "1.0x"}).find("1.0x"), std::string::npos);
  EXPECT_NE(ErrorOf({"--friction", "nan"}).find("number"), std::string::npos);
  EXPECT_NE(ErrorOf({"--friction", "1e999"}).find("--friction"), std::string::npos);
  EXPECT_NE(ErrorOf({"--count", "1.5"}).find("--count"), std::string::npos);
  EXPECT_NE(ErrorOf({"--count", "99999999999"}).find("--count"), std::string::npos);
  EXPECT_NE(ErrorOf({"--mass", "1"}).find("--mass"), std::string::npos);
  EXPECT_NE(ErrorOf({"--friction"}).find("friction"), std::string::npos);
  EXPECT_NE(ErrorOf({"--friction", "1", "--friction", "2"}).find("twice"), std::string::npos);
  EXPECT_NE(ErrorOf({"--coun", "1"}).find("--coun"), std::string::npos) << "no guessing";
  EXPECT_NE(ErrorOf({"stray"}, false).find("stray"), std::string::npos);
}

TEST(ReadNumbers, SeparatorsAndCountsAreChecked) {
  EXPECT_EQ(ReadNumbers("b", " 1, -2 +3e2\t", 3), (std::vector<double>{1.0, -2.0, 300.0}));
  EXPECT_THROW(ReadNumbers("b", "1 2", 3), InputError);
  EXPECT_THROW(ReadNumbers("b", "1 2 3 4", 3), InputError);
  EXPECT_THROW(ReadNumbers("b", "", 1), InputError);
  EXPECT_THROW(ReadNumbers("b", "1 two 3", 3), InputError);
  EXPECT_THROW(ReadNumbers("b", "inf", 1), InputError);
}

TEST(RequireRange, RangeIncludesItsEnds) {
  EXPECT_NO_THROW(RequireRange("x", 1.0, 1.0, 2.0));
  EXPECT_NO_THROW(RequireRange("x", 2.0, 1.0, 2.0));
  EXPECT_THROW(RequireRange("x", 2.1, 1.0, 2.0), InputError);
  EXPECT_THROW(RequireRange("x", 0.9, 1.0, 2.0), InputError);
}

TEST(RequireChoice, ErrorListsTheChoices) {
  constexpr std::array<std::string_view, 2> kChoices = {"coulomb", "max_dissipation"};
  EXPECT_NO_THROW(RequireChoice("--kernel", "coulomb", kChoices));
  const std::string message =
      MessageOf<InputError>([&] { RequireChoice("--kernel", "Coulomb", kChoices); });
  EXPECT_NE(message.find("coulomb, max_dissipation"), std::string::npos);
}

}  // namespace
}  // namespace scree::app_options_test
