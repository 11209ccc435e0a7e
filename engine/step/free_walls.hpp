/// \file  Free walls and joints in the solve of a step: their speeds are unknowns in addition to
///        the impulses of the contacts.
///
/// Every contact with a tree (free_tree.hpp) has a separate patch as body b. If a tree has n
/// contacts on all ranks, each patch has 1/n of the inertia of the tree at the contact (FindBody),
/// so that many contacts with a light wall do not overshoot (mass splitting: R. Tonge, F.
/// Benevolenski, A. Voroshilov, "Mass splitting for jitter-free parallel rigid body simulation",
/// ACM Trans. Graph. 31, 2012). After each sweep all patches get the speeds of the whole tree under
/// the impulses of all contacts,
///
///     s' = s° + M°⁻¹ (λ − Σⱼ Gⱼᵀ λⱼ),
///
/// where s°, M° and Gⱼ are those of free_tree.hpp, and λ are the impulses of motors, joint friction
/// and limits, solved for the present contact impulses λⱼ. Joints and guides bear all other
/// components of λⱼ. Momentum is therefore balanced to rounding after each sweep. The fixed point
/// is the solution with the undivided tree; n affects only the rate of convergence. The sums are
/// exact (exact_sum), so that they do not depend on the ranks. The projection of positions does the
/// same with displacements, except that a motor or friction below its maximum locks its joint.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/contacts/wall_bodies.hpp"
#include "engine/particles/particles.hpp"
#include "engine/ranks/communicator.hpp"
#include "engine/step/step_contacts.hpp"
#include "solvers/base/exact_sum.hpp"
#include "solvers/batches/contact_batches.hpp"
#include "solvers/sweeps/position_projection.hpp"

namespace scree {

/// The free walls and machines of one step. Does nothing in steps without them.
class FreeWalls {
 public:
  /// Finds the contacts with trees and sets the masses of their patches. Collective in scenes with
  /// trees.
  /// @param[in,out] contacts        the mobility and arm of its wall bodies are set
  /// @param[in,out] inverse_masses  of all bodies [1/kg]
  void Begin(const Communicator& communicator, const Scene& scene, const Particles& particles,
             StepContacts& contacts, std::vector<double>& inverse_masses);
  /// Copies the masses of the patches to the bodies.
  template <class Body>
  void SetPatchMasses(std::span<Body> bodies) const;
  /// Sets the patches to their velocities without contact impulses.
  /// @param rotate_with_wall  whether patches have the rotation of their wall (SetPatchRotations)
  void SetUp(bool rotate_with_wall, std::span<SphereBody> bodies);
  void SetUp(bool rotate_with_wall, std::span<RigidBody> bodies);

  bool HasTrees() const { return !trees_.empty(); }
  // Sums over the trees; s₀ are the speeds without contacts (FreeAxis::no_load_speed).
  /// Σ (s' − s₀)⋅M° (s' − s₀) [J]
  double NormOfImpulses() const;
  /// Σ ½ (s' − s₀)⋅M° (s' + s₀): the energy that the impulses transfer to the trees [J]
  double EnergyOfImpulses() const;

  /// Updates the speeds of the trees from the present contact impulses. Collective.
  template <class Body>
  void UpdateFromImpulses(const Communicator& communicator, const ContactBatches& batches,
                          std::span<Body> bodies);
  /// Updates the displacements of the trees from the impulses of the projection. Collective.
  /// @param bodies  Displacement or RigidBody
  template <class Displaced>
  void UpdateFromImpulses(const Communicator& communicator, const ContactBatches& batches,
                          const PositionProjection& positions, std::span<Displaced> bodies);

  /// Sets the patches to the mean of the speeds before and after the step.
  template <class Body>
  void SetToMean(std::span<Body> bodies) const {
    SetPatches(bodies, SpeedKind::kMean);
  }

  /// Moves the trees to the end of the step.
  /// @throws SimulationError if a tree moves so far that contacts may have been missed
  void Move(const Scene& scene, double dt, std::int64_t stride,
            std::span<FreeWallState> states) const;

 private:
  /// A tree that moves in this step.
  struct Tree {
    std::shared_ptr<const FreeTree> free_tree;
    std::vector<double> speeds = {};    // s' after the last sweep
    std::vector<double> impulses = {};  // −Σⱼ Gⱼᵀ λⱼ along its axes [N s] or [N m s]
    std::vector<double> row_impulses = {};   // λ of motors, joint friction and limits
    std::vector<double> displacements = {};  // of the projection [m] or [rad]
    std::size_t first = 0;                   // number of its first axis among the axes of all trees
    std::int64_t contacts = 0;               // number of its contacts on all ranks

    double Speed(std::size_t axis, bool is_mean) const {
      return is_mean ? 0.5 * (free_tree->axes[axis].speed + speeds[axis]) : speeds[axis];
    }
  };
  /// The motion of a patch by one axis of its tree.
  struct Column {
    std::size_t axis = 0;                  // row of the tree's axes
    Vec3 surface_velocity = Vec3::Zero();  // per unit of the axis' speed
  };
  struct Patch {
    std::size_t contact = 0, body = 0, tree = 0;  // numbers of contact and body; row of trees_
    std::size_t first = 0, last = 0;              // range of columns_
    Vec3 surface = Vec3::Zero();                  // surface velocity without the free motion [m/s]
    Vec3 normal = Vec3::Zero();
    double radius = 0.0;           // of the touching sphere, for patches that rotate [m]
    Vec3 rotation = Vec3::Zero();  // u or ω without the free motion
    double mobility = 0.0;         // largest mobility of the undivided tree [1/kg]
    // The rigid body that represents the tree at the contact (FindBody).
    double inverse_mass = 0.0;            // [1/kg]
    Mat3 inverse_inertia = Mat3::Zero();  // [1/(kg m²)]
  };

  enum class SpeedKind { kMean, kAfter };
  std::span<const Column> ColumnsOf(const Patch& patch) const {
    return std::span(columns_).subspan(patch.first, patch.last - patch.first);
  }
  const FreeAxis& AxisOf(const Patch& patch, const Column& column) const {
    return trees_[patch.tree].free_tree->axes[column.axis];
  }
  void FindTrees(const StepContacts& contacts);
  void FindPatches(const Scene& scene, const Particles& particles, const StepContacts& contacts);
  Mat3 MobilityOf(const Patch& patch) const;
  double LargestMobility(const Patch& patch) const;
  Vec3 FindBody(Patch& patch) const;
  void SetPatches(std::span<SphereBody> bodies, SpeedKind kind) const;
  void SetPatches(std::span<RigidBody> bodies, SpeedKind kind) const;
  void BeginSums();
  void SumImpulses(const Communicator& communicator);
  void ReadSums(const Tree& tree, std::vector<double>& values) const;
  template <class Visit>
  void ForEachGain(Visit&& visit) const;

  std::vector<Tree> trees_;      // trees that are free in this step
  std::vector<Patch> patches_;   // of this rank's contacts
  std::vector<Column> columns_;  // of the patches
  bool patches_rotate_ = false;
  std::vector<ExactSum> sums_;         // scratch, one per axis
  std::vector<std::int64_t> digits_;   // scratch
  std::vector<JointRow> holds_;        // scratch
  std::vector<double> hold_impulses_;  // scratch
  std::vector<Index> rows_;            // scratch: row in trees_ of each wall of the scene, or -1
};

}  // namespace scree
