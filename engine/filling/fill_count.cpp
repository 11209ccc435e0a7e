#include "engine/filling/fill_count.hpp"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <limits>

#include "engine/filling/fills.hpp"
#include "engine/particles/grains.hpp"
#include "solvers/base/check.hpp"

namespace scree {
namespace {

// Memory of a particle in the channel's first lattice, including its part of all lists. It grows
// later.
constexpr double kMinBytes = 500.0;
constexpr double kMaxRandomTrials = 5e7;  // as [fill] number

double CountOf(const Lattice& lattice) {
  const Box bounds = BoundsOf(lattice.region);
  // In floating point, because the integers of Lattice::Sites could overflow.
  const double sites = ((bounds.Extent() / lattice.spacing).array() + 1e-9).floor().prod();
  return sites * VolumeOf(lattice.region) / bounds.Extent().prod();
}

/// The lightest material gives the largest mean volume, and hence the smallest number.
double CountAtRandom(const Scene& scene, const RandomRegion& random, const GrainTemplate& grain) {
  if (random.number > 0) return static_cast<double>(random.number);
  double density = std::numeric_limits<double>::infinity();
  for (std::size_t m = 0; m < scene.materials.Size(); ++m) {
    density = std::min(density, scene.materials[static_cast<MaterialId>(m)].density);
  }
  return random.solid_fraction * VolumeOf(random.region) * density / MeanMass(scene, grain);
}

}  // namespace

double EstimateCount(const Scene& scene, const Fill& fill) {
  if (const auto* lattice = std::get_if<Lattice>(&fill.positions)) return CountOf(*lattice);
  return CountAtRandom(scene, std::get<RandomRegion>(fill.positions), fill.grain);
}

void RequireFits(const Scene& scene, int ranks, double memory) {
  double all = 0.0;
  for (const Fill& fill : scene.fills) {
    const double count = EstimateCount(scene, fill);
    all += count;
    const double bytes = kMinBytes * all / ranks;
    const auto fail = [&](const auto&... why) {
      throw InputError(
          Text(std::setprecision(4), NameOf(fill), " would be ", count, " particles", why...));
    };
    if (std::holds_alternative<RandomRegion>(fill.positions) && count > kMaxRandomTrials) {
      fail(" at random positions, all of which every rank has to generate; expected at most ",
           kMaxRandomTrials, ", or places = lattice");
    }
    if (!(bytes <= memory)) {
      fail(scene.fills.size() > 1 ? ", with which all fills take" : ", which take", " at least ",
           1e-9 * bytes, " GB on each of ", ranks, " ranks, while the whole machine has ",
           1e-9 * memory, " GB; expected fewer particles, or more ranks");
    }
  }
}

}  // namespace scree
