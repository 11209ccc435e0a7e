/// \file  A fluid with prescribed velocity around the particles: buoyancy, drag, torque.
///
/// Drag and torque on a clump or a solid are those of the sphere with the same volume. There is no
/// added mass, history force or lift. The particles do not act on the fluid; the momentum that they
/// give to the fluid is only reported.
#pragma once

#include <array>

#include "engine/geometry/box.hpp"
#include "engine/scene/vector_grid.hpp"
#include "engine/scene/vector_table.hpp"
#include "solvers/base/types.hpp"

namespace scree {

enum class DragLaw { kNone, kStokes, kSchillerNaumann, kDiFelice, kGidaspow };
constexpr std::array<const char*, 5> NamesOf(DragLaw) {
  return {"none", "stokes", "schiller_naumann", "di_felice", "gidaspow"};
}
enum class FluidTable { kOfHeight, kOfTime };  // functions of height or of time

struct Fluid {
  double density = 0.0;          // [kg/m³]; 0: no fluid
  double viscosity = 0.0;        // [Pa s], > 0
  Vec3 velocity = Vec3::Zero();  // between the particles (interstitial) [m/s]
  VectorTable table = {};        // function of height z or of time, added to `velocity` [m/s]
  FluidTable table_argument = FluidTable::kOfHeight;
  VectorGrid grid = {};  // function of position, also added to `velocity` [m/s]
  DragLaw drag = DragLaw::kSchillerNaumann;
  bool buoyancy = true;
  // Number of cells along each axis. Void fractions are averages over cells; without cells they
  // are 1.
  std::array<int, 3> cells = {0, 0, 0};

  bool Exists() const { return density > 0.0; }
  bool HasCells() const { return cells[0] > 0; }
  double TableArgument(const Vec3& x, double time) const {
    return table_argument == FluidTable::kOfTime ? time : x.z();
  }
  Vec3 VelocityAt(const Vec3& x, double time) const {
    Vec3 sum = velocity;
    if (!table.IsEmpty()) sum += table.At(TableArgument(x, time));
    if (!grid.IsEmpty()) sum += grid.At(x);
    return sum;
  }
  /// Half the curl: the angular velocity of a small sphere carried by the fluid [rad/s].
  Vec3 RotationAt(const Vec3& x) const {
    Mat3 slopes = grid.IsEmpty() ? Mat3(Mat3::Zero()) : grid.GradientAt(x);
    if (!table.IsEmpty() && table_argument == FluidTable::kOfHeight)
      slopes.col(2) += table.SlopeAt(x.z());
    return 0.5 * Vec3(slopes(2, 1) - slopes(1, 2), slopes(0, 2) - slopes(2, 0),
                      slopes(1, 0) - slopes(0, 1));
  }
};

/// Coefficient k of the drag k (u − v) on a sphere of volume V [kg/s], with Re = ε ρ d s/μ and the
/// slip s = |u − v|:
///
///     stokes             3 π μ d
///     schiller_naumann   3 π μ d (1 + 0.15 Re^0.687); for Re ≥ 1000 with C_D = 0.44.
///                        Here Re = ρ d s/μ, without ε
///     di_felice          π/8 d² ρ s C_D ε^(1−β),  C_D = (0.63 + 4.8 Re^−½)²,
///                        β = 3.7 − 0.65 exp(−(1.5 − lg Re)²/2)
///     gidaspow           ε < 0.8, Ergun: V/ε (150 (1−ε) μ/(ε d²) + 1.75 ρ s/d)
///                        else, Wen and Yu: schiller_naumann, but with ε in Re, times ε^−3.65
///
/// di_felice and gidaspow are the published laws divided by ε. Buoyancy comes from the hydrostatic
/// pressure only (model B), so that the whole pressure drop of a bed acts through the drag. (R. Di
/// Felice, Int. J. Multiphase Flow 20 (1994) 153; D. Gidaspow, Multiphase Flow and Fluidization,
/// 1994; S. Ergun, Chem. Eng. Prog. 48 (1952) 89; L. Schiller, A. Naumann, Z. VDI 77 (1935) 318.)
/// @param diameter  d [m]   @param slip  s [m/s]   @param void_fraction  ε
double DragCoefficient(const Fluid& fluid, double diameter, double slip, double void_fraction);

/// The drag coefficient [kg/s] at the end of a step in which only the drag changes the slip. The
/// final slip s is the root of s (1 + dt k(s)/m) = s₀, which is stable for any step length, even if
/// k grows with s.
/// @param slip  s₀ [m/s]
double ImplicitDrag(const Fluid& fluid, double diameter, double mass, double slip,
                    double void_fraction, double dt);

/// π μ d³: torque on a sphere per angular velocity relative to the fluid [N m s].
double RotationalDrag(const Fluid& fluid, double diameter);

}  // namespace scree
