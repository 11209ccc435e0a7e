#include "engine/step/impact_order.hpp"

#include <algorithm>
#include <cmath>

#include "engine/step/step_projection.hpp"

namespace scree {
namespace {

constexpr double kNoTime = std::numeric_limits<double>::infinity();
constexpr double kSymmetryTolerance =
    1e-9;  // relative difference of symmetric impacts, above rounding
// Limits of the overlap of a contact and of the approach of its bodies in a step [radii]. Impacts
// beyond them are not ordered, because a waiting body must stay near its impact.
constexpr double kMaxDepth = 0.5;
constexpr double kMaxPath = 0.2;
constexpr double kResting = 1e-3;  // touching bodies that move less in a step rest [touching gaps]
constexpr double kFreeGap = 1000.0;  // gap set for waiting contacts; no body moves this far [radii]

/// Whether this impact is among the impacts of a body that act first.
bool IsFirst(const EarliestImpacts& earliest, const EarliestImpacts::Impact& impact, double dt) {
  return impact == earliest.first || (impact == earliest.second && earliest.AreSymmetric(dt));
}

}  // namespace

void EarliestImpacts::Add(const Impact& impact) {
  if (impact < first) {
    second = first;
    first = impact;
  } else if (impact < second) {
    second = impact;
  }
}

bool EarliestImpacts::AreSymmetric(double dt) const {
  return second.time - first.time <= kSymmetryTolerance * dt &&
         std::abs(second.speed - first.speed) <= kSymmetryTolerance * std::abs(first.speed);
}

bool ImpactOrder::IsUsed(const StepSetup& setup) {
  return setup.restitution.CanRebound() && setup.scene.gravity.isZero(0.0) && !setup.has_clumps &&
         setup.scene.bonds.empty() && !setup.scene.HasActiveLaw() && !setup.scene.cell.IsActive() &&
         setup.parameters.speculative && HasProjection(setup);
}

void ImpactOrder::Reserve(const StepSetup& setup, std::size_t contacts, std::size_t particles,
                          ExchangePlan& plan) {
  if (!IsUsed(setup)) return;
  is_considered_.reserve(particles);
  has_lasting_contact_.reserve(particles);
  earliest_.reserve(particles);
  shifts_.reserve(particles);
  candidates_.reserve(contacts);
  acting_alone_.reserve(contacts);
  ordered_.reserve(contacts);
  plan.Reserve<std::uint8_t>(setup.communicator);
  plan.Reserve<EarliestImpacts>(setup.communicator);
  plan.Reserve<Vec3>(setup.communicator);
}

void ImpactOrder::Clear() {
  is_active_ = false;
  candidates_.clear();
  acting_alone_.clear();
  ordered_.clear();
  shifts_.clear();
}

/// @param bias    of the contact in the problem [m/s]
/// @param impact  its speed is set to vₙ, and its time if the bodies meet
ImpactOrder::Kind ImpactOrder::KindOf(const StepSetup& setup, const Particles& particles,
                                      const StepContacts& contacts, const WarmStart* warm_start,
                                      const DetectedContact& found, double bias,
                                      EarliestImpacts::Impact& impact) const {
  const auto a = static_cast<std::size_t>(found.a), b = static_cast<std::size_t>(found.b);
  const double dt = setup.parameters.dt, touching = setup.rule.margin;
  double radius = particles.radius[a];
  Vec3 velocity = particles.velocity[a];
  if (b < particle_count_) {
    radius = std::min(radius, particles.radius[b]);
    velocity -= particles.velocity[b];
  } else {
    const WallBody& wall = contacts.wall_bodies[b - particle_count_];
    const bool is_free = contacts.walls[static_cast<std::size_t>(wall.wall)].IsFree();
    if (is_free || wall.closing > 0.0) return Kind::kLasting;
    velocity -= wall.velocity;
  }
  const double speed = velocity.dot(found.normal);
  impact = {kNoTime, speed};
  const double resting = std::abs(found.gap) <= touching ? kResting * touching / dt : 0.0;
  const double min_speed = std::max(setup.restitution.Threshold(), resting);
  if (std::abs(speed) <= min_speed) return Kind::kLasting;
  if (speed > 0.0) return Kind::kOpening;
  if (found.gap > touching && found.gap + dt * speed >= touching) return Kind::kOpening;
  impact.time = found.gap / -speed;
  const bool can_rebound = bias < 0.0;
  const bool is_in_reach = found.gap >= -kMaxDepth * radius && -dt * speed <= kMaxPath * radius;
  const bool is_lasting = found.gap <= touching && warm_start != nullptr &&
                          found.stored_entry >= 0 && warm_start->HasImpulse(found.stored_entry);
  return can_rebound && is_in_reach && !is_lasting ? Kind::kImpact : Kind::kLasting;
}

/// Finds the impacts and the opening contacts, and marks the bodies with a lasting contact.
void ImpactOrder::FindCandidates(const StepSetup& setup, const Particles& particles,
                                 const StepContacts& contacts, const WarmStart* warm_start,
                                 const ContactBatches& batches) {
  candidates_.clear();
  Index number = 0;
  for (const ContactSpan& span : {contacts.owned.All(), contacts.ghosts.All()}) {
    for (const DetectedContact& found : span) {
      const Index j = number++;
      const auto a = static_cast<std::size_t>(found.a), b = static_cast<std::size_t>(found.b);
      const bool has_wall = b >= particle_count_;
      if (is_considered_[a] == 0 && (has_wall || is_considered_[b] == 0)) continue;
      EarliestImpacts::Impact impact;
      const Kind kind = KindOf(setup, particles, contacts, warm_start, found,
                               batches.Bias(static_cast<std::size_t>(j)), impact);
      if (kind == Kind::kLasting) {
        has_lasting_contact_[a] = 1;
        if (!has_wall) has_lasting_contact_[b] = 1;
        continue;
      }
      candidates_.push_back({j, found.a, found.b, impact});
    }
  }
}

/// Keeps the impacts of free bodies, and finds the first impacts of each body. A body that hits a
/// body that is not free gets an impact at −∞, so that all its impacts with free bodies wait.
void ImpactOrder::FindEarliest(const StepSetup& setup, ExchangePlan& plan) {
  const bool has_all_contacts =
      setup.scheme.ghost_contacts;  // each rank has all contacts of its particles
  const auto elements_of = [](auto& values) {
    return [&values](Index i) -> auto& { return values[static_cast<std::size_t>(i)]; };
  };
  const Communicator& communicator = setup.communicator;
  if (!has_all_contacts) {
    plan.ScatterAdd<std::uint8_t>(communicator, elements_of(has_lasting_contact_),
                                  [&](Index i, std::uint8_t has_lasting_contact) {
                                    elements_of(has_lasting_contact_)(i) |= has_lasting_contact;
                                  });
  }
  plan.Gather(communicator, std::span(has_lasting_contact_));
  earliest_.assign(particle_count_, {});
  constexpr EarliestImpacts::Impact kBlocking = {-kNoTime, 0.0};
  std::erase_if(candidates_, [&](const Candidate& candidate) {
    const auto a = static_cast<std::size_t>(candidate.a), b = static_cast<std::size_t>(candidate.b);
    const bool has_wall = b >= particle_count_;
    const bool has_lasting_contact =
        has_lasting_contact_[a] != 0 || (!has_wall && has_lasting_contact_[b] != 0);
    if (candidate.impact.time == kNoTime) return false;
    const EarliestImpacts::Impact& impact = has_lasting_contact ? kBlocking : candidate.impact;
    earliest_[a].Add(impact);
    if (!has_wall) earliest_[b].Add(impact);
    return has_lasting_contact;
  });
  if (!has_all_contacts) {
    plan.ScatterAdd<EarliestImpacts>(communicator, elements_of(earliest_),
                                     [&](Index i, const EarliestImpacts& other) {
                                       elements_of(earliest_)(i).Add(other.first);
                                       elements_of(earliest_)(i).Add(other.second);
                                     });
  }
  plan.Gather(communicator, std::span(earliest_));
}

/// Except for the first one, all impacts of a free body wait. The opening contacts of a body with
/// an impact wait too, because the impact may close them again.
ImpactOrder::Role ImpactOrder::RoleOf(const Candidate& candidate, double dt) const {
  const auto a = static_cast<std::size_t>(candidate.a), b = static_cast<std::size_t>(candidate.b);
  const bool has_wall = b >= particle_count_;
  const EarliestImpacts& earliest_a = earliest_[a];
  if (candidate.impact.time == kNoTime) {
    const bool has_impact = std::isfinite(earliest_a.first.time) ||
                            (!has_wall && std::isfinite(earliest_[b].first.time));
    return has_impact ? Role::kWaits : Role::kActsTogether;
  }
  if (candidate.impact.time > dt) return Role::kWaits;
  const EarliestImpacts& earliest_b = has_wall ? earliest_a : earliest_[b];
  if (!IsFirst(earliest_a, candidate.impact, dt) || !IsFirst(earliest_b, candidate.impact, dt))
    return Role::kWaits;
  const bool is_symmetric = earliest_a.AreSymmetric(dt) || earliest_b.AreSymmetric(dt);
  return is_symmetric ? Role::kActsTogether : Role::kActsAlone;
}

void ImpactOrder::Apply(const StepSetup& setup, const Particles& particles,
                        const StepContacts& contacts, const WarmStart* warm_start,
                        std::span<const Index> impacts, std::span<const double> inverse_masses,
                        ExchangePlan& plan, ContactBatches& batches,
                        PositionProjection* positions) {
  Clear();
  is_active_ = !impacts.empty() || !plan.IsEmpty() || !contacts.ghosts.empty();
  if (!is_active_) return;
  particle_count_ = particles.Size();
  has_lasting_contact_.assign(particle_count_, 0);
  is_considered_.assign(particle_count_, 0);
  plan.MarkShared(is_considered_);
  for (const Index j : impacts) {
    const DetectedContact& found = contacts.owned[static_cast<std::size_t>(j)];
    is_considered_[static_cast<std::size_t>(found.a)] = 1;
    if (static_cast<std::size_t>(found.b) < particle_count_) {
      is_considered_[static_cast<std::size_t>(found.b)] = 1;
    }
  }
  FindCandidates(setup, particles, contacts, warm_start, batches);
  FindEarliest(setup, plan);

  const std::size_t owned = contacts.owned.size();
  for (const Candidate& candidate : candidates_) {
    const auto a = static_cast<std::size_t>(candidate.a), b = static_cast<std::size_t>(candidate.b);
    const auto j = static_cast<std::size_t>(candidate.number);
    const Role role = RoleOf(candidate, setup.parameters.dt);
    if (role == Role::kActsTogether) continue;
    const double free_gap = kFreeGap * particles.radius[a];
    const ContactSlot slot = batches.SlotOf(j);
    ContactBatch& batch = batches.All()[slot.batch];
    if (role == Role::kActsAlone) {
      // No other contact acts on the bodies, so the contact needs no under-relaxation.
      batch.effective_mass[slot.lane] = 1.0 / (inverse_masses[a] + inverse_masses[b]);
      acting_alone_.push_back(candidate);
    } else {
      batch.bias[slot.lane] = free_gap / setup.parameters.dt;
      batches.SetImpulse(j, Vec3::Zero());
    }
    if (positions != nullptr) positions->SetContact(batches, j, free_gap, 0.0);
    if (j < owned) ordered_.push_back(candidate.number);
  }
}

double ImpactOrder::MaxUnorderedOverlap(const StepContacts& contacts) const {
  if (candidates_.empty()) return contacts.deepest;
  double min_gap = 0.0;
  std::size_t next = 0;
  const ContactSpan all = contacts.owned.All();
  for (std::size_t j = 0; j < all.size(); ++j) {
    if (next < ordered_.size() && static_cast<std::size_t>(ordered_[next]) == j) {
      ++next;
    } else {
      min_gap = std::min(min_gap, all[j].gap);
    }
  }
  return -min_gap;
}

void ImpactOrder::FindShifts(const StepSetup& setup, std::span<const double> inverse_masses,
                             const ContactBatches& batches, ExchangePlan& plan) {
  if (!is_active_ || (acting_alone_.empty() && plan.IsEmpty())) return;
  shifts_.assign(particle_count_, Vec3::Zero());
  for (const Candidate& candidate : acting_alone_) {
    const auto a = static_cast<std::size_t>(candidate.a), b = static_cast<std::size_t>(candidate.b);
    const Vec3 weighted_impulse =
        candidate.impact.time * batches.Impulse(static_cast<std::size_t>(candidate.number));
    shifts_[a] = -inverse_masses[a] * weighted_impulse;
    if (b < particle_count_) shifts_[b] = inverse_masses[b] * weighted_impulse;
  }
  if (!setup.scheme.ghost_contacts) {
    plan.ScatterAdd<Vec3>(
        setup.communicator, [&](Index i) { return shifts_[static_cast<std::size_t>(i)]; },
        [&](Index i, const Vec3& shift) { shifts_[static_cast<std::size_t>(i)] += shift; });
  }
  plan.Gather(setup.communicator, std::span(shifts_));
}

}  // namespace scree
