#include "engine/step/simulation.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "engine/filling/fills.hpp"
#include "engine/observation/energy_balance.hpp"
#include "engine/particles/body_mass.hpp"
#include "engine/ranks/collective_error.hpp"
#include "engine/scene/steering.hpp"
#include "engine/step/cell_start.hpp"
#include "engine/step/insert_remove.hpp"
#include "engine/step/time_step.hpp"

namespace scree {
namespace {

Subdomains OneBoxPerRank(const Communicator& communicator, const Domain& domain) {
  return {domain, SmallestHaloGrid(domain, communicator.Size())};
}

State StateFromFills(const Communicator& communicator, const Scene& scene) {
  const Subdomains subdomains = OneBoxPerRank(communicator, scene.domain);
  State state;
  state.next_id = MakeFills(communicator, subdomains, scene, state.particles);
  return state;
}

State StateFromParticles(const Communicator& communicator, const Scene& scene, Particles particles,
                         std::optional<CellState> cell) {
  State state;
  state.cell = cell ? *cell : CellAround(communicator, scene, particles);
  std::int64_t max_id = -1;
  for (const ParticleId id : particles.id) max_id = std::max(max_id, id);
  state.next_id = communicator.Max(max_id) + 1;
  state.particles = std::move(particles);
  return state;
}

/// First id of particles that a program inserts. If the scene inserts particles too, with ids from
/// State::next_id on, the program's ids are far above, but still exact as doubles.
ParticleId FirstInsertedId(const Scene& scene, const State& state) {
  constexpr ParticleId kFarId = ParticleId{1} << 52;
  const bool scene_inserts = !scene.pistons.empty() || !scene.rains.empty();
  return scene_inserts ? std::max(state.next_id, kFarId) : state.next_id;
}

/// Throws on all ranks if the numbers differ between ranks in any bit. Collective.
void RequireSame(const Communicator& communicator, std::span<const double> numbers,
                 const char* description) {
  // One Max gives the maximum and the minimum of each number, because ~ reverses the order.
  std::vector<std::int64_t> bits;
  for (const double number : numbers) bits.push_back(std::bit_cast<std::int64_t>(number));
  const std::size_t count = bits.size();
  for (std::size_t k = 0; k < count; ++k) bits.push_back(~bits[k]);
  communicator.Max(bits);
  for (std::size_t k = 0; k < count; ++k) {
    if (bits[k] == ~bits[count + k]) continue;
    throw InputError(Text("the ranks give ", description, "; expected the same on all ranks"));
  }
}

/// Describes an impossible force, torque or drag on one of this rank's particles; empty: none.
std::string DescribeImpossible(const BodyForces& forces, const Particles& particles) {
  for (std::size_t i = 0; i < particles.owned; ++i) {
    if (particles.id[i] == kRemovedId) continue;
    const auto describe = [&](const char* name, const auto&... parts) {
      return Text("the ", name, " on particle ", particles.id[i], " is ", parts...);
    };
    const auto describe_vector = [&](const char* name, const Vec3& v, const char* unit) {
      return describe(name, "(", v.transpose(), ") ", unit, "; expected finite numbers");
    };
    if (!forces.force.empty() && !forces.force[i].allFinite())
      return describe_vector("force", forces.force[i], "N");
    if (!forces.torque.empty() && !forces.torque[i].allFinite())
      return describe_vector("torque", forces.torque[i], "N m");
    if (forces.drag.empty()) continue;
    const double drag = forces.drag[i];
    if (!(drag >= 0.0 && std::isfinite(drag)))
      return describe("drag", drag, " kg/s; expected a finite number, at least 0 kg/s");
  }
  return {};
}

}  // namespace

struct Simulation::Parts {
  Parts(const Communicator& ranks, const Scene& initial_scene,
        const StepParameters& step_parameters, State initial_state)
      : communicator(ranks),
        scene(initial_scene),
        parameters(step_parameters),
        state(std::move(initial_state)),
        step(std::in_place, communicator, scene, parameters,
             OneBoxPerRank(ranks, initial_scene.domain), state) {}

  // The step keeps references to the first two members. Steering changes walls and joints of the
  // scene.
  const Communicator communicator;
  Scene scene;
  const StepParameters parameters;
  State state;
  std::optional<TimeStep>
      step;  // always has a value; optional because a TimeStep cannot be assigned
  MotionWatcher watcher;
  std::int64_t end_step_at = kNoEvent;
  bool records_energy = false;
  // During an edit: positions and velocities that the program sees, and the velocities that the
  // step stores.
  std::vector<Vec3> shown_positions, shown_velocities, stored_velocities;
  ParticleId next_id = FirstInsertedId(scene, state);
};

Simulation::Simulation(const Communicator& communicator, const Scene& scene,
                       const StepParameters& parameters)
    : parts_(std::make_shared<Parts>(communicator, scene, parameters,
                                     StateFromFills(communicator, scene))) {}

Simulation::Simulation(const Communicator& communicator, const Scene& scene,
                       const StepParameters& parameters, Particles particles,
                       std::optional<CellState> cell)
    : parts_(std::make_shared<Parts>(
          communicator, scene, parameters,
          StateFromParticles(communicator, scene, std::move(particles), std::move(cell)))) {}

Simulation::~Simulation() = default;
Simulation::Simulation(Simulation&&) noexcept = default;
Simulation& Simulation::operator=(Simulation&&) noexcept = default;

void Simulation::Step() {
  parts_->step->Advance(parts_->state, parts_->watcher, 0, parts_->end_step_at);
}

void Simulation::Step(const BodyForces& forces) {
  const std::size_t owned = Grains().owned;
  const auto has_valid_size = [owned](const auto& values) {
    return values.empty() || values.size() == owned;
  };
  SCREE_DEMAND(has_valid_size(forces.force) && has_valid_size(forces.torque) &&
               has_valid_size(forces.drag));
  ThrowIfAny<InputError>(parts_->communicator, DescribeImpossible(forces, Grains()));
  parts_->step->Advance(parts_->state, parts_->watcher, 0, parts_->end_step_at, &forces);
}

std::span<const Vec3> Simulation::BodyImpulses() const { return parts_->step->BodyImpulses(); }

EditableParticles Simulation::BeginEdit() {
  Particles& particles = parts_->state.particles;
  if (parts_->shown_velocities.empty()) {
    parts_->shown_velocities = VelocitiesNow();
    if (!parts_->shown_velocities.empty()) {
      parts_->shown_positions = particles.position;
      parts_->stored_velocities = particles.velocity;
    }
    std::ranges::copy(parts_->shown_velocities, particles.velocity.begin());
  }
  const auto owned = [&](auto& array) { return std::span(array).first(particles.owned); };
  return {owned(particles.position),         owned(particles.velocity),
          owned(particles.angular_velocity), owned(particles.orientation),
          owned(particles.radius),           owned(particles.material)};
}

/// Velocities of particles that the program has not changed keep their bits. After an error the
/// edit stays open.
void Simulation::EndEdit() {
  std::vector<Vec3>& velocities = parts_->state.particles.velocity;
  const std::vector<Vec3> edited(velocities.begin(),
                                 velocities.begin() + std::ssize(parts_->shown_velocities));
  const double last_length = parts_->step->LastLength();
  for (std::size_t i = 0; i < edited.size(); ++i) {
    const Vec3& position = parts_->state.particles.position[i];
    const bool is_unchanged =
        edited[i] == parts_->shown_velocities[i] && position == parts_->shown_positions[i];
    velocities[i] = is_unchanged
                        ? parts_->stored_velocities[i]
                        : VelocityOfLastStep(parts_->scene.frame, position, edited[i], last_length);
  }
  try {
    parts_->step->EndEdit(parts_->state);
  } catch (...) {
    std::ranges::copy(edited, velocities.begin());
    throw;
  }
  parts_->shown_velocities.clear();
}

std::vector<Vec3> Simulation::VelocitiesNow() const {
  return parts_->step->VelocitiesNow(parts_->state).of_owned;
}

std::vector<ParticleId> Simulation::Insert(Particles new_particles) {
  const Communicator& communicator = parts_->communicator;
  State& state = parts_->state;
  const auto count = static_cast<std::int64_t>(new_particles.Size());
  std::iota(new_particles.id.begin(), new_particles.id.end(),
            parts_->next_id + communicator.ExclusiveSum(count));
  new_particles.owned = new_particles.Size();
  // The next step may be shorter than planned, so velocities are checked for a base step.
  const StepParameters& parameters = parts_->parameters;
  const double length = parameters.accuracy > 0.0 ? parameters.dt : parts_->step->Length();
  const PeriodicImages images(parts_->step->DomainNow(), Time());
  RequireInsertable(
      {communicator, parts_->scene, images, parts_->step->Radii(), length, parameters.dt}, state,
      new_particles);
  parts_->next_id += communicator.Sum(count);
  const std::size_t first = state.particles.owned;
  InsertParticles(new_particles, parts_->scene.frame, parts_->step->LastLength(), state);
  EndEdit();
  if (parts_->records_energy) {
    for (std::size_t i = first; i < state.particles.owned; ++i) {
      state.energy.inserted += EnergyOf(i);
    }
  }
  return new_particles.id;
}

std::int64_t Simulation::Remove(std::span<const std::uint8_t> rows) {
  State& state = parts_->state;
  for (std::size_t i = 0; i < rows.size() && parts_->records_energy; ++i) {
    const bool is_removed = rows[i] != 0 && state.particles.id[i] != kRemovedId;
    if (is_removed) state.energy.removed += EnergyOf(i);
  }
  const std::int64_t removed = parts_->communicator.Sum(RemoveParticles(rows, state));
  if (removed > 0) EndEdit();
  return removed;
}

double Simulation::EnergyOf(std::size_t i) const {
  return KineticEnergyOf(Grains(), i, 1.0 / MassOf(Grains(), i, GetScene()), GetScene().clumps);
}

void Simulation::MoveWall(std::size_t w, const Vec3& velocity, const Vec3& angular_velocity) {
  const WallVelocity motion{velocity, angular_velocity};
  const double time = Time();
  const double numbers[] = {velocity.x(),         velocity.y(),         velocity.z(),
                            angular_velocity.x(), angular_velocity.y(), angular_velocity.z()};
  RequireSame(parts_->communicator, numbers, "a wall different velocities");
  // Checks the motion for a base step, because the next step will be as short as the motion
  // requires.
  const std::string error =
      DescribeUnsteerable(parts_->scene, w, time, parts_->parameters.dt, motion);
  if (!error.empty()) throw InputError(error);
  Wall& wall = parts_->scene.walls[w];
  const bool was_moving = wall.IsMoving();
  const auto poses = WallPoses(parts_->scene, parts_->parameters.dt, Steps(), FreeWalls());
  Steer(poses[w], time, motion, wall);
  parts_->step->UpdateAfterSteering(parts_->state, !was_moving);
}

void Simulation::DriveJoint(std::size_t j, const JointCommand& command) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  const double numbers[] = {command.drive ? static_cast<double>(*command.drive) : kNone,
                            command.target, command.largest.value_or(kNone),
                            command.largest_speed.value_or(kNone), command.force.value_or(kNone)};
  RequireSame(parts_->communicator, numbers, "a joint different drives");
  const std::string error = DescribeUndrivable(parts_->scene, j, parts_->parameters.dt, command);
  if (!error.empty()) throw InputError(error);
  Drive(command, parts_->scene.joints[j]);
  parts_->step->UpdateAfterSteering(parts_->state, false);
}

/// Copies whole objects, so that no data can be forgotten.
class Simulation::Moment {
 public:
  explicit Moment(std::shared_ptr<Parts> parts)
      : owner(std::move(parts)),
        state(owner->state),
        step(*owner->step),
        walls(owner->scene.walls),
        joints(owner->scene.joints),
        next_id(owner->next_id) {}

  const std::shared_ptr<Parts> owner;  // the step refers to its members
  const State state;
  const TimeStep step;
  const std::vector<Wall> walls;
  const std::vector<Joint> joints;
  const ParticleId next_id;
};

std::shared_ptr<const Simulation::Moment> Simulation::Save() const {
  return std::make_shared<const Moment>(parts_);
}

bool Simulation::Restore(const Moment& moment) {
  if (moment.owner != parts_) return false;
  parts_->state = moment.state;
  parts_->scene.walls = moment.walls;
  parts_->scene.joints = moment.joints;
  parts_->next_id = moment.next_id;
  parts_->step.emplace(moment.step);
  parts_->step->PlaceCell(parts_->state);
  parts_->step->EnableEnergyBalance(parts_->records_energy);
  parts_->shown_velocities.clear();
  return true;
}

void Simulation::Reset(const Scene& scene) {
  ResetTo(scene, StateFromFills(parts_->communicator, scene));
}

void Simulation::Reset(const Scene& scene, Particles particles, std::optional<CellState> cell) {
  ResetTo(scene,
          StateFromParticles(parts_->communicator, scene, std::move(particles), std::move(cell)));
}

void Simulation::ResetTo(const Scene& scene, State initial_state) {
  Scene& current = parts_->scene;
  std::vector<Wall> walls = std::exchange(current.walls, scene.walls);
  std::vector<Joint> joints = std::exchange(current.joints, scene.joints);
  std::optional<TimeStep> step;
  try {
    step.emplace(parts_->communicator, current, parts_->parameters,
                 OneBoxPerRank(parts_->communicator, current.domain), initial_state);
  } catch (...) {
    current.walls = std::move(walls);
    current.joints = std::move(joints);
    throw;
  }
  parts_->state = std::move(initial_state);
  parts_->next_id = FirstInsertedId(current, parts_->state);
  parts_->step.emplace(*std::move(step));
  parts_->step->EnableEnergyBalance(parts_->records_energy);
  parts_->shown_velocities.clear();
}

void Simulation::StartInterval() { parts_->step->StartInterval(parts_->state); }
void Simulation::SetWatcher(std::function<void(const Particles&)> watcher) {
  parts_->watcher = std::move(watcher);
}
void Simulation::EndStepAt(std::int64_t base_steps) { parts_->end_step_at = base_steps; }
std::int64_t Simulation::EndOfNextStep() const {
  return parts_->step->EndOfNextStep(parts_->state, parts_->end_step_at);
}
void Simulation::EnableEnergyBalance() {
  parts_->records_energy = true;
  parts_->step->EnableEnergyBalance(true);
}
void Simulation::KeepStartingImpulses(bool enabled) { parts_->step->KeepStartingImpulses(enabled); }
void Simulation::KeepTouching(bool enabled) { parts_->step->KeepTouching(enabled); }
void Simulation::KeepTouchingOnRead(bool enabled) {
  parts_->step->KeepTouching(enabled ? TouchingSearch::kOnRead : TouchingSearch::kNone);
}
void Simulation::MeasureSolve(bool enabled) { parts_->step->KeepSolveError(enabled); }
const StepView& Simulation::View() const { return *parts_->step; }

Particles Simulation::ReleaseArrays(std::span<const std::string_view> fields) {
  Particles released;
  ForEachFieldOf(
      [&](const Field& field, auto& array, auto& released_array) {
        if (std::ranges::find(fields, field.name) == fields.end()) return;
        released_array = std::move(array);
        array = released_array;
      },
      parts_->state.particles, released);
  return released;
}

std::int64_t Simulation::Steps() const { return parts_->state.step; }
double Simulation::Time() const {
  return parts_->parameters.dt * static_cast<double>(parts_->state.step);
}
const Particles& Simulation::Grains() const { return parts_->state.particles; }
std::vector<double> Simulation::Masses() const {
  const Particles& particles = Grains();
  std::vector<double> masses(particles.owned);
  for (std::size_t i = 0; i < masses.size(); ++i) masses[i] = MassOf(particles, i, GetScene());
  return masses;
}
Observables Simulation::Observe() const { return parts_->step->Observe(parts_->state); }
BondClusters Simulation::Clusters() const { return parts_->step->Clusters(parts_->state); }
SolveReport Simulation::Report() const {
  SolveReport report = parts_->step->Report();
  const std::optional<SolveError>& error = parts_->step->ErrorOfSolve();
  if (error) report.measured = error->MeasuredAt(Steps());
  return report;
}
const Scene& Simulation::GetScene() const { return parts_->scene; }
const StepParameters& Simulation::Parameters() const { return parts_->parameters; }
const Communicator& Simulation::Ranks() const { return parts_->communicator; }
std::span<const FreeWallState> Simulation::FreeWalls() const { return parts_->state.free_walls; }

}  // namespace scree
