// Valid and broken STL files.
#include "io/files/stl_file.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "solvers/base/check.hpp"
#include "tests/io/scratch.hpp"
#include "tests/support/meshes.hpp"

namespace scree::stl_file_test {
namespace {

const std::vector<Triangle> kCube = test::BoxSurface({Vec3(-1, 0.25, 0), Vec3(1, 2, 3.5)});

std::string ErrorOf(const std::string& bytes) {
  return RefusalOf<InputError>([&] { ReadStl(bytes); });
}

void ExpectContains(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), text.npos) << text << " lacks " << part;
}

TEST(StlFile, BinaryAndTextGiveTheSameTriangles) {
  EXPECT_EQ(ReadStl(test::BinaryStl(kCube)), kCube);
  EXPECT_EQ(ReadStl(test::TextStl(kCube)), kCube);
}

TEST(StlFile, BinaryFileMayStartWithSolid) {
  EXPECT_EQ(ReadStl(test::BinaryStl(kCube, "solid exported by CAD")), kCube);
  std::string truncated = test::BinaryStl(kCube, "solid exported by CAD");
  truncated.resize(truncated.size() - 10);
  truncated[70] = '\0';
  ExpectContains(ErrorOf(truncated), "truncated");
}

TEST(StlFile, TextMayHaveSeveralSolidsCapitalsAndCarriageReturns) {
  std::string two_solids = test::TextStl(kCube) + test::TextStl(kCube);
  EXPECT_EQ(ReadStl(two_solids).size(), 24u);
  std::string windows;
  for (const char c : test::TextStl(kCube)) {
    if (c == '\n') windows += '\r';
    windows += c;
  }
  windows.replace(windows.find("facet"), 5, "FACET");
  EXPECT_EQ(ReadStl(windows), kCube);
  EXPECT_TRUE(ReadStl("solid nothing\nendsolid nothing\n").empty());
}

TEST(StlFile, TruncatedAndTooLongBinaryFilesAreErrors) {
  const std::string intact = test::BinaryStl(kCube);
  const std::string error = ErrorOf(intact.substr(0, intact.size() - 50));
  ExpectContains(error, "12 triangles, which take 684 bytes, but has 634 bytes: it is truncated");
  ExpectContains(ErrorOf(intact + std::string(50, 'x')), "damaged");
  ExpectContains(ErrorOf(intact.substr(0, 70) + "\1"), "has 71 bytes and is not text");
}

TEST(StlFile, FewBytesAfterTheLastTriangleAreAccepted) {
  for (const std::size_t extra_bytes : {1, 2, 49}) {
    EXPECT_EQ(ReadStl(test::BinaryStl(kCube) + std::string(extra_bytes, 'x')), kCube)
        << extra_bytes;
    EXPECT_EQ(ReadStl(test::BinaryStl(kCube, "solid CAD") + std::string(extra_bytes, '\n')), kCube)
        << extra_bytes;
  }
}

TEST(StlFile, TextMayStartWithCapitalsBlanksOrAByteOrderMark) {
  const std::string text = test::TextStl(kCube);
  EXPECT_EQ(ReadStl("SOLID" + text.substr(5)), kCube);
  for (const char* prefix : {"\n", "\r\n  ", "\xEF\xBB\xBF", "\xEF\xBB\xBF\n\t"}) {
    EXPECT_EQ(ReadStl(prefix + text), kCube);
  }
  ExpectContains(ErrorOf("\n\nsolid\nfacets"), "line 4 has \"facets\"");
}

TEST(StlFile, NormalsMayBeInvalid) {
  const std::string text = test::TextStl(kCube);
  const std::size_t begin = text.find("normal ") + 7, end = text.find('\n', begin);
  for (const char* normal :
       {"-1.#IND 1.#QNAN -1.#IND00", "nan -nan -nan(ind)", "1.#INF inf -inf"}) {
    std::string invalid_normals = text;
    EXPECT_EQ(ReadStl(invalid_normals.replace(begin, end - begin, normal)), kCube) << normal;
  }
  std::string corner = text;
  corner.replace(text.find("vertex ") + 7, 4, "-1.#IND ");
  ExpectContains(ErrorOf(corner), "\"-1.#IND\" where a number was expected");
  std::string without_normal = text;
  without_normal.replace(begin, end - begin, "0 1");
  ExpectContains(ErrorOf(without_normal), "has \"outer\" where a number was expected");
}

TEST(StlFile, TextOfOtherSystemsAndProgramsIsAccepted) {
  const std::string text = test::TextStl(kCube);
  std::string old_mac = text;
  std::ranges::replace(old_mac, '\n', '\r');
  const std::string nul(1, '\0');
  for (const std::string& bytes :
       {"# made by a program\n\n// twice\n" + text, text + nul, text + nul + nul + nul,
        text + "\x1A", text + "\r\n\x1A\r\n", old_mac, "\xEF\xBB\xBF" + old_mac + nul,
        text + "written by a program\n", text + "; a comment\n# another\n", "\f" + text,
        text.substr(0, text.find('\n') + 1) + "# inside\n" + text.substr(text.find('\n') + 1)}) {
    EXPECT_EQ(ReadStl(bytes), kCube) << bytes.substr(0, 40);
  }
  EXPECT_EQ(ReadStl(text + "a remark\n" + text).size(), 24u);
  ExpectContains(ErrorOf(text + text.substr(text.find('\n') + 1)), "has \"facet\" where solid was");
}

TEST(StlFile, TextInOneLineIsAccepted) {
  std::string line = test::TextStl(kCube);
  std::ranges::replace(line, '\n', ' ');
  EXPECT_EQ(ReadStl(line), kCube);
  EXPECT_EQ(ReadStl(line + " " + line).size(), 24u);
}

TEST(StlFile, TextWithControlCharactersIsNotCalledABinaryFile) {
  const std::string text = test::TextStl(kCube);
  std::string control_in_name = text, control_at_end = text + "\x1A and more\n";
  control_in_name[6] = '\0';
  ExpectContains(ErrorOf(control_in_name), "words of an ASCII STL file, but its byte 7 is 0");
  ExpectContains(ErrorOf(std::string(1, '\0') + text), "its byte 1 is 0");
  EXPECT_EQ(ReadStl(control_at_end), kCube);  // after the last solid
}

TEST(StlFile, OtherFilesAreReportedAsNotStl) {
  const std::string text = test::TextStl(kCube);
  std::string utf16 = "\xFF\xFE";
  for (const char c : text) utf16 += std::string(1, c) + '\0';
  ExpectContains(ErrorOf(utf16), "is text in UTF-16");
  ExpectContains(ErrorOf("<html>\n" + std::string(100, ' ') + "</html>\n"),
                 "line 1 has \"<html>\" where solid was expected");
  ExpectContains(ErrorOf("\x89PNG\r\n\x1A\n" + std::string(200, '\1')), "or not an STL file");
  ExpectContains(ErrorOf(""), "ends in line 1 where solid was expected");
}

TEST(StlFile, ErrorsInTextNameTheLine) {
  const std::string intact = test::TextStl(kCube);
  ExpectContains(ErrorOf(intact.substr(0, intact.rfind("endsolid"))), "truncated");
  ExpectContains(ErrorOf(intact.substr(0, intact.size() / 2)), "expected");
  std::string misspelt = intact;
  misspelt.replace(misspelt.find("vertex"), 6, "vertx ");
  ExpectContains(ErrorOf(misspelt), "line 4 has \"vertx\" where vertex was expected");
  std::string not_a_number = intact;
  not_a_number.replace(not_a_number.find("+1e0"), 4, "1,00");
  ExpectContains(ErrorOf(not_a_number), "line 2 has \"1,00\" where a number was expected");
  std::string fourth = intact;
  fourth.replace(fourth.find("endloop"), 7, "vertex");
  ExpectContains(ErrorOf(fourth), "line 7 has \"vertex\" where endloop was expected");
}

}  // namespace
}  // namespace scree::stl_file_test
