// Restitution and slip-dependent friction of a section, and their errors. Whole scenes are in
// config_reader_test.
#include <gtest/gtest.h>

#include "io/scene/key_groups.hpp"
#include "solvers/base/check.hpp"
#include "tests/io/scratch.hpp"

namespace scree::material_keys_test {
namespace {

struct ParsedContact {
  PairRestitution value;
  std::string error;
};

ParsedContact ReadContact(const std::string& keys) {
  ErrorList errors;
  const IniFile file = ScanIni("[contact]\n" + keys, "s", errors);
  const Settings settings(file, {}, errors);
  RunConfig run;
  MaterialKeys().read(settings, errors, run);
  ParsedContact result{run.scene.materials.Restitution(0, 0), ""};
  result.error = RefusalOf<InputError>([&] { errors.ThrowIfAny(); });
  return result;
}

MaterialTable ReadMaterials(const std::string& keys) {
  ErrorList errors;
  const IniFile file = ScanIni(keys, "s", errors);
  const Settings settings(file, {}, errors);
  RunConfig run;
  MaterialKeys().read(settings, errors, run);
  errors.ThrowIfAny();
  return run.scene.materials;
}

TEST(FrictionKeys, FrictionIsConstantWithoutAKineticValue) {
  const MaterialTable table = ReadMaterials("[contact]\nfriction = 0.7\n");
  EXPECT_EQ(table.Friction(0, 0), 0.7);
  EXPECT_FALSE(table.Slip(0, 0).IsActive());
}

TEST(FrictionKeys, PairTakesMissingKeysFromContact) {
  const MaterialTable table = ReadMaterials(
      "[contact]\nfriction = 0.7\nkinetic_friction = 0.3\nfriction_speed = 5 cm/s\n"
      "[material.a]\n[material.b]\n[material.c]\n"
      "[pair.a.b]\nkinetic_friction = 0.2\n[pair.a.c]\nkinetic_friction = auto\n"
      "[pair.b.c]\nfriction = 0.1\nfriction_speed = 1 m/s\n");
  const PairSlip common{.kinetic = 0.3, .speed = 0.05};
  EXPECT_EQ(table.Slip(0, 0), common);
  EXPECT_EQ(table.Slip(0, 1), (PairSlip{.kinetic = 0.2, .speed = 0.05}));
  EXPECT_FALSE(table.Slip(0, 2).IsActive());
  EXPECT_EQ(table.Slip(1, 2), (PairSlip{.kinetic = 0.3, .speed = 1.0}));
  EXPECT_EQ(table.Friction(1, 2), 0.1);
}

TEST(FrictionKeys, ChangeOfAPairMayNameItInEitherOrder) {
  ErrorList errors;
  const IniFile file =
      ScanIni("[material.a]\n[material.b]\n[pair.a.b]\nfriction = 0.2\n", "s", errors);
  Settings settings(file, {}, errors);
  settings.Change({{"pair.b.a", "friction", "0.3", "--pair.b.a.friction"}}, errors);
  RunConfig run;
  MaterialKeys().read(settings, errors, run);
  errors.ThrowIfAny();
  EXPECT_EQ(run.scene.materials.Friction(0, 1), 0.3);
}

TEST(RestitutionKeys, RestitutionIsZeroWithoutTheKey) {
  EXPECT_EQ(ReadContact("friction = 0.1\n").value, PairRestitution());
  EXPECT_EQ(ReadContact("friction = 0.1\n").error, "");
}

TEST(RestitutionKeys, NumberIsAConstantRestitution) {
  for (const auto& [text, value] :
       {std::pair("0", 0.0), {"1", 1.0}, {"1e-3", 1e-3}, {"90 %", 0.9}}) {
    const ParsedContact parsed = ReadContact(std::string("restitution = ") + text + "\n");
    EXPECT_EQ(parsed.value, PairRestitution{.constant = value}) << text;
    EXPECT_EQ(parsed.error, "");
  }
}

/// The text is parsed once, so a number stays a number.
TEST(RestitutionKeys, NumberIsNotAName) {
  const KeySpec& spec = *FindKey("contact", "restitution");
  EXPECT_EQ(ReadValue(spec, "90 %"), KeyValue(0.9));
  EXPECT_EQ(ReadValue(spec, "linear"), KeyValue(std::string("linear")));
}

TEST(RestitutionKeys, EveryLawOfTheKeyIsKnown) {
  for (const std::string law : {"kuwabara-kono", "hunt-crossley", "hertz-linear", "linear"}) {
    const ParsedContact parsed =
        ReadContact("restitution = " + law + "\nstiffness = 3e7\ndissipation = 2e-6\nload = yes\n");
    EXPECT_EQ(parsed.error, "");
    EXPECT_EQ(parsed.value, (PairRestitution{0.0, law, 3e7, 2e-6, true}));
  }
}

TEST(RestitutionKeys, HertzMayTakeItsStiffnessFromTheMaterials) {
  EXPECT_EQ(ReadContact("restitution = kuwabara-kono\ndissipation = 1e-6\n").error, "");
  EXPECT_NE(ReadContact("restitution = linear\ndissipation = 1e-6\n").error.find("\"stiffness\""),
            std::string::npos);
}

TEST(MaterialKeys, EachBadValueIsOneError) {
  for (const char* keys :
       {"restitution = 2\nload = yes\n", "restitution = inf\n", "restitution = 0.5 m\n",
        "restitution = linear\ndissipation = -1\nstiffness = 1\n",
        "restitution = linear\nstiffnes = 1\ndissipation = 1\n", "kinetic_friction = 0.2\n",
        "friction_speed = 1 m/s\n", "kinetic_friction = -0.2\nfriction_speed = 1 m/s\n",
        "kinetic_friction = 0.2\nfriction_speed = 0 m/s\n",
        "kinetic_friction = 0.2\nfriction_speed = 1 s\n",
        "kinetic_friction = auto\nfriction_speed = 1 m/s\n",
        "kinetic_friction = 0.2\nfriction_sped = 1 m/s\n"}) {
    const std::string error = ReadContact(keys).error;
    EXPECT_NE(error, "") << keys;
    EXPECT_EQ(error.find('\n'), std::string::npos) << error;
  }
}

}  // namespace
}  // namespace scree::material_keys_test
