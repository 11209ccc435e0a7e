#include "io/output/surface_files.hpp"

#include <gtest/gtest.h>
#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <sstream>
#include <vector>

#include "engine/geometry/surface_triangles.hpp"

namespace scree::surface_files_test {
namespace {

/// Area and volume, computed from the triangles of the file. The volume follows from the
/// divergence theorem and is correct only if all triangles face outwards.
struct SurfaceMeasures {
  double area = 0.0;
  double volume = 0.0;
  std::vector<int> walls;  // wall of each triangle
  std::vector<int> parts;  // part of each triangle
};

SurfaceMeasures Measure(const std::string& vtk) {
  std::istringstream text(vtk);
  const auto skip_to = [&](const std::string& word) {
    for (std::string token; text >> token && token != word;) {
    }
  };
  std::size_t count = 0;
  skip_to("POINTS");
  text >> count;
  skip_to("double");
  std::vector<Vec3> points(count);
  for (Vec3& x : points) text >> x[0] >> x[1] >> x[2];
  skip_to("POLYGONS");
  text >> count;
  SurfaceMeasures measured;
  std::size_t corners = 0, a = 0, b = 0, c = 0;
  text >> corners;
  for (std::size_t k = 0; k < count && text >> corners >> a >> b >> c; ++k) {
    const Vec3 normal = (points.at(b) - points.at(a)).cross(points.at(c) - points.at(a)) / 2.0;
    measured.area += normal.norm();
    measured.volume += normal.dot(points.at(a)) / 3.0;
  }
  skip_to("default");
  for (int wall = 0; text >> wall;) measured.walls.push_back(wall);
  EXPECT_EQ(measured.walls.size(), count);
  text.clear();
  skip_to("default");
  for (int part = 0; text >> part;) measured.parts.push_back(part);
  EXPECT_EQ(measured.parts.size(), count);
  return measured;
}

SurfaceMeasures MeasureShape(const Shape& shape) {
  Scene scene;
  scene.domain.box = {Vec3::Zero(), Vec3(2.0, 3.0, 4.0)};
  scene.walls.push_back({"wall", shape});
  return Measure(WallsAsVtk(scene));
}

TEST(SurfaceFiles, ShapesHaveTheirAreaAndFaceOutwards) {
  constexpr double kPi = std::numbers::pi;
  // A regular polygon of 128 sides has 1 - (2 pi / 128)^2 / 6 of the area of its circle.
  constexpr double kExact = 1e-6, kCurved = 5e-4, kBall = 5e-3;
  const Vec3 lower_corner(1, 1, 1), to(2, 3, 3), upper_corner(1, 1, 5);
  const struct {
    const char* name;
    ShapePart part;
    double area, volume;  // volume: that of solids, 0 for other shapes
    double error;         // relative error of both
  } cases[] = {
      {"plane in a face", Plane{Vec3::Zero(), Vec3::UnitZ()}, 6.0, 0.0, kExact},
      {"plane in another face", Plane{Vec3(2, 0, 0), -Vec3::UnitX()}, 12.0, 0.0, kExact},
      {"oblique plane, cut at the domain", Plane{Vec3::Zero(), Vec3(1, 0, -1).normalized()},
       6.0 * std::sqrt(2.0), 0.0, kExact},
      {"block", Block{{lower_corner, Vec3(2, 3, 4)}}, 22.0, 6.0, kExact},
      {"cylinder", Cylinder{lower_corner, to, 0.5}, kPi * 3.5, kPi * 0.75, kCurved},
      {"ball", Ball{lower_corner, 0.5}, kPi, kPi / 6.0, kBall},
      {"pipe", Pipe{lower_corner, to, 0.5}, kPi * 3.0, 0.0, kCurved},
      {"cone", Cone{lower_corner, upper_corner, 1.0, 4.0}, kPi * 25.0, 0.0, kCurved},
      {"cone with a tip", Cone{lower_corner, upper_corner, 0.0, 3.0}, kPi * 15.0, 0.0, kCurved},
      {"disk with a hole", Disk{lower_corner, Vec3::UnitY(), 2.0, 1.0}, kPi * 3.0, 0.0, kCurved},
  };
  for (const auto& shape_case : cases) {
    const SurfaceMeasures measured = MeasureShape({{shape_case.part}});
    EXPECT_NEAR(measured.area, shape_case.area, shape_case.error * shape_case.area)
        << shape_case.name;
    if (shape_case.volume > 0.0) {
      EXPECT_NEAR(measured.volume, shape_case.volume, shape_case.error * shape_case.volume)
          << shape_case.name;
    }
  }
}

TEST(SurfaceFiles, PlaneOutsideTheDomainVanishes) {
  EXPECT_TRUE(MeasureShape({{Plane{Vec3(0, 0, -1), Vec3::UnitZ()}}}).walls.empty());
}

/// With as many triangles as a single ball has, 4000 balls would need a file of several GB.
TEST(SurfaceFiles, ManyBallsHaveFewTrianglesEach) {
  EXPECT_EQ(CircleSides(Scene{}), kCircleSides);
  Scene scene;
  scene.domain.box = {Vec3::Zero(), Vec3::Ones()};
  scene.walls.assign(100, {"bump", {{Ball{Vec3::Zero(), 0.5}}}});
  EXPECT_EQ(CircleSides(scene), kCircleSides);
  scene.walls.assign(2000, {"bumps", {{Ball{Vec3::Zero(), 0.5}, Ball{Vec3::Ones(), 0.5}}}});
  EXPECT_LT(WallsAsVtk(scene).size(), 2e8);
  SurfaceTriangles ball;
  ball.sides = CircleSides(scene);
  AddTriangles(Ball{Vec3::Zero(), 0.5}, scene.domain.box, ball);
  EXPECT_LE(4000 * ball.triangles.size(), 1e6);
  EXPECT_GT(4000 * ball.triangles.size(), 5e5);
}

TEST(SurfaceFiles, TrianglesNameTheirWallAndPart) {
  Scene scene;
  scene.domain.box = {Vec3::Zero(), Vec3::Ones()};
  const Block block{{Vec3::Zero(), Vec3::Ones()}};
  scene.walls = {{"floor", {{Plane{}}}}, {"union", {{block, block}}}};
  const SurfaceMeasures measured = Measure(WallsAsVtk(scene));
  const std::vector<int>& walls = measured.walls;
  EXPECT_EQ(std::count(walls.begin(), walls.end(), 0), 2);
  EXPECT_EQ(std::count(walls.begin(), walls.end(), 1), 24);
  EXPECT_EQ(std::count(measured.parts.begin(), measured.parts.end(), 0), 2 + 12);
  EXPECT_EQ(std::count(measured.parts.begin(), measured.parts.end(), 1), 12);
  EXPECT_EQ(measured.parts.back(), 1);
}

}  // namespace
}  // namespace scree::surface_files_test
