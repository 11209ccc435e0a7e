#include "engine/contact_assembly.hpp"

#include <algorithm>
#include <limits>

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

/// Whether contacts may rebound is known before there are contacts: where none does, the loop over
/// them is as if there were no restitution.
enum class Impacts { kInelastic, kRebound };

constexpr double kFlat = std::numeric_limits<double>::infinity();  // radius of a wall

/// Looks up what contacts need, one after the other.
template <Impacts kImpacts>
class Assembly {
 public:
  Assembly(const Particles& particles, const Scene& scene, const StepParameters& parameters,
           double max_correction_speed, std::span<const double> inverse_masses,
           std::span<const Index> counts, const Restitution& restitution)
      : particles_(particles),
        scene_(scene),
        parameters_(parameters),
        restitution_(restitution),
        inverse_masses_(inverse_masses),
        counts_(counts),
        per_dt_(1.0 / parameters.dt),
        reduction_per_dt_(parameters.error_reduction / parameters.dt),
        max_correction_speed_(max_correction_speed),
        kick_(parameters.dt * scene.gravity) {}

  /// @param is_impact  set to true if the contact has to rebound
  Contact Make(const DetectedContact& found, bool& is_impact) const {
    const auto a = static_cast<std::size_t>(found.a);
    const auto b = static_cast<std::size_t>(found.b);
    const double weight_a = inverse_masses_[a];
    const double weight_b = inverse_masses_[b];
    const MaterialId material_a = particles_.material[a];
    const MaterialId material_b = b < particles_.Size()
                                      ? particles_.material[b]
                                      : scene_.walls[b - particles_.Size()].material;
    Contact contact;
    contact.normal = found.normal;
    contact.bias = found.gap > 0.0
                       ? found.gap * per_dt_
                       : std::max(found.gap * reduction_per_dt_, -max_correction_speed_);
    contact.effective_mass = counts_.empty() ? 1.0 / (weight_a + weight_b)
                                             : EffectiveMass(parameters_.solver, weight_a, weight_b,
                                                             counts_[a], counts_[b]);
    contact.friction = scene_.materials.Friction(material_a, material_b);
    contact.a = found.a;
    contact.b = found.b;
    if constexpr (kImpacts == Impacts::kRebound) {
      const auto bodies = [&] {
        return ImpactingBodies{material_a,
                               material_b,
                               weight_a + weight_b,
                               particles_.radius[a],
                               b < particles_.Size() ? particles_.radius[b] : kFlat,
                               Load(found)};
      };
      const Rebound rebound = restitution_.Apply(MotionOf(found), contact.bias, bodies);
      contact.bias = rebound.bias;
      is_impact = rebound.is_impact;
    }
    return contact;
  }

  /// Has on their way what Make will need of a contact that only rebounds ask for.
  void Prefetch(const DetectedContact& found) const {
    if constexpr (kImpacts == Impacts::kRebound) {
      const auto b = std::min(static_cast<std::size_t>(found.b), particles_.Size() - 1);
      __builtin_prefetch(&particles_.velocity[b]);
      __builtin_prefetch(&particles_.velocity[b].z());
    }
  }

 private:
  NormalMotion MotionOf(const DetectedContact& found) const {
    const auto a = static_cast<std::size_t>(found.a);
    const auto b = static_cast<std::size_t>(found.b);
    if (b < particles_.Size()) {
      const double before = (particles_.velocity[a] - particles_.velocity[b]).dot(found.normal);
      return {found.gap, before, before};  // the weight acts on both alike
    }
    const Vec3& wall = scene_.walls[b - particles_.Size()].velocity;
    const double before = (particles_.velocity[a] - wall).dot(found.normal);
    return {found.gap, before, before + kick_.dot(found.normal)};
  }

  /// Two spheres fall alike.
  double Load(const DetectedContact& found) const {
    if (static_cast<std::size_t>(found.b) < particles_.Size()) return 0.0;
    return std::max(0.0, -scene_.gravity.dot(found.normal));
  }

  const Particles& particles_;
  const Scene& scene_;
  const StepParameters& parameters_;
  const Restitution& restitution_;
  const std::span<const double> inverse_masses_;
  const std::span<const Index> counts_;
  const double per_dt_, reduction_per_dt_, max_correction_speed_;
  const Vec3 kick_;
};

template <Impacts kImpacts>
void AddAll(const Assembly<kImpacts>& assembly, std::span<const DetectedContact> detected,
            std::span<const DetectedContact> mirrors, const WarmStart* warm_start,
            ContactBatches& batches, std::vector<Index>& impacts) {
  const auto add = [&](const DetectedContact& found) {
    bool is_impact = false;
    const Contact contact = assembly.Make(found, is_impact);
    batches.Add(contact, warm_start == nullptr ? Vec3(Vec3::Zero())
                                               : OnCone(warm_start->Of(found.a, found.b),
                                                        found.normal, contact.friction));
    return is_impact;
  };
  constexpr std::size_t kAhead = 24;
  for (std::size_t j = 0; j < detected.size(); ++j) {
    assembly.Prefetch(detected[std::min(j + kAhead, detected.size() - 1)]);
    if (add(detected[j])) impacts.push_back(static_cast<Index>(j));
  }
  for (const DetectedContact& found : mirrors) add(found);
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
                      const Restitution& restitution, ContactBatches& batches,
                      std::vector<Index>& impacts) {
  impacts.clear();
  batches.Begin(static_cast<Index>(particles.Size()), inverse_masses.size());
  const auto add_all = [&]<Impacts kImpacts>() {
    const Assembly<kImpacts> assembly(particles, scene, parameters, max_correction_speed,
                                      inverse_masses, counts, restitution);
    AddAll(assembly, detected, mirrors, warm_start, batches, impacts);
  };
  if (restitution.Any()) {
    add_all.template operator()<Impacts::kRebound>();
  } else {
    add_all.template operator()<Impacts::kInelastic>();
  }
  batches.End();
}

}  // namespace scree
