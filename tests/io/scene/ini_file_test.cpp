// Sections and entries of scene files: comments, files that are not text, and lines in errors.
#include "io/scene/ini_file.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "solvers/base/check.hpp"
#include "tests/io/scratch.hpp"

namespace scree::ini_file_test {
namespace {

std::string ErrorsOf(std::string_view text) {
  ErrorList errors;
  ScanIni(text, "s.ini", errors);
  return errors.Empty() ? "" : MessageOf<InputError>([&] { errors.ThrowIfAny(); });
}

IniFile Scan(std::string_view text) {
  EXPECT_EQ(ErrorsOf(text), "");
  ErrorList errors;
  return ScanIni(text, "s.ini", errors);
}

TEST(IniFile, EntriesHaveSectionAndLine) {
  const IniFile file = Scan("\n[wall.floor]\n  shape =  plane \n\n[time]\nend=1 ms\n");
  ASSERT_EQ(file.sections.size(), 2u);
  EXPECT_EQ(file.sections[1].name, "time");
  EXPECT_EQ(file.sections[1].location, "s.ini:5");
  ASSERT_EQ(file.entries.size(), 2u);
  EXPECT_EQ(file.entries[0].section, "wall.floor");
  EXPECT_EQ(file.entries[0].value, "plane");
  EXPECT_EQ(file.entries[0].location, "s.ini:3");
  EXPECT_EQ(file.entries[1].key, "end");
  EXPECT_EQ(file.entries[1].value, "1 ms");
}

TEST(IniFile, CommentsNeedWhiteSpaceBeforeThem) {
  const IniFile file = Scan("# one\n; two\n[output] # three\ndirectory = run#7;b ; four\n");
  ASSERT_EQ(file.entries.size(), 1u);
  EXPECT_EQ(file.entries[0].value, "run#7;b");
}

TEST(IniFile, ByteOrderMarkCarriageReturnsAndMissingLastLineEndAreAccepted) {
  const IniFile file = Scan("\xEF\xBB\xBF[time]\r\nend = 1 s\r\nstep = 1 us");
  ASSERT_EQ(file.entries.size(), 2u);
  EXPECT_EQ(file.entries[0].value, "1 s");
  EXPECT_EQ(file.entries[1].value, "1 us");
  EXPECT_EQ(Scan("[time]\nend = 1 \xC2\xB5s\n").entries[0].value, "1 \xC2\xB5s");
}

TEST(IniFile, EachBadLineIsNamed) {
  EXPECT_EQ(ErrorsOf("[time\nend = 1\n"),
            "s.ini:1: \"[time\" opens a section but lacks the closing ]\n"
            "s.ini:2: \"end = 1\" is before the first [section]");
  EXPECT_NE(ErrorsOf("[ti me]\n").find("s.ini:1: \"[ti me]\" is not a section name"),
            std::string::npos);
  EXPECT_NE(ErrorsOf("[a]\nb\n").find("s.ini:2: \"b\" is neither"), std::string::npos);
  EXPECT_EQ(ErrorsOf("[a]\nb = 1\nb = 2\n"), "s.ini:3: [a] b was already given at s.ini:2");
  EXPECT_NE(ErrorsOf("[a]\nb = \x01\n").find("s.ini:2: this line has bytes"), std::string::npos);
}

TEST(IniFile, EntriesOfARepeatedSectionGiveNoFurtherErrors) {
  EXPECT_EQ(ErrorsOf("[a]\nb = 1\n[a]\nb = 2\n"),
            "s.ini:3: section [a] was already given at s.ini:1; put its keys together there");
}

TEST(IniFile, BinaryOrEmptyFileIsOneError) {
  using std::string_view_literals::operator""sv;
  EXPECT_EQ(ErrorsOf("\x7f"
                     "ELF\0\1\2\n\3\n"sv)
                .substr(0, 23),
            "s.ini: is a binary file");
  EXPECT_EQ(ErrorsOf("# nothing\n").substr(0, 15), "s.ini: is empty");
}

TEST(IniFile, UnreadableFilesAreNamed) {
  const Scratch scratch(Communicator::Self());
  std::ofstream(scratch / "a.ini") << "[time]\n";
  EXPECT_EQ(ReadSceneFile(scratch / "a.ini"), "[time]\n");
  EXPECT_EQ(ReadSceneFile(Communicator::Self(), scratch / "a.ini"), "[time]\n");
  const auto message = [&](const std::string& path) {
    return MessageOf<FileError>([&] { ReadSceneFile(path); });
  };
  EXPECT_EQ(message(scratch / "b.ini"),
            (scratch / "b.ini") + ": cannot be opened (No such file or directory)");
  EXPECT_NE(message(scratch.Path()).find("is a directory"), std::string::npos);
}

TEST(NearestName, FindsOnlyNearNames) {
  const std::vector<std::string> known_names = {"spacing", "radius", "lower"};
  EXPECT_EQ(NearestName("spaceing", known_names), "spacing");
  EXPECT_EQ(NearestName("raduis", known_names), "radius");
  EXPECT_EQ(NearestName("gravity", known_names), "");
  EXPECT_EQ(DidYouMean("lowr", known_names), " (did you mean \"lower\"?)");
  EXPECT_EQ(DidYouMean("gravity", known_names), "");
}

TEST(DidYouMean, KeysOfOtherCodesSuggestTheKeyOfScree) {
  for (const char* const typed : {"dt", "--time.dt", "timestep", "TimeStep", "--dt"}) {
    EXPECT_EQ(DidYouMean(typed, {"to", "step"}), " (here it is [time] step)") << typed;
  }
  EXPECT_EQ(DidYouMean("mu", {}), " (here it is [contact] friction)");
  EXPECT_EQ(DidYouMean("youngs_modulus", {}), " (here it is [material.NAME] young)");
  EXPECT_EQ(DidYouMean("N", {}), " (here it is [fill] number, with places = random)");
}

}  // namespace
}  // namespace scree::ini_file_test
