/// \file  The bodies of a step: all are spheres, or, in scenes with clumps, all are rigid bodies.
///        The kind is fixed for the run. Each stage of the step dispatches on it once.
#pragma once

#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "engine/ranks/body_exchange.hpp"
#include "engine/step/step_setup.hpp"
#include "solvers/batches/contact_batches.hpp"
#include "solvers/one_contact/contact.hpp"
#include "solvers/one_contact/rigid_body.hpp"

namespace scree {

/// The part of a body that ranks exchange in the solve.
template <class Body>
using VelocitiesOf =
    std::conditional_t<std::is_same_v<Body, SphereBody>, SphereVelocity, RigidVelocity>;

template <class Body>
struct BodiesOf {
  static constexpr BodyKind kKind =
      std::is_same_v<Body, SphereBody> ? BodyKind::kSphere : BodyKind::kRigid;

  std::vector<Body> all;  // local particles, then wall bodies

  // Scratch.
  std::vector<Body> mean;  // at their mean velocities, for the energy balance
  ExchangeBuffers<VelocitiesOf<Body>> buffers;
};

using StepBodies = std::variant<BodiesOf<SphereBody>, BodiesOf<RigidBody>>;

/// Returns visit(arrays of the kind of bodies in use).
template <class Bodies, class Visit>
decltype(auto) VisitBodies(Bodies& bodies, Visit&& visit) {
  return std::visit(std::forward<Visit>(visit), bodies);
}

inline StepBodies BodiesFor(const StepSetup& setup) {
  if (setup.has_clumps) return BodiesOf<RigidBody>();
  return BodiesOf<SphereBody>();
}

/// Number of bodies: local particles and walls.
inline std::size_t BodyCount(const StepBodies& bodies) {
  return VisitBodies(bodies, [](const auto& typed) { return typed.all.size(); });
}

}  // namespace scree
