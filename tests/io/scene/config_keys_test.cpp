// The table of keys: all defaults and kinds of values are converted to text and back; errors.
#include "io/scene/config_keys.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>
#include <set>

#include "solvers/base/check.hpp"
#include "tests/io/scratch.hpp"
#include "tests/support/message_of.hpp"

namespace scree::config_keys_test {
namespace {

const KeySpec& SpecOf(const char* section, const char* key) {
  const KeySpec* spec = FindKey(section, key);
  SCREE_DEMAND(spec != nullptr);
  return *spec;
}

std::string Refusal(const char* section, const char* key, const std::string& text) {
  return MessageOf<InputError>([&] { ReadValue(SpecOf(section, key), text); });
}

TEST(ConfigKeys, EachKeyOccursOnceInAKnownSection) {
  std::set<std::string> section_names, keys;
  for (const SectionSpec& section : AllSections()) {
    EXPECT_TRUE(section_names.insert(section.name).second) << section.name;
    EXPECT_FALSE(section.keys.empty()) << section.name;
    for (const KeySpec& key : section.keys) {
      EXPECT_TRUE(keys.insert(section.name + "." + key.key).second) << key.key;
      EXPECT_TRUE(key.kind.has_value()) << key.key;
      EXPECT_FALSE(key.doc.empty()) << key.key;
    }
  }
}

TEST(ConfigKeys, EveryDefaultReadsBack) {
  for (const SectionSpec& section : AllSections()) {
    for (const KeySpec& key : section.keys) {
      if (key.default_text.empty()) continue;
      const KeyValue value = ReadValue(key, key.default_text);
      EXPECT_EQ(ReadValue(key, WriteValue(key, value)), value) << section.name << "." << key.key;
    }
  }
}

/// The number at the beginning of a text; nothing if there is none.
std::optional<double> LeadingNumber(const std::string& text) {
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  return end == text.c_str() ? std::nullopt : std::optional(number);
}

// Ranges are "> 0 ...", ">= 1 ...", "0 to 1 ...", also after "auto | ". The test fails for a
// documented bound that is not checked. Vectors and cells have their own checks.
TEST(ConfigKeys, DocumentedRangesAreChecked) {
  int checked_ranges = 0;
  for (const SectionSpec& section : AllSections()) {
    for (const KeySpec& key : section.keys) {
      if (key.kind == Kind::kVector || key.kind == Kind::kCells) continue;
      std::string words = key.range.words;
      if (words.starts_with("auto | ")) words = words.substr(7);
      const bool at_least = words.starts_with(">= "), above = words.starts_with("> ");
      const std::size_t separator = words.find(" to ");
      const auto first = LeadingNumber(words.substr(at_least ? 3 : above ? 2 : 0));
      if (!first || !(at_least || above || separator != words.npos)) continue;
      ++checked_ranges;
      EXPECT_EQ(key.range.lower, *first) << section.name << "." << key.key;
      EXPECT_EQ(key.range.open, above) << section.name << "." << key.key;
      if (at_least || above) continue;
      EXPECT_EQ(key.range.upper, LeadingNumber(words.substr(separator + 4)))
          << section.name << "." << key.key;
    }
  }
  EXPECT_GT(checked_ranges, 50);
}

TEST(ConfigKeys, ValuesReadBackBitByBit) {
  const std::vector<std::tuple<const char*, const char*, const char*>> values = {
      {"scene", "seed", "9007199254740993"}, {"scene", "gravity", "0.1 -1e-300 9.80665 m/s^2"},
      {"domain", "periodic", "x z"},         {"time", "step", "0.7 us"},
      {"wall.a", "shape", "cylinder"},       {"wall.a", "material", "steel_2"},
      {"outflow", "faces", "x- z+"},         {"solver", "speculative", "no"},
      {"solver", "sweeps", "auto"},          {"solver", "sweeps", "33"},
      {"parallel", "subdomains", "16x10x4"}, {"parallel", "balance", "auto"},
      {"parallel", "balance", "never"},      {"parallel", "balance", "every 500 steps"},
      {"output", "every", "100 steps"},      {"output", "every", "0.3 ms"},
      {"output", "every", "never"},          {"checkpoint", "every", "30 min wall"},
      {"checkpoint", "every", "3 ms"},       {"output", "fields", "radius velocity"},
      {"output", "directory", "a b/c"}};
  for (const auto& [section, key, text] : values) {
    const KeyValue value = ReadValue(SpecOf(section, key), text);
    EXPECT_EQ(ReadValue(SpecOf(section, key), WriteValue(SpecOf(section, key), value)), value)
        << text;
  }
}

TEST(ConfigKeys, ErrorsNameTheExpectedValue) {
  EXPECT_TRUE(Contains(Refusal("scene", "seed", "1.5"), "expected a whole number"));
  EXPECT_TRUE(Contains(Refusal("scene", "seed", "-1"), ">= 0"));
  EXPECT_TRUE(Contains(Refusal("time", "step", "0 s"), "> 0"));
  EXPECT_TRUE(Contains(Refusal("time", "step", ""), "no value"));
  EXPECT_TRUE(Contains(Refusal("scene", "gravity", "9.81"), "3 numbers"));
  EXPECT_TRUE(Contains(Refusal("wall.a", "shape", "cilinder"), "did you mean \"cylinder\""));
  EXPECT_TRUE(Contains(Refusal("wall.a", "material", "a.b"), "letters, digits"));
  EXPECT_TRUE(Contains(Refusal("domain", "periodic", "x x"), "each once"));
  EXPECT_TRUE(Contains(Refusal("outflow", "faces", "x"), "x- x+"));
  EXPECT_TRUE(Contains(Refusal("solver", "speculative", "maybe"), "yes or no"));
  EXPECT_TRUE(Contains(Refusal("solver", "error_reduction", "1.1"), "0 to 1"));
  EXPECT_TRUE(Contains(Refusal("parallel", "subdomains", "2x2"), "16x10x4"));
  EXPECT_TRUE(Contains(Refusal("parallel", "subdomains", "0x1x1"), "16x10x4"));
  for (const char* bad : {"500 steps", "every 0 steps", "every 1.5 steps", "every", "sometimes"}) {
    EXPECT_TRUE(Contains(Refusal("parallel", "balance", bad), "\"every 1000 steps\"")) << bad;
  }
  EXPECT_TRUE(Contains(Refusal("output", "every", "0 steps"), "at least 1"));
  EXPECT_TRUE(Contains(Refusal("output", "every", "1 kg"), "a time > 0"));
  EXPECT_TRUE(Contains(Refusal("output", "fields", "speed"), "any of position velocity"));
}

TEST(ConfigKeys, KeysOfNamedSectionsAreFound) {
  EXPECT_NE(FindKey("wall.a", "shape"), nullptr);
  EXPECT_NE(FindKey("wall.a.b", "shape"), nullptr);
  EXPECT_EQ(FindKey("wall.a.b.c", "shape"), nullptr);
  EXPECT_EQ(FindKey("wall", "velocity"), nullptr);
  EXPECT_EQ(FindKey("time", "stepp"), nullptr);
  EXPECT_EQ(SectionParts("pair.a.b"), (std::vector<std::string>{"pair", "a", "b"}));
  EXPECT_EQ(KeysOf("material.x"),
            (std::vector<std::string>{"density", "young", "poisson", "sizes", "radius", "diameter",
                                      "smallest_radius", "largest_radius", "spread", "sieves",
                                      "passing"}));
  EXPECT_TRUE(KeysOf("nothing").empty());
}

TEST(ConfigKeys, HelpGivesUnitRangeAndDefault) {
  const std::string help = KeyHelp();
  const std::size_t line = help.find("\n  step ");
  ASSERT_NE(line, help.npos);
  const std::string text = help.substr(line, help.find('\n', line + 1) - line);
  EXPECT_TRUE(Contains(text, "[s]") && Contains(text, "> 0") && Contains(text, "default auto"))
      << text;
  EXPECT_TRUE(Contains(KeyList(), "material.NAME.density\n"));
}

TEST(ConfigKeys, KeyOfAShapeNamesItsShape) {
  EXPECT_EQ(SpecOf("wall.a", "to").doc, "cylinder, pipe, cone: centre of the other end");
  EXPECT_EQ(SpecOf("wall.a", "shape").range.words,
            "plane | box | cylinder | sphere | pipe | cone | disk | mesh");
}

}  // namespace
}  // namespace scree::config_keys_test
