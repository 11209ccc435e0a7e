/// \file  scree-run --check: what a scene is and would cost, with advice, before anything runs.
#pragma once

#include <string>
#include <vector>

#include "apps/run/scene_figures.hpp"
#include "engine/ranks/communicator.hpp"
#include "io/scene/run_config.hpp"

namespace scree {

/// One sentence for each figure that a user should think about again; empty if all are fine.
std::vector<std::string> AdviceOn(const RunConfig& config, const SceneFigures& figures);

/// The figures and the advice as lines that begin with "# ".
std::string FigureLines(const RunConfig& config, const SceneFigures& figures);

/// Builds the scene without running it and writes its walls to `check_walls.vtk` in the output
/// directory, where nothing else is touched. Collective.
/// @param ranks  that the figures are for, which need not be there; 0: those there are
/// @returns the figures and the advice
/// @throws InputError, FileError, SimulationError, OutputError on all ranks alike, as a run would
std::string CheckScene(const Communicator& communicator, const RunConfig& config, int ranks = 0);

}  // namespace scree
