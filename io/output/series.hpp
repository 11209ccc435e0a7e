/// \file  The rows of series.csv: the observables of each logged step.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/observation/observables.hpp"
#include "engine/particles/rain.hpp"
#include "engine/scene/wall_motion.hpp"
#include "io/files/csv_table.hpp"
#include "solvers/sweeps/solve_report.hpp"

namespace scree {

/// Column names in order; units are SI.
/// @param walls  names of the walls whose loads are logged
/// @param rains  sections of the rains whose inserted masses are logged
/// @param free_walls  names of the free walls whose motion and load are logged
/// @param has_cell    whether the scene has a deforming cell
/// @param links       names of the links whose loads are logged
/// @param joint_columns  result of JointColumns
/// @param has_bonds   whether the scene has bonds
/// @param has_damage  whether these bonds can be damaged
std::vector<std::string> SeriesColumns(const std::vector<std::string>& walls = {},
                                       const std::vector<std::string>& rains = {},
                                       const std::vector<std::string>& free_walls = {},
                                       bool has_cell = false,
                                       const std::vector<std::string>& links = {},
                                       const std::vector<std::string>& joint_columns = {},
                                       bool has_bonds = false, bool has_damage = false);

/// The values of a free wall in one row.
struct FreeWallRow {
  double travel = 0.0;         // [m] or [rad]
  double speed = 0.0;          // [m/s] or [rad/s]
  std::optional<double> load;  // load by the particles along or about the axis, mean since the
                               // previous row; none before the first step [N] or [N m]
};
/// @param states  states of all joints and walls of the scene
std::vector<FreeWallRow> FreeWallRows(const Scene& scene, double dt, FreeWallStates states);

/// The names of the columns of joints.
/// @param energy  whether to include the energies of all links
std::vector<std::string> JointColumns(const Scene& scene, bool energy);
/// The values of joints in a row; means are empty before the first step.
std::vector<CsvValue> JointValuesOf(const Scene& scene, double dt, FreeWallStates states,
                                    bool energy);

/// The values of links in a row: for each link the mean force on all its walls, and their torque
/// about the link's centre of mass.
/// @param loads  of all walls; empty: there are no columns of links
std::vector<CsvValue> LinkValuesOf(const Scene& scene, std::span<const WallLoadMoments> loads);

/// One row for SeriesColumns. `converged` is 1 or 0, and empty without a tolerance. Energies are
/// empty if there is no energy balance. Errors of solves are empty before the first measurement.
/// The last columns are the loads of the walls in the interval (mean, standard deviation, and the
/// measured error of the solve), the masses of the rains, the free walls, links and joints, the
/// cell, and the bonds.
/// @param link_and_joint_values  LinkValuesOf, then JointValuesOf
std::vector<CsvValue> SeriesRow(const Observables& observables, const SolveReport& solve,
                                std::span<const RainState> rains = {},
                                std::span<const FreeWallRow> free_walls = {},
                                std::span<const CsvValue> link_and_joint_values = {});

}  // namespace scree
