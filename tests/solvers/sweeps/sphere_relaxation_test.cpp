// Packets of eight contacts in registers, compared with one contact at a time.
#include "solvers/sweeps/sphere_relaxation.hpp"

#include <gtest/gtest.h>

#include "solvers/batches/contact_batches.hpp"
#include "tests/support/cluster.hpp"
#include "tests/support/one_relaxation.hpp"

namespace scree::sphere_relaxation_test {
namespace {

using test::RelaxLaw;

constexpr int kContacts = 5;  // fewer than lanes, so that some lanes are empty

struct Packet {
  ContactBatches batches;
  std::vector<SphereBody> bodies;
  std::vector<Contact> contacts;
  std::vector<Vec3> impulses;

  Packet() {
    test::Draw draw(4);
    for (int i = 0; i < 2 * kContacts; ++i) bodies.push_back(test::RandomSphere(draw));
    batches.Begin(2 * kContacts, bodies.size());
    for (Index j = 0; j < kContacts; ++j) {
      Contact contact;
      contact.normal = draw.Direction();
      contact.bias = draw.Uniform(-1.0, 0.0);
      contact.friction = 0.4;
      contact.a = 2 * j;
      contact.b = 2 * j + 1;
      contact.effective_mass = draw.Uniform(0.1, 0.4);
      contacts.push_back(contact);
      impulses.push_back(0.1 * contact.normal);
      batches.Add(contact, impulses.back());
    }
    batches.End();
    bodies.emplace_back();  // padding
  }
};

/// Contacts without common bodies fill the lanes of one batch in order.
TEST(SphereRelaxation, LanesChangeLikeSingleContacts) {
  Packet packet;
  ASSERT_EQ(packet.batches.All().size(), 1u);
  ContactBatch& batch = packet.batches.All()[0];
  const Vector3<Double8> change =
      SolveBatch(batch, BatchBodies<SphereBody>(batch, nullptr, packet.bodies.data())
                            .RelativeVelocity(NormalOf(batch)));
  const Vector3<Double8> torque = ScaledTorque(NormalOf(batch), change);
  const double max_change = RootOfMax(MaxSquaredChange(batch, change, Double8{}));

  constexpr double kRounding = 1e-14;
  double max_expected = 0.0;
  for (std::size_t j = 0; j < kContacts; ++j) {
    const Contact& contact = packet.contacts[j];
    const SphereBody& a = packet.bodies[static_cast<std::size_t>(contact.a)];
    const SphereBody& b = packet.bodies[static_cast<std::size_t>(contact.b)];
    const Vec3 solved = SolveSphereContact(contact.normal, contact.effective_mass, contact.friction,
                                           packet.impulses[j],
                                           RelativeVelocity(a, b, contact.normal), contact.bias);
    const Vec3 expected = solved - packet.impulses[j];
    const auto lane = packet.batches.SlotOf(j).lane;
    EXPECT_LT((Vec3(change.x[lane], change.y[lane], change.z[lane]) - expected).norm(), kRounding);
    EXPECT_LT((Vec3(torque.x[lane], torque.y[lane], torque.z[lane]) -
               kMassOverInertia * contact.normal.cross(expected))
                  .norm(),
              kRounding);
    EXPECT_LT((packet.batches.Impulse(j) - solved).norm(), kRounding);
    // A_d Δλ, where A_d = diag(A_nn, A_tt, A_tt) contains the under-relaxation of the contact.
    const Vec3 normal = expected.dot(contact.normal) * contact.normal;
    const Vec3 velocity = normal + kTangentOverNormal * (expected - normal);
    const double expected_change = velocity.norm() / contact.effective_mass;
    max_expected = std::max(max_expected, expected_change);
  }
  ASSERT_GT(max_expected, 0.1);
  EXPECT_NEAR(max_change, max_expected, 1e-13 * max_expected);
}

TEST(SphereRelaxation, RollingLanesChangeLikeSingleContacts) {
  Packet packet;
  test::Draw draw(5);
  packet.batches.BeginLaw<RollingLaw>();
  std::vector<RollingContact> rolling;
  std::vector<Vec3> impulses;
  for (std::size_t j = 0; j < kContacts; ++j) {
    const double fraction_of_a = draw.Uniform(0.2, 0.8);
    rolling.push_back({draw.Uniform(0.0, 5.0), draw.Uniform(0.0, 5.0), draw.Uniform(0.1, 0.4),
                       fraction_of_a, 1.0 - fraction_of_a});
    impulses.push_back(draw.Vector(0.1));
    packet.batches.ArraysOf<RollingLaw>().Set(packet.batches.SlotOf(j), rolling[j], impulses[j]);
  }
  const ContactBatch& batch = packet.batches.All()[0];
  LawBatch<RollingLaw>& rolling_batch = packet.batches.ArraysOf<RollingLaw>().All()[0];
  double* a_lines[kLanes];
  double* b_lines[kLanes];
  FindLines(batch.a, packet.bodies.data(), a_lines);
  FindLines(batch.b, packet.bodies.data(), b_lines);
  struct {
    Bodies8 a, b;
  } pair{{LoadLines(a_lines)}, {LoadLines(b_lines)}};
  const Vector3<Double8> change = SolveLawBatch(batch, rolling_batch, pair);
  const double max_change = RootOfMax(MaxSquaredChange(rolling_batch, change, Double8{}));
  RollingLaw::Apply(rolling_batch.data, change, pair);

  constexpr double kRounding = 1e-14;
  double max_expected = 0.0;
  for (std::size_t j = 0; j < kContacts; ++j) {
    const Contact& contact = packet.contacts[j];
    SphereBody first = packet.bodies[static_cast<std::size_t>(contact.a)];
    SphereBody second = packet.bodies[static_cast<std::size_t>(contact.b)];
    Vec3 solved = impulses[j];
    RelaxLaw<RollingLaw>(contact.normal, rolling[j], packet.impulses[j], solved, first, second);
    const auto lane = packet.batches.SlotOf(j).lane;
    EXPECT_LT(
        (packet.batches.ArraysOf<RollingLaw>().Impulse(packet.batches.SlotOf(j)) - solved).norm(),
        kRounding);
    EXPECT_LT((Vec3(pair.a.U().x[lane], pair.a.U().y[lane], pair.a.U().z[lane]) - first.u).norm(),
              kRounding);
    EXPECT_LT((Vec3(pair.b.U().x[lane], pair.b.U().y[lane], pair.b.U().z[lane]) - second.u).norm(),
              kRounding);
    const double expected_change = (solved - impulses[j]).norm() / rolling[j].effective_mass;
    max_expected = std::max(max_expected, expected_change);
    EXPECT_EQ(packet.batches.ArraysOf<RollingLaw>().At(packet.batches.SlotOf(j)).rolling,
              rolling[j].rolling);
    EXPECT_EQ(packet.batches.ArraysOf<RollingLaw>().At(packet.batches.SlotOf(j)).fraction_b,
              rolling[j].fraction_b);
  }
  ASSERT_GT(max_expected, 0.1);
  EXPECT_NEAR(max_change, max_expected, 1e-13 * max_expected);
}

}  // namespace
}  // namespace scree::sphere_relaxation_test
