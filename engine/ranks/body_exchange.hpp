/// \file  Adds up over all ranks the changes that sweeps make to shared bodies: to velocities in
///        the solve, to displacements in the position projection.
///
/// After a sweep each rank sends the changes of its ghosts to their owners (scatter-add). The
/// owners add all changes in the order of the ranks and send the new values back (gather).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/ranks/communicator.hpp"
#include "engine/ranks/exchange_plan.hpp"
#include "engine/ranks/halo.hpp"
#include "engine/ranks/phase_timer.hpp"
#include "solvers/one_contact/contact.hpp"
#include "solvers/sweeps/body_sync.hpp"
#include "solvers/sweeps/position_projection.hpp"
#include "solvers/sweeps/velocity_sync.hpp"

namespace scree {

/// Values of a sphere that are exchanged in the solve.
struct SphereVelocity {
  using Body = SphereBody;
  using Sync = VelocitySync;
  Vec3 v, u;

  static SphereVelocity Of(const SphereBody& body) { return {body.v, body.u}; }
  void CopyTo(SphereBody& body) const {
    body.v = v;
    body.u = u;
  }
  SphereVelocity operator+(const SphereVelocity& other) const { return {v + other.v, u + other.u}; }
  SphereVelocity operator-(const SphereVelocity& other) const { return {v - other.v, u - other.u}; }
};

/// Values of a rigid body of any shape that are exchanged in the solve.
struct RigidVelocity {
  using Body = RigidBody;
  using Sync = RigidVelocitySync;
  Vec3 v, omega;

  static RigidVelocity Of(const RigidBody& body) { return {body.v, body.omega}; }
  void CopyTo(RigidBody& body) const {
    body.v = v;
    body.omega = omega;
  }
  RigidVelocity operator+(const RigidVelocity& other) const {
    return {v + other.v, omega + other.omega};
  }
  RigidVelocity operator-(const RigidVelocity& other) const {
    return {v - other.v, omega - other.omega};
  }
};

/// Values of a body that are exchanged in the position projection, half as many as in the solve.
struct DisplacementOfBody {
  using Body = Displacement;
  using Sync = BodySync<Displacement>;
  Vec3 d;

  static DisplacementOfBody Of(const Displacement& body) { return {body.d}; }
  void CopyTo(Displacement& body) const { body.d = d; }
  DisplacementOfBody operator+(const DisplacementOfBody& other) const { return {d + other.d}; }
  DisplacementOfBody operator-(const DisplacementOfBody& other) const { return {d - other.d}; }
};

/// Parameters of the velocity exchange if ghosts are moving images (Halo::velocity).
struct MovingImages {
  std::span<const Vec3> velocities;  // of the images, one per ghost; empty: at rest [m/s]
  // Rounds the velocities that owners send (PeriodicImages::Rounded); null: no rounding.
  const PeriodicImages* rounding = nullptr;
};

/// The ghosts' values after the last exchange, from which their changes are measured. The memory is
/// kept between steps.
template <class Value>
using ExchangeBuffers = std::vector<Value>;

template <class Value>
class BodyExchange : public Value::Sync {
 public:
  using Body = typename Value::Body;

  /// @param owned   number of owned particles; ghosts follow, walls last
  /// @param timer   records the time of sweeps and messages
  /// @param images  for velocities only
  BodyExchange(const Communicator& communicator, ExchangePlan& plan, std::size_t owned,
               PhaseTimer& timer, ExchangeBuffers<Value>& buffers, const MovingImages& images = {})
      : communicator_(communicator),
        plan_(plan),
        owned_(owned),
        timer_(timer),
        baseline_(buffers),
        images_(images) {}

  SyncedBodies Synced() const override {
    return plan_.IsEmpty() ? SyncedBodies::kNone : SyncedBodies::kShared;
  }
  void Start(std::span<const Body> bodies) override;
  void StartScatter(std::span<const Body> bodies) override;
  void StartGather(std::span<Body> bodies) override;
  void FinishGather(std::span<Body> bodies) override;
  void Gather(std::span<Body> bodies) override;

 protected:
  PhaseTimer& Timer() { return timer_; }
  const ExchangePlan& Plan() const { return plan_; }

 private:
  void SendOwners(std::span<const Body> bodies);
  void Round(std::span<Body> bodies) const;
  Value ToImageVelocity(std::size_t ghost, Value value) const;

  const Communicator& communicator_;
  ExchangePlan& plan_;
  std::size_t owned_;
  PhaseTimer& timer_;
  ExchangeBuffers<Value>& baseline_;
  MovingImages images_;
};

extern template class BodyExchange<SphereVelocity>;
extern template class BodyExchange<RigidVelocity>;
extern template class BodyExchange<DisplacementOfBody>;

using VelocityBuffers = ExchangeBuffers<SphereVelocity>;
using DisplacementBuffers = ExchangeBuffers<DisplacementOfBody>;
using DisplacementExchange = BodyExchange<DisplacementOfBody>;

/// Velocity exchange that also computes maxima over the ranks.
template <class Value>
class VelocityExchangeOf final : public BodyExchange<Value> {
 public:
  VelocityExchangeOf(const Communicator& communicator, ExchangePlan& plan, std::size_t owned,
                     PhaseTimer& timer, ExchangeBuffers<Value>& buffers,
                     const MovingImages& images = {})
      : BodyExchange<Value>(communicator, plan, owned, timer, buffers, images),
        max_(communicator) {}

  void MarkShared(std::span<std::uint8_t> marks) const override { this->Plan().MarkShared(marks); }
  void StartMax(double value) override { max_.Send(value); }
  double FinishMax() override {
    this->Timer().Mark(Phase::kSweeps);
    const double max = max_.Take();
    this->Timer().Mark(Phase::kExchange);
    return max;
  }

 private:
  NonBlockingMax max_;
};
using VelocityExchange = VelocityExchangeOf<SphereVelocity>;

}  // namespace scree
