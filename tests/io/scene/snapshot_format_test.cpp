#include "io/scene/snapshot_format.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "solvers/base/check.hpp"
#include "tests/io/scratch.hpp"

namespace scree::snapshot_format_test {
namespace {

TEST(SnapshotFormat, PositionAndIdAreAlwaysWritten) {
  const SnapshotFormat format{"radius", false};
  for (const char* name : {"position", "id", "radius"}) EXPECT_TRUE(format.Has(name)) << name;
  for (const char* missing : {"velocity", "orientation", "rad"}) {
    EXPECT_FALSE(format.Has(missing)) << missing;
  }
  EXPECT_TRUE(SnapshotFormat().Has("orientation"));
}

TEST(SnapshotFormat, FieldsAreReadInAnyOrder) {
  EXPECT_EQ(ReadFields("all"), "all");
  EXPECT_EQ(ReadFields("radius velocity"), "position velocity radius id");
  EXPECT_EQ(ReadFields("id position"), "position id");
  EXPECT_EQ(
      ReadFields("shape material id radius orientation angular_velocity velocity_change velocity"),
      "all");
  const std::string error = MessageOf<InputError>([] { ReadFields("velocity radios"); });
  EXPECT_NE(error.find("did you mean \"radius\""), error.npos) << error;
}

TEST(SnapshotFormat, SinglePrecisionIsAnErrorIfParticlesWouldOverlap) {
  const auto require = [](bool single, double farthest, double radius) {
    const Box domain{Vec3(-1.0, 0.0, -farthest), Vec3::Ones()};
    RequirePositionPrecision({"all", single}, domain, radius);
  };
  // Half the spacing of floats at 5e5 m is 15 mm and more.
  EXPECT_THAT(MessageOf<InputError>([&] { require(true, 5e5, 1e-3); }),
              testing::AllOf(testing::HasSubstr("output.precision is single"),
                             testing::HasSubstr("by up to 0.0298")));
  EXPECT_THROW(require(true, 200.0, 1e-3), InputError);
  EXPECT_NO_THROW(require(true, 100.0, 1e-3));
  EXPECT_NO_THROW(require(true, 5e5, 4.0));
  EXPECT_NO_THROW(require(false, 5e5, 1e-3));
  EXPECT_NO_THROW(require(true, 5e5, 0.0)) << "no particles";
}

TEST(SnapshotFormat, FormatReadsBackFromItsCode) {
  for (const SnapshotFormat& format :
       {SnapshotFormat{}, SnapshotFormat{"position id", true},
        SnapshotFormat{"position velocity radius id", false}, SnapshotFormat{"all", true}}) {
    EXPECT_EQ(FormatOf(CodeOf(format)), format);
  }
}

// Checkpoints of earlier versions have these codes: one bit of the precision, one of each field.
TEST(SnapshotFormat, CodesOfFormatsNeverChange) {
  EXPECT_EQ(FormatOf(2 + 4 + 32 + 64), (SnapshotFormat{"position velocity radius id", false}));
  EXPECT_EQ(FormatOf(1 + 2 + 16 + 64 + 128),
            (SnapshotFormat{"position orientation id material", true}));
  EXPECT_EQ(CodeOf({"position angular_velocity id", false}), 2 + 8 + 64);
}

}  // namespace
}  // namespace scree::snapshot_format_test
