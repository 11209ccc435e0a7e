/// \file  Rules for the birth of bonds between touching bodies: [bond.NAME] of a scene.
///
/// A bond keeps the gap between two bodies at its value at birth. With the area S it bears a pull
/// of up to S σ_n and a shear force of up to S σ_t plus σ_t/σ_n times the normal force. Beyond that
/// it breaks for good and leaves an ordinary contact (engine/contacts/bond_table.hpp). With a
/// fracture energy it yields instead, and is damaged (solvers/batches/damage.hpp). A bond of two
/// spheres is a point, or a cylinder of radius r that resists bending up to σ_n π r³/4 and twist up
/// to σ_t π r³/2.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "solvers/base/types.hpp"

namespace scree {

struct BondRule {
  std::string name;
  MaterialId a = 0, b = 0;       // of the bodies or walls that it bonds
  double time = 0.0;             // of birth [s]
  double gap = 0.0;              // of pairs that are bonded at most [m]
  double tension = 0.0;          // σ_n > 0 [Pa]
  double shear = 0.0;            // σ_t ≥ 0 [Pa]
  double fracture_energy = 0.0;  // w ≥ 0; 0: the bond is brittle [J/m²]
  double radius = 1.0;           // of the bond, as a fraction of the smaller radius; of spheres [-]
  double area = 0.0;     // S [m²]; 0: from the radius, or the area on which two faces touch
  bool moments = false;  // bonds of spheres resist bending and twist
  double weibull = 0.0;  // modulus of the strengths, whose mean stays; 0: all are equal

  /// Displacement beyond which a damage bond of mean strength has no more than 1/1024 of it; weaker
  /// ones break there [m].
  double LongestPath() const {
    return IsBrittle() ? 0.0 : 32.0 * fracture_energy / std::min(tension, shear);
  }
  bool IsBrittle() const { return fracture_energy == 0.0; }
  bool IsBetween(MaterialId one, MaterialId other) const {
    return (one == a && other == b) || (one == b && other == a);
  }
};

/// Numbers of bonds, over all ranks unless stated otherwise.
struct BondCounts {
  std::int64_t intact = 0;
  std::int64_t broken_tension = 0;  // since the start
  std::int64_t broken_shear = 0;    // since the start
  std::int64_t waiting = 0;         // would have broken in the last step, had it been solved well
};

/// Energies of damage bonds, over all ranks unless stated otherwise [J].
struct BondEnergies {
  double stored = 0.0;  // in intact bonds
  double damage = 0.0;  // dissipated by damage of bonds whose particles are still there
};

/// Numbers of clusters of bonded particles (engine/contacts/bond_clusters.hpp), over all ranks.
struct ClusterCounts {
  std::int64_t clusters = 0;  // particles without bonds are counted
  std::int64_t largest = 0;   // number of particles of the largest
};

}  // namespace scree
