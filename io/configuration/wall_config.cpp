#include "io/configuration/wall_config.hpp"

#include <algorithm>
#include <map>

#include "io/configuration/section_reader.hpp"

namespace scree {
namespace {

/// Keys that are not of a part but of the wall.
const std::vector<std::string> kOfWholeWalls = {"velocity",   "amplitude",        "frequency",
                                                "phase",      "angular_velocity", "centre",
                                                "removed_at", "material"};

class WallReader : private SectionReader {
 public:
  WallReader(const Settings& settings, const MaterialTable& materials, ErrorList& errors)
      : SectionReader(settings, errors), materials_(materials) {}

  std::vector<Wall> Read() {
    std::map<std::string, std::size_t> index;
    for (const std::string& section : settings_.Sections("wall")) {
      const std::vector<std::string> names = SectionParts(section);
      const auto [found, is_new] = index.emplace(names[1], walls_.size());
      if (is_new) walls_.push_back({names[1], {}});
      Wall& wall = walls_[found->second];
      const bool has_parts = HasParts(names[1]);
      if (names.size() == 3) {
        wall.shape.parts.push_back(ReadPart(section, false));
      } else if (!has_parts || settings_.Given(section, "shape")) {
        wall.shape.parts.push_back(ReadPart(section, true));
      } else {
        RefuseKeys(section, kOfWholeWalls, "a wall made of parts");
      }
      if (names.size() == 3) continue;
      Motion(section, wall);
      wall.material = MaterialOf(section, materials_);
    }
    return std::move(walls_);
  }

 private:
  void Motion(const std::string& section, Wall& wall) {
    wall.velocity = TakeVector(section, "velocity");
    wall.oscillation = {TakeVector(section, "amplitude"), Take<double>(section, "frequency"),
                        Take<double>(section, "phase")};
    const bool swings = wall.oscillation.frequency != 0.0;
    if (swings == wall.oscillation.amplitude.isZero(0.0)) {
      const char* const given = swings ? "frequency" : "amplitude";
      errors_.Add(settings_.Where(section, given),
                  Text("is an oscillation without ", swings ? "amplitude" : "frequency",
                       "; expected both or none"));
    }
    wall.rotation = {TakeVector(section, "centre"), TakeVector(section, "angular_velocity")};
    wall.removed_at = settings_.Get<double>(section, "removed_at").value_or(wall.removed_at);
  }

  bool HasParts(const std::string& name) const {
    const std::vector<std::string> sections = settings_.Sections("wall");
    return std::any_of(sections.begin(), sections.end(), [&](const std::string& section) {
      return section.starts_with("wall." + name + ".");
    });
  }

  ShapePart ReadPart(const std::string& section, bool whole_wall) {
    const std::string shape = Need<std::string>(section, "shape");
    std::vector<std::string> allowed = {"shape"};
    if (whole_wall) allowed.insert(allowed.end(), kOfWholeWalls.begin(), kOfWholeWalls.end());
    const auto refuse_others = [&](std::initializer_list<const char*> keys) {
      allowed.insert(allowed.end(), keys.begin(), keys.end());
      RefuseKeys(section, allowed,
                 "a " + shape + (whole_wall ? "" : " that is a part; give it in [wall.NAME]"));
    };
    if (shape == "plane") {
      refuse_others({"point", "normal"});
      return Plane{NeedVector(section, "point"), Normal(section)};
    }
    if (shape == "box") {
      refuse_others({"lower", "upper"});
      return Block{BoxOf(section)};
    }
    if (shape == "mesh") {
      refuse_others({"file", "unit", "offset", "solid"});
      if (!whole_wall) {
        errors_.Add(settings_.Where(section, "shape"),
                    "a mesh is no part of another wall; give it a [wall.NAME] of its own");
      }
      return MeshOf(section);
    }
    if (shape == "sphere") {
      refuse_others({"point", "radius", "diameter"});
      return Ball{NeedVector(section, "point"), Radius(section)};
    }
    if (shape == "disk") {
      refuse_others({"point", "normal", "radius", "diameter", "hole"});
      return DiskOf(section);
    }
    if (shape == "cone") {
      refuse_others({"from", "to", "from_radius", "to_radius"});
      return ConeOf(section);
    }
    if (shape == "cylinder" || shape == "pipe") {
      refuse_others({"from", "to", "radius", "diameter"});
      const auto [from, to] = Ends(section, shape);
      const double radius = Radius(section);
      if (shape == "pipe") return Pipe{from, to, radius};
      return Cylinder{from, to, radius};
    }
    return Plane{};
  }

  Mesh MeshOf(const std::string& section) {
    const std::string solid = Take<std::string>(section, "solid");
    const auto* const found = std::find(kMeshSolidNames.begin(), kMeshSolidNames.end(), solid);
    Mesh mesh{Need<std::string>(section, "file"), Take<double>(section, "unit"),
              TakeVector(section, "offset")};
    if (found != kMeshSolidNames.end()) {
      mesh.solid = static_cast<MeshSolid>(found - kMeshSolidNames.begin());
    }
    if (!mesh.file.empty() && !mesh.file.ends_with(".stl") && !mesh.file.ends_with(".STL")) {
      errors_.Add(settings_.Where(section, "file"),
                  Text("\"", mesh.file, "\" is of unknown kind; expected an .stl file"));
    }
    return mesh;
  }

  std::pair<Vec3, Vec3> Ends(const std::string& section, const std::string& shape) {
    const Vec3 from = NeedVector(section, "from"), to = NeedVector(section, "to");
    if (from == to && settings_.Given(section, "to")) {
      errors_.Add(settings_.Where(section, "to"),
                  Text("is the same point as \"from\"; a ", shape, " needs two ends"));
    }
    return {from, to};
  }

  Cone ConeOf(const std::string& section) {
    const auto [from, to] = Ends(section, "cone");
    const Cone cone{from, to, Need<double>(section, "from_radius"),
                    Need<double>(section, "to_radius")};
    if (cone.from_radius == 0.0 && cone.to_radius == 0.0 && settings_.Given(section, "to_radius")) {
      errors_.Add(settings_.Where(section, "to_radius"),
                  "is 0 m like \"from_radius\"; a cone has a tip at one end at most");
    }
    return cone;
  }

  Disk DiskOf(const std::string& section) {
    const Disk disk{NeedVector(section, "point"), Normal(section), Radius(section),
                    Take<double>(section, "hole")};
    if (disk.hole >= disk.radius && disk.radius > 0.0) {
      errors_.Add(settings_.Where(section, "hole"),
                  Text("is ", disk.hole, " m; expected less than the radius, ", disk.radius, " m"));
    }
    return disk;
  }

  const MaterialTable& materials_;
  std::vector<Wall> walls_;
};

}  // namespace

std::vector<Wall> ReadWalls(const Settings& settings, const MaterialTable& materials,
                            ErrorList& errors) {
  return WallReader(settings, materials, errors).Read();
}

}  // namespace scree
