#include "io/state/checkpoint.hpp"

#include <algorithm>
#include <span>

#include "io/files/atomic_file.hpp"
#include "io/files/collective_call.hpp"
#include "io/files/field_layout.hpp"
#include "io/files/hdf5_file.hpp"
#include "io/state/checkpoint_layout.hpp"
#include "solvers/base/check.hpp"

namespace scree {
namespace {

using namespace checkpoint_layout;

template <class Element>
void WriteField(Hdf5Writer& file, const std::string& path, std::span<const Element> field) {
  using Value = typename Layout<Element>::Value;
  file.Rows<Value>(path, Numbers(field), {Layout<Element>::kColumns});
}

void WritePerRank(Hdf5Writer& file, const std::string& path, std::size_t number) {
  const auto value = static_cast<std::int64_t>(number);
  file.Rows<std::int64_t>(path, std::span(&value, 1), {});
}

/// Stores only the slots that are not zero. In the file they are called cells.
void WriteSums(Hdf5Writer& file, const std::string& group, const FieldSums& sums) {
  std::vector<std::int64_t> cells;
  std::vector<double> values;
  for (std::size_t cell = 0; FieldSums::kEntries * cell < sums.values.size(); ++cell) {
    const std::span<const double> entries = sums.SlotSums(cell);
    if (std::ranges::all_of(entries, [](double entry) { return entry == 0.0; })) continue;
    cells.push_back(static_cast<std::int64_t>(cell));
    values.insert(values.end(), entries.begin(), entries.end());
  }
  file.Attribute(group, "frames", sums.frames);
  WritePerRank(file, group + "/cells_of_rank", cells.size());
  file.Rows<std::int64_t>(group + "/cell", cells, {});
  file.Rows<double>(group + "/sums", values, {FieldSums::kEntries});
}

/// Writes one row per rank. It has the number and mass of the particles that crossed forwards and
/// backwards, for each row of the time series.
void WriteSums(Hdf5Writer& file, const std::string& group, const FlowSeries& series) {
  std::vector<std::int64_t> particles;
  std::vector<double> mass;
  std::int64_t steps = 0;
  for (const FlowSums& sums : series) {
    particles.insert(particles.end(), {sums.particles_forward, sums.particles_backward});
    mass.insert(mass.end(), {sums.mass_forward, sums.mass_backward});
    steps += sums.steps;
  }
  file.Attribute(group, "steps", steps);
  file.Rows<std::int64_t>(group + "/particles", particles, {particles.size()});
  file.Rows<double>(group + "/mass", mass, {mass.size()});
}

/// Writes the impulses, and for each particle the row of its first impulse. With these rows, a rank
/// can read a part of the particles with their impulses.
void WriteImpulses(Hdf5Writer& file, const Communicator& communicator, const RestartPoint& point) {
  const auto before = communicator.ExclusiveSum(static_cast<std::int64_t>(point.impulses.size()));
  const std::size_t count = point.impulses.size();
  std::vector<std::int64_t> first(point.first_impulse.begin(), point.first_impulse.end());
  if (!first.empty()) first.pop_back();  // the total number
  for (std::int64_t& row : first) row += before;
  std::vector<std::int64_t> bodies(2 * count);
  std::vector<Vec3> impulses(count);
  for (std::size_t k = 0; k < count; ++k) {
    const StoredImpulse& stored = point.impulses[k];
    bodies[2 * k] = stored.a;
    bodies[2 * k + 1] = stored.b.Code();
    impulses[k] = stored.impulse;
  }
  file.Rows<std::int64_t>(kParticles + "/first_impulse", first, {});
  file.Rows<std::int64_t>(kImpulses + "/id", bodies, {2});
  WriteField(file, kImpulses + "/impulse", std::span<const Vec3>(impulses));
  std::vector<double> projections(count);
  for (std::size_t k = 0; k < count; ++k) projections[k] = point.impulses[k].projection_impulse;
  WriteField(file, kImpulses + kProjectionImpulse, std::span<const double>(projections));
  if (point.has_members) {
    std::vector<std::int32_t> members(2 * count);
    for (std::size_t k = 0; k < count; ++k) {
      members[2 * k] = point.impulses[k].members.a;
      members[2 * k + 1] = point.impulses[k].members.b;
    }
    file.Rows<std::int32_t>(kImpulses + kMembers, members, {2});
  }
  for (std::size_t l = 0; l < kLawCount; ++l) {
    if (!point.laws[l]) continue;
    for (std::size_t k = 0; k < count; ++k) impulses[k] = point.impulses[k].laws.of[l];
    WriteField(file, kImpulses + "/" + kLawNames[l], std::span<const Vec3>(impulses));
  }
}

/// Writes the bonds, and for each particle the row of its first bond.
void WriteBonds(Hdf5Writer& file, const Communicator& communicator, const RestartPoint& point) {
  if (point.bonds_born_until < 0) return;
  const auto before = communicator.ExclusiveSum(static_cast<std::int64_t>(point.bonds.size()));
  std::vector<std::int64_t> first(point.first_bond.begin(), point.first_bond.end());
  if (!first.empty()) first.pop_back();  // the total number
  for (std::int64_t& row : first) row += before;
  std::vector<std::int64_t> integers;
  std::vector<double> numbers, damages;
  for (const Bond& bond : point.bonds) {
    integers.insert(integers.end(),
                    {bond.a, bond.b.Code(), bond.rule, static_cast<std::int64_t>(bond.state),
                     bond.members.a, bond.members.b, bond.point_count, bond.wall});
    ForEachNumberOf(
        bond, [&](const char*, double number, const NumberRange&) { numbers.push_back(number); });
    ForEachDamageOf(
        bond, [&](const char*, double number, const NumberRange&) { damages.push_back(number); });
  }
  file.MakeGroup(kBonds);
  file.Attribute(kBonds, "born_until", point.bonds_born_until);
  file.Attribute(kBonds, "gaps_left_until", point.bonds_close_from);
  file.Attribute(kBonds, "undecided", std::int64_t{point.bonds_are_undecided});
  file.Attribute(kBonds, "broken_tension", communicator.Sum(point.bond_counts.broken_tension));
  file.Attribute(kBonds, "broken_shear", communicator.Sum(point.bond_counts.broken_shear));
  file.Rows<std::int64_t>(kBonds + "/first", first, {});
  file.Rows<std::int64_t>(kBonds + "/integers", integers, {kBondIntegers});
  file.Rows<double>(kBonds + "/numbers", numbers, {kBondNumbers});
  if (!point.laws[kLawIndex<DamageLaw>]) return;
  file.Rows<double>(kBonds + kDamageOfBonds, damages, {kDamageNumbers});
}

/// Writes one row per rank, so that the sums of a continued run have the same bits.
void WriteEnergy(Hdf5Writer& file, const EnergyBalance& energy) {
  std::vector<double> entries;
  ForEachEntry([&](const char*, double entry) { entries.push_back(entry); }, energy);
  file.Rows<double>(kEnergy, entries, {entries.size()});
}

/// Writes the cuts. Only root contributes rows, because the cuts are equal on all ranks.
void WriteCuts(Hdf5Writer& file, const Communicator& communicator, const Cuts& cuts) {
  file.ListAttribute<std::int32_t>(kRoot, "grid", cuts.grid);
  if (cuts.IsGrid()) return;
  std::vector<std::int32_t> numbers;
  std::vector<double> positions;
  for (const Cut& cut : cuts.tree) {
    if (!communicator.IsRoot()) break;
    numbers.insert(numbers.end(), {cut.axis, cut.ranks_below});
    positions.push_back(cut.position);
  }
  file.Rows<std::int32_t>(kCuts, numbers, {2});
  file.Rows<double>(kCutPositions, positions, {});
}

/// Writes the sums of the current interval of the series. Only root contributes mean and squares,
/// which are equal on all ranks.
void WriteWallLoads(Hdf5Writer& file, const Communicator& communicator, const WallLoadSums& sums) {
  const std::size_t size = sums.mean.size();
  if (size == 0) return;
  file.MakeGroup(kWallLoads);
  file.Attribute(kWallLoads, "steps", sums.steps);
  file.ListAttribute<std::int64_t>(kWallLoads, "strides", sums.strides);
  const std::size_t written_size = communicator.IsRoot() ? size : 0;
  file.Rows<double>(kWallLoads + "/mean", std::span(sums.mean).first(written_size), {});
  file.Rows<double>(kWallLoads + "/squares", std::span(sums.squares).first(written_size), {});
  file.Rows<double>(kWallLoads + "/pending", sums.pending, {size});
}

/// Writes a group for each rain. Its name is the number of the rain in the scene.
void WriteRains(Hdf5Writer& file, const std::vector<RainState>& rains) {
  if (rains.empty()) return;
  file.MakeGroup(kRains);
  for (std::size_t r = 0; r < rains.size(); ++r) {
    const std::string group = kRains + "/" + std::to_string(r);
    file.MakeGroup(group);
    file.Attribute(group, "made", rains[r].inserted);
    file.Attribute(group, "waits", std::int64_t{rains[r].is_waiting});
    file.ListAttribute<double>(group, "masses", rains[r].masses);
  }
}

/// Writes the local drift, if it differs between blocks.
void WriteDrift(Hdf5Writer& file, const Communicator& communicator, const DriftField& drift) {
  if (drift.nodes.empty()) return;
  file.MakeGroup(kDrift);
  file.ListAttribute<std::int32_t>(kDrift, "blocks", drift.blocks);
  file.Attribute(kDrift, "closing", drift.closing_rate);
  std::vector<double> nodes;
  for (const Vec3& node : drift.nodes) nodes.insert(nodes.end(), node.begin(), node.end());
  if (!communicator.IsRoot()) nodes.clear();
  file.Rows<double>(kDrift + "/nodes", nodes, {3});
}

/// Writes one entry per joint and wall of the scene.
void WriteFreeWalls(Hdf5Writer& file, const std::vector<FreeWallState>& walls,
                    const std::vector<FreeWallState>& list_walls) {
  if (walls.empty()) return;
  file.MakeGroup(kFreeWalls);
  const auto write = [&](const char* name, const std::vector<FreeWallState>& states,
                         double FreeWallState::*number) {
    std::vector<double> values;
    for (const FreeWallState& state : states) values.push_back(state.*number);
    values.resize(walls.size());
    file.ListAttribute<double>(kFreeWalls, name, values);
  };
  write("travel", walls, &FreeWallState::travel);
  write("speed", walls, &FreeWallState::speed);
  write("last_length", walls, &FreeWallState::last_length);
  write("impulse", walls, &FreeWallState::impulse);
  ForEachSumOfJoint([&](const char* name, double FreeWallState::*number) {
    const bool is_zero = std::ranges::all_of(
        walls, [&](const FreeWallState& state) { return state.*number == 0.0; });
    if (!is_zero) write(name, walls, number);
  });
  write("list_travel", list_walls, &FreeWallState::travel);
  write("list_speed", list_walls, &FreeWallState::speed);
  std::vector<std::int64_t> steps;
  for (const FreeWallState& wall : walls) steps.push_back(wall.steps);
  file.ListAttribute<std::int64_t>(kFreeWalls, "steps", steps);
}

void WriteCell(Hdf5Writer& file, CellState cell, CellState list_cell) {
  if (cell.box.Extent().isZero(0.0)) return;
  file.MakeGroup(kCell);
  const auto write = [&](const std::string& prefix) {
    return [&file, prefix](const std::string& name, std::span<double> numbers) {
      file.ListAttribute<double>(kCell, prefix + name, {numbers.begin(), numbers.end()});
    };
  };
  ForEachNumberOf(cell, write(""));
  ForEachNumberOf(list_cell, write("list_"));
}

void WriteAll(Hdf5Writer& file, const Communicator& communicator, const Checkpoint& checkpoint,
              const State& state, const std::vector<AverageSpec>& specs) {
  WriteMeta(file, checkpoint.meta);
  for (const std::string& group : {kRoot, kParticles, kImpulses, kAverages}) file.MakeGroup(group);
  file.Attribute(kRoot, "format", kFormat);
  WriteCuts(file, communicator, checkpoint.cuts);
  file.Attribute(kRoot, "rebuild_due", std::int64_t{checkpoint.point.rebuild_due});
  State shared;  // each rank counts its own insertions and deletions; the file has the sums
  shared.step = state.step;
  shared.next_id = state.next_id;
  shared.inserted = communicator.Sum(state.inserted);
  shared.deleted = communicator.Sum(state.deleted);
  ForEachNumber(checkpoint, shared, [&](const char* name, const auto& value, const NumberRange&) {
    file.Attribute(kRoot, name, value);
  });

  const Particles& particles = state.particles;
  WritePerRank(file, kRoot + "/particles_of_rank", particles.owned);
  ForEachField(particles, [&](const Field& field, const auto& array) {
    WriteField(file, kParticles + "/" + field.name, std::span(array).first(particles.owned));
  });
  WriteField(file, kParticles + "/reference", std::span<const Vec3>(checkpoint.point.reference));
  WriteImpulses(file, communicator, checkpoint.point);
  WriteBonds(file, communicator, checkpoint.point);
  WriteEnergy(file, state.energy);
  WriteWallLoads(file, communicator, checkpoint.point.wall_loads);
  WriteRains(file, state.rains);
  WriteFreeWalls(file, state.free_walls, checkpoint.point.list_free_walls);
  WriteCell(file, state.cell, checkpoint.point.list_cell);
  WriteDrift(file, communicator, checkpoint.point.reach.drift);

  const std::size_t written_rows = communicator.IsRoot() ? checkpoint.output.snapshots.size() : 0;
  std::vector<std::int64_t> snapshots;
  for (std::size_t k = 0; k < written_rows; ++k) {
    const WrittenSnapshot& snapshot = checkpoint.output.snapshots[k];
    snapshots.insert(snapshots.end(), {snapshot.step, snapshot.particles, CodeOf(snapshot.format)});
  }
  file.Rows<std::int64_t>(kSnapshots, snapshots, {3});  // step, particles, format

  for (std::size_t k = 0; k < specs.size(); ++k) {
    const std::string group = kAverages + "/" + specs[k].name;
    file.MakeGroup(group);
    std::visit([&](const auto& sums) { WriteSums(file, group, sums); }, checkpoint.averages[k]);
  }
}

/// Upper bound of the file's size.
std::size_t FileSize(const Communicator& communicator, const Checkpoint& checkpoint,
                     const Particles& particles) {
  constexpr std::size_t kStructure = 131072;  // groups, attributes
  std::size_t bytes = sizeof(Vec3) * checkpoint.point.reference.size() +
                      sizeof(StoredImpulse) * checkpoint.point.impulses.size() +
                      sizeof(Bond) * checkpoint.point.bonds.size() +
                      (sizeof(std::int64_t) + kBytesPerParticle) * particles.owned;
  for (const AverageSums& sums : checkpoint.averages) {
    const auto* fields = std::get_if<FieldSums>(&sums);
    if (fields != nullptr) bytes += 2 * sizeof(double) * fields->values.size();
  }
  const WallLoadSums& loads = checkpoint.point.wall_loads;
  bytes += sizeof(double) * (2 * loads.mean.size() + loads.pending.size());
  bytes += 2 * sizeof(Cut);  // at most one cut per rank
  bytes += sizeof(WrittenSnapshot) * checkpoint.output.snapshots.size();
  return kStructure + checkpoint.meta.configuration.size() +
         static_cast<std::size_t>(communicator.Sum(static_cast<std::int64_t>(bytes)));
}

}  // namespace

void WriteCheckpoint(const Communicator& communicator, const std::string& path,
                     const Checkpoint& checkpoint, const State& state,
                     const std::vector<AverageSpec>& specs) {
  const std::size_t size = FileSize(communicator, checkpoint, state.particles);
  CallOnRoot<OutputError>(communicator, [&] { CheckSpace(path, size); });
  Hdf5Writer file(communicator, TemporaryName(path));
  WriteAll(file, communicator, checkpoint, state, specs);
  file.Close();
}

}  // namespace scree
