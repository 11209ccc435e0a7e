// [wall.NAME] and [wall.NAME.PART].
#include "io/configuration/wall_config.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "io/configuration/key_groups.hpp"
#include "io/configuration/material_keys.hpp"
#include "io/configuration/shape_keys.hpp"
#include "io/configuration/wall_motion_keys.hpp"
#include "solvers/base/check.hpp"

namespace scree {
namespace {

/// The material's name, which is not the wall's to hold.
Keys<std::string> MaterialRow() {
  return {{MaterialName(), [](auto& name) -> decltype(auto) { return (name); }}};
}

const KeySpec kStops = {
    .key = "stops",
    .doc = "materials of the particles that touch it, such as large small; others pass through it",
    .kind = Kind::kText,
    .lacking = Lacking::kMeansNone,
    .range = "names; all if not given"};

/// Names of materials, which are not the wall's to hold either.
Keys<std::string> StopsRow() {
  return {{kStops, [](auto& names) -> decltype(auto) { return (names); }}};
}

/// The keys of the wall as a whole, not of its parts.
KeySpecs WallSpecs() {
  return Joined({WallMotionSpecs(), SpecsOf(MaterialRow()), SpecsOf(StopsRow())});
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
  wall.shape.parts.push_back(ReadShape(reader, section, WallSpecs(), false));
  if (std::holds_alternative<Mesh>(wall.shape.parts.back())) {
    reader.Complain(section, ShapeSpecs().front(),
                    "a mesh is no part of another wall; give it a [wall.NAME] of its own");
  }
}

std::vector<MaterialId> ReadStops(SectionReader& reader, const std::string& section,
                                  const MaterialTable& materials) {
  std::string names;
  reader.Read(section, StopsRow(), names);
  std::vector<MaterialId> stops;
  std::istringstream in(names);
  for (std::string name; in >> name;) {
    try {
      stops.push_back(FindMaterial(reader, name, materials).value_or(0));
    } catch (const InputError& error) {
      reader.Complain(section, kStops, error.what());
    }
  }
  std::ranges::sort(stops);
  const auto repeated = std::ranges::unique(stops);
  stops.erase(repeated.begin(), repeated.end());
  return stops;
}

std::string StopsText(const std::vector<MaterialId>& some, const MaterialTable& materials) {
  std::string names;
  for (const MaterialId id : some) names += (names.empty() ? "" : " ") + materials[id].name;
  return names;
}

void ReadWhole(SectionReader& reader, const std::string& section, const MaterialTable& materials,
               bool has_parts, Wall& wall) {
  if (!has_parts || reader.Given().Given(section, ShapeSpecs().front().key)) {
    wall.shape.parts.push_back(ReadShape(reader, section, WallSpecs(), true));
  } else {
    reader.Refuse(section, ShapeSpecs(), {}, "a wall made of parts");
  }
  ReadWallMotion(reader, section, wall);
  std::string material;
  reader.Read(section, MaterialRow(), material);
  wall.material = MaterialOf(reader, section, material, materials);
  wall.stops = ReadStops(reader, section, materials);
}

std::vector<Wall> ReadWalls(SectionReader& reader, const MaterialTable& materials) {
  std::vector<Wall> walls;
  std::map<std::string, std::size_t> index;
  const std::vector<std::string> sections = reader.Given().Sections("wall");
  const std::set<std::string> of_parts = WallsOfParts(sections);
  for (const std::string& section : sections) {
    const std::vector<std::string> names = SectionParts(section);
    const auto [found, is_new] = index.emplace(names[1], walls.size());
    if (is_new) walls.push_back({names[1], {}});
    Wall& wall = walls[found->second];
    if (names.size() == 3) {
      ReadPart(reader, section, wall);
    } else {
      ReadWhole(reader, section, materials, of_parts.contains(wall.name), wall);
    }
  }
  return walls;
}

void Write(const Wall& wall, const MaterialTable& materials, Echo& echo) {
  echo.Section("wall." + wall.name);
  const std::vector<ShapePart>& parts = wall.shape.parts;
  if (parts.size() == 1) WriteShape(parts[0], echo);
  WriteWallMotion(wall, echo);
  echo.Write(MaterialRow(), materials[wall.material].name);
  if (!wall.StopsAll()) echo.Write(StopsRow(), StopsText(wall.stops, materials));
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
          [](SectionReader& reader, RunConfig& run) {
            run.scene.walls = ReadWalls(reader, run.scene.materials);
          },
          [](const RunConfig& run, Echo& echo) {
            for (const Wall& wall : run.scene.walls) Write(wall, run.scene.materials, echo);
          }};
}

std::vector<Wall> ReadWalls(const Settings& settings, const MaterialTable& materials,
                            ErrorList& errors) {
  SectionReader reader(settings, errors);
  return ReadWalls(reader, materials);
}

}  // namespace scree
