// Tables of particles: the box, units, shapes, materials, and reading of written tables.
// initial_state_test.cpp tests the order of columns and the errors in rows.
#include "io/state/particle_csv.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "solvers/base/check.hpp"
#include "tests/io/scratch.hpp"

namespace scree::particle_csv_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr const char* kRows = "x,y,z,radius\n1,2,3,0.5\n";

ParticleTable ReadTable(const Communicator& world, const std::string& text,
                        const TableNames& names = {}) {
  const Scratch scratch(world);
  PutFile(world, scratch / "a.csv", text);
  return ReadParticleCsv(world, scratch / "a.csv", names);
}

struct ParticleCsv : InScratch {};

TEST_F(ParticleCsv, CommentMayNameTheBox) {
  const auto table = ReadTable(world, Text("# made by hand\n#box\t4e0  5 +6\r\n", kRows));
  ASSERT_TRUE(table.box);
  EXPECT_EQ(table.box->lower, Vec3::Zero());
  EXPECT_EQ(table.box->upper, Vec3(4, 5, 6));
  for (const char* comment :
       {"# box of sweets\n", "# boxes 1 2 3\n", "# a box 1 2 3\n", "#box\n"}) {
    EXPECT_FALSE(ReadTable(world, Text(comment, kRows)).box) << comment;
  }
}

TEST_F(ParticleCsv, ColumnsMayHaveUnitsAndOtherSeparators) {
  const Particles expected =
      ReadTable(world, "x,y,z,radius,vx,vy,vz,wx,wy,wz\n1,2,3,0.5,4,5,6,7,8,9\n").particles;
  for (const char* const equivalent :
       {"x_mm,y_cm,z,r_um,vx_mm/s,vy,vz,wx_1/s,wy_rad/s,wz\n1000,200,3,5e5,4000,5,6,7,8,9\n",
        "x;y;z;radius;vx;vy;vz;wx;wy;wz\n1;2;3;0.5;4;5;6;7;8;9\n",
        "x\ty\tz\tr\tvx\tvy\tvz\twx\twy\twz\n1\t2\t3\t0.5\t4\t5\t6\t7\t8\t9\n",
        "\xEF\xBB\xBFx,y,z,r,vx,vy,vz,wx,wy,wz\r1,2,3,0.5,4,5,6,7,8,9\r\x1A"}) {
    const Particles particles = ReadTable(world, equivalent).particles;
    ASSERT_EQ(particles.owned, expected.owned) << equivalent;
    EXPECT_EQ(particles.position, expected.position) << equivalent;
    EXPECT_EQ(particles.radius, expected.radius) << equivalent;
    EXPECT_EQ(particles.velocity, expected.velocity) << equivalent;
    EXPECT_EQ(particles.angular_velocity, expected.angular_velocity) << equivalent;
  }
  const auto error = [&](const std::string& text) {
    return MessageOf<FileError>([&] { ReadTable(world, text); });
  };
  EXPECT_THAT(error("x_kg,y,z,r\n1,2,3,4\n"),
              HasSubstr("line 1: column 'x_kg': 'kg' is not a unit of x; expected m or the like"));
  EXPECT_THAT(error("x,y,z,r,wx_Hz\n1,2,3,4,5\n"),
              HasSubstr("'Hz' is not a unit of wx; expected rad/s or the like"));
  EXPECT_THAT(error("x_furlong,y,z,r\n1,2,3,4\n"), HasSubstr("'furlong' is not a unit of x"));
  EXPECT_THAT(error("x,y,z,r,material_mm\n1,2,3,4,a\n"), HasSubstr("expected none"));
  EXPECT_THAT(error("x;y;z;r\n0,5;2;3;4\n"),
              HasSubstr("'0,5'; expected a finite number with a decimal point"));
  EXPECT_THAT(error("x,y,z,r,radius\n1,2,3,4,5\n"), HasSubstr("'radius' occurs twice"));
}

TEST_F(ParticleCsv, BadBoxGivesTheLine) {
  const auto message = [&](const std::string& text) {
    return MessageOf<FileError>([&] { ReadTable(world, text); });
  };
  for (const char* bad : {"1 2", "1 2 3 4", "1 2 0", "1 2 -3", "1 2 inf", "1,2,3", "1 2 3m"}) {
    EXPECT_THAT(message(Text("# \n# box ", bad, "\n", kRows)),
                AllOf(HasSubstr("line 2"), HasSubstr("three positive lengths")))
        << bad;
  }
  EXPECT_THAT(message(Text(kRows, "# box 1 2 3\n# box 1 2 3\n")),
              AllOf(HasSubstr("line 4"), HasSubstr("a second box")));
}

// ---- shapes, orientations and materials

const TableNames kNames = {
    .shapes = {"rod", "ball"}, .radii = {2e-3, 1e-3}, .materials = {"glass", "steel"}};

TEST_F(ParticleCsv, ReadsShapesMaterialsAndOrientations) {
  const Particles particles = ReadTable(world,
                                        "shape,material,x,y,z,radius,qw,qx,qy,qz\n"
                                        "ball,steel,1,2,3,0.5,0.6,0,0.8,0\n"
                                        "rod,,1,2,3,,1,0,0,0\n"
                                        "sphere,glass,1,2,3,0.25,1,0,0,0\n"
                                        ",glass,1,2,3,0.25,1,0,0,0\n",
                                        kNames)
                                  .particles;
  for (std::size_t i = 0; i < particles.owned; ++i) {
    const auto row = static_cast<std::size_t>(particles.id[i]);
    EXPECT_EQ(particles.shape[i], (std::vector{2, 1, 0, 0})[row]);
    EXPECT_EQ(particles.material[i], (std::vector{1, 0, 0, 0})[row]);
    EXPECT_EQ(particles.radius[i], (std::vector{0.5, 2e-3, 0.25, 0.25})[row]);
    if (row == 0) {
      EXPECT_NEAR(particles.orientation[i].y, 0.8, 1e-15);
    }
  }
  // A table with shapes needs no column for the radius.
  const Particles described = ReadTable(world, "x,y,z,shape\n1,2,3,rod\n", kNames).particles;
  for (const double radius : described.radius) EXPECT_EQ(radius, 2e-3);
}

TEST_F(ParticleCsv, BadShapesAndOrientationsGiveTheLine) {
  const auto message = [&](const std::string& text) {
    return MessageOf<FileError>([&] { ReadTable(world, text, kNames); });
  };
  EXPECT_THAT(
      message("x,y,z,shape\n1,2,3,cube\n"),
      AllOf(HasSubstr("line 2"), HasSubstr("'cube' is not in the scene; expected rod, ball")));
  EXPECT_THAT(message("x,y,z,radius,material\n1,2,3,1,wood\n"), HasSubstr("expected glass, steel"));
  EXPECT_THAT(message("x,y,z,shape\n1,2,3,sphere\n"), HasSubstr("a sphere has no radius"));
  EXPECT_THAT(message("x,y,z,shape,radius\n1,2,3,rod,-1\n"), HasSubstr("positive"));
  EXPECT_THAT(message("x,y,z,radius,qw,qx\n1,2,3,1,1,0\n"), HasSubstr("four columns"));
  EXPECT_THAT(message("x,y,z,radius,qw,qx,qy,qz\n1,2,3,1,1,1,0,0\n"),
              AllOf(HasSubstr("line 2"), HasSubstr("not a unit quaternion")));
}

TEST_F(ParticleCsv, WrittenTablesReadBack) {
  Particles particles;
  Resize(particles, 2);
  particles.owned = 1;  // the second is a ghost
  const double number = 1.0 / 3.0 + world.Rank();
  particles.position[0] = Vec3(number, -1e-300, 0.1);
  particles.velocity[0] = Vec3(1e300, 0.2, number);
  particles.angular_velocity[0] = Vec3(0.3, number, -7);
  particles.radius[0] = 4.7e-4;
  WriteParticleCsv(world, scratch / "a.csv", particles, Vec3(0.1, 0.2, 1.0 / 3.0));
  const ParticleTable table = ReadParticleCsv(world, scratch / "a.csv");
  ASSERT_EQ(table.particles.owned, 1u);
  EXPECT_EQ(table.particles.id[0], world.Rank());
  EXPECT_EQ(table.particles.position[0], particles.position[0]);
  EXPECT_EQ(table.particles.velocity[0], particles.velocity[0]);
  EXPECT_EQ(table.particles.angular_velocity[0], particles.angular_velocity[0]);
  EXPECT_EQ(table.particles.radius[0], particles.radius[0]);
  ASSERT_TRUE(table.box);
  EXPECT_EQ(table.box->upper, Vec3(0.1, 0.2, 1.0 / 3.0));
}

TEST_F(ParticleCsv, UnwritablePathIsAnError) {
  Particles no_particles;
  EXPECT_THAT(MessageOf<OutputError>(
                  [&] { WriteParticleCsv(world, "/dev/null/a.csv", no_particles, Vec3::Ones()); }),
              HasSubstr("/dev/null/a.csv"));
}

}  // namespace
}  // namespace scree::particle_csv_test
