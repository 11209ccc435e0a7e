// [link.NAME], [joint.NAME] and [loop.NAME].
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "io/scene/config_reader.hpp"
#include "tests/io/scratch.hpp"

namespace scree::link_keys_test {
namespace {

const std::string kScene =
    "[domain]\nlower = 0 0 0\nupper = 3 2 1 cm\n[time]\nstep = 10 us\nend = 1 ms\n"
    "[fill]\nlower = 0 0 0\nupper = 3 2 1 cm\nspacing = 1 mm\nradius = 0.47 mm\n"
    "[wall.a]\nshape = sphere\npoint = 1 1 1 cm\nradius = 1 mm\n"
    "[wall.b]\nshape = sphere\npoint = 2 1 1 cm\nradius = 1 mm\n";
const std::string kLinks =
    "[link.arm]\nwalls = a\nmass = 20 g\ncentre = 1 1 1 cm\ninertia = 1 2 2 g cm^2\n"
    "[link.hand]\nwalls = b\nmass = 10 g\ncentre = 2 1 1 cm\ninertia = 1 1 1 g cm^2\n"
    "inertia_products = 0.1 0.2 0.3 g cm^2\n";
const std::string kShoulder = "[joint.shoulder]\nchild = arm\n";
const std::string kHinge = "kind = hinge\npoint = 0 1 1 cm\naxis = 0 2 0\n";
const std::string kWrist = "[joint.wrist]\nparent = arm\nchild = hand\n";
const std::string kSlider = "kind = slider\naxis = 1 0 0\n";

const std::string kFoot =
    "[wall.c]\nshape = sphere\npoint = 1 1 0.5 cm\nradius = 1 mm\n"
    "[link.foot]\nwalls = c\nmass = 10 g\ncentre = 1 1 0.5 cm\ninertia = 1 1 1 g cm^2\n";
const std::string kThirdJoint =
    kFoot + "[joint.third]\nchild = foot\nkind = slider\naxis = 0 1 0\n";
const std::string kToe =
    "[wall.d]\nshape = sphere\npoint = 2 1 0.5 cm\nradius = 1 mm\n"
    "[link.toe]\nwalls = d\nmass = 10 g\ncentre = 2 1 0.5 cm\ninertia = 1 1 1 g cm^2\n"
    "[joint.toe]\nparent = foot\nchild = toe\nkind = slider\naxis = 0 1 0\n";

RunConfig Read(const std::string& keys) { return ReadRunConfig(kScene + keys, "scene.ini", {}); }

std::string ErrorOf(const std::string& keys) {
  return RefusalOf<InputError>([&] { Read(keys); });
}

TEST(LinkKeys, TreeOfLinksIsRead) {
  // Parents come first, whatever the order of the file.
  const Scene scene = Read(kLinks + kWrist + kSlider +
                           "upper_travel = 3 mm\nforce = 2 N\ndrive = position\ntravel = 1 mm\n"
                           "largest_force = 5 N\nlargest_speed = 1 mm/s\n" +
                           kShoulder + kHinge +
                           "lower_angle = -90 deg\nfriction_torque = 3 N mm\ndrive = speed\n"
                           "table = time_s 0 1, rate_rpm 0 60\nlargest_torque = 7 N mm\n")
                          .scene;
  ASSERT_EQ(scene.joints.size(), 2u);
  const Joint &shoulder = scene.joints[0], &wrist = scene.joints[1];
  EXPECT_EQ(shoulder.name, "shoulder");
  EXPECT_EQ(shoulder.parent, Joint::kGround);
  EXPECT_EQ(shoulder.kind, JointKind::kHinge);
  EXPECT_EQ(shoulder.axis, Vec3(0, 1, 0));
  EXPECT_EQ(shoulder.point, Vec3(0, 0.01, 0.01));
  EXPECT_NEAR(shoulder.lower, -1.5707963267949, 1e-12);
  EXPECT_TRUE(std::isinf(shoulder.upper));
  EXPECT_EQ(shoulder.friction, 0.003);
  EXPECT_EQ(shoulder.drive, JointDrive::kToSpeed);
  EXPECT_EQ(shoulder.largest, 0.007);
  EXPECT_NEAR(shoulder.table.At(1.0)[3], 3.14159265358979, 1e-12);
  EXPECT_EQ(wrist.parent, shoulder.child);
  EXPECT_EQ(wrist.upper, 0.003);
  EXPECT_EQ(wrist.force, 2.0);
  EXPECT_EQ(wrist.target, 0.001);
  EXPECT_EQ(wrist.largest_speed, 0.001);
  EXPECT_EQ(scene.walls[1].link, wrist.child);
  const Mat3& inertia = scene.links[1].inertia;
  EXPECT_EQ(inertia, Mat3(inertia.transpose()));
  EXPECT_EQ(inertia(0, 1), 1e-8);
  EXPECT_EQ(inertia(2, 0), 3e-8);
}

TEST(LinkKeys, DensityGivesTheMassOfALink) {
  const std::string solids =
      "[wall.c]\nshape = box\nlower = 0 0 0 cm\nupper = 2 1 1 cm\n"
      "[wall.d]\nshape = box\nlower = 2 0 0 cm\nupper = 3 1 1 cm\n"
      "[link.l]\nwalls = c d\ndensity = 2 g/cm^3\n[joint.j]\nchild = l\nkind = free\n";
  const RunConfig config = Read(solids);
  const Link& link = config.scene.links[0];
  EXPECT_NEAR(link.mass, 6e-3, 1e-15);
  EXPECT_LT((link.centre - Vec3(0.015, 0.005, 0.005)).norm(), 1e-15);
  EXPECT_NEAR(link.inertia(0, 0), 6e-3 / 12.0 * 2e-4, 1e-17);
  EXPECT_NEAR(link.inertia(1, 1), 6e-3 / 12.0 * 10e-4, 1e-17);
  // The text has the mass instead of the density, so a restart need not compute it from solids.
  const std::string text = EffectiveIni(config);
  EXPECT_EQ(text.find("density = 2000"), std::string::npos);
  EXPECT_EQ(EffectiveIni(ReadRunConfig(text, "effective", {})), text);
}

TEST(LinkKeys, TorqueOfAMotorIsAValueOrATable) {
  const Scene scene =
      Read(kLinks + kShoulder + kHinge + "drive = torque\ntable = time_s 0 2, torque_N*mm 0 8\n" +
           kWrist + kSlider + "drive = force\nforce = 3 N\n")
          .scene;
  EXPECT_NEAR(scene.joints[0].ForceAt(0.5), 0.002, 1e-15);
  EXPECT_NEAR(scene.joints[0].ForceAt(9.0), 0.008, 1e-15);
  EXPECT_EQ(scene.joints[1].ForceAt(0.5), 3.0);
  EXPECT_FALSE(scene.joints[0].HasLimitedMotor());
}

TEST(LinkKeys, EffectiveConfigurationReadsBack) {
  const RunConfig config = Read(kLinks + kWrist + kSlider + "drive = speed\nspeed = 1 mm/s\n" +
                                "largest_force = 5 N\n" + kShoulder + "kind = fixed\n");
  const std::string text = EffectiveIni(config);
  EXPECT_EQ(EffectiveIni(ReadRunConfig(text, "effective", {})), text);
  EXPECT_NE(text.find("[joint.wrist]"), std::string::npos);
}

const std::string kTwoJoints = kLinks + kShoulder + kHinge + kWrist + kSlider;

struct BadScene {
  std::string keys, message;
};

/// Expects that each scene gives its error message.
void ExpectErrors(const std::vector<BadScene>& scenes) {
  for (const BadScene& bad : scenes) {
    const std::string error = ErrorOf(bad.keys);
    EXPECT_NE(error.find(bad.message), std::string::npos) << bad.message << "\n" << error;
  }
}

TEST(LinkKeys, ImpossibleTreesAreErrors) {
  ExpectErrors({
      {kLinks + kShoulder + kHinge, "[link.hand] walls: are not connected"},
      {kLinks + "[joint.j]\nparent = hand\nchild = arm\nkind = fixed\n" + kWrist + kSlider,
       "go round in a loop"},
      {kLinks + kShoulder + kHinge + "[joint.j]\nparent = arm\nchild = arm\nkind = fixed\n" +
           kWrist + kSlider,
       "has the joint [joint.shoulder] already"},
      {kTwoJoints + "[joint.j]\nchild = hand\nkind = fixed\n",
       "has the joint [joint.wrist] already"},
      {kLinks + kShoulder + "kind = hinge\npoint = 0 0 0\naxis = 0 0 0\n" + kWrist + kSlider,
       "[joint.shoulder] axis:"},
      {"[link.l]\nwalls = a\ncentre = 0 0 0\ninertia = 1 1 1\n[joint.j]\nchild = l\n"
       "kind = fixed\n",
       "lacks the key \"mass\""},
      {"[link.l]\ndensity = 1 g/cm^3\n[joint.j]\nchild = l\nkind = fixed\n",
       "[link.l] density: lacks the key \"walls\""},
      {"[link.l]\nwalls = a\nmass = 0 g\ncentre = 0 0 0\ninertia = 1 1 1\n[joint.j]\n"
       "child = l\nkind = fixed\n",
       "[link.l] mass:"},
      {"[link.l]\nwalls = a\nmass = 1 g\ncentre = 0 0 0\ninertia = 1 1 3\n[joint.j]\n"
       "child = l\nkind = fixed\n",
       "which no body has"},
      {"[link.l]\nwalls = a c\nmass = 1 g\ncentre = 0 0 0\ninertia = 1 1 1\n[joint.j]\n"
       "child = l\nkind = fixed\n",
       "there is no [wall.c]"},
      {"[wall.c]\nshape = sphere\npoint = 2 1 1 cm\nradius = 1 mm\nvelocity = 1 0 0\n"
       "[link.l]\nwalls = c\nmass = 1 g\ncentre = 0 0 0\ninertia = 1 1 1\n[joint.j]\n"
       "child = l\nkind = fixed\n",
       "which moves by itself"},
      {kLinks + kShoulder + kHinge + "lower_angle = 0 deg\nupper_angle = 0 deg\n" + kWrist +
           kSlider,
       "leaves the joint no motion"},
      {kLinks + kShoulder + kHinge + "lower_angle = 5 deg\n" + kWrist + kSlider,
       "[joint.shoulder] lower_angle:"},
  });
}

TEST(LinkKeys, GearsFollowAJointThatMayComeLater) {
  const Scene scene = Read(kTwoJoints + "mimic = shoulder\nlead = -2 mm\n" + kThirdJoint +
                           "ratio = 0.5\nmimic = wrist\n")
                          .scene;
  ASSERT_EQ(scene.joints.size(), 3u);
  EXPECT_FALSE(scene.joints[0].HasGear());
  EXPECT_EQ(scene.joints[1].geared_to, 0);
  EXPECT_EQ(scene.joints[1].ratio, -0.002);
  EXPECT_EQ(scene.joints[2].geared_to, 1);
  EXPECT_EQ(scene.joints[2].ratio, 0.5);
}

TEST(LinkKeys, BadGearsAreErrors) {
  ExpectErrors({
      {kTwoJoints + "mimic = shoulder\n", "[joint.wrist] mimic: lacks the key \"lead\""},
      {kTwoJoints + "mimic = shoulder\nratio = 2\n",
       "[joint.wrist] ratio: cannot be combined with"},
      {kTwoJoints + "mimic = shoulder\nlead = 0 mm\n", "[joint.wrist] lead: is 0"},
      {kTwoJoints + "mimic = knee\nlead = 1 mm\n", "there is no [joint.knee]"},
      {kTwoJoints + "mimic = wrist\nratio = 2\n", "which follows this joint itself"},
      {kTwoJoints + "lead = 1 mm\n", "[joint.wrist] lead: has no effect without mimic"},
      {kTwoJoints + kThirdJoint + "ratio = 2\n",
       "[joint.third] ratio: has no effect without mimic"},
      {kTwoJoints + "mimic = third\nratio = 2\n" + kThirdJoint + "mimic = wrist\nratio = 0.5\n",
       "[joint.third] mimic: is wrist, which follows this joint itself"},
      {kLinks + kShoulder + kHinge + "mimic = wrist\nratio = 2\n" + kWrist + kSlider,
       "[joint.shoulder] mimic: is wrist, a slider"},
      {kTwoJoints + "mimic = third\nratio = 1\n" + kFoot +
           "[joint.third]\nchild = foot\nkind = free\n",
       "mimic: is third, a joint of kind free"},
      {kTwoJoints + "mimic = third\nratio = 1\n" + kFoot +
           "[joint.third]\nchild = foot\nkind = ball\npoint = 0 0 0\n",
       "mimic: is third, a joint of kind ball"},
  });
}

TEST(LinkKeys, LoopsConnectTwoLinksOrALinkAndTheGround) {
  const std::string foot =
      kFoot + "[joint.third]\nchild = foot\nkind = hinge\npoint = 4 1 1 cm\naxis = 0 1 0\n";
  const LoopJoint connecting_loop =
      Read(kTwoJoints + foot +
           "[loop.a]\nparent = hand\nchild = foot\npoint = 2 1 2 cm\naxis = 0 3 0\n")
          .scene.loop_joints.at(0);
  EXPECT_EQ(connecting_loop.parent, 1);
  EXPECT_EQ(connecting_loop.child, 2);
  EXPECT_EQ(connecting_loop.axis, Vec3(0, 1, 0));
  EXPECT_EQ(connecting_loop.point, Vec3(0.02, 0.01, 0.02));
  const LoopJoint ground_loop =
      Read(kTwoJoints + "[loop.b]\nchild = hand\npoint = 0 1 1 cm\naxis = 0 1 0\n")
          .scene.loop_joints.at(0);
  EXPECT_EQ(ground_loop.parent, Joint::kGround);
}

TEST(LinkKeys, BallAndPlanarJointsAndLoopsHaveTheirKeys) {
  const RunConfig config = Read(
      kLinks + kShoulder + "kind = ball\npoint = 0 1 1 cm\ntorsion_damping = 2 N mm s\n" + kWrist +
      "kind = planar\naxis = 0 0 2\n" + "[loop.a]\nkind = slider\nchild = hand\naxis = 0 3 0\n");
  const Scene& scene = config.scene;
  EXPECT_EQ(scene.joints[0].kind, JointKind::kBall);
  EXPECT_EQ(scene.joints[0].point, Vec3(0, 0.01, 0.01));
  EXPECT_EQ(scene.joints[0].damping, 0.002);
  EXPECT_EQ(scene.joints[1].kind, JointKind::kPlanar);
  EXPECT_EQ(scene.joints[1].axis, Vec3(0, 0, 1));
  EXPECT_EQ(scene.loop_joints.at(0).kind, LoopKind::kSlider);
  EXPECT_EQ(scene.loop_joints.at(0).axis, Vec3(0, 1, 0));
  EXPECT_EQ(scene.FreeRows(), 6u + scene.walls.size());
  const std::string text = EffectiveIni(config);
  EXPECT_EQ(EffectiveIni(ReadRunConfig(text, "effective", {})), text);
  ExpectErrors({
      {kLinks + kShoulder + "kind = ball\n" + kWrist + kSlider, "lacks the key \"point\""},
      {kLinks + kShoulder + "kind = ball\npoint = 0 0 0\naxis = 1 0 0\n" + kWrist + kSlider,
       "[joint.shoulder] axis: does not belong to a joint of kind ball"},
      {kLinks + kShoulder + "kind = planar\naxis = 0 0 0\n" + kWrist + kSlider,
       "[joint.shoulder] axis:"},
      {kLinks + kShoulder + "kind = planar\naxis = 0 0 1\ndamping = 1\n" + kWrist + kSlider,
       "does not belong to a joint of kind planar"},
      {kLinks + kShoulder + "kind = ball\npoint = 0 0 0\nmimic = wrist\n" + kWrist + kSlider,
       "does not belong to a joint of kind ball"},
  });
}

TEST(LinkKeys, BadLoopsAreErrors) {
  const std::string point_and_axis = "point = 2 1 1 cm\naxis = 0 3 0\n";
  ExpectErrors({
      {kTwoJoints + "[loop.a]\nparent = hand\nchild = hand\n" + point_and_axis, "is the parent"},
      {kTwoJoints + "[loop.a]\nparent = leg\nchild = hand\n" + point_and_axis,
       "there is no [link.leg]"},
      {kTwoJoints + "[loop.a]\nchild = hand\npoint = 2 1 1 cm\naxis = 0 0 0\n", "[loop.a] axis:"},
      {kTwoJoints + "[loop.a]\nchild = hand\n" + point_and_axis, "leave the links no motion"},
      {"[link.l]\nwalls = a\nmass = 1 g\ncentre = 0 1 1 cm\ninertia = 1 1 1\n[joint.j]\n"
       "child = l\n" +
           kHinge + "[loop.a]\nchild = l\npoint = 0 1 1 cm\naxis = 1 0 0\n",
       "leave the links no motion"},
      {kTwoJoints + "[loop.a]\nchild = hand\nkind = ball\n" + point_and_axis,
       "[loop.a] axis: does not belong to a loop of kind ball"},
      {kTwoJoints + "[loop.a]\nchild = hand\nkind = slider\n", "lacks the key \"axis\""},
      {kTwoJoints + "[loop.a]\nchild = hand\nkind = slider\naxis = 0 0 0\n", "[loop.a] axis:"},
      {kTwoJoints + "[loop.a]\nchild = hand\nkind = fixed\n" + point_and_axis,
       "hinge | slider | ball"},
  });
}

TEST(LinkKeys, MissingChildIsOneError) {
  const std::string error = ErrorOf(kTwoJoints + "[loop.a]\nparent = hand\npoint = 2 1 1 cm\n");
  EXPECT_NE(error.find("lacks the key \"child\""), std::string::npos) << error;
  EXPECT_EQ(error.find("there is no"), std::string::npos) << error;
}

TEST(LinkKeys, ContradictoryKeysOfJointsAreErrors) {
  ExpectErrors({
      {kTwoJoints + "drive = speed\nspeed = 1 mm/s\n", "lacks the key \"largest_force\""},
      {kTwoJoints + "drive = speed\nlargest_force = 1 N\n", "lacks the key \"speed\" or \"table\""},
      {kTwoJoints + "drive = speed\nspeed = 1\nlargest_force = 1\ntable = time_s 0 1, x_mm 0 1\n",
       "cannot be combined with speed"},
      {kTwoJoints + "drive = speed\nlargest_force = 1\ntable = time_s 0 1, angle_deg 0 1\n",
       "has other columns"},
      {kTwoJoints + "speed = 1 mm/s\n", "has no effect without drive = speed"},
      {kTwoJoints + "largest_force = 1 N\n", "has no effect without drive"},
      {kTwoJoints + "torsion_spring = 1\n", "does not belong to a joint of kind slider"},
      {kTwoJoints + "spring_rest = 1 mm\n", "has no effect without spring"},
      {kLinks + kShoulder + kHinge + "[joint.w]\nparent = foot\nchild = hand\nkind = fixed\n",
       "there is no [link.foot]"},
      {kTwoJoints + "drive = torque\nforce = 1 N\n", "is torque, which is not for a slider"},
      {kTwoJoints + "drive = force\n", "lacks the key \"force\" or \"table\""},
      {kTwoJoints + "drive = force\nforce = 1 N\ntable = time_s 0 1, force_N 0 1\n",
       "cannot be combined with force"},
      {kTwoJoints + "drive = force\ntable = time_s 0 1, x_mm 0 1\n",
       "has a column \"x\"; expected force"},
      {kTwoJoints + "drive = force\ntable = time_s 0 1, force_mm 0 1\n", "column \"force_mm\""},
      {kTwoJoints + "drive = force\ntable = time_s 1 0, force_N 0 1\n", "increasing"},
      {kTwoJoints + "drive = force\nforce = 1 N\nlargest_force = 1 N\n",
       "has no effect with drive = force"},
  });
}

TEST(LinkKeys, ImpossibleFreeJointsAndDensitiesAreErrors) {
  ExpectErrors({
      {kLinks + kShoulder + kHinge + kWrist + "kind = free\n",
       "[joint.wrist] parent: is arm; expected ground"},
      {kLinks + kShoulder + "kind = free\naxis = 1 0 0\n" + kWrist + kSlider,
       "does not belong to a joint of kind free"},
      {kLinks + "density = 1 g/cm^3\n" + kShoulder + kHinge + kWrist + kSlider,
       "both mass and density are given"},
      {"[link.l]\nwalls = a\ndensity = 0 g/cm^3\n[joint.j]\nchild = l\nkind = free\n",
       "[link.l] density:"},
      {"[link.l]\nwalls = a\ndensity = 1 g/cm^3\ninertia_products = 0 0 1\n"
       "[joint.j]\nchild = l\nkind = free\n",
       "cannot be combined with density"},
      {"[wall.c]\nshape = plane\npoint = 0 0 0\nnormal = 0 0 1\n"
       "[link.l]\nwalls = a c\ndensity = 1 g/cm^3\n[joint.j]\nchild = l\nkind = free\n",
       "cannot be combined with [wall.c], which is not a bounded solid"},
      {"[wall.c]\nshape = mesh\nfile = c.stl\n"
       "[link.l]\nwalls = c\ndensity = 1 g/cm^3\n[joint.j]\nchild = l\nkind = free\n",
       "a mesh without a solid inside; expected solid = inside"},
      {"[wall.c]\nshape = sphere\npoint = 1.1 1 1 cm\nradius = 1 mm\n"
       "[link.l]\nwalls = a c\ndensity = 1 g/cm^3\n[joint.j]\nchild = l\nkind = free\n",
       "would count twice where [wall.a] and [wall.c] overlap"},
      {kTwoJoints + "[frame]\nangular_velocity = 0 0 1 1/s\n",
       "cannot be combined with a rotating [frame]"},
      {"[link.l]\nwalls = a\nmass = 1 g\ncentre = 0 0 0\ninertia = 1 1 1\n"
       "[link.m]\nwalls = a\nmass = 1 g\ncentre = 0 0 0\ninertia = 1 1 1\n"
       "[joint.j]\nchild = l\nkind = fixed\n[joint.k]\nchild = m\nkind = fixed\n",
       "is part of [link.l] already"},
  });
}

}  // namespace
}  // namespace scree::link_keys_test
