// The restitution of a section, and what is refused. Whole scenes are in config_reader_test.
#include <gtest/gtest.h>

#include "io/configuration/key_groups.hpp"
#include "solvers/base/check.hpp"
#include "tests/io/scratch.hpp"

namespace scree::material_keys_test {
namespace {

struct Read {
  PairRestitution value;
  std::string error;
};

Read ReadContact(const std::string& keys) {
  ErrorList errors;
  const IniFile file = ScanIni("[contact]\n" + keys, "s", errors);
  const Settings settings(file, {}, errors);
  RunConfig run;
  MaterialKeys().read(settings, errors, run);
  Read read{run.scene.materials.Restitution(0, 0), ""};
  read.error = RefusalOf<InputError>([&] { errors.ThrowIfAny(); });
  return read;
}

TEST(RestitutionKeys, WithoutAnyNothingRebounds) {
  EXPECT_EQ(ReadContact("friction = 0.1\n").value, PairRestitution());
  EXPECT_EQ(ReadContact("friction = 0.1\n").error, "");
}

TEST(RestitutionKeys, ANumberIsAConstant) {
  for (const auto& [text, value] :
       {std::pair("0", 0.0), {"1", 1.0}, {"1e-3", 1e-3}, {"90 %", 0.9}}) {
    const Read read = ReadContact(std::string("restitution = ") + text + "\n");
    EXPECT_EQ(read.value, PairRestitution{.constant = value}) << text;
    EXPECT_EQ(read.error, "");
  }
}

TEST(RestitutionKeys, EveryLawOfTheKeyIsKnown) {
  for (const std::string law : {"kuwabara-kono", "hunt-crossley", "hertz-linear", "linear"}) {
    const Read read =
        ReadContact("restitution = " + law + "\nstiffness = 3e7\ndissipation = 2e-6\nload = yes\n");
    EXPECT_EQ(read.error, "");
    EXPECT_EQ(read.value, (PairRestitution{0.0, law, 3e7, 2e-6, true}));
  }
}

TEST(RestitutionKeys, HertzMayTakeItsStiffnessFromTheMaterials) {
  EXPECT_EQ(ReadContact("restitution = kuwabara-kono\ndissipation = 1e-6\n").error, "");
  EXPECT_NE(ReadContact("restitution = linear\ndissipation = 1e-6\n").error.find("\"stiffness\""),
            std::string::npos);
}

TEST(RestitutionKeys, ABadValueIsOneError) {
  for (const char* keys :
       {"restitution = 2\nload = yes\n", "restitution = inf\n", "restitution = 0.5 m\n",
        "restitution = linear\ndissipation = -1\nstiffness = 1\n",
        "restitution = linear\nstiffnes = 1\ndissipation = 1\n"}) {
    const std::string error = ReadContact(keys).error;
    EXPECT_NE(error, "") << keys;
    EXPECT_EQ(error.find('\n'), std::string::npos) << error;
  }
}

}  // namespace
}  // namespace scree::material_keys_test
