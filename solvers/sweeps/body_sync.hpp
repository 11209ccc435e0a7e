/// \file  Synchronises bodies that several ranks hold between sweeps: velocities in the solve,
///        displacements in the projection.
#pragma once

#include <span>

namespace scree {

/// Which bodies other ranks or constraints may change between sweeps.
enum class SyncedBodies {
  kNone,    // no body is shared
  kShared,  // those that several ranks hold
  kAny,     // also others, such as free walls
};

/// Synchronises bodies on several ranks. Every message has a start and a finish, so that it can
/// travel while the solver works.
template <class Body>
class BodySync {
 public:
  virtual ~BodySync() = default;

  virtual SyncedBodies Synced() const = 0;

  /// Called before the first sweep, and before others if momentum has changed the bodies since. All
  /// copies of a body are equal then.
  virtual void Start(std::span<const Body> bodies) = 0;

  /// Three calls add the changes of all ranks in a sweep to each shared body, so that all copies
  /// are equal again. The solver does not touch synchronised bodies between the first and the last
  /// call.
  virtual void StartScatter(std::span<const Body> bodies) = 0;
  virtual void StartGather(std::span<Body> bodies) = 0;  // sends the sums back
  virtual void FinishGather(std::span<Body> bodies) = 0;

  /// Called instead if only owners change their bodies: sends the owners' state to all copies.
  virtual void Gather(std::span<Body> bodies) = 0;
};

}  // namespace scree
