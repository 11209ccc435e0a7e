// A configuration as text reads back as the same configuration, field by field.
#include <gtest/gtest.h>

#include "io/configuration/config_keys.hpp"
#include "io/configuration/config_reader.hpp"

namespace scree {
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
  EXPECT_EQ(a.material, b.material);
  ASSERT_EQ(a.shape.parts.size(), b.shape.parts.size());
  for (std::size_t p = 0; p < a.shape.parts.size(); ++p) {
    ExpectEqual(a.shape.parts[p], b.shape.parts[p]);
  }
}

void ExpectEqual(const Lattice& a, const Lattice& b) {
  EXPECT_EQ(a.region.lower, b.region.lower);
  EXPECT_EQ(a.region.upper, b.region.upper);
  EXPECT_EQ(a.spacing, b.spacing);
}

void ExpectEqual(const RandomRegion& a, const RandomRegion& b) {
  EXPECT_EQ(a.region.lower, b.region.lower);
  EXPECT_EQ(a.region.upper, b.region.upper);
  EXPECT_EQ(a.solid_fraction, b.solid_fraction);
}

void ExpectEqual(const GrainTemplate& a, const GrainTemplate& b) {
  EXPECT_EQ(a.sizes, b.sizes);
  EXPECT_EQ(a.material, b.material);
  EXPECT_EQ(a.velocity, b.velocity);
  EXPECT_EQ(a.jitter, b.jitter);
}

void ExpectEqual(const MaterialTable& a, const MaterialTable& b) {
  ASSERT_EQ(a.Size(), b.Size());
  for (MaterialId i = 0; i < static_cast<MaterialId>(a.Size()); ++i) {
    EXPECT_EQ(a[i].name, b[i].name);
    EXPECT_EQ(a[i].density, b[i].density);
    EXPECT_EQ(a[i].young, b[i].young);
    EXPECT_EQ(a[i].poisson, b[i].poisson);
    for (MaterialId j = 0; j < static_cast<MaterialId>(a.Size()); ++j) {
      EXPECT_EQ(a.Friction(i, j), b.Friction(i, j)) << a[i].name << " " << a[j].name;
      EXPECT_EQ(a.Restitution(i, j), b.Restitution(i, j)) << a[i].name << " " << a[j].name;
      EXPECT_EQ(a.Rolling(i, j), b.Rolling(i, j)) << a[i].name << " " << a[j].name;
    }
  }
}

void ExpectEqual(const Scene& a, const Scene& b) {
  EXPECT_EQ(a.seed, b.seed);
  EXPECT_EQ(a.gravity, b.gravity);
  EXPECT_EQ(a.domain.box.lower, b.domain.box.lower);
  EXPECT_EQ(a.domain.box.upper, b.domain.box.upper);
  EXPECT_EQ(a.domain.periodic, b.domain.periodic);
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
    ExpectEqual(a.fills[f].grain, b.fills[f].grain);
  }
  ASSERT_TRUE(a.inflow && b.inflow);
  EXPECT_EQ(a.inflow->piston, b.inflow->piston);
  ExpectEqual(a.inflow->lattice, b.inflow->lattice);
  ExpectEqual(a.inflow->grain, b.inflow->grain);
}

void ExpectEqual(const AverageConfig& a, const AverageConfig& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.from, b.from);
  EXPECT_EQ(a.to, b.to);
  EXPECT_EQ(a.every, b.every);
  ASSERT_EQ(a.of.index(), b.of.index());
  if (const auto* grid = std::get_if<FieldGrid>(&a.of)) {
    EXPECT_EQ(grid->region.lower, std::get<FieldGrid>(b.of).region.lower);
    EXPECT_EQ(grid->region.upper, std::get<FieldGrid>(b.of).region.upper);
    EXPECT_EQ(grid->cells, std::get<FieldGrid>(b.of).cells);
  } else {
    EXPECT_EQ(std::get<FlowPlane>(a.of).point, std::get<FlowPlane>(b.of).point);
    EXPECT_EQ(std::get<FlowPlane>(a.of).normal, std::get<FlowPlane>(b.of).normal);
  }
}

TEST(EffectiveIni, EveryKeyOfTheTableIsInTheScene) {
  ErrorList errors;
  const IniFile file = ScanIni(ReadSceneFile(kEveryKey), "every_key.ini", errors);
  for (const KeySpec& key : AllKeys()) {
    bool found = false;
    for (const IniEntry& entry : file.entries) {
      if (FindKey(entry.section, entry.key) != &key) continue;
      found = true;
      EXPECT_NE(entry.value, key.initial);
    }
    // Given as radius there; a fill and a wall have the diameter. Its sizes are sieved.
    // Not with speculative = no.
    const std::string name = std::string(key.section) + "." + key.key;
    for (const char* lacking :
         {"inflow.diameter", "inflow.radius", "inflow.smallest_radius", "inflow.largest_radius",
          "inflow.spread", "solver.contact_margin"}) {
      found = found || name == lacking;
    }
    EXPECT_TRUE(found) << name;
  }
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
  EXPECT_EQ(a.step.solver.scheme, b.step.solver.scheme);
  EXPECT_EQ(a.step.solver.sharing, b.step.solver.sharing);
  EXPECT_EQ(a.step.solver.order, b.step.solver.order);
  EXPECT_EQ(a.time.end, b.time.end);
  EXPECT_EQ(a.output.directory, b.output.directory);
  EXPECT_EQ(a.output.every, b.output.every);
  EXPECT_EQ(a.output.log_every, b.output.log_every);
  EXPECT_EQ(a.output.energy_book, b.output.energy_book);
  EXPECT_EQ(a.output.overwrite, b.output.overwrite);
  EXPECT_EQ(a.output.format, b.output.format);
  EXPECT_TRUE(b.output.format.single);
  EXPECT_TRUE(b.output.contacts);
  EXPECT_EQ(a.checkpoint.every, b.checkpoint.every);
  EXPECT_EQ(a.checkpoint.every.wall, 90.0);
  EXPECT_EQ(a.checkpoint.keep, b.checkpoint.keep);
  EXPECT_EQ(a.initial.file, b.initial.file);
  EXPECT_EQ(a.parallel.subdomains, b.parallel.subdomains);
  ASSERT_EQ(a.averages.size(), 2u);
  ASSERT_EQ(a.averages.size(), b.averages.size());
  for (std::size_t k = 0; k < a.averages.size(); ++k) ExpectEqual(a.averages[k], b.averages[k]);
  EXPECT_EQ(EffectiveIni(a), EffectiveIni(b));
}

}  // namespace
}  // namespace scree
