#include "io/configuration/mesh_files.hpp"

#include <filesystem>

#include "engine/geometry/triangle_mesh.hpp"
#include "io/files/collective_call.hpp"
#include "io/files/file_exists.hpp"
#include "io/files/stl_file.hpp"
#include "io/files/text_file.hpp"
#include "solvers/check.hpp"

namespace scree {
namespace {

std::string Found(const std::string& file, const std::string& scene_file) {
  const std::filesystem::path path = file;
  if (path.is_absolute() || FileExists(path)) return file;
  const auto beside = std::filesystem::path(scene_file).parent_path() / path;
  return !scene_file.empty() && FileExists(beside) ? beside.string() : file;
}

void Load(const Communicator& communicator, const std::string& scene_file, Mesh& mesh) {
  std::string path, bytes;
  CallOnRoot<FileError>(communicator, [&] {
    path = Found(mesh.file, scene_file);
    bytes = ReadTextFile(path);
  });
  mesh.file = communicator.Broadcast(path);
  bytes = communicator.Broadcast(bytes);
  try {
    std::vector<Triangle> triangles = ReadStl(bytes);
    for (Triangle& triangle : triangles) {
      for (Vec3& corner : triangle) corner = mesh.unit * corner + mesh.offset;
    }
    mesh.surface = std::make_shared<const TriangleMesh>(triangles, mesh.solid);
  } catch (const InputError& error) {
    throw FileError(Text("'", mesh.file, "' ", error.what()));
  }
}

void DemandInDomain(const Wall& wall, const Mesh& mesh, const Box& domain) {
  const Box bounds = mesh.surface->Bounds();
  if ((bounds.lower.array() <= domain.upper.array()).all() &&
      (bounds.upper.array() >= domain.lower.array()).all()) {
    return;
  }
  throw InputError(Text("[wall.", wall.name, "] file: the mesh lies at (", bounds.lower.transpose(),
                        ") .. (", bounds.upper.transpose(), ") m, outside the domain, which is (",
                        domain.lower.transpose(), ") .. (", domain.upper.transpose(),
                        ") m; expected another unit (", mesh.unit, " m) or offset"));
}

}  // namespace

void LoadMeshes(const Communicator& communicator, const std::string& scene_file, Scene& scene) {
  for (Wall& wall : scene.walls) {
    for (ShapePart& part : wall.shape.parts) {
      auto* const mesh = std::get_if<Mesh>(&part);
      if (mesh == nullptr) continue;
      Load(communicator, scene_file, *mesh);
      const bool moves = !wall.velocity.isZero(0.0) || !wall.oscillation.amplitude.isZero(0.0);
      if (!moves) DemandInDomain(wall, *mesh, scene.domain.box);
    }
  }
}

}  // namespace scree
