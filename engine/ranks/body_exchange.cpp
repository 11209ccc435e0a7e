#include "engine/ranks/body_exchange.hpp"

namespace scree {

template <class Value>
void BodyExchange<Value>::Start(std::span<const Body> bodies) {
  baseline_.clear();
  for (const ExchangePlan::Peer& peer : plan_.Peers()) {
    for (Index g = 0; g < peer.ghosts; ++g) {
      baseline_.push_back(Value::Of(bodies[static_cast<std::size_t>(peer.first_ghost + g)]));
    }
  }
}

template <class Value>
void BodyExchange<Value>::StartScatter(std::span<const Body> bodies) {
  if (plan_.IsEmpty()) return;
  timer_.Mark(Phase::kSweeps);
  plan_.StartScatter<Value>(communicator_, [&](Index ghost) {
    const auto g = static_cast<std::size_t>(ghost);
    return Value::Of(bodies[g]) - baseline_[g - owned_];
  });
  timer_.Mark(Phase::kExchange);
}

template <class Value>
void BodyExchange<Value>::StartGather(std::span<Body> bodies) {
  if (plan_.IsEmpty()) return;
  timer_.Mark(Phase::kSweeps);
  plan_.FinishScatter<Value>([&](Index owned, const Value& change) {
    Body& body = bodies[static_cast<std::size_t>(owned)];
    (Value::Of(body) + change).CopyTo(body);
  });
  SendOwners(bodies);
  timer_.Mark(Phase::kExchange);
}

template <class Value>
void BodyExchange<Value>::SendOwners(std::span<const Body> bodies) {
  plan_.StartGather<Value>(communicator_, [&](Index owned) {
    return Value::Of(bodies[static_cast<std::size_t>(owned)]);
  });
}

/// Rounds the velocities of owned bodies, so that both sides of a contact across a moving image
/// have the same values (PeriodicImages::Rounded).
template <class Value>
void BodyExchange<Value>::Round(std::span<Body> bodies) const {
  if constexpr (requires(Body body) { body.v; }) {
    if (images_.rounding == nullptr) return;
    for (Body& body : bodies.first(owned_)) body.v = images_.rounding->Rounded(body.v);
  }
}

/// Converts the value of an owner to the value of its ghost.
template <class Value>
Value BodyExchange<Value>::ToImageVelocity(std::size_t ghost, Value value) const {
  if constexpr (requires { value.v; })
    value.v = scree::ToImageVelocity(images_.velocities, ghost, value.v);
  return value;
}

template <class Value>
void BodyExchange<Value>::FinishGather(std::span<Body> bodies) {
  if (plan_.IsEmpty()) return;
  timer_.Mark(Phase::kSweeps);
  plan_.FinishGather<Value>([&](Index ghost, const Value& value) {
    const auto g = static_cast<std::size_t>(ghost);
    const Value ghost_value = ToImageVelocity(g - owned_, value);
    ghost_value.CopyTo(bodies[g]);
    baseline_[g - owned_] = ghost_value;
  });
  timer_.Mark(Phase::kExchange);
}

template <class Value>
void BodyExchange<Value>::Gather(std::span<Body> bodies) {
  if (plan_.IsEmpty()) return;
  timer_.Mark(Phase::kSweeps);
  Round(bodies);
  SendOwners(bodies);
  plan_.FinishGather<Value>([&](Index ghost, const Value& value) {
    const auto g = static_cast<std::size_t>(ghost);
    ToImageVelocity(g - owned_, value).CopyTo(bodies[g]);
  });
  timer_.Mark(Phase::kExchange);
}

template class BodyExchange<SphereVelocity>;
template class BodyExchange<RigidVelocity>;
template class BodyExchange<DisplacementOfBody>;

}  // namespace scree
