/// \file  A periodic cell with prescribed stress. The strain rates of the cell are unknowns of each
///        step, like the speed of a free wall.
///
/// The cell has the edges L along the axes. If it is sheared, the next image up the gradient has
/// the offset s along the flow. L and s form the matrix H of the cell. The rates are the velocity
/// gradient D = Ḣ H⁻¹: three stretches, and the shear rate γ̇ = D_fg of the flow f along the
/// gradient g. Each rate is fixed at zero, is prescribed, or follows from the stress with an
/// inertia M,
///
///     M Ḋ = V (σ − σ°) − M ζ D,    V σ = Σ λ ⊗ b/dt + Σ m c ⊗ c
///
/// where V is the volume, σ° the prescribed stress, ζ a damping, b the branch vector of a contact
/// (between the centres of the images that touch), and c = v − D x the velocity of a particle
/// relative to the mean flow. Pressure is positive. This is the method of M. Parrinello, A. Rahman,
/// J. Appl. Phys. 52, 7182 (1981), with D as the unknown. The flow itself has no inertia, as in D.
/// J. Evans, G. P. Morriss, Phys. Rev. A 30, 1528 (1984).
///
/// Velocities are laboratory velocities, v = c + D x. Particles and their images therefore move as
/// in a sheared domain (periodic_images), and x' = x + dt v' includes the affine displacement. With
/// a prescribed D the motion is that of a Lees-Edwards run. A change of D adds ΔD x to the velocity
/// of all particles at once. Thus D acts on every contact through its branch vector, and V σ is the
/// virial of the whole cell. If D acted only on contacts across the ends, strain would start there
/// as a shock, and only the stress in a single plane would be balanced. Without forces the edges
/// keep their velocities from step to step, which changes D to D (1 + dt D)⁻¹. Particles and images
/// that move uniformly then have this D, too.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/geometry/box.hpp"
#include "solvers/base/types.hpp"

namespace scree {

/// Components of the cell's deformation: x, y, z, and the shear of the flow along the gradient.
inline constexpr std::size_t kCellComponents = 4, kCellShear = 3;
using CellComponents = std::array<double, kCellComponents>;
using CellTargets = std::array<std::optional<double>, kCellComponents>;

enum class CellControlMode { kFixed, kRate, kStress };

/// The control of one component: constant, or a function of time or strain.
struct CellDrive {
  CellControlMode mode = CellControlMode::kFixed;
  // Rate [1/s], negative in compression; or stress [Pa], positive under pressure. A positive shear
  // stress drives γ̇ > 0.
  double value = 0.0;
  std::vector<double> values = {};  // at the points of the path; empty: `value` is constant

  friend bool operator==(const CellDrive&, const CellDrive&) = default;
};

struct CellState;

struct CellControl {
  std::array<CellDrive, kCellComponents> drives;
  std::vector<double> points;  // of the path, ascending: times [s] or strains [-]
  // The points are strains of this component; none: the points are times.
  std::optional<std::size_t> strain_component;
  double since = 0.0;     // start time of the path, from which strains are counted [s]
  double inertia = 1.0;   // M in units of Σ m (2r)², > 0 [-]
  double damping = 0.0;   // ζ, ≥ 0 [1/s]
  double max_rate = 0.0;  // limit of stress-driven rates [1/s]; 0: from kDefaultRate

  bool IsActive() const;
  bool HasStress() const;
  bool IsSheared() const { return drives[kCellShear].mode != CellControlMode::kFixed; }
  /// Target of component k [1/s] or [Pa], interpolated linearly between the points of the path.
  /// @param point  on the path, as returned by PointOf
  double At(std::size_t k, double point) const;
  /// The point on the path, a time or a strain, for a step from `begin` that ends at `time`.
  double PointOf(const CellState& begin, double time) const;
  /// Largest prescribed rate [1/s] and stress [Pa] of all components and times.
  double MaxRate() const;
  double MaxStress() const;
};

/// Default limit of stress-driven rates, as an inertial number: the rate times the time √(M/(V σ°))
/// in which the stress moves a particle by its size.
inline constexpr double kDefaultRate = 0.1;

/// Current state of the cell, the same on all ranks.
struct CellState {
  Box box;                        // [m]
  double first_volume = 0.0;      // at the start [m³]
  double image_offset = 0.0;      // s [m]
  double shear_strain = 0.0;      // ∫ γ̇ dt [-]
  CellComponents rates = {};      // D of the last step [1/s]
  CellComponents flow = {};       // D of the velocities and images after the last step [1/s]
  CellComponents path_from = {};  // edges [m] and shear strain at the start of the current path
  double path_since = -1.0;  // start time of the current path [s]; negative before the first path

  /// Strain since the start of the path. For an axis it is −ln(L/L₀), positive in compression as
  /// the stress is; for the shear it is the shear strain.
  double StrainOfPath(std::size_t k) const;

  friend bool operator==(const CellState& a, const CellState& b) {
    return a.box.lower == b.box.lower && a.box.upper == b.box.upper &&
           a.image_offset == b.image_offset && a.first_volume == b.first_volume &&
           a.shear_strain == b.shear_strain && a.rates == b.rates && a.flow == b.flow &&
           a.path_from == b.path_from && a.path_since == b.path_since;
  }
};

/// Sets the box of the cell at the start of a run, and starts the path of the control if it is new.
void StartCell(const CellControl& control, const Box& box, CellState& cell);

/// D (1 + dt D)⁻¹: the rates after a step if the edges keep their velocities.
CellComponents InertialRates(const CellComponents& rates, double dt, const Shear& axes);

/// Advances the cell by a step.
/// @param rates         D [1/s]
/// @param displacement  additional strain by the position projection [-]
void MoveCell(const CellComponents& rates, const CellComponents& displacement, double dt,
              const Shear& axes, CellState& cell);

/// Changes the image offset by whole periods, so that it refers to the nearest image.
void RenumberImages(const Shear& axes, CellState& cell);

/// The domain in the current state of the cell.
/// @param domain  domain of the scene
Domain DomainOf(const Domain& domain, const CellState& cell);

/// The domain with the mean rates between two states of the cell.
Domain MeanStrain(const Domain& current, const CellState& before, const CellState& after,
                  double elapsed);

}  // namespace scree
