#include "engine/contact_assembly.hpp"

#include <algorithm>

namespace scree {
namespace {

/// Local weights: κ ≥ 1, the factor by which a contact's step is shortened where other ranks
/// correct its bodies in the same sweep, so that the sum of the corrections does not overshoot. The
/// sufficient bound for frictionless contacts has 1 in place of kSharing; 0.55 never diverged in
/// experiments with 2 to 27 subdomains and random partitions, and converges faster.
double SharingFactor(double weight_a, double weight_b, Index elsewhere_a, Index elsewhere_b) {
  constexpr double kSharing = 0.55;
  const double others = (elsewhere_a * weight_a + elsewhere_b * weight_b) / (weight_a + weight_b);
  return std::max(1.0, 0.5 * (1.0 + kSharing * others));
}

/// 1/(κ Aₙₙ), by which the scheme divides the step so that simultaneous corrections of one body do
/// not overshoot; what is counted is told at ContactCounts.
double EffectiveMass(const SolverParameters& solver, double weight_a, double weight_b,
                     Index count_a, Index count_b) {
  // Below 2 is sufficient without friction.
  constexpr double kJacobi = 1.9;
  const double counted = count_a * weight_a + count_b * weight_b;
  if (solver.scheme == Scheme::kJacobi) return kJacobi / counted;
  if (solver.sharing == Sharing::kMassSplitting) return 1.0 / counted;
  const double kappa = SharingFactor(weight_a, weight_b, count_a, count_b);
  return 1.0 / (kappa * (weight_a + weight_b));
}

}  // namespace

void SetInverseMasses(const Particles& particles, const Scene& scene,
                      std::vector<double>& inverse_masses) {
  inverse_masses.assign(particles.Size() + scene.walls.size(), 0.0);
  for (std::size_t i = 0; i < particles.Size(); ++i) {
    inverse_masses[i] =
        1.0 / (scene.materials[particles.material[i]].density * SphereVolume(particles.radius[i]));
  }
}

void AssembleBodies(const Particles& particles, const std::vector<double>& inverse_masses,
                    const Scene& scene, double dt, std::vector<SphereBody>& bodies) {
  const Vec3 kick = dt * scene.gravity;
  bodies.resize(particles.Size() + scene.walls.size());
  for (std::size_t i = 0; i < particles.Size(); ++i) {
    SphereBody& body = bodies[i];
    body.v = particles.velocity[i] + kick;
    body.inverse_mass = inverse_masses[i];
    body.u = particles.radius[i] * particles.angular_velocity[i];
    body.radius = particles.radius[i];
  }
  for (std::size_t w = 0; w < scene.walls.size(); ++w) {
    bodies[particles.Size() + w] = {scene.walls[w].velocity, 0.0, Vec3::Zero(), 0.0};
  }
}

void SplitMasses(std::span<const Index> shares, std::vector<SphereBody>& bodies) {
  for (std::size_t i = 0; i < shares.size(); ++i) {
    if (shares[i] > 1) bodies[i].inverse_mass *= shares[i];
  }
}

void UniteMasses(std::span<const double> inverse_masses, std::vector<SphereBody>& bodies) {
  for (std::size_t i = 0; i < bodies.size(); ++i) bodies[i].inverse_mass = inverse_masses[i];
}

void AssembleContacts(std::span<const DetectedContact> detected,
                      std::span<const DetectedContact> mirrors, const Particles& particles,
                      const Scene& scene, const StepParameters& parameters,
                      double max_correction_speed, std::span<const double> inverse_masses,
                      std::span<const Index> counts, const WarmStart* warm_start,
                      ContactBatches& batches) {
  const double per_dt = 1.0 / parameters.dt;
  const double reduction_per_dt = parameters.error_reduction / parameters.dt;
  batches.Begin(static_cast<Index>(particles.Size()), inverse_masses.size());
  const auto add = [&](const DetectedContact& found) {
    const auto a = static_cast<std::size_t>(found.a);
    const auto b = static_cast<std::size_t>(found.b);
    const double weight_a = inverse_masses[a];
    const double weight_b = inverse_masses[b];
    const MaterialId material_b =
        b < particles.Size() ? particles.material[b] : scene.walls[b - particles.Size()].material;

    Contact contact;
    contact.normal = found.normal;
    contact.bias = found.gap > 0.0 ? found.gap * per_dt
                                   : std::max(found.gap * reduction_per_dt, -max_correction_speed);
    contact.effective_mass =
        counts.empty() ? 1.0 / (weight_a + weight_b)
                       : EffectiveMass(parameters.solver, weight_a, weight_b, counts[a], counts[b]);
    contact.friction = scene.materials.Friction(particles.material[a], material_b);
    contact.a = found.a;
    contact.b = found.b;
    batches.Add(contact, warm_start == nullptr ? Vec3(Vec3::Zero())
                                               : OnCone(warm_start->Of(found.a, found.b),
                                                        found.normal, contact.friction));
  };
  for (const DetectedContact& found : detected) add(found);
  for (const DetectedContact& found : mirrors) add(found);
  batches.End();
}

}  // namespace scree
