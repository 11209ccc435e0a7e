#include "apps/printed_value.hpp"

#include <cmath>

#include "io/command_line/app_options.hpp"

namespace scree {
namespace {

constexpr double kPrintedZero = 1e-6;
// Decimal fractions that are halfway between two printed ones are not halfway in binary.
constexpr double kHalf = 0.5 * (1.0 + 1e-9);

/// One unit of the last printed digit.
double LastDigit(const std::string& text) {
  const std::size_t exponent_at = text.find('e'), point_at = text.find('.');
  const std::size_t mantissa_end = exponent_at == std::string::npos ? text.size() : exponent_at;
  const double exponent =
      exponent_at == std::string::npos ? 0.0 : ReadNumber("exponent", text.substr(exponent_at + 1));
  const double decimals =
      point_at == std::string::npos ? 0.0 : static_cast<double>(mantissa_end - point_at - 1);
  return std::pow(10.0, exponent - decimals);
}

}  // namespace

const char* Agreement(double value, const PrintedValue& printed) {
  const std::string& text = printed.text;
  if (text.empty()) return "";
  const double compared = printed.without_sign ? std::abs(value) : value;
  if (text.front() == '<') {
    return std::abs(value) < ReadNumber("printed bound", text.substr(1)) ? "below" : "no";
  }
  if (text == "0") return std::abs(value) < kPrintedZero ? "rounded" : "no";
  const double number = ReadNumber("printed value", text), digit = LastDigit(text);
  if (std::abs(compared - number) <= kHalf * digit) return "rounded";
  const double beyond = std::copysign(1.0, number) * (compared - number);
  return beyond >= 0.0 && beyond < digit ? "truncated" : "no";
}

}  // namespace scree
