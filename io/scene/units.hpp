/// \file  Reads quantities with units: "0.94 mm" -> 9.4e-4, with a check of the dimension.
///
/// Only this file knows units; all other code uses SI. A unit is a product of powers ("g/cm^3", "m
/// s^-2", "kg*m^-3"); "/" applies only to the next factor. No unit means SI.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace scree {

/// Exponents of metre, kilogram, second, radian and whole cycle. An angle may be written without a
/// unit, and an angular velocity or a frequency in 1/s. But a unit with radians or cycles fits only
/// keys that measure them: a friction coefficient cannot be given in degrees, nor an angular
/// velocity in Hz, which would be wrong by a factor of 2π.
struct Dimension {
  int length = 0;
  int mass = 0;
  int time = 0;
  int angle = 0;
  int cycles = 0;
  bool operator==(const Dimension&) const = default;
};

inline constexpr Dimension kPlain{0, 0, 0};
inline constexpr Dimension kLength{1, 0, 0};
inline constexpr Dimension kTime{0, 0, 1};
inline constexpr Dimension kSpeed{1, 0, -1};
inline constexpr Dimension kAcceleration{1, 0, -2};
inline constexpr Dimension kDensity{-3, 1, 0};
inline constexpr Dimension kPerTime{0, 0, -1};
inline constexpr Dimension kAngle{0, 0, 0, 1};
inline constexpr Dimension kAngularRate{0, 0, -1, 1};
inline constexpr Dimension kFrequency{0, 0, -1, 0, 1};
inline constexpr Dimension kPressure{-1, 1, -2};
inline constexpr Dimension kMass{0, 1, 0};
inline constexpr Dimension kMassRate{0, 1, -1};
inline constexpr Dimension kInertia{2, 1, 0};
inline constexpr Dimension kForce{1, 1, -2};
inline constexpr Dimension kEnergyPerArea{0, 1, -2};
inline constexpr Dimension kArea{2, 0, 0};
inline constexpr Dimension kTorque{2, 1, -2};
inline constexpr Dimension kStiffness{0, 1, -2};
inline constexpr Dimension kDamping{0, 1, -1};
inline constexpr Dimension kTorsionStiffness{2, 1, -2, -1};
inline constexpr Dimension kTorsionDamping{2, 1, -1, -1};

/// "m/s^2"; empty for a plain number. ReadQuantities accepts this text as a unit.
std::string SiUnit(const Dimension& dimension);

/// The dimension of a unit. @throws InputError if the text is not a unit
Dimension DimensionOf(std::string_view unit);

/// Whether a value with a unit of one dimension may be given to a key of the other.
bool Fits(const Dimension& unit, const Dimension& key);

/// Allowed magnitudes, in SI, of nonzero numbers in a scene. Products of five such numbers, such as
/// masses, lengths and rates in an energy, stay finite.
inline constexpr double kMinMagnitude = 1e-60, kMaxMagnitude = 1e60;
inline constexpr const char* kMagnitudes =
    "expected 0, or magnitudes of 1e-60 to 1e60 in SI units, so that products are finite";

/// Reads `count` numbers and one optional unit: "15 6.5 2 cm". The result is the double nearest to
/// the decimal number in SI, as if the user had written it in SI. To achieve this the decimal
/// exponent is shifted in the text, because 10 * 1e-6 is not exactly 1e-5. (Factors of min, h, rpm
/// and deg are applied to the double.)
/// @throws InputError if the text is not `count` numbers with a unit of that dimension, or a number
///         exceeds the maximum magnitude
std::vector<double> ReadQuantities(std::string_view text, std::size_t count,
                                   const Dimension& dimension,
                                   double max_magnitude = kMaxMagnitude);

/// The shortest decimal text that reads back as the same double.
std::string ShortestText(double value);

}  // namespace scree
