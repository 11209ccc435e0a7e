/// \file  Between sweeps, synchronises the copies of bodies that several ranks have: velocities in
///        the solve, displacements in the projection.
#pragma once

#include <span>

namespace scree {

/// Which bodies other ranks or constraints may change between sweeps.
enum class SyncedBodies {
  kNone,    // no body is shared
  kShared,  // bodies that several ranks hold
  kAny,     // any bodies, such as patches of free walls
};

/// Synchronises bodies on several ranks. Messages are started and finished by separate calls, so
/// that they overlap with the solver's work.
template <class Body>
class BodySync {
 public:
  virtual ~BodySync() = default;

  virtual SyncedBodies Synced() const = 0;

  /// Stores the state from which StartScatter counts changes. All copies of a body are equal then.
  /// Called before the first sweep, and before each sweep whose start is extrapolated (momentum).
  virtual void Start(std::span<const Body> bodies) = 0;

  /// Three calls add the changes of all ranks in a sweep to each shared body, so that all copies
  /// are equal again. The solver does not touch synchronised bodies between the first and the last
  /// call.
  virtual void StartScatter(std::span<const Body> bodies) = 0;
  virtual void StartGather(std::span<Body> bodies) = 0;  // sends the sums back
  virtual void FinishGather(std::span<Body> bodies) = 0;

  /// Sends the owners' state to all copies. Called instead of the four functions above if only
  /// owners change their bodies (Jacobi).
  virtual void Gather(std::span<Body> bodies) = 0;
};

}  // namespace scree
