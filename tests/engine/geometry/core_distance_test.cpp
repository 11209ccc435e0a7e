// Minima of the distance of convex cores, compared with a search of all pairs of features. Negative
// distances of overlapping cores.
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

  explicit Body(Polyhedron polyhedron) : shape(std::move(polyhedron)) {
    for (const Vec3& vertex : shape.vertices) members.push_back({vertex, 0.0});
    for (const PolyhedronFace& face : shape.faces) normals.push_back(face.normal);
    AppendFaces(shape, normals, 1.0, faces);
  }
  PlacedCore Core() const { return {members, &shape, normals, faces, 0}; }
};

/// Whether the corners of all faces lie in their planes up to rounding. If not, distances from
/// other bodies have an error as large as the deviation.
bool HasPlaneFaces(const Polyhedron& body) {
  return std::ranges::all_of(body.faces, [&](const PolyhedronFace& face) {
    return std::ranges::all_of(face.corners, [&](std::uint16_t corner) {
      return std::abs(face.normal.dot(body.vertices[corner]) - face.offset) < 1e-13;
    });
  });
}

Polyhedron RandomShape(Draw& draw) {
  const int kind = draw.Integer(0, 5);
  if (kind == 5) {
    for (;;) {
      std::vector<Vec3> points;
      for (int k = draw.Integer(4, 12); k > 0; --k) points.push_back(draw.Vector(1.0));
      const Polyhedron hull = ConvexHull(points);
      if (HasPlaneFaces(hull)) return hull;
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

Mat3 RandomRotation(Draw& draw) {
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

/// A point in a face or on an edge of a body. `outward` points out of the body. `direction` is that
/// of the edge, or of an edge of the face.
struct SurfaceSpot {
  Vec3 position, outward, direction;
};
SurfaceSpot RandomSpot(Draw& draw, const Polyhedron& body, bool on_edge) {
  const int last_edge = static_cast<int>(body.edges.size()) - 1;
  const PolyhedronEdge& edge = body.edges[static_cast<std::size_t>(draw.Integer(0, last_edge))];
  const PolyhedronFace& face = body.faces[edge.left];
  const Vec3 &p = body.vertices[edge.from], &q = body.vertices[edge.to];
  SurfaceSpot spot = {p + draw.Uniform(0.0, 1.0) * (q - p), face.normal, (q - p).normalized()};
  if (on_edge) {
    spot.outward = (face.normal + body.faces[edge.right].normal).normalized();
  } else if (draw.Integer(0, 1) == 0) {
    for (const std::uint16_t corner : face.corners) {
      spot.position += draw.Uniform(0.0, 0.5) * (body.vertices[corner] - spot.position);
    }
  }
  return spot;
}

/// Zero, or an angle between 1e-10 and 1e-2 [rad].
double SmallAngle(Draw& draw) {
  return draw.Integer(0, 3) == 0 ? 0.0 : std::pow(10.0, draw.Uniform(-10.0, -2.0));
}

/// Rotates a body so that its spot faces the other spot, up to a small angle.
/// @param parallel  edges at the spots become parallel, up to another small angle
Mat3 RotationToFace(Draw& draw, const SurfaceSpot& spot, const SurfaceSpot& other_spot,
                    bool parallel) {
  Mat3 from_frame, to_frame;
  from_frame << spot.outward, spot.direction, spot.outward.cross(spot.direction);
  to_frame << -other_spot.outward, other_spot.direction,
      -other_spot.outward.cross(other_spot.direction);
  const double angle = parallel ? SmallAngle(draw) : draw.Uniform(0.0, 6.0);
  return Eigen::AngleAxisd(SmallAngle(draw), draw.Direction()).toRotationMatrix() *
         Eigen::AngleAxisd(angle, other_spot.outward).toRotationMatrix() * to_frame *
         from_frame.transpose();
}

double DistanceAlong(const Polyhedron& first, const Polyhedron& second, const Vec3& axis) {
  double low = HUGE_VAL, high = -HUGE_VAL;
  for (const Vec3& x : first.vertices) low = std::min(low, axis.dot(x));
  for (const Vec3& y : second.vertices) high = std::max(high, axis.dot(y));
  return low - high;
}

/// Two bodies near each other. Their sizes differ by a factor of up to 100. Roundings are 1 to 50 %
/// of the inscribed radius.
struct Pair {
  Body first, second;
  Vec3 separation;
  double rounding_sum;
};
Pair RandomPair(Draw& draw) {
  const double size = draw.Integer(0, 1) == 0 ? std::pow(10.0, draw.Uniform(-2.0, 0.0)) : 1.0;
  const Polyhedron first = Scaled(RandomShape(draw), size);
  const Polyhedron second =
      test::MovePolyhedron(RandomShape(draw), RandomRotation(draw), Vec3::Zero());
  const auto rounding = [&](const Polyhedron& body) {
    return InscribedRadius(body) * std::pow(10.0, draw.Uniform(-2.0, std::log10(0.5)));
  };
  const double rounding_sum = rounding(first) + rounding(second);
  const int kind = draw.Integer(0, 7);  // at random, or with nearly parallel faces or edges
  const SurfaceSpot spot = RandomSpot(draw, first, kind == 7),
                    other_spot = RandomSpot(draw, second, kind == 7);
  const Vec3 axis = kind < 3 ? draw.Direction() : other_spot.outward;
  const Mat3 rotation =
      kind < 3 ? RandomRotation(draw) : RotationToFace(draw, spot, other_spot, kind > 4);
  Pair pair = {Body(test::MovePolyhedron(first, rotation, Vec3::Zero())), Body(second),
               Vec3::Zero(), rounding_sum};
  pair.separation = other_spot.position - rotation * spot.position +
                    size * std::pow(10.0, draw.Uniform(-10.0, -0.5)) * draw.Vector(1.0);
  pair.separation += (draw.Uniform(0.3, 1.5) * rounding_sum - pair.separation.dot(axis) -
                      DistanceAlong(pair.first.shape, second, axis)) *
                     axis;
  return pair;
}

/// Coordinates are rounded to 1e-16 of the larger body, whose size is between 1 and 4 here. The
/// error of a distance is a sum of such rounding errors.
constexpr double kDistanceTolerance = 1e-12;

/// Each contact is a minimum of its pair of features, and all contacts are different.
void ExpectMinima(std::span<const CoreContact> contacts, const Polyhedron& first,
                  const Polyhedron& second, const Pair& pair) {
  const double merge_distance = 0.25 * pair.rounding_sum;
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    const CoreContact& contact = contacts[k];
    const Vec3 x = contact.on_first + pair.separation, &y = contact.on_second;
    EXPECT_LT((x - y - contact.distance * contact.normal).norm(), 1e-14);
    EXPECT_LT(test::DistanceFromFeature(first, contact.first, x), kDistanceTolerance);
    EXPECT_LT(test::DistanceFromFeature(second, contact.second, y), kDistanceTolerance);
    EXPECT_NEAR(test::DistanceOfFeatures(first, contact.first, second, contact.second),
                contact.distance, kDistanceTolerance);
    EXPECT_TRUE(test::CoreMinima::IsLocalMinimum(first, contact.first, x - y, kParallel + 1e-6));
    EXPECT_TRUE(test::CoreMinima::IsLocalMinimum(second, contact.second, y - x, kParallel + 1e-6));
    for (std::size_t l = 0; l < k; ++l) {
      EXPECT_GT((contacts[l].on_first - contact.on_first).norm(), merge_distance);
      EXPECT_GT((contacts[l].on_second - contact.on_second).norm(), merge_distance);
    }
  }
}

/// No minimum is missing: each coincides with a contact of the same or a smaller distance.
void ExpectAll(const std::vector<test::CoreMinimum>& minima, std::span<const CoreContact> contacts,
               const Pair& pair) {
  const double merge_distance = (1.0 + 1e-9) * 0.25 * pair.rounding_sum;
  for (const test::CoreMinimum& minimum : minima) {
    const bool is_found = std::ranges::any_of(contacts, [&](const CoreContact& contact) {
      return contact.distance <=
                 (minimum.on_first - minimum.on_second).norm() + kDistanceTolerance &&
             ((contact.on_first + pair.separation - minimum.on_first).norm() <= merge_distance ||
              (contact.on_second - minimum.on_second).norm() <= merge_distance);
    });
    EXPECT_TRUE(is_found);
  }
}

double MinDistance(std::span<const CoreContact> contacts) {
  double min = HUGE_VAL;
  for (const CoreContact& contact : contacts) min = std::min(min, contact.distance);
  return min;
}

TEST(CoreDistance, MinimaAreThoseOfAllPairsOfFeatures) {
  CoreDistance cores;
  const char* const setting = std::getenv("SCREE_CORE_PAIRS");
  const int pair_count = setting != nullptr ? std::atoi(setting) : 4000;
  int near_count = 0;
  for (int k = 0; k < pair_count && !testing::Test::HasFailure(); ++k) {
    SCOPED_TRACE(k);
    Draw draw(static_cast<std::uint64_t>(k));
    const Pair pair = RandomPair(draw);
    const Polyhedron& second = pair.second.shape;
    const Polyhedron first =
        test::MovePolyhedron(pair.first.shape, Mat3::Identity(), pair.separation);
    const double limit = 1.1 * pair.rounding_sum, distance = test::DistanceOf(first, second);
    const auto contacts = cores.FindMinima(pair.first.Core(), pair.second.Core(), pair.separation,
                                           limit, pair.rounding_sum);
    if (distance > limit) {
      EXPECT_TRUE(contacts.empty());
      continue;
    }
    ++near_count;
    EXPECT_NEAR(MinDistance(contacts), distance, kDistanceTolerance);
    ExpectMinima(contacts, first, second, pair);
    ExpectAll(test::CoreMinima(first, second, kParallel - 1e-6, limit).All(), contacts, pair);
    // Swapping the bodies gives the same distance.
    EXPECT_NEAR(MinDistance(cores.FindMinima(pair.second.Core(), pair.first.Core(),
                                             -pair.separation, limit, pair.rounding_sum)),
                distance, kDistanceTolerance);
  }
  EXPECT_GT(near_count, pair_count / 3);
}

/// The part of a convex polygon on the side n⋅x ≤ h.
std::vector<Vec3> Clipped(const std::vector<Vec3>& polygon, const Vec3& n, double h) {
  std::vector<Vec3> clipped;
  for (std::size_t k = 0; k < polygon.size(); ++k) {
    const Vec3 &p = polygon[k], &q = polygon[(k + 1) % polygon.size()];
    const double height_p = n.dot(p) - h, height_q = n.dot(q) - h;
    if (height_p <= 0.0) clipped.push_back(p);
    if (height_p * height_q < 0.0)
      clipped.push_back(p + height_p / (height_p - height_q) * (q - p));
  }
  return clipped;
}

TEST(CoreDistance, FacesTouchAtTheCornersOfTheirOverlap) {
  Draw draw(2);
  CoreDistance cores;
  constexpr double kHeight = 0.1;
  for (int round = 0; round < 500; ++round) {
    const Polyhedron box = ConvexHull(VerticesOfSolid("box", std::vector{1.0, 2.0, 3.0}, 0));
    const Mat3 spin = Eigen::AngleAxisd(draw.Uniform(0.0, 3.0), Vec3::UnitZ()).toRotationMatrix();
    const Body upper(test::MovePolyhedron(box, spin, Vec3::Zero())), lower(box);
    const Vec3 separation(draw.Uniform(-0.5, 0.5), draw.Uniform(-0.5, 0.5), 3.0 + kHeight);
    const auto contacts =
        cores.FindMinima(upper.Core(), lower.Core(), separation, 1.01 * kHeight, kHeight);
    std::vector<Vec3> overlap = {{-0.5, -1, 0}, {0.5, -1, 0}, {0.5, 1, 0}, {-0.5, 1, 0}};
    for (const Vec3& n : upper.normals) {
      if (std::abs(n.z()) > 0.5) continue;
      const double h = std::abs(spin.col(0).dot(n)) > 0.5 ? 0.5 : 1.0;
      overlap = Clipped(overlap, n, h + n.dot(Vec3(separation.x(), separation.y(), 0.0)));
    }
    for (const Vec3& corner : overlap) {
      double min_distance = HUGE_VAL;
      for (const CoreContact& contact : contacts) {
        // A corner just beyond an edge counts too, with its distance from the edge.
        EXPECT_NEAR(contact.distance, 1.003 * kHeight, 0.0031 * kHeight);
        const Vec3& on_second = contact.on_second;
        min_distance = std::min(min_distance,
                                std::hypot(on_second.x() - corner.x(), on_second.y() - corner.y()));
      }
      EXPECT_LT(min_distance, 0.26 * kHeight) << "round " << round;
    }
    EXPECT_LE(contacts.size(), 8u);
    const std::size_t count = contacts.size();
    EXPECT_EQ(ReduceManifold(contacts).size(), std::min<std::size_t>(count, 4));
  }
}

TEST(CoreDistance, ReducedManifoldSpansTheFace) {
  std::vector<CoreContact> ring;
  for (int k = 0; k < 24; ++k) {
    const double angle = 2.0 * 3.141592653589793 * k / 24;
    CoreContact& contact = ring.emplace_back();
    contact.on_first = {std::cos(angle), std::sin(angle), 0.0};
    contact.normal = Vec3::UnitZ();
    contact.distance = k == 5 ? 0.9 : 1.0;
  }
  const auto reduced = ReduceManifold(ring);
  ASSERT_EQ(reduced.size(), 4u);
  EXPECT_EQ(reduced[0].distance, 0.9);
  EXPECT_LT((reduced[0].on_first + reduced[1].on_first).norm(), 1e-12);
  EXPECT_LT((reduced[2].on_first + reduced[3].on_first).norm(), 1e-12);
}

TEST(CoreDistance, DistanceFromAPointHasOneMinimum) {
  const Body box(ConvexHull(VerticesOfSolid("box", std::vector{2.0}, 0)));
  const std::vector<Member> centre = {{Vec3(0.1, 0.2, 0.3), 0.5}};
  const PlacedCore point = {centre, nullptr, {}, {}, 7};
  CoreDistance cores;
  const auto minima_at = [&](const Vec3& position) {
    return cores.FindMinima(box.Core(), point, -(position - centre[0].centre), 0.6, 0.5);
  };
  for (const Vec3& position : {Vec3(0.3, 0.4, 1.5), Vec3(1.3, 0.4, 1.4), Vec3(1.2, 1.2, 1.1)}) {
    const auto minima = minima_at(position);
    ASSERT_EQ(minima.size(), 1u);
    const Vec3 offset = (position.array() - 1.0).max(0.0);
    EXPECT_NEAR(minima[0].distance, offset.norm(), 1e-15);
    EXPECT_LT((minima[0].normal + offset.normalized()).norm(), 1e-14);
    EXPECT_EQ(minima[0].second, 7);
  }
  EXPECT_TRUE(minima_at(Vec3(1.7, 0, 0)).empty());
  EXPECT_LT(minima_at(Vec3(0.9, 0, 0))[0].distance, 0.0);
}

TEST(CoreDistance, OverlappingCoresHaveANegativeDistance) {
  Draw draw(3);
  CoreDistance cores;
  for (int round = 0; round < 1000; ++round) {
    const Body first(test::MovePolyhedron(RandomShape(draw), RandomRotation(draw), Vec3::Zero()));
    const Body second(test::MovePolyhedron(RandomShape(draw), RandomRotation(draw), Vec3::Zero()));
    // A point of the first body lies in the second.
    const Vec3 inner_point = draw.Uniform(0.0, 0.99) * second.shape.vertices[0];
    const Vec3 separation = inner_point - draw.Uniform(0.0, 0.99) * first.shape.vertices[0];
    if (DepthOf(first.shape, Vec3::Zero()) < 0.0 || DepthOf(second.shape, Vec3::Zero()) < 0.0) {
      continue;  // a body does not contain its own origin
    }
    const auto minima = cores.FindMinima(first.Core(), second.Core(), separation, 0.1, 0.1);
    ASSERT_EQ(minima.size(), 1u);
    EXPECT_LE(minima[0].distance, 0.0);
  }
}

}  // namespace
}  // namespace scree::core_distance_test
