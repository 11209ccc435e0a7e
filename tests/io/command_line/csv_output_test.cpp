// Tables of the small apps: provenance, digits, quotes, complete files.
#include "io/command_line/csv_output.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <sstream>

#include "solvers/base/check.hpp"
#include "tests/io/scratch.hpp"

namespace scree::csv_output_test {
namespace {

std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST(CsvOutput, HasProvenanceHeaderAndRows) {
  CsvOutput csv("scree-thing part --mu 1");
  csv.AddComment("mass", 0.1);
  csv.Columns({"n", "x", "state"});
  csv.Row({std::int64_t{-3}, 0.1, std::string("slip")});
  const auto lines = Lines(csv.AsText());
  ASSERT_EQ(lines.size(), 5u);
  EXPECT_TRUE(lines[0].starts_with("# program: Scree "));
  EXPECT_NE(lines[0].find("commit"), std::string::npos);
  EXPECT_EQ(lines[1], "# command: scree-thing part --mu 1");
  EXPECT_EQ(lines[2], "# mass: 0.10000000000000001");
  EXPECT_EQ(lines[3], "n,x,state");
  EXPECT_EQ(lines[4], "-3,0.10000000000000001,slip");
}

TEST(CsvOutput, NumberOfDigitsCanBeChosen) {
  CsvOutput csv("x", 6);
  csv.AddComment("third [m]", 1.0 / 3.0);
  csv.Columns({"value [N]"});
  csv.Row({2.0 / 3.0});
  const auto lines = Lines(csv.AsText());
  EXPECT_EQ(lines[2], "# third [m]: 0.333333");
  EXPECT_EQ(lines[3], "value [N]");
  EXPECT_EQ(lines[4], "0.666667");
}

TEST(CsvOutput, NumbersReadBackExactly) {
  CsvOutput csv("x");
  csv.Columns({"value"});
  const std::vector<double> values = {1.0 / 3.0, 5e-324, -1.7976931348623157e308,
                                      0x1.fffffffffffffp-3};
  for (const double value : values) csv.Row({value});
  const auto lines = Lines(csv.AsText());
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(std::strtod(lines[3 + i].c_str(), nullptr), values[i]);
  }
}

TEST(CsvOutput, TextIsQuotedWhereNecessary) {
  CsvOutput csv("x");
  csv.Columns({"file", "note"});
  csv.Row({std::string("a,b.h5"), std::string("say \"no\"")});
  EXPECT_EQ(Lines(csv.AsText())[3], "\"a,b.h5\",\"say \"\"no\"\"\"");
}

TEST(CsvOutput, FileHasTheSameText) {
  const Scratch scratch(Communicator::World());
  CsvOutput csv("x");
  csv.Columns({"value"});
  csv.Row({2.5});
  const std::string path = scratch / "table.csv";
  csv.Write(path);
  EXPECT_EQ(FileBytes(path), csv.AsText());
  EXPECT_THROW(csv.Write(scratch / "missing/table.csv"), OutputError);
}

}  // namespace
}  // namespace scree::csv_output_test
