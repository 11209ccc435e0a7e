// Averages as tables: their content, and averages that have no table.
#include "io/output/average_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <sstream>

#include "engine/particles/position_corrections.hpp"
#include "io/output/output_directory.hpp"
#include "solvers/base/check.hpp"
#include "tests/io/scratch.hpp"
#include "tests/support/scenes.hpp"

namespace scree::average_files_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

/// The rows below the comments, as maps from column to text.
std::vector<std::map<std::string, std::string>> Table(const std::string& text) {
  std::istringstream lines(text);
  std::vector<std::string> names;
  std::vector<std::map<std::string, std::string>> rows;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("#")) continue;
    std::istringstream row(line + ",");
    std::vector<std::string> cells;
    for (std::string cell; std::getline(row, cell, ',');) cells.push_back(cell);
    if (names.empty()) {
      names = cells;
      continue;
    }
    EXPECT_EQ(cells.size(), names.size()) << line;
    rows.emplace_back();
    for (std::size_t k = 0; k < names.size(); ++k) rows.back()[names[k]] = cells[k];
  }
  return rows;
}

const FieldGrid kGrid{{Vec3::Zero(), {2.0, 1.0, 1.0}}, {2, 1, 1}};
const FlowPlane kPlane{{0.5, 0, 0}, Vec3::UnitX()};

/// Two equal frames, with one particle per rank in the first of two cells, and a flow.
struct Fixture {
  Communicator world = Communicator::World();
  Scratch scratch{world};
  Scene scene = test::EmptyScene(Vec3::Zero(), {2.0, 1.0, 1.0}, 0.4);
  Averages averages{
      scene, 0.25, {{"cells", kGrid, 4, 9, 3}, {"flow", kPlane, 4, 8}, {"late", kGrid, 9, 8, 1}}};

  Fixture() {
    Particles particles;
    test::AddSphere(particles, world.Rank(), {0.75, 0.5, 0.5}, 0.1, {3, 4, 0}, {0, 0, -2});
    for (std::int64_t step = 0; step <= 9; ++step) {
      averages.AddMotion(step, particles, {});
      averages.AddState(step, particles, nullptr);
    }
    PrepareOutputDirectory(world, scratch.Path(), false);
  }
  std::string WriteAndRead(const std::string& name) {
    WriteAverages(world, scratch.Path(), averages, 0.25);
    return FileBytes(scratch / AverageFile(name));
  }
};

TEST(AverageFiles, EachCellHasARowWithValuesUnderTheirNames) {
  Fixture fixture;
  const std::string text = fixture.WriteAndRead("cells");
  EXPECT_THAT(text, StartsWith(std::string(kAverageMark) + " cells"));
  EXPECT_THAT(text, HasSubstr("# region 0 0 0 to 2 1 1 m, 2x1x1 cells\n"));
  EXPECT_THAT(text, HasSubstr("# 2 frames, every 0.75 s from 1 to 1.75 s\n"));
  const auto rows = Table(text);
  ASSERT_EQ(rows.size(), 2u);
  const std::int64_t ranks = fixture.world.Size();
  const std::map<std::string, std::string> expected = {{"i", "0"},
                                                       {"j", "0"},
                                                       {"k", "0"},
                                                       {"x", "0.5"},
                                                       {"y", "0.5"},
                                                       {"z", "0.5"},
                                                       {"samples", std::to_string(2 * ranks)},
                                                       {"velocity_x", "3"},
                                                       {"velocity_y", "4"},
                                                       {"velocity_z", "0"},
                                                       {"velocity_norm", "5"},
                                                       {"speed", "5"},
                                                       {"angular_velocity_x", "0"},
                                                       {"angular_velocity_y", "0"},
                                                       {"angular_velocity_z", "-2"},
                                                       {"angular_speed", "2"},
                                                       {"number_density", std::to_string(ranks)}};
  for (const auto& [name, value] : expected) EXPECT_EQ(rows[0].at(name), value) << name;
  const double mass = test::Mass(0.1) * static_cast<double>(ranks);
  EXPECT_NEAR(std::stod(rows[0].at("mass_density")), mass, 1e-12 * mass);
  EXPECT_NEAR(std::stod(rows[0].at("solid_fraction")), mass / 2650.0, 1e-15 * mass);
}

TEST(AverageFiles, EmptyCellsHaveNoMeansAndZeroDensity) {
  Fixture fixture;
  const auto row = Table(fixture.WriteAndRead("cells")).at(1);
  EXPECT_EQ(row.at("x"), "1.5");
  for (const char* name : {"velocity_x", "velocity_norm", "speed", "angular_speed"}) {
    EXPECT_EQ(row.at(name), "") << name;
  }
  for (const char* name : {"samples", "number_density", "mass_density", "solid_fraction"}) {
    EXPECT_EQ(row.at(name), "0") << name;
  }
}

TEST(AverageFiles, FreeWallsOccupySpaceAtTheirFinalPosition) {
  Fixture fixture;
  EXPECT_THAT(fixture.WriteAndRead("cells"), Not(HasSubstr("# free walls")));
  Wall lid{"lid", {{Plane{Vec3(0, 0, 0.9), -Vec3::UnitZ()}}}};
  lid.free.freedom = Freedom::kAlong;
  lid.axis = Vec3::UnitZ();
  fixture.scene.walls.push_back(lid);
  std::vector<FreeWallState> final_states(1);
  final_states[0].travel = -0.4;
  WriteAverages(fixture.world, fixture.scratch.Path(), fixture.averages, 0.25, final_states);
  const std::string text = FileBytes(fixture.scratch / AverageFile("cells"));
  EXPECT_THAT(text, HasSubstr("# free walls"));
  const double particles = static_cast<double>(fixture.world.Size());
  const auto row = Table(text).at(0);
  EXPECT_EQ(row.at("free_share"), "0.5");
  EXPECT_NEAR(std::stod(row.at("solid_fraction")), particles * test::Mass(0.1) / 2650.0 / 0.5,
              1e-12);
}

TEST(AverageFiles, FlowHasOneRowWithRatesOverTheCountedTime) {
  Fixture fixture;
  const std::string text = fixture.WriteAndRead("flow");
  EXPECT_THAT(text, HasSubstr("# through the plane at 0.5 0 0 m with the normal 1 0 0\n"));
  EXPECT_THAT(text, HasSubstr("# counted in each step from 1 to 2 s\n"));
  const auto rows = Table(text);
  ASSERT_EQ(rows.size(), 1u);
  const std::int64_t ranks = fixture.world.Size();
  EXPECT_EQ(rows[0].at("duration"), "1");
  EXPECT_EQ(rows[0].at("particles_forward"), std::to_string(4 * ranks));
  EXPECT_EQ(rows[0].at("particles_backward"), "0");
  EXPECT_EQ(rows[0].at("particle_flow"), std::to_string(4 * ranks));
  const double mass = 4.0 * test::Mass(0.1) * static_cast<double>(ranks);
  EXPECT_NEAR(std::stod(rows[0].at("mass_forward")), mass, 1e-12 * mass);
  EXPECT_NEAR(std::stod(rows[0].at("mass_flow")), mass, 1e-12 * mass);
}

TEST(AverageFiles, FlowIsForwardMinusBackward) {
  const AverageSpec spec{"flow", kPlane, 0, 8};
  const auto row = Table(AverageText(Communicator::World(), spec, FlowSeries{{8, 5, 3, 10.0, 4.0}},
                                     test::EmptyScene(Vec3::Zero(), Vec3::Ones(), 0.4), 0.25))
                       .at(0);
  EXPECT_EQ(row.at("particle_flow"), "1");
  EXPECT_EQ(row.at("mass_flow"), "3");
  EXPECT_EQ(row.at("mass_backward"), "4");
}

TEST(AverageFiles, FlowWithAnIntervalIsASeries) {
  AverageSpec spec{"flow", kPlane, 2, 8};
  spec.frames_per_row = 4;
  const auto rows = Table(AverageText(Communicator::World(), spec,
                                      FlowSeries{{4, 5, 3, 10.0, 4.0}, {2, 1, 0, 3.0, 0.0}},
                                      test::EmptyScene(Vec3::Zero(), Vec3::Ones(), 0.4), 0.25));
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].at("time_from"), "0.5");
  EXPECT_EQ(rows[0].at("mass_flow"), "6");
  EXPECT_EQ(rows[1].at("time_from"), "1.5");
  EXPECT_EQ(rows[1].at("time_to"), "2");
  EXPECT_EQ(rows[1].at("particle_flow"), "2");
}

TEST(AverageFiles, AverageAfterTheEndGivesNoFile) {
  Fixture fixture;
  EXPECT_EQ(fixture.WriteAndRead("late"), "");
  EXPECT_FALSE(std::filesystem::exists(fixture.scratch / AverageFile("late")));
  EXPECT_FALSE(HasSamples({"flow", kPlane, 8, 8}));
  EXPECT_TRUE(HasSamples({"field", kGrid, 8, 8}));
}

TEST(AverageFiles, MissingFolderIsAnOutputErrorOnAllRanks) {
  Fixture fixture;
  if (fixture.world.IsRoot()) std::filesystem::remove_all(fixture.scratch / "averages");
  fixture.world.Barrier();
  EXPECT_THAT(MessageOf<OutputError>([&] { fixture.WriteAndRead("cells"); }),
              HasSubstr("cells.csv"));
}

}  // namespace
}  // namespace scree::average_files_test
