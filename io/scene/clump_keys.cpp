// [shape.NAME] and [shape.NAME.PART], and the choice of shapes for particles.
#include <algorithm>
#include <map>

#include "io/scene/key_groups.hpp"
#include "io/scene/key_parts.hpp"
#include "solvers/base/check.hpp"

namespace scree {
namespace {

/// Row of the spheres of a shape as a list of x y z r.
KeyRow SpheresRow(std::vector<Member>& spheres) {
  const auto set = [&spheres](const KeyValue& value) {
    const auto& n = std::get<std::vector<double>>(value);
    spheres.clear();
    for (std::size_t k = 0; k + 3 < n.size(); k += 4) {
      spheres.push_back({Vec3(n[k], n[k + 1], n[k + 2]), n[k + 3]});
    }
  };
  const auto get = [&spheres]() -> std::optional<KeyValue> {
    if (spheres.empty()) return {};
    std::vector<double> numbers;
    for (const Member& sphere : spheres) {
      const Vec3& x = sphere.centre;
      numbers.insert(numbers.end(), {x.x(), x.y(), x.z(), sphere.radius});
    }
    return numbers;
  };
  return {
      {"spheres",
       "x y z r of each sphere, separated by commas; a scene file may give file = TABLE.csv "
       "instead",
       Kind::kSpheres, kLength, kOptional, InWords("r > 0; alternatives are solid and vertices")},
      set,
      get};
}

/// Row of the corners of a solid as a list of x y z.
KeyRow VerticesRow(std::vector<Vec3>& vertices) {
  const auto set = [&vertices](const KeyValue& value) {
    const auto& n = std::get<std::vector<double>>(value);
    vertices.clear();
    for (std::size_t k = 0; k + 2 < n.size(); k += 3) {
      vertices.emplace_back(n[k], n[k + 1], n[k + 2]);
    }
  };
  const auto get = [&vertices]() -> std::optional<KeyValue> {
    if (vertices.empty()) return {};
    std::vector<double> numbers;
    for (const Vec3& x : vertices) numbers.insert(numbers.end(), {x.x(), x.y(), x.z()});
    return numbers;
  };
  return {{"vertices",
           "list of x y z of the corners of a convex solid; a scene file may give file = "
           "SURFACE.stl or .obj instead",
           Kind::kList, kLength, kOptional, InWords("if they are not convex, their hull is used")},
          set,
          get};
}

/// Rows of a shape or of one of its parts.
KeyRows PartRows(PartDescription& part) {
  return {
      SpheresRow(part.spheres),
      VerticesRow(part.vertices),
      KeyRow({"unit", "unit of the vertices, or of a file, which does not name one", kLength,
              Default{"1 m"}},
             part.unit)
          .OnlyIf(part.unit != 1.0),
      KeyRow({"scale", "factors along the axes of the vertices", InWords("> 0"), Default{"1 1 1"}},
             part.scale)
          .OnlyIf(part.scale != Vec3::Ones()),
      {{"solid", "name of a convex solid", Kind::kText, kOptional,
        InWords("box | prism | tetrahedron | octahedron | dodecahedron | cylinder")},
       part.solid},
      KeyRow({"size",
              "of a solid: edges of a box, or one number for a cube; diameter and length of a "
              "prism or cylinder; edge length of the others",
              kLength, kOptional, Positive()},
             part.size)
          .OnlyIf(!part.size.empty()),
      {{"sides", "sides of a prism (6 if not given) or of a cylinder (24 if not given)", kOptional,
        Between(3, 200)},
       part.sides},
      {{"rounding",
        "radius of the rounded edges and corners of a solid; the planes of the faces do not move",
        kLength, kOptional,
        Positive("; if not given, 5 % of the radius of the largest ball inside about the centre")},
       part.rounding},
      KeyRow({"turn", "rotation about the origin: axis times angle", kAngle, Default{"0 0 0 deg"}},
             part.rotation)
          .OnlyIf(part.rotation != Vec3::Zero()),
      KeyRow(
          {"position", "position of the part's origin in the shape", kLength, Default{"0 0 0 m"}},
          part.position)
          .OnlyIf(part.position != Vec3::Zero())};
}

/// Rows of the whole shape.
KeyRows WholeRows(ClumpDescription& shape) {
  return {
      {{"apart", "allow spheres and solids that are not connected", Default{"no"}},
       shape.allows_gaps},
      {{"mass", "mass of a body of the described size, whatever its material", kMass, kOptional,
        Positive("; from the density if not given")},
       shape.mass},
      {{"inertia",
        "moments of inertia about axes through the centre of mass along x, y and z; requires mass",
        kInertia, kOptional,
        Positive(
            ", none above the sum of the other two; those of the homogeneous body if not given")},
       shape.inertia}};
}
KeyRows ShapeRows(ClumpDescription& shape) { return PartRows(shape) + WholeRows(shape); }

/// Replaces an invalid shape, so that later errors are also found.
ClumpShape UnitBall(const std::string& name) {
  ClumpDescription ball;
  ball.name = name;
  ball.spheres = {{Vec3::Zero(), 1.0}};
  return MakeClumpShape(ball);
}

/// @param has_parts  whether there are sections [shape.NAME.PART] of this shape
void CheckPart(Section& section, const Settings& settings, const PartDescription& part,
               bool has_parts) {
  const auto numbers = settings.Find(section.Name(), "vertices");
  const std::size_t count = numbers ? std::get<std::vector<double>>(*numbers).size() : 0;
  if (count % 3 != 0) {
    section.AddError("vertices", Text("has ", count, " numbers; expected x y z of each vertex"));
  }
  const bool is_given = section.IsGiven("spheres") || section.IsGiven("vertices");
  if (part.IsEmpty() && !is_given && !has_parts) {
    section.AddError("spheres", "is missing; expected spheres, vertices or a solid");
  }
  if (!(part.scale.minCoeff() > 0.0)) {
    section.AddError("scale", Text("is ", part.scale.transpose(), "; expected three factors > 0"));
  }
}

/// A shape with its parts, and the first section that describes it.
struct ShapeEntry {
  ClumpDescription shape;
  std::string section;
  bool is_invalid = false;
};

std::vector<ShapeEntry> ReadParts(const Settings& settings, ErrorList& errors) {
  std::vector<ShapeEntry> shapes;
  std::map<std::string, std::size_t> index;
  const std::vector<std::string> sections = settings.Sections("shape");
  const KeySpecs whole = SpecsOf(WholeRows);
  for (const std::string& section_name : sections) {
    const std::vector<std::string> names = SectionParts(section_name);
    const auto [found, is_new] = index.emplace(names[1], shapes.size());
    if (is_new) shapes.push_back({{}, section_name});
    ShapeEntry& entry = shapes[found->second];
    entry.shape.name = names[1];
    Section section(section_name, settings, errors);
    PartDescription* part = &entry.shape;
    if (names.size() == 3) {
      section.Refuse(whole, {}, "a part of a shape; give it in [shape.NAME]");
      part = &entry.shape.parts.emplace_back();
      part->name = names[2];
      section.VisitKeys(PartRows(*part));
    } else {
      section.VisitKeys(ShapeRows(entry.shape));
    }
    const bool has_parts =
        part == &entry.shape && std::ranges::any_of(sections, [&](const auto& other) {
          return other.starts_with(section_name + ".");
        });
    CheckPart(section, settings, *part, has_parts);
    entry.is_invalid =
        entry.is_invalid || (part->IsEmpty() && !has_parts) || !(part->scale.minCoeff() > 0.0);
  }
  return shapes;
}

void ReadShapes(const Settings& settings, ErrorList& errors, Scene& scene) {
  for (const auto& [shape, section_name, is_invalid] : ReadParts(settings, errors)) {
    Section section(section_name, settings, errors);
    if (shape.name == kSphereName) {
      section.AddError("spheres",
                       "the name \"sphere\" is reserved for spheres; expected another name");
    }
    const char* const key = !shape.solid.empty()      ? "solid"
                            : !shape.vertices.empty() ? "vertices"
                            : shape.parts.empty()     ? "spheres"
                                                      : "";
    try {
      scene.clumps.push_back(is_invalid ? UnitBall(shape.name)  // error already added
                                        : MakeClumpShape(shape));
    } catch (const InputError& error) {
      section.AddError(key, error.what());
      scene.clumps.push_back(UnitBall(shape.name));
    }
  }
}

void WriteShape(ClumpDescription& shape, IniEntries& entries) {
  const std::string name = "shape." + shape.name;
  Section(name, entries).VisitKeys(ShapeRows(shape));
  for (PartDescription& part : shape.parts) {
    Section(name + "." + part.name, entries).VisitKeys(PartRows(part));
  }
}

}  // namespace

std::vector<GrainShape> ReadGrainShapes(Section& section, const std::string& value,
                                        const Scene& scene) {
  std::vector<std::string> known;
  for (const ClumpShape& shape : scene.clumps) known.push_back(shape.description.name);
  std::vector<GrainShape> shapes;
  try {
    for (const NamedShare& named : ReadShares(value, "shape", "rod 0.3, tetrapod 0.7")) {
      if (named.name == kSphereName) {
        throw InputError(
            "expected only names of [shape.NAME]; give spheres a separate [fill.NAME]");
      }
      const auto found = section.FindNamed("shape", "shape", named.name, known);
      if (!found) return {};
      const auto shape = static_cast<ShapeId>(*found) + 1;
      shapes.push_back({shape, named.share, scene.ClumpOf(shape).bounding_radius});
    }
  } catch (const InputError& error) {
    section.AddError("shape", error.what());
    return {};
  }
  return shapes;
}

std::string WriteGrainShapes(const std::vector<GrainShape>& shapes, const Scene& scene) {
  std::vector<NamedShare> named;
  for (const GrainShape& shape : shapes) {
    const bool is_sphere = shape.shape == kSphereShape;
    named.push_back(
        {is_sphere ? kSphereName : scene.ClumpOf(shape.shape).description.name, shape.fraction});
  }
  return WriteShares(named);
}

KeyGroup ClumpKeys() {
  return {{{"shape", "shape.NAME", 1, 2,
            "A shape of particles: a rigid body of spheres and rounded polyhedra. "
            "[shape.NAME.PART] adds a part",
            Never("particles keep their shapes"), SpecsOf(ShapeRows)}},
          [](const Settings& settings, ErrorList& errors, RunConfig& run) {
            ReadShapes(settings, errors, run.scene);
          },
          [](RunConfig& run, IniEntries& entries) {
            for (ClumpShape& shape : run.scene.clumps) WriteShape(shape.description, entries);
          }};
}

}  // namespace scree
