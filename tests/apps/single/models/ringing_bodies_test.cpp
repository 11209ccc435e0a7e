// The exact motion of a mass and of the modes of the body that it strikes, under constant forces.
#include "apps/single/models/ringing_bodies.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace scree::impact::ringing_bodies_test {
namespace {

const std::vector<ResonatorMode> kModes = {{900.0, 0.05, 3.0}, {21000.0, 0.01, 1.0}};

StruckState TestState() { return {1e-5, 0.7, {2e-6, -1e-7}, {0.02, -0.3}}; }

StruckState StateAfter(const RingingFlow& flow, const StruckState& start,
                       RingingFlow::Forces forces) {
  StruckState end = start;
  flow.AdvancePositions(start, forces, end);
  flow.AdvanceVelocities(start, forces, end);
  return end;
}

TEST(RingingBodies, FlowObeysTheEquationsOfMotion) {
  const RingingBodies bodies({0.01, 1e7, 0.5, 1.5}, 2.0, kModes);
  const double step = 1e-11, contact = 40.0;
  const StruckState start = TestState();
  const StruckState end = StateAfter(RingingFlow(bodies, step), start, {contact, 2.0});
  EXPECT_NEAR((end.y - start.y) / step, start.w, 1e-4);
  EXPECT_NEAR((end.w - start.w) / step, (2.0 - contact) / 0.01, 1e-2);
  for (std::size_t i = 0; i < kModes.size(); ++i) {
    const RingingMode& mode = bodies.modes[i];
    const double acceleration =
        mode.g * contact - 2.0 * mode.d * start.p[i] - mode.stiffness * start.q[i];
    EXPECT_NEAR((end.q[i] - start.q[i]) / step, start.p[i], 1e-4);
    EXPECT_NEAR((end.p[i] - start.p[i]) / step, acceleration, 1e-3 * std::abs(acceleration) + 0.1);
  }
  const double relative_acceleration =
      bodies.FreeAcceleration(start) - contact / bodies.EffectiveMass();
  EXPECT_NEAR((Velocity(end) - Velocity(start)) / step, relative_acceleration,
              1e-3 * std::abs(relative_acceleration));
}

TEST(RingingBodies, ManyShortFlowsEqualALongOne) {
  const RingingBodies bodies({0.01, 1e7, 0.5, 1.5}, 2.0, kModes);
  const RingingFlow::Forces forces{40.0, 2.0};
  StruckState state = TestState();
  const RingingFlow part(bodies, 1e-5);
  for (int i = 0; i < 7; ++i) state = StateAfter(part, state, forces);
  const StruckState single_flow = StateAfter(RingingFlow(bodies, 7e-5), TestState(), forces);
  EXPECT_NEAR(state.y, single_flow.y, 1e-17);
  EXPECT_NEAR(state.w, single_flow.w, 1e-15);
  for (std::size_t i = 0; i < kModes.size(); ++i) {
    EXPECT_NEAR(state.q[i], single_flow.q[i], 1e-18);
    EXPECT_NEAR(state.p[i], single_flow.p[i], 1e-14);
  }
}

TEST(RingingBodies, CompressionAndVelocityAreLinearInTheForce) {
  const RingingBodies bodies({0.01, 1e7, 0.5, 1.5}, 0.0, kModes);
  const RingingFlow flow(bodies, 2e-5);
  const StruckState without_force = StateAfter(flow, TestState(), {0.0, 0.0});
  const StruckState pushed = StateAfter(flow, TestState(), {30.0, 0.0});
  EXPECT_NEAR(Compression(pushed) - Compression(without_force), 30.0 * flow.CompressionPerForce(),
              1e-18);
  EXPECT_NEAR(Velocity(pushed) - Velocity(without_force), 30.0 * flow.VelocityPerForce(), 1e-14);
}

TEST(RingingBodies, ModesLoseTheWorkOfTheirDamping) {
  const RingingBodies bodies({0.01, 1e7, 0.5, 1.5}, 0.0, kModes);
  const double step = 1e-8;
  const RingingFlow flow(bodies, step);
  StruckState state = TestState();
  const double energy_before = bodies.Energies(state).modes;
  double loss = 0.0;
  for (int i = 0; i < 20000; ++i) {
    const double rate = bodies.ModesLossRate(state);
    state = StateAfter(flow, state, {0.0, 0.0});
    loss += 0.5 * step * (rate + bodies.ModesLossRate(state));
  }
  EXPECT_GT(loss, 0.01 * energy_before);
  EXPECT_NEAR(bodies.Energies(state).modes + loss, energy_before, 1e-6 * energy_before);
}

}  // namespace
}  // namespace scree::impact::ringing_bodies_test
