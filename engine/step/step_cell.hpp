/// \file  The rates of a cell (scene/cell.hpp) in the solve of a step: unknowns in addition to the
///        impulses of the contacts.
///
/// After each sweep the impulses determine the rates D' of the cell, and the change ΔD of the rates
/// is added to the velocities of all particles:
///
///     D' = D° + Σⱼ λⱼ ⊗ bⱼ/M°,   v ← v + ΔD (x − x_c),   D° = [M D + dt (Σ m c ⊗ c − V σ°)]/M°
///
/// with the inertia M and damping γ of the cell, M° = M (1 + dt γ), its volume V, the target stress
/// σ°, the branch vectors b, and the velocities c of particles relative to the flow D. A component
/// with a given rate keeps this rate. Within a sweep the rates of the cell do not change. A sweep
/// changes the stress per unit of rate by Σ b²/A_nn, about half of Σ m (2r)² in dense packings, so
/// that the iteration converges if M is at least as large as this sum. Ghosts get ΔD at the
/// position of their owner, plus the velocity of their image. With Jacobi's scheme they are rounded
/// to the same bits as their owner (PeriodicImages::Rounded), and the sums are exact.
///
/// The projection of positions does the same with its displacements.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "engine/particles/particles.hpp"
#include "engine/ranks/communicator.hpp"
#include "engine/ranks/halo.hpp"
#include "engine/scene/cell.hpp"
#include "engine/step/step_contacts.hpp"
#include "engine/step/step_setup.hpp"
#include "solvers/batches/contact_batches.hpp"
#include "solvers/sweeps/position_projection.hpp"

namespace scree {

/// The cell in one step. Does nothing in scenes without a cell.
class StepCell {
 public:
  /// Finds the branch vectors of the contacts, and the rates that particles and drives cause
  /// without contacts. Collective.
  /// @param time            at the end of the step [s]
  /// @param inverse_masses  of the particles [1/kg]
  void Begin(const StepSetup& setup, double time, const CellState& state,
             const Particles& particles, std::span<const double> inverse_masses,
             const StepContacts& contacts, Halo& halo);

  /// Whether the impulses determine any of the rates.
  bool IsStressDriven() const { return is_stress_driven_; }

  /// Maximum rate at which the cell shrinks in the step [1/s].
  double MaxRate() const { return std::max(max_rate_, max_given_rate_); }

  /// Applies to the bodies the rates that the cell would have without contacts.
  template <class Body>
  void SetUp(std::span<Body> bodies);
  /// Updates the rates from the present impulses, and the bodies from the rates. Collective.
  template <class Body>
  void UpdateFromImpulses(const ContactBatches& batches, std::span<Body> bodies);
  /// Updates the strain and the displacements from the impulses of the projection. Collective.
  /// @param bodies  Displacement or RigidBody
  template <class Displaced>
  void UpdateFromImpulses(const ContactBatches& batches, const PositionProjection& positions,
                          std::span<Displaced> bodies);
  /// Computes the stress of the final impulses. Collective.
  void Finish(const ContactBatches& batches);

  /// Moves the cell to the end of the step.
  /// @throws SimulationError if the strain of the step is too large for the lists
  void Move(CellState& state) const;

  /// Work done on the particles by the changes of D [J].
  /// @param mean  bodies with the means of their velocities
  template <class Body>
  double WorkOn(std::span<const Body> mean) const;
  /// Mean of the image velocities at the beginning and at the end of the step, one per ghost [m/s].
  std::span<const Vec3> MeanOfImages();

  /// Stress of contacts and motion in the last step, pressure positive [Pa]. The shear component
  /// has the sign of CellDrive.
  CellComponents Stress() const;
  /// The domain at the beginning of the last step.
  const Domain& DomainBefore() const { return domain_; }
  /// Target stresses of the last step, for the stress-driven components [Pa].
  const CellTargets& Targets() const { return targets_; }

 private:
  Vec3 AffineVelocity(const CellComponents& rates, const Vec3& x) const;
  template <class Impulse>
  CellComponents Sum(const Impulse& impulse) const;
  void FindImages(const CellComponents& rates, double quantum);
  template <class Body, class Value>
  void Deform(const CellComponents& change, std::span<const Vec3> before, double quantum,
              std::span<Body> bodies, Value Body::*value) const;
  template <class Body>
  void SetRates(const CellComponents& rates, std::span<Body> bodies);

  // The pointers and inverse_masses_ are valid in this step only.
  const StepSetup* setup_ = nullptr;
  const Particles* particles_ = nullptr;
  const StepContacts* step_contacts_ = nullptr;
  Halo* halo_ = nullptr;
  std::span<const double> inverse_masses_;
  Domain domain_;  // at the beginning of the step
  Vec3 centre_ = Vec3::Zero();
  bool is_stress_driven_ = false, needs_rounding_ = false;
  double dt_ = 0.0, volume_ = 0.0, inertia_ = 0.0;  // [s], [m³], M° [kg m²]
  double max_rate_ = 0.0;                  // maximum |D'| of stress-driven components [1/s]
  double max_given_rate_ = 0.0;            // largest given rate at any time [1/s]
  CellComponents rates_before_ = {};       // D at the beginning of the step
  CellComponents free_rates_ = {};         // D°
  CellComponents rates_ = {};              // D' after the last sweep
  CellComponents kinetic_ = {};            // Σ m c ⊗ c [J]
  CellComponents contact_sum_ = {};        // Σ λ ⊗ b [J s]
  CellComponents projection_strain_ = {};  // strain by the projection [-]
  std::array<bool, kCellComponents> is_stress_driven_component_ = {};
  CellTargets targets_ = {};         // σ° of the stress-driven components
  std::vector<Vec3> branches_;       // b of the owned contacts [m]
  std::vector<Vec3> images_before_;  // velocities of the images before the step [m/s]
  std::vector<Vec3> images_;         // scratch: present velocities, their mean, or displacements
};

}  // namespace scree
