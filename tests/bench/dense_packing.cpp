#include "tests/bench/dense_packing.hpp"

#include "apps/common/packing.hpp"
#include "engine/ranks/migration.hpp"

namespace scree::bench {
namespace {

const ListReach kReach = {0.5 * kPackingRadius, 2.0 * kPackingRadius};

}  // namespace

DensePacking::DensePacking() : subdomains(Domain(), {1, 1, 1}), reach(kReach) {
  const Communicator world = Communicator::World();
  Packing packing = GeneratePacking(world, 1000);
  Tile({3, 3, 3}, world, packing);
  scene = ClosedBox(packing.box, {"grain"}, 0.4);
  parameters.speculative = false;
  parameters.contact_threshold = 0.01 * 2.0 * kPackingRadius;
  subdomains = Subdomains(scene.domain, SmallestHaloGrid(scene.domain, world.Size()));
  particles = std::move(packing.particles);
  Migrate(world, subdomains, particles);
  SpareArrays scratch;
  SortAlongCells(reach.skin, particles, scratch, classes);
  halo = BuildHalo(world, subdomains, reach.skin, kPackingRadius, InterfacePairs::kOwnedContact,
                   particles);
  RemoveUnmarkedGhosts(world,
                       MarkNearGhosts(particles, classes, halo, reach.skin, buffers.spheres.packed),
                       halo, particles);
  walls.assign(scene.walls.size(), WallPose());
  BuildNeighborList(particles, classes, halo, scene, walls, reach, buffers.spheres.packed, list);
  rule = MakeActivationRule(scene, parameters, 0.0, false);
  DetectContacts(particles, particles.velocity, halo, list, scene, walls, rule, nullptr, buffers,
                 contacts, wall_bodies);
  contacts.End();
}

DensePacking& SharedDensePacking() {
  static DensePacking packing;
  return packing;
}

}  // namespace scree::bench
