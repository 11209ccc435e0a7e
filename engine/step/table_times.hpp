/// \file  Times at which automatic steps end, so that they resolve tables over time: motions of
///        walls, targets and forces of motors, and the path of a cell.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "engine/scene/scene.hpp"

namespace scree {

/// A function of time: linear between points, constant before the first one and after the last.
/// Two points at the same time are a jump.
struct TimeCurve {
  std::vector<double> times;   // ascending [s]
  std::vector<double> values;  // one per time
};

/// The times of one table.
struct TableTimes {
  struct Mark {
    double time;                                                // in the table's time [s]
    double interval = std::numeric_limits<double>::infinity();  // of times up to the next mark [s]
  };
  std::vector<Mark> marks;                               // ascending
  double begin = 0.0;                                    // the table's time zero [s]
  double end = std::numeric_limits<double>::infinity();  // of the table's effect [s]
  double period = 0.0;  // in which the marks repeat [s]; 0: they do not repeat
};

/// How much a curve may change in a step that does not end at its points.
struct CurveTolerance {
  double change = 0.0;  // fraction of the largest absolute value
  // For speeds: the longest path by which a wall may start from rest in a step [m] or [rad].
  // Changes that move the wall by less than 1e-4 of it from a straight line are ignored,
  // for example the rounding of positions that were recorded often. 0: every change counts.
  double path = 0.0;
};

/// Finds times such that between two of them the curve changes by at most the tolerance. The first
/// is that of the first point. Points between which the curve hardly changes are skipped, however
/// many there are.
std::vector<TableTimes::Mark> MarksOf(const TimeCurve& curve, const CurveTolerance& tolerance);

/// The times of these tables of the scene. Fields and fluids limit the length of steps instead.
/// @param change  allowed in a step, as a fraction of the largest absolute value of a column
/// @param path    of walls in a step [m]
std::vector<TableTimes> TableTimesOf(const Scene& scene, double change, double path);

/// The next of these times, in base steps; kNoEvent: none.
/// @param base  base step [s]
/// @param step  base steps done
std::int64_t NextTableEvent(std::span<const TableTimes> tables, double base, std::int64_t step);

}  // namespace scree
