// [shape.NAME], and which of them particles have.
#include "io/configuration/clump_keys.hpp"

#include <algorithm>

#include "io/configuration/key_groups.hpp"
#include "io/configuration/share_list.hpp"
#include "solvers/base/check.hpp"

namespace scree {
namespace {

const KeySpec kSpheres = {.key = "spheres",
                          .doc =
                              "x y z r of each member, separated by commas; a scene file may have "
                              "file = TABLE.csv in its place",
                          .kind = Kind::kSpheres,
                          .range = "r > 0",
                          .dimension = kLength};
Value NumbersOf(const ClumpDescription& shape) {
  std::vector<double> numbers;
  for (const Member& sphere : shape.spheres) {
    const Vec3& x = sphere.centre;
    numbers.insert(numbers.end(), {x.x(), x.y(), x.z(), sphere.radius});
  }
  return numbers;
}

void SetSpheres(ClumpDescription& shape, const Value& value) {
  const auto& numbers = std::get<std::vector<double>>(value);
  shape.spheres.clear();
  for (std::size_t k = 0; k + 3 < numbers.size(); k += 4) {
    shape.spheres.push_back({Vec3(numbers[k], numbers[k + 1], numbers[k + 2]), numbers[k + 3]});
  }
}

Keys<ClumpDescription> ShapeRows() {
  return {
      {kSpheres, SetSpheres, [](const ClumpDescription& shape) { return NumbersOf(shape); }},
      {{.key = "apart", .doc = "members need not be connected", .initial = "no"},
       &ClumpDescription::apart},
      {{.key = "mass",
        .doc = "of a body as described, whatever its material",
        .lacking = Lacking::kMeansNone,
        .range = "> 0; by density if not given",
        .dimension = kMass,
        .lower = 0.0,
        .open = true},
       &ClumpDescription::mass},
      {{.key = "inertia",
        .doc = "moments about axes through the centre of mass along x, y and z, with a mass",
        .lacking = Lacking::kMeansNone,
        .range = "> 0, none above the sum of the others; of the solid spheres if not given",
        .dimension = kInertia,
        .lower = 0.0,
        .open = true},
       &ClumpDescription::inertia},
  };
}

/// Takes the place of a shape that was complained about, so that the other mistakes are told too.
ClumpShape UnitBall(const std::string& name) {
  ClumpDescription ball;
  ball.name = name;
  ball.spheres = {{Vec3::Zero(), 1.0}};
  return MakeClumpShape(ball);
}

void Read(SectionReader& reader, Scene& scene) {
  for (const std::string& section : reader.Given().Sections("shape")) {
    ClumpDescription shape;
    shape.name = SectionParts(section)[1];
    reader.Read(section, ShapeRows(), shape);
    if (shape.name == kSphereName) {
      reader.Complain(section, kSpheres,
                      "\"sphere\" is the word for spheres; expected another name");
    }
    try {
      scene.clumps.push_back(shape.spheres.empty() ? UnitBall(shape.name)  // complained about
                                                   : MakeClumpShape(shape));
    } catch (const InputError& error) {
      reader.Complain(section, kSpheres, error.what());
      scene.clumps.push_back(UnitBall(shape.name));
    }
  }
}

void WriteShapes(const Scene& scene, Echo& echo) {
  for (const ClumpShape& shape : scene.clumps) {
    echo.Section("shape." + shape.description.name);
    echo.Write(ShapeRows(), shape.description);
  }
}

std::string NameOfShape(ShapeId shape, const Scene& scene) {
  return shape == kSphereShape ? kSphereName : scene.ClumpOf(shape).description.name;
}

}  // namespace

KeySpec ShapeName() {
  return {.key = "shape",
          .doc = "a [shape.NAME], or several with shares of the mass: rod 0.3, tetrapod 0.7",
          .kind = Kind::kText,
          .lacking = Lacking::kMeansNone,
          .range = "spheres if not given"};
}

std::vector<GrainShape> ReadGrainShapes(SectionReader& reader, const std::string& section,
                                        const std::string& value, const Scene& scene) {
  std::vector<std::string> known;
  for (const ClumpShape& shape : scene.clumps) known.push_back(shape.description.name);
  std::vector<GrainShape> shapes;
  try {
    for (const NamedShare& given : ReadShares(value, "shape", "rod 0.3, tetrapod 0.7")) {
      const auto found = std::ranges::find(known, given.name);
      if (found == known.end()) {
        if (given.name == kSphereName) {
          throw InputError(
              "expected only names of [shape.NAME]; for spheres give a fill of their "
              "own");
        }
        if (reader.IsMisspelt("shape." + given.name)) return {};
        throw InputError(
            Text("there is no [shape.", given.name, "]", DidYouMean(given.name, known)));
      }
      const auto shape = static_cast<ShapeId>(found - known.begin()) + 1;
      shapes.push_back({shape, given.share, scene.ClumpOf(shape).bounding_radius});
    }
  } catch (const InputError& error) {
    reader.Complain(section, ShapeName(), error.what());
    return {};
  }
  return shapes;
}

std::string WriteGrainShapes(const std::vector<GrainShape>& shapes, const Scene& scene) {
  std::vector<NamedShare> named;
  for (const GrainShape& one : shapes) named.push_back({NameOfShape(one.shape, scene), one.share});
  return WriteShares(named);
}

KeyGroup ClumpKeys() {
  return {{{"shape", "shape.NAME", 1, 1, "A shape of particles: a rigid body of several spheres",
            Never("particles keep their shapes"), SpecsOf(ShapeRows())}},
          [](SectionReader& reader, RunConfig& run) { Read(reader, run.scene); },
          [](const RunConfig& run, Echo& echo) { WriteShapes(run.scene, echo); }};
}

}  // namespace scree
