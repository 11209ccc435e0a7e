#include "engine/ranks/displacement_exchange.hpp"

namespace scree {

void DisplacementExchange::Start(std::span<const Displacement> bodies) {
  buffers_.before.clear();
  for (const ExchangePlan::Peer& peer : plan_.Peers()) {
    for (Index g = 0; g < peer.ghosts; ++g) {
      buffers_.before.push_back(bodies[static_cast<std::size_t>(peer.first_ghost + g)].d);
    }
  }
  buffers_.split.clear();
  if (shares_.empty()) return;
  for (std::size_t i = 0; i < owned_; ++i) {
    if (shares_[i] > 1) buffers_.split.push_back({static_cast<Index>(i), bodies[i].d});
  }
}

void DisplacementExchange::SendChanges(std::span<const Displacement> bodies) {
  if (plan_.IsEmpty()) return;
  timer_.Mark(Phase::kSweeps);
  plan_.StartScatter<Vec3>(communicator_, [&](Index ghost) {
    const auto g = static_cast<std::size_t>(ghost);
    return Vec3(bodies[g].d - buffers_.before[g - owned_]);
  });
  timer_.Mark(Phase::kExchange);
}

void DisplacementExchange::TakeChanges(std::span<Displacement> bodies) {
  if (plan_.IsEmpty()) return;
  timer_.Mark(Phase::kSweeps);
  plan_.FinishScatter<Vec3>([&](Index owned, const Vec3& change) {
    bodies[static_cast<std::size_t>(owned)].d += change;
  });
  for (DisplacementBuffers::Split& split : buffers_.split) {
    const auto i = static_cast<std::size_t>(split.body);
    bodies[i].d = split.before + 1.0 / shares_[i] * (bodies[i].d - split.before);
    split.before = bodies[i].d;
  }
  SendSums(bodies);
  timer_.Mark(Phase::kExchange);
}

void DisplacementExchange::SendSums(std::span<const Displacement> bodies) {
  plan_.StartGather<Vec3>(communicator_,
                          [&](Index owned) { return bodies[static_cast<std::size_t>(owned)].d; });
}

void DisplacementExchange::TakeSums(std::span<Displacement> bodies) {
  if (plan_.IsEmpty()) return;
  timer_.Mark(Phase::kSweeps);
  plan_.FinishGather<Vec3>([&](Index ghost, const Vec3& d) {
    const auto g = static_cast<std::size_t>(ghost);
    bodies[g].d = d;
    buffers_.before[g - owned_] = d;
  });
  timer_.Mark(Phase::kExchange);
}

void DisplacementExchange::Refresh(std::span<Displacement> bodies) {
  if (plan_.IsEmpty()) return;
  timer_.Mark(Phase::kSweeps);
  SendSums(bodies);
  plan_.FinishGather<Vec3>(
      [&](Index ghost, const Vec3& d) { bodies[static_cast<std::size_t>(ghost)].d = d; });
  timer_.Mark(Phase::kExchange);
}

}  // namespace scree
