/// \file  The exchange of velocities or displacements between sweeps, after which something follows
///        the bodies: free walls, a cell.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <utility>

#include "solvers/sweeps/velocity_sync.hpp"

namespace scree {

template <class Sync, class Body>
class FollowedSync : public Sync {
 public:
  using Follow = std::function<void(std::span<Body>)>;

  /// @param moves   whether what follows moves the bodies, which then are sent once more
  /// @param follow  std::cref of a function saves an allocation in each step
  FollowedSync(Sync& ranks, bool moves, Follow follow)
      : ranks_(ranks), moves_(moves), follow_(std::move(follow)) {}

  SyncedBodies Synced() const override { return SyncedBodies::kAny; }
  void Start(std::span<const Body> bodies) override { ranks_.Start(bodies); }
  void SendChanges(std::span<const Body> bodies) override { ranks_.SendChanges(bodies); }
  void TakeChanges(std::span<Body> bodies) override { ranks_.TakeChanges(bodies); }
  void TakeSums(std::span<Body> bodies) override {
    ranks_.TakeSums(bodies);
    follow_(bodies);
    if (moves_) ranks_.Start(bodies);
  }
  void Refresh(std::span<Body> bodies) override {
    ranks_.Refresh(bodies);
    follow_(bodies);
  }

 protected:
  Sync& ranks_;

 private:
  bool moves_;
  Follow follow_;
};

/// In the projection of positions.
template <class Moved>
using FollowedMoves = FollowedSync<BodySync<Moved>, Moved>;

template <class Body>
class FollowedVelocities final : public FollowedSync<VelocitySyncOf<Body>, Body> {
 public:
  using FollowedSync<VelocitySyncOf<Body>, Body>::FollowedSync;
  void MarkShared(std::span<std::uint8_t> marks) const override { this->ranks_.MarkShared(marks); }
  void SendMax(double value) override { this->ranks_.SendMax(value); }
  double TakeMax() override { return this->ranks_.TakeMax(); }
};

}  // namespace scree
