#include "engine/step/validity.hpp"

#include <cmath>

#include "engine/contacts/contact_partner.hpp"
#include "engine/ranks/collective_error.hpp"
#include "solvers/base/check.hpp"

namespace scree {
namespace {

constexpr std::size_t kMaxNamed = 5;  // maximum number of particles in an error message

/// Positions more than this number of periods beyond a periodic end are errors. At this distance
/// wrapping rounds a position to 1e-10 of a period, and far beyond it to a whole period.
constexpr double kMaxPeriods = 1 << 20;

/// Whether a centre is inside the domain, on a closed end of an axis, or beyond a periodic end.
bool IsInside(const Domain& domain, const Vec3& x) {
  for (int axis = 0; axis < 3; ++axis) {
    if (!std::isfinite(x[axis])) return false;
    if (domain.periodic[static_cast<std::size_t>(axis)]) {
      const double distance = std::abs(x[axis] - domain.box.lower[axis]);
      if (!(distance <= kMaxPeriods * domain.box.Extent()[axis])) return false;
      continue;
    }
    if (x[axis] < domain.box.lower[axis] || x[axis] > domain.box.upper[axis]) return false;
  }
  return true;
}

/// Whether centre and rotating surface are slower than max_speed; false for NaN.
bool IsWithinSpeedLimit(const Particles& particles, std::size_t i, const Vec3& velocity,
                        double max_speed) {
  return velocity.norm() <= max_speed &&
         particles.radius[i] * particles.angular_velocity[i].norm() <= max_speed;
}

std::string DescribeParticle(const Particles& particles, std::size_t i, const Vec3& velocity) {
  return Text("id ", particles.id[i], " at (", particles.position[i].transpose(),
              ") m with velocity (", velocity.transpose(), ") m/s, angular velocity (",
              particles.angular_velocity[i].transpose(), ") 1/s");
}

/// Such as "2 particles lost on rank 1 at step 17: id 4 at ...; id 5 at ..."
std::string Describe(const Particles& particles, std::span<const Vec3> velocities,
                     const std::vector<std::size_t>& rows, const char* problem, int rank,
                     const std::string& moment) {
  if (rows.empty()) return {};
  std::string text = Text(rows.size(), rows.size() == 1 ? " particle " : " particles ", problem,
                          " on rank ", rank, " at ", moment, ":");
  for (std::size_t k = 0; k < rows.size() && k < kMaxNamed; ++k) {
    text += (k == 0 ? " " : "; ") + DescribeParticle(particles, rows[k], velocities[rows[k]]);
  }
  return rows.size() > kMaxNamed ? text + "; ..." : text;
}

}  // namespace

void RequireValid(const Communicator& communicator, const Domain& domain, double dt,
                  double max_path, const std::string& moment, const Particles& particles,
                  std::span<const Vec3> velocities) {
  std::vector<std::size_t> lost, runaway;
  for (std::size_t i = 0; i < particles.owned; ++i) {
    if (particles.id[i] == kRemovedId) continue;
    if (!IsInside(domain, particles.position[i])) {
      lost.push_back(i);
    } else if (!IsWithinSpeedLimit(particles, i, velocities[i], max_path / dt)) {
      runaway.push_back(i);
    }
  }
  const int rank = communicator.Rank();
  const std::string all_lost =
      GatherErrors(communicator, Describe(particles, velocities, lost, "lost", rank, moment));
  const std::string all_runaway = GatherErrors(
      communicator, Describe(particles, velocities, runaway, "running away", rank, moment));
  std::string all = all_lost;
  if (!all_lost.empty()) {
    all += Text(
        "\nA particle is lost when its centre leaves the domain (", domain.box.lower.transpose(),
        ") .. (", domain.box.upper.transpose(),
        ") m through a face that is neither outflow nor periodic, or lies more than ", kMaxPeriods,
        " periods beyond a periodic face. Is the domain closed by walls, and is the time step "
        "short enough for the speed?");
  }
  if (!all_runaway.empty()) {
    all += Text(
        all.empty() ? "" : "\n", all_runaway,
        "\nA particle runs away when a velocity is not a number or moves its centre or surface by "
        "more than ",
        max_path, " m in one step of ", dt, " s. Is the time step short enough?");
  }
  if (!all.empty()) throw SimulationError(all);
}

void RequireValid(const StepSetup& setup, const State& state, std::span<const Vec3> velocities,
                  double dt) {
  const Domain& domain = setup.subdomains.WholeDomain();
  RequireValid(setup.communicator, domain, dt, domain.box.Extent().minCoeff(),
               setup.Moment(state.step), state.particles, velocities);
}

bool AreSpeedsValid(const StepSetup& setup, const State& state, double dt) {
  const Particles& particles = state.particles;
  const double max_speed = setup.subdomains.WholeDomain().box.Extent().minCoeff() / dt;
  for (std::size_t i = 0; i < particles.owned; ++i) {
    if (particles.id[i] == kRemovedId) continue;
    if (!IsWithinSpeedLimit(particles, i, particles.velocity[i], max_speed)) return false;
  }
  return true;
}

void RequireNoneMissing(const StepSetup& setup, const State& state) {
  const std::int64_t count = setup.communicator.Sum(
      static_cast<std::int64_t>(state.particles.owned) - state.inserted + state.deleted);
  if (count == setup.initial_count) return;
  throw SimulationError(Text("particles were lost or duplicated at ", setup.Moment(state.step),
                             ": their number, minus inserted, plus deleted particles, is ", count,
                             "; expected the initial number, ", setup.initial_count));
}

std::string DescribeImpossible(const Scene& scene, const RadiusRange& radii,
                               const Particles& particles) {
  for (std::size_t i = 0; i < particles.owned; ++i) {
    if (particles.id[i] == kRemovedId) continue;
    const auto describe = [&](const auto&... parts) {
      return Text("particle ", particles.id[i], " cannot have the ", parts...);
    };
    const double radius = particles.radius[i];
    if (radii.largest == 0.0) {
      return describe("radius ", radius,
                      " m, because the run began without particles, whose radii limit those of "
                      "later ones; expected particles of the smallest and the largest radius at "
                      "the start");
    }
    if (!(radius >= radii.smallest && radius <= radii.largest)) {
      return describe("radius ", radius, " m; expected ", radii.smallest, " to ", radii.largest,
                      " m, the range of past and future particles");
    }
    const MaterialId material = particles.material[i];
    if (material < 0 || static_cast<std::size_t>(material) >= scene.materials.Size()) {
      return describe("material ", material, "; expected 0 to ", scene.materials.Size() - 1);
    }
    const ShapeId shape = particles.shape[i];  // 0 is the sphere, k > 0 the clump k − 1
    if (shape < 0 || static_cast<std::size_t>(shape) > scene.clumps.size()) {
      return describe("shape ", shape, "; expected 0 to ", scene.clumps.size());
    }
    const Quaternion& q = particles.orientation[i];
    const double square = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
    if (!(square > 0.0 && std::isfinite(square))) {
      return describe("orientation (", q.w, ", ", q.x, ", ", q.y, ", ", q.z,
                      "); expected a quaternion that can be normalised");
    }
  }
  return {};
}

std::string DescribeDeepOverlaps(const ContactSpan& contacts, const Particles& particles,
                                 std::span<const WallBody> walls, int rank,
                                 const std::string& moment) {
  const ContactBodies bodies(particles, walls);
  const auto describe = [&](std::size_t i) {
    return DescribeParticle(particles, i, particles.velocity[i]);
  };
  std::string text;
  std::size_t deep_count = 0;
  for (std::size_t j = 0; j < contacts.size(); ++j) {
    const DetectedContact& contact = contacts[j];
    const auto a = static_cast<std::size_t>(contact.a);
    const auto b = static_cast<std::size_t>(contact.b);
    const bool has_wall = bodies.IsWall(contact.b);
    const ContactGeometry geometry = contacts.GeometryOf(j, particles);
    const double radius = std::min(geometry.radius_a, geometry.radius_b);
    if (-contact.gap <= radius || ++deep_count > kMaxNamed) continue;
    text += Text(text.empty() ? "" : "\n", "overlap of ", -contact.gap, " m, more than a radius (",
                 radius, " m), on rank ", rank, " at ", moment, ": ", describe(a), " and ",
                 has_wall ? Text("wall ", bodies.WallOf(contact.b).wall) : describe(b));
  }
  if (deep_count > kMaxNamed) text += Text("\n... ", deep_count, " such overlaps on rank ", rank);
  return text;
}

}  // namespace scree
