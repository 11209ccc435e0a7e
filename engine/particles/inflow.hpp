/// \file  Particles inserted in front of a piston, and particles removed at outflow faces.
#pragma once

#include "engine/particles/grains.hpp"
#include "engine/particles/particles.hpp"
#include "engine/scene/scene.hpp"

namespace scree {

/// Whether a piston is reset at the end of this step, so that a layer is inserted.
bool IsLayerDue(const Scene& scene, double dt, std::int64_t steps_done);

/// Id of the n-th particle of a stream. The streams are the pistons and then the rains of a scene.
/// Streams take ids in turn, so that consecutive ids of a stream differ by the number of streams.
/// @param first_id  larger than the ids of all particles at time zero
ParticleId StreamId(const Scene& scene, ParticleId first_id, std::size_t stream, std::int64_t n);

/// Appends this rank's particles of the layers that are due now. The centre of each particle is in
/// front of the piston's position at time zero, at a distance of the particle's radius. The number
/// n of a particle in its stream is layer × sites + site.
/// @pre no ghosts
/// @returns the number of particles appended on this rank
std::int64_t InsertLayer(const Scene& scene, double dt, std::int64_t steps_done,
                         ParticleId first_id, const OwnsPosition& owns, Particles& particles);

/// Marks particle i as removed, stops it and moves it far away, to a position that no other i has.
void MarkRemoved(Particles& particles, std::size_t i);

/// Marks all particles and ghosts whose centre has crossed an outflow face as removed. Ghosts need
/// no message, because their owners get the same result from the same bits.
/// @returns the number of owned particles marked
std::int64_t RemoveOutflow(const Scene& scene, Particles& particles);

}  // namespace scree
