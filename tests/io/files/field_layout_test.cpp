// The position and form of a field in a file, and files that are older than a field.
#include "io/files/field_layout.hpp"

#include <gtest/gtest.h>

#include "tests/io/scratch.hpp"

namespace scree::field_layout_test {
namespace {

constexpr Field kVaryingField{"heat", "J", FieldScope::kWithGhosts, TimeDependence::kVarying, 61};
constexpr Field kConstantField{"colour",
                               "",
                               FieldScope::kWithGhosts,
                               TimeDependence::kConstant,
                               62,
                               IfFieldMissing::kIsDefault};

TEST(FieldLayout, VaryingFieldsAreElementsWithAFrame) {
  EXPECT_EQ(DatasetOf(kVaryingField), "heat/value");
  EXPECT_EQ(DatasetOf(kConstantField), "colour");
  EXPECT_TRUE(ShapeOf<Vec3>(kVaryingField).frame);
  EXPECT_FALSE(ShapeOf<Vec3>(kConstantField).frame);
  EXPECT_EQ(ShapeOf<Vec3>(kVaryingField).columns, 3u);
  EXPECT_EQ(ShapeOf<Quaternion>(kVaryingField).columns, 4u);
  EXPECT_EQ(ShapeOf<std::int32_t>(kConstantField).columns, 0u);
}

TEST(FieldLayout, ElementsConsistOfPlainNumbers) {
  const std::vector<Vec3> two_vectors = {Vec3(1, 2, 3), Vec3(4, 5, 6)};
  const auto numbers = Numbers(std::span(two_vectors));
  EXPECT_EQ(std::vector<double>(numbers.begin(), numbers.end()),
            (std::vector<double>{1, 2, 3, 4, 5, 6}));
}

TEST(FieldLayout, OnlyAFieldWithDefaultsMayBeMissing) {
  const Communicator world = Communicator::World();
  const Scratch scratch(world);
  { Hdf5Writer(world, scratch / "old.h5").MakeGroup("/grains"); }
  const Hdf5Reader file(scratch / "old.h5");
  EXPECT_TRUE(IsMissingWithDefault(kConstantField, file, "/grains/colour"));
  EXPECT_FALSE(IsMissingWithDefault(kVaryingField, file, "/grains/heat/value"))
      << "reading it then fails";
  EXPECT_FALSE(IsMissingWithDefault(kConstantField, file, "/grains")) << "exists";
}

}  // namespace
}  // namespace scree::field_layout_test
