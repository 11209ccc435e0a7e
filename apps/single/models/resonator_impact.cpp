#include "apps/single/models/resonator_impact.hpp"

#include <cmath>
#include <limits>

#include "apps/single/models/impact_stepper.hpp"
#include "apps/single/models/outbound_velocity.hpp"
#include "apps/single/models/ringing_bodies.hpp"
#include "apps/single/models/smooth_motion.hpp"
#include "solvers/base/check.hpp"

namespace scree::impact {
namespace {

double SurfaceOf(const StruckState& state) { return state.y - Compression(state); }

/// The methods of impact_stepper.hpp for a ringing body.
class Stepper {
 public:
  Stepper(const RingingBodies& bodies, ImpactMethod method, double h)
      : bodies_(bodies), method_(method), whole_(bodies, h), half_(bodies, 0.5 * h) {}

  /// @param force  on the struck body, stored by the previous step [N]
  void Step(StruckState& state, double& force) {
    stage_ = state;
    next_ = state;
    switch (method_) {
      case ImpactMethod::kAdamsMoulton:
        return AdamsMoultonStep(state, force);
      case ImpactMethod::kVerlet:
        return PredictorStep(half_, state, force);
      case ImpactMethod::kHeun:
        return PredictorStep(whole_, state, force);
      case ImpactMethod::kRungeKutta4:
        break;
    }
    RungeKuttaStep(state, force);
  }

 private:
  RingingFlow::Forces WithExternal(double contact) const {
    return {contact, bodies_.external_force};
  }

  /// Steps by (23).
  void AdamsMoultonStep(StruckState& state, double& force) {
    whole_.AdvancePositions(state, WithExternal(0.5 * force), next_);
    whole_.AdvanceVelocities(state, WithExternal(0.5 * force), next_);
    const double end = SolveForce(Compression(next_), Velocity(next_), force);
    whole_.AdvancePositions(state, WithExternal(0.5 * (force + end)), next_);
    whole_.AdvanceVelocities(state, WithExternal(0.5 * (force + end)), next_);
    state = next_;
    force = end;
  }

  /// Root of k x^α (1 + μv) − f, where x and v are linear in f.
  double SolveForce(double x_known, double v_known, double start) const {
    const HuntCrossley& model = bodies_.model;
    const double to_x = 0.5 * whole_.CompressionPerForce();
    const double to_v = 0.5 * whole_.VelocityPerForce();
    double f = start;
    for (int i = 0; i < kMaxNewtonSteps; ++i) {
      const double x = x_known + to_x * f;
      double next = 0.0, elastic = 0.0;
      if (x > 0.0) {
        elastic = model.stiffness * std::pow(x, model.alpha);
        const double damping = 1.0 + model.mu * (v_known + to_v * f);
        const double slope = elastic * (model.alpha / x * damping * to_x + model.mu * to_v);
        next = f + (elastic * damping - f) / (1.0 - slope);
      }
      const double change = std::abs(next - f);
      f = next;
      if (change <= kNewtonTolerance * (elastic + std::abs(start))) return f;
    }
    return std::numeric_limits<double>::quiet_NaN();
  }

  /// Steps by (24), which predicts the velocity at the middle of the step, or (25), which predicts
  /// it at its end.
  void PredictorStep(const RingingFlow& predictor, StruckState& state, double& force) {
    whole_.AdvancePositions(state, WithExternal(force), next_);
    predictor.AdvanceVelocities(state, WithExternal(force), next_);
    const double end = bodies_.Force(next_);
    whole_.AdvanceVelocities(state, WithExternal(0.5 * (force + end)), next_);
    state = next_;
    force = end;
  }

  /// Steps by (26): the stages move the positions under the forces 0, 2 k₁, k₂ and
  /// (k₁ + k₂ + k₃)/3.
  void RungeKuttaStep(StruckState& state, double& force) {
    const double k1 = force;
    half_.AdvancePositions(state, {0.0, 0.0}, stage_);
    half_.AdvanceVelocities(state, WithExternal(k1), stage_);
    const double k2 = bodies_.Force(stage_);
    half_.AdvancePositions(state, {2.0 * k1, 2.0 * bodies_.external_force}, stage_);
    half_.AdvanceVelocities(state, WithExternal(k2), stage_);
    const double k3 = bodies_.Force(stage_);
    whole_.AdvancePositions(state, WithExternal(k2), stage_);
    whole_.AdvanceVelocities(state, WithExternal(k3), stage_);
    const double k4 = bodies_.Force(stage_);
    whole_.AdvancePositions(state, WithExternal((k1 + k2 + k3) / 3.0), next_);
    whole_.AdvanceVelocities(state, WithExternal((k1 + 2.0 * k2 + 2.0 * k3 + k4) / 6.0), next_);
    state = next_;
    force = bodies_.Force(state);
  }

  const RingingBodies& bodies_;
  ImpactMethod method_;
  RingingFlow whole_, half_;
  StruckState stage_, next_;  // scratch
};

/// The corrections of the paper, and the work W on which they depend.
class Correction {
 public:
  Correction(const RingingBodies& bodies, const SteppedImpactSetup& setup, double step)
      : bodies_(bodies),
        setup_(setup),
        step_(step),
        mass_(bodies.EffectiveMass()),
        k_in_(EnergyFunction(setup.model.mu, setup.v_in)) {
    if (setup.constrain_outbound) range_ = approximation_.RangeWithin(setup.outbound_threshold);
  }

  /// Adds to W, and corrects the compression and the force if requested. Call it after a step that
  /// ends in contact.
  void CorrectCompression(const StruckState& before, StruckState& state, double& force) {
    work_ += 0.5 * step_ * (Power(before) + Power(state));
    if (!setup_.hybrid) return;
    const double v = Velocity(state), power = setup_.model.alpha + 1.0;
    const double elastic = mass_ * (k_in_ - EnergyFunction(setup_.model.mu, v) + work_);
    if (elastic <= 0.0 && v >= 0.0) return;  // cancellation just after the first touch
    const double x =
        elastic > 0.0 ? std::pow(elastic * power / setup_.model.stiffness, 1.0 / power) : 0.0;
    state.y = x + SurfaceOf(state);
    force = bodies_.Force(state);
  }

  /// Sets the outbound velocity if requested and possible. Call it after the step in which the mass
  /// left the body. @returns whether the velocity was set
  bool ConstrainOutbound(const StruckState& before, StruckState& state) {
    if (!setup_.constrain_outbound) return false;
    // Time to release as a fraction of the step; the force is small in this time. The fraction may
    // exceed 1, because a method whose velocity has passed v_out leaves the contact early.
    const double fraction =
        -2.0 * Compression(before) / (step_ * (Velocity(before) + Velocity(state)));
    if (!(fraction > 0.0 && fraction < 2.0)) return false;
    const double at_release = Power(before) + fraction * (Power(state) - Power(before));
    const double k_out = k_in_ + work_ + 0.5 * fraction * step_ * (Power(before) + at_release);
    if (!(k_out > 0.0)) return false;
    const double v_eq = VelocityOfEnergy(setup_.model.mu, k_out), u = setup_.model.mu * v_eq;
    if (!range_.Contains(u)) return false;
    const double v_out = -v_eq * approximation_.Restitution(u);
    // The mass keeps the velocity that it had at release, while the modes go on to change the
    // velocity of the surface.
    const double velocity_change =
        bodies_.FreeAcceleration(state) - setup_.external_force / setup_.model.mass;
    const double target_velocity = v_out + velocity_change * (1.0 - fraction) * step_;
    const double impulse = mass_ * (target_velocity - Velocity(state));
    state.w += impulse / setup_.model.mass;
    for (std::size_t i = 0; i < state.p.size(); ++i) state.p[i] -= bodies_.modes[i].g * impulse;
    state.y = SurfaceOf(state);
    return true;
  }

 private:
  /// The integrand of W.
  double Power(const StruckState& state) const {
    const double v = Velocity(state);
    return v * bodies_.FreeAcceleration(state) / (1.0 + setup_.model.mu * v);
  }

  const RingingBodies& bodies_;
  const SteppedImpactSetup& setup_;
  double step_, mass_, k_in_;
  double work_ = 0.0;  // W [m²/s²]
  OutboundApproximation approximation_;
  OutboundApproximation::Range range_;
};

/// The setup of an impact on a wall, instead of the ringing body, by the effective mass of both
/// bodies.
SteppedImpactSetup WallSetup(const ResonatorImpactSetup& setup, const RingingBodies& bodies) {
  SteppedImpactSetup wall = setup.impact;
  wall.model.mass = bodies.EffectiveMass();
  // ImpactRunner would reject the corrections of a wall with an external force.
  if (wall.hybrid || wall.constrain_outbound) wall.external_force = 0.0;
  return wall;
}

double LongestTime(const SteppedImpactSetup& wall) {
  constexpr double kDurationInContacts = 10.0;
  if (wall.duration > 0.0) return wall.duration;
  return kDurationInContacts * HuntCrossleyImpact(wall.model, wall.v_in).ContactTime();
}

ResonatorImpactSample MakeSample(const RingingBodies& bodies, double t, const StruckState& state,
                                 double force) {
  return {t, Compression(state), Velocity(state), state.w, force, bodies.Energies(state)};
}

void AddLosses(const RingingBodies& bodies, const StruckState& before, const StruckState& after,
               double step, const ImpactEnergies& earlier_losses, ImpactEnergies& energies) {
  energies.contact_loss =
      earlier_losses.contact_loss +
      0.5 * step * (bodies.ContactLossRate(before) + bodies.ContactLossRate(after));
  energies.modes_loss = earlier_losses.modes_loss +
                        0.5 * step * (bodies.ModesLossRate(before) + bodies.ModesLossRate(after));
}

}  // namespace

ResonatorImpact SimulateResonatorImpact(const ResonatorImpactSetup& setup) {
  const RingingBodies bodies(setup.impact.model, setup.impact.external_force, setup.modes);
  const SteppedImpactSetup wall = WallSetup(setup, bodies);
  const ImpactRunner checks(wall);  // throws if the setup is invalid
  ResonatorImpact run;
  run.step = 1.0 / (setup.impact.rate * setup.impact.oversampling);
  const double max_steps = std::ceil(LongestTime(wall) / run.step);
  StruckState state = bodies.TouchState(setup.impact.v_in);
  double force = 0.0;
  run.samples.push_back(MakeSample(bodies, 0.0, state, force));
  Stepper stepper(bodies, setup.impact.method, run.step);
  Correction correction(bodies, setup.impact, run.step);
  while (!run.released && run.Steps() < max_steps) {
    const StruckState before = state;
    stepper.Step(state, force);
    if (Compression(state) > 0.0) correction.CorrectCompression(before, state, force);
    if (!std::isfinite(Compression(state)) || !std::isfinite(Velocity(state))) {
      throw SimulationError(Text("the impact simulated by ", Name(setup.impact.method),
                                 " is no longer finite after ", run.Steps() + 1,
                                 " steps; a higher sampling rate may help"));
    }
    run.released = Compression(state) <= 0.0;
    if (run.released) {
      run.is_outbound_constrained = correction.ConstrainOutbound(before, state);
      force = 0.0;
    }
    ResonatorImpactSample sample = MakeSample(bodies, (run.Steps() + 1) * run.step, state, force);
    AddLosses(bodies, before, state, run.step, run.samples.back().energies, sample.energies);
    run.samples.push_back(sample);
  }
  if (run.released && run.Steps() < ImpactRunner::kMinSamples &&
      !setup.impact.allows_fewer_samples) {
    throw InputError(Text("with ", Name(setup.impact.method), " the mass is released after ",
                          run.Steps(), " samples: a contact needs at least ",
                          ImpactRunner::kMinSamples, ", so use a higher rate or oversampling"));
  }
  return run;
}

ResonatorImpact ExactResonatorImpact(const ResonatorImpactSetup& setup) {
  const RingingBodies bodies(setup.impact.model, setup.impact.external_force, setup.modes);
  const SteppedImpactSetup wall = WallSetup(setup, bodies);
  const HuntCrossleyImpact scales(wall.model, wall.v_in);
  // Positions, velocities and energies in units in which all are of the order of 1.
  const double time = scales.ContactTime(), speed = wall.v_in, length = speed * time;
  const double energy = setup.impact.model.mass * speed * speed;
  const std::size_t n = bodies.modes.size();
  const auto state_of = [=](const MotionState& z) {
    StruckState state;
    state.y = length * z[0];
    state.w = speed * z[1];
    for (std::size_t i = 0; i < n; ++i) {
      state.q.push_back(length * z[2 + i]);
      state.p.push_back(speed * z[2 + n + i]);
    }
    return state;
  };
  const MotionLaw law = [&](const MotionState& z, MotionState& rate, double) {
    const StruckState state = state_of(z);
    const double force = bodies.Force(state), per_speed = time / speed;
    rate.resize(z.size());
    rate[0] = z[1];
    rate[1] = (bodies.external_force - force) / bodies.model.mass * per_speed;
    for (std::size_t i = 0; i < n; ++i) {
      const RingingMode& mode = bodies.modes[i];
      rate[2 + i] = z[2 + n + i];
      rate[2 + n + i] =
          (mode.g * force - 2.0 * mode.d * state.p[i] - mode.stiffness * state.q[i]) * per_speed;
    }
    rate[2 + 2 * n] = bodies.ContactLossRate(state) * time / energy;
    rate[3 + 2 * n] = bodies.ModesLossRate(state) * time / energy;
  };
  ResonatorImpact run;
  run.step = 1.0 / setup.impact.rate;
  const MotionObserver observer = [&](double t, const MotionState& z) {
    const StruckState state = state_of(z);
    ResonatorImpactSample sample = MakeSample(bodies, t * time, state, bodies.Force(state));
    sample.energies.contact_loss = energy * z[2 + 2 * n];
    sample.energies.modes_loss = energy * z[3 + 2 * n];
    run.samples.push_back(sample);
  };
  const MotionWatch release{
      [&](double, const MotionState& z) { return Compression(state_of(z)) / length; },
      [&](double, const MotionState& z) { return Velocity(state_of(z)) / speed; }};
  MotionControl control;
  control.first_step = 1e-4;
  control.longest_step = 0.02;
  control.sample_step = run.step / time;
  MotionState start(4 + 2 * n);
  start[1] = 1.0;
  observer(0.0, start);
  const MotionEnd end =
      FollowMotion(law, 0.0, start, LongestTime(wall) / time, {&release, 1}, control, observer);
  observer(end.t, end.y);
  run.samples.back().force = end.watch >= 0 ? 0.0 : run.samples.back().force;
  run.released = end.watch >= 0;
  return run;
}

std::vector<ResonatorMode> ScaleToMass(std::span<const ResonatorMode> modes, double mass) {
  if (!(mass > 0.0 && std::isfinite(mass))) {
    throw InputError(
        Text("the mass of the struck body = ", mass, " kg must be above 0 and finite"));
  }
  double total = 0.0;
  for (const ResonatorMode& mode : modes) total += mode.gain;
  std::vector<ResonatorMode> scaled(modes.begin(), modes.end());
  for (ResonatorMode& mode : scaled) mode.gain /= total * mass;
  return scaled;
}

}  // namespace scree::impact
