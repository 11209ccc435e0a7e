#include "engine/ranks/body_exchange.hpp"

namespace scree {

template <class Value>
void BodyExchange<Value>::Start(std::span<const Body> bodies) {
  buffers_.before.clear();
  for (const ExchangePlan::Peer& peer : plan_.Peers()) {
    for (Index g = 0; g < peer.ghosts; ++g) {
      buffers_.before.push_back(Value::Of(bodies[static_cast<std::size_t>(peer.first_ghost + g)]));
    }
  }
  buffers_.split.clear();
  if (shares_.empty()) return;
  for (std::size_t i = 0; i < owned_; ++i) {
    if (shares_[i] > 1) buffers_.split.push_back({static_cast<Index>(i), Value::Of(bodies[i])});
  }
}

template <class Value>
void BodyExchange<Value>::SendChanges(std::span<const Body> bodies) {
  if (plan_.IsEmpty()) return;
  timer_.Mark(Phase::kSweeps);
  plan_.StartScatter<Value>(communicator_, [&](Index ghost) {
    const auto g = static_cast<std::size_t>(ghost);
    return Value::Of(bodies[g]) - buffers_.before[g - owned_];
  });
  timer_.Mark(Phase::kExchange);
}

template <class Value>
void BodyExchange<Value>::TakeChanges(std::span<Body> bodies) {
  if (plan_.IsEmpty()) return;
  timer_.Mark(Phase::kSweeps);
  plan_.FinishScatter<Value>([&](Index owned, const Value& change) {
    Body& body = bodies[static_cast<std::size_t>(owned)];
    (Value::Of(body) + change).GiveTo(body);
  });
  TakeMeans(bodies);
  SendOwners(bodies);
  timer_.Mark(Phase::kExchange);
}

/// Owned bodies have all changes added; with shares, only the mean of these counts.
template <class Value>
void BodyExchange<Value>::TakeMeans(std::span<Body> bodies) {
  for (typename ExchangeBuffers<Value>::Split& split : buffers_.split) {
    const auto i = static_cast<std::size_t>(split.body);
    split.before = split.before + 1.0 / shares_[i] * (Value::Of(bodies[i]) - split.before);
    split.before.GiveTo(bodies[i]);
  }
}

template <class Value>
void BodyExchange<Value>::SendOwners(std::span<const Body> bodies) {
  plan_.StartGather<Value>(communicator_, [&](Index owned) {
    return Value::Of(bodies[static_cast<std::size_t>(owned)]);
  });
}

/// So that both sides of a contact across a moving image see the same (PeriodicImages::Rounded).
template <class Value>
void BodyExchange<Value>::Round(std::span<Body> bodies) const {
  if constexpr (requires(Body body) { body.v; }) {
    if (images_.rounds == nullptr) return;
    for (Body& body : bodies.first(owned_)) body.v = images_.rounds->Rounded(body.v);
  }
}

/// The value of an owner as its ghost has it.
template <class Value>
Value BodyExchange<Value>::InImage(std::size_t ghost, Value value) const {
  if constexpr (requires { value.v; }) value.v = scree::InImage(images_.velocities, ghost, value.v);
  return value;
}

template <class Value>
void BodyExchange<Value>::TakeSums(std::span<Body> bodies) {
  if (plan_.IsEmpty()) return;
  timer_.Mark(Phase::kSweeps);
  plan_.FinishGather<Value>([&](Index ghost, const Value& value) {
    const auto g = static_cast<std::size_t>(ghost);
    const Value its = InImage(g - owned_, value);
    its.GiveTo(bodies[g]);
    buffers_.before[g - owned_] = its;
  });
  timer_.Mark(Phase::kExchange);
}

template <class Value>
void BodyExchange<Value>::Refresh(std::span<Body> bodies) {
  if (plan_.IsEmpty()) return;
  timer_.Mark(Phase::kSweeps);
  Round(bodies);
  SendOwners(bodies);
  plan_.FinishGather<Value>([&](Index ghost, const Value& value) {
    const auto g = static_cast<std::size_t>(ghost);
    InImage(g - owned_, value).GiveTo(bodies[g]);
  });
  timer_.Mark(Phase::kExchange);
}

template class BodyExchange<VelocityOfBody>;
template class BodyExchange<MotionOfBody>;
template class BodyExchange<DisplacementOfBody>;

}  // namespace scree
