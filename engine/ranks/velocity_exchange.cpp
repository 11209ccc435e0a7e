#include "engine/ranks/velocity_exchange.hpp"

namespace scree {

void VelocityExchange::Start(std::span<const SphereBody> bodies) {
  buffers_.before.clear();
  for (const ExchangePlan::Peer& peer : plan_.Peers()) {
    for (Index g = 0; g < peer.ghosts; ++g) {
      const SphereBody& ghost = bodies[static_cast<std::size_t>(peer.first_ghost + g)];
      buffers_.before.push_back({ghost.v, ghost.u});
    }
  }
  buffers_.split.clear();
  if (shares_.empty()) return;
  for (std::size_t i = 0; i < owned_; ++i) {
    if (shares_[i] <= 1) continue;
    buffers_.split.push_back({static_cast<Index>(i), {bodies[i].v, bodies[i].u}});
  }
}

void VelocityExchange::SendChanges(std::span<const SphereBody> bodies) {
  if (plan_.IsEmpty()) return;
  timer_.Mark(Phase::kSweeps);
  plan_.StartScatter<Velocity>(communicator_, [&](Index ghost) {
    const auto g = static_cast<std::size_t>(ghost);
    const Velocity& before = buffers_.before[g - owned_];
    return Velocity{bodies[g].v - before.v, bodies[g].u - before.u};
  });
  timer_.Mark(Phase::kExchange);
}

void VelocityExchange::TakeChanges(std::span<SphereBody> bodies) {
  if (plan_.IsEmpty()) return;
  timer_.Mark(Phase::kSweeps);
  plan_.FinishScatter<Velocity>([&](Index owned, const Velocity& change) {
    SphereBody& body = bodies[static_cast<std::size_t>(owned)];
    body.v += change.v;
    body.u += change.u;
  });
  TakeMeans(bodies);
  SendVelocities(bodies);
  timer_.Mark(Phase::kExchange);
}

/// Owned bodies have all changes added; with shares, only the mean of these counts.
void VelocityExchange::TakeMeans(std::span<SphereBody> bodies) {
  for (VelocityBuffers::Split& split : buffers_.split) {
    const auto i = static_cast<std::size_t>(split.body);
    const double share = 1.0 / shares_[i];
    bodies[i].v = split.before.v + share * (bodies[i].v - split.before.v);
    bodies[i].u = split.before.u + share * (bodies[i].u - split.before.u);
    split.before = {bodies[i].v, bodies[i].u};
  }
}

void VelocityExchange::SendVelocities(std::span<const SphereBody> bodies) {
  plan_.StartGather<Velocity>(communicator_, [&](Index owned) {
    const SphereBody& body = bodies[static_cast<std::size_t>(owned)];
    return Velocity{body.v, body.u};
  });
}

void VelocityExchange::TakeSums(std::span<SphereBody> bodies) {
  if (plan_.IsEmpty()) return;
  timer_.Mark(Phase::kSweeps);
  plan_.FinishGather<Velocity>([&](Index ghost, const Velocity& velocity) {
    const auto g = static_cast<std::size_t>(ghost);
    bodies[g].v = velocity.v;
    bodies[g].u = velocity.u;
    buffers_.before[g - owned_] = velocity;
  });
  timer_.Mark(Phase::kExchange);
}

void VelocityExchange::Refresh(std::span<SphereBody> bodies) {
  if (plan_.IsEmpty()) return;
  timer_.Mark(Phase::kSweeps);
  SendVelocities(bodies);
  plan_.FinishGather<Velocity>([&](Index ghost, const Velocity& velocity) {
    SphereBody& body = bodies[static_cast<std::size_t>(ghost)];
    body.v = velocity.v;
    body.u = velocity.u;
  });
  timer_.Mark(Phase::kExchange);
}

double VelocityExchange::TakeMax() {
  timer_.Mark(Phase::kSweeps);
  const double max = max_.Take();
  timer_.Mark(Phase::kExchange);
  return max;
}

}  // namespace scree
