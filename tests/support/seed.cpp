#include "tests/support/seed.hpp"

#include <cstdlib>
#include <stdexcept>
#include <string>

namespace scree::test {
namespace {

const char* FromEnvironment() {
  const char* text = std::getenv("SCREE_TEST_SEED");
  return text == nullptr || *text == '\0' ? nullptr : text;
}

/// The finaliser of SplitMix64 (G. L. Steele, D. Lea, C. H. Flood, "Fast splittable pseudorandom
/// number generators", OOPSLA 2014): a bijection that maps adjacent numbers to unrelated values.
std::uint64_t Mix(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

}  // namespace

std::uint64_t SeedOf(std::uint64_t stream) {
  const char* text = FromEnvironment();
  if (text == nullptr) return stream;
  char* end = nullptr;
  const std::uint64_t seed = std::strtoull(text, &end, 10);
  if (*end != '\0') {
    throw std::invalid_argument("SCREE_TEST_SEED is a whole number, not " + std::string(text));
  }
  return Mix(Mix(seed + 0x9e3779b97f4a7c15) + stream);
}

const char* SeedToRepeat() {
  const char* text = FromEnvironment();
  return text == nullptr ? "unset" : text;
}

}  // namespace scree::test
