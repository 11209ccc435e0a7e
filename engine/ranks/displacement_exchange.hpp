/// \file  Keeps the displacements of particles that several ranks hold in step during the sweeps of
///        the projection, as VelocityExchange does with velocities: half the numbers.
#pragma once

#include <vector>

#include "engine/ranks/communicator.hpp"
#include "engine/ranks/exchange_plan.hpp"
#include "engine/ranks/phase_timer.hpp"
#include "solvers/position_projection.hpp"

namespace scree {

struct DisplacementBuffers {
  struct Split {
    Index body = 0;
    Vec3 before;
  };
  std::vector<Vec3> before;  // the ghosts' displacements when all copies were last equal
  std::vector<Split> split;  // the same of owned bodies that have shares
};

class DisplacementExchange final : public BodySync<Displacement> {
 public:
  DisplacementExchange(const Communicator& communicator, ExchangePlan& plan, std::size_t owned,
                       PhaseTimer& timer, DisplacementBuffers& buffers,
                       std::span<const Index> shares = {})
      : communicator_(communicator),
        plan_(plan),
        owned_(owned),
        timer_(timer),
        buffers_(buffers),
        shares_(shares) {}

  bool IsNeeded() const override { return !plan_.IsEmpty(); }
  void Start(std::span<const Displacement> bodies) override;
  void SendChanges(std::span<const Displacement> bodies) override;
  void TakeChanges(std::span<Displacement> bodies) override;
  void TakeSums(std::span<Displacement> bodies) override;
  void Refresh(std::span<Displacement> bodies) override;

 private:
  void SendSums(std::span<const Displacement> bodies);

  const Communicator& communicator_;
  ExchangePlan& plan_;
  std::size_t owned_;
  PhaseTimer& timer_;
  DisplacementBuffers& buffers_;
  std::span<const Index> shares_;
};

}  // namespace scree
