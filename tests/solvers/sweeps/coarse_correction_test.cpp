// The coarse correction, compared with a slow reference, and its effect on a tall stack.
#include "solvers/sweeps/coarse_correction.hpp"

#include <gtest/gtest.h>

#include <map>

#include "solvers/sweeps/block_gauss_seidel.hpp"
#include "tests/support/cluster.hpp"
#include "tests/support/no_sync.hpp"

namespace scree::coarse_correction_test {
namespace {

using test::Cluster;

/// A block of touching spheres of radius 0.5, `layers` high, on a floor at z = 0.5.
Cluster MakeBlock(int layers, int side) {
  test::Draw draw(4);
  Cluster block;
  const int count = layers * side * side;
  for (int i = 0; i < count; ++i) {
    block.positions.push_back(Vec3(i % side, i / side % side, 1 + i / (side * side)));
    block.solution.bodies.push_back(
        {draw.Vector(0.1), draw.Uniform(0.5, 2.0), draw.Vector(0.1), test::kClusterRadius});
  }
  block.solution.bodies.push_back({Vec3(0.3, 0.0, 0.02), 0.0, Vec3::Zero(), 0.0});  // moving floor
  block.problem.first_fixed = static_cast<Index>(count);
  for (int a = 0; a < side * side; ++a) block.AddContact(a, count, Vec3::UnitZ(), 0.0, 0.4);
  block.AddTouching(draw, 0.01);
  return block;
}

/// Sets impulses: some contacts stick, some slip, some have no impulse.
void SetImpulses(Cluster& block) {
  test::Draw draw(7);
  for (std::size_t j = 0; j < block.solution.impulses.size(); ++j) {
    const Vec3& n = block.problem.contacts[j].normal;
    const Vec3 t = n.unitOrthogonal();
    const double ratio = j % 3 == 0 ? 0.4 : draw.Uniform(0.0, 0.39);
    const double load = j % 7 == 0 ? 0.0 : draw.Uniform(0.5, 1.0);
    block.solution.impulses[j] = load * (n + ratio * t);
    if (!block.problem.rolling.empty()) {
      block.solution.rolling[j] = 0.01 * load * t;
    }
  }
}

class NoCoarseSync final : public CoarseSync {
 public:
  void AddGhosts(std::span<BasisImpulses>) override {}
  void Max(std::span<double>) override {}
  void Sum(std::span<std::int64_t>) override {}
};

/// A cluster in batches, with one level per four diameters.
struct CorrectedProblem {
  ContactBatches batches;
  std::vector<SphereBody> bodies;
  std::vector<double> heights;  // of the bodies, in levels
  CoarseLevels levels{Vec3(0.0, 0.0, 0.25)};

  explicit CorrectedProblem(const Cluster& block) : bodies(block.solution.bodies) {
    FillBatches(block, batches);
    for (const Vec3& position : block.positions) heights.push_back(levels.up.dot(position));
  }

  bool Correct(const JacobiScratch* sides = nullptr) {
    CoarseCorrection correction;
    NoCoarseSync no_sync;
    const CoarseInput input = {.owned = heights.size(),
                               .fixed = heights.size(),
                               .owned_contacts = batches.Size(),
                               .sides = sides};
    std::vector<double> extended_heights = heights;
    return correction.Correct(levels, input, no_sync, extended_heights, batches, bodies);
  }
};

double BasisFunction(std::int64_t k, double level) {
  return std::max(0.0, 1.0 - std::abs(level - static_cast<double>(k)));
}

/// The factor by which the correction must multiply the impulse of each contact.
std::vector<double> ReferenceFactors(const Cluster& block, const CorrectedProblem& corrected) {
  const auto& contacts = block.problem.contacts;
  const auto& bodies = block.solution.bodies;
  const std::size_t count = 1 + static_cast<std::size_t>(std::ceil(corrected.heights.back()));
  std::vector<double> level(contacts.size());
  std::vector<double> rhs(count, 0.0);
  std::vector<std::vector<SphereBody>> response(count, std::vector<SphereBody>(bodies.size()));
  for (std::size_t j = 0; j < contacts.size(); ++j) {
    const auto a = static_cast<std::size_t>(contacts[j].a);
    const auto b = static_cast<std::size_t>(contacts[j].b);
    const Vec3& n = contacts[j].normal;
    const Vec3& impulse = block.solution.impulses[j];
    const bool has_rolling = !block.problem.rolling.empty();
    const Vec3 rolling = has_rolling ? block.solution.rolling[j] : Vec3::Zero();
    const RollingContact data = has_rolling ? block.problem.rolling[j] : RollingContact{};
    level[j] = corrected.heights[a] - test::kClusterRadius * corrected.levels.up.dot(n);
    const Vec3 delta_v = RelativeVelocity(bodies[a], bodies[b], n);
    const double normal = impulse.dot(n);
    const Vec3 tangent = impulse - normal * n;
    double work = normal * (delta_v.dot(n) + contacts[j].bias);
    if (tangent.norm() < 0.399 * normal) work += tangent.dot(delta_v);
    for (std::size_t k = 0; k < count; ++k) {
      const double coefficient = BasisFunction(static_cast<std::int64_t>(k), level[j]);
      rhs[k] -= coefficient * work;
      response[k][a].v += coefficient * impulse;
      response[k][b].v -= coefficient * impulse;
      response[k][a].u += coefficient * 2.5 * (impulse.cross(n) + data.fraction_a * rolling);
      response[k][b].u += coefficient * 2.5 * (impulse.cross(n) - data.fraction_b * rolling);
    }
  }
  std::vector<BandedRow> rows(count);
  for (std::size_t k = 0; k < count; ++k) {
    for (std::size_t d = 0; d < 3 && k + d < count; ++d) {
      rows[k][d] = 0.0;
      for (std::size_t i = 0; i < bodies.size(); ++i) {
        const SphereBody &response_k = response[k][i], &response_l = response[k + d][i];
        rows[k][d] += bodies[i].inverse_mass *
                      (response_k.v.dot(response_l.v) + 0.4 * response_k.u.dot(response_l.u));
      }
    }
  }
  BandedScratch scratch;
  std::vector<double> alpha, factors;
  MinimizeBanded(rows, rhs, -0.5, 1.0, scratch, alpha);
  for (const double x : level) {
    factors.push_back(1.0);
    for (std::size_t k = 0; k < count; ++k) {
      factors.back() += alpha[k] * BasisFunction(static_cast<std::int64_t>(k), x);
    }
  }
  return factors;
}

TEST(CoarseCorrection, IsTheGalerkinCorrectionOfTheBasisFunctions) {
  // Terms are rounded to 1e-12 of the largest one. The condition number of C multiplies this
  // error.
  constexpr double kAccuracy = 1e-7;
  for (const bool resists_rolling : {false, true}) {
    Cluster block = MakeBlock(40, 2);
    if (resists_rolling) block.AddRollingResistance(0.1, 0.05);
    SetImpulses(block);
    CorrectedProblem corrected(block);
    const std::vector<double> factors = ReferenceFactors(block, corrected);
    ASSERT_TRUE(corrected.Correct());
    double max_change = 0.0;
    for (std::size_t j = 0; j < factors.size(); ++j) {
      max_change = std::max(max_change, std::abs(factors[j] - 1.0));
      const Vec3 expected = factors[j] * block.solution.impulses[j];
      EXPECT_LT((corrected.batches.Impulse(j) - expected).norm(), kAccuracy) << "contact " << j;
    }
    EXPECT_GT(max_change, 0.01);
  }
}

TEST(CoarseCorrection, BodiesMatchTheImpulsesAndImpulsesStayInTheirCones) {
  Cluster block = MakeBlock(40, 2);
  block.AddRollingResistance(0.1, 0.05);
  SetImpulses(block);
  CorrectedProblem corrected(block);
  // The reversed starting impulses lead back to the velocities before the starting impulses.
  Cluster reversed = block;
  for (Vec3& impulse : reversed.solution.impulses) impulse = -impulse;
  for (Vec3& rolling : reversed.solution.rolling) rolling = -rolling;
  const std::vector<SphereBody> free_bodies = BodiesFromImpulses(reversed, block.solution.bodies);
  ASSERT_TRUE(corrected.Correct());
  ReadImpulses(corrected.batches, block.solution);
  for (std::size_t j = 0; j < corrected.batches.Size(); ++j) {
    const double normal = corrected.batches.Impulse(j).dot(block.problem.contacts[j].normal);
    EXPECT_GE(normal, 0.0);
    const Vec3 tangent = corrected.batches.Impulse(j) - normal * block.problem.contacts[j].normal;
    EXPECT_LE(tangent.norm(), 0.4 * normal * (1.0 + 1e-12));
  }
  const std::vector<SphereBody> expected = BodiesFromImpulses(block, free_bodies);
  for (std::size_t i = 0; i < corrected.bodies.size(); ++i) {
    EXPECT_LT((corrected.bodies[i].v - expected[i].v).norm(), 1e-12) << "body " << i;
    EXPECT_LT((corrected.bodies[i].u - expected[i].u).norm(), 1e-12) << "body " << i;
  }
}

/// Jacobi's scheme sums over the contacts of each body.
TEST(CoarseCorrection, SumsOverTheSidesOfBodiesGiveTheSameCorrection) {
  Cluster block = MakeBlock(40, 2);
  block.AddRollingResistance(0.1, 0.05);
  SetImpulses(block);
  CorrectedProblem by_contacts(block), by_sides(block);
  JacobiScratch sides;
  const std::size_t bodies = by_sides.bodies.size();
  sides.first_side.assign(1, 0);
  for (std::size_t i = 0; i + 1 < bodies; ++i) {
    for (std::size_t j = 0; j < by_sides.batches.Size(); ++j) {
      const Contact& contact = block.problem.contacts[j];
      const auto body = static_cast<Index>(i);
      if (contact.a != body && contact.b != body) continue;
      sides.sides.push_back({by_sides.batches.SlotOf(j), 0, contact.a == body ? 1.0 : -1.0});
    }
    sides.first_side.push_back(static_cast<Index>(sides.sides.size()));
  }
  ASSERT_TRUE(by_contacts.Correct());
  ASSERT_TRUE(by_sides.Correct(&sides));
  for (std::size_t i = 0; i < bodies; ++i) {
    EXPECT_LT((by_contacts.bodies[i].v - by_sides.bodies[i].v).norm(), 1e-10) << "body " << i;
    EXPECT_LT((by_contacts.bodies[i].u - by_sides.bodies[i].u).norm(), 1e-10) << "body " << i;
  }
}

/// The same spheres as rigid bodies: ω = u/r, the inverse inertia is 5/2 w/r² with the inverse mass
/// w, and arms are along the normals.
TEST(CoarseCorrection, SpheresAsRigidBodiesGetTheSameCorrection) {
  Cluster block = MakeBlock(40, 2);
  block.AddRollingResistance(0.1, 0.05);
  SetImpulses(block);
  CorrectedProblem spheres(block);
  constexpr double r = test::kClusterRadius;
  std::vector<RigidBody> bodies;
  for (const SphereBody& sphere : block.solution.bodies) {
    RigidBody& body = bodies.emplace_back();
    body.v = sphere.v;
    body.inverse_mass = sphere.inverse_mass;
    body.omega = sphere.u / r;
    body.SetInverseInertia(2.5 * sphere.inverse_mass / (r * r) * Mat3::Identity());
  }
  ContactBatches batches;
  batches.Begin(block.problem.first_fixed, bodies.size(), BodyKind::kRigid);
  for (std::size_t j = 0; j < block.problem.contacts.size(); ++j) {
    const Contact& contact = block.problem.contacts[j];
    const bool is_floor_contact = contact.b == block.problem.first_fixed;
    const Vec3 arm_b = is_floor_contact ? Vec3::Zero() : Vec3(r * contact.normal);
    batches.Add(contact, {-r * contact.normal, arm_b}, block.solution.impulses[j]);
  }
  batches.End();
  batches.BeginLaw<RollingLaw>();
  for (std::size_t j = 0; j < block.problem.rolling.size(); ++j) {
    // The fractions of spheres are R/r, those of rigid bodies R.
    RollingContact rolling = block.problem.rolling[j];
    rolling.fraction_a *= r;
    rolling.fraction_b *= r;
    batches.ArraysOf<RollingLaw>().Set(batches.SlotOf(j), rolling, block.solution.rolling[j]);
  }
  CoarseCorrection correction;
  NoCoarseSync no_sync;
  const std::size_t count = spheres.heights.size();
  const CoarseInput input = {.owned = count, .fixed = count, .owned_contacts = batches.Size()};
  std::vector<double> heights = spheres.heights;
  ASSERT_TRUE(spheres.Correct());
  ASSERT_TRUE(correction.Correct(spheres.levels, input, no_sync, heights, batches, bodies));
  constexpr double kAccuracy = 1e-10;
  for (std::size_t j = 0; j < batches.Size(); ++j) {
    EXPECT_LT((batches.Impulse(j) - spheres.batches.Impulse(j)).norm(), kAccuracy) << j;
  }
  for (std::size_t i = 0; i < count; ++i) {
    EXPECT_LT((bodies[i].v - spheres.bodies[i].v).norm(), kAccuracy) << "body " << i;
    EXPECT_LT((r * bodies[i].omega - spheres.bodies[i].u).norm(), kAccuracy) << "body " << i;
  }
}

TEST(CoarseCorrection, ShallowOrUnloadedBedsAreNotCorrected) {
  Cluster shallow = MakeBlock(30, 2);
  SetImpulses(shallow);
  for (const bool is_loaded : {true, false}) {
    Cluster block = is_loaded ? shallow : MakeBlock(40, 2);
    CorrectedProblem corrected(block);
    EXPECT_FALSE(corrected.Correct());
    for (std::size_t i = 0; i < corrected.bodies.size(); ++i) {
      EXPECT_EQ(corrected.bodies[i].v, block.solution.bodies[i].v);
    }
    for (std::size_t j = 0; j < corrected.batches.Size(); ++j) {
      EXPECT_EQ(corrected.batches.Impulse(j), block.solution.impulses[j]);
    }
  }
}

/// In this stack every contact opens at the same speed, which is the mean error around each node.
/// The correction compares this speed times the number of nodes with the tolerance.
TEST(CoarseCorrection, ErrorsBelowTheToleranceAreNotCorrected) {
  constexpr double kSpeed = 1e-3;
  for (const int layers : {40, 80}) {
    Cluster stack = MakeBlock(layers, 1);
    for (std::size_t i = 0; i < stack.solution.bodies.size(); ++i) {
      const bool is_floor = i + 1 == stack.solution.bodies.size();
      stack.solution.bodies[i].v =
          Vec3(0.0, 0.0, is_floor ? 0.0 : kSpeed * static_cast<double>(i + 1));
      stack.solution.bodies[i].u.setZero();
    }
    for (Contact& contact : stack.problem.contacts) contact.bias = 0.0;
    for (Vec3& impulse : stack.solution.impulses) impulse = Vec3::UnitZ();
    const double nodes = layers / 4 + 1;
    for (const double fraction : {0.999, 1.001}) {
      CorrectedProblem corrected(stack);
      corrected.levels.tolerance = nodes * kSpeed / fraction;
      EXPECT_EQ(corrected.Correct(), fraction > 1.0) << layers << " layers";
    }
  }
}

/// Applies gravity to a stack of 400 spheres at rest. Each step has ten sweeps and starts with the
/// previous impulses.
/// @returns for each step the force on the floor divided by the weight
std::vector<double> FloorLoads(bool is_corrected, int steps) {
  Cluster stack = MakeBlock(400, 1);
  stack.solution.bodies.back().v.setZero();
  for (Contact& contact : stack.problem.contacts) contact.bias = 0.0;
  double weight = 0.0;  // per step
  for (SphereBody& body : stack.solution.bodies) {
    body.v.setZero();
    body.u.setZero();
    if (body.inverse_mass > 0.0) weight += 1.0 / body.inverse_mass;
  }
  CorrectedProblem corrected(stack);
  std::vector<double> loads;
  for (int k = 0; k < steps; ++k) {
    for (SphereBody& body : corrected.bodies) {
      if (body.inverse_mass == 0.0) continue;
      body.v.z() -= 1.0;
    }
    test::Sweep({}, corrected.batches, corrected.bodies, StartingImpulses::kToApply);
    if (is_corrected) corrected.Correct();
    loads.push_back(corrected.batches.Impulse(0).z() / weight);
  }
  return loads;
}

TEST(CoarseCorrection, FloorLoadOfATallStackStaysEqualToItsWeight) {
  const std::vector<double> uncorrected = FloorLoads(false, 300), corrected = FloorLoads(true, 300);
  double uncorrected_max = 0.0, corrected_max = 0.0;
  for (std::size_t k = 200; k < 300; ++k) {
    uncorrected_max = std::max(uncorrected_max, std::abs(uncorrected[k] - 1.0));
    corrected_max = std::max(corrected_max, std::abs(corrected[k] - 1.0));
  }
  EXPECT_GT(uncorrected_max, 0.3);  // a wave runs up and down the stack
  EXPECT_LT(corrected_max, 1e-3);
}

}  // namespace
}  // namespace scree::coarse_correction_test
