// Damage bonds between two bodies: peak force, work to break, energy, stiff bonds. Chains of them
// migrate and restart.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "engine/step/bond_damage.hpp"
#include "tests/support/clump_scenes.hpp"
#include "tests/support/same_bits.hpp"
#include "tests/support/schemes.hpp"

namespace scree::bond_damage_test {
namespace {

constexpr double kRadius = 0.01, kTension = 2e4, kShear = 3e4, kFriction = 0.3;  // [m], [Pa]
constexpr double kPath = 1e-5;                   // displacement at the peak in tension [m]
constexpr double kEnergy = kTension * kPath;     // w [J/m²]
constexpr double kShearPath = kEnergy / kShear;  // at the peak in shear [m]
constexpr double kArea = std::numbers::pi * kRadius * kRadius;
constexpr double kHeavy = 1e15;  // density of bodies so heavy that bonds do not slow them [kg/m³]

/// Two bodies with centres on the x axis, one on either side of x = 0, where ranks meet.
struct Pair {
  const Communicator world = Communicator::World();
  Scene scene = test::EmptyScene(Vec3(-0.1, -0.1, -0.1), Vec3(0.1, 0.1, 0.1), kFriction);
  State state;
  StepParameters parameters;
  double area = kArea;

  Pair(const test::NamedScheme& scheme, double dt, double density = 2650.0) {
    parameters = test::WithScheme(scheme);
    parameters.dt = dt;
    scene.materials = {};
    scene.materials.Add({"grain", density}, kFriction);
    scene.bonds.push_back({.name = "glue",
                           .gap = 1e-6,
                           .tension = kTension,
                           .shear = kShear,
                           .fracture_energy = kEnergy});
  }
  /// @param velocity  of the body with x > 0; the other body has the opposite velocity
  void AddSpheres(const Vec3& velocity) {
    for (int k = 0; world.IsRoot() && k < 2; ++k) {
      const double sign = k == 0 ? -1.0 : 1.0;
      test::AddSphere(state.particles, k, Vec3(sign * kRadius, 0, 0), kRadius, sign * velocity);
    }
  }
  /// Adds two rounded cubes. Their touching flat squares have sides of 1.9 kRadius.
  void AddCubes(Kernel kernel, const Vec3& velocity) {
    parameters.solver.kernel = kernel;
    ClumpDescription cube;
    cube.name = "cube";
    cube.solid = "box";
    cube.size = {2.0 * kRadius, 2.0 * kRadius, 2.0 * kRadius};
    cube.rounding = 0.05 * kRadius;
    area = std::pow(1.9 * kRadius, 2);
    const ShapeId shape = test::AddShape(scene, cube);
    for (int k = 0; world.IsRoot() && k < 2; ++k) {
      const double sign = k == 0 ? -1.0 : 1.0;
      test::AddClump(scene, state.particles, k, shape, Vec3(sign * kRadius, 0, 0), Quaternion());
      state.particles.velocity.back() = sign * velocity;
    }
  }
  /// Forces that press the bodies together.
  BodyForces Press(double force) const {
    BodyForces forces;
    for (std::size_t i = 0; i < state.particles.owned; ++i) {
      forces.force.push_back((state.particles.id[i] == 1 ? -force : force) * Vec3::UnitX());
      forces.torque.push_back(Vec3::Zero());
    }
    return forces;
  }
  double KineticEnergy() const {
    double energy = 0.0;
    for (std::size_t i = 0; i < state.particles.owned; ++i) {
      energy += 0.5 * test::Mass(kRadius) * state.particles.velocity[i].squaredNorm();
    }
    return world.Sum(energy);
  }
};

/// Sum of λ and L over all contacts in the last step, as they act on the body with x > 0 [N s].
Vec3 ImpulseOn(const Pair& pair, const TimeStep& step) {
  Vec3 sum = Vec3::Zero();
  const std::vector<Vec3> impulses = step.Impulses(), law_impulses = step.ImpulsesOfLaws();
  for (std::size_t j = 0; j < impulses.size(); ++j) {
    const auto a = static_cast<std::size_t>(step.Contacts()[j].a);
    const double sign = pair.state.particles.id[a] == 1 ? 1.0 : -1.0;
    sum += sign * (impulses[j] + law_impulses[j]);
  }
  double parts[3] = {sum.x(), sum.y(), sum.z()};
  pair.world.Sum(parts);
  return {parts[0], parts[1], parts[2]};
}

struct PullResult {
  double peak = 0.0;  // largest force against the motion [N]
  double work = 0.0;  // done until the bond breaks [J]
  int steps = 0;      // until the bond breaks
  BondCounts counts;
  BondEnergies energies;
};

/// Moves heavy bodies apart at a constant speed until their bond is broken.
/// @param press_force  presses the bodies together meanwhile [N]
/// @param steps  maximum number of steps
PullResult Pull(Pair& pair, const Vec3& velocity, double press_force = 0.0, int steps = 2000) {
  TimeStep step = test::Start(pair.world, pair.scene, pair.parameters, pair.state);
  PullResult result;
  const Vec3 direction = velocity.normalized();
  do {
    const BodyForces forces = pair.Press(press_force);
    step.Advance(pair.state, {}, 0, kNoEvent, &forces);
    const Vec3 impulse = ImpulseOn(pair, step);
    result.peak = std::max(result.peak, -impulse.dot(direction) / pair.parameters.dt);
    result.work -= impulse.dot(velocity);
    result.counts = step.CountBonds();
  } while (++result.steps < steps && result.counts.intact > 0);
  result.energies = step.EnergiesOfBonds();
  return result;
}

class BondDamage : public testing::TestWithParam<test::NamedScheme> {};
INSTANTIATE_TEST_SUITE_P(All, BondDamage, testing::ValuesIn(test::kSchemes), test::NameOfScheme);

/// Number of steps until the peak, where the force has a kink. The mean force over a step is lower
/// than the peak by up to kPeakError.
constexpr double kStepsToPeak = 100.0, kPeakError = 1.0 / kStepsToPeak;
constexpr int kStepsPastPeak = 150;  // more steps than the load needs to reach the peak

// A restart orders the bonds by particles.
TEST(BondEnergies, DoNotDependOnTheOrderOfTheBonds) {
  std::vector<Bond> bonds(1000);
  for (std::size_t k = 0; k < bonds.size(); ++k) {
    bonds[k].area = kArea;
    bonds[k].stored_energy[0] = kEnergy * kArea / (1.7 + static_cast<double>(k));
    bonds[k].intact_fraction[0] = 1.0 / (1.3 + static_cast<double>(k));
  }
  const std::vector<BondRule> rules = {{.name = "glue", .fracture_energy = kEnergy}};
  const BondEnergies energies = EnergiesOf(rules, bonds);
  std::ranges::reverse(bonds);
  const BondEnergies reversed = EnergiesOf(rules, bonds);
  EXPECT_GT(energies.stored, 0.0);
  EXPECT_EQ(energies.stored, reversed.stored);
  EXPECT_EQ(energies.damage, reversed.damage);
}

TEST_P(BondDamage, SpheresPullOffAtTheTensileStrength) {
  for (const double dt : {1e-5, 1e-4, 1e-3}) {
    Pair pair(GetParam(), dt, kHeavy);
    const Vec3 velocity(kPath / (kStepsToPeak * dt), 0, 0);
    pair.AddSpheres(0.5 * velocity);
    const PullResult result = Pull(pair, velocity, 0.0, kStepsPastPeak);
    EXPECT_NEAR(result.peak / (kArea * kTension), 1.0, kPeakError) << dt;
    EXPECT_LE(result.peak, kArea * kTension * (1.0 + 1e-9));
    EXPECT_GT(result.energies.damage, 0.1 * kArea * kEnergy);
  }
}

/// The pressed bodies are cubes. Sliding spheres would lose contact, because their normal rotates.
TEST_P(BondDamage, ShearedBondCarriesItsStrengthAndTheFrictionOfItsLoad) {
  for (const double press_force : {0.0, 5.0}) {
    // With heavier bodies rounding errors would be noticeable forces.
    Pair pair(GetParam(), 1e-4, press_force > 0.0 ? 1e11 : kHeavy);
    const Vec3 velocity(0, kShearPath / (kStepsToPeak * 1e-4), 0);
    press_force > 0.0 ? pair.AddCubes(Kernel::kCoulomb, 0.5 * velocity)
                      : pair.AddSpheres(0.5 * velocity);
    const PullResult result = Pull(pair, velocity, press_force, kStepsPastPeak);
    EXPECT_NEAR((result.peak - kFriction * press_force) / (pair.area * kShear), 1.0, kPeakError);
    EXPECT_GT(result.energies.damage, 0.1 * pair.area * kEnergy);
  }
}

TEST_P(BondDamage, FacesYieldAtTheirStrengths) {
  for (const Kernel kernel : {Kernel::kCoulomb, Kernel::kMaxDissipation}) {
    for (const bool is_shear : {false, true}) {
      Pair pair(GetParam(), 1e-4, kHeavy);
      constexpr double kSteps = 30.0;  // until the peak
      const double speed = (is_shear ? kShearPath : kPath) / (kSteps * 1e-4);
      const Vec3 velocity = speed * (is_shear ? Vec3::UnitY() : Vec3::UnitX());
      pair.AddCubes(kernel, 0.5 * velocity);
      const PullResult result = Pull(pair, velocity);
      EXPECT_NEAR(result.peak / (pair.area * (is_shear ? kShear : kTension)), 1.0, 1.0 / kSteps);
      EXPECT_NEAR(result.work / (pair.area * kEnergy), 1.0, 1e-3);
      EXPECT_EQ(is_shear ? result.counts.broken_shear : result.counts.broken_tension, 1);
    }
  }
}

/// The points of a bond are nearer to the centre than the corners. If faces rotated about these
/// points, the corners would overlap.
TEST_P(BondDamage, FacesThatBendOpenDoNotOverlapAtTheirCorners) {
  Pair pair(GetParam(), 1e-4, 1e5);
  pair.AddCubes(Kernel::kCoulomb, Vec3::Zero());
  const Vec3 moment(0, 0, kTension * pair.area * 1.9 * kRadius / 3.0);
  TimeStep step = test::Start(pair.world, pair.scene, pair.parameters, pair.state);
  double deepest = 0.0;
  for (int k = 0; k < 2000 && (k == 0 || step.CountBonds().intact > 0); ++k) {
    BodyForces forces;
    for (std::size_t i = 0; i < pair.state.particles.owned; ++i) {
      forces.force.push_back(Vec3::Zero());
      forces.torque.push_back(pair.state.particles.id[i] == 1 ? moment : Vec3(-moment));
    }
    step.Advance(pair.state, {}, 0, kNoEvent, &forces);
    deepest = std::max(deepest, step.Observe(pair.state).max_penetration);
  }
  EXPECT_EQ(step.CountBonds().broken_tension, 1);
  EXPECT_LT(deepest, 0.005 * kRadius);
}

TEST_P(BondDamage, WorkToBreakIsTheFractureEnergyInStepsOfAnyLength) {
  for (const double steps_to_peak : {0.3, 1.0, 3.0, 10.0}) {
    for (const Vec3& direction : {Vec3(1, 0, 0), Vec3(0, 0, -1), Vec3(0.6, 0.8, 0)}) {
      Pair pair(GetParam(), 1e-4, kHeavy);
      const Vec3 velocity = kPath / (steps_to_peak * 1e-4) * direction;
      pair.AddSpheres(0.5 * velocity);
      const PullResult result = Pull(pair, velocity);
      EXPECT_NEAR(result.work / (kArea * kEnergy), 1.0, 1e-3)
          << steps_to_peak << " " << direction.x();
      // The normal of sliding spheres rotates by up to 0.015 rad.
      const double error = direction.x() == 1.0 ? 1e-8 : 3e-5;
      EXPECT_NEAR(result.work / result.energies.damage, 1.0, error) << steps_to_peak;
      EXPECT_EQ(result.energies.stored, 0.0);
      EXPECT_EQ(direction.x() < 1.0 ? result.counts.broken_shear : result.counts.broken_tension, 1);
    }
  }
}

/// Two light spheres fly apart. Their bond takes the energy that they lose.
TEST_P(BondDamage, BreakingTakesItsEnergyFromTheMotion) {
  double error = 1.0;
  for (const double dt : {1e-5, 1e-6}) {
    Pair pair(GetParam(), dt);
    const double speed = std::sqrt(2.0 * kArea * kEnergy / test::Mass(kRadius));  // twice the work
    pair.AddSpheres(Vec3(speed, 0, 0));
    const double energy_before = pair.KineticEnergy();
    TimeStep step = test::Start(pair.world, pair.scene, pair.parameters, pair.state);
    do {
      step.Advance(pair.state);
    } while (step.CountBonds().intact > 0 && step.StepsDone() < 100000);
    const double lost_energy = energy_before - pair.KineticEnergy();
    const double excess = lost_energy / step.EnergiesOfBonds().damage - 1.0;
    EXPECT_GE(excess, 0.0);  // the scheme damps
    EXPECT_LT(excess, 0.2 * error);
    EXPECT_NEAR(step.EnergiesOfBonds().damage / (kArea * kEnergy), 1.0, 1e-3);
    error = excess;
  }
  EXPECT_LT(error, 0.01);
}

/// A sudden load stretches a spring by at most twice its elongation at rest.
TEST_P(BondDamage, StiffBondsHoldASuddenLoadOfHalfTheirStrength) {
  for (const double stiffness_ratio : {1.0, 1e3, 1e6}) {
    for (const double load_ratio : {0.499, 1.001}) {
      Pair pair(GetParam(), 1e-4);
      // stiffness_ratio = dt² c S/m for two masses m and a bond of area S and stiffness c [Pa/m].
      const double c = stiffness_ratio * test::Mass(kRadius) / (1e-8 * kArea);
      pair.scene.bonds[0].fracture_energy = kTension * kTension / c;
      pair.AddSpheres(Vec3::Zero());
      TimeStep step = test::Start(pair.world, pair.scene, pair.parameters, pair.state);
      double largest = 0.0;
      for (int k = 0; k < 300 && step.CountBonds().intact + (k == 0 ? 1 : 0) > 0; ++k) {
        const BodyForces forces = pair.Press(-load_ratio * kTension * kArea);
        step.Advance(pair.state, {}, 0, kNoEvent, &forces);
        const auto bodies = test::GatherById(pair.world, pair.state.particles);
        largest = std::max(largest, (bodies.at(1).position - bodies.at(0).position).norm());
      }
      const BondCounts counts = step.CountBonds();
      EXPECT_EQ(counts.intact, load_ratio < 1.0 ? 1 : 0) << stiffness_ratio << " " << load_ratio;
      if (load_ratio > 1.0) continue;
      EXPECT_LT(largest - 2.0 * kRadius, 2.0 * load_ratio * kTension / c * 1.0001);
    }
  }
}

/// Errors of the sweeps strain the bonds by a thousandth of their path, and do not grow. With
/// θ = 1/2 (solvers/batches/damage.hpp) they grew threefold in each step. Without the sweeps that a
/// step adds for stiff bonds they grew more than tenfold.
TEST_P(BondDamage, ErrorsOfSweepsDoNotGrowInAStiffLattice) {
  constexpr double kStiff = 1e4, kStep = 1e-3;  // dt² c S/m [-]; time step [s]
  constexpr int kSpheres = 5;                   // along each axis
  Pair lattice(GetParam(), kStep);
  const double c = kStiff * test::Mass(kRadius) / (kStep * kStep * kArea);
  lattice.scene.bonds[0].fracture_energy = kTension * kTension / c;
  for (int i = 0; lattice.world.IsRoot() && i < kSpheres * kSpheres * kSpheres; ++i) {
    const Vec3 site(i % kSpheres - 2, i / kSpheres % kSpheres - 2, i / kSpheres / kSpheres - 2);
    test::AddSphere(lattice.state.particles, i, 2.0 * kRadius * site, kRadius,
                    1e-6 * Vec3(std::sin(7.0 * i), std::sin(11.0 * i), std::sin(13.0 * i)));
  }
  TimeStep step = test::Start(lattice.world, lattice.scene, lattice.parameters, lattice.state);
  const double fracture_energy = kArea * lattice.scene.bonds[0].fracture_energy;
  const double bonds = 3.0 * kSpheres * kSpheres * (kSpheres - 1);
  const double bound = lattice.KineticEnergy() + 10.0 * bonds * 0.5e-6 * fracture_energy;
  for (int k = 0; k < 30; ++k) {
    step.Advance(lattice.state);
    const BondEnergies energies = step.EnergiesOfBonds();
    EXPECT_LT(lattice.KineticEnergy() + energies.stored, bound) << k;
    EXPECT_EQ(energies.damage, 0.0);
  }
}

/// A chain across all ranks is pulled at its ends. Its steps have the default number of sweeps.
TEST_P(BondDamage, ChainHoldsOnlyLoadsBelowItsStrength) {
  for (const double load_ratio : {0.45, 1.05}) {
    Pair chain(GetParam(), 1e-4);
    constexpr int kSpheres = 8;
    for (int k = 0; chain.world.IsRoot() && k < kSpheres; ++k) {
      test::AddSphere(chain.state.particles, k, Vec3((2 * k + 1 - kSpheres) * kRadius, 0, 0),
                      kRadius);
    }
    TimeStep step = test::Start(chain.world, chain.scene, chain.parameters, chain.state);
    for (int k = 0; k < 200 && step.CountBonds().broken_tension == 0; ++k) {
      BodyForces forces;
      for (std::size_t i = 0; i < chain.state.particles.owned; ++i) {
        const ParticleId id = chain.state.particles.id[i];
        const double sign = id == 0 ? -1.0 : id == kSpheres - 1 ? 1.0 : 0.0;
        forces.force.push_back(sign * load_ratio * kTension * kArea * Vec3::UnitX());
        forces.torque.push_back(Vec3::Zero());
      }
      step.Advance(chain.state, {}, 0, kNoEvent, &forces);
    }
    const BondCounts counts = step.CountBonds();
    if (load_ratio > 1.0) {
      EXPECT_GT(counts.broken_tension, 0);
      continue;
    }
    EXPECT_EQ(counts.intact, kSpheres - 1);
    const auto bodies = test::GatherById(chain.world, chain.state.particles);
    const double stretch = (bodies.at(kSpheres - 1).position - bodies.at(0).position).norm() -
                           2.0 * (kSpheres - 1) * kRadius;
    EXPECT_NEAR(stretch / ((kSpheres - 1) * load_ratio * kPath), 1.0, 0.2);
  }
}

/// A chain crosses the borders of subdomains and a periodic end while its bonds are damaged, and
/// continues from its restart point.
TEST_P(BondDamage, BondsMigrateAndContinueWithTheSameBits) {
  Pair pair(GetParam(), 1e-4);
  pair.scene.domain.periodic = {true, false, false};
  constexpr int kSpheres = 6;
  for (int k = 0; pair.world.IsRoot() && k < kSpheres; ++k) {
    test::AddSphere(pair.state.particles, k, Vec3(-0.09 + 2.0 * kRadius * k, 0, 0), kRadius,
                    Vec3(5.0 + 0.045 * k, 0.004 * (k % 2), 0.002 * k), Vec3(0.3, 0.2 * k, 0));
  }
  // Spheres at rest: because the chain moves relative to them, lists are rebuilt.
  for (int k = 0; pair.world.IsRoot() && k < 2 * kSpheres; ++k) {
    test::AddSphere(pair.state.particles, 100 + k, Vec3(-0.09 + 0.015 * k, 0.08, 0), 0.5 * kRadius);
  }
  TimeStep step = test::Start(pair.world, pair.scene, pair.parameters, pair.state);
  for (int k = 0; k < 200; ++k) step.Advance(pair.state);
  EXPECT_GE(step.CountBonds().intact, 3);
  EXPECT_GT(step.EnergiesOfBonds().damage, 0.01 * kArea * kEnergy);
  EXPECT_GT(step.EnergiesOfBonds().stored, 0.0);
  const auto [restarted, restarted_state] = test::ExpectRestartWithTheSameBits(
      pair.world, pair.scene, pair.parameters, step, pair.state, 200);
  for (int k = 0; k < 200; ++k) step.Advance(pair.state);
  EXPECT_GT(step.Rebuilds(), 2);
  EXPECT_EQ(restarted.CountBonds().intact, step.CountBonds().intact);
  EXPECT_EQ(restarted.EnergiesOfBonds().damage, step.EnergiesOfBonds().damage);
  EXPECT_EQ(restarted.EnergiesOfBonds().stored, step.EnergiesOfBonds().stored);
  test::ExpectSameBits(test::GatherById(pair.world, restarted_state.particles),
                       test::GatherById(pair.world, pair.state.particles));
}

}  // namespace
}  // namespace scree::bond_damage_test
