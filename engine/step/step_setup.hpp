/// \file  What a step is told once: who works on what, by which parameters.
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

/// Whether loads can be scaled, and where that may be needed (impulse_line_search.hpp).
struct LoadScaling {
  bool is_possible = false;  // impulses are remembered, and nothing acts but what grows with them
  double least_mass = 0.0;   // of a particle that there is or will be [kg]
  bool has_heavy_bodies = false;  // too heavy against others for sweeps alone, as far as is known
};

/// Communicator and scene outlive it.
struct StepSetup {
  /// @throws InputError if the largest particles do not fit the subdomains
  StepSetup(const Communicator& communicator, const Scene& scene, const StepParameters& parameters,
            const Subdomains& subdomains, const RadiusRange& radii, std::int64_t count);

  /// Makes what depends on the length of the step that of a step of so many base steps.
  void SetStride(std::int64_t stride);
  /// Which contacts take part in a step of this length [s].
  ActivationRule RuleOfStep(double dt) const;
  /// Takes the domain to where the cell is, if the scene has one.
  void PlaceCell(const CellState& cell);
  /// Brings the subdomains to where the domain and its images are.
  /// @throws SimulationError if particles do not fit them any more
  void PlaceSubdomains(std::int64_t step);
  /// When so many base steps are done [s].
  double TimeOf(std::int64_t base_steps) const { return base * static_cast<double>(base_steps); }
  std::string Moment(std::int64_t step) const { return MomentText(pace.is_automatic, base, step); }

  const Communicator& communicator;
  std::shared_ptr<Scene> of_cell;  // a copy whose domain deforms; null: there is no cell
  const Scene& scene;
  StepParameters parameters;
  int sweeps;               // of short steps, where steps are automatic
  double base;              // length of a base step, in which time is counted [s]
  std::int64_t stride = 1;  // base steps that the present step takes; parameters.dt is their length
  SchemeRequirements scheme;  // what the scheme of the solve asks for
  Subdomains subdomains;  // the only thing here that may change, but for a cell: between steps, if
                          // it Balances
  RadiusRange radii;      // of all particles that there are or will be
  std::int64_t count;     // particles - inserted + deleted of all ranks
  Friction friction;
  Restitution restitution;
  ActivationRule rule;
  double correction_speed = 0.0;  // cap of the error reduction [m/s]
  ProjectionParameters projection;
  double held_gap = 0.0;  // loaded contacts up to this gap count as closed [m]
  CoarseLevels coarse;    // heights of the correction of loads
  LoadScaling scaling;
  StepLimits pace;
  bool has_clumps = false;  // bodies are rigid bodies of any shape, spheres among them

  /// Whether all rank counts must rebuild lists at the same steps. Jacobi's scheme promises the
  /// same bits, and wrapping particles at a rebuild rounds.
  bool NeedsSameLists() const;
  /// Whether periodic images move: the domain is sheared, or deforms.
  bool ImagesMove() const { return scene.domain.Flows(); }
  /// Whether the subdomains follow the work. Those of a cell are a grid that follows its box: cuts
  /// by work would have to be strained with it at each rebuild, and a cell has no empty space that
  /// makes work uneven.
  bool Balances() const {
    return parameters.balance != kNeverBalance && communicator.Size() > 1 && of_cell == nullptr;
  }
};

/// The least radius of a ball inside of a member over that of the smallest one of its shape, 1 in
/// scenes without polyhedra. With it the smallest radius gives the slop: one by the rounding alone
/// is less than a block at rest rocks.
double InscribedOverMember(const Scene& scene);

/// Of the width that a subdomain needs for the lists of its rank [m].
/// @param largest  radius of all particles that there are or will be [m]
double MinWidth(const StepParameters& parameters, double largest);

/// @throws InputError if subdomains, or the periodic domain, are narrower than that
void RequireMinWidth(const Subdomains& subdomains, const StepParameters& parameters,
                     double largest);

}  // namespace scree
