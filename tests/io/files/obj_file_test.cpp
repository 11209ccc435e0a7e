// OBJ files, good and broken.
#include "io/files/obj_file.hpp"

#include <gtest/gtest.h>

#include "solvers/base/check.hpp"
#include "tests/io/scratch.hpp"

namespace scree::obj_file_test {
namespace {

constexpr const char* kSquare = "v 0 0 0\nv 1 0 0\r\n v 1 1.5e0 0 # corner\nv 0 1 0\n";

TEST(ObjFile, FacesOfAnyFormAreCutIntoTriangles) {
  const std::vector<Triangle> expected = {{Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(1, 1.5, 0)},
                                          {Vec3(0, 0, 0), Vec3(1, 1.5, 0), Vec3(0, 1, 0)}};
  for (const char* face : {"f 1 2 3 4", "f 1/1 2/7 3/2 4/3\n", "f 1//4 2//4 3//4 4//4",
                           "g a\nusemtl b\nf\t-4 -3 -2 -1\nvn 0 0 1", "f 1 2 3\nf 1 3 4"}) {
    EXPECT_EQ(ReadObj(std::string(kSquare) + face), expected) << face;
  }
}

/// Twice the area of the triangles' projection on the x-y plane.
double AreaOf(const std::vector<Triangle>& triangles) {
  double area = 0.0;
  for (const Triangle& t : triangles) area += std::abs((t[1] - t[0]).cross(t[2] - t[0]).z());
  return area;
}

TEST(ObjFile, FacesThatAreNotConvexAreCutInside) {
  // An L, from each of its corners. No triangle covers its notch.
  const std::string l = "v 0 0 0\nv 2 0 0\nv 2 1 0\nv 1 1 0\nv 1 2 0\nv 0 2 0\n";
  for (const char* face : {"f 1 2 3 4 5 6", "f 2 3 4 5 6 1", "f 3 4 5 6 1 2", "f 4 5 6 1 2 3",
                           "f 5 6 1 2 3 4", "f 6 1 2 3 4 5", "f 6 5 4 3 2 1"}) {
    EXPECT_EQ(AreaOf(ReadObj(l + face)), 6.0) << face;
  }
  const std::string m =
      "v 0 0 0\nv 9 0 0\nv 9 3 0\nv 8 1 0\nv 5 1 0\nv 4 3 0\nv 3 1 0\nv 1 1 0\nv 0 3 0\n";
  const std::string error = RefusalOf<InputError>([&] { ReadObj(m + "f 1 2 3 4 5 6 7 8 9"); });
  EXPECT_NE(error.find("line 10"), std::string::npos) << error;
  EXPECT_NE(error.find("convex"), std::string::npos) << error;
}

TEST(ObjFile, ErrorsNameTheLine) {
  const auto error = [](const std::string& text) {
    return RefusalOf<InputError>([&] { ReadObj(kSquare + text); });
  };
  for (const auto& [text, expected] :
       {std::pair("f 1 2 5", "line 5 has \"5\" where one of the 4 vertices"),
        {"f 1 2 0", "line 5 has \"0\""},
        {"f 1 2 -5", "line 5 has \"-5\""},
        {"f 1 2 x", "line 5 has \"x\""},
        {"f 1 2 99999999999999999999", "line 5"},
        {"f 1 2", "three corners or more"},
        {"v 1 2\n", "a coordinate"},
        {"v 1 2 nan\n", "line 5 has \"nan\""},
        {"", "has no faces"}}) {
    EXPECT_NE(error(text).find(expected), std::string::npos) << text << ": " << error(text);
  }
}

}  // namespace
}  // namespace scree::obj_file_test
