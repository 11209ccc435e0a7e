#include "engine/contacts/friction.hpp"

#include <algorithm>

#include "solvers/base/check.hpp"

namespace scree {
namespace {

bool HasAnyLaw(const MaterialTable& materials) {
  const auto count = static_cast<MaterialId>(materials.Size());
  for (MaterialId a = 0; a < count; ++a) {
    for (MaterialId b = 0; b < count; ++b) {
      if (materials.Slip(a, b).IsActive()) return true;
    }
  }
  return false;
}

}  // namespace

Friction::Friction(const MaterialTable& materials) {
  if (!HasAnyLaw(materials)) return;
  materials_ = materials.Size();
  const auto count = static_cast<MaterialId>(materials_);
  for (MaterialId a = 0; a < count; ++a) {
    for (MaterialId b = 0; b < count; ++b) {
      const double at_rest = materials.Friction(a, b);
      const PairSlip& law = materials.Slip(a, b);
      if (!law.IsActive()) {
        pairs_.push_back({at_rest, at_rest, 1.0});
        continue;
      }
      const auto require = [&](bool is_valid, const char* name, double value,
                               const char* expected) {
        if (is_valid) return;
        throw InputError(Text("the ", name, " of the materials ", materials[a].name, " and ",
                              materials[b].name, " is ", value, "; expected ", expected));
      };
      require(std::isfinite(law.kinetic), "kinetic friction", law.kinetic, "a number");
      require(law.speed > 0.0 && std::isfinite(law.speed), "speed of friction", law.speed,
              "a number above 0 m/s");
      pairs_.push_back({at_rest, law.kinetic, law.speed});
    }
  }
}

}  // namespace scree
