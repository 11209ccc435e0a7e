// Modes of named bodies.
#include "apps/single/models/resonator.hpp"

#include <gtest/gtest.h>

#include <string>

#include "solvers/base/check.hpp"
#include "tests/support/message_of.hpp"

namespace scree::impact::resonator_test {
namespace {

TEST(Resonator, ModesAscendInFrequencyAndDescendInGainAndDecayTime) {
  for (const char* name : {"glass", "wood", "metal"}) {
    const std::span<const ResonatorMode> modes = FindResonator(name);
    ASSERT_GE(modes.size(), 4u) << name;
    for (std::size_t i = 1; i < modes.size(); ++i) {
      EXPECT_GT(modes[i].frequency, modes[i - 1].frequency) << name;
      EXPECT_LT(modes[i].gain, modes[i - 1].gain) << name;
      EXPECT_LT(modes[i].decay, modes[i - 1].decay) << name;
    }
  }
}

TEST(Resonator, ErrorOfAnUnknownNameListsTheKnownNames) {
  const std::string message = MessageOf<InputError>([] { FindResonator("rubber"); });
  EXPECT_NE(message.find("glass, wood, metal"), std::string::npos);
}

}  // namespace
}  // namespace scree::impact::resonator_test
