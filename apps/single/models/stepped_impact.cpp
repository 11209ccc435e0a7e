#include "apps/single/models/stepped_impact.hpp"

#include <algorithm>
#include <cmath>

#include "apps/single/models/impact_stepper.hpp"
#include "solvers/base/check.hpp"

namespace scree::impact {
namespace {

constexpr double kDurationInContacts = 10.0;  // unless the setup gives a duration
constexpr double kMaxSamples = 1e7;           // 160 MB of samples

void RequireRange(const char* name, double value, bool is_valid, const char* range) {
  if (is_valid && std::isfinite(value)) return;
  throw InputError(Text(name, " = ", value, " is out of range: it must be ", range));
}

void CheckSetup(const SteppedImpactSetup& setup) {
  RequireRange("the sampling rate", setup.rate, setup.rate > 0.0, "above 0");
  RequireRange("oversampling", setup.oversampling, setup.oversampling >= 1, "at least 1");
  RequireRange("the duration", setup.duration, setup.duration >= 0.0, "at least 0");
  RequireRange("the external force", setup.external_force, true, "finite");
  if (setup.external_force != 0.0 && (setup.hybrid || setup.constrain_outbound)) {
    throw InputError(Text("corrections need an external force of 0, not ", setup.external_force,
                          " N: their closed forms hold only without an external force"));
  }
}

InputError TooFewSamples(const SteppedImpactSetup& setup, double contact_time, double samples) {
  const double min_rate = std::ceil(ImpactRunner::kMinSamples / contact_time);
  return InputError(Text("the contact of ", contact_time, " s has only ", samples, " samples at ",
                         setup.rate, " Hz with oversampling ", setup.oversampling,
                         ": it needs at least ", ImpactRunner::kMinSamples,
                         ", so rate times oversampling must be above ", min_rate, " Hz"));
}

}  // namespace

ImpactRunner::ImpactRunner(const SteppedImpactSetup& setup) : setup_(setup) {
  CheckSetup(setup);
  const double contact_time = HuntCrossleyImpact(setup.model, setup.v_in).ContactTime();
  const double samples = contact_time * setup.rate * setup.oversampling;
  if (samples < kMinSamples && !setup.allows_fewer_samples) {
    throw TooFewSamples(setup, contact_time, samples);
  }
  max_duration_ = setup.duration > 0.0 ? setup.duration : kDurationInContacts * contact_time;
  const double steps = max_duration_ * setup.rate * setup.oversampling;
  if (steps > kMaxSamples) {
    throw InputError(Text("a duration of ", max_duration_, " s takes ", steps, " steps; at most ",
                          kMaxSamples, " are stored: use a lower rate"));
  }
  if (setup.constrain_outbound) {
    constrained_range_ = approximation_.RangeWithin(setup.outbound_threshold);
  }
}

void ImpactRunner::CorrectCompression(const StepperSystem& system, const HuntCrossleyImpact& exact,
                                      StepperState& state) const {
  const double x = exact.CompressionAt(state.v);
  // Just after the first touch v_in − v, and with it x(v), may be lost to rounding.
  if (x > 0.0 || state.v < 0.0) state.x = x;
  // The next step starts from the force of the corrected state. Keeping the force of the
  // uncorrected state would cost less, but would about double the error of v_out.
  state.force = ForceOnMass(system, state.x, state.v);
  state.force_velocity = state.v;
}

int ImpactRunner::MaxSteps(double v_in, double step) const {
  // Contact times are proportional to v_in^(−(α−1)/(α+1)), exactly so without damping.
  const double alpha = setup_.model.alpha;
  const double slowdown = std::pow(setup_.v_in / v_in, (alpha - 1.0) / (alpha + 1.0));
  const double max_duration = setup_.duration > 0.0 ? max_duration_ : max_duration_ * slowdown;
  return static_cast<int>(std::min(kMaxSamples, std::ceil(max_duration / step)));
}

/// During restitution v tends to −1/μ. For large μ v_in it reaches this value, up to rounding,
/// before the contact ends. Then x(v) stays constant, although the true x would change.
void ImpactRunner::ThrowStuck(double v_in, const StepperState& state) const {
  throw SimulationError(
      Text("the hybrid correction cannot release an impact with mu v_in = ", setup_.model.mu * v_in,
           ": 1 + mu v is ", 1.0 + setup_.model.mu * state.v,
           ", too near zero for x(v) to change in double precision; leave out --hybrid, or lower "
           "mu v_in"));
}

void ImpactRunner::ConstrainOutbound(SteppedImpact& run, double v_in) const {
  const double u = setup_.model.mu * v_in;
  if (!constrained_range_.Contains(u)) return;
  run.is_outbound_constrained = true;
  run.samples.back() = {0.0, -v_in * approximation_.Restitution(u)};
  run.predicted_velocity = run.OutboundVelocity();
}

SteppedImpact ImpactRunner::Run(double v_in) const {
  const HuntCrossleyImpact exact(setup_.model, v_in);
  const StepperSystem system{setup_.model, setup_.external_force,
                             1.0 / (setup_.rate * setup_.oversampling)};
  const int max_steps = MaxSteps(v_in, system.h);
  ImpactStepper stepper(setup_.method, system);
  SteppedImpact run;
  run.step = system.h;
  StepperState state{0.0, v_in, setup_.external_force, v_in};
  run.samples.push_back({state.x, state.v});
  while (!run.released && run.Steps() < max_steps) {
    const double v_before = state.v;
    stepper.Step(state);
    if (setup_.hybrid && state.x > 0.0) {
      CorrectCompression(system, exact, state);
      if (state.v == v_before && state.v < 0.0 && state.x > 0.0) ThrowStuck(v_in, state);
    }
    run.samples.push_back({state.x, state.v});
    run.released = state.x <= 0.0;
    if (!std::isfinite(state.x) || !std::isfinite(state.v)) {
      throw SimulationError(Text("the impact simulated by ", Name(setup_.method),
                                 " is no longer finite after ", run.Steps(),
                                 " steps; a higher sampling rate may help"));
    }
  }
  run.predicted_velocity = state.force_velocity;
  run.iterations = stepper.iterations();
  if (run.released && run.Steps() < kMinSamples && !setup_.allows_fewer_samples) {
    throw InputError(Text("with ", Name(setup_.method), " the mass is released after ", run.Steps(),
                          " samples, although the contact lasts ", exact.ContactTime() / run.step,
                          " samples: a contact needs at least ", kMinSamples,
                          ", so use a higher rate or oversampling"));
  }
  if (run.released && setup_.constrain_outbound) ConstrainOutbound(run, v_in);
  return run;
}

SteppedImpact ImpactRunner::RunToRelease(double v_in) const {
  SteppedImpact run = Run(v_in);
  if (!run.released) {
    throw SimulationError(Text("the impact at ", v_in, " m/s simulated by ", Name(setup_.method),
                               " is not over after ", run.Steps() * run.step, " s"));
  }
  return run;
}

ClosedFormDeviations Deviations(const HuntCrossleyImpact& exact, const SteppedImpact& run) {
  SCREE_DEMAND(run.released);
  const double v_reference = exact.OutboundVelocity();
  const HuntCrossley& model = exact.model();
  const double power = model.alpha + 1.0;
  ClosedFormDeviations largest;
  for (auto sample = run.samples.begin(); sample != run.samples.end() - 1; ++sample) {
    const auto [x, v] = *sample;
    const double energy =
        0.5 * model.mass * v * v + model.stiffness * std::pow(x, power) / power;  // (13)
    largest.compression = std::max(largest.compression, std::abs(x - exact.CompressionAt(v)));
    largest.energy = std::max(largest.energy, std::abs(energy - exact.HamiltonianAt(v)));
  }
  const auto kinetic = [&](double v) { return 0.5 * model.mass * v * v; };
  const double dissipated = std::abs(kinetic(v_reference) - exact.InitialEnergy());
  const auto relative = [&](double error) { return error == 0.0 ? 0.0 : error / dissipated; };
  largest.compression /= exact.MaxCompression();
  largest.energy = relative(largest.energy);
  largest.release_energy =
      relative(std::abs(kinetic(run.OutboundVelocity()) - kinetic(v_reference)));
  largest.outbound = run.OutboundVelocity() / v_reference - 1.0;
  return largest;
}

}  // namespace scree::impact
