/// \file  A single contact that rebounds, under both friction laws and three hypotheses.
///
/// b is minus the velocity before the impact, so that the bodies approach with b_n > 0. Compression
/// ends with v_n = 0: its impulse x_c is the solution of the inelastic problem. Then
///
///     Newton      v_n = e b_n at the end, in one step; friction acts on v_t − e b_n A_tn/A_nn, the
///                 final slip minus the slip that a rebound without friction adds.
///     Poisson     restitution adds the normal impulse e x_c,n, with friction.
///     energetic   (Stronge) restitution adds the normal impulse whose work is −e² W_c, but at most
///                 x_c,n. W_c is the work of compression; W_c = −b_n x_c,n / 2 on straight paths.
///
/// No hypothesis gains energy, for any A and μ (solvers/README.md, One contact that rebounds). The
/// engine uses Newton's hypothesis. With maximum dissipation, this hypothesis minimises the energy
/// on the plane v_n = e b_n within the cone; the minimum is not at v_t = 0. Poisson's and the
/// energetic hypothesis prescribe the normal impulse of restitution. For a prescribed normal
/// impulse the minimum is the solution of Coulomb's law, so that the two laws differ in compression
/// only.
#pragma once

#include "solvers/one_contact/one_contact.hpp"

namespace scree {

enum class RestitutionHypothesis { kNewton, kPoisson, kEnergetic };

const char* Name(RestitutionHypothesis hypothesis);

struct ReboundingSolution {
  Vec3 compression = Vec3::Zero();  // x_c; zero under Newton's hypothesis [N s]
  Vec3 x = Vec3::Zero();            // total impulse [N s]
  Vec3 velocity = Vec3::Zero();     // after the impact [m/s]
  double energy = 0.0;              // change of the kinetic energy [J]; > 0 is a gain
};

/// Solves one contact by the given law and hypothesis.
/// @param restitution  e, 0 to 1 [-]
/// @pre Defect(contact) is empty
ReboundingSolution SolveRebound(const OneContact& contact, ContactLaw law,
                                RestitutionHypothesis hypothesis, double restitution);

/// The tangential impulse of friction for a given normal impulse: the minimum of ½ y⋅A⋅y + y⋅v over
/// the disc ‖y‖ ≤ radius. The velocity A⋅y + v then opposes y or vanishes; v is the velocity
/// without friction.
Eigen::Vector2d FrictionOfNormalImpulse(const Eigen::Matrix2d& a, const Eigen::Vector2d& v,
                                        double radius);

}  // namespace scree
