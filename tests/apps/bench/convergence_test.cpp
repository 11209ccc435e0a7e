// The table of the residual of one step after different numbers of sweeps: start and residual of
// each row, and the printed text.
#include "apps/bench/convergence.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "apps/common/packing.hpp"
#include "tests/support/scenes.hpp"

namespace scree::bench_convergence_test {
namespace {

SolverVariant Variant(const std::string& name, const std::string& key, const std::string& value) {
  return {name, {{"solver", key, value, "--variants"}}};
}

/// Columns of spheres at rest on a floor. The stored impulses solve the next step at once. Without
/// them each sweep transmits the weight through only a few spheres.
BenchCase Columns(const Communicator& world) {
  constexpr int kSpheresPerSide = 6, kLayers = 8;
  constexpr double kRadius = 1e-3;
  RunConfig config;
  const Vec3 spacing = kRadius * Vec3(2.2, 2.2, 2.0);
  const Vec3 box = spacing.cwiseProduct(Vec3(kSpheresPerSide, kSpheresPerSide, kLayers + 2));
  config.scene = test::EmptyScene(Vec3::Zero(), box, 0.4);
  config.scene.gravity = Vec3(0.0, 0.0, -9.81);
  test::AddPlane(config.scene, Vec3::Zero(), Vec3::UnitZ());
  config.step.error_reduction = 0.0;
  BenchCase bench{std::move(config), Subdomains(Domain(), {1, 1, 1}), {}, "columns"};
  const Domain& domain = bench.config.scene.domain;
  bench.subdomains = Subdomains(domain, SmallestHaloGrid(domain, world.Size()));
  for (int k = 0; world.IsRoot() && k < kSpheresPerSide * kSpheresPerSide * kLayers; ++k) {
    const Vec3 site(k % kSpheresPerSide, k / kSpheresPerSide % kSpheresPerSide,
                    k / kSpheresPerSide / kSpheresPerSide);
    test::AddSphere(bench.state.particles, k, spacing.cwiseProduct(site + Vec3::Constant(0.5)),
                    kRadius);
  }
  return bench;
}

TEST(BenchConvergence, SweepsAndStartDecideTheResidual) {
  const Communicator world = Communicator::World();
  BenchCase bench = Columns(world);
  BenchOptions options;
  options.warm_up = 30;
  options.convergence = {1, 4, 16};
  options.variants = {{"as run", {}},
                      Variant("cold", "warm_start", "no"),
                      {"jacobi",
                       {{"solver", "scheme", "jacobi", "--variants"},
                        {"solver", "warm_start", "no", "--variants"}}}};
  const std::vector<ConvergenceRow> rows = RunConvergence(world, bench, options);
  ASSERT_EQ(rows.size(), 9u);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    EXPECT_EQ(rows[k].variant, options.variants[k / 3].name);
    EXPECT_EQ(rows[k].sweeps, options.convergence[k % 3]);
    EXPECT_EQ(rows[k].contacts, 6 * 6 * 8);
    EXPECT_GE(rows[k].residual_max, rows[k].residual_rms);
    EXPECT_GT(rows[k].seconds, 0.0);
    EXPECT_LT(rows[k].penetration, 1e-5);
    if (k < 3 || k % 3 == 0) continue;
    EXPECT_LT(rows[k].residual_rms, rows[k - 1].residual_rms) << k;
  }
  EXPECT_GT(rows[3].residual_rms, 1e-6);                         // g dt is 1e-4 m/s
  EXPECT_LT(rows[0].residual_rms, 0.01 * rows[3].residual_rms);  // warm against cold
  EXPECT_NE(rows[4].residual_rms, rows[7].residual_rms);
}

TEST(BenchConvergence, EveryRowStartsFromTheSameState) {
  const Communicator world = Communicator::World();
  BenchCase bench = Columns(world);
  BenchOptions options;
  options.warm_up = 3;
  options.convergence = {2, 2};
  options.repeat = 2;
  options.variants = {{"as run", {}}, Variant("explicit", "scheme", "gauss_seidel")};
  const std::vector<ConvergenceRow> rows = RunConvergence(world, bench, options);
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_GT(rows[0].residual_rms, 0.0);
  for (const ConvergenceRow& row : rows) {
    EXPECT_EQ(row.contacts, rows[0].contacts);
    EXPECT_EQ(row.residual_max, rows[0].residual_max);
    EXPECT_EQ(row.residual_rms, rows[0].residual_rms);
    EXPECT_EQ(row.penetration, rows[0].penetration);
  }
}

TEST(BenchConvergence, OpenTopReplacesTheCeilingByFreeSpace) {
  const Communicator self = Communicator::Self();
  const auto rank = std::to_string(Communicator::World().Rank());
  BenchOptions options;
  options.packing = testing::TempDir() + "scree_open_top_" + rank + ".csv";
  std::ofstream(options.packing) << "# box 1 2 3\nx,y,z,radius\n.5,.5,.5,.1\n.5,.5,.7,.05\n";
  options.box.open_top = true;
  const Scene open = MakeBenchCase(self, options).config.scene;
  options.box.open_top = false;
  const Scene closed_scene = MakeBenchCase(self, options).config.scene;
  EXPECT_EQ(closed_scene.walls.size(), 6u);
  EXPECT_EQ(closed_scene.domain.box.upper, Vec3(1.0, 2.0, 3.0));
  ASSERT_EQ(open.walls.size(), 5u);
  for (const Wall& wall : open.walls) EXPECT_NE(wall.name, "ceiling");
  EXPECT_EQ(open.domain.box.upper, Vec3(1.0, 2.0, 3.0 + 10.0 * 0.2));
}

TEST(BenchConvergence, SolverKeysChangeOnlyTheSolver) {
  RunConfig config;
  config.scene = ClosedBox(Vec3(1.0, 2.0, 3.0), {"grain"}, 0.4);
  config.step.speculative = false;
  config.step.contact_threshold = 0.123;
  config.step.dt = 1.0 / 3.0;
  const RunConfig jacobi = WithSolverKeys(config, Variant("", "scheme", "jacobi").keys);
  EXPECT_EQ(jacobi.step.solver.scheme, Scheme::kJacobi);
  EXPECT_FALSE(jacobi.step.speculative);
  EXPECT_EQ(jacobi.step.contact_threshold, 0.123);
  EXPECT_EQ(jacobi.step.dt, 1.0 / 3.0);
  EXPECT_EQ(jacobi.scene.walls.size(), 6u);
  EXPECT_EQ(jacobi.time.end, config.time.end);

  const RunConfig speculative = WithSolverKeys(config, Variant("", "speculative", "yes").keys);
  EXPECT_TRUE(speculative.step.speculative);
  const RunConfig restored = WithSolverKeys(speculative, Variant("", "speculative", "no").keys);
  EXPECT_FALSE(restored.step.speculative);
  EXPECT_EQ(restored.step.contact_threshold, 0.123);
  EXPECT_THROW(WithSolverKeys(config, Variant("", "scheme", "gauss").keys), InputError);
  EXPECT_THROW(WithSolverKeys(config, Variant("", "sweep", "3").keys), InputError);
}

TEST(BenchConvergence, TableHasProvenanceHeaderAndRows) {
  BenchCase bench{{}, Subdomains(Domain(), {2, 1, 1}), {}, "packing a.csv"};
  bench.config.step.error_reduction = 0.25;
  BenchOptions options;
  options.warm_up = 7;
  const std::string table = ConvergenceTable(
      bench, options,
      {{"as run", 5, 1000, 0.5, 0.25, 1.5e-3, 2e-6}, {"cold", 5, 1000, 1, 1, 1, 0}});
  EXPECT_THAT(table, testing::HasSubstr("# source: packing a.csv\n# ranks: 2\n"));
  EXPECT_THAT(table, testing::HasSubstr("error reduction: 0.25\n# warm-up: 7 steps of 10 sweeps\n"
                                        "variant,sweeps,contacts,residual_max,residual_rms,seconds,"
                                        "max_penetration\nas run,5,1000,0.5,0.25,0.0015,2e-06\n"
                                        "cold,5,1000,1,1,1,0\n"));
}

}  // namespace
}  // namespace scree::bench_convergence_test
