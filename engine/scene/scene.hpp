/// \file  The model: what is simulated, without a word on how. Constant during a run.
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

/// To and fro: the displacement at time t is A [sin(2π f t + φ) − sin φ].
struct Oscillation {
  Vec3 amplitude = Vec3::Zero();  // A [m]
  double frequency = 0.0;         // f ≥ 0 [Hz]
  double phase = 0.0;             // φ [rad]
};

/// Round and round at a constant rate.
struct Rotation {
  Vec3 centre = Vec3::Zero();            // a point of the axis at time zero [m]
  Vec3 angular_velocity = Vec3::Zero();  // along the axis [rad/s]
};

/// A motion of a wall beside its own, for part of the time: after others, or added to them.
struct TimedMotion {
  std::string name = {};                                   // [motion.NAME]
  double from = 0.0;                                       // at rest before [s]
  double until = std::numeric_limits<double>::infinity();  // at rest where it then is [s]
  Vec3 velocity = Vec3::Zero();                            // [m/s]
  Oscillation oscillation = {};                            // with t = 0 at `from`
  Vec3 angular_velocity = Vec3::Zero();                    // about the wall's centre [rad/s]
};

/// A rigid surface that moves as prescribed, as if of infinite mass, is free in one direction, or
/// is part of a link: its motions add up, and the axis of the rotation is carried along by the
/// others.
struct Wall {
  std::string name;
  Shape shape;                   // at time zero
  Vec3 velocity = Vec3::Zero();  // constant part [m/s]
  MaterialId material = 0;
  Oscillation oscillation = {};
  Rotation rotation = {};
  double removed_at = std::numeric_limits<double>::infinity();  // it is there before this time [s]
  double appears_at = 0.0;                                      // and from this one on [s]
  double moves_from = 0.0;  // velocity, oscillation, rotation and table begin [s]
  double moves_until = std::numeric_limits<double>::infinity();  // and end [s]
  MotionTable table = {};                                        // its time zero is moves_from
  Vec3 axis = Vec3::Zero();  // of the table's angles and of the free motion; unit vector
  std::vector<TimedMotion> motions = {};  // further ones
  FreeMotion free = {};
  // Of a belt: of the surface along itself, while the shape stays; turns with the wall [m/s].
  Vec3 surface_velocity = Vec3::Zero();
  // Particles of these materials touch it, all others pass through; ascending, empty: all touch it.
  std::vector<MaterialId> stops = {};
  Index link = -1;  // row of Scene::links; -1: it is part of none

  bool IsPartOfLink() const { return link >= 0; }
  bool IsFree() const { return free.freedom != Freedom::kNone; }
  /// Whether anything but forces ever moves it.
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
  double share = 1.0;   // of the mass, over the sum of all shares
  double radius = 0.0;  // bounding radius [m]; 0: by the distribution of sizes
  double up_to = 1.0;   // share of the particles that have this shape or one before it, 1 at last
};

/// A material of newly made spheres, with their sizes.
struct MixturePart {
  MaterialId material = 0;
  double share = 1.0;  // of the mass, over the sum of all shares
  SizeDistribution sizes;
  double up_to = 1.0;  // share of the spheres that are of this part or one before it, 1 at last
};

/// How newly made particles look.
struct GrainTemplate {
  SizeDistribution sizes;  // > 0; of bounding radii where there are shapes; of a mixture the bounds
  MaterialId material = 0;
  Vec3 velocity = Vec3::Zero();           // [m/s]
  Vec3 jitter = Vec3::Zero();             // each velocity component is uniform in ± this [m/s]
  std::vector<GrainShape> shapes = {};    // turned at random; empty: spheres
  std::vector<MixturePart> mixture = {};  // spheres of these; empty: all are of `material`
};

/// Places at random, see RandomPlacement.
struct RandomRegion {
  Region region;                // spheres are wholly inside
  double solid_fraction = 0.0;  // volume of the spheres over that of the region, at most 0.3
  std::int64_t number = 0;      // of spheres, in place of the solid fraction; 0: by that
};

/// Fills a region at time zero, without overlaps with walls and with particles that are there
/// already, of earlier fills too: sites of a lattice that would are left out.
struct Fill {
  std::variant<Lattice, RandomRegion> places;
  GrainTemplate grain;
  std::string name = {};  // [fill.NAME]; empty: [fill]
};

/// A piston that drives particles in: it moves from its place at time zero along its normal, and
/// each time it has travelled the largest diameter it is set back and a new layer of particles
/// appears in front of it, each at its radius from the piston.
struct Inflow {
  std::size_t piston =
      0;            // the wall; a single plane whose normal is along an axis and its velocity
  Lattice lattice;  // across the piston's axis; the extent along that axis is not used
  GrainTemplate grain;
  std::string name = {};  // [inflow.NAME]; empty: [inflow]
};

/// From one shower to the next; base steps of automatic ones.
inline constexpr double kMaxStepsPerShower = 1000.0, kMaxBaseStepsPerShower = 1e7;

/// Lets particles appear in a region at a constant rate, at random places where they overlap
/// nothing.
struct Rain {
  std::string name = {};  // [inflow.NAME]; empty: [inflow]
  Region region;          // spheres are wholly inside
  GrainTemplate grain;
  bool counts = false;  // amounts are numbers of particles; else masses [kg]
  double rate = 0.0;    // amount per time, > 0 [1/s]
  double start = 0.0;   // [s]
  double end = std::numeric_limits<double>::infinity();    // no more is due from then on [s]
  double total = std::numeric_limits<double>::infinity();  // the whole amount
  double every = 0.0;  // from one shower to the next [s]; 0: automatic (StepsPerShower)
  double most_steps = kMaxStepsPerShower;  // of that
};

/// Faces of the domain at which particles are deleted when their centre crosses them:
/// [axis][0] the lower face, [axis][1] the upper one.
using OutflowFaces = std::array<std::array<bool, 2>, 3>;

struct Scene {
  Domain domain;
  CellControl cell;                      // by which the domain deforms
  Vec3 gravity = Vec3(0.0, 0.0, -9.81);  // [m/s^2]
  std::vector<ForceField> fields;
  RotatingFrame frame;
  Fluid fluid;
  MaterialTable materials;
  double restitution_threshold = 0.0;  // impacts slower than this do not rebound [m/s], ≥ 0
  std::vector<ClumpShape> clumps;  // shapes 1, 2, ... of particles; empty: there are only spheres
  std::vector<Wall> walls;
  std::vector<Link> links;
  std::vector<Joint> joints;  // one of each link; that of a parent comes first
  std::vector<Fill> fills;
  std::vector<Inflow> pistons;
  std::vector<Rain> rains;
  OutflowFaces outflow = {};
  std::uint64_t seed = 1;  // of all random numbers

  /// Whether some shape is more than another name for spheres.
  bool HasClumps() const {
    return std::ranges::any_of(clumps, [](const ClumpShape& shape) { return !shape.IsSphere(); });
  }
  bool HasPolyhedra() const {
    return std::ranges::any_of(clumps,
                               [](const ClumpShape& shape) { return !shape.solids.empty(); });
  }
  /// Whether forces beside weight and contacts act.
  bool HasBodyForces() const { return !fields.empty() || frame.Turns() || fluid.Exists(); }
  /// Whether forces move walls, by themselves or as parts of links.
  bool HasFreeWalls() const { return !joints.empty() || std::ranges::any_of(walls, &Wall::IsFree); }
  /// Rows of the states of what is free: one per joint, then one per wall.
  std::size_t FreeRows() const { return HasFreeWalls() ? joints.size() + walls.size() : 0; }
  /// @pre the shape is not kSphereShape
  const ClumpShape& ClumpOf(ShapeId shape) const {
    return clumps[static_cast<std::size_t>(shape) - 1];
  }
};

}  // namespace scree
