#include "engine/step/free_walls.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <type_traits>

#include "engine/contacts/contact_partner.hpp"
#include "engine/contacts/wall_impulse.hpp"
#include "engine/scene/link_motion.hpp"
#include "engine/scene/loops.hpp"
#include "solvers/base/check.hpp"

namespace scree {
namespace {

std::string SectionOf(const FreeAxis& axis, const Scene& scene) {
  return axis.joint >= 0 ? "[joint." + scene.joints[static_cast<std::size_t>(axis.joint)].name + "]"
                         : "[wall." + scene.walls[axis.row - scene.WallRow(0)].name + "]";
}

/// Adds the impulses and the work on a joint in a step to its state.
/// @param mean   mean speed of the joint in the step
/// @param after  its speed after the step
/// @param load   impulse of the particles on the joint
/// @param state  with the position and last length at the beginning of the step
void AddWork(const FreeTree& tree, std::span<const double> row_impulses, std::size_t axis,
             const Joint& joint, double mean, double after, double load, FreeWallState& state) {
  const FreeAxis& free_axis = tree.axes[axis];
  double motor = 0.0, brake = 0.0;  // impulses of the rows
  for (std::size_t r = 0; r < tree.rows.size(); ++r) {
    if (tree.rows[r].axis != axis) continue;
    (tree.rows[r].kind == JointRow::Kind::kMotor ? motor : brake) += row_impulses[r];
  }
  // A known force has the impulse of its kick in the balance of energy. Its mean over time weights
  // it with the lengths of the steps, which differ from those of the kicks if steps change.
  const double force = free_axis.prescribed_force, damping = -joint.damping * after;
  state.motor_impulse += motor + tree.length * force;
  state.motor_work += (motor + tree.length * force) * mean;
  state.lost_work -= (brake + tree.length * damping) * mean;
  state.load_work += load * mean;
  state.motor_energy += (motor + tree.kick_length * force) * mean;
  state.lost_energy -= (brake + tree.kick_length * damping) * mean;
  state.load_energy += load * mean;
  // From the middle of the last step to the middle of this step, as the change of the kinetic
  // energy.
  const double last_length = state.LengthBefore(tree.length);
  state.weight_energy +=
      free_axis.weight * 0.5 * (last_length * free_axis.speed + tree.length * after);
  // What the spring stores less. The damping by its implicit force is an error of the integration.
  const double path = tree.length * after, mean_extension = state.travel + 0.5 * path - joint.rest;
  state.spring_energy -= joint.spring * mean_extension * path;
}

/// Finds the rows that lock joints in the projection: limits, and motors and friction below their
/// maximum.
void FindHolds(const FreeTree& tree, std::span<const double> row_impulses,
               std::span<const double> speeds, std::vector<JointRow>& holds) {
  constexpr double kNoLimit = std::numeric_limits<double>::infinity();
  holds.clear();
  for (std::size_t r = 0; r < tree.rows.size(); ++r) {
    JointRow row = tree.rows[r];
    if (row.kind == JointRow::Kind::kLimit) {
      row.target = tree.length * (row.target - speeds[row.axis]);
    } else {
      if (!row.IsWithinBounds(row_impulses[r])) continue;
      row.target = 0.0;
      row.min = -kNoLimit;
      row.max = kNoLimit;
    }
    holds.push_back(row);
  }
}

}  // namespace

void FreeWalls::FindTrees(const StepContacts& contacts) {
  trees_.clear();
  rows_.assign(contacts.walls.size(), -1);
  for (std::size_t w = 0; w < contacts.walls.size(); ++w) {
    const WallPose& pose = contacts.walls[w];
    if (!pose.IsFree()) continue;
    const auto entry = std::ranges::find(trees_, pose.tree, &Tree::free_tree);
    rows_[w] = static_cast<Index>(entry - trees_.begin());
    if (entry != trees_.end()) continue;
    Tree& tree = trees_.emplace_back(Tree{pose.tree});
    for (const FreeAxis& axis : tree.free_tree->axes) tree.speeds.push_back(axis.no_load_speed);
    tree.impulses.resize(tree.speeds.size());
    tree.displacements.resize(tree.speeds.size());
    const std::vector<double> no_impulses(tree.speeds.size());
    tree.free_tree->ComputeSpeeds(no_impulses, tree.speeds, tree.row_impulses);
    if (trees_.size() > 1) {
      const Tree& last = trees_[trees_.size() - 2];
      tree.first = last.first + last.speeds.size();
    }
  }
}

void FreeWalls::FindPatches(const Scene& scene, const Particles& particles,
                            const StepContacts& contacts) {
  patches_.clear();
  columns_.clear();
  const ContactBodies numbers(particles, contacts.wall_bodies);
  for (std::size_t j = 0; j < contacts.owned.size(); ++j) {
    const DetectedContact& contact = contacts.owned[j];
    if (!numbers.IsWall(contact.b)) continue;
    const WallBody& wall = numbers.WallOf(contact.b);
    const auto w = static_cast<std::size_t>(wall.wall);
    if (rows_[w] < 0) continue;
    const auto tree = static_cast<std::size_t>(rows_[w]);
    ++trees_[tree].contacts;
    const std::size_t first = columns_.size();
    contacts.walls[w].ForEachAxis([&](std::size_t k, const FreeAxis& axis) {
      columns_.push_back({k, axis.VelocityAt(wall.contact_point)});
    });
    patches_.push_back({j, static_cast<std::size_t>(contact.b), tree, first, columns_.size(),
                        wall.velocity - wall.free_velocity, contact.normal,
                        scene.HasClumps() ? 1.0  // WrenchOnA requires 1
                                          : particles.radius[static_cast<std::size_t>(contact.a)]});
  }
}

void FreeWalls::Begin(const Communicator& communicator, const Scene& scene,
                      const Particles& particles, StepContacts& contacts,
                      std::vector<double>& inverse_masses) {
  FindTrees(contacts);
  patches_.clear();
  if (trees_.empty()) return;
  FindPatches(scene, particles, contacts);
  digits_.clear();
  for (const Tree& tree : trees_) digits_.push_back(tree.contacts);
  communicator.Sum(digits_);
  for (std::size_t k = 0; k < trees_.size(); ++k) trees_[k].contacts = digits_[k];
  // Laws rotate patches, and an arm would couple this rotation to the contact.
  const bool have_rigid_bodies = scene.HasClumps() && !scene.HasActiveLaw();
  for (Patch& patch : patches_) {
    WallBody& body = contacts.wall_bodies[patch.body - particles.Size()];
    if (have_rigid_bodies) {
      body.arm = FindBody(patch);
    } else {
      patch.mobility = patch.inverse_mass = LargestMobility(patch);
    }
    body.mobility = patch.mobility;
    inverse_masses[patch.body] = static_cast<double>(trees_[patch.tree].contacts) * patch.mobility;
  }
}

/// G P Gᵀ (free_tree.hpp).
Mat3 FreeWalls::MobilityOf(const Patch& patch) const {
  const FreeTree& tree = *trees_[patch.tree].free_tree;
  const std::span<const Column> columns = ColumnsOf(patch);
  Mat3 mobility = Mat3::Zero();
  if (tree.axes.size() == 1) {
    return columns[0].surface_velocity * columns[0].surface_velocity.transpose() / tree.mass(0, 0);
  }
  for (const Column& a : columns) {
    Vec3 velocity = Vec3::Zero();
    for (const Column& b : columns) {
      velocity +=
          tree.inverse(static_cast<Index>(a.axis), static_cast<Index>(b.axis)) * b.surface_velocity;
    }
    mobility += a.surface_velocity * velocity.transpose();
  }
  return mobility;
}

/// The largest eigenvalue of G P Gᵀ; 0 where loops lock the link.
double FreeWalls::LargestMobility(const Patch& patch) const {
  const FreeTree& tree = *trees_[patch.tree].free_tree;
  if (tree.axes.size() == 1)
    return ColumnsOf(patch)[0].surface_velocity.squaredNorm() / tree.mass(0, 0);
  return std::max(0.0,
                  Eigen::SelfAdjointEigenSolver<Mat3>(MobilityOf(patch), Eigen::EigenvaluesOnly)
                      .eigenvalues()[2]);
}

/// Finds the mass and inertia of a rigid body with the mobility of the tree at the contact. G P Gᵀ
/// has the eigenvalues w₁ ≤ w₂ ≤ w₃ and the axes e₁, e₂, e₃:
///
///     G P Gᵀ = w₁ 1 − [e₁]ₓ J [e₁]ₓ,   J = (w₃ − w₁) e₂ e₂ᵀ + (w₂ − w₁) e₃ e₃ᵀ
///
/// @returns e₁, the arm from the centre of mass of the body to the contact [m]
Vec3 FreeWalls::FindBody(Patch& patch) const {
  constexpr double kMin = 1e-9;  // of w₃: an inverse mass of 0 would fix the body
  const Eigen::SelfAdjointEigenSolver<Mat3> solver(MobilityOf(patch));
  const Vec3 w = solver.eigenvalues().cwiseMax(0.0);
  const Mat3& e = solver.eigenvectors();
  patch.mobility = w[2];
  patch.inverse_mass = std::max(w[0], kMin * w[2]);
  patch.inverse_inertia =
      (w[2] - patch.inverse_mass) * e.col(1) * e.col(1).transpose() +
      std::max(0.0, w[1] - patch.inverse_mass) * e.col(2) * e.col(2).transpose();
  return e.col(0);
}

template <class Body>
void FreeWalls::SetPatchMasses(std::span<Body> bodies) const {
  for (const Patch& patch : patches_) {
    const auto contacts = static_cast<double>(trees_[patch.tree].contacts);
    Body& body = bodies[patch.body];
    body.inverse_mass = contacts * patch.inverse_mass;
    if constexpr (std::is_same_v<Body, RigidBody>) {
      body.SetInverseInertia(contacts * patch.inverse_inertia);
    }
  }
}

void FreeWalls::SetUp(bool rotate_with_wall, std::span<SphereBody> bodies) {
  patches_rotate_ = rotate_with_wall;
  for (Patch& patch : patches_) {
    SphereBody& body = bodies[patch.body];
    patch.rotation = body.u;
    if (!rotate_with_wall) continue;
    // SetPatchRotations has already set the whole rotation.
    for (const Column& column : ColumnsOf(patch)) {
      const FreeAxis& axis = AxisOf(patch, column);
      if (axis.is_rotation) patch.rotation -= patch.radius * axis.speed * axis.axis;
    }
    patch.surface -= patch.rotation.cross(patch.normal);
  }
  SetPatches(bodies, SpeedKind::kAfter);
}

void FreeWalls::SetUp(bool rotate_with_wall, std::span<RigidBody> bodies) {
  patches_rotate_ = rotate_with_wall;
  for (Patch& patch : patches_) {
    patch.rotation = bodies[patch.body].omega;
    if (!rotate_with_wall) continue;
    for (const Column& column : ColumnsOf(patch)) {
      const FreeAxis& axis = AxisOf(patch, column);
      if (axis.is_rotation) patch.rotation -= axis.speed * axis.axis;
    }
  }
  SetPatches(bodies, SpeedKind::kAfter);
}

void FreeWalls::SetPatches(std::span<SphereBody> bodies, SpeedKind kind) const {
  for (const Patch& patch : patches_) {
    const Tree& tree = trees_[patch.tree];
    SphereBody& body = bodies[patch.body];
    body.v = patch.surface;
    body.u = patch.rotation;
    for (const Column& column : ColumnsOf(patch)) {
      const double speed = tree.Speed(column.axis, kind == SpeedKind::kMean);
      const FreeAxis& axis = AxisOf(patch, column);
      body.v += speed * column.surface_velocity;
      if (!patches_rotate_ || !axis.is_rotation) continue;
      const Vec3 rotation = patch.radius * speed * axis.axis;
      body.u += rotation;
      body.v -= rotation.cross(patch.normal);
    }
  }
}

void FreeWalls::SetPatches(std::span<RigidBody> bodies, SpeedKind kind) const {
  for (const Patch& patch : patches_) {
    const Tree& tree = trees_[patch.tree];
    RigidBody& body = bodies[patch.body];
    body.v = patch.surface;
    body.omega = patch.rotation;
    for (const Column& column : ColumnsOf(patch)) {
      const double speed = tree.Speed(column.axis, kind == SpeedKind::kMean);
      const FreeAxis& axis = AxisOf(patch, column);
      body.v += speed * column.surface_velocity;
      if (patches_rotate_ && axis.is_rotation) body.omega += speed * axis.axis;
    }
  }
}

/// Sums over all ranks in one reduction.
void FreeWalls::SumImpulses(const Communicator& communicator) {
  digits_.clear();
  for (ExactSum& sum : sums_) {
    digits_.insert(digits_.end(), sum.Digits().begin(), sum.Digits().end());
  }
  communicator.Sum(digits_);
  auto digit = digits_.begin();
  for (ExactSum& sum : sums_) {
    for (std::int64_t& value : sum.Digits()) value = *digit++;
  }
}

void FreeWalls::BeginSums() {
  const Tree& last = trees_.back();
  sums_.assign(last.first + last.speeds.size(), {});
}

void FreeWalls::ReadSums(const Tree& tree, std::vector<double>& values) const {
  for (std::size_t k = 0; k < values.size(); ++k) values[k] = sums_[tree.first + k].Value();
}

template <class Body>
void FreeWalls::UpdateFromImpulses(const Communicator& communicator, const ContactBatches& batches,
                                   std::span<Body> bodies) {
  BeginSums();
  for (const Patch& patch : patches_) {
    const Wrench on_a = WrenchOnA(batches, patch.contact, patch.radius);
    for (const Column& column : ColumnsOf(patch)) {
      const FreeAxis& axis = AxisOf(patch, column);
      double axis_impulse = column.surface_velocity.dot(on_a.impulse);
      if (axis.is_rotation) axis_impulse += axis.axis.dot(on_a.angular);
      sums_[trees_[patch.tree].first + column.axis].Add(-axis_impulse);
    }
  }
  SumImpulses(communicator);
  for (Tree& tree : trees_) {
    ReadSums(tree, tree.impulses);
    tree.free_tree->ComputeSpeeds(tree.impulses, tree.speeds, tree.row_impulses);
  }
  SetPatches(bodies, SpeedKind::kAfter);
}

template <class Displaced>
void FreeWalls::UpdateFromImpulses(const Communicator& communicator, const ContactBatches& batches,
                                   const PositionProjection& positions,
                                   std::span<Displaced> bodies) {
  BeginSums();
  for (const Patch& patch : patches_) {
    for (const Column& column : ColumnsOf(patch)) {
      sums_[trees_[patch.tree].first + column.axis].Add(-positions.Impulse(batches, patch.contact) *
                                                        column.surface_velocity.dot(patch.normal));
    }
  }
  SumImpulses(communicator);
  for (Tree& tree : trees_) {
    ReadSums(tree, tree.displacements);
    tree.free_tree->Solve(tree.displacements);
    FindHolds(*tree.free_tree, tree.row_impulses, tree.speeds, holds_);
    tree.free_tree->Relax(holds_, tree.displacements, hold_impulses_);
  }
  for (const Patch& patch : patches_) {
    Vec3 displacement = Vec3::Zero();
    for (const Column& column : ColumnsOf(patch)) {
      displacement += trees_[patch.tree].displacements[column.axis] * column.surface_velocity;
    }
    bodies[patch.body].*kDisplacement<Displaced> = displacement;
    if constexpr (std::is_same_v<Displaced, RigidBody>) bodies[patch.body].omega = Vec3::Zero();
  }
}

template void FreeWalls::UpdateFromImpulses(const Communicator&, const ContactBatches&,
                                            const PositionProjection&, std::span<Displacement>);
template void FreeWalls::UpdateFromImpulses(const Communicator&, const ContactBatches&,
                                            const PositionProjection&, std::span<RigidBody>);

/// Calls visit(row of M° (s' − s₀), axis, s') for each axis.
template <class Visit>
void FreeWalls::ForEachGain(Visit&& visit) const {
  for (const Tree& tree : trees_) {
    const std::vector<FreeAxis>& axes = tree.free_tree->axes;
    for (std::size_t i = 0; i < axes.size(); ++i) {
      double momentum = 0.0;
      for (std::size_t k = 0; k < axes.size(); ++k) {
        momentum += tree.free_tree->mass(static_cast<Index>(i), static_cast<Index>(k)) *
                    (tree.speeds[k] - axes[k].no_load_speed);
      }
      visit(momentum, axes[i], tree.speeds[i]);
    }
  }
}

double FreeWalls::NormOfImpulses() const {
  double norm = 0.0;
  ForEachGain([&](double momentum, const FreeAxis& axis, double speed) {
    norm += momentum * (speed - axis.no_load_speed);
  });
  return norm;
}

double FreeWalls::EnergyOfImpulses() const {
  double energy = 0.0;
  ForEachGain([&](double momentum, const FreeAxis& axis, double speed) {
    energy += 0.5 * momentum * (speed + axis.no_load_speed);
  });
  return energy;
}

void FreeWalls::Move(const Scene& scene, double dt, std::int64_t stride,
                     std::span<FreeWallState> states) const {
  for (const Tree& tree : trees_) {
    for (std::size_t k = 0; k < tree.speeds.size(); ++k) {
      const FreeAxis& axis = tree.free_tree->axes[k];
      FreeWallState& state = states[axis.row];
      const double speed = tree.speeds[k];
      if (axis.joint >= 0) {
        AddWork(*tree.free_tree, tree.row_impulses, k,
                scene.joints[static_cast<std::size_t>(axis.joint)], tree.Speed(k, true), speed,
                tree.impulses[k], state);
      }
      state.speed = speed;
      state.last_length = dt;
      if (!tree.free_tree->IsRotationComponent(k))
        state.travel += dt * speed + tree.displacements[k];
      state.impulse += tree.impulses[k];
      state.steps += stride;
      const double max_path =
          axis.is_rotation ? std::numbers::pi : scene.domain.box.Extent().maxCoeff();
      if (std::abs(dt * speed) < max_path && std::abs(state.travel) < 1e12 * max_path) continue;
      throw SimulationError(Text(SectionOf(axis, scene), " is free and moves at ", speed,
                                 axis.is_rotation ? " rad/s" : " m/s", ", which is ", dt * speed,
                                 axis.is_rotation ? " rad" : " m",
                                 " in a step; use a shorter step, more inertia or damping, or "
                                 "particles that stop it"));
    }
    for (const std::size_t first : tree.free_tree->rotations) {
      const auto rotation = [first](const std::vector<double>& values) {
        return Vec3(values[first], values[first + 1], values[first + 2]);
      };
      RotateJoint(scene, *tree.free_tree, first, rotation(tree.speeds),
                  rotation(tree.displacements), states);
    }
  }
  if (!trees_.empty()) CloseLoops(scene, states);
}

template void FreeWalls::SetPatchMasses(std::span<SphereBody>) const;
template void FreeWalls::SetPatchMasses(std::span<RigidBody>) const;
template void FreeWalls::UpdateFromImpulses(const Communicator&, const ContactBatches&,
                                            std::span<SphereBody>);
template void FreeWalls::UpdateFromImpulses(const Communicator&, const ContactBatches&,
                                            std::span<RigidBody>);

}  // namespace scree
