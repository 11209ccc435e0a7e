#include "io/state/checkpoint.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <span>

#include "io/files/atomic_file.hpp"
#include "io/files/collective_call.hpp"
#include "io/files/field_layout.hpp"
#include "io/files/hdf5_file.hpp"
#include "io/files/row_share.hpp"
#include "solvers/check.hpp"

namespace scree {
namespace {

const std::string kRoot = "/checkpoint";
const std::string kParticles = "/checkpoint/particles";
const std::string kImpulses = "/checkpoint/impulses";
const std::string kPush = "/push";        // since format 4
const std::string kMembers = "/members";  // of scenes with clumps
const std::string kSnapshots = "/checkpoint/snapshots";
const std::string kAverages = "/checkpoint/averages";
const std::string kEnergy = "/checkpoint/energy";
const std::string kCuts = "/checkpoint/cuts";  // of a domain that is cut to no grid
const std::string kPlaces = "/checkpoint/cut_places";
const std::string kWallLoads = "/checkpoint/wall_loads";  // since the last row of the series
const std::string kRains = "/checkpoint/rains";           // of scenes with rain
const std::string kFreeWalls = "/checkpoint/free_walls";  // of scenes with such
constexpr std::int64_t kFormat = 7;
constexpr std::int64_t kOldestFormat = 2;
constexpr std::int64_t kFormatWithoutProjection = 2;  // its energy has one entry less
constexpr std::int64_t kFormatWithBalance = 5;        // earlier subdomains were grids
constexpr std::int64_t kFormatWithRotation = 6;       // its energy has one entry more, rotation
constexpr std::int64_t kFormatWithShear = 7;          // and one more, shear
constexpr std::int64_t kFormatWithStress = 6;         // earlier sums of fields have fewer entries

// ---- the numbers that all ranks share, by name; one list serves writing and reading

template <class CheckpointType, class StateType, class Visit>
void ForEachNumber(CheckpointType& c, StateType& state, Visit&& visit) {
  visit("step", state.step);
  visit("inserted", state.inserted);
  visit("deleted", state.deleted);
  visit("next_id", state.next_id);
  visit("smallest_radius", c.point.radii.smallest);
  visit("largest_radius", c.point.radii.largest);
  visit("max_penetration", c.point.max_penetration);
  visit("rebuilds", c.point.rebuilds);
  visit("list_step", c.point.list_step);
  visit("list_skin", c.point.reach.skin);
  visit("list_wall_skin", c.point.reach.wall_skin);
  visit("list_drift_x", c.point.reach.drift.x());
  visit("list_drift_y", c.point.reach.drift.y());
  visit("list_drift_z", c.point.reach.drift.z());
  visit("series_rows", c.output.series_rows);
  visit("timing_rows", c.output.timing_rows);
}

/// The same of what files have since format 5.
template <class PointType, class Visit>
void ForEachNumberOfBalance(PointType& point, Visit&& visit) {
  visit("balance_looked_at", point.balance.looked_at);
  visit("balance_lost", point.balance.lost);
  visit("balance_patience", point.balance.patience);
  visit("balance_moves", point.balance.moves);
}

// ---- writing

template <class Element>
void WriteField(Hdf5Writer& file, const std::string& path, std::span<const Element> field) {
  using Value = typename Layout<Element>::Value;
  file.Rows<Value>(path, Numbers(field), {Layout<Element>::kColumns});
}

/// One number of each rank.
void WritePerRank(Hdf5Writer& file, const std::string& path, std::size_t number) {
  const auto value = static_cast<std::int64_t>(number);
  file.Rows<std::int64_t>(path, std::span(&value, 1), {});
}

/// Slots that a rank has never met are zero, and stay where they are not stored.
void WriteSums(Hdf5Writer& file, const std::string& group, const FieldSums& sums) {
  std::vector<std::int64_t> cells;
  std::vector<double> values;
  for (std::size_t cell = 0; FieldSums::kEntries * cell < sums.values.size(); ++cell) {
    const std::span<const double> entries = sums.Of(cell);
    if (std::ranges::all_of(entries, [](double entry) { return entry == 0.0; })) continue;
    cells.push_back(static_cast<std::int64_t>(cell));
    values.insert(values.end(), entries.begin(), entries.end());
  }
  file.Attribute(group, "frames", sums.frames);
  WritePerRank(file, group + "/cells_of_rank", cells.size());
  file.Rows<std::int64_t>(group + "/cell", cells, {});
  file.Rows<double>(group + "/sums", values, {FieldSums::kEntries});
}

void WriteSums(Hdf5Writer& file, const std::string& group, const FlowSums& sums) {
  const std::array<std::int64_t, 2> particles = {sums.particles_forward, sums.particles_backward};
  const std::array<double, 2> mass = {sums.mass_forward, sums.mass_backward};
  file.Attribute(group, "steps", sums.steps);
  file.Rows<std::int64_t>(group + "/particles", particles, {2});
  file.Rows<double>(group + "/mass", mass, {2});
}

/// The rows of the particles say where their impulses begin, so that whoever reads some particles
/// finds theirs.
void WriteImpulses(Hdf5Writer& file, const Communicator& communicator, const RestartPoint& point) {
  const auto before = communicator.ExclusiveSum(static_cast<std::int64_t>(point.impulses.size()));
  const std::size_t count = point.impulses.size();
  std::vector<std::int64_t> first(point.first_impulse.begin(), point.first_impulse.end());
  if (!first.empty()) first.pop_back();  // the number of all
  for (std::int64_t& row : first) row += before;
  std::vector<std::int64_t> bodies(2 * count);
  std::vector<Vec3> impulses(count);
  for (std::size_t k = 0; k < count; ++k) {
    const RememberedImpulse& one = point.impulses[k];
    bodies[2 * k] = one.a;
    bodies[2 * k + 1] = one.b.Code();
    impulses[k] = one.impulse;
  }
  file.Rows<std::int64_t>(kParticles + "/first_impulse", first, {});
  file.Rows<std::int64_t>(kImpulses + "/id", bodies, {2});
  WriteField(file, kImpulses + "/impulse", std::span<const Vec3>(impulses));
  std::vector<double> pushes(count);
  for (std::size_t k = 0; k < count; ++k) pushes[k] = point.impulses[k].push;
  WriteField(file, kImpulses + kPush, std::span<const double>(pushes));
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

/// A row for each rank, so that a run that goes on adds to the same bits.
void WriteEnergy(Hdf5Writer& file, const EnergyBook& energy) {
  std::vector<double> entries;
  ForEachEntry([&](const char*, double entry) { entries.push_back(entry); }, energy);
  file.Rows<double>(kEnergy, entries, {entries.size()});
}

/// From root, as all ranks know them.
void WriteCuts(Hdf5Writer& file, const Communicator& communicator, const Cuts& cuts) {
  file.ListAttribute<std::int32_t>(kRoot, "grid", cuts.grid);
  if (cuts.IsGrid()) return;
  std::vector<std::int32_t> numbers;
  std::vector<double> places;
  for (const Cut& cut : cuts.tree) {
    if (!communicator.IsRoot()) break;
    numbers.insert(numbers.end(), {cut.axis, cut.below});
    places.push_back(cut.place);
  }
  file.Rows<std::int32_t>(kCuts, numbers, {2});
  file.Rows<double>(kPlaces, places, {});
}

/// Of the interval of the series that goes on. The moments are equal on all ranks.
void WriteWallLoads(Hdf5Writer& file, const Communicator& communicator, const WallLoadBook& book) {
  const std::size_t size = book.mean.size();
  if (size == 0) return;
  file.Group(kWallLoads);
  file.Attribute(kWallLoads, "steps", book.steps);
  const std::size_t here = communicator.IsRoot() ? size : 0;
  file.Rows<double>(kWallLoads + "/mean", std::span(book.mean).first(here), {});
  file.Rows<double>(kWallLoads + "/squares", std::span(book.squares).first(here), {});
  file.Rows<double>(kWallLoads + "/pending", book.pending, {size});
}

/// A group for each rain, by its number in the scene.
void WriteRains(Hdf5Writer& file, const std::vector<RainState>& rains) {
  if (rains.empty()) return;
  file.Group(kRains);
  for (std::size_t r = 0; r < rains.size(); ++r) {
    const std::string group = kRains + "/" + std::to_string(r);
    file.Group(group);
    file.Attribute(group, "made", rains[r].made);
    file.Attribute(group, "waits", std::int64_t{rains[r].waits});
    file.ListAttribute<double>(group, "masses", rains[r].masses);
  }
}

/// One entry per wall of the scene.
void WriteFreeWalls(Hdf5Writer& file, const std::vector<FreeWallState>& walls,
                    const std::vector<FreeWallState>& of_list) {
  if (walls.empty()) return;
  file.Group(kFreeWalls);
  const auto list = [&](const char* name, const std::vector<FreeWallState>& states,
                        double FreeWallState::*number) {
    std::vector<double> values;
    for (const FreeWallState& state : states) values.push_back(state.*number);
    values.resize(walls.size());
    file.ListAttribute<double>(kFreeWalls, name, values);
  };
  list("travel", walls, &FreeWallState::travel);
  list("speed", walls, &FreeWallState::speed);
  list("impulse", walls, &FreeWallState::impulse);
  list("list_travel", of_list, &FreeWallState::travel);
  list("list_speed", of_list, &FreeWallState::speed);
  std::vector<std::int64_t> steps;
  for (const FreeWallState& wall : walls) steps.push_back(wall.steps);
  file.ListAttribute<std::int64_t>(kFreeWalls, "steps", steps);
}

void WriteAll(Hdf5Writer& file, const Communicator& communicator, const Checkpoint& checkpoint,
              const State& state, const std::vector<AverageSpec>& specs) {
  WriteMeta(file, checkpoint.meta);
  for (const std::string& group : {kRoot, kParticles, kImpulses, kAverages}) file.Group(group);
  file.Attribute(kRoot, "format", kFormat);
  WriteCuts(file, communicator, checkpoint.cuts);
  file.Attribute(kRoot, "rebuild_due", std::int64_t{checkpoint.point.rebuild_due});
  State shared;  // the flow counters are sums over the ranks
  shared.step = state.step;
  shared.next_id = state.next_id;
  shared.inserted = communicator.Sum(state.inserted);
  shared.deleted = communicator.Sum(state.deleted);
  ForEachNumber(checkpoint, shared,
                [&](const char* name, const auto& value) { file.Attribute(kRoot, name, value); });
  ForEachNumberOfBalance(checkpoint.point, [&](const char* name, const auto& value) {
    file.Attribute(kRoot, name, value);
  });

  const Particles& particles = state.particles;
  WritePerRank(file, kRoot + "/particles_of_rank", particles.owned);
  ForEachField(particles, [&](const Field& field, const auto& array) {
    WriteField(file, kParticles + "/" + field.name, std::span(array).first(particles.owned));
  });
  WriteField(file, kParticles + "/reference", std::span<const Vec3>(checkpoint.point.reference));
  WriteImpulses(file, communicator, checkpoint.point);
  WriteEnergy(file, state.energy);
  WriteWallLoads(file, communicator, checkpoint.point.wall_loads);
  WriteRains(file, state.rains);
  WriteFreeWalls(file, state.free_walls, checkpoint.point.list_free_walls);

  const std::size_t here = communicator.IsRoot() ? checkpoint.output.snapshots.size() : 0;
  std::vector<std::int64_t> snapshots;
  for (std::size_t k = 0; k < here; ++k) {
    const WrittenSnapshot& snapshot = checkpoint.output.snapshots[k];
    snapshots.insert(snapshots.end(), {snapshot.step, snapshot.particles, CodeOf(snapshot.format)});
  }
  file.Rows<std::int64_t>(kSnapshots, snapshots, {3});  // step, particles, format

  for (std::size_t k = 0; k < specs.size(); ++k) {
    const std::string group = kAverages + "/" + specs[k].name;
    file.Group(group);
    std::visit([&](const auto& sums) { WriteSums(file, group, sums); }, checkpoint.averages[k]);
  }
}

/// Upper bound of the file's size.
std::size_t FileSize(const Communicator& communicator, const Checkpoint& checkpoint,
                     const Particles& particles) {
  constexpr std::size_t kStructure = 131072;  // groups, attributes
  std::size_t bytes = sizeof(Vec3) * checkpoint.point.reference.size() +
                      sizeof(RememberedImpulse) * checkpoint.point.impulses.size() +
                      (sizeof(std::int64_t) + kBytesPerParticle) * particles.owned;
  for (const AverageSums& sums : checkpoint.averages) {
    const auto* fields = std::get_if<FieldSums>(&sums);
    if (fields != nullptr) bytes += 2 * sizeof(double) * fields->values.size();
  }
  const WallLoadBook& loads = checkpoint.point.wall_loads;
  bytes += sizeof(double) * (2 * loads.mean.size() + loads.pending.size());
  bytes += 2 * sizeof(Cut);  // of each rank one at most
  bytes += sizeof(WrittenSnapshot) * checkpoint.output.snapshots.size();
  return kStructure + checkpoint.meta.configuration.size() +
         static_cast<std::size_t>(communicator.Sum(static_cast<std::int64_t>(bytes)));
}

// ---- reading

/// Knows which rows of the ranks' datasets this rank takes.
class Dealer {
 public:
  /// @param as_written  each rank takes what the rank of its number wrote
  Dealer(const Hdf5Reader& file, const Communicator& communicator, bool as_written)
      : file_(file), communicator_(communicator), as_written_(as_written) {}

  bool AsWritten() const { return as_written_; }

  /// @param per_rank  dataset of the ranks' numbers of rows
  RowShare Share(const std::string& per_rank) const {
    const std::size_t ranks = file_.CountRows(per_rank, {});
    const std::vector<std::int64_t> rows = file_.Rows<std::int64_t>(per_rank, {}, 0, ranks);
    const auto sum = [&](std::size_t count) {
      return static_cast<std::size_t>(std::accumulate(
          rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(count), std::int64_t{0}));
    };
    if (!as_written_) return ShareOf(communicator_, sum(ranks));
    const auto rank = static_cast<std::size_t>(communicator_.Rank());
    if (rank >= ranks) {
      throw FileError(Text("'", file_.Path(), "': ", per_rank, " has ", ranks,
                           " entries; expected ", communicator_.Size()));
    }
    return {sum(rank), static_cast<std::size_t>(rows[rank])};
  }

  /// The rows of a dataset that has one row of each rank.
  RowShare OneRowPerRank(const std::string& dataset, RowShape shape) const {
    if (as_written_) return {static_cast<std::size_t>(communicator_.Rank()), 1};
    return ShareOf(communicator_, file_.CountRows(dataset, shape));
  }

  const Hdf5Reader& File() const { return file_; }

 private:
  const Hdf5Reader& file_;
  const Communicator& communicator_;
  bool as_written_;
};

template <class Element>
std::vector<Element> ReadField(const Hdf5Reader& file, const std::string& path, RowShare share) {
  const auto values = file.Rows<typename Layout<Element>::Value>(path, {Layout<Element>::kColumns},
                                                                 share.first, share.count);
  std::vector<Element> field(share.count);
  if (!values.empty()) {
    std::memcpy(reinterpret_cast<void*>(field.data()), values.data(),
                share.count * sizeof(Element));
  }
  return field;
}

/// Those of the particles in these rows.
std::vector<RememberedImpulse> ReadImpulses(const Hdf5Reader& file, RowShare particles) {
  const std::size_t rows = file.CountRows(kParticles + "/first_impulse", {});
  const std::size_t all = file.CountRows(kImpulses + "/id", {2});
  const std::size_t more = particles.first + particles.count < rows ? 1 : 0;
  std::vector<std::int64_t> first = file.Rows<std::int64_t>(
      kParticles + "/first_impulse", {}, particles.first, particles.count + more);
  if (more == 0) first.push_back(static_cast<std::int64_t>(all));
  const std::int64_t begin = first.front(), end = first.back();
  if (begin < 0 || begin > end || end > static_cast<std::int64_t>(all)) {
    throw FileError(Text("'", file.Path(), "': ", kParticles, "/first_impulse goes from ", begin,
                         " to ", end, "; there are ", all, " impulses"));
  }
  const RowShare share = {static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)};
  const auto ids = file.Rows<std::int64_t>(kImpulses + "/id", {2}, share.first, share.count);
  const std::vector<Vec3> impulses = ReadField<Vec3>(file, kImpulses + "/impulse", share);
  std::vector<RememberedImpulse> read;
  for (std::size_t k = 0; k < share.count; ++k) {
    read.push_back(
        {ids[2 * k], GlobalPartner::FromCode(ids[2 * k + 1]), impulses[k], {}, 0.0, {}, 0});
  }
  if (file.Has(kImpulses + kPush)) {
    const std::vector<double> pushes = ReadField<double>(file, kImpulses + kPush, share);
    for (std::size_t k = 0; k < share.count; ++k) read[k].push = pushes[k];
  }
  if (file.Has(kImpulses + kMembers)) {
    const auto members =
        file.Rows<std::int32_t>(kImpulses + kMembers, {2}, share.first, share.count);
    for (std::size_t k = 0; k < share.count; ++k) {
      read[k].members = {static_cast<std::uint16_t>(members[2 * k]),
                         static_cast<std::uint16_t>(members[2 * k + 1])};
    }
  }
  for (std::size_t l = 0; l < kLawCount; ++l) {
    const std::string dataset = kImpulses + "/" + kLawNames[l];
    if (!file.Has(dataset)) continue;
    const std::vector<Vec3> of_law = ReadField<Vec3>(file, dataset, share);
    for (std::size_t k = 0; k < share.count; ++k) read[k].laws.of[l] = of_law[k];
  }
  return read;
}

void DropGone(Particles& particles) {
  std::vector<Index> living;
  for (std::size_t i = 0; i < particles.owned; ++i) {
    if (particles.id[i] != kGone) living.push_back(static_cast<Index>(i));
  }
  Select(particles, living);
}

void ReadParticles(const Dealer& dealer, Particles& particles, RestartPoint& point) {
  const RowShare share = dealer.Share(kRoot + "/particles_of_rank");
  Resize(particles, share.count);
  ForEachField(particles, [&](const Field& field, auto& array) {
    const std::string dataset = kParticles + "/" + field.name;
    if (IsOlderThan(field, dealer.File(), dataset)) return;
    array = ReadField<ElementOf<decltype(array)>>(dealer.File(), dataset, share);
  });
  particles.owned = share.count;
  point.impulses = ReadImpulses(dealer.File(), share);
  if (!dealer.AsWritten()) {
    DropGone(particles);
    point = Redistributed(point);
  } else if (!point.rebuild_due) {
    point.reference = ReadField<Vec3>(dealer.File(), kParticles + "/reference", share);
  }
}

/// Rows of a time series that have frames; one of a mean over all.
std::size_t CountRows(const FieldSums& sums, std::int64_t frames_per_row) {
  if (frames_per_row == 0 || sums.frames == 0) return 1;
  return static_cast<std::size_t>((sums.frames - 1) / frames_per_row) + 1;
}

struct SumsReader {
  const Dealer& dealer;
  const std::string& group;
  const AverageSpec& spec;

  /// What earlier versions have not summed up is not known.
  AverageSums operator()(const FieldGrid& grid) const {
    FieldSums sums(grid, spec.kinds);
    const Hdf5Reader& file = dealer.File();
    const auto format = file.Attribute<std::int64_t>(kRoot, "format");
    const std::size_t entries =
        format < kFormatWithStress ? FieldSums::kEntriesOfFormat5 : FieldSums::kEntries;
    sums.frames = file.Attribute<std::int64_t>(group, "frames");
    sums.values.resize(FieldSums::kEntries * sums.slots * CountRows(sums, spec.frames_per_row));
    if (entries < FieldSums::kEntries && sums.frames > 0) {
      for (std::size_t k = 0; k < sums.values.size(); ++k) {
        if (k % FieldSums::kEntries >= entries) sums.values[k] = std::nan("");
      }
    }
    const RowShare share = dealer.Share(group + "/cells_of_rank");
    const auto cells = file.Rows<std::int64_t>(group + "/cell", {}, share.first, share.count);
    const auto values = file.Rows<double>(group + "/sums", {entries}, share.first, share.count);
    for (std::size_t k = 0; k < cells.size(); ++k) {
      const auto cell = static_cast<std::size_t>(cells[k]);
      if (cell >= sums.values.size() / FieldSums::kEntries) {
        throw FileError(Text("'", file.Path(), "': ", group, " has a cell ", cells[k],
                             "; expected less than ", sums.values.size() / FieldSums::kEntries));
      }
      for (std::size_t entry = 0; entry < entries; ++entry) {
        sums.values[FieldSums::kEntries * cell + entry] += values[entries * k + entry];
      }
    }
    return sums;
  }

  AverageSums operator()(const FlowPlane&) const {
    FlowSums sums;
    const Hdf5Reader& file = dealer.File();
    sums.steps = file.Attribute<std::int64_t>(group, "steps");
    const RowShare share = dealer.OneRowPerRank(group + "/particles", {2});
    const auto particles =
        file.Rows<std::int64_t>(group + "/particles", {2}, share.first, share.count);
    const auto mass = file.Rows<double>(group + "/mass", {2}, share.first, share.count);
    for (std::size_t k = 0; k < share.count; ++k) {
      sums.particles_forward += particles[2 * k];
      sums.particles_backward += particles[2 * k + 1];
      sums.mass_forward += mass[2 * k];
      sums.mass_backward += mass[2 * k + 1];
    }
    return sums;
  }
};

void ReadEnergy(const Dealer& dealer, EnergyBook& energy) {
  std::size_t entries = 0;
  ForEachEntry([&](const char*, double) { ++entries; }, energy);
  const auto format = dealer.File().Attribute<std::int64_t>(kRoot, "format");
  if (format < kFormatWithShear) --entries;
  if (format < kFormatWithRotation) --entries;
  if (format == kFormatWithoutProjection) --entries;
  const RowShare share = dealer.OneRowPerRank(kEnergy, {entries});
  const auto values = dealer.File().Rows<double>(kEnergy, {entries}, share.first, share.count);
  auto value = values.begin();
  for (std::size_t k = 0; k < share.count; ++k) {
    std::size_t read = 0;
    ForEachEntry([&](const char*, double& entry) { entry += read++ < entries ? *value++ : 0.0; },
                 energy);
  }
}

/// What is pending is summed up over the ranks at last: where they are others than the writers, the
/// first takes it all.
WallLoadBook ReadWallLoads(const Dealer& dealer, const Communicator& communicator, int writers) {
  const Hdf5Reader& file = dealer.File();
  WallLoadBook book;
  if (!file.Has(kWallLoads)) return book;
  book.steps = file.Attribute<std::int64_t>(kWallLoads, "steps");
  const std::size_t size = file.CountRows(kWallLoads + "/mean", {});
  book.mean = file.Rows<double>(kWallLoads + "/mean", {}, 0, size);
  book.squares = file.Rows<double>(kWallLoads + "/squares", {}, 0, size);
  const std::string pending = kWallLoads + "/pending";
  const std::size_t rows = file.CountRows(pending, {size});
  const std::size_t steps = rows / static_cast<std::size_t>(writers);
  if (dealer.AsWritten()) {
    const auto rank = static_cast<std::size_t>(communicator.Rank());
    book.pending = file.Rows<double>(pending, {size}, rank * steps, steps);
    return book;
  }
  book.pending.assign(steps * size, 0.0);
  if (!communicator.IsRoot()) return book;
  const auto values = file.Rows<double>(pending, {size}, 0, rows);
  for (std::size_t k = 0; k < values.size(); ++k)
    book.pending[k % book.pending.size()] += values[k];
  return book;
}

std::vector<RainState> ReadRains(const Hdf5Reader& file) {
  std::vector<RainState> rains;
  while (true) {
    const std::string group = kRains + "/" + std::to_string(rains.size());
    if (!file.Has(kRains) || !file.Has(group)) return rains;
    rains.push_back({file.Attribute<std::int64_t>(group, "made"),
                     file.ListAttribute<double>(group, "masses"),
                     file.Attribute<std::int64_t>(group, "waits") != 0});
  }
}

void ReadFreeWalls(const Hdf5Reader& file, std::vector<FreeWallState>& walls,
                   std::vector<FreeWallState>& of_list) {
  if (!file.Has(kFreeWalls)) return;
  const auto steps = file.ListAttribute<std::int64_t>(kFreeWalls, "steps");
  const auto list = [&](const char* name) {
    auto values = file.ListAttribute<double>(kFreeWalls, name);
    if (values.size() == steps.size()) return values;
    throw FileError(Text("'", file.Path(), "': ", kFreeWalls, " ", name, " has ", values.size(),
                         " entries; expected ", steps.size()));
  };
  const auto travel = list("travel"), speed = list("speed"), impulse = list("impulse");
  const auto travel_of_list = list("list_travel"), speed_of_list = list("list_speed");
  for (std::size_t w = 0; w < steps.size(); ++w) {
    walls.push_back({travel[w], speed[w], impulse[w], steps[w]});
    of_list.push_back({travel_of_list[w], speed_of_list[w], 0.0, 0});
  }
}

void ReadSnapshotList(const Hdf5Reader& file, OutputCounters& output) {
  const std::size_t count = file.CountRows(kSnapshots, {3});
  const auto values = file.Rows<std::int64_t>(kSnapshots, {3}, 0, count);
  for (std::size_t k = 0; k < count; ++k) {
    output.snapshots.push_back({values[3 * k], values[3 * k + 1], FormatOf(values[3 * k + 2])});
  }
}

void DemandFormat(const Hdf5Reader& file) {
  if (!file.Has(kRoot)) {
    throw FileError(Text("'", file.Path(), "' is no checkpoint of Scree: it has no ", kRoot));
  }
  const auto format = file.Attribute<std::int64_t>(kRoot, "format");
  if (kOldestFormat <= format && format <= kFormat) return;
  throw FileError(Text("'", file.Path(), "' has format ", format, "; this version reads ",
                       kOldestFormat, " to ", kFormat));
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

SnapshotMeta ReadCheckpointMeta(const std::string& path) {
  const Hdf5Reader file(path);
  DemandFormat(file);
  return ReadMeta(file);
}

Cuts ReadCuts(const Hdf5Reader& file) {
  DemandFormat(file);
  Cuts cuts;
  const auto grid = file.ListAttribute<std::int32_t>(kRoot, "grid");
  if (grid.size() == cuts.grid.size()) std::ranges::copy(grid, cuts.grid.begin());
  if (grid.size() == cuts.grid.size() && !cuts.IsGrid()) {
    const std::size_t count = file.CountRows(kPlaces, {});
    const auto places = file.Rows<double>(kPlaces, {}, 0, count);
    const auto numbers = file.Rows<std::int32_t>(kCuts, {2}, 0, count);
    for (std::size_t k = 0; k < count; ++k) {
      cuts.tree.push_back({places[k], numbers[2 * k], numbers[2 * k + 1]});
    }
  }
  if (AreCuts(cuts)) return cuts;
  throw FileError(Text("'", file.Path(),
                       "': 'grid' must have 3 entries, numbers of at least 1, or ", kCuts,
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
    DemandFormat(file);
    checkpoint.meta = ReadMeta(file);
    ForEachNumber(checkpoint, state, [&](const char* name, auto& value) {
      value = file.Attribute<std::remove_reference_t<decltype(value)>>(kRoot, name);
    });
    if (!communicator.IsRoot()) state.inserted = state.deleted = 0;
    checkpoint.point.rebuild_due = file.Attribute<std::int64_t>(kRoot, "rebuild_due") != 0;
    if (file.Attribute<std::int64_t>(kRoot, "format") >= kFormatWithBalance) {
      ForEachNumberOfBalance(checkpoint.point, [&](const char* name, auto& value) {
        value = file.Attribute<std::remove_reference_t<decltype(value)>>(kRoot, name);
      });
    }
    checkpoint.cuts = cuts;
    const Dealer dealer(file, communicator, cuts == ReadCuts(file));
    ReadParticles(dealer, state.particles, checkpoint.point);
    ReadEnergy(dealer, state.energy);
    const std::size_t writers = file.CountRows(kRoot + "/particles_of_rank", {});
    checkpoint.point.wall_loads = ReadWallLoads(dealer, communicator, static_cast<int>(writers));
    state.rains = ReadRains(file);
    ReadFreeWalls(file, state.free_walls, checkpoint.point.list_free_walls);
    ReadSnapshotList(file, checkpoint.output);
    for (const AverageSpec& spec : specs) {
      const std::string group = kAverages + "/" + spec.name;
      checkpoint.averages.push_back(std::visit(SumsReader{dealer, group, spec}, spec.of));
    }
  });
  return checkpoint;
}

bool IsCheckpoint(const std::string& path) { return Hdf5Reader(path).Has(kRoot); }

}  // namespace scree
