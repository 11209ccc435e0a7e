// Shapes of particles in a scene: reading, writing and errors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "io/scene/config_reader.hpp"
#include "io/scene/ini_file.hpp"
#include "tests/io/scratch.hpp"

namespace scree::clump_keys_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const std::string kScene =
    "[domain]\nlower = 0 0 0 cm\nupper = 3 3 3 cm\n[time]\nstep = 10 us\nend = 1 ms\n"
    "[fill]\nlower = 0 0 0 cm\nupper = 3 3 3 cm\nspacing = 5 mm\n";
const std::string kRod = "[shape.rod]\nspheres = -1 0 0 1, 0 0 0 1, 1 0 0 1 mm\n";
const std::string kBall = "[shape.ball]\nspheres = 1 2 3 1.5 mm\n";

RunConfig Config(const std::string& keys) { return ReadRunConfig(kScene + keys, "scene.ini", {}); }
std::string ErrorMessage(const std::string& keys) {
  return MessageOf<InputError>([&] { Config(keys); });
}

TEST(ClumpKeys, ShapeInAFillHasItsDescribedSize) {
  const RunConfig config = Config("shape = rod\n" + kRod);
  ASSERT_EQ(config.scene.clumps.size(), 1u);
  EXPECT_NEAR(config.scene.clumps[0].bounding_radius, 2e-3, 1e-15);
  ASSERT_EQ(config.scene.fills[0].grain.shapes.size(), 1u);
  EXPECT_EQ(config.scene.fills[0].grain.shapes[0].shape, 1);
  EXPECT_NEAR(config.scene.fills[0].grain.sizes.largest, 2e-3, 1e-15);
  EXPECT_EQ(config.step.solver.kernel, Kernel::kCoulomb);
}

// The files of a run store default values, so that later defaults do not change the run.
TEST(ClumpKeys, KernelOfARunIsKeptInItsConfiguration) {
  for (const auto& [solver_text, kernel] :
       {std::pair{"", "coulomb"},
        {"[solver]\nkernel = coulomb\n", "coulomb"},
        {"[solver]\nkernel = max_dissipation\n", "max_dissipation"}}) {
    const std::string text = EffectiveIni(Config("shape = rod\n" + kRod + solver_text));
    EXPECT_THAT(text, HasSubstr(std::string("\nkernel = ") + kernel + "\n"));
    EXPECT_EQ(EffectiveIni(ReadRunConfig(text, "config.ini", {})), text);
  }
}

TEST(ClumpKeys, RadiusOfAFillScalesTheShape) {
  const RunConfig config = Config("shape = rod\nradius = 1 mm\n" + kRod);
  EXPECT_EQ(config.scene.fills[0].grain.shapes[0].radius, 0.0);
  EXPECT_EQ(config.scene.fills[0].grain.sizes.largest, 1e-3);
}

TEST(ClumpKeys, SharesAreMassFractions) {
  // Balls of radius 1.5 mm and lighter rods of the same total mass, which are more numerous.
  const RunConfig config = Config("shape = rod 0.5, ball 0.5\n" + kRod + kBall);
  const auto& shapes = config.scene.fills[0].grain.shapes;
  const double rod = config.scene.clumps[0].Mass(1.0, 2e-3);
  const double ball = config.scene.clumps[1].Mass(1.0, 1.5e-3);
  EXPECT_NEAR(shapes[0].cumulative_fraction, ball / (rod + ball), 1e-12);
  EXPECT_EQ(shapes[1].cumulative_fraction, 1.0);
}

TEST(ClumpKeys, ShapeOfOneSphereIsASphere) {
  const RunConfig config = Config("shape = ball\n" + kBall);
  EXPECT_FALSE(config.scene.HasClumps());
  EXPECT_EQ(config.step.solver.kernel, Kernel::kSphere);
}

TEST(ClumpKeys, EffectiveSceneWithClumpsReadsBack) {
  const RunConfig config =
      Config("shape = rod 0.3, ball 0.7\n" + kRod + "apart = yes\nmass = 3 mg\n" + kBall);
  const RunConfig read_back = ReadRunConfig(EffectiveIni(config), "effective.ini", {});
  EXPECT_EQ(EffectiveIni(read_back), EffectiveIni(config));
  EXPECT_EQ(read_back.scene.clumps[0].bounding_radius, config.scene.clumps[0].bounding_radius);
  EXPECT_EQ(read_back.scene.clumps[0].scaled_moments, config.scene.clumps[0].scaled_moments);
  EXPECT_EQ(read_back.scene.fills[0].grain.shapes[0].cumulative_fraction,
            config.scene.fills[0].grain.shapes[0].cumulative_fraction);
}

const std::string kCube = "[shape.cube]\nsolid = box\nsize = 2 mm\n";

TEST(ClumpKeys, SolidsAreGivenByNameOrVertices) {
  const RunConfig config =
      Config("shape = cube 0.5, tablet 0.2, stone 0.3\n" + kCube +
             "[shape.tablet]\nsolid = cylinder\nsize = 3 1 mm\nsides = 12\nrounding = 0.1 mm\n"
             "[shape.stone]\nvertices = 0 0 0 2 0 0 0 2 0 0 0 2 mm\nmass = 3 mg\n");
  ASSERT_EQ(config.scene.clumps.size(), 3u);
  EXPECT_TRUE(config.scene.HasClumps());
  const ClumpShape &cube = config.scene.clumps[0], &tablet = config.scene.clumps[1];
  EXPECT_EQ(cube.solids[0].core.faces.size(), 6u);
  EXPECT_NEAR(cube.smallest_member * cube.bounding_radius, 5e-5, 1e-15);
  EXPECT_NEAR(cube.Mass(1.0, cube.bounding_radius), 8e-9, 8e-11);
  EXPECT_EQ(tablet.solids[0].core.faces.size(), 14u);
  EXPECT_NEAR(tablet.smallest_member * tablet.bounding_radius, 1e-4, 1e-15);
  EXPECT_EQ(config.scene.clumps[2].solids[0].core.vertices.size(), 4u);
  const RunConfig read_back = ReadRunConfig(EffectiveIni(config), "effective.ini", {});
  EXPECT_EQ(EffectiveIni(read_back), EffectiveIni(config));
  EXPECT_EQ(read_back.scene.clumps[1].scaled_moments, tablet.scaled_moments);
}

TEST(ClumpKeys, PartsFormOneBody) {
  // An L of two boxes, and a ball at the end of its foot.
  const RunConfig config = Config(
      "radius = 1 mm\nshape = ell\n[shape.ell]\nspheres = 4 1 1 1 mm\nmass = 2 g\n"
      "[shape.ell.foot]\nsolid = box\nsize = 4 2 2 mm\nposition = 2 1 1 mm\n"
      "[shape.ell.leg]\nsolid = box\nsize = 4 2 2 mm\nturn = 0 90 0 deg\nposition = 1 1 4 mm\n");
  ASSERT_EQ(config.scene.clumps.size(), 1u);
  const ClumpShape& ell = config.scene.clumps[0];
  ASSERT_EQ(ell.solids.size(), 2u);
  EXPECT_EQ(ell.members.size(), 17u);
  EXPECT_EQ(ell.FirstSphere(), 16u);
  // Features are numbered: first all balls, then edges and faces of one solid after the other.
  EXPECT_EQ(ell.solids[1].FeatureOf(0), 8);
  EXPECT_EQ(ell.solids[0].FeatureOf(8), 17);
  EXPECT_EQ(ell.solids[1].FeatureOf(8), 17 + 12 + 6);
  const double r = ell.bounding_radius;
  EXPECT_NEAR(ell.volume * r * r * r, 32e-9 + 2.0 / 3.0 * M_PI * 1e-9, 3e-10);
  const RunConfig read_back = ReadRunConfig(EffectiveIni(config), "effective.ini", {});
  EXPECT_EQ(EffectiveIni(read_back), EffectiveIni(config));
  EXPECT_EQ(read_back.scene.clumps[0].scaled_moments, ell.scaled_moments);
}

TEST(ClumpKeys, UnitAndScaleApplyToTheVerticesOfASolid) {
  const RunConfig config = Config(
      "shape = a\n[shape.a]\nvertices = 0 0 0 1 0 0 0 1 0 0 0 1 m\nunit = 1 mm\nscale = 1 2 3\n");
  const double r = config.scene.clumps[0].bounding_radius;
  EXPECT_NEAR(config.scene.clumps[0].volume * r * r * r, 1e-9, 2e-11);
  EXPECT_EQ(EffectiveIni(ReadRunConfig(EffectiveIni(config), "effective.ini", {})),
            EffectiveIni(config));
}

TEST(ClumpKeys, ImpossibleSolidsAreErrors) {
  const auto error_of = [](const std::string& keys) {
    return ErrorMessage("radius = 1 mm\n[shape.a]\n" + keys + "\n");
  };
  EXPECT_THAT(error_of("mass = 1 g"), HasSubstr("expected spheres, vertices or a solid"));
  EXPECT_THAT(error_of("solid = cube\nsize = 1 mm"), HasSubstr("is the solid \"cube\""));
  EXPECT_THAT(error_of("solid = box\nsize = 1 mm\nrounding = 1 mm"), HasSubstr("largest ball"));
  EXPECT_THAT(error_of("solid = box"), HasSubstr("is a box with 0 sizes"));
  EXPECT_THAT(error_of("vertices = 0 0 0 1 mm"), HasSubstr("has 4 numbers; expected x y z"));
  EXPECT_THAT(error_of("vertices = 0 0 0 1 0 0 0 1 0 1 1 0 mm"), HasSubstr("lie in a plane"));
  EXPECT_THAT(error_of("solid = box\nsize = 1 mm\nspheres = 0 0 0 1 mm"),
              HasSubstr("more than one of"));
  EXPECT_THAT(error_of("vertices = 0 0 0 1 0 0 0 1 0 0 0 1 mm\nscale = 1 0 1"),
              HasSubstr("factors > 0"));
  const std::string box = "solid = box\nsize = 1 mm\n";
  EXPECT_THAT(error_of(box + "[shape.a.leg]\nmass = 1 g\n" + box), HasSubstr("[shape.a.leg] mass"));
  EXPECT_THAT(error_of(box + "[shape.a.leg]\nposition = 1 0 0 mm"),
              HasSubstr("[shape.a.leg]: is missing; expected spheres"));
  EXPECT_THAT(error_of(box + "[shape.a.leg]\nposition = 2 0 0 mm\n" + box),
              HasSubstr("not in one piece: the solid of part leg is apart from the solid"));
  EXPECT_THAT(error_of(box + "[shape.a.leg]\nrounding = 1 mm\n" + box),
              HasSubstr("has the part leg, which has the rounding 0.001 m"));
}

TEST(ClumpKeys, CoordinatesOfSpheresMayHaveUnits) {
  const RunConfig all = Config("radius = 1 mm\n[shape.a]\nspheres = 0 0 0 1, 1 0 0 1 mm\n");
  const RunConfig spheres =
      Config("radius = 1 mm\n[shape.a]\nspheres = 0 0 0 0.1 cm, 1000 0 0 1000 um\n");
  const RunConfig si = Config("radius = 1 mm\n[shape.a]\nspheres = 0 0 0 1e-3, 1e-3 0 0 1e-3\n");
  EXPECT_EQ(EffectiveIni(all), EffectiveIni(spheres));
  EXPECT_EQ(EffectiveIni(all), EffectiveIni(si));
}

TEST(ClumpKeys, ImpossibleClumpsAreErrors) {
  EXPECT_THAT(ErrorMessage("shape = rod\n"), HasSubstr("there is no [shape.rod]"));
  EXPECT_THAT(ErrorMessage("shape = rode\n" + kRod), HasSubstr("did you mean \"rod\""));
  EXPECT_THAT(ErrorMessage("shape = rod, ball\n" + kRod + kBall), HasSubstr("with shares"));
  EXPECT_THAT(ErrorMessage("shape = rod -1\n" + kRod), HasSubstr("shares above 0"));
  EXPECT_THAT(ErrorMessage("radius = 1 mm\n[shape.a]\nspheres = 0 0 1 mm\n"),
              AllOf(HasSubstr("scene.ini:13: [shape.a] spheres"),
                    HasSubstr("sphere 1: expected 4 numbers")));
  EXPECT_THAT(ErrorMessage("radius = 1 mm\n[shape.a]\nspheres = 0 0 0 1, 3 0 0 1 mm\n"),
              HasSubstr("is not in one piece: sphere 2 is apart"));
  EXPECT_THAT(ErrorMessage("radius = 1 mm\n[shape.a]\nspheres = 0 0 0 -1 mm\n"),
              HasSubstr("radius -0.001 m in sphere 1"));
  EXPECT_THAT(ErrorMessage("radius = 1 mm\n[shape.a]\nspheres = 0 0 0 1 kg\n"),
              HasSubstr("sphere 1"));
  EXPECT_THAT(ErrorMessage("radius = 1 mm\n[shape.a]\nspheres = 0 0 0 1 mm\nmass = 1 g\n"
                           "inertia = 1 1 3 kg m^2\n"),
              HasSubstr("which no body has"));
  // An inertia above m r^2, or so small that rounding would remove 1/m from the inverse mass of a
  // contact, 1/m + r^2/I.
  for (const char* const inertia :
       {"1 1 1 kg m^2", "1e-3 1e-3 1e-3 kg m^2", "1e-25 1e-25 1e-25 kg m^2"}) {
    EXPECT_THAT(ErrorMessage("radius = 1 mm\n[shape.a]\nspheres = 0 0 0 1 mm\nmass = 1 g\n" +
                             Text("inertia = ", inertia, "\n")),
                HasSubstr("kg m^2; expected 1e-21 to 1e-09 kg m^2"));
  }
  EXPECT_THAT(ErrorMessage("radius = 1 mm\n[shape.sphere]\nspheres = 0 0 0 1 mm\n"),
              HasSubstr("expected another name"));
  EXPECT_THAT(ErrorMessage("shape = rod\n" + kRod + "[solver]\nkernel = sphere\n"),
              HasSubstr("expected coulomb or max_dissipation"));
}

TEST(ShapeFiles, ChangedValuesMayNameTables) {
  const Communicator world = Communicator::World();
  const Scratch scratch(world);
  std::ofstream(scratch / "rod.csv") << "# unit mm\nx,y,z,r\n-1,0,0,1\n0,0,0,1\n1, 0, 0, 1\n";
  std::ofstream(scratch / "lid.csv") << "time_s,z_mm\n0,0\n1,2\n";
  const auto read_shape = [&](const std::vector<IniEntry>& changes) {
    return ReadRunConfig(kScene +
                             "shape = rod\n[shape.rod]\nmass = 1 g\n[wall.lid]\nshape = plane\n"
                             "point = 0 0 1 cm\nnormal = 0 0 -1\n",
                         scratch / "scene.ini", changes, ParticlesFrom::kScene, {world});
  };
  const IniEntry rod = {"shape.rod", "file", "rod.csv", "--shape.rod.file"};
  const RunConfig config =
      read_shape({rod, {"wall.lid", "motion", "lid.csv", "--wall.lid.motion"}});
  EXPECT_EQ(config.scene.clumps[0].members.size(), 3u);
  EXPECT_EQ(config.scene.walls[0].table.Values(MotionTable::kZ), (std::vector<double>{0.0, 0.002}));
  EXPECT_THAT(MessageOf<FileError>([&] {
                read_shape({{"shape.rod", "file", "none.csv", "--shape.rod.file"}});
              }),
              HasSubstr("--shape.rod.file: "));
}

TEST(ShapeFiles, ErrorsQuoteTheHeaderAndTheExpectedHeader) {
  const Communicator world = Communicator::World();
  const Scratch scratch(world);
  for (const char* const header : {"x,y,z", "x,y,z,mass", "a;b", "x,y,z,radius,vx"}) {
    std::ofstream(scratch / "rod.csv") << header << "\n0,0,0,1\n";
    const std::string message = MessageOf<FileError>([&] {
      ReadRunConfig(kScene + "[shape.rod]\nfile = rod.csv\n", scratch / "scene.ini", {},
                    ParticlesFrom::kScene, {world});
    });
    EXPECT_THAT(message, HasSubstr(std::string("has the columns '") + header));
    EXPECT_THAT(message, HasSubstr("expected x,y,z,radius"));
  }
}

TEST(ShapeFiles, TablesBecomePartOfTheScene) {
  const Scratch scratch(Communicator::World());
  const std::string scene = scratch / "scene.ini", table = scratch / "rod.csv";
  std::ofstream(table) << "# a rod\n# unit mm\nx,y,z,r\n-1,0,0,1\n0,0,0,1\n1, 0, 0, 1\n";
  std::ofstream(scene) << kScene << "shape = rod\n[shape.rod]\nfile = rod.csv  # beside it\n";
  const auto read_scene = [&] { return ReadRunConfig(ReadSceneFile(scene), scene, {}); };
  EXPECT_EQ(EffectiveIni(read_scene()), EffectiveIni(Config("shape = rod\n" + kRod)));
  for (const char* const equivalent :
       {"# unit mm\nx,y,z,radius\n-1,0,0,1\n0,0,0,1\n1,0,0,1\n",
        "x;y;z;r\n-1e-3;0;0;1e-3\n0;0;0;1e-3\n1e-3;0;0;1e-3\n",
        "x_mm,y,z_um,radius_cm\r-1,0,0,0.1\r0,0,0,0.1\r1,0,0,0.1\r"}) {
    std::ofstream(table) << equivalent;
    EXPECT_EQ(EffectiveIni(read_scene()), EffectiveIni(Config("shape = rod\n" + kRod)))
        << equivalent;
  }
  std::ofstream(table) << "x_kg,y,z,r\n1,2,3,4\n";
  EXPECT_THAT(MessageOf<FileError>([&] { read_scene(); }),
              HasSubstr("'1' of the column x is a mass [kg], expected a length [m]"));
  std::ofstream(table) << "x;y;z;r\n0,5;0;0;1\n";
  EXPECT_THAT(MessageOf<FileError>([&] { read_scene(); }), HasSubstr("'0,5' of the column x"));
  std::ofstream(table) << "x,y,z\n";
  EXPECT_THAT(MessageOf<FileError>([&] { read_scene(); }),
              HasSubstr("line 1: the header has the columns 'x,y,z'; expected x,y,z,radius"));
  std::ofstream(table) << "x,y,z,size\n";
  EXPECT_THAT(MessageOf<FileError>([&] { read_scene(); }),
              HasSubstr("expected x,y,z,radius, each with or without a unit as x_mm"));
  std::ofstream(table) << "x,y,z,r\n1,2,3\n";
  EXPECT_THAT(MessageOf<FileError>([&] { read_scene(); }), HasSubstr("line 2: found 3 columns"));
  std::ofstream(table) << "x,y,z,r\n";
  EXPECT_THAT(MessageOf<FileError>([&] { read_scene(); }), HasSubstr("no spheres"));
}

TEST(ShapeFiles, FileAndItsValueAreOneKey) {
  const Scratch scratch(Communicator::Self());
  std::ofstream(scratch / "rod.csv") << "x,y,z,r\n0,0,0,1\n";
  const std::string scene =
      kScene + "shape = rod\n[shape.rod]\nspheres = 0 0 0 1 mm\nfile = rod.csv\n";
  EXPECT_THAT(MessageOf<InputError>([&] { ReadRunConfig(scene, scratch / "scene.ini", {}); }),
              HasSubstr("[shape.rod] file: gives the key \"spheres\", as "));
}

}  // namespace
}  // namespace scree::clump_keys_test
