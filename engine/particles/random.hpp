/// \file  Random numbers that are functions of the seed, the particle and the draw only. They do
///        not depend on the number of ranks or on any order.
#pragma once

#include <cstdint>

#include "solvers/base/types.hpp"

namespace scree {

namespace internal {
/// The finaliser of SplitMix64 (G. Steele, D. Lea, C. Flood, OOPSLA 2014): a bijection that spreads
/// neighbouring counters over all 64 bits.
inline std::uint64_t MixBits(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}
}  // namespace internal

/// Uniform in [-1, 1): the particle's random number `draw`.
inline double UniformAroundZero(std::uint64_t seed, ParticleId id, std::uint64_t draw) {
  constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15ULL;
  std::uint64_t bits = internal::MixBits(seed + kGolden);
  bits = internal::MixBits(bits ^ (static_cast<std::uint64_t>(id) * kGolden + kGolden));
  bits = internal::MixBits(bits ^ (draw * kGolden + kGolden));
  constexpr double kUnit = 1.0 / 4503599627370496.0;  // 2^-52
  return static_cast<double>(bits >> 11) * kUnit - 1.0;
}

/// Values of `draw`, different for all random numbers of a particle.
inline std::uint64_t JitterDraw(int axis) { return static_cast<std::uint64_t>(axis); }
inline constexpr std::uint64_t kSizeDraw = 3;
inline constexpr std::uint64_t kShapeDraw = ~std::uint64_t{0};
inline std::uint64_t OrientationDraw(int number) {
  return kShapeDraw - 1 - static_cast<std::uint64_t>(number);
}
inline constexpr std::uint64_t kMixtureDraw =
    kShapeDraw - 4;  // after three draws for the orientation
inline std::uint64_t PositionDraw(std::uint64_t trial, int axis) {
  return 4 + 3 * trial + static_cast<std::uint64_t>(axis);
}

}  // namespace scree
