#include <algorithm>
#include <cmath>
#include <span>

#include "io/files/obj_file.hpp"
#include "io/scene/key_parts.hpp"
#include "solvers/base/check.hpp"

namespace scree {
namespace {

constexpr std::array<const char*, std::variant_size_v<ShapePart>> kShapeWords = {
    "plane", "box", "cylinder", "sphere", "pipe", "cone", "disk", "mesh"};

// Keys that have the same meaning for several shapes.

KeyRow PointRow(Vec3& point) {
  return {{"point", "a point on the plane, or the centre of the other shapes", kLength}, point};
}
KeyRow NormalRow(Vec3& normal) {
  return {{"normal", "normal, out of the solid", Kind::kDirection, InWords("not zero")}, normal};
}
KeyRows EndRows(Vec3& from, Vec3& to) {
  return {{{"from", "centre of one end", kLength}, from},
          {{"to", "centre of the other end", kLength, InWords("not from")}, to}};
}
KeyRows RoundRows(double& radius) {
  return RadiusOrDiameter({"radius", "radius", kLength, Positive()}, "diameter, instead of radius",
                          radius);
}

// One function for each alternative of ShapePart; the compiler reports a missing one.

KeyRows RowsOf(Plane& plane) { return {PointRow(plane.point), NormalRow(plane.normal)}; }
KeyRows RowsOf(Block& block) {
  return {{{"lower", "lower corner", kLength}, block.box.lower},
          {{"upper", "upper corner", kLength, InWords("above lower")}, block.box.upper}};
}
KeyRows RowsOf(Cylinder& rod) { return EndRows(rod.from, rod.to) + RoundRows(rod.radius); }
KeyRows RowsOf(Ball& ball) { return KeyRows{PointRow(ball.centre)} + RoundRows(ball.radius); }
KeyRows RowsOf(Pipe& pipe) { return EndRows(pipe.from, pipe.to) + RoundRows(pipe.radius); }
KeyRows RowsOf(Cone& cone) {
  return EndRows(cone.from, cone.to) +
         KeyRows{{{"from_radius", "radius at from", kLength, NotNegative()}, cone.from_radius},
                 {{"to_radius", "radius at to", kLength, NotNegative()}, cone.to_radius}};
}
KeyRows RowsOf(Disk& disk) {
  return KeyRows{PointRow(disk.centre), NormalRow(disk.normal)} + RoundRows(disk.radius) +
         KeyRows{
             {{"hole", "radius of the hole", kLength, NotNegative(", < radius"), Default{"0 m"}},
              disk.hole}};
}
/// A single factor applies to all axes. A wrong number n of factors becomes (n, NaN, NaN), which
/// Check rejects.
KeyRow ScaleRow(Vec3& scale) {
  return {
      {"scale", "factors along the file's axes, or one for all; negative ones mirror", Kind::kList,
       InWords("one or three, none 0"), Default{"1 1 1"}},
      [&scale](const KeyValue& value) {
        const auto& factors = std::get<std::vector<double>>(value);
        scale = Vec3(static_cast<double>(factors.size()), std::nan(""), std::nan(""));
        if (factors.size() == 1) scale.setConstant(factors[0]);
        if (factors.size() == 3) scale = Vec3(factors[0], factors[1], factors[2]);
      },
      [&scale] { return std::optional<KeyValue>(std::vector<double>(scale.begin(), scale.end())); },
      [&scale] { scale.setOnes(); }};
}

KeyRows RowsOf(Mesh& mesh) {
  return {
      {{"file", "file of triangles, relative to the working directory or else to the scene file",
        InWords(".stl, binary or ASCII | .obj"),
        AtAnyRestart()},  // the content must not change (scene_file)
       mesh.file},
      {{"unit", "unit of the file, which does not name one; CAD programs mostly write mm", kLength,
        Positive(), Default{"1 m"}},
       mesh.unit},
      ScaleRow(mesh.scale),
      {{"turn", "rotation about the file's origin: axis times angle", kAngle, Default{"0 0 0 deg"}},
       mesh.rotation},
      {{"offset", "position of the file's origin", kLength, Default{"0 0 0 m"}}, mesh.offset},
      {{"flip", "reverse the side to which the triangles face", Default{"no"}}, mesh.flip},
      {{"solid",
        "the inside of the closed surface is solid, or the outside if the triangles face inwards; "
        "no: a sheet",
        Default{"no"}},
       mesh.solid}};
}

const KindKeys& Kinds() {
  static const KindKeys kinds = KindsOf<ShapePart>(
      {"shape",
       "a solid that keeps particles out; pipe, cone and disk are sheets, touched from both sides"},
      kShapeWords, [](auto& part) { return RowsOf(part); });
  return kinds;
}

/// Adds an error for keys of a shape that contradict each other.
struct Check {
  Section& section;

  template <class Part>
  void CheckEnds(const Part& part, const char* name) const {
    if (part.from != part.to || !section.IsGiven("to")) return;
    section.AddError("to", Text("is the same point as \"from\"; a ", name, " needs two ends"));
  }
  void operator()(const Plane&) const {}
  void operator()(const Ball&) const {}
  void operator()(const Block& block) const { section.CheckBox(block.box); }
  void operator()(const Cylinder& rod) const { CheckEnds(rod, "cylinder"); }
  void operator()(const Pipe& pipe) const { CheckEnds(pipe, "pipe"); }
  void operator()(const Cone& cone) const {
    CheckEnds(cone, "cone");
    if (cone.from_radius != 0.0 || cone.to_radius != 0.0) return;
    if (!section.IsGiven("to_radius")) return;
    section.AddError("to_radius",
                     "is 0 m like \"from_radius\"; a cone has a tip at one end at most");
  }
  void operator()(const Disk& disk) const {
    if (disk.hole < disk.radius || disk.radius <= 0.0) return;
    section.AddError(
        "hole", Text("is ", disk.hole, " m; expected less than the radius, ", disk.radius, " m"));
  }
  void operator()(const Mesh& mesh) const {
    if (!mesh.scale.allFinite()) {
      section.AddError("scale", Text("has ", mesh.scale.x(), " factors; expected one or three"));
    } else if (mesh.scale.cwiseAbs().minCoeff() == 0.0) {
      section.AddError("scale",
                       Text("is ", mesh.scale.transpose(), "; expected factors that are not 0"));
    }
    if (mesh.file.empty() || mesh.file.ends_with(".stl") || mesh.file.ends_with(".STL") ||
        IsObjName(mesh.file)) {
      return;
    }
    section.AddError("file",
                     Text("\"", mesh.file, "\" is of unknown kind; expected an .stl or .obj file"));
  }
};

/// Puts "a, b: " in front of the meaning of a key that the shapes a and b have.
KeySpecs WithOwners(const KindKeys& kinds) {
  KeySpecs all = kinds.All();
  for (KeySpec& spec : std::span(all).subspan(1)) {
    std::string owners;
    for (std::size_t k = 0; k < kinds.words.size(); ++k) {
      if (std::ranges::count(kinds.keys[k], spec.key, &KeySpec::key) == 0) continue;
      owners += (owners.empty() ? "" : ", ") + kinds.words[k];
    }
    spec.doc = owners + ": " + spec.doc;
  }
  return all;
}

}  // namespace

const KeySpecs& ShapeSpecs() {
  static const KeySpecs specs = WithOwners(Kinds());
  return specs;
}

void VisitShapeKeys(Section& section, ShapePart& part) {
  if (section.IsListed()) return section.List(ShapeSpecs());
  section.VisitVariant(
      part, Kinds(),
      [&](auto& shape) {
        section.VisitKeys(RowsOf(shape));
        if (section.IsRead()) Check{section}(shape);
      },
      "a");
}

}  // namespace scree
