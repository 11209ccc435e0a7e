#include "solvers/batches/sphere_pairs.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "solvers/batches/batch_bodies.hpp"
#include "solvers/batches/contact_batches.hpp"
#include "tests/support/cluster.hpp"

namespace scree::sphere_pairs_test {
namespace {

/// Five contacts: three between two spheres, two between a sphere and the same wall. Three lanes
/// are empty.
struct Problem {
  std::vector<SphereBody> bodies;
  ContactBatches batches;

  Problem() {
    test::Draw draw(7);
    constexpr Index kSpheres = 8, kWall = kSpheres;
    for (Index i = 0; i < kSpheres; ++i) bodies.push_back(test::RandomSphere(draw));
    bodies.push_back({draw.Vector(1.0), 0.0, Vec3::Zero(), 0.0});
    batches.Begin(kWall, bodies.size());
    const Index pairs[][2] = {{0, 1}, {5, kWall}, {4, 2}, {7, 6}, {3, kWall}};
    for (const auto& [a, b] : pairs) {
      Contact contact;
      contact.normal = draw.Direction();
      contact.a = a;
      contact.b = b;
      contact.effective_mass = draw.Uniform(0.1, 0.4);
      batches.Add(contact, draw.Vector(0.3));
    }
    batches.End();
    bodies.emplace_back();  // the padding body
  }
};

bool HaveSameBits(const Double8& x, const Double8& y) { return std::memcmp(&x, &y, sizeof x) == 0; }

TEST(SpherePairs, RelativeVelocitiesEqualThoseOfBatchBodies) {
  Problem problem;
  ASSERT_EQ(problem.batches.All().size(), 1u);
  const ContactBatch& batch = problem.batches.All()[0];
  const Vector3<Double8> n = NormalOf(batch);
  const Vector3<Double8> expected =
      BatchBodies<SphereBody>(batch, nullptr, problem.bodies.data()).RelativeVelocity(n);
  const Vector3<Double8> velocity =
      SpherePairs(batch, nullptr, problem.bodies.data()).RelativeVelocity(n);
  EXPECT_GT(std::abs(velocity.x[0]), 0.01);
  EXPECT_TRUE(HaveSameBits(velocity.x, expected.x));
  EXPECT_TRUE(HaveSameBits(velocity.y, expected.y));
  EXPECT_TRUE(HaveSameBits(velocity.z, expected.z));
}

TEST(SpherePairs, ImpulsesChangeBodiesLikeBatchBodies) {
  Problem problem, reference;
  const ContactBatch& batch = problem.batches.All()[0];
  const Vector3<Double8> n = NormalOf(batch), impulse = ImpulseOf(batch);
  BatchBodies<SphereBody> batch_bodies(batch, nullptr, reference.bodies.data());
  batch_bodies.Apply(n, impulse);
  batch_bodies.Store();
  const std::vector<SphereBody> start = problem.bodies;
  SpherePairs(batch, nullptr, problem.bodies.data()).Apply(n, impulse);
  for (std::size_t i = 0; i < problem.bodies.size(); ++i) {
    const SphereBody &actual = problem.bodies[i], &expected = reference.bodies[i];
    EXPECT_EQ(actual.v, expected.v) << i;
    EXPECT_EQ(actual.u, expected.u) << i;
    EXPECT_EQ(actual.inverse_mass, start[i].inverse_mass) << i;
    EXPECT_EQ(actual.radius, start[i].radius) << i;
    const bool is_moving = start[i].inverse_mass > 0.0;
    EXPECT_EQ(actual.v != start[i].v, is_moving) << i;
  }
}

}  // namespace
}  // namespace scree::sphere_pairs_test
