/// \file  Sums of doubles that depend neither on their order nor on the number of ranks.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

namespace scree {

/// A long accumulator (U. Kulisch): a fixed-point number with digits of 32 bits from 2⁻¹⁹² up to
/// 2⁶⁴. Each digit is a 64-bit integer, so that 2³¹ terms can be added without a carry.
/// Integer sums do not depend on the order of their terms. Bits of a term below 2⁻¹⁹² are cut off.
class ExactSum {
 public:
  static constexpr std::size_t kDigits = 8;

  void Add(double term) {
    if (!(std::abs(term) < kLimit)) {  // NaN too
      ++digits_[kDigits];
      return;
    }
    double unit = kTopUnit;
    for (std::size_t k = kDigits; k-- > 0 && term != 0.0; unit *= kPerDigit) {
      const auto digit = static_cast<std::int64_t>(term / unit);
      digits_[k] += digit;
      // Exact, because both operands are multiples of the term's last bit.
      term -= static_cast<double>(digit) * unit;
    }
  }

  /// The sum; NaN if a term was too large or NaN.
  double Value() const {
    if (digits_[kDigits] != 0) return std::numeric_limits<double>::quiet_NaN();
    double value = 0.0, unit = kLastUnit;
    for (std::size_t k = 0; k < kDigits; ++k, unit /= kPerDigit) {
      value += static_cast<double>(digits_[k]) * unit;
    }
    return value;
  }

  /// The numbers that an all-reduce adds up; the last one counts terms that did not fit.
  std::span<std::int64_t> Digits() { return digits_; }

 private:
  static constexpr double kPerDigit = 0x1p-32, kTopUnit = 0x1p32, kLastUnit = 0x1p-192,
                          kLimit = 0x1p63;
  std::array<std::int64_t, kDigits + 1> digits_ = {};
};

}  // namespace scree
