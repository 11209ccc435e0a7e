#include "engine/step/simulation.hpp"

#include <algorithm>
#include <utility>

#include "engine/filling/fills.hpp"
#include "engine/particles/body_mass.hpp"
#include "engine/step/time_step.hpp"

namespace scree {
namespace {

Subdomains OneBoxPerRank(const Communicator& communicator, const Domain& domain) {
  return {domain, SmallestHaloGrid(domain, communicator.Size())};
}

State FromFills(const Communicator& communicator, const Scene& scene) {
  const Subdomains subdomains = OneBoxPerRank(communicator, scene.domain);
  State state;
  state.next_id = MakeFills(communicator, subdomains, scene, state.particles);
  return state;
}

State FromParticles(const Communicator& communicator, Particles particles) {
  State state;
  std::int64_t greatest = -1;
  for (const ParticleId id : particles.id) greatest = std::max(greatest, id);
  state.next_id = communicator.Max(greatest) + 1;
  state.particles = std::move(particles);
  return state;
}

}  // namespace

struct Simulation::Parts {
  Parts(const Communicator& ranks, const Scene& of, const StepParameters& told, State begin)
      : communicator(ranks),
        scene(of),
        parameters(told),
        state(std::move(begin)),
        step(communicator, scene, parameters, OneBoxPerRank(ranks, of.domain), state) {}

  // The step refers to the first two.
  const Communicator communicator;
  const Scene scene;
  const StepParameters parameters;
  State state;
  TimeStep step;
  std::vector<Vec3> accelerations;  // of a field; scratch
};

Simulation::Simulation(const Communicator& communicator, const Scene& scene,
                       const StepParameters& parameters)
    : parts_(std::make_unique<Parts>(communicator, scene, parameters,
                                     FromFills(communicator, scene))) {}

Simulation::Simulation(const Communicator& communicator, const Scene& scene,
                       const StepParameters& parameters, Particles particles)
    : parts_(std::make_unique<Parts>(communicator, scene, parameters,
                                     FromParticles(communicator, std::move(particles)))) {}

Simulation::~Simulation() = default;
Simulation::Simulation(Simulation&&) noexcept = default;
Simulation& Simulation::operator=(Simulation&&) noexcept = default;

void Simulation::Step(const AccelerationField& field) {
  if (!field) {
    parts_->step.Advance(parts_->state);
    return;
  }
  const Particles& particles = parts_->state.particles;
  std::vector<Vec3>& accelerations = parts_->accelerations;
  accelerations.assign(particles.owned, Vec3::Zero());
  for (std::size_t i = 0; i < particles.owned; ++i) {
    if (particles.id[i] != kGone) accelerations[i] = field(particles, i);
  }
  Step(accelerations);
}

void Simulation::Step(std::span<const Vec3> accelerations) {
  parts_->step.Accelerate(parts_->state, accelerations);
  parts_->step.Advance(parts_->state);
}

AlterableGrains Simulation::Alter() {
  Particles& particles = parts_->state.particles;
  const auto owned = [&](auto& array) { return std::span(array).first(particles.owned); };
  return {owned(particles.position),         owned(particles.velocity),
          owned(particles.angular_velocity), owned(particles.orientation),
          owned(particles.radius),           owned(particles.material)};
}

void Simulation::TakeChanges() { parts_->step.TakeChanges(parts_->state); }

Particles Simulation::GiveAway(std::span<const std::string_view> fields) {
  Particles given;
  ForEachFieldOf(
      [&](const Field& field, auto& array, auto& to) {
        if (std::ranges::find(fields, field.name) == fields.end()) return;
        to = std::move(array);
        array = to;
      },
      parts_->state.particles, given);
  return given;
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
Observables Simulation::Observe() const { return parts_->step.Observe(parts_->state); }
SolveReport Simulation::Report() const { return parts_->step.Report(); }
const Scene& Simulation::GetScene() const { return parts_->scene; }
const StepParameters& Simulation::Parameters() const { return parts_->parameters; }
const Communicator& Simulation::Ranks() const { return parts_->communicator; }
std::span<const FreeWallState> Simulation::FreeWalls() const { return parts_->state.free_walls; }

}  // namespace scree
