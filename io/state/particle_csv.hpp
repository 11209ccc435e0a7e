/// \file  Particles from and to a CSV table; io/state/initial_state.hpp gives the format.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/geometry/box.hpp"
#include "engine/particles/particles.hpp"
#include "engine/ranks/communicator.hpp"

namespace scree {

struct ParticleTable {
  Particles particles;     // of this rank's rows, all owned
  std::optional<Box> box;  // from the origin to the lengths of a line "# box lx ly lz" [m]
};

/// Valid names in the columns `shape` and `material`.
struct TableNames {
  std::vector<std::string> shapes;  // of the scene; the first is shape 1
  std::vector<double> radii;        // bounding radii in the descriptions of these shapes [m]
  std::vector<std::string> materials;
};

/// Root reads the file, plain or gzip, and every rank parses an equal part of the rows. Collective.
/// @throws FileError on all ranks, with file, line, column and value
ParticleTable ReadParticleCsv(const Communicator& communicator, const std::string& path,
                              const TableNames& names = {});

/// Writes the owned particles of all ranks, in rank order, with all digits of the doubles. The file
/// appears complete or not at all. Collective.
/// @param box  lengths of a box with its lower corner at the origin [m]
/// @throws OutputError on all ranks
void WriteParticleCsv(const Communicator& communicator, const std::string& path,
                      const Particles& particles, const Vec3& box);

}  // namespace scree
