#include "io/configuration/shape_keys.hpp"

#include <algorithm>
#include <functional>
#include <type_traits>

#include "io/configuration/key_groups.hpp"
#include "solvers/base/check.hpp"

namespace scree {
namespace {

/// What a scene knows of one kind of shape.
template <class Part>
struct Form {
  std::string name;
  Keys<Part> keys;
  /// Complains of what does not go together.
  std::function<void(const Part&, SectionReader&, const std::string& section)> check =
      [](const Part&, SectionReader&, const std::string&) {};
};

// Keys that several shapes have; their meaning goes for all of them.
const KeySpec kPoint = {
    .key = "point", .doc = "a point of a plane, else the centre", .dimension = kLength};
const KeySpec kNormal = {.key = "normal",
                         .doc = "direction, out of the solid",
                         .kind = Kind::kDirection,
                         .range = "not zero"};
const KeySpec kLower = {.key = "lower", .doc = "lower corner", .dimension = kLength};
const KeySpec kUpper = {
    .key = "upper", .doc = "upper corner", .range = "above lower", .dimension = kLength};
const KeySpec kFrom = {.key = "from", .doc = "centre of one end", .dimension = kLength};
const KeySpec kTo = {
    .key = "to", .doc = "centre of the other end", .range = "not from", .dimension = kLength};
const KeySpec kRadius = {.key = "radius",
                         .doc = "radius",
                         .range = "> 0",
                         .dimension = kLength,
                         .lower = 0.0,
                         .open = true};
const KeySpec kDiameter = {.key = "diameter",
                           .doc = "or diameter",
                           .range = "> 0",
                           .dimension = kLength,
                           .lower = 0.0,
                           .open = true};
const KeySpec kFromRadius = {.key = "from_radius",
                             .doc = "radius at from",
                             .range = ">= 0",
                             .dimension = kLength,
                             .lower = 0.0};
const KeySpec kToRadius = {
    .key = "to_radius", .doc = "radius at to", .range = ">= 0", .dimension = kLength, .lower = 0.0};
const KeySpec kHole = {.key = "hole",
                       .doc = "radius of the hole",
                       .initial = "0 m",
                       .range = ">= 0, < radius",
                       .dimension = kLength,
                       .lower = 0.0};
const KeySpec kFile = {.key = "file",
                       .doc = "triangles; looked for from here, then beside the scene",
                       .range = ".stl, binary or ASCII",
                       .change = AtAnyRestart()};  // what is in it may not (mesh_files)

const KeySpec kScale = {
    .key = "scale", .doc = "factors along the file's axes", .initial = "1 1 1", .range = "> 0"};

/// One with two ends, which are not the same point.
template <class Part>
auto CheckEnds(const std::string& name) {
  return [name](const Part& part, SectionReader& reader, const std::string& section) {
    if (part.from != part.to || !reader.Given().Given(section, kTo.key)) return;
    reader.Complain(section, kTo,
                    Text("is the same point as \"from\"; a ", name, " needs two ends"));
  };
}

void CheckCone(const Cone& cone, SectionReader& reader, const std::string& section) {
  CheckEnds<Cone>("cone")(cone, reader, section);
  if (cone.from_radius != 0.0 || cone.to_radius != 0.0) return;
  if (!reader.Given().Given(section, kToRadius.key)) return;
  reader.Complain(section, kToRadius,
                  "is 0 m like \"from_radius\"; a cone has a tip at one end at most");
}

void CheckDisk(const Disk& disk, SectionReader& reader, const std::string& section) {
  if (disk.hole < disk.radius || disk.radius <= 0.0) return;
  reader.Complain(section, kHole,
                  Text("is ", disk.hole, " m; expected less than the radius, ", disk.radius, " m"));
}

void CheckMesh(const Mesh& mesh, SectionReader& reader, const std::string& section) {
  if (!(mesh.scale.minCoeff() > 0.0)) {
    reader.Complain(section, kScale,
                    Text("is ", mesh.scale.transpose(), "; expected three factors > 0"));
  }
  if (mesh.file.empty() || mesh.file.ends_with(".stl") || mesh.file.ends_with(".STL")) return;
  reader.Complain(section, kFile,
                  Text("\"", mesh.file, "\" is of unknown kind; expected an .stl file"));
}

// One form for each alternative of ShapePart; a lacking one does not compile.

Form<Plane> FormOf(const Plane*) {
  return {"plane", {{kPoint, &Plane::point}, {kNormal, &Plane::normal}}};
}

Form<Block> FormOf(const Block*) {
  return {"box",
          Within<Block>(&Block::box, Keys<Box>{{kLower, &Box::lower}, {kUpper, &Box::upper}}),
          [](const Block& block, SectionReader& reader, const std::string& section) {
            reader.CheckBox(section, block.box, kLower, kUpper);
          }};
}

Form<Cylinder> FormOf(const Cylinder*) {
  return {"cylinder",
          Keys<Cylinder>{{kFrom, &Cylinder::from}, {kTo, &Cylinder::to}} +
              RadiusOrDiameter(kRadius, kDiameter, &Cylinder::radius),
          CheckEnds<Cylinder>("cylinder")};
}

Form<Ball> FormOf(const Ball*) {
  return {"sphere", Keys<Ball>{{kPoint, &Ball::centre}} +
                        RadiusOrDiameter(kRadius, kDiameter, &Ball::radius)};
}

Form<Pipe> FormOf(const Pipe*) {
  return {"pipe",
          Keys<Pipe>{{kFrom, &Pipe::from}, {kTo, &Pipe::to}} +
              RadiusOrDiameter(kRadius, kDiameter, &Pipe::radius),
          CheckEnds<Pipe>("pipe")};
}

Form<Cone> FormOf(const Cone*) {
  return {"cone",
          {{kFrom, &Cone::from},
           {kTo, &Cone::to},
           {kFromRadius, &Cone::from_radius},
           {kToRadius, &Cone::to_radius}},
          CheckCone};
}

Form<Disk> FormOf(const Disk*) {
  return {"disk",
          Keys<Disk>{{kPoint, &Disk::centre}, {kNormal, &Disk::normal}} +
              RadiusOrDiameter(kRadius, kDiameter, &Disk::radius) +
              Keys<Disk>{{kHole, &Disk::hole}},
          CheckDisk};
}

Form<Mesh> FormOf(const Mesh*) {
  return {"mesh",
          {{kFile, &Mesh::file},
           {{.key = "unit",
             .doc = "unit of the file",
             .initial = "1 m",
             .range = "> 0",
             .dimension = kLength,
             .lower = 0.0,
             .open = true},
            &Mesh::unit},
           {kScale, &Mesh::scale},
           {{.key = "turn",
             .doc = "how it is turned about the file's origin: axis times angle",
             .initial = "0 0 0 deg"},
            &Mesh::turn},
           {{.key = "offset",
             .doc = "where the file's origin is",
             .initial = "0 0 0 m",
             .dimension = kLength},
            &Mesh::offset},
           {{.key = "solid",
             .doc = "what its surface encloses is solid, or all but that; no: a sheet",
             .initial = "no"},
            &Mesh::solid}},
          CheckMesh};
}

template <class Action, class... Parts>
void ForEachForm(const Action& action, std::type_identity<std::variant<Parts...>>) {
  (action(FormOf(static_cast<const Parts*>(nullptr))), ...);
}

/// Calls action(form) for the form of each shape, in the order of ShapePart.
template <class Action>
void ForEachForm(const Action& action) {
  ForEachForm(action, std::type_identity<ShapePart>());
}

std::string ShapeNames() {
  std::string names;
  ForEachForm([&](const auto& form) { names += (names.empty() ? "" : " | ") + form.name; });
  return names;
}

/// The word for the shape; its value decides what the section's other keys are.
Keys<std::string> ShapeRow() {
  return {{{.key = "shape",
            .doc = "kind of solid; pipe, cone and disk are sheets without thickness",
            .kind = Kind::kChoice,
            .range = ShapeNames()},
           [](auto& name) -> decltype(auto) { return (name); }}};
}

/// "a, b: " before the meaning of a key that the shapes a and b have.
void AddForm(const std::string& name, const KeySpecs& keys, KeySpecs& all) {
  for (const KeySpec& key : keys) {
    const auto known = std::ranges::find(all, key.key, &KeySpec::key);
    if (known == all.end()) {
      all.push_back(key);
      all.back().doc = name + ": " + key.doc;
    } else {
      known->doc.insert(known->doc.find(':'), ", " + name);
    }
  }
}

}  // namespace

KeySpecs ShapeSpecs() {
  KeySpecs specs = SpecsOf(ShapeRow()), of_forms;
  ForEachForm([&](const auto& form) { AddForm(form.name, SpecsOf(form.keys), of_forms); });
  specs.insert(specs.end(), of_forms.begin(), of_forms.end());
  return specs;
}

ShapePart ReadShape(SectionReader& reader, const std::string& section, const KeySpecs& of_wall,
                    bool whole_wall) {
  std::string name;
  reader.Read(section, ShapeRow(), name);
  ShapePart part;  // stays so if there is no such shape, which is in the list of errors then
  ForEachForm([&]<class Part>(const Form<Part>& form) {
    if (form.name != name) return;
    KeySpecs allowed = Joined({SpecsOf(ShapeRow()), SpecsOf(form.keys)});
    if (whole_wall) allowed = Joined({allowed, of_wall});
    reader.Refuse(section, Joined({ShapeSpecs(), of_wall}), allowed,
                  "a " + name + (whole_wall ? "" : " that is a part; give it in [wall.NAME]"));
    Part read;
    reader.Read(section, form.keys, read);
    form.check(read, reader, section);
    part = std::move(read);
  });
  return part;
}

void WriteShape(const ShapePart& part, Echo& echo) {
  std::visit(
      [&]<class Part>(const Part& of) {
        const Form<Part> form = FormOf(&of);
        echo.Write(ShapeRow(), form.name);
        echo.Write(form.keys, of);
      },
      part);
}

}  // namespace scree
