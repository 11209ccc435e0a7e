/// \file  One impact step by step, from the first touch to the first sample out of contact, with
///        the corrections of Papetti, Avanzini & Rocchesso, section IV (see hunt_crossley.hpp), and
///        the deviation of the result from the closed forms.
#pragma once

#include <vector>

#include "apps/single/models/hunt_crossley.hpp"
#include "apps/single/models/impact_stepper.hpp"
#include "apps/single/models/outbound_velocity.hpp"

namespace scree::impact {

struct SteppedImpactSetup {
  HuntCrossley model;
  double v_in = 0.5;            // at the first touch, > 0 [m/s]
  double external_force = 0.0;  // constant, > 0 presses against the wall [N]
  double rate = 44100.0;        // samples per second, > 0 [1/s]
  int oversampling = 1;         // steps per sample, ≥ 1
  double duration = 0.0;        // longest time simulated [s]; 0: ten contact times
  ImpactMethod method = ImpactMethod::kVerlet;
  bool hybrid = false;               // x(v) of (3) replaces the compression of the method
  bool constrain_outbound = false;   // sets v = ṽ_out of (7) and x = 0 at release
  double outbound_threshold = 1e-3;  // no constraint where (7) has a larger relative error
  // Whether contacts may have fewer than kMinSamples samples, to show how methods fail.
  bool allows_fewer_samples = false;
};

struct SteppedSample {
  double x = 0.0;  // [m]
  double v = 0.0;  // [m/s]
};

/// Sample n is at time n × step. The last one is the first with x ≤ 0, if the mass was released.
struct SteppedImpact {
  std::vector<SteppedSample> samples;
  double step = 0.0;  // [s]
  bool released = false;
  bool is_outbound_constrained = false;  // whether the outbound velocity is ṽ_out
  double predicted_velocity = 0;         // velocity at which the last force was evaluated [m/s]
  int iterations = 0;                    // Newton iterations in all steps; 0 for explicit methods

  int Steps() const { return static_cast<int>(samples.size()) - 1; }
  double OutboundVelocity() const { return samples.back().v; }
};

/// Runs impacts of one setup.
class ImpactRunner {
 public:
  /// With fewer samples no method resolves the impact.
  static constexpr int kMinSamples = 4;

  /// @throws InputError for parameters out of range; if the contact has fewer than kMinSamples
  ///         steps (the message gives a sufficient rate), unless fewer samples are allowed; and for
  ///         corrections with an external force, for which their closed forms are not valid
  explicit ImpactRunner(const SteppedImpactSetup& setup);

  /// @throws InputError       if the mass is released after fewer than kMinSamples steps, unless
  ///                          the setup allows_fewer_samples
  /// @throws SimulationError  if the state does not stay finite, or the hybrid correction keeps the
  ///         mass in contact for ever (μ v_in above some 20)
  SteppedImpact Run(double v_in) const;
  SteppedImpact Run() const { return Run(setup_.v_in); }

  /// Runs an impact that has to end with a release.
  /// @throws SimulationError  also if the mass is not released within the duration
  SteppedImpact RunToRelease(double v_in) const;
  SteppedImpact RunToRelease() const { return RunToRelease(setup_.v_in); }

  const SteppedImpactSetup& setup() const { return setup_; }

 private:
  /// Replaces x by the closed form, and updates the force.
  void CorrectCompression(const StepperSystem& system, const HuntCrossleyImpact& exact,
                          StepperState& state) const;
  [[noreturn]] void ThrowStuck(double v_in, const StepperState& state) const;
  void ConstrainOutbound(SteppedImpact& run, double v_in) const;

  int MaxSteps(double v_in, double step) const;

  SteppedImpactSetup setup_;
  double max_duration_ = 0.0;  // time after which to give up an impact at setup_.v_in [s]
  OutboundApproximation approximation_;
  OutboundApproximation::Range constrained_range_;  // u for which (7) is within the threshold
};

/// Largest deviations over the samples in contact, and deviations at release, as fractions. The
/// deviations of the energy are relative to the energy that the impact dissipates, so they are
/// infinite without damping.
struct ClosedFormDeviations {
  double compression = 0.0;     // max |x − x(v)|/x_max, (28)
  double energy = 0.0;          // max |H − H(v)|/|ΔH|, (27)
  double release_energy = 0.0;  // |H − exact H|/|ΔH| after release
  double outbound = 0.0;        // v_out / exact v_out − 1
};

/// @pre run.released
ClosedFormDeviations Deviations(const HuntCrossleyImpact& exact, const SteppedImpact& run);

}  // namespace scree::impact
