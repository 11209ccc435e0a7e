// [shape.NAME], and which of them particles have.
#include <algorithm>

#include "io/configuration/key_groups.hpp"
#include "io/configuration/key_parts.hpp"
#include "io/configuration/share_list.hpp"
#include "solvers/base/check.hpp"

namespace scree {
namespace {

/// The members as x y z r of one after the other.
KeyRow SpheresRow(std::vector<Member>& spheres) {
  const auto set = [&spheres](const Value& value) {
    const auto& n = std::get<std::vector<double>>(value);
    spheres.clear();
    for (std::size_t k = 0; k + 3 < n.size(); k += 4) {
      spheres.push_back({Vec3(n[k], n[k + 1], n[k + 2]), n[k + 3]});
    }
  };
  const auto get = [&spheres]() -> std::optional<Value> {
    if (spheres.empty()) return {};
    std::vector<double> numbers;
    for (const Member& sphere : spheres) {
      const Vec3& x = sphere.centre;
      numbers.insert(numbers.end(), {x.x(), x.y(), x.z(), sphere.radius});
    }
    return numbers;
  };
  return {{"spheres",
           "x y z r of each member, separated by commas; a scene file may have file = TABLE.csv in "
           "its place",
           Kind::kSpheres, kLength, kOptional, InWords("r > 0; or a solid, or its vertices")},
          set,
          get};
}

/// The corners of a solid as x y z of one after the other.
KeyRow VerticesRow(std::vector<Vec3>& vertices) {
  const auto set = [&vertices](const Value& value) {
    const auto& n = std::get<std::vector<double>>(value);
    vertices.clear();
    for (std::size_t k = 0; k + 2 < n.size(); k += 3) {
      vertices.emplace_back(n[k], n[k + 1], n[k + 2]);
    }
  };
  const auto get = [&vertices]() -> std::optional<Value> {
    if (vertices.empty()) return {};
    std::vector<double> numbers;
    for (const Vec3& x : vertices) numbers.insert(numbers.end(), {x.x(), x.y(), x.z()});
    return numbers;
  };
  return {{"vertices", "x y z of the corners of a convex solid, one after the other", Kind::kList,
           kLength, kOptional, InWords("of their hull, if it is not convex")},
          set,
          get};
}

KeyRows ShapeRows(ClumpDescription& shape) {
  return {
      SpheresRow(shape.spheres),
      VerticesRow(shape.vertices),
      {{"solid", "a convex solid by its name", Kind::kText, kOptional,
        InWords("box | prism | tetrahedron | octahedron | dodecahedron | cylinder")},
       shape.solid},
      KeyRow({"size",
              "of a solid: a box's edges, or one of a cube; diameter and length of a prism or "
              "cylinder; edge of the others",
              kLength, kOptional, Positive()},
             shape.size)
          .OnlyIf(!shape.size.empty()),
      {{"sides", "of a prism, 6 if not given, or a cylinder, 24", kOptional, Between(3, 200)},
       shape.sides},
      {{"rounding",
        "radius of a solid's edges and corners; the planes of its faces stay where they are",
        kLength, kOptional,
        Positive("; 5 % of the radius of the greatest ball about the centre if not given")},
       shape.rounding},
      {{"apart", "members need not be connected", Default{"no"}}, shape.apart},
      {{"mass", "of a body as described, whatever its material", kMass, kOptional,
        Positive("; by density if not given")},
       shape.mass},
      {{"inertia", "moments about axes through the centre of mass along x, y and z, with a mass",
        kInertia, kOptional,
        Positive(", none above the sum of the others; of the homogeneous body if not given")},
       shape.inertia}};
}

/// Takes the place of a shape that was complained about, so that the other mistakes are told too.
ClumpShape UnitBall(const std::string& name) {
  ClumpDescription ball;
  ball.name = name;
  ball.spheres = {{Vec3::Zero(), 1.0}};
  return MakeClumpShape(ball);
}

void ReadShapes(const Settings& settings, ErrorList& errors, Scene& scene) {
  for (const std::string& name : settings.Sections("shape")) {
    Section section(name, settings, errors);
    ClumpDescription shape;
    shape.name = NameInSection(name);
    section.Keys(ShapeRows(shape));
    if (shape.name == kSphereName) {
      section.Complain("spheres", "\"sphere\" is the word for spheres; expected another name");
    }
    const auto numbers = settings.Find(name, "vertices");
    const std::size_t count = numbers ? std::get<std::vector<double>>(*numbers).size() : 0;
    if (count % 3 != 0) {
      section.Complain("vertices", Text("has ", count, " numbers; expected x y z of each vertex"));
    }
    const char* const key = !shape.solid.empty()      ? "solid"
                            : !shape.vertices.empty() ? "vertices"
                                                      : "spheres";
    if (shape.IsEmpty() && !section.Given("spheres") && !section.Given("vertices")) {
      section.Complain("spheres", "is lacking; expected spheres, vertices or a solid");
    }
    try {
      scene.clumps.push_back(shape.IsEmpty() ? UnitBall(shape.name)  // complained about
                                             : MakeClumpShape(shape));
    } catch (const InputError& error) {
      section.Complain(key, error.what());
      scene.clumps.push_back(UnitBall(shape.name));
    }
  }
}

}  // namespace

std::vector<GrainShape> ReadGrainShapes(Section& section, const std::string& value,
                                        const Scene& scene) {
  std::vector<std::string> known;
  for (const ClumpShape& shape : scene.clumps) known.push_back(shape.description.name);
  std::vector<GrainShape> shapes;
  try {
    for (const NamedShare& given : ReadShares(value, "shape", "rod 0.3, tetrapod 0.7")) {
      if (given.name == kSphereName) {
        throw InputError(
            "expected only names of [shape.NAME]; for spheres give a fill of their own");
      }
      const auto found = section.FindNamed("shape", "shape", given.name, known);
      if (!found) return {};
      const auto shape = static_cast<ShapeId>(*found) + 1;
      shapes.push_back({shape, given.share, scene.ClumpOf(shape).bounding_radius});
    }
  } catch (const InputError& error) {
    section.Complain("shape", error.what());
    return {};
  }
  return shapes;
}

std::string WriteGrainShapes(const std::vector<GrainShape>& shapes, const Scene& scene) {
  std::vector<NamedShare> named;
  for (const GrainShape& one : shapes) {
    const bool is_sphere = one.shape == kSphereShape;
    named.push_back(
        {is_sphere ? kSphereName : scene.ClumpOf(one.shape).description.name, one.share});
  }
  return WriteShares(named);
}

KeyGroup ClumpKeys() {
  return {{{"shape", "shape.NAME", 1, 1,
            "A shape of particles: a rigid body of several spheres, or a rounded polyhedron",
            Never("particles keep their shapes"), SpecsOf(ShapeRows)}},
          [](const Settings& settings, ErrorList& errors, RunConfig& run) {
            ReadShapes(settings, errors, run.scene);
          },
          [](RunConfig& run, std::string& text) {
            for (ClumpShape& shape : run.scene.clumps) {
              Section("shape." + shape.description.name, text).Keys(ShapeRows(shape.description));
            }
          }};
}

}  // namespace scree
