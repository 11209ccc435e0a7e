// The list of fields, and resizing of arrays.
#include "engine/particles/particles.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <string>

namespace scree::particles_test {
namespace {

// Checkpoints of earlier versions contain these codes. Fields may be added; codes must not change.
TEST(Particles, CodesOfFieldsNeverChange) {
  std::map<std::string, int> codes;
  const Particles empty;
  ForEachField(empty, [&](const Field& field, const auto&) { codes[field.name] = field.code; });
  const std::map<std::string, int> published_codes = {
      {"position", 1}, {"velocity", 2}, {"angular_velocity", 3}, {"orientation", 4},
      {"radius", 5},   {"id", 6},       {"material", 7}};
  for (const auto& [name, code] : published_codes) EXPECT_EQ(codes[name], code) << name;
  for (const auto& [name, code] : codes) {
    EXPECT_TRUE(published_codes.contains(name) || code > 7)
        << name << " reuses the code of another field";
  }
}

TEST(Particles, NewEntriesHaveDefaultsInReusedMemory) {
  Particles particles;
  Resize(particles, 8);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t i = 0; i < 8; ++i) {
    particles.velocity[i] = particles.angular_velocity[i] = Vec3::Constant(nan);
    particles.orientation[i] = {nan, nan, nan, nan};
    particles.radius[i] = nan;
  }
  Resize(particles, 0);
  Resize(particles, 8);
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(particles.velocity[i], Vec3::Zero());
    EXPECT_EQ(particles.angular_velocity[i], Vec3::Zero());
    EXPECT_EQ(particles.orientation[i], Quaternion{});
    EXPECT_EQ(particles.radius[i], 0.0);
  }
}

TEST(Particles, BytesPerParticleSumOverAllArrays) {
  Particles particles;
  Resize(particles, 1);
  std::size_t bytes = 0;
  ForEachField(particles, [&](const Field&, const auto& array) { bytes += sizeof(array[0]); });
  EXPECT_EQ(kBytesPerParticle, bytes);
}

}  // namespace
}  // namespace scree::particles_test
