/// \file  The data that all steps of a run use: communicator, scene, subdomains and parameters.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "engine/contacts/activation_rule.hpp"
#include "engine/contacts/friction.hpp"
#include "engine/contacts/restitution.hpp"
#include "engine/ranks/communicator.hpp"
#include "engine/ranks/subdomains.hpp"
#include "engine/scene/scene.hpp"
#include "engine/scene/step_parameters.hpp"
#include "engine/step/adaptive_step.hpp"
#include "engine/step/radius_range.hpp"
#include "solvers/sweeps/coarse_correction.hpp"
#include "solvers/sweeps/position_projection.hpp"
#include "solvers/sweeps/scheme.hpp"

namespace scree {

/// Whether a line search can scale impulses, and whether it may have to (impulse_line_search.hpp).
struct ImpulseScaling {
  bool is_possible = false;  // if impulses are stored and additional laws are proportional to them
  double min_mass = 0.0;     // of all past, present and future particles [kg]
  bool has_heavy_bodies = false;  // whether some particles are too heavy for sweeps alone
};

/// Data of the steps of a run. The communicator and the scene must outlive this object.
struct StepSetup {
  /// @param initial_count  StepSetup::initial_count
  /// @throws InputError if the largest particles, the attraction or the bonds do not fit the domain
  StepSetup(const Communicator& communicator, const Scene& scene, const StepParameters& parameters,
            const Subdomains& subdomains, const RadiusRange& radii, std::int64_t initial_count);

  /// Sets the length of the step to this number of base steps, and all data that depend on it.
  void SetStride(std::int64_t stride);
  /// The rule that decides which contacts are active in a step of this length [s].
  ActivationRule RuleOfStep(double dt) const;
  /// Sets the domain to the present state of the cell, if the scene has one.
  void PlaceCell(const CellState& cell);
  /// Adapts the subdomains to the cell, or to the images of a sheared domain at this base step.
  /// @throws SimulationError if particles do not fit the subdomains any more
  void PlaceSubdomains(std::int64_t step);
  /// The time after this number of base steps [s].
  double TimeOf(std::int64_t base_steps) const { return base * static_cast<double>(base_steps); }
  /// The number and time of this step for messages.
  std::string Moment(std::int64_t step) const {
    return MomentText(limits.is_automatic, base, step);
  }

  const Communicator& communicator;
  std::shared_ptr<Scene> deforming_scene;  // a copy whose domain deforms; null without a cell
  const Scene& scene;
  StepParameters parameters;
  int sweeps;               // planned number; long automatic steps do more (SweepsOf)
  double base;              // length of a base step, the unit of time [s]
  std::int64_t stride = 1;  // base steps of the present step; parameters.dt is its length
  SchemeRequirements scheme;
  // The subdomains change between steps if IsBalanced(), or if the scene has a cell.
  Subdomains subdomains;
  RadiusRange radii;
  std::int64_t initial_count;  // particles - inserted + deleted of all ranks; constant
  Friction friction;
  Restitution restitution;
  ActivationRule rule;
  double correction_speed = 0.0;  // maximum speed at which overlaps are reduced [m/s]
  ProjectionParameters projection;
  double held_gap = 0.0;  // contacts with a stored impulse count as closed up to this gap [m]
  CoarseLevels coarse;    // levels of the coarse correction of impulses, by height
  ImpulseScaling scaling;
  StepLimits limits;
  bool has_clumps = false;  // whether the scene has clumps; then all bodies are of type RigidBody

  /// Whether all runs must rebuild lists at the same steps, whatever their number of ranks. A
  /// rebuild wraps particles at periodic ends, which rounds positions, but results of Jacobi's
  /// scheme must have the same bits on any number of ranks.
  bool NeedsSameLists() const;
  /// Whether periodic images move: the domain is sheared, or deforms.
  bool HasMovingImages() const { return scene.domain.HasMeanFlow(); }
  /// Whether subdomains are cut so that all ranks have equal work. The subdomains of a cell are a
  /// grid that deforms with it instead: cuts by work would have to deform too at each rebuild, and
  /// a cell has no empty space that makes work uneven.
  bool IsBalanced() const {
    return parameters.balance != kNeverBalance && communicator.Size() > 1 &&
           deforming_scene == nullptr;
  }
};

/// The minimum width that a subdomain needs for the lists of its rank [m].
/// @param largest  largest radius of all particles (RadiusRange) [m]
double MinWidth(const StepParameters& parameters, double largest);

/// Requires that subdomains, and the periodic domain, are at least MinWidth wide.
/// @throws InputError
void RequireMinWidth(const Subdomains& subdomains, const StepParameters& parameters,
                     double largest);

}  // namespace scree
