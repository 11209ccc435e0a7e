// Solids from files: hulls, the volume that a hull adds, and invalid surfaces.
#include "io/scene/shape_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "io/scene/settings.hpp"
#include "solvers/base/check.hpp"
#include "tests/io/scratch.hpp"
#include "tests/support/meshes.hpp"

namespace scree::shape_files_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::vector<Triangle> Join(std::vector<Triangle> first, const std::vector<Triangle>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

/// An L as one surface: a box and a lower box next to it.
std::vector<Triangle> Ell() {
  std::vector<Triangle> triangles;
  const std::vector<Vec3> outline = {Vec3(0, 0, 0), Vec3(2, 0, 0), Vec3(2, 1, 0),
                                     Vec3(1, 1, 0), Vec3(1, 3, 0), Vec3(0, 3, 0)};
  const Vec3 height = Vec3::UnitZ();
  for (std::size_t k = 0; k < outline.size(); ++k) {
    const Vec3& edge_start = outline[k];
    test::AddParallelogram(edge_start, outline[(k + 1) % outline.size()] - edge_start, height,
                           triangles);
  }
  for (const auto& [a, b, c] : {std::array{0, 1, 2}, {0, 2, 3}, {0, 3, 5}, {3, 4, 5}}) {
    const auto point = [&](int k) { return outline[static_cast<std::size_t>(k)]; };
    triangles.push_back({point(a), point(c), point(b)});
    triangles.push_back({point(a) + height, point(b) + height, point(c) + height});
  }
  return triangles;
}

struct SolidFiles : InScratch {
  SolidInFile Solid(const std::string& name, const std::string& bytes) {
    PutFile(world, scratch / name, bytes);
    return ReadSolid(scratch / name);
  }
  std::string Refusal(const std::vector<Triangle>& triangles) {
    PutFile(world, scratch / "a.stl", test::BinaryStl(triangles));
    return MessageOf<FileError>([&] { ReadSolid(scratch / "a.stl"); });
  }
};

TEST_F(SolidFiles, SolidIsTheHullOfItsSurface) {
  const std::vector<Triangle> box = test::BoxSurface({Vec3(0, 0, 0), Vec3(1, 2, 3)});
  const SolidInFile stl = Solid("box.stl", test::BinaryStl(box));
  EXPECT_EQ(stl.vertices.size(), 8u);
  EXPECT_NEAR(stl.added_volume, 0.0, 1e-12);
  EXPECT_NEAR(Solid("in.stl", test::BinaryStl(test::Reversed(box))).added_volume, 0.0, 1e-12);
  // The hull adds the corner of volume 1 x 2 / 2 to the volume of 4: a quarter.
  const SolidInFile ell = Solid("ell.stl", test::BinaryStl(Ell()));
  EXPECT_EQ(ell.vertices.size(), 10u);
  EXPECT_NEAR(ell.added_volume, 0.25, 1e-12);
  EXPECT_EQ(
      Solid("t.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")
          .vertices.size(),
      4u);
}

TEST_F(SolidFiles, SurfacesWithoutASolidAreErrors) {
  const std::vector<Triangle> box = test::BoxSurface({Vec3(0, 0, 0), Vec3(1, 1, 1)});
  std::vector<Triangle> open = box, reversed = box, not_finite = box;
  open.pop_back();
  std::swap(reversed[3][0], reversed[3][1]);
  not_finite[5][1].y() = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(Refusal(open), AllOf(HasSubstr("'" + scratch / "a.stl" + "' is not closed: 3 edges"),
                                   HasSubstr("expected a closed surface")));
  EXPECT_THAT(Refusal(reversed), HasSubstr("is not closed: 3 edges"));
  EXPECT_THAT(Refusal(not_finite), HasSubstr("not finite in vertex 17"));
  EXPECT_THAT(Refusal(Join(box, test::BoxSurface({Vec3(0.5, 0.4, 0.3), Vec3(2, 0.6, 0.7)}))),
              HasSubstr("crosses itself at"));
  const Vec3 a = Vec3::Zero(), b = Vec3::UnitX(), c = Vec3::UnitY(), d(2, 2, 0);
  EXPECT_THAT(Refusal({{a, c, b}, {a, b, d}, {b, c, d}, {a, d, c}}), HasSubstr("lie in a plane"));
  EXPECT_THAT(Refusal(test::Sheet(0, 1, 0, 101)), HasSubstr("vertices; expected at most 10000"));
}

TEST_F(SolidFiles, HullOfTooManyVerticesIsAnError) {
  std::string ball = "v 0 0 -1\nv 0 0 1\n", faces;
  constexpr int kRings = 19, kMeridians = 30;  // 572 vertices
  for (int k = 0; k < kRings * kMeridians; ++k) {
    const double polar = M_PI * (k / kMeridians + 1) / (kRings + 1);
    const double azimuth = 2.0 * M_PI * (k % kMeridians) / kMeridians, r = std::sin(polar);
    ball +=
        Text("v ", r * std::cos(azimuth), " ", r * std::sin(azimuth), " ", -std::cos(polar), "\n");
    const int a = k + 3, b = a - k % kMeridians + (k + 1) % kMeridians;
    if (k < kMeridians) faces += Text("f 1 ", b, " ", a, "\n");
    const int above_a = a + kMeridians, above_b = b + kMeridians;
    if (k >= (kRings - 1) * kMeridians) {
      faces += Text("f ", a, " ", b, " 2\n");
    } else {
      faces += Text("f ", a, " ", b, " ", above_b, " ", above_a, "\n");
    }
  }
  EXPECT_THAT(MessageOf<FileError>([&] { Solid("ball.obj", ball + faces); }),
              HasSubstr("has a hull of more than 500 vertices"));
}

TEST_F(SolidFiles, SceneReportsTheVolumeOfTheHull) {
  PutFile(world, scratch / "ell.stl", test::BinaryStl(Ell()));
  PutFile(world, scratch / "scene.ini", "[shape.stone]\nunit = 1 mm\nfile = ell.stl\n");
  std::vector<std::string> notes;
  ErrorList errors;
  const std::string scene = scratch / "scene.ini";
  const Settings settings(ScanIni(ReadSceneFile(scene), scene, errors), {}, errors,
                          {world, scene, &notes});
  EXPECT_TRUE(errors.Empty());
  EXPECT_TRUE(settings.IsGiven("shape.stone", "vertices"));
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_THAT(notes[0], AllOf(HasSubstr("scene.ini:3: [shape.stone] file"),
                              HasSubstr("adds 25 % to its volume")));
}

}  // namespace
}  // namespace scree::shape_files_test
