/// \file  From particles to the contact problem and back: the only place that knows both.
#pragma once

#include <span>
#include <vector>

#include "engine/contact_detection.hpp"
#include "engine/particles.hpp"
#include "engine/scene.hpp"
#include "engine/step_parameters.hpp"
#include "solvers/contact_batches.hpp"
#include "solvers/contact_problem.hpp"

namespace scree {

/// 1/m of every local particle [1/kg], from the density of its material and its radius.
std::vector<double> InverseMasses(const Particles& particles, const Scene& scene);

/// Bodies at the free velocities v + dt g: local particles, then walls.
void AssembleBodies(const Particles& particles, const std::vector<double>& inverse_masses,
                    const Scene& scene, double dt, std::vector<SphereBody>& bodies);

/// Contacts with bias, friction and effective mass, and impulses of zero:
///
///     b = ξ/dt for ξ > 0,   b = max(eps ξ/dt, −cap) for ξ ≤ 0
///
/// @param max_correction_speed  the cap [m/s]
/// @param elsewhere  for each body how many of its contacts other ranks treat; empty: none
void AssembleContacts(std::span<const DetectedContact> detected, const Particles& particles,
                      const Scene& scene, const StepParameters& parameters,
                      double max_correction_speed, std::span<const SphereBody> bodies,
                      std::span<const Index> elsewhere, ContactBatches& batches);

}  // namespace scree
