// Records of contacts have the ids and positions of their contacts on any number of ranks.
#include "engine/observation/contact_records.hpp"

#include <gtest/gtest.h>

#include <map>

#include "engine/step/time_step.hpp"
#include "tests/support/scenes.hpp"

namespace scree::contact_records_test {
namespace {

using test::AddSphere;

/// Two spheres pressed together across the middle of a box, on a floor.
struct TwoSpheresOnAFloor : testing::Test {
  const Communicator world = Communicator::World();
  Scene scene = test::EmptyScene(Vec3::Zero(), Vec3(0.1, 0.02, 0.02), 0.4);
  State state;

  void SetUp() override {
    scene.gravity = Vec3(0, 0, -9.81);
    test::AddPlane(scene, Vec3::Zero(), Vec3::UnitZ());
    if (!world.IsRoot()) return;
    AddSphere(state.particles, 9, Vec3(0.049, 0.01, 0.001), 0.001, Vec3(1, 0, 0));
    AddSphere(state.particles, 4, Vec3(0.0512, 0.01, 0.0012), 0.0012, Vec3(-1, 0, 0));
  }

  /// The records of all ranks in one step, by wall (-1: none) and lower id.
  std::map<std::pair<std::int32_t, ParticleId>, ContactRecord> RecordStep() {
    TimeStep step = test::Start(world, scene, StepParameters{}, state);
    ByteWriter writer;
    step.Advance(state, [&](const Particles& particles) {
      for (const ContactRecord& record :
           RecordContacts(step.Contacts(), step.WallBodies(), {step.Impulses(), {}, {}}, particles,
                          StepParameters{}.dt, step.Corrections())) {
        writer.Put(record);
      }
    });
    const std::vector<std::byte> bytes = writer.Take();
    std::string joined;
    for (const std::string& message : world.GatherAtRoot(
             std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()))) {
      joined += message;
    }
    joined = world.Broadcast(joined);
    std::map<std::pair<std::int32_t, ParticleId>, ContactRecord> records;
    for (ByteReader reader(std::as_bytes(std::span(joined))); !reader.IsAtEnd();) {
      const auto record = reader.Get<ContactRecord>();
      EXPECT_TRUE(records.emplace(std::pair(record.wall, record.id_a), record).second);
    }
    return records;
  }
};

TEST_F(TwoSpheresOnAFloor, RecordsHaveIdsWallsAndPositions) {
  const auto records = RecordStep();
  ASSERT_EQ(records.size(), 3u);
  const ContactRecord& pair = records.at({-1, 4});
  EXPECT_EQ(pair.id_b, 9);
  const Vec3 branch_direction(0.0022, 0, 0.0002);
  constexpr double kRounding = 1e-12;
  EXPECT_LT((pair.normal - branch_direction.normalized()).norm(), kRounding);
  EXPECT_NEAR(pair.gap, branch_direction.norm() - 0.0022, kRounding);
  const Vec3 expected_position =
      Vec3(0.049, 0.01, 0.001) + (0.001 + 0.5 * pair.gap) * branch_direction.normalized();
  EXPECT_LT((pair.position - expected_position).norm(), kRounding);
  const Vec3 branch = pair.arm_a - pair.arm_b;  // from particle b to particle a
  EXPECT_LT((branch - branch_direction).norm(), kRounding);
  // The contact stops both particles, so the impulse on the particle at the larger x points along
  // x.
  EXPECT_GT(pair.impulse.x(), 0.5 * test::Mass(0.001));

  const ContactRecord& floor = records.at({0, 9});
  EXPECT_EQ(floor.id_b, -1);
  EXPECT_EQ(floor.normal, Vec3(Vec3::UnitZ()));
  EXPECT_LT((floor.position - Vec3(0.049, 0.01, 0.0)).norm(), kRounding);
  EXPECT_GT(floor.impulse.z(), 0.0);
  EXPECT_EQ(records.count({0, 4}), 1u);
}

/// The projection of this step has moved the particles apart.
TEST_F(TwoSpheresOnAFloor, PositionsOfOverlappingContactsAreThoseAtTheBeginningOfTheStep) {
  for (Vec3& x : state.particles.position) {
    x.x() += x.x() > 0.05 ? -0.0002 : 0.0;
    x.z() -= 0.0001;
  }
  for (Vec3& v : state.particles.velocity) v = Vec3::Zero();
  const auto records = RecordStep();
  const ContactRecord& pair = records.at({-1, 4});
  ASSERT_LT(pair.gap, -1e-4);
  const Vec3 expected_position = Vec3(0.049, 0.01, 0.0009) + (0.001 + 0.5 * pair.gap) * pair.normal;
  constexpr double kRounding = 1e-12;
  EXPECT_LT((pair.position - expected_position).norm(), kRounding);
  EXPECT_LT((records.at({0, 9}).position - Vec3(0.049, 0.01, -0.00005)).norm(), kRounding);
}

TEST_F(TwoSpheresOnAFloor, RecordsOfGhostsHaveTheirIds) {
  for (Vec3& x : state.particles.position) x.x() += 0.0001;  // one on each side of the middle
  EXPECT_EQ(RecordStep().at({-1, 4}).id_b, 9);
}

}  // namespace
}  // namespace scree::contact_records_test
