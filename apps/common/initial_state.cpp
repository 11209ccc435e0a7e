#include "apps/common/initial_state.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <limits>

#include "engine/filling/fill_count.hpp"
#include "engine/filling/fills.hpp"
#include "engine/step/cell_start.hpp"
#include "io/files/collective_call.hpp"
#include "io/state/initial_state.hpp"

namespace scree {
namespace {

/// Whether a run may begin with a particle at this position. Periodic axes accept any coordinate.
bool IsInside(const Domain& domain, const Vec3& x) {
  for (int axis = 0; axis < 3; ++axis) {
    if (domain.periodic[static_cast<std::size_t>(axis)]) continue;
    if (x[axis] < domain.box.lower[axis] || x[axis] > domain.box.upper[axis]) return false;
  }
  return true;
}

/// Requires that all particles are in the domain. Without this check, an outflow would silently
/// remove the particles beyond it before the first step. These can be all particles, for example if
/// a table in millimetres is read as metres.
void RequireInside(const Communicator& communicator, const Domain& domain,
                   const Particles& particles, const std::string& file) {
  std::vector<std::size_t> rows_outside;
  for (std::size_t i = 0; i < particles.owned; ++i) {
    if (!IsInside(domain, particles.position[i])) rows_outside.push_back(i);
  }
  const auto count_on_rank = static_cast<std::int64_t>(rows_outside.size());
  const std::int64_t count_before = communicator.ExclusiveSum(count_on_rank),
                     count = communicator.Sum(count_on_rank);
  const auto total = communicator.Sum(static_cast<std::int64_t>(particles.owned));
  CallOnAll<FileError>(communicator, [&] {
    if (count_on_rank == 0 || count_before > 0)
      return;  // the first rank with such a particle reports it
    const std::size_t i = rows_outside.front();
    throw FileError(Text(
        "'", file, "': ", count, " of ", total, " particles are outside the domain, such as id ",
        particles.id[i], " at (", particles.position[i].transpose(), ") m; expected centres in (",
        domain.box.lower.transpose(), ") .. (", domain.box.upper.transpose(), ") m"));
  });
}

void RequireParticles(const Communicator& communicator, const Scene& scene,
                      const Particles& particles) {
  if (!scene.pistons.empty() || !scene.rains.empty()) return;
  if (communicator.Sum(static_cast<std::int64_t>(particles.owned)) > 0) return;
  throw InputError(
      "the scene has no particles: nothing flows in, and walls block all sites of its "
      "fills; expected a [fill] with free space");
}

/// The cell in which the particles of a file start.
CellState CellOf(const Communicator& communicator, const Scene& scene, const InitialState& initial,
                 const std::string& file) {
  if (!initial.is_snapshot) return CellAround(communicator, scene, initial.particles);
  try {
    return CellThatContinues(scene, *initial.domain);
  } catch (const InputError& error) {
    throw FileError(Text("'", file, "': ", error.what()));
  }
}

/// The scene in the present state of its cell.
Scene WithCell(Scene scene, const CellState& cell) {
  if (scene.cell.IsActive()) scene.domain = DomainOf(scene.domain, cell);
  return scene;
}

}  // namespace

Subdomains MakeSubdomains(const RunConfig& config, int ranks, const Cuts* written) {
  const bool continues_cuts =
      written != nullptr && config.step.balance != kNeverBalance && CountBoxes(*written) == ranks;
  if (continues_cuts) return Subdomains::WithCuts(config.scene.domain, *written);
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

void RequireMemoryForFills(const Communicator& communicator, const Scene& scene) {
  const auto pages = static_cast<double>(sysconf(_SC_PHYS_PAGES));
  const double own_memory = pages > 0.0 ? pages * static_cast<double>(sysconf(_SC_PAGESIZE))
                                        : std::numeric_limits<double>::infinity();
  const double min_memory = -communicator.Max(-own_memory);  // nodes may differ
  RequireFillsFitInMemory(scene, communicator.Size(), min_memory);
}

State MakeInitialState(const Communicator& communicator, const RunConfig& config,
                       const Subdomains& subdomains) {
  State state;
  const bool makes_fills = config.initial.file.empty() || config.initial.with_fills;
  if (makes_fills) RequireMemoryForFills(communicator, config.scene);
  if (config.initial.file.empty()) {
    state.next_id = MakeFills(communicator, subdomains, config.scene, state.particles);
    RequireParticles(communicator, config.scene, state.particles);
    return state;
  }
  InitialState initial = ReadInitialState(communicator, config.initial.file, config.scene.materials,
                                          config.scene.clumps);
  state.cell = CellOf(communicator, config.scene, initial, config.initial.file);
  state.particles = std::move(initial.particles);
  RequireInside(communicator, config.scene.domain, state.particles, config.initial.file);
  std::int64_t largest_id = -1;
  for (const ParticleId id : state.particles.id) largest_id = std::max(largest_id, id);
  state.next_id = communicator.Max(largest_id) + 1;
  if (config.initial.with_fills) {
    state.next_id = MakeFills(communicator, subdomains, WithCell(config.scene, state.cell),
                              state.particles, state.next_id);
  }
  return state;
}

}  // namespace scree
