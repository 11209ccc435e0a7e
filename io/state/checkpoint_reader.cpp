#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>
#include <span>

#include "io/files/collective_call.hpp"
#include "io/files/field_layout.hpp"
#include "io/files/hdf5_file.hpp"
#include "io/files/row_share.hpp"
#include "io/state/checkpoint.hpp"
#include "io/state/checkpoint_layout.hpp"
#include "solvers/base/check.hpp"

namespace scree {
namespace {

using namespace checkpoint_layout;

/// Selects the rows that this rank reads from datasets in which all ranks have rows.
class RowSelector {
 public:
  /// @param written_for  cuts of the ranks that wrote the file
  /// @param cuts         cuts of the current ranks. If both are equal, each rank reads the rows
  ///                     that the same rank wrote
  RowSelector(const Hdf5Reader& file, const Communicator& communicator, const Cuts& written_for,
              const Cuts& cuts)
      : file_(file),
        communicator_(communicator),
        writer_count_(static_cast<std::size_t>(CountBoxes(written_for))),
        has_same_cuts_(cuts == written_for) {}

  bool HasSameCuts() const { return has_same_cuts_; }
  std::size_t WriterCount() const { return writer_count_; }

  /// This rank's rows of a dataset in which the ranks have different numbers of rows.
  /// @param per_rank  another dataset, with the number of rows of each rank
  /// @param total     rows of all ranks
  RowShare Share(const std::string& per_rank, std::size_t total) const {
    RequireCount(file_.Path(), "entries of " + per_rank, file_.CountRows(per_rank, {}),
                 writer_count_);
    const auto rows = file_.Rows<std::int64_t>(per_rank, {}, 0, writer_count_);
    RequireNumbers<std::int64_t>(file_.Path(), per_rank, rows, {0.0, static_cast<double>(total)});
    const auto sum = [&](std::size_t count) {
      return static_cast<std::size_t>(std::accumulate(
          rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(count), std::int64_t{0}));
    };
    RequireCount(file_.Path(), "sum of " + per_rank, sum(writer_count_), total);
    if (!has_same_cuts_) return ShareOf(communicator_, total);
    const auto rank = static_cast<std::size_t>(communicator_.Rank());
    return {sum(rank), static_cast<std::size_t>(rows[rank])};
  }

  /// This rank's rows of a dataset that has one row per rank.
  RowShare ShareOfRankRows(const std::string& dataset, RowShape shape) const {
    RequireCount(file_.Path(), "rows of " + dataset, file_.CountRows(dataset, shape),
                 writer_count_);
    if (has_same_cuts_) return {static_cast<std::size_t>(communicator_.Rank()), 1};
    return ShareOf(communicator_, writer_count_);
  }

  const Hdf5Reader& File() const { return file_; }

 private:
  const Hdf5Reader& file_;
  const Communicator& communicator_;
  std::size_t writer_count_;
  bool has_same_cuts_;
};

/// Part of the rows of a dataset with `total` rows.
struct Part {
  RowShare share;
  std::size_t total = 0;
};

template <class Value>
std::vector<Value> ReadRows(const Hdf5Reader& file, const std::string& path, std::size_t columns,
                            const Part& part, const NumberRange& range) {
  RequireCount(file.Path(), "rows of " + path, file.CountRows(path, {columns}), part.total);
  auto values = file.Rows<Value>(path, {columns}, part.share.first, part.share.count);
  RequireNumbers<Value>(file.Path(), path, values, range);
  return values;
}

/// Reads a whole list of numbers, the same on all ranks.
std::vector<double> ReadAll(const Hdf5Reader& file, const std::string& path,
                            const NumberRange& range) {
  const std::size_t total = file.CountRows(path, {});
  return ReadRows<double>(file, path, 0, {{0, total}, total}, range);
}

template <class Element>
std::vector<Element> ReadField(const Hdf5Reader& file, const std::string& path, const Part& part,
                               const NumberRange& range) {
  const RowShare& share = part.share;
  const auto values =
      ReadRows<typename Layout<Element>::Value>(file, path, Layout<Element>::kColumns, part, range);
  std::vector<Element> field(share.count);
  if (!values.empty()) {
    std::memcpy(reinterpret_cast<void*>(field.data()), values.data(),
                share.count * sizeof(Element));
  }
  return field;
}

/// For each particle, the row of its first impulse (or bond), then the end of the last particle's
/// rows.
/// @param path   dataset of the first rows
/// @param count  number of impulses (or bonds) in the file
std::vector<std::int64_t> ReadFirstRows(const Hdf5Reader& file, const std::string& path,
                                        const Part& particles, std::size_t count) {
  const RowShare& rows = particles.share;
  const bool has_next = rows.first + rows.count < particles.total;  // a particle of a later rank
  const Part part{{rows.first, rows.count + (has_next ? 1 : 0)}, particles.total};
  const auto end = static_cast<std::int64_t>(count);
  auto first = ReadRows<std::int64_t>(file, path, 0, part, {0.0, static_cast<double>(end)});
  if (!has_next) first.push_back(end);
  const auto decrease = std::ranges::adjacent_find(first, std::greater<>());
  if (decrease == first.end()) return first;
  throw FileError(Text("'", file.Path(), "': ", path, " goes from ", *decrease, " to ",
                       *(decrease + 1), "; expected no decrease"));
}

/// Requires that the first id of each impulse is that of its particle. Removed particles are
/// not checked.
void RequireIds(const Hdf5Reader& file, std::span<const std::int64_t> first,
                std::span<const std::int64_t> ids, std::span<const ParticleId> particles) {
  for (std::size_t i = 0; i < particles.size(); ++i) {
    for (std::int64_t k = first[i]; k < first[i + 1]; ++k) {
      const std::int64_t id = ids[2 * static_cast<std::size_t>(k - first.front())];
      if (id == particles[i] || particles[i] == kRemovedId) continue;
      throw FileError(Text("'", file.Path(), "': ", kImpulses, "/id has particle ", id,
                           " in a row of particle ", particles[i]));
    }
  }
}

/// Reads the impulses of the particles in these rows.
std::vector<StoredImpulse> ReadImpulses(const Hdf5Reader& file, const Part& particles,
                                        std::span<const ParticleId> particle_ids) {
  const std::size_t count = file.CountRows(kImpulses + "/id", {2});
  const std::vector<std::int64_t> first =
      ReadFirstRows(file, kParticles + "/first_impulse", particles, count);
  const Part part{{static_cast<std::size_t>(first.front()),
                   static_cast<std::size_t>(first.back() - first.front())},
                  count};
  const auto ids = ReadRows<std::int64_t>(file, kImpulses + "/id", 2, part, kPartner);
  RequireIds(file, first, ids, particle_ids);
  const std::vector<Vec3> impulses =
      ReadField<Vec3>(file, kImpulses + "/impulse", part, kAnyNumber);
  std::vector<StoredImpulse> stored;
  for (std::size_t k = 0; k < impulses.size(); ++k) {
    stored.push_back(
        {ids[2 * k], GlobalPartner::FromCode(ids[2 * k + 1]), impulses[k], {}, 0.0, {}, 0});
  }
  const auto projection_impulses =
      ReadField<double>(file, kImpulses + kProjectionImpulse, part, kAnyNumber);
  for (std::size_t k = 0; k < stored.size(); ++k)
    stored[k].projection_impulse = projection_impulses[k];
  if (file.Has(kImpulses + kMembers) || file.Has(kShapesOfScene)) {
    const auto members = ReadRows<std::int32_t>(file, kImpulses + kMembers, 2, part, kMemberNumber);
    for (std::size_t k = 0; k < stored.size(); ++k) {
      stored[k].members = {static_cast<std::uint16_t>(members[2 * k]),
                           static_cast<std::uint16_t>(members[2 * k + 1])};
    }
  }
  for (std::size_t l = 0; l < kLawCount; ++l) {
    const std::string dataset = kImpulses + "/" + kLawNames[l];
    if (!file.Has(dataset)) continue;
    const std::vector<Vec3> law_impulses = ReadField<Vec3>(file, dataset, part, kAnyNumber);
    for (std::size_t k = 0; k < stored.size(); ++k) stored[k].laws.of[l] = law_impulses[k];
  }
  return stored;
}

/// Reads the bonds of the particles in these rows. CheckCheckpoint later checks walls, rules and
/// members of the bonds against the scene.
void ReadBonds(const Hdf5Reader& file, const Communicator& communicator, const Part& particles,
               RestartPoint& point) {
  if (!file.Has(kBonds)) return;
  point.bonds_born_until = file.Attribute<std::int64_t>(kBonds, "born_until");
  RequireNumber(file.Path(), "born_until of " + kBonds, point.bonds_born_until, kCount);
  point.bonds_close_from = file.Attribute<std::int64_t>(kBonds, "gaps_left_until");
  RequireNumber(file.Path(), "gaps_left_until of " + kBonds, point.bonds_close_from, kCount);
  point.bonds_are_undecided = file.Attribute<std::int64_t>(kBonds, "undecided") != 0;
  const auto count = [&](const char* name) {
    const auto value = file.Attribute<std::int64_t>(kBonds, name);
    RequireNumber(file.Path(), std::string(name) + " of " + kBonds, value, kCount);
    return communicator.IsRoot() ? value : 0;
  };
  point.bond_counts.broken_tension = count("broken_tension");
  point.bond_counts.broken_shear = count("broken_shear");
  const std::size_t total = file.CountRows(kBonds + "/integers", {kBondIntegers});
  const std::vector<std::int64_t> first = ReadFirstRows(file, kBonds + "/first", particles, total);
  const Part part{{static_cast<std::size_t>(first.front()),
                   static_cast<std::size_t>(first.back() - first.front())},
                  total};
  const auto integers = ReadRows<std::int64_t>(file, kBonds + "/integers", kBondIntegers, part,
                                               {kPartner.min, kCount.max});
  const auto numbers = ReadRows<double>(file, kBonds + "/numbers", kBondNumbers, part, kAnyNumber);
  for (std::size_t k = 0; k < part.share.count; ++k) {
    const std::int64_t* const integer = &integers[kBondIntegers * k];
    Bond& bond = point.bonds.emplace_back();
    bond.a = integer[0];
    bond.b = GlobalPartner::FromCode(integer[1]);
    for (std::size_t c = 2; c < kBondIntegers; ++c) {
      RequireNumber(file.Path(), "number of a bond", integer[c], {-1.0, 65535.0});
    }
    bond.rule = static_cast<std::int32_t>(integer[2]);
    RequireNumber(file.Path(), "state of a bond", integer[3], {0.0, 2.0});
    bond.state = static_cast<BondState>(integer[3]);
    bond.members = {static_cast<std::uint16_t>(integer[4]), static_cast<std::uint16_t>(integer[5])};
    RequireNumber(file.Path(), "points of a bond", integer[6],
                  {0.0, static_cast<double>(kMaxBondPoints)});
    bond.point_count = integer[6];
    bond.wall = static_cast<Index>(integer[7]);
    const double* number = &numbers[kBondNumbers * k];
    ForEachNumberOf(bond, [&](const char* name, double& value, const NumberRange& range) {
      value = *number++;
      RequireNumber(file.Path(), std::string(name) + " of a bond", value, range);
    });
  }
  if (!file.Has(kBonds + kDamageOfBonds)) return;
  const auto damages =
      ReadRows<double>(file, kBonds + kDamageOfBonds, kDamageNumbers, part, kAnyNumber);
  const double* number = damages.data();
  for (Bond& bond : point.bonds) {
    ForEachDamageOf(bond, [&](const char* name, double& value, const NumberRange& range) {
      value = *number++;
      RequireNumber(file.Path(), std::string(name) + " of a bond", value, range);
    });
  }
}

/// @param reference  reference positions of the particles; may be empty
void DropRemoved(Particles& particles, std::vector<Vec3>& reference) {
  std::vector<Index> remaining;
  for (std::size_t i = 0; i < particles.owned; ++i) {
    if (particles.id[i] != kRemovedId) remaining.push_back(static_cast<Index>(i));
  }
  Select(particles, remaining);
  if (reference.empty()) return;
  std::vector<Vec3> kept;
  for (const Index i : remaining) kept.push_back(reference[static_cast<std::size_t>(i)]);
  reference = std::move(kept);
}

void ReadParticles(const RowSelector& selector, const Communicator& communicator,
                   Particles& particles, RestartPoint& point) {
  const Hdf5Reader& file = selector.File();
  const std::size_t total = file.CountRows(kParticles + "/id", {});
  const Part part{selector.Share(kRoot + "/particles_of_rank", total), total};
  Resize(particles, part.share.count);
  ForEachField(particles, [&](const Field& field, auto& array) {
    const std::string dataset = kParticles + "/" + field.name;
    array = ReadField<ElementOf<decltype(array)>>(file, dataset, part, kAnyNumber);
  });
  particles.owned = part.share.count;
  point.impulses = ReadImpulses(file, part, particles.id);
  ReadBonds(file, communicator, part, point);
  const bool has_list = !point.rebuild_due;
  if (has_list) {
    point.reference = ReadField<Vec3>(file, kParticles + "/reference", part, kAnyNumber);
  } else {
    RequireCount(file.Path(), "rows of " + kParticles + "/reference, as rebuild_due is set",
                 file.CountRows(kParticles + "/reference", {3}), 0);
  }
  if (selector.HasSameCuts()) return;
  DropRemoved(particles, point.reference);
  point.redistributed = true;
}

/// Number of rows that a time series has after this number of frames; 1 for a mean over all frames.
std::size_t CountSeriesRows(std::int64_t frames, std::int64_t frames_per_row) {
  if (frames_per_row == 0 || frames == 0) return 1;
  return static_cast<std::size_t>((frames - 1) / frames_per_row) + 1;
}

struct SumsReader {
  const RowSelector& selector;
  const std::string& group;
  const AverageSpec& spec;

  AverageSums operator()(const FieldGrid& grid) const {
    constexpr std::size_t kEntries = FieldSums::kEntries;
    FieldSums sums(grid, spec.kinds);
    const Hdf5Reader& file = selector.File();
    sums.frames = file.Attribute<std::int64_t>(group, "frames");
    const std::int64_t steps = file.Attribute<std::int64_t>(kRoot, "step");
    RequireNumber(file.Path(), "frames of " + group, sums.frames,
                  {0.0, static_cast<double>(steps / spec.frame_interval + 1)});
    sums.values.resize(kEntries * sums.slots * CountSeriesRows(sums.frames, spec.frames_per_row));
    const std::size_t total = file.CountRows(group + "/cell", {});
    const Part part{selector.Share(group + "/cells_of_rank", total), total};
    const double last_slot = static_cast<double>(sums.values.size() / kEntries) - 1.0;
    const auto cells = ReadRows<std::int64_t>(file, group + "/cell", 0, part, {0.0, last_slot});
    const auto values = ReadRows<double>(file, group + "/sums", kEntries, part, kAnyNumber);
    for (std::size_t k = 0; k < cells.size(); ++k) {
      double* const sum = &sums.values[kEntries * static_cast<std::size_t>(cells[k])];
      for (std::size_t entry = 0; entry < kEntries; ++entry) {
        sum[entry] += values[kEntries * k + entry];
      }
    }
    return sums;
  }

  AverageSums operator()(const FlowPlane&) const {
    const Hdf5Reader& file = selector.File();
    std::int64_t steps = file.Attribute<std::int64_t>(group, "steps");
    RequireNumber(file.Path(), "steps of " + group, steps,
                  {0.0, static_cast<double>(file.Attribute<std::int64_t>(kRoot, "step"))});
    FlowSeries series(CountSeriesRows(steps, spec.frames_per_row));
    const std::size_t columns = 2 * series.size();
    const Part part{selector.ShareOfRankRows(group + "/particles", {columns}),
                    selector.WriterCount()};
    const auto particles =
        ReadRows<std::int64_t>(file, group + "/particles", columns, part, kCount);
    const auto mass = ReadRows<double>(file, group + "/mass", columns, part, kNotNegative);
    for (std::size_t row = 0; row < series.size(); ++row) {
      FlowSums& sums = series[row];
      sums.steps = row + 1 < series.size() ? spec.frames_per_row : steps;
      steps -= sums.steps;
      for (std::size_t k = 0; k < part.share.count; ++k) {
        const std::size_t column = columns * k + 2 * row;
        sums.particles_forward += particles[column];
        sums.particles_backward += particles[column + 1];
        sums.mass_forward += mass[column];
        sums.mass_backward += mass[column + 1];
      }
    }
    return series;
  }
};

void ReadEnergy(const RowSelector& selector, EnergyBalance& energy) {
  std::size_t entries = 0;
  ForEachEntry([&](const char*, double) { ++entries; }, energy);
  const Part part{selector.ShareOfRankRows(kEnergy, {entries}), selector.WriterCount()};
  const auto values = ReadRows<double>(selector.File(), kEnergy, entries, part, kAnyNumber);
  auto value = values.begin();
  for (std::size_t k = 0; k < part.share.count; ++k) {
    ForEachEntry([&](const char*, double& entry) { entry += *value++; }, energy);
  }
}

/// Pending loads are summed over the ranks later. If the cuts have changed, root therefore reads
/// and adds the pending loads of all ranks.
WallLoadSums ReadWallLoads(const RowSelector& selector, const Communicator& communicator) {
  const Hdf5Reader& file = selector.File();
  WallLoadSums sums;
  if (!file.Has(kWallLoads)) return sums;
  sums.steps = file.Attribute<std::int64_t>(kWallLoads, "steps");
  RequireNumber(file.Path(), "steps of " + kWallLoads, sums.steps, kCount);
  sums.mean = ReadAll(file, kWallLoads + "/mean", kAnyNumber);
  sums.squares = ReadAll(file, kWallLoads + "/squares", kNotNegative);
  const std::size_t size = sums.mean.size();
  const std::string pending = kWallLoads + "/pending";
  const std::size_t rows = file.CountRows(pending, {size});
  sums.strides = file.ListAttribute<std::int64_t>(kWallLoads, "strides");
  RequireNumbers<std::int64_t>(file.Path(), "strides of " + kWallLoads, sums.strides, kStride);
  const std::size_t steps = sums.strides.size();
  RequireCount(file.Path(), "rows of " + pending, rows, steps * selector.WriterCount());
  if (selector.HasSameCuts()) {
    const auto rank = static_cast<std::size_t>(communicator.Rank());
    const Part part{{rank * steps, steps}, rows};
    sums.pending = ReadRows<double>(file, pending, size, part, kAnyNumber);
    return sums;
  }
  sums.pending.assign(steps * size, 0.0);
  if (!communicator.IsRoot()) return sums;
  const auto values = ReadRows<double>(file, pending, size, {{0, rows}, rows}, kAnyNumber);
  for (std::size_t k = 0; k < values.size(); ++k)
    sums.pending[k % sums.pending.size()] += values[k];
  return sums;
}

std::vector<RainState> ReadRains(const Hdf5Reader& file) {
  std::vector<RainState> rains;
  while (true) {
    const std::string group = kRains + "/" + std::to_string(rains.size());
    if (!file.Has(kRains) || !file.Has(group)) return rains;
    rains.push_back({file.Attribute<std::int64_t>(group, "made"),
                     file.ListAttribute<double>(group, "masses"),
                     file.Attribute<std::int64_t>(group, "waits") != 0});
    RequireNumber(file.Path(), "made of " + group, rains.back().inserted, kCount);
    RequireNumbers<double>(file.Path(), "masses of " + group, rains.back().masses, kNotNegative);
  }
}

void ReadCell(const Hdf5Reader& file, CellState& current, CellState& list_cell) {
  if (!file.Has(kCell)) return;
  const auto read = [&](const std::string& prefix) {
    return [&file, prefix](const std::string& name, std::span<double> numbers) {
      const auto values = file.ListAttribute<double>(kCell, prefix + name);
      RequireCount(file.Path(), prefix + name + " of " + kCell, values.size(), numbers.size());
      RequireNumbers<double>(file.Path(), prefix + name + " of " + kCell, values, kAnyNumber);
      std::ranges::copy(values, numbers.begin());
    };
  };
  ForEachNumberOf(current, read(""));
  ForEachNumberOf(list_cell, read("list_"));
  for (const CellState* cell : {&current, &list_cell}) {
    if ((cell->box.Extent().array() > 0.0).all()) continue;
    throw FileError(Text("'", file.Path(), "': the cell has no volume"));
  }
}

void ReadFreeWalls(const Hdf5Reader& file, std::vector<FreeWallState>& walls,
                   std::vector<FreeWallState>& list_walls) {
  if (!file.Has(kFreeWalls)) return;
  const auto steps = file.ListAttribute<std::int64_t>(kFreeWalls, "steps");
  RequireNumbers<std::int64_t>(file.Path(), "steps of " + kFreeWalls, steps, kCount);
  const auto read = [&](const std::string& name) {
    const std::string location = name + " of " + kFreeWalls;
    auto values = file.ListAttribute<double>(kFreeWalls, name);
    RequireCount(file.Path(), "entries of " + location, values.size(), steps.size());
    RequireNumbers<double>(file.Path(), location, values, kAnyNumber);
    return values;
  };
  const auto travel = read("travel"), speed = read("speed"), impulse = read("impulse");
  const auto last_length = read("last_length");
  RequireNumbers<double>(file.Path(), "last_length of " + kFreeWalls, last_length, kNotNegative);
  const auto travel_of_list = read("list_travel"), speed_of_list = read("list_speed");
  for (std::size_t w = 0; w < steps.size(); ++w) {
    walls.push_back({travel[w], speed[w], last_length[w], impulse[w], steps[w]});
    list_walls.push_back({travel_of_list[w], speed_of_list[w]});
  }
  ForEachSumOfJoint([&](const char* name, double FreeWallState::*number) {
    if (!file.HasAttribute(kFreeWalls, name)) return;
    const std::vector<double> values = read(name);
    for (std::size_t w = 0; w < walls.size(); ++w) walls[w].*number = values[w];
  });
}

void ReadDrift(const Hdf5Reader& file, DriftField& drift) {
  if (!file.Has(kDrift)) return;
  const auto blocks = file.ListAttribute<std::int32_t>(kDrift, "blocks");
  RequireCount(file.Path(), "blocks of " + kDrift, blocks.size(), drift.blocks.size());
  RequireNumbers<std::int32_t>(file.Path(), "blocks of " + kDrift, blocks, {1.0, kMaxBlocks});
  std::ranges::copy(blocks, drift.blocks.begin());
  drift.closing_rate = file.Attribute<double>(kDrift, "closing");
  RequireNumber(file.Path(), "closing of " + kDrift, drift.closing_rate, kNotNegative);
  const std::string nodes = kDrift + "/nodes";
  const std::size_t count = file.CountRows(nodes, {3});
  RequireCount(file.Path(), nodes, count, drift.Blocks());
  const auto values = file.Rows<double>(nodes, {3}, 0, count);
  RequireNumbers<double>(file.Path(), nodes, values, kVelocity);
  for (std::size_t k = 0; k < count; ++k) drift.nodes.emplace_back(&values[3 * k]);
}

void ReadSnapshotList(const Hdf5Reader& file, OutputCounters& output) {
  const std::size_t count = file.CountRows(kSnapshots, {3});
  const auto values = file.Rows<std::int64_t>(kSnapshots, {3}, 0, count);
  RequireNumbers<std::int64_t>(file.Path(), kSnapshots, values, kCount);
  for (std::size_t k = 0; k < count; ++k) {
    output.snapshots.push_back({values[3 * k], values[3 * k + 1], FormatOf(values[3 * k + 2])});
  }
}

void RequireFormat(const Hdf5Reader& file) {
  if (!file.Has(kRoot)) {
    throw FileError(Text("'", file.Path(), "' is not a checkpoint of Scree: it has no ", kRoot));
  }
  const auto format = file.Attribute<std::int64_t>(kRoot, "format");
  if (format == kFormat) return;
  throw FileError(Text("'", file.Path(), "' has format ", format, "; this version reads format ",
                       kFormat, ". The file was written by a version before the first release ",
                       "or by a later version than this"));
}

}  // namespace

SnapshotMeta ReadCheckpointMeta(const std::string& path) {
  const Hdf5Reader file(path);
  RequireFormat(file);
  return ReadMeta(file);
}

Cuts ReadCuts(const Hdf5Reader& file) {
  RequireFormat(file);
  Cuts cuts;
  const auto grid = file.ListAttribute<std::int32_t>(kRoot, "grid");
  if (grid.size() == cuts.grid.size()) std::ranges::copy(grid, cuts.grid.begin());
  if (grid.size() == cuts.grid.size() && !cuts.IsGrid()) {
    const std::vector<double> positions = ReadAll(file, kCutPositions, kPosition);
    const std::size_t count = positions.size();
    RequireCount(file.Path(), "rows of " + kCuts, file.CountRows(kCuts, {2}), count);
    const auto numbers = file.Rows<std::int32_t>(kCuts, {2}, 0, count);
    for (std::size_t k = 0; k < count; ++k) {
      cuts.tree.push_back({positions[k], numbers[2 * k], numbers[2 * k + 1]});
    }
  }
  if (AreCuts(cuts)) return cuts;
  throw FileError(Text("'", file.Path(), "': 'grid' must be 3 numbers of at least 1, or ", kCuts,
                       " must divide a domain"));
}

Cuts ReadCheckpointCuts(const Communicator& communicator, const std::string& path) {
  Cuts cuts;
  CallOnAll<FileError>(communicator, [&] { cuts = ReadCuts(Hdf5Reader(path)); });
  return cuts;
}

Checkpoint ReadCheckpoint(const Communicator& communicator, const std::string& path,
                          const Cuts& cuts, const std::vector<AverageSpec>& specs, State& state) {
  Checkpoint checkpoint;
  CallOnAll<FileError>(communicator, [&] {
    const Hdf5Reader file(path);
    RequireFormat(file);
    checkpoint.meta = ReadMeta(file);
    const auto read = [&](const char* name, auto& value, const NumberRange& range) {
      value = file.Attribute<std::remove_reference_t<decltype(value)>>(kRoot, name);
      RequireNumber(path, name, value, range);
    };
    ForEachNumber(checkpoint, state, read);
    if (!communicator.IsRoot()) state.inserted = state.deleted = 0;
    checkpoint.point.rebuild_due = file.Attribute<std::int64_t>(kRoot, "rebuild_due") != 0;
    checkpoint.cuts = cuts;
    const RowSelector selector(file, communicator, ReadCuts(file), cuts);
    ReadParticles(selector, communicator, state.particles, checkpoint.point);
    ReadEnergy(selector, state.energy);
    checkpoint.point.wall_loads = ReadWallLoads(selector, communicator);
    state.rains = ReadRains(file);
    ReadFreeWalls(file, state.free_walls, checkpoint.point.list_free_walls);
    ReadCell(file, state.cell, checkpoint.point.list_cell);
    ReadDrift(file, checkpoint.point.reach.drift);
    ReadSnapshotList(file, checkpoint.output);
    for (const AverageSpec& spec : specs) {
      const std::string group = kAverages + "/" + spec.name;
      checkpoint.averages.push_back(std::visit(SumsReader{selector, group, spec}, spec.geometry));
    }
  });
  return checkpoint;
}

}  // namespace scree
