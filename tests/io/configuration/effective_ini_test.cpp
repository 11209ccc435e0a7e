// A configuration as text reads back as the same configuration, field by field.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <sstream>

#include "io/configuration/config_changes.hpp"
#include "io/configuration/config_keys.hpp"
#include "io/configuration/config_reader.hpp"

namespace scree::effective_ini_test {
namespace {

const std::string kEveryKey = SCREE_TEST_DATA "/every_key.ini";

template <class Part>
void ExpectSameEnds(const Part& a, const Part& b) {
  EXPECT_EQ(a.from, b.from);
  EXPECT_EQ(a.to, b.to);
}

void ExpectEqual(const ShapePart& a, const ShapePart& b) {
  ASSERT_EQ(a.index(), b.index());
  if (const auto* plane = std::get_if<Plane>(&a)) {
    EXPECT_EQ(plane->point, std::get<Plane>(b).point);
    EXPECT_EQ(plane->normal, std::get<Plane>(b).normal);
  } else if (const auto* block = std::get_if<Block>(&a)) {
    EXPECT_EQ(block->box.lower, std::get<Block>(b).box.lower);
    EXPECT_EQ(block->box.upper, std::get<Block>(b).box.upper);
  } else if (const auto* ball = std::get_if<Ball>(&a)) {
    EXPECT_EQ(ball->centre, std::get<Ball>(b).centre);
    EXPECT_EQ(ball->radius, std::get<Ball>(b).radius);
  } else if (const auto* cone = std::get_if<Cone>(&a)) {
    ExpectSameEnds(*cone, std::get<Cone>(b));
    EXPECT_EQ(cone->from_radius, std::get<Cone>(b).from_radius);
    EXPECT_EQ(cone->to_radius, std::get<Cone>(b).to_radius);
  } else if (const auto* disk = std::get_if<Disk>(&a)) {
    EXPECT_EQ(disk->centre, std::get<Disk>(b).centre);
    EXPECT_EQ(disk->normal, std::get<Disk>(b).normal);
    EXPECT_EQ(disk->radius, std::get<Disk>(b).radius);
    EXPECT_EQ(disk->hole, std::get<Disk>(b).hole);
  } else if (const auto* mesh = std::get_if<Mesh>(&a)) {
    EXPECT_EQ(mesh->file, std::get<Mesh>(b).file);
    EXPECT_EQ(mesh->unit, std::get<Mesh>(b).unit);
    EXPECT_EQ(mesh->scale, std::get<Mesh>(b).scale);
    EXPECT_EQ(mesh->turn, std::get<Mesh>(b).turn);
    EXPECT_EQ(mesh->offset, std::get<Mesh>(b).offset);
    EXPECT_EQ(mesh->solid, std::get<Mesh>(b).solid);
  } else if (const auto* pipe = std::get_if<Pipe>(&a)) {
    ExpectSameEnds(*pipe, std::get<Pipe>(b));
    EXPECT_EQ(pipe->radius, std::get<Pipe>(b).radius);
  } else {
    ExpectSameEnds(std::get<Cylinder>(a), std::get<Cylinder>(b));
    EXPECT_EQ(std::get<Cylinder>(a).radius, std::get<Cylinder>(b).radius);
  }
}

void ExpectEqual(const Wall& a, const Wall& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.velocity, b.velocity);
  EXPECT_EQ(a.oscillation.amplitude, b.oscillation.amplitude);
  EXPECT_EQ(a.oscillation.frequency, b.oscillation.frequency);
  EXPECT_EQ(a.oscillation.phase, b.oscillation.phase);
  EXPECT_EQ(a.rotation.centre, b.rotation.centre);
  EXPECT_EQ(a.rotation.angular_velocity, b.rotation.angular_velocity);
  EXPECT_EQ(a.removed_at, b.removed_at);
  EXPECT_EQ(a.appears_at, b.appears_at);
  EXPECT_EQ(a.moves_from, b.moves_from);
  EXPECT_EQ(a.moves_until, b.moves_until);
  EXPECT_EQ(a.axis, b.axis);
  EXPECT_EQ(a.table, b.table);
  EXPECT_EQ(a.free.freedom, b.free.freedom);
  EXPECT_EQ(a.free.mass, b.free.mass);
  EXPECT_EQ(a.free.inertia, b.free.inertia);
  EXPECT_EQ(a.free.pressure, b.free.pressure);
  EXPECT_EQ(a.free.centre_of_mass, b.free.centre_of_mass);
  ASSERT_EQ(a.motions.size(), b.motions.size());
  for (std::size_t k = 0; k < a.motions.size(); ++k) {
    EXPECT_EQ(a.motions[k].from, b.motions[k].from);
    EXPECT_EQ(a.motions[k].until, b.motions[k].until);
    EXPECT_EQ(a.motions[k].velocity, b.motions[k].velocity);
    EXPECT_EQ(a.motions[k].oscillation.amplitude, b.motions[k].oscillation.amplitude);
    EXPECT_EQ(a.motions[k].angular_velocity, b.motions[k].angular_velocity);
  }
  EXPECT_EQ(a.surface_velocity, b.surface_velocity);
  EXPECT_EQ(a.stops, b.stops);
  EXPECT_EQ(a.material, b.material);
  ASSERT_EQ(a.shape.parts.size(), b.shape.parts.size());
  for (std::size_t p = 0; p < a.shape.parts.size(); ++p) {
    ExpectEqual(a.shape.parts[p], b.shape.parts[p]);
  }
}

void ExpectEqual(const Region& a, const Region& b) {
  ASSERT_EQ(a.index(), b.index());
  EXPECT_EQ(VolumeOf(a), VolumeOf(b));
  EXPECT_EQ(BoundsOf(a).lower, BoundsOf(b).lower);
  EXPECT_EQ(BoundsOf(a).upper, BoundsOf(b).upper);
}

void ExpectEqual(const Lattice& a, const Lattice& b) {
  ExpectEqual(a.region, b.region);
  EXPECT_EQ(a.spacing, b.spacing);
}

void ExpectEqual(const RandomRegion& a, const RandomRegion& b) {
  ExpectEqual(a.region, b.region);
  EXPECT_EQ(a.solid_fraction, b.solid_fraction);
  EXPECT_EQ(a.number, b.number);
}

void ExpectEqual(const GrainTemplate& a, const GrainTemplate& b) {
  EXPECT_EQ(a.sizes, b.sizes);
  EXPECT_EQ(a.material, b.material);
  EXPECT_EQ(a.velocity, b.velocity);
  EXPECT_EQ(a.jitter, b.jitter);
  ASSERT_EQ(a.mixture.size(), b.mixture.size());
  for (std::size_t k = 0; k < a.mixture.size(); ++k) {
    EXPECT_EQ(a.mixture[k].material, b.mixture[k].material);
    EXPECT_EQ(a.mixture[k].share, b.mixture[k].share);
    EXPECT_EQ(a.mixture[k].up_to, b.mixture[k].up_to);
    EXPECT_EQ(a.mixture[k].sizes, b.mixture[k].sizes);
  }
}

void ExpectEqual(const Rain& a, const Rain& b) {
  EXPECT_EQ(a.name, b.name);
  ExpectEqual(a.region, b.region);
  ExpectEqual(a.grain, b.grain);
  EXPECT_EQ(a.counts, b.counts);
  EXPECT_EQ(a.rate, b.rate);
  EXPECT_EQ(a.start, b.start);
  EXPECT_EQ(a.end, b.end);
  EXPECT_EQ(a.total, b.total);
  EXPECT_EQ(a.every, b.every);
}

void ExpectEqual(const MaterialTable& a, const MaterialTable& b) {
  ASSERT_EQ(a.Size(), b.Size());
  for (MaterialId i = 0; i < static_cast<MaterialId>(a.Size()); ++i) {
    EXPECT_EQ(a[i].name, b[i].name);
    EXPECT_EQ(a[i].density, b[i].density);
    EXPECT_EQ(a[i].young, b[i].young);
    EXPECT_EQ(a[i].poisson, b[i].poisson);
    EXPECT_EQ(a[i].sizes, b[i].sizes);
    for (MaterialId j = 0; j < static_cast<MaterialId>(a.Size()); ++j) {
      EXPECT_EQ(a.Friction(i, j), b.Friction(i, j)) << a[i].name << " " << a[j].name;
      EXPECT_EQ(a.Restitution(i, j), b.Restitution(i, j)) << a[i].name << " " << a[j].name;
      ForEachLaw([&](auto law) {
        using Law = typename decltype(law)::type;
        EXPECT_EQ(a.Of<Law>(i, j), b.Of<Law>(i, j)) << a[i].name << " " << a[j].name;
      });
    }
  }
}

void ExpectEqual(const Scene& a, const Scene& b) {
  EXPECT_EQ(a.seed, b.seed);
  EXPECT_EQ(a.gravity, b.gravity);
  EXPECT_EQ(a.domain.box.lower, b.domain.box.lower);
  EXPECT_EQ(a.domain.box.upper, b.domain.box.upper);
  EXPECT_EQ(a.domain.periodic, b.domain.periodic);
  EXPECT_EQ(a.domain.shear.rate, b.domain.shear.rate);
  EXPECT_EQ(a.outflow, b.outflow);
  ExpectEqual(a.materials, b.materials);
  EXPECT_EQ(a.restitution_threshold, b.restitution_threshold);
  ASSERT_EQ(a.walls.size(), b.walls.size());
  for (std::size_t w = 0; w < a.walls.size(); ++w) ExpectEqual(a.walls[w], b.walls[w]);
  ASSERT_EQ(a.fills.size(), b.fills.size());
  for (std::size_t f = 0; f < a.fills.size(); ++f) {
    ASSERT_EQ(a.fills[f].places.index(), b.fills[f].places.index());
    std::visit(
        [&](const auto& places) {
          ExpectEqual(places, std::get<std::decay_t<decltype(places)>>(b.fills[f].places));
        },
        a.fills[f].places);
    EXPECT_EQ(a.fills[f].name, b.fills[f].name);
    ExpectEqual(a.fills[f].grain, b.fills[f].grain);
  }
  ASSERT_EQ(a.pistons.size(), 1u);
  ASSERT_EQ(b.pistons.size(), 1u);
  EXPECT_EQ(a.pistons[0].piston, b.pistons[0].piston);
  ExpectEqual(a.pistons[0].lattice, b.pistons[0].lattice);
  ExpectEqual(a.pistons[0].grain, b.pistons[0].grain);
  ASSERT_EQ(a.rains.size(), 3u);
  ASSERT_EQ(b.rains.size(), 3u);
  for (std::size_t r = 0; r < a.rains.size(); ++r) ExpectEqual(a.rains[r], b.rains[r]);
}

void ExpectEqual(const AverageConfig& a, const AverageConfig& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.from, b.from);
  EXPECT_EQ(a.to, b.to);
  EXPECT_EQ(a.every, b.every);
  EXPECT_EQ(a.interval, b.interval);
  ASSERT_EQ(a.of.index(), b.of.index());
  if (const auto* grid = std::get_if<FieldGrid>(&a.of)) {
    EXPECT_EQ(grid->region.lower, std::get<FieldGrid>(b.of).region.lower);
    EXPECT_EQ(grid->region.upper, std::get<FieldGrid>(b.of).region.upper);
    EXPECT_EQ(grid->cells, std::get<FieldGrid>(b.of).cells);
    EXPECT_EQ(grid->by, std::get<FieldGrid>(b.of).by);
  } else {
    EXPECT_EQ(std::get<FlowPlane>(a.of).point, std::get<FlowPlane>(b.of).point);
    EXPECT_EQ(std::get<FlowPlane>(a.of).normal, std::get<FlowPlane>(b.of).normal);
  }
}

/// Keys of scenes with the values that they have there.
std::vector<IniEntry> Entries(const std::string& scene) {
  ErrorList errors;
  std::vector<IniEntry> entries = ScanIni(scene, "scene", errors).entries;
  EXPECT_TRUE(errors.Empty());
  return entries;
}

/// The same without the line of one key.
std::string Without(const std::string& scene, const IniEntry& entry) {
  std::string text, section, line;
  for (std::istringstream lines(scene); std::getline(lines, line);) {
    if (line.starts_with("[")) section = line.substr(1, line.find(']') - 1);
    const bool is_it = section == entry.section && line.starts_with(entry.key + " =");
    if (!is_it) text += line + "\n";
  }
  return text;
}

/// Scenes that have each key of the table, none with its default.
std::vector<std::string> Scenes() {
  const std::string scene = ReadSceneFile(kEveryKey);
  const auto replaced = [&scene](const std::string& what, const std::string& by) {
    std::string other = scene;
    const std::size_t at = other.find(what);
    EXPECT_NE(at, other.npos) << what;
    return other.replace(at, what.size(), by);
  };
  std::string of_shapes = scene;
  for (const char* spheres_only : {"cohesion = 0.2 mN\nadhesion = 0.03 J/m^2\n",
                                   "cohesion = 0.7 mN\nadhesion = 0.04 J/m^2\n"}) {
    of_shapes.erase(of_shapes.find(spheres_only), std::string(spheres_only).size());
  }
  const auto add = [&of_shapes](const std::string& after, const std::string& line) {
    of_shapes.replace(of_shapes.find(after), after.size(), after + line);
  };
  add("diameter = 0.83 mm\n", "shape = bar\n");
  add("passing = 0 0.3 1\n", "shape = bar 0.3, told 0.7\n");
  of_shapes +=
      "[shape.bar]\nspheres = -0.2 0 0 0.2, 0.2 0 0 0.2 mm\napart = yes\n"
      "[shape.told]\nspheres = 0.1 0.2 0.3 0.4 mm\nmass = 2 mg\ninertia = 1 2 2.5 kg m^2\n"
      "[shape.heavy]\nspheres = 0 0 0 0.4 mm\nmass = 3 mg\n";
  const std::string sieved = "sizes = sieved\nsieves = 0.2 0.3 0.47 mm\npassing = 0 0.3 1\n";
  const std::string sheared =
      "[scene]\ngravity = 0 0 0 m/s^2\n"
      "[domain]\nlower = 1 2 3 mm\nupper = 21 22 23 mm\nperiodic = x y z\n"
      "shear_rate = 12 1/s\nshear_flow = y\nshear_gradient = x\n"
      "[time]\nend = 1 ms\n"
      "[fill]\nlower = 1 2 3 mm\nupper = 21 22 23 mm\nspacing = 2 mm\nradius = 0.7 mm\n";
  return {
      scene,
      sheared,
      replaced("speculative = no\ncontact_threshold = 30 nm\n", "contact_margin = 3 um\n"),
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
      of_shapes};
}

/// Other values of keys that no scene can do without, or whose values hang together.
const std::map<std::string, std::string> kOtherValues = {
    {"domain.lower", "-1.5 -2 -3 mm"},
    {"domain.upper", "42 20.3 30.7 mm"},
    {"time.step", "3.5 us"},
    {"time.end", "1400 us"},
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
    {"average.every", "140 us"},
    {"average.plane", "24 0 0 mm"},
    {"average.normal", "-1 0 0"}};

/// The configuration with another value of the key: none, so that it has its default, or that of
/// the table above. Nothing if neither is a scene.
std::optional<RunConfig> WithAnother(const std::string& scene, const IniEntry& entry) {
  const auto other = kOtherValues.find(SectionParts(entry.section)[0] + "." + entry.key);
  try {
    if (other == kOtherValues.end()) return ReadRunConfig(Without(scene, entry), "without", {});
    return ReadRunConfig(scene, "scene", {{entry.section, entry.key, other->second, "--"}});
  } catch (const InputError&) {
    return std::nullopt;
  }
}

/// Whether a change of this key of a section shows among the differences.
bool Shows(const std::vector<ConfigChange>& changes, const std::string& head,
           const std::string& key) {
  return std::ranges::any_of(changes, [&](const ConfigChange& change) {
    return change.key.starts_with(head + ".") && change.key.ends_with("." + key);
  });
}

/// That no other key has changed: two that are bound to one variable would. The same key of other
/// sections may take its value from this one.
void ExpectNoOther(const std::vector<ConfigChange>& changes, const std::string& key) {
  for (const ConfigChange& change : changes) {
    const std::string other = SectionParts(change.key).back();
    const bool is_known = key == "subdomains" && other == "balance";  // a grid is never balanced
    EXPECT_TRUE(other == key || is_known) << change.key << " changes with " << key;
  }
}

// A key that is not bound, or to the variable of another one, not written or not compared, or that
// no scene here has, fails.
TEST(EffectiveIni, EveryKeyOfTheTableIsWrittenAndComparedAtARestart) {
  std::set<std::string> seen;
  const std::string first = EffectiveIni(ReadRunConfig(Scenes().front(), "scene", {}));
  for (const std::string& scene : Scenes()) {
    const std::string text = EffectiveIni(ReadRunConfig(scene, "scene", {}));
    // What cannot change alone does so from one scene to the other.
    for (const ConfigChange& change : ChangesBetween(first, text)) {
      const std::vector<std::string> parts = SectionParts(change.key);
      const bool is_unsaid_default =
          parts.back() == "places" || parts.back() == "region" || parts.back() == "kind";
      if (is_unsaid_default || (!change.before.empty() && !change.after.empty())) {
        seen.insert(parts.front() + "." + parts.back());
      }
    }
    for (const IniEntry& entry : Entries(scene)) {
      const std::string head = SectionParts(entry.section)[0];
      EXPECT_NE(entry.value, FindKey(entry.section, entry.key)->initial) << entry.where;
      if (seen.contains(head + "." + entry.key)) continue;
      const std::optional<RunConfig> other = WithAnother(scene, entry);
      if (!other) continue;  // some other section of its kind will do
      const auto changes = ChangesBetween(text, EffectiveIni(*other));
      const std::string told = entry.key == "diameter" ? "radius" : entry.key;
      ExpectNoOther(changes, told);
      if (Shows(changes, head, told)) seen.insert(head + "." + entry.key);
    }
  }
  for (const SectionSpec& section : AllSections()) {
    for (const KeySpec& key : section.keys) {
      EXPECT_EQ(seen.count(section.name + "." + key.key), 1u) << section.name << "." << key.key;
    }
  }
}

// What a program has that reads no scene is what a scene has that does not tell it.
TEST(EffectiveIni, DefaultsOfTheTableAreThoseOfTheVariables) {
  const RunConfig read = ReadRunConfig(
      "[domain]\nlower = 0 0 0 m\nupper = 1 1 1 m\n[time]\nend = 1 s\n"
      "[fill]\nlower = 0 0 0 m\nupper = 1 1 1 m\nspacing = 0.2 m\nradius = 0.1 m\n",
      "scene", {});
  RunConfig built = read;
  built.step = StepParameters();
  built.step.balance = read.step.balance;  // the engine's own is never, for tests
  built.output = OutputConfig();
  built.checkpoint = CheckpointConfig();
  built.initial = InitialConfig();
  built.parallel = ParallelConfig();
  EXPECT_EQ(Describe(ChangesBetween(EffectiveIni(built), EffectiveIni(read))), "");
}

TEST(EffectiveIni, TheMarginOfSpeculativeContactsComesBack) {
  std::string scene = ReadSceneFile(kEveryKey);
  const std::string closed_only = "speculative = no\ncontact_threshold = 30 nm\n";
  const std::size_t at = scene.find(closed_only);
  ASSERT_NE(at, std::string::npos);
  scene.replace(at, closed_only.size(), "contact_margin = 3 um\n");
  const RunConfig config = ReadRunConfig(scene, "scene", {});
  EXPECT_NEAR(config.step.contact_margin, 3e-6, 1e-20);
  EXPECT_EQ(ReadRunConfig(EffectiveIni(config), "effective", {}).step.contact_margin,
            config.step.contact_margin);
}

TEST(EffectiveIni, EveryFieldComesBack) {
  const RunConfig a = ReadRunConfig(ReadSceneFile(kEveryKey), "every_key.ini", {});
  const RunConfig b = ReadRunConfig(EffectiveIni(a), "effective", {});
  ExpectEqual(a.scene, b.scene);
  EXPECT_EQ(a.step.dt, b.step.dt);
  EXPECT_EQ(a.step.position_sweeps, b.step.position_sweeps);
  EXPECT_EQ(a.step.slop, b.step.slop);
  EXPECT_EQ(a.step.error_reduction, b.step.error_reduction);
  EXPECT_EQ(a.step.max_correction_speed, b.step.max_correction_speed);
  EXPECT_EQ(a.step.warm_start, b.step.warm_start);
  EXPECT_EQ(a.step.speculative, b.step.speculative);
  EXPECT_EQ(a.step.contact_threshold, b.step.contact_threshold);
  EXPECT_EQ(a.step.skin, b.step.skin);
  EXPECT_EQ(a.step.solver.sweeps, b.step.solver.sweeps);
  EXPECT_EQ(a.step.solver.tolerance, b.step.solver.tolerance);
  EXPECT_EQ(a.step.solver.max_sweeps, b.step.solver.max_sweeps);
  EXPECT_EQ(a.step.solver.kernel, b.step.solver.kernel);
  EXPECT_EQ(a.step.solver.momentum, b.step.solver.momentum);
  EXPECT_EQ(a.step.solver.scheme, b.step.solver.scheme);
  EXPECT_EQ(a.time.end, b.time.end);
  EXPECT_EQ(a.output.directory, b.output.directory);
  EXPECT_EQ(a.output.every, b.output.every);
  EXPECT_EQ(a.output.log_every, b.output.log_every);
  EXPECT_EQ(a.output.energy_book, b.output.energy_book);
  EXPECT_TRUE(b.output.wall_forces);
  EXPECT_EQ(a.output.overwrite, b.output.overwrite);
  EXPECT_EQ(a.output.format, b.output.format);
  EXPECT_TRUE(b.output.format.single);
  EXPECT_TRUE(b.output.contacts);
  EXPECT_EQ(a.checkpoint.every, b.checkpoint.every);
  EXPECT_EQ(a.checkpoint.every.wall, 90.0);
  EXPECT_EQ(a.checkpoint.keep, b.checkpoint.keep);
  EXPECT_EQ(a.initial.file, b.initial.file);
  EXPECT_EQ(a.parallel.subdomains, b.parallel.subdomains);
  EXPECT_EQ(a.step.balance, kNeverBalance);  // a grid stays
  EXPECT_EQ(b.step.balance, kNeverBalance);
  ASSERT_EQ(a.averages.size(), 2u);
  ASSERT_EQ(a.averages.size(), b.averages.size());
  for (std::size_t k = 0; k < a.averages.size(); ++k) ExpectEqual(a.averages[k], b.averages[k]);
  EXPECT_EQ(EffectiveIni(a), EffectiveIni(b));
}

}  // namespace
}  // namespace scree::effective_ini_test
