// PLY files, good and broken.
#include "io/files/ply_file.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "solvers/base/check.hpp"
#include "tests/io/scratch.hpp"

namespace scree::ply_file_test {
namespace {

const std::string kHeader =
    "ply\nformat ascii 1.0\ncomment by hand\nelement vertex 4\nproperty float x\nproperty float y\n"
    "property uchar red\nproperty float z\n";
const std::string kFaces = "element face 1\nproperty list uchar int vertex_indices\n";
const std::string kRows = "0 0 9 0\n1 0 9 0\n1 1.5 9 0\n0 1 9 0\n";
const std::vector<Vec3> kPoints = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(1, 1.5, 0), Vec3(0, 1, 0)};

template <class T>
void Put(T value, std::string& bytes) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

TEST(PlyFile, PointsAndFacesOfTextAndBinaryFiles) {
  const PlyContent points = ReadPly(kHeader + "end_header\n" + kRows);
  EXPECT_EQ(points.points, kPoints);
  EXPECT_TRUE(points.triangles.empty());
  const PlyContent text = ReadPly(kHeader + kFaces + "end_header\n" + kRows + "4 0 1 2 3\n");
  std::string bytes =
      "ply\nformat binary_little_endian 1.0\nelement vertex 4\nproperty double x\n"
      "property float y\nproperty short z\n" +
      kFaces + "end_header\n";
  for (const Vec3& x : kPoints) {
    Put(x.x(), bytes);
    Put(static_cast<float>(x.y()), bytes);
    Put(static_cast<std::int16_t>(x.z()), bytes);
  }
  Put<std::uint8_t>(4, bytes);
  for (const std::int32_t corner : {0, 1, 2, 3}) Put(corner, bytes);
  for (const PlyContent& content : {text, ReadPly(bytes)}) {
    EXPECT_EQ(content.points, kPoints);
    EXPECT_EQ(content.triangles, (std::vector<Triangle>{{kPoints[0], kPoints[1], kPoints[2]},
                                                        {kPoints[0], kPoints[2], kPoints[3]}}));
  }
  bytes.pop_back();
  EXPECT_NE(RefusalOf<InputError>([&] { ReadPly(bytes); }).find("ends in row 1 of 1 of face"),
            std::string::npos);
}

TEST(PlyFile, WhatIsWrongIsNamed) {
  for (const auto& [text, told] : {
           std::pair<std::string, std::string>("solid", "truncated"),
           {"solid\n", "does not begin with \"ply\""},
           {"ply\nformat binary_big_endian 1.0\n", "binary_big_endian"},
           {"ply\nelement vertex many\n", "element vertex many"},
           {kHeader + "property quad q\n", "property quad q"},
           {"ply\nformat ascii 1.0\nend_header\n", "has no vertices"},
           {kHeader + "end_header\n0 0 9 0\n1 0\n", "ends in row 2 of 4 of vertex"},
           {kHeader + "end_header\n0 0 9 nan\n", "\"nan\" in place of a number in row 1"},
           {"ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nend_header\n1\n",
            "without x, y and z"},
           {kHeader + kFaces + "end_header\n" + kRows + "3 0 1 4\n", "the corner 4 in face 1"},
       }) {
    const std::string error = RefusalOf<InputError>([&] { ReadPly(text); });
    EXPECT_NE(error.find(told), std::string::npos) << text << ": " << error;
  }
}

}  // namespace
}  // namespace scree::ply_file_test
