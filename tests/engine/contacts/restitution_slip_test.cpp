// The restitution slip u of single contacts, of spheres, and of several contacts of two bodies.
#include "engine/contacts/restitution_slip.hpp"

#include <gtest/gtest.h>

#include "solvers/one_contact/contact_block.hpp"
#include "tests/support/clump_scenes.hpp"
#include "tests/support/draw.hpp"

namespace scree::restitution_slip_test {
namespace {

constexpr double kRadius = 1e-3, kSpeed = 0.7, kRestitution = 0.9;

/// Two bodies of one shape above a floor. Body 0 falls at kSpeed, body 1 is at rest.
struct Fixture {
  Scene scene = test::EmptyScene(Vec3::Constant(-0.05), Vec3::Constant(0.05), 0.5);
  Particles particles;
  std::vector<double> inverse_masses;
  std::vector<WallBody> walls;
  MemberTable members;
  std::vector<RigidBody> rigid;

  explicit Fixture(const std::vector<Member>& shape, const Quaternion& first = {},
                   const Quaternion& second = {}) {
    test::AddPlane(scene, Vec3::Zero(), Vec3::UnitZ());
    const ShapeId id = test::AddShape(scene, shape);
    test::AddClump(scene, particles, 0, id, Vec3::Zero(), first, Vec3(0.0, 0.0, -kSpeed));
    test::AddClump(scene, particles, 1, id, Vec3(0.0, 0.0, -0.01), second);
    SetInverseMasses(particles, scene, inverse_masses);
    BeginWallBodies(WallPoses(scene, 1e-5, 0), walls);
    scene.materials.SetRestitution(0, 0, {.constant = kRestitution});
    members.Set(particles, scene.clumps);
    AssembleBodies(particles, inverse_masses, scene, walls, {1e-5 * scene.gravity}, rigid);
  }
  ContactGeometry GeometryOf(const DetectedContact& contact) const {
    const Member& a = members.MemberOf(contact.a, contact.members.a);
    ContactGeometry geometry = {{a.centre - a.radius * contact.normal, Vec3::Zero()}, a.radius};
    if (contact.b >= static_cast<Index>(particles.Size())) {
      geometry.radius_b = kFlatRadius;
      return geometry;
    }
    const Member& b = members.MemberOf(contact.b, contact.members.b);
    geometry.arms.b = b.centre + b.radius * contact.normal;
    geometry.radius_b = b.radius;
    return geometry;
  }
  /// @pre the gaps are zero
  ContactBatches Assemble(std::span<const DetectedContact> detected) const {
    std::vector<ContactGeometry> geometry;
    for (const DetectedContact& contact : detected) geometry.push_back(GeometryOf(contact));
    const ContactInput input = {.detected = {detected, geometry},
                                .ghosts = {},
                                .particles = particles,
                                .scene = scene,
                                .walls = walls,
                                .inverse_masses = inverse_masses,
                                .counts = {},
                                .rigid = rigid};
    StepParameters parameters;
    parameters.dt = 1e-5;
    ContactBatches batches;
    std::vector<Index> impacts;
    AssembleContacts(input, parameters, 1.0, Friction(), Restitution(scene, 1e-5), batches, impacts,
                     nullptr);
    EXPECT_FALSE(impacts.empty());
    return batches;
  }
};

Quaternion RandomRotation(test::Draw& draw) { return Normalized(RotationBy(draw.Vector(3.0))); }

TEST(RestitutionSlip, SlipOfOneContactFollowsFromItsBlock) {
  test::Draw draw(51);
  for (int k = 0; k < 100; ++k) {
    const Fixture fixture(test::AsymmetricShape(kRadius), RandomRotation(draw),
                          RandomRotation(draw));
    const DetectedContact contact = {Vec3::UnitZ(), 0.0, 0, k % 2 == 0 ? 1 : 2, {1, 0}};
    const ContactBatches batches = fixture.Assemble(std::span(&contact, 1));
    const ContactArms arms = batches.ArmsAt(0);
    const RigidBody &a = fixture.rigid[0], &b = fixture.rigid[static_cast<std::size_t>(contact.b)];
    const Mat3 frame = ContactFrame(contact.normal);
    const Mat3 block = ContactBlock(frame, {a.inverse_mass, a.InverseInertia()}, arms.a,
                                    {b.inverse_mass, b.InverseInertia()}, arms.b);
    Vec3 expected = kRestitution * kSpeed / block(0, 0) * block.col(0);
    expected[0] = 0.0;
    EXPECT_LT((batches.At(0).restitution_slip - frame * expected).norm(), 1e-13);
    EXPECT_GT(expected.norm(), 1e-3);
  }
}

TEST(RestitutionSlip, SlipOfSpheresIsZero) {
  const Fixture fixture({{Vec3::Zero(), kRadius}});
  const DetectedContact contact = {Vec3(0.0, 0.6, 0.8), 0.0, 0, 1};
  EXPECT_LT(fixture.Assemble(std::span(&contact, 1)).At(0).restitution_slip.norm(), 1e-15);
}

/// Spheres at the corners of a cube. The first four are at the lower corners.
std::vector<Member> CornersOfCube() {
  std::vector<Member> cube;
  for (int k = 0; k < 8; ++k) {
    cube.push_back(
        {kRadius * Vec3(k % 2 * 2 - 1, k / 2 % 2 * 2 - 1, k / 4 * 2 - 1), 1.2 * kRadius});
  }
  return cube;
}

TEST(RestitutionSlip, SlipOfABodyThatFallsFlatIsZero) {
  const Fixture fixture(CornersOfCube());
  std::vector<DetectedContact> contacts;
  for (std::uint16_t k = 0; k < 4; ++k) contacts.push_back({Vec3::UnitZ(), 0.0, 0, 2, {k, 0}});
  const ContactBatches all = fixture.Assemble(contacts);
  for (std::size_t j = 0; j < 4; ++j) EXPECT_LT(all.At(j).restitution_slip.norm(), 1e-10);
  // With only two of the contacts the body would rotate.
  const ContactBatches two_contacts = fixture.Assemble(std::span(contacts).first(2));
  for (std::size_t j = 0; j < 2; ++j) EXPECT_GT(two_contacts.At(j).restitution_slip.norm(), 0.01);
}

TEST(RestitutionSlip, SwappingTheBodiesKeepsTheBitsOfTheSlip) {
  test::Draw draw(52);
  Fixture fixture(test::AsymmetricShape(kRadius), RandomRotation(draw), RandomRotation(draw));
  std::vector<DetectedContact> contacts, swapped;
  for (std::uint16_t k = 0; k < 3; ++k) {
    const Vec3 normal = (Vec3::UnitZ() + draw.Vector(0.3)).normalized();
    const auto second = static_cast<std::uint16_t>(3 - k);
    contacts.push_back({normal, 0.0, 0, 1, {k, second}});
    swapped.push_back({-normal, 0.0, 1, 0, {second, k}});
  }
  const ContactBatches batches = fixture.Assemble(contacts),
                       swapped_batches = fixture.Assemble(swapped);
  for (std::size_t j = 0; j < contacts.size(); ++j) {
    EXPECT_GT(batches.At(j).restitution_slip.norm(), 0.01);
    EXPECT_EQ(batches.At(j).restitution_slip, -swapped_batches.At(j).restitution_slip);
  }
}

}  // namespace
}  // namespace scree::restitution_slip_test
