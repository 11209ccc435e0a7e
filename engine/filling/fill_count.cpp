#include "engine/filling/fill_count.hpp"

#include <cmath>
#include <iomanip>

#include "engine/filling/fills.hpp"
#include "engine/particles/grains.hpp"
#include "solvers/base/check.hpp"

namespace scree {
namespace {

// Memory per particle, including the lists, at the start of the channel scene [bytes]. Runs need
// more later.
constexpr double kMinBytes = 500.0;
constexpr double kMaxRandomCount = 5e7;  // the largest `number` of [fill]

double CountOf(const Lattice& lattice) {
  const Box bounds = BoundsOf(lattice.region);
  // In floating point, because the integers of Lattice::Sites could overflow.
  const double sites = ((bounds.Extent() / lattice.spacing).array() + 1e-9).floor().prod();
  return sites * VolumeOf(lattice.region) / bounds.Extent().prod();
}

double CountOf(const Scene& scene, const RandomRegion& random, const GrainTemplate& grain) {
  if (random.number > 0) return static_cast<double>(random.number);
  return random.solid_fraction * VolumeOf(random.region) / MeanVolume(scene, grain);
}

}  // namespace

double EstimateCount(const Scene& scene, const Fill& fill) {
  if (const auto* lattice = std::get_if<Lattice>(&fill.positions)) return CountOf(*lattice);
  return CountOf(scene, std::get<RandomRegion>(fill.positions), fill.grain);
}

void RequireFillsFitInMemory(const Scene& scene, int ranks, double memory) {
  double total_count = 0.0;
  for (const Fill& fill : scene.fills) {
    const double count = EstimateCount(scene, fill);
    total_count += count;
    const double bytes_per_rank = kMinBytes * total_count / ranks;
    const auto fail = [&](const auto&... reason) {
      throw InputError(
          Text(std::setprecision(4), NameOf(fill), " would have ", count, " particles", reason...));
    };
    if (std::holds_alternative<RandomRegion>(fill.positions) && count > kMaxRandomCount) {
      fail(" at random positions, all of which every rank has to generate; expected at most ",
           kMaxRandomCount, ", or places = lattice");
    }
    if (!(bytes_per_rank <= memory)) {
      fail(scene.fills.size() > 1 ? "; all fills up to this one take" : ", which take",
           " at least ", 1e-9 * bytes_per_rank, " GB on each of ", ranks,
           " ranks, while the whole machine has ", 1e-9 * memory,
           " GB; expected fewer particles, or more ranks");
    }
  }
}

}  // namespace scree
