/// \file  Particles that enter in front of the piston and leave at the outflow faces.
#pragma once

#include "engine/particles/lattice.hpp"
#include "engine/particles/particles.hpp"
#include "engine/scene/scene.hpp"

namespace scree {

/// True if a layer appears at the end of this step, when the piston is set back.
bool LayerIsDue(const Scene& scene, double dt, std::int64_t steps_done);

/// Appends the particles of the layer due now whose places this rank owns: the centres one radius
/// in front of the piston's place at time zero. Ids: `first_id` + layer x sites + site.
/// @pre no ghosts
/// @returns the number made here
std::int64_t InsertLayer(const Scene& scene, double dt, std::int64_t steps_done,
                         ParticleId first_id, const OwnsPlace& owns, Particles& particles);

/// Makes particle i a gone one: far from everything, at a place that depends on i alone.
void Park(Particles& particles, std::size_t i);

/// Turns the particles whose centre has crossed an outflow face into gone ones; ghosts too, as
/// their owner does the same with the same bits.
/// @returns the number of owned ones
std::int64_t RemoveOutflow(const Scene& scene, Particles& particles);

}  // namespace scree
