/// \file  One step's contact problem for spheres: the fixed data, and the unknowns.
#pragma once

#include <limits>
#include <vector>

#include "solvers/base/types.hpp"
#include "solvers/batches/additional_laws.hpp"
#include "solvers/one_contact/contact.hpp"

namespace scree {

struct ContactProblem {
  std::vector<Contact> contacts;
  PerLaw<LawContacts> laws;  // of each additional law one per contact; empty: it does not act
  Index first_fixed = std::numeric_limits<Index>::max();  // bodies from here on have w = 0

  template <class Law>
  LawContacts<Law>& Of() {
    return std::get<LawContacts<Law>>(laws);
  }
  template <class Law>
  const LawContacts<Law>& Of() const {
    return std::get<LawContacts<Law>>(laws);
  }
};

/// Invariant: v = v_free + M⁻¹ W λ, u alike, for the impulses stored here, those of additional laws
/// too.
struct ContactSolution {
  std::vector<SphereBody> bodies;                         // owned spheres, ghosts, walls
  std::vector<Vec3> impulses;                             // λ in world axes, one per contact [N s]
  std::array<std::vector<Vec3>, kLawCount> law_impulses;  // L, as many as the problem has [N s]

  template <class Law>
  std::vector<Vec3>& Of() {
    return law_impulses[kLawIndex<Law>];
  }
  template <class Law>
  const std::vector<Vec3>& Of() const {
    return law_impulses[kLawIndex<Law>];
  }
};

}  // namespace scree
