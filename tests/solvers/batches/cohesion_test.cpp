// Attraction: force of a pair, range, and impulse on the bodies.
#include "solvers/batches/cohesion.hpp"

#include <gtest/gtest.h>

#include "solvers/sweeps/residual.hpp"
#include "solvers/sweeps/scheme.hpp"
#include "tests/support/no_sync.hpp"

namespace scree::cohesion_test {
namespace {

constexpr double kPi = std::numbers::pi;

TEST(Cohesion, ForceIsAConstantPlusAdhesionOfTheReducedRadius) {
  EXPECT_FALSE(PairCohesion().IsActive());
  EXPECT_TRUE(PairCohesion{.force = 1e-9}.IsActive());
  EXPECT_TRUE(PairCohesion{.adhesion = 0.01}.IsActive());
  EXPECT_EQ(CohesionLaw::Force({.force = 2e-3}, 0.1, 0.2), 2e-3);
  EXPECT_NEAR(CohesionLaw::Force({.adhesion = 0.05}, 0.002, 0.006), 1.5 * kPi * 0.05 * 0.0015,
              1e-18);
  EXPECT_NEAR(CohesionLaw::Force({.force = 1.0, .adhesion = 0.05}, 0.002, kFlatRadius),
              1.0 + 1.5 * kPi * 0.05 * 0.002, 1e-15);
  EXPECT_EQ(
      CohesionLaw::Force({.adhesion = 0.05}, kFlatRadius, 0.002),  // body a touches with a face
      CohesionLaw::Force({.adhesion = 0.05}, 0.002, kFlatRadius));
}

TEST(Cohesion, CohesionActsUpToItsRange) {
  const auto pull = [](const PairCohesion& pair, double gap) {
    return CohesionLaw::MakeData(pair, {.radius_a = 0.02, .radius_b = 0.01, .gap = gap, .dt = 0.5})
        .pull;
  };
  const PairCohesion with_range = {.force = 3.0, .range = 2e-4};
  EXPECT_EQ(pull(with_range, -1e-3), 1.5);
  EXPECT_EQ(pull(with_range, 2e-4), 1.5);
  EXPECT_EQ(pull(with_range, 2.0001e-4), 0.0);
  const PairCohesion without_range = {.force = 3.0};  // acts up to 1e-3 of the smaller radius
  EXPECT_EQ(pull(without_range, 0.99e-5), 1.5);
  EXPECT_EQ(pull(without_range, 1.01e-5), 0.0);
  EXPECT_EQ(pull({.force = 3.0, .range = 0.0}, 1e-15), 0.0);
  // Without a range, all touching contacts attract, here those up to held_gap.
  const LawContact touching = {
      .radius_a = 0.02, .radius_b = 0.01, .gap = 3e-5, .dt = 0.5, .held_gap = 4e-5};
  EXPECT_EQ(CohesionLaw::MakeData(without_range, touching).pull, 1.5);
  EXPECT_EQ(CohesionLaw::MakeData({.force = 3.0, .range = 2e-5}, touching).pull, 0.0);
}

/// Solves contacts that open, so that λ stays zero and only cohesion acts.
template <class Solve>
void ExpectPulled(Solve&& solve) {
  const Vec3 n = Vec3(1, -2, 2) / 3.0;
  std::vector<SphereBody> bodies = {{10.0 * n, 0.5, Vec3(4, 5, 6), 1.0},
                                    {Vec3::Zero(), 2.0, Vec3::Zero(), 1.0}};
  ContactBatches batches;
  batches.Begin(2, 2);
  Contact contact;
  contact.normal = n;
  contact.a = 0;
  contact.b = 1;
  contact.effective_mass = 1.0 / 2.5;
  batches.Add(contact, Vec3::Zero());
  batches.End();
  batches.BeginLaw<CohesionLaw>();
  batches.ArraysOf<CohesionLaw>().Set(batches.SlotOf(0), {0.3}, -0.3 * n);
  solve(batches, bodies);
  EXPECT_EQ(batches.Impulse(0), Vec3::Zero());
  EXPECT_LT((bodies[0].v - (10.0 - 0.15) * n).norm(), 1e-14);
  EXPECT_LT((bodies[1].v - 0.6 * n).norm(), 1e-15);
  EXPECT_EQ(bodies[0].u, Vec3(4, 5, 6));
  EXPECT_EQ(ContactResidual(batches, 1, bodies).max, 0.0);
}

TEST(Cohesion, BothBodiesGetTheImpulseOnceForAnyNumberOfSweeps) {
  for (const Scheme scheme : {Scheme::kGaussSeidel, Scheme::kJacobi}) {
    for (const Kernel kernel : {Kernel::kSphere, Kernel::kCoulomb}) {
      for (const int sweeps : {1, 2, 7}) {
        ExpectPulled([&](ContactBatches& batches, std::vector<SphereBody>& bodies) {
          SolverParameters parameters;
          parameters.scheme = scheme;
          parameters.kernel = kernel;
          parameters.sweeps = sweeps;
          parameters.momentum = 0.5;
          SchemeScratch scratch;
          test::NoSync no_sync;
          const std::vector<std::int64_t> keys = {0, 1};
          SolveByScheme(parameters, {.owned = 2, .keys = keys}, no_sync, StartingImpulses::kToApply,
                        batches, bodies, scratch);
        });
      }
    }
  }
}

}  // namespace
}  // namespace scree::cohesion_test
