// Minima of the distance of convex cores, compared with a search of all pairs of features, and with
// overlaps.
#include "engine/geometry/core_distance.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <span>
#include <utility>
#include <vector>

#include "engine/geometry/rounded_polyhedron.hpp"
#include "tests/support/core_oracle.hpp"
#include "tests/support/draw.hpp"

namespace scree::core_distance_test {
namespace {

using test::Draw;

/// A polyhedron in world axes, as in a step.
struct Body {
  Polyhedron shape;
  std::vector<Member> members;
  std::vector<Vec3> normals;
  std::vector<FacePacket> faces;

  explicit Body(Polyhedron made) : shape(std::move(made)) {
    for (const Vec3& vertex : shape.vertices) members.push_back({vertex, 0.0});
    for (const PolyhedronFace& face : shape.faces) normals.push_back(face.normal);
    AppendFaces(shape, normals, 1.0, faces);
  }
  PlacedCore Core() const { return {members, &shape, normals, faces, 0}; }
};

/// Whether the corners of all faces lie in their planes up to rounding. If not, the distance from
/// other bodies has the same error.
bool IsPlane(const Polyhedron& body) {
  return std::ranges::all_of(body.faces, [&](const PolyhedronFace& face) {
    return std::ranges::all_of(face.corners, [&](std::uint16_t corner) {
      return std::abs(face.normal.dot(body.vertices[corner]) - face.offset) < 1e-13;
    });
  });
}

Polyhedron SomeShape(Draw& draw) {
  const int kind = draw.Integer(0, 5);
  if (kind == 5) {
    for (;;) {
      std::vector<Vec3> points;
      for (int k = draw.Integer(4, 12); k > 0; --k) points.push_back(draw.Vector(1.0));
      const Polyhedron hull = ConvexHull(points);
      if (IsPlane(hull)) return hull;
    }
  }
  const std::vector<std::pair<const char*, std::vector<double>>> solids = {
      {"box", {1.0, 0.5, 2.0}},
      {"tetrahedron", {1.5}},
      {"octahedron", {1.3}},
      {"dodecahedron", {0.6}},
      {"cylinder", {1.0, 1.5}}};
  const auto& [name, size] = solids[static_cast<std::size_t>(kind)];
  return ConvexHull(VerticesOfSolid(name, size, name == std::string("cylinder") ? 8 : 0));
}

Mat3 SomeTurn(Draw& draw) {
  return Eigen::AngleAxisd(draw.Uniform(0.0, 3.0), draw.Direction()).toRotationMatrix();
}

Polyhedron Scaled(Polyhedron body, double factor) {
  for (Vec3& vertex : body.vertices) vertex *= factor;
  for (PolyhedronFace& face : body.faces) face.offset *= factor;
  return body;
}

double InscribedRadius(const Polyhedron& body) {
  Vec3 centre = Vec3::Zero();
  for (const Vec3& x : body.vertices) centre += x / static_cast<double>(body.vertices.size());
  return DepthOf(body, centre);
}

/// A point in a face or on an edge of a body. `out` is the outward direction there, `along` the
/// direction of the edge or of an edge of the face.
struct Spot {
  Vec3 at, out, along;
};
Spot SomeSpot(Draw& draw, const Polyhedron& body, bool on_edge) {
  const int last = static_cast<int>(body.edges.size()) - 1;
  const PolyhedronEdge& edge = body.edges[static_cast<std::size_t>(draw.Integer(0, last))];
  const PolyhedronFace& face = body.faces[edge.left];
  const Vec3 &p = body.vertices[edge.from], &q = body.vertices[edge.to];
  Spot spot = {p + draw.Uniform(0.0, 1.0) * (q - p), face.normal, (q - p).normalized()};
  if (on_edge) {
    spot.out = (face.normal + body.faces[edge.right].normal).normalized();
  } else if (draw.Integer(0, 1) == 0) {
    for (const std::uint16_t corner : face.corners) {
      spot.at += draw.Uniform(0.0, 0.5) * (body.vertices[corner] - spot.at);
    }
  }
  return spot;
}

/// An angle of zero, or between rounding and a visible one.
double SomeAngle(Draw& draw) {
  return draw.Integer(0, 3) == 0 ? 0.0 : std::pow(10.0, draw.Uniform(-10.0, -2.0));
}

/// Rotates a body so that its spot faces the other spot, up to a small angle.
/// @param parallel  edges at the spots become parallel, up to another angle
Mat3 Facing(Draw& draw, const Spot& spot, const Spot& other, bool parallel) {
  Mat3 from, to;
  from << spot.out, spot.along, spot.out.cross(spot.along);
  to << -other.out, other.along, -other.out.cross(other.along);
  const double angle = parallel ? SomeAngle(draw) : draw.Uniform(0.0, 6.0);
  return Eigen::AngleAxisd(SomeAngle(draw), draw.Direction()).toRotationMatrix() *
         Eigen::AngleAxisd(angle, other.out).toRotationMatrix() * to * from.transpose();
}

/// Distance of two bodies along an axis.
double Apart(const Polyhedron& one, const Polyhedron& other, const Vec3& axis) {
  double low = HUGE_VAL, high = -HUGE_VAL;
  for (const Vec3& x : one.vertices) low = std::min(low, axis.dot(x));
  for (const Vec3& y : other.vertices) high = std::max(high, axis.dot(y));
  return low - high;
}

/// Two bodies near each other: sizes 1 to 100, roundings of 1 to 50 % of the inscribed radius.
struct Pair {
  Body first, second;
  Vec3 separation;
  double touches;
};
Pair SomePair(Draw& draw) {
  const double size = draw.Integer(0, 1) == 0 ? std::pow(10.0, draw.Uniform(-2.0, 0.0)) : 1.0;
  const Polyhedron one = Scaled(SomeShape(draw), size);
  const Polyhedron other = test::Moved(SomeShape(draw), SomeTurn(draw), Vec3::Zero());
  const auto rounding = [&](const Polyhedron& body) {
    return InscribedRadius(body) * std::pow(10.0, draw.Uniform(-2.0, std::log10(0.5)));
  };
  const double touches = rounding(one) + rounding(other);
  const int kind = draw.Integer(0, 7);  // at random, or with nearly parallel faces or edges
  const Spot spot = SomeSpot(draw, one, kind == 7), others = SomeSpot(draw, other, kind == 7);
  const Vec3 axis = kind < 3 ? draw.Direction() : others.out;
  const Mat3 turn = kind < 3 ? SomeTurn(draw) : Facing(draw, spot, others, kind > 4);
  Pair pair = {Body(test::Moved(one, turn, Vec3::Zero())), Body(other), Vec3::Zero(), touches};
  pair.separation = others.at - turn * spot.at +
                    size * std::pow(10.0, draw.Uniform(-10.0, -0.5)) * draw.Vector(1.0);
  pair.separation += (draw.Uniform(0.3, 1.5) * touches - pair.separation.dot(axis) -
                      Apart(pair.first.shape, other, axis)) *
                     axis;
  return pair;
}

/// Coordinates are rounded to 1e-16 of the larger body, whose size is between 1 and 4 here. The
/// error of a distance is a sum of such rounding errors.
constexpr double kExact = 1e-12;

/// Each contact is a minimum of its pair of features, and all contacts are different.
void ExpectMinima(std::span<const CoreContact> found, const Polyhedron& one,
                  const Polyhedron& other, const Pair& pair) {
  const double merge = 0.25 * pair.touches;
  for (std::size_t k = 0; k < found.size(); ++k) {
    const CoreContact& contact = found[k];
    const Vec3 x = contact.on_first + pair.separation, &y = contact.on_second;
    EXPECT_LT((x - y - contact.distance * contact.normal).norm(), 1e-14);
    EXPECT_LT(test::DistanceFromFeature(one, contact.first, x), kExact);
    EXPECT_LT(test::DistanceFromFeature(other, contact.second, y), kExact);
    EXPECT_NEAR(test::DistanceOfFeatures(one, contact.first, other, contact.second),
                contact.distance, kExact);
    EXPECT_TRUE(test::CoreMinima::IsLocalMinimum(one, contact.first, x - y, kParallel + 1e-6));
    EXPECT_TRUE(test::CoreMinima::IsLocalMinimum(other, contact.second, y - x, kParallel + 1e-6));
    for (std::size_t l = 0; l < k; ++l) {
      EXPECT_GT((found[l].on_first - contact.on_first).norm(), merge);
      EXPECT_GT((found[l].on_second - contact.on_second).norm(), merge);
    }
  }
}

/// No minimum is missing: each one coincides with a contact that is not farther away.
void ExpectAll(const std::vector<test::CoreMinimum>& minima, std::span<const CoreContact> found,
               const Pair& pair) {
  const double merge = (1.0 + 1e-9) * 0.25 * pair.touches;
  for (const test::CoreMinimum& minimum : minima) {
    const bool is_there = std::ranges::any_of(found, [&](const CoreContact& kept) {
      return kept.distance <= (minimum.on_one - minimum.on_other).norm() + kExact &&
             ((kept.on_first + pair.separation - minimum.on_one).norm() <= merge ||
              (kept.on_second - minimum.on_other).norm() <= merge);
    });
    EXPECT_TRUE(is_there);
  }
}

double Least(std::span<const CoreContact> found) {
  double min = HUGE_VAL;
  for (const CoreContact& one : found) min = std::min(min, one.distance);
  return min;
}

TEST(CoreDistance, MinimaAreThoseOfAllPairsOfFeatures) {
  CoreDistance cores;
  const char* const given = std::getenv("SCREE_CORE_PAIRS");
  const int kPairs = given != nullptr ? std::atoi(given) : 4000;
  int near = 0;
  for (int k = 0; k < kPairs && !testing::Test::HasFailure(); ++k) {
    SCOPED_TRACE(k);
    Draw draw(static_cast<std::uint64_t>(k));
    const Pair pair = SomePair(draw);
    const Polyhedron& other = pair.second.shape;
    const Polyhedron one = test::Moved(pair.first.shape, Mat3::Identity(), pair.separation);
    const double limit = 1.1 * pair.touches, distance = test::DistanceOf(one, other);
    const auto found = cores.FindMinima(pair.first.Core(), pair.second.Core(), pair.separation,
                                        limit, pair.touches);
    if (distance > limit) {
      EXPECT_TRUE(found.empty());
      continue;
    }
    ++near;
    EXPECT_NEAR(Least(found), distance, kExact);
    ExpectMinima(found, one, other, pair);
    ExpectAll(test::CoreMinima(one, other, kParallel - 1e-6, limit).All(), found, pair);
    // Swapping the bodies gives the same distance.
    EXPECT_NEAR(Least(cores.FindMinima(pair.second.Core(), pair.first.Core(), -pair.separation,
                                       limit, pair.touches)),
                distance, kExact);
  }
  EXPECT_GT(near, kPairs / 3);
}

/// The part of a convex polygon on the side n⋅x ≤ h.
std::vector<Vec3> Clipped(const std::vector<Vec3>& polygon, const Vec3& n, double h) {
  std::vector<Vec3> kept;
  for (std::size_t k = 0; k < polygon.size(); ++k) {
    const Vec3 &p = polygon[k], &q = polygon[(k + 1) % polygon.size()];
    const double from = n.dot(p) - h, to = n.dot(q) - h;
    if (from <= 0.0) kept.push_back(p);
    if (from * to < 0.0) kept.push_back(p + from / (from - to) * (q - p));
  }
  return kept;
}

TEST(CoreDistance, FacesTouchAtTheCornersOfTheirOverlap) {
  Draw draw(2);
  CoreDistance cores;
  constexpr double kHeight = 0.1;
  for (int round = 0; round < 500; ++round) {
    const Polyhedron box = ConvexHull(VerticesOfSolid("box", std::vector{1.0, 2.0, 3.0}, 0));
    const Mat3 spin = Eigen::AngleAxisd(draw.Uniform(0.0, 3.0), Vec3::UnitZ()).toRotationMatrix();
    const Body above(test::Moved(box, spin, Vec3::Zero())), below(box);
    const Vec3 separation(draw.Uniform(-0.5, 0.5), draw.Uniform(-0.5, 0.5), 3.0 + kHeight);
    const auto found =
        cores.FindMinima(above.Core(), below.Core(), separation, 1.01 * kHeight, kHeight);
    std::vector<Vec3> overlap = {{-0.5, -1, 0}, {0.5, -1, 0}, {0.5, 1, 0}, {-0.5, 1, 0}};
    for (const Vec3& n : above.normals) {
      if (std::abs(n.z()) > 0.5) continue;
      const double h = std::abs(spin.col(0).dot(n)) > 0.5 ? 0.5 : 1.0;
      overlap = Clipped(overlap, n, h + n.dot(Vec3(separation.x(), separation.y(), 0.0)));
    }
    for (const Vec3& corner : overlap) {
      double nearest = HUGE_VAL;
      for (const CoreContact& one : found) {
        // A corner just beyond an edge counts too, with its distance from the edge.
        EXPECT_NEAR(one.distance, 1.003 * kHeight, 0.0031 * kHeight);
        const Vec3& on = one.on_second;
        nearest = std::min(nearest, std::hypot(on.x() - corner.x(), on.y() - corner.y()));
      }
      EXPECT_LT(nearest, 0.26 * kHeight) << "round " << round;
    }
    EXPECT_LE(found.size(), 8u);
    const std::size_t all = found.size();
    EXPECT_EQ(ReduceManifold(found).size(), std::min<std::size_t>(all, 4));
  }
}

TEST(CoreDistance, FourOfManyContactsSpanTheFace) {
  std::vector<CoreContact> ring;
  for (int k = 0; k < 24; ++k) {
    const double angle = 2.0 * 3.141592653589793 * k / 24;
    CoreContact& one = ring.emplace_back();
    one.on_first = {std::cos(angle), std::sin(angle), 0.0};
    one.normal = Vec3::UnitZ();
    one.distance = k == 5 ? 0.9 : 1.0;
  }
  const auto kept = ReduceManifold(ring);
  ASSERT_EQ(kept.size(), 4u);
  EXPECT_EQ(kept[0].distance, 0.9);
  EXPECT_LT((kept[0].on_first + kept[1].on_first).norm(), 1e-12);
  EXPECT_LT((kept[2].on_first + kept[3].on_first).norm(), 1e-12);
}

TEST(CoreDistance, PointHasOneMinimum) {
  const Body box(ConvexHull(VerticesOfSolid("box", std::vector{2.0}, 0)));
  const std::vector<Member> centre = {{Vec3(0.1, 0.2, 0.3), 0.5}};
  const PlacedCore point = {centre, nullptr, {}, {}, 7};
  CoreDistance cores;
  const auto minima_at = [&](const Vec3& place) {
    return cores.FindMinima(box.Core(), point, -(place - centre[0].centre), 0.6, 0.5);
  };
  for (const Vec3& place : {Vec3(0.3, 0.4, 1.5), Vec3(1.3, 0.4, 1.4), Vec3(1.2, 1.2, 1.1)}) {
    const auto found = minima_at(place);
    ASSERT_EQ(found.size(), 1u);
    const Vec3 from = (place.array() - 1.0).max(0.0);
    EXPECT_NEAR(found[0].distance, from.norm(), 1e-15);
    EXPECT_LT((found[0].normal + from.normalized()).norm(), 1e-14);
    EXPECT_EQ(found[0].second, 7);
  }
  EXPECT_TRUE(minima_at(Vec3(1.7, 0, 0)).empty());
  EXPECT_LT(minima_at(Vec3(0.9, 0, 0))[0].distance, 0.0);
}

TEST(CoreDistance, CoresThatOverlapHaveANegativeDistance) {
  Draw draw(3);
  CoreDistance cores;
  for (int round = 0; round < 1000; ++round) {
    const Body first(test::Moved(SomeShape(draw), SomeTurn(draw), Vec3::Zero()));
    const Body second(test::Moved(SomeShape(draw), SomeTurn(draw), Vec3::Zero()));
    // A point of the first body lies in the second.
    const Vec3 inside = draw.Uniform(0.0, 0.99) * second.shape.vertices[0];
    const Vec3 separation = inside - draw.Uniform(0.0, 0.99) * first.shape.vertices[0];
    if (DepthOf(first.shape, Vec3::Zero()) < 0.0 || DepthOf(second.shape, Vec3::Zero()) < 0.0) {
      continue;  // a body does not contain its own origin
    }
    const auto found = cores.FindMinima(first.Core(), second.Core(), separation, 0.1, 0.1);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_LE(found[0].distance, 0.0);
  }
}

}  // namespace
}  // namespace scree::core_distance_test
