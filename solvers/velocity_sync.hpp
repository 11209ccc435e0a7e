/// \file  What the sweeps of the velocities need from other ranks.
#pragma once

#include "solvers/body_sync.hpp"
#include "solvers/contact.hpp"

namespace scree {

/// Keeps the velocities of bodies that several ranks hold in step, and finds maxima over the ranks.
class VelocitySync : public BodySync<SphereBody> {
 public:
  /// The greatest of all ranks' values: a non-blocking all-reduce.
  virtual void SendMax(double value) = 0;
  virtual double TakeMax() = 0;
};

/// One rank, nothing shared.
class NoSync final : public VelocitySync {
 public:
  bool IsNeeded() const override { return false; }
  void Start(std::span<const SphereBody>) override {}
  void SendChanges(std::span<const SphereBody>) override {}
  void TakeChanges(std::span<SphereBody>) override {}
  void TakeSums(std::span<SphereBody>) override {}
  void Refresh(std::span<SphereBody>) override {}
  void SendMax(double value) override { max_ = value; }
  double TakeMax() override { return max_; }

 private:
  double max_ = 0.0;
};

}  // namespace scree
