/// \file  The total impulse of one contact on its body a in a step, including additional laws.
#pragma once

#include <cstddef>

#include "solvers/batches/contact_batches.hpp"

namespace scree {

/// λ plus the impulses of the additional laws, and the sum of their moments.
/// @param radius  of the touching sphere; 1 for clumps, whose law parameters are lengths [m]
inline Wrench WrenchOnA(const ContactBatches& batches, std::size_t j, double radius) {
  Wrench on_a = {batches.Impulse(j), Vec3::Zero()};
  ForEachLaw([&](auto law) {
    using Law = typename decltype(law)::type;
    const LawArrays<Law>& arrays = batches.ArraysOf<Law>();
    if (!arrays.IsActive()) return;
    const ContactSlot slot = batches.SlotOf(j);
    const Wrench of_law = Law::WrenchOnA(arrays.At(slot), arrays.Impulse(slot), radius);
    on_a.impulse += of_law.impulse;
    on_a.angular += of_law.angular;
  });
  return on_a;
}

}  // namespace scree
