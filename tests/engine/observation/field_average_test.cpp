// Averages over the cells of a grid, compared with a loop over all particles for each cell.
#include "engine/observation/field_average.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "engine/observation/contact_records.hpp"
#include "engine/particles/random.hpp"
#include "tests/support/all_pairs.hpp"
#include "tests/support/scenes.hpp"

namespace scree::field_average_test {
namespace {

constexpr double kClosedGap = 1e-8;
constexpr double kRounding = 1e-12;  // sums of the same numbers in different order

/// Random particles in the unit cube, periodic along y. Each rank has all particles in one array,
/// and those that it owns in another. Particles that move across the periodic end keep their
/// owners.
struct Cloud {
  Communicator world = Communicator::World();
  Scene scene = test::EmptyScene(Vec3::Zero(), Vec3::Ones(), 0.4);
  Particles all;
  Particles owned;

  explicit Cloud(std::size_t count) {
    scene.domain.periodic = {false, true, false};
    for (const double density : {1000.0, 500.0, 7000.0}) scene.materials.Add({"m", density}, 0.4);
    all = test::RandomParticles(scene.domain.box, count, 0.01, 5);
    const Subdomains subdomains(scene.domain, {world.Size(), 1, 1});
    owned = test::OwnedBy(subdomains, world.Rank(), all);
    AddDistractors();
  }
  void Move(double dt) {
    for (Particles* particles : {&all, &owned}) {
      for (std::size_t i = 0; i < particles->owned; ++i) {
        particles->position[i].y() += dt * particles->velocity[i].y();
      }
    }
  }

 private:
  /// Adds a removed particle and a ghost inside the region. Neither may be counted.
  void AddDistractors() {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    test::AddSphere(owned, kRemovedId, Vec3::Constant(0.5), nan, Vec3::Constant(nan));
    test::AddSphere(owned, 12345, Vec3::Constant(0.5), nan, Vec3::Constant(nan));
    --owned.owned;
  }
};

CellMeans ReferenceMeans(const std::vector<Particles>& frames, const Scene& scene,
                         const Box& cell) {
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

TEST(FieldAverage, MeansEqualALoopOverAllParticles) {
  Cloud cloud(2000);
  const FieldGrid grid{{{0.1, 0.0, 0.2}, {0.9, 1.0, 0.9}}, {5, 3, 4}};
  FieldSums sums(grid);
  std::vector<Particles> frames;
  for (int frame = 0; frame < 3; ++frame) {
    frames.push_back(cloud.all);
    AddFrame(grid, cloud.scene, cloud.owned, sums);
    cloud.Move(0.3);
  }
  EXPECT_EQ(sums.frames, 3);
  const FieldSums total = SumOverRanks(cloud.world, sums);
  ASSERT_EQ(grid.Size(), 60u);
  for (std::size_t cell = 0; cell < grid.Size(); ++cell) {
    ExpectEqual(MeansOf(grid, total, cell),
                ReferenceMeans(frames, cloud.scene, CellBox(grid, cell)));
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

TEST(FieldAverage, EmptyCellHasZeroDensityAndNoOtherMeans) {
  const Scene scene = test::EmptyScene(Vec3::Zero(), Vec3::Ones(), 0.4);
  const FieldGrid grid{scene.domain.box, {2, 1, 1}};
  FieldSums sums(grid);
  Particles particle;
  test::AddSphere(particle, 0, {0.7, 0.5, 0.5}, 0.1, {3, 0, 0});
  AddFrame(grid, scene, particle, sums);
  AddFrame(grid, scene, {}, sums);  // a frame without particles halves the density
  EXPECT_EQ(MeansOf(grid, sums, 0).samples, 0);
  EXPECT_EQ(MeansOf(grid, sums, 0).speed, 0.0);
  EXPECT_EQ(MeansOf(grid, sums, 0).solid_fraction, 0.0);
  EXPECT_EQ(MeansOf(grid, sums, 1).speed, 3.0);
  EXPECT_EQ(MeansOf(grid, sums, 1).number_density, 1.0);
}

TEST(FieldAverage, CellsAreHalfOpenAndCoverTheRegion) {
  const Scene scene = test::EmptyScene(Vec3::Constant(-1), Vec3::Constant(2), 0.4);
  const FieldGrid grid{{Vec3::Zero(), Vec3::Ones()}, {3, 1, 1}};
  FieldSums sums(grid);
  Particles row;
  const double largest_below_one = std::nextafter(1.0, 0.0);
  for (const double x : {-1e-300, 0.0, 0.5, largest_below_one, 1.0}) {
    test::AddSphere(row, static_cast<ParticleId>(row.Size()), {x, 0.5, 0.5}, 0.1);
  }
  AddFrame(grid, scene, row, sums);
  for (std::size_t cell = 0; cell < 3; ++cell) EXPECT_EQ(MeansOf(grid, sums, cell).samples, 1);
}

// ---- contacts

/// Random particles with random forces between neighbours and from walls, far from equilibrium.
struct ForcedCloud : Cloud {
  std::vector<ContactRecord> contacts;  // of this rank
  static constexpr double kDt = 0.01;

  explicit ForcedCloud(std::size_t count) : Cloud(count) {
    // Contacts of this rank connect two owned particles, or an owned particle and a wall.
    const auto count_owned = static_cast<Index>(owned.owned);
    for (Index a = 0; a + 7 < count_owned; ++a) {
      if (owned.id[static_cast<std::size_t>(a)] == kRemovedId) continue;
      const auto random = [&](std::uint64_t draw) {
        return UniformAroundZero(3, owned.id[static_cast<std::size_t>(a)], draw);
      };
      ContactRecord record;
      record.a = a;
      record.b = a % 5 == 0 ? -1 : a + 7;
      if (record.b >= 0 && owned.id[static_cast<std::size_t>(record.b)] == kRemovedId) continue;
      record.id_a = owned.id[static_cast<std::size_t>(a)];
      if (record.b >= 0) record.id_b = owned.id[static_cast<std::size_t>(record.b)];
      record.gap = a % 3 == 0 ? 1e-3 : -1e-5;
      record.normal = Vec3(random(1), random(2), random(3)).normalized();
      record.impulse = kDt * Vec3(random(4), random(5), random(6));
      record.pull = kDt * Vec3(random(7), 0, 0);
      record.position = StartPosition(a) + 0.3 * Vec3(random(8), random(9), random(10));
      record.arm_a = StartPosition(a) - record.position;
      if (record.b >= 0) record.arm_b = StartPosition(record.b) - record.position;
      contacts.push_back(record);
    }
  }
  /// Position of a particle at the beginning of the step.
  Vec3 StartPosition(Index i) const {
    const auto k = static_cast<std::size_t>(i);
    return owned.position[k] - kDt * owned.velocity[k];
  }
  FieldSums Sums(const FieldGrid& grid) const {
    FieldSums sums(grid);
    AddContacts(grid, scene, owned, contacts, kDt, kClosedGap, sums);
    AddFrame(grid, scene, {}, sums);
    return SumOverRanks(world, sums);
  }
};

TEST(FieldAverage, StressOfTheWholeDomainIsTheSumOverTheBranches) {
  const ForcedCloud cloud(400);
  const FieldGrid grid{cloud.scene.domain.box, {7, 5, 3}};
  const FieldSums sums = cloud.Sums(grid);
  Mat3 total = Mat3::Zero();
  Vec3 walls = Vec3::Zero();
  double touching_sum = 0.0, contact_sum = 0.0;
  for (std::size_t cell = 0; cell < grid.Size(); ++cell) {
    const CellMeans means = MeansOf(grid, sums, cell);
    total += grid.CellVolume() * means.contact_stress;
    walls += grid.CellVolume() * means.wall_force;
    touching_sum += sums.SlotSums(cell)[FieldSums::kTouching];
    contact_sum += sums.SlotSums(cell)[FieldSums::kContacts];
  }
  // Branches are cut at the faces of the box along x and z. Along y the box is periodic.
  std::vector<double> expected(9 + 3 + 2, 0.0);
  for (const ContactRecord& record : cloud.contacts) {
    const Vec3 force = (record.impulse + record.pull) / ForcedCloud::kDt;
    const auto add = [&](Index i, const Vec3& f) {
      const Vec3 contact_point = record.position, branch = cloud.StartPosition(i) - contact_point;
      double cut_begin = 0.0, cut_end = 1.0;
      for (const int a : {0, 2}) {
        const double s = -contact_point[a] / branch[a], t = (1.0 - contact_point[a]) / branch[a];
        cut_begin = std::max(cut_begin, std::min(s, t));
        cut_end = std::min(cut_end, std::max(s, t));
      }
      for (int k = 0; k < 9; ++k) {
        expected[static_cast<std::size_t>(k)] +=
            std::max(0.0, cut_end - cut_begin) * f[k / 3] * branch[k % 3];
      }
      const Vec3 x = cloud.StartPosition(i);
      if (record.gap <= 0.0 && x.x() >= 0 && x.x() < 1 && x.z() >= 0 && x.z() < 1)
        expected[12] += 1.0;
    };
    const Vec3& c = record.position;
    // Contacts with walls are always counted.
    const bool is_counted = record.b < 0 || (c.x() >= 0 && c.x() < 1 && c.z() >= 0 && c.z() < 1);
    add(record.a, force);
    if (record.b >= 0) add(record.b, -force);
    if (is_counted && record.gap <= 0.0) expected[13] += 1.0;
    for (int k = 0; k < 3 && record.b < 0; ++k) {
      expected[static_cast<std::size_t>(9 + k)] += force[k];
    }
  }
  cloud.world.Sum(expected);
  for (int k = 0; k < 9; ++k) {
    EXPECT_NEAR(total(k / 3, k % 3), expected[static_cast<std::size_t>(k)], 1e-10);
  }
  for (int k = 0; k < 3; ++k) {
    EXPECT_NEAR(walls[k], expected[static_cast<std::size_t>(9 + k)], 1e-10);
  }
  EXPECT_EQ(touching_sum, expected[12]);
  EXPECT_NEAR(contact_sum, expected[13], 1e-9);
}

TEST(FieldAverage, DivergenceOfTheStressBalancesForcesAndWalls) {
  // Σ f_i φ(x_i) = −∇⋅σ + t, with the force f_i on particle i, the contact stress σ and the force t
  // of the walls. φ is 1/V in the cell and 0 outside. The derivative is computed from the means of
  // shifted cells. It is exact unless a centre or contact point crosses a face of the cell.
  const ForcedCloud cloud(60);
  const double shift = 1e-7;
  for (const Vec3& lower : {Vec3(0.2, 0.3, 0.4), Vec3(0.35, 0.05, 0.1), Vec3(0.1, 0.45, 0.3)}) {
    const auto cell_at = [&](const Vec3& displacement) {
      return FieldGrid{{lower + displacement, lower + displacement + Vec3(0.4, 0.5, 0.45)},
                       {1, 1, 1}};
    };
    const FieldGrid grid = cell_at(Vec3::Zero());
    Vec3 balance = MeansOf(grid, cloud.Sums(grid), 0).wall_force;
    for (int j = 0; j < 3; ++j) {
      const Vec3 displacement = shift * Vec3::Unit(j);
      const FieldGrid shifted_up = cell_at(displacement), shifted_down = cell_at(-displacement);
      balance -= (MeansOf(shifted_up, cloud.Sums(shifted_up), 0).contact_stress -
                  MeansOf(shifted_down, cloud.Sums(shifted_down), 0).contact_stress)
                     .col(j) /
                 (2.0 * shift);
    }
    Vec3 forces = Vec3::Zero();
    const auto add = [&](Index i, const Vec3& f) {
      if (grid.region.Contains(cloud.scene.domain.Wrap(cloud.StartPosition(i)))) forces += f;
    };
    for (const ContactRecord& record : cloud.contacts) {
      const Vec3 force = (record.impulse + record.pull) / ForcedCloud::kDt;
      add(record.a, force);
      if (record.b >= 0) add(record.b, -force);
    }
    std::vector<double> sum(forces.begin(), forces.end());
    cloud.world.Sum(sum);
    const Vec3 expected = Vec3(sum[0], sum[1], sum[2]) / grid.CellVolume();
    EXPECT_GT(expected.norm(), 0.1);
    EXPECT_LT((balance - expected).norm(), 1e-6 * expected.norm());
  }
}

TEST(FieldAverage, TemperatureIsTheVarianceAboutTheMeanVelocity) {
  const Scene scene = test::EmptyScene(Vec3::Zero(), Vec3::Ones(), 0.4);
  const FieldGrid grid{scene.domain.box, {1, 1, 1}};
  FieldSums sums(grid);
  Particles pair;
  test::AddSphere(pair, 0, Vec3::Constant(0.2), 0.1, {3, 1, 0});
  test::AddSphere(pair, 1, Vec3::Constant(0.7), 0.1, {-1, 1, 4});
  AddFrame(grid, scene, pair, sums);
  const CellMeans means = MeansOf(grid, sums, 0);
  const double mass = test::Mass(0.1);
  EXPECT_LT((means.momentum_density - 2.0 * mass * Vec3(1, 1, 2)).norm(), 1e-12 * mass);
  Mat3 scatter = Mat3::Zero();
  for (const Vec3& v : {Vec3(2, 0, -2), Vec3(-2, 0, 2)}) scatter += mass * v * v.transpose();
  EXPECT_LT((means.kinetic_stress - scatter).norm(), 1e-12 * mass);
  EXPECT_NEAR(means.temperature, 8.0 / 3.0, 1e-12);
}

TEST(FieldAverage, SumsOfMaterialsAndIntervalsAddUpToTheTotal) {
  ForcedCloud cloud(300);
  for (Particles* particles : {&cloud.all, &cloud.owned}) {
    for (std::size_t i = 0; i < particles->owned; ++i) {
      particles->material[i] =
          particles->id[i] == kRemovedId ? 0 : static_cast<MaterialId>(particles->id[i] % 4);
    }
  }
  FieldGrid grid{cloud.scene.domain.box, {3, 1, 2}};
  FieldSums total(grid);
  grid.by = FieldKinds::kMaterial;
  ASSERT_EQ(CountKinds(grid, cloud.scene), 4u);
  FieldSums parts(grid, 4);
  for (int frame = 0; frame < 5; ++frame) {
    FieldGrid plain_grid = grid;
    plain_grid.by = FieldKinds::kAll;
    AddContacts(plain_grid, cloud.scene, cloud.owned, cloud.contacts, ForcedCloud::kDt, kClosedGap,
                total);
    AddFrame(plain_grid, cloud.scene, cloud.owned, total);
    AddContacts(grid, cloud.scene, cloud.owned, cloud.contacts, ForcedCloud::kDt, kClosedGap, parts,
                2);
    AddFrame(grid, cloud.scene, cloud.owned, parts, 2);
    cloud.Move(0.3);
  }
  EXPECT_EQ(total.Rows(), 1u);
  ASSERT_EQ(parts.Rows(), 3u);
  ASSERT_EQ(parts.slots, 24u);
  for (std::size_t cell = 0; cell < grid.Size(); ++cell) {
    for (std::size_t entry = 0; entry < FieldSums::kEntries; ++entry) {
      double sum = 0.0, size = 1.0;
      for (std::size_t slot = cell; slot < 3 * parts.slots; slot += grid.Size()) {
        sum += parts.SlotSums(slot)[entry];
        size += std::abs(parts.SlotSums(slot)[entry]);
      }
      EXPECT_NEAR(sum, total.SlotSums(cell)[entry], kRounding * size) << entry;
    }
  }
}

TEST(FieldAverage, StressOfTwoPressedSpheresIsForceTimesBranch) {
  const Scene scene = test::EmptyScene(Vec3::Zero(), Vec3::Ones(), 0.4);
  const FieldGrid grid{scene.domain.box, {1, 1, 1}};
  Particles pair;
  test::AddSphere(pair, 4, {0.4, 0.5, 0.5}, 0.1);
  test::AddSphere(pair, 9, {0.6, 0.5, 0.5}, 0.1);
  ContactRecord contact;
  contact.a = 0;
  contact.b = 1;
  contact.normal = -Vec3::UnitX();
  contact.impulse = Vec3(-0.05, 0.01, 0);
  contact.position = Vec3::Constant(0.5);
  contact.arm_a = pair.position[0] - contact.position;
  contact.arm_b = pair.position[1] - contact.position;
  FieldSums sums(grid);
  AddContacts(grid, scene, pair, std::span(&contact, 1), 0.01, kClosedGap, sums);
  AddFrame(grid, scene, pair, sums);
  const CellMeans means = MeansOf(grid, sums, 0);
  Mat3 stress = Mat3::Zero();  // force (−5, 1, 0) N times branch −0.2 m along x
  stress(0, 0) = 1.0;
  stress(1, 0) = -0.2;
  EXPECT_LT((means.contact_stress - stress).norm(), 1e-12);
  EXPECT_EQ(means.coordination, 1.0);
  EXPECT_NEAR(means.fabric(0, 0), 1.0, 1e-15);
  EXPECT_NEAR(means.fabric.trace(), 1.0, 1e-15);
  FieldSums first(grid);  // at step 0 there are particles but no solved contacts
  AddFrame(grid, scene, pair, first);
  EXPECT_TRUE(std::isnan(MeansOf(grid, first.SlotSums(0), {1, 0}).contact_stress(0, 0)));
}

TEST(FieldAverage, NeighboursCountOnceHoweverManyPointsTouch) {
  const Scene scene = test::EmptyScene(Vec3::Zero(), Vec3::Ones(), 0.4);
  const FieldGrid grid{scene.domain.box, {1, 1, 1}};
  Particles pair;
  test::AddSphere(pair, 4, {0.4, 0.5, 0.5}, 0.1);
  test::AddSphere(pair, 9, {0.6, 0.5, 0.5}, 0.1);
  ContactRecord touching;
  touching.id_a = 4;
  touching.id_b = 9;
  touching.a = 0;
  touching.b = 1;
  ContactRecord distant = touching;
  distant.gap = 2.0 * kClosedGap;
  ContactRecord on_floor;
  on_floor.id_a = 4;
  on_floor.wall = 0;
  const auto coordination = [&](const std::vector<ContactRecord>& contacts) {
    FieldSums sums(grid);
    AddContacts(grid, scene, pair, contacts, 0.01, kClosedGap, sums);
    AddFrame(grid, scene, pair, sums);
    return MeansOf(grid, sums, 0).coordination;
  };
  EXPECT_EQ(coordination({distant}), 0.0);
  EXPECT_EQ(coordination({distant, touching, touching}), 1.0);
  EXPECT_EQ(coordination({touching, on_floor}), 1.5);
  EXPECT_EQ(coordination({touching, on_floor, touching, on_floor}), 1.5);
}

/// A sheared cube. Its images are offset by 0.3 at the time kShearTime.
Scene ShearedScene() {
  Scene scene = test::EmptyScene(Vec3::Zero(), Vec3::Ones(), 0.4);
  scene.domain.periodic = {true, true, true};
  scene.domain.shear.rate = 2.0;
  return scene;
}
constexpr double kShearTime = 0.65;  // [s]; the images have moved by 1.3 periods

TEST(FieldAverage, MeanFlowOfAShearedDomainIsNotTemperature) {
  const Scene scene = ShearedScene();
  Particles all = test::RandomParticles(scene.domain.box, 500, 0.01, 5);
  std::fill(all.material.begin(), all.material.end(), 0);
  for (std::size_t i = 0; i < all.owned; ++i) {
    // Every third particle is beyond the sheared end, not wrapped yet, with the mean flow there.
    if (i % 3 == 0) all.position[i].z() += 1.0;
    all.velocity[i] = scene.domain.MeanFlow(all.position[i]) + Vec3(0.1, 0.2, -0.3);
  }
  for (const int cells : {1, 4}) {
    const FieldGrid grid{scene.domain.box, {1, 2, cells}};
    FieldSums sums(grid);
    AddFrame(grid, scene, all, sums, 0, kShearTime);
    for (std::size_t cell = 0; cell < grid.Size(); ++cell) {
      const CellMeans means = MeansOf(grid, sums.SlotSums(cell), {1, 0});
      EXPECT_GT(means.samples, 10);
      const Vec3 expected = scene.domain.MeanFlow(grid.Centre(cell)) + Vec3(0.1, 0.2, -0.3);
      EXPECT_LT((means.velocity - expected).norm(), 1e-12);
      EXPECT_LT(means.temperature, 1e-13);
    }
  }
}

TEST(FieldAverage, GridDeformsWithThePeriodicCell) {
  const Scene scene = ShearedScene();
  Domain cell = scene.domain;
  cell.deforms = true;
  cell.box = {Vec3(0.1, 0.2, 0.1), Vec3(0.9, 0.8, 1.1)};
  cell.image_offset = 0.3;
  cell.stretch = Vec3(-3.0, 1.0, 2.0);
  Particles all = test::RandomParticles(scene.domain.box, 500, 0.01, 5);
  std::fill(all.material.begin(), all.material.end(), 0);
  for (std::size_t i = 0; i < all.owned; ++i) {
    all.position[i] = cell.box.lower + all.position[i].cwiseProduct(cell.box.Extent());
    all.velocity[i] = cell.MeanFlow(all.position[i]) + Vec3(0.1, 0.2, -0.3);
  }
  const FieldGrid grid{{Vec3::Zero(), Vec3(1.0, 1.0, 0.5)}, {1, 2, 2}};
  const FieldGrid deformed = grid.At(scene.domain, cell);
  FieldSums sums(grid);
  AddFrame(grid, scene, all, sums, 0, 0.0, &cell);
  AddFrame(grid, scene, all, sums, 0, 0.0, &cell);
  for (std::size_t k = 0; k < grid.Size(); ++k) {
    const CellMeans means = MeansOf(grid, sums.SlotSums(k), {2, 0});
    const Vec3 half = 0.5 * deformed.CellExtent();
    std::int64_t particles_inside = 0;
    for (const Vec3& x : std::span(all.position).first(all.owned)) {
      particles_inside += ((x - deformed.Centre(k)).cwiseAbs().array() < half.array()).all();
    }
    EXPECT_EQ(means.samples, 2 * particles_inside);
    EXPECT_NEAR(means.number_density * deformed.CellVolume(), static_cast<double>(particles_inside),
                1e-9);
    const Vec3 expected = cell.MeanFlow(deformed.Centre(k)) + Vec3(0.1, 0.2, -0.3);
    EXPECT_LT((means.velocity - expected).norm(), 1e-12);
    EXPECT_LT(means.temperature, 1e-13);
  }
}

TEST(FieldAverage, BranchAcrossAShearedEndEndsAtTheImage) {
  const Scene scene = ShearedScene();
  Particles pair;
  test::AddSphere(pair, 4, {0.9, 0.5, 0.95}, 0.1);
  test::AddSphere(pair, 9, {0.6, 0.5, 0.15}, 0.1);  // its image is straight above the first sphere
  ContactRecord contact;
  contact.a = 0;
  contact.b = 1;
  contact.normal = -Vec3::UnitZ();
  contact.impulse = Vec3(0.01, 0, -0.05);
  contact.position = Vec3(0.9, 0.5, 1.05);
  contact.arm_a = Vec3(0, 0, -0.1);
  contact.arm_b = Vec3(0, 0, 0.1);
  const FieldGrid grid{scene.domain.box, {10, 1, 10}};
  FieldSums sums(grid);
  AddContacts(grid, scene, pair, std::span(&contact, 1), 0.01, kClosedGap, sums, 0, kShearTime);
  AddFrame(grid, scene, pair, sums, 0, kShearTime);
  // Half of the first sphere's arm is below the upper end. The rest of the branch is above this
  // end, so its image is at the bottom, shifted by -0.3 along x. Each quarter of the branch is half
  // a cell long. The x of the branch is on a face, so that rounding selects the cell.
  const auto stress = [&](std::size_t x, std::size_t z) {
    return MeansOf(grid, sums, x + 10 * z).contact_stress(2, 2) * grid.CellVolume();
  };
  EXPECT_NEAR(stress(8, 9) + stress(9, 9), 5.0 * 0.05, 1e-12);
  EXPECT_NEAR(stress(5, 0) + stress(6, 0), 5.0 * 0.1, 1e-12);
  EXPECT_NEAR(stress(5, 1) + stress(6, 1), 5.0 * 0.05, 1e-12);
}

TEST(FieldGrid, NumbersCellsWithXFastest) {
  const FieldGrid grid{{{0, 0, 0}, {4, 6, 4}}, {4, 3, 2}};
  EXPECT_EQ(grid.Size(), 24u);
  EXPECT_EQ(grid.CellVolume(), 4.0);
  EXPECT_EQ(grid.IndicesOf(1 + 4 * (2 + 3 * 1)), (std::array<int, 3>{1, 2, 1}));
  EXPECT_EQ(grid.Centre(1 + 4 * (2 + 3 * 1)), Vec3(1.5, 5.0, 3.0));
}

}  // namespace
}  // namespace scree::field_average_test
