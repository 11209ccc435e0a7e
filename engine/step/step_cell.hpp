/// \file  The rates of a cell (scene/cell.hpp) in the solve of a step: unknowns beside the impulses
///        of the contacts.
///
/// After each sweep the impulses give the cell its rates, and all grains what these have changed,
///
///     D' = D° + Σⱼ λⱼ ⊗ bⱼ/M°,   v ← v + ΔD (x − x_c),   D° = [M D + dt (Σ m c ⊗ c − V σ°)]/M°
///
/// M° = M (1 + dt c), or D' is given. Sweeps see velocities only and know nothing of it. A sweep
/// changes the stress against a rate by Σ b²/A_nn, half of Σ m (2r)² in dense matter, so that M of
/// that size or more converges. Ghosts have the ΔD of their owner's place, and their image's
/// velocity; with Jacobi, rounded, the same bits as there (PeriodicImages::Rounded), and the sums
/// are exact.
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

/// Of one step. Does nothing where the scene has no cell.
class StepCell {
 public:
  /// Finds what grains and drives make of the rates, and the branches of the contacts. Collective.
  /// @param time    at the end of the step [s]
  /// @param masses  inverse, of the particles [1/kg]
  void Begin(const StepSetup& setup, double time, const CellState& state,
             const Particles& particles, std::span<const double> masses,
             const StepContacts& contacts, Halo& halo);

  /// Whether some rate follows from the impulses.
  bool Yields() const { return yields_; }

  /// No cell closes faster in the step [1/s].
  double MaxRate() const { return std::max(most_, given_); }

  /// Gives the bodies the rates that the cell has without contacts.
  template <class Body>
  void SetUp(std::span<Body> bodies);
  /// Lets the rates follow the impulses as they are, and the bodies the rates. Collective.
  template <class Body>
  void UpdateFromImpulses(const ContactBatches& batches, std::span<Body> bodies);
  /// @param bodies  of the projection: Displacement or RigidBody
  template <class Moved>
  void UpdateFromImpulses(const ContactBatches& batches, const PositionProjection& positions,
                          std::span<Moved> bodies);
  /// Takes the stress of the impulses as they are at the end. Collective.
  void Finish(const ContactBatches& batches);

  /// Takes the cell to the end of the step.
  /// @throws SimulationError if that is farther than it could be followed
  void Move(CellState& state) const;

  /// Work on the grains of what the changes of D give them [J].
  /// @param mean  bodies at the means of their velocities
  template <class Body>
  double WorkOn(std::span<const Body> mean) const;
  /// Of the velocities of the images at the beginning and at the end, one per ghost [m/s].
  std::span<const Vec3> MeanOfImages();

  /// Of contacts and motion in the last step, pressure positive; of the shear what drives it, as
  /// CellDrive has it [Pa].
  CellComponents Stress() const;
  /// The domain as the last step began.
  const Domain& DomainBefore() const { return domain_; }
  /// What was asked for in it, of the components that follow from their stress [Pa].
  const CellTargets& Targets() const { return targets_; }

 private:
  Vec3 Affine(const CellComponents& rates, const Vec3& x) const;
  template <class Impulse>
  CellComponents Sum(const Impulse& impulse) const;
  void FindImages(const CellComponents& rates, double grain);
  template <class Body, class Value>
  void Deform(const CellComponents& change, std::span<const Vec3> before, double grain,
              std::span<Body> bodies, Value Body::*value) const;
  template <class Body>
  void SetRates(const CellComponents& rates, std::span<Body> bodies);

  const StepSetup* setup_ = nullptr;  // of the step, as the next three
  const Particles* particles_ = nullptr;
  const StepContacts* step_contacts_ = nullptr;
  Halo* halo_ = nullptr;
  std::span<const double> inverse_masses_;
  Domain domain_;  // at the beginning of the step
  Vec3 centre_ = Vec3::Zero();
  bool yields_ = false, rounds_ = false;
  double dt_ = 0.0, volume_ = 0.0, inertia_ = 0.0;  // [s], [m³], M° [kg m²]
  double most_ = 0.0;                               // of |D'| driven by stress [1/s]
  double given_ = 0.0;                              // the greatest rate that is ever given [1/s]
  CellComponents coasting_ = {};                    // what velocities have at first of D
  CellComponents free_ = {};                        // D°
  CellComponents rates_ = {};                       // D' so far
  CellComponents kinetic_ = {};                     // Σ m c ⊗ c [J]
  CellComponents contacts_ = {};                    // Σ λ ⊗ b [J s]
  CellComponents displacement_ = {};                // strain by the projection [-]
  std::array<bool, kCellParts> follows_ = {};
  CellTargets targets_ = {};         // σ° of those
  std::vector<Vec3> branches_;       // b of the treated contacts [m]
  std::vector<Vec3> images_before_;  // velocities of the images [m/s]
  std::vector<Vec3> images_;         // scratch: the same of now, their mean, or displacements
};

}  // namespace scree
