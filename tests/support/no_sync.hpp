/// \file  Exchange of a rank without shared bodies. Tests override the functions that they need.
#pragma once

#include <cstdint>
#include <span>

#include "solvers/sweeps/velocity_sync.hpp"

namespace scree::test {

template <class Body, class Base = BodySync<Body>>
class NoBodySync : public Base {
 public:
  SyncedBodies Synced() const override { return SyncedBodies::kNone; }
  void Start(std::span<const Body>) override {}
  void StartScatter(std::span<const Body>) override {}
  void StartGather(std::span<Body>) override {}
  void FinishGather(std::span<Body>) override {}
  void Gather(std::span<Body>) override {}
};

template <class Body>
class NoSyncOf : public NoBodySync<Body, VelocitySyncOf<Body>> {
 public:
  void MarkShared(std::span<std::uint8_t>) const override {}
  void StartMax(double value) override { max_ = value; }
  double FinishMax() override { return max_; }

 private:
  double max_ = 0.0;
};
using NoSync = NoSyncOf<SphereBody>;

}  // namespace scree::test
