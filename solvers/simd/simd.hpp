/// \file  Packets of eight doubles, with the same results on every instruction set.
///
/// Arithmetic on Double8 is the compiler's vector extension: one AVX-512 register, two of AVX2
/// (solvers/simd/simd_halves.hpp), or plain code. This file adds only what the extension lacks:
/// fused multiply-add, inverse roots, and the transposition between eight body lines in memory and
/// fields in registers. Arithmetic also has overloads for double, so that one kernel serves one
/// contact or eight.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#if defined(__AVX512F__)
#include <immintrin.h>
#elif defined(__AVX2__) && defined(__FMA__)
#define SCREE_SIMD_HALVES
#include "solvers/simd/simd_halves.hpp"
#endif

namespace scree {

inline constexpr int kLanes = 8;

#define SCREE_INLINE [[gnu::always_inline]] inline

/// a b + c, a b − c and c − a b, rounded once.
SCREE_INLINE double Fma(double a, double b, double c) { return std::fma(a, b, c); }
SCREE_INLINE double Fms(double a, double b, double c) { return std::fma(a, b, -c); }
SCREE_INLINE double Fnma(double a, double b, double c) { return std::fma(-a, b, c); }

SCREE_INLINE double Select(bool condition, double yes, double no) { return condition ? yes : no; }

#if !defined(SCREE_SIMD_HALVES)

using Double8 = double __attribute__((vector_size(64)));
using Int8 = std::int64_t __attribute__((vector_size(64)));

#if !defined(__AVX512F__)
namespace internal {
SCREE_INLINE Double8 FmaByLanes(const Double8& a, const Double8& b, const Double8& c) {
  Double8 result;
  for (int lane = 0; lane < kLanes; ++lane) result[lane] = std::fma(a[lane], b[lane], c[lane]);
  return result;
}
/// On processors without fused multiply-add std::fma is a call. With eight inlined calls for each
/// operation, a kernel would take minutes to compile.
[[gnu::noinline]] inline Double8 FmaNoInline(const Double8& a, const Double8& b, const Double8& c) {
  return FmaByLanes(a, b, c);
}
}  // namespace internal
#endif

SCREE_INLINE Double8 Fma(const Double8& a, const Double8& b, const Double8& c) {
#if defined(__AVX512F__)
  return reinterpret_cast<Double8>(_mm512_fmadd_pd(
      reinterpret_cast<__m512d>(a), reinterpret_cast<__m512d>(b), reinterpret_cast<__m512d>(c)));
#elif defined(FP_FAST_FMA)
  return internal::FmaByLanes(a, b, c);
#else
  return internal::FmaNoInline(a, b, c);
#endif
}

SCREE_INLINE Double8 Fms(const Double8& a, const Double8& b, const Double8& c) {
#if defined(__AVX512F__)
  return reinterpret_cast<Double8>(_mm512_fmsub_pd(
      reinterpret_cast<__m512d>(a), reinterpret_cast<__m512d>(b), reinterpret_cast<__m512d>(c)));
#else
  return Fma(a, b, -c);
#endif
}
SCREE_INLINE Double8 Fnma(const Double8& a, const Double8& b, const Double8& c) {
#if defined(__AVX512F__)
  return reinterpret_cast<Double8>(_mm512_fnmadd_pd(
      reinterpret_cast<__m512d>(a), reinterpret_cast<__m512d>(b), reinterpret_cast<__m512d>(c)));
#else
  return Fma(-a, b, c);
#endif
}

SCREE_INLINE Double8 Select(const Int8& condition, const Double8& yes, const Double8& no) {
  return condition ? yes : no;
}

/// One bit per lane of a comparison.
SCREE_INLINE unsigned Bits(const Int8& condition) {
#if defined(__AVX512DQ__)
  return _mm512_movepi64_mask(reinterpret_cast<__m512i>(condition));
#else
  unsigned bits = 0;
  for (int lane = 0; lane < kLanes; ++lane) {
    bits |= static_cast<unsigned>(condition[lane] & 1) << lane;
  }
  return bits;
#endif
}

/// Square root of each lane, rounded as by IEEE 754.
SCREE_INLINE Double8 Sqrt(const Double8& x) {
#if defined(__AVX512F__)
  return reinterpret_cast<Double8>(_mm512_sqrt_pd(reinterpret_cast<__m512d>(x)));
#else
  Double8 result;
  for (int lane = 0; lane < kLanes; ++lane) result[lane] = std::sqrt(x[lane]);
  return result;
#endif
}

namespace internal {
SCREE_INLINE Int8 BitsOf(const Double8& x) { return reinterpret_cast<Int8>(x); }
SCREE_INLINE Double8 FromBits(const Int8& x) { return reinterpret_cast<Double8>(x); }
template <int kCount>
SCREE_INLINE Int8 ShiftRight(const Int8& x) {
  using Unsigned8 = std::uint64_t __attribute__((vector_size(64)));
  return reinterpret_cast<Int8>(reinterpret_cast<Unsigned8>(x) >> kCount);
}
template <int kCount>
SCREE_INLINE Int8 ShiftLeft(const Int8& x) {
  return x << kCount;
}
SCREE_INLINE Int8 LaneBits() { return Int8{1, 2, 4, 8, 16, 32, 64, 128}; }
}  // namespace internal

#endif

namespace internal {
/// A guess at x^(-1/2) within 3.5 %: this constant minus the bits of x shifted right by one, which
/// halves the exponent (C. Lomont, "Fast inverse square root", 2003, for double precision).
inline constexpr std::int64_t kInverseSqrtBits = 0x5fe6eb50c7b537a9;

SCREE_INLINE double InverseSqrtGuess(double x) {
  const auto half = static_cast<std::int64_t>(std::bit_cast<std::uint64_t>(x) >> 1);
  return std::bit_cast<double>(kInverseSqrtBits - half);
}
SCREE_INLINE Double8 InverseSqrtGuess(const Double8& x) {
  return FromBits(kInverseSqrtBits - ShiftRight<1>(BitsOf(x)));
}
}  // namespace internal

SCREE_INLINE Double8 Abs(const Double8& x) { return Select(x < Double8{}, -x, x); }

/// x^(-1/2) for x > 0, to a few units in the last place; large and finite for x = 0. Newton's
/// iteration improves a guess. The result is the same on all processors, unlike their built-in
/// estimates, and takes less time than a square root and a division.
template <class Real>
SCREE_INLINE Real InverseSqrt(const Real& x) {
  Real y = internal::InverseSqrtGuess(x);
  const Real half = 0.5 * x;
  for (int step = 0; step < 4; ++step) {
    const Real error = Fnma(half * y, y, Real{} + 0.5);
    y = Fma(y, error, y);
  }
  return y;
}

#if !defined(SCREE_SIMD_HALVES)

namespace internal {
/// Vector types to access doubles in memory that are not declared as vectors.
using Line = double __attribute__((vector_size(64), may_alias));
using HalfLine = double __attribute__((vector_size(32), may_alias));
}  // namespace internal

/// Loads and stores eight doubles. @pre line is aligned to 64 bytes
SCREE_INLINE Double8 LoadLine(const double* line) {
  return *reinterpret_cast<const internal::Line*>(line);
}
SCREE_INLINE void StoreLine(const Double8& x, double* line) {
  *reinterpret_cast<internal::Line*>(line) = x;
}

/// Returns x with the signs of entries 4 to 7 changed.
SCREE_INLINE Double8 NegateLastFour(const Double8& x) {
  constexpr std::int64_t kSign = std::numeric_limits<std::int64_t>::min();
  return internal::FromBits(internal::BitsOf(x) ^ Int8{0, 0, 0, 0, kSign, kSign, kSign, kSign});
}

/// Transposes an 8 × 8 matrix in place: swaps the off-diagonal parts of 2 × 2, then of 4 × 4, then
/// of 8 × 8 blocks.
SCREE_INLINE void Transpose(Double8 (&row)[8]) {
  Double8 pair[8], quarter[8];
  for (int k = 0; k < 8; k += 2) {
    pair[k] = __builtin_shufflevector(row[k], row[k + 1], 0, 8, 2, 10, 4, 12, 6, 14);
    pair[k + 1] = __builtin_shufflevector(row[k], row[k + 1], 1, 9, 3, 11, 5, 13, 7, 15);
  }
  for (int k = 0; k < 8; k += 4) {
    for (int odd = 0; odd < 2; ++odd) {
      const Double8& low = pair[k + odd];
      const Double8& high = pair[k + odd + 2];
      quarter[k + odd] = __builtin_shufflevector(low, high, 0, 1, 8, 9, 4, 5, 12, 13);
      quarter[k + odd + 2] = __builtin_shufflevector(low, high, 2, 3, 10, 11, 6, 7, 14, 15);
    }
  }
  for (int k = 0; k < 4; ++k) {
    row[k] = __builtin_shufflevector(quarter[k], quarter[k + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    row[k + 4] = __builtin_shufflevector(quarter[k], quarter[k + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  }
}

using Double4 = double __attribute__((vector_size(32)));

/// Transposes eight half lines to four fields, and back.
SCREE_INLINE void TransposeHalves(const Double4 (&half)[8], Double8 (&field)[4]) {
  Double8 row[4], pair[4];  // halves k and k + 4 side by side
  for (int k = 0; k < 4; ++k) {
    row[k] = __builtin_shufflevector(half[k], half[k + 4], 0, 1, 2, 3, 4, 5, 6, 7);
  }
  for (int k = 0; k < 4; k += 2) {
    pair[k] = __builtin_shufflevector(row[k], row[k + 1], 0, 8, 2, 10, 4, 12, 6, 14);
    pair[k + 1] = __builtin_shufflevector(row[k], row[k + 1], 1, 9, 3, 11, 5, 13, 7, 15);
  }
  for (int odd = 0; odd < 2; ++odd) {
    const Double8 &low = pair[odd], &high = pair[odd + 2];
    field[odd] = __builtin_shufflevector(low, high, 0, 1, 8, 9, 4, 5, 12, 13);
    field[odd + 2] = __builtin_shufflevector(low, high, 2, 3, 10, 11, 6, 7, 14, 15);
  }
}
SCREE_INLINE void TransposeHalves(const Double8 (&field)[4], Double4 (&half)[8]) {
  Double8 pair[4], row[4];  // the inverse of the function above
  for (int k = 0; k < 4; k += 2) {
    pair[k] = __builtin_shufflevector(field[k], field[k + 1], 0, 8, 2, 10, 4, 12, 6, 14);
    pair[k + 1] = __builtin_shufflevector(field[k], field[k + 1], 1, 9, 3, 11, 5, 13, 7, 15);
  }
  for (int odd = 0; odd < 2; ++odd) {
    const Double8 &low = pair[odd], &high = pair[odd + 2];
    row[odd] = __builtin_shufflevector(low, high, 0, 1, 8, 9, 4, 5, 12, 13);
    row[odd + 2] = __builtin_shufflevector(low, high, 2, 3, 10, 11, 6, 7, 14, 15);
  }
  for (int k = 0; k < 4; ++k) {
    half[k] = __builtin_shufflevector(row[k], row[k], 0, 1, 2, 3);
    half[k + 4] = __builtin_shufflevector(row[k], row[k], 4, 5, 6, 7);
  }
}

#endif

/// Loads and stores four doubles. @pre line is aligned to 32 bytes
SCREE_INLINE Double4 LoadHalfLine(const double* line) {
  return *reinterpret_cast<const internal::HalfLine*>(line);
}
SCREE_INLINE void StoreHalfLine(const Double4& x, double* line) {
  *reinterpret_cast<internal::HalfLine*>(line) = x;
}

/// The address of an entry. Without this function GCC computes eight addresses in vector registers
/// and then extracts them one by one.
template <class Entry>
SCREE_INLINE const Entry* AddressOf(const Entry* entries, std::int32_t number) {
  const Entry* address = entries + number;
  asm("" : "+r"(address));
  return address;
}

/// A mask in which bit k is set if numbers[k] == number, for k = 0 .. 7. `numbers` may have any
/// alignment.
SCREE_INLINE unsigned EqualMask(std::int32_t number, const std::int32_t* numbers) {
  using Whole8 = std::int32_t __attribute__((vector_size(32), aligned(4), may_alias));
  const auto is_equal = *reinterpret_cast<const Whole8*>(numbers) == number - Whole8{};
#if defined(__AVX512F__) || defined(SCREE_SIMD_HALVES)
  return static_cast<unsigned>(_mm256_movemask_ps(reinterpret_cast<__m256>(is_equal)));
#else
  unsigned bits = 0;
  for (int k = 0; k < kLanes; ++k) bits |= static_cast<unsigned>(is_equal[k] & 1) << k;
  return bits;
#endif
}

/// Eight lines of eight doubles, transposed: field[k][lane] is entry k of line `lane`.
struct Fields8 {
  Double8 field[8];
};

/// Eight half lines of four doubles, transposed in the same way.
struct Fields4 {
  Double8 field[4];
};

SCREE_INLINE Fields8 LoadLines(const double* const (&line)[kLanes]) {
  Fields8 fields;
  for (int lane = 0; lane < kLanes; ++lane) fields.field[lane] = LoadLine(line[lane]);
  Transpose(fields.field);
  return fields;
}
SCREE_INLINE void StoreLines(const Fields8& fields, double* const (&line)[kLanes]) {
  Fields8 lines = fields;
  Transpose(lines.field);
  for (int lane = 0; lane < kLanes; ++lane) StoreLine(lines.field[lane], line[lane]);
}

SCREE_INLINE Fields4 LoadHalfLines(const double* const (&line)[kLanes]) {
  Double4 half[kLanes];
  for (int lane = 0; lane < kLanes; ++lane) half[lane] = LoadHalfLine(line[lane]);
  Fields4 fields;
  TransposeHalves(half, fields.field);
  return fields;
}
SCREE_INLINE void StoreHalfLines(const Fields4& fields, double* const (&line)[kLanes]) {
  Double4 half[kLanes];
  TransposeHalves(fields.field, half);
  for (int lane = 0; lane < kLanes; ++lane) StoreHalfLine(half[lane], line[lane]);
}

}  // namespace scree
