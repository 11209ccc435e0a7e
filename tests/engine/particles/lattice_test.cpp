// Lattice sites, and particles on them.
#include "engine/particles/lattice.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace scree {
namespace {

TEST(Lattice, CountsWholeSpacingsDespiteRounding) {
  for (int sites = 1; sites <= 200; ++sites) {
    for (const double lower : {0.0, 0.01, -0.037}) {
      const double width = 0.001 * sites;
      const Lattice exact{{Vec3::Constant(lower), Vec3::Constant(lower + width)}, 0.001};
      EXPECT_EQ(exact.Sites()[0], sites);
      const Lattice narrower{{Vec3::Constant(lower), Vec3::Constant(lower + width - 1e-6)}, 0.001};
      EXPECT_EQ(narrower.Sites()[2], sites - 1);
    }
  }
  EXPECT_EQ((Lattice{{Vec3::Zero(), Vec3(0.15, 0.065, 0.02)}, 0.001}.Sites()),
            (std::array<std::int64_t, 3>{150, 65, 20}));
}

TEST(Lattice, RadiiFollowTheIdAndTheSeed) {
  GrainTemplate grain;
  grain.sizes = SizeDistribution::Uniform(1.0, 2.0);
  double mean = 0.0;
  for (ParticleId id = 0; id < 10000; ++id) {
    const double radius = RadiusOf(grain, id, 7);
    EXPECT_EQ(radius, RadiusOf(grain, id, 7));
    EXPECT_NE(radius, RadiusOf(grain, id, 8));
    mean += 1e-4 * radius;
  }
  EXPECT_NEAR(mean, 1.5, 4.0 * std::sqrt(1.0 / 12.0 / 10000));
  Particles one;
  MakeParticle(grain, Vec3::Zero(), 3, 7, one);
  EXPECT_EQ(one.radius[0], RadiusOf(grain, 3, 7));
}

}  // namespace
}  // namespace scree
