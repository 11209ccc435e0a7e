// Averages over the cells of a grid, against a search through all particles.
#include "engine/observation/field_average.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "tests/support/all_pairs.hpp"
#include "tests/support/scenes.hpp"

namespace scree {
namespace {

constexpr double kRounding = 1e-12;  // sums of the same numbers in different order

/// Random particles that all ranks know, in the unit cube, periodic along y. In the second frame
/// all have moved, some through the periodic end; their owners are still those of the first.
struct Cloud {
  Communicator world = Communicator::World();
  Scene scene = test::EmptyScene(Vec3::Zero(), Vec3::Ones(), 0.4);
  Particles all;
  Particles mine;

  explicit Cloud(std::size_t count) {
    scene.domain.periodic = {false, true, false};
    for (const double density : {1000.0, 500.0, 7000.0}) scene.materials.Add({"m", density}, 0.4);
    all = test::RandomParticles(scene.domain.box, count, 0.01, 5);
    const Subdomains subdomains(scene.domain, {world.Size(), 1, 1});
    mine = test::OwnedBy(subdomains, world.Rank(), all);
    AddDistractors();
  }
  void Move(double dt) {
    for (Particles* particles : {&all, &mine}) {
      for (std::size_t i = 0; i < particles->owned; ++i) {
        particles->position[i].y() += dt * particles->velocity[i].y();
      }
    }
  }

 private:
  /// A particle that is gone and a ghost, both where they would be counted.
  void AddDistractors() {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    test::AddSphere(mine, kGone, Vec3::Constant(0.5), nan, Vec3::Constant(nan));
    test::AddSphere(mine, 12345, Vec3::Constant(0.5), nan, Vec3::Constant(nan));
    --mine.owned;
  }
};

/// Looks through all particles for each cell.
CellMeans SlowMeans(const std::vector<Particles>& frames, const Scene& scene, const Box& cell) {
  CellMeans means;
  double mass = 0.0, volume = 0.0;
  for (const Particles& all : frames) {
    for (std::size_t i = 0; i < all.owned; ++i) {
      Vec3 x = all.position[i];
      if (scene.domain.periodic[1]) x.y() -= std::floor(x.y());
      if (!cell.Contains(x)) continue;
      const double v = test::Mass(all.radius[i], 1.0);
      ++means.samples;
      means.velocity += all.velocity[i];
      means.speed += all.velocity[i].norm();
      means.angular_velocity += all.angular_velocity[i];
      means.angular_speed += all.angular_velocity[i].norm();
      volume += v;
      mass += v * scene.materials[all.material[i]].density;
    }
  }
  const auto count = static_cast<double>(std::max<std::int64_t>(means.samples, 1));
  means.velocity /= count;
  means.speed /= count;
  means.angular_velocity /= count;
  means.angular_speed /= count;
  const double space = cell.Extent().prod() * static_cast<double>(frames.size());
  means.number_density = static_cast<double>(means.samples) / space;
  means.mass_density = mass / space;
  means.solid_fraction = volume / space;
  return means;
}

Box CellBox(const FieldGrid& grid, std::size_t cell) {
  const Vec3 half =
      0.5 * grid.region.Extent().cwiseQuotient(Vec3(grid.cells[0], grid.cells[1], grid.cells[2]));
  return {grid.Centre(cell) - half, grid.Centre(cell) + half};
}

void ExpectEqual(const CellMeans& a, const CellMeans& b) {
  EXPECT_EQ(a.samples, b.samples);
  EXPECT_LE((a.velocity - b.velocity).norm(), kRounding);
  EXPECT_NEAR(a.speed, b.speed, kRounding);
  EXPECT_LE((a.angular_velocity - b.angular_velocity).norm(), kRounding);
  EXPECT_NEAR(a.angular_speed, b.angular_speed, kRounding);
  EXPECT_NEAR(a.number_density, b.number_density, kRounding * b.number_density);
  EXPECT_NEAR(a.mass_density, b.mass_density, kRounding * b.mass_density);
  EXPECT_NEAR(a.solid_fraction, b.solid_fraction, kRounding * b.solid_fraction);
}

TEST(FieldAverage, EqualsASearchThroughAllParticles) {
  Cloud cloud(2000);
  const FieldGrid grid{{{0.1, 0.0, 0.2}, {0.9, 1.0, 0.9}}, {5, 3, 4}};
  FieldSums sums(grid);
  std::vector<Particles> frames;
  for (int frame = 0; frame < 3; ++frame) {
    frames.push_back(cloud.all);
    AddFrame(grid, cloud.scene, cloud.mine, sums);
    cloud.Move(0.3);
  }
  EXPECT_EQ(sums.frames, 3);
  const FieldSums total = SumOverRanks(cloud.world, sums);
  ASSERT_EQ(grid.Size(), 60u);
  for (std::size_t cell = 0; cell < grid.Size(); ++cell) {
    ExpectEqual(MeansOf(grid, total, cell), SlowMeans(frames, cloud.scene, CellBox(grid, cell)));
  }
}

TEST(FieldAverage, MeanSpeedIsNotTheSpeedOfTheMean) {
  const Scene scene = test::EmptyScene(Vec3::Zero(), Vec3::Ones(), 0.4);
  const FieldGrid grid{scene.domain.box, {1, 1, 1}};
  FieldSums sums(grid);
  Particles pair;
  test::AddSphere(pair, 0, Vec3::Constant(0.2), 0.1, {3, 0, 0}, {0, 5, 0});
  test::AddSphere(pair, 1, Vec3::Constant(0.7), 0.1, {-1, 0, 0}, {0, -5, 0});
  AddFrame(grid, scene, pair, sums);
  const CellMeans means = MeansOf(grid, sums, 0);
  EXPECT_EQ(means.velocity, Vec3(1, 0, 0));
  EXPECT_EQ(means.speed, 2.0);
  EXPECT_EQ(means.angular_velocity, Vec3::Zero());
  EXPECT_EQ(means.angular_speed, 5.0);
}

TEST(FieldAverage, EmptyCellHasNoMeansButADensityOfZero) {
  const Scene scene = test::EmptyScene(Vec3::Zero(), Vec3::Ones(), 0.4);
  const FieldGrid grid{scene.domain.box, {2, 1, 1}};
  FieldSums sums(grid);
  Particles one;
  test::AddSphere(one, 0, {0.7, 0.5, 0.5}, 0.1, {3, 0, 0});
  AddFrame(grid, scene, one, sums);
  AddFrame(grid, scene, {}, sums);  // a frame without particles halves the density
  EXPECT_EQ(MeansOf(grid, sums, 0).samples, 0);
  EXPECT_EQ(MeansOf(grid, sums, 0).speed, 0.0);
  EXPECT_EQ(MeansOf(grid, sums, 0).solid_fraction, 0.0);
  EXPECT_EQ(MeansOf(grid, sums, 1).speed, 3.0);
  EXPECT_EQ(MeansOf(grid, sums, 1).number_density, 1.0);
}

TEST(FieldAverage, CellsAreHalfOpenAndCoverTheRegionOnce) {
  const Scene scene = test::EmptyScene(Vec3::Constant(-1), Vec3::Constant(2), 0.4);
  const FieldGrid grid{{Vec3::Zero(), Vec3::Ones()}, {3, 1, 1}};
  FieldSums sums(grid);
  Particles row;
  const double below_one = std::nextafter(1.0, 0.0);
  for (const double x : {-1e-300, 0.0, 0.5, below_one, 1.0}) {
    test::AddSphere(row, static_cast<ParticleId>(row.Size()), {x, 0.5, 0.5}, 0.1);
  }
  AddFrame(grid, scene, row, sums);
  for (std::size_t cell = 0; cell < 3; ++cell) EXPECT_EQ(MeansOf(grid, sums, cell).samples, 1);
}

TEST(FieldGrid, NumbersCellsWithXFastest) {
  const FieldGrid grid{{{0, 0, 0}, {4, 6, 4}}, {4, 3, 2}};
  EXPECT_EQ(grid.Size(), 24u);
  EXPECT_EQ(grid.CellVolume(), 4.0);
  EXPECT_EQ(grid.Place(1 + 4 * (2 + 3 * 1)), (std::array<int, 3>{1, 2, 1}));
  EXPECT_EQ(grid.Centre(1 + 4 * (2 + 3 * 1)), Vec3(1.5, 5.0, 3.0));
}

}  // namespace
}  // namespace scree
