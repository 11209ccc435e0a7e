// Modes that ring: against the closed form of a struck oscillator, wherever strikes fall.
#include "solvers/impact/resonator.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "solvers/base/check.hpp"
#include "tests/support/message_of.hpp"

namespace scree::impact::resonator_test {
namespace {

constexpr double kRate = 44100.0;

TEST(Resonator, RingsAsAStruckOscillatorWhereverTheStrikesFall) {
  const ResonatorMode mode{.frequency = 1234.5, .decay = 0.02, .gain = 2.0};
  const struct {
    double t, impulse;
  } strikes[] = {{0.0, 1e-3}, {10.3 / kRate, 2e-3}, {10.7 / kRate, -5e-4}, {200.0 / kRate, 1e-3}};
  Resonator resonator({&mode, 1}, kRate);
  const double d = std::log(1000.0) / mode.decay, omega = 2.0 * std::numbers::pi * mode.frequency;
  std::size_t next = 0;
  for (int i = 0; i < 1000; ++i) {
    const double t = resonator.NextTime();
    EXPECT_DOUBLE_EQ(t, i / kRate);
    for (; next < std::size(strikes) && strikes[next].t <= t; ++next) {
      resonator.Strike(strikes[next].t, strikes[next].impulse);
    }
    double expected = 0.0;
    for (const auto& strike : strikes) {
      const double since = t - strike.t;
      if (since < 0.0) continue;
      expected += mode.gain * strike.impulse * std::exp(-d * since) * std::cos(omega * since);
    }
    EXPECT_NEAR(resonator.NextSample(), expected, 1e-14);
  }
}

TEST(Resonator, ADecayIsSixtyDecibels) {
  const ResonatorMode mode{.frequency = 1000.0, .decay = 0.1};
  Resonator resonator({&mode, 1}, 10000.0);
  EXPECT_EQ(resonator.LongestDecay(), 0.1);
  resonator.Strike(0.0, 1.0);
  const double first = resonator.NextSample();
  double last = 0.0;
  for (int i = 1; i <= 1000; ++i) last = resonator.NextSample();  // whole periods
  EXPECT_NEAR(last / first, 1e-3, 1e-12);
}

TEST(Resonator, MaterialsHaveNamesAndModesThatCanBeHeard) {
  EXPECT_EQ(Resonators().size(), 3u);
  for (const NamedResonator& one : Resonators()) {
    EXPECT_EQ(FindResonator(one.name).data(), one.modes.data());
    EXPECT_NO_THROW(Resonator(one.modes, kRate));
  }
  const std::string message = MessageOf<InputError>([] { FindResonator("rubber"); });
  EXPECT_NE(message.find("glass, wood, metal"), std::string::npos);
}

TEST(Resonator, BadInputIsNamed) {
  const ResonatorMode high{.frequency = 30000.0}, still{.decay = 0.0};
  EXPECT_THROW(Resonator({&high, 1}, kRate), InputError);
  EXPECT_THROW(Resonator({&still, 1}, kRate), InputError);
  EXPECT_THROW(Resonator({&still, 1}, 0.0), InputError);
}

}  // namespace
}  // namespace scree::impact::resonator_test
