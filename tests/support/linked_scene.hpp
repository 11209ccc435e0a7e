/// \file  Scenes of links, built link by link and joint by joint.
#pragma once

#include <string>

#include "tests/support/scenes.hpp"

namespace scree::test {

struct LinkedScene {
  Communicator world;
  Scene scene;
  StepParameters parameters;
  State state;

  LinkedScene(double dt, const Box& box, double gravity, const Communicator& communicator)
      : world(communicator), scene(EmptyScene(box.lower, box.upper, 0.5)) {
    parameters.dt = dt;
    scene.gravity = Vec3(0, 0, -gravity);
  }
  /// Adds a link of one block, whose centre of mass is in the middle.
  /// @param moments  of inertia about the middle [kg m²]
  Index AddBlock(const std::string& name, const Box& box, double mass, const Vec3& moments) {
    const auto link = static_cast<Index>(scene.links.size());
    Wall wall{name, {{Block{box}}}};
    wall.link = link;
    scene.walls.push_back(wall);
    scene.links.push_back({.name = name,
                           .mass = mass,
                           .centre = 0.5 * (box.lower + box.upper),
                           .inertia = Mat3(moments.asDiagonal())});
    return link;
  }
  Joint& AddJoint(JointKind kind, Index parent, Index child, const Vec3& point,
                  const Vec3& axis = Vec3::Zero()) {
    Joint joint;
    joint.name = "joint" + std::to_string(scene.joints.size());
    joint.kind = kind;
    joint.parent = parent;
    joint.child = child;
    joint.point = point;
    joint.axis = axis;
    scene.joints.push_back(joint);
    return scene.joints.back();
  }
  TimeStep Start() {
    Resize(state.particles, state.particles.owned);
    return test::Start(world, scene, parameters, state);
  }
  TimeStep Run(int steps) {
    TimeStep step = Start();
    for (int k = 0; k < steps; ++k) step.Advance(state);
    return step;
  }
};

}  // namespace scree::test
