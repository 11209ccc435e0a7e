// A configuration as text reads back as the same configuration, field by field.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <sstream>

#include "io/scene/config_changes.hpp"
#include "io/scene/config_keys.hpp"
#include "io/scene/config_reader.hpp"
#include "tests/io/scratch.hpp"

namespace scree::effective_ini_test {
namespace {

const std::string kEveryKey = SCREE_TEST_DATA "/every_key.ini";

/// The keys of a scene and their values.
std::vector<IniEntry> Entries(const std::string& scene) {
  ErrorList errors;
  std::vector<IniEntry> entries = ScanIni(scene, "scene", errors).entries;
  EXPECT_TRUE(errors.Empty());
  return entries;
}

/// The scene without the line of one key.
std::string RemoveKey(const std::string& scene, const IniEntry& entry) {
  std::string text, section, line;
  for (std::istringstream lines(scene); std::getline(lines, line);) {
    if (line.starts_with("[")) section = line.substr(1, line.find(']') - 1);
    const bool is_removed = section == entry.section && line.starts_with(entry.key + " =");
    if (!is_removed) text += line + "\n";
  }
  return text;
}

/// Scenes with a cell that is controlled by stresses, by rates or by a path. Such a scene may
/// contain only particles.
std::array<std::string, 4> ScenesOfCells() {
  const std::string cell =
      "[scene]\ngravity = 0 0 0 m/s^2\n"
      "[domain]\nlower = 1 2 3 mm\nupper = 21 22 23 mm\nperiodic = x y z\n"
      "[time]\nstep = 2.5 us\nend = 1 ms\n"
      "[fill]\nlower = 1 2 3 mm\nupper = 21 22 23 mm\nspacing = 2 mm\nradius = 0.7 mm\n";
  const std::string stress_scene =
      cell +
      "[cell]\nstress_x = 2 kPa\nstress_y = 3 kPa\nstress_z = 4 kPa\nshear_stress = 5 kPa\n"
      "flow = y\ninertia = 1.5\ndamping = 3 1/s\nmax_rate = 7 1/s\n";
  const std::string rate_scene = cell +
                                 "[cell]\nrate_x = -2 1/s\nrate_y = -3 1/s\nrate_z = -4 "
                                 "1/s\nshear_rate = 5 1/s\ngradient = y\n";
  const std::string path_scene = cell + "[cell]\nrate_y = -3 1/s\npath = time_s 0 1, x_1/s 1 10\n";
  const std::string strain_scene =
      cell + "[cell]\nrate_y = -3 1/s\npath = strain_y 0 0.05, x_kPa 1 2, shear_Pa 0 3\n";
  return {stress_scene, rate_scene, path_scene, strain_scene};
}

/// The scene with shapes added to its particles.
std::string SceneOfShapes(const std::string& scene) {
  std::string shape_scene = scene;
  const auto add = [&shape_scene](const std::string& anchor, const std::string& line) {
    shape_scene.replace(shape_scene.find(anchor), anchor.size(), anchor + line);
  };
  add("diameter = 0.83 mm\n", "shape = bar\n");
  add("passing = 0 0.3 1\n", "shape = bar 0.3, pebble 0.7\n");
  shape_scene +=
      "[shape.bar]\nspheres = -0.2 0 0 0.2, 0.2 0 0 0.2 mm\napart = yes\n"
      "[shape.pebble]\nspheres = 0.1 0.2 0.3 0.4 mm\nmass = 2 mg\ninertia = 1e-13 2e-13 2.5e-13 kg "
      "m^2\n"
      "[shape.heavy]\nspheres = 0 0 0 0.4 mm\nmass = 3 mg\n";
  return shape_scene;
}

std::string ShearedScene() {
  return "[scene]\ngravity = 0 0 0 m/s^2\n"
         "[domain]\nlower = 1 2 3 mm\nupper = 21 22 23 mm\nperiodic = x y z\n"
         "shear_rate = 12 1/s\nshear_flow = y\nshear_gradient = x\n"
         "[time]\naccuracy = 0.02\nbase_step = 1e-10 s\nend = 1 ms\n"
         "[fill]\nlower = 1 2 3 mm\nupper = 21 22 23 mm\nspacing = 2 mm\nradius = 0.7 mm\n"
         "[output]\nproblems = 0.3 0.7 ms\n";
}

/// A scene with solids as shapes of particles.
std::string SceneOfSolids() {
  return "[domain]\nlower = 1 2 3 mm\nupper = 21 22 23 mm\n[time]\nstep = 2.5 us\nend = 1 ms\n"
         "[fill]\nlower = 1 2 3 mm\nupper = 21 22 23 mm\nspacing = 2 mm\nradius = 0.7 mm\n"
         "[shape.die]\nsolid = box\nsize = 0.5 mm\nrounding = 20 um\n"
         "[shape.bolt]\nsolid = prism\nsize = 0.5 0.7 mm\nsides = 9\n"
         "[shape.stone]\nvertices = 0 0 0 2 0 0 0 2 0 0 0 2 mm\nunit = 0.5 m\nscale = 1 2 1\n"
         "apart = yes\n[shape.stone.knob]\nspheres = 0 0 0 0.4 mm\nturn = 0 0.1 0\n"
         "position = 3 0 0 mm\n";
}

/// Links and joints of all kinds.
/// @param has_swapped_links  swaps two links, and gives gears, loops and motors other values
std::string SceneOfMachines(bool has_swapped_links) {
  std::string scene =
      "[domain]\nlower = 1 2 3 mm\nupper = 21 22 23 mm\n[time]\nstep = 2.5 us\nend = 1 ms\n"
      "[fill]\nlower = 1 2 3 mm\nupper = 21 22 23 mm\nspacing = 2 mm\nradius = 0.7 mm\n";
  for (const char* wall : {"a", "b", "c", "d", "e", "spare"}) {
    scene += Text("[wall.", wall, "]\nshape = sphere\npoint = 9 9 9 mm\nradius = 1 mm\n");
    if (std::string(wall) == "spare") break;
    scene += Text("[link.", wall, "]\nwalls = ", wall, "\nmass = 2 g\ncentre = 9 9 9 mm\n",
                  "inertia = 5 5 5 g mm^2\ninertia_products = 0.1 0.2 0.3 g mm^2\n");
  }
  // The density is written until the mesh is loaded, because the mass is not known before.
  scene +=
      "[wall.f]\nshape = mesh\nfile = a.stl\nsolid = inside\n[link.f]\nwalls = f\n"
      "density = 3 g/cm^3\n[joint.raft]\nchild = f\nkind = free\n";
  const std::string d = has_swapped_links ? "e" : "d", e = has_swapped_links ? "d" : "e";
  scene +=
      "[joint.mount]\nchild = a\nkind = fixed\n"
      "[joint.shoulder]\nparent = a\nchild = b\nkind = hinge\npoint = 1 2 3 mm\naxis = 0 1 0\n"
      "lower_angle = -1 rad\nupper_angle = 2 rad\ntorque = 3 N mm\ntorsion_spring = 4 N mm\n"
      "torsion_rest = 5 deg\ntorsion_damping = 6 N mm s\nfriction_torque = 7 N mm\n"
      "drive = speed\nrate = 8 rpm\nlargest_torque = 9 N mm\n"
      "[joint.elbow]\nparent = b\nchild = c\nkind = hinge\npoint = 1 2 3 mm\naxis = 0 1 0\n"
      "drive = position\nangle = 1 rad\nlargest_rate = 2 rpm\nlargest_torque = 9 N mm\n"
      "mimic = shoulder\nratio = -0.3\n"
      "[joint.wrist]\nparent = c\nchild = " +
      d +
      "\nkind = slider\naxis = 1 0 0\nlower_travel = -1 mm\nupper_travel = 2 mm\n"
      "force = 3 N\nspring = 4 N/mm\nspring_rest = 5 mm\ndamping = 6 N s/m\n"
      "friction_force = 7 N\ndrive = position\ntravel = 1 mm\nlargest_force = 9 N\n"
      "largest_speed = 2 mm/s\n"
      "[joint.tool]\nparent = c\nchild = " +
      e +
      "\nkind = slider\naxis = 1 0 0\ndrive = speed\nspeed = 8 mm/s\nlargest_force = 9 N\n"
      "mimic = elbow\nlead = 0.7 mm\n"
      "[loop.tie]\nparent = b\nchild = " +
      d + "\npoint = 1 2 3 mm\naxis = 0 1 0\n[loop.knob]\nparent = b\nchild = " + d +
      "\nkind = ball\npoint = 1 2 3 mm\n";
  if (!has_swapped_links) return scene;
  const auto replace = [&scene](const std::string& old_text, const std::string& new_text) {
    scene.replace(scene.find(old_text), old_text.size(), new_text);
  };
  replace("ratio = -0.3", "ratio = 0.4");
  replace("mimic = elbow\nlead = 0.7 mm", "mimic = shoulder\nlead = 9 mm");
  replace("child = " + d + "\npoint = 1 2 3 mm\naxis = 0 1 0\n",
          "child = " + d + "\npoint = 1 7 3 mm\naxis = 0 -1 0\n");
  replace("drive = speed\nrate = 8 rpm\nlargest_torque = 9 N mm",
          "drive = torque\ntable = time_s 0 1, torque_N*m 0 1");
  replace("torque = 3 N mm\n", "");
  replace("drive = speed\nspeed = 8 mm/s", "drive = position\ntable = time_s 0 1, x_mm 0 1");
  return scene;
}

/// Scenes that together contain all keys of the table, none with its default.
std::vector<std::string> Scenes() {
  const auto [stress_scene, rate_scene, path_scene, strain_scene] = ScenesOfCells();
  const std::string scene = ReadSceneFile(kEveryKey);
  const auto replaced = [&scene](const std::string& old_text, const std::string& replacement) {
    std::string other_scene = scene;
    const std::size_t begin = other_scene.find(old_text);
    EXPECT_NE(begin, other_scene.npos) << old_text;
    return other_scene.replace(begin, old_text.size(), replacement);
  };
  const std::string sieved = "sizes = sieved\nsieves = 0.2 0.3 0.47 mm\npassing = 0 0.3 1\n";
  return {
      scene,
      ShearedScene(),
      stress_scene,
      rate_scene,
      path_scene,
      strain_scene,
      SceneOfSolids(),
      replaced("sieves = 0.1 0.5 mm\npassing = 0 1", "sieves = 0.1 0.3 0.5 mm\npassing = 0 0.4 1"),
      replaced("[inflow]\npiston = piston",
               "[wall.other]\nshape = plane\npoint = -0.5 0 0 mm\nnormal = 1 0 0\n"
               "velocity = 0.3 0 0 m/s\n[inflow]\npiston = other"),
      replaced("[pair.glass.glass]\nfriction = 0.11\n", ""),
      replaced("shape = pipe", "shape = cylinder"),
      replaced("free = along\naxis = 0 0 -3\nfree_from = 140 us\nmass = 20 g\nforce = 0.3 N\n"
               "pressure = 2 kPa\narea = 4 cm^2\nspring = 7 N/m\nspring_rest = 1 mm\n"
               "damping = 3 N s/m\n",
               ""),
      replaced("subdomains = 2x1x1", "balance = every 700 steps"),
      replaced(
          "sweeps = 23\ntolerance = 3 um/s\nmax_sweeps = 77\nkernel = coulomb\nscheme = jacobi\n",
          "sweeps = auto\nforce_accuracy = 0.07\nmax_sweeps = 77\nkernel = coulomb\n"),
      replaced("[material.coarse]\nsizes = uniform",
               "[material.coarse]\nsizes = lognormal\ndiameter = 0.6 mm\nspread = 0.2"),
      replaced("sizes = lognormal\nradius = 0.25 mm", "sizes = lognormal\ndiameter = 0.5 mm"),
      replaced("region = sphere\ncentre = 35 15 25 mm\nregion_radius = 3 mm\nrate = 1 g/s",
               "region = cylinder\nfrom = 35 15 20 mm\nto = 35 15 25 mm\nregion_radius = 2.9 mm\n"
               "rate = 2 g/s"),
      replaced("region = sphere\ncentre = 35 5 15 mm",
               "region = cylinder\nfrom = 35 5 12 mm\n"
               "to = 35 5 17 mm"),
      replaced("places = random\nlower = 12 10 1 mm\nupper = 18 18 8 mm\nsolid_fraction = 0.12",
               "lower = 12 10 1 mm\nupper = 18 18 8 mm\nspacing = 1.3 mm"),
      replaced("spacing = 1.2 mm\nsizes = uniform",
               "spacing = 1.2 mm\nsizes = lognormal\nradius = 0.4 mm\nspread = 0.1"),
      replaced("[inflow.hail]\nkind = rain\nlower = 30 1 22 mm\nupper = 34 5 27 mm\nrate = 1 g/s\n"
               "radius = 0.4 mm\n",
               ""),
      replaced(sieved, "radius = 0.47 mm\n"),
      replaced(sieved, "diameter = 0.94 mm\n"),
      replaced(sieved,
               "sizes = lognormal\nradius = 0.4 mm\nspread = 0.1\nsmallest_radius = 0.3 mm\n"
               "largest_radius = 0.47 mm\n"),
      SceneOfMachines(false),
      SceneOfMachines(true),
      SceneOfShapes(scene)};
}

/// Values that differ from those of Scenes(), for keys that are required or depend on each other.
const std::map<std::string, std::string> kOtherValues = {
    {"domain.lower", "-1.5 -2 -3 mm"},
    {"domain.upper", "42 20.3 30.7 mm"},
    {"time.step", "3.5 us"},
    {"time.end", "1400 us"},
    {"bond.material", "rubber"},
    {"bond.gap", "30 um"},
    {"bond.tension", "1 MPa"},
    {"bond.shear", "4 MPa"},
    {"field.lower", "2 2 1 mm"},
    {"field.upper", "20 9 7 mm"},
    {"contact.kinetic_friction", "0.24"},
    {"contact.friction_speed", "4 cm/s"},
    {"contact.stiffness", "2.6e7"},
    {"contact.restitution", "linear"},
    {"contact.dissipation", "4e-6"},
    {"material.young", "80 GPa"},
    {"pair.dissipation", "0.08"},
    {"pair.restitution", "hertz-linear"},
    {"pair.stiffness", "5e5"},
    {"domain.shear_rate", "13 1/s"},
    {"domain.shear_flow", "z"},
    {"wall.point", "-0.6 0 0 mm"},
    {"wall.normal", "1 -3 30"},
    {"wall.lower", "19 3 4 mm"},
    {"wall.upper", "32 12 9 mm"},
    {"wall.from", "26 10 4 mm"},
    {"wall.to", "25 12 9 mm"},
    {"wall.radius", "1.8 mm"},
    {"wall.diameter", "1.8 mm"},
    {"wall.from_radius", "0.8 mm"},
    {"wall.to_radius", "2.2 mm"},
    {"wall.file", "b.stl"},
    {"wall.amplitude", "0.4 0.2 0.1 mm"},
    {"wall.frequency", "31 Hz"},
    {"wall.velocity", "0.4 0 0 m/s"},
    {"wall.material", "glass"},
    {"wall.stops", "glass"},
    {"wall.axis", "0 1 -2"},
    {"wall.mass", "30 g"},
    {"wall.area", "5 cm^2"},
    {"wall.pressure", "3 kPa"},
    {"wall.spring", "8 N/m"},
    {"wall.torsion_spring", "3 N m"},
    {"wall.inertia", "5 g mm^2"},
    {"wall.centre_of_mass", "39 11 5 mm"},
    {"wall.motion", "time_s 0 1, rate_1/s 0 1"},
    {"wall.moves_until", "560 us"},
    {"motion.wall", "rod"},
    {"motion.from", "133 us"},
    {"motion.amplitude", "0 0.3 0 mm"},
    {"motion.frequency", "21 Hz"},
    {"fill.lower", "12 13 1 mm"},
    {"fill.upper", "18 7 7 mm"},
    {"fill.spacing", "1.21 mm"},
    {"fill.solid_fraction", "0.11"},
    {"fill.radius", "0.31 mm"},
    {"fill.diameter", "0.82 mm"},
    {"fill.smallest_radius", "0.21 mm"},
    {"fill.largest_radius", "0.49 mm"},
    {"fill.spread", "0.3"},
    {"fill.sieves", "0.1 0.4 mm"},
    {"fill.passing", "0 0.4 1"},
    {"inflow.material", "steel"},
    {"inflow.lower", "0 7 8 mm"},
    {"inflow.upper", "1 18 19 mm"},
    {"inflow.spacing", "1.4 mm"},
    {"inflow.radius", "0.46 mm"},
    {"inflow.diameter", "0.92 mm"},
    {"inflow.smallest_radius", "0.31 mm"},
    {"inflow.largest_radius", "0.46 mm"},
    {"inflow.spread", "0.2"},
    {"inflow.sieves", "0.2 0.3 0.46 mm"},
    {"inflow.passing", "0 0.4 1"},
    {"material.radius", "0.26 mm"},
    {"material.diameter", "0.62 mm"},
    {"material.smallest_radius", "0.21 mm"},
    {"material.largest_radius", "0.49 mm"},
    {"material.spread", "0.3"},
    {"material.sieves", "0.2 0.31 0.5 mm"},
    {"material.passing", "0 0.4 1"},
    {"fill.centre", "35 5.1 15 mm"},
    {"fill.from", "35 5.1 22 mm"},
    {"fill.to", "35 5.1 27 mm"},
    {"fill.region_radius", "1.9 mm"},
    {"fill.number", "8"},
    {"fill.mixture", "coarse 1, fine 2"},
    {"inflow.mixture", "coarse 1, fine 2"},
    {"inflow.centre", "35 15.1 25 mm"},
    {"inflow.from", "25 15.1 22 mm"},
    {"inflow.to", "25 15.1 27 mm"},
    {"inflow.region_radius", "2.9 mm"},
    {"inflow.rate", "3 g/s"},
    {"inflow.number_rate", "13 1/s"},
    {"inflow.total", "3 g"},
    {"inflow.number", "13"},
    {"inflow.end", "630 us"},
    {"initial.file", "other.h5"},
    {"shape.spheres", "0 0 0 0.3 mm"},
    {"frame.angular_velocity", "0 4 0 rpm"},
    {"fluid.density", "1.3 kg/m^3"},
    {"fluid.viscosity", "2e-5 Pa s"},
    {"fluid.drag", "gidaspow"},
    {"fluid.cells", "5x3x2"},
    {"shape.solid", "octahedron"},
    {"shape.size", "0.4 mm"},
    {"shape.vertices", "0 0 0 2 0 0 0 2 0 0 0 1 mm"},
    {"link.walls", "a spare"},
    {"link.mass", "3 g"},
    {"link.centre", "8 9 9 mm"},
    {"link.inertia", "6 6 6 g mm^2"},
    {"link.density", "4 g/cm^3"},
    {"joint.parent", "b"},
    {"joint.point", "1 2 4 mm"},
    {"joint.axis", "0 0 1"},
    {"joint.rate", "9 rpm"},
    {"joint.speed", "9 mm/s"},
    {"joint.angle", "2 rad"},
    {"joint.travel", "2 mm"},
    {"joint.largest_torque", "8 N mm"},
    {"joint.largest_force", "8 N"},
    {"joint.torsion_spring", "3 N mm"},
    {"joint.spring", "3 N/mm"},
    {"joint.table", "time_s 0 1, x_mm 0 2"},
    {"average.every", "140 us"},
    {"average.plane", "24 0 0 mm"},
    {"average.normal", "-1 0 0"}};

/// The configuration with another value of the key: its value in kOtherValues, or its default if it
/// is not there. Nothing if this scene is invalid.
std::optional<RunConfig> ConfigWithOtherValue(const std::string& scene, const IniEntry& entry) {
  const auto value = kOtherValues.find(SectionParts(entry.section)[0] + "." + entry.key);
  try {
    if (value == kOtherValues.end()) return ReadRunConfig(RemoveKey(scene, entry), "without", {});
    return ReadRunConfig(scene, "scene", {{entry.section, entry.key, value->second, "--"}});
  } catch (const InputError&) {
    return std::nullopt;
  }
}

/// Whether the changes contain one of this key in a section of this kind.
bool HasChange(const std::vector<ConfigChange>& changes, const std::string& head,
               const std::string& key) {
  return std::ranges::any_of(changes, [&](const ConfigChange& change) {
    return change.Path().starts_with(head + ".") && change.key == key;
  });
}

/// Expects that only keys of this name have changed. Another key would change too if both were
/// bound to one variable. Keys of the same name in other sections may take their value from this
/// one.
void ExpectOnlyChangesOf(const std::vector<ConfigChange>& changes, const std::string& key) {
  for (const ConfigChange& change : changes) {
    const std::string& changed_key = change.key;
    // A grid is never rebalanced, and without shear there are no axes of shear.
    const bool is_known =
        (key == "subdomains" && changed_key == "balance") ||
        (key.starts_with("shear_") && (changed_key == "flow" || changed_key == "gradient"));
    EXPECT_TRUE(changed_key == key || is_known) << change.Path() << " changes with " << key;
  }
}

// Fails for a key that is not bound, is bound to the variable of another key, is not written or
// compared, or is in none of these scenes.
TEST(EffectiveIni, EveryKeyOfTheTableIsWrittenAndComparedAtARestart) {
  std::set<std::string> seen_keys;
  const IniEntries first = RowsOf(ReadRunConfig(Scenes().front(), "scene", {}));
  IniEntries previous = first;
  for (const std::string& scene : Scenes()) {
    const IniEntries rows = RowsOf(ReadRunConfig(scene, "scene", {}));
    // Keys that cannot change alone have other values in the first or in the previous scene.
    for (const IniEntries* entries_of_scene : std::array<const IniEntries*, 2>{&first, &previous}) {
      for (const ConfigChange& change : ChangesBetween(*entries_of_scene, rows)) {
        const bool is_missing_default =
            change.key == "places" || change.key == "region" || change.key == "kind";
        if (is_missing_default || (change.before && change.after)) {
          seen_keys.insert(SectionParts(change.section).front() + "." + change.key);
        }
      }
    }
    previous = rows;
    for (const IniEntry& entry : Entries(scene)) {
      const std::string head = SectionParts(entry.section)[0];
      EXPECT_NE(entry.value, FindKey(entry.section, entry.key)->default_text) << entry.location;
      if (seen_keys.contains(head + "." + entry.key)) continue;
      const std::optional<RunConfig> changed = ConfigWithOtherValue(scene, entry);
      if (!changed) continue;  // another section of this kind is sufficient
      const auto changes = ChangesBetween(rows, RowsOf(*changed));
      const std::string reported_key = entry.key == "diameter" ? "radius" : entry.key;
      ExpectOnlyChangesOf(changes, reported_key);
      if (HasChange(changes, head, reported_key)) seen_keys.insert(head + "." + entry.key);
    }
  }
  for (const SectionSpec& section : AllSections()) {
    for (const KeySpec& key : section.keys) {
      EXPECT_EQ(seen_keys.count(section.name + "." + key.key), 1u)
          << section.name << "." << key.key;
    }
  }
}

// The defaults of a program without a scene equal those of a scene without the key.
TEST(EffectiveIni, DefaultsOfTheTableAreThoseOfTheVariables) {
  const RunConfig read_config = ReadRunConfig(
      "[domain]\nlower = 0 0 0 m\nupper = 1 1 1 m\n[time]\nend = 1 s\n"
      "[fill]\nlower = 0 0 0 m\nupper = 1 1 1 m\nspacing = 0.2 m\nradius = 0.1 m\n",
      "scene", {});
  RunConfig built = read_config;
  built.step = StepParameters();
  built.step.balance = read_config.step.balance;  // the default of the engine is "never", for tests
  built.step.dt = read_config.step.dt;            // computed from the scene
  built.step.accuracy = read_config.step.accuracy;
  built.output = OutputConfig();
  built.checkpoint = CheckpointConfig();
  built.initial = InitialConfig();
  built.parallel = ParallelConfig();
  EXPECT_EQ(Describe(ChangesBetween(RowsOf(built), RowsOf(read_config))), "");
}

/// Compares quantities that follow from the keys of particles, shapes and materials.
void ExpectSameGrains(const GrainTemplate& a, const GrainTemplate& b) {
  EXPECT_EQ(a.sizes, b.sizes);
  EXPECT_EQ(a.material, b.material);
  ASSERT_EQ(a.mixture.size(), b.mixture.size());
  for (std::size_t k = 0; k < a.mixture.size(); ++k) {
    EXPECT_EQ(a.mixture[k].cumulative_fraction, b.mixture[k].cumulative_fraction);
    EXPECT_EQ(a.mixture[k].sizes, b.mixture[k].sizes);
  }
  ASSERT_EQ(a.shapes.size(), b.shapes.size());
  for (std::size_t k = 0; k < a.shapes.size(); ++k) {
    EXPECT_EQ(a.shapes[k].cumulative_fraction, b.shapes[k].cumulative_fraction);
    EXPECT_EQ(a.shapes[k].radius, b.shapes[k].radius);
  }
}

// Each row reads and writes one variable, so equal texts mean equal values. Only derived quantities
// need their own comparison.
TEST(EffectiveIni, EveryWrittenValueReadsBack) {
  for (const std::string& scene : Scenes()) {
    const RunConfig a = ReadRunConfig(scene, "scene", {});
    const RunConfig b = ReadRunConfig(EffectiveIni(a), "effective", {});
    EXPECT_EQ(EffectiveIni(a), EffectiveIni(b));
    EXPECT_EQ(a.step.balance, b.step.balance);
    EXPECT_EQ(a.output.format, b.output.format);
    ASSERT_EQ(a.scene.fills.size(), b.scene.fills.size());
    for (std::size_t f = 0; f < a.scene.fills.size(); ++f) {
      ExpectSameGrains(a.scene.fills[f].grain, b.scene.fills[f].grain);
    }
    ASSERT_EQ(a.scene.rains.size(), b.scene.rains.size());
    for (std::size_t r = 0; r < a.scene.rains.size(); ++r) {
      ExpectSameGrains(a.scene.rains[r].grain, b.scene.rains[r].grain);
    }
    ASSERT_EQ(a.scene.walls.size(), b.scene.walls.size());
    for (std::size_t w = 0; w < a.scene.walls.size(); ++w) {
      EXPECT_EQ(a.scene.walls[w].table, b.scene.walls[w].table);
    }
  }
}

/// A sheared fluid on a grid with this number of points along each axis.
RunConfig ConfigWithGrid(int points) {
  std::array<std::string, 4> columns = {"x_mm", "y_mm", "z_mm", "vx_m/s"};
  for (int k = 0; k < points * points * points; ++k) {
    const std::array<int, 3> grid_index = {k % points, k / points % points, k / points / points};
    for (std::size_t c = 0; c < 3; ++c)
      columns[c] += Text(" ", 10.0 * grid_index[c] / (points - 1));
    columns[3] += Text(" ", 0.1 * grid_index[2] / 3.0);
  }
  return ReadRunConfig(
      Text("[domain]\nlower = 0 0 0\nupper = 1 1 1 cm\n[time]\nend = 1 s\n[initial]\nfile = a.h5\n"
           "[fluid]\ndensity = 1 kg/m^3\nviscosity = 1e-3 Pa s\ngrid = ",
           columns[0], ", ", columns[1], ", ", columns[2], ", ", columns[3], "\n"),
      "scene", {});
}

TEST(EffectiveIni, LargeTableIsNamedByItsDigest) {
  const Scratch scratch(Communicator::Self());
  const RunConfig config = ConfigWithGrid(7);
  TableFiles files;
  const std::string text = EffectiveIni(config, &files);
  EXPECT_LT(text.size(), 4000u);
  ASSERT_EQ(files.size(), 1u);
  const auto& [name, content] = *files.begin();
  EXPECT_NE(text.find("\ngrid = " + name + "\n"), std::string::npos);
  std::filesystem::create_directory(scratch / "tables");
  PutFile(Communicator::Self(), scratch / name, content);
  const std::string path = scratch / "config.ini";
  EXPECT_EQ(EffectiveIni(ReadRunConfig(text, path, {})), EffectiveIni(config));
  PutFile(Communicator::Self(), scratch / name, content + "\n");
  const std::string refusal = MessageOf<FileError>([&] { ReadRunConfig(text, path, {}); });
  EXPECT_NE(refusal.find("is not the table that the run stored"), std::string::npos) << refusal;
}

TEST(EffectiveIni, SmallTableStaysInTheText) {
  TableFiles files;
  const RunConfig config = ConfigWithGrid(5);
  EXPECT_EQ(EffectiveIni(config, &files), EffectiveIni(config));
  EXPECT_TRUE(files.empty());
}

TEST(EffectiveIni, ChosenSubdomainsExcludeBalancing) {
  const RunConfig config = ReadRunConfig(ReadSceneFile(kEveryKey), "every_key.ini", {});
  EXPECT_EQ(config.step.balance, kNeverBalance);
  EXPECT_EQ(config.checkpoint.interval.wall, 90.0);
}

}  // namespace
}  // namespace scree::effective_ini_test
