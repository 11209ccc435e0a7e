// Gauss-Seidel and Jacobi are two methods for the same solution. With enough sweeps they agree in
// twenty scenes: in the final state of single motions, and in the means of chaotic flows.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "engine/particles/random.hpp"
#include "tests/support/clump_scenes.hpp"

namespace scree::schemes_test {
namespace {

constexpr double kRadius = 0.01;
const Vec3 kGravity(0, 0, -9.81);

struct Setting {
  Scene scene = test::EmptyScene(Vec3::Constant(-0.3), Vec3::Constant(0.3), 0.4);
  State state;
  StepParameters parameters;
  int steps = 0;

  void SetRestitution(double e) { scene.materials.SetRestitution(0, 0, {.constant = e}); }
  void SetFriction(double friction) { scene.materials.SetFriction(0, 0, friction); }
  void AddPlane(const Vec3& point, const Vec3& normal, const Vec3& velocity = Vec3::Zero()) {
    test::AddPlane(scene, point, normal, velocity);
  }
  void AddFloor() {
    scene.gravity = kGravity;
    AddPlane(Vec3::Zero(), Vec3::UnitZ());
  }
  void AddSphere(const Vec3& x, const Vec3& v = Vec3::Zero(), const Vec3& omega = Vec3::Zero(),
                 double radius = kRadius) {
    const auto id = static_cast<ParticleId>(state.particles.Size());
    test::AddSphere(state.particles, id, x, radius, v, omega);
  }
};

StepParameters ParametersWith(const Setting& setting, Scheme scheme, int sweeps) {
  StepParameters parameters = setting.parameters;
  parameters.solver.scheme = scheme;
  parameters.solver.sweeps = sweeps;
  return parameters;
}

// ---- single motions

struct Motion {
  const char* name;
  int steps;
  std::function<void(Setting&)> set_up;
  double error = 1e-7;  // tolerated in positions and velocities after the run [radii, m/s]
};

void RowAgainstAWall(Setting& setting, int spheres, double e) {
  setting.SetRestitution(e);
  setting.AddPlane(Vec3(0.2, 0, 0), -Vec3::UnitX());
  for (int k = 0; k < spheres; ++k) {
    setting.AddSphere(Vec3(0.19 - 2.0 * kRadius * k, 0, 0),
                      Vec3(k + 1 == spheres ? 1.0 : 0.0, 0, 0));
  }
}

std::vector<Motion> Impacts() {
  return {
      {"ObliqueImpactOnAPlane", 100,
       [](Setting& setting) {
         setting.SetRestitution(0.5);
         setting.AddPlane(Vec3::Zero(), Vec3::UnitZ());
         setting.AddSphere(Vec3(0, 0, 0.011), Vec3(1, 0, -1), Vec3(30, 0, 20));
       }},
      {"ImpactOfTwo", 100,
       [](Setting& setting) {
         setting.SetRestitution(0.8);
         setting.AddSphere(Vec3(0.021, 0.005, 0), Vec3(-1, 0, 0.3));
         setting.AddSphere(Vec3::Zero(), Vec3::Zero(), Vec3(0, 0, 50), 0.5 * kRadius);
       }},
      {"RowOfThree", 100,
       [](Setting& setting) {
         setting.SetRestitution(1.0);
         for (int k = 0; k < 3; ++k)
           setting.AddSphere(Vec3(0.02 * k, 0, 0), Vec3(k == 0 ? 1.0 : 0.0, 0, 0));
       }},
      {"RowOfFiveAndAWall", 100, [](Setting& setting) { RowAgainstAWall(setting, 5, 0.9); }, 1e-4},
      {"IntoACorner", 100,
       [](Setting& setting) {
         setting.SetRestitution(0.3);
         for (int axis = 0; axis < 3; ++axis) setting.AddPlane(Vec3::Zero(), Vec3::Unit(axis));
         setting.AddSphere(Vec3(0.0105, 0.0105, 0.0105), Vec3(-1, -0.9, -0.8));
       }},
      {"OneHitByThree", 50,
       [](Setting& setting) {
         setting.SetRestitution(0.7);
         setting.AddSphere(Vec3::Zero());
         for (int k = 0; k < 3; ++k) {
           const Vec3 n(std::cos(2.1 * k), std::sin(2.1 * k), 0.2 * k);
           setting.AddSphere(0.0201 * n.normalized(), -(1.0 + 0.1 * k) * n.normalized());
         }
       }},
      {"DumbbellOnAPlane", 100,
       [](Setting& setting) {
         setting.SetRestitution(0.5);
         setting.parameters.solver.kernel = kDefaultKernelOfBodies;
         setting.AddPlane(Vec3::Zero(), Vec3::UnitZ());
         const ShapeId shape = test::AddShape(setting.scene, test::Dumbbell(kRadius));
         test::AddClump(setting.scene, setting.state.particles, 0, shape, Vec3(0, 0, 0.02),
                        RotationBy(Vec3(0.1, 0.6, 0)), Vec3(0.3, 0.1, -1));
       }},
      {"LightSphereBetweenHeavyOnes", 50,
       [](Setting& setting) {
         setting.SetRestitution(0.9);
         setting.AddSphere(Vec3(-0.0151, 0, 0), Vec3(1, 0, 0));
         setting.AddSphere(Vec3::Zero(), Vec3::Zero(), Vec3::Zero(), 0.5 * kRadius);
         setting.AddSphere(Vec3(0.0151, 0.001, 0), Vec3(-0.5, 0, 0));
       }},
  };
}

std::vector<Motion> RollingMotions() {
  return {
      {"SlidesAndThenRolls", 1000,
       [](Setting& setting) {
         setting.AddFloor();
         setting.SetFriction(0.2);
         setting.AddSphere(Vec3(-0.1, 0, kRadius), Vec3(0.5, 0.1, 0));
       }},
      {"RollsDownAnIncline", 1000,
       [](Setting& setting) {
         setting.AddFloor();
         setting.scene.gravity = Vec3(2, 0, -9);
         setting.AddSphere(Vec3(-0.1, 0, kRadius));
       }},
      {"RollingResistanceStops", 1000,
       [](Setting& setting) {
         setting.AddFloor();
         setting.scene.materials.SetLaw<RollingLaw>(0, 0, {0.1, 0.1});
         setting.AddSphere(Vec3(-0.1, 0, kRadius), Vec3(0.1, 0, 0), Vec3(0, 10, 30));
       }},
  };
}

std::vector<Motion> PilesAndRows() {
  return {
      {"HangsByCohesion", 500,
       [](Setting& setting) {
         setting.scene.gravity = kGravity;
         setting.scene.materials.SetLaw<CohesionLaw>(0, 0, {.force = 1.0});
         setting.AddPlane(Vec3::Zero(), -Vec3::UnitZ());
         for (int k = 0; k < 3; ++k) setting.AddSphere(Vec3(0, 0, -kRadius * (2 * k + 1)));
       },
       1e-5},
      {"ColumnOfTen", 500,
       [](Setting& setting) {
         setting.AddFloor();
         for (int k = 0; k < 10; ++k) setting.AddSphere(Vec3(0, 0, kRadius * (2 * k + 1)));
       },
       1e-4},
      {"PyramidThatSpreads", 500,
       [](Setting& setting) {
         setting.AddFloor();
         setting.SetFriction(0.05);
         for (int k = 0; k < 3; ++k) {
           setting.AddSphere(
               Vec3(0.01155 * std::cos(2.0944 * k), 0.01155 * std::sin(2.0944 * k), kRadius));
         }
         setting.AddSphere(Vec3(0, 0, 0.0264));
       },
       1e-3},
      {"RollsIntoARow", 1000,
       [](Setting& setting) {
         setting.AddFloor();
         setting.AddPlane(Vec3(0.05, 0, 0), -Vec3::UnitX());
         for (int k = 0; k < 3; ++k) setting.AddSphere(Vec3(0.04 - 0.02 * k, 0, kRadius));
         setting.AddSphere(Vec3(-0.05, 0, kRadius), Vec3(0.4, 0, 0), Vec3(0, 40, 0));
       },
       1e-3},
      {"LidOnFourSpheres", 500,
       [](Setting& setting) {
         setting.AddFloor();
         for (int k = 0; k < 4; ++k)
           setting.AddSphere(Vec3(0.03 * (k % 2), 0.03 * (k / 2), kRadius));
         Wall lid{"lid", {{Plane{Vec3(0, 0, 0.025), -Vec3::UnitZ()}}}};
         lid.free.freedom = Freedom::kAlong;
         lid.free.mass = 0.5;
         lid.axis = Vec3::UnitZ();
         setting.scene.walls.push_back(lid);
       },
       1e-4},
      {"WallThatPushesARow", 500,
       [](Setting& setting) {
         setting.AddFloor();
         setting.AddPlane(Vec3(-0.011, 0, 0), Vec3::UnitX(), Vec3(0.2, 0, 0));
         for (int k = 0; k < 4; ++k) setting.AddSphere(Vec3(0.02 * k, 0, kRadius));
       },
       1e-4},
  };
}

const std::vector<Motion>& Motions() {
  static const std::vector<Motion> motions = [] {
    std::vector<Motion> motions_of_all_groups = Impacts();
    for (const auto& group : {RollingMotions(), PilesAndRows()})
      motions_of_all_groups.insert(motions_of_all_groups.end(), group.begin(), group.end());
    return motions_of_all_groups;
  }();
  return motions;
}

class SingleMotion : public testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Schemes, SingleMotion, testing::Range(std::size_t{0}, Motions().size()),
                         [](const auto& motion) { return Motions()[motion.param].name; });

TEST_P(SingleMotion, EndsEquallyWithBothSchemes) {
  const Motion& motion = Motions()[GetParam()];
  const Communicator self = Communicator::Self();
  const auto run = [&](Scheme scheme, int sweeps) {
    Setting setting;
    setting.parameters.dt = 1e-4;
    motion.set_up(setting);
    test::Run(self, setting.scene, ParametersWith(setting, scheme, sweeps), setting.state,
              motion.steps);
    return test::GatherById(self, setting.state.particles);
  };
  const auto expected = run(Scheme::kGaussSeidel, 100), jacobi = run(Scheme::kJacobi, 400);
  for (const auto& [id, body] : expected) {
    EXPECT_LT((jacobi.at(id).position - body.position).norm(), motion.error * kRadius) << id;
    EXPECT_LT((jacobi.at(id).velocity - body.velocity).norm(), motion.error) << id;
    EXPECT_LT((jacobi.at(id).angular_velocity - body.angular_velocity).norm() * kRadius,
              motion.error)
        << id;
  }
}

// ---- means of chaotic flows

/// A box with this number of spheres per side, at random velocities.
Setting Cube(int side, double spacing, double speed, std::uint64_t seed) {
  Setting setting;
  setting.scene.domain.box = {Vec3::Zero(), Vec3::Constant(spacing * side)};
  setting.parameters.dt = 1e-4;
  for (ParticleId id = 0; id < side * side * side; ++id) {
    const auto random = [&](std::uint64_t draw) { return UniformAroundZero(seed, id, draw); };
    const Vec3 site(static_cast<double>(id % side), static_cast<double>(id / side % side),
                    static_cast<double>(id / (side * side)));
    setting.AddSphere(spacing * (site + Vec3::Constant(0.5)),
                      speed * Vec3(random(0), random(1), random(2)));
  }
  return setting;
}

double RemainingEnergy(std::uint64_t seed,
                       const std::function<StepParameters(const Setting&)>& parameters_of) {
  Setting setting = Cube(6, 0.028, 1.0, seed);
  setting.scene.domain.periodic = {true, true, true};
  setting.SetRestitution(0.9);
  setting.SetFriction(0.1);
  const Communicator self = Communicator::Self();
  TimeStep step = test::Start(self, setting.scene, parameters_of(setting), setting.state);
  const double initial_energy = step.Observe(setting.state).kinetic_energy;
  for (int k = 0; k < 800; ++k) step.Advance(setting.state);
  return step.Observe(setting.state).kinetic_energy / initial_energy;
}

/// Work done by a sheared domain, in units of the initial kinetic energy.
double ShearWork(std::uint64_t seed,
                 const std::function<StepParameters(const Setting&)>& parameters_of) {
  Setting setting = Cube(5, 0.021, 0.2, seed);
  setting.scene.domain.periodic = {true, true, true};
  setting.scene.domain.shear.rate = 10.0;
  for (std::size_t i = 0; i < setting.state.particles.owned; ++i) {
    setting.state.particles.velocity[i] +=
        setting.scene.domain.MeanFlow(setting.state.particles.position[i]);
  }
  const Communicator self = Communicator::Self();
  TimeStep step = test::Start(self, setting.scene, parameters_of(setting), setting.state);
  step.EnableEnergyBalance(true);
  const double initial_energy = step.Observe(setting.state).kinetic_energy;
  for (int k = 0; k < 1000; ++k) step.Advance(setting.state);
  return setting.state.energy.shear / initial_energy;
}

/// Spread of a heap: root mean square distance from its axis, in radii.
double HeapSpread(std::uint64_t seed,
                  const std::function<StepParameters(const Setting&)>& parameters_of) {
  Setting setting = Cube(5, 0.0202, 0.1, seed);
  setting.scene.domain.box = {Vec3(-1, -1, -0.1), Vec3(1, 1, 0.3)};
  setting.AddFloor();
  const Communicator self = Communicator::Self();
  test::Run(self, setting.scene, parameters_of(setting), setting.state, 1500);
  const auto spheres = test::GatherById(self, setting.state.particles);
  Vec3 mean = Vec3::Zero();
  for (const auto& [id, sphere] : spheres) mean += sphere.position / 125.0;
  double square = 0.0;
  for (const auto& [id, sphere] : spheres)
    square += (sphere.position - mean).head<2>().squaredNorm();
  return std::sqrt(square / 125.0) / kRadius;
}

/// Checks that the means of both schemes over seeds differ by at most three standard errors.
/// @param rounding  rounding error of the quantity, added to the tolerance
template <class Quantity>
void ExpectAgreement(Quantity&& quantity, int sweeps, int jacobi_sweeps, double rounding) {
  constexpr int kSeeds = 6;
  struct Mean {
    double value = 0.0, squared_error = 0.0;
  };
  const auto mean = [&](Scheme scheme, int count) {
    std::vector<double> values;
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
      values.push_back(quantity(
          seed, [&](const Setting& setting) { return ParametersWith(setting, scheme, count); }));
    }
    Mean result;
    for (const double value : values) result.value += value / kSeeds;
    for (const double value : values) {
      result.squared_error += std::pow(value - result.value, 2) / (kSeeds * (kSeeds - 1));
    }
    return result;
  };
  const Mean expected = mean(Scheme::kGaussSeidel, sweeps);
  const Mean jacobi = mean(Scheme::kJacobi, jacobi_sweeps);
  const double error = std::sqrt(expected.squared_error + jacobi.squared_error);
  EXPECT_LT(error, 0.1 * std::abs(expected.value));  // otherwise agreement would mean little
  EXPECT_NEAR(jacobi.value, expected.value, 3.0 * error + rounding) << "error " << error;
}

TEST(MeanOfAFlow, CoolingIsTheSameWithBothSchemes) {
  ExpectAgreement(RemainingEnergy, 10, 20, 1e-3);
}
TEST(MeanOfAFlow, ShearWorkIsTheSameWithBothSchemes) { ExpectAgreement(ShearWork, 20, 100, 1e-3); }
TEST(MeanOfAFlow, SpreadingIsTheSameWithBothSchemes) { ExpectAgreement(HeapSpread, 20, 100, 1e-3); }

}  // namespace
}  // namespace scree::schemes_test
