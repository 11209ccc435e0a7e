#include "engine/contact_assembly.hpp"

#include <algorithm>

namespace scree {
namespace {

/// κ ≥ 1: the factor by which a contact's step is shortened where other ranks correct its bodies in
/// the same sweep, so that the sum of the corrections does not overshoot. The sufficient bound for
/// frictionless contacts has 1 in place of kSharing; 0.55 never diverged in experiments with 2 to
/// 27 subdomains and random partitions, and converges faster.
double SharingFactor(double weight_a, double weight_b, Index elsewhere_a, Index elsewhere_b) {
  constexpr double kSharing = 0.55;
  const double others = (elsewhere_a * weight_a + elsewhere_b * weight_b) / (weight_a + weight_b);
  return std::max(1.0, 0.5 * (1.0 + kSharing * others));
}

}  // namespace

std::vector<double> InverseMasses(const Particles& particles, const Scene& scene) {
  std::vector<double> inverse_masses(particles.Size());
  for (std::size_t i = 0; i < particles.Size(); ++i) {
    inverse_masses[i] =
        1.0 / (scene.materials[particles.material[i]].density * SphereVolume(particles.radius[i]));
  }
  return inverse_masses;
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

void AssembleContacts(std::span<const DetectedContact> detected, const Particles& particles,
                      const Scene& scene, const StepParameters& parameters,
                      double max_correction_speed, std::span<const SphereBody> bodies,
                      std::span<const Index> elsewhere, ContactBatches& batches) {
  const double per_dt = 1.0 / parameters.dt;
  const double reduction_per_dt = parameters.error_reduction / parameters.dt;
  batches.Begin(detected.size(), static_cast<Index>(particles.Size()), bodies.size(),
                [&](std::size_t j) {
                  return ContactBatches::Pair{detected[j].a, detected[j].b};
                });
  for (std::size_t j = 0; j < detected.size(); ++j) {
    const DetectedContact& found = detected[j];
    const auto a = static_cast<std::size_t>(found.a);
    const auto b = static_cast<std::size_t>(found.b);
    const double weight_a = bodies[a].inverse_mass;
    const double weight_b = bodies[b].inverse_mass;
    const double kappa =
        elsewhere.empty() ? 1.0 : SharingFactor(weight_a, weight_b, elsewhere[a], elsewhere[b]);
    const MaterialId material_b =
        b < particles.Size() ? particles.material[b] : scene.walls[b - particles.Size()].material;

    Contact contact;
    contact.normal = found.normal;
    contact.bias = found.gap > 0.0 ? found.gap * per_dt
                                   : std::max(found.gap * reduction_per_dt, -max_correction_speed);
    contact.effective_mass = 1.0 / (kappa * (weight_a + weight_b));
    contact.friction = scene.materials.Friction(particles.material[a], material_b);
    contact.a = found.a;
    contact.b = found.b;
    batches.Set(j, contact, Vec3::Zero());
  }
}

}  // namespace scree
