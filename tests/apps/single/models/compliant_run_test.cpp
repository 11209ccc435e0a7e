// Compliant contacts of the two pendulums: published contacts, both force models, bad input.
#include "apps/single/models/compliant_run.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <map>

#include "apps/single/models/pendulum_pair.hpp"
#include "apps/single/models/routh.hpp"
#include "solvers/base/check.hpp"
#include "tests/support/draw.hpp"
#include "tests/support/message_of.hpp"

namespace scree::impact::compliant_run_test {
namespace {

constexpr double kPublishedError = 1e-6;  // required accuracy of times and velocities
constexpr CompliantModel kModels[] = {CompliantModel::kLinearDamping,
                                      CompliantModel::kHuntCrossley};
const Vec2 kStart(3.14159265358979323846 / 12.0, -3.14159265358979323846 / 2.0);

CompliantRun Simulate(const CompliantContact& contact, double end = 8.0) {
  ImpactRunControl control;
  control.end = end;
  return RunCompliant(PendulumPair({}, kStart), contact, kStart, Vec2::Zero(), control);
}

struct PublishedContact {
  double t, duration, mass, speed, restitution;
  Vec2 velocity_before, velocity_after;
  double penetration, separation, force;
};

void ExpectPublished(const CompliantRun& run, const PublishedContact (&published)[3]) {
  // The published extremes are maxima over samples. They are below the true extremes by up to
  // 1.1e-3, as the integrated impact of the effective mass shows.
  constexpr double kSampled = 1.5e-3;
  ASSERT_EQ(run.impacts.size(), 3u);
  EXPECT_EQ(run.stop_reason, "");
  for (std::size_t i = 0; i < 3; ++i) {
    const CompliantImpact& impact = run.impacts[i];
    const PublishedContact& p = published[i];
    EXPECT_NEAR(impact.t, p.t, kPublishedError);
    EXPECT_NEAR(impact.duration, p.duration, 1e-3 * kPublishedError);
    EXPECT_NEAR(impact.effective_mass, p.mass, kPublishedError);
    EXPECT_NEAR(impact.speed_in, p.speed, kPublishedError);
    EXPECT_NEAR(impact.speed_out / impact.speed_in, p.restitution, kPublishedError);
    EXPECT_LT((impact.velocity_before - p.velocity_before).norm(), kPublishedError);
    EXPECT_LT((impact.velocity_after - p.velocity_after).norm(), kPublishedError);
    EXPECT_GE(impact.max_penetration, p.penetration);
    EXPECT_LE(impact.max_penetration, p.penetration * (1.0 + kSampled));
    EXPECT_NEAR(impact.separation_penetration, p.separation, 1e-9);
    EXPECT_GE(impact.max_force, p.force * (1.0 - 1e-6));
    EXPECT_LE(impact.max_force, p.force * (1.0 + kSampled));
    // Gravity acts during the contact as well, which the expected impulse neglects.
    EXPECT_NEAR(impact.impulse, p.mass * p.speed * (1.0 + p.restitution), 1e-2 * impact.impulse);
    EXPECT_TRUE(impact.has_separated);
    EXPECT_EQ(impact.friction_impulse, 0.0);
    EXPECT_EQ(impact.friction_loss, 0.0);
  }
}

TEST(CompliantRun, PublishedLinearContactsAreReproduced) {
  const PublishedContact published[] = {
      {1.1424458183715558, 0.0003791896164262454, 0.08112563082303755, 10.310489925855446,
       0.30075751712780463, Vec2(-0.399706542428969, 2.5625491406881697),
       Vec2(-0.07552286373380336, -0.9727240428085747), 0.0009770628759242209,
       0.0006005851316177075, 4893.790501544396},
      {3.762041005409255, 0.0005055640094431268, 0.08203289471373616, 2.4929001470569734,
       0.3008509666339135, Vec2(-0.026942658684576352, 0.6931953299943705),
       Vec2(0.0466071170365938, -0.17163042801382028), 0.00031514044666963714,
       0.00019379250121930353, 896.7141870930287},
      {6.692355287482666, 0.0005302904941917319, 0.08129457144181408, 1.9259436315179825,
       0.30088259024683117, Vec2(0.10446830999815743, 0.6626221371599005),
       Vec2(0.16455522053261468, 0.0009548970038453458), 0.000255394096702308,
       0.00015708971607114806, 654.3717964904786}};
  ExpectPublished(Simulate({}), published);
}

TEST(CompliantRun, PublishedHuntCrossleyContactsAreReproduced) {
  const PublishedContact published[] = {
      {1.1424458183715558, 0.0006314660197996869, 0.08112563082303755, 10.310489925855446,
       0.25637023033253553, Vec2(-0.399706542428969, 2.5625491406881697),
       Vec2(-0.08659619814490524, -0.8520119041644207), 0.001025551437984201, 0.0,
       7156.736887811841},
      {3.86330942911113, 0.0008921474480829694, 0.08204256483624289, 1.8592076326356228,
       0.25737745875393153, Vec2(-0.03926504311153307, 0.49862631283284),
       Vec2(0.01350000208605897, -0.12508547234167175), 0.00026157394364576333, 0.0,
       921.9794310491475},
      {6.8641956385877885, 0.0009170371201001615, 0.08155451371409969, 1.599042377129829,
       0.25754775136092845, Vec2(0.11532110890242783, 0.5775697955749326),
       Vec2(0.1628165868881261, 0.044840266120209596), 0.00023131403185011195, 0.0,
       766.3910234649494}};
  ExpectPublished(Simulate({.model = CompliantModel::kHuntCrossley}), published);
}

// The energy loss of a contact is the area of its force-penetration loop. The spring returns its
// energy, except for the part that remains when a contact with a linear damper separates.
TEST(CompliantRun, AreaOfTheForceLoopIsTheEnergyLoss) {
  for (const auto model : kModels) {
    const CompliantRun run = Simulate({.model = model}, 2.0);
    ASSERT_EQ(run.impacts.size(), 1u);
    const CompliantImpact& impact = run.impacts.front();
    ASSERT_GT(impact.force.size(), 50u);
    double area = 0.0;
    ForceSample previous = impact.force.front();
    for (const ForceSample& sample : impact.force) {
      const double power = std::pow(std::max(sample.penetration, 0.0), 1.5);
      const double damper = model == CompliantModel::kHuntCrossley ? power : 1.0;
      EXPECT_NEAR(sample.force, 1e8 * power + impact.damping * damper * sample.speed, 1e-6);
      EXPECT_GE(sample.force, -1e-6) << "the contact never pulls";
      area += 0.5 * (previous.force + sample.force) * (sample.penetration - previous.penetration);
      previous = sample;
    }
    EXPECT_NEAR(previous.force, 0.0, 1e-6);
    const double energy_loss = impact.energy_before - impact.energy_after;
    EXPECT_NEAR(area, energy_loss, 1e-3 * energy_loss)
        << "by the trapezoid rule over some hundred steps";
  }
}

TEST(CompliantRun, ElasticContactsKeepTheEnergy) {
  for (const auto model : kModels) {
    const CompliantRun run = Simulate({.model = model, .restitution = 1.0});
    ASSERT_FALSE(run.impacts.empty());
    for (const CompliantImpact& impact : run.impacts) {
      EXPECT_NEAR(impact.energy_after, impact.energy_before, 1e-8);
      EXPECT_EQ(impact.damping, 0.0);
    }
  }
}

TEST(CompliantRun, StiffContactsApproachRigidContacts) {
  const PendulumPair pair({}, kStart);
  ImpactRunControl control;
  control.end = 3.0;
  const ImpactRun rigid = RunWithImpacts(pair, {kStart, Vec2::Zero(), 0.0, 1.0}, control);
  CompliantContact contact{.restitution = 1.0};
  double last_error = 1.0;
  for (const double stiffness : {1e6, 1e8, 1e10}) {
    contact.stiffness = stiffness;
    const CompliantRun run = Simulate(contact, 2.0);
    const double error =
        (run.impacts.at(0).velocity_after - rigid.impacts.at(0).velocity_after).norm();
    EXPECT_LT(error, 0.5 * last_error);
    last_error = error;
  }
  EXPECT_LT(last_error, 1e-3);
}

// A light rod comes to rest on a heavy one and swings with it: several hundred impacts, then
// contact.
TEST(CompliantRun, PermanentContactIsReportedAndSampledSparsely) {
  const PendulumPairParameters p{.m1 = 5.0, .L2 = 1.0, .a = 0.1};
  const Vec2 start(0.3, 0.0);
  for (const auto model : kModels) {
    ImpactRunControl control;
    control.end = 8.0;
    const CompliantRun run =
        RunCompliant(PendulumPair(p, start), {.model = model}, start, Vec2::Zero(), control);
    EXPECT_EQ(run.stop_reason, "");
    std::size_t samples = run.trajectory.size();
    bool has_lasted = false;
    for (const CompliantImpact& impact : run.impacts) {
      samples += impact.force.size();
      has_lasted = has_lasted || (impact.is_held_closed && impact.duration > 0.1);
      if (impact.is_held_closed || !impact.has_separated) continue;
      EXPECT_GT(impact.speed_out / impact.speed_in, 0.0);
      EXPECT_LT(impact.speed_out / impact.speed_in, 1.0);
    }
    EXPECT_TRUE(has_lasted);
    EXPECT_LT(samples, 200'000u);
  }
}

// Only contacts dissipate energy, and none creates any. A contact that separates with penetration
// and closes again continues from its previous force.
TEST(CompliantRun, NoContactCreatesEnergy) {
  const PendulumPairParameters p{.m1 = 5.0, .L2 = 1.0, .a = 0.1};
  const Vec2 start(0.3, 0.0);
  ImpactRunControl control;
  control.end = 4.0;
  const PendulumPair pair(p, start);
  const CompliantRun run = RunCompliant(pair, {.stiffness = 1e6}, start, Vec2::Zero(), control);
  double min = pair.Energy(start, Vec2::Zero());
  for (const CompliantImpact& impact : run.impacts) {
    EXPECT_LE(impact.energy_before, min + 1e-9) << "at t = " << impact.t;
    min = std::min(min, impact.energy_before);
    const double energy_after = impact.has_separated ? impact.energy_after : min;
    EXPECT_LE(energy_after, impact.energy_before + 1e-9);
  }
}

TEST(CompliantRun, RunMayEndWithinAContact) {
  const CompliantRun run = Simulate({}, 1.1425);
  ASSERT_EQ(run.impacts.size(), 1u);
  EXPECT_FALSE(run.impacts.front().has_separated);
  EXPECT_EQ(run.trajectory.back().t, 1.1425);
}

TEST(CompliantRun, ErrorsNameTheBadValue) {
  const auto message = [](const CompliantContact& contact) {
    return MessageOf<InputError>([&] { Simulate(contact); });
  };
  EXPECT_EQ(message({.stiffness = 0.0}).substr(0, 5), "k = 0");
  EXPECT_EQ(message({.exponent = 0.9}).substr(0, 7), "n = 0.9");
  EXPECT_EQ(message({.exponent = 2.1}).substr(0, 7), "n = 2.1");
  EXPECT_EQ(message({.restitution = 0.0}).substr(0, 5), "e = 0");
  EXPECT_EQ(message({.restitution = 1.1}).substr(0, 7), "e = 1.1");
  EXPECT_EQ(message({.mu = -0.1}).substr(0, 9), "mu = -0.1");
}

// A stiff contact follows a path in impulse space, with the slope -mu sgn s while it slides,
// -epsilon/alpha while it sticks. Routh's method follows the same path to its end in closed form.
TEST(CompliantRun, FrictionImpulseFollowsRouthsPath) {
  // Error of constant angles: the coefficients of Routh's problem depend on the angles, which
  // change during a contact.
  constexpr double kStiff = 2e-3;
  test::Draw draw(1);
  std::map<RouthMode, int> mode_counts;
  for (int i = 0; i < 60; ++i) {
    const CompliantModel model =
        i % 2 == 0 ? CompliantModel::kLinearDamping : CompliantModel::kHuntCrossley;
    const double mu = std::pow(10.0, draw.Uniform(-2.0, 1.0));
    const Vec2 start(draw.Uniform(-0.5, 0.5), draw.Uniform(-1.5, -0.6));
    const Vec2 speed(draw.Uniform(-2.0, 2.0), draw.Uniform(-2.0, 2.0));
    const PendulumPair pair({}, start);
    ImpactRunControl control;
    control.end = 2.0;
    const CompliantRun run =
        RunCompliant(pair, {.model = model, .stiffness = 1e11, .mu = mu}, start, speed, control);
    for (const CompliantImpact& impact : run.impacts) {
      if (impact.is_held_closed || !impact.has_separated || impact.speed_in < 0.1) continue;
      const ContactGeometry geometry = pair.Contact(impact.q, impact.velocity_before);
      const Mat2 inverse = pair.Mass(impact.q).inverse();
      RouthProblem problem{geometry.sliding.dot(inverse * geometry.sliding),
                           geometry.sliding.dot(inverse * geometry.opening),
                           geometry.opening.dot(inverse * geometry.opening),
                           geometry.sliding.dot(impact.velocity_before),
                           geometry.opening.dot(impact.velocity_before),
                           mu,
                           0.0};
      problem.restitution = impact.impulse / SolveRouth(problem).normal - 1.0;
      ASSERT_GE(problem.restitution, 0.0);
      const RouthSolution path = SolveRouth(problem);
      EXPECT_NEAR(impact.friction_impulse, path.tangential,
                  kStiff * std::min(mu, 3.0) * impact.impulse)
          << "mu = " << mu << ", t = " << impact.t << ", " << Name(path.mode);
      EXPECT_NEAR(impact.friction_loss, -path.friction_work,
                  kStiff * (impact.energy_before - impact.energy_after));
      ++mode_counts[path.mode];
    }
  }
  EXPECT_GT(mode_counts[RouthMode::kSlip], 3);
  EXPECT_GT(
      mode_counts[RouthMode::kStickInCompression] + mode_counts[RouthMode::kStickInRestitution], 3);
  EXPECT_GT(mode_counts[RouthMode::kReversalInCompression] +
                mode_counts[RouthMode::kReversalInRestitution],
            3);
}

TEST(CompliantRun, FrictionIsInItsConeAndEnergyIsBalanced) {
  const PendulumPair pair({}, kStart);
  const CompliantContact contact{.restitution = 0.1, .mu = 0.2};
  ImpactRunControl control;
  control.end = 12.0;
  const CompliantRun run = RunCompliant(pair, contact, kStart, Vec2::Zero(), control);
  EXPECT_EQ(run.stop_reason, "");
  const double start = pair.Energy(kStart, Vec2::Zero());
  double friction_work = 0.0;
  for (const MotionSample& x : run.trajectory) {
    EXPECT_LE(std::abs(x.tangential), contact.mu * x.normal + 1e-6);
    EXPECT_GE(x.balance.rubbed, friction_work - 1e-12);
    friction_work = x.balance.rubbed;
    if (x.phase == MotionPhase::kCompliant) continue;
    const double conserved = pair.Energy(x.q, x.w) + x.balance.rubbed + x.balance.struck;
    EXPECT_NEAR(conserved, start, 1e-8) << "t = " << x.t;
  }
  EXPECT_GT(friction_work, 0.01);
}

}  // namespace
}  // namespace scree::impact::compliant_run_test
