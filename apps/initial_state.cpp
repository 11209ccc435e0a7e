#include "apps/initial_state.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "engine/particles/fills.hpp"
#include "io/state/initial_state.hpp"

namespace scree {
namespace {

/// The particles of all ranks that the fills may meet, on every rank.
std::vector<PlacedSphere> SpheresInFills(const Communicator& communicator, const Scene& scene,
                                         const Particles& particles) {
  std::string mine;
  for (std::size_t i = 0; i < particles.owned; ++i) {
    const PlacedSphere sphere{particles.position[i], particles.radius[i]};
    if (!MeetsFill(scene, sphere)) continue;
    const std::array<double, 4> numbers = {sphere.place.x(), sphere.place.y(), sphere.place.z(),
                                           sphere.radius};
    mine.append(reinterpret_cast<const char*>(numbers.data()), sizeof numbers);
  }
  std::string all;
  for (const std::string& of_rank : communicator.GatherAtRoot(mine)) all += of_rank;
  all = communicator.Broadcast(all);
  std::vector<PlacedSphere> spheres;
  for (std::size_t at = 0; at < all.size(); at += sizeof(double[4])) {
    std::array<double, 4> numbers;
    std::memcpy(numbers.data(), all.data() + at, sizeof numbers);
    spheres.push_back({Vec3(numbers[0], numbers[1], numbers[2]), numbers[3]});
  }
  return spheres;
}

}  // namespace

Subdomains MakeSubdomains(const Communicator& communicator, const RunConfig& config,
                          const Cuts* written) {
  const bool goes_on = written != nullptr && config.step.balance != kNeverBalance &&
                       CountBoxes(*written) == communicator.Size();
  if (goes_on) return Subdomains::WithCuts(config.scene.domain, *written);
  std::array<int, 3> grid = config.parallel.subdomains;
  if (grid[0] == 0) grid = SmallestHaloGrid(config.scene.domain, communicator.Size());
  const Subdomains subdomains(config.scene.domain, grid);
  if (subdomains.Count() != communicator.Size()) {
    throw InputError(Text("parallel.subdomains: ", grid[0], "x", grid[1], "x", grid[2], " is ",
                          subdomains.Count(), " boxes, one per rank, but there are ",
                          communicator.Size(), " ranks: start mpirun with -n ", subdomains.Count(),
                          ", or use auto"));
  }
  return subdomains;
}

State MakeInitialState(const Communicator& communicator, const RunConfig& config,
                       const Subdomains& subdomains) {
  State state;
  const auto owns = [&](const Vec3& place) {
    return subdomains.OwnerOf(place) == communicator.Rank();
  };
  if (config.initial.file.empty()) {
    state.next_id = MakeFills(config.scene, owns, state.particles);
    return state;
  }
  state.particles = ReadInitialState(communicator, config.initial.file, config.scene.materials,
                                     config.scene.clumps)
                        .particles;
  std::int64_t greatest = -1;
  for (const ParticleId id : state.particles.id) greatest = std::max(greatest, id);
  state.next_id = communicator.Max(greatest) + 1;
  if (config.initial.with_fills) {
    const auto present = SpheresInFills(communicator, config.scene, state.particles);
    state.next_id = MakeFills(config.scene, owns, state.particles, state.next_id, present);
  }
  return state;
}

}  // namespace scree
