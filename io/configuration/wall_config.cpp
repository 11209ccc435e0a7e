// [wall.NAME] and [wall.NAME.PART].
#include "io/configuration/wall_config.hpp"

#include <algorithm>
#include <map>

#include "io/configuration/key_groups.hpp"
#include "io/configuration/material_keys.hpp"
#include "io/configuration/shape_keys.hpp"

namespace scree {
namespace {

/// A wall with its material as the scene names it.
struct NamedWall {
  Wall wall;
  std::string material;
};

const KeySpec kSwing = {
    .key = "amplitude",
    .doc = "A of an oscillation A (sin(2 pi f t + phase) - sin(phase)), added to that",
    .initial = "0 0 0 m",
    .dimension = kLength,
    .restart = RestartRule::kNever};
const KeySpec kRate = {.key = "frequency",
                       .doc = "f of the oscillation",
                       .initial = "0 Hz",
                       .range = ">= 0",
                       .dimension = kFrequency,
                       .lower = 0.0,
                       .restart = RestartRule::kNever};

/// A wall's place follows from its motion and the time since the start, so that a restart cannot
/// change it.
Keys<Wall> MotionRows() {
  return {
      {{.key = "velocity",
        .doc = "prescribed velocity",
        .initial = "0 0 0 m/s",
        .dimension = kSpeed,
        .restart = RestartRule::kNever},
       &Wall::velocity},
      {kSwing, [](auto& wall) -> decltype(auto) { return (wall.oscillation.amplitude); }},
      {kRate, [](auto& wall) -> decltype(auto) { return (wall.oscillation.frequency); }},
      {{.key = "phase",
        .doc = "of the oscillation",
        .initial = "0 rad",
        .restart = RestartRule::kNever},
       [](auto& wall) -> decltype(auto) { return (wall.oscillation.phase); }},
      {{.key = "angular_velocity",
        .doc = "rotation about its centre",
        .initial = "0 0 0 1/s",
        .dimension = kFrequency,
        .restart = RestartRule::kNever},
       [](auto& wall) -> decltype(auto) { return (wall.rotation.angular_velocity); }},
      {{.key = "centre",
        .doc = "point of the axis of rotation, and about which the torque is told",
        .initial = "0 0 0 m",
        .dimension = kLength,
        .restart = RestartRule::kNever},
       [](auto& wall) -> decltype(auto) { return (wall.rotation.centre); }},
      {{.key = "removed_at",
        .doc = "time at which the wall vanishes",
        .lacking = Lacking::kMeansNone,
        .range = "> 0, whole steps; stays if not given",
        .dimension = kTime,
        .lower = 0.0,
        .open = true},
       &Wall::removed_at},
  };
}

/// The keys of the wall as a whole, not of its parts.
Keys<NamedWall> WallRows() {
  return Within<NamedWall>(&NamedWall::wall, MotionRows()) +
         Keys<NamedWall>{{MaterialName(), &NamedWall::material}};
}

void CheckOscillation(SectionReader& reader, const std::string& section, const Wall& wall) {
  const bool swings = wall.oscillation.frequency != 0.0;
  if (swings != wall.oscillation.amplitude.isZero(0.0)) return;
  const KeySpec& given = swings ? kRate : kSwing;
  const KeySpec& lacking = swings ? kSwing : kRate;
  reader.Complain(section, given,
                  "is an oscillation without " + lacking.key + "; expected both or none");
}

bool HasParts(const Settings& settings, const std::string& name) {
  const std::vector<std::string> sections = settings.Sections("wall");
  return std::ranges::any_of(sections, [&](const std::string& section) {
    return section.starts_with("wall." + name + ".");
  });
}

void ReadPart(SectionReader& reader, const std::string& section, Wall& wall) {
  wall.shape.parts.push_back(ReadShape(reader, section, SpecsOf(WallRows()), false));
  if (std::holds_alternative<Mesh>(wall.shape.parts.back())) {
    reader.Complain(section, ShapeSpecs().front(),
                    "a mesh is no part of another wall; give it a [wall.NAME] of its own");
  }
}

void ReadWhole(SectionReader& reader, const std::string& section, const MaterialTable& materials,
               Wall& wall) {
  if (!HasParts(reader.Given(), wall.name) ||
      reader.Given().Given(section, ShapeSpecs().front().key)) {
    wall.shape.parts.push_back(ReadShape(reader, section, SpecsOf(WallRows()), true));
  } else {
    reader.Refuse(section, ShapeSpecs(), {}, "a wall made of parts");
  }
  NamedWall named{wall, ""};
  reader.Read(section, WallRows(), named);
  wall = named.wall;
  CheckOscillation(reader, section, wall);
  wall.material = MaterialOf(reader, section, named.material, materials);
}

std::vector<Wall> ReadWalls(SectionReader& reader, const MaterialTable& materials) {
  std::vector<Wall> walls;
  std::map<std::string, std::size_t> index;
  for (const std::string& section : reader.Given().Sections("wall")) {
    const std::vector<std::string> names = SectionParts(section);
    const auto [found, is_new] = index.emplace(names[1], walls.size());
    if (is_new) walls.push_back({names[1], {}});
    Wall& wall = walls[found->second];
    if (names.size() == 3) {
      ReadPart(reader, section, wall);
    } else {
      ReadWhole(reader, section, materials, wall);
    }
  }
  return walls;
}

void Write(const Wall& wall, const MaterialTable& materials, Echo& echo) {
  echo.Section("wall." + wall.name);
  const std::vector<ShapePart>& parts = wall.shape.parts;
  if (parts.size() == 1) WriteShape(parts[0], echo);
  echo.Write(WallRows(), NamedWall{wall, materials[wall.material].name});
  for (std::size_t p = 0; parts.size() > 1 && p < parts.size(); ++p) {
    echo.Section(Text("wall.", wall.name, ".part", p + 1));
    WriteShape(parts[p], echo);
  }
}

}  // namespace

KeyGroup WallKeys() {
  return {{{"wall", "wall.NAME", 1, 2,
            "A rigid surface. [wall.NAME.PART] gives further parts of the same solid (geometry "
            "only)",
            RestartRule::kIfAllowed, Joined({ShapeSpecs(), SpecsOf(WallRows())})}},
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
