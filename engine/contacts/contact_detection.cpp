#include "engine/contacts/contact_detection.hpp"

#include "engine/contacts/clump_detection.hpp"
#include "engine/contacts/sphere_detection.hpp"
#include "engine/contacts/wall_detection.hpp"

namespace scree {

double DetectContacts(const Particles& particles, std::span<const Vec3> velocities,
                      const Halo& halo, const NeighborList& list, const Scene& scene,
                      const std::vector<WallPose>& walls, const ActivationRule& rule,
                      const WarmStart* warm_start, DetectionBuffers& buffers, ContactList& contacts,
                      std::vector<WallBody>& wall_bodies) {
  BeginWallBodies(walls, wall_bodies);
  WallDetection wall_detection(particles, velocities, list, scene, walls, rule, warm_start,
                               buffers.members, contacts, wall_bodies, buffers.walls);
  const PairDetection pairs(particles, velocities, list, scene, rule, warm_start, halo.shift,
                            contacts);
  if (!scene.HasClumps()) return DetectSpheres(pairs, buffers.spheres, wall_detection);
  buffers.members.Set(particles, scene.clumps);
  return DetectClumps(pairs, buffers.members, wall_detection);
}

}  // namespace scree
