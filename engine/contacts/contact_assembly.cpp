#include "engine/contacts/contact_assembly.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

#include "engine/contacts/restitution_slip.hpp"
#include "engine/particles/body_mass.hpp"
#include "solvers/sweeps/effective_mass.hpp"

namespace scree {
namespace {

class Assembly {
 public:
  Assembly(const ContactInput& input, const StepParameters& parameters, double max_correction_speed)
      : input_(input),
        bodies_(input.Bodies()),
        parameters_(parameters),
        per_dt_(1.0 / parameters.dt),
        // If positions are projected, velocities need not remove overlaps.
        reduction_per_dt_(
            PositionSweeps(parameters) > 0 ? 0.0 : parameters.error_reduction / parameters.dt),
        max_correction_speed_(max_correction_speed),
        under_relaxed_count_(UnderRelaxedCount(input, parameters.solver)),
        any_closing_(std::ranges::any_of(input.walls,
                                         [](const WallBody& wall) { return wall.closing > 0.0; })),
        has_attraction_(input.scene.materials.ActiveLaws()[kLawIndex<CohesionLaw>]),
        may_pull_(input.MayPull()) {}

  /// Looks up the data of one contact: the gap (stored as bias), A_nn or the under-relaxed
  /// effective mass (stored as effective mass), and the impulse of the last step.
  /// @param is_under_relaxed  as in Finish
  /// @param packet  receives the data in this lane
  /// @returns p, the impulse of the last step's projection
  double LookUp(const ContactSpan& contacts, std::size_t j, bool is_under_relaxed, std::size_t lane,
                ContactBatch& packet) const {
    const DetectedContact& found = contacts[j];
    const auto a = static_cast<std::size_t>(found.a), b = static_cast<std::size_t>(found.b);
    const auto [weight_a, weight_b] = input_.WeightsOf(contacts, j);
    packet.effective_mass[lane] = is_under_relaxed
                                      ? EffectiveMass(parameters_.solver, weight_a, weight_b,
                                                      input_.counts[a], input_.counts[b],
                                                      /*remote_weight=*/1, may_pull_)
                                      : weight_a + weight_b;
    packet.friction[lane] =
        input_.scene.materials.Friction(input_.particles.material[a], input_.MaterialOf(found.b));
    packet.bias[lane] = found.gap;
    for (int axis = 0; axis < 3; ++axis) packet.normal[axis][lane] = found.normal[axis];
    packet.a[lane] = static_cast<BodyOffset>(found.a);
    packet.b[lane] = static_cast<BodyOffset>(found.b);
    WarmStart::Entry last;
    if (input_.warm_start != nullptr) last = input_.warm_start->EntryAt(found.stored_entry);
    for (int axis = 0; axis < 3; ++axis) packet.impulse[axis][lane] = last.impulse[axis];
    return last.projection_impulse;
  }

  /// Converts the data in a packet to the input of the solve for inelastic contacts.
  /// @param is_under_relaxed  whether these contacts are under-relaxed
  void Finish(bool is_under_relaxed, ContactBatch& packet) const {
    const Double8 zero = {}, gap = packet.bias, min_bias = zero - max_correction_speed_;
    const Double8 reduced = gap * reduction_per_dt_;
    const Double8 open_gap = input_.held_gap > 0.0 ? Select(IsHeld(packet), zero, gap) : gap;
    packet.bias =
        Select(gap > zero, open_gap * per_dt_, Select(reduced < min_bias, min_bias, reduced));
    if (!is_under_relaxed) packet.effective_mass = 1.0 / packet.effective_mass;
    ProjectOntoCones(packet);
  }

  /// WallBody::closing of the contact [m].
  double ClosingOf(const DetectedContact& found) const {
    return any_closing_ && bodies_.IsWall(found.b) ? bodies_.WallOf(found.b).closing : 0.0;
  }
  bool HasClosing() const { return any_closing_; }
  /// Subtracts the effect of WallBody::closing from the biases.
  void SubtractClosing(const ContactSpan& found, std::span<ContactBatch> block) const {
    for (std::size_t k = 0; k < found.size(); ++k) {
      block[k / kLanes].bias[k % kLanes] -= ClosingOf(found[k]) * per_dt_;
    }
  }

  /// Whether contact `first` is under-relaxed, because other ranks or contacts correct its bodies
  /// at the same time. Under-relaxed contacts come first. For the others in the same block
  /// EffectiveMass is 1/(w_a + w_b) to the last bit.
  bool IsUnderRelaxed(std::size_t first) const { return first < under_relaxed_count_; }

  /// μ of a contact if some friction coefficient depends on slip.
  double FrictionOf(const Friction& friction, const ContactSpan& contacts, std::size_t j) const {
    const DetectedContact& found = contacts[j];
    const Vec3 delta_v = input_.RelativeVelocityOf(contacts, j);
    const Vec3 slip = delta_v - delta_v.dot(found.normal) * found.normal;
    return friction.Coefficient(input_.particles.material[static_cast<std::size_t>(found.a)],
                                input_.MaterialOf(found.b), slip.norm());
  }

  /// The motion without the attraction.
  NormalMotion MotionOf(const ContactSpan& contacts, std::size_t j) const {
    const DetectedContact& found = contacts[j];
    const ContactArms arms = input_.IsRigid() ? contacts.geometry[j].arms : ContactArms();
    const Vec3 velocity = input_.VelocityOf(found.a, arms.a);
    if (!bodies_.IsWall(found.b)) {
      const double start_velocity =
          (velocity - input_.VelocityOf(found.b, arms.b)).dot(found.normal);
      // The weight alone changes both velocities equally.
      if (!input_.kicks.HasForces()) return {found.gap, start_velocity, start_velocity};
      const Vec3 kick = input_.KickAt(found.a, arms.a) - input_.KickAt(found.b, arms.b);
      return {found.gap, start_velocity, start_velocity + kick.dot(found.normal)};
    }
    const WallBody& wall = bodies_.WallOf(found.b);
    const double start_velocity = (velocity - wall.velocity).dot(found.normal);
    const Vec3 kick = input_.KickAt(found.a, arms.a) - wall.kick;
    return {found.gap, start_velocity, start_velocity + kick.dot(found.normal)};
  }

  bool HasAttraction() const { return has_attraction_; }
  void AddAttraction(const ContactSpan& contacts, std::size_t j, NormalMotion& motion) const {
    const Attraction attraction = input_.AttractionOf(contacts, j);
    const double kick = motion.free_velocity - motion.start_velocity;
    const double velocity = attraction.VelocityBefore(motion.gap, motion.start_velocity, kick);
    motion.free_velocity -= attraction.ChangeInStep(motion.gap, velocity, parameters_.dt, false);
  }

  ImpactingBodies BodiesOf(const ContactSpan& contacts, std::size_t j) const {
    const DetectedContact& found = contacts[j];
    const auto a = static_cast<std::size_t>(found.a);
    ImpactingBodies bodies;
    bodies.a = input_.particles.material[a];
    bodies.b = input_.MaterialOf(found.b);
    bodies.inverse_mass = input_.InverseMassOf(contacts, j);
    const ContactGeometry geometry = contacts.GeometryOf(j, input_.particles);
    bodies.radius_a = geometry.radius_a;
    bodies.radius_b = geometry.radius_b;
    bodies.load = std::max(0.0, -AccelerationApart(found, contacts, j).dot(found.normal));
    if (has_attraction_) bodies.attraction = input_.AttractionOf(contacts, j);
    return bodies;
  }

  /// Prefetches the velocity that MotionOf will need.
  SCREE_INLINE void Prefetch(const DetectedContact& found) const {
    const auto b = std::min(static_cast<std::size_t>(found.b), input_.particles.Size() - 1);
    __builtin_prefetch(&input_.particles.velocity[b]);
    __builtin_prefetch(&input_.particles.velocity[b].z());
  }

 private:
  /// Acceleration of a relative to b due to the forces [m/s²].
  Vec3 AccelerationApart(const DetectedContact& found, const ContactSpan& contacts,
                         std::size_t j) const {
    const bool is_wall = bodies_.IsWall(found.b);
    const Vec3 wall_kick = is_wall ? bodies_.WallOf(found.b).kick : Vec3(Vec3::Zero());
    // The weight accelerates two particles equally.
    if (!input_.kicks.HasForces() && wall_kick.isZero(0.0)) {
      return is_wall ? input_.scene.gravity : Vec3(Vec3::Zero());
    }
    return per_dt_ * input_.KickApart(contacts, j);
  }

  /// Mask of the contacts that start with an impulse and have a gap of at most held_gap.
  SCREE_INLINE Int8 IsHeld(const ContactBatch& packet) const {
    const Double8 zero = {};
    return (packet.bias <= zero + input_.held_gap) &
           (Dot(ImpulseOf(packet), NormalOf(packet)) > zero);
  }

  /// Number of under-relaxed contacts, which come first.
  static std::size_t UnderRelaxedCount(const ContactInput& input, const SolverParameters& solver) {
    if (input.counts.empty()) return 0;
    const bool is_jacobi = solver.scheme == Scheme::kJacobi;
    return is_jacobi ? std::numeric_limits<std::size_t>::max() : input.shared;
  }

  const ContactInput input_;
  const ContactBodies bodies_;
  const StepParameters& parameters_;
  const double per_dt_, reduction_per_dt_, max_correction_speed_;
  const std::size_t under_relaxed_count_;
  const bool any_closing_, has_attraction_, may_pull_;
};

constexpr std::size_t kBlock = 64;  // contacts
using StagedBatches = std::array<ContactBatch, kBlock / kLanes>;

/// Normal component of the starting impulse of a contact [N s].
double NormalImpulse(const ContactBatch& packet, std::size_t lane) {
  double sum = 0.0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    sum += packet.impulse[axis][lane] * packet.normal[axis][lane];
  }
  return sum;
}

/// Limits the biases of touching contacts (InelasticBias). Contacts that need their coefficient of
/// restitution and are not under load get their biases from it, and start with zero impulse: a
/// contact in an impact had no impulse before, and a separating contact has none now.
/// The first loop selects the contacts without branches, so that the processor works on several at
/// once. The second loop looks up the coefficients.
/// @param add_impact  add_impact(k) is called for each rebounding contact k of the block
template <class AddImpact>
void SetRebounds(const Assembly& assembly, const Restitution& restitution, const ContactSpan& found,
                 StagedBatches& block, AddImpact&& add_impact) {
  std::array<NormalMotion, kBlock> motion;
  std::array<std::uint32_t, kBlock> selected;
  const auto bias = [&block](std::size_t k) -> auto& { return block[k / kLanes].bias; };
  std::size_t count = 0;
  for (std::size_t k = 0; k < found.size(); ++k) {
    motion[count] = assembly.MotionOf(found, k);
    if (assembly.HasAttraction()) assembly.AddAttraction(found, k, motion[count]);
    selected[count] = static_cast<std::uint32_t>(k);
    double& inelastic = bias(k)[k % kLanes];
    inelastic = restitution.InelasticBias(found[k].gap, inelastic);
    count += restitution.NeedsCoefficient(motion[count], inelastic) ? 1 : 0;
  }
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t k = selected[i];
    const ImpactingBodies bodies = assembly.BodiesOf(found, k);
    const double impulse = NormalImpulse(block[k / kLanes], k % kLanes);
    if (restitution.IsUnderLoad(motion[i], impulse * bodies.inverse_mass)) continue;
    const Rebound rebound = restitution.Apply(motion[i], bias(k)[k % kLanes], bodies);
    // A hollow wall must deflect a body by at least its curvature (ClosingOf), even if the rebound
    // alone is weaker. The smaller bias deflects more.
    const bool closes = assembly.ClosingOf(found[k]) > 0.0;
    double& result = bias(k)[k % kLanes];
    result = closes ? std::min(rebound.bias, result) : rebound.bias;
    for (Double8& axis : block[k / kLanes].impulse) axis[k % kLanes] = 0.0;
    if (rebound.is_impact) add_impact(k);
  }
}

/// Scatters packets of contacts to the batches, with arms if the bodies are rigid bodies.
void AddBlock(const ContactInput& input, const ContactSpan& found, const StagedBatches& block,
              ContactBatches& batches) {
  for (std::size_t first = 0; first < found.size(); first += kLanes) {
    const std::size_t count = std::min<std::size_t>(kLanes, found.size() - first);
    const ContactBatch& packet = block[first / kLanes];
    if (!input.IsRigid()) {
      batches.Add(packet, count);
      continue;
    }
    std::array<ContactArms, kLanes> arms;
    for (std::size_t k = 0; k < count; ++k) arms[k] = input.ArmsOf(found, first + k);
    batches.Add(packet, std::span(arms).first(count));
  }
}

/// For each block of contacts: looks up their data, computes in packets of eight lanes, and
/// scatters the contacts to their batches.
/// @param add_impact  add_impact(j) is called for each rebounding contact j
template <class AddImpact>
void AddContacts(const ContactInput& input, const Assembly& assembly, const Friction& friction,
                 const Restitution& restitution, const ContactSpan& contacts,
                 ContactBatches& batches, PositionProjection* positions, AddImpact&& add_impact) {
  StagedBatches block = {};
  std::array<double, kBlock> projections;  // p of the last step
  for (std::size_t first = 0; first < contacts.size(); first += kBlock) {
    const ContactSpan found = contacts.Subspan(first, std::min(kBlock, contacts.size() - first));
    const bool is_under_relaxed = assembly.IsUnderRelaxed(first);
    for (std::size_t k = 0; k < found.size(); ++k) {
      if (restitution.CanRebound()) {
        assembly.Prefetch(contacts[std::min(first + k + kBlock / 2, contacts.size() - 1)]);
      }
      projections[k] = assembly.LookUp(found, k, is_under_relaxed, k % kLanes, block[k / kLanes]);
    }
    for (std::size_t k = 0; friction.HasLaws() && k < found.size(); ++k) {
      block[k / kLanes].friction[k % kLanes] = assembly.FrictionOf(friction, found, k);
    }
    for (std::size_t k = 0; k < found.size(); k += kLanes) {
      assembly.Finish(is_under_relaxed, block[k / kLanes]);
    }
    if (assembly.HasClosing()) assembly.SubtractClosing(found, block);
    if (restitution.CanRebound()) {
      SetRebounds(assembly, restitution, found, block,
                  [&](std::size_t k) { add_impact(first + k); });
    }
    const std::size_t added = batches.Size();
    AddBlock(input, found, block, batches);
    if (positions == nullptr) continue;
    for (std::size_t k = 0; k < found.size(); ++k) {
      const double gap = found[k].gap - assembly.ClosingOf(found[k]);
      positions->SetContact(batches, added + k, gap, projections[k]);
    }
  }
}

}  // namespace

Vec3 ContactInput::RelativeVelocityOf(const ContactSpan& contacts, std::size_t j) const {
  const DetectedContact& found = contacts[j];
  const auto a = static_cast<std::size_t>(found.a), b = static_cast<std::size_t>(found.b);
  const ContactBodies bodies = Bodies();
  const bool is_wall = bodies.IsWall(found.b);
  if (IsRigid()) {
    const ContactArms& arms = contacts.geometry[j].arms;
    const Vec3 velocity_b = is_wall ? bodies.WallOf(found.b).velocity : VelocityOf(found.b, arms.b);
    return VelocityOf(found.a, arms.a) - velocity_b;
  }
  // The arms of spheres are −r_a n and r_b n.
  Vec3 centres = particles.velocity[a], u = SpinOf<SphereBody>(particles, a);
  centres -= is_wall ? bodies.WallOf(found.b).velocity : particles.velocity[b];
  if (!is_wall) u += SpinOf<SphereBody>(particles, b);
  return centres - u.cross(found.normal);
}

Vec3 ContactInput::KickApart(const ContactSpan& contacts, std::size_t j) const {
  const DetectedContact& found = contacts[j];
  const ContactArms arms = IsRigid() ? contacts.geometry[j].arms : ContactArms();
  const ContactBodies bodies = Bodies();
  const Vec3 kick_b =
      bodies.IsWall(found.b) ? bodies.WallOf(found.b).kick : KickAt(found.b, arms.b);
  return KickAt(found.a, arms.a) - kick_b;
}

double ContactInput::AttractionGap(const ContactSpan& contacts, std::size_t j) const {
  const DetectedContact& found = contacts[j];
  const ContactGeometry geometry = contacts.GeometryOf(j, particles);
  const double distance = geometry.radius_a + geometry.radius_b;
  // A steady rotation opens the gap by half the result, so for smaller gaps the range suffices.
  const double small_gap = 0.5 * kAttractionRadii * std::min(geometry.radius_a, geometry.radius_b);
  if (found.gap <= small_gap || !(distance < kFlatRadius)) return held_gap;
  if (warm_start == nullptr || !warm_start->HasImpulse(found.stored_entry)) return held_gap;
  const Vec3 centre_a = geometry.arms.a + geometry.radius_a * found.normal;
  const Vec3 centre_b = geometry.arms.b - geometry.radius_b * found.normal;
  const Vec3 velocity = VelocityOf(found.a, centre_a) - VelocityOf(found.b, centre_b);
  const double path = last_dt * velocity.cross(found.normal).norm();
  return std::max(held_gap, path * path / distance);
}

Attraction ContactInput::AttractionOf(const ContactSpan& contacts, std::size_t j) const {
  const DetectedContact& found = contacts[j];
  const PairCohesion& pair = scene.materials.PairOf<CohesionLaw>(
      particles.material[static_cast<std::size_t>(found.a)], MaterialOf(found.b));
  if (!pair.IsActive()) return {};
  const ContactGeometry geometry = contacts.GeometryOf(j, particles);
  double range = CohesionLaw::Range(pair, std::min(geometry.radius_a, geometry.radius_b));
  if (pair.range < 0.0) range = std::max(range, AttractionGap(contacts, j));
  return {
      CohesionLaw::Force(pair, geometry.radius_a, geometry.radius_b) * InverseMassOf(contacts, j),
      range, last_dt};
}

void SetInverseMasses(const Particles& particles, const Scene& scene,
                      std::vector<double>& inverse_masses) {
  inverse_masses.assign(particles.Size() + scene.walls.size(), 0.0);
  for (std::size_t i = 0; i < particles.Size(); ++i) {
    inverse_masses[i] = 1.0 / MassOf(particles, i, scene);
  }
}

void AssembleBodies(const Particles& particles, const std::vector<double>& inverse_masses,
                    const Scene&, std::span<const WallBody> walls, const BodyKicks& kicks,
                    std::vector<SphereBody>& bodies) {
  bodies.resize(particles.Size() + walls.size());
  for (std::size_t i = 0; i < particles.Size(); ++i) {
    SphereBody& body = bodies[i];
    body.v = particles.velocity[i] + kicks.weight;
    body.inverse_mass = inverse_masses[i];
    body.u = particles.radius[i] * particles.angular_velocity[i];
    body.radius = particles.radius[i];
  }
  for (std::size_t i = 0; i < kicks.per_particle.size(); ++i) {
    bodies[i].v = particles.velocity[i] + kicks.per_particle[i].v;
    bodies[i].u += bodies[i].radius * kicks.per_particle[i].omega;
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
                    const Scene& scene, std::span<const WallBody> walls, const BodyKicks& kicks,
                    std::vector<RigidBody>& bodies) {
  bodies.resize(particles.Size() + walls.size());
  for (std::size_t i = 0; i < particles.Size(); ++i) {
    RigidBody& body = bodies[i];
    body.v = particles.velocity[i] + kicks.VelocityOf(i);
    body.inverse_mass = inverse_masses[i];
    body.omega = particles.angular_velocity[i];
    if (kicks.HasForces()) body.omega += kicks.per_particle[i].omega;
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

void AssembleContacts(const ContactInput& input, const StepParameters& parameters,
                      double max_correction_speed, const Friction& friction,
                      const Restitution& restitution, ContactBatches& batches,
                      std::vector<Index>& impacts, PositionProjection* positions) {
  impacts.clear();
  const std::size_t particles = input.particles.Size();
  batches.Begin(static_cast<Index>(particles), input.inverse_masses.size(),
                input.IsRigid() ? BodyKind::kRigid : BodyKind::kSphere, input.shared);
  if (positions != nullptr) positions->Begin(input.detected.size() + input.ghosts.size());
  const Assembly assembly(input, parameters, max_correction_speed);
  AddContacts(input, assembly, friction, restitution, input.detected, batches, positions,
              [&](std::size_t j) { impacts.push_back(static_cast<Index>(j)); });
  const std::size_t owned = impacts.size(), first_ghost = input.detected.size();
  AddContacts(input, assembly, friction, restitution, input.ghosts, batches, positions,
              [&](std::size_t j) { impacts.push_back(static_cast<Index>(first_ghost + j)); });
  batches.End();
  if (input.IsRigid()) SetRestitutionSlips(input, impacts, batches);
  impacts.resize(owned);
}

}  // namespace scree
