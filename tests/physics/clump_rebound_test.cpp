// Impacts of bodies of several spheres with restitution and friction: no energy is gained.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "engine/contacts/contact_assembly.hpp"
#include "engine/observation/energy_balance.hpp"
#include "tests/support/clump_scenes.hpp"
#include "tests/support/draw.hpp"

namespace scree::clump_rebound_test {
namespace {

using test::Draw;

constexpr double kRadius = 1e-3, kFloor = -0.04, kGap = 1e-6;

/// Spheres in the shape of a dumbbell, a tetrapod or a cube.
std::vector<Member> RandomShape(Draw& draw) {
  const int kind = draw.Integer(0, 2);
  if (kind == 0) return test::Dumbbell(kRadius * draw.Uniform(0.2, 1.0));
  if (kind == 1) return test::Tetrapod(kRadius);
  const double c = kRadius * draw.Uniform(0.6, 0.95);
  std::vector<Member> cube;
  for (const double x : {-c, c}) {
    for (const double y : {-c, c}) {
      for (const double z : {-c, c}) cube.push_back({Vec3(x, y, z), kRadius});
    }
  }
  return cube;
}

double KineticEnergy(const Scene& scene, const Particles& particles) {
  std::vector<double> inverse_masses;
  SetInverseMasses(particles, scene, inverse_masses);
  double energy = 0.0;
  for (std::size_t i = 0; i < particles.owned; ++i) {
    energy += KineticEnergyOf(particles, i, inverse_masses[i], scene.clumps);
  }
  return energy;
}

/// A body that falls onto the floor or onto another body, from just above it.
struct Impact {
  Scene scene;
  State state;

  explicit Impact(Draw& draw) {
    scene = test::EmptyScene(Vec3::Constant(-0.05), Vec3::Constant(0.05), draw.Uniform(0.0, 2.0));
    const double e = draw.Integer(0, 2) == 0 ? 1.0 : draw.Uniform(0.0, 1.0);
    scene.materials.SetRestitution(0, 0, {.constant = e});
    test::AddPlane(scene, Vec3(0.0, 0.0, kFloor), Vec3::UnitZ());
    shape_ = test::AddShape(scene, RandomShape(draw));
    // Tilted at random, or flat so that several members touch at once, or nearly flat.
    tilt_ = draw.Integer(0, 2) == 0 ? 0.0 : draw.Integer(0, 1) == 0 ? 0.02 : 3.0;
    draw.Integer(0, 1) == 0 ? PlaceAboveFloor(draw) : PlaceAboveOther(draw);
  }

 private:
  Quaternion RandomTilt(Draw& draw) const { return Normalized(RotationBy(draw.Vector(tilt_))); }
  void Add(Draw& draw, ParticleId id, const Vec3& position, const Quaternion& q, const Vec3& v) {
    const Vec3 omega = draw.Vector(100.0 * tilt_);
    test::AddClump(scene, state.particles, id, shape_, position, q, v, omega);
  }
  /// Members of the rotated shape, relative to its centre [m].
  std::vector<Member> MembersOf(const Quaternion& q) const {
    const ClumpShape& clump = scene.clumps[0];
    std::vector<Member> members = clump.members;
    for (Member& member : members) {
      member.centre = clump.bounding_radius * (RotationMatrix(q) * member.centre);
      member.radius *= clump.bounding_radius;
    }
    return members;
  }
  static Vec3 FallVelocity(Draw& draw) {
    Vec3 v = draw.Vector(1.0);
    v.z() = -0.05 - std::abs(v.z());
    return v;
  }
  void PlaceAboveFloor(Draw& draw) {
    const Quaternion q = RandomTilt(draw);
    double lowest = 0.0;
    for (const Member& member : MembersOf(q))
      lowest = std::min(lowest, member.centre.z() - member.radius);
    Add(draw, 0, Vec3(0.0, 0.0, kFloor + kGap - lowest), q, FallVelocity(draw));
  }
  void PlaceAboveOther(Draw& draw) {
    const Quaternion q_a = RandomTilt(draw), q_b = RandomTilt(draw);
    Vec3 position = draw.Vector(0.5 * kRadius);
    position.z() = 0.0;
    for (const Member& a : MembersOf(q_a)) {
      for (const Member& b : MembersOf(q_b)) {
        const double lateral = (position + a.centre - b.centre).head<2>().norm();
        const double touching_distance = a.radius + b.radius;
        if (lateral >= touching_distance) continue;
        const double vertical =
            std::sqrt(touching_distance * touching_distance - lateral * lateral);
        position.z() = std::max(position.z(), vertical + b.centre.z() - a.centre.z() + kGap);
      }
    }
    Add(draw, 0, position, q_a, FallVelocity(draw));
    Add(draw, 1, Vec3::Zero(), q_b, draw.Vector(0.04));
  }

  ShapeId shape_ = 0;
  double tilt_ = 0.0;  // largest angle [rad]
};

void ExpectNoEnergyGain(StepParameters parameters) {
  if (!test::IsSingleRank()) return;
  constexpr double kRounding = 1e-9;  // relative; also the error that the tolerance allows
  const Communicator world = Communicator::World();
  const char* setting = std::getenv("SCREE_CLUMP_IMPACTS");
  const int count = setting == nullptr ? 400 : std::atoi(setting);
  parameters.dt = 1e-5;
  // If several members touch, a few sweeps leave errors that can add energy. Hence a tolerance.
  parameters.solver.tolerance = 1e-10;
  parameters.solver.max_sweeps = 5000;
  Draw draw(41);
  int dissipative_impacts = 0;
  for (int k = 0; k < count; ++k) {
    Impact impact(draw);
    double energy = KineticEnergy(impact.scene, impact.state.particles);
    const double initial_energy = energy;
    TimeStep step = test::Start(world, impact.scene, parameters, impact.state);
    for (int i = 0; i < 12; ++i) {
      step.Advance(impact.state);
      const double energy_now = KineticEnergy(impact.scene, impact.state.particles);
      ASSERT_LE(energy_now, energy * (1.0 + kRounding)) << "impact " << k << ", step " << i;
      energy = energy_now;
    }
    dissipative_impacts += energy < initial_energy * (1.0 - kRounding) ? 1 : 0;
  }
  EXPECT_GT(dissipative_impacts, count / 2);
}

TEST(ClumpRebound, ImpactsByMaximumDissipationGainNoEnergy) {
  StepParameters parameters;
  parameters.solver.kernel = Kernel::kMaxDissipation;
  ExpectNoEnergyGain(parameters);
}

TEST(ClumpRebound, ImpactsByCoulombsLawGainNoEnergy) {
  StepParameters parameters;
  parameters.solver.kernel = Kernel::kCoulomb;
  ExpectNoEnergyGain(parameters);
}

// The four lower corners touch at once. They do not slip, so friction must not push or rotate the
// body.
TEST(ClumpRebound, CubeThatFallsFlatReboundsWithoutRotation) {
  if (!test::IsSingleRank()) return;
  const double c = 0.8 * kRadius;
  for (const Kernel kernel : {Kernel::kMaxDissipation, Kernel::kCoulomb}) {
    Scene scene = test::EmptyScene(Vec3::Constant(-0.05), Vec3::Constant(0.05), 0.2);
    scene.materials.SetRestitution(0, 0, {.constant = 0.5});
    test::AddPlane(scene, Vec3(0.0, 0.0, kFloor), Vec3::UnitZ());
    std::vector<Member> cube;
    for (int k = 0; k < 8; ++k) {
      cube.push_back({c * Vec3(k % 2 * 2 - 1, k / 2 % 2 * 2 - 1, k / 4 * 2 - 1), kRadius});
    }
    const ShapeId shape = test::AddShape(scene, cube);
    State state;
    test::AddClump(scene, state.particles, 0, shape, Vec3(0.0, 0.0, kFloor + c + kRadius),
                   Quaternion(), Vec3(0.0, 0.0, -1.0));
    StepParameters parameters;
    parameters.dt = 1e-5;
    parameters.solver.kernel = kernel;
    parameters.solver.tolerance = 1e-12;
    parameters.solver.max_sweeps = 20000;
    test::Run(Communicator::World(), scene, parameters, state, 1);
    EXPECT_NEAR(state.particles.velocity[0].z(), 0.5, 1e-9);
    EXPECT_LT(state.particles.velocity[0].head<2>().norm(), 1e-9);
    EXPECT_LT(kRadius * state.particles.angular_velocity[0].norm(), 1e-9);
  }
}

}  // namespace
}  // namespace scree::clump_rebound_test
