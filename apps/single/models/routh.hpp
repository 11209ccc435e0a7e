/// \file  Planar impact of two rough rigid bodies at one point, by Routh's method in impulse space.
///
/// The method follows the impulses (F̄, T̄) of the normal and the friction force while they grow. Its
/// geometry and the notation are those of Sypniewska-Kamińska, Starosta & Awrejcewicz, Motion of
/// double pendulum colliding with an obstacle of rough surface, Arch. Appl. Mech. 87 (2017),
/// section 3.4; apps/single/README.md has the rules and where we deviate.
#pragma once

#include <string>
#include <vector>

namespace scree::impact {

/// The contact velocity depends linearly on the impulses, eqs. (34), (35):
///
///     s = s₀ + α T̄ + ε F̄,      c = c₀ + ε T̄ + γ F̄.
struct RouthProblem {
  double alpha = 1.0;        // α > 0; without friction ≥ 0 [1/kg]
  double epsilon = 0.0;      // ε, ε² < α γ; without friction ≤ [1/kg]
  double gamma = 1.0;        // γ > 0 [1/kg]
  double s = 0.0;            // sliding velocity s₀ before the impact [m/s]
  double c = 0.0;            // c₀ [m/s]; < 0 approaches
  double mu = 0.0;           // friction coefficient μ ≥ 0 [-]
  double restitution = 0.0;  // k of Poisson's hypothesis, in [0, 1] [-]
};

/// The course of the impact; the letters are those of the paper's figure 4. A mirror image has the
/// same mode, RouthPath distinguishes them.
enum class RouthMode {
  kSeparating,             // c₀ > 0, or grazing: no impulse
  kFrictionless,           // μ = 0
  kSlip,                   // a: one direction of slip to the end
  kStickInCompression,     // b: slip ends before the largest compression, and the point sticks
  kReversalInCompression,  // c: slip ends before the largest compression and goes on backwards
  kStickInRestitution,     // d: as b, after the largest compression
  kReversalInRestitution,  // e: as c, after the largest compression
  kStickFromStart,         // s₀ = 0, and the point sticks
  kSlipFromStart,          // s₀ = 0, and the point slips
};

const char* Name(RouthMode mode);

/// A point of the path in impulse space at which its slope or its phase changes, or it ends.
struct RouthCorner {
  double normal = 0.0;       // F̄ so far [N s]
  double tangential = 0.0;   // T̄ so far [N s]
  double s = 0.0;            // velocities there [m/s]
  double c = 0.0;            //
  int slip = 0;              // of the stretch that ends here: direction of s, 0 sticks
  bool compression = false;  // whether the largest compression is reached here
};

struct RouthSolution {
  double normal = 0.0;      // F̄ ≥ 0 [N s]
  double tangential = 0.0;  // T̄, |T̄| ≤ μ F̄ [N s]
  double s = 0.0;           // velocities after the impact [m/s]
  double c = 0.0;           // ≥ 0
  RouthMode mode = RouthMode::kSeparating;
  double compression_work = 0.0;     // of the normal force until the largest compression, ≤ 0 [J]
  double restitution_work = 0.0;     // of the normal force after it, ≥ 0 [J]
  double friction_work = 0.0;        // of the friction force, ≤ 0 [J]
  std::vector<RouthCorner> corners;  // the path from the origin to (F̄, T̄), both included
};

/// Follows the path: slope dT̄/dF̄ = −μ sgn s while sliding, eq. (37); where s = 0 the point sticks,
/// dT̄/dF̄ = −ε/α, if |ε| ≤ μ α, and slips towards sgn ε otherwise; c = 0 ends the compression at
/// F̄_m, and the impact ends at (1 + k) F̄_m, eq. (28). c₀ = 0 is the limit of slow approach: nothing
/// happens unless sliding presses the bodies together.
/// @pre Defect(problem) is empty
RouthSolution SolveRouth(const RouthProblem& problem);

/// Change of the kinetic energy, the sum of the three works [J].
double EnergyChange(const RouthSolution& solution);

/// √(work of restitution / work of compression), Stronge's coefficient [-]. It equals k while slip
/// keeps its direction. Otherwise Poisson's hypothesis makes it differ, even exceed 1: then the
/// normal force returns more energy than it absorbed, and friction dissipates still more. 0 without
/// an impulse.
double EnergeticRestitution(const RouthSolution& solution);

/// The path as a word: one of + - K for each stretch's direction of slip (K sticks), and | at the
/// largest compression. "+-|-" is figure 4c.
std::string RouthPath(const RouthSolution& solution);

/// Why the problem is outside the ranges of RouthProblem; empty when all is well. For input from
/// outside; SolveRouth does not check.
const char* Defect(const RouthProblem& problem);

}  // namespace scree::impact
