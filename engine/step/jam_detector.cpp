#include "engine/step/jam_detector.hpp"

#include <algorithm>

#include "solvers/base/check.hpp"
#include "solvers/one_contact/sphere_contact.hpp"
#include "solvers/sweeps/contact_work.hpp"

namespace scree {
namespace {

/// Whether some driven wall moves, so that it may press.
bool HasMovingDrivenWall(const std::vector<WallPose>& walls) {
  return std::ranges::any_of(walls, [](const WallPose& wall) {
    return wall.is_present && !wall.IsFree() && (!wall.velocity.isZero(0.0) || wall.IsRotating());
  });
}

double NormalVelocity(const ContactBatches&, std::size_t, const Vec3& normal, const SphereBody& a,
                      const SphereBody& b) {
  return (a.v - b.v).dot(normal);
}
double NormalVelocity(const ContactBatches& batches, std::size_t j, const Vec3& normal,
                      const RigidBody& a, const RigidBody& b) {
  return RelativeVelocity(a, b, batches.ArmsAt(j)).dot(normal);
}

/// ½ m (|v_free| + speed)²
double EnergyAt(const StepSetup& setup, const Particles& particles, const StepSolve& solve,
                std::size_t i, double speed) {
  const Vec3 free = particles.velocity[i] + solve.forces.KicksOf(setup).VelocityOf(i);
  const double fastest = free.norm() + speed;
  return 0.5 / solve.inverse_masses[i] * fastest * fastest;
}

}  // namespace

/// The contact at which a driven wall does the most work, if this work is far more than the kinetic
/// energy that the particle can have.
JamDetector::WallPress JamDetector::StrongestWallPress(const StepSetup& setup,
                                                       const Particles& particles,
                                                       const StepContacts& contacts,
                                                       const StepSolve& solve) const {
  const ContactBodies bodies(particles, contacts.wall_bodies);
  WallPress strongest;
  double max = 0.0;
  for (std::size_t j = 0; j < contacts.owned.size(); ++j) {
    const DetectedContact& contact = contacts.owned[j];
    if (!bodies.IsWall(contact.b)) continue;
    const WallBody& wall = bodies.WallOf(contact.b);
    const double speed = wall.velocity.dot(contact.normal);
    if (!(speed > 0.0) || contacts.walls[static_cast<std::size_t>(wall.wall)].IsFree()) continue;
    const double impulse = solve.batches.Impulse(j).dot(contact.normal);
    const double work = impulse * speed;
    const auto a = static_cast<std::size_t>(contact.a);
    if (!(work > max && work > kJamEnergy * EnergyAt(setup, particles, solve, a, speed))) {
      continue;
    }
    max = work;
    strongest = {j, impulse, speed};
  }
  return strongest;
}

/// Marks the particles of C (jam_detector.hpp) for this wall contact.
/// @returns false if C extends to another rank
bool JamDetector::MarkReached(const WallPress& press, const Particles& particles,
                              const StepContacts& contacts, const StepSolve& solve) {
  constexpr double kMinFraction = 0.1;  // of the wall contact's impulse
  loaded_.clear();
  for (std::size_t j = 0; j < contacts.owned.size(); ++j) {
    const double impulse = solve.batches.Impulse(j).dot(contacts.owned[j].normal);
    if (impulse >= kMinFraction * press.impulse) loaded_.push_back(static_cast<Index>(j));
  }
  reached_.assign(particles.Size(), 0);
  reached_[static_cast<std::size_t>(contacts.owned[press.contact].a)] = 1;
  for (bool has_grown = true; has_grown;) {
    has_grown = false;
    for (const Index j : loaded_) {
      const DetectedContact& contact = contacts.owned[static_cast<std::size_t>(j)];
      const auto a = static_cast<std::size_t>(contact.a), b = static_cast<std::size_t>(contact.b);
      if (b >= particles.Size() || reached_[a] == reached_[b]) continue;
      reached_[a] = reached_[b] = 1;
      has_grown = true;
    }
  }
  const auto ghosts = reached_.begin() + static_cast<std::ptrdiff_t>(particles.owned);
  return std::find(ghosts, reached_.end(), 1) == reached_.end();
}

/// Whether the particles of C cannot move. Also finds the wall that they are pressed against.
template <class Body>
bool JamDetector::IsJammed(const WallPress& press, const StepSetup& setup,
                           const Particles& particles, const StepContacts& contacts,
                           StepSolve& solve, std::vector<Body>& bodies) {
  // The residual of the contacts of C is at most the residual of all contacts. In a bed that
  // carries its load all residuals are nearly zero, and there is no need to find C.
  if (!(ResidualApproachWork(solve.batches, bodies) > kJamShare * press.impulse * press.speed))
    return false;
  is_shared_ = !MarkReached(press, particles, contacts, solve);
  const ContactBodies numbers(particles, contacts.wall_bodies);
  double residual_work = 0.0, wall_work = 0.0, energy = 0.0, max = 0.0;
  opposite_wall_ = -1;
  for (const Index number : loaded_) {
    const auto j = static_cast<std::size_t>(number);
    const DetectedContact& contact = contacts.owned[j];
    const auto a = static_cast<std::size_t>(contact.a), b = static_cast<std::size_t>(contact.b);
    if (reached_[a] == 0) continue;
    const double impulse = solve.batches.Impulse(j).dot(contact.normal);
    residual_work -=
        impulse * (NormalVelocity(solve.batches, j, contact.normal, bodies[a], bodies[b]) +
                   solve.batches.Bias(j));
    if (!numbers.IsWall(contact.b)) continue;
    const WallBody& wall = numbers.WallOf(contact.b);
    if (contacts.walls[static_cast<std::size_t>(wall.wall)].IsFree()) return false;
    wall_work += impulse * std::max(0.0, wall.velocity.dot(contact.normal));
    if (j != press.contact && impulse > max && wall.wall != WallOf(press, numbers, contacts)) {
      max = impulse;
      opposite_wall_ = wall.wall;
    }
  }
  for (std::size_t i = 0; i < particles.owned; ++i) {
    if (reached_[i] != 0) energy += EnergyAt(setup, particles, solve, i, press.speed);
  }
  return residual_work > kJamEnergy * energy && residual_work > kJamShare * wall_work;
}

Index JamDetector::WallOf(const WallPress& press, const ContactBodies& bodies,
                          const StepContacts& contacts) const {
  return bodies.WallOf(contacts.owned[press.contact].b).wall;
}

std::string JamDetector::Check(const StepSetup& setup, const Particles& particles,
                               const StepContacts& contacts, StepSolve& solve) {
  elapsed_ += setup.parameters.dt;
  if (steps_++ % kJamCheckInterval != 0) return {};
  const double elapsed = std::exchange(elapsed_, 0.0);
  last_jam_.clear();
  if (!HasMovingDrivenWall(contacts.walls)) return {};
  const WallPress press = StrongestWallPress(setup, particles, contacts, solve);
  const bool is_jammed = press.impulse > 0.0 && VisitBodies(solve.bodies, [&](auto& typed) {
                           return IsJammed(press, setup, particles, contacts, solve, typed.all);
                         });
  if (!is_jammed) {
    wall_ = -1;
    return {};
  }
  last_jam_ = Describe(press, setup, particles, contacts);
  const Index wall = WallOf(press, ContactBodies(particles, contacts.wall_bodies), contacts);
  travel_ = wall == wall_ ? travel_ + elapsed * press.speed : 0.0;
  wall_ = wall;
  const auto a = static_cast<std::size_t>(contacts.owned[press.contact].a);
  if (travel_ < kJamRadii * particles.radius[a]) return {};
  if (is_shared_) {
    suspected_ = contacts.step;
    return {};
  }
  return last_jam_;
}

std::string JamDetector::Describe(const WallPress& press, const StepSetup& setup,
                                  const Particles& particles, const StepContacts& contacts) const {
  const Index wall = WallOf(press, ContactBodies(particles, contacts.wall_bodies), contacts);
  const auto a = static_cast<std::size_t>(contacts.owned[press.contact].a);
  const auto name = [&](Index w) {
    return "[wall." + setup.scene.walls[static_cast<std::size_t>(w)].name + "]";
  };
  return Text(name(wall), " jams particle ", particles.id[a], " at (",
              particles.position[a].transpose(), ") m",
              opposite_wall_ >= 0 ? " against " + name(opposite_wall_) : std::string(), " at ",
              setup.Moment(contacts.step), ": the particles cannot move at the wall's speed of ",
              press.speed, " m/s, and the contact force, now ", press.impulse / setup.parameters.dt,
              " N, would grow without limit; use ",
              contacts.walls[static_cast<std::size_t>(wall)].IsRotating()
                  ? "the other sense of rotation, if this one is wrong, "
                  : "",
              "a free wall, a joint with a motor of limited force, a gap that particles "
              "pass or cannot enter, or less friction");
}

}  // namespace scree
