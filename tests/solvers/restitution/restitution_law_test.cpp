// Restitution laws: tables compared with integrated impacts, for all models.
#include "solvers/restitution/restitution_law.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "solvers/base/check.hpp"
#include "solvers/restitution/load_integrals.hpp"
#include "tests/support/allocation_counter.hpp"
#include "tests/support/seed.hpp"

namespace scree::impact::restitution_law_test {
namespace {

using Loads = RestitutionTable::Loads;

const RestitutionTable& LoadedTable(const ContactModel& model) {
  return *RestitutionTable::Shared({model}, Loads::kAny);
}

TEST(RestitutionLaw, TableIsComputedOncePerProcess) {
  const RestitutionLaw law{FindContactModel("kuwabara-kono")};
  const auto table = RestitutionTable::Shared(law, Loads::kNone);
  EXPECT_EQ(RestitutionTable::Shared(law, Loads::kNone), table);
  for (const RestitutionLaw& other_law :
       {RestitutionLaw{law.model, ImpactEnd::kForceZero}, RestitutionLaw{{1.5, 1.0}}}) {
    const auto other_table = RestitutionTable::Shared(other_law, Loads::kNone);
    EXPECT_NE(other_table, table);
    EXPECT_EQ(other_table->RestitutionAt(-1.0),
              RestitutionTable(other_law, Loads::kNone).RestitutionAt(-1.0));
  }
  EXPECT_NE(RestitutionTable::Shared(law, Loads::kAny), table);
}

TEST(RestitutionLaw, TableWithoutLoadIsWithinItsErrorBound) {
  std::mt19937_64 engine(test::SeedOf(3));
  std::uniform_real_distribution<double> log_gamma(-12.0, 4.0);
  for (const NamedModel& named : kContactModels) {
    for (const ImpactEnd end : {ImpactEnd::kDeformationZero, ImpactEnd::kForceZero}) {
      const RestitutionTable table({named.model, end}, Loads::kNone);
      for (int i = 0; i < 1000; ++i) {
        const double x = log_gamma(engine);
        const ScaledImpact impact{named.model.alpha, named.model.beta, std::exp(x), 0.0, end};
        const double e = IntegrateImpact(impact, 1e-12).restitution;
        EXPECT_NEAR(table.RestitutionAt(x), e,
                    e < 0.01 ? RestitutionTable::kFadingError : RestitutionTable::kUnloadedError)
            << named.name << " " << x;
      }
    }
  }
}

TEST(RestitutionLaw, TableWithLoadIsWithinItsErrorBound) {
  std::mt19937_64 engine(test::SeedOf(4));
  std::uniform_real_distribution<double> log_load(-18.0, 6.9), loss(0.0, 1.5);
  for (const NamedModel& named : kContactModels) {
    const ContactModel& model = named.model;
    const RestitutionTable& table = LoadedTable(model);
    int captured = 0;
    for (int i = 0; i < 1000; ++i) {
      const double load = std::exp(log_load(engine));
      // Up to 1.5 times the grazing dissipation, computed to first order.
      const double gamma =
          loss(engine) / (2.0 * model.beta * IntegrateLoad(model.alpha, model.beta, load).i0);
      const double e = IntegrateImpact({model.alpha, model.beta, gamma, load}, 1e-12).restitution;
      const double restitution = table.RestitutionAt(std::log(gamma), std::log(load));
      EXPECT_NEAR(restitution * restitution, e * e, RestitutionTable::kLoadedError)
          << named.name << " gamma " << gamma << " load " << load;
      if (e == 0.0) ++captured;
    }
    EXPECT_GT(captured, 33);
  }
}

TEST(RestitutionLaw, TableInUnitsMatchesTheExactLaw) {
  const ContactConstants glass{1e-6, 2e8, 3e-7, 9.81};
  for (const NamedModel& named : kContactModels) {
    const RestitutionLaw law{named.model};
    ContactConstants constants = glass;
    // γ is proportional to the dissipation; γ = 0.08 at 0.1 m/s reduces e noticeably.
    constants.dissipation = 1.0;
    constants.dissipation = 0.08 / Scale(law.model, constants, 0.1).gamma;
    const RestitutionTable& loaded = LoadedTable(law.model);
    const RestitutionTable unloaded(law, Loads::kNone);
    const PairScales pair = ScalesOfPair(law.model, constants);
    for (const double speed : {1e-4, 1e-3, 0.01, 0.1, 1.0, 10.0}) {
      const double e = ExactRestitution(law, constants, speed);
      const double restitution = loaded.Restitution(pair, speed);
      EXPECT_NEAR(restitution * restitution, e * e, RestitutionTable::kLoadedError)
          << named.name << speed;
      ContactConstants without_load = constants;
      without_load.acceleration = 0.0;
      EXPECT_NEAR(unloaded.Restitution(pair, speed), ExactRestitution(law, without_load, speed),
                  RestitutionTable::kUnloadedError);
      // The table with loads, at zero load.
      EXPECT_NEAR(loaded.Restitution(ScalesOfPair(law.model, without_load), speed),
                  unloaded.Restitution(pair, speed), RestitutionTable::kLoadedError);
    }
  }
}

TEST(RestitutionLaw, LossOfSlowKuwabaraKonoImpactsGrowsAsTheFifthRoot) {
  const RestitutionLaw law{FindContactModel("kuwabara-kono")};
  const RestitutionTable table(law, Loads::kNone);
  const PairScales pair = ScalesOfPair(law.model, {1e-6, 2e8, 1e-7, 0.0});
  const double slow = 1.0 - table.Restitution(pair, 1e-6);
  const double fast = 1.0 - table.Restitution(pair, 1e-3);
  EXPECT_NEAR(std::log(fast / slow) / std::log(1e3), 0.2, 0.003);
}

TEST(RestitutionLaw, RestitutionIsBetweenZeroAndOne) {
  std::mt19937_64 engine(test::SeedOf(5));
  std::uniform_real_distribution<double> exponent(-60.0, 60.0);
  const RestitutionTable& table = LoadedTable(FindContactModel("kuwabara-kono"));
  for (int i = 0; i < 20000; ++i) {
    const double log_gamma = exponent(engine), log_load = exponent(engine);
    for (const double e :
         {table.RestitutionAt(log_gamma), table.RestitutionAt(log_gamma, log_load)}) {
      EXPECT_GE(e, 0.0);
      EXPECT_LE(e, 1.0);
    }
  }
  EXPECT_EQ(table.RestitutionAt(-INFINITY), table.RestitutionAt(-18.5));
  EXPECT_GT(table.RestitutionAt(-INFINITY, -INFINITY), 1.0 - 1e-7);
}

TEST(RestitutionLaw, EvaluationDoesNotAllocate) {
  const RestitutionTable& table = LoadedTable(FindContactModel("hunt-crossley"));
  const PairScales pair{-2.0, -5.0};
  double sum = 0.0;
  const std::size_t allocations = test::AllocationCount();
  for (int i = 1; i < 1000; ++i) sum += table.Restitution(pair, 0.01 * i);
  EXPECT_EQ(test::AllocationCount(), allocations);
  EXPECT_GT(sum, 0.0);
}

TEST(RestitutionLaw, ValuesOutOfRangeAreRejected) {
  EXPECT_THROW(RestitutionTable({{0.9, 1.0}}, Loads::kNone), InputError);
  EXPECT_THROW(RestitutionTable({{1.5, std::nan("")}}, Loads::kNone), InputError);
  EXPECT_THROW(RestitutionTable({{1.5, 1.5}, ImpactEnd::kForceZero}, Loads::kAny), InputError);
  EXPECT_THROW(ExactRestitution({}, {1.0, 1.0, -1.0}, 1.0), InputError);
  EXPECT_THROW(ExactRestitution({}, {}, 0.0), InputError);
  EXPECT_THROW(ScalesOfPair({}, {0.0}), InputError);
}

}  // namespace
}  // namespace scree::impact::restitution_law_test
