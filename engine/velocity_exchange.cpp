#include "engine/velocity_exchange.hpp"

namespace scree {

void VelocityExchange::Start(std::span<const SphereBody> bodies) {
  before_.clear();
  for (const ExchangePlan::Peer& peer : plan_.Peers()) {
    for (Index g = 0; g < peer.ghosts; ++g) {
      const SphereBody& ghost = bodies[static_cast<std::size_t>(peer.first_ghost + g)];
      before_.push_back({ghost.v, ghost.u});
    }
  }
}

void VelocityExchange::Combine(std::span<SphereBody> bodies) {
  if (plan_.IsEmpty()) return;
  timer_.Mark(Phase::kSweeps);
  plan_.ScatterAdd<Change>(
      communicator_,
      [&](Index ghost) {
        const auto g = static_cast<std::size_t>(ghost);
        const Change& before = before_[g - owned_];
        return Change{bodies[g].v - before.v, bodies[g].u - before.u};
      },
      [&](Index owned, const Change& change) {
        SphereBody& body = bodies[static_cast<std::size_t>(owned)];
        body.v += change.v;
        body.u += change.u;
      });
  plan_.Gather(communicator_, bodies);
  Start(bodies);
  timer_.Mark(Phase::kExchange);
}

std::vector<Index> CountContactsElsewhere(const Communicator& communicator, ExchangePlan& plan,
                                          std::span<const DetectedContact> contacts,
                                          std::size_t bodies) {
  if (plan.IsEmpty()) return {};
  std::vector<Index> here(bodies, 0);
  for (const DetectedContact& contact : contacts) {
    ++here[static_cast<std::size_t>(contact.a)];
    ++here[static_cast<std::size_t>(contact.b)];
  }
  std::vector<Index> elsewhere = here;  // first the sum over all ranks
  plan.ScatterAdd<Index>(
      communicator, [&](Index ghost) { return here[static_cast<std::size_t>(ghost)]; },
      [&](Index owned, Index count) { elsewhere[static_cast<std::size_t>(owned)] += count; });
  plan.Gather(communicator, std::span(elsewhere));
  for (std::size_t i = 0; i < bodies; ++i) elsewhere[i] -= here[i];
  return elsewhere;
}

}  // namespace scree
