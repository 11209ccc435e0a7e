/// \file  The checkpoints of a run: their names, which to keep, and which one to go on from.
///
///     checkpoints/step_000000001000.h5          a checkpoint, kept: the last few
///     checkpoints/step_000000001000.h5.xxh64    its digest
///     checkpoints/latest                        the name of the last one, written last
#pragma once

#include <cstdint>
#include <future>
#include <string>
#include <vector>

#include "engine/ranks/communicator.hpp"

namespace scree {

/// Path of a step's checkpoint relative to the output directory; names sort by step.
std::string CheckpointFile(std::int64_t step);

/// Makes the checkpoint of this step, which WriteCheckpoint has written, the latest: with its
/// digest beside it and its name in `latest`, written last. Then all but the newest `keep` are
/// deleted. Collective.
/// @param others  files that must be on disk too when it counts
/// @returns at root, waits until the space of the deleted ones is free (RemoveFiles)
/// @throws OutputError; those that were there before are then still there
[[nodiscard]] std::future<void> PublishCheckpoint(const Communicator& communicator,
                                                  const std::string& directory, std::int64_t step,
                                                  std::int64_t keep,
                                                  const std::vector<std::string>& others = {});

/// A checkpoint whose digest is right.
struct FoundCheckpoint {
  std::string path;
  std::string directory;             // of the output it belongs to; empty: it lies elsewhere
  std::vector<std::string> damaged;  // messages on newer ones that could not be taken
};

/// Finds the checkpoint to go on from. Collective; the same on all ranks.
/// @param place  an output directory or its folder of checkpoints: the latest; or a checkpoint. If
///               its digest is wrong, the newest one before it whose digest is right
/// @throws FileError naming what is damaged if there is none
FoundCheckpoint FindCheckpoint(const Communicator& communicator, const std::string& place);

/// Makes the checkpoint of this step the latest again and deletes those of later steps. One rank.
/// @throws OutputError
void ForgetLaterCheckpoints(const std::string& directory, std::int64_t step);

}  // namespace scree
