/// \file  Coarse-grained fields in the cells of a grid, summed over frames.
///
/// The coarse-graining function φ of a cell is 1/(volume of the cell) inside the cell and 0 outside
/// (I. Goldhirsch, Granular Matter 12, 239 (2010), allows any φ ≥ 0 with the integral 1). A field
/// is then a mean over the cell, and the integral of φ along a line is the length of the line
/// inside the cell over the volume. With masses m_i, velocities v_i, and forces f_ik on i at the
/// contact points x_ik,
///
///     ρ  = Σ m_i φ(x_i)                    ρV = Σ m_i v_i φ(x_i)
///     σ  = Σ m_i (v_i − V)(v_i − V) φ(x_i) + Σ_ik f_ik l_ik ∫₀¹ φ(x_ik + s l_ik) ds
///     t  = Σ_walls f_iw φ(x_iw)
///
/// with the mean velocity V and the branches l_ik = x_i − x_ik. σ has a kinetic and a contact part
/// and is positive under pressure; its second index is that of the branch. t is the force of the
/// walls on the particles, per volume. The contact stress of a particle at a wall extends from the
/// particle's centre to the wall's surface, where the wall force acts (T. Weinhart, A. R. Thornton,
/// S. Luding, O. Bokhove, Granular Matter 14, 289 (2012)), so that momentum is balanced up to the
/// walls:
///
///     ∂(ρV)/∂t + ∇⋅(ρVV + σ) = ρ g + t
///
/// In a sheared domain the variation of the mean flow across a grid cell must not count as
/// temperature. Therefore each particle's velocity is shifted to the centre of its grid cell: it
/// changes by the mean flow at the centre minus the mean flow at the particle. If the domain is a
/// cell that deforms, the grid deforms with the domain, FieldGrid::region is the region in the
/// initial domain, and velocities are in the laboratory frame.
///
/// If fields are separated by kinds, each half of a branch belongs to the particle at its end (D.
/// R. Tunuguntla, A. R. Thornton, T. Weinhart, Comput. Part. Mech. 3, 349 (2016)).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/geometry/box.hpp"
#include "engine/particles/particles.hpp"
#include "engine/ranks/communicator.hpp"
#include "engine/scene/scene.hpp"

namespace scree {

struct ContactRecord;

/// The property by which particles are divided into kinds with separate fields; kAll: one kind.
enum class FieldKinds { kAll, kMaterial, kShape };
/// The names of these properties in scenes, in the order of the enumeration.
constexpr std::array<const char*, 3> NamesOf(FieldKinds) { return {"all", "material", "shape"}; }

/// A region cut into equal cells, numbered with x fastest.
struct FieldGrid {
  Box region;                            // inside the domain
  std::array<int, 3> cells = {1, 1, 1};  // along each axis, ≥ 1
  FieldKinds by = FieldKinds::kAll;

  std::size_t Size() const;
  /// Indices of a cell along the axes.
  std::array<int, 3> IndicesOf(std::size_t cell) const;
  Vec3 Centre(std::size_t cell) const;  // [m]
  Vec3 CellExtent() const;              // [m]
  double CellVolume() const;            // [m³]
  /// The grid after it has deformed with the domain.
  /// @param initial  domain of the scene
  FieldGrid At(const Domain& initial, const Domain& current) const;
};

/// Number of kinds of particles with separate fields.
std::size_t CountKinds(const FieldGrid& grid, const Scene& scene);

/// Sums over the frames of one rank's particles, or of all particles after SumOverRanks.
struct FieldSums {
  /// Entries of a slot, which is one kind of particles in one grid cell: sums over these particles,
  /// their contacts and the parts of branches in the cell. Vectors have three entries, symmetric
  /// tensors six (xx, yy, zz, xy, xz, yz), other tensors nine, row by row. Checkpoints store the
  /// entries in this order.
  enum Entry : std::size_t {
    kSamples = 0,          // particles times frames, a whole number
    kVelocity = 1,         // v [m/s]
    kSpeedSum = 4,         // ‖v‖ [m/s]
    kAngularVelocity = 5,  // ω, world axes [rad/s]
    kAngularSpeed = 8,     // ‖ω‖ [rad/s]
    kMassSum = 9,          // [kg]
    kVolume = 10,          // [m³]
    kMomentum = 11,        // m v [kg m/s]
    kMomentumFlux = 14,    // m v v [J]
    kTouching = 20,        // for each particle: neighbours and walls with closed contacts to it
    kContacts = 21,        // closed contacts in the cell; of two particles, half per particle
    kFabric = 22,          // n n of these contacts
    kContactStress = 28,   // f l [J]
    kWallForce = 37,       // f of walls [N]
    // Samples for the number density. If the domain deforms, this entry and the sums of masses,
    // volumes, momenta, stresses and wall forces are multiplied in each frame by the initial volume
    // of the grid over the current volume, because densities divide by the initial volume.
    kNumber = 40,
    kEntries = 41
  };

  std::size_t slots = 1;  // per row: all grid cells of the first kind, then of the second, ...
  std::int64_t frames = 0;
  std::vector<double> values;  // kEntries of slot 0, of slot 1, ...; then the next row

  explicit FieldSums(const FieldGrid& grid, std::size_t kinds = 1)
      : slots(kinds * grid.Size()), values(kEntries * slots, 0.0) {}
  /// @param slot  numbered through all rows
  std::span<const double> SlotSums(std::size_t slot) const {
    return std::span(values).subspan(kEntries * slot, kEntries);
  }
  std::size_t Rows() const { return values.size() / (kEntries * slots); }
};

/// The averages of a grid cell. Means over particles weight each particle in each frame equally.
/// They are zero if there was no particle. Densities are means over frames. The whole volume of a
/// sphere counts in the cell that contains its centre. Quantities that need contacts are NaN if no
/// frame had contact data, because the only frame is the initial state.
struct CellMeans {
  std::int64_t samples = 0;              // particles times frames
  Vec3 velocity = Vec3::Zero();          // [m/s]
  double speed = 0.0;                    // mean of ‖v‖, not ‖mean of v‖ [m/s]
  Vec3 angular_velocity = Vec3::Zero();  // world axes [rad/s]
  double angular_speed = 0.0;            // mean of ‖ω‖ [rad/s]
  double number_density = 0.0;           // [1/m³]
  double mass_density = 0.0;             // ρ [kg/m³]
  double solid_fraction = 0.0;           // over the volume that is not inside walls [-]
  Vec3 momentum_density = Vec3::Zero();  // ρV [kg/(m² s)]
  double temperature = 0.0;            // granular: trace of the kinetic stress over 3 ρ [m²/s²]
  Mat3 kinetic_stress = Mat3::Zero();  // with V as the mean over cell and frames [Pa]
  Mat3 contact_stress = Mat3::Zero();  // [Pa]
  Vec3 wall_force = Vec3::Zero();      // t [N/m³]
  double coordination = 0.0;           // kTouching per particle
  Mat3 fabric = Mat3::Zero();          // ⟨n n⟩ of the closed contacts; NaN if there are none
};

/// Adds the current owned particles as one more frame.
/// @param frames_per_row  number of frames after which a new row of sums starts; 0: a single row
/// @param time            of the frame, for the images of a sheared domain [s]
/// @param cell            a deforming cell's current domain; else null
void AddFrame(const FieldGrid& grid, const Scene& scene, const Particles& particles,
              FieldSums& sums, std::int64_t frames_per_row = 0, double time = 0.0,
              const Domain* cell = nullptr);

/// Adds the contacts of the step that leads to the next frame. Call it before AddFrame, in the
/// middle of the step, where MotionWatchers are called (time_step.hpp). Positions of contacts are
/// those at the beginning of the step.
/// @param contacts    of this rank
/// @param dt          length of the step [s]
/// @param closed_gap  largest gap of a closed contact [m]
/// @param time, cell  at the beginning of the step
void AddContacts(const FieldGrid& grid, const Scene& scene, const Particles& particles,
                 std::span<const ContactRecord> contacts, double dt, double closed_gap,
                 FieldSums& sums, std::int64_t frames_per_row = 0, double time = 0.0,
                 const Domain* cell = nullptr);

/// The sums of all ranks, on every rank. Collective.
FieldSums SumOverRanks(const Communicator& communicator, FieldSums sums);

/// Numbers of frames to which AddFrame has added particles and AddContacts contacts.
struct FrameCount {
  std::int64_t particles = 0;  // ≥ 1
  std::int64_t contacts = 0;   // one less if the initial state is a frame
};

/// The averages of one cell.
/// @param sums           of one slot, over all ranks
/// @param free_fraction  fraction of the cell that is not inside walls
CellMeans MeansOf(const FieldGrid& grid, std::span<const double> sums, FrameCount frames,
                  double free_fraction = 1.0);
/// The averages of one cell, from sums with a single row.
/// @pre AddContacts was called for each frame
CellMeans MeansOf(const FieldGrid& grid, const FieldSums& sums, std::size_t cell);

}  // namespace scree
