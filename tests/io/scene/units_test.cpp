// Quantities as text: values equal those of C++ literals, dimensions are checked, and any other
// text is an error.
#include "io/scene/units.hpp"

#include <gtest/gtest.h>

#include <numbers>

#include "solvers/base/check.hpp"
#include "tests/io/scratch.hpp"

namespace scree::units_test {
namespace {

double Read(const char* text, const Dimension& dimension) {
  return ReadQuantities(text, 1, dimension)[0];
}

TEST(Units, ConvertedValueEqualsTheLiteral) {
  EXPECT_EQ(Read("0.94 mm", kLength), 9.4e-4);
  EXPECT_EQ(Read("0.47 mm", kLength), 4.7e-4);
  EXPECT_EQ(Read("10 us", kTime), 1e-5);
  EXPECT_EQ(Read("10us", kTime), 1e-5);
  EXPECT_EQ(Read("2.65 g/cm^3", kDensity), 2650.0);
  EXPECT_EQ(Read("+3.3e1 cm", kLength), 0.33);
  EXPECT_EQ(Read("40 %", kPlain), 0.4);
  EXPECT_EQ(Read("2 min", kTime), 120.0);
}

TEST(Units, SpellingsOfOneUnitAgree) {
  for (const char* text :
       {"2.65", "2.65 kg/m^3", "2.65 kg m^-3", "2.65 kg*m^-3", "2.65 g/m^2/mm"}) {
    EXPECT_EQ(Read(text, kDensity), 2.65) << text;
  }
  EXPECT_EQ(Read("9.81 m s^-1 / s", kAcceleration), 9.81);
}

TEST(Units, VectorHasOneCommonUnit) {
  EXPECT_EQ(ReadQuantities("15 6.5 -2 cm", 3, kLength), (std::vector<double>{0.15, 0.065, -0.02}));
}

TEST(Units, ErrorNamesBothDimensions) {
  ExpectMessageContains(MessageOf<InputError>([] { Read("10 kg", kTime); }),
                        {"a mass [kg]", "a time [s]"}, "a mass read as a time");
}

TEST(Units, AnglesAndCyclesFitOnlyAngularQuantities) {
  EXPECT_EQ(Read("180 deg", kAngle), std::numbers::pi);
  EXPECT_EQ(Read("2", kAngle), 2.0);
  for (const char* text : {"60 rpm", "360 deg/s", "6.283185307179586 rad/s", "6.283185307179586 /s",
                           "6.283185307179586"}) {
    EXPECT_DOUBLE_EQ(Read(text, kAngularRate), 2.0 * std::numbers::pi) << text;
  }
  EXPECT_EQ(Read("9.1 Hz", kFrequency), 9.1);
  EXPECT_EQ(Read("9.1 1/s", kFrequency), 9.1);
  EXPECT_DOUBLE_EQ(Read("1 N m/deg", kTorsionStiffness), 180.0 / std::numbers::pi);
  EXPECT_EQ(Read("3 N mm", kTorsionStiffness), 3e-3);
  const auto error = [](const char* text, const Dimension& dimension) {
    return MessageOf<InputError>([&] { Read(text, dimension); });
  };
  ExpectMessageContains(error("9.1 Hz", kAngularRate),
                        {"a frequency [Hz]", "an angular velocity [rad/s]", "give rpm or rad/s"},
                        "Hz");
  ExpectMessageContains(error("30 deg", kPlain), {"is an angle [rad], expected a plain number"},
                        "deg");
  ExpectMessageContains(error("60 rpm", kFrequency), {"an angular velocity", "a frequency [Hz]"},
                        "rpm");
  for (const char* text : {"9.1 Hz", "60 rpm", "3 rad/s"})
    EXPECT_THROW(Read(text, kPerTime), InputError);
  EXPECT_THROW(Read("1 mm/rad", kLength), InputError);  // a lead is a length per revolution
}

TEST(Units, TextThatIsNoQuantityIsAnError) {
  for (const char* text : {"", "nan", "inf", "1e999", "0x10", "1,5 m", "1 m rubbish", "1 2 m", "m",
                           "1 m^x", "1 m/", "1 /", "--1", "1e99999999999999999999 m", "."}) {
    EXPECT_THROW(Read(text, kLength), InputError) << text;
  }
  EXPECT_THROW(ReadQuantities("1 2 m", 3, kLength), InputError);
  EXPECT_THROW(ReadQuantities("1 2 3 4", 3, kLength), InputError);
}

TEST(Units, ShortestTextReadsBack) {
  for (const double value : {0.1, 1e-5, 1.0 / 3.0, -2.5e50, 5e-324, 0.0}) {
    EXPECT_EQ(Read(ShortestText(value).c_str(), kPlain), value);
  }
  EXPECT_EQ(ShortestText(0.1), "0.1");
}

}  // namespace
}  // namespace scree::units_test
