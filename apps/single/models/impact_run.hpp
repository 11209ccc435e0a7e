/// \file  The motion of a mechanism with one rigid contact: flights, impacts, and rest on the
///        contact.
///
/// Impacts follow Routh's method (routh.hpp). With restitution below 1, infinitely many impacts
/// may occur in a finite time. An impact whose rebound is slower than `rest_speed` is therefore
/// replaced by one with restitution 0. The contact then stays closed, sliding or sticking, until a
/// force opens it. References and reasons: apps/single/README.md.
#pragma once

#include <string>
#include <vector>

#include "apps/single/models/contact_mechanism.hpp"
#include "apps/single/models/routh.hpp"
#include "apps/single/models/smooth_motion.hpp"

namespace scree::impact {

enum class MotionPhase { kFlight, kSliding, kSticking, kCompliant };

const char* Name(MotionPhase phase);

/// The energy balance: energy + damped + rubbed + struck − supplied is constant [J].
struct EnergyBalance {
  double supplied = 0.0;  // by drives
  double damped = 0.0;    // lost to dampers
  double rubbed = 0.0;    // lost to friction in lasting contact
  double struck = 0.0;    // lost in impacts
};

struct MotionSample {
  double t = 0.0;
  Vec2 q = Vec2::Zero(), w = Vec2::Zero(), acceleration = Vec2::Zero();
  double normal = 0.0, tangential = 0.0;  // contact forces F, T [N]
  MotionPhase phase = MotionPhase::kFlight;
  EnergyBalance balance;
};

struct Impact {
  double t = 0.0;
  Vec2 q = Vec2::Zero(), velocity_before = Vec2::Zero(), velocity_after = Vec2::Zero();
  RouthProblem problem;
  RouthSolution solution;
  double energy_before = 0.0, energy_after = 0.0;  // [J]
  MotionPhase next_phase = MotionPhase::kFlight;
};

struct ImpactRunStart {
  Vec2 q = Vec2::Zero(), w = Vec2::Zero();  // at t = 0
  double mu = 0.0, restitution = 0.0;       // of the contact
};

struct ImpactRunControl {
  double end = 1.0;           // [s]
  double sample_step = 0.01;  // of the trajectory [s]
  double fixed_step = 0.0;    // above 0: the paper's method, see MotionControl [s]
  double rest_speed = 1e-6;  // slowest resolved rebound [m/s]; its height is not far above rounding
  int max_events = 100'000;  // impacts and changes of phase
};

struct ImpactRun {
  std::vector<MotionSample> trajectory;  // samples, and the states before and after each event
  std::vector<Impact> impacts;
  std::string stop_reason;  // why the run ended early; empty if it did not
};

/// @pre the gap is not negative at the start
/// @throws SimulationError if the motion cannot be integrated
ImpactRun RunWithImpacts(const ContactMechanism& mechanism, const ImpactRunStart& start,
                         const ImpactRunControl& control);

}  // namespace scree::impact
