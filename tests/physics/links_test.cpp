// Links with joints and motors, compared with mechanics, on any number of ranks.
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <boost/numeric/odeint.hpp>
#include <cmath>
#include <numbers>
#include <tuple>
#include <vector>

#include "engine/scene/links.hpp"
#include "engine/scene/loops.hpp"
#include "tests/support/linked_scene.hpp"
#include "tests/support/same_bits.hpp"

namespace scree::links_test {
namespace {

constexpr double kRadius = 0.01, kGravity = 10.0;

struct World : test::LinkedScene {
  explicit World(double dt, const Communicator& communicator = Communicator::World())
      : LinkedScene(dt, {Vec3(-1.0, -0.1, -1.0), Vec3(1.0, 0.1, 1.0)}, kGravity, communicator) {}
  void AddGrain(ParticleId id, const Vec3& x, double radius = kRadius) {
    if (world.IsRoot()) test::AddSphere(state.particles, id, x, radius, Vec3::Zero());
  }
  const FreeWallState& JointState(std::size_t j) const { return state.free_walls[j]; }
};

// ---- pendulums

// Properties of each bar. kCentralInertia is the inertia about its middle.
constexpr double kLength = 0.2, kMass = 0.3, kCentralInertia = 1e-3;

/// Bars in a row along x from the origin. Each bar hangs on the one before it.
World Pendulum(std::size_t bars, double dt) {
  World test(dt, Communicator::Self());  // there is no work to divide among ranks
  for (std::size_t k = 0; k < bars; ++k) {
    const double x = kLength * static_cast<double>(k);
    const Index link = test.AddBlock("bar" + std::to_string(k),
                                     {Vec3(x, -0.01, -0.01), Vec3(x + kLength, 0.01, 0.01)}, kMass,
                                     Vec3(1e-4, kCentralInertia, kCentralInertia));
    test.AddJoint(JointKind::kHinge, link - 1, link, Vec3(x, 0, 0), Vec3::UnitY());
  }
  return test;
}

using Angles = Eigen::VectorXd;  // angles of the bars from the x axis, then their rates

/// m L (½ + number of bars behind bar i). Multiplied by g, this is the torque of the weight of
/// bar i and the bars behind it about the hinge of bar i while the chain is horizontal.
double MomentOf(Eigen::Index bars, Eigen::Index i) {
  return kMass * kLength * (0.5 + static_cast<double>(bars - 1 - i));
}

/// The inertia I_ik of bars i and k in Lagrange's equations (RatesOf).
double InertiaOf(Eigen::Index bars, Eigen::Index i, Eigen::Index k) {
  const double bars_behind = static_cast<double>(bars - 1 - std::max(i, k));
  return i == k ? kMass * kLength * kLength * (0.25 + bars_behind) + kCentralInertia
                : kMass * kLength * kLength * (0.5 + bars_behind);
}

/// Lagrange's equations of the same chain in absolute angles θ, measured from x towards −z (a
/// right-handed rotation about y): Σ_k I_ik cos(θ_i − θ_k) θ̈_k = −Σ_k I_ik sin(θ_i − θ_k) θ̇_k² +
/// g w_i cos θ_i, with I_ik = InertiaOf and w_i = MomentOf.
Angles RatesOf(const Angles& y) {
  const Eigen::Index n = y.size() / 2;
  Eigen::MatrixXd m(n, n);
  Eigen::VectorXd b(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    b[i] = kGravity * MomentOf(n, i) * std::cos(y[i]);
    for (Eigen::Index k = 0; k < n; ++k) {
      m(i, k) = InertiaOf(n, i, k) * std::cos(y[i] - y[k]);
      b[i] -= InertiaOf(n, i, k) * std::sin(y[i] - y[k]) * y[n + k] * y[n + k];
    }
  }
  Angles rates(2 * n);
  rates << y.tail(n), m.ldlt().solve(b);
  return rates;
}

/// Reference by an adaptive method of fifth order (Dormand and Prince) with tolerances of 1e-12.
Angles Reference(Eigen::Index bars, double time) {
  namespace odeint = boost::numeric::odeint;
  using Numbers = std::vector<double>;
  Numbers y(2 * static_cast<std::size_t>(bars));
  odeint::integrate_adaptive(
      odeint::make_controlled<odeint::runge_kutta_dopri5<Numbers>>(1e-12, 1e-12),
      [bars](const Numbers& angles, Numbers& rates, double) {
        Angles::Map(rates.data(), 2 * bars) = RatesOf(Angles::Map(angles.data(), 2 * bars));
      },
      y, 0.0, time, 1e-3);
  return Angles::Map(y.data(), 2 * bars);
}

/// The period of the slowest small oscillation of the hanging chain: I δθ̈ = −diag(g w) δθ.
double PeriodOf(Eigen::Index bars) {
  Eigen::MatrixXd inertia(bars, bars), stiffness = Eigen::MatrixXd::Zero(bars, bars);
  for (Eigen::Index i = 0; i < bars; ++i) {
    stiffness(i, i) = kGravity * MomentOf(bars, i);
    for (Eigen::Index k = 0; k < bars; ++k) inertia(i, k) = InertiaOf(bars, i, k);
  }
  const Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd> modes(stiffness, inertia);
  return 2.0 * std::numbers::pi / std::sqrt(modes.eigenvalues()[0]);
}

/// The largest error of a bar's angle in the first period T, for the step T/steps [rad].
double ErrorOf(std::size_t bars, int steps) {
  const double dt = PeriodOf(static_cast<Eigen::Index>(bars)) / steps;
  World test = Pendulum(bars, dt);
  TimeStep step = test.Start();
  double error = 0.0;
  for (int n = 1; n <= steps; ++n) {
    step.Advance(test.state);
    if (n % (steps / 10) != 0) continue;
    const Angles reference = Reference(static_cast<Eigen::Index>(bars), n * dt);
    double angle = 0.0;
    for (std::size_t k = 0; k < bars; ++k) {
      angle += test.JointState(k).travel;
      error = std::max(error, std::abs(angle - reference[static_cast<Eigen::Index>(k)]));
    }
  }
  return error;
}

/// The chain starts horizontal, so the amplitude is ½ π. T is the period of small oscillations.
TEST(LinksAlone, ErrorsOfPendulumsAreBelowOnePercentAndHalveWithTheStep) {
  for (const std::size_t bars : {1, 2, 3}) {
    const double coarse = ErrorOf(bars, 1000), fine = ErrorOf(bars, 2000);
    EXPECT_LT(coarse, 0.01 * 0.5 * std::numbers::pi) << bars;
    EXPECT_NEAR(fine / coarse, 0.5, 0.03) << bars << ": " << coarse << " " << fine;
  }
}

/// Kinetic and potential energy of the chain, divided by the work of the weight from the horizontal
/// to the hanging chain [-].
/// @param joints  angles and rates of the joints
double EnergyOf(const std::vector<FreeWallState>& joints) {
  double energy = 0.0, potential = 0.0, angle = 0.0, rate = 0.0;
  Vec3 end = Vec3::Zero(), speed = Vec3::Zero();
  for (std::size_t k = 0; k < joints.size(); ++k) {
    angle += joints[k].travel;
    rate += joints[k].speed;
    const Vec3 bar = kLength * Vec3(std::cos(angle), 0.0, -std::sin(angle));
    const Vec3 change = rate * Vec3::UnitY().cross(bar);
    const Vec3 v = speed + 0.5 * change;
    energy += 0.5 * kMass * v.squaredNorm() + 0.5 * kCentralInertia * rate * rate +
              kMass * kGravity * (end + 0.5 * bar).z();
    potential += kMass * kGravity * kLength * (0.5 + static_cast<double>(k));
    end += bar;
    speed += change;
  }
  return energy / potential;
}

/// The largest change of the energy in five periods T, for the step T/steps. Speeds belong to the
/// middle of a step, so that the mean of two speeds belongs to the positions between these steps.
double DriftOf(std::size_t bars, int steps) {
  World test = Pendulum(bars, PeriodOf(static_cast<Eigen::Index>(bars)) / steps);
  TimeStep step = test.Start();
  double drift = 0.0;
  for (int n = 0; n < 5 * steps; ++n) {
    std::vector<FreeWallState> joints(bars);
    std::copy_n(test.state.free_walls.begin(), bars, joints.begin());
    step.Advance(test.state);
    for (std::size_t k = 0; k < bars; ++k) {
      joints[k].speed = 0.5 * (joints[k].speed + test.JointState(k).speed);
    }
    drift = std::max(drift, std::abs(EnergyOf(joints)));
  }
  return drift;
}

TEST(LinksAlone, EnergiesOfPendulumsDriftWithTheSquareOfTheStep) {
  for (const auto& [bars, bound] : {std::pair(1, 1e-5), std::pair(2, 1e-3), std::pair(3, 1e-2)}) {
    const auto n = static_cast<std::size_t>(bars);
    const double coarse = DriftOf(n, 1000), fine = DriftOf(n, 2000);
    EXPECT_LT(coarse, bound) << bars;
    EXPECT_LT(fine / coarse, 0.4) << bars << ": " << coarse << " " << fine;
  }
}

// ---- springs

/// A row of sliders along x with masses of 1 kg and a spring each, without weight.
World Springs(double dt, const std::vector<double>& stiffness) {
  World test(dt, Communicator::Self());
  test.scene.gravity = Vec3::Zero();
  for (std::size_t k = 0; k < stiffness.size(); ++k) {
    const Index link =
        test.AddBlock("mass" + std::to_string(k), {Vec3::Constant(-0.01), Vec3::Constant(0.01)},
                      1.0, Vec3::Constant(1e-3));
    test.AddJoint(JointKind::kSlider, link - 1, link, Vec3::Zero(), Vec3::UnitX()).spring =
        stiffness[k];
  }
  return test;
}

/// Starts automatic steps, which are short while the first joint is fast: the radius of a grain at
/// rest limits the path of the links in a step.
TimeStep StartAutomaticSteps(World& test, double travel) {
  test.parameters.dt = kBaseStep;
  test.parameters.accuracy = kAccuracy;
  test::AddPlane(test.scene, Vec3(0, 0, -0.9), Vec3::UnitZ());
  test.AddGrain(0, Vec3(0.5, 0, -0.9 + kRadius));
  TimeStep step = test.Start();
  test.state.free_walls[0].travel = travel;
  return step;
}

/// The largest change of the energy in automatic steps, relative to a unit of `energy_of`.
/// @param energy_of  function of the position and the speed at one time
template <class Energy>
double DriftInAutomaticSteps(World test, double travel, double time, const Energy& energy_of) {
  TimeStep step = StartAutomaticSteps(test, travel);
  double drift = 0.0, shortest = 1.0, longest = 0.0;
  while (kBaseStep * static_cast<double>(test.state.step) < time) {
    const FreeWallState before = test.JointState(0);
    step.Advance(test.state);
    const FreeWallState& after = test.JointState(0);
    // The speed at the beginning of the step, between the middles of two steps.
    const double speed = (after.last_length * before.speed + before.last_length * after.speed) /
                         (before.last_length + after.last_length);
    drift = std::max(drift, std::abs(energy_of(before.travel, speed)));
    shortest = std::min(shortest, after.last_length);
    longest = std::max(longest, after.last_length);
  }
  EXPECT_GT(longest, 1.5 * shortest);
  return drift;
}

/// The scheme damps the spring by 0.7 % in these 20 periods (free_tree.hpp). If forces acted for
/// the length of a step, the spring would lose 78 % and the pendulum 8 % of its energy.
TEST(LinksAlone, SpringAndPendulumKeepTheirEnergyInStepsThatFollowTheirSpeed) {
  constexpr double kSpring = 400.0, kTravel = 0.1;
  const double spring_drift = DriftInAutomaticSteps(
      Springs(kBaseStep, {kSpring}), kTravel, 40.0 * std::numbers::pi / std::sqrt(kSpring),
      [](double travel, double speed) {
        return (speed * speed / kSpring + travel * travel) / (kTravel * kTravel) - 1.0;
      });
  EXPECT_LT(spring_drift, 0.015);
  const double pendulum_drift = DriftInAutomaticSteps(
      Pendulum(1, kBaseStep), 0.0, 20.0 * PeriodOf(1),
      [](double travel, double speed) { return EnergyOf({{.travel = travel, .speed = speed}}); });
  EXPECT_LT(pendulum_drift, 1e-3);
}

/// The kinetic energy belongs to the middle of a step, too.
TEST(LinksAlone, WorkOfTheWeightIsThatUpToTheMiddleOfTheStep) {
  constexpr double kTravel = 0.1;
  World test = Springs(kBaseStep, {400.0});
  test.scene.gravity = Vec3(0, 0, -kGravity);
  test.scene.joints[0].axis = Vec3::UnitZ();
  TimeStep step = StartAutomaticSteps(test, kTravel);
  for (int k = 0; k < 1000; ++k) {
    step.Advance(test.state);
    const FreeWallState& mass = test.JointState(0);
    const double middle = mass.travel - 0.5 * mass.last_length * mass.speed;
    ASSERT_NEAR(mass.weight_energy, -kGravity * (middle - kTravel), 1e-12) << k;
  }
}

/// The initial speed is the exact speed half a step before the start.
TEST(LinksAlone, SpringKeepsItsEnergyAndErrorsFallWithTheSquareOfTheStep) {
  constexpr double kTravel = 0.1, kSteps = 100.0;  // number of the longer steps in a period
  double errors[2] = {};
  for (const int fine : {1, 2}) {
    World test = Springs(1e-3, {1.0});
    const double angle = 2.0 * std::numbers::pi / (kSteps * fine), rate = angle / 1e-3;  // ω dt, ω
    test.scene.joints[0].spring = rate * rate;
    TimeStep step = test.Start();
    FreeWallState& state = test.state.free_walls[0];
    state.travel = kTravel;
    state.speed = kTravel * rate * std::sin(0.5 * angle);
    double largest = 0.0;
    for (int k = 1; k <= 10 * fine * static_cast<int>(kSteps); ++k) {
      step.Advance(test.state);
      errors[fine - 1] =
          std::max(errors[fine - 1], std::abs(state.travel - kTravel * std::cos(k * angle)));
      if (k > 9 * fine * static_cast<int>(kSteps)) largest = std::max(largest, state.travel);
    }
    EXPECT_LT(1.0 - largest / kTravel, 3e-3 / fine);
  }
  EXPECT_LT(errors[0], 0.012 * kTravel);
  EXPECT_NEAR(errors[1] / errors[0], 0.25, 0.02) << errors[0] << " " << errors[1];
}

TEST(LinksAlone, SpringsOfAnyStiffnessAreStableAndStiffOnesComeToRest) {
  constexpr double kStep = 1e-3, kTravel = 0.1;
  for (const double first : {1e2, 1e4, 1e6, 4e6, 1e7, 1e12}) {
    for (const double second : {1.0, 1e6, 3e6, 1e8, 1e14}) {
      World test = Springs(kStep, {first, second, first});
      TimeStep step = test.Start();
      for (FreeWallState& state : test.state.free_walls) state.travel = kTravel;
      double largest = 0.0;
      for (int k = 0; k < 2000; ++k) {
        step.Advance(test.state);
        for (std::size_t j = 0; j < 3; ++j) {
          largest = std::max(largest, std::abs(test.JointState(j).travel));
        }
      }
      EXPECT_LT(largest, 10.0 * kTravel) << first << " " << second;
      if (first < 1e6 || second < 1e6) continue;
      for (std::size_t j = 0; j < 3; ++j) {
        EXPECT_LT(std::abs(test.JointState(j).travel), 1e-6) << first << " " << second;
      }
    }
  }
}

// ---- momentum

/// A horizontal slider carries a bob on a hinge. The momentum along the slider is conserved.
TEST(LinksAlone, SwingOnASledgeConservesMomentum) {
  World test(1e-4);
  const Index sledge = test.AddBlock("sledge", {Vec3(-0.02, -0.02, -0.02), Vec3(0.02, 0.02, 0.02)},
                                     0.5, Vec3::Constant(1e-4));
  test.AddJoint(JointKind::kSlider, Joint::kGround, sledge, Vec3::Zero(), Vec3::UnitX());
  const Index bob = test.AddBlock("bob", {Vec3(0.08, -0.02, -0.02), Vec3(0.12, 0.02, 0.02)}, 0.2,
                                  Vec3::Constant(1e-4));
  test.AddJoint(JointKind::kHinge, sledge, bob, Vec3::Zero(), Vec3::UnitY());
  TimeStep step = test::Start(test.world, test.scene, test.parameters, test.state);
  double fastest = 0.0;
  for (int k = 0; k < 4000; ++k) {
    step.Advance(test.state);
    const FreeWallState &slider = test.JointState(0), &hinge = test.JointState(1);
    const double bob_speed = slider.speed - 0.1 * std::sin(hinge.travel) * hinge.speed;
    EXPECT_NEAR(0.5 * slider.speed + 0.2 * bob_speed, 0.0, 2e-3) << k;
    fastest = std::max(fastest, std::abs(slider.speed));
  }
  EXPECT_GT(fastest, 0.2);
}

TEST(LinksAlone, FixedLinkMovesAsOneBodyWithItsParent) {
  const auto fall_of = [](bool is_divided) {
    World test(1e-4);
    const Vec3 moments(1e-3, 2e-3, 1.5e-3);
    const double fraction = is_divided ? 0.5 : 1.0;
    const Index first = test.AddBlock("a", {Vec3(0.05, -0.02, -0.02), Vec3(0.09, 0.02, 0.02)},
                                      fraction * 0.4, fraction * moments);
    test.AddJoint(JointKind::kHinge, Joint::kGround, first, Vec3::Zero(), Vec3::UnitY());
    if (is_divided) {
      test.AddBlock("b", {Vec3(0.05, -0.02, -0.02), Vec3(0.09, 0.02, 0.02)}, fraction * 0.4,
                    fraction * moments);
      test.AddJoint(JointKind::kFixed, first, 1, Vec3::Zero(), Vec3::Zero());
    }
    test.Run(1000);
    return test.JointState(0).travel;
  };
  EXPECT_NEAR(fall_of(true), fall_of(false), 1e-12);
  EXPECT_GT(fall_of(false), 0.1);
}

// ---- gears

/// Two bars on hinges and a block on a vertical slider, all joined to the ground. The second bar
/// rotates at `ratio` times the rate of the first; the slider rises by `lead_of_screw` per
/// revolution of the second bar.
World GearTrain(double dt, double ratio, double lead_of_screw, const Communicator& communicator) {
  World test(dt, communicator);
  const auto add = [&](double y, double mass, double moment) {
    return test.AddBlock("bar" + std::to_string(test.scene.links.size()),
                         {Vec3(0.0, y, -0.01), Vec3(kLength, y + 0.02, 0.01)}, mass,
                         Vec3(moment, moment, moment));
  };
  // The joints and the gears are in different orders.
  test.AddJoint(JointKind::kSlider, Joint::kGround, add(-0.06, 0.5, 1e-3), Vec3::Zero(),
                Vec3::UnitZ());
  test.AddJoint(JointKind::kHinge, Joint::kGround, add(-0.01, 0.2, 2e-3), Vec3(0.5 * kLength, 0, 0),
                Vec3::UnitY());
  test.AddJoint(JointKind::kHinge, Joint::kGround, add(0.04, 0.2, 3e-3), Vec3(0.5 * kLength, 0, 0),
                Vec3::UnitY());
  test.scene.joints[2].geared_to = 1;
  test.scene.joints[2].ratio = ratio;
  test.scene.joints[0].geared_to = 2;
  test.scene.joints[0].ratio = lead_of_screw;
  return test;
}

TEST(GearsAlone, WinchFallsWithTheInertiaOfAllGearedLinks) {
  constexpr double kRatio = -2.5, kLeadOfScrew = 0.05;
  World test = GearTrain(1e-3, kRatio, kLeadOfScrew, Communicator::Self());
  test.scene.joints[1].force = 0.03;
  TimeStep step = test::Start(test.world, test.scene, test.parameters, test.state);
  const double rise =
      kRatio * kLeadOfScrew / (2.0 * std::numbers::pi);  // per radian of the first bar
  const double inertia = 2e-3 + kRatio * kRatio * 3e-3 + rise * rise * 0.5;
  const double rate = (0.03 - rise * 0.5 * kGravity) / inertia;
  for (int k = 1; k <= 500; ++k) {
    step.Advance(test.state);
    ASSERT_NEAR(test.JointState(1).speed, k * 1e-3 * rate, 1e-11) << k;
    ASSERT_NEAR(test.JointState(2).travel, kRatio * test.JointState(1).travel, 1e-14);
  }
  EXPECT_NEAR(test.JointState(0).travel,
              kLeadOfScrew / (2.0 * std::numbers::pi) * test.JointState(2).travel, 1e-14);
  // Gears take no energy.
  double total_work = 0.0;
  for (std::size_t j = 0; j < 3; ++j) {
    total_work += test.JointState(j).motor_energy + test.JointState(j).weight_energy;
  }
  const double speed = test.JointState(1).speed;
  EXPECT_NEAR(total_work, 0.5 * inertia * speed * speed, 1e-12);
}

TEST(GearsAlone, MotorStallsAtItsTorqueDividedByTheRatioOfItsGear) {
  constexpr double kRatio = 0.25;
  World test = GearTrain(1e-3, kRatio, 0.0, Communicator::Self());
  test.scene.joints[0].geared_to = -1;
  test.scene.joints[0].lower = 0.0;
  Joint& motor = test.scene.joints[1];
  motor.drive = JointDrive::kToSpeed;
  motor.target = 2.0;
  motor.largest = 0.1;
  test.scene.joints[2].spring = 5.0;
  test.scene.joints[2].damping = 1.0;
  test.Run(5000);
  EXPECT_NEAR(test.JointState(2).travel, 0.1 / kRatio / 5.0, 1e-9);
}

TEST(GearsAlone, PositionsStayInTheirRatioOverManyTurns) {
  for (const double ratio : {3.0, 2.5, -0.1, 20.0 / 37.0}) {
    World test = GearTrain(1e-2, ratio, 0.0, Communicator::Self());
    test.scene.gravity = Vec3::Zero();
    test.scene.joints[0].geared_to = -1;
    test.scene.joints[1].drive = JointDrive::kToSpeed;
    test.scene.joints[1].target = 40.0;
    test.scene.joints[1].largest = 1e3;
    test.Run(3000);
    const double travel = test.JointState(1).travel;
    EXPECT_NEAR(travel, 1200.0, 1.0);
    EXPECT_NEAR(test.JointState(2).travel, ratio * travel, 1e-12 * travel) << ratio;
  }
}

/// A spindle of 10 kg m² moves a nut of 1 g by 0.1 mm per revolution.
TEST(GearsAlone, FineScrewStopsAtTheLimitOfItsNut) {
  World test = GearTrain(1e-3, 1.0, 1e-4, Communicator::Self());
  test.scene.joints[2].geared_to = -1;
  test.scene.joints[0].geared_to = 1;
  test.scene.links[1].inertia = Mat3(Vec3::Constant(10.0).asDiagonal());
  test.scene.links[0].mass = 1e-3;
  test.scene.joints[1].force = 1e3;
  test.scene.joints[0].upper = 1e-3;
  test.Run(1500);
  EXPECT_NEAR(test.JointState(0).travel, 1e-3, 1e-9);
  EXPECT_NEAR(test.JointState(1).travel, 20.0 * std::numbers::pi, 1e-4);
  EXPECT_NEAR(test.JointState(1).speed, 0.0, 1e-6);
}

TEST(Links, ImpactOnAGearedBarHasTheInertiaOfAllLinks) {
  constexpr double kRatio = 3.0;
  double rebound_speeds[2] = {}, rates[2] = {};
  for (const bool is_geared : {false, true}) {
    World test = GearTrain(1e-4, kRatio, 0.0, Communicator::World());
    test.scene.gravity = Vec3::Zero();
    test.scene.joints[0].geared_to = -1;
    if (!is_geared) {
      test.scene.joints[2].geared_to = -1;
      test.scene.links[1].inertia += kRatio * kRatio * test.scene.links[2].inertia;
    }
    test.AddGrain(1, Vec3(0.18, 0.0, 0.021));
    if (test.world.IsRoot()) test.state.particles.velocity[0] = Vec3(0, 0, -0.5);
    test.Run(100);
    rates[is_geared] = test.JointState(1).speed;
    double speed = 0.0;
    for (std::size_t i = 0; i < test.state.particles.owned; ++i) {
      speed = test.state.particles.velocity[i].z();
    }
    rebound_speeds[is_geared] = test.world.Sum(speed);
  }
  EXPECT_GT(rates[0], 0.01);
  EXPECT_NEAR(rates[1], rates[0], 1e-12);
  EXPECT_NEAR(rebound_speeds[1], rebound_speeds[0], 1e-12);
}

// ---- closed loops

LoopJoint HingeAt(Index parent, Index child, const Vec3& point, const Vec3& axis) {
  return {"loop", parent, child, point, axis};
}

/// A crank about y at the origin, a rod on its end, and a block that slides along x. A loop hinge
/// connects the block to the end of the rod.
constexpr double kCrank = 0.05, kRod = 0.15;
World SliderCrank(double dt) {
  World test(dt, Communicator::Self());
  test.scene.gravity = Vec3::Zero();
  const auto block = [&](double x, double mass, double moment) {
    return test.AddBlock("bar" + std::to_string(test.scene.links.size()),
                         {Vec3(x - 0.01, -0.01, -0.01), Vec3(x + 0.01, 0.01, 0.01)}, mass,
                         Vec3(moment, moment, moment));
  };
  const Index crank = block(0.5 * kCrank, 0.2, 1e-4), rod = block(kCrank + 0.5 * kRod, 0.3, 1e-3),
              piston = block(kCrank + kRod, 0.4, 1e-4);
  test.AddJoint(JointKind::kHinge, Joint::kGround, crank, Vec3::Zero(), Vec3::UnitY());
  test.AddJoint(JointKind::kHinge, crank, rod, Vec3(kCrank, 0, 0), Vec3::UnitY());
  test.AddJoint(JointKind::kSlider, Joint::kGround, piston, Vec3::Zero(), Vec3::UnitX());
  test.scene.loop_joints = {HingeAt(rod, piston, Vec3(kCrank + kRod, 0, 0), Vec3::UnitY())};
  return test;
}

double PistonAt(double angle) {
  const double height = kCrank * std::sin(angle);
  return kCrank * std::cos(angle) + std::sqrt(kRod * kRod - height * height);
}

TEST(LoopsAlone, PistonFollowsItsCrankExactly) {
  World test = SliderCrank(1e-3);
  Joint& motor = test.scene.joints[0];
  motor.drive = JointDrive::kToSpeed;
  motor.target = 10.0;
  motor.largest = 100.0;
  TimeStep step = test::Start(test.world, test.scene, test.parameters, test.state);
  for (int k = 0; k < 1500; ++k) {
    step.Advance(test.state);
    ASSERT_NEAR(kCrank + kRod + test.JointState(2).travel, PistonAt(test.JointState(0).travel),
                1e-12);
  }
  EXPECT_NEAR(test.JointState(0).travel, 15.0, 0.1);
}

TEST(LoopsAlone, PistonFollowsItsCrankForHundredsOfTurns) {
  World test = SliderCrank(1e-2);
  Joint& motor = test.scene.joints[0];
  motor.drive = JointDrive::kToSpeed;
  motor.target = 60.0;
  motor.largest = 1e4;
  test.Run(10500);
  const double angle = test.JointState(0).travel;
  EXPECT_GT(angle, 5000.0);
  EXPECT_NEAR(kCrank + kRod + test.JointState(2).travel, PistonAt(angle), 1e-11);
}

/// One speed determines those of all joints, so the rows of their friction depend on each other.
TEST(LoopsAlone, FrictionInAllJointsStopsAMechanism) {
  World test = SliderCrank(1e-3);
  test.scene.joints[0].force = 0.05;
  test.Run(600);
  EXPECT_GT(test.JointState(0).speed, 1.0);
  for (Joint& joint : test.scene.joints)
    joint.friction = joint.kind == JointKind::kSlider ? 1 : 0.1;
  test.Run(1000);
  const double angle = test.JointState(0).travel;
  test.Run(100);
  EXPECT_NEAR(test.JointState(0).travel, angle, 1e-15);
  EXPECT_NEAR(kCrank + kRod + test.JointState(2).travel, PistonAt(angle), 1e-12);
}

/// A plane mechanism is rotated in space, and its axes are rounded to seven digits.
TEST(LoopsAlone, AxesParallelToSevenDigitsMakeAPlaneMechanism) {
  World test = SliderCrank(1e-3);
  const Mat3 rotation =
      (Eigen::AngleAxisd(0.7, Vec3::UnitX()) * Eigen::AngleAxisd(0.4, Vec3::UnitZ()))
          .toRotationMatrix();
  const auto rounded = [](Vec3 axis) {
    for (double& component : axis) component = 1e-7 * std::round(1e7 * component);
    return Vec3(axis.normalized());
  };
  for (Joint& joint : test.scene.joints) {
    joint.point = rotation * joint.point;
    joint.axis = rounded(rotation * joint.axis);
  }
  for (Link& link : test.scene.links) link.centre = rotation * link.centre;
  LoopJoint& loop = test.scene.loop_joints[0];
  loop.point = rotation * loop.point;
  loop.axis = rounded(rotation * loop.axis);
  ASSERT_EQ(DegreesOfFreedomOfTrees(test.scene), std::vector<std::size_t>{1});
  test.scene.joints[0].force = 0.05;
  test.Run(2000);
  EXPECT_GT(test.JointState(0).travel, 6.0);
  EXPECT_NEAR(kCrank + kRod + test.JointState(2).travel, PistonAt(test.JointState(0).travel), 1e-6);
}

/// All axes of a universal joint meet in one point. Its shafts, bent by the angle β, rotate by θ
/// and φ with tan φ = cos β tan θ.
TEST(LoopsAlone, UniversalJointTransmitsItsAngle) {
  constexpr double kBend = 0.5;
  const Vec3 centre(0.1, 0.02, 0.03), out(std::cos(kBend), 0.0, std::sin(kBend));
  World test(1e-3, Communicator::Self());
  test.scene.gravity = Vec3::Zero();
  for (const char* name : {"in", "cross", "out"}) {
    test.AddBlock(name, {centre - Vec3::Constant(0.01), centre + Vec3::Constant(0.01)}, 0.1,
                  Vec3::Constant(1e-4));
  }
  test.AddJoint(JointKind::kHinge, Joint::kGround, 0, centre, Vec3::UnitX());
  test.AddJoint(JointKind::kHinge, 0, 1, centre, Vec3::UnitY());
  test.AddJoint(JointKind::kHinge, Joint::kGround, 2, centre, out);
  test.scene.loop_joints = {HingeAt(1, 2, centre, Vec3(std::sin(kBend), 0.0, -std::cos(kBend)))};
  ASSERT_EQ(DegreesOfFreedomOfTrees(test.scene), std::vector<std::size_t>{1});
  test.scene.joints[0].drive = JointDrive::kToSpeed;
  test.scene.joints[0].target = 1.0;
  test.scene.joints[0].largest = 1e2;
  TimeStep step = test::Start(test.world, test.scene, test.parameters, test.state);
  for (int k = 0; k < 1200; ++k) step.Advance(test.state);
  EXPECT_NEAR(test.JointState(0).travel, 1.2, 1e-3);
  EXPECT_NEAR(std::tan(test.JointState(2).travel),
              std::cos(kBend) * std::tan(test.JointState(0).travel), 1e-11);
}

/// The work of a torque on the crank becomes the kinetic energy of all links.
TEST(LoopsAlone, ErrorsOfTheEnergyOfALoopHalveWithTheStep) {
  const auto error = [](double dt) {
    World test = SliderCrank(dt);
    test.scene.joints[0].force = 0.05;
    test.Run(static_cast<int>(std::lround(0.4 / dt)));
    const double angle = test.JointState(0).travel, rate = test.JointState(0).speed;
    constexpr double kSmall = 1e-6;  // for derivatives by differences
    const auto rod_angle = [](double crank_angle) {
      return std::asin(kCrank / kRod * std::sin(crank_angle));
    };
    const auto middle = [&](double crank_angle) {
      return Vec3(kCrank * std::cos(crank_angle) + 0.5 * kRod * std::cos(rod_angle(crank_angle)),
                  0.0,
                  kCrank * std::sin(crank_angle) - 0.5 * kRod * std::sin(rod_angle(crank_angle)));
    };
    const double angle_above = angle + kSmall, angle_below = angle - kSmall;
    const Vec3 middle_rate = (middle(angle_above) - middle(angle_below)) / (2.0 * kSmall);
    const double rod_rate = (rod_angle(angle_above) - rod_angle(angle_below)) / (2.0 * kSmall);
    const double piston_rate = (PistonAt(angle_above) - PistonAt(angle_below)) / (2.0 * kSmall);
    const double inertia = 1e-4 + 0.2 * 0.25 * kCrank * kCrank + 0.3 * middle_rate.squaredNorm() +
                           1e-3 * rod_rate * rod_rate + 0.4 * piston_rate * piston_rate;
    return 0.5 * inertia * rate * rate / (0.05 * angle) - 1.0;
  };
  const double coarse = error(4e-4), fine = error(2e-4);
  EXPECT_LT(std::abs(fine), 0.01);
  EXPECT_NEAR(fine / coarse, 0.5, 0.05) << coarse << " " << fine;
}

/// The angles β, Θ, γ, Φ, δ, Ω, ε of Andrews' squeezing mechanism after 0.03 s. The mechanism is a
/// DAE of the Test Set for IVP Solvers (Mazzia and Magherini, 2008, part II.7).
struct AndrewsAngles {
  std::array<double, 7> angles, half_a_step_before;
};
AndrewsAngles AndrewsAnglesAfter(double dt) {
  constexpr double kXa = -0.06934, kYa = -0.00227, kXb = -0.03635, kYb = 0.03273, kXc = 0.014,
                   kYc = 0.072;
  constexpr std::array<double, 7> kStart = {-0.0617138900142764496, 0.0,
                                            0.455279819163070380,   0.222668390165885885,
                                            0.487364979543842550,   -0.222668390165885885,
                                            1.23054744454982119};
  const auto [beta, theta, gamma, phi, delta, omega, epsilon] = kStart;
  const auto forward = [](double angle) { return Vec3(std::cos(angle), std::sin(angle), 0.0); };
  const auto downward = [](double angle) { return Vec3(std::sin(angle), -std::cos(angle), 0.0); };
  const Vec3 o = Vec3::Zero(), a(kXa, kYa, 0), b(kXb, kYb, 0), c(kXc, kYc, 0);
  const Vec3 pin = 0.007 * forward(beta), f = pin - 0.028 * forward(beta + theta);
  const Vec3 delta_end = a + 0.04 * forward(delta), epsilon_end = a + 0.04 * downward(epsilon);
  const Vec3 d = b + 0.02 * forward(gamma) + 0.018 * downward(gamma);

  World test(dt, Communicator::Self());
  test.scene.gravity = Vec3::Zero();
  const auto hinge = [&](Index parent, const Vec3& point, const Vec3& centre, double mass,
                         double moment) {
    const Index link = test.AddBlock("k" + std::to_string(test.scene.links.size()),
                                     {centre - Vec3::Constant(1e-3), centre + Vec3::Constant(1e-3)},
                                     mass, Vec3::Constant(moment));
    test.AddJoint(JointKind::kHinge, parent, link, point, Vec3::UnitZ());
    return link;
  };
  const Index ground = Joint::kGround;
  const Index k1 = hinge(ground, o, 0.00092 * forward(beta), 0.04325, 2.194e-6);
  test.scene.joints.back().force = 0.033;
  const Index k2 = hinge(k1, pin, pin - 0.0115 * forward(beta + theta), 0.00365, 4.41e-7);
  const Index k3 =
      hinge(ground, b, b + std::hypot(0.01874, 0.01043) * forward(0.0), 0.02373, 5.255e-6);
  const Index k5 =
      hinge(ground, a, a + std::hypot(0.02308, 0.00916) * forward(0.0), 0.0705, 1.169e-5);
  const Index k4 =
      hinge(k5, delta_end, delta_end + (0.02 - 0.01421) * downward(phi + delta), 0.00706, 5.667e-7);
  const Index k7 =
      hinge(ground, a, a + std::hypot(0.01228, 0.00449) * forward(0.0), 0.05498, 1.912e-5);
  const Index k6 = hinge(k7, epsilon_end, epsilon_end + (0.02 - 0.01421) * forward(omega + epsilon),
                         0.00706, 5.667e-7);
  // The spring is a slider between two links of negligible mass.
  constexpr double kMassOfStrut = 1e-9, kMomentOfStrut = 1e-13;
  const Index outer = hinge(ground, c, c, kMassOfStrut, kMomentOfStrut);
  const Index inner = test.AddBlock("inner", {d - Vec3::Constant(1e-3), d + Vec3::Constant(1e-3)},
                                    kMassOfStrut, Vec3::Constant(kMomentOfStrut));
  Joint& strut =
      test.AddJoint(JointKind::kSlider, outer, inner, Vec3::Zero(), (d - c).normalized());
  strut.spring = 4530.0;
  strut.rest = 0.07785 - (d - c).norm();
  for (const auto& [parent, child, point] :
       {std::tuple(k2, k3, f), {k2, k4, f}, {k2, k6, f}, {inner, k3, d}}) {
    test.scene.loop_joints.push_back(HingeAt(parent, child, point, Vec3::UnitZ()));
  }
  test.Run(static_cast<int>(std::lround(0.03 / dt)));
  const auto angles = [&](double half_step) {
    const auto angle_of = [&](std::size_t joint, double start) {
      return start + test.JointState(joint).travel - half_step * test.JointState(joint).speed;
    };
    return std::array<double, 7>{angle_of(0, beta),   angle_of(1, theta), angle_of(2, gamma),
                                 angle_of(4, phi),    angle_of(3, delta), angle_of(6, omega),
                                 angle_of(5, epsilon)};
  };
  return {angles(0.0), angles(0.5 * dt)};
}

/// An initial speed counts as the speed half a step before the start, so the state is half a step
/// ahead in time. Without this shift the errors are of second order.
TEST(LoopsAlone, AndrewsMechanismHasThreeDigitsOfAllPublishedAngles) {
  constexpr std::array<double, 7> kPublished = {
      15.81077119629904,  -15.75637105984298, 0.04082224013073101, -0.5347301163226948,
      0.5244099658805304, 0.5347301163226948, 1.048080741042263};
  const auto coarse = AndrewsAnglesAfter(4e-6), fine = AndrewsAnglesAfter(1e-6);
  for (std::size_t k = 0; k < 7; ++k) {
    const auto error = [&](double angle) { return angle / kPublished[k] - 1.0; };
    EXPECT_LT(std::abs(error(fine.angles[k])), 2e-4) << k;
    EXPECT_NEAR(error(fine.angles[k]) / error(coarse.angles[k]), 0.25, 0.01) << k;
    EXPECT_LT(std::abs(error(fine.half_a_step_before[k])), 5e-6) << k;
    EXPECT_LT(std::abs(error(coarse.half_a_step_before[k])), 5e-5) << k;
  }
}

// ---- motors, limits, friction

/// A bar on a hinge at the origin, along x, without weight.
World Bar(double dt) {
  World test = Pendulum(1, dt);
  test.scene.gravity = Vec3::Zero();
  return test;
}
constexpr double kBarInertia = kCentralInertia + kMass * 0.25 * kLength * kLength;

TEST(LinksAlone, MotorOfLimitedTorqueReachesAndKeepsItsSpeed) {
  World test = Bar(1e-3);
  Joint& joint = test.scene.joints[0];
  joint.drive = JointDrive::kToSpeed;
  joint.target = 2.0;
  joint.largest = 0.02;
  TimeStep step = test::Start(test.world, test.scene, test.parameters, test.state);
  for (int k = 1; k <= 1000; ++k) {
    step.Advance(test.state);
    ASSERT_NEAR(test.JointState(0).speed, std::min(2.0, k * 1e-3 * 0.02 / kBarInertia), 1e-12);
  }
  EXPECT_EQ(test.JointState(0).speed, 2.0);
  EXPECT_NEAR(test.JointState(0).motor_work, 0.5 * kBarInertia * 4.0, 1e-15);
}

/// Hundreds of iterations over the motors of a chain would not suffice, because the links at its
/// end are light compared with the links that carry them.
TEST(LinksAlone, MotorsOfALongChainMeetTheirSpeedsUnlessTheyStall) {
  constexpr std::size_t kBars = 20;
  constexpr double kStep = 1e-3;
  World test = Pendulum(kBars, kStep);
  for (std::size_t k = 0; k < kBars; ++k) {
    Joint& joint = test.scene.joints[k];
    joint.drive = JointDrive::kToSpeed;
    joint.target = k % 2 == 0 ? 0.2 : -0.2;
    joint.largest = k % 5 == 1 ? 0.5 : 1e3;
  }
  TimeStep step = test.Start();
  std::size_t stalled = 0;
  for (int n = 0; n < 100; ++n) {
    step.StartInterval(test.state);
    step.Advance(test.state);
    for (std::size_t k = 0; k < kBars; ++k) {
      const Joint& joint = test.scene.joints[k];
      const FreeWallState& state = test.JointState(k);
      const double missing = joint.target - state.speed;
      const double torque = state.motor_impulse / kStep;
      if (std::abs(torque) < (1.0 - 1e-9) * joint.largest) {
        ASSERT_NEAR(missing, 0.0, 1e-10) << n << " " << k;
      } else {
        ASSERT_NEAR(torque, std::copysign(joint.largest, missing), 1e-9 * joint.largest);
        ++stalled;
      }
    }
  }
  EXPECT_GT(stalled, 0u);
}

/// The weight of a heavy link presses the joints of the light links before it against their limits.
/// Friction has the same target there, and so have motors that keep the joints at rest.
TEST(LinksAlone, LimitsHoldAChainWhoseMotorsOrFrictionActToo) {
  for (const auto& [has_motors, motor_speed] : {std::pair(false, 0.0), {true, 0.0}, {true, 0.5}}) {
    World test = Pendulum(3, 5e-4);
    test.scene.links[2].mass *= 500.0;
    test.scene.links[2].inertia *= 500.0;
    for (Joint& joint : test.scene.joints) {
      joint.lower = -1.0;
      joint.upper = 0.0;
      joint.friction = 0.05;
      if (!has_motors) continue;
      joint.drive = JointDrive::kToSpeed;
      joint.target = motor_speed;
      joint.largest = 1.0;
    }
    test.Run(400);
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_NEAR(test.JointState(k).travel, 0.0, 1e-12) << k << " " << motor_speed;
    }
  }
}

/// The speed after a step is that in its middle. The mean torque between the middles of two steps
/// is exact for a table that is linear between beginnings of steps.
TEST(LinksAlone, MotorByTorqueFollowsItsTable) {
  World test = Bar(1e-3);
  Joint& joint = test.scene.joints[0];
  joint.drive = JointDrive::kByTorque;
  joint.forces = {{0.0, 0.2, 0.4}, {Vec3::Zero(), 0.02 * Vec3::UnitX(), 0.01 * Vec3::UnitX()}};
  test.Run(600);
  const double impulse = 0.5 * 0.2 * 0.02 + 0.5 * 0.2 * 0.03 + (0.2 - 0.5e-3) * 0.01;
  const FreeWallState& end = test.JointState(0);
  EXPECT_NEAR(end.speed, impulse / kBarInertia, 1e-12);
  EXPECT_NEAR(end.motor_impulse, impulse, 1e-15);
  EXPECT_NEAR(end.motor_work, 0.5 * kBarInertia * end.speed * end.speed, 1e-12);
  EXPECT_EQ(end.motor_energy, end.motor_work);
}

/// A torque a t turns the bar by a t³/(6 I).
TEST(LinksAlone, ErrorOfATorqueThatGrowsFallsWithTheSquareOfTheStep) {
  constexpr double kTorque = 0.02, kTime = 0.4;  // the torque at this time
  for (const int steps : {20, 40}) {
    World test = Bar(kTime / steps);
    Joint& joint = test.scene.joints[0];
    joint.drive = JointDrive::kByTorque;
    joint.forces = {{0.0, kTime}, {Vec3::Zero(), kTorque * Vec3::UnitX()}};
    test.Run(steps);
    const double angle = kTorque * kTime * kTime / (6.0 * kBarInertia);
    EXPECT_NEAR(test.JointState(0).travel / angle, 1.0, 0.3 / (steps * steps)) << steps;
  }
}

TEST(LinksAlone, PositionMotorArrivesAndStays) {
  World test = Bar(1e-3);
  test.scene.gravity = Vec3(0, 0, -kGravity);
  Joint& joint = test.scene.joints[0];
  joint.drive = JointDrive::kToPosition;
  joint.target = -0.7;
  joint.largest = 2.0;
  joint.largest_speed = 1.0;
  TimeStep step = test.Run(600);
  EXPECT_NEAR(test.JointState(0).travel, -0.6, 2e-2);  // still moving at the maximum speed
  for (int k = 0; k < 400; ++k) step.Advance(test.state);
  EXPECT_NEAR(test.JointState(0).travel, -0.7, 1e-12);
  step.StartInterval(test.state);
  step.Advance(test.state);
  const double weight = kMass * kGravity * 0.5 * kLength * std::cos(0.7);
  EXPECT_NEAR(test.JointState(0).motor_impulse / 1e-3, -weight, 1e-9);
}

/// From rest the motor accelerates with F/m for a third of the way x and brakes with F/2m, which
/// takes sqrt(6 x m/F). It does not pass the target, with or against the weight.
TEST(LinksAlone, PositionMotorWithLimitedForceBrakesInTime) {
  constexpr double kForce = 0.2, kTarget = 1.0;
  const double time = std::sqrt(6.0 * kTarget * kBarInertia / kForce);
  const double weight = kMass * kGravity * 0.5 * kLength;
  for (const double dt : {1e-4, 1e-3, 5e-3}) {
    World test = Bar(dt);
    Joint& joint = test.scene.joints[0];
    joint.drive = JointDrive::kToPosition;
    joint.target = kTarget;
    joint.largest = kForce;
    double highest = 0.0, arrival = 0.0;
    TimeStep step = test.Run(1);
    for (int k = 1; k * dt < 3.0 * time; ++k) {
      step.Advance(test.state);
      const double travel = test.JointState(0).travel;
      highest = std::max(highest, travel);
      if (arrival == 0.0 && travel > 0.99 * kTarget) arrival = (k + 1) * dt;
    }
    EXPECT_LT(highest, kTarget * (1.0 + 1e-12)) << dt;
    EXPECT_NEAR(test.JointState(0).travel, kTarget, 1e-9) << dt;
    const double last_hundredth = std::sqrt(4.0 * 0.01 * kTarget * kBarInertia / kForce);
    EXPECT_NEAR(arrival, time - last_hundredth, 0.01 * time + 2.0 * dt) << dt;
  }
  for (const double target : {1.0, -1.0}) {
    World test = Bar(1e-3);
    test.scene.gravity = Vec3(0, 0, -kGravity);
    Joint& joint = test.scene.joints[0];
    joint.drive = JointDrive::kToPosition;
    joint.target = target;
    joint.largest = 1.2 * weight;
    TimeStep step = test.Run(1);
    double farthest = 0.0;
    for (int k = 0; k < 5000; ++k) {
      step.Advance(test.state);
      farthest = std::max(farthest, test.JointState(0).travel / target);
    }
    EXPECT_LT(farthest, 1.0 + 1e-6) << target;
    EXPECT_NEAR(test.JointState(0).travel, target, 1e-6) << target;
  }
}

TEST(LinksAlone, LimitStopsAJointAndFrictionHoldsIt) {
  World test = Bar(1e-3);
  test.scene.gravity = Vec3(0, 0, -kGravity);
  test.scene.joints[0].upper = 0.5;
  test.Run(1000);
  EXPECT_NEAR(test.JointState(0).travel, 0.5, 1e-12);
  EXPECT_NEAR(test.JointState(0).speed, 0.0, 1e-12);
  const double weight = kMass * kGravity * 0.5 * kLength;
  for (const double ratio : {0.99, 1.01}) {
    World blocked = Bar(1e-3);
    blocked.scene.gravity = Vec3(0, 0, -kGravity);
    blocked.scene.joints[0].friction = ratio * weight;
    blocked.Run(100);
    if (ratio > 1.0) {
      EXPECT_NEAR(blocked.JointState(0).travel, 0.0, 1e-15);
    } else {
      EXPECT_GT(blocked.JointState(0).travel, 1e-5);
    }
  }
}

/// The work of the motor is the sum of the bar's energy, the loss by friction and the work on
/// particles.
TEST(Links, PowerIsBalanced) {
  World test = Bar(1e-4);
  Joint& joint = test.scene.joints[0];
  joint.drive = JointDrive::kToSpeed;
  joint.target = 3.0;
  joint.largest = 0.05;
  joint.friction = 0.01;
  joint.damping = 1e-3;
  for (int k = 0; k < 12; ++k) {
    test.AddGrain(k, Vec3(0.05 + 0.022 * (k % 6), 0.0, -0.03 - 0.022 * (k / 6)));
  }
  TimeStep step = test::Start(test.world, test.scene, test.parameters, test.state);
  for (int k = 0; k < 2000; ++k) step.Advance(test.state);
  const FreeWallState& end = test.JointState(0);
  const double bar_energy = 0.5 * kBarInertia * end.speed * end.speed;
  EXPECT_LT(end.load_work, -1e-4);
  EXPECT_GT(end.lost_work, 1e-3);
  EXPECT_NEAR(bar_energy, end.motor_work + end.load_work - end.lost_work, 1e-9 * end.motor_work);
}

// ---- in contact with particles

/// A box of particles with a paddle, which a motor rotates about y.
World Paddle(double torque, const Communicator& communicator = Communicator::World()) {
  World test(2e-4, communicator);
  test.scene.domain.box = {Vec3(-0.08, -0.04, -0.08), Vec3(0.08, 0.04, 0.1)};
  for (const int axis : {0, 1}) {
    const double half_width = axis == 0 ? 0.08 : 0.04;
    test::AddPlane(test.scene, -half_width * Vec3::Unit(axis), Vec3::Unit(axis));
    test::AddPlane(test.scene, half_width * Vec3::Unit(axis), -Vec3::Unit(axis));
  }
  test::AddPlane(test.scene, Vec3(0, 0, -0.08), Vec3::UnitZ());
  const Index link = test.AddBlock("paddle", {Vec3(-0.004, -0.036, -0.06), Vec3(0.004, 0.036, 0.0)},
                                   0.02, Vec3(1e-5, 1e-5, 1e-5));
  Joint& joint =
      test.AddJoint(JointKind::kHinge, Joint::kGround, link, Vec3::Zero(), Vec3::UnitY());
  joint.drive = JointDrive::kToSpeed;
  joint.target = 3.0;
  joint.largest = torque;
  ParticleId id = 0;
  for (int i = 0; i < 7; ++i) {
    for (int j = 0; j < 3; ++j) {
      for (int k = 0; k < 6; ++k) {
        const Vec3 x(-0.066 + 0.022 * i, -0.024 + 0.024 * j, -0.069 + 0.0211 * k);
        if (std::abs(x.x()) > 0.015) test.AddGrain(id++, x);
      }
    }
  }
  return test;
}

TEST(Links, MotorStallsAtItsTorqueAndContinuesWhenFreed) {
  World test = Paddle(0.05);
  const double free_time = 5000 * test.parameters.dt;
  test.scene.domain.box.lower.x() = -1.0;
  test.scene.walls[0].removed_at = free_time;  // the wall towards which it rotates
  TimeStep step = test.Run(4000);
  step.StartInterval(test.state);
  const double angle = test.JointState(0).travel;
  for (int k = 0; k < 999; ++k) step.Advance(test.state);
  const FreeWallState stalled = test.JointState(0);
  EXPECT_NEAR(stalled.motor_impulse / (999 * test.parameters.dt), 0.05, 1e-12);
  EXPECT_LT(std::abs(stalled.travel - angle), 0.02);
  for (int k = 0; k < 2000; ++k) step.Advance(test.state);
  EXPECT_GT(test.JointState(0).travel, stalled.travel + 0.3);
}

TEST(Links, JacobiHasTheSameBitsOnAnyRanks) {
  const auto run = [](World test) {
    test.parameters.solver.scheme = Scheme::kJacobi;
    test.Run(600);
    return std::pair(test.JointState(0), test::GatherById(test.world, test.state.particles));
  };
  const auto parallel = run(Paddle(0.3)), serial = run(Paddle(0.3, Communicator::Self()));
  EXPECT_EQ(parallel.first, serial.first);
  EXPECT_NE(parallel.first.travel, 0.0);
  test::ExpectSameBits(parallel.second, serial.second);
}

TEST(Links, RestartContinuesWithTheSameBits) {
  World test = Paddle(0.3);
  const TimeStep step = test.Run(333);
  const State end = test::ExpectRestartWithTheSameBits(test.world, test.scene, test.parameters,
                                                       step, test.state, 400)
                        .second;
  EXPECT_NE(end.free_walls.front().travel, 0.0);
}

/// Sliders press two jaws on a particle with a force F. They hold it if 2 μ F ≥ m g.
TEST(Links, GripperHoldsUpToTheLimitOfFriction) {
  const double weight = test::Mass(kRadius) * kGravity;
  const auto drop = [&](double ratio) {
    World test(1e-4);
    for (const double side : {-1.0, 1.0}) {
      const Vec3 middle(side * (kRadius + 0.01), 0, 0), half(0.01, 0.02, 0.02);
      const Index jaw = test.AddBlock(side < 0.0 ? "left" : "right", {middle - half, middle + half},
                                      0.05, Vec3::Constant(1e-5));
      Joint& joint =
          test.AddJoint(JointKind::kSlider, Joint::kGround, jaw, Vec3::Zero(), Vec3(-side, 0, 0));
      joint.force = ratio * weight / (2.0 * 0.5);  // μ = 0.5
    }
    test.AddGrain(1, Vec3::Zero());
    test.Run(1000);
    return -test::GatherById(test.world, test.state.particles).at(1).position.z();
  };
  EXPECT_GT(drop(0.99), 1e-4);
  EXPECT_LT(drop(1.01), 1e-6);
}

/// A lid up to 10⁴ times as heavy as its bed, or a light plate below heavy particles. The slider of
/// the lid or plate is mounted on another slider, which friction blocks.
TEST(Links, HeavyAndLightLinksRest) {
  for (const double ratio : {1e-3, 1.0, 1e3, 1e4}) {
    World test(1e-4);
    test.scene.domain.box = {Vec3(0, 0, -0.05), Vec3(0.06, 0.06, 0.3)};
    test::AddPlane(test.scene, Vec3(0, 0, ratio < 1.0 ? -0.04 : 0.0), Vec3::UnitZ());
    for (int axis = 0; axis < 2; ++axis) {
      test::AddPlane(test.scene, Vec3::Zero(), Vec3::Unit(axis));
      test::AddPlane(test.scene, 0.06 * Vec3::Unit(axis), -Vec3::Unit(axis));
    }
    ParticleId id = 0;
    for (int k = 0; k < 4; ++k) {
      const double shift = 0.004 * (k % 2);
      for (int n = 0; n < 4; ++n) {
        test.AddGrain(id++, Vec3(0.014 + shift + 0.024 * (n % 2), 0.014 + shift + 0.024 * (n / 2),
                                 0.011 + 0.0201 * k));
      }
    }
    const double mass = ratio * 16.0 * test::Mass(kRadius);
    const Index guide = test.AddBlock("guide", {Vec3(0.2, 0.2, 0.2), Vec3(0.21, 0.21, 0.21)}, mass,
                                      Vec3::Constant(1e-3 * mass));
    test.AddJoint(JointKind::kSlider, Joint::kGround, guide, Vec3::Zero(), Vec3::UnitX()).friction =
        1e6 * (mass + test::Mass(kRadius));
    Wall lid{"lid", {{Plane{Vec3(0, 0, 0.011 + 0.0201 * 4), -Vec3::UnitZ()}}}};
    lid.link = 1;
    test.scene.walls.push_back(lid);
    test.scene.links.push_back({.name = "lid",
                                .mass = mass,
                                .centre = Vec3(0.03, 0.03, 0.1),
                                .inertia = Mat3(Vec3::Constant(1e-3 * mass).asDiagonal())});
    Joint& slider_joint =
        test.AddJoint(JointKind::kSlider, guide, Index{1}, Vec3::Zero(), Vec3::UnitZ());
    if (ratio < 1.0) {  // a plate on a spring below the particles
      test.scene.walls.back().shape = {{Plane{Vec3::Zero(), Vec3::UnitZ()}}};
      slider_joint.spring = 17.0 * test::Mass(kRadius) * kGravity / 0.002;
      slider_joint.damping = 5.0;
    }
    TimeStep step = test.Run(6000);
    step.EnableWallLoads(true);
    double load = 0.0;
    for (int k = 0; k < 500; ++k) {
      step.Advance(test.state);
      load += step.Observe(test.state).wall_loads.back().force.z() / 500;
    }
    const double spring = -slider_joint.spring * test.JointState(1).travel;
    EXPECT_NEAR(load / (mass * kGravity - spring), 1.0, 1e-2) << ratio;
    EXPECT_LT(std::abs(test.JointState(1).speed), 1e-3) << ratio;
    EXPECT_EQ(test.JointState(0).travel, 0.0) << ratio;
    EXPECT_LT(step.Observe(test.state).max_penetration, 1e-2 * kRadius) << ratio;
  }
}

/// A motor holds a light plate under a bed. With smooth walls the plate carries the weight of the
/// grains, with rough walls the part that the walls do not carry.
TEST(Links, LightPlateCarriesTheLoadThatTheWallsDoNotCarry) {
  for (const double friction : {0.0, 0.5}) {
    World test(1e-4);
    test.scene.domain.box = {Vec3(0, 0, -0.05), Vec3(0.06, 0.06, 0.3)};
    const MaterialId side = test.scene.materials.Add({"side", 2650.0}, friction);
    for (int axis = 0; axis < 2; ++axis) {
      test::AddPlane(test.scene, Vec3::Zero(), Vec3::Unit(axis));
      test::AddPlane(test.scene, 0.06 * Vec3::Unit(axis), -Vec3::Unit(axis));
    }
    for (Wall& wall : test.scene.walls) wall.material = side;
    // An irregular bed, because a regular stack may topple at any time.
    for (int id = 0; id < 24; ++id) {
      const double x = 0.014 + 0.024 * (id % 2), y = 0.014 + 0.024 * (id / 2 % 2);
      test.AddGrain(id, Vec3(x + 0.004 * std::sin(1.0 + 2.0 * id),
                             y + 0.004 * std::sin(2.0 + 3.0 * id), 0.011 + 0.0201 * (id / 4)));
    }
    Wall plate{"plate", {{Plane{Vec3::Zero(), Vec3::UnitZ()}}}};
    plate.link = 0;
    test.scene.walls.push_back(plate);
    const double mass = test::Mass(kRadius), weight = 24.0 * mass * kGravity;
    test.scene.links.push_back({.name = "plate",
                                .mass = 0.024 * mass,
                                .centre = Vec3(0.03, 0.03, 0),
                                .inertia = Mat3(Vec3::Constant(1e-6).asDiagonal())});
    Joint& joint =
        test.AddJoint(JointKind::kSlider, Joint::kGround, 0, Vec3::Zero(), Vec3::UnitZ());
    joint.drive = JointDrive::kToPosition;
    joint.largest = 10.0 * weight;
    TimeStep step = test.Run(6000);
    step.EnableWallLoads(true);
    step.StartInterval(test.state);
    // The upward momentum of the particles, some of which still roll.
    const auto momentum = [&] {
      double sum = 0.0;
      const Particles& particles = test.state.particles;
      for (std::size_t i = 0; i < particles.owned; ++i) sum += mass * particles.velocity[i].z();
      return test.world.Sum(sum);
    };
    const double momentum_before = momentum();
    double wall_force = 0.0;
    for (int k = 0; k < 500; ++k) {
      step.Advance(test.state);
      const auto loads = step.Observe(test.state).wall_loads;
      for (int w = 0; w < 4; ++w) wall_force += loads[static_cast<std::size_t>(w)].force.z() / 500;
    }
    const double rate = (momentum() - momentum_before) / (500 * 1e-4);
    const FreeWallState& state = test.JointState(0);
    const double load = state.impulse / (500 * 1e-4), motor = state.motor_impulse / (500 * 1e-4);
    EXPECT_NEAR(load + wall_force, -weight - rate, 1e-6 * weight);
    EXPECT_NEAR(motor + load, 0.024 * mass * kGravity, 1e-6 * weight);
    EXPECT_EQ(friction > 0.0, std::abs(wall_force) > 1e-6 * weight) << wall_force / weight;
  }
}

/// A motor drives a carriage sideways. Its foot is free to move vertically, down to a limit.
TEST(Links, FootOfADrivenCarriageFallsToItsLimit) {
  World test(1e-4);
  const Index carriage = test.AddBlock(
      "carriage", {Vec3(-0.01, -0.01, 0.2), Vec3(0.01, 0.01, 0.22)}, 0.1, Vec3::Constant(1e-5));
  Joint& drive =
      test.AddJoint(JointKind::kSlider, Joint::kGround, carriage, Vec3::Zero(), Vec3::UnitX());
  drive.drive = JointDrive::kToSpeed;
  drive.target = 0.2;
  drive.largest = 50.0;
  const Index foot = test.AddBlock("foot", {Vec3(-0.01, -0.01, 0.02), Vec3(0.01, 0.01, 0.04)}, 0.1,
                                   Vec3::Constant(1e-5));
  test.AddJoint(JointKind::kSlider, carriage, foot, Vec3::Zero(), Vec3::UnitZ()).lower = -0.005;
  test.Run(2000);
  EXPECT_NEAR(test.JointState(0).travel, 0.2 * 2000 * 1e-4, 1e-3);
  EXPECT_NEAR(test.JointState(1).travel, -0.005, 1e-12);
}

}  // namespace
}  // namespace scree::links_test
