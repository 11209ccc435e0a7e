// The local drift field: no pair approaches faster than its bound, and ranks agree.
#include "engine/lists/drift_field.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "tests/support/draw.hpp"
#include "tests/support/scenes.hpp"

namespace scree::drift_field_test {
namespace {

using Flow = std::function<Vec3(const Vec3&)>;

constexpr double kWidth = 0.1;
const Domain kDomain = {{{0, -1, 0}, {1, 0, 2}}, {true, true, false}};

/// 4000 particles, distributed to the ranks in turn.
Particles MakeParticles(const Communicator& communicator, const Flow& flow) {
  test::Draw draw(3);
  Particles particles;
  for (ParticleId id = 0; id < 4000; ++id) {
    const Vec3 position = draw.PointIn(kDomain.box), velocity = flow(position);
    if (id % communicator.Size() != communicator.Rank()) continue;
    test::AddSphere(particles, id, position, 0.01, velocity);
  }
  return particles;
}

DriftField FieldOf(const Communicator& communicator, const Flow& flow) {
  return LocalDrift(communicator, kDomain, MakeParticles(communicator, flow), Vec3::Zero(), kWidth);
}

Vec3 Shear(const Vec3& x) { return {3.0 * x.z(), 0.0, 0.0}; }

TEST(DriftField, FieldFollowsAShearInsideTheDomain) {
  const DriftField field = FieldOf(Communicator::World(), Shear);
  EXPECT_EQ(field.blocks, (std::array<int, 3>{10, 10, 20}));
  for (const double z : {0.3, 0.77, 1.0, 1.66}) {
    EXPECT_NEAR(field.At(kDomain, Vec3(0.4, -0.2, z)).x(), 3.0 * z, 0.15) << z;
  }
  EXPECT_GT(field.closing_rate, 0.5 * 3.0 * 0.9);
  EXPECT_LT(field.closing_rate, 0.5 * 3.0 * 3.0);  // noise: two particles per block
}

TEST(DriftField, FieldIsPeriodicWithTheDomainAndConstantBeyondOpenEnds) {
  test::Draw draw(5);
  const DriftField field =
      FieldOf(Communicator::World(), [&](const Vec3&) { return draw.Vector(1.0); });
  for (int trial = 0; trial < 100; ++trial) {
    const Vec3 x = 2.0 * draw.Vector(1.0);
    EXPECT_LT((field.At(kDomain, x) - field.At(kDomain, x + Vec3(1, -2, 0))).norm(), 1e-13);
    const Vec3 upper(x.x(), x.y(), 3.0);
    EXPECT_EQ(field.At(kDomain, upper), field.At(kDomain, upper + Vec3(0, 0, 5)));
  }
}

/// Tries pairs of all directions and distances, including pairs across the ends of the domain.
/// @returns the largest approach of a pair, as a fraction of the field's bound
double MaxClosingFraction(const DriftField& field) {
  constexpr double kClosedFraction =
      0.3;  // largest fraction by which the field may shorten a distance
  const double time = kClosedFraction / field.closing_rate;
  test::Draw draw(7);
  double max_fraction = 0.0;
  for (int trial = 0; trial < 200000; ++trial) {
    const Vec3 a = Vec3(0.5, -0.5, 1.0) + draw.Vector(1.0);
    const Vec3 separation = 0.3 * draw.Vector(1.0);
    const Vec3 end_separation =
        separation + time * (field.At(kDomain, a + separation) - field.At(kDomain, a));
    max_fraction =
        std::max(max_fraction, (1.0 - end_separation.norm() / separation.norm()) / kClosedFraction);
  }
  return max_fraction;
}

TEST(DriftField, NoTwoPointsApproachFasterThanTheBound) {
  const Communicator world = Communicator::World();
  const double shear_fraction = MaxClosingFraction(FieldOf(world, Shear));
  EXPECT_LE(shear_fraction, 1.0);
  EXPECT_GT(shear_fraction, 0.5);
  test::Draw draw(11);
  const double noise_fraction =
      MaxClosingFraction(FieldOf(world, [&](const Vec3&) { return draw.Vector(1.0); }));
  EXPECT_LE(noise_fraction, 1.0);
  EXPECT_GT(noise_fraction, 0.2);
}

TEST(DriftField, StretchingDoesNotCountAsClosing) {
  const DriftField field =
      FieldOf(Communicator::World(), [](const Vec3& x) { return Vec3(0, 0, 4.0 * x.z()); });
  const DriftField compressed =
      FieldOf(Communicator::World(), [](const Vec3& x) { return Vec3(0, 0, -4.0 * x.z()); });
  EXPECT_LT(field.closing_rate, 0.5 * compressed.closing_rate);
  EXPECT_GT(compressed.closing_rate, 0.9 * 4.0);
}

TEST(DriftField, EmptyBlocksTakeTheDriftOfTheirNeighbours) {
  const Communicator world = Communicator::World();
  Particles particles;
  if (world.IsRoot()) {
    test::AddSphere(particles, 0, Vec3(0.5, -0.5, 0.05), 0.01, Vec3(0, 0, 2));
    test::AddSphere(particles, 1, Vec3(0.5, -0.5, 1.95), 0.01, Vec3(0, 0, -2));
  }
  const DriftField field = LocalDrift(world, kDomain, particles, Vec3::Zero(), kWidth);
  EXPECT_EQ(field.At(kDomain, Vec3(0.9, -0.1, 0.6)), Vec3(0, 0, 2));
  EXPECT_EQ(field.At(kDomain, Vec3(0.1, -0.9, 1.4)), Vec3(0, 0, -2));
  const Vec3 mean(1, 2, 3);
  EXPECT_EQ(LocalDrift(world, kDomain, {}, mean, kWidth).At(kDomain, Vec3(0.5, 0.5, 0.5)), mean);
}

TEST(DriftField, TooManyBlocksAreReplacedByWiderOnes) {
  const Communicator world = Communicator::World();
  const DriftField field =
      LocalDrift(world, kDomain, MakeParticles(world, Shear), Vec3::Zero(), 1e-9);
  EXPECT_GT(static_cast<double>(field.Blocks()), 0.7 * kMaxBlocks);
  EXPECT_LE(static_cast<double>(field.Blocks()), kMaxBlocks);
  const Domain flat = {{{0, 0, 0}, {1, 1, 1e-3}}, {}};
  const DriftField flat_field = LocalDrift(world, flat, {}, Vec3::Zero(), 1e-9, 100.0);
  EXPECT_GT(flat_field.Blocks(), 60u);
  EXPECT_LE(flat_field.Blocks(), 100u);
}

TEST(DriftField, FieldHasTheSameBitsOnAnyNumberOfRanks) {
  const auto flow = [](const Vec3& x) { return Vec3(x.z() / 3.0, x.x() * x.x(), -x.y()); };
  const DriftField parallel = FieldOf(Communicator::World(), flow);
  const DriftField serial = FieldOf(Communicator::Self(), flow);
  EXPECT_EQ(parallel.closing_rate, serial.closing_rate);
  EXPECT_EQ(parallel.nodes, serial.nodes);
}

}  // namespace
}  // namespace scree::drift_field_test
