// Closed forms of the Hunt-Crossley impact compared with 40-digit values; limits; bad parameters.
#include "apps/single/models/hunt_crossley.hpp"

#include <gtest/gtest.h>

#include <array>
#include <boost/numeric/odeint.hpp>
#include <limits>
#include <string>
#include <vector>

#include "solvers/base/check.hpp"
#include "tests/support/csv_rows.hpp"
#include "tests/support/message_of.hpp"

namespace scree::impact::hunt_crossley_test {
namespace {

// Required accuracy of the closed forms: several hundred rounding errors.
constexpr double kClosedForm = 1e-13;

struct Contact {
  HuntCrossleyImpact impact;
  double v_out, contact_time, x_max, energy_in, energy_out;
};

std::vector<Contact> ReadContacts() {
  std::vector<Contact> contacts;
  for (const auto& row : test::ReadRows("hunt_crossley_contacts.csv")) {
    const auto number = [&](std::size_t i) { return std::stod(row.at(i)); };
    contacts.push_back({HuntCrossleyImpact({number(0), number(1), number(2), number(3)}, number(4)),
                        number(5), number(6), number(7), number(8), number(9)});
  }
  return contacts;
}

void ExpectRelative(double value, double expected, double tolerance = kClosedForm) {
  EXPECT_LE(std::abs(value - expected), tolerance * std::abs(expected))
      << value << " instead of " << expected;
}

TEST(HuntCrossley, KeyQuantitiesMatchTheReference) {
  const std::vector<Contact> contacts = ReadContacts();
  ASSERT_EQ(contacts.size(), 5u);
  for (const Contact& contact : contacts) {
    ExpectRelative(contact.impact.OutboundVelocity(), contact.v_out);
    ExpectRelative(contact.impact.ContactTime(), contact.contact_time);
    ExpectRelative(contact.impact.MaxCompression(), contact.x_max);
    ExpectRelative(contact.impact.InitialEnergy(), contact.energy_in);
    ExpectRelative(contact.impact.FinalEnergy(), contact.energy_out);
  }
}

TEST(HuntCrossley, CurvesMatchTheReference) {
  const std::vector<Contact> contacts = ReadContacts();
  int points = 0;
  for (const auto& row : test::ReadRows("hunt_crossley_curves.csv")) {
    const double v = std::stod(row[1]), x = std::stod(row[2]), energy = std::stod(row[3]);
    const HuntCrossleyImpact& impact = contacts.at(std::stoul(row[0])).impact;
    ExpectRelative(impact.CompressionAt(v), x);
    ExpectRelative(impact.HamiltonianAt(v), energy);
    ++points;
  }
  EXPECT_EQ(points, 28);
}

TEST(HuntCrossley, HamiltonianIsKineticPlusElasticEnergy) {
  for (const Contact& contact : ReadContacts()) {
    const HuntCrossley& model = contact.impact.model();
    for (int i = 1; i < 20; ++i) {
      const double v = contact.impact.v_in() * (1.0 - 0.1 * i);
      if (v <= contact.v_out) break;
      const double x = contact.impact.CompressionAt(v);
      const double elastic = model.stiffness * std::pow(x, model.alpha + 1.0) / (model.alpha + 1.0);
      ExpectRelative(contact.impact.HamiltonianAt(v), 0.5 * model.mass * v * v + elastic);
    }
  }
}

TEST(HuntCrossley, TimeAgreesWithIntegrationOfTheMotion) {
  using State = std::array<double, 2>;
  namespace odeint = boost::numeric::odeint;
  for (const Contact& contact : ReadContacts()) {
    const HuntCrossley& model = contact.impact.model();
    const auto motion = [&](const State& s, State& rate, double) {
      rate = {s[1], -ContactForce(model, s[0], s[1]) / model.mass};
    };
    for (const double v : {0.7 * contact.impact.v_in(), 0.1 * contact.v_out, 0.8 * contact.v_out}) {
      State state{contact.impact.CompressionAt(v), v};
      // Backwards to the first touch would be stiff at x = 0, so the integration is from v to 0.95
      // v_out.
      const double end = 0.95 * contact.v_out;
      const double duration = contact.impact.TimeAt(end) - contact.impact.TimeAt(v);
      odeint::integrate_adaptive(
          odeint::make_controlled<odeint::runge_kutta_dopri5<State>>(1e-17, 1e-13), motion, state,
          0.0, duration, duration / 100);
      ExpectRelative(state[1], end, 1e-11);
      ExpectRelative(state[0], contact.impact.CompressionAt(end), 1e-10);
    }
  }
}

TEST(HuntCrossley, TimesOfBothPhasesMeetAtTheTurningPoint) {
  for (const Contact& contact : ReadContacts()) {
    const double before_turning = contact.impact.TimeAt(1e-12 * contact.impact.v_in());
    const double after_turning = contact.impact.TimeAt(-1e-12 * contact.impact.v_in());
    EXPECT_GT(after_turning, before_turning);
    ExpectRelative(after_turning, before_turning, 1e-11);
    EXPECT_EQ(contact.impact.TimeAt(contact.impact.v_in()), 0.0);
  }
}

TEST(HuntCrossley, ImpactOfALinearSpringLastsHalfAPeriod) {
  const HuntCrossleyImpact impact({2.0, 50.0, 0.0, 1.0}, 3.0);
  const double pi = std::acos(-1.0), omega = 5.0;
  ExpectRelative(impact.ContactTime(), pi / omega);
  ExpectRelative(impact.TimeAt(1.5), std::acos(0.5) / omega);
  ExpectRelative(impact.MaxCompression(), 3.0 / omega);
  EXPECT_EQ(impact.OutboundVelocity(), -3.0);
  ExpectRelative(impact.HamiltonianAt(-2.0), 9.0);
}

TEST(HuntCrossley, SmallDampingApproachesNoDamping) {
  const HuntCrossleyImpact elastic({0.01, 1e7, 0.0, 1.5}, 0.5);
  for (const double mu : {1e-30, 1e-17, 1e-12, 1e-8}) {
    const HuntCrossleyImpact damped({0.01, 1e7, mu, 1.5}, 0.5);
    const double first_order = 10.0 * mu;
    ExpectRelative(damped.CompressionAt(0.2), elastic.CompressionAt(0.2),
                   kClosedForm + first_order);
    ExpectRelative(damped.ContactTime(), elastic.ContactTime(), kClosedForm + first_order);
  }
}

TEST(HuntCrossley, StronglyDampedMassLeavesAtTheLimitVelocity) {
  // The mass leaves slowly: v_out rounds to −1/μ, so the restitution phase takes slightly longer
  // than μ x_max.
  const HuntCrossleyImpact impact({0.01, 1e7, 5.0, 1.5}, 40.0);
  EXPECT_EQ(impact.OutboundVelocity(), -0.2);
  EXPECT_EQ(impact.HamiltonianAt(-0.2), impact.FinalEnergy());
  const double restitution_time = impact.ContactTime() - impact.TimeAt(0.0);
  EXPECT_GT(restitution_time, 5.0 * impact.MaxCompression());
  EXPECT_LT(restitution_time, 5.1 * impact.MaxCompression());
}

TEST(HuntCrossley, CompressionIsZeroOutOfContact) {
  const HuntCrossleyImpact impact({0.01, 1e7, 0.5, 1.5}, 4.0);
  EXPECT_EQ(impact.CompressionAt(4.5), 0.0);
  EXPECT_EQ(impact.CompressionAt(1.001 * impact.OutboundVelocity()), 0.0);
  EXPECT_EQ(impact.CompressionAt(-2.0), 0.0) << "at the limit velocity";
  EXPECT_EQ(impact.CompressionAt(-3.0), 0.0) << "beyond the limit velocity";
  EXPECT_EQ(ContactForce(impact.model(), 0.0, 4.0), 0.0);
  EXPECT_EQ(ContactForce(impact.model(), -1e-3, 4.0), 0.0);
  EXPECT_TRUE(std::isnan(ContactForce(impact.model(), std::nan(""), 4.0)));
}

TEST(HuntCrossley, EquilibriumBalancesTheForce) {
  const HuntCrossley model{0.01, 1e7, 0.5, 1.5};
  const double x = EquilibriumCompression(model, 0.0981);
  ExpectRelative(ContactForce(model, x, 0.0), 0.0981);
  EXPECT_EQ(EquilibriumCompression(model, 0.0), 0.0);
  EXPECT_THROW(EquilibriumCompression(model, -0.1), InputError);
}

TEST(HuntCrossley, VelocityOfEnergyInvertsTheEnergyFunction) {
  for (const double mu : {0.0, 1e-12, 1e-3, 0.5, 20.0, 1e6}) {
    for (const double v : {1e-9, 1e-3, 1.0, 50.0}) {
      EXPECT_NEAR(VelocityOfEnergy(mu, EnergyFunction(mu, v)), v, 4e-15 * v) << mu << " " << v;
    }
  }
  EXPECT_EQ(VelocityOfEnergy(0.5, 0.0), 0.0);
}

TEST(HuntCrossley, ErrorsNameTheBadParameter) {
  const double nan = std::nan(""), infinity = std::numeric_limits<double>::infinity();
  const auto error = [](const HuntCrossley& model, double v_in) {
    return MessageOf<InputError>([&] { const HuntCrossleyImpact impact(model, v_in); });
  };
  for (const double bad : {0.0, -1.0, nan, infinity}) {
    EXPECT_NE(error({bad, 1e7, 0.5, 1.5}, 1.0).find("mass"), std::string::npos);
    EXPECT_NE(error({0.01, bad, 0.5, 1.5}, 1.0).find("stiffness"), std::string::npos);
    EXPECT_NE(error({0.01, 1e7, 0.5, 1.5}, bad).find("impact velocity"), std::string::npos);
  }
  for (const double bad : {-1e-3, nan, infinity}) {
    EXPECT_NE(error({0.01, 1e7, bad, 1.5}, 1.0).find("mu"), std::string::npos);
    EXPECT_NE(error({0.01, 1e7, 0.5, bad}, 1.0).find("alpha"), std::string::npos);
  }
  EXPECT_NE(error({0.01, 1e7, 0.5, 0.9}, 1.0).find("at least 1"), std::string::npos);
}

}  // namespace
}  // namespace scree::impact::hunt_crossley_test
