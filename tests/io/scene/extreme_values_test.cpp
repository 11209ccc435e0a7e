// Numbers that are too large or too small for the computation, in each key of a scene.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <string>
#include <vector>

#include "io/files/text_file.hpp"
#include "io/scene/config_reader.hpp"
#include "io/scene/ini_file.hpp"
#include "solvers/base/check.hpp"
#include "tests/io/scratch.hpp"

namespace scree::extreme_values_test {
namespace {

const char* const kScenes[] = {"every_key.ini", "machine_scene.ini"};
std::string TextOf(const std::string& scene) { return ReadTextFile(SCREE_TEST_DATA "/" + scene); }

struct NumericKey {
  std::string scene;
  IniEntry entry;
  std::string text_before, text_after;  // text before and after the first number
};

/// All keys with a number in their value. Digits in names do not count.
std::vector<NumericKey> NumericKeys() {
  ErrorList errors;
  std::vector<NumericKey> all;
  const std::regex number(R"((^|[ ,])[-+]?[0-9]+\.?[0-9]*(e[-+]?[0-9]+)?(?![\w.]))");
  for (const std::string scene : kScenes) {
    for (const IniEntry& entry : ScanIni(TextOf(scene), scene, errors).entries) {
      std::smatch number_match;
      if (!std::regex_search(entry.value, number_match, number)) continue;
      all.push_back({scene, entry, number_match.prefix().str() + number_match[1].str(),
                     number_match.suffix().str()});
    }
  }
  return all;
}

/// The error of the scene with this value of the key. Empty if there is none.
std::string ErrorWith(const std::string& scene, const IniEntry& entry, const std::string& value) {
  const std::string location = "--" + entry.section + "." + entry.key;
  try {
    ReadRunConfig(TextOf(scene), scene, {{entry.section, entry.key, value, location}});
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

TEST(ExtremeValues, HugeNumbersAreErrorsInEachKey) {
  const std::vector<NumericKey> keys = NumericKeys();
  ASSERT_GT(keys.size(), 200u);
  for (const auto& [scene, entry, text_before, text_after] : keys) {
    for (const char* const number : {"1e300", "-1e300", "1e80"}) {
      const std::string error = ErrorWith(scene, entry, text_before + number + text_after);
      const std::string key = entry.section + "." + entry.key;
      EXPECT_THAT(error, testing::HasSubstr("--" + key)) << number;
      EXPECT_THAT(error, testing::HasSubstr("xpected")) << key << " " << number;
      EXPECT_THAT(error, testing::Not(testing::ContainsRegex("[^a-z](inf|nan)[^a-z]")));
    }
  }
}

/// Components of a vector may be tiny, because rounding can make them so.
TEST(ExtremeValues, TinyNumbersAreErrorsExceptAsComponentsOfAVector) {
  int accepted = 0;
  for (const auto& [scene, entry, text_before, text_after] : NumericKeys()) {
    for (const char* const number : {"1e-300", "1e-310", "1e-80"}) {
      const std::string error = ErrorWith(scene, entry, text_before + number + text_after);
      const bool is_vector = text_after.find_first_of("0123456789") != std::string::npos;
      if (error.empty()) ++accepted;
      if (!is_vector) {
        EXPECT_THAT(error, testing::HasSubstr("xpected")) << entry.section << "." << entry.key;
      }
    }
  }
  EXPECT_GT(accepted, 50);
}

}  // namespace
}  // namespace scree::extreme_values_test
