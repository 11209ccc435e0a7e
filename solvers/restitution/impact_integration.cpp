#include "solvers/restitution/impact_integration.hpp"

#include <algorithm>
#include <array>
#include <boost/math/tools/toms748_solve.hpp>
#include <boost/numeric/odeint/algebra/array_algebra.hpp>
#include <boost/numeric/odeint/stepper/runge_kutta_fehlberg78.hpp>
#include <cmath>
#include <cstdint>

#include "solvers/base/check.hpp"
#include "solvers/restitution/range_checks.hpp"

namespace scree::impact {
namespace {

/// (y, w, τ, D), with the dissipated energy γ D, so that 1 − e² = 2 γ D is computed without a
/// difference.
using State = std::array<double, 4>;
using Stepper =
    boost::numeric::odeint::runge_kutta_fehlberg78<State, double, State, double,
                                                   boost::numeric::odeint::array_algebra>;

constexpr double kErrorOrder = 8.0;
// The next step aims at an error slightly below the tolerance; its length changes by these factors
// at most.
constexpr double kSafety = 0.9, kMaxShrink = 0.2, kMaxGrowth = 3.0;
// The error of a variable is relative to its magnitude, or to this value if the magnitude is
// smaller.
constexpr double kSmallest = 0.1;
// First step in units of q. It meets the default tolerance if γ and g̃ are of order one.
constexpr double kFirstStep = 0.03;
// A body rests if its velocity and its distance from the equilibrium are below this (the paper's
// ε). If the deformation at equilibrium is small, velocity and distance are relative to the scales
// of a small oscillation about it.
constexpr double kRestTolerance = 1e-8;
// A creeping path ends at this relative distance from the equilibrium under load. It also ends
// after this number of steps, because strong damping makes the equations stiff.
constexpr double kArrivalTolerance = 1e-3;
constexpr int kMaxCreepingSteps = 20000;
// Damping balances the other forces if the relative difference is at most kBalanced. It continues
// to do so if the damping is at least kOverdamped times the critical one.
constexpr double kBalanced = 0.1, kOverdamped = 4.0;
// Accuracy of the fraction of a step at which an event occurs: all bits above rounding. Half of
// them suffice for the largest deformation, where the velocity is zero.
constexpr unsigned kEventBits = 51, kMaximumBits = 26;
constexpr std::uintmax_t kEventEvaluations = 100;

double WholePower(double base, int exponent) {
  double power = 1.0;
  for (; exponent > 0; exponent >>= 1) {
    if (exponent & 1) power *= base;
    base *= base;
  }
  return power;
}

bool IsWhole(double value) { return value == std::floor(value); }

/// y^p, by multiplications if p is an integer.
class PowerOfY {
 public:
  explicit PowerOfY(double exponent)
      : exponent_(exponent), whole_(IsWhole(exponent) ? static_cast<int>(exponent) : -1) {}

  double operator()(double y) const {
    if (whole_ >= 0) return WholePower(y, whole_);
    return y > 0.0 ? std::pow(y, exponent_) : 0.0;
  }

 private:
  double exponent_;
  int whole_;
};

/// The smallest even q for which qα and qβ are integers, at most 6. With q = 6 the right-hand sides
/// have at least five continuous derivatives in any case.
int SubstitutionExponent(const ScaledImpact& impact) {
  for (const int q : {2, 4}) {
    if (IsWhole(q * impact.alpha) && IsWhole(q * impact.beta)) return q;
  }
  return 6;
}

/// The equations in y and σ.
class Equations {
 public:
  explicit Equations(const ScaledImpact& impact)
      : impact_(impact),
        q_(SubstitutionExponent(impact)),
        spring_(q_ * impact.alpha),
        damper_(q_ * impact.beta - 1.0),
        end_spring_(std::max(0.0, q_ * (impact.alpha - impact.beta + 1.0))) {}

  void operator()(const State& x, State& rate, double) const {
    const double y = x[0];
    const double damper = damper_(y);
    const double velocity = x[1] - impact_.gamma * damper * y;
    const double time_rate = WholePower(y, q_ - 1);
    rate[0] = velocity / q_;
    rate[1] = (impact_.load - spring_(y)) * time_rate;
    rate[2] = time_rate;
    rate[3] = impact_.beta * damper * velocity * velocity;
  }

  int q() const { return q_; }
  double Deformation(const State& x) const { return WholePower(std::max(0.0, x[0]), q_); }
  double Velocity(const State& x) const { return x[1] - impact_.gamma * damper_(x[0]) * x[0]; }

  /// u^(α−β+1) + γβ du/dτ: the contact force divided by u^(β−1), so that its zero is simple.
  double ReducedForce(const State& x) const {
    return end_spring_(std::max(0.0, x[0])) + impact_.gamma * impact_.beta * Velocity(x);
  }

  /// (du/dτ)² + 2 u^(α+1)/(α+1) − 2 g̃ u. Under large loads these terms are large, so the energy is
  /// computed as the initial energy minus the loss.
  double Energy(const State& x) const {
    const double u = Deformation(x), velocity = Velocity(x);
    if (u * impact_.load > 1.0) return 1.0 - Loss(x);
    const double mean_force = u > 0.0 ? spring_(x[0]) / (impact_.alpha + 1.0) - impact_.load : 0.0;
    return velocity * velocity + 2.0 * u * mean_force;
  }

  /// The loss 1 − e² so far, which is twice the dissipated energy.
  double Loss(const State& x) const { return 2.0 * impact_.gamma * x[3]; }

  ImpactSample Sample(const State& x) const {
    const double y = std::max(0.0, x[0]), velocity = Velocity(x);
    const double slope = y > 0.0 ? damper_(y) / WholePower(y, q_ - 1) : impact_.beta == 1.0;
    const double force = spring_(y) + impact_.gamma * impact_.beta * slope * velocity;
    return {x[2], Deformation(x), velocity, force};
  }

 private:
  ScaledImpact impact_;
  int q_;
  PowerOfY spring_, damper_, end_spring_;
};

/// Integrates the path in steps whose error is below the tolerance.
class PathIntegrator {
 public:
  PathIntegrator(const ScaledImpact& impact, double tolerance)
      : equations_(impact), tolerance_(tolerance), next_step_(kFirstStep * equations_.q()) {
    end_ = begin_ = {0.0, 1.0, 0.0, 0.0};
  }

  const Equations& equations() const { return equations_; }
  const State& begin() const { return begin_; }
  const State& end() const { return end_; }

  void Advance() {
    begin_ = end_;
    equations_(begin_, rate_, 0.0);
    while (true) {
      State error;
      step_ = next_step_;
      stepper_.do_step(equations_, begin_, rate_, 0.0, end_, step_, error);
      const double ratio = ErrorRatio(error);
      const double factor = kSafety * std::pow(std::max(ratio, 1e-30), -1.0 / kErrorOrder);
      // This form also shrinks the step if an overflow has made the factor NaN.
      next_step_ = step_ * (factor >= kMaxShrink ? std::min(factor, kMaxGrowth) : kMaxShrink);
      if (ratio <= 1.0) return;
      SCREE_DEMAND(next_step_ > 0.0);
    }
  }

  /// The state at a fraction of the last step, by one shorter step, which is at least as accurate.
  State At(double fraction) {
    if (fraction == 0.0) return begin_;
    if (fraction == 1.0) return end_;
    State state;
    stepper_.do_step(equations_, begin_, rate_, 0.0, state, fraction * step_);
    return state;
  }

  /// The fraction of the last step at which value(state) is zero.
  /// @pre the value has opposite signs at the ends of the step, or is zero at one of them
  template <class Value>
  double Locate(Value value, unsigned bits = kEventBits) {
    const double first = value(begin_), last = value(end_);
    if (first == 0.0) return 0.0;
    if (last == 0.0) return 1.0;
    std::uintmax_t evaluations = kEventEvaluations;
    const auto bracket = boost::math::tools::toms748_solve(
        [&](double fraction) { return value(At(fraction)); }, 0.0, 1.0, first, last,
        boost::math::tools::eps_tolerance<double>(bits), evaluations);
    return 0.5 * (bracket.first + bracket.second);
  }

 private:
  double ErrorRatio(const State& error) const {
    double worst = 0.0;
    for (std::size_t i = 0; i < error.size(); ++i) {
      const double size = std::max({kSmallest, std::abs(begin_[i]), std::abs(end_[i])});
      worst = std::max(worst, std::abs(error[i]) / (tolerance_ * size));
      if (std::isnan(error[i])) return INFINITY;
    }
    return worst;
  }

  Equations equations_;
  Stepper stepper_;
  double tolerance_;
  double step_ = 0.0, next_step_;
  State begin_{}, end_{}, rate_{};
};

/// Whether a body without load that moves outwards creeps towards u = 0 and never reaches it. Let
/// 2β ≤ α + 1 and p = (α+1)/2. Once γβ u^(β−p) ≥ 2√p, the path cannot leave the region
/// 0 ≤ −du/dτ ≤ u^p/√p through its curved border, and the condition persists, because u^(β−p) grows
/// as u decreases. For α = β = 1 the condition is γ ≥ 2: the overdamped oscillator.
bool IsCreeping(const ScaledImpact& impact, double deformation, double velocity) {
  const double p = 0.5 * (impact.alpha + 1.0);
  if (impact.load > 0.0 || impact.beta > p || velocity > 0.0 || deformation <= 0.0) return false;
  const double root = std::sqrt(p);
  return -velocity * root <= std::pow(deformation, p) &&
         impact.gamma * impact.beta * std::pow(deformation, impact.beta - p) >= 2.0 * root;
}

/// The condition that ends the impact. For β ≥ α + 1, and without dissipation, the force vanishes
/// only at u = 0, so that both conditions are the same.
ImpactEnd EndCondition(const ScaledImpact& impact) {
  const bool pulls = impact.gamma > 0.0 && impact.beta < impact.alpha + 1.0;
  return pulls ? impact.end : ImpactEnd::kDeformationZero;
}

/// Whether a body under load moves so slowly that damping balances all other forces until the body
/// is at rest. Then it does not oscillate about the equilibrium, and the contact force does not
/// vanish, because it equals the load.
bool IsOverdamped(const ScaledImpact& impact, double deformation, double velocity) {
  if (impact.load == 0.0 || deformation <= 0.0) return false;
  // If the damping is strong enough at both ends of the path, it is so in between.
  for (const double u : {deformation, std::pow(impact.load, 1.0 / impact.alpha)}) {
    const double damper = impact.gamma * impact.beta * std::pow(u, impact.beta - 1.0);
    const double critical = 2.0 * std::sqrt(impact.alpha * std::pow(u, impact.alpha - 1.0));
    if (damper < kOverdamped * critical) return false;
  }
  const double damper =
      impact.gamma * impact.beta * std::pow(deformation, impact.beta - 1.0) * velocity;
  const double drive = impact.load - std::pow(deformation, impact.alpha);
  return std::abs(damper - drive) < kBalanced * std::abs(drive);
}

/// Equations::Energy of a body at rest under the load.
double RestEnergy(const ScaledImpact& impact) {
  return -2.0 * impact.alpha / (impact.alpha + 1.0) *
         std::pow(impact.load, 1.0 + 1.0 / impact.alpha);
}

/// Whether the integration ends because the body can no longer detach. Energy never increases and
/// is not negative at u = 0, so a body with negative energy cannot detach. With OnCapture::kFollow
/// the path continues until the body is near the equilibrium or the contact would pull.
/// @param step  number of the last step
bool IsCaught(const ScaledImpact& impact, const PathIntegrator& integrator, OnCapture on_capture,
              int step) {
  const Equations& equations = integrator.equations();
  const State& x = integrator.end();
  const double u = equations.Deformation(x), velocity = equations.Velocity(x);
  const double equilibrium = std::pow(impact.load, 1.0 / impact.alpha);
  const bool stops = on_capture == OnCapture::kStop;
  const bool has_arrived =
      std::abs(u - equilibrium) < kArrivalTolerance * equilibrium || step > kMaxCreepingSteps;
  if ((stops || has_arrived) && IsOverdamped(impact, u, velocity)) return true;
  const bool ends_at_zero = EndCondition(impact) == ImpactEnd::kDeformationZero;
  const bool may_stop = stops || equations.ReducedForce(x) < 0.0;
  if (ends_at_zero && may_stop && IsCreeping(impact, u, velocity)) return true;
  if (stops && ends_at_zero && equations.Energy(x) < 0.0) return true;
  return impact.load > 0.0 &&
         std::abs(u - equilibrium) < kRestTolerance * std::min(1.0, equilibrium) &&
         std::abs(velocity) <
             kRestTolerance * std::min(1.0, std::pow(equilibrium, 0.5 * (impact.alpha + 1.0)));
}

/// Whether and how the last step ended the impact.
enum class Ending { kNone, kForce, kDeformation, kTurned, kCaught };

Ending FindEnding(const ScaledImpact& impact, const PathIntegrator& integrator,
                  OnCapture on_capture, int step) {
  const Equations& equations = integrator.equations();
  const double start_velocity = equations.Velocity(integrator.begin()),
               end_velocity = equations.Velocity(integrator.end());
  const bool may_pull = EndCondition(impact) == ImpactEnd::kForceZero;
  if (may_pull && end_velocity < 0.0 && equations.ReducedForce(integrator.end()) < 0.0)
    return Ending::kForce;
  if (integrator.end()[0] <= 0.0) return Ending::kDeformation;
  if (start_velocity < 0.0 && end_velocity >= 0.0) return Ending::kTurned;
  if (IsCaught(impact, integrator, on_capture, step)) return Ending::kCaught;
  return Ending::kNone;
}

/// The fraction of the last step at which the impact ended.
double LocateEnding(Ending ending, PathIntegrator& integrator) {
  const Equations& equations = integrator.equations();
  switch (ending) {
    case Ending::kForce:
      return integrator.Locate([&](const State& x) { return equations.ReducedForce(x); });
    case Ending::kDeformation:
      return integrator.Locate([](const State& x) { return x[0]; });
    case Ending::kTurned:
      return integrator.Locate([&](const State& x) { return equations.Velocity(x); });
    default:
      return 1.0;
  }
}

ImpactResult MakeResult(const ScaledImpact& impact, Ending ending, const Equations& equations,
                        const State& x, double largest) {
  ImpactResult result;
  // Under a large load the loss shows more accurately than the position whether the body detaches.
  const bool is_load_large = impact.load * largest > 1.0;
  result.detached = (ending == Ending::kForce || ending == Ending::kDeformation) &&
                    !(is_load_large && ending == Ending::kDeformation && equations.Loss(x) >= 1.0);
  result.duration = x[2];
  result.max_deformation = largest;
  result.end_deformation = ending == Ending::kDeformation ? 0.0 : equations.Deformation(x);
  result.energy = is_load_large ? 1.0 - equations.Loss(x) : equations.Energy(x);
  if (ending == Ending::kCaught) {
    result.energy = RestEnergy(impact);
    result.duration = INFINITY;
    // Under load a body caught on the way inwards goes on to the equilibrium; one caught on the way
    // outwards has been deeper, at `largest`.
    result.max_deformation = std::max(largest, std::pow(impact.load, 1.0 / impact.alpha));
  }
  if (!result.detached) return result;
  const double u = result.end_deformation;
  const double potential = u * (std::pow(u, impact.alpha) / (impact.alpha + 1.0) - impact.load);
  result.loss = equations.Loss(x) + 2.0 * potential;
  result.restitution = std::max(0.0, -equations.Velocity(x));
  // Under load the body has been faster than at the start, and its velocity has the rounding error
  // of that speed. The loss has no such error.
  const double fastest = std::sqrt(1.0 + 2.0 * impact.load * largest);
  if (is_load_large && result.loss < fastest * result.restitution) {
    result.restitution = std::sqrt(std::max(0.0, 1.0 - result.loss));
  }
  // With strong damping the velocity is the small difference of w and γ u^β. The condition of zero
  // force gives it without a difference.
  if (ending == Ending::kForce && impact.gamma > 1.0) {
    result.restitution =
        std::pow(u, impact.alpha - impact.beta + 1.0) / (impact.gamma * impact.beta);
  }
  return result;
}

void Check(const ScaledImpact& impact) {
  RequireAtLeast("alpha", "", impact.alpha, 1.0);
  RequireAtLeast("beta", "", impact.beta, 1.0);
  RequireAtLeast("gamma", "", impact.gamma, 0.0);
  RequireAtLeast("load", "", impact.load, 0.0);
}

/// Integrates to the end of the impact. After each step it calls visit with the fraction of the
/// step that belongs to the path.
template <class Visit>
ImpactResult IntegrateToEnd(const ScaledImpact& impact, double tolerance, OnCapture on_capture,
                            Visit visit) {
  Check(impact);
  PathIntegrator integrator(impact, tolerance);
  const Equations& equations = integrator.equations();
  const auto velocity = [&](const State& x) { return equations.Velocity(x); };
  double largest = 0.0;
  for (int step = 0; step < kMaxImpactSteps; ++step) {
    integrator.Advance();
    if (velocity(integrator.begin()) > 0.0) {
      const bool turns = velocity(integrator.end()) <= 0.0;
      const double fraction = turns ? integrator.Locate(velocity, kMaximumBits) : 1.0;
      largest = equations.Deformation(integrator.At(fraction));
    }
    const Ending ending = FindEnding(impact, integrator, on_capture, step);
    const double fraction = LocateEnding(ending, integrator);
    visit(integrator, fraction);
    if (ending == Ending::kNone) continue;
    return MakeResult(impact, ending, equations, integrator.At(fraction), largest);
  }
  throw SimulationError(Text("The impact with alpha = ", impact.alpha, ", beta = ", impact.beta,
                             ", gamma = ", impact.gamma, ", load = ", impact.load,
                             " creeps: it did not end within ", kMaxImpactSteps, " steps"));
}

}  // namespace

ImpactResult IntegrateImpact(const ScaledImpact& impact, double tolerance, OnCapture on_capture) {
  return IntegrateToEnd(impact, tolerance, on_capture, [](PathIntegrator&, double) {});
}

std::vector<ImpactSample> SampleImpactPath(const ScaledImpact& impact, int parts) {
  SCREE_DEMAND(parts > 0);
  std::vector<ImpactSample> samples;
  const auto visit = [&](PathIntegrator& integrator, double fraction) {
    if (samples.empty()) samples.push_back(integrator.equations().Sample(integrator.begin()));
    for (int i = 1; i <= parts; ++i) {
      samples.push_back(integrator.equations().Sample(integrator.At(fraction * i / parts)));
    }
  };
  IntegrateToEnd(impact, kImpactTolerance, OnCapture::kFollow, visit);
  return samples;
}

}  // namespace scree::impact
