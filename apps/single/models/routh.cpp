#include "apps/single/models/routh.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "solvers/base/check.hpp"

namespace scree::impact {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
// Smallest αγ − ε² relative to αγ. Closer to singular, rounding would decide when c vanishes.
constexpr double kSingular = 1e-14;

/// αγ − ε², corrected for the rounding of ε², which matters if the terms cancel.
double Determinant(const RouthProblem& p) {
  const double square = p.epsilon * p.epsilon;
  const double error = std::fma(p.epsilon, p.epsilon, -square);
  return std::fma(p.alpha, p.gamma, -square) - error;
}

int Sign(double x) { return x > 0.0 ? 1 : x < 0.0 ? -1 : 0; }

/// Current point and direction of the path in impulse space.
class PathTracer {
 public:
  PathTracer(const RouthProblem& problem, RouthSolution& solution)
      : p_(problem), solution_(solution) {
    corner_.s = p_.s;
    corner_.c = p_.c;
    SetSlip(p_.s != 0.0 ? Sign(p_.s) : SlipFromRest());
    corner_.slip = slip_;
    solution_.corners.push_back(corner_);
  }

  /// Increase of F̄ until slip or compression ends; infinite if it does not end.
  double GrowthToSlipEnd() const {
    return slip_ != 0 && slip_ * ds_ < 0.0 ? -corner_.s / ds_ : kNever;
  }
  double GrowthToCompressionEnd() const { return dc_ > 0.0 ? -corner_.c / dc_ : kNever; }

  void GoToSlipEnd() {
    Move(GrowthToSlipEnd());
    corner_.s = 0.0;
    solution_.corners.push_back(corner_);
    SetSlip(SlipFromRest());
    dc_ = std::max(dc_, StickingGrowth());  // follows from αγ > ε², except for rounding
  }

  void GoToCompressionEnd() {
    Move(GrowthToCompressionEnd());
    corner_.c = 0.0;
    corner_.ends_compression = true;
    solution_.corners.push_back(corner_);
    corner_.ends_compression = false;
  }

  void GoTo(double normal) {
    Move(normal - corner_.normal);
    corner_.normal = normal;
    solution_.corners.push_back(corner_);
  }

 private:
  int SlipFromRest() const {
    return std::abs(p_.epsilon) <= p_.mu * p_.alpha ? 0 : Sign(p_.epsilon);
  }

  /// dc/dF̄ while sticking. Without friction α may be 0; then s and c are not coupled.
  double StickingGrowth() const { return p_.alpha > 0.0 ? Determinant(p_) / p_.alpha : p_.gamma; }

  void SetSlip(int slip) {
    slip_ = slip;
    if (slip == 0) {
      slope_ = p_.epsilon == 0.0 ? 0.0 : -p_.epsilon / p_.alpha;
      ds_ = 0.0;
      dc_ = StickingGrowth();
    } else {
      slope_ = -p_.mu * slip;
      ds_ = p_.epsilon + p_.alpha * slope_;
      dc_ = p_.gamma + p_.epsilon * slope_;
    }
  }

  void Move(double growth) {
    corner_.slip = slip_;
    corner_.normal += growth;
    corner_.tangential += slope_ * growth;
    corner_.s += ds_ * growth;
    corner_.c += dc_ * growth;
  }

  const RouthProblem& p_;
  RouthSolution& solution_;
  RouthCorner corner_;
  int slip_ = 0;
  double slope_ = 0.0, ds_ = 0.0, dc_ = 0.0;  // dT̄/dF̄, ds/dF̄, dc/dF̄
};

RouthMode ModeOf(const RouthProblem& p, const RouthSolution& solution) {
  if (p.mu == 0.0) return RouthMode::kFrictionless;
  const int last = solution.corners.back().slip;
  if (p.s == 0.0) return last == 0 ? RouthMode::kStickFromStart : RouthMode::kSlipFromStart;
  if (last == solution.corners[1].slip) return RouthMode::kSlip;
  if (!solution.corners[1].ends_compression) {
    return last == 0 ? RouthMode::kStickInCompression : RouthMode::kReversalInCompression;
  }
  return last == 0 ? RouthMode::kStickInRestitution : RouthMode::kReversalInRestitution;
}

/// Velocities are linear along each stretch, so the mean of both ends gives the work.
void AddWorks(RouthSolution& solution) {
  bool is_compression = true;
  for (std::size_t i = 1; i < solution.corners.size(); ++i) {
    const RouthCorner& from = solution.corners[i - 1];
    const RouthCorner& to = solution.corners[i];
    const double work = 0.5 * (from.c + to.c) * (to.normal - from.normal);
    (is_compression ? solution.compression_work : solution.restitution_work) += work;
    solution.friction_work += 0.5 * (from.s + to.s) * (to.tangential - from.tangential);
    is_compression = is_compression && !to.ends_compression;
  }
}

}  // namespace

const char* Name(RouthMode mode) {
  switch (mode) {
    case RouthMode::kSeparating:
      return "separating";
    case RouthMode::kFrictionless:
      return "frictionless";
    case RouthMode::kSlip:
      return "slip";
    case RouthMode::kStickInCompression:
      return "stick_in_compression";
    case RouthMode::kReversalInCompression:
      return "reversal_in_compression";
    case RouthMode::kStickInRestitution:
      return "stick_in_restitution";
    case RouthMode::kReversalInRestitution:
      return "reversal_in_restitution";
    case RouthMode::kStickFromStart:
      return "stick_from_start";
    case RouthMode::kSlipFromStart:
      return "slip_from_start";
  }
  return "unknown";
}

RouthSolution SolveRouth(const RouthProblem& problem) {
  SCREE_ASSERT(*Defect(problem) == '\0');
  RouthSolution solution;
  PathTracer path(problem, solution);
  // At c₀ = 0, sliding presses the bodies together if an increase of F̄ does not open the contact.
  const bool is_pressed = problem.c < 0.0 || path.GrowthToCompressionEnd() == kNever;
  if (problem.c > 0.0 || !is_pressed) {
    solution.s = problem.s;
    solution.c = problem.c;
    return solution;
  }
  if (path.GrowthToSlipEnd() < path.GrowthToCompressionEnd()) path.GoToSlipEnd();
  path.GoToCompressionEnd();
  const double compressed = solution.corners.back().normal;
  const double end = (1.0 + problem.restitution) * compressed;
  if (compressed + path.GrowthToSlipEnd() < end) path.GoToSlipEnd();
  path.GoTo(end);

  const RouthCorner& last = solution.corners.back();
  solution.normal = last.normal;
  solution.tangential = last.tangential;
  solution.s = last.s;
  solution.c = last.c;
  solution.mode = ModeOf(problem, solution);
  AddWorks(solution);
  return solution;
}

double EnergyChange(const RouthSolution& solution) {
  return solution.compression_work + solution.restitution_work + solution.friction_work;
}

double EnergeticRestitution(const RouthSolution& solution) {
  if (!(solution.compression_work < 0.0)) return 0.0;
  return std::sqrt(solution.restitution_work / -solution.compression_work);
}

std::string RouthPath(const RouthSolution& solution) {
  std::string path;
  for (std::size_t i = 1; i < solution.corners.size(); ++i) {
    const RouthCorner& corner = solution.corners[i];
    path += corner.slip > 0 ? '+' : corner.slip < 0 ? '-' : 'K';
    if (corner.ends_compression) path += '|';
  }
  return path;
}

const char* Defect(const RouthProblem& p) {
  for (const double value : {p.alpha, p.epsilon, p.gamma, p.s, p.c, p.mu, p.restitution}) {
    if (!std::isfinite(value)) return "a value is not a finite number";
  }
  if (p.mu < 0.0) return "mu is negative; a friction coefficient is at least 0";
  if (p.gamma <= 0.0) return "gamma must be above 0";
  // Without friction only γ matters, and the matrix may be singular.
  if (p.alpha < 0.0 || (p.alpha == 0.0 && p.mu > 0.0)) return "alpha must be above 0";
  if (p.mu > 0.0 ? !(Determinant(p) > kSingular * p.alpha * p.gamma)
                 : !(Determinant(p) >= -kSingular * p.alpha * p.gamma)) {
    return "alpha gamma must be above epsilon squared";
  }
  if (p.restitution < 0.0 || p.restitution > 1.0) return "the restitution must lie in [0, 1]";
  return "";
}

}  // namespace scree::impact
