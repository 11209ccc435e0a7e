/// \file  The index that lets ParaView open all snapshots of a run as one animation.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "io/scene/snapshot_format.hpp"

namespace scree {

/// The entry of one snapshot.
struct XdmfStep {
  std::string file;   // relative to the index
  double time = 0.0;  // [s]
  std::int64_t particles = 0;
  SnapshotFormat format;
  bool has_clusters = false;  // the snapshot has clusters of bonded particles
};

/// A temporal collection with one grid of points per snapshot. Snapshots without particles are
/// omitted, because programs reject a grid without points. Write it with ReplaceFile.
std::string XdmfText(std::span<const XdmfStep> steps);

}  // namespace scree
