#include "io/scene/scene_file.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <utility>

#include "engine/geometry/triangle_mesh.hpp"
#include "engine/scene/links.hpp"
#include "io/files/collective_call.hpp"
#include "io/files/digest.hpp"
#include "io/files/obj_file.hpp"
#include "io/files/stl_file.hpp"
#include "io/files/text_file.hpp"
#include "io/scene/config_reader.hpp"
#include "io/scene/ini_file.hpp"
#include "io/scene/named_file.hpp"
#include "solvers/base/check.hpp"

namespace scree {

namespace {

/// Scales, rotates and shifts the triangles of the file. Reverses them if `flip` is set, and
/// reverses mirrored triangles, so that they face the same side as before.
void PlaceTriangles(const Mesh& mesh, std::vector<Triangle>& triangles) {
  const double angle = mesh.rotation.norm();
  const bool is_changed = angle > 0.0 || mesh.scale != Vec3::Ones();
  const bool needs_reversal = mesh.flip != (mesh.scale.prod() < 0.0);
  Mat3 transform = mesh.scale.asDiagonal();
  if (angle > 0.0) transform = Eigen::AngleAxisd(angle, mesh.rotation / angle).matrix() * transform;
  for (Triangle& triangle : triangles) {
    for (Vec3& corner : triangle) {
      if (is_changed) corner = transform * corner;
      corner = mesh.unit * corner + mesh.offset;
    }
    if (needs_reversal) std::swap(triangle[1], triangle[2]);
  }
}

void RequireUnchanged(const std::vector<InputDigest>& inputs, const InputDigest& current,
                      const std::string& path) {
  const auto known = std::ranges::find(inputs, current.key, &InputDigest::key);
  if (known == inputs.end() || known->digest == current.digest) return;
  throw FileError(Text("'", path, "' has changed since the run began: its digest is ",
                       current.digest, ", expected ", known->digest,
                       "; give the original file by --", current.key,
                       " PATH, or start a new run from a snapshot, with initial.file"));
}

/// Requires that the wall's keys do not make triangles of the file degenerate.
void RequireResolved(const Wall& wall, const Mesh& mesh, std::vector<Triangle> placed) {
  const std::size_t triangle_count = placed.size(), flat_count = DropDegenerate(placed);
  if (flat_count == 0) return;
  throw InputError(
      Text("[wall.", wall.name, "] scale, unit, turn and offset make ", flat_count, " of ",
           triangle_count, " triangles of '", mesh.file,
           "' degenerate: flat, or too far from the origin for the precision of numbers"
           "; expected other scales, or a smaller offset"));
}

/// The InputDigest of a wall's file, added if it is missing.
InputDigest& InputOf(const Wall& wall, std::vector<InputDigest>& inputs) {
  const auto known = std::ranges::find(inputs, MeshKey(wall), &InputDigest::key);
  if (known != inputs.end()) return *known;
  return inputs.emplace_back(InputDigest{MeshKey(wall), "", Text("[wall.", wall.name, "] file")});
}

/// Requires that a scene can hold the path of a file, because checkpoints hold it as a scene.
void RequireWritablePath(const std::string& location, const std::string& path) {
  const std::string error = DescribeUnwritable(path);
  if (!error.empty()) {
    throw InputError(Text(location, ": the path ", error, "; expected another name of its folder"));
  }
}

/// @param[in,out] input  gets the file's digest
/// @returns a description of the changes of the mesh; empty: none
std::string Load(const Communicator& communicator, const ConfigSource& source, const Wall& wall,
                 Mesh& mesh, InputDigest& input) {
  std::string path, bytes;
  const std::string& location = input.location;
  CallOnRoot<FileError>(communicator, [&] {
    path = source.checkpoint.empty() ? FindInSceneFolder(source.scene_file, mesh.file)
                                     : FindInParentFolders(source.checkpoint, mesh.file);
    try {
      bytes = ReadTextFile(path);
    } catch (const FileError& error) {
      throw FileError(location + ": " + error.what());
    }
  });
  mesh.file = communicator.Broadcast(path);
  RequireWritablePath(location, mesh.file);
  bytes = communicator.Broadcast(std::move(bytes));
  input.digest = DigestOf(bytes);
  RequireUnchanged(source.inputs, input, mesh.file);
  std::vector<Triangle> triangles;
  std::size_t triangle_count = 0, dropped = 0;
  try {
    triangles = IsObjName(mesh.file) ? ReadObj(bytes) : ReadStl(bytes);
    bytes = {};
    triangle_count = triangles.size();
    dropped = DropDegenerate(triangles);
    if (dropped == triangle_count && triangle_count > 0) {
      throw InputError(
          Text("has no triangles with an area; all ", triangle_count, " are degenerate"));
    }
  } catch (const InputError& error) {
    throw FileError(Text(location, ": '", mesh.file, "' ", error.what()));
  }
  PlaceTriangles(mesh, triangles);
  RequireResolved(wall, mesh, triangles);
  try {
    mesh.surface = std::make_shared<const TriangleMesh>(triangles, mesh.solid);
    if (dropped == 0) return "";
    return Text(location, ": '", mesh.file, "': ", dropped, " of ", triangle_count,
                " triangles are degenerate (corners coincide or lie on a line) and were removed");
  } catch (const InputError& error) {
    throw FileError(Text(location, ": '", mesh.file, "' ", error.what()));
  }
}

/// A mesh less than one period outside a periodic face has an image inside, and is allowed.
void RequireInDomain(const Wall& wall, const Mesh& mesh, const Domain& scene_domain) {
  const Box bounds = mesh.surface->Bounds();
  const Box& domain = scene_domain.box;
  bool is_inside = true;
  for (int axis = 0; axis < 3; ++axis) {
    const bool is_periodic = scene_domain.periodic[static_cast<std::size_t>(axis)];
    const double margin = is_periodic ? domain.Extent()[axis] : 0.0;
    is_inside = is_inside && bounds.lower[axis] <= domain.upper[axis] + margin &&
                bounds.upper[axis] >= domain.lower[axis] - margin;
  }
  if (is_inside) return;
  throw InputError(Text("[wall.", wall.name, "] file: the mesh lies at (", bounds.lower.transpose(),
                        ") .. (", bounds.upper.transpose(), ") m, outside the domain, which is (",
                        domain.lower.transpose(), ") .. (", domain.upper.transpose(),
                        ") m; expected another unit (", mesh.unit, " m) or offset"));
}

}  // namespace

std::string MeshKey(const Wall& wall) { return "wall." + wall.name + ".file"; }

std::vector<std::string> LoadMeshes(const Communicator& communicator, const ConfigSource& source,
                                    RunConfig& config) {
  std::vector<std::string> messages;
  for (Wall& wall : config.scene.walls) {
    for (ShapePart& part : wall.shape.parts) {
      auto* const mesh = std::get_if<Mesh>(&part);
      if (mesh == nullptr) continue;
      const std::string message =
          Load(communicator, source, wall, *mesh, InputOf(wall, config.inputs));
      if (!message.empty()) messages.push_back(message);
      if (!wall.IsMoving()) RequireInDomain(wall, *mesh, config.scene.domain);
    }
  }
  for (std::size_t l = 0; l < config.scene.links.size(); ++l) {
    try {
      SetMassByDensity(config.scene, l);
    } catch (const InputError& error) {
      throw InputError(Text("[link.", config.scene.links[l].name, "] density: ", error.what()));
    }
  }
  return messages;
}

std::vector<std::string> FindFiles(const Communicator& communicator, const ConfigSource& source,
                                   RunConfig& config) {
  // All ranks use the path that root has found.
  if (communicator.IsRoot())
    config.initial.file = FindInSceneFolder(source.scene_file, config.initial.file);
  config.initial.file = communicator.Broadcast(config.initial.file);
  RequireWritablePath("[initial] file", config.initial.file);
  return LoadMeshes(communicator, source, config);
}

RunConfig ReadRunConfig(const Communicator& communicator, const std::string& path) {
  RunConfig config = ReadRunConfig(ReadSceneFile(communicator, path), path, {},
                                   ParticlesFrom::kScene, {communicator, path});
  FindFiles(communicator, {.scene_file = path}, config);
  return config;
}

}  // namespace scree
