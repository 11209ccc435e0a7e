// A contact partner is the same in all its representations: code, key and body number.
#include "engine/contacts/contact_partner.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace scree::contact_partner_test {
namespace {

constexpr Index kLastIndex = std::numeric_limits<Index>::max();

TEST(ContactPartner, CodesOfParticlesAndSurfacesDifferAndDecode) {
  for (const Index surface : {0, 1, 77, kLastIndex - 2}) {
    const auto wall = GlobalPartner::Surface(surface);
    EXPECT_TRUE(wall.IsSurface());
    EXPECT_EQ(wall.Surface(), surface);
    EXPECT_EQ(LocalPartner::Surface(surface).Surface(), surface);
    EXPECT_EQ(GlobalPartner::FromCode(wall.Code()), wall);
    EXPECT_NE(wall.Code(), kRemovedId);
  }
  for (const ParticleId id : {ParticleId{0}, ParticleId{5}, ParticleId{1} << 60}) {
    const auto particle = GlobalPartner::Particle(id);
    EXPECT_FALSE(particle.IsSurface());
    EXPECT_EQ(particle.Particle(), id);
    EXPECT_EQ(GlobalPartner::FromCode(particle.Code()), particle);
  }
}

/// Files of earlier versions contain these codes, so they must not change.
TEST(ContactPartner, CodesOfSurfacesGoDownFromMinusTwo) {
  EXPECT_EQ(GlobalPartner::Surface(0).Code(), -2);
  EXPECT_EQ(GlobalPartner::Surface(5).Code(), -7);
  EXPECT_EQ(GlobalPartner::Particle(5).Code(), 5);
}

TEST(ContactPartner, KeysOrderParticlesBeforeSurfaces) {
  EXPECT_LT(OrderKey(GlobalPartner::Particle(3)), OrderKey(GlobalPartner::Particle(4)));
  EXPECT_LT(OrderKey(GlobalPartner::Particle(ParticleId{1} << 61)),
            OrderKey(GlobalPartner::Surface(0)));
  EXPECT_LT(OrderKey(GlobalPartner::Surface(0)), OrderKey(GlobalPartner::Surface(kLastIndex - 2)));
}

TEST(ContactBodies, NumbersAreLocalParticlesThenWallBodies) {
  const std::vector<WallBody> walls = {{0, 0, Vec3::Zero()}, {3, 9, Vec3::Zero()}};
  const ContactBodies bodies(2, walls);
  EXPECT_FALSE(bodies.IsWall(1));
  ASSERT_TRUE(bodies.IsWall(3));
  EXPECT_EQ(bodies.WallOf(3).wall, 3);
  EXPECT_EQ(bodies.PartnerOf(1), LocalPartner::Particle(1));
  EXPECT_EQ(bodies.PartnerOf(3), LocalPartner::Surface(9));
  const std::vector<ParticleId> ids = {40, 41};
  EXPECT_EQ(ToGlobal(bodies.PartnerOf(1), ids), GlobalPartner::Particle(41));
  EXPECT_EQ(ToGlobal(bodies.PartnerOf(3), ids), GlobalPartner::Surface(9));
}

}  // namespace
}  // namespace scree::contact_partner_test
