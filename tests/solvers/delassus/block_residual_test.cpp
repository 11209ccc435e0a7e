// Residuals: zero at solutions of the law that they measure, and not zero if an impulse is wrong.
#include "solvers/delassus/block_residual.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/brick_pile.hpp"

namespace scree::block_residual_test {
namespace {

using test::BrickPile;

DelassusProblem MakeProblem(double mu) {
  const BrickPile pile = test::MakeBrickPile(3, mu);
  return {pile.delassus, pile.free_velocity, pile.friction};
}

std::vector<Vec3> SolveImpulses(const DelassusProblem& problem, ContactLaw law) {
  return Solve(problem, {law, 1e-11, 100000}).impulses;
}

TEST(ContactResidual, IsZeroAtASolutionOfItsLaw) {
  const DelassusProblem problem = MakeProblem(0.2);
  const auto dissipative = SolveImpulses(problem, ContactLaw::kMaxDissipation);
  EXPECT_LE(ContactResidual(problem, dissipative, ContactLaw::kMaxDissipation).max, 1e-10);
  EXPECT_GT(ContactResidual(problem, dissipative, ContactLaw::kCoulomb).max, 1e-4)
      << "the laws differ for bricks";
}

TEST(ContactResidual, DetectsAnErrorInEachComponentOfAnImpulse) {
  const DelassusProblem problem = MakeProblem(0.5);
  const auto solved = SolveImpulses(problem, ContactLaw::kCoulomb);
  std::size_t loaded_contact = 0;
  while (solved[loaded_contact][0] == 0.0) ++loaded_contact;
  for (int axis = 0; axis < 3; ++axis) {
    auto changed = solved;
    changed[loaded_contact][axis] += 1e-3;
    const Residual residual = ContactResidual(problem, changed, ContactLaw::kCoulomb);
    EXPECT_GT(residual.max, 1e-5) << "axis " << axis;
    EXPECT_EQ(residual.contacts, problem.ContactCount());
    EXPECT_GE(residual.square_sum, residual.max * residual.max);
  }
}

TEST(ContactResidual, IsAVelocityIndependentOfTheMasses) {
  // The same motion with masses a million times smaller: impulses scale, the residual does not.
  const BrickPile pile = test::MakeBrickPile(3, 0.4);
  const DelassusProblem heavy(pile.delassus, pile.free_velocity, pile.friction);
  const DelassusProblem light(1e6 * pile.delassus, pile.free_velocity, pile.friction);
  std::vector<Vec3> impulses(static_cast<std::size_t>(heavy.ContactCount()),
                             Vec3(0.1, 0.02, -0.01));
  const double heavy_residual = ContactResidual(heavy, impulses, ContactLaw::kCoulomb).max;
  const NaturalMapResidual map_heavy = CoulombNaturalMap(heavy, impulses);
  for (Vec3& impulse : impulses) impulse *= 1e-6;
  const NaturalMapResidual map_light = CoulombNaturalMap(light, impulses);
  EXPECT_NEAR(ContactResidual(light, impulses, ContactLaw::kCoulomb).max, heavy_residual,
              1e-9 * heavy_residual);
  EXPECT_NEAR(map_light.velocity_max, map_heavy.velocity_max, 1e-9 * map_heavy.velocity_max);
}

TEST(CoulombNaturalMap, IsZeroOnlyAtCoulombSolutions) {
  const DelassusProblem problem = MakeProblem(0.2);
  const NaturalMapResidual coulomb_map =
      CoulombNaturalMap(problem, SolveImpulses(problem, ContactLaw::kCoulomb));
  EXPECT_LE(coulomb_map.velocity_max, 1e-9);
  EXPECT_LE(coulomb_map.relative, 1e-9);
  const NaturalMapResidual dissipative_map =
      CoulombNaturalMap(problem, SolveImpulses(problem, ContactLaw::kMaxDissipation));
  EXPECT_GT(dissipative_map.velocity_max, 1e-4);
  EXPECT_GT(dissipative_map.relative, 1e-5);
}

TEST(ProjectOnFrictionCone, ProjectsPointsOfAllFourRegions) {
  EXPECT_EQ(ProjectOnFrictionCone(Vec3(2, 0.3, 0.4), 0.5), Vec3(2, 0.3, 0.4));
  EXPECT_EQ(ProjectOnFrictionCone(Vec3(-2, 0.3, 0.4), 0.5), Vec3(Vec3::Zero()));
  const Vec3 outside(1, 3, -4);
  const Vec3 projected = ProjectOnFrictionCone(outside, 0.5);
  EXPECT_NEAR(std::hypot(projected[1], projected[2]), 0.5 * projected[0], 1e-15);
  EXPECT_NEAR((outside - projected).dot(projected), 0.0, 1e-14);
  EXPECT_EQ(ProjectOnFrictionCone(Vec3(1, 3, 4), 0.0), Vec3(1, 0, 0));
}

}  // namespace
}  // namespace scree::block_residual_test
