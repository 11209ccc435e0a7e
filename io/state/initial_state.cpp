#include "io/state/initial_state.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "engine/ranks/byte_buffer.hpp"
#include "engine/ranks/collective_error.hpp"
#include "io/files/collective_call.hpp"
#include "io/files/field_layout.hpp"
#include "io/state/number_range.hpp"
#include "io/state/particle_csv.hpp"
#include "io/state/snapshot.hpp"
#include "io/state/text_state.hpp"
#include "solvers/base/check.hpp"

namespace scree {
namespace {

/// Row of the material with this name in the scene's table.
MaterialId FindMaterial(const MaterialTable& materials, const std::string& name,
                        const std::string& path) {
  std::string known;
  for (std::size_t k = 0; k < materials.Size(); ++k) {
    const auto id = static_cast<MaterialId>(k);
    if (materials[id].name == name) return id;
    known += (k == 0 ? "" : ", ") + materials[id].name;
  }
  throw FileError(
      Text("'", path, "': material '", name, "' is not in the scene; expected one of ", known));
}

/// Converts material numbers of the snapshot to those of the scene.
void MatchMaterials(Snapshot& snapshot, const MaterialTable& materials, const std::string& path) {
  const std::vector<Material>& stored = snapshot.meta.materials;
  for (MaterialId& material : snapshot.particles.material) {
    if (material < 0 || static_cast<std::size_t>(material) >= stored.size()) {
      throw FileError(Text("'", path, "': a particle has material ", material,
                           "; expected less than ", stored.size()));
    }
    material = FindMaterial(materials, stored[static_cast<std::size_t>(material)].name, path);
  }
}

/// Converts shape numbers of the snapshot to those of the scene.
void MatchShapes(Snapshot& snapshot, std::span<const ClumpShape> clumps, const std::string& path) {
  const std::vector<ShapeRecord>& stored = snapshot.meta.shapes;
  for (ShapeId& shape : snapshot.particles.shape) {
    if (shape == kSphereShape) continue;
    const auto number = static_cast<std::size_t>(shape) - 1;
    if (shape < 0 || number >= stored.size()) {
      throw FileError(
          Text("'", path, "': a particle has shape ", shape, "; expected at most ", stored.size()));
    }
    const std::string& name = stored[number].name;
    const auto found = std::ranges::find(
        clumps, name, [](const ClumpShape& clump) { return clump.description.name; });
    if (found == clumps.end()) {
      throw FileError(Text("'", path, "': shape '", name,
                           "' is not in the scene; expected a [shape.", name, "]"));
    }
    shape = static_cast<ShapeId>(found - clumps.begin()) + 1;
  }
}

/// Says what is wrong with the numbers of an element, as text that follows the field's name; empty:
/// nothing is wrong.
template <class Element>
std::string DescribeInvalid(const Element& element, const NumberRange& range) {
  for (const auto number : Numbers(std::span(&element, 1))) {
    if (range.Contains(number)) continue;
    if (!std::isfinite(static_cast<double>(number))) return " that is not finite";
    return Text(" of ", number, "; ", DescribeRange(range));
  }
  return {};
}

/// The field's name with an article, such as "an angular velocity".
std::string WithArticle(std::string field) {
  std::replace(field.begin(), field.end(), '_', ' ');
  const bool begins_with_vowel = std::string("aeiou").find(field.front()) != std::string::npos;
  return (begins_with_vowel ? "an " : "a ") + field;
}

void CheckValues(const Particles& particles, const std::string& path, RemovedParticles removed) {
  for (std::size_t i = 0; i < particles.owned; ++i) {
    if (removed == RemovedParticles::kAllowed && particles.id[i] == kRemovedId) continue;
    const Quaternion& q = particles.orientation[i];
    const double length = std::hypot(std::hypot(q.w, q.x), std::hypot(q.y, q.z));
    const auto fail = [&](const std::string& quantity) {
      throw FileError(Text("'", path, "': particle ", particles.id[i], " has ", quantity));
    };
    if (particles.id[i] < 0) fail("a negative id; expected 0 or more");
    if (particles.radius[i] <= 0.0) fail("a radius that is not positive");
    if (std::abs(length - 1.0) >= 1e-6) fail("an orientation that is not a unit quaternion");
    ForEachField(particles, [&](const Field& field, const auto& array) {
      const std::string error = DescribeInvalid(array[i], RangeOf(field));
      if (!error.empty()) fail(WithArticle(field.name) + error);
    });
  }
}

/// Sends each id to rank (id mod ranks), which then has all duplicates of it.
void CheckIdsDiffer(const Communicator& communicator, const Particles& particles,
                    const std::string& path) {
  std::vector<ByteWriter> outgoing(static_cast<std::size_t>(communicator.Size()));
  for (const ParticleId id : particles.id) {
    if (id == kRemovedId) continue;
    outgoing[static_cast<std::size_t>(id % communicator.Size())].Put(id);
  }
  std::vector<Communicator::Message> messages;
  for (int rank = 0; rank < communicator.Size(); ++rank) {
    messages.push_back({rank, outgoing[static_cast<std::size_t>(rank)].Take()});
  }
  std::vector<ParticleId> ids;
  for (const Communicator::Message& message : communicator.ExchangeSparse(messages)) {
    ByteReader reader(message.bytes);
    while (!reader.IsAtEnd()) ids.push_back(reader.Get<ParticleId>());
  }
  std::sort(ids.begin(), ids.end());
  CallOnAll<FileError>(communicator, [&] {
    const auto duplicate = std::adjacent_find(ids.begin(), ids.end());
    if (duplicate == ids.end()) return;
    throw FileError(Text("'", path, "': id ", *duplicate, " occurs more than once"));
  });
}

InitialState ReadFromSnapshot(const Communicator& communicator, const std::string& path,
                              const MaterialTable& materials, std::span<const ClumpShape> clumps) {
  Snapshot snapshot = ReadSnapshot(communicator, path);
  CallOnAll<FileError>(communicator, [&] {
    MatchMaterials(snapshot, materials, path);
    MatchShapes(snapshot, clumps, path);
    CheckValues(snapshot.particles, path, RemovedParticles::kRejected);
  });
  CheckIdsDiffer(communicator, snapshot.particles, path);
  return {std::move(snapshot.particles), snapshot.meta.domain, true};
}

InitialState ReadFromTable(const Communicator& communicator, const std::string& path,
                           const MaterialTable& materials, std::span<const ClumpShape> clumps) {
  TableNames names;
  for (std::size_t k = 0; k < materials.Size(); ++k) {
    names.materials.push_back(materials[static_cast<MaterialId>(k)].name);
  }
  for (const ClumpShape& clump : clumps) {
    names.shapes.push_back(clump.description.name);
    names.radii.push_back(clump.bounding_radius);
  }
  ParticleTable table = ReadParticleCsv(communicator, path, names);
  CallOnAll<FileError>(communicator,
                       [&] { CheckValues(table.particles, path, RemovedParticles::kRejected); });
  InitialState state{std::move(table.particles), std::nullopt};
  if (table.box) state.domain = Domain{*table.box};
  return state;
}

/// Requires that the materials and shapes of particles are rows of the scene's tables.
void CheckMaterialsAndShapes(const Particles& particles, std::size_t materials, std::size_t shapes,
                             const std::string& source) {
  const auto check = [&](std::size_t i, const char* quantity, std::int32_t number,
                         std::size_t max) {
    if (number >= 0 && static_cast<std::size_t>(number) < max) return;
    throw FileError(Text("'", source, "': particle ", particles.id[i], " has ", quantity, " ",
                         number, "; expected 0 to ", max - 1));
  };
  for (std::size_t i = 0; i < particles.owned; ++i) {
    if (particles.id[i] == kRemovedId) continue;
    check(i, "material", particles.material[i], materials);
    check(i, "shape", particles.shape[i], shapes);
  }
}

}  // namespace

void CheckParticles(const Communicator& communicator, const Particles& particles,
                    const MaterialTable& materials, std::span<const ClumpShape> clumps,
                    const std::string& source, RemovedParticles removed) {
  CallOnAll<FileError>(communicator, [&] {
    CheckValues(particles, source, removed);
    CheckMaterialsAndShapes(particles, materials.Size(), clumps.size() + 1, source);
  });
  CheckIdsDiffer(communicator, particles, source);
}

InitialState ReadInitialState(const Communicator& communicator, const std::string& path,
                              const MaterialTable& materials, std::span<const ClumpShape> clumps) {
  InitialState state = path.ends_with(".csv") || path.ends_with(".csv.gz") || IsTextStateName(path)
                           ? ReadFromTable(communicator, path, materials, clumps)
                           : ReadFromSnapshot(communicator, path, materials, clumps);
  if (communicator.Sum(static_cast<std::int64_t>(state.particles.owned)) == 0) {
    throw FileError(Text("'", path, "' contains no particles; expected at least one"));
  }
  return state;
}

}  // namespace scree
