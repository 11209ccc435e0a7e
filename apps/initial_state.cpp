#include "apps/initial_state.hpp"

#include <algorithm>
#include <array>

#include "engine/filling/fills.hpp"
#include "io/state/initial_state.hpp"

namespace scree {
Subdomains MakeSubdomains(const RunConfig& config, int ranks, const Cuts* written) {
  const bool goes_on =
      written != nullptr && config.step.balance != kNeverBalance && CountBoxes(*written) == ranks;
  if (goes_on) return Subdomains::WithCuts(config.scene.domain, *written);
  std::array<int, 3> grid = config.parallel.subdomains;
  if (grid[0] == 0) grid = SmallestHaloGrid(config.scene.domain, ranks);
  const double boxes = 1.0 * grid[0] * grid[1] * grid[2];
  if (boxes != ranks) {
    throw InputError(Text("parallel.subdomains: ", grid[0], "x", grid[1], "x", grid[2], " is ",
                          boxes, " boxes, one per rank, but there are ", ranks,
                          " ranks: start mpirun with -n ", boxes, ", or use auto"));
  }
  return Subdomains(config.scene.domain, grid);
}

State MakeInitialState(const Communicator& communicator, const RunConfig& config,
                       const Subdomains& subdomains) {
  State state;
  if (config.initial.file.empty()) {
    state.next_id = MakeFills(communicator, subdomains, config.scene, state.particles);
    return state;
  }
  state.particles = ReadInitialState(communicator, config.initial.file, config.scene.materials,
                                     config.scene.clumps)
                        .particles;
  std::int64_t greatest = -1;
  for (const ParticleId id : state.particles.id) greatest = std::max(greatest, id);
  state.next_id = communicator.Max(greatest) + 1;
  if (config.initial.with_fills) {
    state.next_id =
        MakeFills(communicator, subdomains, config.scene, state.particles, state.next_id);
  }
  return state;
}

}  // namespace scree
