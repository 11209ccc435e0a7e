#include "engine/contacts/law_assembly.hpp"

#include <type_traits>

#include "solvers/sweeps/effective_mass.hpp"

namespace scree {
namespace {

template <RelaxedLaw Law>
void SetEffectiveMass(const ContactInput& input, const StepParameters& parameters,
                      const DetectedContact& found, const ContactGeometry& geometry, bool may_pull,
                      typename Law::template Data<double>& data) {
  const auto a = static_cast<std::size_t>(found.a), b = static_cast<std::size_t>(found.b);
  // The block of each body in the law's Delassus operator replaces its inverse mass.
  double weight_a = 0.0, weight_b = 0.0;
  if (input.IsRigid()) {
    Law::SetRigidFractions(geometry.radius_a, geometry.radius_b, data);
    weight_a = Law::ScalarBlock(data, input.rigid[a], RigidBody());
    weight_b = Law::ScalarBlock(data, RigidBody(), input.rigid[b]);
  } else {
    weight_a = Law::ScalarBlock(data, input.inverse_masses[a], 0.0);
    weight_b = Law::ScalarBlock(data, 0.0, input.inverse_masses[b]);
  }
  data.effective_mass = input.counts.empty()
                            ? 1.0 / (weight_a + weight_b)
                            : EffectiveMass(parameters.solver, weight_a, weight_b, input.counts[a],
                                            input.counts[b], Law::kRemoteWeight, may_pull);
}

/// Limits the pull of a contact whose bodies leave the range in the step, and adds the pull of
/// bodies that enter it (attraction.hpp).
/// @param impulse  λₙ at the beginning of the step [N s]
void SetPullAtRange(const ContactInput& input, double dt, const Restitution& restitution,
                    const ContactSpan& contacts, std::size_t k, double impulse,
                    CohesionData<double>& data) {
  const DetectedContact& found = contacts[k];
  const Attraction attraction = input.AttractionOf(contacts, k);
  const double velocity =
      attraction.VelocityBefore(found.gap, input.RelativeVelocityOf(contacts, k).dot(found.normal),
                                input.KickApart(contacts, k).dot(found.normal));
  const bool is_outside = found.gap > attraction.range;
  // Bodies that recede outside get no pull.
  if (!attraction.IsActive() || (is_outside && velocity >= 0.0)) return;
  const double inverse_mass = input.InverseMassOf(contacts, k);
  // Gaps of up to held_gap count as zero if the contact carries a load.
  const double gap = found.gap <= input.held_gap ? 0.0 : found.gap;
  const bool is_under_load =
      restitution.IsUnderLoad({gap, velocity, velocity}, impulse * inverse_mass);
  const double change = attraction.ChangeInStep(found.gap, velocity, dt, is_under_load);
  // The rule of restitution accounts for the pull on bodies that touch within the step.
  if (is_outside && found.gap + dt * (velocity - change) <= 0.0) return;
  if (is_outside || change != dt * attraction.acceleration) data.pull = change / inverse_mass;
}

template <class Law>
void AssembleLaw(const ContactInput& input, const StepParameters& parameters,
                 const Restitution& restitution, ContactBatches& batches) {
  const Particles& particles = input.particles;
  batches.BeginLaw<Law>();
  std::size_t j = 0;
  [[maybe_unused]] const bool may_pull = input.MayPull();
  const auto add = [&](const ContactSpan& contacts, std::size_t k) {
    const DetectedContact& found = contacts[k];
    const ContactGeometry geometry = contacts.GeometryOf(k, particles);
    const LawPair<Law>& pair = input.scene.materials.PairOf<Law>(
        particles.material[static_cast<std::size_t>(found.a)], input.MaterialOf(found.b));
    LawContact contact = {.radius_a = geometry.radius_a,
                          .radius_b = geometry.radius_b,
                          .gap = found.gap,
                          .dt = parameters.dt};
    if constexpr (std::is_same_v<Law, CohesionLaw>)
      contact.held_gap = input.AttractionGap(contacts, k);
    auto data = Law::MakeData(pair, contact);
    if constexpr (RelaxedLaw<Law>)
      SetEffectiveMass<Law>(input, parameters, found, geometry, may_pull, data);
    if constexpr (std::is_same_v<Law, CohesionLaw>) {
      SetPullAtRange(input, parameters.dt, restitution, contacts, k,
                     batches.Impulse(j).dot(found.normal), data);
    }
    Vec3 start_impulse = Vec3::Zero();
    if (Law::kIsGiven) {
      start_impulse = StartingLawImpulse<Law>(found.normal, data, Vec3::Zero(), Vec3::Zero());
    } else if (input.warm_start != nullptr) {
      start_impulse = StartingLawImpulse<Law>(found.normal, data, batches.Impulse(j),
                                              input.warm_start->LawAt<Law>(found.stored_entry));
    }
    batches.ArraysOf<Law>().Set(batches.SlotOf(j++), data, start_impulse);
  };
  for (const ContactSpan& contacts : {input.detected, input.ghosts}) {
    for (std::size_t k = 0; k < contacts.size(); ++k) add(contacts, k);
  }
}

}  // namespace

void AssembleLaws(const ContactInput& input, const StepParameters& parameters,
                  const Restitution& restitution, ContactBatches& batches) {
  const LawFlags active_laws = input.scene.ActiveLaws();
  const LawFlags material_laws = input.scene.materials.ActiveLaws();
  ForEachLaw([&](auto law) {
    using Law = typename decltype(law)::type;
    if (!active_laws[kLawIndex<Law>]) return;
    if constexpr (Law::kIsOfBonds) {
      batches.BeginLaw<Law>();
    } else if (Law::kIsGiven && !material_laws[kLawIndex<Law>]) {
      batches.BeginLaw<Law>();  // bonds set the data later
    } else {
      AssembleLaw<Law>(input, parameters, restitution, batches);
    }
  });
}

void SetPatchRotations(std::span<const DetectedContact> contacts, const Particles& particles,
                       std::span<const WallBody> walls, std::span<const WallPose> poses,
                       std::vector<RigidBody>& bodies) {
  const ContactBodies body_map(particles, walls);
  for (const DetectedContact& contact : contacts) {
    if (!body_map.IsWall(contact.b)) continue;
    const WallPose& pose = poses[static_cast<std::size_t>(body_map.WallOf(contact.b).wall)];
    if (pose.IsRotating())
      bodies[static_cast<std::size_t>(contact.b)].omega = pose.angular_velocity;
  }
}

void SetPatchRotations(std::span<const DetectedContact> contacts, const Particles& particles,
                       std::span<const WallBody> walls, std::span<const WallPose> poses,
                       std::vector<SphereBody>& bodies) {
  const ContactBodies body_map(particles, walls);
  for (const DetectedContact& contact : contacts) {
    if (!body_map.IsWall(contact.b)) continue;
    const WallPose& pose = poses[static_cast<std::size_t>(body_map.WallOf(contact.b).wall)];
    if (!pose.IsRotating() && !pose.CanRotate()) continue;
    SphereBody& patch = bodies[static_cast<std::size_t>(contact.b)];
    patch.radius = particles.radius[static_cast<std::size_t>(contact.a)];
    patch.u = patch.radius * pose.angular_velocity;
    patch.v -= patch.u.cross(contact.normal);
  }
}

}  // namespace scree
