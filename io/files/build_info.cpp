#include "io/files/build_info.hpp"

#include <Eigen/Core>

#include "engine/ranks/communicator.hpp"
#include "io/files/hdf5_file.hpp"
#include "solvers/base/check.hpp"
#include "solvers/simd/simd_level.hpp"

namespace scree {
std::string ProgramVersion() { return SCREE_VERSION; }

std::string BuildDescription() {
  return Text("Scree ", ProgramVersion(), "\n",        //
              "source:     ", GitHash(), "\n",         //
              "build type: ", SCREE_BUILD_TYPE, "\n",  //
              "compiler:   ", SCREE_COMPILER, "\n",    //
              "target:     ", SCREE_TARGET, "; kernels at work: ", SimdLevel(), ", ", SimdBits(),
              "-bit vectors\n", "MPI:        ", MpiLibraryVersion(), "\n",  //
              "HDF5:       ", Hdf5LibraryVersion(), "\n",                   //
              "Eigen:      ", EIGEN_WORLD_VERSION, ".", EIGEN_MAJOR_VERSION, ".",
              EIGEN_MINOR_VERSION, "\n");
}

}  // namespace scree
