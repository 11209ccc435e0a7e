/// \file  The checkpoints of a run: their names, which ones to keep, and which one to continue
/// from.
///
///     checkpoints/step_000000001000.h5          a checkpoint; the last few are kept
///     checkpoints/step_000000001000.h5.xxh64    its digest
///     checkpoints/latest                        name of the last checkpoint, written after it
#pragma once

#include <cstdint>
#include <future>
#include <string>
#include <vector>

#include "engine/ranks/communicator.hpp"

namespace scree {

/// Path of a step's checkpoint relative to the output directory. Names sort by step.
std::string CheckpointFile(std::int64_t step);

/// Makes the checkpoint of this step, written by WriteCheckpoint, the latest one: writes its digest
/// and then its name in `latest`. Then deletes all but the newest `keep` checkpoints. Collective.
/// @param other_files  files that must be on disk before the checkpoint becomes the latest
/// @returns at root, a future that is ready when the deleted files' space is free (RemoveFiles)
/// @throws OutputError; the earlier checkpoints then still exist
[[nodiscard]] std::future<void> PublishCheckpoint(const Communicator& communicator,
                                                  const std::string& directory, std::int64_t step,
                                                  std::int64_t keep,
                                                  const std::vector<std::string>& other_files = {});

/// A checkpoint with a correct digest.
struct FoundCheckpoint {
  std::string path;
  std::string directory;                     // output directory that contains it; empty: none
  std::vector<std::string> damage_messages;  // on damaged checkpoints that were tried before it
};

/// Finds the checkpoint to continue from. Collective; the same result on all ranks.
/// @param path  a checkpoint; or an output directory or its folder of checkpoints, which selects
///               the checkpoint named in `latest`. If the digest of the selected checkpoint is
///               wrong, the newest one in its folder with a correct digest is used; if `path` is a
///               checkpoint, only checkpoints of earlier steps are tried
/// @throws FileError if no checkpoint has a correct digest; the message names the damaged ones
FoundCheckpoint FindCheckpoint(const Communicator& communicator, const std::string& path);

/// Makes the checkpoint of this step the latest again and deletes later ones. Call this on one
/// rank.
/// @throws OutputError
void RemoveLaterCheckpoints(const std::string& directory, std::int64_t step);

}  // namespace scree
