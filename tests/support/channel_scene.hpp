/// \file  A small channel flow past an obstacle, made in code: piston, inflow, outflow, walls.
#pragma once

#include "engine/filling/fills.hpp"
#include "tests/support/scenes.hpp"

namespace scree::test {

/// 30 x 12 x 8 sites of 1 mm with a box and cylinder in the way; 1300 particles or so in the end.
inline Scene SmallChannel() {
  Scene scene = EmptyScene(Vec3::Zero(), Vec3(0.03, 0.012, 0.008), 0.4);
  scene.gravity = Vec3(0, 0, -9.81);
  AddPlane(scene, Vec3::Zero(), Vec3::UnitZ());
  AddPlane(scene, Vec3(0, 0, 0.008), -Vec3::UnitZ());
  AddPlane(scene, Vec3::Zero(), Vec3::UnitY());
  AddPlane(scene, Vec3(0, 0.012, 0), -Vec3::UnitY());
  AddPlane(scene, Vec3::Zero(), Vec3::UnitX(), Vec3::UnitX());
  scene.walls.push_back({"obstacle",
                         {{Cylinder{Vec3(0.012, 0.006, -0.01), Vec3(0.012, 0.006, 0.02), 0.002},
                           Block{{Vec3(0.012, 0.004, -0.01), Vec3(0.014, 0.008, 0.02)}}}},
                         Vec3::Zero(),
                         0});
  const GrainTemplate grain{0.00047, 0, Vec3(1, 0, 0), Vec3(0, 0.5, 0.5)};
  scene.fills.push_back({Lattice{scene.domain.box, 1e-3}, grain});
  scene.pistons = {Inflow{4, {scene.domain.box, 1e-3}, grain}};
  scene.outflow[0][1] = true;
  return scene;
}

/// The channel's first state, each rank's own part.
inline State FilledChannel(const Communicator& communicator, const Scene& scene) {
  const Subdomains subdomains(scene.domain, SmallestHaloGrid(scene.domain, communicator.Size()));
  State state;
  state.next_id = MakeFills(communicator, subdomains, scene, state.particles);
  return state;
}

}  // namespace scree::test
