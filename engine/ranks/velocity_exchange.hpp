/// \file  Keeps the velocities of particles that several ranks hold in step during the sweeps.
///
/// After a sweep each rank sends what it changed on its ghosts to their owners; these add all
/// changes in the order of the ranks and send the new velocities back.
///
/// Where ranks have shares of a body's mass, mass splitting, k of them that each have 1/k, the mean
/// of the k copies counts,
///
///     v' = v + 1/k Σ Δv = v + w Σ λ,   because Δv = k w Σ λ on each,
///
/// so that impulses change momentum as they do for undivided bodies (R. Tonge, F. Benevolenski,
/// A. Voroshilov, "Mass splitting for jitter-free parallel rigid body simulation", ACM Trans.
/// Graph. 31, 2012).
#pragma once

#include <vector>

#include "engine/ranks/communicator.hpp"
#include "engine/ranks/exchange_plan.hpp"
#include "engine/ranks/phase_timer.hpp"
#include "solvers/contact_problem.hpp"
#include "solvers/velocity_sync.hpp"

namespace scree {

/// Memory of the exchanges of a step, kept between steps.
struct VelocityBuffers {
  struct Velocity {
    Vec3 v, u;
  };
  struct Split {
    Index body = 0;
    Velocity before;
  };
  std::vector<Velocity> before;  // the ghosts' velocities when all copies were last equal
  std::vector<Split> split;      // the same of owned bodies that have shares
};

class VelocityExchange final : public VelocitySync {
 public:
  /// @param owned   number of owned particles; ghosts follow, walls last
  /// @param timer   gets the time of sweeps and messages
  /// @param shares  for each body how many ranks have a share of its mass; empty: each has it all
  VelocityExchange(const Communicator& communicator, ExchangePlan& plan, std::size_t owned,
                   PhaseTimer& timer, VelocityBuffers& buffers, std::span<const Index> shares = {})
      : communicator_(communicator),
        plan_(plan),
        owned_(owned),
        timer_(timer),
        buffers_(buffers),
        shares_(shares),
        max_(communicator) {}

  bool IsNeeded() const override { return !plan_.IsEmpty(); }
  void Start(std::span<const SphereBody> bodies) override;
  void SendChanges(std::span<const SphereBody> bodies) override;
  void TakeChanges(std::span<SphereBody> bodies) override;
  void TakeVelocities(std::span<SphereBody> bodies) override;
  void Refresh(std::span<SphereBody> bodies) override;
  void SendMax(double value) override { max_.Send(value); }
  double TakeMax() override;

 private:
  using Velocity = VelocityBuffers::Velocity;
  void TakeMeans(std::span<SphereBody> bodies);
  void SendVelocities(std::span<const SphereBody> bodies);

  const Communicator& communicator_;
  ExchangePlan& plan_;
  std::size_t owned_;
  PhaseTimer& timer_;
  VelocityBuffers& buffers_;
  std::span<const Index> shares_;
  NonBlockingMax max_;
};

}  // namespace scree
