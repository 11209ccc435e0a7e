/// \file  The layout of a checkpoint, and the ranges of its numbers.
#pragma once

#include <cstdint>
#include <string>

#include "io/state/checkpoint.hpp"
#include "io/state/number_range.hpp"

namespace scree::checkpoint_layout {

inline const std::string kRoot = "/checkpoint";
inline const std::string kParticles = "/checkpoint/particles";
inline const std::string kImpulses = "/checkpoint/impulses";
inline const std::string kBonds = "/checkpoint/bonds";  // in scenes with bonds
inline const std::string kProjectionImpulse = "/push";  // in kImpulses
inline const std::string kMembers = "/members";         // in kImpulses, in scenes with clumps
inline const std::string kShapesOfScene = "/scree/shapes";
inline const std::string kSnapshots = "/checkpoint/snapshots";
inline const std::string kAverages = "/checkpoint/averages";
inline const std::string kEnergy = "/checkpoint/energy";
inline const std::string kCuts = "/checkpoint/cuts";  // of domains whose subdomains are not a grid
inline const std::string kCutPositions = "/checkpoint/cut_places";
inline const std::string kWallLoads = "/checkpoint/wall_loads";  // since the last row of the series
inline const std::string kRains = "/checkpoint/rains";           // in scenes with rain
inline const std::string kFreeWalls = "/checkpoint/free_walls";  // and joints, if there are any
inline const std::string kCell = "/checkpoint/cell";             // in scenes with a cell
inline const std::string kDrift = "/checkpoint/list_drift";      // if it differs between blocks
/// Calls visit(name, numbers) for the numbers of the deforming cell.
template <class Visit>
void ForEachNumberOf(CellState& cell, Visit&& visit) {
  visit("lower", std::span<double>(cell.box.lower.data(), 3));
  visit("upper", std::span<double>(cell.box.upper.data(), 3));
  visit("first_volume", std::span<double>(&cell.first_volume, 1));
  visit("slip", std::span<double>(&cell.image_offset, 1));
  visit("shear_strain", std::span<double>(&cell.shear_strain, 1));
  visit("rates", std::span<double>(cell.rates));
  visit("flow", std::span<double>(cell.flow));
  visit("path_from", std::span<double>(cell.path_from));
  visit("path_since", std::span<double>(&cell.path_since, 1));
}
/// Each version reads the formats of all earlier releases. A change of the layout needs a new
/// number.
inline constexpr std::int64_t kFormat = 1;

inline constexpr NumberRange kPartner{-2147483649.0, kCount.max};  // GlobalPartner::Code
inline constexpr NumberRange kMemberNumber{0.0, 65535.0};
inline constexpr NumberRange kSweeps{1.0, 1e6};
inline constexpr NumberRange kStride{1.0, 0x1p+50};  // of a step in base steps

/// Calls visit(name, number, range) for the numbers that all ranks share. This single list serves
/// writing, reading and checking.
template <class CheckpointType, class StateType, class Visit>
void ForEachNumber(CheckpointType& checkpoint, StateType& state, Visit&& visit) {
  visit("step", state.step, kCount);
  visit("inserted", state.inserted, kCount);
  visit("deleted", state.deleted, kCount);
  visit("next_id", state.next_id, kCount);
  visit("smallest_radius", checkpoint.point.radii.smallest, kRadiusOrNone);
  visit("largest_radius", checkpoint.point.radii.largest, kRadiusOrNone);
  visit("smallest_ball", checkpoint.point.radii.smallest_ball, kRadiusOrNone);
  visit("max_penetration", checkpoint.point.max_penetration, kNotNegative);
  visit("rebuilds", checkpoint.point.rebuilds, kCount);
  visit("list_step", checkpoint.point.list_step, kCount);
  visit("list_skin", checkpoint.point.reach.skin, kNotNegative);
  visit("list_wall_skin", checkpoint.point.reach.wall_skin, kNotNegative);
  visit("list_drift_x", checkpoint.point.reach.drift.mean.x(), kVelocity);
  visit("list_drift_y", checkpoint.point.reach.drift.mean.y(), kVelocity);
  visit("list_drift_z", checkpoint.point.reach.drift.mean.z(), kVelocity);
  visit("series_rows", checkpoint.output.series_rows, kCount);
  visit("timing_rows", checkpoint.output.timing_rows, kCount);
  visit("balance_looked_at", checkpoint.point.balance.checked_at, kCount);
  visit("balance_lost", checkpoint.point.balance.delay, kAnyNumber);
  visit("balance_patience", checkpoint.point.balance.patience, kNotNegative);
  visit("balance_moves", checkpoint.point.balance.rebalances, kCount);
  visit("stride", checkpoint.point.adaptive.stride, kStride);
  visit("stride_planned", checkpoint.point.adaptive.next_stride, kCount);
  visit("stride_growing", checkpoint.point.adaptive.growing_steps, kCount);
  visit("stride_ceiling", checkpoint.point.adaptive.ceiling, kStride);
  visit("stride_calm", checkpoint.point.adaptive.calm_steps, kCount);
  visit("step_by_loads", checkpoint.point.adaptive.force_limit, kNotNegative);
  visit("steps_done", checkpoint.point.adaptive.steps_done, kCount);
  visit("sweeps", checkpoint.point.sweeps.sweeps, kSweeps);
  visit("sweeps_measure_at", checkpoint.point.sweeps.measure_at, kCount);
  visit("sweeps_interval", checkpoint.point.sweeps.interval, kCount);
  visit("sweeps_excess", checkpoint.point.sweeps.error_ratio, kNotNegative);
  visit("sweeps_loaded", checkpoint.point.sweeps.loaded, kCount);
  visit("sweeps_median_force", checkpoint.point.sweeps.median_force, kNotNegative);
}

/// Calls visit(name, number, range) for the numbers of a bond, in the order of their columns.
template <class BondType, class Visit>
void ForEachNumberOf(BondType& bond, Visit&& visit) {
  visit("area", bond.area, kNotNegative);
  visit("strength", bond.strength, kNotNegative);
  visit("gap", bond.gap, kAnyNumber);
  visit("born", bond.born, kNotNegative);
  visit("broken", bond.broken, kAnyNumber);
  for (int axis = 0; axis < 3; ++axis) visit("normal", bond.normal[axis], kAnyNumber);
  for (std::size_t k = 0; k < kMaxBondPoints; ++k) {
    for (int axis = 0; axis < 3; ++axis) visit("on_a", bond.on_a[k][axis], kAnyNumber);
    for (int axis = 0; axis < 3; ++axis) visit("on_b", bond.on_b[k][axis], kAnyNumber);
    visit("share", bond.area_fraction[k], kNotNegative);
  }
}
inline constexpr std::size_t kBondNumbers = 8 + 7 * kMaxBondPoints;
/// Calls visit(name, number, range) for the numbers that a bond has if it can be damaged.
template <class BondType, class Visit>
void ForEachDamageOf(BondType& bond, Visit&& visit) {
  for (std::size_t k = 0; k < kMaxBondPoints; ++k) {
    visit("intact", bond.intact_fraction[k], NumberRange{-1.0, 1.0});
    visit("stored", bond.stored_energy[k], kNotNegative);
  }
  for (int axis = 0; axis < 3; ++axis) visit("slip", bond.slip[axis], kAnyNumber);
}
inline constexpr std::size_t kDamageNumbers = 2 * kMaxBondPoints + 3;
inline const std::string kDamageOfBonds = "/damage";  // if bonds can be damaged
inline constexpr std::size_t kBondIntegers = 8;  // a, b, rule, state, two members, points, wall

}  // namespace scree::checkpoint_layout
