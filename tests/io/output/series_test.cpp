#include "io/output/series.hpp"

#include <gtest/gtest.h>

#include <map>

namespace scree::series_test {
namespace {

std::map<std::string, std::string> RowByName(const Observables& observables,
                                             const SolveReport& solve) {
  const std::vector<std::string> columns = SeriesColumns();
  const std::vector<CsvValue> row = SeriesRow(observables, solve);
  EXPECT_EQ(columns.size(), row.size());
  std::map<std::string, std::string> named;
  for (std::size_t k = 0; k < row.size(); ++k) named[columns[k]] = ToText(row[k]);
  return named;
}

TEST(Series, EachValueIsUnderItsName) {
  Observables o;
  o.step = 1, o.time = 2, o.particles = 3, o.inserted = 4, o.deleted = 5, o.contacts = 6;
  o.closed_contacts = 9, o.loaded_contacts = 8, o.wall_contacts = 10;
  o.touching_contacts = 12;
  o.max_penetration = 11, o.max_penetration_interval = 12, o.kinetic_energy = 13;
  o.mean_velocity = Vec3(14, -1, -2), o.max_speed = 15;
  o.energy = {.kinetic = 100,
              .forces = 20,
              .body_forces = 2,
              .contacts = 21,
              .walls = 22,
              .shear = 3,
              .rotation = 7,
              .potential = 23,
              .projection = 29,
              .error_reduction = 24,
              .restitution = 25,
              .dissipated = 26,
              .inserted = 27,
              .removed = 28};
  const std::map<std::string, std::string> expected = {{"step", "1"},
                                                       {"time", "2"},
                                                       {"particles", "3"},
                                                       {"inserted", "4"},
                                                       {"deleted", "5"},
                                                       {"contacts", "6"},
                                                       {"closed_contacts", "9"},
                                                       {"loaded_contacts", "8"},
                                                       {"wall_contacts", "10"},
                                                       {"touching_contacts", "12"},
                                                       {"touching_per_particle", "8"},
                                                       {"max_penetration", "11"},
                                                       {"max_penetration_interval", "12"},
                                                       {"kinetic_energy", "13"},
                                                       {"mean_velocity_x", "14"},
                                                       {"mean_velocity_y", "-1"},
                                                       {"mean_velocity_z", "-2"},
                                                       {"max_speed", "15"},
                                                       {"sweeps", "16"},
                                                       {"residual_max", "17"},
                                                       {"residual_rms", "18"},
                                                       {"converged", "1"},
                                                       {"solve_stalled", "0"},
                                                       {"solve_error_step", ""},
                                                       {"solve_error_impulses", ""},
                                                       {"solve_error_normal_rms", ""},
                                                       {"solve_error_normal_mean", ""},
                                                       {"energy_kinetic", "100"},
                                                       {"energy_forces", "20"},
                                                       {"energy_body_forces", "2"},
                                                       {"energy_contacts", "21"},
                                                       {"energy_walls", "22"},
                                                       {"energy_shear", "3"},
                                                       {"energy_rotation", "7"},
                                                       {"energy_imbalance", "25"},
                                                       {"energy_potential", "23"},
                                                       {"energy_projection", "29"},
                                                       {"energy_integration", "43"},
                                                       {"energy_error_reduction", "24"},
                                                       {"energy_restitution", "25"},
                                                       {"energy_dissipated", "26"},
                                                       {"energy_entered", "27"},
                                                       {"energy_left", "28"}};
  EXPECT_EQ(RowByName(o, {16, 17, 18, true, false, 0, {}}), expected);
}

TEST(Series, ScenesWithBondsHaveNumbersOfBondsAndClusters) {
  const std::vector<std::string> columns = SeriesColumns({}, {}, {}, false, {}, {}, true, true);
  Observables observed;
  observed.bond_energies = BondEnergies{8.0, 9.0};
  observed.bonds = BondCounts{5, 4, 3, 2};
  observed.clusters = ClusterCounts{7, 6};
  const std::vector<CsvValue> row = SeriesRow(observed, {});
  ASSERT_EQ(columns.size(), row.size());
  const auto value_of = [&](const char* name) {
    const auto column = std::ranges::find(columns, name);
    return column == columns.end()
               ? "none"
               : ToText(row[static_cast<std::size_t>(column - columns.begin())]);
  };
  EXPECT_EQ(value_of("bonds"), "5");
  EXPECT_EQ(value_of("clusters"), "7");
  EXPECT_EQ(value_of("energy_bonds"), "8");
  EXPECT_EQ(value_of("energy_damage"), "9");
  EXPECT_EQ(value_of("largest_cluster"), "6");
  EXPECT_FALSE(RowByName({}, {}).contains("clusters"));
}

TEST(Series, EnergiesAreEmptyWithoutABalance) {
  for (const auto& [name, text] : RowByName({}, {})) {
    if (name.starts_with("energy_")) {
      EXPECT_EQ(text, "") << name;
    }
  }
}

TEST(Series, ConvergedIsEmptyWithoutATolerance) {
  EXPECT_EQ(RowByName({}, {10, 0.0, 0.0, std::nullopt, false, 0, {}}).at("converged"), "");
  EXPECT_EQ(RowByName({}, {10, 0.0, 0.0, std::nullopt, false, 0, {}}).at("solve_stalled"), "");
  EXPECT_EQ(RowByName({}, {10, 0.0, 0.0, false, true, 0, {}}).at("converged"), "0");
  EXPECT_EQ(RowByName({}, {10, 0.0, 0.0, false, true, 0, {}}).at("solve_stalled"), "1");
}

TEST(Series, WallLoadsFollowTheOtherColumns) {
  const std::vector<std::string> columns = SeriesColumns({"floor", "drum"});
  ASSERT_EQ(columns.size(), SeriesColumns().size() + 26);
  EXPECT_EQ(columns[SeriesColumns().size()], "wall_floor_force_x");
  EXPECT_EQ(columns[SeriesColumns().size() + 6], "wall_floor_force_x_deviation");
  EXPECT_EQ(columns[columns.size() - 2], "wall_drum_torque_z_deviation");
  Observables observables;
  observables.interval_loads = {
      {{Vec3(1, 2, 3), Vec3(4, 5, 6)}, {Vec3(7, 8, 9), Vec3(10, 11, 12)}},
      {{Vec3(13, 14, 15), Vec3(16, 17, 18)}, {Vec3(19, 20, 21), Vec3(22, 23, 24)}}};
  const std::vector<CsvValue> row = SeriesRow(observables, {});
  ASSERT_EQ(row.size(), columns.size());
  for (std::size_t k = 0; k < 24; ++k) {
    const std::size_t wall = k / 12;  // the loads of each wall precede its solve error
    EXPECT_EQ(std::get<double>(row[row.size() - 26 + k + wall]), static_cast<double>(k + 1));
  }
}

TEST(Series, MeasuredSolveErrorsAreUnderTheirNames) {
  SolveReport solve;
  EXPECT_EQ(RowByName({}, solve)["solve_error_impulses"], "");
  solve.measured = {1000, 0.25, -0.5, 0.125, {0.75}};
  auto named = RowByName({}, solve);
  EXPECT_EQ(named["solve_error_step"], "1000");
  EXPECT_EQ(named["solve_error_impulses"], "0.25");
  EXPECT_EQ(named["solve_error_normal_rms"], "-0.5");
  EXPECT_EQ(named["solve_error_normal_mean"], "0.125");

  // A wall that was added after the measurement has no solve error.
  Observables observed;
  observed.interval_loads.resize(2);
  const std::vector<std::string> columns = SeriesColumns({"floor", "lid"});
  const std::vector<CsvValue> row = SeriesRow(observed, solve);
  ASSERT_EQ(columns.size(), row.size());
  const std::size_t first = SeriesColumns().size() + 12;
  EXPECT_EQ(columns[first], "wall_floor_solve_error");
  EXPECT_EQ(ToText(row[first]), "0.75");
  EXPECT_EQ(columns[first + 13], "wall_lid_solve_error");
  EXPECT_EQ(ToText(row[first + 13]), "");
}

}  // namespace
}  // namespace scree::series_test
