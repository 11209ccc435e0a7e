/// \file  A periodic cell whose stress is given: its rates of strain are unknowns of each step, as
///        the speed of a free wall is.
///
/// The cell has the edges L along the axes and, sheared, the slip s of the image above, H = (L, s).
/// Its rates are the velocity gradient D = Ḣ H⁻¹: three stretches and the shear rate γ̇ = D_fg along
/// the flow f by the gradient g. Each is fixed, given, or follows from its stress by an inertia M,
///
///     M Ḋ = V (σ − σ°) − M c D,    V σ = Σ λ ⊗ b/dt + Σ m c ⊗ c
///
/// with the branch b of each contact from centre to centre, as its images stand, the velocity c =
/// v − D x of a grain against the mean flow, and pressure positive. (M. Parrinello, A. Rahman,
/// J. Appl. Phys. 52, 7182 (1981), with D for the unknown and, as in D. J. Evans, G. P. Morriss,
/// Phys. Rev. A 30, 1528 (1984), no inertia of the flow itself.)
///
/// Velocities are those of the laboratory, v = c + D x: grains and their images then move as in a
/// sheared domain (periodic_images), x' = x + dt v' remaps places affinely by itself, and with D
/// given a Lees-Edwards run is the same motion. A change of D is given to all grains at once, ΔD x,
/// so that every contact feels D by its branch and V σ is the virial of the whole cell. If contacts
/// across the ends alone felt it, strain would start there as a shock, and the stress in balance
/// would be that of one plane. From step to step the edges keep their velocities without forces,
/// which turns D into D (1 + dt D)⁻¹: what v and images that go straight on have afterwards.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/geometry/box.hpp"
#include "solvers/base/types.hpp"

namespace scree {

/// Components of what the cell does: x, y, z, and the shear of the flow by the gradient.
inline constexpr std::size_t kCellParts = 4, kCellShear = 3;
using CellComponents = std::array<double, kCellParts>;
using CellTargets = std::array<std::optional<double>, kCellParts>;

enum class CellControlMode { kFixed, kRate, kStress };

/// One component over time, or over a strain.
struct CellDrive {
  CellControlMode hold = CellControlMode::kFixed;
  double value = 0.0;               // rate [1/s], negative closes; or stress [Pa], pressure
                                    // positive, of the shear what drives γ̇ > 0
  std::vector<double> values = {};  // at the points of the path, in its place; or none

  friend bool operator==(const CellDrive&, const CellDrive&) = default;
};

struct CellState;

struct CellControl {
  std::array<CellDrive, kCellParts> drives;
  std::vector<double> points;       // of the path, ascending: times [s], or strains [-]
  std::optional<std::size_t> over;  // the component whose strain they are; none: they are times
  double since = 0.0;               // the path was given, and counts strains, from then on [s]
  double inertia = 1.0;             // M over Σ m (2r)², > 0 [-]
  double damping = 0.0;             // c, ≥ 0 [1/s]
  double max_rate = 0.0;            // of what is driven by stress [1/s]; 0: kDefaultRate

  bool Acts() const;
  bool HasStress() const;
  bool Shears() const { return drives[kCellShear].hold != CellControlMode::kFixed; }
  /// What component k is held at [1/s] or [Pa]: linear between the rows of the path.
  /// @param point  of the path, as PointOf
  double At(std::size_t k, double point) const;
  /// Where on the path a step is that begins so and ends at this time: its time or its strain.
  double PointOf(const CellState& begin, double time) const;
  /// Of all times [1/s], [Pa].
  double MaxRate() const;
  double MaxStress() const;
};

/// The greatest rate driven by stress unless given, times the time √(M/(V σ°)) in which the stress
/// moves a grain by its size: an inertial number.
inline constexpr double kDefaultRate = 0.1;

/// Where the cell is, the same on all ranks.
struct CellState {
  Box box;                        // [m]
  double first_volume = 0.0;      // at the start [m³]
  double slip = 0.0;              // of the image above along the flow [m]
  double shear_strain = 0.0;      // ∫ γ̇ dt [-]
  CellComponents rates = {};      // D of the last step [1/s]
  CellComponents flow = {};       // and what velocities and images have of it since [1/s]
  CellComponents path_from = {};  // edges [m] and shear strain at the first step of a path,
  double path_since = -1.0;       // the one that was given then [s]; before a first: negative

  /// From there on: −ln(L/L₀) of an axis, positive where it gets shorter as stresses are; and the
  /// shear strain.
  double StrainOfPath(std::size_t k) const;

  friend bool operator==(const CellState& a, const CellState& b) {
    return a.box.lower == b.box.lower && a.box.upper == b.box.upper && a.slip == b.slip &&
           a.first_volume == b.first_volume && a.shear_strain == b.shear_strain &&
           a.rates == b.rates && a.flow == b.flow && a.path_from == b.path_from &&
           a.path_since == b.path_since;
  }
};

/// Takes the cell to the box where it has none yet, and begins the path where another one was
/// given.
void BeginCell(const CellControl& control, const Box& box, CellState& cell);

/// D (1 + dt D)⁻¹: the rates of edges that go straight on for a step.
CellComponents InertialRates(const CellComponents& rates, double dt, const Shear& axes);

/// The cell after a step at these rates and an affine displacement of the projection.
void MoveCell(const CellComponents& rates, const CellComponents& displacement, double dt,
              const Shear& axes, CellState& cell);

/// Counts the slip from the image that is nearest.
void RenumberImages(const Shear& axes, CellState& cell);

/// The domain as it is now.
/// @param domain  the scene's
Domain DomainOf(const Domain& domain, const CellState& cell);

/// The same with the mean rates between two states.
Domain MeanStrain(const Domain& now, const CellState& before, const CellState& after,
                  double elapsed);

}  // namespace scree
