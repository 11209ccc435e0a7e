/// \file  Sums of doubles that do not depend on their order, nor on how many ranks share the work.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

namespace scree {

/// A fixed-point number that is long enough: digits of 32 bits from 2⁻¹⁹² up to 2⁶⁴, each in a
/// whole number of 64 bits, so that 2³¹ terms add up without a carry, as whole numbers do, in any
/// order. What a term has below 2⁻¹⁹² is cut off. (The idea is U. Kulisch's long accumulator.)
class ExactSum {
 public:
  static constexpr std::size_t kDigits = 8;

  void Add(double term) {
    if (!(std::abs(term) < kLimit)) {  // NaN too
      ++digits_[kDigits];
      return;
    }
    double unit = kTopUnit;
    for (std::size_t k = kDigits; k-- > 0; unit *= kPerDigit) {
      const auto digit = static_cast<std::int64_t>(term / unit);
      digits_[k] += digit;
      term -=
          static_cast<double>(digit) * unit;  // exact: both are multiples of the term's last bit
    }
  }

  /// NaN if a term was none that fits.
  double Value() const {
    if (digits_[kDigits] != 0) return std::numeric_limits<double>::quiet_NaN();
    double value = 0.0, unit = kLastUnit;
    for (std::size_t k = 0; k < kDigits; ++k, unit /= kPerDigit) {
      value += static_cast<double>(digits_[k]) * unit;
    }
    return value;
  }

  /// What ranks add up; the last one counts terms that do not fit.
  std::span<std::int64_t> Digits() { return digits_; }

 private:
  static constexpr double kPerDigit = 0x1p-32, kTopUnit = 0x1p32, kLastUnit = 0x1p-192,
                          kLimit = 0x1p63;
  std::array<std::int64_t, kDigits + 1> digits_ = {};
};

}  // namespace scree
