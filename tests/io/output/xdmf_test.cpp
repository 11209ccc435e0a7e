#include "io/output/xdmf.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

namespace scree::xdmf_test {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Xdmf, ListsEachSnapshotThatHasParticles) {
  const std::array<XdmfStep, 3> steps = {{{"snapshots/a.h5", 0.0, 0, {}},
                                          {"snapshots/b.h5", 0.1, 20, {}},
                                          {"snapshots/c.h5", 0.2, 30, {}}}};
  const std::string text = XdmfText(steps);
  EXPECT_THAT(text, Not(HasSubstr("a.h5")));
  EXPECT_THAT(text, HasSubstr("<Time Value=\"0.1\"/>"));
  EXPECT_THAT(text, HasSubstr("NumberOfElements=\"30\""));
  EXPECT_THAT(text, HasSubstr("Dimensions=\"1 20 3\" NumberType=\"Float\" Precision=\"8\">"
                              "snapshots/b.h5:/particles/grains/velocity/value"));
  EXPECT_THAT(text, HasSubstr("Dimensions=\"30\" NumberType=\"Int\" Precision=\"4\">"
                              "snapshots/c.h5:/particles/grains/material<"));
}

TEST(Xdmf, NamesTheFieldsOfTheSnapshot) {
  const std::array<XdmfStep, 2> steps = {
      {{"a.h5", 0.0, 20, {"position radius id", true}}, {"b.h5", 0.1, 20, {}}}};
  const std::string text = XdmfText(steps);
  EXPECT_THAT(text, Not(HasSubstr("a.h5:/particles/grains/velocity")));
  EXPECT_THAT(text,
              HasSubstr("NumberType=\"Float\" Precision=\"4\">a.h5:/particles/grains/radius"));
  EXPECT_THAT(text, HasSubstr("Precision=\"8\">b.h5:/particles/grains/velocity/value"));
}

TEST(Xdmf, HasClustersOfScenesWithBonds) {
  const std::array<XdmfStep, 2> steps = {
      {{"a.h5", 0.0, 20, {"position", false}, true}, {"b.h5", 0.1, 20, {}}}};
  const std::string text = XdmfText(steps);
  for (const char* name : {"cluster", "cluster_size"}) {
    EXPECT_THAT(text, HasSubstr(std::string("Dimensions=\"1 20\" NumberType=\"Int\" "
                                            "Precision=\"8\">a.h5:/particles/grains/") +
                                name + "/value<"));
    EXPECT_THAT(text, Not(HasSubstr(std::string("b.h5:/particles/grains/") + name)));
  }
}

}  // namespace
}  // namespace scree::xdmf_test
