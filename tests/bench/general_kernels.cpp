// Time per contact of the general kernels, with one or eight contacts at a time, and of sweeps that
// use these kernels, for spheres and for particles of any shape.
#include <benchmark/benchmark.h>

#include <array>
#include <type_traits>
#include <vector>

#include "solvers/batches/wide_coulomb.hpp"
#include "solvers/batches/wide_max_dissipation.hpp"
#include "solvers/one_contact/contact_law.hpp"
#include "solvers/sweeps/block_gauss_seidel.hpp"
#include "tests/support/clump_contacts.hpp"
#include "tests/support/no_sync.hpp"

namespace scree {
namespace {

using test::NoSyncOf;

using enum ContactLaw;

// More problems than branch predictors store, but few enough for the second-level cache.
constexpr std::size_t kProblems = 4096;

enum class Regime { kMix, kStick, kSlip };

std::vector<OneContact> MakeProblems(Regime regime) {
  test::Draw draw(2026);
  std::vector<OneContact> problems;
  while (problems.size() < kProblems) {
    const OneContact contact = test::RandomClumpContact(draw).Block();
    const ContactState state = SolveMaxDissipation(contact).state;
    if (regime == Regime::kStick && state != ContactState::kStick) continue;
    if (regime == Regime::kSlip && state != ContactState::kSlip) continue;
    problems.push_back(contact);
  }
  return problems;
}

template <ContactLaw kLaw>
void ScalarKernel(benchmark::State& state, Regime regime) {
  const std::vector<OneContact> problems = MakeProblems(regime);
  for (auto step : state) {
    static_cast<void>(step);
    for (const OneContact& problem : problems) {
      Vec3 x = SolveOneContact(problem, kLaw).x;
      benchmark::DoNotOptimize(x.data());
    }
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kProblems));
}

template <ContactLaw kLaw>
struct PreparedPacket {
  explicit PreparedPacket(const OneContact* contacts) {
    Block8 a;
    Double8 b[3];
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const OneContact& contact = contacts[lane];
      a.nn[lane] = contact.a(0, 0), a.nt[lane] = contact.a(0, 1), a.no[lane] = contact.a(0, 2);
      a.tt[lane] = contact.a(1, 1), a.to[lane] = contact.a(1, 2), a.oo[lane] = contact.a(2, 2);
      mu[lane] = contact.mu;
      for (int k = 0; k < 3; ++k) b[k][lane] = contact.b[k];
    }
    TangentBasis8 basis;
    kinds = WideKernel<kLaw>::SetUp(a, mu, basis, g, shape);
    inverse_nn = 1.0 / a.nn;
    rhs.b_n = b[0];
    rhs.b1 = Fnma(g[0], b[0], Fma(basis.t1_t, b[1], basis.t1_o * b[2]));
    rhs.b2 = Fnma(g[1], b[0], Fma(basis.t2_t, b[1], basis.t2_o * b[2]));
  }

  typename WideKernel<kLaw>::Shape shape;
  LaneKinds kinds;
  std::array<Double8, 2> g;
  Double8 inverse_nn, mu;
  Rhs8 rhs;
};

template <ContactLaw kLaw>
void WideKernels(benchmark::State& state, Regime regime) {
  const std::vector<OneContact> problems = MakeProblems(regime);
  std::vector<PreparedPacket<kLaw>> prepared;
  for (std::size_t k = 0; k < kProblems; k += kLanes) prepared.emplace_back(&problems[k]);
  for (auto step : state) {
    static_cast<void>(step);
    for (const PreparedPacket<kLaw>& packet : prepared) {
      Solved8 solved = WideKernel<kLaw>::Solve(packet.shape, packet.kinds, packet.inverse_nn,
                                               packet.g, packet.mu, packet.rhs);
      benchmark::DoNotOptimize(solved);
    }
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kProblems));
}

/// Bodies on a cubic lattice that touch twelve neighbours each, along the axes and some diagonals,
/// so that there are six contacts per body. They collapse slowly.
struct Lattice {
  static constexpr Index kSide = 27;
  static constexpr Index kBodies = kSide * kSide * kSide;

  explicit Lattice(BodyKind kind) {
    test::Draw draw(7);
    Vec3 unused;
    for (Index i = 0; i < kBodies; ++i) {
      const Vec3 v = 0.01 * (PositionOf(kBodies / 2) - PositionOf(i)) + draw.Vector(0.05);
      if (kind == BodyKind::kSphere) {
        spheres.push_back({v, draw.Uniform(0.5, 2.0), draw.Vector(0.05), 0.5});
      } else {
        grains.push_back(test::RandomClump(draw, Vec3::UnitX(), unused));
        grains.back().v = v;
        grains.back().omega = draw.Vector(0.1);
      }
    }
    batches.Begin(kBodies, static_cast<std::size_t>(kBodies), kind);
    constexpr Index kSteps[6] = {
        1, kSide, kSide * kSide, kSide + 1, kSide * kSide + 1, kSide * kSide + kSide};
    for (Index i = 0; i < kBodies; ++i) {
      for (const Index step : kSteps) {
        if (i + step < kBodies) AddContact(draw, kind, i + step, i);
      }
    }
    batches.End();
  }

  static Vec3 PositionOf(Index i) {
    return {static_cast<double>(i % kSide), static_cast<double>(i / kSide % kSide),
            static_cast<double>(i / (kSide * kSide))};
  }

  void AddContact(test::Draw& draw, BodyKind kind, Index a, Index b) {
    const auto i = static_cast<std::size_t>(a), j = static_cast<std::size_t>(b);
    const Vec3 separation = PositionOf(a) - PositionOf(b);
    Contact contact;
    contact.a = a;
    contact.b = b;
    contact.friction = 0.4;
    contact.normal = separation.normalized();
    if (kind == BodyKind::kSphere) {
      contact.effective_mass = 1.0 / (spheres[i].inverse_mass + spheres[j].inverse_mass);
      batches.Add(contact, Vec3::Zero());
      return;
    }
    contact.normal = (contact.normal + draw.Vector(0.3)).normalized();
    const Vec3 offset = draw.Vector(0.3);
    const ContactArms arms = {-0.5 * separation + offset, 0.5 * separation + offset};
    contact.effective_mass = 1.0 / (NormalMobility(grains[i], arms.a, contact.normal) +
                                    NormalMobility(grains[j], arms.b, contact.normal));
    batches.Add(contact, arms, Vec3::Zero());
  }

  std::vector<SphereBody> spheres;
  std::vector<RigidBody> grains;
  ContactBatches batches;
};

template <class Body>
void Sweeps(benchmark::State& state, Kernel kernel) {
  constexpr bool kHasSpheres = std::is_same_v<Body, SphereBody>;
  const Lattice initial(kHasSpheres ? BodyKind::kSphere : BodyKind::kRigid);
  SolverParameters parameters;
  parameters.sweeps = 10;
  parameters.kernel = kernel;
  NoSyncOf<Body> no_sync;
  KernelScratch scratch;
  MomentumScratch momentum;
  SweepOrder sweep_order;
  std::int64_t scalar_relaxations = 0, relaxations = 0;
  for (auto step : state) {
    static_cast<void>(step);
    state.PauseTiming();
    Lattice lattice = initial;
    state.ResumeTiming();
    SolveReport report;
    if constexpr (kHasSpheres) {
      report = BlockGaussSeidel(parameters, no_sync, StartingImpulses::kApplied, lattice.batches,
                                lattice.spheres, scratch, momentum, sweep_order);
    } else {
      report = BlockGaussSeidel(parameters, no_sync, StartingImpulses::kApplied, lattice.batches,
                                lattice.grains, scratch, momentum, sweep_order);
    }
    scalar_relaxations += report.scalar_relaxations;
    relaxations += parameters.sweeps * static_cast<std::int64_t>(lattice.batches.Size());
  }
  state.SetItemsProcessed(relaxations);
  state.counters["scalar_fraction"] =
      static_cast<double>(scalar_relaxations) / static_cast<double>(relaxations);
}

constexpr auto OneMaxDissipation = ScalarKernel<kMaxDissipation>;
constexpr auto EightMaxDissipation = WideKernels<kMaxDissipation>;
constexpr auto OneCoulomb = ScalarKernel<kCoulomb>;
constexpr auto EightCoulomb = WideKernels<kCoulomb>;
constexpr auto SphereSweeps = Sweeps<SphereBody>;
constexpr auto GrainSweeps = Sweeps<RigidBody>;

BENCHMARK_CAPTURE(OneMaxDissipation, mix, Regime::kMix);
BENCHMARK_CAPTURE(EightMaxDissipation, mix, Regime::kMix);
BENCHMARK_CAPTURE(OneMaxDissipation, stick, Regime::kStick);
BENCHMARK_CAPTURE(EightMaxDissipation, stick, Regime::kStick);
BENCHMARK_CAPTURE(OneMaxDissipation, slip, Regime::kSlip);
BENCHMARK_CAPTURE(EightMaxDissipation, slip, Regime::kSlip);
BENCHMARK_CAPTURE(OneCoulomb, mix, Regime::kMix);
BENCHMARK_CAPTURE(EightCoulomb, mix, Regime::kMix);
BENCHMARK_CAPTURE(OneCoulomb, slip, Regime::kSlip);
BENCHMARK_CAPTURE(EightCoulomb, slip, Regime::kSlip);
BENCHMARK_CAPTURE(SphereSweeps, sphere, Kernel::kSphere)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(SphereSweeps, max_dissipation, Kernel::kMaxDissipation)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(SphereSweeps, coulomb, Kernel::kCoulomb)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(GrainSweeps, max_dissipation, Kernel::kMaxDissipation)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(GrainSweeps, coulomb, Kernel::kCoulomb)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace scree

BENCHMARK_MAIN();
