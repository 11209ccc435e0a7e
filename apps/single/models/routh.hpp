/// \file  Planar impact of two rough rigid bodies at one point, by Routh's method in impulse space.
///
/// The method follows the growing impulses (F̄, T̄) of the normal force and of friction. Geometry
/// and notation are those of Sypniewska-Kamińska, Starosta & Awrejcewicz, Motion of double pendulum
/// colliding with an obstacle of rough surface, Arch. Appl. Mech. 87 (2017), section 3.4.
/// apps/single/README.md has the rules and our deviations.
#pragma once

#include <string>
#include <vector>

namespace scree::impact {

/// The contact velocity depends linearly on the impulses, eqs. (34), (35):
///
///     s = s₀ + α T̄ + ε F̄,      c = c₀ + ε T̄ + γ F̄.
struct RouthProblem {
  double alpha = 1.0;    // α > 0; without friction ≥ 0 [1/kg]
  double epsilon = 0.0;  // ε; ε² < α γ, or ≤ α γ without friction [1/kg]
  double gamma = 1.0;    // γ > 0 [1/kg]
  double s = 0.0;        // sliding velocity s₀ before the impact [m/s]
  double c = 0.0;        // opening velocity c₀ before the impact, < 0: the bodies approach [m/s]
  double mu = 0.0;       // friction coefficient μ ≥ 0 [-]
  double restitution = 0.0;  // k of Poisson's hypothesis, in [0, 1] [-]
};

/// The course of the impact, with the letters of the paper's figure 4. An impact and its
/// mirror image have the same mode; RouthPath distinguishes them.
enum class RouthMode {
  kSeparating,             // c₀ > 0, or grazing: no impulse
  kFrictionless,           // μ = 0
  kSlip,                   // a: one direction of slip to the end
  kStickInCompression,     // b: slip ends before the largest compression, and the point sticks
  kReversalInCompression,  // c: slip ends before the largest compression and continues backwards
  kStickInRestitution,     // d: as b, but slip ends after the largest compression
  kReversalInRestitution,  // e: as c, but slip ends after the largest compression
  kStickFromStart,         // s₀ = 0, and the point sticks
  kSlipFromStart,          // s₀ = 0, and the point slips
};

const char* Name(RouthMode mode);

/// A corner of the path in impulse space: where its slope or phase changes, or where it begins or
/// ends.
struct RouthCorner {
  double normal = 0.0;            // F̄ so far [N s]
  double tangential = 0.0;        // T̄ so far [N s]
  double s = 0.0;                 // velocities at this corner [m/s]
  double c = 0.0;                 //
  int slip = 0;                   // direction of s in the stretch that ends here; 0: it sticks
  bool ends_compression = false;  // whether the compression is largest here
};

struct RouthSolution {
  double normal = 0.0;      // F̄ ≥ 0 [N s]
  double tangential = 0.0;  // T̄, |T̄| ≤ μ F̄ [N s]
  double s = 0.0;           // velocities after the impact [m/s]
  double c = 0.0;           // ≥ 0
  RouthMode mode = RouthMode::kSeparating;
  double compression_work = 0.0;     // of the normal force until the largest compression, ≤ 0 [J]
  double restitution_work = 0.0;     // of the normal force after that, ≥ 0 [J]
  double friction_work = 0.0;        // of the friction force, ≤ 0 [J]
  std::vector<RouthCorner> corners;  // the path from the origin to (F̄, T̄), both included
};

/// Follows the path. The slope is dT̄/dF̄ = −μ sgn s while sliding, eq. (37). When s = 0, the point
/// sticks with dT̄/dF̄ = −ε/α if |ε| ≤ μ α, and otherwise slips towards sgn ε. When c = 0,
/// compression ends at F̄_m; the impact ends at (1 + k) F̄_m, eq. (28). c₀ = 0 is the limit of slow
/// approach: there is no impulse unless sliding presses the bodies together.
/// @pre Defect(problem) is empty
RouthSolution SolveRouth(const RouthProblem& problem);

/// Change of the kinetic energy, the sum of the three works [J].
double EnergyChange(const RouthSolution& solution);

/// Stronge's coefficient √(work of restitution / work of compression) [-]; 0 without an impulse.
/// The coefficient equals k if slip keeps its direction. If slip changes direction, it differs from
/// k and may even exceed 1: the normal force then returns more energy than it absorbed, and
/// friction dissipates still more.
double EnergeticRestitution(const RouthSolution& solution);

/// The path as a word: for each stretch its direction of slip + or -, or K if it sticks, and | at
/// the largest compression. "+-|-" is figure 4c.
std::string RouthPath(const RouthSolution& solution);

/// The reason why the problem is outside the ranges of RouthProblem; empty if it is not. Use it to
/// check external input, because SolveRouth does not check.
const char* Defect(const RouthProblem& problem);

}  // namespace scree::impact
