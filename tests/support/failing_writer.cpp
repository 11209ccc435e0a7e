// Writes an HDF5 file that exceeds the process' limit of file sizes, as if the disk became full.
// tests/apps/run/exit_codes_test.py calls: failing_writer FILE
#include <sys/resource.h>

#include <csignal>
#include <vector>

#include "apps/common/exit_codes.hpp"
#include "engine/ranks/communicator.hpp"
#include "io/files/hdf5_file.hpp"

namespace {

void LimitFileSize(rlim_t bytes) {
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
  // Only the root cannot write. The other ranks must not wait for it for ever.
  if (world.IsRoot()) LimitFileSize(100000);
  try {
    Write(world, argv[1]);
  } catch (const std::exception& error) {
    return scree::ReportError("failing_writer", world, error);
  }
  return scree::kDone;
}
