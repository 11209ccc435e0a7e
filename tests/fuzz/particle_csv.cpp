// Tables of particles, plain or compressed.
#include "io/state/particle_csv.hpp"
#include "engine/ranks/communicator.hpp"
#include "tests/fuzz/fuzz_target.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace scree;
  static const MpiSession session(nullptr, nullptr);
  static const Communicator world = Communicator::World();
  static const fuzz::ScratchDirectory scratch;
  const std::string path = scratch.Put("particles.csv", fuzz::TextOf(data, size));
  fuzz::AcceptOrRefuse([&] {
    const ParticleTable table = ReadParticleCsv(world, path);
    SCREE_DEMAND(table.particles.owned == table.particles.radius.size());
  });
  return 0;
}
