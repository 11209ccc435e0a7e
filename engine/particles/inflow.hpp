/// \file  Particles that enter in front of the piston and leave at the outflow faces.
#pragma once

#include "engine/particles/grains.hpp"
#include "engine/particles/particles.hpp"
#include "engine/scene/scene.hpp"

namespace scree {

/// True if a layer appears at the end of this step, when a piston is set back.
bool LayerIsDue(const Scene& scene, double dt, std::int64_t steps_done);

/// Id of the particle that is the n-th of one of the streams, which are the pistons, then the rains
/// of a scene: those of a stream are as far apart as there are streams.
/// @param first_id  above those of all particles at time zero
ParticleId StreamId(const Scene& scene, ParticleId first_id, std::size_t stream, std::int64_t n);

/// Appends the particles of the layers due now whose places this rank owns: the centres one radius
/// in front of the piston's place at time zero. In its stream n is layer x sites + site.
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
