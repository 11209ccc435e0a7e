#include "engine/step/load_balance.hpp"

#include <algorithm>
#include <unordered_map>

#include "engine/step/validity.hpp"

namespace scree {
namespace {

// Work in nanoseconds, measured with dense packings on one core. Only ratios matter.
constexpr std::int64_t kParticleWork = 20;    // per particle: integration, work of lists and fields
constexpr std::int64_t kCandidateWork = 8;    // per candidate: detection
constexpr std::int64_t kContactWork = 40;     // per contact: assembly, warm start
constexpr std::int64_t kSphereSweepWork = 6;  // per contact in a velocity sweep, Kernel::kSphere
constexpr std::int64_t kGeneralSweepWork = 32;  // per contact in a velocity sweep, other kernels
constexpr std::int64_t kProjectionWork = 3;     // per contact in a position sweep

/// Cost of a rebalance in steps: search for cuts, new lists and migration. Measured on two ranks
/// (drum, column collapse): new lists 1.3 and 1.9 steps, search 0.15 to 0.6.
constexpr double kRebalanceCost = 1.5;
/// Cost of a rebalance in steps if new lists are due anyway.
constexpr double kRebalanceCostWithDueLists = 0.5;
/// Maximum of LoadBalanceState::patience. The next search starts when, by the next check, the
/// imbalance will have cost more than `patience` rebalances. Useless searches increase the
/// patience.
constexpr double kMaxPatience = 16.0;
/// A rebalance has to regain more than this fraction of the mean work.
constexpr double kMinGain = 0.01;

std::int64_t WorkOfContact(const StepSetup& setup, int sweeps) {
  const bool is_sphere = setup.parameters.solver.kernel == Kernel::kSphere;
  return kContactWork + sweeps * (is_sphere ? kSphereSweepWork : kGeneralSweepWork) +
         setup.projection.sweeps * kProjectionWork;
}

/// Number of candidates of each owned particle, including walls; 0 for particles inserted after the
/// lists were built.
std::vector<std::int64_t> CandidatesOfParticles(const Particles& particles,
                                                const NeighborList& list) {
  std::vector<std::int64_t> candidates(particles.owned, 0);
  for (std::size_t i = 0; i + 1 < list.first.size(); ++i) {
    candidates[i] = list.first[i + 1] - list.first[i];
  }
  for (const WallCandidate& wall : list.walls) {
    ++candidates[static_cast<std::size_t>(wall.particle)];
  }
  return candidates;
}

/// The work of this rank, as integers, so that sum and maximum over the ranks are exact.
struct RankWork {
  std::int64_t particles = 0, contacts = 0, work = 0;
};

RankWork WorkOfRank(const StepSetup& setup, const Particles& particles, const CandidateLists& lists,
                    const StepContacts& contacts, int sweeps) {
  RankWork rank;
  rank.particles = static_cast<std::int64_t>(particles.owned);
  rank.contacts = static_cast<std::int64_t>(contacts.owned.size() + contacts.ghosts.size());
  rank.work = kParticleWork * rank.particles +
              kCandidateWork * static_cast<std::int64_t>(lists.Candidates()) +
              WorkOfContact(setup, sweeps) * rank.contacts;
  return rank;
}

double MaxOverMean(std::int64_t max, std::int64_t sum, int ranks) {
  return sum > 0 ? static_cast<double>(max) * ranks / static_cast<double>(sum) : 1.0;
}

/// The work before the first step, from the particles and their stored impulses.
/// @param impulses  of the particles, in any order
std::vector<WorkItem> WorkOfParticles(const StepSetup& setup, const Particles& particles,
                                      std::span<const StoredImpulse> impulses) {
  const Domain& domain = setup.subdomains.WholeDomain();
  const std::int64_t contact_work = WorkOfContact(setup, setup.parameters.solver.sweeps);
  std::unordered_map<ParticleId, std::int64_t> contacts;
  for (const StoredImpulse& impulse : impulses) ++contacts[impulse.a];
  std::vector<WorkItem> items;
  items.reserve(particles.owned);
  for (std::size_t i = 0; i < particles.owned; ++i) {
    if (particles.id[i] == kRemovedId) continue;
    const Vec3 x = domain.Wrap(particles.position[i]);
    const auto entry = contacts.find(particles.id[i]);
    items.push_back(
        {x, x, kParticleWork + (entry != contacts.end() ? contact_work * entry->second : 0)});
  }
  return items;
}

/// Whether to check the imbalance after this step: whenever new lists are due, and at regular
/// intervals. The intervals are not used if lists must be built at the same steps on any number of
/// ranks.
bool IsBalanceCheckDue(const StepSetup& setup, std::int64_t step, bool lists_are_due) {
  if (!setup.IsBalanced() || lists_are_due) return setup.IsBalanced();
  if (setup.NeedsSameLists()) return false;
  const std::int64_t interval = setup.parameters.balance;
  return step % (interval > 0 ? interval : kBalanceCheckInterval) == 0;
}

Bisection FindCuts(const StepSetup& setup, std::vector<WorkItem> work) {
  return BisectWork(setup, setup.communicator.Size(), std::move(work), setup.subdomains.Tree());
}

void ApplyCuts(const Bisection& bisection, StepSetup& setup) {
  setup.subdomains = Subdomains::WithCuts(setup.scene.domain, bisection.cuts);
}

}  // namespace

LoadImbalance MeasureImbalance(const StepSetup& setup, const Particles& particles,
                               const CandidateLists& lists, const StepContacts& contacts,
                               int sweeps) {
  const Communicator& communicator = setup.communicator;
  const RankWork rank = WorkOfRank(setup, particles, lists, contacts, sweeps);
  std::int64_t sum[3] = {rank.particles, rank.contacts, rank.work};
  std::int64_t max[3] = {sum[0], sum[1], sum[2]};
  communicator.Sum(sum);
  communicator.Max(max);
  const int ranks = communicator.Size();
  return {MaxOverMean(max[0], sum[0], ranks), MaxOverMean(max[1], sum[1], ranks),
          MaxOverMean(max[2], sum[2], ranks)};
}

std::vector<WorkItem> WorkOfStep(const StepSetup& setup, const Particles& particles,
                                 const CandidateLists& lists, const StepContacts& contacts,
                                 int sweeps) {
  const Domain& domain = setup.subdomains.WholeDomain();
  const std::vector<std::int64_t> candidates = CandidatesOfParticles(particles, lists.neighbors);
  std::vector<WorkItem> items;
  items.reserve(particles.owned + contacts.owned.size());
  for (std::size_t i = 0; i < particles.owned; ++i) {
    if (particles.id[i] == kRemovedId) continue;
    const Vec3 x = domain.Wrap(particles.position[i]);
    items.push_back({x, x, kParticleWork + kCandidateWork * candidates[i]});
  }
  const std::int64_t work = WorkOfContact(setup, sweeps);
  for (const DetectedContact& contact : contacts.owned) {
    const auto a = static_cast<std::size_t>(contact.a), b = static_cast<std::size_t>(contact.b);
    const bool has_wall = b >= contacts.first_wall_body;
    if (particles.id[a] == kRemovedId || (!has_wall && particles.id[b] == kRemovedId)) continue;
    const Vec3 x = domain.Wrap(particles.position[a]);
    items.push_back({x, has_wall ? x : domain.Wrap(particles.position[b]), work});
  }
  return items;
}

Bisection BisectWork(const StepSetup& setup, int ranks, std::vector<WorkItem> items,
                     const std::vector<Cut>& old_cuts) {
  return Bisect(setup.communicator, setup.scene.domain, ranks,
                MinWidth(setup.parameters, setup.radii.largest), std::move(items), old_cuts);
}

bool RecordImbalance(std::int64_t balance, std::int64_t step, double imbalance, bool lists_are_due,
                     LoadBalanceState& record) {
  const std::int64_t last_check = record.checked_at;
  record.checked_at = step;
  if (balance > 0) return step / balance > last_check / balance;
  record.delay += static_cast<double>(step - last_check) * (imbalance - 1.0);
  const double delay_by_next_check = kBalanceCheckInterval * (imbalance - 1.0);
  return record.delay + delay_by_next_check >
         (lists_are_due ? kRebalanceCostWithDueLists : kRebalanceCost) * record.patience;
}

bool DecideRebalance(std::int64_t balance, double imbalance, const Bisection& bisection,
                     LoadBalanceState& record) {
  record.delay = 0.0;
  const bool is_better = bisection.imbalance < imbalance - kMinGain;
  const bool is_used = is_better || balance > 0;
  record.patience = is_better ? 1.0 : std::min(2.0 * record.patience, kMaxPatience);
  record.rebalances += is_used ? 1 : 0;
  return is_used;
}

void CutByParticles(StepSetup& setup, const Particles& particles,
                    std::span<const StoredImpulse> impulses) {
  if (setup.IsBalanced())
    ApplyCuts(FindCuts(setup, WorkOfParticles(setup, particles, impulses)), setup);
}

void CutByContacts(StepSetup& setup, const State& state, const CandidateLists& lists) {
  StepContacts trial;  // only to find the work: the rebalance changes which rank owns a contact
  FindContacts(setup, setup.rule, state.step, state.free_walls, state.particles,
               state.particles.velocity, lists, nullptr, trial);
  const int sweeps = setup.parameters.solver.sweeps;
  ApplyCuts(FindCuts(setup, WorkOfStep(setup, state.particles, lists, trial, sweeps)), setup);
}

bool Balance(StepSetup& setup, const State& state, std::int64_t steps_done,
             const CandidateLists& lists, const StepContacts& contacts, int sweeps,
             LoadBalanceState& record) {
  const bool lists_are_due = AreListsDue(setup, state.step, lists);
  if (!IsBalanceCheckDue(setup, steps_done, lists_are_due)) return false;
  const std::int64_t balance = setup.parameters.balance;
  const Particles& particles = state.particles;
  const double imbalance = MeasureImbalance(setup, particles, lists, contacts, sweeps).work;
  if (!RecordImbalance(balance, steps_done, imbalance, lists_are_due, record)) return false;
  RequireValid(setup, state, setup.parameters.dt);
  const Bisection bisection =
      FindCuts(setup, WorkOfStep(setup, particles, lists, contacts, sweeps));
  if (!DecideRebalance(balance, imbalance, bisection, record)) return false;
  ApplyCuts(bisection, setup);
  return true;
}

}  // namespace scree
