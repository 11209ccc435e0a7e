#include "apps/run/golden_channel.hpp"

#include "engine/filling/fills.hpp"

namespace scree {

Scene GoldenChannel() {
  Scene scene;
  scene.domain.box = {Vec3::Zero(), Vec3(0.03, 0.012, 0.008)};
  scene.gravity = Vec3(0, 0, -9.81);
  scene.materials.Add({"grain", 2650.0}, 0.4);
  const auto add_plane = [&scene](const Vec3& point, const Vec3& normal,
                                  const Vec3& velocity = Vec3::Zero()) {
    scene.walls.push_back({"wall", {{Plane{point, normal}}}, velocity, 0});
  };
  add_plane(Vec3::Zero(), Vec3::UnitZ());
  add_plane(Vec3(0, 0, 0.008), -Vec3::UnitZ());
  add_plane(Vec3::Zero(), Vec3::UnitY());
  add_plane(Vec3(0, 0.012, 0), -Vec3::UnitY());
  add_plane(Vec3::Zero(), Vec3::UnitX(), Vec3::UnitX());
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

State FirstState(const Communicator& communicator, const Scene& scene) {
  const Subdomains subdomains(scene.domain, SmallestHaloGrid(scene.domain, communicator.Size()));
  State state;
  state.next_id = MakeFills(communicator, subdomains, scene, state.particles);
  return state;
}

}  // namespace scree
