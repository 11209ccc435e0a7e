#include "engine/step/simulation.hpp"

#include <algorithm>
#include <utility>

#include "engine/filling/fills.hpp"
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
  Particles& particles = parts_->state.particles;
  // Ghosts as well: their velocities stay the bits of their owners without a message.
  for (std::size_t i = 0; i < (field ? particles.Size() : 0); ++i) {
    if (particles.id[i] == kGone) continue;
    particles.velocity[i] += parts_->parameters.dt * field(particles, i);
  }
  parts_->step.Advance(parts_->state);
}

std::int64_t Simulation::Steps() const { return parts_->state.step; }
double Simulation::Time() const {
  return parts_->parameters.dt * static_cast<double>(parts_->state.step);
}
const Particles& Simulation::Grains() const { return parts_->state.particles; }
Observables Simulation::Observe() const { return parts_->step.Observe(parts_->state); }
SolveReport Simulation::Report() const { return parts_->step.Report(); }
const Scene& Simulation::GetScene() const { return parts_->scene; }
const StepParameters& Simulation::Parameters() const { return parts_->parameters; }
const Communicator& Simulation::Ranks() const { return parts_->communicator; }
std::span<const FreeWallState> Simulation::FreeWalls() const { return parts_->state.free_walls; }

}  // namespace scree
