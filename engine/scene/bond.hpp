/// \file  Rules for the birth of bonds between touching bodies: [bond.NAME] of a scene.
///
/// A bond keeps the gap between two bodies at its value at birth. With the area S it bears a pull
/// of up to S σ_n and a shear force of up to S σ_t plus σ_t/σ_n times the compressive force. Beyond
/// these limits it breaks permanently and leaves an ordinary contact
/// (engine/contacts/bond_table.hpp). A bond with a fracture energy does not break at once but is
/// damaged gradually (solvers/batches/damage.hpp). A bond of two spheres is a point or, with
/// `moments`, a cylinder of radius r that resists bending up to σ_n π r³/4 and twist up to
/// σ_t π r³/2.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "solvers/base/types.hpp"

namespace scree {

struct BondRule {
  std::string name;
  MaterialId a = 0, b = 0;       // materials of the bonded bodies or walls
  double time = 0.0;             // of birth [s]
  double gap = 0.0;              // largest gap of bonded pairs [m]
  double tension = 0.0;          // σ_n > 0 [Pa]
  double shear = 0.0;            // σ_t ≥ 0 [Pa]
  double fracture_energy = 0.0;  // w ≥ 0; 0: the bond is brittle [J/m²]
  double radius = 1.0;   // of spheres: ratio of the bond's radius to the smaller sphere's [-]
  double area = 0.0;     // S [m²]; 0: from the radius, or the area on which two faces touch
  bool moments = false;  // whether bonds of spheres resist bending and twist
  double weibull = 0.0;  // Weibull modulus of the strengths, at constant mean; 0: equal strengths

  /// Displacement at which damage has reduced the strength of a bond of mean strength to 1/1024.
  /// Bonds of any strength break there at the latest [m].
  double FailureDisplacement() const {
    return IsBrittle() ? 0.0 : 32.0 * fracture_energy / std::min(tension, shear);
  }
  bool IsBrittle() const { return fracture_energy == 0.0; }
  bool IsBetween(MaterialId material_a, MaterialId material_b) const {
    return (material_a == a && material_b == b) || (material_a == b && material_b == a);
  }
};

/// Numbers of bonds, summed over all ranks unless a function says otherwise.
struct BondCounts {
  std::int64_t intact = 0;
  std::int64_t broken_tension = 0;  // since the start
  std::int64_t broken_shear = 0;    // since the start
  std::int64_t waiting = 0;  // seemed to fail, but the last solve was too inaccurate to be sure
};

/// Energies of bonds with a fracture energy, summed over all ranks unless a function says otherwise
/// [J].
struct BondEnergies {
  double stored = 0.0;  // in intact bonds
  double damage = 0.0;  // dissipated in bonds, except those whose particles were removed
};

/// Numbers of clusters of bonded particles (engine/contacts/bond_clusters.hpp) on all ranks.
struct ClusterCounts {
  std::int64_t clusters = 0;  // a particle without bonds counts as a cluster
  std::int64_t largest = 0;   // number of particles in the largest cluster
};

}  // namespace scree
