/// \file  A mass and the ringing body that it strikes: their forces, energies, and motion under
///        constant forces. See resonator_impact.hpp for the equations.
#pragma once

#include <span>
#include <vector>

#include "apps/single/models/hunt_crossley.hpp"
#include "apps/single/models/resonator.hpp"

namespace scree::impact {

struct RingingMode {
  double g;          // gain [1/kg]
  double d;          // rate of decay [1/s]
  double omega;      // ω [1/s]
  double stiffness;  // ω² + d² [1/s²]
};

struct StruckState {
  double y = 0.0, w = 0.0;   // position [m] and velocity [m/s] of the mass, positive into the body
  std::vector<double> q, p;  // positions and velocities of the modes
};

double Compression(const StruckState& state);  // x = y − Σ q [m]
double Velocity(const StruckState& state);     // x' [m/s]

/// The energies [J]. Their sum, including losses, is constant without an external force, up to the
/// errors of the method.
struct ImpactEnergies {
  double mass = 0.0;          // m y'²/2
  double contact = 0.0;       // V
  double modes = 0.0;         // Σ (q'² + (ω² + d²) q²)/(2 g)
  double contact_loss = 0.0;  // ∫ k x^α μ v² dt
  double modes_loss = 0.0;    // ∫ Σ 2 d q'²/g dt

  double Sum() const { return mass + contact + modes + contact_loss + modes_loss; }
};

class RingingBodies {
 public:
  /// @throws InputError for a mode with a value that is not above 0
  RingingBodies(const HuntCrossley& contact, double force_on_mass,
                std::span<const ResonatorMode> ringing);

  double EffectiveMass() const;                             // M [kg]
  double Force(const StruckState& state) const;             // on the struck body [N]
  double FreeAcceleration(const StruckState& state) const;  // s [m/s²]
  double ContactLossRate(const StruckState& state) const;   // [W]
  double ModesLossRate(const StruckState& state) const;     // [W]
  ImpactEnergies Energies(const StruckState& state) const;  // leaves losses at 0
  StruckState TouchState(double v_in) const;

  const HuntCrossley model;
  const double external_force;  // on the mass, into the body if above 0 [N]
  std::vector<RingingMode> modes;
};

/// The exact motion under constant forces over a time step.
class RingingFlow {
 public:
  RingingFlow(const RingingBodies& bodies, double time);

  /// Force on the struck body, and external force on the mass [N].
  struct Forces {
    double contact, external;
  };
  /// Writes y and q.
  void AdvancePositions(const StruckState& from, const Forces& f, StruckState& to) const;
  /// Writes w and p.
  void AdvanceVelocities(const StruckState& from, const Forces& f, StruckState& to) const;

  double CompressionPerForce() const;  // change of x by a contact force, below 0 [m/N]
  double VelocityPerForce() const;     // change of v by a contact force, below 0 [m/s/N]

 private:
  struct Propagator {
    double qq, qp, pq, pp;
    double compliance;  // displacement under a constant force of 1 [m/N]
  };
  double mass_, time_;
  std::vector<Propagator> modes_;
};

}  // namespace scree::impact
