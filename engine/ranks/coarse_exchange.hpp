/// \file  Messages of the coarse correction (solvers/sweeps/coarse_correction.hpp).
#pragma once

#include <array>
#include <cstddef>

#include "engine/ranks/communicator.hpp"
#include "engine/ranks/exchange_plan.hpp"
#include "solvers/sweeps/coarse_correction.hpp"

namespace scree {

class CoarseExchange final : public CoarseSync {
 public:
  /// Exchanged values of a body: v and u of BasisImpulses::by_basis[0], then of [1], then of [2].
  struct BasisValues {
    std::array<Vec3, 6> impulses;
  };

  CoarseExchange(const Communicator& communicator, ExchangePlan& plan)
      : communicator_(communicator), plan_(plan) {}

  void AddGhosts(std::span<BasisImpulses> bodies) override;
  void Max(std::span<double> values) override { communicator_.Max(values); }
  void Sum(std::span<std::int64_t> values) override { communicator_.Sum(values); }

 private:
  const Communicator& communicator_;
  ExchangePlan& plan_;
};

}  // namespace scree
