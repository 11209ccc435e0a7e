// Time per solve of the one-contact kernels, by regime of the contact.
#include <benchmark/benchmark.h>

#include <cmath>
#include <vector>

#include "solvers/one_contact/contact_law.hpp"
#include "solvers/one_contact/sphere_contact.hpp"
#include "tests/support/random_contacts.hpp"

namespace scree {
namespace {

using test::ContactKind;
using test::RandomContacts;

// More problems than branch predictors store, but few enough for the second-level cache.
constexpr std::size_t kProblems = 4096;

enum class Regime { kAnySphere, kStick, kEllipse, kHyperbola };

bool IsInRegime(const OneContact& contact, Regime regime) {
  const bool is_open = contact.a(0, 0) < contact.mu * std::hypot(contact.a(0, 1), contact.a(0, 2));
  const ContactState state = SolveMaxDissipation(contact).state;
  switch (regime) {
    case Regime::kAnySphere:
      return true;
    case Regime::kStick:
      return state == ContactState::kStick;
    case Regime::kEllipse:
      return state == ContactState::kSlip && !is_open;
    case Regime::kHyperbola:
      return state == ContactState::kSlip && is_open;
  }
  return false;
}

std::vector<OneContact> MakeProblems(Regime regime) {
  RandomContacts random(2024);
  const bool is_of_spheres = regime == Regime::kAnySphere;
  std::vector<OneContact> problems;
  while (problems.size() < kProblems) {
    const OneContact contact =
        random.Draw(is_of_spheres ? ContactKind::kSphere : ContactKind::kGeneric, 1.0);
    if (IsInRegime(contact, regime)) problems.push_back(contact);
  }
  return problems;
}

Vec3 ClosedForm(const OneContact& contact) {
  return SolveSphereContact(Vec3::UnitX(), 1.0 / contact.a(0, 0), contact.mu, Vec3::Zero(),
                            -contact.b, 0.0);
}
Vec3 MaxDissipation(const OneContact& contact) { return SolveMaxDissipation(contact).x; }
Vec3 Coulomb(const OneContact& contact) { return SolveCoulomb(contact).x; }

void Kernel(benchmark::State& state, Vec3 (*solve)(const OneContact&), Regime regime) {
  const std::vector<OneContact> problems = MakeProblems(regime);
  std::size_t index = 0;
  for (auto step : state) {
    static_cast<void>(step);
    Vec3 x = solve(problems[index]);
    benchmark::DoNotOptimize(x.data());
    index = (index + 1) % kProblems;
  }
}

BENCHMARK_CAPTURE(Kernel, sphere_closed_form, ClosedForm, Regime::kAnySphere);
BENCHMARK_CAPTURE(Kernel, dissipation_sphere, MaxDissipation, Regime::kAnySphere);
BENCHMARK_CAPTURE(Kernel, dissipation_stick, MaxDissipation, Regime::kStick);
BENCHMARK_CAPTURE(Kernel, dissipation_slip_ellipse, MaxDissipation, Regime::kEllipse);
BENCHMARK_CAPTURE(Kernel, dissipation_slip_hyperbola, MaxDissipation, Regime::kHyperbola);
BENCHMARK_CAPTURE(Kernel, coulomb_stick, Coulomb, Regime::kStick);
BENCHMARK_CAPTURE(Kernel, coulomb_slip_ellipse, Coulomb, Regime::kEllipse);
BENCHMARK_CAPTURE(Kernel, coulomb_slip_hyperbola, Coulomb, Regime::kHyperbola);

}  // namespace
}  // namespace scree

BENCHMARK_MAIN();
