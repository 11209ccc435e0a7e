#include "engine/geometry/rounded_polyhedron.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <iterator>
#include <numbers>
#include <vector>

#include "solvers/base/check.hpp"

namespace scree {
namespace {

using std::numbers::pi;

Mat3 Outer(const Vec3& x, const Vec3& y) { return x * y.transpose(); }
Mat3 SymmetricOuter(const Vec3& x, const Vec3& y) { return Outer(x, y) + Outer(y, x); }

/// Integrals of 1, x and x xᵀ over a line, an area or a volume.
struct Integrals {
  double measure = 0.0;
  Vec3 first = Vec3::Zero();
  Mat3 second = Mat3::Zero();
};

template <std::size_t kCorners>
Integrals IntegrateSimplex(double measure, const std::array<Vec3, kCorners>& corners) {
  Vec3 sum = Vec3::Zero();
  Mat3 squares = Mat3::Zero();
  for (const Vec3& x : corners) {
    sum += x;
    squares += Outer(x, x);
  }
  constexpr double kCount = kCorners;
  return {measure, measure / kCount * sum,
          measure / (kCount * (kCount + 1.0)) * (squares + Outer(sum, sum))};
}

/// Integrals of 1, u and u uᵀ over the directions u of a normal cone.
using Directions = Integrals;

/// Integrates over the directions of an edge: the arc between the normals of its faces.
Directions IntegrateArc(const Vec3& from, const Vec3& to) {
  const double angle = std::atan2(from.cross(to).norm(), from.dot(to));
  const Vec3 middle = (from + to).normalized();
  const Vec3 across = (to - from).normalized();
  const double sine = std::sin(angle);
  return {
      angle, 2.0 * std::sin(0.5 * angle) * middle,
      0.5 * (angle + sine) * Outer(middle, middle) + 0.5 * (angle - sine) * Outer(across, across)};
}

/// Integrates over the directions of a vertex: the spherical polygon of the normals of its faces.
/// On the sphere Δu = −2 u and Δ(u uᵀ) = −6 u uᵀ + 2 I, so that the integrals become integrals over
/// the border. The outward normal m of the border is constant along each arc.
/// @param arcs  ends of each arc, counterclockwise
Directions IntegratePolygon(std::span<const std::array<Vec3, 2>> arcs) {
  Directions sums;
  const Vec3 apex = arcs[0][0];
  for (const auto& [p, q] : arcs) {
    // A. van Oosterom, J. Strackee, IEEE Trans. Biomed. Eng. 30 (1983) 125.
    sums.measure +=
        2.0 * std::atan2(apex.dot(p.cross(q)), 1.0 + apex.dot(p) + p.dot(q) + q.dot(apex));
    const Directions arc = IntegrateArc(p, q);
    const Vec3 m = -p.cross(q).normalized();
    sums.first -= 0.5 * arc.measure * m;
    sums.second -= SymmetricOuter(arc.first, m) / 6.0;
  }
  sums.second += sums.measure / 3.0 * Mat3::Identity();
  return sums;
}

/// Adds the region swept from a set of points along the directions up to the distance ρ. The volume
/// element at the distance r is proportional to r^power dr.
void AddSwept(const Integrals& points, const Directions& directions, int power, double rho,
              Integrals& sums) {
  const auto radial_moment = [&](int order) {
    return std::pow(rho, power + order + 1) / (power + order + 1);
  };
  const double zeroth = radial_moment(0), first = radial_moment(1), second = radial_moment(2);
  sums.measure += points.measure * directions.measure * zeroth;
  sums.first +=
      points.first * directions.measure * zeroth + points.measure * first * directions.first;
  sums.second += points.second * directions.measure * zeroth +
                 SymmetricOuter(points.first, directions.first) * first +
                 points.measure * second * directions.second;
}

/// Adds the prism on a face, and the pyramid between the face and the origin.
void AddFace(const Polyhedron& core, const PolyhedronFace& face, double rho, Integrals& sums) {
  const Vec3& a = core.vertices[face.corners[0]];
  for (std::size_t k = 1; k + 1 < face.corners.size(); ++k) {
    const Vec3 &b = core.vertices[face.corners[k]], &c = core.vertices[face.corners[k + 1]];
    const double area = 0.5 * face.normal.dot((b - a).cross(c - a));
    AddSwept(IntegrateSimplex<3>(area, {a, b, c}),
             {1.0, face.normal, Outer(face.normal, face.normal)}, 0, rho, sums);
    const Integrals tetrahedron =
        IntegrateSimplex<4>(a.dot(b.cross(c)) / 6.0, {Vec3(Vec3::Zero()), a, b, c});
    sums.measure += tetrahedron.measure;
    sums.first += tetrahedron.first;
    sums.second += tetrahedron.second;
  }
}

Integrals IntegralsOf(const RoundedPolyhedron& body) {
  const auto& [core, rho] = body;
  Integrals sums;
  for (const PolyhedronFace& face : core.faces) AddFace(core, face, rho, sums);
  std::vector<std::vector<std::array<Vec3, 2>>> arcs(core.vertices.size());
  for (const PolyhedronEdge& edge : core.edges) {
    const Vec3 &from = core.vertices[edge.from], &to = core.vertices[edge.to];
    const Vec3 &left = core.faces[edge.left].normal, &right = core.faces[edge.right].normal;
    AddSwept(IntegrateSimplex<2>((to - from).norm(), {from, to}), IntegrateArc(right, left), 1, rho,
             sums);
    // Seen from outside, the faces around a vertex have the same order as their normals.
    arcs[edge.from].push_back({right, left});
    arcs[edge.to].push_back({left, right});
  }
  for (std::size_t v = 0; v < core.vertices.size(); ++v) {
    const Vec3& x = core.vertices[v];
    AddSwept({1.0, x, Outer(x, x)}, IntegratePolygon(arcs[v]), 2, rho, sums);
  }
  return sums;
}

/// @param counts  allowed numbers of sizes, one or two
void RequireSizes(const std::string& name, std::span<const double> size,
                  std::initializer_list<std::size_t> counts) {
  if (std::ranges::find(counts, size.size()) != counts.end()) return;
  const std::size_t first = *counts.begin(), last = *std::prev(counts.end());
  throw InputError(Text("is a ", name, " with ", size.size(), size.size() == 1 ? " size" : " sizes",
                        "; expected ", first == last ? Text(first) : Text(first, " or ", last)));
}

std::vector<Vec3> EndVertices(double radius, double length, int sides) {
  std::vector<Vec3> ends;
  for (int k = 0; k < sides; ++k) {
    const double angle = 2.0 * pi * k / sides;
    for (const double z : {-0.5 * length, 0.5 * length}) {
      ends.emplace_back(radius * std::cos(angle), radius * std::sin(angle), z);
    }
  }
  return ends;
}

std::vector<Vec3> VerticesOfPrism(const std::string& name, std::span<const double> size,
                                  int sides) {
  RequireSizes(name, size, {2});
  const bool is_cylinder = name == "cylinder";
  if (sides == 0) sides = is_cylinder ? 24 : 6;
  constexpr int kMaxSides = 200;
  if (sides < 3 || sides > kMaxSides) {
    throw InputError(Text("is a ", name, " with ", sides, " sides; expected 3 to ", kMaxSides));
  }
  return EndVertices(0.5 * size[0] / (is_cylinder ? std::cos(pi / sides) : 1.0), size[1], sides);
}

/// Appends (±a, ±b, ±c) for all combinations of signs and, if `permute`, all cyclic permutations.
void AddSigned(const Vec3& x, bool permute, std::vector<Vec3>& vertices) {
  for (int sign = 0; sign < 8; ++sign) {
    const Vec3 mirrored = {sign & 1 ? -x.x() : x.x(), sign & 2 ? -x.y() : x.y(),
                           sign & 4 ? -x.z() : x.z()};
    vertices.push_back(mirrored);
    if (permute)
      vertices.insert(vertices.end(), {{mirrored.y(), mirrored.z(), mirrored.x()},
                                       {mirrored.z(), mirrored.x(), mirrored.y()}});
  }
}

}  // namespace

SolidMoments MomentsOf(const RoundedPolyhedron& body) {
  const Integrals sums = IntegralsOf(body);
  const Vec3 centre = sums.first / sums.measure;
  const Mat3 second = sums.second - sums.measure * Outer(centre, centre);
  return {sums.measure, centre, second.trace() * Mat3::Identity() - second};
}

RoundedPolyhedron Rounded(const Polyhedron& sharp, double rounding) {
  const Vec3 centre = MomentsOf({sharp, 0.0}).centre;
  const double inside = DepthOf(sharp, centre);
  if (rounding == 0.0) rounding = kDefaultRounding * inside;
  if (!(rounding >= kMinRounding * inside && rounding <= kMaxRounding * inside)) {
    throw InputError(Text("has the rounding ", rounding, " m; expected ", kMinRounding * inside,
                          " to ", kMaxRounding * inside,
                          " m, which is 0.01 to 0.9 of the radius of the largest ball about its "
                          "centre"));
  }
  return {Erode(sharp, centre, rounding), rounding};
}

std::vector<Vec3> VerticesOfSolid(const std::string& name, std::span<const double> size,
                                  int sides) {
  if (name == "prism" || name == "cylinder") return VerticesOfPrism(name, size, sides);
  if (sides != 0) {
    throw InputError(Text("is a ", name, " with sides = ", sides,
                          "; expected sides only for a prism or a cylinder"));
  }
  std::vector<Vec3> vertices;
  if (name == "box") {
    RequireSizes(name, size, {1, 3});
    AddSigned(0.5 * Vec3(size.front(), size[size.size() / 2], size.back()), false, vertices);
    return vertices;
  }
  RequireSizes(name, size, {1});
  const double edge = size.front();
  if (name == "tetrahedron") {
    const double a = edge / std::sqrt(8.0);
    return {{a, a, a}, {a, -a, -a}, {-a, a, -a}, {-a, -a, a}};
  }
  if (name == "octahedron") {
    for (int axis = 0; axis < 3; ++axis) {
      for (const double sign : {-1.0, 1.0})
        vertices.push_back(sign * edge / std::sqrt(2.0) * Vec3::Unit(axis));
    }
    return vertices;
  }
  if (name == "dodecahedron") {
    const double a = 0.5 * std::numbers::phi * edge;
    AddSigned(Vec3(a, a, a), false, vertices);
    AddSigned(Vec3(0.0, a / std::numbers::phi, a * std::numbers::phi), true, vertices);
    return vertices;
  }
  throw InputError(Text("is the solid \"", name,
                        "\"; expected box, prism, tetrahedron, octahedron, dodecahedron or "
                        "cylinder"));
}

}  // namespace scree
