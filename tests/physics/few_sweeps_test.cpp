// Impacts, gases and piles with any number of sweeps: no scheme may deviate far or add energy.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "engine/particles/random.hpp"
#include "tests/support/scenes.hpp"

namespace scree::few_sweeps_test {
namespace {

constexpr int kMaxSweeps = 40;
constexpr double kRounding = 1e-12;  // relative to speeds of order one

StepParameters WithSweeps(Scheme scheme, int sweeps, double dt) {
  StepParameters parameters;
  parameters.dt = dt;
  parameters.solver.scheme = scheme;
  parameters.solver.sweeps = sweeps;
  parameters.warm_start = sweeps > 1;  // one sweep with a warm start is an error
  return parameters;
}

Scene EmptySpace(double e, double friction) {
  Scene scene = test::EmptyScene(Vec3::Constant(-8), Vec3::Constant(8), friction);
  scene.materials.SetRestitution(0, 0, {.constant = e});
  return scene;
}

/// Velocities after one step, by id.
std::vector<Vec3> Velocities(const Scene& scene, State state, const StepParameters& parameters) {
  const Communicator self = Communicator::Self();
  test::Run(self, scene, parameters, state, 1);
  std::vector<Vec3> velocities;
  for (const auto& [id, sphere] : test::GatherById(self, state.particles)) {
    velocities.push_back(sphere.velocity);
  }
  return velocities;
}

TEST(FewSweeps, OneContactIsExactWithAnyNumberOfSweeps) {
  for (const Scheme scheme : {Scheme::kGaussSeidel, Scheme::kJacobi}) {
    for (int sweeps = 1; sweeps <= kMaxSweeps; ++sweeps) {
      const StepParameters parameters = WithSweeps(scheme, sweeps, 1e-3);
      for (const auto& [e, friction] : {std::pair(0.5, 0.0), {0.0, 0.5}, {1.0, 0.2}}) {
        Scene scene = EmptySpace(e, friction);
        test::AddPlane(scene, Vec3::Zero(), Vec3::UnitZ());
        State one_sphere;
        test::AddSphere(one_sphere.particles, 0, Vec3(0, 0, 0.5), 0.5, Vec3(1, 0, -1));
        const Vec3 velocity = Velocities(scene, one_sphere, parameters)[0];
        EXPECT_NEAR(velocity.z(), e, kRounding) << sweeps;
        // The sphere slips if friction cannot stop the contact point, whose mobility is 7/2 times
        // the mobility of the centre.
        const double loss = std::min(friction * (1.0 + e), 1.0 / 3.5);
        EXPECT_NEAR(velocity.x(), 1.0 - loss, kRounding) << sweeps;

        State two_spheres;  // with masses 1 and 1/8
        test::AddSphere(two_spheres.particles, 0, Vec3(0, 0, 3), 0.5, Vec3(0, 0, -1));
        test::AddSphere(two_spheres.particles, 1, Vec3(0, 0, 2.25), 0.25);
        const std::vector<Vec3> velocities =
            Velocities(EmptySpace(e, friction), two_spheres, parameters);
        EXPECT_NEAR(velocities[0].z(), -1.0 + (1.0 + e) / 9.0, kRounding) << sweeps;
        EXPECT_NEAR(velocities[1].z(), -8.0 * (1.0 + e) / 9.0, kRounding) << sweeps;
      }
    }
  }
}

/// Maximum deviation from the velocities after 1000 sweeps of Gauss-Seidel.
double Error(const Scene& scene, const State& state, const StepParameters& parameters) {
  const auto exact =
      Velocities(scene, state, WithSweeps(Scheme::kGaussSeidel, 1000, parameters.dt));
  const auto actual = Velocities(scene, state, parameters);
  double error = 0.0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    error = std::max(error, (actual[i] - exact[i]).norm());
  }
  return error;
}

TEST(FewSweeps, ThreeBodiesConvergeFromTheFirstSweepOn) {
  // A row that a sphere hits, a row hit from both sides, and a row between a sphere and a wall.
  for (int kind = 0; kind < 3; ++kind) {
    for (const auto& [e, friction] : {std::pair(0.5, 0.0), {0.0, 0.5}, {0.9, 0.3}}) {
      Scene scene = EmptySpace(e, friction);
      State state;
      const Vec3 second = kind == 1 ? Vec3(0.5, 0, 0.75).normalized() : Vec3::UnitX();
      test::AddSphere(state.particles, 0, Vec3(-0.9999, 0, 0), 0.5, Vec3(1, 0.2, 0));
      test::AddSphere(state.particles, 1, Vec3::Zero(), 0.5);
      if (kind < 2) {
        test::AddSphere(state.particles, 2, 0.9999 * second, 0.5,
                        kind == 1 ? Vec3(-second) : Vec3(Vec3::Zero()));
      } else {
        test::AddPlane(scene, Vec3(0.4999, 0, 0), -Vec3::UnitX());
      }
      for (const Scheme scheme : {Scheme::kGaussSeidel, Scheme::kJacobi}) {
        for (int sweeps = 2; sweeps <= kMaxSweeps; ++sweeps) {
          // A sweep leaves 0.5 of the error, 0.85 next to a wall, and 0.9 with heavy-ball momentum.
          const double bound = 2.0 * std::pow(0.93, sweeps);
          EXPECT_LT(Error(scene, state, WithSweeps(scheme, sweeps, 1e-3)), bound)
              << "kind " << kind << ", e " << e << ", friction " << friction << ", scheme "
              << static_cast<int>(scheme) << ", " << sweeps << " sweeps";
        }
      }
    }
  }
}

/// A gas of 216 spheres of radius 0.5 mm in a periodic box.
struct Gas {
  Scene scene;
  State state;

  Gas(double solid_fraction, double e) : scene(test::EmptyScene({}, {}, 0.0)) {
    const double spacing = 1e-3 * std::cbrt(0.5235987755982988 / solid_fraction);
    scene.domain.box = {Vec3::Zero(), Vec3::Constant(6.0 * spacing)};
    scene.domain.periodic = {true, true, true};
    scene.materials.SetRestitution(0, 0, {.constant = e});
    for (ParticleId id = 0; id < 216; ++id) {
      const auto random = [&](std::uint64_t draw) { return UniformAroundZero(7, id, draw); };
      const Vec3 site(static_cast<double>(id % 6), static_cast<double>(id / 6 % 6),
                      static_cast<double>(id / 36));
      test::AddSphere(state.particles, id, spacing * (site + Vec3::Constant(0.5)), 5e-4,
                      Vec3(random(0), random(1), random(2)));
    }
  }
  double Energy() const {
    double energy = 0.0;
    for (const Vec3& v : state.particles.velocity) energy += v.squaredNorm();
    return energy;
  }
  /// @returns the remaining fraction of the energy
  double Run(const StepParameters& parameters, int steps) {
    const Communicator self = Communicator::Self();
    const double initial_energy = Energy();
    test::Run(self, scene, parameters, state, steps);
    state.particles.velocity.resize(state.particles.owned);  // without ghosts
    return Energy() / initial_energy;
  }
};

TEST(FewSweeps, GasCoolsEquallyWithAnyNumberOfSweeps) {
  const double expected = Gas(0.1, 0.9).Run(WithSweeps(Scheme::kGaussSeidel, 60, 1e-5), 1000);
  EXPECT_LT(expected, 0.7);
  for (const Scheme scheme : {Scheme::kGaussSeidel, Scheme::kJacobi}) {
    for (int sweeps = 1; sweeps <= kMaxSweeps; ++sweeps) {
      // Six impacts per sphere. Rounding has not changed the sequence of impacts yet, so only the
      // sweeps differ.
      EXPECT_NEAR(Gas(0.1, 0.9).Run(WithSweeps(scheme, sweeps, 1e-5), 1000), expected, 0.05)
          << "scheme " << static_cast<int>(scheme) << ", " << sweeps << " sweeps";
    }
  }
}

TEST(FewSweeps, ElasticGasGainsNoEnergyAndKeepsItIfConverged) {
  // In a step of 1e-5 or 1e-4 s most spheres move by 2 or 20 % of a radius.
  for (const auto& [fraction, dt] : {std::pair(0.25, 1e-5), {0.25, 1e-4}, {0.45, 1e-5}}) {
    const int steps = static_cast<int>(5e-3 / dt);
    for (const Scheme scheme : {Scheme::kGaussSeidel, Scheme::kJacobi}) {
      for (const int sweeps : {2, 3, 4, 5, 6, 8, 10, 20, 40}) {
        const double remaining = Gas(fraction, 1.0).Run(WithSweeps(scheme, sweeps, dt), steps);
        EXPECT_LT(remaining, 1.001) << fraction << ", " << dt << ", " << static_cast<int>(scheme)
                                    << ", " << sweeps << " sweeps";
        EXPECT_GT(remaining, sweeps == 40 ? 0.9999 : 0.0) << fraction << ", " << dt;
      }
    }
  }
}

TEST(FewSweeps, PileLosesEnergyWithAnyNumberOfSweeps) {
  const auto run = [](Scheme scheme, int sweeps) {
    Scene scene = test::EmptyScene(Vec3::Zero(), Vec3(8e-3, 8e-3, 2e-2), 0.4);
    scene.gravity = Vec3(0, 0, -9.81);
    scene.domain.periodic = {true, true, false};
    test::AddPlane(scene, Vec3::Zero(), Vec3::UnitZ());
    State state;
    for (ParticleId id = 0; id < 96; ++id) {
      const auto random = [&](std::uint64_t draw) { return UniformAroundZero(5, id, draw); };
      const Vec3 site(static_cast<double>(id % 4), static_cast<double>(id / 4 % 4),
                      static_cast<double>(id / 16));
      test::AddSphere(state.particles, id, 2e-3 * (site + Vec3::Constant(0.5)), 9e-4,
                      0.05 * Vec3(random(0), random(1), random(2)));
    }
    const Communicator self = Communicator::Self();
    TimeStep step = test::Start(self, scene, WithSweeps(scheme, sweeps, 1e-4), state);
    step.EnableEnergyBalance(true);
    double work = 0.0, max_work = 0.0;  // work of the contacts so far, and its maximum
    for (int k = 0; k < 300; ++k) {
      step.Advance(state);
      work += step.Energy().contacts;
      max_work = std::max(max_work, work);
    }
    return std::pair(max_work, work);
  };
  // Energy of a fall by a tenth of a radius. The contacts dissipate at least this much.
  const double fall_energy = 96 * test::Mass(9e-4) * 9.81 * 1e-4;
  for (const Scheme scheme : {Scheme::kGaussSeidel, Scheme::kJacobi}) {
    for (int sweeps = 1; sweeps <= kMaxSweeps; ++sweeps) {
      const auto [max_work, work] = run(scheme, sweeps);
      EXPECT_LT(max_work, 0.01 * fall_energy) << static_cast<int>(scheme) << ", " << sweeps;
      EXPECT_LT(work, -fall_energy) << static_cast<int>(scheme) << ", " << sweeps;
    }
  }
}

}  // namespace
}  // namespace scree::few_sweeps_test
