#include "io/state/initial_state.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "io/state/snapshot.hpp"
#include "tests/io/scratch.hpp"
#include "tests/support/gzip.hpp"

namespace scree::initial_state_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

MaterialTable SteelAndGlass() {
  MaterialTable materials;
  materials.Add({"steel", 7800.0}, 0.3);
  materials.Add({"glass", 2500.0}, 0.3);
  return materials;
}

Particles OneParticlePerRank(const Communicator& world) {
  Particles particles;
  Resize(particles, 1);
  particles.owned = 1;
  particles.position[0] = particles.velocity[0] = particles.angular_velocity[0] = Vec3::Zero();
  particles.radius[0] = 1.0;
  particles.id[0] = 100 + world.Rank();
  particles.material[0] = 0;
  return particles;
}

/// Writes the particles as a snapshot in which material 0 is glass, and reads it as initial state.
Particles WriteAndReadSnapshot(const Communicator& world, const Particles& particles,
                               const std::string& material = "glass") {
  const Scratch scratch(world);
  SnapshotMeta meta;
  meta.materials = {{material, 2500.0}};
  WriteSnapshot(world, scratch / "a.h5", particles, meta);
  return ReadInitialState(world, scratch / "a.h5", SteelAndGlass()).particles;
}

Particles WriteAndReadText(const Communicator& world, const std::string& text,
                           const std::string& name = "a.csv") {
  const Scratch scratch(world);
  PutFile(world, scratch / name, text);
  return ReadInitialState(world, scratch / name, SteelAndGlass()).particles;
}

struct InitialStateTest : InScratch {};

TEST_F(InitialStateTest, CsvColumnsMayHaveAnyOrderCommentsAndLineEnds) {
  const Particles particles = WriteAndReadText(
      world,
      "\xEF\xBB\xBF# made by hand\r\nradius,z,y,x,wz,vx\r\n\r\n0.5,3, 2 ,+1,7,-4e-1\r\n"
      "# between\r\n0.25,6,5,4,0,0");
  EXPECT_EQ(world.Sum(static_cast<std::int64_t>(particles.owned)), 2);
  for (std::size_t i = 0; i < particles.owned; ++i) {
    if (particles.id[i] == 0) {
      EXPECT_EQ(particles.position[i], Vec3(1, 2, 3));
      EXPECT_EQ(particles.velocity[i], Vec3(-0.4, 0, 0));
      EXPECT_EQ(particles.angular_velocity[i], Vec3(0, 0, 7));
      EXPECT_EQ(particles.radius[i], 0.5);
    } else {
      EXPECT_EQ(particles.id[i], 1);
      EXPECT_EQ(particles.position[i], Vec3(4, 5, 6));
    }
    EXPECT_EQ(particles.orientation[i], Quaternion());
  }
}

TEST_F(InitialStateTest, BadCsvGivesTheLine) {
  const auto message = [&](const std::string& text) {
    return MessageOf<FileError>([&] { WriteAndReadText(world, text); });
  };
  const std::string head = "# c\nx,y,z,radius\n";
  EXPECT_THAT(message(""), HasSubstr("is empty"));
  EXPECT_THAT(message(head), HasSubstr("no particles"));
  EXPECT_THAT(message("1,2,3,4\n"), AllOf(HasSubstr("line 1"), HasSubstr("'1' is unknown")));
  EXPECT_THAT(message("x,y,radius\n1,2,3\n"), HasSubstr("'z' is missing"));
  EXPECT_THAT(message("x,y,z,radius,x\n"), HasSubstr("'x' occurs twice"));
  EXPECT_THAT(message(head + "1,2,3\n"), AllOf(HasSubstr("line 3"), HasSubstr("found 3 columns")));
  EXPECT_THAT(message(head + "1,2,3,1\n1,2,3,1,5\n"), HasSubstr("line 4"));
  for (const char* bad : {"nan", "inf", "", "1.5m", "1 2", "1e999", "+-1"}) {
    EXPECT_THAT(message(head + "1,2,3,1\n1," + bad + ",3,1\n"),
                AllOf(HasSubstr("a.csv' line 4"), HasSubstr(Text("column 'y': '", bad, "'"))));
  }
  for (const char* bad : {"0", "-1", "nan"}) {
    EXPECT_THAT(message(head + "1,2,3," + bad), HasSubstr("positive number")) << bad;
  }
  for (const char* bad : {"1e308", "1e-320", "1e-61"}) {
    EXPECT_THAT(message(head + "1,2,3," + bad), HasSubstr("expected 1e-09 to 1000000")) << bad;
  }
}

TEST_F(InitialStateTest, PackedTableWithABoxIsReadLikeAPlainOne) {
  const std::string packed = test::Gzip("# box 4 5 6\nx,y,z,radius\n1,2,3,0.5\n");
  PutFile(world, scratch / "a.csv.gz", packed);
  const InitialState state = ReadInitialState(world, scratch / "a.csv.gz", SteelAndGlass());
  ASSERT_TRUE(state.domain);
  EXPECT_EQ(state.domain->box.upper, Vec3(4, 5, 6));
  EXPECT_EQ(state.domain->periodic, (std::array<bool, 3>{}));
  EXPECT_EQ(world.Sum(static_cast<std::int64_t>(state.particles.owned)), 1);
  PutFile(world, scratch / "b.csv.gz", packed.substr(0, packed.size() / 2));
  EXPECT_THAT(
      MessageOf<FileError>([&] { ReadInitialState(world, scratch / "b.csv.gz", SteelAndGlass()); }),
      HasSubstr("damaged"));
}

TEST_F(InitialStateTest, SnapshotContainsItsDomain) {
  SnapshotMeta meta;
  meta.materials = {{"glass", 2500.0}};
  meta.domain = {{Vec3(-1, -2, -3), Vec3(4, 5, 6)}, {false, true, false}};
  WriteSnapshot(world, scratch / "a.h5", OneParticlePerRank(world), meta);
  const InitialState state = ReadInitialState(world, scratch / "a.h5", SteelAndGlass());
  ASSERT_TRUE(state.domain);
  EXPECT_EQ(state.domain->box.lower, meta.domain.box.lower);
  EXPECT_EQ(state.domain->box.upper, meta.domain.box.upper);
  EXPECT_EQ(state.domain->periodic, meta.domain.periodic);
}

TEST_F(InitialStateTest, SnapshotKeepsIdsAndMatchesMaterialsByName) {
  const Particles particles = WriteAndReadSnapshot(world, OneParticlePerRank(world));
  ASSERT_EQ(particles.owned, 1u);
  EXPECT_EQ(particles.id[0], 100 + world.Rank());
  EXPECT_EQ(particles.material[0], 1) << "glass is row 1 of the scene's table";
}

TEST_F(InitialStateTest, BadSnapshotValuesAreFileErrorsOnAllRanks) {
  const auto message = [&](auto&& damage) {
    Particles particles = OneParticlePerRank(world);
    if (world.Rank() == world.Size() - 1) damage(particles);
    return MessageOf<FileError>([&] { WriteAndReadSnapshot(world, particles); });
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(message([&](Particles& p) { p.position[0].y() = nan; }), HasSubstr("position"));
  EXPECT_THAT(message([&](Particles& p) { p.velocity[0].y() = nan; }), HasSubstr("a velocity"));
  EXPECT_THAT(message([&](Particles& p) { p.angular_velocity[0].y() = nan; }),
              HasSubstr("angular velocity"));
  EXPECT_THAT(message([&](Particles& p) { p.radius[0] = -1.0; }), HasSubstr("radius"));
  EXPECT_THAT(message([&](Particles& p) { p.orientation[0].w = 2.0; }), HasSubstr("quaternion"));
  EXPECT_THAT(message([&](Particles& p) { p.material[0] = 9; }), HasSubstr("material 9"));
  EXPECT_THAT(message([&](Particles& p) {
                Resize(p, 2);
                p = [](Particles q) {
                  ForEachField(q, [](const Field&, auto& f) { f[1] = f[0]; });
                  q.owned = 2;
                  return q;
                }(p);
              }),
              HasSubstr("occurs more than once"));
}

TEST_F(InitialStateTest, ErrorOfAnUnknownMaterialListsTheKnownOnes) {
  EXPECT_THAT(
      MessageOf<FileError>([&] { WriteAndReadSnapshot(world, OneParticlePerRank(world), "wood"); }),
      AllOf(HasSubstr("'wood'"), HasSubstr("steel, glass")));
}

TEST_F(InitialStateTest, MissingFilesAreFileErrors) {
  for (const char* name : {"/dev/null/a.csv", "/dev/null/a.csv.gz", "/dev/null/a.h5"}) {
    EXPECT_THAT(MessageOf<FileError>([&] { ReadInitialState(world, name, SteelAndGlass()); }),
                HasSubstr(name));
  }
}

TEST(InitialStateFromDump, ReadsTheLastFrame) {
  const Communicator self = Communicator::Self();
  const std::string head =
      "ITEM: TIMESTEP\n7\nITEM: NUMBER OF ATOMS\n2\nITEM: BOX BOUNDS pp pp ff\n"
      "0 1\n0 1\n0 1\nITEM: ATOMS id type ";
  const std::string first = head + "xu\n9 9 9\n", columns = "xu yu zu diameter c_1 vz omegax\n";
  const std::string rows = "4 2 0.5 0.25 1 0.2 nan -3 4\n5 1 0 0 0 0.1 0 0 0 \n";
  const Particles last_frame = WriteAndReadText(self, first + head + columns + rows, "a.lammpstrj");
  ASSERT_EQ(last_frame.owned, 2u);
  EXPECT_EQ(last_frame.position[0], Vec3(0.5, 0.25, 1.0));
  EXPECT_EQ(last_frame.radius[0], 0.1);
  EXPECT_EQ(last_frame.velocity[0], Vec3(0, 0, -3));
  EXPECT_EQ(last_frame.angular_velocity[0], Vec3(4, 0, 0));
  EXPECT_EQ(last_frame.material, (std::vector<MaterialId>{1, 0}));
  const auto error_of = [&](const std::string& text) {
    return RefusalOf<FileError>([&] { WriteAndReadText(self, text, "a.lammpstrj"); });
  };
  EXPECT_THAT(error_of("LAMMPS data file"), HasSubstr("is not a text dump of LAMMPS"));
  const std::string good_row = "5 1 0 0 0 0.1 0 0 0\n";
  EXPECT_THAT(error_of(head + columns + "4 3 0 0 0 1 0 0 0\n" + good_row),
              HasSubstr("type '3'; expected 1 to 2"));
  EXPECT_THAT(error_of(head + columns + "4 1 0 0 0 1\n" + good_row),
              HasSubstr("6 columns, expected 9"));
  EXPECT_THAT(error_of(head + "x y z\n1 1 0 0 0\n2 1 1 1 1\n"),
              HasSubstr("column 'radius' is missing"));
  // Files that were cut off.
  EXPECT_THAT(error_of(head + columns + good_row),
              HasSubstr("the last frame has 1 particles, expected 2"));
  EXPECT_THAT(error_of("ITEM: ATOMS\n\n"), HasSubstr("ends before the columns"));
}

TEST(InitialStateFromYade, ReadsTextsWithAndWithoutMaterials) {
  const Communicator self = Communicator::Self();
  const Particles without_materials = WriteAndReadText(
      self, "#format x_y_z_r\n# made by yade\n0.5\t0.25\t1\t0.1\n1 2 3 0.2\n", "a.txt");
  ASSERT_EQ(without_materials.owned, 2u);
  EXPECT_EQ(without_materials.position[0], Vec3(0.5, 0.25, 1.0));
  EXPECT_EQ(without_materials.radius, (std::vector<double>{0.1, 0.2}));
  const Particles with_materials = WriteAndReadText(
      self, "#format id_x_y_z_r_matId\n7\t0\t0\t0\t0.1\t1\r\n9\t1\t0\t0\t0.1\t0\r\n", "a.txt");
  EXPECT_EQ(with_materials.material, (std::vector<MaterialId>{1, 0}));
  const auto error_of = [&](const std::string& text) {
    return RefusalOf<FileError>([&] { WriteAndReadText(self, text, "a.txt"); });
  };
  EXPECT_THAT(error_of("1 2 3 0.1\n"), HasSubstr("is not a text of Yade; expected a first line"));
  EXPECT_THAT(error_of("#format x_y_z_r_clumpId\n1 2 3 0.1 -1\n"), HasSubstr("with clumps"));
  EXPECT_THAT(error_of("#format x_y_z_r_matId\n1 2 3 0.1 2\n"),
              HasSubstr("matId '2'; expected 0 to 1"));
  EXPECT_THAT(error_of("#format x_y_z_r\n1 2 3\n"), HasSubstr("3 columns, expected 4"));
  EXPECT_THAT(error_of("#format x_y_z\n1 2 3\n"), HasSubstr("column 'radius' is missing"));
}

}  // namespace
}  // namespace scree::initial_state_test
