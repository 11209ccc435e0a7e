/// \file  Small scenes made in code, and quantities of finished runs.
#pragma once

#include <algorithm>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "engine/particles/grains.hpp"
#include "engine/ranks/byte_buffer.hpp"
#include "engine/step/time_step.hpp"

namespace scree::test {

/// False if several ranks run the program. Code without communication does the same on each rank,
/// so it is tested on one rank only.
inline bool IsSingleRank() { return Communicator::World().Size() == 1; }

/// A box without walls, gravity or particles; one material.
inline Scene EmptyScene(const Vec3& lower, const Vec3& upper, double friction) {
  Scene scene;
  scene.domain.box = {lower, upper};
  scene.gravity.setZero();
  scene.materials.Add({"grain", 2650.0}, friction);
  return scene;
}

inline void AddPlane(Scene& scene, const Vec3& point, const Vec3& normal,
                     const Vec3& velocity = Vec3::Zero()) {
  scene.walls.push_back({"wall", {{Plane{point, normal}}}, velocity, 0});
}

inline void AddSphere(Particles& particles, ParticleId id, const Vec3& position, double radius,
                      const Vec3& velocity = Vec3::Zero(), const Vec3& omega = Vec3::Zero()) {
  const std::size_t i = particles.Size();
  Resize(particles, i + 1);
  particles.position[i] = position;
  particles.velocity[i] = velocity;
  particles.angular_velocity[i] = omega;
  particles.radius[i] = radius;
  particles.id[i] = id;
  particles.owned = i + 1;
}

inline double Mass(double radius, double density = 2650.0) {
  return 4.0 / 3.0 * 3.14159265358979323846 * radius * radius * radius * density;
}

inline TimeStep Start(const Communicator& communicator, const Scene& scene,
                      const StepParameters& parameters, State& state) {
  const Subdomains subdomains(scene.domain, SmallestHaloGrid(scene.domain, communicator.Size()));
  return TimeStep(communicator, scene, parameters, subdomains, state);
}

/// Advances a state; returns the stepper with the data of the last step.
inline TimeStep Run(const Communicator& communicator, const Scene& scene,
                    const StepParameters& parameters, State& state, int steps) {
  TimeStep step = Start(communicator, scene, parameters, state);
  for (int k = 0; k < steps; ++k) step.Advance(state);
  return step;
}

struct Kinematics {
  Vec3 position, velocity, angular_velocity;
  double radius;
  Quaternion orientation;
};

/// The particles of all ranks by id, on every rank. Collective.
inline std::map<ParticleId, Kinematics> GatherById(const Communicator& communicator,
                                                   const Particles& particles) {
  ByteWriter writer;
  for (std::size_t i = 0; i < particles.owned; ++i) {
    if (particles.id[i] == kRemovedId) continue;
    writer.Put(particles.id[i]);
    writer.Put(Kinematics{particles.position[i], particles.velocity[i],
                          particles.angular_velocity[i], particles.radius[i],
                          particles.orientation[i]});
  }
  const std::vector<std::byte> bytes = writer.Take();
  std::string joined;
  for (const std::string& message : communicator.GatherAtRoot(
           std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()))) {
    joined += message;
  }
  joined = communicator.Broadcast(joined);
  ByteReader reader(std::as_bytes(std::span(joined)));
  std::map<ParticleId, Kinematics> all;
  while (!reader.IsAtEnd()) {
    const auto id = reader.Get<ParticleId>();
    all.emplace(id, reader.Get<Kinematics>());
  }
  return all;
}

}  // namespace scree::test
