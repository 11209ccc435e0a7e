// [wall.NAME] and [wall.NAME.PART].
#include <algorithm>
#include <map>
#include <set>

#include "io/scene/key_groups.hpp"
#include "io/scene/key_parts.hpp"
#include "solvers/base/check.hpp"

namespace scree {
namespace {

/// Materials by name, because the wall itself stores only their numbers.
KeyRows MaterialRows(std::string& material, std::string& stops) {
  return {
      {MaterialNameKey(), material},
      {{"stops",
        "materials of the particles that the wall stops, such as large small; others pass through",
        kOptional, InWords("names; all if not given")},
       stops}};
}

/// The keys of the wall as a whole, not of its parts.
const KeySpecs& WallSpecs() {
  static const KeySpecs specs = [] {
    return ListedKeys([](Section& section) {
      Wall wall;
      std::string unused;
      VisitWallMotionKeys(section, wall);
      section.VisitKeys(MaterialRows(unused, unused));
    });
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

void ReadPart(Section& section, Wall& wall) {
  section.Refuse(WallSpecs(), {}, "a part of a wall; give it in [wall.NAME]");
  VisitShapeKeys(section, wall.shape.parts.emplace_back());
  if (std::holds_alternative<Mesh>(wall.shape.parts.back())) {
    section.AddError("shape", "a mesh cannot be a part of a wall; give it a separate [wall.NAME]");
  }
}

std::vector<MaterialId> FindStops(Section& section, const std::string& names,
                                  const MaterialTable& materials) {
  std::set<MaterialId> stops;
  for (const std::string& name : Words(names)) {
    stops.insert(FindMaterial(section, "stops", name, materials).value_or(0));
  }
  return {stops.begin(), stops.end()};
}

void ReadWhole(Section& section, const MaterialTable& materials, bool has_parts, Wall& wall) {
  if (!has_parts || section.IsGiven("shape")) {
    VisitShapeKeys(section, wall.shape.parts.emplace_back());
  } else {
    section.Refuse(ShapeSpecs(), WallSpecs(), "a wall made of parts");
  }
  VisitWallMotionKeys(section, wall);
  std::string material, stops;
  section.VisitKeys(MaterialRows(material, stops));
  wall.material = MaterialOf(section, material, materials);
  wall.stops = FindStops(section, stops, materials);
}

void ReadWalls(const Settings& settings, ErrorList& errors, Scene& scene) {
  std::map<std::string, std::size_t> index;
  const std::vector<std::string> sections = settings.Sections("wall");
  const std::set<std::string> walls_of_parts = WallsOfParts(sections);
  for (const std::string& section_name : sections) {
    Section section(section_name, settings, errors);
    const std::vector<std::string> names = SectionParts(section_name);
    const auto [found, is_new] = index.emplace(names[1], scene.walls.size());
    if (is_new) scene.walls.push_back({names[1], {}});
    Wall& wall = scene.walls[found->second];
    if (names.size() == 3) {
      ReadPart(section, wall);
    } else {
      ReadWhole(section, scene.materials, walls_of_parts.contains(wall.name), wall);
    }
  }
}

void WriteWall(Wall& wall, const MaterialTable& materials, IniEntries& entries) {
  Section section("wall." + wall.name, entries);
  std::vector<ShapePart>& parts = wall.shape.parts;
  if (parts.size() == 1) VisitShapeKeys(section, parts[0]);
  VisitWallMotionKeys(section, wall);
  std::string material = materials[wall.material].name, stops;
  for (const MaterialId id : wall.stops) {
    stops += (stops.empty() ? "" : " ") + materials[id].name;
  }
  section.VisitKeys(MaterialRows(material, stops));
  for (std::size_t p = 0; parts.size() > 1 && p < parts.size(); ++p) {
    Section part(Text("wall.", wall.name, ".part", p + 1), entries);
    VisitShapeKeys(part, parts[p]);
  }
}

/// The keys of a wall's shape, which cannot change during the run.
KeySpecs FixedShapeSpecs() {
  KeySpecs specs = ShapeSpecs();
  for (KeySpec& spec : specs) {
    if (spec.change) continue;
    spec.change = Never(
        "a wall keeps its shape; set removed_at to this time, and give another wall with this "
        "appears_at");
  }
  return specs;
}

}  // namespace

KeyGroup WallKeys() {
  return {{{"wall", "wall.NAME", 1, 2,
            "A rigid surface. [wall.NAME.PART] adds a part to the same solid (geometry keys only)",
            DuringRun(), Joined({FixedShapeSpecs(), WallSpecs()}), "appears_at"}},
          [](const Settings& settings, ErrorList& errors, RunConfig& run) {
            ReadWalls(settings, errors, run.scene);
          },
          [](RunConfig& run, IniEntries& entries) {
            for (Wall& wall : run.scene.walls) WriteWall(wall, run.scene.materials, entries);
          }};
}

}  // namespace scree
