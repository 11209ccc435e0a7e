#include "engine/step/free_walls.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "engine/contacts/contact_partner.hpp"
#include "engine/contacts/wall_impulse.hpp"
#include "solvers/base/check.hpp"

namespace scree {

void FreeWalls::Begin(const Communicator& communicator, const Scene& scene,
                      const Particles& particles, StepContacts& contacts,
                      std::vector<double>& inverse_masses) {
  walls_.clear();
  patches_.clear();
  rows_.assign(scene.walls.size(), -1);
  for (std::size_t w = 0; w < contacts.walls.size(); ++w) {
    const WallPose& pose = contacts.walls[w];
    if (!pose.IsFree()) continue;
    rows_[w] = static_cast<Index>(walls_.size());
    walls_.push_back({w, pose.freedom, pose.axis, pose.free.inertia, pose.free.speed, pose.speed,
                      pose.free.speed});
  }
  if (walls_.empty()) return;
  const ContactBodies numbers(particles, contacts.wall_bodies);
  for (std::size_t j = 0; j < contacts.treated.size(); ++j) {
    const DetectedContact& contact = contacts.treated[j];
    if (!numbers.IsWall(contact.b)) continue;
    const WallBody& wall = numbers.WallOf(contact.b);
    const Index row = rows_[static_cast<std::size_t>(wall.wall)];
    if (row < 0) continue;
    const auto k = static_cast<std::size_t>(row);
    ++walls_[k].contacts;
    patches_.push_back({j, static_cast<std::size_t>(contact.b), k, wall.along,
                        wall.velocity - walls_[k].before * wall.along, contact.normal,
                        scene.HasClumps() ? 1.0  // shares of laws are lengths there
                                          : particles.radius[static_cast<std::size_t>(contact.a)]});
  }
  digits_.clear();
  for (const FreeBody& wall : walls_) digits_.push_back(wall.contacts);
  communicator.Sum(digits_);
  for (std::size_t k = 0; k < walls_.size(); ++k) walls_[k].contacts = digits_[k];
  for (const Patch& patch : patches_) {
    const FreeBody& wall = walls_[patch.wall];
    const double mobility = patch.along.squaredNorm() / wall.inertia;
    contacts.wall_bodies[patch.body - particles.Size()].mobility = mobility;
    inverse_masses[patch.body] = static_cast<double>(wall.contacts) * mobility;
  }
}

template <class Body>
void FreeWalls::SetPatchMasses(std::span<Body> bodies) const {
  for (const Patch& patch : patches_) {
    const FreeBody& wall = walls_[patch.wall];
    bodies[patch.body].inverse_mass =
        static_cast<double>(wall.contacts) * (patch.along.squaredNorm() / wall.inertia);
  }
}

void FreeWalls::SetUp(bool turn_with_wall, std::span<SphereBody> bodies) {
  patches_turn_ = turn_with_wall;
  for (Patch& patch : patches_) {
    const FreeBody& wall = walls_[patch.wall];
    SphereBody& body = bodies[patch.body];
    patch.rotation = body.u;
    if (!turn_with_wall) continue;
    // TurnPatches has set the whole rotation.
    if (wall.freedom == Freedom::kAbout) patch.rotation -= patch.radius * wall.before * wall.axis;
    patch.surface -= patch.rotation.cross(patch.normal);
  }
  Set(bodies, When::kAfter);
}

void FreeWalls::SetUp(bool turn_with_wall, std::span<RigidBody> bodies) {
  patches_turn_ = turn_with_wall;
  for (Patch& patch : patches_) {
    const FreeBody& wall = walls_[patch.wall];
    patch.rotation = bodies[patch.body].omega;
    if (turn_with_wall && wall.freedom == Freedom::kAbout)
      patch.rotation -= wall.before * wall.axis;
  }
  Set(bodies, When::kAfter);
}

void FreeWalls::Set(std::span<SphereBody> bodies, When when) const {
  for (const Patch& patch : patches_) {
    const FreeBody& wall = walls_[patch.wall];
    const double speed = wall.Speed(when == When::kMean);
    SphereBody& body = bodies[patch.body];
    body.v = patch.surface + speed * patch.along;
    body.u = patch.rotation;
    if (!patches_turn_ || wall.freedom != Freedom::kAbout) continue;
    const Vec3 turn = patch.radius * speed * wall.axis;
    body.u += turn;
    body.v -= turn.cross(patch.normal);
  }
}

void FreeWalls::Set(std::span<RigidBody> bodies, When when) const {
  for (const Patch& patch : patches_) {
    const FreeBody& wall = walls_[patch.wall];
    const double speed = wall.Speed(when == When::kMean);
    RigidBody& body = bodies[patch.body];
    body.v = patch.surface + speed * patch.along;
    body.omega = patch.rotation;
    if (patches_turn_ && wall.freedom == Freedom::kAbout) body.omega += speed * wall.axis;
  }
}

/// The sums of all ranks, in one reduction.
void FreeWalls::SumImpulses(const Communicator& communicator) {
  digits_.clear();
  for (ExactSum& sum : sums_) {
    digits_.insert(digits_.end(), sum.Digits().begin(), sum.Digits().end());
  }
  communicator.Sum(digits_);
  auto digit = digits_.begin();
  for (ExactSum& sum : sums_) {
    for (std::int64_t& one : sum.Digits()) one = *digit++;
  }
}

template <class Body>
void FreeWalls::UpdateFromImpulses(const Communicator& communicator, const ContactBatches& batches,
                                   std::span<Body> bodies) {
  sums_.assign(walls_.size(), {});
  for (const Patch& patch : patches_) {
    const Wrench on_a = WrenchOnA(batches, patch.contact, patch.radius);
    double along = patch.along.dot(on_a.impulse);
    const FreeBody& wall = walls_[patch.wall];
    if (wall.freedom == Freedom::kAbout) along += wall.axis.dot(on_a.angular);
    sums_[patch.wall].Add(-along);
  }
  SumImpulses(communicator);
  for (std::size_t k = 0; k < walls_.size(); ++k) {
    walls_[k].impulse = sums_[k].Value();
    walls_[k].speed = walls_[k].free + walls_[k].impulse / walls_[k].inertia;
  }
  Set(bodies, When::kAfter);
}

template <class Moved>
void FreeWalls::UpdateFromImpulses(const Communicator& communicator, const ContactBatches& batches,
                                   const PositionProjection& positions, std::span<Moved> bodies) {
  sums_.assign(walls_.size(), {});
  for (const Patch& patch : patches_) {
    sums_[patch.wall].Add(-positions.Impulse(batches, patch.contact) *
                          patch.along.dot(patch.normal));
  }
  SumImpulses(communicator);
  for (std::size_t k = 0; k < walls_.size(); ++k) {
    walls_[k].displacement = sums_[k].Value() / walls_[k].inertia;
  }
  for (const Patch& patch : patches_) {
    bodies[patch.body].*kMove<Moved> = walls_[patch.wall].displacement * patch.along;
  }
}

template void FreeWalls::UpdateFromImpulses(const Communicator&, const ContactBatches&,
                                            const PositionProjection&, std::span<Displacement>);
template void FreeWalls::UpdateFromImpulses(const Communicator&, const ContactBatches&,
                                            const PositionProjection&, std::span<RigidBody>);

double FreeWalls::NormOfImpulses() const {
  double norm = 0.0;
  for (const FreeBody& wall : walls_) {
    norm += wall.inertia * (wall.speed - wall.free) * (wall.speed - wall.free);
  }
  return norm;
}

double FreeWalls::EnergyOfImpulses() const {
  double energy = 0.0;
  for (const FreeBody& wall : walls_) {
    energy += 0.5 * wall.inertia * (wall.speed - wall.free) * (wall.speed + wall.free);
  }
  return energy;
}

void FreeWalls::Move(const Scene& scene, double dt, std::int64_t stride,
                     std::span<FreeWallState> states) const {
  for (const FreeBody& wall : walls_) {
    FreeWallState& state = states[wall.wall];
    state.speed = wall.speed;
    state.travel += dt * wall.speed + wall.displacement;
    state.impulse += wall.impulse;
    state.steps += stride;
    const bool turns = wall.freedom == Freedom::kAbout;
    const double most = turns ? std::numbers::pi : scene.domain.box.Extent().maxCoeff();
    if (std::abs(dt * wall.speed) < most && std::abs(state.travel) < 1e12 * most) continue;
    throw SimulationError(Text("[wall.", scene.walls[wall.wall].name, "] is free and moves at ",
                               wall.speed, turns ? " rad/s" : " m/s", ", which is ",
                               dt * wall.speed, turns ? " rad" : " m",
                               " in a step; use a shorter step, more inertia or damping, or "
                               "particles that stop it"));
  }
}

template void FreeWalls::SetPatchMasses(std::span<SphereBody>) const;
template void FreeWalls::SetPatchMasses(std::span<RigidBody>) const;
template void FreeWalls::UpdateFromImpulses(const Communicator&, const ContactBatches&,
                                            std::span<SphereBody>);
template void FreeWalls::UpdateFromImpulses(const Communicator&, const ContactBatches&,
                                            std::span<RigidBody>);

}  // namespace scree
