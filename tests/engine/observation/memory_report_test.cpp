// Bytes of arrays of known sizes.
#include "engine/observation/memory_report.hpp"

#include <gtest/gtest.h>

#include "tests/support/scenes.hpp"

namespace scree::memory_report_test {
namespace {

/// Contacts without common bodies.
ContactBatches SeparateContacts(Index count) {
  ContactBatches batches;
  batches.Begin(2 * count, static_cast<std::size_t>(2 * count));
  for (Index j = 0; j < count; ++j) {
    Contact contact;
    contact.a = 2 * j;
    contact.b = 2 * j + 1;
    batches.Add(contact, Vec3::Zero());
  }
  batches.End();
  return batches;
}

TEST(MemoryReport, EveryFieldOfAParticleIsIncluded) {
  Particles particles;
  Resize(particles, 10);
  std::size_t bytes_per_particle = 0;
  ForEachField(particles, [&](const Field&, const auto& field) {
    bytes_per_particle += sizeof(field[0]);
    ASSERT_EQ(field.capacity(), 10u);
  });
  EXPECT_EQ(BytesOf(particles), 10 * bytes_per_particle);
}

TEST(MemoryReport, ReservedMemoryIsIncluded) {
  std::vector<double> numbers(3);
  numbers.reserve(7);
  EXPECT_EQ(BytesOf(numbers), 7 * sizeof(double));
  NeighborList list;
  list.first.resize(3);
  list.partner.resize(6);
  list.walls.resize(2);
  list.reference.resize(5);
  list.wall_reference.resize(4);
  list.wall_extent.resize(4);
  list.triangles.resize(7);
  EXPECT_EQ(BytesOf(list), (9 + 7) * sizeof(Index) + 2 * sizeof(WallCandidate) + 5 * sizeof(Vec3) +
                               4 * sizeof(WallPose) + 4 * sizeof(Box));
  Halo halo;
  halo.shift.resize(2);
  halo.owner.resize(3);
  EXPECT_EQ(BytesOf(halo), 2 * sizeof(Vec3) + 3 * sizeof(int));
}

TEST(MemoryReport, SweepBytesIncludeBatchesImpulsesAndFourLinesPerContact) {
  // A Double8 and a body take one line of 64 bytes each; a batch takes ten lines,
  // and its impulses three.
  EXPECT_EQ(SweepBytes(SeparateContacts(8)), 64u * (10 + 3 + 4 * 8));
  EXPECT_EQ(SweepBytes(SeparateContacts(9)), 64u * (2 * (10 + 3) + 4 * 9));
}

TEST(MemoryReport, StepAccountsForItsArrays) {
  Scene scene = test::EmptyScene(Vec3::Zero(), Vec3::Ones(), 0.4);
  State state;
  test::AddSphere(state.particles, 0, Vec3(0.3, 0.5, 0.5), 0.1);
  test::AddSphere(state.particles, 1, Vec3(0.5, 0.5, 0.5), 0.1);
  StepParameters parameters;
  parameters.dt = 1e-3;
  const Communicator self = Communicator::Self();
  TimeStep step = test::Run(self, scene, parameters, state, 1);
  const MemoryReport report = step.Memory(state);
  EXPECT_EQ(step.Contacts().size(), 1u);
  EXPECT_EQ(report.sweep, 64u * (10 + 3 + 4));
  EXPECT_EQ(report.ContactBytes(), report.contacts + report.batches);
  EXPECT_EQ(report.ParticleBytes(), report.particles + report.bodies + report.candidates);
  EXPECT_GE(report.contacts, sizeof(DetectedContact));
  EXPECT_GE(report.batches, sizeof(ContactBatch));
  EXPECT_GE(report.particles, BytesOf(state.particles));
  EXPECT_GE(report.bodies, 2 * sizeof(SphereBody));
  EXPECT_GE(report.candidates, 3 * sizeof(Index) + 2 * sizeof(Vec3));
  EXPECT_EQ(report.measurement, 0u);
  step.KeepSolveError(true);
  step.Advance(state);
  EXPECT_GE(step.Memory(state).measurement, sizeof(ContactBatch) + 2 * sizeof(SphereBody));
}

}  // namespace
}  // namespace scree::memory_report_test
