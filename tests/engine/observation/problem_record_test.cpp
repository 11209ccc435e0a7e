// The recorded contact problem has the residual of the step, and the recorded impulses give the
// velocities of the step: with spheres, clumps, moving walls, sheared domains, rebounds and drag.
#include "engine/observation/problem_record.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "solvers/delassus/block_residual.hpp"
#include "tests/support/clump_scenes.hpp"
#include "tests/support/scenes.hpp"
#include "tests/support/schemes.hpp"

namespace scree::problem_record_test {
namespace {

constexpr double kRadius = 1e-3;
constexpr double kDt = 5e-5;

/// A domain that is periodic along x and has walls along y and a moving floor.
Scene PileScene(double restitution = 0.0) {
  Scene scene = test::EmptyScene(Vec3::Zero(), Vec3(0.009, 0.009, 0.02), 0.4);
  scene.gravity = Vec3(1.0, 0.5, -9.81);
  scene.domain.periodic = {true, false, false};
  test::AddPlane(scene, Vec3::Zero(), Vec3::UnitZ(), Vec3(0.03, -0.01, 0.0));
  test::AddPlane(scene, Vec3::Zero(), Vec3::UnitY());
  test::AddPlane(scene, Vec3(0.0, 0.009, 0.0), -Vec3::UnitY());
  if (restitution > 0.0) {
    PairRestitution pair;
    pair.constant = restitution;
    scene.materials.SetRestitution(0, 0, pair);
  }
  return scene;
}

/// 4 x 4 x `layers` slightly disordered bodies that fall onto each other.
State Pile(const Communicator& communicator, const Scene& scene, ShapeId shape, int layers) {
  State state;
  if (!communicator.IsRoot()) return state;
  ParticleId id = 0;
  for (int k = 0; k < layers; ++k) {
    for (int j = 0; j < 4; ++j) {
      for (int i = 0; i < 4; ++i, ++id) {
        const double disorder = 1e-4 * std::sin(7.0 * static_cast<double>(id));
        const Vec3 position(0.0011 + 0.0022 * i + disorder, 0.0013 + 0.0021 * j - disorder,
                            0.0011 + 0.0022 * k);
        const Vec3 velocity(0.02 * std::cos(3.0 * static_cast<double>(id)), 0.0, -0.1);
        if (shape == kSphereShape) {
          test::AddSphere(state.particles, id, position, kRadius, velocity, Vec3(3, -2, 1));
        } else {
          const double angle = 0.3 * static_cast<double>(id);
          test::AddClump(scene, state.particles, id, shape, position,
                         {std::cos(angle), std::sin(angle), 0.3, 0.1}, velocity, Vec3(3, -2, 1));
        }
      }
    }
  }
  return state;
}

struct RecordedStep {
  ProblemRecord record;
  SolveReport report;
  std::int64_t contacts = 0, loaded = 0;  // numbers of contacts
};

RecordedStep RecordStep(TimeStep& step, State& state, const BodyForces* forces = nullptr) {
  step.KeepStartingImpulses(true);
  RecordedStep recorded;
  step.Advance(
      state, [&](const Particles& particles) { recorded.record = step.Record(particles); }, 0,
      kNoEvent, forces);
  recorded.report = step.Report();
  const Observables observed = step.Observe(state);
  recorded.contacts = observed.contacts;
  recorded.loaded = observed.loaded_contacts;
  return recorded;
}

RecordedStep RecordLast(const Communicator& communicator, const Scene& scene,
                        const StepParameters& parameters, State& state, int steps) {
  TimeStep step = test::Start(communicator, scene, parameters, state);
  for (int k = 1; k < steps; ++k) step.Advance(state);
  return RecordStep(step, state);
}

StepParameters Parameters(Scheme scheme = Scheme::kGaussSeidel, int sweeps = 10) {
  StepParameters parameters;
  parameters.dt = kDt;
  parameters.solver.scheme = scheme;
  parameters.solver.sweeps = sweeps;
  if (scheme == Scheme::kJacobi) parameters.solver.momentum = 0.0;
  return parameters;
}

std::vector<Vec3> VectorsPerContact(const Eigen::VectorXd& r) {
  std::vector<Vec3> impulses;
  for (Eigen::Index j = 0; j < r.size(); j += 3) impulses.push_back(r.segment<3>(j));
  return impulses;
}

/// At root: expects that the record has the residual of the step, and that the velocities and
/// impulses of the step fulfil the recorded equations of motion.
void ExpectRecordOfStep(const RecordedStep& recorded, const char* scene_name) {
  if (!Communicator::World().IsRoot()) return;
  const ProblemRecord& record = recorded.record;
  const GlobalProblem& problem = record.problem;
  ASSERT_EQ(static_cast<std::int64_t>(record.contacts.size()), recorded.contacts) << scene_name;
  const Eigen::VectorXd momentum = problem.m * record.velocities;
  if (record.contacts.empty()) return;
  EXPECT_LT((problem.h * record.impulses + problem.f - momentum).norm(), 1e-12 * momentum.norm());
  const DelassusProblem contacts = ReduceToContacts(problem);
  const Residual residual =
      ContactResidual(contacts, VectorsPerContact(record.impulses), ContactLaw::kCoulomb);
  const double rms = std::sqrt(residual.square_sum / static_cast<double>(residual.contacts));
  const double rounding = 1e-12 * contacts.VelocityScale();
  EXPECT_NEAR(residual.max, recorded.report.residual_max, rounding) << scene_name;
  EXPECT_NEAR(rms, recorded.report.residual_rms, rounding) << scene_name;
}

/// Checks every fourth step of a run. Collective.
/// @returns the number of loaded contacts in these steps
std::int64_t ExpectRecordsOfSteps(const Scene& scene, const StepParameters& parameters, State state,
                                  int steps, const char* scene_name) {
  const Communicator world = Communicator::World();
  TimeStep step = test::Start(world, scene, parameters, state);
  std::int64_t loaded = 0;
  for (int k = 0; k < steps; ++k) {
    if (k % 4 != 0) {
      step.Advance(state);
      continue;
    }
    const RecordedStep recorded = RecordStep(step, state);
    loaded += recorded.loaded;
    ExpectRecordOfStep(recorded, scene_name);
  }
  return loaded;
}

TEST(ProblemRecord, RecordFitsStepsOfSpheresOnMovingWalls) {
  const Scene scene = PileScene();
  State state = Pile(Communicator::World(), scene, kSphereShape, 3);
  const RecordedStep recorded = RecordLast(Communicator::World(), scene, Parameters(), state, 60);
  ExpectRecordOfStep(recorded, "spheres");
  if (!Communicator::World().IsRoot()) return;
  const ProblemRecord& record = recorded.record;
  int walls = 0;
  for (const ContactPair& pair : record.contacts) {
    walls += pair.wall >= 0 ? 1 : 0;
    EXPECT_EQ(pair.wall >= 0, pair.id_b < 0);
    EXPECT_TRUE(pair.wall >= 0 || pair.id_a < pair.id_b);
  }
  EXPECT_GT(walls, 10);
  EXPECT_TRUE(std::ranges::is_sorted(record.bodies));
  // The stored impulses are nearer to the solution than zero is.
  EXPECT_LT((record.guess - record.impulses).norm(), 0.7 * record.impulses.norm());
}

TEST(ProblemRecord, RecordFitsStepsOfReboundingSpheresAndClumps) {
  for (const bool are_clumps : {false, true}) {
    Scene scene = PileScene(0.6);
    ShapeId shape = kSphereShape;
    if (are_clumps) shape = test::AddShape(scene, test::Dumbbell(0.5 * kRadius));
    State state = Pile(Communicator::World(), scene, shape, 3);
    StepParameters parameters = Parameters();
    if (are_clumps) parameters.solver.kernel = Kernel::kCoulomb;
    const char* const scene_name = are_clumps ? "clumps" : "spheres";
    EXPECT_GT(ExpectRecordsOfSteps(scene, parameters, std::move(state), are_clumps ? 500 : 160,
                                   scene_name),
              30)
        << scene_name;
  }
}

TEST(ProblemRecord, RecordFitsStepsOfAShearedDomain) {
  Scene scene = test::EmptyScene(Vec3::Zero(), Vec3::Constant(0.0085), 0.3);
  scene.domain.periodic = {true, true, true};
  scene.domain.shear.rate = 20.0;
  State state = Pile(Communicator::World(), scene, kSphereShape, 4);
  EXPECT_GT(ExpectRecordsOfSteps(scene, Parameters(), std::move(state), 80, "shear"), 20);
}

TEST(ProblemRecord, DragIsIncludedInTheMasses) {
  const Scene scene = PileScene();
  const Communicator world = Communicator::World();
  State state = Pile(world, scene, kSphereShape, 2);
  TimeStep step = test::Start(world, scene, Parameters(), state);
  for (int k = 0; k < 60; ++k) step.Advance(state);
  const auto positions_before = test::GatherById(world, state.particles);
  BodyForces forces;
  forces.drag.assign(state.particles.owned, 3.0 * test::Mass(kRadius) / kDt);
  const ProblemRecord record = RecordStep(step, state, &forces).record;
  if (!world.IsRoot()) return;
  const Eigen::MatrixXd masses = record.problem.m;
  const double mass = 4.0 * test::Mass(kRadius);
  EXPECT_NEAR(masses(0, 0), mass, 1e-9 * mass);
  EXPECT_NEAR(masses(3, 3), 0.4 * mass * kRadius * kRadius, 1e-9 * mass * kRadius * kRadius);
  const Eigen::VectorXd free = VelocitiesAfter(record.problem, 0.0 * record.impulses);
  ASSERT_GT(record.bodies.size(), 10u);
  for (std::size_t i = 0; i < record.bodies.size(); ++i) {
    const Vec3 expected =
        0.25 * (positions_before.at(record.bodies[i]).velocity + kDt * scene.gravity);
    EXPECT_LT((free.segment<3>(static_cast<Eigen::Index>(6 * i)) - expected).norm(), 1e-12);
  }
}

TEST(ProblemRecord, RecordDoesNotDependOnTheRanks) {
  const Communicator world = Communicator::World(), self = Communicator::Self();
  for (const bool are_clumps : {false, true}) {
    Scene scene = PileScene();
    ShapeId shape = kSphereShape;
    if (are_clumps) shape = test::AddShape(scene, test::Dumbbell(0.5 * kRadius));
    StepParameters parameters = Parameters(Scheme::kJacobi, 30);
    if (are_clumps) parameters.solver.kernel = Kernel::kCoulomb;
    State parallel_state = Pile(world, scene, shape, 3);
    const ProblemRecord parallel = RecordLast(world, scene, parameters, parallel_state, 60).record;
    if (!world.IsRoot()) {
      EXPECT_TRUE(parallel.bodies.empty());
      continue;
    }
    State serial_state = Pile(self, scene, shape, 3);
    const ProblemRecord serial = RecordLast(self, scene, parameters, serial_state, 60).record;
    EXPECT_EQ(parallel.bodies, serial.bodies);
    ASSERT_EQ(parallel.contacts.size(), serial.contacts.size());
    for (std::size_t j = 0; j < parallel.contacts.size(); ++j) {
      EXPECT_EQ(parallel.contacts[j].id_a, serial.contacts[j].id_a);
      EXPECT_EQ(parallel.contacts[j].id_b, serial.contacts[j].id_b);
      EXPECT_EQ(parallel.contacts[j].wall, serial.contacts[j].wall);
    }
    EXPECT_EQ(parallel.velocities, serial.velocities);
    EXPECT_EQ(parallel.impulses, serial.impulses);
    EXPECT_EQ(parallel.guess, serial.guess);
    EXPECT_EQ(parallel.problem.mu, serial.problem.mu);
    EXPECT_EQ((parallel.problem.h - serial.problem.h).norm(), 0.0);
    EXPECT_EQ((parallel.problem.m - serial.problem.m).norm(), 0.0);
    // Each rank rounds differently when it adds the velocity of an image.
    EXPECT_LT((parallel.problem.w - serial.problem.w).cwiseAbs().maxCoeff(), 1e-15);
    EXPECT_LT((parallel.problem.f - serial.problem.f).norm(), 1e-14 * serial.problem.f.norm());
  }
}

TEST(ProblemRecord, UnrecordableScenesAreDescribed) {
  Scene scene = PileScene();
  EXPECT_EQ(DescribeUnrecordable(scene), "");
  scene.walls[1].free.freedom = Freedom::kAlong;
  EXPECT_NE(DescribeUnrecordable(scene).find("[wall.wall]"), std::string::npos);
  scene = PileScene();
  scene.cell.drives[0].mode = CellControlMode::kRate;
  EXPECT_EQ(DescribeUnrecordable(scene), "");
  scene.cell.drives[1].mode = CellControlMode::kStress;
  EXPECT_NE(DescribeUnrecordable(scene).find("[cell]"), std::string::npos);
}

}  // namespace
}  // namespace scree::problem_record_test
