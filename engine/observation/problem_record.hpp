/// \file  The contact problem of a step for other solvers: one GlobalProblem of all ranks, with the
///        solution of the step.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/contacts/body_kick.hpp"
#include "engine/contacts/detected_contact.hpp"
#include "engine/contacts/wall_bodies.hpp"
#include "engine/particles/particles.hpp"
#include "engine/ranks/communicator.hpp"
#include "engine/scene/scene.hpp"
#include "solvers/batches/contact_batches.hpp"
#include "solvers/delassus/delassus_problem.hpp"

namespace scree {

struct ContactPair {
  ParticleId id_a = 0;
  ParticleId id_b = -1;    // not less than id_a; -1: a wall
  std::int32_t wall = -1;  // row of Scene::walls; -1: none
};

/// M v' = H λ + f, u = Hᵀ v' + w, with masses and inertias M, the wrenches H of unit impulses, and
/// the momenta f that the bodies would have without impulses. Each particle with a contact has six
/// rows, velocity and angular velocity in world axes. Each contact has three columns, its frame
/// (n, t, o), with n from b to a. w contains the prescribed motion of walls and of the images of a
/// sheared domain, and the gaps and rebounds. Coulomb's law for u then includes 0 ≤ λₙ ⊥ uₙ ≥ 0.
struct ProblemRecord {
  GlobalProblem problem;
  std::vector<ParticleId> bodies;     // six rows each, ascending
  std::vector<ContactPair> contacts;  // three columns each, ascending by id_a, id_b, wall
  Eigen::VectorXd velocities;         // v' of the step [m/s, 1/s]
  Eigen::VectorXd impulses;           // λ of the step [N s]
  Eigen::VectorXd guess;              // starting λ of the step's sweeps: the warm start [N s]
};

/// The reason why the contact problems of a scene cannot be recorded in this form, as a text that
/// continues the word "problems"; empty if they can.
std::string DescribeUnrecordable(const Scene& scene);

/// The solved problem of a step on one rank.
template <class Body>
struct SolvedContacts {
  ContactSpan contacts;
  std::span<const WallBody> walls;  // bodies b of the contacts with walls
  const ContactBatches& batches;
  std::span<const Body> bodies;     // SphereBody or RigidBody, with masses that exclude drag
  std::span<const BodyKick> kicks;  // of the step, with masses that include drag; may be empty
  std::span<const Vec3> guess;      // of the contacts
};

/// Gathers the problem of all ranks at root, which needs memory for the whole problem. On other
/// ranks the result is empty. Collective.
/// @param particles  as passed to a MotionWatcher (time_step.hpp): in the middle of the step, with
///                   ghosts
/// @throws SimulationError on all ranks if there are too many contacts or bodies for one message
template <class Body>
ProblemRecord RecordProblem(const Communicator& communicator, const Particles& particles,
                            const SolvedContacts<Body>& solved);

extern template ProblemRecord RecordProblem(const Communicator&, const Particles&,
                                            const SolvedContacts<SphereBody>&);
extern template ProblemRecord RecordProblem(const Communicator&, const Particles&,
                                            const SolvedContacts<RigidBody>&);

}  // namespace scree
