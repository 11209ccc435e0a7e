/// \file  The order of the impacts of a body: impacts of free bodies act one at a time, at their
///        own times.
///
/// If the impacts of a body in a step were solved together, they would share their impulses, and
/// with restitution too much energy would remain. A free body therefore has at most one impact per
/// step. With the gap ξ and the normal velocity vₙ:
///
///     body a      t = ξ/|vₙ| of its impacts    the first impact is solved at once
///     -----+---------+------------+----------  the second waits: no impulse acts in its contact;
///          0        t₁     t₂     dt           in the next step its time is t₂ − dt < 0
///
/// A body is free if all its contacts are opening or are impacts. Bodies in a dense flow or at rest
/// are not free, and all their impacts act together. An impact acts in this step if it is the first
/// of both bodies and happens before the end of the step. The new position is x' = x + t v + (dt −
/// t) v', also for t < 0, so that waiting does not change the path of a body. Two impacts of a body
/// at the same time and speed act together, as symmetry requires. Simultaneous impacts at different
/// speeds act one at a time.
///
/// Used only for spheres that rebound, in scenes without weight, body forces, bonds, additional
/// laws or a cell. Under weight, waiting bodies sink into bodies at rest: a vibrated bed of seven
/// layers with e = 0.7 then has 2 % too much kinetic energy instead of 1 %, and needs 2.7 times the
/// steps.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "engine/contacts/warm_start.hpp"
#include "engine/particles/particles.hpp"
#include "engine/ranks/exchange_plan.hpp"
#include "engine/step/step_contacts.hpp"
#include "engine/step/step_setup.hpp"
#include "solvers/batches/contact_batches.hpp"
#include "solvers/sweeps/position_projection.hpp"

namespace scree {

/// The two earliest impacts of a body.
struct EarliestImpacts {
  struct Impact {
    double time = std::numeric_limits<double>::infinity();  // from the beginning of the step [s]
    double speed = 0.0;                                     // normal velocity vₙ < 0 [m/s]
    friend auto operator<=>(const Impact&, const Impact&) = default;
  };
  Impact first, second;

  void Add(const Impact& impact);
  /// Whether both impacts happen at the same time and speed, up to rounding.
  bool AreSymmetric(double dt) const;
};

/// The impacts of a step.
class ImpactOrder {
 public:
  /// Whether impacts are ordered in a scene.
  static bool IsUsed(const StepSetup& setup);

  /// Reserves memory for problems of up to this number of contacts.
  void Reserve(const StepSetup& setup, std::size_t contacts, std::size_t particles,
               ExchangePlan& plan);
  /// Finds the impacts that act in this step, and removes the constraints of waiting contacts.
  /// Collective over the peers of the plan.
  /// @param impacts         numbers of the owned contacts that have to rebound
  /// @param inverse_masses  of particles, then walls [1/kg]
  /// @param batches         problem of the contacts, with all impacts active before the call
  /// @param positions       loses the overlaps of Ordered(); null: no projection follows
  void Apply(const StepSetup& setup, const Particles& particles, const StepContacts& contacts,
             const WarmStart* warm_start, std::span<const Index> impacts,
             std::span<const double> inverse_masses, ExchangePlan& plan, ContactBatches& batches,
             PositionProjection* positions);
  /// Sets no order for this step: all impacts act together.
  void Clear();
  /// After the solve, finds by how much the new positions differ from x + dt v'. Collective over
  /// the peers of the plan.
  void FindShifts(const StepSetup& setup, std::span<const double> inverse_masses,
                  const ContactBatches& batches, ExchangePlan& plan);
  /// The shift of each local particle [m]; empty if there are none.
  std::span<const Vec3> Shifts() const { return shifts_; }
  /// Numbers of the owned contacts that act alone or wait, ascending. Their overlaps are paths
  /// after their impacts, not errors.
  std::span<const Index> Ordered() const { return ordered_; }
  /// The largest overlap of the owned contacts that are not Ordered() [m].
  double MaxUnorderedOverlap(const StepContacts& contacts) const;

 private:
  /// An opening contact, or an impact of free bodies.
  struct Candidate {
    Index number = 0;  // of the contact in the batches
    Index a = 0, b = 0;
    EarliestImpacts::Impact impact;  // time infinite: the contact opens
  };
  enum class Kind : std::uint8_t { kLasting, kOpening, kImpact };
  enum class Role : std::uint8_t { kActsAlone, kWaits, kActsTogether };

  Kind KindOf(const StepSetup& setup, const Particles& particles, const StepContacts& contacts,
              const WarmStart* warm_start, const DetectedContact& found, double bias,
              EarliestImpacts::Impact& impact) const;
  void FindCandidates(const StepSetup& setup, const Particles& particles,
                      const StepContacts& contacts, const WarmStart* warm_start,
                      const ContactBatches& batches);
  void FindEarliest(const StepSetup& setup, ExchangePlan& plan);
  Role RoleOf(const Candidate& candidate, double dt) const;

  bool is_active_ = false;
  std::size_t particle_count_ = 0;           // number of local particles; later bodies are walls
  std::vector<std::uint8_t> is_considered_;  // whether impacts of a particle may be ordered
  std::vector<std::uint8_t> has_lasting_contact_;  // whether a particle has a contact that lasts
  std::vector<EarliestImpacts> earliest_;
  std::vector<Candidate> candidates_;
  std::vector<Candidate> acting_alone_;
  std::vector<Index> ordered_;
  std::vector<Vec3> shifts_;
};

}  // namespace scree
