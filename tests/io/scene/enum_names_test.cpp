// Every enumerator of a scene has a name. Reading accepts these names and no others.
#include "io/scene/enum_names.hpp"

#include <gtest/gtest.h>

#include <array>
#include <set>

#include "engine/geometry/shapes.hpp"
#include "engine/scene/size_distribution.hpp"
#include "solvers/sweeps/solver_parameters.hpp"

namespace scree::enum_names_test {
namespace {

template <class Enum>
class EnumNames : public testing::Test {};

using Enums = testing::Types<Kernel, Scheme, SizeDistribution::Kind, MeshSolid>;
TYPED_TEST_SUITE(EnumNames, Enums);

TYPED_TEST(EnumNames, ReadBackAndAreDifferent) {
  std::set<std::string> names;
  for (std::size_t k = 0; k < AllNamesOf<TypeParam>().size(); ++k) {
    const auto value = static_cast<TypeParam>(k);
    EXPECT_EQ(EnumNamed<TypeParam>(NameOf(value)), value);
    EXPECT_TRUE(names.insert(NameOf(value)).second) << NameOf(value);
  }
}

TYPED_TEST(EnumNames, UnknownWordIsAnErrorAndNotTheFirstValue) {
  for (const char* word : {"", "nothing", "Sphere", "no "}) {
    EXPECT_THROW(EnumNamed<TypeParam>(word), InputError) << word;
  }
}

enum class Coin { kHeads, kTails };
static_assert(IsEnumerator<Coin::kTails>() && IsEnumerator<static_cast<Coin>(1)>());
static_assert(!IsEnumerator<static_cast<Coin>(2)>(), "AllNamesOf relies on this");

}  // namespace
}  // namespace scree::enum_names_test
