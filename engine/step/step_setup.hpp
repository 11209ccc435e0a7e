/// \file  The constant data of the steps of a run: communicator, scene, subdomains and parameters.
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

/// Whether impulses can be scaled, and whether scaling may be needed (impulse_line_search.hpp).
struct LoadScaling {
  bool is_possible = false;       // impulses are stored, and all additional laws scale with them
  double min_mass = 0.0;          // of all present and future particles [kg]
  bool has_heavy_bodies = false;  // some bodies are known to be too heavy for sweeps alone
};

/// Data of the steps of a run. The communicator and the scene must outlive this object.
struct StepSetup {
  /// @param count  particles − inserted + deleted of all ranks
  /// @throws InputError if the largest particles do not fit the subdomains
  StepSetup(const Communicator& communicator, const Scene& scene, const StepParameters& parameters,
            const Subdomains& subdomains, const RadiusRange& radii, std::int64_t count);

  /// Sets the length of the step to this number of base steps, and all data that depend on it.
  void SetStride(std::int64_t stride);
  /// The rule for active contacts in a step of this length [s].
  ActivationRule RuleOfStep(double dt) const;
  /// Sets the domain to the present state of the cell, if the scene has one.
  void PlaceCell(const CellState& cell);
  /// Sets the subdomains to the present domain and its images.
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
  int sweeps;                 // number of sweeps in short steps, if steps are automatic
  double base;                // length of a base step, the unit of time [s]
  std::int64_t stride = 1;    // base steps of the present step; parameters.dt is its length
  SchemeRequirements scheme;  // requirements of the solver's scheme
  // The subdomains change between steps if IsBalanced(), or with a cell.
  Subdomains subdomains;
  RadiusRange radii;   // of all present and future particles
  std::int64_t count;  // particles - inserted + deleted of all ranks
  Friction friction;
  Restitution restitution;
  ActivationRule rule;
  double correction_speed = 0.0;  // cap of the error reduction [m/s]
  ProjectionParameters projection;
  double held_gap = 0.0;  // loaded contacts with a gap up to this are closed [m]
  CoarseLevels coarse;    // heights of the coarse correction of impulses
  LoadScaling scaling;
  StepLimits limits;
  bool has_clumps = false;  // all bodies, including spheres, are rigid bodies of any shape

  /// Whether runs on any number of ranks must rebuild lists at the same steps. Jacobi's scheme
  /// guarantees the same bits, but a rebuild wraps particles, which rounds positions.
  bool NeedsSameLists() const;
  /// Whether periodic images move: the domain is sheared, or deforms.
  bool HasMovingImages() const { return scene.domain.HasMeanFlow(); }
  /// Whether the subdomains are balanced by work. The subdomains of a cell are a grid that deforms
  /// with its box. Cuts by work would have to deform with it at each rebuild, and a cell has no
  /// empty space that makes work uneven.
  bool IsBalanced() const {
    return parameters.balance != kNeverBalance && communicator.Size() > 1 &&
           deforming_scene == nullptr;
  }
};

/// The smallest ratio of the radius of a ball inscribed in a member to the radius of the smallest
/// member of its shape; 1 in scenes without polyhedra. The slop is proportional to this ratio times
/// the smallest radius. A slop from the rounding radius alone would be smaller than the rocking of
/// a block at rest.
double InscribedOverMember(const Scene& scene);

/// The minimum width of a subdomain for the lists of its rank [m].
/// @param largest  largest radius of all present and future particles [m]
double MinWidth(const StepParameters& parameters, double largest);

/// Requires that subdomains, and the periodic domain, have at least this width.
/// @throws InputError if they are narrower
void RequireMinWidth(const Subdomains& subdomains, const StepParameters& parameters,
                     double largest);

}  // namespace scree
