#include "io/scene/units.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <numbers>

#include "solvers/base/check.hpp"

namespace scree {
namespace {

/// A unit is factor * 10^exponent in SI.
struct Unit {
  std::string_view name;
  Dimension dimension;
  int exponent = 0;
  double factor = 1.0;
};

constexpr Dimension kEnergy{2, 1, -2};

constexpr std::array kUnits = {Unit{"m", kLength},
                               Unit{"cm", kLength, -2},
                               Unit{"mm", kLength, -3},
                               Unit{"um", kLength, -6},
                               Unit{"nm", kLength, -9},
                               Unit{"km", kLength, 3},
                               Unit{"s", kTime},
                               Unit{"ms", kTime, -3},
                               Unit{"us", kTime, -6},
                               Unit{"ns", kTime, -9},
                               Unit{"min", kTime, 0, 60.0},
                               Unit{"h", kTime, 0, 3600.0},
                               Unit{"kg", kMass},
                               Unit{"g", kMass, -3},
                               Unit{"mg", kMass, -6},
                               Unit{"t", kMass, 3},
                               Unit{"N", kForce},
                               Unit{"kN", kForce, 3},
                               Unit{"mN", kForce, -3},
                               Unit{"uN", kForce, -6},
                               Unit{"Pa", kPressure},
                               Unit{"kPa", kPressure, 3},
                               Unit{"MPa", kPressure, 6},
                               Unit{"GPa", kPressure, 9},
                               Unit{"bar", kPressure, 5},
                               Unit{"J", kEnergy},
                               Unit{"Hz", kFrequency},
                               Unit{"rpm", kAngularRate, 0, std::numbers::pi / 30.0},
                               Unit{"rad", kAngle},
                               Unit{"deg", kAngle, 0, std::numbers::pi / 180.0},
                               Unit{"%", kPlain, -2},
                               Unit{"1", kPlain},
                               Unit{"none", kPlain}};

bool IsBlank(char c) { return c == ' ' || c == '\t'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }

std::string_view SkipSpace(std::string_view text) {
  while (!text.empty() && IsBlank(text.front())) text.remove_prefix(1);
  return text;
}

/// Length of the decimal number at the start of the text; 0 if there is none.
std::size_t NumberLength(std::string_view text) {
  std::size_t next = 0;
  const auto skip_digits = [&] {
    const std::size_t before = next;
    while (next < text.size() && IsDigit(text[next])) ++next;
    return next - before;
  };
  if (next < text.size() && (text[next] == '+' || text[next] == '-')) ++next;
  std::size_t mantissa_digits = skip_digits();
  if (next < text.size() && text[next] == '.') {
    ++next;
    mantissa_digits += skip_digits();
  }
  if (mantissa_digits == 0) return 0;
  const std::size_t end = next;
  if (next < text.size() && (text[next] == 'e' || text[next] == 'E')) {
    ++next;
    if (next < text.size() && (text[next] == '+' || text[next] == '-')) ++next;
    if (skip_digits() == 0) return end;
  }
  return next;
}

int ReadPower(std::string_view name, std::string_view text) {
  int power = 0;
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), power);
  if (error != std::errc() || end != text.data() + text.size() || std::abs(power) > 9) {
    throw InputError(Text("the unit ", name, " has the power \"", text,
                          "\"; expected a whole number from -9 to 9"));
  }
  return power;
}

void Multiply(Unit& product, const Unit& unit, int power) {
  product.dimension.length += power * unit.dimension.length;
  product.dimension.mass += power * unit.dimension.mass;
  product.dimension.time += power * unit.dimension.time;
  product.dimension.angle += power * unit.dimension.angle;
  product.dimension.cycles += power * unit.dimension.cycles;
  product.exponent += power * unit.exponent;
  if (unit.factor != 1.0) product.factor *= std::pow(unit.factor, power);
}

Unit ReadUnit(std::string_view text) {
  Unit product{text, kPlain};
  bool is_inverse = false, needs_factor = false;
  for (std::string_view rest = SkipSpace(text); !rest.empty(); rest = SkipSpace(rest)) {
    if (rest.front() == '/' || rest.front() == '*') {
      if (needs_factor) break;
      is_inverse = rest.front() == '/';
      needs_factor = true;
      rest.remove_prefix(1);
      continue;
    }
    const std::string_view word = rest.substr(0, rest.find_first_of(" \t*/"));
    const std::size_t hat = word.find('^');
    const std::string_view name = word.substr(0, hat);
    int power = hat == word.npos ? 1 : ReadPower(name, word.substr(hat + 1));
    if (is_inverse) power = -power;
    bool is_known = false;
    for (const Unit& unit : kUnits) {
      if (unit.name != name) continue;
      Multiply(product, unit, power);
      is_known = true;
    }
    if (!is_known) {
      throw InputError(
          Text("\"", name, "\" is not a unit; known are m cm mm um nm km, s ms us ns min h, ",
               "kg g mg t, N kN mN uN, Pa kPa MPa GPa bar, J, Hz rpm, rad deg, % and their ",
               "products and powers such as g/cm^3"));
    }
    is_inverse = needs_factor = false;
    rest.remove_prefix(word.size());
  }
  if (needs_factor) throw InputError(Text("the unit \"", text, "\" lacks a factor after * or /"));
  return product;
}

/// The double nearest to number * 10^exponent.
double ReadShifted(std::string_view number, int exponent) {
  if (number.front() == '+') number.remove_prefix(1);
  const std::size_t e = number.find_first_of("eE");
  long long own_exponent = 0;
  if (e != number.npos) {
    std::string_view power = number.substr(e + 1);
    if (power.front() == '+') power.remove_prefix(1);
    const auto read = std::from_chars(power.data(), power.data() + power.size(), own_exponent);
    if (read.ec != std::errc()) throw InputError(Text("the exponent of ", number, " is too large"));
  }
  const std::string shifted =
      std::string(number.substr(0, e)) + "e" + std::to_string(own_exponent + exponent);
  double value = 0.0;
  const auto read = std::from_chars(shifted.data(), shifted.data() + shifted.size(), value);
  if (read.ec != std::errc() || !std::isfinite(value)) {
    throw InputError(Text("the number ", number, " does not fit into a double; ", kMagnitudes));
  }
  return value;
}

Dimension WithoutAngles(const Dimension& dimension) {
  return {dimension.length, dimension.mass, dimension.time};
}

/// The largest magnitude that files of a state can store or that physics allows.
double MaxMagnitudeOf(const Dimension& dimension) {
  if (dimension == kSpeed) return 3e8;
  if (dimension == kLength) return 1e9;
  if (WithoutAngles(dimension) == kPerTime) return 1e15;
  return kMaxMagnitude;
}

std::string DescribeDimension(const Dimension& dimension) {
  constexpr std::array<std::pair<Dimension, const char*>, 13> kNames = {
      {{kPlain, "a plain number"},
       {kLength, "a length"},
       {kTime, "a time"},
       {kSpeed, "a speed"},
       {kAcceleration, "an acceleration"},
       {kDensity, "a density"},
       {kMass, "a mass"},
       {kPerTime, "a rate"},
       {kAngle, "an angle"},
       {kAngularRate, "an angular velocity"},
       {kFrequency, "a frequency"},
       {kForce, "a force"},
       {kEnergyPerArea, "an energy per area"}}};
  for (const auto& [known, name] : kNames) {
    if (known == dimension) return known == kPlain ? name : Text(name, " [", SiUnit(known), "]");
  }
  return Text("a quantity in ", SiUnit(dimension));
}

}  // namespace

std::string SiUnit(const Dimension& dimension) {
  // Units are named by their use in scenes: N m for torques, N/m for stiffnesses and adhesions.
  constexpr std::array<std::pair<Dimension, const char*>, 8> kNamed = {
      {{kForce, "N"},
       {kPressure, "Pa"},
       {kEnergy, "N m"},
       {kEnergyPerArea, "N/m"},
       {kAngularRate, "rad/s"},
       {kFrequency, "Hz"},
       {kTorsionStiffness, "N m/rad"},
       {kTorsionDamping, "N m s/rad"}}};
  for (const auto& [known, name] : kNamed) {
    if (known == dimension) return name;
  }
  std::string above, below;
  const auto append = [&](const char* name, int power) {
    if (power == 0) return;
    std::string& side = power > 0 ? above : below;
    if (power > 0 && !side.empty()) side.push_back(' ');
    if (power < 0) side.push_back('/');
    side.append(name);
    if (std::abs(power) != 1) side.append("^").append(std::to_string(std::abs(power)));
  };
  append("kg", dimension.mass);
  append("m", dimension.length);
  append("rad", dimension.angle);
  append("s", dimension.time);
  if (above.empty() && !below.empty()) above.push_back('1');
  return above + below;
}

Dimension DimensionOf(std::string_view unit) { return ReadUnit(unit).dimension; }

bool Fits(const Dimension& unit, const Dimension& key) {
  return WithoutAngles(unit) == WithoutAngles(key) &&
         (unit.angle == 0 || unit.angle == key.angle) &&
         (unit.cycles == 0 || unit.cycles == key.cycles);
}

std::vector<double> ReadQuantities(std::string_view text, std::size_t count,
                                   const Dimension& dimension, double max_magnitude) {
  const std::string wanted = count == 1 ? "a number" : Text(count, " numbers");
  std::vector<std::string_view> numbers;
  std::string_view rest = SkipSpace(text);
  while (numbers.size() < count) {
    const std::size_t length = NumberLength(rest);
    const bool ends_here = length == rest.size() || IsBlank(rest[length]);
    if (length == 0 || (numbers.size() + 1 < count && !ends_here)) {
      throw InputError(Text("expected ", wanted, ", ", DescribeDimension(dimension)));
    }
    numbers.push_back(rest.substr(0, length));
    rest = SkipSpace(rest.substr(length));
  }
  // "1 /s" starts like another number but is a unit.
  const std::size_t extra_length = NumberLength(rest);
  if (extra_length > 0 && (extra_length == rest.size() || rest.front() != '1' || rest[1] != '/')) {
    throw InputError(Text("has more than ", wanted));
  }
  const Unit unit = ReadUnit(rest);
  if (!rest.empty() && !Fits(unit.dimension, dimension)) {
    const bool is_cycles = unit.dimension == kFrequency && dimension == kAngularRate;
    throw InputError(Text("is ", DescribeDimension(unit.dimension), ", expected ",
                          DescribeDimension(dimension),
                          is_cycles ? "; Hz counts turns or oscillations, give rpm or rad/s" : ""));
  }
  std::vector<double> values;
  for (const std::string_view number : numbers) {
    const double value = ReadShifted(number, unit.exponent) * unit.factor;
    if (!(std::abs(value) <= max_magnitude)) {
      throw InputError(Text("the number ", number, " is too large; ", kMagnitudes));
    }
    const double max_value = MaxMagnitudeOf(dimension);
    if (max_magnitude <= kMaxMagnitude && std::abs(value) > max_value) {  // a quantity of a scene
      throw InputError(Text("the number ", number, " is too large; expected magnitudes of at most ",
                            max_value, " ", SiUnit(dimension)));
    }
    values.push_back(value);
  }
  return values;
}

std::string ShortestText(double value) {
  std::array<char, 32> buffer;
  const auto written = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return {buffer.data(), written.ptr};
}

}  // namespace scree
