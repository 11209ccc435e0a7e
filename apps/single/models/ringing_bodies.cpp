#include "apps/single/models/ringing_bodies.hpp"

#include <cmath>
#include <numbers>

#include "solvers/base/check.hpp"

namespace scree::impact {
namespace {

double Sum(const std::vector<double>& values) {
  double sum = 0.0;
  for (const double value : values) sum += value;
  return sum;
}

}  // namespace

double Compression(const StruckState& state) { return state.y - Sum(state.q); }
double Velocity(const StruckState& state) { return state.w - Sum(state.p); }

RingingBodies::RingingBodies(const HuntCrossley& contact, double force_on_mass,
                             std::span<const ResonatorMode> ringing)
    : model(contact), external_force(force_on_mass) {
  for (const ResonatorMode& mode : ringing) {
    for (const double value : {mode.gain, mode.decay, mode.frequency}) {
      if (value > 0.0 && std::isfinite(value)) continue;
      throw InputError(
          Text("frequency, decay and gain of a mode must be above 0 and finite, not ", value));
    }
    const double d = std::log(1000.0) / mode.decay;
    const double omega = 2.0 * std::numbers::pi * mode.frequency;
    modes.push_back({mode.gain, d, omega, omega * omega + d * d});
  }
}

double RingingBodies::EffectiveMass() const {
  double inverse = 1.0 / model.mass;
  for (const RingingMode& mode : modes) inverse += mode.g;
  return 1.0 / inverse;
}

double RingingBodies::Force(const StruckState& state) const {
  return ContactForce(model, Compression(state), Velocity(state));
}

double RingingBodies::FreeAcceleration(const StruckState& state) const {
  double s = external_force / model.mass;
  for (std::size_t i = 0; i < modes.size(); ++i) {
    s += 2.0 * modes[i].d * state.p[i] + modes[i].stiffness * state.q[i];
  }
  return s;
}

double RingingBodies::ContactLossRate(const StruckState& state) const {
  const double x = Compression(state), v = Velocity(state);
  return x > 0.0 ? model.stiffness * std::pow(x, model.alpha) * model.mu * v * v : 0.0;
}

double RingingBodies::ModesLossRate(const StruckState& state) const {
  double rate = 0.0;
  for (std::size_t i = 0; i < modes.size(); ++i) {
    rate += 2.0 * modes[i].d * state.p[i] * state.p[i] / modes[i].g;
  }
  return rate;
}

ImpactEnergies RingingBodies::Energies(const StruckState& state) const {
  ImpactEnergies energies;
  energies.mass = 0.5 * model.mass * state.w * state.w;
  const double x = Compression(state), power = model.alpha + 1.0;
  if (x > 0.0) energies.contact = model.stiffness * std::pow(x, power) / power;
  for (std::size_t i = 0; i < modes.size(); ++i) {
    const double p = state.p[i], q = state.q[i];
    energies.modes += (p * p + modes[i].stiffness * q * q) / (2.0 * modes[i].g);
  }
  return energies;
}

StruckState RingingBodies::TouchState(double v_in) const {
  return {0.0, v_in, std::vector<double>(modes.size()), std::vector<double>(modes.size())};
}

RingingFlow::RingingFlow(const RingingBodies& bodies, double time)
    : mass_(bodies.model.mass), time_(time) {
  for (const RingingMode& mode : bodies.modes) {
    const double decay = std::exp(-mode.d * time);
    const double c = decay * std::cos(mode.omega * time);
    const double s = decay * std::sin(mode.omega * time) / mode.omega;
    modes_.push_back(
        {c + mode.d * s, s, -mode.stiffness * s, c - mode.d * s, mode.g / mode.stiffness});
  }
}

void RingingFlow::AdvancePositions(const StruckState& from, const Forces& f,
                                   StruckState& to) const {
  to.y = from.y + time_ * (from.w + 0.5 * time_ * (f.external - f.contact) / mass_);
  for (std::size_t i = 0; i < modes_.size(); ++i) {
    const Propagator& m = modes_[i];
    const double static_displacement = m.compliance * f.contact;
    to.q[i] = static_displacement + m.qq * (from.q[i] - static_displacement) + m.qp * from.p[i];
  }
}

void RingingFlow::AdvanceVelocities(const StruckState& from, const Forces& f,
                                    StruckState& to) const {
  to.w = from.w + time_ * (f.external - f.contact) / mass_;
  for (std::size_t i = 0; i < modes_.size(); ++i) {
    const Propagator& m = modes_[i];
    to.p[i] = m.pq * (from.q[i] - m.compliance * f.contact) + m.pp * from.p[i];
  }
}

double RingingFlow::CompressionPerForce() const {
  double sum = -0.5 * time_ * time_ / mass_;
  for (const Propagator& m : modes_) sum -= m.compliance * (1.0 - m.qq);
  return sum;
}

double RingingFlow::VelocityPerForce() const {
  double sum = -time_ / mass_;
  for (const Propagator& m : modes_) sum += m.pq * m.compliance;
  return sum;
}

}  // namespace scree::impact
