// An impact on a body that rings: limits with closed forms, conservation, and how much more
// accurate the corrections are, compared with an integration with error control.
#include "apps/single/models/resonator_impact.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "solvers/base/check.hpp"
#include "tests/support/message_of.hpp"

namespace scree::impact::resonator_impact_test {
namespace {

/// Case 2 of the paper, six samples long, on a named body or a wall.
ResonatorImpactSetup HardImpact(const char* resonator = nullptr, double body_mass = 0.2) {
  ResonatorImpactSetup setup;
  setup.impact.model = {0.01, 1e9, 0.5, 1.5};
  setup.impact.v_in = 1.0;
  if (resonator != nullptr) setup.modes = ScaleToMass(FindResonator(resonator), body_mass);
  return setup;
}

/// A free body of this mass, which does not ring within the contact.
ResonatorImpactSetup FreeBody(double body_mass) {
  ResonatorImpactSetup setup = HardImpact();
  setup.modes = {{1e-3, 1e9, 0.25 / body_mass}, {2e-3, 1e9, 0.75 / body_mass}};
  return setup;
}

TEST(ResonatorImpact, MethodsOnAWallMatchImpactRunner) {
  for (const ImpactMethod method : kImpactMethods) {
    for (const double force : {0.0, 5.0}) {
      for (const bool corrected : {false, true}) {
        if (force != 0.0 && corrected) continue;  // refused by ImpactRunner
        ResonatorImpactSetup setup = HardImpact();
        setup.impact.method = method;
        setup.impact.external_force = force;
        setup.impact.hybrid = setup.impact.constrain_outbound = corrected;
        const SteppedImpact expected = ImpactRunner(setup.impact).Run();
        const ResonatorImpact run = SimulateResonatorImpact(setup);
        ASSERT_EQ(run.Steps(), expected.Steps()) << Name(method);
        EXPECT_EQ(run.is_outbound_constrained, expected.is_outbound_constrained);
        for (std::size_t i = 0; i < run.samples.size(); ++i) {
          // Rounding, which the closed form amplifies if x is small.
          EXPECT_NEAR(run.samples[i].x, expected.samples[i].x, 1e-13) << Name(method) << i;
          EXPECT_NEAR(run.samples[i].v, expected.samples[i].v, 1e-12) << Name(method) << i;
        }
      }
    }
  }
}

TEST(ResonatorImpact, BodyThatDoesNotRingMovesLikeAFreeMass) {
  const ResonatorImpactSetup setup = FreeBody(0.03);
  HuntCrossley reduced = setup.impact.model;
  reduced.mass = 1.0 / (1.0 / 0.01 + 1.0 / 0.03);
  const HuntCrossleyImpact closed_form(reduced, setup.impact.v_in);
  const ResonatorImpact exact = ExactResonatorImpact(setup);
  ASSERT_TRUE(exact.released);
  EXPECT_NEAR(exact.samples.back().v, closed_form.OutboundVelocity(), 1e-8);
  EXPECT_NEAR(exact.samples.back().t, closed_form.ContactTime(), 1e-8 * closed_form.ContactTime());
  for (const ImpactMethod method : kImpactMethods) {
    ResonatorImpactSetup corrected = setup;
    corrected.impact.method = method;
    corrected.impact.hybrid = corrected.impact.constrain_outbound = true;
    const ResonatorImpact run = SimulateResonatorImpact(corrected);
    EXPECT_TRUE(run.is_outbound_constrained);
    const double approximate =
        -setup.impact.v_in * OutboundApproximation().Restitution(reduced.mu * setup.impact.v_in);
    EXPECT_NEAR(run.samples.back().v, approximate, 1e-8) << Name(method);
    for (int i = 0; i < run.Steps(); ++i) {
      const ResonatorImpactSample& x = run.samples[static_cast<std::size_t>(i)];
      EXPECT_NEAR(x.x, closed_form.CompressionAt(x.v), 1e-9);
    }
  }
}

TEST(ResonatorImpact, MethodsAndCorrectionsKeepTheMomentum) {
  for (const ImpactMethod method : kImpactMethods) {
    for (const bool corrected : {false, true}) {
      ResonatorImpactSetup setup = FreeBody(0.03);
      setup.impact.method = method;
      setup.impact.hybrid = setup.impact.constrain_outbound = corrected;
      const ResonatorImpactSample end = SimulateResonatorImpact(setup).samples.back();
      // The surface velocity of a free body is the body's momentum divided by its mass.
      const double surface = end.mass_velocity - end.v;
      EXPECT_NEAR(0.01 * end.mass_velocity + 0.03 * surface, 0.01, 1e-13) << Name(method);
    }
  }
}

TEST(ResonatorImpact, MethodsConvergeToTheReference) {
  for (const char* name : {"glass", "wood", "metal"}) {
    ResonatorImpactSetup setup = HardImpact(name);
    const ResonatorImpact exact = ExactResonatorImpact(setup);
    ASSERT_TRUE(exact.released);
    const double initial = exact.samples.front().energies.Sum();
    EXPECT_DOUBLE_EQ(initial, 0.005);
    for (const ResonatorImpactSample& x : exact.samples) {
      EXPECT_NEAR(x.energies.Sum(), initial, 1e-10 * initial);
    }
    EXPECT_GT(exact.samples.back().energies.modes, 0.05 * initial);
    setup.impact.oversampling = 256;
    for (const ImpactMethod method : kImpactMethods) {
      setup.impact.method = method;
      const ResonatorImpactSample end = SimulateResonatorImpact(setup).samples.back();
      const double first_order = 2e-3, higher = 2e-4;
      const double tolerance = method == ImpactMethod::kVerlet ? first_order : higher;
      EXPECT_NEAR(end.mass_velocity, exact.samples.back().mass_velocity, tolerance) << Name(method);
      EXPECT_NEAR(end.energies.Sum(), initial, tolerance * initial) << Name(method);
    }
  }
}

/// Error of the mass' energy at release, in percent of the initial energy.
double MassError(ResonatorImpactSetup setup, ImpactMethod method, bool corrected) {
  setup.impact.method = method;
  setup.impact.hybrid = setup.impact.constrain_outbound = corrected;
  const ResonatorImpact run = SimulateResonatorImpact(setup), exact = ExactResonatorImpact(setup);
  EXPECT_TRUE(run.released && exact.released);
  EXPECT_EQ(run.is_outbound_constrained, corrected);
  return 100.0 * std::abs(run.samples.back().energies.mass - exact.samples.back().energies.mass) /
         exact.samples.front().energies.mass;
}

TEST(ResonatorImpact, CorrectionsImproveInaccurateMethods) {
  for (const char* name : {"glass", "wood", "metal"}) {
    for (const ImpactMethod method : {ImpactMethod::kAdamsMoulton, ImpactMethod::kHeun}) {
      const double uncorrected = MassError(HardImpact(name), method, false);
      EXPECT_GT(uncorrected, 2.5);
      EXPECT_LT(MassError(HardImpact(name), method, true), 0.1 * uncorrected)
          << name << Name(method);
    }
    EXPECT_LT(MassError(HardImpact(name), ImpactMethod::kRungeKutta4, true),
              MassError(HardImpact(name), ImpactMethod::kRungeKutta4, false));
  }
}

TEST(ResonatorImpact, CorrectionsWorkWithAnExternalForce) {
  ResonatorImpactSetup setup = HardImpact();
  setup.impact.external_force = 2.0;
  for (const ImpactMethod method : kImpactMethods) {
    EXPECT_LT(MassError(setup, method, true), 0.06) << Name(method);
    EXPECT_GT(MassError(setup, method, false), 0.16) << Name(method);
  }
}

TEST(ResonatorImpact, ErrorsNameTheBadValue) {
  const auto message = [](const ResonatorImpactSetup& setup) {
    return MessageOf<InputError>([&] { SimulateResonatorImpact(setup); });
  };
  ResonatorImpactSetup setup = HardImpact("glass");
  setup.modes[1].gain = 0.0;
  EXPECT_NE(message(setup).find("gain of a mode"), std::string::npos);
  setup = HardImpact("glass");
  setup.impact.rate = 8000.0;
  EXPECT_NE(message(setup).find("samples"), std::string::npos);
  EXPECT_THROW(ScaleToMass(FindResonator("wood"), 0.0), InputError);
  EXPECT_THROW(ScaleToMass(FindResonator("wood"), NAN), InputError);
}

TEST(ResonatorImpact, GainsOfABodyAddUpToItsInverseMass) {
  const std::vector<ResonatorMode> modes = ScaleToMass(FindResonator("metal"), 0.25);
  double total = 0.0;
  for (const ResonatorMode& mode : modes) total += mode.gain;
  EXPECT_DOUBLE_EQ(total, 4.0);
  EXPECT_DOUBLE_EQ(modes[1].gain / modes[0].gain, FindResonator("metal")[1].gain);
}

}  // namespace
}  // namespace scree::impact::resonator_impact_test
