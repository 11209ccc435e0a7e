// Lattice sites.
#include "engine/scene/lattice.hpp"

#include <gtest/gtest.h>

namespace scree::lattice_test {
namespace {

TEST(Lattice, CountsWholeSpacingsDespiteRounding) {
  for (int sites = 1; sites <= 200; ++sites) {
    for (const double lower : {0.0, 0.01, -0.037}) {
      const double width = 0.001 * sites;
      const Lattice exact{Box{Vec3::Constant(lower), Vec3::Constant(lower + width)}, 0.001};
      EXPECT_EQ(exact.Sites()[0], sites);
      const Lattice narrower{Box{Vec3::Constant(lower), Vec3::Constant(lower + width - 1e-6)},
                             0.001};
      EXPECT_EQ(narrower.Sites()[2], sites - 1);
    }
  }
  EXPECT_EQ((Lattice{Box{Vec3::Zero(), Vec3(0.15, 0.065, 0.02)}, 0.001}.Sites()),
            (std::array<std::int64_t, 3>{150, 65, 20}));
}

}  // namespace
}  // namespace scree::lattice_test
