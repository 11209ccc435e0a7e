// A Simulation makes the steps of TimeStep. Force fields of the calling program work across ranks.
#include "engine/step/simulation.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <map>

#include "tests/support/channel_scene.hpp"

namespace scree::simulation_test {
namespace {

struct Motion {
  Vec3 position, velocity;
  friend bool operator==(const Motion&, const Motion&) = default;
};
using Motions = std::map<ParticleId, Motion>;

/// The motions of the particles of all ranks, at root.
Motions MotionsOf(const Communicator& communicator, const Particles& particles) {
  ByteWriter writer;
  for (std::size_t i = 0; i < particles.owned; ++i) {
    if (particles.id[i] == kRemovedId) continue;
    writer.Put(particles.id[i]);
    writer.Put(particles.position[i]);
    writer.Put(particles.velocity[i]);
  }
  const std::vector<std::byte> bytes = writer.Take();
  Motions motions;
  for (const std::string& message : communicator.GatherAtRoot(
           std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()))) {
    for (ByteReader reader(std::as_bytes(std::span(message))); !reader.IsAtEnd();) {
      const auto id = reader.Get<ParticleId>();
      const auto position = reader.Get<Vec3>();
      motions[id] = {position, reader.Get<Vec3>()};
    }
  }
  return motions;
}

Motions MotionsOf(const Simulation& simulation) {
  return MotionsOf(simulation.Ranks(), simulation.Grains());
}

/// Particles with small gaps, also across a periodic end and the borders of all ranks. The forces
/// of tests press them together.
Scene PeriodicCloud() {
  Scene scene = test::EmptyScene(Vec3::Zero(), Vec3(0.02, 0.012, 0.012), 0.3);
  scene.domain.periodic = {true, false, false};
  const Box cloud{Vec3(0, 0.002, 0.002), Vec3(0.02, 0.01, 0.01)};
  scene.fills.push_back({Lattice{cloud, 1e-3}, {0.00049, 0, Vec3(1, 0, 0)}});
  return scene;
}

StepParameters WithStep(double dt) {
  StepParameters parameters;
  parameters.dt = dt;
  return parameters;
}

/// An acceleration with a part towards the axis, which is stronger for even ids, and a part
/// perpendicular to the velocity.
Vec3 PullAcceleration(const Particles& particles, std::size_t i) {
  const Vec3 distance = particles.position[i] - Vec3(particles.position[i].x(), 0.006, 0.006);
  const double k = particles.id[i] % 2 == 0 ? 4e4 : 3e4;
  return -k * distance - 3.0 * particles.velocity[i].cross(Vec3::UnitX());
}

/// The forces of a field of accelerations.
template <class Field>
BodyForces ForcesBy(const Simulation& simulation, Field&& field) {
  BodyForces forces;
  const std::vector<double> masses = simulation.Masses();
  for (std::size_t i = 0; i < masses.size(); ++i) {
    forces.force.push_back(masses[i] * field(simulation.Grains(), i));
  }
  return forces;
}

/// The forces of PullAcceleration, with a torque and a drag that differ from particle to
/// particle.
BodyForces PullForces(const Simulation& simulation) {
  BodyForces forces = ForcesBy(simulation, PullAcceleration);
  for (std::size_t i = 0; i < forces.force.size(); ++i) {
    const auto id = static_cast<double>(simulation.Grains().id[i] % 7);
    forces.torque.push_back(1e-11 * id * Vec3::UnitY());
    forces.drag.push_back(1e-6 * id);
  }
  return forces;
}

/// The bytes of each field, by the particles' ids.
std::map<std::string, std::map<ParticleId, std::string>> FieldsOf(const Particles& particles) {
  std::map<std::string, std::map<ParticleId, std::string>> fields;
  ForEachField(particles, [&](const Field& field, const auto& array) {
    for (std::size_t i = 0; i < particles.owned; ++i) {
      if (particles.id[i] == kRemovedId) continue;
      fields[field.name][particles.id[i]].assign(reinterpret_cast<const char*>(&array[i]),
                                                 sizeof(array[i]));
    }
  });
  return fields;
}

// Programs that read snapshots rely on the time dependence that kParticleFields declares.
TEST(SimulationAlone, FieldsVaryAsDeclared) {
  const Communicator world = Communicator::World();
  Simulation simulation(world, test::SmallChannel(), {});
  const auto fields_before = FieldsOf(simulation.Grains());
  for (int k = 0; k < 30; ++k) simulation.Step();
  const auto fields_after = FieldsOf(simulation.Grains());
  ForEachField(simulation.Grains(), [&](const Field& field, const auto&) {
    int changed_count = 0;
    for (const auto& [id, value] : fields_before.at(field.name)) {
      const auto entry = fields_after.at(field.name).find(id);
      if (entry != fields_after.at(field.name).end() && entry->second != value) ++changed_count;
    }
    EXPECT_EQ(changed_count > 0, field.time_dependence == TimeDependence::kVarying)
        << field.name << ": " << changed_count;
  });
}

TEST(Simulation, SimulationMakesTheStepsOfTimeStep) {
  const Communicator world = Communicator::World();
  const Scene scene = test::SmallChannel();
  State state = test::FilledChannel(world, scene);
  const TimeStep step = test::Run(world, scene, {}, state, 30);
  Simulation simulation(world, scene, {});
  for (int k = 0; k < 30; ++k) simulation.Step();
  EXPECT_EQ(MotionsOf(simulation), MotionsOf(world, state.particles));
  EXPECT_EQ(simulation.Steps(), 30);
  EXPECT_DOUBLE_EQ(simulation.Time(), 30 * StepParameters().dt);
  EXPECT_EQ(simulation.Observe().contacts, step.Observe(state).contacts);
}

TEST(Simulation, FieldGivesTheSameBitsOnAnyRanks) {
  const Communicator world = Communicator::World();
  StepParameters parameters;
  parameters.dt = 2e-5;
  parameters.solver.scheme = Scheme::kJacobi;
  const Scene scene = PeriodicCloud();
  Simulation parallel(world, scene, parameters);
  Simulation serial(Communicator::Self(), scene, parameters);
  for (int k = 0; k < 100; ++k) {
    parallel.Step(PullForces(parallel));
    serial.Step(PullForces(serial));
  }
  EXPECT_GT(parallel.Observe().loaded_contacts, 100);
  const Motions expected_motions = MotionsOf(parallel);
  EXPECT_EQ(expected_motions, world.IsRoot() ? MotionsOf(serial) : Motions());
}

// v' = v − dt k x and x' = x + dt v': an ellipse of the symplectic Euler method.
TEST(SimulationAlone, SphereInAHarmonicFieldFollowsTheScheme) {
  constexpr double kSpring = 1e4, kDt = 1e-4;
  Scene scene = test::EmptyScene(Vec3::Constant(-0.01), Vec3::Constant(0.01), 0.3);
  Particles particles;
  test::AddSphere(particles, 5, Vec3(0.004, 0, 0), 1e-3, Vec3(0, 0.3, 0));
  StepParameters parameters;
  parameters.dt = kDt;
  Simulation simulation(Communicator::Self(), scene, parameters, particles);
  Vec3 x = particles.position[0], v = particles.velocity[0];
  for (int k = 0; k < 300; ++k) {
    simulation.Step(ForcesBy(simulation, [](const Particles& current, std::size_t i) {
      return Vec3(-kSpring * current.position[i]);
    }));
    v -= kDt * kSpring * x;
    x += kDt * v;
  }
  EXPECT_LT((simulation.Grains().position[0] - x).norm(), 1e-15);
  EXPECT_LT((simulation.Grains().velocity[0] - v).norm(), 1e-13);
}

// The reach of lists depends on the velocities of the previous step. A sudden kick may exceed it.
TEST(SimulationAlone, KickThatTheListsDoNotCoverRebuildsThem) {
  const Scene scene = test::EmptyScene(Vec3::Zero(), Vec3::Constant(0.1), 0.0);
  Particles particles;
  test::AddSphere(particles, 0, Vec3(0.03, 0.05, 0.05), 1e-3, Vec3::Zero());
  test::AddSphere(particles, 1, Vec3(0.05, 0.05, 0.05), 1e-3, Vec3::Zero());
  // The kicked sphere ends its first step 0.1 mm before the other sphere.
  constexpr double kDt = 1e-4, kSpeed = 0.0179 / kDt;
  Simulation simulation(Communicator::Self(), scene, WithStep(kDt), particles);
  simulation.Step();
  simulation.Step(ForcesBy(simulation, [](const Particles& current, std::size_t i) {
    return Vec3(current.id[i] == 0 ? kSpeed / kDt : 0.0, 0, 0);
  }));
  simulation.Step();
  const Particles& grains = simulation.Grains();
  EXPECT_GT(grains.velocity[grains.id[0] == 1 ? 0 : 1].x(), 0.4 * kSpeed);
  EXPECT_GE((grains.position[0] - grains.position[1]).norm(), 1.99e-3);
}

TEST(Simulation, EditedParticlesContinueFromTheirNewState) {
  const Communicator world = Communicator::World();
  StepParameters parameters;
  parameters.solver.scheme = Scheme::kJacobi;
  Simulation parallel(world, PeriodicCloud(), parameters);
  Simulation serial(Communicator::Self(), PeriodicCloud(), parameters);
  for (int k = 0; k < 30; ++k) {
    for (Simulation* simulation : {&parallel, &serial}) {
      simulation->Step();
      if (k != 10) continue;
      // Moves all particles by half a period, so that most change their ranks.
      const EditableParticles grains = simulation->BeginEdit();
      for (Vec3& x : grains.position) x.x() += 0.01;
      for (Vec3& v : grains.velocity) v = -v;
      for (Quaternion& q : grains.orientation) q = {2.0, 0.0, 0.0, 0.0};
      simulation->EndEdit();
      EXPECT_EQ(simulation->Grains().orientation.at(0), Quaternion{});
    }
  }
  const Motions expected_motions = MotionsOf(parallel);
  EXPECT_EQ(expected_motions, world.IsRoot() ? MotionsOf(serial) : Motions());
}

TEST(Simulation, ImpossibleChangesAreErrorsOnAllRanks) {
  const Communicator world = Communicator::World();
  Simulation simulation(world, PeriodicCloud(), {});
  const auto expect_error = [&](auto change, auto restore, const std::string& words) {
    if (world.IsRoot()) change(simulation.BeginEdit());
    try {
      simulation.EndEdit();
      ADD_FAILURE() << "no error: " << words;
    } catch (const std::runtime_error& error) {
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
    if (world.IsRoot()) restore(simulation.BeginEdit());
    simulation.EndEdit();
    simulation.Step();
  };
  const double radius = 0.00049;
  expect_error([](EditableParticles grains) { grains.radius[0] = 1.0; },
               [&](EditableParticles grains) { grains.radius[0] = radius; },
               "cannot have the radius 1 m; expected 0.00049 to 0.00049 m");
  expect_error([](EditableParticles grains) { grains.material[0] = 1; },
               [](EditableParticles grains) { grains.material[0] = 0; },
               "the material 1; expected 0 to 0");
  expect_error(
      [](EditableParticles grains) {
        grains.orientation[0] = {0.0, 0.0, 0.0, 0.0};
      },
      [](EditableParticles grains) { grains.orientation[0] = {}; }, "can be normalised");
  Vec3 position;
  expect_error(
      [&](EditableParticles grains) {
        position = grains.position[0], grains.position[0].z() = 1.0;
      },
      [&](EditableParticles grains) { grains.position[0] = position; }, "lost");
}

Scene CloudOverPlate() {
  Scene scene = PeriodicCloud();
  scene.walls.push_back({"plate", {{Plane{Vec3(0, 0, 0.00195), Vec3::UnitZ()}}}});
  return scene;
}

TEST(Simulation, SteeredWallsAndInsertedParticlesGiveTheSameBitsOnAnyRanks) {
  const Communicator world = Communicator::World();
  StepParameters parameters;
  parameters.solver.scheme = Scheme::kJacobi;
  Simulation parallel(world, CloudOverPlate(), parameters);
  Simulation serial(Communicator::Self(), CloudOverPlate(), parameters);
  for (Simulation* simulation : {&parallel, &serial}) {
    const Communicator& ranks = simulation->Ranks();
    simulation->EnableEnergyBalance();
    const std::int64_t count_before = simulation->Observe().particles;
    std::int64_t removed = 0;
    for (int k = 0; k < 60; ++k) {
      if (k % 4 == 0) simulation->MoveWall(0, Vec3(0, 0, k < 40 ? 0.5 : -0.1), Vec3::Zero());
      if (k == 30) {
        Particles inserted;
        Resize(inserted, ranks.Rank() == ranks.Size() - 1 ? 1 : 0);
        if (inserted.Size() > 0)
          inserted.position[0] = Vec3(0.01, 0.006, 0.0115), inserted.radius[0] = 0.00049;
        simulation->Insert(inserted);
        std::vector<std::uint8_t> rows(simulation->Grains().owned);
        for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = simulation->Grains().id[i] % 9 == 4;
        removed = simulation->Remove(rows);
        EXPECT_GT(removed, count_before / 10);
      }
      simulation->Step();
    }
    const Observables observed = simulation->Observe();
    EXPECT_EQ(observed.particles, count_before + 1 - removed);
    EXPECT_GT(observed.energy->walls, 0.0);
    EXPECT_LT(std::abs(observed.energy->Imbalance()), 1e-12 * observed.energy->walls);
  }
  const Motions expected_motions = MotionsOf(parallel);
  EXPECT_EQ(expected_motions, world.IsRoot() ? MotionsOf(serial) : Motions());
}

TEST(Simulation, DifferentWallChangesOnTwoRanksAreAnError) {
  const Communicator world = Communicator::World();
  if (world.Size() == 1) GTEST_SKIP() << "needs two ranks";
  Simulation simulation(world, CloudOverPlate(), {});
  for (const double other_speed : {0.5, std::numeric_limits<double>::quiet_NaN()}) {
    const Vec3 velocity = world.Rank() == 1 ? Vec3(0, 0, other_speed) : Vec3::Zero();
    EXPECT_THROW(simulation.MoveWall(0, velocity, Vec3::Zero()), InputError);
  }
  simulation.Step();
}

TEST(Simulation, ReleasedArraysKeepTheirAddresses) {
  Simulation simulation(Communicator::World(), PeriodicCloud(), {});
  Simulation reference(Communicator::World(), PeriodicCloud(), {});
  simulation.Step(), reference.Step();
  const Vec3* const address = simulation.Grains().position.data();
  const Vec3 position_before = *address;
  const std::string_view names[] = {"position"};
  const Particles released = simulation.ReleaseArrays(names);
  EXPECT_EQ(released.position.data(), address);
  EXPECT_TRUE(released.velocity.empty());
  simulation.Step(), reference.Step();
  EXPECT_EQ(*address, position_before);
  EXPECT_EQ(MotionsOf(simulation), MotionsOf(reference));
}

/// After an error in a step, the state before that step is written for inspection.
TEST(Simulation, ForcesThatEndARunKeepTheVelocities) {
  Simulation simulation(Communicator::World(), PeriodicCloud(), {});
  const std::vector<Vec3> velocities_before = simulation.Grains().velocity;
  const auto field = [](const Particles&, std::size_t) { return Vec3(0.0, 1e9, 0.0); };
  EXPECT_THROW(simulation.Step(ForcesBy(simulation, field)), SimulationError);
  EXPECT_EQ(simulation.Grains().velocity, velocities_before);
}

/// The centres do not move, so that the lists of pairs stay valid.
TEST(Simulation, TorquesThatMakeAnyRotationEndTheRunInTheSameStep) {
  Simulation simulation(Communicator::World(), PeriodicCloud(), {});
  simulation.Step();
  BodyForces forces;
  forces.torque.assign(simulation.Grains().owned, Vec3::Zero());
  if (Communicator::World().IsRoot()) forces.torque.back() = Vec3(0, 0, 1e3);
  EXPECT_THROW(simulation.Step(forces), SimulationError);
}

TEST(Simulation, ForcesThatAreNotFiniteAndNegativeDragsAreErrorsOnAllRanks) {
  Simulation simulation(Communicator::World(), PeriodicCloud(), {});
  const std::vector<Vec3> velocities_before = simulation.Grains().velocity;
  const std::size_t owned = simulation.Grains().owned;
  const bool is_root = Communicator::World().IsRoot();
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const double bad : {kNaN, kInfinity, -kInfinity}) {
    std::vector<Vec3> vectors(owned, Vec3::Zero());
    std::vector<double> drags(owned, 1e-6);
    if (is_root) vectors.back().y() = drags.back() = bad;
    EXPECT_THROW(simulation.Step({.force = vectors, .torque = {}, .drag = {}}), InputError);
    EXPECT_THROW(simulation.Step({.force = {}, .torque = vectors, .drag = {}}), InputError);
    EXPECT_THROW(simulation.Step({.force = {}, .torque = {}, .drag = drags}), InputError);
    if (is_root) drags.back() = -1e-6;
    EXPECT_THROW(simulation.Step({.force = {}, .torque = {}, .drag = drags}), InputError);
  }
  EXPECT_EQ(simulation.Steps(), 0);
  EXPECT_EQ(simulation.Grains().velocity, velocities_before);
}

TEST(SimulationAlone, MovedSimulationContinues) {
  Simulation first(Communicator::Self(), PeriodicCloud(), {});
  first.Step();
  Simulation second = std::move(first);
  second.Step();
  EXPECT_EQ(second.Steps(), 2);
}

}  // namespace
}  // namespace scree::simulation_test
