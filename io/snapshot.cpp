#include "io/snapshot.hpp"

#include <array>
#include <cstring>
#include <span>
#include <string_view>

#include "io/atomic_file.hpp"
#include "io/collective_call.hpp"
#include "io/hdf5_file.hpp"
#include "io/row_share.hpp"
#include "solvers/check.hpp"

namespace scree {
namespace {

const std::string kGrains = "/particles/grains";

// ---- how a field of the particles lies in the file

template <class Element>
struct Layout {
  using Value = Element;
  static constexpr std::size_t kColumns = 0;
};
template <>
struct Layout<Vec3> {
  using Value = double;
  static constexpr std::size_t kColumns = 3;
};
template <>
struct Layout<Quaternion> {
  using Value = double;
  static constexpr std::size_t kColumns = 4;
};

struct FieldKind {
  std::string_view name;
  const char* unit;  // empty: a pure number
  bool varies;       // in time: an H5MD element with step and time, else a plain dataset
};

constexpr std::array<FieldKind, 7> kFieldKinds = {{{"position", "m", true},
                                                   {"velocity", "m s-1", true},
                                                   {"angular_velocity", "rad s-1", true},
                                                   {"orientation", "", true},
                                                   {"radius", "m", false},
                                                   {"id", "", false},
                                                   {"material", "", false}}};

const FieldKind& KindOf(std::string_view name) {
  for (const FieldKind& kind : kFieldKinds) {
    if (kind.name == name) return kind;
  }
  internal::Fail("a particle field has no place in the snapshot", __FILE__, __LINE__);
}

std::string DatasetOf(const FieldKind& kind) {
  return kGrains + "/" + std::string(kind.name) + (kind.varies ? "/value" : "");
}

template <class Element>
RowShape ShapeOf(const FieldKind& kind) {
  return {Layout<Element>::kColumns, kind.varies};
}

// ---- the figures, by name; one list serves writing and reading

template <class ObservablesType, class Visit>
void ForEachFigure(ObservablesType& o, Visit&& visit) {
  visit("step", o.step);
  visit("time", o.time);
  visit("particles", o.particles);
  visit("inserted", o.inserted);
  visit("deleted", o.deleted);
  visit("contacts", o.contacts);
  visit("closed_contacts", o.closed_contacts);
  visit("loaded_contacts", o.loaded_contacts);
  visit("wall_contacts", o.wall_contacts);
  visit("max_penetration", o.max_penetration);
  visit("max_penetration_interval", o.max_penetration_interval);
  visit("kinetic_energy", o.kinetic_energy);
  visit("mean_velocity_x", o.mean_velocity.x());
  visit("mean_velocity_y", o.mean_velocity.y());
  visit("mean_velocity_z", o.mean_velocity.z());
  visit("max_speed", o.max_speed);
}

std::int64_t ConvergedCode(const std::optional<bool>& converged) {
  return converged.has_value() ? static_cast<std::int64_t>(*converged) : -1;
}

// ---- writing

/// Indices of the owned particles that are still there.
std::vector<std::size_t> LivingRows(const Particles& particles) {
  std::vector<std::size_t> rows;
  rows.reserve(particles.owned);
  for (std::size_t i = 0; i < particles.owned; ++i) {
    if (particles.id[i] != kGone) rows.push_back(i);
  }
  return rows;
}

template <class Element>
void WriteField(Hdf5Writer& file, const FieldKind& kind, const std::vector<Element>& field,
                const std::vector<std::size_t>& rows) {
  using Value = typename Layout<Element>::Value;
  const RowShape shape = ShapeOf<Element>(kind);
  std::vector<Value> values(rows.size() * shape.EntriesPerRow());
  for (std::size_t k = 0; k < rows.size(); ++k) {
    static_assert(sizeof(Element) % sizeof(Value) == 0);
    std::memcpy(values.data() + k * shape.EntriesPerRow(),
                reinterpret_cast<const void*>(&field[rows[k]]), sizeof(Element));
  }
  file.Rows<Value>(DatasetOf(kind), values, shape);
  if (*kind.unit != '\0') file.TextAttribute(DatasetOf(kind), "unit", kind.unit);
}

void WriteH5md(Hdf5Writer& file, const SnapshotMeta& meta) {
  constexpr std::array<std::int64_t, 2> kH5mdVersion = {1, 1};
  constexpr std::array<std::int64_t, 2> kUnitsVersion = {1, 0};
  for (const char* group :
       {"/h5md", "/h5md/author", "/h5md/creator", "/h5md/modules", "/h5md/modules/units"}) {
    file.Group(group);
  }
  file.ListAttribute<std::int64_t>("/h5md", "version", kH5mdVersion);
  // H5MD demands an author; the account's name would make equal runs differ.
  file.TextAttribute("/h5md/author", "name", "unspecified");
  file.TextAttribute("/h5md/creator", "name", "Scree");
  file.TextAttribute("/h5md/creator", "version", meta.program_version);
  file.ListAttribute<std::int64_t>("/h5md/modules/units", "version", kUnitsVersion);
  file.TextAttribute("/h5md/modules/units", "system", "SI");
}

void WriteBox(Hdf5Writer& file, const Domain& domain, bool root) {
  const std::string box = kGrains + "/box";
  file.Group(box);
  file.Attribute<std::int64_t>(box, "dimension", 3);
  std::vector<std::string> boundary;
  for (const bool periodic : domain.periodic) boundary.push_back(periodic ? "periodic" : "none");
  file.TextListAttribute(box, "boundary", boundary);
  const Vec3 edges = domain.box.Extent();
  const std::size_t rows_here = root ? 3 : 0;
  file.Rows<double>(box + "/edges", std::span(edges.data(), rows_here), {});
  file.TextAttribute(box + "/edges", "unit", "m");
  file.ListAttribute<double>(box, "offset", std::span(domain.box.lower.data(), 3));
}

void WriteGrains(Hdf5Writer& file, const Particles& particles, const SnapshotMeta& meta,
                 bool root) {
  file.Group("/particles");
  file.Group(kGrains);
  WriteBox(file, meta.domain, root);
  const std::size_t frames_here = root ? 1 : 0;
  const std::vector<std::size_t> rows = LivingRows(particles);
  std::string first;  // of the elements that vary in time; holds step and time of them all
  ForEachField(particles, [&](const char* name, Travels, const auto& field) {
    const FieldKind& kind = KindOf(name);
    const std::string path = kGrains + "/" + name;
    if (kind.varies) file.Group(path);
    WriteField(file, kind, field, rows);
    if (!kind.varies) return;
    if (first.empty()) {
      first = path;
      file.Rows<std::int64_t>(path + "/step", std::span(&meta.observables.step, frames_here), {});
      file.Rows<double>(path + "/time", std::span(&meta.observables.time, frames_here), {});
      file.TextAttribute(path + "/time", "unit", "s");
    } else {
      file.Link(first + "/step", path + "/step");
      file.Link(first + "/time", path + "/time");
    }
  });
}

void WriteProvenance(Hdf5Writer& file, const SnapshotMeta& meta) {
  for (const char* group : {"/scree", "/scree/materials", "/scree/observables", "/scree/solver"}) {
    file.Group(group);
  }
  file.TextAttribute("/scree", "version", meta.program_version);
  file.TextAttribute("/scree", "git_hash", meta.git_hash);
  file.Attribute("/scree", "seed", meta.seed);
  file.Text("/scree/configuration", meta.configuration);

  std::vector<std::string> names;
  std::vector<double> densities;
  for (const Material& material : meta.materials) {
    names.push_back(material.name);
    densities.push_back(material.density);
  }
  file.TextListAttribute("/scree/materials", "name", names);
  file.ListAttribute<double>("/scree/materials", "density", densities);

  ForEachFigure(meta.observables, [&](const char* name, const auto& value) {
    file.Attribute("/scree/observables", name, value);
  });
  file.Attribute<std::int64_t>("/scree/solver", "sweeps", meta.solve.sweeps);
  file.Attribute("/scree/solver", "residual_max", meta.solve.residual_max);
  file.Attribute("/scree/solver", "residual_rms", meta.solve.residual_rms);
  file.Attribute("/scree/solver", "converged", ConvergedCode(meta.solve.converged));
}

/// Upper bound of the file's size.
std::size_t FileSize(const Communicator& communicator, const Particles& particles,
                     const SnapshotMeta& meta) {
  constexpr std::size_t kStructure = 65536;  // groups, attributes: about 25 000 bytes
  std::size_t row = 0;
  ForEachField(particles, [&row](const char*, Travels, const auto& field) {
    row += sizeof(typename std::remove_reference_t<decltype(field)>::value_type);
  });
  const std::int64_t rows = communicator.Sum(static_cast<std::int64_t>(particles.owned));
  return kStructure + meta.configuration.size() + row * static_cast<std::size_t>(rows);
}

// ---- reading

Domain ReadBox(const Hdf5Reader& file) {
  const std::string box = kGrains + "/box";
  const std::vector<double> edges = file.Rows<double>(box + "/edges", {}, 0, 3);
  const std::vector<double> offset = file.ListAttribute<double>(box, "offset");
  const std::vector<std::string> boundary = file.TextListAttribute(box, "boundary");
  if (offset.size() != 3 || boundary.size() != 3) {
    throw FileError(Text("'", file.Path(), "': 'offset' and 'boundary' of ", box,
                         " must have 3 entries, found ", offset.size(), " and ", boundary.size()));
  }
  Domain domain;
  for (int axis = 0; axis < 3; ++axis) {
    const auto k = static_cast<std::size_t>(axis);
    domain.box.lower[axis] = offset[k];
    domain.box.upper[axis] = offset[k] + edges[k];
    domain.periodic[k] = boundary[k] == "periodic";
  }
  return domain;
}

SnapshotMeta ReadMeta(const Hdf5Reader& file) {
  SnapshotMeta meta;
  meta.domain = ReadBox(file);
  meta.program_version = file.TextAttribute("/scree", "version");
  meta.git_hash = file.TextAttribute("/scree", "git_hash");
  meta.seed = file.Attribute<std::uint64_t>("/scree", "seed");
  meta.configuration = file.Text("/scree/configuration");
  const std::vector<std::string> names = file.TextListAttribute("/scree/materials", "name");
  const std::vector<double> densities = file.ListAttribute<double>("/scree/materials", "density");
  if (names.size() != densities.size()) {
    throw FileError(Text("'", file.Path(), "': /scree/materials has ", names.size(), " names and ",
                         densities.size(), " densities; expected as many of each"));
  }
  for (std::size_t k = 0; k < names.size(); ++k) meta.materials.push_back({names[k], densities[k]});
  ForEachFigure(meta.observables, [&](const char* name, auto& value) {
    value = file.Attribute<std::remove_reference_t<decltype(value)>>("/scree/observables", name);
  });
  meta.solve.sweeps = static_cast<int>(file.Attribute<std::int64_t>("/scree/solver", "sweeps"));
  meta.solve.residual_max = file.Attribute<double>("/scree/solver", "residual_max");
  meta.solve.residual_rms = file.Attribute<double>("/scree/solver", "residual_rms");
  const auto converged = file.Attribute<std::int64_t>("/scree/solver", "converged");
  if (converged >= 0) meta.solve.converged = converged != 0;
  return meta;
}

Particles ReadGrains(const Hdf5Reader& file, const Communicator& communicator) {
  const std::string ids = DatasetOf(KindOf("id"));
  const std::size_t total = file.CountRows(ids, {});
  const RowShare share = ShareOf(communicator, total);
  Particles particles;
  Resize(particles, share.count);
  particles.owned = share.count;
  ForEachField(particles, [&](const char* name, Travels, auto& field) {
    using Element = typename std::remove_reference_t<decltype(field)>::value_type;
    const FieldKind& kind = KindOf(name);
    const RowShape shape = ShapeOf<Element>(kind);
    const std::size_t rows = file.CountRows(DatasetOf(kind), shape);
    if (rows != total) {
      throw FileError(Text("'", file.Path(), "': ", DatasetOf(kind), " has ", rows, " rows but ",
                           ids, " has ", total, "; expected as many"));
    }
    const auto values = file.Rows<typename Layout<Element>::Value>(DatasetOf(kind), shape,
                                                                   share.first, share.count);
    if (values.empty()) return;
    std::memcpy(reinterpret_cast<void*>(field.data()), values.data(),
                share.count * sizeof(Element));
  });
  return particles;
}

}  // namespace

void WriteSnapshot(const Communicator& communicator, const std::string& path,
                   const Particles& particles, const SnapshotMeta& meta) {
  const std::size_t size = FileSize(communicator, particles, meta);
  CallOnRoot<OutputError>(communicator, [&] { CheckSpace(path, size); });
  Hdf5Writer file(communicator, TemporaryName(path));
  WriteH5md(file, meta);
  WriteGrains(file, particles, meta, communicator.IsRoot());
  WriteProvenance(file, meta);
  file.Close();
  CallOnRoot<OutputError>(communicator, [&] { CommitFile(path); });
}

Snapshot ReadSnapshot(const Communicator& communicator, const std::string& path) {
  Snapshot snapshot;
  CallOnAll<FileError>(communicator, [&] {
    const Hdf5Reader file(path);
    snapshot.meta = ReadMeta(file);
    snapshot.particles = ReadGrains(file, communicator);
  });
  return snapshot;
}

}  // namespace scree
