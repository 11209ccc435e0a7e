/// \file  The channel flow past an obstacle at full scale, written independently of the scene files
///        (Preclik, Eibl, Rüde, "The Maximum Dissipation Principle in Rigid-Body Dynamics with
///        Purely Inelastic Impacts", section 4.3).
#pragma once

#include "engine/scene/scene.hpp"

namespace scree::test {

inline constexpr double kChannelStep = 1e-5;       // [s]
inline constexpr double kChannelRadius = 0.47e-3;  // [m]

inline Shape HalfCylinderAndBlock() {
  Shape shape;
  shape.parts.push_back(Cylinder{{0.04, 0.04, -0.01}, {0.04, 0.04, 0.03}, 0.01});
  shape.parts.push_back(Block{{{0.04, 0.03, -0.01}, {0.05, 0.05, 0.03}}});
  return shape;
}

inline Scene PaperChannel() {
  Scene scene;
  scene.domain.box = {{0, 0, 0}, {0.15, 0.065, 0.02}};
  scene.materials.Add({"grain", 2650.0}, 0.4);
  const auto add = [&scene](const char* name, const Shape& shape, const Vec3& velocity) {
    scene.walls.push_back({name, shape, velocity, 0});
  };
  add("piston", {{Plane{{0, 0, 0}, Vec3::UnitX()}}}, Vec3::UnitX());
  add("side 1", {{Plane{{0, 0, 0}, Vec3::UnitY()}}}, Vec3::Zero());
  add("side 2", {{Plane{{0, 0.065, 0}, -Vec3::UnitY()}}}, Vec3::Zero());
  add("bottom", {{Plane{{0, 0, 0}, Vec3::UnitZ()}}}, Vec3::Zero());
  add("top", {{Plane{{0, 0, 0.02}, -Vec3::UnitZ()}}}, Vec3::Zero());
  add("obstacle", HalfCylinderAndBlock(), Vec3::Zero());
  const GrainTemplate grain = {kChannelRadius, 0, Vec3::UnitX(), {0.0, 0.5, 0.5}};
  scene.fills.push_back({Lattice{scene.domain.box, 1e-3}, grain});
  scene.pistons = {Inflow{0, {scene.domain.box, 1e-3}, grain}};
  scene.outflow[0][1] = true;
  return scene;
}

}  // namespace scree::test
