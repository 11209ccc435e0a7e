#include "io/state/file_info.hpp"

#include "engine/particles/particles.hpp"
#include "io/files/digest.hpp"
#include "io/files/file_exists.hpp"
#include "io/files/hdf5_file.hpp"
#include "io/scene/units.hpp"
#include "io/state/checkpoint.hpp"
#include "io/state/snapshot_meta.hpp"
#include "solvers/base/check.hpp"

namespace scree {
namespace {

class Lines {
 public:
  /// Adds a line "name:      value", in columns.
  template <class... Parts>
  void Add(const std::string& name, const Parts&... parts) {
    std::string head = name.empty() ? "" : name + ":";
    head.resize(std::max<std::size_t>(head.size() + 1, 16), ' ');
    text_ += head + Text(parts...) + "\n";
  }
  std::string Take() { return std::move(text_); }

 private:
  std::string text_;
};

/// @param is_damaged  receives whether the file is damaged; unchanged if there is no digest
std::string DescribeDigest(const std::string& path, bool& is_damaged) {
  if (!FileExists(DigestName(path))) return "none next to the file";
  const std::string damage = DamageOf(path);
  is_damaged = !damage.empty();
  return is_damaged ? damage : Text("good (xxh64 ", WrittenDigest(path), ")");
}

std::string DescribeSolve(const SolveReport& solve) {
  return Text(solve.sweeps, " sweeps, residual at most ", solve.residual_max, " m/s, rms ",
              solve.residual_rms, " m/s",
              !solve.converged   ? ""
              : *solve.converged ? ", converged"
                                 : ", not converged");
}

std::string DescribeSolveError(const MeasuredSolveError& error) {
  return Text("impulses ", error.impulses, ", RMS of normal impulses ", error.normal_rms,
              ", mean of normal impulses ", error.normal_mean, " (relative, in step ", error.step,
              ")");
}

void AddMeta(const SnapshotMeta& meta, Lines& lines) {
  const Observables& o = meta.observables;
  lines.Add("written by", "Scree ", meta.program_version, " (", meta.git_hash, ")");
  lines.Add("step", o.step);
  lines.Add("time", ShortestText(o.time), " s");
  lines.Add("particles", o.particles, " (", o.inserted, " inserted, ", o.deleted,
            " deleted so far)");
  lines.Add("contacts", o.contacts, " active, ", o.closed_contacts, " closed, ", o.loaded_contacts,
            " loaded, ", o.wall_contacts, " with walls");
  if (o.touching_contacts) {
    lines.Add("touching contacts", *o.touching_contacts, ", gap at most ", o.touching_gap, " m");
  }
  lines.Add("penetration", "at most ", o.max_penetration, " m");
  lines.Add("kinetic energy", o.kinetic_energy, " J");
  lines.Add("largest speed", o.max_speed, " m/s");
  lines.Add("solver", DescribeSolve(meta.solve));
  if (meta.solve.measured) lines.Add("solve error", DescribeSolveError(*meta.solve.measured));
  for (const Material& material : meta.materials) {
    lines.Add("material", material.name, ", ", material.density, " kg/m^3");
  }
  lines.Add("seed", meta.seed);
}

/// Adds a line for each existing dataset of a particle field.
void AddFields(const Hdf5Reader& file, const std::string& group, Lines& lines) {
  const Particles particles;
  ForEachField(particles, [&](const Field& field, const auto&) {
    const std::string plain = group + "/" + field.name;
    for (const std::string& path : {plain + "/value", plain}) {
      if (!file.Has(path)) continue;
      lines.Add("field", field.name, ", ", file.DescribeDataset(path));
      return;
    }
  });
}

void AddCheckpoint(const Hdf5Reader& file, Lines& lines) {
  const Cuts cuts = ReadCuts(file);
  lines.Add("ranks", CountBoxes(cuts), " as ", DescribeCuts(cuts));
  lines.Add("output so far", file.Attribute<std::int64_t>("/checkpoint", "series_rows"),
            " rows of the series, ", file.CountRows("/checkpoint/snapshots", {3}), " snapshots");
}

}  // namespace

FileInfo DescribeFile(const std::string& path) {
  FileInfo info;
  Lines lines;
  lines.Add("file", path);
  const std::string digest = DescribeDigest(path, info.is_damaged);
  try {
    const Hdf5Reader file(path);
    const bool is_checkpoint = file.Has("/checkpoint");
    lines.Add("kind", is_checkpoint ? "checkpoint" : "snapshot");
    lines.Add("digest", digest);
    const SnapshotMeta meta = ReadMeta(file);
    AddMeta(meta, lines);
    if (is_checkpoint) AddCheckpoint(file, lines);
    AddFields(file, is_checkpoint ? "/checkpoint/particles" : "/particles/grains", lines);
    if (file.Has("/scree/contacts/id")) {
      lines.Add("contacts", "stored: ", file.CountRows("/scree/contacts/id", {2}));
    }
    info.configuration = meta.configuration;
  } catch (const FileError& error) {
    if (!info.is_damaged) throw;
    throw FileError(Text(digest, "\n", error.what()));
  }
  info.text = lines.Take();
  return info;
}

}  // namespace scree
