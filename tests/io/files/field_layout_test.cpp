// The position and form of a field in a file, and files that are older than a field.
#include "io/files/field_layout.hpp"

#include <gtest/gtest.h>

#include "tests/io/scratch.hpp"

namespace scree::field_layout_test {
namespace {

constexpr Field kMoves{"heat", "J", FieldScope::kWithGhosts, TimeDependence::kVarying, 61};
constexpr Field kStays{"colour",
                       "",
                       FieldScope::kWithGhosts,
                       TimeDependence::kConstant,
                       62,
                       IfFieldMissing::kIsDefault};

TEST(FieldLayout, VaryingFieldsAreElementsWithAFrame) {
  EXPECT_EQ(DatasetOf(kMoves), "heat/value");
  EXPECT_EQ(DatasetOf(kStays), "colour");
  EXPECT_TRUE(ShapeOf<Vec3>(kMoves).frame);
  EXPECT_FALSE(ShapeOf<Vec3>(kStays).frame);
  EXPECT_EQ(ShapeOf<Vec3>(kMoves).columns, 3u);
  EXPECT_EQ(ShapeOf<Quaternion>(kMoves).columns, 4u);
  EXPECT_EQ(ShapeOf<std::int32_t>(kStays).columns, 0u);
}

TEST(FieldLayout, ElementsConsistOfPlainNumbers) {
  const std::vector<Vec3> two = {Vec3(1, 2, 3), Vec3(4, 5, 6)};
  const auto numbers = Numbers(std::span(two));
  EXPECT_EQ(std::vector<double>(numbers.begin(), numbers.end()),
            (std::vector<double>{1, 2, 3, 4, 5, 6}));
}

TEST(FieldLayout, OnlyAFieldWithDefaultsMayBeMissing) {
  const Communicator world = Communicator::World();
  const Scratch scratch(world);
  { Hdf5Writer(world, scratch / "old.h5").Group("/grains"); }
  const Hdf5Reader file(scratch / "old.h5");
  EXPECT_TRUE(IsOlderThan(kStays, file, "/grains/colour"));
  EXPECT_FALSE(IsOlderThan(kMoves, file, "/grains/heat/value")) << "reading it then fails";
  EXPECT_FALSE(IsOlderThan(kStays, file, "/grains")) << "is there";
}

}  // namespace
}  // namespace scree::field_layout_test
