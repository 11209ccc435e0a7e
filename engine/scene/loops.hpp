/// \file  Trees of joints with their gears and closed loops.
#pragma once

#include <span>
#include <vector>

#include "engine/scene/scene.hpp"

namespace scree {

/// The tree of each joint, numbered in the order of the joints. Trees that gears or loops connect
/// count as one tree.
std::vector<std::size_t> TreesOfJoints(const std::vector<Joint>& joints,
                                       std::span<const LoopJoint> loop_joints);

/// Degrees of freedom of each tree at time zero: number of axes minus rank of the constraints.
std::vector<std::size_t> DegreesOfFreedomOfTrees(const Scene& scene);

/// Corrects the positions of joints after a step so that gears and loops are exact, by Newton's
/// method in the metric of H.
/// @throws SimulationError if the iteration does not converge
void CloseLoops(const Scene& scene, std::span<FreeWallState> states);

}  // namespace scree
