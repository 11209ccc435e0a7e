#include "engine/contacts/contact_assembly.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include "engine/particles/body_mass.hpp"
#include "solvers/effective_mass.hpp"

namespace scree {
namespace {

/// Looks up what contacts need, one after the other.
class Assembly {
 public:
  Assembly(const ContactInput& input, const StepParameters& parameters, double max_correction_speed)
      : input_(input),
        bodies_(input.Bodies()),
        parameters_(parameters),
        per_dt_(1.0 / parameters.dt),
        // The projection of positions leaves the velocities nothing to remove.
        reduction_per_dt_(
            PositionSweeps(parameters) > 0 ? 0.0 : parameters.error_reduction / parameters.dt),
        max_correction_speed_(max_correction_speed),
        kick_(parameters.dt * input.scene.gravity) {}

  double InelasticBias(double gap) const {
    return gap > 0.0 ? gap * per_dt_ : std::max(gap * reduction_per_dt_, -max_correction_speed_);
  }

  Contact Make(const DetectedContact& found, double bias) const {
    const auto a = static_cast<std::size_t>(found.a);
    const auto b = static_cast<std::size_t>(found.b);
    const auto [weight_a, weight_b] = input_.WeightsOf(found);
    Contact contact;
    contact.normal = found.normal;
    contact.bias = bias;
    contact.effective_mass = input_.counts.empty()
                                 ? 1.0 / (weight_a + weight_b)
                                 : EffectiveMass(parameters_.solver, weight_a, weight_b,
                                                 input_.counts[a], input_.counts[b]);
    contact.friction =
        input_.scene.materials.Friction(input_.particles.material[a], input_.MaterialOf(found.b));
    contact.a = found.a;
    contact.b = found.b;
    return contact;
  }

  NormalMotion MotionOf(const DetectedContact& found) const {
    const Vec3 velocity = input_.VelocityOf(found.a, found.members.a);
    if (!bodies_.IsWall(found.b)) {
      const double before =
          (velocity - input_.VelocityOf(found.b, found.members.b)).dot(found.normal);
      return {found.gap, before, before};  // the weight acts on both alike
    }
    const WallBody& wall = bodies_.WallOf(found.b);
    const double before = (velocity - wall.velocity).dot(found.normal);
    return {found.gap, before, before + (kick_ - wall.push).dot(found.normal)};
  }

  ImpactingBodies BodiesOf(const DetectedContact& found) const {
    const auto a = static_cast<std::size_t>(found.a);
    auto [weight_a, weight_b] = input_.WeightsOf(found);
    if (bodies_.IsWall(found.b)) weight_b = bodies_.WallOf(found.b).mobility;
    ImpactingBodies bodies;
    bodies.a = input_.particles.material[a];
    bodies.b = input_.MaterialOf(found.b);
    bodies.inverse_mass = weight_a + weight_b;
    bodies.radius_a = input_.RadiusOfA(found);
    bodies.radius_b = input_.RadiusOfB(found);
    // Two bodies fall alike.
    bodies.load =
        bodies_.IsWall(found.b) ? std::max(0.0, -input_.scene.gravity.dot(found.normal)) : 0.0;
    return bodies;
  }

  /// Prefetches the velocity that MotionOf will need.
  SCREE_INLINE void Prefetch(const DetectedContact& found) const {
    const auto b = std::min(static_cast<std::size_t>(found.b), input_.particles.Size() - 1);
    __builtin_prefetch(&input_.particles.velocity[b]);
    __builtin_prefetch(&input_.particles.velocity[b].z());
  }

 private:
  const ContactInput input_;
  const ContactBodies bodies_;
  const StepParameters& parameters_;
  const double per_dt_, reduction_per_dt_, max_correction_speed_;
  const Vec3 kick_;
};

/// Calls add(contact, bias) for each contact in turn, as if all were inelastic.
template <class Add>
void ForEachInelastic(const Assembly& assembly, std::span<const DetectedContact> contacts,
                      Add&& add) {
  for (const DetectedContact& found : contacts) add(found, assembly.InelasticBias(found.gap));
}

/// Calls add(contact, bias) for each contact in turn. Block by block: first those are picked out
/// that ask for their restitution, then it is looked up for all of these, so that the processor
/// need not guess which they are and works on several at once.
/// @param impact  impact(j) is called for each contact j that has to rebound, before its add
template <class Add, class Impact>
void ForEachRebounding(const Assembly& assembly, const Restitution& restitution,
                       std::span<const DetectedContact> contacts, Add&& add, Impact&& impact) {
  constexpr std::size_t kBlock = 64;
  std::array<double, kBlock> bias;
  std::array<NormalMotion, kBlock> motion;
  std::array<std::uint32_t, kBlock> asks;
  for (std::size_t first = 0; first < contacts.size(); first += kBlock) {
    const auto block = contacts.subspan(first, std::min(kBlock, contacts.size() - first));
    std::size_t count = 0;
    for (std::size_t k = 0; k < block.size(); ++k) {
      assembly.Prefetch(contacts[std::min(first + k + kBlock / 2, contacts.size() - 1)]);
      bias[k] = assembly.InelasticBias(block[k].gap);
      motion[count] = assembly.MotionOf(block[k]);
      asks[count] = static_cast<std::uint32_t>(k);
      count += restitution.Asks(motion[count], bias[k]) ? 1 : 0;
    }
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t k = asks[i];
      const Rebound rebound = restitution.Apply(motion[i], bias[k], assembly.BodiesOf(block[k]));
      bias[k] = rebound.bias;
      if (rebound.is_impact) impact(first + k);
    }
    for (std::size_t k = 0; k < block.size(); ++k) add(block[k], bias[k]);
  }
}

}  // namespace

void SetInverseMasses(const Particles& particles, const Scene& scene,
                      std::vector<double>& inverse_masses) {
  inverse_masses.assign(particles.Size() + scene.walls.size(), 0.0);
  for (std::size_t i = 0; i < particles.Size(); ++i) {
    inverse_masses[i] = 1.0 / MassOf(particles, i, scene);
  }
}

void AssembleBodies(const Particles& particles, const std::vector<double>& inverse_masses,
                    const Scene& scene, std::span<const WallBody> walls, double dt,
                    std::vector<SphereBody>& bodies) {
  const Vec3 kick = dt * scene.gravity;
  bodies.resize(particles.Size() + walls.size());
  for (std::size_t i = 0; i < particles.Size(); ++i) {
    SphereBody& body = bodies[i];
    body.v = particles.velocity[i] + kick;
    body.inverse_mass = inverse_masses[i];
    body.u = particles.radius[i] * particles.angular_velocity[i];
    body.radius = particles.radius[i];
  }
  for (std::size_t k = 0; k < walls.size(); ++k) {
    bodies[particles.Size() + k] = {walls[k].velocity, 0.0, Vec3::Zero(), 0.0};
  }
}

PrincipalInertia InertiaOf(const Particles& particles, std::size_t i, double inverse_mass,
                           std::span<const ClumpShape> clumps) {
  const double mass = 1.0 / inverse_mass, radius = particles.radius[i];
  if (particles.shape[i] != kSphereShape) {
    return clumps[static_cast<std::size_t>(particles.shape[i]) - 1].Inertia(mass, radius);
  }
  return {Vec3::Constant(mass * radius * radius / kMassOverInertia), {}};
}

void AssembleBodies(const Particles& particles, const std::vector<double>& inverse_masses,
                    const Scene& scene, std::span<const WallBody> walls, double dt,
                    std::vector<RigidBody>& bodies) {
  const Vec3 kick = dt * scene.gravity;
  bodies.resize(particles.Size() + walls.size());
  for (std::size_t i = 0; i < particles.Size(); ++i) {
    RigidBody& body = bodies[i];
    body.v = particles.velocity[i] + kick;
    body.inverse_mass = inverse_masses[i];
    body.omega = particles.angular_velocity[i];
    const PrincipalInertia inertia = InertiaOf(particles, i, inverse_masses[i], scene.clumps);
    body.SetInverseInertia(particles.shape[i] == kSphereShape
                               ? Mat3(inertia.moments.cwiseInverse().asDiagonal())
                               : inertia.InverseInWorld(particles.orientation[i]));
  }
  for (std::size_t k = 0; k < walls.size(); ++k) {
    RigidBody& wall = bodies[particles.Size() + k] = RigidBody();
    wall.v = walls[k].velocity;
  }
}

ContactArms ArmsOf(const DetectedContact& contact, const MemberTable& members, bool with_wall) {
  const Member& a = members.Of(contact.a, contact.members.a);
  if (with_wall) {
    return {a.centre - (a.radius + contact.gap) * contact.normal, Vec3::Zero()};
  }
  const Member& b = members.Of(contact.b, contact.members.b);
  return {a.centre - (a.radius + 0.5 * contact.gap) * contact.normal,
          b.centre + (b.radius + 0.5 * contact.gap) * contact.normal};
}

void AssembleContacts(const ContactInput& input, const StepParameters& parameters,
                      double max_correction_speed, const Restitution& restitution,
                      ContactBatches& batches, std::vector<Index>& impacts,
                      std::vector<double>& pushes) {
  impacts.clear();
  pushes.clear();
  const std::size_t particles = input.particles.Size();
  batches.Begin(static_cast<Index>(particles), input.inverse_masses.size(),
                input.IsRigid() ? BodyKind::kRigid : BodyKind::kSphere);
  const Assembly assembly(input, parameters, max_correction_speed);
  const ContactBodies bodies = input.Bodies();
  const auto start_of = [&](const DetectedContact& found, double friction) {
    if (input.warm_start == nullptr) return Vec3(Vec3::Zero());
    const WarmStart::Last last =
        input.warm_start->LastOf(found.a, bodies.PartnerOf(found.b), found.members);
    pushes.push_back(last.push);
    return OnCone(last.impulse, found.normal, friction);
  };
  const auto add = [&](const DetectedContact& found, double bias) {
    const Contact contact = assembly.Make(found, bias);
    const Vec3 start = start_of(found, contact.friction);
    input.IsRigid() ? batches.Add(contact, input.ArmsOf(found), start)
                    : batches.Add(contact, start);
  };
  if (restitution.Any()) {
    ForEachRebounding(assembly, restitution, input.detected, add,
                      [&](std::size_t j) { impacts.push_back(static_cast<Index>(j)); });
    ForEachRebounding(assembly, restitution, input.mirrors, add, [](std::size_t) {});
  } else {
    ForEachInelastic(assembly, input.detected, add);
    ForEachInelastic(assembly, input.mirrors, add);
  }
  batches.End();
}

}  // namespace scree
