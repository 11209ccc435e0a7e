/// \file  Materials and what holds between pairs of them.
#pragma once

#include <numbers>
#include <string>
#include <vector>

#include "solvers/check.hpp"
#include "solvers/types.hpp"

namespace scree {

struct Material {
  std::string name;
  double density = 2650.0;  // [kg/m^3], > 0
};

/// [m^3]
inline double SphereVolume(double radius) {
  return 4.0 / 3.0 * std::numbers::pi * radius * radius * radius;
}

/// All materials, and the friction coefficient of each pair.
class MaterialTable {
 public:
  /// Adds a material; its friction with all others and itself is `default_friction` until set.
  MaterialId Add(const Material& material, double default_friction) {
    materials_.push_back(material);
    std::vector<double> wider(materials_.size() * materials_.size(), default_friction);
    const std::size_t old = materials_.size() - 1;
    for (std::size_t a = 0; a < old; ++a) {
      for (std::size_t b = 0; b < old; ++b) {
        wider[a * materials_.size() + b] = friction_[a * old + b];
      }
    }
    friction_ = std::move(wider);
    return static_cast<MaterialId>(old);
  }

  void SetFriction(MaterialId a, MaterialId b, double friction) {
    friction_[At(a, b)] = friction;
    friction_[At(b, a)] = friction;
  }

  /// Friction coefficient of a contact between the two materials, ≥ 0 [-].
  double Friction(MaterialId a, MaterialId b) const { return friction_[At(a, b)]; }

  const Material& operator[](MaterialId id) const {
    return materials_[static_cast<std::size_t>(id)];
  }
  std::size_t Size() const { return materials_.size(); }

 private:
  std::size_t At(MaterialId a, MaterialId b) const {
    SCREE_ASSERT(a >= 0 && b >= 0 && static_cast<std::size_t>(a) < Size() &&
                 static_cast<std::size_t>(b) < Size());
    return static_cast<std::size_t>(a) * materials_.size() + static_cast<std::size_t>(b);
  }

  std::vector<Material> materials_;
  std::vector<double> friction_;  // Size() x Size(), symmetric
};

}  // namespace scree
