/// \file  Equal cells of the domain, and sums over the particles with centres in each cell.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "engine/geometry/periodic_images.hpp"
#include "engine/particles/particles.hpp"
#include "engine/ranks/communicator.hpp"

namespace scree {

class DomainCells {
 public:
  /// @param time  at which centres beyond periodic ends are wrapped; matters if the domain is
  ///              sheared [s]
  DomainCells(const Domain& domain, double time, const std::array<int, 3>& counts)
      : images_(domain, time), counts_(counts) {}

  std::size_t Count() const {
    return static_cast<std::size_t>(counts_[0]) * static_cast<std::size_t>(counts_[1]) *
           static_cast<std::size_t>(counts_[2]);
  }
  /// Volume of a cell [m³].
  double Volume() const {
    return images_.GetDomain().box.Extent().prod() / static_cast<double>(Count());
  }
  /// Index of the cell that contains the wrapped point x, z fastest; the nearest cell if x is
  /// beyond an open end.
  std::size_t CellOf(const Vec3& x) const {
    const Box& box = images_.GetDomain().box;
    const Vec3 fraction = (images_.Wrap(x) - box.lower).cwiseQuotient(box.Extent());
    std::size_t number = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const int index = static_cast<int>(fraction[static_cast<Eigen::Index>(axis)] * counts_[axis]);
      number = number * static_cast<std::size_t>(counts_[axis]) +
               static_cast<std::size_t>(std::clamp(index, 0, counts_[axis] - 1));
    }
    return number;
  }

  /// Solid fraction of each cell: volume of the owned particles of all ranks over the volume of the
  /// cell. Integer sums make the bits independent of the number of ranks. Collective.
  /// @param particle_volume  function that returns the volume of particle i [m³]
  template <class ParticleVolume>
  std::vector<double> SolidFractions(const Communicator& communicator, const Particles& particles,
                                     ParticleVolume&& particle_volume) const {
    // Fixed point: 2³² units are the volume of a cell.
    constexpr double kUnitsPerCell = 4294967296.0;
    std::vector<std::int64_t> sums(Count(), 0);
    for (std::size_t i = 0; i < particles.owned; ++i) {
      if (particles.id[i] == kRemovedId) continue;
      sums[CellOf(particles.position[i])] +=
          std::llround(kUnitsPerCell * (particle_volume(i) / Volume()));
    }
    communicator.Sum(sums);
    std::vector<double> fractions(sums.size());
    std::ranges::transform(sums, fractions.begin(), [](std::int64_t sum) {
      return static_cast<double>(sum) / kUnitsPerCell;
    });
    return fractions;
  }

 private:
  PeriodicImages images_;
  std::array<int, 3> counts_;
};

}  // namespace scree
