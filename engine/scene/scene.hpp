/// \file  The model: everything that is simulated, independent of the method. It is constant during
///        a run, except that a program may steer walls and joints (steering.hpp).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <variant>
#include <vector>

#include "engine/geometry/box.hpp"
#include "engine/geometry/clump_shape.hpp"
#include "engine/geometry/region.hpp"
#include "engine/geometry/shapes.hpp"
#include "engine/scene/body_forces.hpp"
#include "engine/scene/bond.hpp"
#include "engine/scene/cell.hpp"
#include "engine/scene/fluid.hpp"
#include "engine/scene/free_wall.hpp"
#include "engine/scene/joint.hpp"
#include "engine/scene/lattice.hpp"
#include "engine/scene/materials.hpp"
#include "engine/scene/motion_table.hpp"
#include "engine/scene/size_distribution.hpp"
#include "solvers/base/types.hpp"

namespace scree {

/// Oscillation with the displacement A [sin(2π f t + φ) − sin φ] at time t.
struct Oscillation {
  Vec3 amplitude = Vec3::Zero();  // A [m]
  double frequency = 0.0;         // f ≥ 0 [Hz]
  double phase = 0.0;             // φ [rad]
};

/// Rotation at a constant rate.
struct Rotation {
  Vec3 centre = Vec3::Zero();            // a point of the axis at time zero [m]
  Vec3 angular_velocity = Vec3::Zero();  // along the axis [rad/s]
};

/// An additional motion of a wall for a limited time. Simultaneous motions are added.
struct TimedMotion {
  std::string name = {};  // [motion.NAME]
  double from = 0.0;      // start [s]
  // End of the motion; the wall keeps the position that it has reached [s].
  double until = std::numeric_limits<double>::infinity();
  Vec3 velocity = Vec3::Zero();          // [m/s]
  Oscillation oscillation = {};          // with t = 0 at `from`
  Vec3 angular_velocity = Vec3::Zero();  // about the wall's centre [rad/s]
};

/// A rigid surface. It is driven, as if its mass were infinite, or free along or about one axis, or
/// part of a link. All its motions are added. The axis of `rotation` moves with the other motions.
struct Wall {
  std::string name;
  Shape shape;                   // at time zero
  Vec3 velocity = Vec3::Zero();  // constant part [m/s]
  MaterialId material = 0;
  Oscillation oscillation = {};
  Rotation rotation = {};
  double removed_at = std::numeric_limits<double>::infinity();  // [s]
  double appears_at = 0.0;                                      // [s]
  double moves_from = 0.0;  // start of velocity, oscillation, rotation and table [s]
  double moves_until = std::numeric_limits<double>::infinity();  // end of these motions [s]
  MotionTable table = {};                                        // starts at moves_from
  Vec3 axis = Vec3::Zero();  // of the table's angles and of the free motion; unit vector
  std::vector<TimedMotion> motions = {};  // additional motions, sorted by start
  FreeMotion free = {};
  // Velocity of the surface of a belt relative to the wall, whose shape it does not move [m/s]. Its
  // direction rotates with the wall.
  Vec3 surface_velocity = Vec3::Zero();
  // Materials of the particles that touch the wall, ascending; others pass through. Empty: all.
  std::vector<MaterialId> stops = {};
  Index link = -1;  // row of Scene::links; -1: not part of a link

  bool IsPartOfLink() const { return link >= 0; }
  bool IsFree() const { return free.freedom != Freedom::kNone; }
  /// Whether a prescribed motion ever moves the wall.
  bool IsDriven() const {
    return !velocity.isZero(0.0) || !oscillation.amplitude.isZero(0.0) ||
           !rotation.angular_velocity.isZero(0.0) || !table.IsEmpty() || !motions.empty();
  }
  bool IsMoving() const { return IsDriven() || IsFree() || IsPartOfLink(); }
  bool IsBelt() const { return !surface_velocity.isZero(0.0); }
  bool StopsAll() const { return stops.empty(); }
  bool Stops(MaterialId particle) const {
    return StopsAll() || std::ranges::binary_search(stops, particle);
  }
};

/// A shape of newly made particles.
struct GrainShape {
  ShapeId shape = kSphereShape;
  double fraction = 1.0;             // relative mass of this shape; the sum need not be 1
  double radius = 0.0;               // bounding radius [m]; 0: from the distribution of sizes
  double cumulative_fraction = 1.0;  // cumulative number fraction up to this shape, 1 for the last
};

/// A material of newly made spheres, with their sizes.
struct MixturePart {
  MaterialId material = 0;
  double fraction = 1.0;  // relative mass of this part; the sum need not be 1
  SizeDistribution sizes;
  double cumulative_fraction = 1.0;  // cumulative number fraction up to this part, 1 for the last
};

/// Properties of newly made particles.
struct GrainTemplate {
  SizeDistribution sizes;  // (bounding) radii, > 0; with a mixture only their range is used
  MaterialId material = 0;
  Vec3 velocity = Vec3::Zero();           // [m/s]
  Vec3 jitter = Vec3::Zero();             // largest random change of each velocity component [m/s]
  std::vector<GrainShape> shapes = {};    // with random orientations; empty: spheres
  std::vector<MixturePart> mixture = {};  // empty: all particles are of `material`
};

/// Random positions, see RandomPlacement.
struct RandomRegion {
  Region region;                // contains the spheres completely
  double solid_fraction = 0.0;  // volume of the spheres divided by that of the region, ≤ 0.3
  std::int64_t number = 0;      // of spheres, replaces the solid fraction; 0: not used
};

/// Fills a region at time zero. A lattice site stays empty if its particle would overlap a wall or
/// an existing particle, including one of an earlier fill.
struct Fill {
  std::variant<Lattice, RandomRegion> positions;
  GrainTemplate grain;
  std::string name = {};  // [fill.NAME]; empty: [fill]
};

/// A piston that pushes particles into the domain. It moves along its normal from its position at
/// time zero. Each time it has travelled the largest diameter, it is reset and a new layer of
/// particles appears in front of it, each of which touches the piston.
struct Inflow {
  std::size_t piston = 0;  // the wall: a single plane, whose normal and velocity are along one axis
  Lattice lattice;         // across the piston's axis; the extent along that axis is not used
  GrainTemplate grain;
  std::string name = {};  // [inflow.NAME]; empty: [inflow]
};

/// Longest automatic interval between rain events, in steps; for automatic steps, in base steps.
inline constexpr double kMaxStepsPerRainEvent = 1000.0, kMaxBaseStepsPerRainEvent = 1e7;

/// Inserts particles into a region at a constant rate, at random positions where they overlap
/// nothing.
struct Rain {
  std::string name = {};  // [inflow.NAME]; empty: [inflow]
  Region region;          // contains the spheres completely
  GrainTemplate grain;
  bool counts = false;  // true: amounts are numbers of particles; false: masses [kg]
  double rate = 0.0;    // amount per time, > 0 [1/s]
  double start = 0.0;   // [s]
  double end = std::numeric_limits<double>::infinity();    // [s]
  double total = std::numeric_limits<double>::infinity();  // maximum amount, a number or [kg]
  double interval = 0.0;  // time between rain events [s]; 0: automatic (StepsPerRainEvent)
  double max_steps = kMaxStepsPerRainEvent;  // longest automatic interval [steps]
};

/// Outflow faces of the domain, which delete the particles whose centre crosses them: [axis][0] is
/// the lower face, [axis][1] the upper one.
using OutflowFaces = std::array<std::array<bool, 2>, 3>;

struct Scene {
  Domain domain;
  CellControl cell;                      // controls the deformation of the domain
  Vec3 gravity = Vec3(0.0, 0.0, -9.81);  // [m/s^2]
  std::vector<ForceField> fields;
  RotatingFrame frame;
  Fluid fluid;
  MaterialTable materials;
  std::vector<BondRule> bonds;
  double restitution_threshold = 0.0;  // impacts slower than this do not rebound [m/s], ≥ 0
  std::vector<ClumpShape> clumps;      // shapes 1, 2, ... of particles; empty: only spheres
  std::vector<Wall> walls;
  std::vector<Link> links;
  std::vector<Joint> joints;  // one per link; the joint of a parent comes first
  std::vector<LoopJoint> loop_joints;
  std::vector<Fill> fills;
  std::vector<Inflow> pistons;
  std::vector<Rain> rains;
  OutflowFaces outflow = {};
  std::uint64_t seed = 1;  // of all random numbers

  /// Whether any shape is not a single sphere.
  bool HasClumps() const {
    return std::ranges::any_of(clumps, [](const ClumpShape& shape) { return !shape.IsSphere(); });
  }
  bool HasPolyhedra() const {
    return std::ranges::any_of(clumps,
                               [](const ClumpShape& shape) { return !shape.solids.empty(); });
  }
  /// Marks the additional laws that act: those of any pair of materials, and those of bonds.
  LawFlags ActiveLaws() const {
    LawFlags active = materials.ActiveLaws();
    active[kLawIndex<CohesionLaw>] = active[kLawIndex<CohesionLaw>] || !bonds.empty();
    active[kLawIndex<RollingLaw>] =
        active[kLawIndex<RollingLaw>] || std::ranges::any_of(bonds, &BondRule::moments);
    active[kLawIndex<DamageLaw>] = HasDamageBonds();
    return active;
  }
  bool HasDamageBonds() const { return !std::ranges::all_of(bonds, &BondRule::IsBrittle); }
  bool HasActiveLaw() const { return !bonds.empty() || materials.HasActiveLaw(); }
  /// Largest gap of a pair that can be bonded or stay bonded [m].
  double LargestBondGap() const {
    double largest = 0.0;
    for (const BondRule& rule : bonds)
      largest = std::max(largest, rule.gap + rule.FailureDisplacement());
    return largest;
  }
  /// Whether forces other than weight and contacts act.
  bool HasBodyForces() const { return !fields.empty() || frame.IsRotating() || fluid.Exists(); }
  /// Whether forces move walls, directly or as parts of links.
  bool HasFreeWalls() const { return !joints.empty() || std::ranges::any_of(walls, &Wall::IsFree); }
  /// Number of states of joints and walls: one per joint, one per additional axis of a joint, and
  /// one per wall; 0 if there is neither a joint nor a free wall.
  std::size_t FreeRows() const { return HasFreeWalls() ? WallRow(walls.size()) : 0; }
  /// Index of the state of a free wall.
  std::size_t WallRow(std::size_t wall) const {
    return joints.size() + ExtraRowsBefore(joints.size()) + wall;
  }
  /// Index of the state of a joint.
  /// @param component  number of the joint's axis; 0 for a fixed joint
  std::size_t JointRow(std::size_t joint, std::size_t component = 0) const {
    return component == 0 ? joint : joints.size() + ExtraRowsBefore(joint) + component - 1;
  }
  /// @pre the shape is not kSphereShape
  const ClumpShape& ClumpOf(ShapeId shape) const {
    return clumps[static_cast<std::size_t>(shape) - 1];
  }

  /// Number of states of the additional axes of the joints before joint `end`.
  std::size_t ExtraRowsBefore(std::size_t end) const {
    std::size_t rows = 0;
    for (std::size_t j = 0; j < end; ++j) rows += std::max<std::size_t>(joints[j].Axes(), 1) - 1;
    return rows;
  }
};

}  // namespace scree
