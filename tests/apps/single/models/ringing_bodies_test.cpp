// The exact motion of a mass and of its modes under constant forces.
#include "apps/single/models/ringing_bodies.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace scree::impact::ringing_bodies_test {
namespace {

const std::vector<ResonatorMode> kModes = {{900.0, 0.05, 3.0}, {21000.0, 0.01, 1.0}};

StruckState Somewhere() { return {1e-5, 0.7, {2e-6, -1e-7}, {0.02, -0.3}}; }

StruckState Moved(const RingingFlow& flow, const StruckState& from, RingingFlow::Forces forces) {
  StruckState to = from;
  flow.Places(from, forces, to);
  flow.Velocities(from, forces, to);
  return to;
}

TEST(RingingBodies, FlowObeysTheEquationsOfMotion) {
  const RingingBodies bodies({0.01, 1e7, 0.5, 1.5}, 2.0, kModes);
  const double step = 1e-11, contact = 40.0;
  const StruckState from = Somewhere();
  const StruckState to = Moved(RingingFlow(bodies, step), from, {contact, 2.0});
  EXPECT_NEAR((to.y - from.y) / step, from.w, 1e-4);
  EXPECT_NEAR((to.w - from.w) / step, (2.0 - contact) / 0.01, 1e-2);
  for (std::size_t i = 0; i < kModes.size(); ++i) {
    const RingingMode& mode = bodies.modes[i];
    const double acceleration =
        mode.g * contact - 2.0 * mode.d * from.p[i] - mode.stiffness * from.q[i];
    EXPECT_NEAR((to.q[i] - from.q[i]) / step, from.p[i], 1e-4);
    EXPECT_NEAR((to.p[i] - from.p[i]) / step, acceleration, 1e-3 * std::abs(acceleration) + 0.1);
  }
  const double apart = bodies.FreeAcceleration(from) - contact / bodies.EffectiveMass();
  EXPECT_NEAR((Velocity(to) - Velocity(from)) / step, apart, 1e-3 * std::abs(apart));
}

TEST(RingingBodies, ManyShortFlowsEqualALongOne) {
  const RingingBodies bodies({0.01, 1e7, 0.5, 1.5}, 2.0, kModes);
  const RingingFlow::Forces forces{40.0, 2.0};
  StruckState state = Somewhere();
  const RingingFlow part(bodies, 1e-5);
  for (int i = 0; i < 7; ++i) state = Moved(part, state, forces);
  const StruckState whole = Moved(RingingFlow(bodies, 7e-5), Somewhere(), forces);
  EXPECT_NEAR(state.y, whole.y, 1e-17);
  EXPECT_NEAR(state.w, whole.w, 1e-15);
  for (std::size_t i = 0; i < kModes.size(); ++i) {
    EXPECT_NEAR(state.q[i], whole.q[i], 1e-18);
    EXPECT_NEAR(state.p[i], whole.p[i], 1e-14);
  }
}

TEST(RingingBodies, CompressionAndVelocityAreLinearInTheForce) {
  const RingingBodies bodies({0.01, 1e7, 0.5, 1.5}, 0.0, kModes);
  const RingingFlow flow(bodies, 2e-5);
  const StruckState none = Moved(flow, Somewhere(), {0.0, 0.0});
  const StruckState pushed = Moved(flow, Somewhere(), {30.0, 0.0});
  EXPECT_NEAR(Compression(pushed) - Compression(none), 30.0 * flow.CompressionPerForce(), 1e-18);
  EXPECT_NEAR(Velocity(pushed) - Velocity(none), 30.0 * flow.VelocityPerForce(), 1e-14);
}

TEST(RingingBodies, ModesLoseTheWorkOfTheirDamping) {
  const RingingBodies bodies({0.01, 1e7, 0.5, 1.5}, 0.0, kModes);
  const double step = 1e-8;
  const RingingFlow flow(bodies, step);
  StruckState state = Somewhere();
  const double before = bodies.Energies(state).modes;
  double lost = 0.0;
  for (int i = 0; i < 20000; ++i) {
    const double rate = bodies.ModesLossRate(state);
    state = Moved(flow, state, {0.0, 0.0});
    lost += 0.5 * step * (rate + bodies.ModesLossRate(state));
  }
  EXPECT_GT(lost, 0.01 * before);
  EXPECT_NEAR(bodies.Energies(state).modes + lost, before, 1e-6 * before);
}

}  // namespace
}  // namespace scree::impact::ringing_bodies_test
