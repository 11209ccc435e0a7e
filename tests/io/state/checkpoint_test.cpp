// A checkpoint restores each rank exactly. On another number of ranks each
// particle is read exactly once.
#include "io/state/checkpoint.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "io/files/atomic_file.hpp"
#include "io/files/collective_call.hpp"
#include "io/files/hdf5_file.hpp"
#include "io/state/snapshot.hpp"
#include "tests/io/scratch.hpp"
#include "tests/support/channel_scene.hpp"
#include "tests/support/same_bits.hpp"

namespace scree::checkpoint_test {
namespace {

using testing::HasSubstr;

/// A channel in the middle of its run, with removed particles and started averages.
struct CheckpointOfAChannel : InScratch {
  static constexpr int kSteps = 130;

  const std::string path = scratch / "a.h5";
  const Scene scene = test::SmallChannel();
  const Subdomains subdomains{scene.domain, SmallestHaloGrid(scene.domain, world.Size())};
  const StepParameters parameters{};
  const std::vector<AverageSpec> specs = {
      {"profile", FieldGrid{scene.domain.box, {30, 12, 4}}, 0, 1000, 10},
      {"out", FlowPlane{Vec3(0.02, 0, 0), Vec3::UnitX()}, 0, 1000, 1},
      {"out_over_time", FlowPlane{Vec3(0.02, 0, 0), Vec3::UnitX()}, 0, 1000, 1, 1, 7}};
  State state = test::FilledChannel(world, scene);
  Averages averages{scene, parameters.dt, specs};
  Checkpoint checkpoint;

  void SetUp() override {
    TimeStep step(world, scene, parameters, subdomains, state);
    step.EnableEnergyBalance(true);
    // Continues to a state whose next step keeps the neighbour list, which a restart must restore.
    while (state.step < kSteps || step.Point(state).rebuild_due) {
      step.Advance(state, [&](const Particles& particles) {
        averages.AddMotion(state.step, particles, step.Corrections());
      });
      averages.AddState(state.step, state.particles, nullptr);
    }
    checkpoint.meta.configuration = "[scene]\n";
    checkpoint.meta.observables = step.Observe(state);
    checkpoint.cuts = subdomains.Description();
    checkpoint.point = step.Point(state);
    checkpoint.averages = averages.Sums();
    checkpoint.output = {17, 16, {{0, 2880, {}}, {100, 2990, {"position id", true}}}};
    Write(path, checkpoint, state, specs);
  }

  void Write(const std::string& name, const Checkpoint& content, const State& written_state,
             const std::vector<AverageSpec>& written_specs) const {
    WriteCheckpoint(world, name, content, written_state, written_specs);
    CallOnRoot<OutputError>(world, [&] { CommitFile(name); });
  }

  std::string AllIds(const Particles& particles) const {
    std::string ids;
    for (const auto& [id, sphere] : test::GatherById(world, particles)) ids += Text(id, " ");
    return ids;
  }
};

template <class Element>
void ExpectSameBits(const std::vector<Element>& a, const std::vector<Element>& b, std::size_t count,
                    const char* name) {
  ASSERT_GE(a.size(), count);
  ASSERT_EQ(b.size(), count);
  EXPECT_EQ(std::memcmp(a.data(), b.data(), count * sizeof(Element)), 0) << name;
}

TEST_F(CheckpointOfAChannel, SameRanksRestoreEveryBit) {
  State read_state;
  const Checkpoint restored =
      ReadCheckpoint(world, path, subdomains.Description(), specs, read_state);
  ASSERT_EQ(read_state.particles.owned, state.particles.owned);
  std::vector<const void*> fields;
  ForEachField(read_state.particles, [&](const Field&, auto& array) { fields.push_back(&array); });
  std::size_t field_number = 0;
  ForEachField(state.particles, [&](const Field& field, const auto& array) {
    using Array = std::remove_reference_t<decltype(array)>;
    ExpectSameBits(array, *static_cast<const Array*>(fields[field_number++]),
                   read_state.particles.owned, field.name);
  });
  EXPECT_EQ(read_state.step, state.step);
  EXPECT_EQ(read_state.next_id, state.next_id);
  EXPECT_EQ(world.Sum(read_state.inserted), world.Sum(state.inserted));
  EXPECT_EQ(world.Sum(read_state.deleted), world.Sum(state.deleted));
  EXPECT_GT(world.Sum(read_state.deleted), 0);
  ForEachEntry(
      [](const char* name, double actual, double expected) { EXPECT_EQ(actual, expected) << name; },
      read_state.energy, state.energy);
  EXPECT_GT(std::abs(world.Sum(read_state.energy.contacts)), 0.0);

  EXPECT_EQ(restored.point.radii.smallest, checkpoint.point.radii.smallest);
  EXPECT_EQ(restored.point.radii.largest, checkpoint.point.radii.largest);
  EXPECT_EQ(restored.point.max_penetration, checkpoint.point.max_penetration);
  EXPECT_EQ(restored.point.rebuilds, checkpoint.point.rebuilds);
  EXPECT_EQ(restored.point.rebuild_due, checkpoint.point.rebuild_due);
  EXPECT_EQ(restored.point.list_step, checkpoint.point.list_step);
  EXPECT_EQ(restored.point.reach.skin, checkpoint.point.reach.skin);
  EXPECT_EQ(restored.point.reach.drift.mean, checkpoint.point.reach.drift.mean);
  ExpectSameBits(checkpoint.point.reference, restored.point.reference, state.particles.owned,
                 "reference");

  const auto& grid_before = std::get<FieldSums>(averages.Sums()[0]);
  const auto& grid_after = std::get<FieldSums>(restored.averages[0]);
  EXPECT_EQ(grid_after.frames, grid_before.frames);
  EXPECT_GT(grid_after.frames, 10);
  EXPECT_EQ(grid_after.values, grid_before.values);
  for (const std::size_t k : {std::size_t{1}, std::size_t{2}}) {
    const auto& written_flow = std::get<FlowSeries>(averages.Sums()[k]);
    const auto& read_flow = std::get<FlowSeries>(restored.averages[k]);
    ASSERT_EQ(read_flow.size(), k == 1 ? 1u : static_cast<std::size_t>(state.step + 6) / 7);
    std::int64_t steps = 0, forward = 0;
    for (std::size_t row = 0; row < read_flow.size(); ++row) {
      EXPECT_EQ(read_flow[row].steps, written_flow[row].steps);
      EXPECT_EQ(read_flow[row].particles_forward, written_flow[row].particles_forward);
      EXPECT_EQ(read_flow[row].mass_forward, written_flow[row].mass_forward);
      steps += read_flow[row].steps;
      forward += read_flow[row].particles_forward;
    }
    EXPECT_EQ(steps, state.step);
    EXPECT_GT(world.Sum(forward), 0);
  }

  EXPECT_EQ(restored.output.series_rows, 17);
  EXPECT_EQ(restored.output.timing_rows, 16);
  EXPECT_EQ(restored.output.snapshots, checkpoint.output.snapshots);
  EXPECT_EQ(restored.meta.configuration, "[scene]\n");
  EXPECT_EQ(restored.meta.observables.particles, checkpoint.meta.observables.particles);
}

TEST_F(CheckpointOfAChannel, ImpulsesOfAllActiveLawsAreRestored) {
  State read_state;
  for (const StoredImpulse& impulse :
       ReadCheckpoint(world, path, subdomains.Description(), specs, read_state).point.impulses) {
    EXPECT_EQ(impulse.laws, LawImpulses());
  }
  Checkpoint all_laws = checkpoint;
  all_laws.point.laws.fill(true);
  for (StoredImpulse& impulse : all_laws.point.impulses) {
    double factor = 3.0;
    for (Vec3& law_impulse : impulse.laws.of) law_impulse = factor++ * impulse.impulse;
  }
  const std::string other_path = scratch / "b.h5";
  Write(other_path, all_laws, state, specs);
  const Checkpoint restored =
      ReadCheckpoint(world, other_path, subdomains.Description(), specs, read_state);
  ASSERT_EQ(restored.point.impulses.size(), all_laws.point.impulses.size());
  EXPECT_GT(world.Sum(static_cast<std::int64_t>(all_laws.point.impulses.size())), 100);
  for (std::size_t k = 0; k < all_laws.point.impulses.size(); ++k) {
    EXPECT_EQ(restored.point.impulses[k].impulse, all_laws.point.impulses[k].impulse);
    EXPECT_EQ(restored.point.impulses[k].laws, all_laws.point.impulses[k].laws);
  }
}

TEST_F(CheckpointOfAChannel, IrregularCutsAreRestoredWithTheLoadBalanceState) {
  EXPECT_EQ(ReadCheckpointCuts(world, path), subdomains.Description());
  if (world.Size() == 1) return;
  Checkpoint irregular = checkpoint;
  irregular.cuts.grid = {};
  for (int rank = 1; rank < world.Size(); ++rank)
    irregular.cuts.tree.push_back({0.007 * rank, 0, 1});
  irregular.point.balance = {120, 1.0 / 3.0, 4.0, 17};
  const std::string other_path = scratch / "b.h5";
  Write(other_path, irregular, state, specs);
  EXPECT_EQ(ReadCheckpointCuts(world, other_path), irregular.cuts);
  State read_state;
  const Checkpoint restored = ReadCheckpoint(world, other_path, irregular.cuts, specs, read_state);
  EXPECT_FALSE(restored.point.redistributed);
  EXPECT_EQ(restored.point.balance.checked_at, 120);
  EXPECT_EQ(restored.point.balance.delay, 1.0 / 3.0);
  EXPECT_EQ(restored.point.balance.patience, 4.0);
  EXPECT_EQ(restored.point.balance.rebalances, 17);
  EXPECT_EQ(read_state.particles.owned, state.particles.owned);
  // A file with different cuts is read like a file of a different number of ranks.
  Cuts other_cuts = irregular.cuts;
  other_cuts.tree[0].position *= 1.0 + 1e-15;
  EXPECT_TRUE(ReadCheckpoint(world, other_path, other_cuts, specs, read_state).point.redistributed);
  EXPECT_TRUE(ReadCheckpoint(world, other_path, subdomains.Description(), specs, read_state)
                  .point.redistributed);
}

TEST_F(CheckpointOfAChannel, LocalDriftIsRestored) {
  Checkpoint blocks = checkpoint;
  DriftField& written_drift = blocks.point.reach.drift;
  written_drift.blocks = {3, 1, 2};
  for (int node = 0; node < 6; ++node)
    written_drift.nodes.emplace_back(node, 0.1 * node, -1.0 / 3.0);
  written_drift.closing_rate = 1.0 / 7.0;
  const std::string other_path = scratch / "b.h5";
  const auto read_drift = [&] {
    Write(other_path, blocks, state, specs);
    State ignored;
    return ReadCheckpoint(world, other_path, subdomains.Description(), specs, ignored);
  };
  const DriftField restored = read_drift().point.reach.drift;
  EXPECT_EQ(restored.mean, written_drift.mean);
  EXPECT_EQ(restored.blocks, written_drift.blocks);
  EXPECT_EQ(restored.nodes, written_drift.nodes);
  EXPECT_EQ(restored.closing_rate, written_drift.closing_rate);
  written_drift.nodes.pop_back();
  EXPECT_THAT(MessageOf<FileError>([&] { read_drift(); }), HasSubstr("nodes: found 5, expected 6"));
  written_drift.blocks = {0, 1, 2};
  EXPECT_THAT(MessageOf<FileError>([&] { read_drift(); }), HasSubstr("a number of blocks of"));
}

TEST_F(CheckpointOfAChannel, OtherRanksReadEachParticleOnceWithTheSameSums) {
  // Cuts that differ from those of the file, so that rows are redistributed.
  const Cuts other_cuts = {{7, 1, 1}, {}};
  State read_state;
  const Checkpoint restored = ReadCheckpoint(world, path, other_cuts, specs, read_state);
  EXPECT_EQ(std::count(read_state.particles.id.begin(), read_state.particles.id.end(), kRemovedId),
            0);
  EXPECT_EQ(AllIds(read_state.particles), AllIds(state.particles));
  EXPECT_TRUE(restored.point.redistributed);
  EXPECT_FALSE(restored.point.rebuild_due);
  // Each particle keeps its reference position, which it had when the list was built.
  const auto references = [&](Particles particles, const RestartPoint& point) {
    Resize(particles, particles.owned);
    particles.position = point.reference;
    return test::GatherById(world, particles);
  };
  test::ExpectSameBits(references(read_state.particles, restored.point),
                       references(state.particles, checkpoint.point));
  EXPECT_EQ(world.Sum(read_state.inserted), world.Sum(state.inserted));
  const EnergyBalance energy_before = SumOverRanks(world, state.energy);
  const EnergyBalance energy_after = SumOverRanks(world, read_state.energy);
  constexpr double kRounding = 1e-12;  // relative, because the order of the sums differs
  ForEachEntry(
      [](const char* name, double actual, double expected) {
        EXPECT_NEAR(actual, expected, kRounding * std::abs(expected)) << name;
      },
      energy_after, energy_before);

  const auto written_sums = std::get<FieldSums>(SumOverRanks(world, averages.Sums()[0]));
  const auto read_sums = std::get<FieldSums>(SumOverRanks(world, restored.averages[0]));
  ASSERT_EQ(read_sums.values.size(), written_sums.values.size());
  for (std::size_t k = 0; k < read_sums.values.size(); ++k) {
    ASSERT_NEAR(read_sums.values[k], written_sums.values[k],
                kRounding * (1.0 + std::abs(written_sums.values[k])));
  }
  const auto flow_before = std::get<FlowSeries>(SumOverRanks(world, averages.Sums()[1])).at(0);
  const auto flow_after = std::get<FlowSeries>(SumOverRanks(world, restored.averages[1])).at(0);
  EXPECT_EQ(flow_after.particles_forward, flow_before.particles_forward);
  EXPECT_EQ(flow_after.particles_backward, flow_before.particles_backward);
}

TEST_F(CheckpointOfAChannel, RanksMayHaveNoParticles) {
  State no_particles;
  no_particles.step = 5;
  Checkpoint empty;
  empty.cuts = subdomains.Description();
  empty.point.radii = {0.1, 0.2};
  Write(scratch / "none.h5", empty, no_particles, {});
  State read_state;
  const Checkpoint restored =
      ReadCheckpoint(world, scratch / "none.h5", subdomains.Description(), {}, read_state);
  EXPECT_EQ(read_state.particles.Size(), 0u);
  EXPECT_EQ(read_state.step, 5);
  EXPECT_EQ(restored.point.radii.largest, 0.2);
}

TEST_F(CheckpointOfAChannel, EqualStatesGiveEqualBytes) {
  Write(scratch / "b.h5", checkpoint, state, specs);
  EXPECT_TRUE(FileBytes(path) == FileBytes(scratch / "b.h5"));
}

TEST_F(CheckpointOfAChannel, ForeignAndTruncatedFilesAreFileErrors) {
  State read_state;
  const auto message_of = [&](const std::string& file) {
    return MessageOf<FileError>(
        [&] { ReadCheckpoint(world, file, subdomains.Description(), specs, read_state); });
  };
  EXPECT_THAT(message_of(scratch / "no.h5"), HasSubstr("no.h5"));
  PutFile(world, scratch / "half.h5", FileBytes(path).substr(0, 5000));
  EXPECT_THAT(message_of(scratch / "half.h5"), HasSubstr("half.h5"));
  WriteSnapshot(world, scratch / "snapshot.h5", state.particles, checkpoint.meta);
  EXPECT_THAT(message_of(scratch / "snapshot.h5"), HasSubstr("is not a checkpoint"));
  EXPECT_THAT(MessageOf<FileError>([&] { ReadCheckpointMeta(scratch / "snapshot.h5"); }),
              HasSubstr("is not a checkpoint"));
}

}  // namespace
}  // namespace scree::checkpoint_test
