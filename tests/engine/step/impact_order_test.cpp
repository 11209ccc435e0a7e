// Several impacts of a body in one step. Columns of beads are compared with single impacts in the
// order of time. A gas conserves momentum and closes its energy balance.
#include "engine/step/impact_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "engine/particles/random.hpp"
#include "engine/step/time_step.hpp"
#include "tests/support/scenes.hpp"

namespace scree::impact_order_test {
namespace {

constexpr double kRadius = 1e-3;
constexpr double kRounding = 1e-12;  // relative to speeds of order one

Scene Rebounding(const Vec3& upper, double restitution) {
  Scene scene = test::EmptyScene(Vec3::Zero(), upper, 0.4);
  scene.materials.SetRestitution(0, 0, {.constant = restitution});
  return scene;
}

StepParameters WithSteps(double dt, Scheme scheme) {
  StepParameters parameters;
  parameters.dt = dt;
  parameters.solver.scheme = scheme;
  parameters.solver.sweeps = scheme == Scheme::kJacobi ? 60 : 10;
  return parameters;
}

double MeanSquareSpeed(const Communicator& communicator, const State& state) {
  const auto particles = test::GatherById(communicator, state.particles);
  double sum = 0.0;
  for (const auto& [id, p] : particles) sum += p.velocity.squaredNorm();
  return sum / static_cast<double>(particles.size());
}

struct Column {
  int count;
  double gap, restitution;
};

/// Mean square of the speeds after all impacts of beads that start at 1 m/s towards the plate.
/// Impacts are solved one at a time, in the order of time. Positions x count the gaps, not the
/// diameters.
double MeanSquareSpeedByEvents(const Column& column) {
  const auto count = static_cast<std::size_t>(column.count);
  std::vector<double> x(count), v(count, -1.0);
  for (std::size_t i = 0; i < count; ++i) x[i] = column.gap * static_cast<double>(i + 1);
  for (;;) {
    double first = INFINITY;
    std::size_t hit = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const double gap = x[i] - (i > 0 ? x[i - 1] : 0.0), speed = v[i] - (i > 0 ? v[i - 1] : 0.0);
      const double time = speed < 0.0 ? std::max(gap, 0.0) / -speed : INFINITY;
      if (time < first) {
        first = time;
        hit = i;
      }
    }
    if (!std::isfinite(first)) break;
    for (std::size_t i = 0; i < count; ++i) x[i] += first * v[i];
    if (hit == 0) {
      x[0] = 0.0;
      v[0] *= -column.restitution;
    } else {
      x[hit] = x[hit - 1];
      const double mean = 0.5 * (v[hit - 1] + v[hit]);
      const double half = 0.5 * column.restitution * (v[hit - 1] - v[hit]);
      v[hit - 1] = mean - half;
      v[hit] = mean + half;
    }
  }
  double sum = 0.0;
  for (const double speed : v) sum += speed * speed;
  return sum / static_cast<double>(count);
}

struct Outcome {
  double mean_square_speed = 0.0;  // [m²/s²]
  double max_overlap = 0.0;        // [m]
};

Outcome RunBeads(const Communicator& communicator, const Column& column,
                 const StepParameters& parameters) {
  Scene scene = Rebounding(Vec3(0.01, 0.01, 0.2), column.restitution);
  test::AddPlane(scene, Vec3::Zero(), Vec3::UnitZ());
  State state;
  double z = -kRadius;
  for (ParticleId id = 0; communicator.IsRoot() && id < column.count; ++id) {
    z += 2.0 * kRadius + column.gap;
    test::AddSphere(state.particles, id, Vec3(0.005, 0.005, z), kRadius, Vec3(0, 0, -1));
  }
  constexpr double kEndTime = 0.15;  // [s]
  TimeStep step = test::Start(communicator, scene, parameters, state);
  Outcome outcome;
  const auto end = static_cast<std::int64_t>(std::llround(kEndTime / parameters.dt));
  while (state.step < end) step.Advance(state, {}, 0, end);
  outcome.max_overlap = step.Observe(state).max_penetration_interval;
  outcome.mean_square_speed = MeanSquareSpeed(communicator, state);
  return outcome;
}

// If all impacts of a step acted together, these columns would keep up to 1.8, 2.9 and 1.3 times
// the energy that single impacts leave.
constexpr Column kTenBeads = {10, 1e-4, 0.8}, kFiveBeads = {5, 2e-4, 0.6},
                 kSevenBeads = {7, 1e-4, 0.75};
constexpr double kEnergyError = 0.01;

TEST(ImpactOrderAlone, ColumnOfBeadsKeepsTheEnergyOfSingleImpacts) {
  const Communicator world = Communicator::World();
  for (const Scheme scheme : {Scheme::kGaussSeidel, Scheme::kJacobi}) {
    for (const Column& column : {kTenBeads, kFiveBeads, kSevenBeads}) {
      const double exact = MeanSquareSpeedByEvents(column);
      for (const double accuracy : {0.01, 0.0075, 0.004}) {
        StepParameters parameters = WithSteps(1e-9, scheme);
        parameters.accuracy = accuracy;
        const Outcome outcome = RunBeads(world, column, parameters);
        EXPECT_NEAR(outcome.mean_square_speed, exact, kEnergyError * exact)
            << column.count << " beads, accuracy " << accuracy;
        EXPECT_LE(outcome.max_overlap, 1e-3 * kRadius) << column.count << " beads";
      }
      for (const double dt : {4e-5, 3e-5, 1e-5}) {
        EXPECT_NEAR(RunBeads(world, column, WithSteps(dt, scheme)).mean_square_speed, exact,
                    kEnergyError * exact)
            << column.count << " beads, step " << dt;
      }
    }
  }
}

TEST(ImpactOrderAlone, BodyHitFromBothSidesAtOnceStaysAtRest) {
  const Communicator world = Communicator::World();
  constexpr double kSpeed = 1.0, kRestitution = 0.7;
  const Scene scene = Rebounding(Vec3(0.05, 0.01, 0.01), kRestitution);
  State state;
  for (const int side : {-1, 0, 1}) {
    if (!world.IsRoot()) break;
    test::AddSphere(state.particles, side + 1, Vec3(0.025 + side * 2.05e-3, 0.005, 0.005), kRadius,
                    Vec3(-side * kSpeed, 0, 0));
  }
  StepParameters parameters = WithSteps(8e-5, Scheme::kGaussSeidel);
  parameters.solver.sweeps = 40;  // the two impacts share a solve
  test::Run(world, scene, parameters, state, 5);
  const auto particles = test::GatherById(world, state.particles);
  EXPECT_NEAR(particles.at(1).velocity.norm(), 0.0, 1e-6 * kSpeed);
  EXPECT_NEAR(particles.at(2).velocity.x(), kRestitution * kSpeed, 1e-6 * kSpeed);
  EXPECT_NEAR(particles.at(0).velocity.x(), -kRestitution * kSpeed, 1e-6 * kSpeed);
}

/// A dense gas, so that many of its particles have several impacts in a step.
State Gas(const Communicator& communicator) {
  State state;
  for (ParticleId id = 0; communicator.IsRoot() && id < 400; ++id) {
    const auto random = [&](std::uint64_t draw) { return UniformAroundZero(5, id, draw); };
    const Vec3 site(static_cast<double>(id % 10), static_cast<double>(id / 10 % 8),
                    static_cast<double>(id / 80));
    test::AddSphere(state.particles, id, 0.0022 * (site + Vec3::Constant(0.5)),
                    (0.98 + 0.02 * random(0)) * kRadius, Vec3(random(1), random(2), random(3)));
  }
  return state;
}

TEST(ImpactOrder, GasConservesMomentumAndClosesItsEnergyBalance) {
  const Communicator world = Communicator::World();
  Scene scene = Rebounding(0.0022 * Vec3(10, 8, 5), 0.9);
  scene.domain.periodic = {true, true, true};
  State state = Gas(world);
  TimeStep step = test::Start(world, scene, WithSteps(8e-5, Scheme::kGaussSeidel), state);
  step.EnableEnergyBalance(true);
  const auto momentum = [&] {
    Vec3 sum = Vec3::Zero();
    for (const auto& [id, p] : test::GatherById(world, state.particles)) {
      sum += test::Mass(p.radius) * p.velocity;
    }
    return sum;
  };
  const Vec3 momentum_before = momentum();
  const double mass = 400 * test::Mass(kRadius);
  for (int k = 0; k < 50; ++k) {
    step.Advance(state);
    const EnergyBalance balance = SumOverRanks(world, step.Energy());
    EXPECT_LE(std::abs(balance.Imbalance()), kRounding * mass);
    EXPECT_LE(balance.contacts, 0.0);
  }
  EXPECT_LE((momentum() - momentum_before).norm(), kRounding * mass);
}

TEST(ImpactOrder, JacobiHasTheSameBitsOnAnyNumberOfRanks) {
  const Communicator world = Communicator::World(), self = Communicator::Self();
  Scene scene = Rebounding(0.0022 * Vec3(10, 8, 5), 0.9);
  scene.domain.periodic = {true, true, true};
  const StepParameters parameters = WithSteps(8e-5, Scheme::kJacobi);
  State parallel = Gas(world), serial = Gas(self);
  test::Run(world, scene, parameters, parallel, 40);
  test::Run(self, scene, parameters, serial, 40);
  const auto expected = test::GatherById(self, serial.particles);
  for (const auto& [id, p] : test::GatherById(world, parallel.particles)) {
    EXPECT_EQ(p.velocity, expected.at(id).velocity) << id;
    EXPECT_EQ(p.position, expected.at(id).position) << id;
  }
}

}  // namespace
}  // namespace scree::impact_order_test
