// From scene text to configuration: bad scenes, collected errors, overrides, the effective text.
#include "io/configuration/config_reader.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "io/configuration/config_keys.hpp"
#include "io/files/text_file.hpp"
#include "solvers/base/check.hpp"
#include "tests/io/scratch.hpp"

namespace scree::config_reader_test {
namespace {

const std::string kScenes = SCREE_SOURCE_DIR "/apps/scenes/";
const std::string kGood = SCREE_TEST_DATA "/good_scene.ini";

std::string ErrorOf(const std::string& text, const std::vector<IniEntry>& overrides = {}) {
  return RefusalOf<InputError>([&] { ReadRunConfig(text, "scene.ini", overrides); });
}

std::vector<std::string> LinesOf(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

bool Holds(const std::string& text, const std::string& part) {
  return text.find(part) != text.npos;
}

struct BadScene {
  const char* name;
  std::vector<std::string> fragments;
};

const std::vector<BadScene> kBadScenes = {
    {"key_typo", {":18:", "unknown key", "did you mean \"spacing\""}},
    {"section_typo", {":26:", "unknown section [outflw]", "did you mean \"outflow\""}},
    {"wrong_dimension", {":5: [time] end", "\"1 kg\"", "a mass [kg]", "a time [s]"}},
    {"unknown_unit", {":5:", "\"fortnight\" is no unit"}},
    {"subnormal_radius", {":19: [fill] radius", "1e-09 to 1000000 m"}},
    {"negative_radius", {":19: [fill] radius", "expected > 0"}},
    {"zero_step", {":6: [time] step", "expected > 0"}},
    {"negative_end", {":5: [time] end", "out of range"}},
    {"fraction_of_step", {":5: [time] end", "whole number of steps"}},
    {"unparsable_number", {":19:", "expected a number, a length"}},
    {"nan", {":19:", "\"nan\"", "expected a number"}},
    {"infinite", {":19:", "\"inf\""}},
    {"overflow", {":5:", "does not fit into a double"}},
    {"two_of_three", {":3:", "expected 3 numbers"}},
    {"upside_down", {":3: [domain] upper", "along y"}},
    {"missing_end", {":4: [time]", "lacks the key \"end\""}},
    {"missing_domain", {"lacks the section [domain]"}},
    {"duplicate_section", {":28:", "section [time] was already given at"}},
    {"duplicate_key", {":6:", "[time] end was already given"}},
    {"overlapping_fill", {":18: [fill] spacing", "less than the diameter"}},
    {"sizes_typo", {":18: [fill] sizes", "did you mean \"lognormal\""}},
    {"places_typo", {":17: [fill] places", "did you mean \"random\""}},
    {"sizes_median", {":19: [fill] radius", "a median between smallest_radius, 0.0003 m"}},
    {"sieves_falling", {":19: [fill] passing", "from 0 to 1"}},
    {"sizes_backwards", {":19: [fill] largest_radius", "more than smallest_radius, 0.0004 m"}},
    {"sizes_idle_key", {":19: [fill] radius: does not belong to sizes = uniform"}},
    {"sizes_idle_spread", {":19: [fill] spread: does not belong to sizes = one"}},
    {"sizes_lacking", {":14: [fill]: lacks the key \"spread\""}},
    {"sieves_shares", {":19: [fill] passing", "2 shares for 3 sieves"}},
    {"sieves_backwards", {":20: [fill] sieves: do not grow"}},
    {"sieves_open", {":19: [fill] passing", "from 0 to 1"}},
    {"random_tight", {":16: [fill] upper", "leaves 0.0009 m along z"}},
    {"random_spacing", {":18: [fill] spacing: does not belong to places = random"}},
    {"random_dense", {":18: [fill] solid_fraction", "at most 0.3"}},
    {"random_lacking", {":14: [fill]: lacks the key \"solid_fraction\""}},
    {"radius_and_diameter", {":19:", "both radius and diameter"}},
    {"zero_normal", {":9:", "zero vector"}},
    {"unknown_piston", {":21:", "there is no [wall.pistn]", "did you mean \"piston\""}},
    {"resting_piston", {":14: [wall.piston] velocity", "along its normal"}},
    {"fast_piston", {":14:", "than a diameter"}},
    {"swallowed_inflow", {"[inflow] lower", "overlap [wall.block]"}},
    {"unknown_material", {":20:", "there is no [material.steel]"}},
    {"fill_outside", {":16: [fill] lower", "outside the domain"}},
    {"no_particles", {"no particles"}},
    {"periodic_outflow", {":28: [outflow] faces", "periodic"}},
    {"shear_open_gradient", {":5: [domain] shear_rate", "x by z, but z is not periodic"}},
    {"shear_open_flow", {":5: [domain] shear_rate", "x by z, but x is not periodic"}},
    {"shear_rate_a_speed", {":5: [domain] shear_rate", "a speed [m/s]", "a frequency [1/s]"}},
    {"shear_infinite", {":5: [domain] shear_rate", "\"inf\""}},
    {"shear_one_axis", {":6: [domain] shear_gradient", "the axis of shear_flow"}},
    {"shear_axis_typo", {":6: [domain] shear_flow", "\"xy\"", "x | y | z"}},
    {"shear_idle_axis", {":5: [domain] shear_flow", "no effect without a shear_rate"}},
    {"shear_with_weight", {"[scene]", "-9.81 m/s^2", "gravity = 0 0 0"}},
    {"shear_with_wall", {":15: [wall.floor]", "no wall can stand", "shear_rate"}},
    {"shear_with_rain", {":17: [inflow.feed]", "nothing can flow in", "shear_rate"}},
    {"shear_with_outflow", {":16: [outflow] faces", "nothing can flow out", "shear_rate"}},
    {"error_reduction", {":29: [solver] error_reduction", "0 to 1"}},
    {"remembered_pushes", {":29: [solver] position_sweeps", "warm_start = no"}},
    {"one_remembered_sweep", {":29: [solver] sweeps", "at least 2", "warm_start = no"}},
    {"more_position_sweeps", {":29: [solver] position_sweeps", "11", "sweeps = 10"}},
    {"momentum_too_large", {":29: [solver] momentum", "0 to 0.9"}},
    {"idle_slop", {":31: [solver] slop", "no effect", "position_sweeps"}},
    {"no_sweeps", {":29: [solver] sweeps", "expected"}},
    {"retired_sharing", {":29: [solver] sharing", "mass_splitting", "remove the key"}},
    {"retired_order", {":30: [solver] order", "symmetric", "remove the key"}},
    {"idle_margin", {":29: [solver] contact_margin", "no effect", "speculative = yes"}},
    {"idle_threshold", {":29: [solver] contact_threshold", "no effect", "speculative = no"}},
    {"zero_tolerance", {":29: [solver] tolerance", "expected"}},
    {"unknown_scheme", {":29: [solver] scheme", "gauss_seidel | jacobi"}},
    {"unknown_kernel", {":29: [solver] kernel", "sphere | max_dissipation | coulomb"}},
    {"restitution_above_one", {":29: [contact] restitution", "\"1.2\"", "0 to 1"}},
    {"restitution_negative", {":29: [contact] restitution", "\"-0.1\"", "0 to 1"}},
    {"restitution_nan", {":29: [contact] restitution", "\"nan\"", "0 to 1 | kuwabara-kono"}},
    {"unknown_law",
     {":29: [contact] restitution", "\"kuwabara_kono\"", "did you mean \"kuwabara-kono\""}},
    {"negative_dissipation", {":30: [contact] dissipation", "\"-1e-6\"", ">= 0"}},
    {"nan_dissipation", {":30: [contact] dissipation", "\"nan\"", "expected a number"}},
    {"zero_stiffness", {":31: [contact] stiffness", "expected > 0"}},
    {"lacking_dissipation", {":29: [contact] restitution", "lacks the key \"dissipation\""}},
    {"lacking_stiffness", {":29: [contact] restitution", "lacks the key \"stiffness\""}},
    {"lacking_young", {":31: [material.grain]", "lacks the key \"young\"", "pair grain.grain"}},
    {"poisson", {":33: [material.grain] poisson", "above -1, to 0.5"}},
    {"idle_dissipation", {":30: [contact] dissipation", "no effect with restitution = 0.5"}},
    {"pair_of_unknown", {":28: [pair.grain.steel]", "there is no [material.steel]"}},
    {"pair_of_nothing", {":31: [pair.grain.grain]", "\"cohesion_range\" or \"restitution\""}},
    {"pair_without_law", {":33: [pair.grain.grain] load", "no restitution in this section"}},
    {"rolling_negative", {":29: [contact] rolling_friction", "\"-0.1\"", ">= 0"}},
    {"rolling_nan", {":29: [contact] rolling_friction", "\"nan\"", "expected a number"}},
    {"spinning_infinite", {":29: [contact] spinning_friction", "\"inf\"", "expected a number"}},
    {"pair_rolling_negative", {":29: [pair.grain.grain] spinning_friction", "\"-1\"", ">= 0"}},
    {"negative_threshold", {":29: [contact] restitution_threshold", ">= 0"}},
    {"foreign_key", {":10: [wall.floor] radius", "does not belong to a plane"}},
    {"no_entry", {":27:", "neither a [section] nor"}},
    {"average_outside", {":29: [average.a] upper", "along z", "outside the domain"}},
    {"average_upside_down", {":30: [average.a] upper", "along x", "lower corner's 0.02 m"}},
    {"average_no_cells", {":29: [average.a] cells", "at least 1 each", "150x65x1"}},
    {"average_many_cells", {":29: [average.a] cells", "6000000 in all", "at most 1000000"}},
    {"average_no_every", {":28: [average.a]", "lacks the key \"every\""}},
    {"average_never", {":29: [average.a] every", "expected a time or a number of steps"}},
    {"average_interval", {":30: [average.a] interval", "10 steps", "whole multiple of every, 3"}},
    {"average_fraction", {":29: [average.a] every", "1.5 steps", "whole number of steps"}},
    {"average_backwards", {":31: [average.a] to", "expected more than from, 0.0005 s"}},
    {"average_no_normal", {":28: [average.a]", "lacks the key \"normal\""}},
    {"average_zero_normal", {":30: [average.a] normal", "zero vector"}},
    {"average_both", {":31: [average.a] cells", "does not belong to the flow through a plane"}},
    {"average_far_plane", {":29: [average.a] plane", "0.01 m outside the domain"}},
    {"average_oblique", {":31: [average.a] normal", "oblique to y", "periodic"}},
    {"average_no_name", {":28:", "not of the form [average.NAME]"}},
    {"checkpoint_fraction", {":29: [checkpoint] every", "1.5 steps", "whole number of steps"}},
    {"checkpoint_none_kept", {":30: [checkpoint] keep", ">= 1"}},
    {"checkpoint_wall", {":29: [checkpoint] every", "\"3 steps wall\"", "such as \"30 min wall\""}},
    {"snapshots_by_clock", {":29: [output] every", "\"1 min wall\"", "a time > 0"}},
    {"swinging_piston", {":14: [wall.piston] velocity", "all that may move a piston"}},
    {"removed_between_steps", {":10: [wall.floor] removed_at", "1.5 steps"}},
    {"rain_no_rate", {":9: [inflow.feed]", "lacks the key \"rate\" or \"number_rate\" [kg/s]"}},
    {"rain_two_rates", {":13: [inflow.feed] rate", "both rate and number_rate are given"}},
    {"rain_too_dense",
     {":10: [inflow.feed] number_rate", "particles due in a shower", "at most 50000000"}},
    {"rain_zero_rate", {":13: [inflow.feed] rate", "expected > 0"}},
    {"rain_rate_of_mass", {":13: [inflow.feed] rate", "a mass [kg]", "kg/s"}},
    {"rain_typo", {":10: [inflow.feed] kind", "piston | rain", "did you mean \"rain\""}},
    {"rain_ends_early", {":16: [inflow.feed] end", "expected more than start, 0.001 s"}},
    {"change_key_typo", {":16: [at \"0.5 ms\"] contact.frictoin", "did you mean \"friction\"?"}},
    {"change_wall_typo",
     {":16: [at \"0.5 ms\"] wall.flor.material", "did you mean \"wall.floor\"?"}},
    {"change_of_step",
     {":16: [at \"0.5 ms\"] time.step", "cannot change on the way", "counted in steps"}},
    {"change_of_velocity",
     {":16: [at \"0.5 ms\"] wall.floor.velocity", "cannot change on the way", "[motion.NAME]"}},
    {"change_of_output", {":16: [at \"0.5 ms\"] output.every", "a restart may change it"}},
    {"change_without_section", {":16: [at \"0.5 ms\"] friction", "expected section.key = value"}},
    {"change_bad_value", {":16: [at \"0.5 ms\"] contact.friction", "out of range, expected >= 0"}},
    {"change_negative", {":15: [at \"-1 ms\"]", "expected a time > 0"}},
    {"change_at_start", {":15: [at \"0 s\"]", "expected a time > 0"}},
    {"change_no_time", {":15: [at \"1 mm\"]"}},
    {"change_twice", {":17: [at \"500 us\"]", "put their keys together in one"}},
    {"change_no_quotes", {":15: \"[at 0.5 ms]\" needs a time in quotes"}},
    {"change_of_nothing", {":15: [at \"0.5 ms\"]", "changes nothing"}},
    {"change_unset", {":16: [at \"0.5 ms\"] contact.cohesion", "cannot be unset"}},
    {"change_to_one_sweep", {":16: [at \"0.5 ms\"] solver.sweeps", "expected at least 2"}},
    {"rain_between_steps", {":15: [inflow.feed] start", "1.5 steps", "whole number of steps"}},
    {"rain_showers_between_steps", {":15: [inflow.feed] shower_every", "1.5 steps"}},
    {"rain_outside", {":12: [inflow.feed] upper", "0.03 m along z, outside the domain"}},
    {"rain_narrow", {":12: [inflow.feed] upper", "room for the largest spheres of 0.0008 m"}},
    {"rain_with_spacing", {":15: [inflow.feed] spacing", "does not belong to kind = rain"}},
    {"rain_number_of_mass", {":15: [inflow.feed] number", "goes with number_rate"}},
    {"rain_total_of_number", {":15: [inflow.feed] total", "goes with rate"}},
    {"piston_with_rate", {":21: [inflow] rate", "does not belong to kind = piston"}},
    {"piston_of_two", {":29: [inflow.second] piston", "drives another inflow already"}},
    {"mixture_unknown", {":14: [inflow.feed] mixture", "[material.stel]", "\"steel\""}},
    {"mixture_no_share", {":14: [inflow.feed] mixture", "\"glass\" is no material with its"}},
    {"mixture_negative", {":14: [inflow.feed] mixture", "steel -0.5", "shares above 0"}},
    {"mixture_no_sizes", {":14: [inflow.feed] mixture", "[material.steel] tells no sizes"}},
    {"mixture_twice", {":14: [inflow.feed] mixture", "names glass twice"}},
    {"mixture_and_material", {":14: [inflow.feed] material", "stands beside a mixture"}},
    {"material_sizes", {":6: [material.glass]", "lacks the key \"largest_radius\""}},
    {"region_unknown", {":11: [inflow.feed] region", "expected box | cylinder | sphere"}},
    {"region_no_radius", {":9: [inflow.feed]", "lacks the key \"region_radius\""}},
    {"region_foreign_key", {":12: [inflow.feed] lower", "does not belong to region = sphere"}},
    {"region_flat", {":13: [inflow.feed] to", "expected the other end"}},
    {"region_small", {":13: [inflow.feed] region_radius", "no room for the largest spheres"}},
    {"region_outside", {":13: [inflow.feed] region_radius", "-0.002 m along x, outside"}},
    {"fill_number_and_fraction", {":19: [fill.bed]", "both solid_fraction and number"}},
    {"fill_number_zero", {":19: [fill.bed] number", "expected 1 to 50000000"}},
    {"fill_number_on_lattice", {":19: [fill.bed] number", "places = lattice"}},
    {"with_fills_alone", {":22: [initial] with_fills", "expected the key \"file\""}},
    {"empty", {"is empty"}},
};

TEST(ConfigReader, BadSceneSaysWhereAndWhatIsExpected) {
  ASSERT_GE(kBadScenes.size(), 30u);
  for (const BadScene& scene : kBadScenes) {
    const std::string path = std::string(SCREE_TEST_DATA "/bad_scenes/") + scene.name + ".ini";
    const std::string error = ErrorOf(ReadSceneFile(path));
    EXPECT_TRUE(error.starts_with("scene.ini")) << scene.name << ": " << error;
    ExpectOneError(error, scene.fragments, scene.name);
  }
}

TEST(ConfigReader, AWallBeyondAPeriodicEndIsInTheWayOfALayerToo) {
  const std::string text = ReadSceneFile(SCREE_TEST_DATA "/bad_scenes/swallowed_inflow.ini");
  const std::vector<IniEntry> beyond = {{"wall.block", "lower", "-1 2.5 0 cm", "--"},
                                        {"wall.block", "upper", "1 3 1 cm", "--"},
                                        {"domain", "periodic", "y", "--"}};
  EXPECT_EQ(ErrorOf(text, {beyond[0], beyond[1]}), "");
  EXPECT_TRUE(Holds(ErrorOf(text, beyond), "overlap [wall.block]"));
}

TEST(ConfigReader, GoodSceneIsAcceptedWithMarkAndCarriageReturns) {
  const std::string text = ReadSceneFile(kGood);
  std::string windows = "\xEF\xBB\xBF";
  for (const char c : text) windows += c == '\n' ? std::string("\r\n") : std::string(1, c);
  EXPECT_EQ(EffectiveIni(ReadRunConfig(windows, "scene.ini", {})),
            EffectiveIni(ReadRunConfig(text, "scene.ini", {})));
}

TEST(ConfigReader, BinaryFileIsOneError) {
  EXPECT_TRUE(Holds(ErrorOf(std::string("\x7f"
                                        "ELF\0\0",
                                        6)),
                    "binary file"));
}

TEST(ConfigReader, AllErrorsAreToldTogether) {
  std::string text = ReadSceneFile(kGood);
  text.replace(text.find("spacing"), 7, "spaceing");
  text.replace(text.find("1 ms"), 4, "1 kg");
  text += "nonsense\n";
  const std::string error = ErrorOf(text);
  EXPECT_TRUE(Holds(error, "scene.ini:5:")) << error;
  EXPECT_TRUE(Holds(error, "scene.ini:18:")) << error;
  EXPECT_TRUE(Holds(error, "scene.ini:28:")) << error;
}

TEST(ConfigReader, CommandLineWinsAndIsNamedInErrors) {
  const std::string text = ReadSceneFile(kGood);
  EXPECT_EQ(ReadRunConfig(text, "s", {{"time", "end", "20 ms", "--time.end"}}).time.end, 0.02);
  EXPECT_TRUE(Holds(ErrorOf(text, {{"time", "end", "20 kg", "--time.end"}}), "--time.end: "));
  EXPECT_TRUE(Holds(ErrorOf(text, {{"wall.pistn", "velocity", "1 0 0", "--wall.pistn.velocity"}}),
                    "did you mean \"wall.piston\""));
}

TEST(ConfigReader, ChannelIsThePapers) {
  const std::string text = ReadSceneFile(kScenes + "channel.ini");
  const RunConfig config = ReadRunConfig(text, "channel.ini", {});
  EXPECT_EQ(config.scene.domain.box.upper, Vec3(0.15, 0.065, 0.02));
  EXPECT_EQ(config.scene.pistons[0].grain.sizes.largest, 4.7e-4);
  EXPECT_EQ(config.scene.pistons[0].lattice.Sites()[1] * config.scene.pistons[0].lattice.Sites()[2],
            1300);
  EXPECT_EQ(config.scene.materials[0].density, 2650.0);
  EXPECT_EQ(config.step.dt, 1e-5);
  EXPECT_EQ(config.time.end, 10.0);
  EXPECT_EQ(config.scene.walls.size(), 6u);
  EXPECT_EQ(config.scene.walls.back().shape.parts.size(), 2u);
  EXPECT_TRUE(config.scene.outflow[0][1]);
}

TEST(ConfigReader, AverageOverAGrid) {
  const std::string text = ReadSceneFile(kGood) +
                           "[average.a]\nlower = 1 0 0 cm\ncells = 4 3 2\nfrom = 0.2 ms\n"
                           "to = 0.8 ms\nevery = 50 us\n"
                           "[average.b]\nevery = 7 steps\n";
  const RunConfig config = ReadRunConfig(text, "s", {});
  ASSERT_EQ(config.averages.size(), 2u);
  const auto& a = std::get<FieldGrid>(config.averages[0].of);
  EXPECT_EQ(config.averages[0].name, "a");
  EXPECT_EQ(a.region.lower, Vec3(0.01, 0, 0));
  EXPECT_EQ(a.region.upper, config.scene.domain.box.upper);
  EXPECT_EQ(a.cells, (std::array<int, 3>{4, 3, 2}));
  EXPECT_EQ(config.averages[0].from, 2e-4);
  EXPECT_EQ(config.averages[0].to, 8e-4);
  EXPECT_EQ(config.averages[0].every.time, 5e-5);
  const auto& b = std::get<FieldGrid>(config.averages[1].of);
  EXPECT_EQ(b.region.lower, config.scene.domain.box.lower);
  EXPECT_EQ(b.cells, (std::array<int, 3>{1, 1, 1}));
  EXPECT_EQ(config.averages[1].every.steps, 7);
  EXPECT_FALSE(config.averages[1].to);
  const RunConfig again = ReadRunConfig(EffectiveIni(config), "effective", {});
  EXPECT_EQ(EffectiveIni(again), EffectiveIni(config));
  EXPECT_EQ(std::get<FieldGrid>(again.averages.at(0).of).cells, a.cells);
}

TEST(ConfigReader, AverageOfTheFlowThroughAPlane) {
  const std::string text =
      ReadSceneFile(kGood) + "[average.out]\nplane = 2.5 0 0 cm\nnormal = 3 0 4\n";
  const RunConfig config = ReadRunConfig(text, "s", {{"average.out", "from", "10 us", "--x"}});
  const auto& plane = std::get<FlowPlane>(config.averages.at(0).of);
  EXPECT_EQ(plane.point, Vec3(0.025, 0, 0));
  EXPECT_LT((plane.normal - Vec3(0.6, 0, 0.8)).norm(), 1e-15);
  EXPECT_EQ(config.averages[0].from, 1e-5);
  EXPECT_EQ(EffectiveIni(ReadRunConfig(EffectiveIni(config), "effective", {})),
            EffectiveIni(config));
  EXPECT_TRUE(Holds(ErrorOf(text, {{"average.oat", "from", "10 us", "--average.oat.from"}}),
                    "did you mean \"average.out\""));
}

TEST(ConfigReader, AveragePlaneAlongOrAcrossPeriodicAxesAndThroughTheDomainsEnd) {
  const std::string text = ReadSceneFile(kGood);
  for (const char* plane : {"plane = 1 1 0 cm\nnormal = 0 2 0", "plane = 1 0 0 cm\nnormal = 1 0 1",
                            "plane = 3 0 0 cm\nnormal = 1 0 0"}) {
    EXPECT_EQ(ErrorOf(text + "[average.a]\n" + plane, {{"domain", "periodic", "y", "--y"}}), "")
        << plane;
  }
}

TEST(ConfigReader, ChannelsAreAveragedAndMayBeCutShort) {
  for (const char* scene : {"channel.ini", "channel_small.ini"}) {
    const std::string text = ReadSceneFile(kScenes + scene);
    EXPECT_FALSE(ReadRunConfig(text, scene, {}).averages.empty());
    EXPECT_NO_THROW(ReadRunConfig(text, scene, {{"time", "end", "1 ms", "--time.end"}}));
  }
}

TEST(ConfigReader, EffectiveTextIsAFixedPoint) {
  for (const std::string& path : {kGood, kScenes + "channel.ini", kScenes + "channel_small.ini",
                                  kScenes + "hopper.ini", kScenes + "rotating_drum.ini"}) {
    const RunConfig config = ReadRunConfig(ReadSceneFile(path), path, {});
    const std::string once = EffectiveIni(config);
    const RunConfig again = ReadRunConfig(once, "effective", {});
    EXPECT_EQ(once, EffectiveIni(again));
    EXPECT_EQ(config.scene.fills.at(0).grain.sizes, again.scene.fills.at(0).grain.sizes);
    EXPECT_EQ(config.scene.walls.size(), again.scene.walls.size());
  }
}

TEST(ConfigReader, PairTakesWhatItDoesNotSayFromContact) {
  const std::string text = ReadSceneFile(kGood) +
                           "[contact]\nrolling_friction = 0.2\nspinning_friction = 0.03\n"
                           "[material.a]\n[material.b]\n[pair.a.b]\nspinning_friction = 0\n"
                           "[pair.b.b]\nfriction = 0.1\n";
  const MaterialTable table = ReadRunConfig(text, "s", {}).scene.materials;
  EXPECT_EQ(table.Of<RollingLaw>(0, 0), (PairRolling{0.2, 0.03}));
  EXPECT_EQ(table.Of<RollingLaw>(1, 0), (PairRolling{0.2, 0.0}));
  EXPECT_EQ(table.Of<RollingLaw>(1, 1), (PairRolling{0.2, 0.03}));
  EXPECT_FALSE(ReadRunConfig(ReadSceneFile(kGood), "s", {}).scene.materials.AnyLawActs());
}

/// A law without a key of [contact] could never act.
TEST(ConfigReader, EveryAdditionalLawActsByKeysOfItsOwn) {
  LawFlags seen = {};
  for (const std::string& key : KeysOf("contact")) {
    const std::string text = ReadSceneFile(kGood) + "[contact]\n" + key + " = 0.5\n";
    if (ErrorOf(text) != "") continue;  // no plain number, or not without others
    const LawFlags acting = ReadRunConfig(text, "s", {}).scene.materials.ActingLaws();
    for (std::size_t l = 0; l < kLawCount; ++l) seen[l] = seen[l] || acting[l];
  }
  for (std::size_t l = 0; l < kLawCount; ++l) EXPECT_TRUE(seen[l]) << kLawNames[l];
}

TEST(ConfigReader, MissingFileAndDirectoryAreFileErrors) {
  EXPECT_THROW(ReadSceneFile(kScenes), FileError);
  EXPECT_THROW(ReadSceneFile(kScenes + "no_such.ini"), FileError);
}

TEST(ConfigReader, WhatIsWrongBesideAChangeIsTold) {
  EXPECT_TRUE(Holds(ErrorOf("[at \"0.1 s\"]\n[inflow.rain]\n"), "[inflow.rain]"));
  const std::string mistyped =
      ReadTextFile(kGood) + "[solver]\nsweps = 3\n[at \"10 us\"]\nscene.gravity = 0 0 0\n";
  EXPECT_TRUE(Holds(ErrorOf(mistyped), "did you mean \"sweeps\""));
}

TEST(ConfigReader, MutatedScenesAreReadOrRefused) {
  const char* const kValues[] = {"",        "-1",   "0",     "1e160",      "1e160 m",
                                 "-1e-320", "nan",  "unset", "0 0 -1e160", "1e160 1 1 m/s^2",
                                 "plane",   "x=y ["};
  std::size_t accepted = 0, refused = 0;
  const auto read = [&](const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    try {
      EffectiveIni(ReadRunConfig(text, "mutated.ini", {}));
      ++accepted;
    } catch (const InputError&) {
      ++refused;
    }
  };
  const std::vector<std::string> lines =
      LinesOf(ReadTextFile(kGood) + "[at \"10 us\"]\nscene.gravity = 0 0 -1 m/s^2\n");
  for (std::size_t k = 0; k < lines.size(); ++k) {
    std::vector<std::string> mutated = lines;
    mutated.erase(mutated.begin() + static_cast<std::ptrdiff_t>(k));
    read(mutated);
    mutated = lines;
    mutated[k].insert(mutated[k].size() / 4, "q");
    read(mutated);
    const std::size_t equals = lines[k].find('=');
    for (const char* value : kValues) {
      if (equals == lines[k].npos) break;
      mutated[k] = lines[k].substr(0, equals + 1) + value;
      read(mutated);
    }
  }
  EXPECT_GT(accepted, 5u);
  EXPECT_GT(refused, 200u);
}

TEST(ConfigReader, GravityThatMovesBeyondTheDomainInAStepIsRefused) {
  for (const char* gravity : {"0 0 -1e160", "1e30 0 0"}) {
    EXPECT_TRUE(
        Holds(ErrorOf(ReadTextFile(kGood), {{"scene", "gravity", gravity, "--scene.gravity"}}),
              "--scene.gravity"));
  }
}

}  // namespace
}  // namespace scree::config_reader_test
