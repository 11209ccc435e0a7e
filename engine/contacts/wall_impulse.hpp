/// \file  What one contact gives its body a in a step, additional laws included.
#pragma once

#include <cstddef>

#include "solvers/batches/contact_batches.hpp"

namespace scree {

/// λ, and the sums of impulse and moment of the additional laws.
/// @param radius  of the sphere that touches; 1 for clumps, whose shares are lengths [m]
inline Wrench WrenchOnA(const ContactBatches& batches, std::size_t j, double radius) {
  Wrench on_a = {batches.Impulse(j), Vec3::Zero()};
  ForEachLaw([&](auto law) {
    using Law = typename decltype(law)::type;
    const LawArrays<Law>& arrays = batches.Of<Law>();
    if (!arrays.Acts()) return;
    const ContactSlot slot = batches.SlotOf(j);
    const Wrench its = Law::OnA(arrays.At(slot), arrays.Impulse(slot), radius);
    on_a.impulse += its.impulse;
    on_a.angular += its.angular;
  });
  return on_a;
}

}  // namespace scree
