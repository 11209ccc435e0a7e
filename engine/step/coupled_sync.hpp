/// \file  The exchange of velocities or displacements between sweeps, followed by the update of
///        free walls or of a cell.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <utility>

#include "solvers/sweeps/velocity_sync.hpp"

namespace scree {

template <class Sync, class Body>
class CoupledSync : public Sync {
 public:
  using Update = std::function<void(std::span<Body>)>;

  /// @param changes_bodies  whether `update` changes the bodies, which are then sent again
  /// @param update          pass std::cref of a lambda to save an allocation in each step
  CoupledSync(Sync& exchange, bool changes_bodies, Update update)
      : exchange_(exchange), changes_bodies_(changes_bodies), update_(std::move(update)) {}

  SyncedBodies Synced() const override { return SyncedBodies::kAny; }
  void Start(std::span<const Body> bodies) override { exchange_.Start(bodies); }
  void StartScatter(std::span<const Body> bodies) override { exchange_.StartScatter(bodies); }
  void StartGather(std::span<Body> bodies) override { exchange_.StartGather(bodies); }
  void FinishGather(std::span<Body> bodies) override {
    exchange_.FinishGather(bodies);
    update_(bodies);
    if (changes_bodies_) exchange_.Start(bodies);
  }
  void Gather(std::span<Body> bodies) override {
    exchange_.Gather(bodies);
    update_(bodies);
  }

 protected:
  Sync& exchange_;

 private:
  bool changes_bodies_;
  Update update_;
};

/// The coupled exchange in the projection of positions.
template <class Displaced>
using CoupledProjectionSync = CoupledSync<BodySync<Displaced>, Displaced>;

template <class Body>
class CoupledVelocitySync final : public CoupledSync<VelocitySyncOf<Body>, Body> {
 public:
  using CoupledSync<VelocitySyncOf<Body>, Body>::CoupledSync;
  void MarkShared(std::span<std::uint8_t> marks) const override {
    this->exchange_.MarkShared(marks);
  }
  void StartMax(double value) override { this->exchange_.StartMax(value); }
  double FinishMax() override { return this->exchange_.FinishMax(); }
};

}  // namespace scree
