/// \file  Double8 of solvers/simd/simd.hpp for registers of four doubles (AVX2): two halves. With
///        vectors of eight doubles, GCC would split comparisons and selections into single numbers.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

namespace scree {

#define SCREE_INLINE [[gnu::always_inline]] inline

struct alignas(64) Int8 {
  using Half = std::int64_t __attribute__((vector_size(32)));
  Half low, high;

  Int8() = default;
  SCREE_INLINE Int8(const Half& l, const Half& h) : low(l), high(h) {}
  SCREE_INLINE Int8(std::int64_t x) : low(x - Half{}), high(x - Half{}) {}

  SCREE_INLINE friend Int8 operator&(const Int8& a, const Int8& b) {
    return {a.low & b.low, a.high & b.high};
  }
  SCREE_INLINE friend Int8 operator|(const Int8& a, const Int8& b) {
    return {a.low | b.low, a.high | b.high};
  }
  SCREE_INLINE friend Int8 operator^(const Int8& a, const Int8& b) {
    return {a.low ^ b.low, a.high ^ b.high};
  }
  SCREE_INLINE friend Int8 operator~(const Int8& a) { return {~a.low, ~a.high}; }
  SCREE_INLINE friend Int8 operator+(const Int8& a, const Int8& b) {
    return {a.low + b.low, a.high + b.high};
  }
  SCREE_INLINE friend Int8 operator-(const Int8& a, const Int8& b) {
    return {a.low - b.low, a.high - b.high};
  }
};

SCREE_INLINE Int8 operator==(const Int8& a, const Int8& b) {
  return {a.low == b.low, a.high == b.high};
}

struct alignas(64) Double8 {
  using Half = double __attribute__((vector_size(32)));
  Half low, high;

  Double8() = default;
  SCREE_INLINE Double8(const Half& l, const Half& h) : low(l), high(h) {}
  SCREE_INLINE Double8(double x) : low(x - Half{}), high(x - Half{}) {}

  template <class Lane>
  SCREE_INLINE double operator[](Lane lane) const {
    return reinterpret_cast<const double*>(this)[lane];
  }
  template <class Lane>
  SCREE_INLINE double& operator[](Lane lane) {
    return reinterpret_cast<double*>(this)[lane];
  }

  SCREE_INLINE Double8 operator-() const { return {-low, -high}; }
  SCREE_INLINE Double8& operator+=(const Double8& b) { return *this = *this + b; }
  SCREE_INLINE Double8& operator-=(const Double8& b) { return *this = *this - b; }
  SCREE_INLINE Double8& operator*=(const Double8& b) { return *this = *this * b; }

  SCREE_INLINE friend Double8 operator+(const Double8& a, const Double8& b) {
    return {a.low + b.low, a.high + b.high};
  }
  SCREE_INLINE friend Double8 operator-(const Double8& a, const Double8& b) {
    return {a.low - b.low, a.high - b.high};
  }
  SCREE_INLINE friend Double8 operator*(const Double8& a, const Double8& b) {
    return {a.low * b.low, a.high * b.high};
  }
  SCREE_INLINE friend Double8 operator/(const Double8& a, const Double8& b) {
    return {a.low / b.low, a.high / b.high};
  }
  SCREE_INLINE friend Int8 operator<(const Double8& a, const Double8& b) {
    return {a.low < b.low, a.high < b.high};
  }
  SCREE_INLINE friend Int8 operator<=(const Double8& a, const Double8& b) {
    return {a.low <= b.low, a.high <= b.high};
  }
  SCREE_INLINE friend Int8 operator>(const Double8& a, const Double8& b) {
    return {a.low > b.low, a.high > b.high};
  }
  SCREE_INLINE friend Int8 operator>=(const Double8& a, const Double8& b) {
    return {a.low >= b.low, a.high >= b.high};
  }
  SCREE_INLINE friend Int8 operator==(const Double8& a, const Double8& b) {
    return {a.low == b.low, a.high == b.high};
  }
  SCREE_INLINE friend Int8 operator!=(const Double8& a, const Double8& b) {
    return {a.low != b.low, a.high != b.high};
  }
};

SCREE_INLINE Double8 Fma(const Double8& a, const Double8& b, const Double8& c) {
  return {_mm256_fmadd_pd(a.low, b.low, c.low), _mm256_fmadd_pd(a.high, b.high, c.high)};
}
SCREE_INLINE Double8 Fms(const Double8& a, const Double8& b, const Double8& c) {
  return {_mm256_fmsub_pd(a.low, b.low, c.low), _mm256_fmsub_pd(a.high, b.high, c.high)};
}
SCREE_INLINE Double8 Fnma(const Double8& a, const Double8& b, const Double8& c) {
  return {_mm256_fnmadd_pd(a.low, b.low, c.low), _mm256_fnmadd_pd(a.high, b.high, c.high)};
}

SCREE_INLINE Double8 Select(const Int8& condition, const Double8& yes, const Double8& no) {
  return {condition.low ? yes.low : no.low, condition.high ? yes.high : no.high};
}

SCREE_INLINE unsigned Bits(const Int8& condition) {
  const int low = _mm256_movemask_pd(reinterpret_cast<__m256d>(condition.low));
  const int high = _mm256_movemask_pd(reinterpret_cast<__m256d>(condition.high));
  return static_cast<unsigned>(low | high << 4);
}

SCREE_INLINE Double8 Sqrt(const Double8& x) {
  return {_mm256_sqrt_pd(x.low), _mm256_sqrt_pd(x.high)};
}

namespace internal {

SCREE_INLINE Int8 BitsOf(const Double8& x) {
  return {reinterpret_cast<Int8::Half>(x.low), reinterpret_cast<Int8::Half>(x.high)};
}
SCREE_INLINE Double8 FromBits(const Int8& x) {
  return {reinterpret_cast<Double8::Half>(x.low), reinterpret_cast<Double8::Half>(x.high)};
}
template <int kCount>
SCREE_INLINE Int8 ShiftRight(const Int8& x) {
  return {
      reinterpret_cast<Int8::Half>(_mm256_srli_epi64(reinterpret_cast<__m256i>(x.low), kCount)),
      reinterpret_cast<Int8::Half>(_mm256_srli_epi64(reinterpret_cast<__m256i>(x.high), kCount))};
}
template <int kCount>
SCREE_INLINE Int8 ShiftLeft(const Int8& x) {
  return {x.low << kCount, x.high << kCount};
}

SCREE_INLINE Int8 LaneBits() { return {Int8::Half{1, 2, 4, 8}, Int8::Half{16, 32, 64, 128}}; }

/// A vector type to access doubles in memory that are not declared as vectors.
using HalfLine = double __attribute__((vector_size(32), may_alias));

/// Transposes a 4 × 4 matrix in place: swaps the off-diagonal parts of 2 × 2, then of 4 × 4 blocks.
SCREE_INLINE void Transpose(Double8::Half (&row)[4]) {
  const Double8::Half a = __builtin_shufflevector(row[0], row[1], 0, 4, 2, 6);
  const Double8::Half b = __builtin_shufflevector(row[0], row[1], 1, 5, 3, 7);
  const Double8::Half c = __builtin_shufflevector(row[2], row[3], 0, 4, 2, 6);
  const Double8::Half d = __builtin_shufflevector(row[2], row[3], 1, 5, 3, 7);
  row[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5);
  row[1] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
  row[2] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
  row[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
}

}  // namespace internal

SCREE_INLINE Double8 LoadLine(const double* line) {
  return {*reinterpret_cast<const internal::HalfLine*>(line),
          *reinterpret_cast<const internal::HalfLine*>(line + 4)};
}
SCREE_INLINE void StoreLine(const Double8& x, double* line) {
  *reinterpret_cast<internal::HalfLine*>(line) = x.low;
  *reinterpret_cast<internal::HalfLine*>(line + 4) = x.high;
}

SCREE_INLINE Double8 NegateLastFour(const Double8& x) { return {x.low, -x.high}; }

SCREE_INLINE void Transpose(Double8 (&row)[8]) {
  Double8::Half block[4][4];  // first and last four entries of rows 0 to 3, then of rows 4 to 7
  for (std::size_t k = 0; k < 4; ++k) {
    block[0][k] = row[k].low, block[1][k] = row[k].high;
    block[2][k] = row[k + 4].low, block[3][k] = row[k + 4].high;
  }
  for (auto& rows : block) internal::Transpose(rows);
  for (std::size_t k = 0; k < 4; ++k) {
    row[k] = {block[0][k], block[2][k]};
    row[k + 4] = {block[1][k], block[3][k]};
  }
}

using Double4 = Double8::Half;

SCREE_INLINE void TransposeHalves(const Double4 (&half)[8], Double8 (&field)[4]) {
  Double8::Half low[4], high[4];
  for (std::size_t k = 0; k < 4; ++k) low[k] = half[k], high[k] = half[k + 4];
  internal::Transpose(low);
  internal::Transpose(high);
  for (std::size_t k = 0; k < 4; ++k) field[k] = {low[k], high[k]};
}
SCREE_INLINE void TransposeHalves(const Double8 (&field)[4], Double4 (&half)[8]) {
  Double8::Half low[4], high[4];
  for (std::size_t k = 0; k < 4; ++k) low[k] = field[k].low, high[k] = field[k].high;
  internal::Transpose(low);
  internal::Transpose(high);
  for (std::size_t k = 0; k < 4; ++k) half[k] = low[k], half[k + 4] = high[k];
}

}  // namespace scree
