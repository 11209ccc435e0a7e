#include "io/state/snapshot.hpp"

#include <array>
#include <cstring>
#include <span>
#include <string_view>

#include "io/files/atomic_file.hpp"
#include "io/files/collective_call.hpp"
#include "io/files/digest.hpp"
#include "io/files/field_layout.hpp"
#include "io/files/file_exists.hpp"
#include "io/files/hdf5_file.hpp"
#include "io/files/row_share.hpp"
#include "io/scene/enum_names.hpp"
#include "io/state/number_range.hpp"
#include "solvers/base/check.hpp"

namespace scree {
namespace {

const std::string kGrains = "/particles/grains";
const std::string kContacts = "/scree/contacts";
const std::string kBonds = "/scree/bonds";
const std::string kSubdomains = "/scree/subdomains";

// ---- writing

/// Indices of the owned particles that are not removed.
std::vector<std::size_t> RemainingRows(const Particles& particles) {
  std::vector<std::size_t> rows;
  rows.reserve(particles.owned);
  for (std::size_t i = 0; i < particles.owned; ++i) {
    if (particles.id[i] != kRemovedId) rows.push_back(i);
  }
  return rows;
}

template <class Element>
void WriteField(Hdf5Writer& file, const Field& field, std::span<const Element> array,
                const std::vector<std::size_t>& rows, bool single) {
  using Value = typename Layout<Element>::Value;
  const std::string dataset = kGrains + "/" + DatasetOf(field);
  RowShape shape = ShapeOf<Element>(field);
  shape.single = single;
  std::vector<Value> values(rows.size() * shape.EntriesPerRow());
  for (std::size_t k = 0; k < rows.size(); ++k) {
    static_assert(sizeof(Element) % sizeof(Value) == 0);
    std::memcpy(values.data() + k * shape.EntriesPerRow(),
                reinterpret_cast<const void*>(&array[rows[k]]), sizeof(Element));
  }
  file.Rows<Value>(dataset, values, shape);
  if (*field.unit != '\0') file.TextAttribute(dataset, "unit", field.unit);
}

void WriteH5md(Hdf5Writer& file, const SnapshotMeta& meta) {
  constexpr std::array<std::int64_t, 2> kH5mdVersion = {1, 1};
  constexpr std::array<std::int64_t, 2> kUnitsVersion = {1, 0};
  for (const char* group :
       {"/h5md", "/h5md/author", "/h5md/creator", "/h5md/modules", "/h5md/modules/units"}) {
    file.MakeGroup(group);
  }
  file.ListAttribute<std::int64_t>("/h5md", "version", kH5mdVersion);
  // H5MD requires an author. An account's name would make equal runs differ.
  file.TextAttribute("/h5md/author", "name", "unspecified");
  file.TextAttribute("/h5md/creator", "name", "Scree");
  file.TextAttribute("/h5md/creator", "version", meta.program_version);
  file.ListAttribute<std::int64_t>("/h5md/modules/units", "version", kUnitsVersion);
  file.TextAttribute("/h5md/modules/units", "system", "SI");
}

void WriteBox(Hdf5Writer& file, const Domain& domain, bool is_root) {
  const std::string box = kGrains + "/box";
  file.MakeGroup(box);
  file.Attribute<std::int64_t>(box, "dimension", 3);
  std::vector<std::string> boundary;
  for (const bool periodic : domain.periodic) boundary.push_back(periodic ? "periodic" : "none");
  file.TextListAttribute(box, "boundary", boundary);
  const Vec3 edges = domain.box.Extent();
  const std::size_t own_rows = is_root ? 3 : 0;
  file.Rows<double>(box + "/edges", std::span(edges.data(), own_rows), {});
  file.TextAttribute(box + "/edges", "unit", "m");
  file.ListAttribute<double>(box, "offset", std::span(domain.box.lower.data(), 3));
  if (domain.deforms) {
    file.ListAttribute<double>(box, "strain_rate", std::span(domain.stretch.data(), 3));  // [1/s]
  }
  const Shear& shear = domain.shear;
  if (!shear.IsActive() && domain.image_offset == 0.0) return;
  file.Attribute<double>(box, "shear_rate", shear.rate);  // [1/s]
  const std::vector<std::string> axes = {NameOf(shear.flow), NameOf(shear.gradient)};
  file.TextListAttribute(box, "shear_axes", axes);
  if (domain.deforms) file.Attribute<double>(box, "image_offset", domain.image_offset);  // [m]
}

void WriteGrains(Hdf5Writer& file, const Particles& particles, std::span<const Vec3> velocities,
                 const SnapshotMeta& meta, const SnapshotFormat& format, bool is_root) {
  file.MakeGroup("/particles");
  file.MakeGroup(kGrains);
  WriteBox(file, meta.domain, is_root);
  const std::size_t own_frames = is_root ? 1 : 0;
  const std::vector<std::size_t> rows = RemainingRows(particles);
  std::string first;  // first time-dependent element; it contains step and time for all of them
  ForEachField(particles, [&](const Field& field, const auto& array) {
    if (!format.Has(field.name)) return;
    const std::string path = kGrains + "/" + field.name;
    const bool is_varying = field.time_dependence == TimeDependence::kVarying;
    if (is_varying) file.MakeGroup(path);
    std::span values(array);
    if constexpr (std::is_same_v<decltype(values), std::span<const Vec3>>) {
      if (&array == &particles.velocity && !velocities.empty()) values = velocities;
    }
    WriteField(file, field, values, rows, format.is_single_precision);
    if (!is_varying) return;
    if (first.empty()) {
      first = path;
      file.Rows<std::int64_t>(path + "/step", std::span(&meta.observables.step, own_frames), {});
      file.Rows<double>(path + "/time", std::span(&meta.observables.time, own_frames), {});
      file.TextAttribute(path + "/time", "unit", "s");
    } else {
      file.Link(first + "/step", path + "/step");
      file.Link(first + "/time", path + "/time");
    }
  });
}

/// Labels and sizes of clusters, as time-dependent fields of the particles.
void WriteClusters(Hdf5Writer& file, const Particles& particles, const BondClusters& clusters,
                   const SnapshotMeta& meta, bool is_root) {
  const std::vector<std::size_t> rows = RemainingRows(particles);
  const std::size_t own_frames = is_root ? 1 : 0;
  const auto write = [&](const std::string& name, std::span<const std::int64_t> values_of_owned) {
    const std::string path = kGrains + "/" + name;
    std::vector<std::int64_t> values;
    for (const std::size_t i : rows) values.push_back(values_of_owned[i]);
    file.MakeGroup(path);
    file.Rows<std::int64_t>(path + "/value", values, {0, true});
    file.Rows<std::int64_t>(path + "/step", std::span(&meta.observables.step, own_frames), {});
    file.Rows<double>(path + "/time", std::span(&meta.observables.time, own_frames), {});
    file.TextAttribute(path + "/time", "unit", "s");
  };
  write("cluster", clusters.label);
  write("cluster_size", clusters.size);
}

void WriteContacts(Hdf5Writer& file, const std::vector<ContactRecord>& contacts, bool single) {
  std::vector<std::int64_t> ids;
  std::vector<std::int32_t> walls;
  std::vector<double> positions, normals, gaps, impulses, pulls, energies;
  const auto append = [](std::vector<double>& values, const Vec3& v) {
    values.insert(values.end(), v.data(), v.data() + 3);
  };
  for (const ContactRecord& contact : contacts) {
    ids.insert(ids.end(), {contact.id_a, contact.id_b});
    walls.push_back(contact.wall);
    append(positions, contact.position);
    append(normals, contact.normal);
    gaps.push_back(contact.gap);
    append(impulses, contact.impulse);
    append(pulls, contact.pull);
    energies.push_back(contact.dissipation);
  }
  file.MakeGroup(kContacts);
  file.Rows<std::int64_t>(kContacts + "/id", ids, {2});
  file.Rows<std::int32_t>(kContacts + "/wall", walls, {});
  const auto write = [&](const char* name, const std::vector<double>& values, std::size_t columns,
                         const char* unit) {
    const std::string path = kContacts + "/" + name;
    file.Rows<double>(path, values, {columns, false, single});
    if (*unit != '\0') file.TextAttribute(path, "unit", unit);
  };
  write("position", positions, 3, "m");
  write("normal", normals, 3, "");
  write("gap", gaps, 0, "m");
  write("impulse", impulses, 3, "N s");
  write("pull", pulls, 3, "N s");
  write("dissipation", energies, 0, "J");
}

/// Bonds of a particle with a wall have -1 as second id, bonds of two particles -1 as wall.
void WriteBonds(Hdf5Writer& file, std::span<const Bond> bonds, bool has_damage) {
  std::vector<std::int64_t> ids;
  std::vector<std::int32_t> walls, rules, states;
  std::vector<double> areas, strengths, birth_times, break_times, damages;
  for (const Bond& bond : bonds) {
    ids.insert(ids.end(), {bond.a, bond.b.IsSurface() ? -1 : bond.b.Particle()});
    walls.push_back(bond.wall);
    rules.push_back(bond.rule);
    states.push_back(static_cast<std::int32_t>(bond.state));
    areas.push_back(bond.area);
    strengths.push_back(bond.strength);
    birth_times.push_back(bond.born);
    break_times.push_back(bond.broken);
    damages.push_back(bond.Damage());
  }
  file.MakeGroup(kBonds);
  file.Rows<std::int64_t>(kBonds + "/id", ids, {2});
  file.Rows<std::int32_t>(kBonds + "/wall", walls, {});
  file.Rows<std::int32_t>(kBonds + "/rule", rules, {});
  file.Rows<std::int32_t>(kBonds + "/state", states, {});
  const auto write = [&](const char* name, const std::vector<double>& values, const char* unit) {
    const std::string path = kBonds + "/" + name;
    file.Rows<double>(path, values, {});
    if (*unit != '\0') file.TextAttribute(path, "unit", unit);
  };
  write("area", areas, "m2");
  write("strength", strengths, "");
  write("born", birth_times, "s");
  write("broken", break_times, "s");
  if (has_damage) write("damage", damages, "");
}

/// The part of a subdomain inside the domain. A subdomain may extend to infinity.
void WriteSubdomain(Hdf5Writer& file, const Box& subdomain, const Box& domain) {
  const Vec3 lower = subdomain.lower.cwiseMax(domain.lower);
  const Vec3 upper = subdomain.upper.cwiseMin(domain.upper);
  const std::vector<double> row = {lower.x(), lower.y(), lower.z(),
                                   upper.x(), upper.y(), upper.z()};
  file.Rows<double>(kSubdomains, row, {row.size()});
  file.TextAttribute(kSubdomains, "unit", "m");
}

/// Upper bound of the file's size.
std::size_t FileSize(const Communicator& communicator, const Particles& particles,
                     const SnapshotMeta& meta, std::size_t contacts) {
  constexpr std::size_t kStructure = 65536;  // groups, attributes: about 25 000 bytes
  const std::size_t rank_bytes =
      kBytesPerParticle * particles.owned + sizeof(ContactRecord) * contacts;
  const std::int64_t bytes = communicator.Sum(static_cast<std::int64_t>(rank_bytes));
  return kStructure + meta.configuration.size() + MaxBytesOf(meta.walls) +
         static_cast<std::size_t>(bytes);
}

/// Gives the file and its digest their final names. Between the two renames the file has no digest.
/// If the digest were renamed first, a crash could leave an old file with this digest.
void CommitWithDigest(const std::string& path, const std::string& digest_text) {
  const std::string digest = DigestName(path);
  WriteTemporary(digest, digest_text);
  SyncFiles({TemporaryName(path), TemporaryName(digest)});
  RemoveFiles({digest}).get();
  CommitSynced({path, digest});
}

// ---- reading

/// Requires the expected unit if the dataset names a unit.
void CheckUnit(const Hdf5Reader& file, const std::string& dataset, const std::string& expected) {
  if (expected.empty() || !file.HasAttribute(dataset, "unit")) return;
  const std::string unit = file.TextAttribute(dataset, "unit");
  if (unit == expected) return;
  throw FileError(
      Text("'", file.Path(), "': ", dataset, " is in '", unit, "'; expected '", expected, "'"));
}

/// Reads the mean flow, and the offset of the images in a cell; a domain at rest has neither.
void ReadMeanFlow(const Hdf5Reader& file, const std::string& box, Domain& domain) {
  domain.deforms = file.HasAttribute(box, "strain_rate");
  if (domain.deforms) {
    const std::vector<double> rates = file.ListAttribute<double>(box, "strain_rate");
    RequireCount(file.Path(), "strain_rate of " + box, rates.size(), 3);
    RequireNumbers<double>(file.Path(), "strain_rate of " + box, rates, kAnyNumber);
    domain.stretch = Vec3(rates[0], rates[1], rates[2]);
  }
  if (!file.HasAttribute(box, "shear_rate")) return;
  Shear& shear = domain.shear;
  shear.rate = file.Attribute<double>(box, "shear_rate");
  RequireNumber(file.Path(), "shear_rate of " + box, shear.rate, kAnyNumber);
  const std::vector<std::string> axes = file.TextListAttribute(box, "shear_axes");
  RequireCount(file.Path(), "shear_axes of " + box, axes.size(), 2);
  try {
    shear.flow = EnumNamed<CoordinateAxis>(axes[0]);
    shear.gradient = EnumNamed<CoordinateAxis>(axes[1]);
    if (shear.flow == shear.gradient) throw InputError("expected two different axes");
  } catch (const InputError& error) {
    throw FileError(Text("'", file.Path(), "': 'shear_axes' of ", box, " are ", axes[0], " and ",
                         axes[1], "; ", error.what()));
  }
  if (!domain.deforms) return;
  domain.image_offset = file.Attribute<double>(box, "image_offset");
  RequireNumber(file.Path(), "image_offset of " + box, domain.image_offset, kPosition);
}

Domain ReadBox(const Hdf5Reader& file) {
  const std::string box = kGrains + "/box";
  const std::vector<double> edges = file.Rows<double>(box + "/edges", {}, 0, 3);
  const std::vector<double> offset = file.ListAttribute<double>(box, "offset");
  const std::vector<std::string> boundary = file.TextListAttribute(box, "boundary");
  const auto dimension = file.Attribute<std::int64_t>(box, "dimension");
  RequireNumber(file.Path(), "dimension of " + box, dimension, {3.0, 3.0});
  RequireCount(file.Path(), "edges of " + box, file.CountRows(box + "/edges", {}), 3);
  RequireNumbers<double>(file.Path(), "edges of " + box, edges, kNotNegative);
  RequireNumbers<double>(file.Path(), "offset of " + box, offset, kPosition);
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
  ReadMeanFlow(file, box, domain);
  return domain;
}

Particles ReadGrains(const Hdf5Reader& file, const Communicator& communicator) {
  const std::string ids = kGrains + "/id";
  const std::size_t total = file.CountRows(ids, {});
  const RowShare share = ShareOf(communicator, total);
  Particles particles;
  Resize(particles, share.count);
  particles.owned = share.count;
  ForEachField(particles, [&](const Field& field, auto& array) {
    using Element = ElementOf<decltype(array)>;
    const std::string dataset = kGrains + "/" + DatasetOf(field);
    if (IsMissingWithDefault(field, file, dataset)) return;
    const RowShape shape = ShapeOf<Element>(field);
    const std::size_t rows = file.CountRows(dataset, shape);
    CheckUnit(file, dataset, field.unit);
    if (rows != total) {
      throw FileError(Text("'", file.Path(), "': ", dataset, " has ", rows, " rows but ", ids,
                           " has ", total, "; expected equal numbers"));
    }
    const auto values =
        file.Rows<typename Layout<Element>::Value>(dataset, shape, share.first, share.count);
    if (values.empty()) return;
    std::memcpy(reinterpret_cast<void*>(array.data()), values.data(),
                share.count * sizeof(Element));
  });
  return particles;
}

}  // namespace

void WriteSnapshot(const Communicator& communicator, const std::string& path,
                   const Particles& particles, const SnapshotMeta& meta,
                   const SnapshotFormat& format, const std::vector<ContactRecord>* contacts,
                   const Box* subdomain, std::span<const Vec3> velocities,
                   const BondOutput* bonds) {
  const std::size_t size = FileSize(
      communicator, particles, meta,
      (contacts != nullptr ? contacts->size() : 0) + (bonds != nullptr ? bonds->bonds.size() : 0));
  CallOnRoot<OutputError>(communicator, [&] { CheckSpace(path, size); });
  Hdf5Writer file(communicator, TemporaryName(path));
  WriteH5md(file, meta);
  WriteGrains(file, particles, velocities, meta, format, communicator.IsRoot());
  WriteMeta(file, meta);
  WriteWalls(file, meta.walls, communicator.IsRoot());
  if (contacts != nullptr) WriteContacts(file, *contacts, format.is_single_precision);
  if (bonds != nullptr) {
    WriteClusters(file, particles, bonds->clusters, meta, communicator.IsRoot());
    WriteBonds(file, bonds->bonds, bonds->has_damage);
  }
  if (subdomain != nullptr) WriteSubdomain(file, *subdomain, meta.domain.box);
  file.Close();
  const std::string digest = DigestText(communicator, TemporaryName(path), path);
  CallOnRoot<OutputError>(communicator, [&] { CommitWithDigest(path, digest); });
}

Snapshot ReadSnapshot(const Communicator& communicator, const std::string& path) {
  bool has_digest = false;  // files of other programs have none
  CallOnRoot<FileError>(communicator,
                        [&] { has_digest = FileExists(path) && FileExists(DigestName(path)); });
  if (communicator.Max(std::int64_t{has_digest}) > 0) {
    if (const std::string damage = DamageOf(communicator, path); !damage.empty()) {
      throw FileError(damage);
    }
  }
  Snapshot snapshot;
  CallOnAll<FileError>(communicator, [&] {
    const Hdf5Reader file(path);
    const Domain domain = ReadBox(file);
    snapshot.meta = ReadMeta(file);
    snapshot.meta.domain = domain;
    snapshot.particles = ReadGrains(file, communicator);
  });
  return snapshot;
}

}  // namespace scree
