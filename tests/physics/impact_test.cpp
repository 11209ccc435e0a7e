// Single impacts of two spheres, and of a sphere and a wall, compared with the closed form for two
// rigid bodies with 6 degrees of freedom each. The closed form does not use the engine's
// simplifications for spheres.
#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "tests/support/single_impact.hpp"

namespace scree::impact_test {
namespace {

using test::AddPlane;
using test::AddSphere;
using test::EmptyScene;
using test::EnergyOf;
using test::Mass;

constexpr double kRounding = 1e-12;  // relative to the speeds, all of order one

struct Motion {
  Vec3 v, omega;
};

struct Pair {
  Motion a, b;
};

Mat3 Cross(const Vec3& r) {
  Mat3 cross;
  cross << 0, -r.z(), r.y(), r.z(), 0, -r.x(), -r.y(), r.x(), 0;
  return cross;
}

/// The inelastic impact at a contact with the normal n from b to a, computed with A = J M⁻¹ Jᵀ.
/// n is an eigenvector of A, so friction does not change λ_n. The contact sticks if the sticking
/// impulse is inside the cone. Otherwise friction acts against the tangential velocity.
Pair ExpectedImpact(const Pair& initial, double radius_a, double radius_b, bool b_is_wall,
                    const Vec3& n, double mu) {
  using Jacobian = Eigen::Matrix<double, 3, 12>;
  Jacobian J;
  J << Mat3::Identity(), -Cross(-radius_a * n), -Mat3::Identity(), Cross(radius_b * n);
  Eigen::Matrix<double, 12, 12> inverse_mass = Eigen::Matrix<double, 12, 12>::Zero();
  const auto fill = [&](int row, double radius) {
    const double m = Mass(radius);
    inverse_mass.block<3, 3>(row, row) = Mat3::Identity() / m;
    inverse_mass.block<3, 3>(row + 3, row + 3) = Mat3::Identity() / (0.4 * m * radius * radius);
  };
  fill(0, radius_a);
  if (!b_is_wall) fill(6, radius_b);

  Eigen::Matrix<double, 12, 1> u;
  u << initial.a.v, initial.a.omega, initial.b.v, initial.b.omega;
  const Mat3 A = J * inverse_mass * J.transpose();
  Vec3 lambda = -A.inverse() * (J * u);
  const double lambda_n = lambda.dot(n);
  const Vec3 lambda_t = lambda - lambda_n * n;
  if (lambda_n <= 0.0) {
    lambda.setZero();
  } else if (lambda_t.norm() > mu * lambda_n) {
    lambda = lambda_n * n + mu * lambda_n * lambda_t.normalized();
  }
  u += inverse_mass * J.transpose() * lambda;
  return {{u.segment<3>(0), u.segment<3>(3)}, {u.segment<3>(6), u.segment<3>(9)}};
}

void ExpectSame(const Vec3& actual, const Vec3& expected, double scale = 1.0) {
  EXPECT_LT((actual - expected).norm(), kRounding * scale)
      << "actual " << actual.transpose() << ", expected " << expected.transpose();
}

/// Sphere a (radius 0.5 m) touches sphere b on the +x side of b. Coordinates and
/// radii are exact.
void CheckSpheres(const Pair& initial, double radius_b, double mu) {
  const double radius_a = 0.5;
  const Scene scene = EmptyScene(Vec3::Constant(-4), Vec3::Constant(4), mu);
  State state;
  AddSphere(state.particles, 0, Vec3(radius_a, 0, 0), radius_a, initial.a.v, initial.a.omega);
  AddSphere(state.particles, 1, Vec3(-radius_b, 0, 0), radius_b, initial.b.v, initial.b.omega);
  StepParameters parameters;
  parameters.dt = 1e-4;
  const Communicator self = Communicator::Self();
  const TimeStep step = test::Run(self, scene, parameters, state, 1);
  EXPECT_EQ(step.Contacts().size(), 1u);

  const auto final_motion = test::GatherById(self, state.particles);
  const Pair expected = ExpectedImpact(initial, radius_a, radius_b, false, Vec3::UnitX(), mu);
  ExpectSame(final_motion.at(0).velocity, expected.a.v);
  ExpectSame(final_motion.at(0).angular_velocity, expected.a.omega, 10.0);
  ExpectSame(final_motion.at(1).velocity, expected.b.v);
  ExpectSame(final_motion.at(1).angular_velocity, expected.b.omega, 10.0);
}

TEST(Impact, HeadOnEqualSpheresMatchTheClosedForm) {
  CheckSpheres({{Vec3(-1, 0, 0), Vec3::Zero()}, {Vec3(0.5, 0, 0), Vec3::Zero()}}, 0.5, 0.4);
}

TEST(Impact, HeadOnUnequalSpheresMatchTheClosedForm) {
  CheckSpheres({{Vec3(-1, 0, 0), Vec3::Zero()}, {Vec3(1, 0, 0), Vec3::Zero()}}, 0.125, 0.0);
}

TEST(Impact, ObliqueImpactThatSticksMatchesTheClosedForm) {
  CheckSpheres({{Vec3(-1, 0.2, 0.1), Vec3::Zero()}, {Vec3(0, 0, 0), Vec3::Zero()}}, 0.5, 0.4);
}

TEST(Impact, ObliqueImpactThatSlidesMatchesTheClosedForm) {
  CheckSpheres({{Vec3(-1, 3, -2), Vec3::Zero()}, {Vec3(0.2, 0, 0.3), Vec3::Zero()}}, 0.25, 0.3);
}

TEST(Impact, SpinsAboutEveryAxisMatchTheClosedForm) {
  CheckSpheres({{Vec3(-1, 0.3, 0), Vec3(2, -3, 5)}, {Vec3(0.5, 0, -0.4), Vec3(-1, 4, 2)}}, 0.25,
               0.2);
  CheckSpheres({{Vec3(-1, 0.3, 0), Vec3(2, -3, 5)}, {Vec3(0.5, 0, -0.4), Vec3(-1, 4, 2)}}, 0.25,
               5.0);
}

TEST(Impact, HeavyAndLightSphereMatchTheClosedForm) {
  CheckSpheres({{Vec3(-1, 0.1, 0), Vec3(0, 0, 1)}, {Vec3(1, 0, 0), Vec3::Zero()}}, 0.0078125, 0.4);
}

TEST(Impact, ImpactOnAMovingWallMatchesTheClosedForm) {
  for (const double mu : {0.05, 0.5}) {
    const double radius = 0.25;
    Scene scene = EmptyScene(Vec3::Constant(-4), Vec3::Constant(4), mu);
    const Vec3 wall_velocity(0.1, 0.0, 0.25);
    AddPlane(scene, Vec3::Zero(), Vec3::UnitZ(), wall_velocity);
    State state;
    const Motion initial = {Vec3(0.5, -0.2, -1), Vec3(1, 2, 3)};
    AddSphere(state.particles, 7, Vec3(0, 0, radius), radius, initial.v, initial.omega);
    StepParameters parameters;
    parameters.dt = 1e-4;
    const Communicator self = Communicator::Self();
    test::Run(self, scene, parameters, state, 1);

    const auto final_motion = test::GatherById(self, state.particles);
    const Pair expected = ExpectedImpact({initial, {wall_velocity, Vec3::Zero()}}, radius, 0.0,
                                         true, Vec3::UnitZ(), mu);
    ExpectSame(final_motion.at(7).velocity, expected.a.v);
    ExpectSame(final_motion.at(7).angular_velocity, expected.a.omega, 10.0);
  }
}

TEST(Impact, SphereThatSticksToAWallKeepsFiveSeventhsOfItsTangentialSpeed) {
  Scene scene = EmptyScene(Vec3::Constant(-4), Vec3::Constant(4), 1.0);
  AddPlane(scene, Vec3::Zero(), Vec3::UnitZ());
  State state;
  AddSphere(state.particles, 0, Vec3(0, 0, 0.5), 0.5, Vec3(0.7, 0, -1));
  StepParameters parameters;
  const Communicator self = Communicator::Self();
  test::Run(self, scene, parameters, state, 1);
  ExpectSame(state.particles.velocity[0], Vec3(0.5, 0, 0));
  ExpectSame(state.particles.angular_velocity[0], Vec3(0, 1.0, 0));
}

TEST(Impact, GapThatClosesWithinTheStepIsClosedExactly) {
  Scene scene = EmptyScene(Vec3::Constant(-4), Vec3::Constant(4), 0.0);
  State state;
  const double gap = 1e-3;
  AddSphere(state.particles, 0, Vec3(0.5 + gap, 0, 0), 0.5, Vec3(-1, 0, 0));
  AddSphere(state.particles, 1, Vec3(-0.5, 0, 0), 0.5, Vec3(1, 0, 0));
  StepParameters parameters;
  parameters.dt = 2e-3;  // without the contact the spheres would overlap by 3 mm
  const Communicator self = Communicator::Self();
  test::Run(self, scene, parameters, state, 1);
  auto final_motion = test::GatherById(self, state.particles);
  EXPECT_NEAR(final_motion.at(0).position.x() - final_motion.at(1).position.x(), 1.0, kRounding);
  test::Run(self, scene, parameters, state, 1);
  final_motion = test::GatherById(self, state.particles);
  EXPECT_NEAR(final_motion.at(0).velocity.x(), 0.0, kRounding);
  EXPECT_NEAR(final_motion.at(1).velocity.x(), 0.0, kRounding);
}

TEST(Impact, OpenGapIsIgnoredWithoutSpeculation) {
  const Scene scene = EmptyScene(Vec3::Constant(-4), Vec3::Constant(4), 0.0);
  State state;
  AddSphere(state.particles, 0, Vec3(0.501, 0, 0), 0.5, Vec3(-1, 0, 0));
  AddSphere(state.particles, 1, Vec3(-0.5, 0, 0), 0.5, Vec3(1, 0, 0));
  StepParameters parameters;
  parameters.dt = 2e-3;
  parameters.speculative = false;
  test::Run(Communicator::Self(), scene, parameters, state, 1);
  EXPECT_DOUBLE_EQ(state.particles.velocity[0].squaredNorm(), 1.0);
}

// ---- no single impact gains energy

std::vector<StepParameters> SolverVariants() {
  std::vector<StepParameters> variants;
  for (const Kernel kernel : {Kernel::kSphere, Kernel::kMaxDissipation, Kernel::kCoulomb}) {
    for (const int sweeps : {1, 10}) {
      for (const bool has_warm_start : {false, true}) {
        StepParameters parameters;
        parameters.solver.sweeps = sweeps;
        parameters.solver.kernel = kernel;
        parameters.warm_start = has_warm_start;
        parameters.error_reduction = 0.0;
        variants.push_back(parameters);
      }
    }
  }
  return variants;
}

std::vector<test::ImpactCase> AllImpacts() {
  std::vector<test::ImpactCase> cases;
  for (const double angle : {0.0, 0.01, 0.3, 0.8, 1.2, 1.5, 1.57, 2.0}) {
    for (const Vec3& spin : {Vec3(0, 0, 0), Vec3(0, 1, 0), Vec3(0, -1, 0), Vec3(3, 0.2, 0),
                             Vec3(0, 0, 5), Vec3(0.3, 20, -1)}) {
      for (const double friction : {0.0, 0.05, 0.4, 2.0, 1e6}) {
        for (const double radius_b : {0.0, 0.02, 0.1, 0.5, 3.0}) {
          for (const double gap : {-0.9, -1e-6, 0.0, 1e-9, 0.3, 0.999, 1.5}) {
            cases.push_back({angle, spin, friction, radius_b, gap});
          }
        }
      }
    }
  }
  return cases;
}

TEST(Impact, SingleImpactNeverGainsEnergy) {
  constexpr double kGain =
      1e-14;  // relative to the initial energy: a few units of rounding of the sum of squares
  constexpr int kSteps = 4;  // before, during and after the impact
  std::int64_t impacts = 0, dissipative = 0;
  const Communicator self = Communicator::Self();
  const std::vector<test::ImpactCase> cases = AllImpacts();
  std::size_t first_case = 0;
  for (const StepParameters& solver : SolverVariants()) {
    // Each case is run with four of the twelve parameter sets.
    for (std::size_t c = first_case++ % 3; c < cases.size(); c += 3) {
      const test::ImpactCase& impact = cases[c];
      test::ImpactSetting setting(impact, solver);
      TimeStep step = test::Start(self, setting.scene, setting.parameters, setting.state);
      const double initial_energy = EnergyOf(setting.state.particles);
      double energy_before = initial_energy;
      for (int k = 0; k < kSteps; ++k) {
        step.Advance(setting.state);
        const double energy_after = EnergyOf(setting.state.particles);
        ASSERT_LE(energy_after, energy_before + kGain * initial_energy)
            << impact << ", sweeps " << solver.solver.sweeps << ", warm " << solver.warm_start
            << ", step " << k;
        if (step.Observe(setting.state).loaded_contacts > 0) {
          ++impacts;
          dissipative += energy_after < energy_before - 1e-6 * initial_energy;
        }
        energy_before = energy_after;
      }
    }
  }
  EXPECT_GT(impacts, 33'000);
  EXPECT_GT(dissipative, 16'000);
}

}  // namespace
}  // namespace scree::impact_test
