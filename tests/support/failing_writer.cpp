// OverlapState the end of the disk in the middle of an HDF5 file, as a program of ours would: for
// tests/apps/run/exit_codes_test.py. failing_writer FILE
#include <sys/resource.h>

#include <csignal>
#include <vector>

#include "apps/common/exit_codes.hpp"
#include "engine/ranks/communicator.hpp"
#include "io/files/hdf5_file.hpp"

namespace {

/// Files of this process end here, as on a disk that is full.
void LimitFiles(rlim_t bytes) {
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit limit = {};
  getrlimit(RLIMIT_FSIZE, &limit);
  limit.rlim_cur = bytes;
  setrlimit(RLIMIT_FSIZE, &limit);
}

void Write(const scree::Communicator& world, const char* path) {
  scree::Hdf5Writer file(world, path);
  const std::vector<double> rows(100000, 1.0);
  file.Rows<double>("/rows", rows, {});
  file.Close();
}

}  // namespace

int main(int argc, char** argv) {
  const scree::MpiSession session(&argc, &argv);
  const scree::Communicator world = scree::Communicator::World();
  if (argc != 2) return scree::kWrongUsage;
  // The others can write, and would wait for this one in what follows.
  if (world.IsRoot()) LimitFiles(100000);
  try {
    Write(world, argv[1]);
  } catch (const std::exception& error) {
    return scree::ReportError("failing_writer", world, error);
  }
  return scree::kDone;
}
