// Sweeps on an explicit Delassus operator: the solution, both laws, the global form, bad input.
#include "solvers/delassus/delassus_problem.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "solvers/base/check.hpp"
#include "solvers/delassus/block_residual.hpp"
#include "solvers/one_contact/max_dissipation.hpp"
#include "tests/support/brick_pile.hpp"

namespace scree::delassus_problem_test {
namespace {

using test::BrickPile;
using test::MakeBrickPile;

DelassusProblem MakeProblem(const BrickPile& pile) {
  return {pile.delassus, pile.free_velocity, pile.friction};
}

TEST(DelassusProblem, OneContactIsSolvedInTheFirstSweep) {
  Eigen::MatrixXd dense(3, 3);
  dense << 2, 0.8, 0.3, 0.8, 3, 0.2, 0.3, 0.2, 2.5;
  const DelassusProblem problem(dense.sparseView(), Eigen::Vector3d(-1, -2, 1),
                                Eigen::VectorXd::Constant(1, 0.3));
  const DelassusSolution solution = Solve(problem, {ContactLaw::kMaxDissipation, 1e-12, 10});
  EXPECT_EQ(solution.report.sweeps, 2);  // the second sweep finds that nothing changes
  EXPECT_TRUE(*solution.report.converged);
  EXPECT_EQ(solution.impulses[0], SolveMaxDissipation({dense, Vec3(1, 2, -1), 0.3}).x);
}

TEST(DelassusProblem, BrickPileSatisfiesTheLaws) {
  for (const double mu : {0.0, 0.1, 0.8}) {
    for (const ContactLaw law : {ContactLaw::kMaxDissipation, ContactLaw::kCoulomb}) {
      const DelassusProblem problem = MakeProblem(MakeBrickPile(4, mu));
      const DelassusSolution solution = Solve(problem, {law, 1e-9, 100000});
      ASSERT_TRUE(*solution.report.converged) << Name(law) << " " << mu;
      EXPECT_FALSE(solution.stalled);
      const double tolerance = 1e-8 * problem.VelocityScale();
      int loaded_count = 0;
      for (Index j = 0; j < problem.ContactCount(); ++j) {
        const Vec3& impulse = solution.impulses[static_cast<std::size_t>(j)];
        const Vec3 velocity = problem.Velocity(j, solution.impulses);
        EXPECT_GE(velocity[0], -tolerance);
        EXPECT_LE(std::hypot(impulse[1], impulse[2]), mu * impulse[0] * (1.0 + 1e-12));
        if (impulse[0] == 0.0) continue;
        ++loaded_count;
        EXPECT_NEAR(velocity[0], 0.0, tolerance);
      }
      EXPECT_GE(loaded_count, 4);
      EXPECT_LE(ContactResidual(problem, solution.impulses, law).max, tolerance);
    }
  }
}

TEST(DelassusProblem, VelocityEqualsTheDenseProduct) {
  const BrickPile pile = MakeBrickPile(3, 0.4);
  const DelassusProblem problem = MakeProblem(pile);
  const Eigen::VectorXd dense = Eigen::VectorXd::LinSpaced(pile.free_velocity.size(), -1.0, 2.0);
  std::vector<Vec3> impulses;
  for (Index j = 0; j < problem.ContactCount(); ++j) impulses.push_back(dense.segment<3>(3 * j));
  const Eigen::VectorXd expected = pile.delassus * dense + pile.free_velocity;
  for (Index j = 0; j < problem.ContactCount(); ++j) {
    EXPECT_LE((problem.Velocity(j, impulses) - expected.segment<3>(3 * j)).norm(),
              1e-12 * expected.norm());
    const OneContact one_contact = problem.OneContactProblem(j, impulses);
    const Vec3 kernel_velocity = VelocityAfter(one_contact, impulses[static_cast<std::size_t>(j)]);
    EXPECT_LE((kernel_velocity - expected.segment<3>(3 * j)).norm(), 1e-12 * expected.norm());
  }
}

TEST(DelassusProblem, ReductionOfBodiesGivesTheSameProblem) {
  const BrickPile pile = MakeBrickPile(3, 0.4);
  const DelassusProblem direct = MakeProblem(pile);
  const DelassusProblem reduced =
      ReduceToContacts({pile.mass, pile.wrenches, pile.momentum, pile.bias, pile.friction});
  const std::vector<Vec3> impulses(static_cast<std::size_t>(direct.ContactCount()), Vec3(1, -2, 3));
  for (Index j = 0; j < direct.ContactCount(); ++j) {
    const Vec3 expected = direct.Velocity(j, impulses);
    EXPECT_LE((reduced.Velocity(j, impulses) - expected).norm(), 1e-12 * expected.norm());
  }
}

TEST(DelassusProblem, HeavyBallTermReachesTheSameVelocitiesInFewerSweeps) {
  const DelassusProblem problem = MakeProblem(MakeBrickPile(4, 0.5));
  DelassusParameters parameters = {ContactLaw::kCoulomb, 1e-9};
  const DelassusSolution without_heavy_ball = Solve(problem, parameters);
  parameters.momentum = 0.85;
  const DelassusSolution with_heavy_ball = Solve(problem, parameters);
  ASSERT_TRUE(*without_heavy_ball.report.converged && *with_heavy_ball.report.converged);
  EXPECT_LT(with_heavy_ball.report.sweeps, without_heavy_ball.report.sweeps / 2);
  for (Index j = 0; j < problem.ContactCount(); ++j) {
    EXPECT_LT((problem.Velocity(j, without_heavy_ball.impulses) -
               problem.Velocity(j, with_heavy_ball.impulses))
                  .norm(),
              1e-6 * problem.VelocityScale());
  }
}

TEST(DelassusProblem, StartAtTheSolutionKeepsTheSolution) {
  const DelassusProblem problem = MakeProblem(MakeBrickPile(4, 0.5));
  const DelassusParameters parameters = {ContactLaw::kCoulomb, 1e-9};
  const DelassusSolution cold = Solve(problem, parameters);
  ASSERT_TRUE(*cold.report.converged);
  const DelassusSolution warm = Solve(problem, parameters, cold.impulses);
  EXPECT_EQ(warm.report.sweeps, 1);
  // Without sweeps the report describes the start itself.
  const DelassusSolution unsolved = Solve(problem, {ContactLaw::kCoulomb, 1e-9, 0}, cold.impulses);
  EXPECT_EQ(unsolved.impulses, cold.impulses);
  EXPECT_EQ(unsolved.report.residual_max, cold.report.residual_max);
  EXPECT_TRUE(*unsolved.report.converged);
}

TEST(DelassusProblem, EachSweepIsReportedToTheWatcher) {
  const DelassusProblem problem = MakeProblem(MakeBrickPile(2, 0.5));
  std::vector<std::vector<Vec3>> observed;
  const DelassusSolution solution =
      Solve(problem, {ContactLaw::kCoulomb, 1e-12, 3}, {}, [&](int sweeps, auto impulses) {
        EXPECT_EQ(sweeps, static_cast<int>(observed.size()));
        observed.emplace_back(impulses.begin(), impulses.end());
      });
  ASSERT_EQ(observed.size(), 4u);
  EXPECT_EQ(observed.front(), std::vector<Vec3>(observed.front().size(), Vec3::Zero()));
  EXPECT_EQ(observed.back(), solution.impulses);
}

TEST(DelassusProblem, CoupledBodiesAreReducedByFactorisation) {
  // Small entries couple each row of M with the next, so there are no blocks of single bodies.
  const BrickPile pile = MakeBrickPile(6, 0.4);
  Eigen::MatrixXd mass = pile.mass;
  const Eigen::Index n = mass.rows();
  ASSERT_GT(n, 24);  // more rows than the largest block that is inverted densely
  for (Eigen::Index i = 1; i < n; ++i) {
    mass(i, i - 1) = mass(i - 1, i) = 0.1 * std::sqrt(mass(i, i) * mass(i - 1, i - 1));
  }
  const Eigen::MatrixXd inverse = mass.inverse(), h = pile.wrenches;
  const DelassusProblem expected((h.transpose() * inverse * h).sparseView(),
                                 h.transpose() * inverse * pile.momentum + pile.bias,
                                 pile.friction);
  const DelassusProblem assembled =
      ReduceToContacts({mass.sparseView(), pile.wrenches, pile.momentum, pile.bias, pile.friction});
  const std::vector<Vec3> impulses(static_cast<std::size_t>(assembled.ContactCount()),
                                   Vec3(1, -2, 3));
  for (Index j = 0; j < assembled.ContactCount(); ++j) {
    const Vec3 velocity = expected.Velocity(j, impulses);
    EXPECT_LE((assembled.Velocity(j, impulses) - velocity).norm(), 1e-10 * velocity.norm());
  }
}

TEST(DelassusProblem, MissingConvergenceIsReported) {
  const DelassusProblem problem = MakeProblem(MakeBrickPile(6, 0.5));
  const DelassusSolution solution = Solve(problem, {ContactLaw::kCoulomb, 1e-12, 2});
  EXPECT_EQ(solution.report.sweeps, 2);
  EXPECT_FALSE(*solution.report.converged);
  EXPECT_GT(solution.report.residual_max, 1e-12 * problem.VelocityScale());
  EXPECT_GT(solution.report.residual_rms, 0.0);
  EXPECT_LE(solution.report.residual_rms, solution.report.residual_max);
}

TEST(DelassusProblem, ContradictoryContactsEndTheSweepsAsStalled) {
  // A body between two walls that close in on it: no impulses can keep both contacts from closing.
  Eigen::MatrixXd w = Eigen::MatrixXd::Identity(6, 6);
  w.topRightCorner<3, 3>() = w.bottomLeftCorner<3, 3>() = -Eigen::Matrix3d::Identity();
  Eigen::VectorXd q = Eigen::VectorXd::Zero(6);
  q[0] = q[3] = -0.1;
  const DelassusProblem problem(w.sparseView(), q, Eigen::VectorXd::Constant(2, 0.5));
  const DelassusSolution solution = Solve(problem, {ContactLaw::kCoulomb, 1e-6, 1000000});
  EXPECT_TRUE(solution.stalled);
  EXPECT_FALSE(*solution.report.converged);
  EXPECT_LT(solution.report.sweeps, 10000);
  EXPECT_NEAR(solution.report.residual_max, 0.2, 1e-9);
}

TEST(DelassusProblem, NoContactsNeedNoSweeps) {
  const DelassusProblem problem(Eigen::SparseMatrix<double>(0, 0), Eigen::VectorXd(0),
                                Eigen::VectorXd(0));
  const DelassusSolution solution = Solve(problem, {});
  EXPECT_TRUE(*solution.report.converged);
  EXPECT_EQ(solution.report.residual_max, 0.0);
}

TEST(DelassusProblem, BadInputIsAnError) {
  const BrickPile pile = MakeBrickPile(1, 0.4);
  const auto& w = pile.delassus;
  EXPECT_THROW(DelassusProblem(w, pile.free_velocity.head(5), pile.friction), InputError);
  EXPECT_THROW(DelassusProblem(w, pile.free_velocity, pile.friction.head(3)), InputError);
  EXPECT_THROW(DelassusProblem(w, pile.free_velocity, -pile.friction), InputError);
  EXPECT_THROW(DelassusProblem(-w, pile.free_velocity, pile.friction), InputError);
  Eigen::VectorXd q = pile.free_velocity;
  q[4] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(DelassusProblem(w, q, pile.friction), InputError);
  EXPECT_THROW(
      ReduceToContacts({-pile.mass, pile.wrenches, pile.momentum, pile.bias, pile.friction}),
      InputError);
  EXPECT_THROW(
      ReduceToContacts({pile.mass, pile.wrenches, pile.momentum, pile.bias.head(2), pile.friction}),
      InputError);
}

}  // namespace
}  // namespace scree::delassus_problem_test
