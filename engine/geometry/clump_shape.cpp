#include "engine/geometry/clump_shape.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include "engine/geometry/body_union.hpp"
#include "solvers/base/check.hpp"

namespace scree {
namespace {

using std::numbers::pi;

/// Calls visit(φ, weight) for the nodes of composite Gauss quadrature, which integrates
/// trigonometric polynomials of degree 4 to rounding.
template <class Visit>
void ForEachNode(double from, double to, Visit&& visit) {
  constexpr std::array<double, 4> kNodes = {0.1834346424956498, 0.5255324099163290,
                                            0.7966664774136267, 0.9602898564975363};
  constexpr std::array<double, 4> kWeights = {0.3626837833783620, 0.3137066458778873,
                                              0.2223810344533745, 0.1012285362903763};
  const int pieces = 1 + static_cast<int>((to - from) / (0.25 * pi));
  const double half = 0.5 * (to - from) / pieces;
  for (int piece = 0; piece < pieces; ++piece) {
    const double middle = from + (2 * piece + 1) * half;
    for (std::size_t k = 0; k < kNodes.size(); ++k) {
      visit(middle - half * kNodes[k], half * kWeights[k]);
      visit(middle + half * kNodes[k], half * kWeights[k]);
    }
  }
}

/// The part of a sphere that another sphere covers: the directions n from its centre with n⋅d > c.
struct Cap {
  Vec3 d;
  double c;
};

bool IsInside(const Member& inner, const Member& outer) {
  return (inner.centre - outer.centre).norm() + inner.radius <= outer.radius;
}

/// Whether another sphere covers the whole surface of sphere i; false for the first of equal
/// spheres.
bool IsEnclosed(std::span<const Member> spheres, std::size_t i) {
  for (std::size_t k = 0; k < spheres.size(); ++k) {
    if (k == i || !IsInside(spheres[i], spheres[k])) continue;
    if (!IsInside(spheres[k], spheres[i]) || k < i) return true;
  }
  return false;
}

std::vector<Cap> FindCaps(std::span<const Member> spheres, std::size_t i) {
  std::vector<Cap> caps;
  const double r = spheres[i].radius;
  for (std::size_t k = 0; k < spheres.size(); ++k) {
    if (k == i || IsInside(spheres[k], spheres[i])) continue;
    const Vec3 e = spheres[k].centre - spheres[i].centre;
    const double distance = e.norm();
    const double other_r = spheres[k].radius;
    const double c = (distance * distance + (r - other_r) * (r + other_r)) / (2.0 * r);
    if (c < distance) caps.push_back({e / distance, c / distance});
  }
  return caps;
}

/// Heights z at which arcs of the uncovered surface appear, meet or vanish. The point where
/// this happens does not count if another cap covers it.
std::vector<double> FindBreaks(const std::vector<Cap>& caps) {
  std::vector<double> breaks = {-1.0, 1.0};
  const auto add = [&](const Vec3& n, std::size_t k, std::size_t l) {
    constexpr double kRounding = 1e-9;
    for (std::size_t m = 0; m < caps.size(); ++m) {
      if (m != k && m != l && n.dot(caps[m].d) > caps[m].c + kRounding) return;
    }
    breaks.push_back(std::clamp(n.z(), -1.0, 1.0));
  };
  for (std::size_t k = 0; k < caps.size(); ++k) {
    const auto& [d, c] = caps[k];
    const double across = std::hypot(d.x(), d.y()),
                 circle_radius = std::sqrt(std::max(0.0, 1.0 - c * c));
    // The highest and lowest points of the circle.
    const Vec3 up = across > 0.0 ? Vec3(-d.x() * d.z() / across, -d.y() * d.z() / across, across)
                                 : Vec3(Vec3::UnitX());
    add(c * d + circle_radius * up, k, k);
    add(c * d - circle_radius * up, k, k);
    for (std::size_t l = k + 1; l < caps.size(); ++l) {
      const Vec3 line = d.cross(caps[l].d);
      const double squared_sine = line.squaredNorm(), cosine = d.dot(caps[l].d);
      if (squared_sine == 0.0) continue;
      const Vec3 foot =
          ((c - caps[l].c * cosine) * d + (caps[l].c - c * cosine) * caps[l].d) / squared_sine;
      const double squared_offset = (1.0 - foot.squaredNorm()) / squared_sine;
      if (squared_offset < 0.0) continue;
      add(foot + std::sqrt(squared_offset) * line, k, l);
      add(foot - std::sqrt(squared_offset) * line, k, l);
    }
  }
  std::ranges::sort(breaks);
  return breaks;
}

/// Calls visit(from, to) for the intervals of azimuth that no cap covers at the height z.
template <class Visit>
void ForEachArc(const std::vector<Cap>& caps, double z, Visit&& visit) {
  const double s = std::sqrt(std::max(0.0, 1.0 - z * z));
  std::vector<std::pair<double, double>> covered;
  for (const auto& [d, c] : caps) {
    const double reach = s * std::hypot(d.x(), d.y()), level = c - d.z() * z;
    if (level >= reach) continue;
    if (level <= -reach) return;
    const double middle = std::atan2(d.y(), d.x()), half = std::acos(level / reach);
    const double from = middle - half, to = middle + half;
    covered.emplace_back(std::max(from, -pi), std::min(to, pi));
    if (from < -pi) covered.emplace_back(from + 2.0 * pi, pi);
    if (to > pi) covered.emplace_back(-pi, to - 2.0 * pi);
  }
  std::ranges::sort(covered);
  double reached = -pi;
  for (const auto& [from, to] : covered) {
    if (from > reached) visit(reached, from);
    reached = std::max(reached, to);
  }
  if (reached < pi) visit(reached, pi);
}

/// Integrals of 1, x and x xᵀ over a solid, computed as integrals over its surface.
struct SurfaceSums {
  double volume = 0.0;
  Vec3 first = Vec3::Zero();
  Mat3 second = Mat3::Zero();

  void Add(const Vec3& x, const Vec3& n, double area) {
    volume += area / 3.0 * x.dot(n);
    first += 0.5 * area * x.cwiseAbs2().cwiseProduct(n);
    for (int k = 0; k < 3; ++k) {
      for (int l = 0; l < 3; ++l) {
        second(k, l) +=
            area * n[k] * (k == l ? x[k] * x[k] * x[k] / 3.0 : 0.5 * x[k] * x[k] * x[l]);
      }
    }
  }
};

/// Adds the uncovered arcs at the height z, which represent the surface of a layer of thickness dz.
void AddCircle(const Member& sphere, const std::vector<Cap>& caps, double z, double dz,
               SurfaceSums& sums) {
  const double s = std::sqrt(std::max(0.0, 1.0 - z * z));
  const double area = sphere.radius * sphere.radius * dz;
  ForEachArc(caps, z, [&](double from, double to) {
    ForEachNode(from, to, [&](double phi, double arc) {
      const Vec3 n(s * std::cos(phi), s * std::sin(phi), z);
      sums.Add(sphere.centre + sphere.radius * n, n, area * arc);
    });
  });
}

/// Near a break the length of an arc varies like the square root of the distance to it. The double
/// exponential rule of Takahasi and Mori (1974) handles this singularity.
void AddSurface(const Member& sphere, const std::vector<Cap>& caps, SurfaceSums& sums) {
  constexpr double kStep = 0.0625;
  constexpr int kSteps = 52;  // the weights of further steps are below the last bit
  const std::vector<double> breaks = FindBreaks(caps);
  for (std::size_t k = 0; k + 1 < breaks.size(); ++k) {
    const double middle = 0.5 * (breaks[k] + breaks[k + 1]);
    const double half = 0.5 * (breaks[k + 1] - breaks[k]);
    if (half < 1e-14) continue;
    for (int i = -kSteps; i <= kSteps; ++i) {
      const double t = kStep * i, inner = 0.5 * pi * std::sinh(t);
      const double slope = 0.5 * pi * std::cosh(t) / std::pow(std::cosh(inner), 2);
      AddCircle(sphere, caps, middle + half * std::tanh(inner), kStep * half * slope, sums);
    }
  }
}

void RequireSpheres(const std::vector<Member>& spheres) {
  constexpr std::size_t kMax = 1000;
  if (spheres.size() > kMax) {
    throw InputError(Text("has ", spheres.size(), " spheres; expected at most ", kMax));
  }
  for (std::size_t k = 0; k < spheres.size(); ++k) {
    const Member& sphere = spheres[k];
    if (!sphere.centre.allFinite() || !std::isfinite(sphere.radius)) {
      throw InputError(Text("has numbers that are not finite in sphere ", k + 1));
    }
    if (!(sphere.radius > 0.0)) {
      throw InputError(Text("has the radius ", sphere.radius, " m in sphere ", k + 1,
                            ", which has no volume; expected more than 0"));
    }
  }
}

/// A member, which is a ball or a solid, with its name for messages.
struct NamedMember {
  RoundedPolyhedron body;
  std::string name;
};

/// Marks members that are connected with the first one through members that touch or overlap.
std::vector<bool> FindConnected(const std::vector<NamedMember>& members) {
  std::vector<bool> connected(members.size(), false);
  std::vector<std::size_t> pending = {0};
  connected[0] = true;
  while (!pending.empty()) {
    const RoundedPolyhedron& body = members[pending.back()].body;
    pending.pop_back();
    for (std::size_t k = 0; k < members.size(); ++k) {
      if (connected[k] || ClassifyOverlap(body, members[k].body) == OverlapState::kApart) continue;
      connected[k] = true;
      pending.push_back(k);
    }
  }
  return connected;
}

void RequireConnected(const std::vector<NamedMember>& members) {
  const std::vector<bool> connected = FindConnected(members);
  const auto unconnected = std::ranges::find(connected, false);
  if (unconnected == connected.end()) return;
  throw InputError(Text("is not in one piece: ",
                        members[static_cast<std::size_t>(unconnected - connected.begin())].name,
                        " is apart from ",
                        members[0].name == "sphere 1" ? "the first" : members[0].name,
                        "; expected members that touch or overlap, or apart = yes"));
}

void RequireMassAndInertia(const ClumpDescription& description) {
  const double mass = description.mass;
  const Vec3& inertia = description.inertia;
  if (!(mass >= 0.0) || !std::isfinite(mass)) {
    throw InputError(Text("has the mass ", mass, " kg; expected more than 0"));
  }
  if (inertia == Vec3::Zero()) return;
  const auto inertia_text =
      Text("(", inertia.x(), ", ", inertia.y(), ", ", inertia.z(), ") kg m^2");
  if (mass == 0.0) throw InputError("has an inertia but no mass; expected both or the mass alone");
  if (!inertia.allFinite() || !(inertia.minCoeff() > 0.0)) {
    throw InputError(Text("has the inertia ", inertia_text, "; expected three moments above 0"));
  }
  constexpr double kRounding = 1.0 + 1e-12;
  if (inertia.maxCoeff() > kRounding * (inertia.sum() - inertia.maxCoeff())) {
    throw InputError(
        Text("has the inertia ", inertia_text,
             ", which no body has; expected no moment above the sum of the other two"));
  }
}

/// Requires moments of inertia that a mass within the bounding sphere can have. Tiny moments are
/// refused too, because the inverse mass of a contact, 1/m + d²/I, would lose 1/m to rounding.
void RequireWithinBounds(const ClumpDescription& description, double radius) {
  constexpr double kMin = 1e-12, kMax = 1.0 + 1e-12;
  const double scale = description.mass * radius * radius;
  const Vec3& inertia = description.inertia;
  if (inertia.minCoeff() >= kMin * scale && inertia.maxCoeff() <= kMax * scale) return;
  throw InputError(Text("has the inertia (", inertia.x(), ", ", inertia.y(), ", ", inertia.z(),
                        ") kg m^2; expected ", kMin * scale, " to ", scale,
                        " kg m^2; the upper limit is the mass, ", description.mass,
                        " kg, times the square of the bounding radius, ", radius, " m"));
}

/// Sets the moments, ascending, and their axes. Equal moments keep the user's axes.
void SetPrincipal(const Mat3& inertia, ClumpShape& shape) {
  constexpr double kAccuracy = 1e-10;
  const double scale = inertia.trace();
  Mat3 axes = Mat3::Identity();
  Vec3 moments = inertia.diagonal();
  Mat3 off_diagonal = inertia;
  off_diagonal.diagonal().setZero();
  if (off_diagonal.cwiseAbs().maxCoeff() > kAccuracy * scale) {
    const Eigen::SelfAdjointEigenSolver<Mat3> solver(inertia);
    moments = solver.eigenvalues();
    axes = solver.eigenvectors();
  }
  for (const auto& [k, l] : {std::pair{0, 1}, std::pair{1, 2}, std::pair{0, 1}}) {
    if (moments[k] <= moments[l] + kAccuracy * scale) continue;
    std::swap(moments[k], moments[l]);
    axes.col(k).swap(axes.col(l));
  }
  if (axes.determinant() < 0.0) axes.col(2) = -axes.col(2);
  // Moments that differ by less than the error of the integrals are made equal.
  const auto equalise = [&](int first, int count) {
    const Vec3 old = moments;
    if (std::abs(old[first + count - 1] - old[first]) > kAccuracy * scale) return;
    moments.segment(first, count).setConstant(old.segment(first, count).mean());
  };
  equalise(0, 2);
  equalise(1, 2);
  equalise(0, 3);
  shape.scaled_moments = moments;
  const Eigen::Quaterniond q(axes);
  shape.axes = {q.w(), q.x(), q.y(), q.z()};
}

}  // namespace

SolidMoments MomentsOfUnion(std::span<const Member> spheres) {
  SCREE_DEMAND(!spheres.empty());
  const Vec3 origin = spheres[0].centre;  // a nearby origin reduces cancellation
  SurfaceSums sums;
  for (std::size_t i = 0; i < spheres.size(); ++i) {
    if (IsEnclosed(spheres, i)) continue;
    AddSurface({spheres[i].centre - origin, spheres[i].radius}, FindCaps(spheres, i), sums);
  }
  SolidMoments moments;
  moments.volume = sums.volume;
  const Vec3 centre = sums.first / sums.volume;
  moments.centre = origin + centre;
  const Mat3 second =
      0.5 * (sums.second + sums.second.transpose()) - sums.volume * centre * centre.transpose();
  moments.inertia = second.trace() * Mat3::Identity() - second;
  return moments;
}

double ClumpShape::Mass(double density, double radius) const {
  if (description.mass == 0.0) return density * volume * radius * radius * radius;
  const double scale = radius / bounding_radius;
  return description.mass * scale * scale * scale;
}

namespace {

std::vector<Vec3> VerticesOf(const PartDescription& part) {
  if (!part.solid.empty()) return VerticesOfSolid(part.solid, part.size, part.sides);
  std::vector<Vec3> vertices = part.vertices;
  for (Vec3& x : vertices) x = part.unit * part.scale.cwiseProduct(x);
  return vertices;
}

/// Appends the members of a part, or of the shape itself, in the axes of the shape.
/// @param suffix  of the members' names
void AppendMembers(const PartDescription& part, const std::string& suffix,
                   std::vector<NamedMember>& members) {
  if (part.IsSolid() &&
      (!part.spheres.empty() || (!part.solid.empty() && !part.vertices.empty()))) {
    throw InputError(
        "has more than one of spheres, vertices and a solid; expected one of these; give the "
        "others as "
        "parts of their own, [shape.NAME.PART]");
  }
  RequireSpheres(part.spheres);
  const double angle = part.rotation.norm();
  const Mat3 rotation = angle > 0.0 ? Eigen::AngleAxisd(angle, part.rotation / angle).matrix()
                                    : Mat3(Mat3::Identity());
  const auto to_shape = [&](const Vec3& x) {
    return Vec3((angle > 0.0 ? Vec3(rotation * x) : x) + part.position);
  };
  for (std::size_t k = 0; k < part.spheres.size(); ++k) {
    const Member& sphere = part.spheres[k];
    members.push_back(
        {BallOf({to_shape(sphere.centre), sphere.radius}), Text("sphere ", k + 1, suffix)});
  }
  if (!part.IsSolid()) return;
  std::vector<Vec3> vertices = VerticesOf(part);
  for (Vec3& x : vertices) x = to_shape(x);
  members.push_back({Rounded(ConvexHull(vertices), part.rounding), "the solid" + suffix});
}

/// Makes the members of a shape, solids before spheres as in ClumpShape::members.
std::vector<NamedMember> MakeMembers(const ClumpDescription& description) {
  std::vector<NamedMember> members;
  AppendMembers(description, "", members);
  for (const PartDescription& part : description.parts) {
    try {
      AppendMembers(part, Text(" of part ", part.name), members);
    } catch (const InputError& error) {
      throw InputError(Text("has the part ", part.name, ", which ", error.what()));
    }
  }
  if (members.empty()) throw InputError("has no spheres and no solid; expected at least one");
  std::ranges::stable_partition(members,
                                [](const NamedMember& member) { return !IsBall(member.body); });
  return members;
}

void SetMembers(const std::vector<NamedMember>& members, ClumpShape& shape) {
  std::size_t faces = 0, features = 0;
  for (const NamedMember& member : members) {
    const auto& [core, rounding] = member.body;
    if (!IsBall(member.body)) {
      SolidMember& solid = shape.solids.emplace_back();
      solid.core = core;
      solid.first_ball = static_cast<std::uint16_t>(shape.members.size());
      solid.first_face = static_cast<std::uint16_t>(faces);
      faces += core.faces.size();
    }
    for (const Vec3& vertex : core.vertices) shape.members.push_back({vertex, rounding});
    features += core.vertices.size() + core.edges.size() + core.faces.size();
    constexpr std::size_t kMax = 65535;
    if (features > kMax) {
      throw InputError(Text("has more than ", kMax,
                            " spheres, vertices, edges and faces; expected fewer, or coarser "
                            "solids"));
    }
  }
  std::size_t next = shape.members.size();
  for (SolidMember& solid : shape.solids) {
    solid.first_edge = static_cast<std::uint16_t>(next);
    next += solid.core.edges.size() + solid.core.faces.size();
  }
}

/// A ball that contains all balls of a solid.
Member BoundingBallOf(std::span<const Member> balls) {
  Vec3 lower = balls[0].centre, upper = lower;
  for (const Member& ball : balls) {
    lower = lower.cwiseMin(ball.centre);
    upper = upper.cwiseMax(ball.centre);
  }
  Member bounding = {0.5 * (lower + upper), 0.0};
  for (const Member& ball : balls) {
    bounding.radius =
        std::max(bounding.radius, (ball.centre - bounding.centre).norm() + ball.radius);
  }
  return bounding;
}

/// The radius of the ball inscribed in a solid of a shape [-].
double InscribedIn(const ClumpShape& shape, const SolidMember& solid) {
  double inscribed = std::numeric_limits<double>::infinity();
  for (const PolyhedronFace& face : solid.core.faces) {
    inscribed = std::min(inscribed, face.offset - face.normal.dot(solid.bounds.centre));
  }
  return inscribed + shape.members[solid.first_ball].radius;
}

/// Moves the centre of mass to the origin and makes the bounding radius 1.
void Normalize(const Vec3& centre, ClumpShape& shape) {
  double& r = shape.bounding_radius = 0.0;
  for (const Member& member : shape.members) {
    r = std::max(r, (member.centre - centre).norm() + member.radius);
  }
  shape.smallest_member = 1.0;
  for (Member& member : shape.members) {
    member = {(member.centre - centre) / r, member.radius / r};
    shape.smallest_member = std::min(shape.smallest_member, member.radius);
  }
  for (SolidMember& solid : shape.solids) {
    const std::span<const Member> balls =
        std::span(shape.members).subspan(solid.first_ball, solid.core.vertices.size());
    for (std::size_t k = 0; k < balls.size(); ++k) solid.core.vertices[k] = balls[k].centre;
    for (PolyhedronFace& face : solid.core.faces) {
      face.offset = (face.offset - face.normal.dot(centre)) / r;
    }
    solid.bounds = BoundingBallOf(balls);
  }
  shape.smallest_ball = 1.0;
  for (const SolidMember& solid : shape.solids) {
    shape.smallest_ball = std::min(shape.smallest_ball, InscribedIn(shape, solid));
  }
  for (std::size_t k = shape.FirstSphere(); k < shape.members.size(); ++k) {
    shape.smallest_ball = std::min(shape.smallest_ball, shape.members[k].radius);
  }
}

}  // namespace

ClumpShape MakeClumpShape(const ClumpDescription& description) {
  RequireMassAndInertia(description);
  ClumpShape shape;
  shape.description = description;
  const std::vector<NamedMember> members = MakeMembers(description);
  if (!description.allows_gaps) RequireConnected(members);
  SetMembers(members, shape);
  std::vector<RoundedPolyhedron> bodies;
  for (const NamedMember& member : members) bodies.push_back(member.body);
  const SolidMoments moments = MomentsOfBodies(bodies);
  Normalize(moments.centre, shape);
  const double r = shape.bounding_radius;
  shape.volume = moments.volume / (r * r * r);
  const bool has_inertia = description.inertia != Vec3::Zero();
  if (has_inertia) RequireWithinBounds(description, r);
  SetPrincipal(has_inertia ? Mat3((description.inertia / (description.mass * r * r)).asDiagonal())
                           : Mat3(moments.inertia / (moments.volume * r * r)),
               shape);
  return shape;
}

}  // namespace scree
