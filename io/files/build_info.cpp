#include "io/files/build_info.hpp"

#include <Eigen/Core>

#include "engine/ranks/communicator.hpp"
#include "io/files/hdf5_file.hpp"
#include "solvers/check.hpp"

namespace scree {
namespace {

int VectorBits() {
#if defined(__AVX512F__)
  return 512;
#elif defined(__AVX__)
  return 256;
#else
  return 128;
#endif
}

}  // namespace

std::string ProgramVersion() { return SCREE_VERSION; }

std::string BuildDescription() {
  return Text("Scree ", ProgramVersion(), "\n",        //
              "source:     ", GitHash(), "\n",         //
              "build type: ", SCREE_BUILD_TYPE, "\n",  //
              "compiler:   ", SCREE_COMPILER, "\n",    //
              "target:     ", SCREE_TARGET, ", ", VectorBits(), "-bit vectors\n",
              "MPI:        ", MpiLibraryVersion(), "\n",   //
              "HDF5:       ", Hdf5LibraryVersion(), "\n",  //
              "Eigen:      ", EIGEN_WORLD_VERSION, ".", EIGEN_MAJOR_VERSION, ".",
              EIGEN_MINOR_VERSION, "\n");
}

}  // namespace scree
