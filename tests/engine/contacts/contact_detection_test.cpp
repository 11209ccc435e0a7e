// Gaps, normals and the rule that makes a contact active.
#include "engine/contacts/contact_detection.hpp"

#include <gtest/gtest.h>

#include <set>

#include "engine/contacts/restitution.hpp"
#include "tests/support/all_pairs.hpp"
#include "tests/support/draw.hpp"
#include "tests/support/lists.hpp"

namespace scree::contact_detection_test {
namespace {

constexpr double kRadius = 0.1;
constexpr ActivationRule kRule = {0.01, 1e-3, true};

/// Two spheres whose centres lie along a direction. A negative gap is an overlap.
Particles MakePair(double gap, double approach, const Vec3& direction = Vec3::UnitX()) {
  Particles pair;
  Resize(pair, 2);
  pair.owned = 2;
  pair.id = {0, 1};
  pair.radius = {kRadius, kRadius};
  pair.position = {Vec3(1, 2, 3), Vec3(1, 2, 3) - (2.0 * kRadius + gap) * direction};
  pair.velocity = {-0.5 * approach * direction, 0.5 * approach * direction};
  return pair;
}

std::vector<DetectedContact> Detect(const Particles& particles, const Scene& scene,
                                    const std::vector<WallPose>& walls,
                                    const ActivationRule& rule) {
  ContactList contacts;
  const NeighborList list = test::ListOf(particles, 10.0, Halo(), scene, walls, {1.0, 1.0});
  DetectionBuffers buffers;
  std::vector<WallBody> wall_bodies;
  DetectContacts(particles, particles.velocity, Halo(), list, scene, walls, rule, nullptr, buffers,
                 contacts, wall_bodies);
  return {contacts.begin(), contacts.end()};
}

std::vector<DetectedContact> Detect(const Particles& particles, const ActivationRule& rule) {
  return Detect(particles, {}, {}, rule);
}

Scene SceneWithFloor() {
  Scene scene;
  scene.walls.push_back({"floor", {{Plane{{0, 0, 0}, Vec3::UnitZ()}}}, Vec3::Zero(), 0});
  return scene;
}

Particles MakeSphere(const Vec3& x, const Vec3& v) {
  Particles sphere;
  Resize(sphere, 1);
  sphere.owned = 1;
  sphere.radius = {kRadius};
  sphere.position = {x};
  sphere.velocity = {v};
  return sphere;
}

TEST(ContactDetection, NormalPointsFromBToAAndGapIsBetweenSurfaces) {
  test::Draw draw(1);
  for (const double gap : {-0.05, -1e-6, 0.0, 5e-4}) {
    const Vec3 direction = draw.Direction();
    const auto contacts = Detect(MakePair(gap, 0.0, direction), kRule);
    ASSERT_EQ(contacts.size(), 1u) << gap;
    EXPECT_EQ(contacts[0].a, 0);
    EXPECT_EQ(contacts[0].b, 1);
    EXPECT_NEAR(contacts[0].gap, gap, 1e-14);
    EXPECT_LT((contacts[0].normal - direction).norm(), 1e-14);
  }
}

TEST(ContactDetection, GapsThatWouldCloseWithinTheStepAreActive) {
  // With margin 1e-3 and dt 0.01 gaps below 0.011 are active at an approach of 1 m/s.
  EXPECT_EQ(Detect(MakePair(0.0109, 1.0), kRule).size(), 1u);
  EXPECT_EQ(Detect(MakePair(0.0111, 1.0), kRule).size(), 0u);
  EXPECT_EQ(Detect(MakePair(0.0009, 0.0), kRule).size(), 1u);
  EXPECT_EQ(Detect(MakePair(0.0011, 0.0), kRule).size(), 0u);
  EXPECT_EQ(Detect(MakePair(0.0009, -0.2), kRule).size(), 0u);
  // An overlap is active even while the bodies separate.
  EXPECT_EQ(Detect(MakePair(-1e-3, -5.0), kRule).size(), 1u);
}

TEST(ContactDetection, OnlyTouchingContactsAreActiveWithoutSpeculation) {
  const ActivationRule touching_only = {0.01, 1e-3, false, ClosedGap(0.47e-3)};
  EXPECT_EQ(Detect(MakePair(0.9e-8, 0.0), touching_only).size(), 1u);
  EXPECT_EQ(Detect(MakePair(1.1e-8, 100.0), touching_only).size(), 0u);
  EXPECT_EQ(Detect(MakePair(-1e-3, -5.0), touching_only).size(), 1u);
}

TEST(ContactDetection, ThresholdFollowsFromTheRadiusUnlessGiven) {
  StepParameters parameters;
  parameters.speculative = false;
  const auto threshold = [&](double radius) {
    return MakeActivationRule(Scene(), parameters, radius, false).threshold;
  };
  EXPECT_EQ(threshold(0.47e-3), 1e-8);
  EXPECT_NEAR(threshold(0.47e-6), 1e-11, 1e-24);
  parameters.contact_threshold = 0.0;
  EXPECT_EQ(threshold(0.47e-3), 0.0);
}

TEST(ContactDetection, GapsUpToTheThresholdAreActiveWithoutSpeculation) {
  constexpr double kThreshold = 2e-3;
  const ActivationRule rule = {0.01, 1e-3, false, kThreshold};
  EXPECT_EQ(Detect(MakePair(0.99 * kThreshold, -5.0), rule).size(), 1u);
  EXPECT_EQ(Detect(MakePair(1.01 * kThreshold, 100.0), rule).size(), 0u);
  const Particles sphere = MakeSphere(Vec3(0, 0, kRadius + 0.99 * kThreshold), Vec3::Zero());
  EXPECT_EQ(Detect(sphere, SceneWithFloor(), {WallPose()}, rule).size(), 1u);
  EXPECT_EQ(rule.MaxActiveGap(2.0), kThreshold);
}

TEST(ContactDetection, ChangesOfVelocityWidenTheMarginUpToABound) {
  ActivationRule rule = kRule;
  rule.prediction_time = 0.02;
  rule.max_margin = 5e-3;
  const auto count = [&rule](double gap, double change_a, double change_b) {
    Particles pair = MakePair(gap, 0.0);
    pair.velocity_change = {change_a, change_b};
    return Detect(pair, rule).size();
  };
  EXPECT_EQ(count(3e-3, 0.0, 0.0), 0u);
  EXPECT_EQ(count(3e-3, 0.08, 0.06), 0u);  // the margin is 2.8 mm
  EXPECT_EQ(count(3e-3, 0.08, 0.08), 1u);  // the margin is 3.2 mm
  EXPECT_EQ(count(3e-3, 0.0, 0.16), 1u);
  EXPECT_EQ(count(0.9e-3, 0.01, 0.01), 1u);  // rule.margin is the least margin
  EXPECT_EQ(count(4.9e-3, 9.0, 9.0), 1u);
  EXPECT_EQ(count(5.1e-3, 9.0, 9.0), 0u);
  EXPECT_EQ(rule.MaxActiveGap(0.0), rule.max_margin);  // the distance that the lists must cover
  Particles sphere = MakeSphere(Vec3(0, 0, kRadius + 3e-3), Vec3::Zero());
  EXPECT_EQ(Detect(sphere, SceneWithFloor(), {WallPose()}, rule).size(), 0u);
  sphere.velocity_change = {0.16};
  EXPECT_EQ(Detect(sphere, SceneWithFloor(), {WallPose()}, rule).size(), 1u);
}

TEST(ContactDetection, ReportsTheLargestOverlap) {
  DetectionBuffers buffers;
  ContactList contacts;
  std::vector<WallBody> wall_bodies;
  for (const double gap : {5e-4, -1e-3}) {
    const Particles pair = MakePair(gap, 0.0);
    const NeighborList list = test::ListOf(pair, 10.0, Halo(), {}, {}, {1.0, 1.0});
    EXPECT_NEAR(DetectContacts(pair, pair.velocity, Halo(), list, {}, {}, kRule, nullptr, buffers,
                               contacts, wall_bodies),
                std::max(0.0, -gap), 1e-14);
  }
}

TEST(ContactDetection, SpheresWithCoincidingCentresHaveANormal) {
  const auto contacts = Detect(MakePair(-2.0 * kRadius, 0.0), kRule);
  ASSERT_EQ(contacts.size(), 1u);
  EXPECT_EQ(contacts[0].normal.norm(), 1.0);
  EXPECT_NEAR(contacts[0].gap, -2.0 * kRadius, 1e-15);
}

/// A dense cloud with a wall. The contacts are in the order of the particles.
TEST(ContactDetection, FindsTheContactsOfASearchOfAllPairs) {
  Scene scene = SceneWithFloor();
  const Box box = {{0, 0, 0}, {1, 1, 1}};
  Particles particles = test::RandomParticles(box, 400, kRadius, 7);
  const SizeClasses classes = test::SortIntoClasses(particles, 0.05);
  NeighborList list;
  DetectionBuffers buffers;
  std::vector<WallBody> wall_bodies;
  BuildNeighborList(particles, classes, Halo(), scene, {WallPose()}, {0.05, 0.05},
                    buffers.spheres.packed, list);
  ActivationRule rule = kRule;
  rule.prediction_time = 0.02;
  rule.max_margin = 0.02;
  test::Draw draw(3);
  for (double& change : particles.velocity_change) change = draw.Uniform(0.0, 1.0);
  ContactList contacts;
  DetectContacts(particles, particles.velocity, Halo(), list, scene, {WallPose()}, rule, nullptr,
                 buffers, contacts, wall_bodies);

  std::set<std::pair<Index, Index>> expected, found;
  const auto floor = static_cast<Index>(particles.Size());
  for (Index a = 0; a < floor; ++a) {
    const auto i = static_cast<std::size_t>(a);
    for (Index b = a + 1; b < floor; ++b) {
      const auto j = static_cast<std::size_t>(b);
      const Vec3 d = particles.position[i] - particles.position[j];
      const double gap = d.norm() - particles.radius[i] - particles.radius[j];
      const double approach = (particles.velocity[i] - particles.velocity[j]).dot(d.normalized());
      const double change = particles.velocity_change[i] + particles.velocity_change[j];
      if (rule.IsActive(gap, change, [approach] { return approach; })) expected.emplace(a, b);
    }
    const double gap = particles.position[i].z() - particles.radius[i];
    const double velocity_after = particles.velocity[i].z() + rule.dt * scene.gravity.z();
    if (rule.IsActive(gap, particles.velocity_change[i],
                      [&] { return std::min(particles.velocity[i].z(), velocity_after); })) {
      expected.emplace(a, floor);
    }
  }
  Index previous = 0;
  for (const DetectedContact& contact : contacts) {
    EXPECT_GE(contact.a, previous);
    previous = contact.a;
    EXPECT_TRUE(found.emplace(contact.a, contact.b).second);
  }
  EXPECT_EQ(found, expected);
  EXPECT_GT(found.size(), 500u);
}

TEST(ContactDetection, GhostsAreDisplacedByTheirShift) {
  Particles particles = MakePair(5e-4, 0.0);
  particles.owned = 1;
  Halo halo;
  halo.shift = {Vec3(10, 0, 0)};
  halo.owner = {1};
  particles.position[1] -= halo.shift[0];
  const NeighborList list = test::ListOf(particles, 10.0, halo, {}, {}, {0.05, 0.05});
  ContactList contacts;
  DetectionBuffers buffers;
  std::vector<WallBody> wall_bodies;
  DetectContacts(particles, particles.velocity, halo, list, {}, {}, kRule, nullptr, buffers,
                 contacts, wall_bodies);
  ASSERT_EQ(contacts.size(), 1u);
  EXPECT_NEAR(contacts[0].gap, 5e-4, 1e-13);
  EXPECT_EQ(contacts[0].b, 1);
}

TEST(ContactDetection, WallsAreAtTheirPresentPosition) {
  const Scene scene = SceneWithFloor();
  const Particles sphere = MakeSphere({0, 0, 0.6}, Vec3::Zero());
  EXPECT_TRUE(Detect(sphere, scene, {WallPose()}, kRule).empty());
  const auto contacts = Detect(sphere, scene, {test::DisplacedPose(Vec3(0, 0, 0.52))}, kRule);
  ASSERT_EQ(contacts.size(), 1u);
  EXPECT_NEAR(contacts[0].gap, -0.02, 1e-14);
  EXPECT_EQ(contacts[0].normal, Vec3::UnitZ());
  EXPECT_EQ(contacts[0].a, 0);
  EXPECT_EQ(contacts[0].b, 1);  // the first body after the particles
}

TEST(ContactDetection, ApproachToAWallIncludesItsVelocityAndGravity) {
  Scene scene = SceneWithFloor();
  const auto count = [&scene](double gap, double v) {
    return Detect(MakeSphere({0, 0, kRadius + gap}, {0, 0, v}), scene,
                  WallPoses(scene, kRule.dt, 0), kRule)
        .size();
  };
  scene.gravity.setZero();
  EXPECT_EQ(count(0.0109, -1.0), 1u);
  EXPECT_EQ(count(0.0111, -1.0), 0u);
  EXPECT_EQ(count(0.005, 0.0), 0u);
  scene.walls[0].velocity = Vec3(0, 0, 1.0);
  EXPECT_EQ(count(0.005, 0.0), 1u);
  EXPECT_EQ(count(0.005, 1.0), 0u);
  // Gravity moves the sphere another 0.01 m towards the wall in the step. The rule uses the smaller
  // of the normal velocities before and after gravity.
  scene.walls[0].velocity.setZero();
  scene.gravity = Vec3(0, 0, -100.0);
  EXPECT_EQ(count(0.0109, 0.0), 1u);
  EXPECT_EQ(count(0.0111, 0.0), 0u);
  scene.gravity = Vec3(0, 0, 100.0);
  EXPECT_EQ(count(0.0109, -1.0), 1u);
}

TEST(ContactDetection, RemovedParticlesHaveNoContacts) {
  Particles pair = MakePair(-0.01, 0.0);
  NeighborList list = test::ListOf(pair, 10.0, Halo(), {}, {}, {1.0, 1.0});
  list.walls.push_back({0, 0});
  pair.id[0] = kRemovedId;
  pair.position[0] = Vec3(1e100, 0, 0);
  ContactList contacts;
  DetectionBuffers buffers;
  std::vector<WallBody> wall_bodies;
  DetectContacts(pair, pair.velocity, Halo(), list, SceneWithFloor(), {WallPose()}, kRule, nullptr,
                 buffers, contacts, wall_bodies);
  EXPECT_TRUE(contacts.empty());
}

TEST(ContactDetection, MarginFollowsFromGravityStepAndRadius) {
  Scene scene;
  scene.gravity = Vec3(3, 0, 4);
  StepParameters parameters;
  parameters.dt = 0.01;
  parameters.speculative = false;
  parameters.contact_threshold = 3e-4;
  const ActivationRule rule = MakeActivationRule(scene, parameters, kRadius, false);
  EXPECT_NEAR(rule.margin, 5.0 * 5.0 * 1e-4, 1e-18);
  EXPECT_GT(rule.max_separation_speed, 1e300);
  // The margin is at least 0.4 % of the radius, and grows with the change of velocity.
  ActivationRule coarse = MakeActivationRule(scene, parameters, 10.0, false);
  EXPECT_NEAR(coarse.margin, 4e-2, 1e-17);
  EXPECT_EQ(coarse.MarginOf(0.9), coarse.margin);
  EXPECT_NEAR(coarse.MarginOf(5.0), 4.0 * 0.01 * 5.0, 1e-15);
  EXPECT_NEAR(coarse.MarginOf(100.0), 0.4, 1e-15);
  // With Baumgarte stabilisation, changes of velocity do not widen the margin.
  parameters.position_sweeps = 0;
  coarse = MakeActivationRule(scene, parameters, 10.0, false);
  EXPECT_NEAR(coarse.margin, 4e-2, 1e-17);
  EXPECT_EQ(coarse.MarginOf(1e3), coarse.margin);
  parameters.position_sweeps = -1;
  // With restitution, gravity does not enter the margin.
  const ActivationRule rebound_rule = MakeActivationRule(scene, parameters, 10.0, true);
  EXPECT_EQ(rebound_rule.margin, TouchingGap(10.0));
  EXPECT_EQ(rebound_rule.MarginOf(1e3), rebound_rule.margin);
  EXPECT_EQ(rebound_rule.max_separation_speed, 5.0 * 5.0 * 0.01);
  EXPECT_EQ(rule.dt, 0.01);
  EXPECT_FALSE(rule.speculative);
  EXPECT_EQ(rule.threshold, 3e-4);
  EXPECT_NEAR(kRule.MaxActiveGap(2.0), 0.021, 1e-15);
}

}  // namespace
}  // namespace scree::contact_detection_test
