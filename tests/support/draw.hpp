/// \file  Reproducible random input for tests, the same on every rank.
#pragma once

#include <cstdint>
#include <random>

#include "engine/geometry/box.hpp"
#include "solvers/base/types.hpp"
#include "tests/support/seed.hpp"

namespace scree::test {

class Draw {
 public:
  /// @param stream  see SeedOf
  explicit Draw(std::uint64_t stream) : engine_(SeedOf(stream)) {}

  double Uniform(double lower, double upper) {
    return std::uniform_real_distribution<double>(lower, upper)(engine_);
  }
  int Integer(int lower, int upper) {
    return std::uniform_int_distribution<int>(lower, upper)(engine_);
  }
  /// A vector with components in [−size, size).
  Vec3 Vector(double size) {
    const double x = Uniform(-size, size), y = Uniform(-size, size), z = Uniform(-size, size);
    return {x, y, z};
  }
  Vec3 PointIn(const Box& box) {
    const double x = Uniform(0, 1), y = Uniform(0, 1), z = Uniform(0, 1);
    return box.lower + Vec3(x, y, z).cwiseProduct(box.Extent());
  }
  Vec3 Direction() {
    for (;;) {
      const Vec3 v = Vector(1.0);
      if (v.norm() > 0.1 && v.norm() < 1.0) return v.normalized();
    }
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace scree::test
