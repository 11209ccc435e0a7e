// [wall.NAME] and [wall.NAME.PART].
#include <algorithm>
#include <map>
#include <set>

#include "io/configuration/key_groups.hpp"
#include "io/configuration/material_keys.hpp"
#include "io/configuration/shape_keys.hpp"
#include "io/configuration/wall_motion_keys.hpp"
#include "solvers/base/check.hpp"

namespace scree {
namespace {

/// Names of materials, which are not the wall's to hold.
KeyRows MaterialRows(std::string& material, std::string& stops) {
  return {{MaterialName(), material},
          {{"stops",
            "materials of the particles that touch it, such as large small; others pass through it",
            kOptional, InWords("names; all if not given")},
           stops}};
}

/// The keys of the wall as a whole, not of its parts.
const KeySpecs& WallSpecs() {
  static const KeySpecs specs = [] {
    std::string none;
    return Joined({WallMotionSpecs(), SpecsOf(MaterialRows(none, none))});
  }();
  return specs;
}

/// Names of the walls that are given in parts.
std::set<std::string> WallsOfParts(const std::vector<std::string>& sections) {
  std::set<std::string> walls;
  for (const std::string& section : sections) {
    const std::vector<std::string> names = SectionParts(section);
    if (names.size() == 3) walls.insert(names[1]);
  }
  return walls;
}

void ReadPart(SectionReader& reader, const std::string& section, Wall& wall) {
  reader.Refuse(section, WallSpecs(), {}, "a part of a wall; give it in [wall.NAME]");
  wall.shape.parts.push_back(ReadShape(reader, section));
  if (std::holds_alternative<Mesh>(wall.shape.parts.back())) {
    reader.Complain(section, "shape",
                    "a mesh is no part of another wall; give it a [wall.NAME] of its own");
  }
}

std::vector<MaterialId> FindStops(SectionReader& reader, const std::string& section,
                                  const std::string& names, const MaterialTable& materials) {
  std::set<MaterialId> stops;
  for (const std::string& name : Words(names)) {
    const std::string where = reader.All().Where(section, "stops");
    stops.insert(FindMaterial(reader, where, name, materials).value_or(0));
  }
  return {stops.begin(), stops.end()};
}

void ReadWhole(SectionReader& reader, const std::string& section, const MaterialTable& materials,
               bool has_parts, Wall& wall) {
  if (!has_parts || reader.Given(section, "shape")) {
    wall.shape.parts.push_back(ReadShape(reader, section));
  } else {
    reader.Refuse(section, ShapeSpecs(), WallSpecs(), "a wall made of parts");
  }
  ReadWallMotion(reader, section, wall);
  std::string material, stops;
  reader.Read(section, MaterialRows(material, stops));
  wall.material = MaterialOf(reader, section, material, materials);
  wall.stops = FindStops(reader, section, stops, materials);
}

void ReadWalls(SectionReader& reader, Scene& scene) {
  std::map<std::string, std::size_t> index;
  const std::vector<std::string> sections = reader.All().Sections("wall");
  const std::set<std::string> of_parts = WallsOfParts(sections);
  for (const std::string& section : sections) {
    const std::vector<std::string> names = SectionParts(section);
    const auto [found, is_new] = index.emplace(names[1], scene.walls.size());
    if (is_new) scene.walls.push_back({names[1], {}});
    Wall& wall = scene.walls[found->second];
    if (names.size() == 3) {
      ReadPart(reader, section, wall);
    } else {
      ReadWhole(reader, section, scene.materials, of_parts.contains(wall.name), wall);
    }
  }
}

void Write(Wall& wall, const MaterialTable& materials, Echo& echo) {
  echo.Section("wall." + wall.name);
  const std::vector<ShapePart>& parts = wall.shape.parts;
  if (parts.size() == 1) WriteShape(parts[0], echo);
  WriteWallMotion(wall, echo);
  std::string material = materials[wall.material].name, stops;
  for (const MaterialId id : wall.stops) {
    stops += (stops.empty() ? "" : " ") + materials[id].name;
  }
  echo.Write(MaterialRows(material, stops));
  for (std::size_t p = 0; parts.size() > 1 && p < parts.size(); ++p) {
    echo.Section(Text("wall.", wall.name, ".part", p + 1));
    WriteShape(parts[p], echo);
  }
}

/// A wall stays where its shape and its motion put it: output tells it by these.
KeySpecs FixedShapeSpecs() {
  KeySpecs specs = ShapeSpecs();
  for (KeySpec& spec : specs) {
    if (spec.change) continue;
    spec.change = Never(
        "a wall keeps its shape; let it be removed_at this time, and give another that appears_at "
        "it");
  }
  return specs;
}

}  // namespace

KeyGroup WallKeys() {
  return {{{"wall", "wall.NAME", 1, 2,
            "A rigid surface. [wall.NAME.PART] gives further parts of the same solid (geometry "
            "only)",
            OnTheWay(), Joined({FixedShapeSpecs(), WallSpecs()}), "appears_at"}},
          [](SectionReader& reader, RunConfig& run) { ReadWalls(reader, run.scene); },
          [](RunConfig& run, Echo& echo) {
            for (Wall& wall : run.scene.walls) Write(wall, run.scene.materials, echo);
          }};
}

}  // namespace scree
