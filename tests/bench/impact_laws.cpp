// Time per evaluation of the single-impact models, as used by a scene or a step.
#include <benchmark/benchmark.h>

#include <cmath>
#include <vector>

#include "apps/single/models/hysteresis_damping.hpp"
#include "apps/single/models/linear_damping.hpp"
#include "solvers/restitution/restitution_expansion.hpp"
#include "solvers/restitution/restitution_law.hpp"

namespace scree::impact {
namespace {

// More arguments than branch predictors store.
constexpr std::size_t kArguments = 4096;

/// Numbers spread over [low, high) by the golden ratio, so that consecutive numbers are unrelated.
std::vector<double> Spread(double low, double high) {
  std::vector<double> values(kArguments);
  for (std::size_t i = 0; i < kArguments; ++i) {
    const double fraction = std::fmod(static_cast<double>(i) * 0.61803398874989485, 1.0);
    values[i] = low + (high - low) * fraction;
  }
  return values;
}

template <class Function>
void Time(benchmark::State& state, double low, double high, Function function) {
  const std::vector<double> arguments = Spread(low, high);
  std::size_t index = 0;
  for (auto step : state) {
    static_cast<void>(step);
    benchmark::DoNotOptimize(function(arguments[index]));
    index = (index + 1) % kArguments;
  }
}

void OptimalDampingHertz(benchmark::State& state) {
  Time(state, 0.01, 0.99, [](double e) { return OptimalDamping({1.5}, e); });
}
void OptimalDampingAnyExponent(benchmark::State& state) {
  Time(state, 1.01, 1.99, [](double n) { return OptimalDamping({n}, 0.5); });
}
void OptimalDampingNearlyPlastic(benchmark::State& state) {
  Time(state, 1.01, 1.99, [](double n) { return OptimalDamping({n}, 1e-4); });
}
void FittedDampingHertz(benchmark::State& state) {
  Time(state, 0.01, 0.99, [](double e) { return FittedDamping({1.5}, e); });
}
void HysteresisFactorExact(benchmark::State& state) {
  Time(state, 0.01, 0.99, [](double e) { return HysteresisFactor(HysteresisFormula::kExact, e); });
}
void HysteresisRestitution(benchmark::State& state) {
  Time(state, 0.01, 10.0, [](double h) { return RestitutionOfHysteresis(h); });
}

void IntegratedRestitution(benchmark::State& state, double beta, double load) {
  Time(state, 1e-4, 0.1, [&](double gamma) {
    return IntegrateImpact({1.5, beta, gamma, load}).restitution;
  });
}
void ExpansionOfModel(benchmark::State& state) {
  Time(state, 1.0, 2.5, [](double beta) { return Expand({1.5, beta}).c2; });
}
void SecondOrder(benchmark::State& state) {
  const ExpansionCoefficients c = Expand({1.5, 1.5});
  Time(state, 1e-4, 0.1, [&](double gamma) { return SecondOrderRestitution(c, gamma, 0.1); });
}
void Proposition(benchmark::State& state) {
  const LoadIntegrals integrals = IntegrateLoad(1.5, 1.5, 0.1);
  Time(state, 1e-4, 0.1,
       [&](double gamma) { return PropositionRestitution(1.5, gamma, integrals); });
}
void Quadrature(benchmark::State& state) {
  Time(state, 0.0, 10.0, [](double load) { return IntegrateLoad(1.5, 1.5, load).i0; });
}
void BetaSums(benchmark::State& state) {
  Time(state, 0.0, 10.0, [](double load) { return ApproximateLoadIntegrals(1.5, 1.5, load).i0; });
}

/// The law as called by a step: γ up to 0.1, and loads that end some of the rebounds.
void TabulatedLaw(benchmark::State& state, RestitutionTable::Loads loads) {
  const RestitutionTable table({{1.5, 1.5}}, loads);
  const PairScales pair{-2.5, -9.0};
  Time(state, 1e-3, 1.0, [&](double speed) { return table.Restitution(pair, speed); });
}

BENCHMARK(OptimalDampingHertz);
BENCHMARK(OptimalDampingAnyExponent);
BENCHMARK(OptimalDampingNearlyPlastic);
BENCHMARK(FittedDampingHertz);
BENCHMARK(HysteresisFactorExact);
BENCHMARK(HysteresisRestitution);
BENCHMARK_CAPTURE(IntegratedRestitution, kuwabara_kono, 1.5, 0.0);
BENCHMARK_CAPTURE(IntegratedRestitution, kuwabara_kono_load, 1.5, 1.0);
BENCHMARK_CAPTURE(IntegratedRestitution, tsuji_tanaka_ishida, 1.25, 0.0);
BENCHMARK_CAPTURE(IntegratedRestitution, uneven_exponent, 1.37, 0.0);
BENCHMARK(ExpansionOfModel);
BENCHMARK(SecondOrder);
BENCHMARK(Proposition);
BENCHMARK(Quadrature);
BENCHMARK(BetaSums);
BENCHMARK_CAPTURE(TabulatedLaw, no_load, RestitutionTable::Loads::kNone);
BENCHMARK_CAPTURE(TabulatedLaw, load, RestitutionTable::Loads::kAny);

}  // namespace
}  // namespace scree::impact

BENCHMARK_MAIN();
