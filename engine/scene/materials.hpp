/// \file  Materials and the properties of pairs of materials.
#pragma once

#include <algorithm>
#include <numbers>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "engine/scene/size_distribution.hpp"
#include "solvers/base/check.hpp"
#include "solvers/base/types.hpp"
#include "solvers/batches/additional_laws.hpp"

namespace scree {

struct Material {
  std::string name;
  double density = 2650.0;                     // [kg/m^3], > 0
  double young = 0.0;                          // Young's modulus [Pa], > 0; 0: unknown
  double poisson = 0.3;                        // Poisson's ratio [-], −1 < ν ≤ 0.5
  std::optional<SizeDistribution> sizes = {};  // default sizes of particles of this material
};

/// Dependence of the friction of a pair of materials on slip (contacts/friction.hpp).
struct PairSlip {
  double kinetic = -1.0;  // μ_∞ at fast slip [-]; < 0: friction does not depend on slip
  double speed = 0.0;  // v₀, scale of the slip speed at which μ falls from μ₀ to μ_∞ [m/s]

  bool IsActive() const { return !(kinetic < 0.0); }
  friend bool operator==(const PairSlip&, const PairSlip&) = default;
};

/// Restitution of a pair of materials: constant, or a law of the approach speed with the constants
/// k and γ₀ (solvers/restitution/viscoelastic.hpp).
struct PairRestitution {
  double constant = 0.0;     // e, used if `law` is empty, 0..1 [-]
  std::string law{};         // one of kContactModels; empty: constant
  double stiffness = 0.0;    // k [N/m^α], > 0; 0: Hertz, from Young's moduli and the radii
  double dissipation = 0.0;  // γ₀ [s m^(α−β)], ≥ 0
  bool load = false;         // law: whether it includes the weight of a sphere that hits a wall

  /// Whether any impact may rebound.
  bool CanRebound() const { return !law.empty() || constant != 0.0; }
  friend bool operator==(const PairRestitution&, const PairRestitution&) = default;
};

/// Volume of a sphere [m³].
inline double SphereVolume(double radius) {
  return 4.0 / 3.0 * std::numbers::pi * radius * radius * radius;
}

/// Coefficients of all additional laws for a pair of materials.
using PairLaws = PerLaw<LawPair>;

/// All materials, and the friction, restitution and additional laws of each pair.
class MaterialTable {
 public:
  /// Adds a material. Its pair properties are the defaults until they are set.
  MaterialId Add(const Material& material, double default_friction,
                 const PairRestitution& default_restitution = {}, const PairLaws& default_laws = {},
                 const PairSlip& default_slip = {}) {
    materials_.push_back(material);
    const std::size_t stride = stride_;
    if (Size() > stride_) stride_ = 2 * stride_;
    AddRow(stride, friction_, default_friction);
    AddRow(stride, restitution_, default_restitution);
    AddRow(stride, laws_, default_laws);
    AddRow(stride, slip_, default_slip);
    return static_cast<MaterialId>(materials_.size() - 1);
  }

  void SetFriction(MaterialId a, MaterialId b, double friction) {
    friction_[At(a, b)] = friction;
    friction_[At(b, a)] = friction;
  }
  void SetSlip(MaterialId a, MaterialId b, const PairSlip& slip) {
    slip_[At(a, b)] = slip;
    slip_[At(b, a)] = slip;
  }
  void SetRestitution(MaterialId a, MaterialId b, const PairRestitution& restitution) {
    restitution_[At(a, b)] = restitution;
    restitution_[At(b, a)] = restitution;
  }
  void SetLaws(MaterialId a, MaterialId b, const PairLaws& laws) {
    laws_[At(a, b)] = laws;
    laws_[At(b, a)] = laws;
  }
  template <class Law>
  void SetLaw(MaterialId a, MaterialId b, const LawPair<Law>& pair) {
    std::get<LawPair<Law>>(laws_[At(a, b)]) = pair;
    std::get<LawPair<Law>>(laws_[At(b, a)]) = pair;
  }

  /// Friction coefficient of a contact between the two materials, ≥ 0 [-]. If it depends on slip,
  /// this is the coefficient at zero slip.
  double Friction(MaterialId a, MaterialId b) const { return friction_[At(a, b)]; }
  const PairSlip& Slip(MaterialId a, MaterialId b) const { return slip_[At(a, b)]; }
  const PairRestitution& Restitution(MaterialId a, MaterialId b) const {
    return restitution_[At(a, b)];
  }
  const PairLaws& Laws(MaterialId a, MaterialId b) const { return laws_[At(a, b)]; }
  template <class Law>
  const LawPair<Law>& PairOf(MaterialId a, MaterialId b) const {
    return std::get<LawPair<Law>>(Laws(a, b));
  }
  /// Marks the laws that act between at least one pair.
  LawFlags ActiveLaws() const {
    LawFlags active = {};
    ForEachLaw([&](auto law) {
      using Law = typename decltype(law)::type;
      active[kLawIndex<Law>] = std::ranges::any_of(
          laws_, [](const PairLaws& pair) { return std::get<LawPair<Law>>(pair).IsActive(); });
    });
    return active;
  }
  bool HasActiveLaw() const {
    return std::ranges::any_of(ActiveLaws(), [](bool acts) { return acts; });
  }

  /// The largest gap at which two surfaces attract each other [m]; 0: no surfaces attract.
  double AttractionRange(double largest_radius) const {
    double range = 0.0;
    for (const PairLaws& laws : laws_) {
      ForEachLaw([&](auto law) {
        using Law = typename decltype(law)::type;
        const auto& pair = std::get<LawPair<Law>>(laws);
        if (pair.IsActive()) range = std::max(range, Law::Range(pair, largest_radius));
      });
    }
    return range;
  }

  /// The largest attraction between a surface of this radius and a flat surface [N].
  double MaxAttraction(double radius) const {
    double force = 0.0;
    for (const PairLaws& laws : laws_) {
      force =
          std::max(force, CohesionLaw::Force(std::get<PairCohesion>(laws), radius, kFlatRadius));
    }
    return force;
  }

  const Material& operator[](MaterialId id) const {
    return materials_[static_cast<std::size_t>(id)];
  }
  std::size_t Size() const { return materials_.size(); }

 private:
  std::size_t At(MaterialId a, MaterialId b) const {
    SCREE_ASSERT(a >= 0 && b >= 0 && static_cast<std::size_t>(a) < Size() &&
                 static_cast<std::size_t>(b) < Size());
    return static_cast<std::size_t>(a) * stride_ + static_cast<std::size_t>(b);
  }

  /// Adds a row and a column filled with `value`. The capacity doubles when it is exhausted, so
  /// that the table is not copied for each new material.
  /// @param stride  of the previous rows
  template <class Property>
  void AddRow(std::size_t stride, std::vector<Property>& table, const Property& value) const {
    const std::size_t last = Size() - 1;
    if (table.size() < stride_ * stride_) {
      std::vector<Property> wider(stride_ * stride_);
      for (std::size_t a = 0; a < last; ++a) {
        for (std::size_t b = 0; b < last; ++b) wider[a * stride_ + b] = table[a * stride + b];
      }
      table = std::move(wider);
    }
    for (std::size_t a = 0; a <= last; ++a) {
      table[a * stride_ + last] = table[last * stride_ + a] = value;
    }
  }

  std::vector<Material> materials_;
  std::size_t stride_ = 1;  // row length of the tables below; Size() entries of a row are used
  std::vector<double> friction_;              // of pairs, symmetric
  std::vector<PairSlip> slip_;                // of pairs, symmetric
  std::vector<PairRestitution> restitution_;  // of pairs, symmetric
  std::vector<PairLaws> laws_;                // of pairs, symmetric
};

}  // namespace scree
