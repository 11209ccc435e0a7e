#include "engine/step/step_view.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "engine/contacts/contact_partner.hpp"
#include "engine/step/bond_damage.hpp"

namespace scree {

RestartPoint StepView::Point(const State& state) const {
  RestartPoint point;
  point.radii = setup_.radii;
  point.max_penetration = setup_.communicator.Max(diagnostics_.max_penetration);
  point.wall_loads = diagnostics_.interval_loads;
  point.rebuilds = rebuilds_;
  point.balance = balance_;
  point.adaptive = adaptive_;
  point.sweeps = sweeps_;
  point.rebuild_due = lists_.is_due;
  point.list_step = lists_.built_at;
  point.list_free_walls = lists_.free_walls;
  point.list_cell = lists_.cell;
  point.reach = lists_.neighbors.reach;
  point.impulses = warm_start_.AllStored();
  point.laws = setup_.scene.ActiveLaws();
  point.has_members = setup_.has_clumps;
  point.first_impulse = warm_start_.FirstOfParticles(state.particles.owned);
  if (!lists_.is_due) point.reference = lists_.neighbors.reference;
  point.bonds = bonds_.table.InParticleOrder(state.particles, point.first_bond);
  if (!setup_.scene.bonds.empty()) point.bond_counts = CountBonds();
  if (!setup_.communicator.IsRoot()) point.bond_counts = {};
  point.bonds_born_until = bonds_.born_until;
  point.bonds_close_from = bonds_.close_from;
  point.bonds_are_undecided = bonds_.is_undecided;
  return point;
}

BondCounts StepView::CountBonds() const {
  const BondCounts local = bonds_.table.Counts();
  std::int64_t counts[4] = {local.intact, local.broken_tension, local.broken_shear, local.waiting};
  setup_.communicator.Sum(counts);
  return {counts[0], counts[1], counts[2], counts[3]};
}

BondEnergies StepView::EnergiesOfBonds() const {
  const BondEnergies local = EnergiesOf(setup_.scene.bonds, bonds_.table.HomeBonds());
  double sums[2] = {local.stored, local.damage};
  setup_.communicator.Sum(sums);
  return {sums[0], sums[1]};
}

StepContacts StepView::FindTouchingContacts(const Particles& particles) const {
  ActivationRule rule = setup_.rule;
  rule.speculative = false;
  rule.threshold = TouchingGap();
  StepContacts touching;
  touching.step = contacts_.step;
  touching.walls = contacts_.walls;  // the step's poses: a program may have steered walls since
  FindContactsAt(setup_, rule, particles, particles.velocity, lists_, nullptr, touching);
  return touching;
}

const StepContacts* StepView::Touching() const {
  if (!touching_ && particles_before_) touching_ = FindTouchingContacts(*particles_before_);
  return touching_ ? &*touching_ : nullptr;
}

Observables StepView::Observe(const State& state) const {
  const Communicator& communicator = setup_.communicator;
  const InstantaneousVelocities velocities_now = VelocitiesNow(state);
  Observables observables =
      scree::Observe(communicator, state.particles, solve_.inverse_masses, contacts_.owned,
                     Impulses(), ClosedGap(setup_.radii.smallest), contacts_.first_wall_body,
                     diagnostics_.wall_loads, setup_.scene.clumps, velocities_now.of_owned);
  observables.touching_gap = TouchingGap();
  const StepContacts* const touching = Touching();
  if (touching != nullptr || adaptive_.steps_done == 0) {
    const std::size_t count = touching != nullptr ? touching->owned.size() : 0;
    observables.touching_contacts = communicator.Sum(static_cast<std::int64_t>(count));
  }
  observables.step = state.step;
  observables.time = setup_.TimeOf(state.step);
  observables.time_step = Length();
  observables.inserted = communicator.Sum(state.inserted);
  observables.deleted = communicator.Sum(state.deleted);
  observables.max_penetration_interval = communicator.Max(diagnostics_.max_penetration);
  observables.interval_loads = MomentsOf(communicator, diagnostics_.interval_loads);
  if (diagnostics_.keeps_energy) {
    EnergyBalance energy = state.energy;
    energy.kinetic += velocities_now.gained;
    energy.body_forces += velocities_now.gained;
    observables.energy = SumOverRanks(communicator, energy);
  }
  if (setup_.deforming_scene != nullptr) observables.cell = ObserveCell(state);
  if (!setup_.scene.bonds.empty()) {
    observables.bonds = CountBonds();
    if (setup_.scene.HasDamageBonds()) observables.bond_energies = EnergiesOfBonds();
    observables.clusters = Clusters(state).counts;
  }
  return observables;
}

CellObservables StepView::ObserveCell(const State& state) const {
  const CellState& cell = state.cell;
  double solid_volume = 0.0;
  for (std::size_t i = 0; i < state.particles.owned; ++i) {
    if (state.particles.id[i] == kRemovedId) continue;
    const Material& material = setup_.scene.materials[state.particles.material[i]];
    solid_volume += 1.0 / (solve_.inverse_masses[i] * material.density);
  }
  const double volume = cell.box.Extent().prod();
  return {cell.box.Extent(),
          solve_.cell.Stress(),
          solve_.cell.Targets(),
          cell.rates,
          -std::log(volume / cell.first_volume),
          cell.shear_strain,
          setup_.communicator.Sum(solid_volume) / volume};
}

std::vector<ContactRecord> StepView::ContactRecords(const Particles& particles) const {
  const double dt = Length();
  std::vector<ContactRecord> records =
      RecordContacts(contacts_.owned.All(), contacts_.wall_bodies,
                     {Impulses(), ImpulsesOfLaws(), Dissipation()}, particles, dt, Corrections());
  const StepContacts* const all_touching = Touching();
  if (all_touching == nullptr) return records;
  // An active contact matches a touching contact of the same bodies. If bodies may have several
  // members, the gaps must also be equal.
  using Key = std::tuple<Index, std::int64_t, double>;
  const auto keys = [&](const StepContacts& contacts) {
    const ContactBodies bodies(particles, contacts.wall_bodies);
    std::vector<Key> contact_keys;
    for (const DetectedContact& contact : contacts.owned) {
      contact_keys.emplace_back(contact.a, bodies.PartnerOf(contact.b).Code(),
                                setup_.has_clumps ? contact.gap : 0.0);
    }
    return contact_keys;
  };
  std::vector<Key> active = keys(contacts_);
  std::ranges::sort(active);
  const std::vector<Key> touching = keys(*all_touching);
  const std::vector<ContactRecord> touching_records = RecordContacts(
      all_touching->owned.All(), all_touching->wall_bodies,
      {std::vector<Vec3>(touching.size(), Vec3::Zero()), {}, {}}, particles, dt, Corrections());
  for (std::size_t j = 0; j < touching_records.size(); ++j) {
    if (!std::ranges::binary_search(active, touching[j])) records.push_back(touching_records[j]);
  }
  return records;
}

ProblemRecord StepView::Record(const Particles& particles) const {
  return VisitBodies(solve_.bodies, [&]<class Body>(const BodiesOf<Body>& typed) {
    return RecordProblem(setup_.communicator, particles,
                         SolvedContacts<Body>{.contacts = contacts_.owned.All(),
                                              .walls = contacts_.wall_bodies,
                                              .batches = solve_.batches,
                                              .bodies = typed.all,
                                              .kicks = solve_.forces.kicks,
                                              .guess = solve_.guess});
  });
}

int StepView::Neighbors() const {
  const std::vector<ExchangePlan::Peer>& peers = lists_.halo.plan.Peers();
  const int rank = setup_.communicator.Rank();
  return static_cast<int>(std::ranges::count_if(
      peers, [rank](const ExchangePlan::Peer& peer) { return peer.rank != rank; }));
}

namespace {

std::size_t BytesOfBodies(const StepSolve& solve) {
  return BytesOf(solve.inverse_masses) + VisitBodies(solve.bodies, [](const auto& typed) {
           return BytesOf(typed.all) + BytesOf(typed.mean);
         });
}
std::size_t BytesOfBatches(const StepSolve& solve) {
  return solve.batches.Bytes() + solve.coarse.Bytes() + solve.scheme.momentum.Bytes() +
         solve.scheme.order.Bytes();
}

}  // namespace

MemoryReport StepView::Memory(const State& state) const {
  MemoryReport report;
  report.particles = BytesOf(state.particles) + BytesOf(lists_.spare) + BytesOf(lists_.halo);
  report.bodies = BytesOf(contacts_.buffers.spheres.packed) +
                  BytesOf(contacts_.buffers.spheres.motions) + contacts_.buffers.members.Bytes() +
                  BytesOfBodies(solve_);
  report.candidates = BytesOf(lists_.neighbors) + lists_.classes.Bytes();
  report.contacts = contacts_.owned.Bytes();
  if (touching_) report.contacts += touching_->owned.Bytes();
  if (particles_before_) report.particles += BytesOf(*particles_before_);
  report.batches = BytesOfBatches(solve_) + projection_.positions.Bytes();
  if (keeps_solve_error_) report.measurement = BytesOfBodies(solve_) + BytesOfBatches(solve_);
  report.sweep = SweepBytes(solve_.batches);
  return report;
}

}  // namespace scree
