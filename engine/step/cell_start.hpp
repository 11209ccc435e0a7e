/// \file  A deforming cell (scene/cell.hpp) at the start of a run with particles that move.
///
/// Velocities of particles include the mean flow D x of their cell. A cell therefore starts with
/// the D of its particles. Its first step adds ΔD x for the change to the rates of the scene.
#pragma once

#include "engine/geometry/box.hpp"
#include "engine/particles/particles.hpp"
#include "engine/ranks/communicator.hpp"
#include "engine/scene/cell.hpp"
#include "engine/scene/scene.hpp"

namespace scree {

/// The cell around particles of given velocities. It has the prescribed rates of the scene, or none
/// if all particles are at rest: they get the mean flow in the first step. Collective.
CellState CellAround(const Communicator& communicator, const Scene& scene,
                     const Particles& particles);

/// The cell of a scene that continues another domain, with its rates and the offset of its images.
/// @param domain  the present state of the other domain
/// @throws InputError if the offset, or the rate of a shear, is along other axes than those of the
///         scene, or the scene has no cell, so that images start aligned
CellState CellThatContinues(const Scene& scene, const Domain& domain);

}  // namespace scree
