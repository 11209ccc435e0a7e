#include "engine/contacts/restitution.hpp"

#include <limits>
#include <string>

#include "solvers/base/check.hpp"

namespace scree {
namespace {

void Require(bool is_valid, const MaterialTable& materials, MaterialId a, MaterialId b,
             const char* name, double value, const char* expected) {
  if (is_valid) return;
  throw InputError(Text("the ", name, " of the materials ", materials[a].name, " and ",
                        materials[b].name, " is ", value, "; expected ", expected));
}

/// k of two spheres of these materials with 1/r_a + 1/r_b = 1 m⁻¹ [N/m^(3/2)].
double StiffnessAtUnitCurvature(const Material& a, const Material& b) {
  for (const Material& material : {a, b}) {
    if (material.young > 0.0) continue;
    throw InputError(Text("the restitution law of the materials ", a.name, " and ", b.name,
                          " needs a stiffness, or the Young's modulus of ", material.name));
  }
  return impact::HertzStiffness({a.young, a.poisson, 1.0},
                                {b.young, b.poisson, std::numeric_limits<double>::infinity()});
}

}  // namespace

bool HasReboundingPair(const MaterialTable& materials) {
  const auto count = static_cast<MaterialId>(materials.Size());
  for (MaterialId a = 0; a < count; ++a) {
    for (MaterialId b = 0; b < count; ++b) {
      if (materials.Restitution(a, b).CanRebound()) return true;
    }
  }
  return false;
}

Restitution::Restitution(const Scene& scene, double dt, double touching_gap)
    : dt_(dt), threshold_(ReboundThreshold(scene, dt)), touching_gap_(touching_gap) {
  const MaterialTable& materials = scene.materials;
  if (!HasReboundingPair(materials)) return;
  materials_ = materials.Size();
  const auto count = static_cast<MaterialId>(materials_);
  for (MaterialId a = 0; a < count; ++a) {
    for (MaterialId b = 0; b < count; ++b) {
      pairs_.push_back(MakePair(materials, a, b));
      const Pair& pair = pairs_.back();
      max_e_ = std::max(max_e_, pair.table == nullptr ? pair.constant : 1.0);
    }
  }
}

Restitution::Pair Restitution::MakePair(const MaterialTable& materials, MaterialId a,
                                        MaterialId b) {
  const PairRestitution& input = materials.Restitution(a, b);
  const auto require = [&](bool is_valid, const char* name, double value, const char* expected) {
    Require(is_valid, materials, a, b, name, value, expected);
  };
  Pair pair;
  require(input.constant >= 0.0 && input.constant <= 1.0, "restitution", input.constant, "0 to 1");
  pair.constant = input.constant;
  if (input.law.empty()) return pair;

  const impact::ContactModel model = impact::FindContactModel(input.law);
  require(input.stiffness >= 0.0 && std::isfinite(input.stiffness), "stiffness", input.stiffness,
          "a number above 0, or 0 for the stiffness by Hertz");
  require(input.dissipation >= 0.0 && std::isfinite(input.dissipation), "dissipation",
          input.dissipation, "a number of at least 0");
  pair.is_hertzian = input.stiffness == 0.0;
  require(!pair.is_hertzian || model.alpha == 1.5, "stiffness", input.stiffness,
          "a number above 0, because the spring of this law is not Hertzian");
  // Both orders of the materials give the same bits, which ghost contacts rely on.
  const MaterialId first = std::min(a, b), second = std::max(a, b);
  pair.stiffness = pair.is_hertzian ? StiffnessAtUnitCurvature(materials[first], materials[second])
                                    : input.stiffness;
  pair.needs_load = input.load;
  pair.at_unit_rate = impact::ScalesOfPair(model, {1.0, 1.0, input.dissipation, 1.0});
  const impact::PairScales at_log_0 = impact::ScalesOfPair(model, {1.0, 1.0, 1.0, 1.0});
  const impact::PairScales at_log_1 = impact::ScalesOfPair(model, {1.0, std::exp(1.0), 1.0, 1.0});
  pair.per_log_rate = {at_log_1.log_gamma - at_log_0.log_gamma,
                       at_log_1.log_load - at_log_0.log_load};
  using Loads = impact::RestitutionTable::Loads;
  pair.table = impact::RestitutionTable::Shared({model}, input.load ? Loads::kAny : Loads::kNone);
  return pair;
}

/// ln(k/m).
double Restitution::LogRate(const Pair& pair, const ImpactingBodies& bodies) {
  if (bodies.inverse_mass == pair.last_inverse_mass && bodies.radius_a == pair.last_radius_a &&
      bodies.radius_b == pair.last_radius_b) {
    return pair.last_log_rate;
  }
  const double curvature = 1.0 / bodies.radius_a + 1.0 / bodies.radius_b;
  const double stiffness =
      pair.is_hertzian ? pair.stiffness / std::sqrt(curvature) : pair.stiffness;
  pair.last_inverse_mass = bodies.inverse_mass;
  pair.last_radius_a = bodies.radius_a;
  pair.last_radius_b = bodies.radius_b;
  pair.last_log_rate = std::log(stiffness * bodies.inverse_mass);
  return pair.last_log_rate;
}

double Restitution::EvaluateLaw(const Pair& pair, const ImpactingBodies& bodies, double speed) {
  const double log_rate = LogRate(pair, bodies);
  impact::PairScales scales = {pair.at_unit_rate.log_gamma + pair.per_log_rate.log_gamma * log_rate,
                               -INFINITY};
  if (pair.needs_load && bodies.load > 0.0) {
    scales.log_load =
        std::log(bodies.load) + pair.at_unit_rate.log_load + pair.per_log_rate.log_load * log_rate;
  }
  return pair.table->Restitution(scales, speed);
}

}  // namespace scree
