// Minima of the distance of convex cores, against all pairs of features and the overlap of faces.
#include "engine/geometry/core_distance.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <cstdlib>
#include <set>
#include <utility>

#include "engine/geometry/rounded_polyhedron.hpp"
#include "tests/support/core_oracle.hpp"
#include "tests/support/draw.hpp"

namespace scree::core_distance_test {
namespace {

using test::Draw;

/// A polyhedron in world axes, as a step has it.
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

Polyhedron SomeShape(Draw& draw) {
  const int kind = draw.Integer(0, 5);
  if (kind == 5) {
    std::vector<Vec3> points;
    for (int k = draw.Integer(4, 12); k > 0; --k) points.push_back(draw.Vector(1.0));
    return ConvexHull(points);
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

Polyhedron Scaled(Polyhedron body, double by) {
  for (Vec3& vertex : body.vertices) vertex *= by;
  for (PolyhedronFace& face : body.faces) face.offset *= by;
  return body;
}

/// Turns a body such that a face of it looks against a face of the other, to an angle.
Polyhedron Facing(Draw& draw, const Polyhedron& body, const Vec3& normal, double angle) {
  const auto last = static_cast<int>(body.faces.size()) - 1;
  const Vec3 own = body.faces[static_cast<std::size_t>(draw.Integer(0, last))].normal;
  const Mat3 turn = Eigen::Quaterniond::FromTwoVectors(own, -normal).toRotationMatrix();
  const Mat3 tilt = Eigen::AngleAxisd(angle, draw.Direction()).toRotationMatrix();
  const Mat3 spin = Eigen::AngleAxisd(draw.Uniform(0.0, 6.0), normal).toRotationMatrix();
  return test::Moved(body, tilt * spin * turn, Vec3::Zero());
}

/// How far two bodies are apart along an axis, whatever they are.
double Apart(const Polyhedron& one, const Polyhedron& other, const Vec3& axis) {
  double low = HUGE_VAL, high = -HUGE_VAL;
  for (const Vec3& x : one.vertices) low = std::min(low, axis.dot(x));
  for (const Vec3& y : other.vertices) high = std::max(high, axis.dot(y));
  return low - high;
}

TEST(CoreDistance, TheNearestMinimumIsTheDistance) {
  Draw draw(1);
  CoreDistance cores;
  const char* const given = std::getenv("SCREE_CORE_PAIRS");
  const int kPairs = given != nullptr ? std::atoi(given) : 4000;
  int near = 0;
  for (int k = 0; k < kPairs; ++k) {
    const double size = k % 4 == 0 ? std::pow(10.0, draw.Uniform(-2.0, 0.0)) : 1.0;
    const Polyhedron first_shape = Scaled(SomeShape(draw), size);
    const Body second(test::Moved(SomeShape(draw), SomeTurn(draw), Vec3::Zero()));
    const auto last = static_cast<int>(second.normals.size()) - 1;
    const Vec3 axis = k % 2 == 0 ? draw.Direction()
                                 : second.normals[static_cast<std::size_t>(draw.Integer(0, last))];
    // Half of them have faces that are nearly parallel, or to rounding.
    const double tilt = k % 8 == 1 ? 0.0 : std::pow(10.0, draw.Uniform(-9.0, -2.0));
    const Body first(k % 2 == 0 ? test::Moved(first_shape, SomeTurn(draw), Vec3::Zero())
                                : Facing(draw, first_shape, axis, tilt));
    const double touches = std::pow(10.0, draw.Uniform(-2.0, -0.3)) * size;
    Vec3 apart = 0.3 * size * draw.Vector(1.0);
    apart += (draw.Uniform(0.3, 1.5) * touches - Apart(first.shape, second.shape, axis) -
              apart.dot(axis)) *
             axis;
    const double limit = 1.1 * touches;
    const auto found = cores.Between(first.Core(), second.Core(), apart, limit, touches);
    const double distance =
        test::DistanceOf(test::Moved(first.shape, Mat3::Identity(), apart), second.shape);
    if (distance > limit) {
      EXPECT_TRUE(found.empty()) << "pair " << k;
      continue;
    }
    ++near;
    double least = HUGE_VAL;
    std::set<std::pair<int, int>> features;
    for (const CoreContact& one : found) {
      least = std::min(least, one.distance);
      EXPECT_TRUE(features.insert({one.first, one.second}).second);
      const Vec3 w = one.on_first + apart - one.on_second;
      EXPECT_LT((w - one.distance * one.normal).norm(), 1e-14);
    }
    EXPECT_NEAR(least, distance, 1e-12) << "pair " << k;
    // From the other side it is the same.
    std::vector<CoreContact> copy(found.begin(), found.end());
    const auto turned = cores.Between(second.Core(), first.Core(), -apart, limit, touches);
    double others = HUGE_VAL;
    for (const CoreContact& one : turned) others = std::min(others, one.distance);
    EXPECT_NEAR(others, least, 1e-12);
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
    const Vec3 apart(draw.Uniform(-0.5, 0.5), draw.Uniform(-0.5, 0.5), 3.0 + kHeight);
    const auto found = cores.Between(above.Core(), below.Core(), apart, 1.01 * kHeight, kHeight);
    std::vector<Vec3> overlap = {{-0.5, -1, 0}, {0.5, -1, 0}, {0.5, 1, 0}, {-0.5, 1, 0}};
    for (const Vec3& n : above.normals) {
      if (std::abs(n.z()) > 0.5) continue;
      const double h = std::abs(spin.col(0).dot(n)) > 0.5 ? 0.5 : 1.0;
      overlap = Clipped(overlap, n, h + n.dot(Vec3(apart.x(), apart.y(), 0.0)));
    }
    for (const Vec3& corner : overlap) {
      double nearest = HUGE_VAL;
      for (const CoreContact& one : found) {
        // A corner just beyond an edge counts, too, at its distance from that.
        EXPECT_NEAR(one.distance, 1.003 * kHeight, 0.0031 * kHeight);
        const Vec3& on = one.on_second;
        nearest = std::min(nearest, std::hypot(on.x() - corner.x(), on.y() - corner.y()));
      }
      EXPECT_LT(nearest, 0.26 * kHeight) << "round " << round;
    }
    EXPECT_LE(found.size(), 8u);
    const std::size_t all = found.size();
    EXPECT_EQ(KeepFour(found).size(), std::min<std::size_t>(all, 4));
  }
}

TEST(CoreDistance, FourOfManySpanTheFace) {
  std::vector<CoreContact> ring;
  for (int k = 0; k < 24; ++k) {
    const double angle = 2.0 * 3.141592653589793 * k / 24;
    CoreContact& one = ring.emplace_back();
    one.on_first = {std::cos(angle), std::sin(angle), 0.0};
    one.normal = Vec3::UnitZ();
    one.distance = k == 5 ? 0.9 : 1.0;
  }
  const auto kept = KeepFour(ring);
  ASSERT_EQ(kept.size(), 4u);
  EXPECT_EQ(kept[0].distance, 0.9);
  EXPECT_LT((kept[0].on_first + kept[1].on_first).norm(), 1e-12);
  EXPECT_LT((kept[2].on_first + kept[3].on_first).norm(), 1e-12);
}

TEST(CoreDistance, APointHasOneMinimum) {
  const Body box(ConvexHull(VerticesOfSolid("box", std::vector{2.0}, 0)));
  const std::vector<Member> centre = {{Vec3(0.1, 0.2, 0.3), 0.5}};
  const PlacedCore point = {centre, nullptr, {}, {}, 7};
  CoreDistance cores;
  const auto at = [&](const Vec3& place) {
    return cores.Between(box.Core(), point, -(place - centre[0].centre), 0.6, 0.5);
  };
  for (const Vec3& place : {Vec3(0.3, 0.4, 1.5), Vec3(1.3, 0.4, 1.4), Vec3(1.2, 1.2, 1.1)}) {
    const auto found = at(place);
    ASSERT_EQ(found.size(), 1u);
    const Vec3 from = (place.array() - 1.0).max(0.0);
    EXPECT_NEAR(found[0].distance, from.norm(), 1e-15);
    EXPECT_LT((found[0].normal + from.normalized()).norm(), 1e-14);
    EXPECT_EQ(found[0].second, 7);
  }
  EXPECT_TRUE(at(Vec3(1.7, 0, 0)).empty());
  EXPECT_LT(at(Vec3(0.9, 0, 0))[0].distance, 0.0);
}

TEST(CoreDistance, CoresThatOverlapHaveANegativeDistance) {
  Draw draw(3);
  CoreDistance cores;
  for (int round = 0; round < 1000; ++round) {
    const Body first(test::Moved(SomeShape(draw), SomeTurn(draw), Vec3::Zero()));
    const Body second(test::Moved(SomeShape(draw), SomeTurn(draw), Vec3::Zero()));
    // A point of one lies in the other.
    const Vec3 inside = draw.Uniform(0.0, 0.99) * second.shape.vertices[0];
    const Vec3 apart = inside - draw.Uniform(0.0, 0.99) * first.shape.vertices[0];
    if (DepthOf(first.shape, Vec3::Zero()) < 0.0 || DepthOf(second.shape, Vec3::Zero()) < 0.0) {
      continue;  // the origin is outside
    }
    const auto found = cores.Between(first.Core(), second.Core(), apart, 0.1, 0.1);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_LE(found[0].distance, 0.0);
  }
}

}  // namespace
}  // namespace scree::core_distance_test
