/// \file  Keeps the velocities of particles that several ranks hold in step during the sweeps.
///
/// After a sweep each rank sends what it changed on its ghosts to their owners; these add all
/// changes in the order of the ranks and send the new velocities back: two messages per neighbour.
#pragma once

#include <vector>

#include "engine/communicator.hpp"
#include "engine/contact_detection.hpp"
#include "engine/exchange_plan.hpp"
#include "engine/phase_timer.hpp"
#include "solvers/contact_problem.hpp"
#include "solvers/velocity_sync.hpp"

namespace scree {

class VelocityExchange final : public VelocitySync {
 public:
  /// @param owned  number of owned particles; ghosts follow, walls last
  /// @param timer  gets the time of sweeps and messages
  VelocityExchange(const Communicator& communicator, ExchangePlan& plan, std::size_t owned,
                   PhaseTimer& timer)
      : communicator_(communicator), plan_(plan), owned_(owned), timer_(timer) {}

  void Start(std::span<const SphereBody> bodies) override;
  void Combine(std::span<SphereBody> bodies) override;

 private:
  struct Change {
    Vec3 v, u;
  };

  const Communicator& communicator_;
  ExchangePlan& plan_;
  std::size_t owned_;
  PhaseTimer& timer_;
  std::vector<Change> before_;  // the ghosts' velocities when all copies were last equal
};

/// For each of `bodies` bodies, how many contacts other ranks treat; empty if nothing is shared.
std::vector<Index> CountContactsElsewhere(const Communicator& communicator, ExchangePlan& plan,
                                          std::span<const DetectedContact> contacts,
                                          std::size_t bodies);

}  // namespace scree
