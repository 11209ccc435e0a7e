/// \file  Random numbers of the small apps, the same with every standard library.
#pragma once

#include <cstdint>
#include <random>

namespace scree {

/// Draws numbers that are uniform in [from, to[.
class UniformDraw {
 public:
  explicit UniformDraw(std::uint64_t seed) : engine_(seed) {}
  double operator()(double from, double to) {
    return from + (to - from) * static_cast<double>(engine_() >> 11) * 0x1p-53;
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace scree
