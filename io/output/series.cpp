#include "io/output/series.hpp"

#include <algorithm>
#include <array>
#include <functional>

#include "engine/scene/links.hpp"

namespace scree {
namespace {

struct Column {
  const char* name;
  CsvValue (*value)(const Observables&, const SolveReport&);
};

using O = const Observables&;
using S = const SolveReport&;

CsvValue Converged(S solve) {
  if (!solve.converged.has_value()) return std::monostate();
  return static_cast<std::int64_t>(*solve.converged);
}

/// An entry of the energy balance, or a value computed from it; empty without a balance.
template <auto Entry>
CsvValue Energy(O observed, S) {
  if (!observed.energy) return std::monostate();
  return std::invoke(Entry, *observed.energy);
}

CsvValue Stalled(S solve) {
  if (!solve.converged.has_value()) return std::monostate();
  return static_cast<std::int64_t>(solve.stalled);
}

template <class Number>
CsvValue ValueOrEmpty(const std::optional<Number>& number) {
  return number ? CsvValue(*number) : CsvValue(std::monostate());
}

/// A quantity of the last step whose solve was measured; empty before the first such step.
template <auto Quantity>
CsvValue Measured(O, S solve) {
  if (!solve.measured) return std::monostate();
  return std::invoke(Quantity, *solve.measured);
}

constexpr std::array<Column, 43> kColumns = {{
    {"step", [](O o, S) -> CsvValue { return o.step; }},
    {"time", [](O o, S) -> CsvValue { return o.time; }},
    {"particles", [](O o, S) -> CsvValue { return o.particles; }},
    {"inserted", [](O o, S) -> CsvValue { return o.inserted; }},
    {"deleted", [](O o, S) -> CsvValue { return o.deleted; }},
    {"contacts", [](O o, S) -> CsvValue { return o.contacts; }},
    {"closed_contacts", [](O o, S) -> CsvValue { return o.closed_contacts; }},
    {"loaded_contacts", [](O o, S) -> CsvValue { return o.loaded_contacts; }},
    {"wall_contacts", [](O o, S) -> CsvValue { return o.wall_contacts; }},
    {"touching_contacts", [](O o, S) { return ValueOrEmpty(o.touching_contacts); }},
    {"touching_per_particle", [](O o, S) { return ValueOrEmpty(o.TouchingPerParticle()); }},
    {"max_penetration", [](O o, S) -> CsvValue { return o.max_penetration; }},
    {"max_penetration_interval", [](O o, S) -> CsvValue { return o.max_penetration_interval; }},
    {"kinetic_energy", [](O o, S) -> CsvValue { return o.kinetic_energy; }},
    {"mean_velocity_x", [](O o, S) -> CsvValue { return o.mean_velocity.x(); }},
    {"mean_velocity_y", [](O o, S) -> CsvValue { return o.mean_velocity.y(); }},
    {"mean_velocity_z", [](O o, S) -> CsvValue { return o.mean_velocity.z(); }},
    {"max_speed", [](O o, S) -> CsvValue { return o.max_speed; }},
    {"sweeps", [](O, S s) -> CsvValue { return std::int64_t{s.sweeps}; }},
    {"residual_max", [](O, S s) -> CsvValue { return s.residual_max; }},
    {"residual_rms", [](O, S s) -> CsvValue { return s.residual_rms; }},
    {"converged", [](O, S s) { return Converged(s); }},
    {"solve_stalled", [](O, S s) { return Stalled(s); }},
    {"solve_error_step", Measured<&MeasuredSolveError::step>},
    {"solve_error_impulses", Measured<&MeasuredSolveError::impulses>},
    {"solve_error_normal_rms", Measured<&MeasuredSolveError::normal_rms>},
    {"solve_error_normal_mean", Measured<&MeasuredSolveError::normal_mean>},
    {"energy_kinetic", Energy<&EnergyBalance::kinetic>},
    {"energy_forces", Energy<&EnergyBalance::forces>},
    {"energy_body_forces", Energy<&EnergyBalance::body_forces>},
    {"energy_contacts", Energy<&EnergyBalance::contacts>},
    {"energy_walls", Energy<&EnergyBalance::walls>},
    {"energy_shear", Energy<&EnergyBalance::shear>},
    {"energy_rotation", Energy<&EnergyBalance::rotation>},
    {"energy_imbalance", Energy<&EnergyBalance::Imbalance>},
    {"energy_potential", Energy<&EnergyBalance::potential>},
    {"energy_projection", Energy<&EnergyBalance::projection>},
    {"energy_integration", Energy<&EnergyBalance::IntegrationError>},
    {"energy_error_reduction", Energy<&EnergyBalance::error_reduction>},
    {"energy_restitution", Energy<&EnergyBalance::restitution>},
    {"energy_dissipated", Energy<&EnergyBalance::dissipated>},
    {"energy_entered", Energy<&EnergyBalance::inserted>},
    {"energy_left", Energy<&EnergyBalance::removed>},
}};

constexpr std::array kLoadColumns = {"_force_x",  "_force_y",  "_force_z",
                                     "_torque_x", "_torque_y", "_torque_z"};

constexpr std::array kJointColumns = {"_position",    "_speed",      "_motor",     "_load",
                                      "_motor_power", "_load_power", "_lost_power"};
// For joints with several axes: positions, speeds and loads by axis, then powers.
constexpr std::array kFreeJointColumns = {
    "_x",       "_y",        "_z",        "_turn_x",   "_turn_y",    "_turn_z",  "_vx",
    "_vy",      "_vz",       "_rate_x",   "_rate_y",   "_rate_z",    "_force_x", "_force_y",
    "_force_z", "_torque_x", "_torque_y", "_torque_z", "_load_power"};
constexpr std::array kBallJointColumns = {"_turn_x",   "_turn_y",     "_turn_z",    "_rate_x",
                                          "_rate_y",   "_rate_z",     "_torque_x",  "_torque_y",
                                          "_torque_z", "_load_power", "_lost_power"};
constexpr std::array kPlanarJointColumns = {
    "_x", "_y", "_turn", "_vx", "_vy", "_rate", "_force_x", "_force_y", "_torque", "_load_power"};

/// Energies of all links since the start [J]. The imbalance is the kinetic energy minus the energy
/// gained. It is the error of the integration, which is of first order in the step.
constexpr std::array kLinkEnergyColumns = {"kinetic", "motors", "load",     "weight",
                                           "springs", "lost",   "imbalance"};
std::array<double, kLinkEnergyColumns.size()> EnergiesOfLinks(const Scene& scene,
                                                              FreeWallStates states) {
  FreeWallState sum;
  const std::size_t rows = states.empty() ? 0 : scene.WallRow(0);
  for (const FreeWallState& state : states.first(rows)) {
    ForEachSumOfJoint(
        [&](const char*, double FreeWallState::*number) { sum.*number += state.*number; });
  }
  const double kinetic = KineticEnergyOfLinks(scene, states);
  const double gained =
      sum.motor_energy + sum.load_energy + sum.weight_energy + sum.spring_energy - sum.lost_energy;
  return {kinetic,           sum.motor_energy, sum.load_energy, sum.weight_energy,
          sum.spring_energy, sum.lost_energy,  kinetic - gained};
}

constexpr std::array<const char*, 19> kCellColumns = {
    "cell_length_x", "cell_length_y",  "cell_length_z",       "stress_xx",
    "stress_yy",     "stress_zz",      "shear_stress",        "target_xx",
    "target_yy",     "target_zz",      "target_shear_stress", "strain_rate_x",
    "strain_rate_y", "strain_rate_z",  "shear_rate",          "strain",
    "shear_strain",  "solid_fraction", "coordination"};

constexpr std::array<const char*, 4> kBondColumns = {"bonds", "bonds_broken_tension",
                                                     "bonds_broken_shear", "bonds_waiting"};
// Energies of bonds with damage.
constexpr std::array<const char*, 2> kBondEnergyColumns = {"energy_bonds", "energy_damage"};
constexpr std::array<const char*, 2> kClusterColumns = {"clusters", "largest_cluster"};

}  // namespace

std::vector<std::string> SeriesColumns(const std::vector<std::string>& walls,
                                       const std::vector<std::string>& rains,
                                       const std::vector<std::string>& free_walls, bool has_cell,
                                       const std::vector<std::string>& links,
                                       const std::vector<std::string>& joint_columns,
                                       bool has_bonds, bool has_damage) {
  std::vector<std::string> names;
  for (const Column& column : kColumns) names.emplace_back(column.name);
  for (const std::string& wall : walls) {
    for (const char* suffix : {"", "_deviation"}) {
      for (const char* load : kLoadColumns) names.push_back("wall_" + wall + load + suffix);
    }
    names.push_back("wall_" + wall + "_solve_error");
  }
  for (std::string rain : rains) {
    std::ranges::replace(rain, '.', '_');
    names.push_back(rain + "_mass");
  }
  for (const std::string& wall : free_walls) {
    for (const char* suffix : {"_travel", "_speed", "_load"}) {
      names.push_back("wall_" + wall + suffix);
    }
  }
  for (const std::string& link : links) {
    for (const char* load : kLoadColumns) names.push_back("link_" + link + load);
  }
  names.insert(names.end(), joint_columns.begin(), joint_columns.end());
  if (has_cell) names.insert(names.end(), kCellColumns.begin(), kCellColumns.end());
  if (has_bonds) {
    names.insert(names.end(), kBondColumns.begin(), kBondColumns.end());
    names.insert(names.end(), kClusterColumns.begin(), kClusterColumns.end());
  }
  if (has_damage) names.insert(names.end(), kBondEnergyColumns.begin(), kBondEnergyColumns.end());
  return names;
}

std::vector<FreeWallRow> FreeWallRows(const Scene& scene, double dt, FreeWallStates states) {
  std::vector<FreeWallRow> rows;
  if (states.empty()) return rows;
  for (std::size_t w = 0; w < scene.walls.size(); ++w) {
    if (!scene.walls[w].IsFree()) continue;
    const FreeWallState& state = states[scene.WallRow(w)];
    rows.push_back({state.travel, state.speed, {}});
    if (state.steps > 0) rows.back().load = state.impulse / (dt * static_cast<double>(state.steps));
  }
  return rows;
}

std::vector<std::string> JointColumns(const Scene& scene, bool energy) {
  std::vector<std::string> names;
  const auto add = [&](const std::string& prefix, std::span<const char* const> suffixes) {
    for (const char* suffix : suffixes) names.push_back(prefix + suffix);
  };
  for (const Joint& joint : scene.joints) {
    const std::string prefix = "joint_" + joint.name;
    switch (joint.kind) {
      case JointKind::kFree:
        add(prefix, kFreeJointColumns);
        break;
      case JointKind::kBall:
        add(prefix, kBallJointColumns);
        break;
      case JointKind::kPlanar:
        add(prefix, kPlanarJointColumns);
        break;
      default:
        add(prefix, kJointColumns);
    }
  }
  if (energy && !scene.joints.empty()) add("energy_links_", kLinkEnergyColumns);
  return names;
}

std::vector<CsvValue> JointValuesOf(const Scene& scene, double dt, FreeWallStates states,
                                    bool energy) {
  std::vector<CsvValue> values;
  for (std::size_t j = 0; j < scene.joints.size(); ++j) {
    const FreeWallState& state = states[j];
    const double time = dt * static_cast<double>(state.steps);
    const auto add_mean = [&](double sum) {
      values.push_back(state.steps > 0 ? CsvValue(sum / time) : CsvValue(std::monostate()));
    };
    if (const std::size_t axes = scene.joints[j].Axes(); axes > 1) {
      const auto axis_state = [&](std::size_t c) { return states[scene.JointRow(j, c)]; };
      double work = 0.0, lost = 0.0;
      for (std::size_t c = 0; c < axes; ++c) work += axis_state(c).load_work;
      for (std::size_t c = 0; c < axes; ++c) lost += axis_state(c).lost_work;
      for (std::size_t c = 0; c < axes; ++c) values.emplace_back(axis_state(c).travel);
      for (std::size_t c = 0; c < axes; ++c) values.emplace_back(axis_state(c).speed);
      for (std::size_t c = 0; c < axes; ++c) add_mean(axis_state(c).impulse);
      add_mean(work);
      if (scene.joints[j].kind == JointKind::kBall) add_mean(lost);
      continue;
    }
    values.insert(values.end(), {state.travel, state.speed});
    for (const double sum :
         {state.motor_impulse, state.impulse, state.motor_work, state.load_work, state.lost_work}) {
      add_mean(sum);
    }
  }
  if (!energy || scene.joints.empty()) return values;
  for (const double energy_sum : EnergiesOfLinks(scene, states)) values.emplace_back(energy_sum);
  return values;
}

std::vector<CsvValue> LinkValuesOf(const Scene& scene, std::span<const WallLoadMoments> loads) {
  std::vector<CsvValue> values;
  for (std::size_t l = 0; !loads.empty() && l < scene.links.size(); ++l) {
    WallLoad sum;
    for (std::size_t w = 0; w < scene.walls.size(); ++w) {
      if (scene.walls[w].link != static_cast<Index>(l)) continue;
      sum.force += loads[w].mean.force;
      sum.torque += loads[w].mean.torque;
    }
    values.insert(values.end(), sum.force.begin(), sum.force.end());
    values.insert(values.end(), sum.torque.begin(), sum.torque.end());
  }
  return values;
}

std::vector<CsvValue> SeriesRow(const Observables& observables, const SolveReport& solve,
                                std::span<const RainState> rains,
                                std::span<const FreeWallRow> free_walls,
                                std::span<const CsvValue> link_and_joint_values) {
  std::vector<CsvValue> row;
  for (const Column& column : kColumns) row.push_back(column.value(observables, solve));
  for (std::size_t w = 0; w < observables.interval_loads.size(); ++w) {
    const WallLoadMoments& moments = observables.interval_loads[w];
    for (const WallLoad& load : {moments.mean, moments.deviation}) {
      row.insert(row.end(), load.force.begin(), load.force.end());
      row.insert(row.end(), load.torque.begin(), load.torque.end());
    }
    const bool is_measured = solve.measured && w < solve.measured->loads.size();
    row.push_back(is_measured ? CsvValue(solve.measured->loads[w]) : CsvValue(std::monostate()));
  }
  for (const RainState& rain : rains) row.emplace_back(rain.Mass());
  for (const FreeWallRow& wall : free_walls) {
    row.insert(row.end(), {wall.travel, wall.speed});
    row.push_back(wall.load ? CsvValue(*wall.load) : CsvValue(std::monostate()));
  }
  row.insert(row.end(), link_and_joint_values.begin(), link_and_joint_values.end());
  if (observables.cell) {
    const CellObservables& cell = *observables.cell;
    row.insert(row.end(), cell.length.begin(), cell.length.end());
    row.insert(row.end(), cell.stress.begin(), cell.stress.end());
    for (const std::optional<double>& target : cell.targets) {
      row.push_back(target ? CsvValue(*target) : CsvValue(std::monostate()));
    }
    row.insert(row.end(), cell.rates.begin(), cell.rates.end());
    row.insert(row.end(),
               {cell.strain, cell.shear_strain, cell.solid_fraction, observables.Coordination()});
  }
  if (observables.bonds) {
    const BondCounts& bonds = *observables.bonds;
    row.insert(row.end(), {bonds.intact, bonds.broken_tension, bonds.broken_shear, bonds.waiting});
  }
  if (observables.clusters) {
    row.insert(row.end(), {observables.clusters->clusters, observables.clusters->largest});
  }
  if (observables.bond_energies) {
    row.insert(row.end(), {observables.bond_energies->stored, observables.bond_energies->damage});
  }
  return row;
}

}  // namespace scree
