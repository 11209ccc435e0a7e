// Tables of numbers that the small apps read.
#include "io/command_line/csv_input.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "solvers/base/check.hpp"
#include "tests/io/scratch.hpp"

namespace scree::csv_input_test {
namespace {

std::vector<CsvInputRow> Read(const std::string& text, std::string_view header = "a,b") {
  const auto path = std::filesystem::temp_directory_path() / "scree_csv_input_test.csv";
  std::ofstream(path) << text;
  return ReadCsvInput(path, header);
}

std::string ErrorOf(const std::string& text) {
  return RefusalOf<InputError>([&] { Read(text); });
}

TEST(CsvInput, RowsMayHaveCommentsAndSpaces) {
  const auto rows = Read("# remark\n a , b\r\n1,2\n\n# more\n 3e-1 ,\t-4\n");
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].numbers, (std::vector<double>{1.0, 2.0}));
  EXPECT_EQ(rows[1].numbers, (std::vector<double>{0.3, -4.0}));
  EXPECT_NE(rows[1].location.find("scree_csv_input_test.csv:6"), std::string::npos);
}

TEST(CsvInput, HeaderWithoutRowsIsAccepted) { EXPECT_TRUE(Read("a,b\n").empty()); }

TEST(CsvInput, ErrorsNameTheLine) {
  EXPECT_NE(ErrorOf("b,a\n1,2\n").find(":1: the header row must be 'a,b'"), std::string::npos);
  EXPECT_NE(ErrorOf("a,b\n1,2\n1\n").find(":3 must be 2 numbers"), std::string::npos);
  EXPECT_NE(ErrorOf("a,b\n1,x\n").find(":2: 'x' is not a finite number"), std::string::npos);
  EXPECT_NE(ErrorOf("a,b\n1,inf\n").find("finite"), std::string::npos);
  EXPECT_NE(ErrorOf("# nothing\n").find("missing"), std::string::npos);
}

TEST(CsvInput, MissingFileIsAnError) {
  EXPECT_THROW(ReadCsvInput("/dev/null/x.csv", "a"), FileError);
}

}  // namespace
}  // namespace scree::csv_input_test
