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
    // Continues to a step whose list stays in use, which is the harder case.
    while (state.step < kSteps || step.Point(state).rebuild_due) {
      step.Advance(state,
                   [&](const Particles& particles) { averages.AddMotion(state.step, particles); });
      averages.AddState(state.step, state.particles);
    }
    checkpoint.meta.configuration = "[scene]\n";
    checkpoint.meta.observables = step.Observe(state);
    checkpoint.cuts = subdomains.Description();
    checkpoint.point = step.Point(state);
    checkpoint.averages = averages.Sums();
    checkpoint.output = {17, 16, {{0, 2880, {}}, {100, 2990, {"position id", true}}}};
    Write(path, checkpoint, state, specs);
  }

  void Write(const std::string& name, const Checkpoint& one, const State& written,
             const std::vector<AverageSpec>& averaged) const {
    WriteCheckpoint(world, name, one, written, averaged);
    CallOnRoot<OutputError>(world, [&] { CommitFile(name); });
  }

  std::string AllIds(const Particles& particles) const {
    std::string ids;
    for (const auto& [id, sphere] : test::AllById(world, particles)) ids += Text(id, " ");
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
  State read;
  const Checkpoint back = ReadCheckpoint(world, path, subdomains.Description(), specs, read);
  ASSERT_EQ(read.particles.owned, state.particles.owned);
  std::vector<const void*> fields;
  ForEachField(read.particles, [&](const Field&, auto& array) { fields.push_back(&array); });
  std::size_t field_number = 0;
  ForEachField(state.particles, [&](const Field& field, const auto& array) {
    using Array = std::remove_reference_t<decltype(array)>;
    ExpectSameBits(array, *static_cast<const Array*>(fields[field_number++]), read.particles.owned,
                   field.name);
  });
  EXPECT_EQ(read.step, state.step);
  EXPECT_EQ(read.next_id, state.next_id);
  EXPECT_EQ(world.Sum(read.inserted), world.Sum(state.inserted));
  EXPECT_EQ(world.Sum(read.deleted), world.Sum(state.deleted));
  EXPECT_GT(world.Sum(read.deleted), 0);
  ForEachEntry([](const char* name, double is, double was) { EXPECT_EQ(is, was) << name; },
               read.energy, state.energy);
  EXPECT_GT(std::abs(world.Sum(read.energy.contacts)), 0.0);

  EXPECT_EQ(back.point.radii.smallest, checkpoint.point.radii.smallest);
  EXPECT_EQ(back.point.radii.largest, checkpoint.point.radii.largest);
  EXPECT_EQ(back.point.max_penetration, checkpoint.point.max_penetration);
  EXPECT_EQ(back.point.rebuilds, checkpoint.point.rebuilds);
  EXPECT_EQ(back.point.rebuild_due, checkpoint.point.rebuild_due);
  EXPECT_EQ(back.point.list_step, checkpoint.point.list_step);
  EXPECT_EQ(back.point.reach.skin, checkpoint.point.reach.skin);
  EXPECT_EQ(back.point.reach.drift.mean, checkpoint.point.reach.drift.mean);
  ExpectSameBits(checkpoint.point.reference, back.point.reference, state.particles.owned,
                 "reference");

  const auto& grid_before = std::get<FieldSums>(averages.Sums()[0]);
  const auto& grid_after = std::get<FieldSums>(back.averages[0]);
  EXPECT_EQ(grid_after.frames, grid_before.frames);
  EXPECT_GT(grid_after.frames, 10);
  EXPECT_EQ(grid_after.values, grid_before.values);
  for (const std::size_t k : {std::size_t{1}, std::size_t{2}}) {
    const auto& before = std::get<FlowSeries>(averages.Sums()[k]);
    const auto& after = std::get<FlowSeries>(back.averages[k]);
    ASSERT_EQ(after.size(), k == 1 ? 1u : static_cast<std::size_t>(state.step + 6) / 7);
    std::int64_t steps = 0, forward = 0;
    for (std::size_t row = 0; row < after.size(); ++row) {
      EXPECT_EQ(after[row].steps, before[row].steps);
      EXPECT_EQ(after[row].particles_forward, before[row].particles_forward);
      EXPECT_EQ(after[row].mass_forward, before[row].mass_forward);
      steps += after[row].steps;
      forward += after[row].particles_forward;
    }
    EXPECT_EQ(steps, state.step);
    EXPECT_GT(world.Sum(forward), 0);
  }

  EXPECT_EQ(back.output.series_rows, 17);
  EXPECT_EQ(back.output.timing_rows, 16);
  EXPECT_EQ(back.output.snapshots, checkpoint.output.snapshots);
  EXPECT_EQ(back.meta.configuration, "[scene]\n");
  EXPECT_EQ(back.meta.observables.particles, checkpoint.meta.observables.particles);
}

TEST_F(CheckpointOfAChannel, ImpulsesOfAllActiveLawsAreRestored) {
  State read;
  for (const StoredImpulse& one :
       ReadCheckpoint(world, path, subdomains.Description(), specs, read).point.impulses) {
    EXPECT_EQ(one.laws, LawImpulses());
  }
  Checkpoint with_all_laws = checkpoint;
  with_all_laws.point.laws.fill(true);
  for (StoredImpulse& one : with_all_laws.point.impulses) {
    double factor = 3.0;
    for (Vec3& of_law : one.laws.of) of_law = factor++ * one.impulse;
  }
  const std::string other = scratch / "b.h5";
  Write(other, with_all_laws, state, specs);
  const Checkpoint back = ReadCheckpoint(world, other, subdomains.Description(), specs, read);
  ASSERT_EQ(back.point.impulses.size(), with_all_laws.point.impulses.size());
  EXPECT_GT(world.Sum(static_cast<std::int64_t>(with_all_laws.point.impulses.size())), 100);
  for (std::size_t k = 0; k < with_all_laws.point.impulses.size(); ++k) {
    EXPECT_EQ(back.point.impulses[k].impulse, with_all_laws.point.impulses[k].impulse);
    EXPECT_EQ(back.point.impulses[k].laws, with_all_laws.point.impulses[k].laws);
  }
}

TEST_F(CheckpointOfAChannel, IrregularCutsAreRestoredWithTheLoadBalanceState) {
  EXPECT_EQ(ReadCheckpointCuts(world, path), subdomains.Description());
  if (world.Size() == 1) return;
  Checkpoint cut = checkpoint;
  cut.cuts.grid = {};
  for (int rank = 1; rank < world.Size(); ++rank) cut.cuts.tree.push_back({0.007 * rank, 0, 1});
  cut.point.balance = {120, 1.0 / 3.0, 4.0, 17};
  const std::string other = scratch / "b.h5";
  Write(other, cut, state, specs);
  EXPECT_EQ(ReadCheckpointCuts(world, other), cut.cuts);
  State read;
  const Checkpoint back = ReadCheckpoint(world, other, cut.cuts, specs, read);
  EXPECT_FALSE(back.point.redistributed);
  EXPECT_EQ(back.point.balance.checked_at, 120);
  EXPECT_EQ(back.point.balance.lost, 1.0 / 3.0);
  EXPECT_EQ(back.point.balance.patience, 4.0);
  EXPECT_EQ(back.point.balance.rebalances, 17);
  EXPECT_EQ(read.particles.owned, state.particles.owned);
  // Different cuts are treated like a different number of ranks.
  Cuts moved = cut.cuts;
  moved.tree[0].position *= 1.0 + 1e-15;
  EXPECT_TRUE(ReadCheckpoint(world, other, moved, specs, read).point.redistributed);
  EXPECT_TRUE(
      ReadCheckpoint(world, other, subdomains.Description(), specs, read).point.redistributed);
}

TEST_F(CheckpointOfAChannel, LocalDriftIsRestored) {
  Checkpoint blocks = checkpoint;
  DriftField& written = blocks.point.reach.drift;
  written.blocks = {3, 1, 2};
  for (int node = 0; node < 6; ++node) written.nodes.emplace_back(node, 0.1 * node, -1.0 / 3.0);
  written.closing = 1.0 / 7.0;
  const std::string other = scratch / "b.h5";
  const auto read = [&] {
    Write(other, blocks, state, specs);
    State ignored;
    return ReadCheckpoint(world, other, subdomains.Description(), specs, ignored);
  };
  const DriftField back = read().point.reach.drift;
  EXPECT_EQ(back.mean, written.mean);
  EXPECT_EQ(back.blocks, written.blocks);
  EXPECT_EQ(back.nodes, written.nodes);
  EXPECT_EQ(back.closing, written.closing);
  written.nodes.pop_back();
  EXPECT_THAT(MessageOf<FileError>([&] { read(); }), HasSubstr("nodes: found 5, expected 6"));
  written.blocks = {0, 1, 2};
  EXPECT_THAT(MessageOf<FileError>([&] { read(); }), HasSubstr("a number of blocks of"));
}

TEST_F(CheckpointOfAChannel, OtherRanksGetAllParticlesOnceWithTheSameSums) {
  const Cuts other = {{7, 1, 1},
                      {}};  // other cuts than those of the file, so that rows are redistributed
  State read;
  const Checkpoint back = ReadCheckpoint(world, path, other, specs, read);
  EXPECT_EQ(std::count(read.particles.id.begin(), read.particles.id.end(), kRemovedId), 0);
  EXPECT_EQ(AllIds(read.particles), AllIds(state.particles));
  EXPECT_TRUE(back.point.redistributed);
  EXPECT_FALSE(back.point.rebuild_due);
  // Each particle keeps its reference position, at which it was when the list was built.
  const auto references = [&](Particles particles, const RestartPoint& point) {
    Resize(particles, particles.owned);
    particles.position = point.reference;
    return test::AllById(world, particles);
  };
  test::ExpectSameBits(references(read.particles, back.point),
                       references(state.particles, checkpoint.point));
  EXPECT_EQ(world.Sum(read.inserted), world.Sum(state.inserted));
  const EnergyBalance energy_before = SumOverRanks(world, state.energy);
  const EnergyBalance energy_after = SumOverRanks(world, read.energy);
  constexpr double kRounding = 1e-12;  // relative, because the order of the sums differs
  ForEachEntry([](const char* name, double is,
                  double was) { EXPECT_NEAR(is, was, kRounding * std::abs(was)) << name; },
               energy_after, energy_before);

  const auto before = std::get<FieldSums>(SumOverRanks(world, averages.Sums()[0]));
  const auto after = std::get<FieldSums>(SumOverRanks(world, back.averages[0]));
  ASSERT_EQ(after.values.size(), before.values.size());
  for (std::size_t k = 0; k < after.values.size(); ++k) {
    ASSERT_NEAR(after.values[k], before.values[k], kRounding * (1.0 + std::abs(before.values[k])));
  }
  const auto flow_before = std::get<FlowSeries>(SumOverRanks(world, averages.Sums()[1])).at(0);
  const auto flow_after = std::get<FlowSeries>(SumOverRanks(world, back.averages[1])).at(0);
  EXPECT_EQ(flow_after.particles_forward, flow_before.particles_forward);
  EXPECT_EQ(flow_after.particles_backward, flow_before.particles_backward);
}

TEST_F(CheckpointOfAChannel, RanksMayHaveNoParticles) {
  State none;
  none.step = 5;
  Checkpoint empty;
  empty.cuts = subdomains.Description();
  empty.point.radii = {0.1, 0.2};
  Write(scratch / "none.h5", empty, none, {});
  State read;
  const Checkpoint back =
      ReadCheckpoint(world, scratch / "none.h5", subdomains.Description(), {}, read);
  EXPECT_EQ(read.particles.Size(), 0u);
  EXPECT_EQ(read.step, 5);
  EXPECT_EQ(back.point.radii.largest, 0.2);
}

TEST_F(CheckpointOfAChannel, EqualStatesGiveEqualBytes) {
  Write(scratch / "b.h5", checkpoint, state, specs);
  EXPECT_TRUE(FileBytes(path) == FileBytes(scratch / "b.h5"));
}

TEST_F(CheckpointOfAChannel, ForeignAndTruncatedFilesAreFileErrors) {
  State read;
  const auto message_of = [&](const std::string& file) {
    return MessageOf<FileError>(
        [&] { ReadCheckpoint(world, file, subdomains.Description(), specs, read); });
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
