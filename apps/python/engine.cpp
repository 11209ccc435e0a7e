// Scenes and simulations in Python (scripts/scree/engine.py).
#include <pybind11/stl.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/common/initial_state.hpp"
#include "apps/python/agreement.hpp"
#include "apps/python/bindings.hpp"
#include "apps/python/simulation_views.hpp"
#include "engine/geometry/shapes.hpp"
#include "engine/scene/links.hpp"
#include "engine/scene/wall_motion.hpp"
#include "engine/step/step_view.hpp"
#include "io/files/collective_call.hpp"
#include "io/files/fclib_file.hpp"
#include "io/files/hdf5_file.hpp"
#include "io/scene/config_reader.hpp"
#include "io/scene/enum_names.hpp"
#include "io/scene/scene_file.hpp"
#include "io/state/initial_state.hpp"
#include "io/state/simulation_snapshot.hpp"

namespace scree::python {
namespace {

/// Makes waiting ranks of Open MPI yield their core, as apps/common/open_mpi_settings.cpp does for
/// programs. On two cores with four other programs, two ranks became seven times as fast.
void EnableRankYield() {
  const char* const ranks = std::getenv("OMPI_COMM_WORLD_SIZE");
  if (ranks == nullptr || std::string_view(ranks) == "1") return;
  setenv("OMPI_MCA_mpi_yield_when_idle", "1", 0);
}

/// Starts MPI unless it is already running (mpi4py starts it on import). If this function started
/// MPI, MPI ends with Python.
/// @returns the number of all ranks
int StartMpi() {
  static std::unique_ptr<MpiSession> session;
  if (!IsMpiRunning()) {
    if (session != nullptr) throw InputError("MPI has ended; it cannot be started again");
    EnableRankYield();
    session = std::make_unique<MpiSession>(nullptr, nullptr);
    const py::cpp_function end([] {
      if (IsMpiRunning()) session.reset();
    });
    py::module_::import("atexit").attr("register")(end);
  }
  return Communicator::World().Size();
}

/// @param handle  the communicator's Fortran handle; none: all ranks
Communicator CommunicatorOf(std::optional<int> handle) {
  StartMpi();
  return handle ? Communicator::OfFortranHandle(*handle) : Communicator::World();
}

using Change = std::tuple<std::string, std::string, std::string>;  // section, key, value

/// A scene, its parameters, and how its initial particles are made.
struct LoadedScene {
  RunConfig config;
};

LoadedScene Load(const Communicator& communicator, const std::string& text, const std::string& path,
                 const std::vector<Change>& changes) {
  std::vector<IniEntry> entries;
  for (const auto& [section, key, value] : changes) {
    entries.push_back({section, key, value, section + "." + key});
  }
  LoadedScene scene{
      ReadRunConfig(text, path, entries, ParticlesFrom::kProgram, {communicator, path})};
  if (!scene.config.changes.empty()) {
    throw InputError(
        Text(path, ": has sections [at ...]: only scree-run makes such changes during a run; ",
             "expected a scene without them"));
  }
  FindFiles(communicator, {.scene_file = path}, scene.config);
  return scene;
}

LoadedScene Read(std::optional<int> handle, const std::string& path,
                 const std::vector<Change>& changes) {
  const Communicator communicator = CommunicatorOf(handle);
  return Load(communicator, ReadSceneFile(communicator, path), path, changes);
}

/// Reads a scene from a text. File names in it are relative to the working directory or to
/// `folder`.
LoadedScene Parse(std::optional<int> handle, const std::string& text, const std::string& folder,
                  const std::vector<Change>& changes) {
  const Communicator communicator = CommunicatorOf(handle);
  const std::string name = std::filesystem::path(folder) / "scene text";
  return Load(communicator, text, name, changes);
}

template <class Element, class Number>
void CopyField(const py::dict& from, const char* name, std::size_t rows, std::vector<Element>& to) {
  constexpr std::size_t kColumns = sizeof(Element) / sizeof(Number);
  const auto array = py::cast<Array<Number>>(from[name]);
  if (static_cast<std::size_t>(array.size()) != rows * kColumns) {
    throw InputError(Text("particles: ", name, " has ", array.size(), " numbers; expected ", rows,
                          " times ", kColumns));
  }
  const auto* const begin = reinterpret_cast<const Element*>(array.data());
  to.assign(begin, begin + rows);
}

/// The particles of this rank. The package has set all fields; ids may be missing.
Particles ParticlesOf(const py::dict& from) {
  const auto rows = static_cast<std::size_t>(py::len(from["radius"]));
  Particles particles;
  Resize(particles, rows);
  particles.owned = rows;
  CopyField<Vec3, double>(from, "position", rows, particles.position);
  CopyField<Vec3, double>(from, "velocity", rows, particles.velocity);
  CopyField<Vec3, double>(from, "angular_velocity", rows, particles.angular_velocity);
  CopyField<Quaternion, double>(from, "orientation", rows, particles.orientation);
  CopyField<double, double>(from, "radius", rows, particles.radius);
  CopyField<MaterialId, MaterialId>(from, "material", rows, particles.material);
  CopyField<ShapeId, ShapeId>(from, "shape", rows, particles.shape);
  if (from.contains("id")) CopyField<ParticleId, ParticleId>(from, "id", rows, particles.id);
  return particles;
}

/// The particles of this rank, checked. If ids are missing, numbers the particles of all ranks from
/// 0.
Particles CheckedParticles(const Communicator& communicator, const RunConfig& config,
                           const py::dict& from) {
  Particles particles;
  CallOnAll<InputError>(communicator, [&] { particles = ParticlesOf(from); });
  if (!from.contains("id")) {
    const auto rows = static_cast<std::int64_t>(particles.Size());
    std::iota(particles.id.begin(), particles.id.end(), communicator.ExclusiveSum(rows));
  }
  try {
    CheckParticles(communicator, particles, config.scene.materials, config.scene.clumps,
                   "particles");
  } catch (const FileError& error) {
    throw InputError(error.what());
  }
  return particles;
}

/// The initial particles of a simulation; none: use the scene's fills.
std::optional<FirstParticles> ReadFirstParticles(const Communicator& communicator,
                                                 const RunConfig& config,
                                                 const std::optional<py::dict>& particles) {
  if (particles) return FirstParticles{CheckedParticles(communicator, config, *particles), {}};
  if (HasNoParticles(config)) {
    throw InputError(
        "the scene has no particles; expected a [fill], an [inflow], an [initial] file or "
        "particles");
  }
  if (config.initial.file.empty()) {
    RequireMemoryForFills(communicator, config.scene);
    return {};
  }
  RunConfig any_ranks_config = config;
  any_ranks_config.parallel = {};
  const Subdomains subdomains = MakeSubdomains(any_ranks_config, communicator.Size());
  State state = MakeInitialState(communicator, config, subdomains);
  return FirstParticles{std::move(state.particles), state.cell};
}

Simulation Begin(const Communicator& communicator, const RunConfig& config,
                 const std::optional<py::dict>& particles) {
  std::optional<FirstParticles> first = ReadFirstParticles(communicator, config, particles);
  if (!first) return {communicator, config.scene, config.step};
  return {communicator, config.scene, config.step, std::move(first->particles), first->cell};
}

void Reset(SimulationViews& views, const LoadedScene& scene,
           const std::optional<py::dict>& particles) {
  const Communicator& communicator = views.Check().Ranks();
  views.Reset(scene.config.scene, ReadFirstParticles(communicator, scene.config, particles));
}

std::unique_ptr<SimulationViews> Simulate(const LoadedScene& scene, std::optional<int> handle,
                                          const std::optional<py::dict>& particles) {
  const Communicator communicator = CommunicatorOf(handle);
  std::vector<AverageSpec> averages;
  for (const AverageConfig& average : scene.config.averages) {
    averages.push_back(Schedule(average, scene.config));
  }
  return std::make_unique<SimulationViews>(Begin(communicator, scene.config, particles),
                                           std::move(averages));
}

/// @throws InputError on all ranks if a particle cannot be inserted
std::vector<ParticleId> Insert(SimulationViews& views, const py::dict& from) {
  Particles particles;
  CallOnAll<InputError>(views.CheckAtRest().Ranks(), [&] { particles = ParticlesOf(from); });
  return views.Insert(std::move(particles));
}

py::tuple TupleOf(const Vec3& v) { return py::make_tuple(v.x(), v.y(), v.z()); }

/// The reported position of a wall at time zero: the point of a plane, or the centre of the
/// bounding box.
Vec3 ReferencePoint(const Wall& wall) {
  if (const Plane* const plane = PlaneOf(wall.shape)) return plane->point;
  const Box bounds = BoundingBox(wall.shape);
  return 0.5 * (bounds.lower + bounds.upper);
}

std::vector<std::string> WallsOf(const SimulationViews& views) {
  std::vector<std::string> names;
  for (const Wall& wall : views.Check().GetScene().walls) names.push_back(wall.name);
  return names;
}

/// The present state of a wall, with the velocity that it will have in the next step.
py::dict WallDict(const SimulationViews& views, std::size_t w) {
  const Simulation& simulation = views.Check();
  const Scene& scene = simulation.GetScene();
  const std::vector<WallPose> poses =
      WallPoses(scene, simulation.Parameters().dt, simulation.Steps(), simulation.FreeWalls());
  const WallPose& pose = poses.at(w);
  using py::operator""_a;
  return py::dict(
      "position"_a = TupleOf(pose.InSpace(ReferencePoint(scene.walls[w]))),
      "displacement"_a = TupleOf(pose.displacement), "velocity"_a = TupleOf(pose.velocity),
      "angular_velocity"_a = TupleOf(pose.angular_velocity), "is_there"_a = pose.is_present);
}

/// Names and kinds of the joints.
std::vector<std::pair<std::string, std::string>> JointsOf(const SimulationViews& views) {
  std::vector<std::pair<std::string, std::string>> joints;
  for (const Joint& joint : views.Check().GetScene().joints) {
    joints.emplace_back(joint.name, NameOf(joint.kind));
  }
  return joints;
}

/// The present state of a joint, with means over the steps of the last call; the means are NaN
/// before the first call.
py::dict JointDict(const SimulationViews& views, std::size_t j) {
  const Simulation& simulation = views.Check();
  const Joint& joint = simulation.GetScene().joints.at(j);
  const FreeWallState& state = simulation.FreeWalls()[j];
  const double time = simulation.Parameters().dt * static_cast<double>(state.steps);
  const auto mean = [&](double sum) {
    return state.steps > 0 ? sum / time : std::numeric_limits<double>::quiet_NaN();
  };
  std::vector<double> positions, speeds;  // of all axes
  for (std::size_t c = 0; c < joint.Axes(); ++c) {
    const FreeWallState& axis = simulation.FreeWalls()[simulation.GetScene().JointRow(j, c)];
    positions.push_back(axis.travel);
    speeds.push_back(axis.speed);
  }
  using py::operator""_a;
  return py::dict("positions"_a = positions, "speeds"_a = speeds, "position"_a = state.travel,
                  "speed"_a = state.speed, "effort"_a = mean(state.motor_impulse),
                  "load"_a = mean(state.impulse), "power"_a = mean(state.motor_work),
                  "drive"_a = NameOf(joint.drive), "target"_a = joint.target,
                  "largest"_a = joint.largest);
}

/// @param drive  name of the drive; none: unchanged
void DriveJoint(SimulationViews& views, std::size_t j, const std::optional<std::string>& drive,
                double target, std::optional<double> largest, std::optional<double> largest_speed,
                std::optional<double> force) {
  JointCommand command{{}, target, largest, largest_speed, force};
  if (drive) command.drive = EnumNamed<JointDrive>(*drive);
  views.DriveJoint(j, command);
}

std::vector<std::string> LinksOf(const SimulationViews& views) {
  std::vector<std::string> names;
  for (const Link& link : views.Check().GetScene().links) names.push_back(link.name);
  return names;
}

/// The present state of a link, with the load of the particles on its walls.
py::dict LinkDict(const SimulationViews& views, std::size_t l) {
  const Simulation& simulation = views.Check();
  const Scene& scene = simulation.GetScene();
  const LinkPose pose = LinkPoses(scene, simulation.FreeWalls()).at(l);
  WallLoad load;
  for (std::size_t w = 0; w < scene.walls.size(); ++w) {
    if (scene.walls[w].link != static_cast<Index>(l)) continue;
    load.force += views.Record().WallLoads()[w].force;
    load.torque += views.Record().WallLoads()[w].torque;
  }
  const Eigen::Quaterniond q(pose.rotation);
  using py::operator""_a;
  return py::dict("position"_a = TupleOf(pose.centre),
                  "orientation"_a = py::make_tuple(q.w(), q.x(), q.y(), q.z()),
                  "velocity"_a = TupleOf(pose.velocity),
                  "angular_velocity"_a = TupleOf(pose.angular_velocity),
                  "force"_a = TupleOf(load.force), "torque"_a = TupleOf(load.torque));
}

py::dict Energy(const SimulationViews& views) {
  std::optional<EnergyBalance> energy = views.CheckAtRest().Observe().energy;
  SCREE_DEMAND(energy.has_value());
  py::dict entries;
  ForEachEntry([&](const char* name, double value) { entries[name] = value; }, *energy);
  entries["imbalance"] = energy->Imbalance();
  return entries;
}

template <class Number>
py::object NumberOrNone(const std::optional<Number>& number) {
  return number ? py::cast(*number) : py::none();
}

py::dict Observe(const SimulationViews& views) {
  const Observables observables = views.CheckAtRest().Observe();
  using py::operator""_a;
  return py::dict("step"_a = observables.step, "time"_a = observables.time,
                  "particles"_a = observables.particles, "inserted"_a = observables.inserted,
                  "deleted"_a = observables.deleted, "contacts"_a = observables.contacts,
                  "closed_contacts"_a = observables.closed_contacts,
                  "loaded_contacts"_a = observables.loaded_contacts,
                  "open_contacts"_a = observables.open_contacts,
                  "wall_contacts"_a = observables.wall_contacts,
                  "touching_contacts"_a = NumberOrNone(observables.touching_contacts),
                  "touching_per_particle"_a = NumberOrNone(observables.TouchingPerParticle()),
                  "max_penetration"_a = observables.max_penetration,
                  "kinetic_energy"_a = observables.kinetic_energy,
                  "mean_velocity"_a = TupleOf(observables.mean_velocity),
                  "max_speed"_a = observables.max_speed);
}

py::object SolveErrorDict(const std::optional<MeasuredSolveError>& error,
                          const SimulationViews& views) {
  if (!error) return py::none();
  using py::operator""_a;
  py::dict loads;
  const std::vector<Wall>& walls = views.CheckAtRest().GetScene().walls;
  for (std::size_t w = 0; w < error->loads.size(); ++w)
    loads[walls[w].name.c_str()] = error->loads[w];
  return py::dict("step"_a = error->step, "impulses"_a = error->impulses,
                  "normal_rms"_a = error->normal_rms, "normal_mean"_a = error->normal_mean,
                  "loads"_a = loads);
}

py::dict ReportDict(const SimulationViews& views) {
  const SolveReport report = views.CheckAtRest().Report();
  using py::operator""_a;
  return py::dict("sweeps"_a = report.sweeps, "residual_max"_a = report.residual_max,
                  "residual_rms"_a = report.residual_rms,
                  "converged"_a = report.converged ? py::object(py::bool_(*report.converged))
                                                   : py::object(py::none()),
                  "solve_error"_a = SolveErrorDict(report.measured, views));
}

template <class Vector>
auto ArrayOf(const Vector& values) {
  return py::array_t<typename Vector::value_type>(static_cast<py::ssize_t>(values.size()),
                                                  values.data());
}

/// Data, indices and indptr by column, then the shape: the arguments of SciPy's csc_matrix.
py::tuple ColumnsOf(Eigen::SparseMatrix<double> matrix) {
  matrix.makeCompressed();
  const py::ssize_t count = matrix.nonZeros();
  return py::make_tuple(
      py::make_tuple(py::array_t<double>(count, matrix.valuePtr()),
                     py::array_t<std::int32_t>(count, matrix.innerIndexPtr()),
                     py::array_t<std::int32_t>(matrix.cols() + 1, matrix.outerIndexPtr())),
      py::make_tuple(matrix.rows(), matrix.cols()));
}

py::dict ArraysOf(const ProblemRecord& record) {
  const auto count = static_cast<py::ssize_t>(record.contacts.size());
  py::array_t<std::int64_t> ids({count, py::ssize_t{2}});
  py::array_t<std::int32_t> walls(count);
  for (py::ssize_t j = 0; j < count; ++j) {
    const ContactPair& pair = record.contacts[static_cast<std::size_t>(j)];
    ids.mutable_at(j, 0) = pair.id_a;
    ids.mutable_at(j, 1) = pair.id_b;
    walls.mutable_at(j) = pair.wall;
  }
  using py::operator""_a;
  const GlobalProblem& problem = record.problem;
  return py::dict("M"_a = ColumnsOf(problem.m), "H"_a = ColumnsOf(problem.h),
                  "f"_a = ArrayOf(problem.f), "w"_a = ArrayOf(problem.w),
                  "mu"_a = ArrayOf(problem.mu), "velocity"_a = ArrayOf(record.velocities),
                  "impulse"_a = ArrayOf(record.impulses), "guess"_a = ArrayOf(record.guess),
                  "body"_a = ArrayOf(record.bodies), "id"_a = ids, "wall"_a = walls);
}

/// The contact problem of the last step as arrays, at root; none on other ranks. Collective.
/// @param path  file to which root also writes the problem in the FCLIB format; empty: no file
py::object Problem(const SimulationViews& views, const std::string& path) {
  const Simulation& simulation = views.CheckAtRest();
  const ProblemRecord record = views.Record().Problem();
  if (!path.empty()) {
    const SolveReport report = simulation.Report();
    CallOnRoot<UnclosedFile>(simulation.Ranks(), [&] {
      WriteFclib(path, MakeFclibFile(record, simulation.View().Length(), simulation.Time(),
                                     NameOf(simulation.Parameters().solver.kernel), report));
    });
  }
  if (!simulation.Ranks().IsRoot()) return py::none();
  return ArraysOf(record);
}

std::vector<std::string> MaterialsOf(const LoadedScene& scene) {
  const MaterialTable& materials = scene.config.scene.materials;
  std::vector<std::string> names;
  for (std::size_t k = 0; k < materials.Size(); ++k) {
    names.push_back(materials[static_cast<MaterialId>(k)].name);
  }
  return names;
}

std::vector<std::string> ShapesOf(const LoadedScene& scene) {
  std::vector<std::string> names = {"sphere"};
  for (const ClumpShape& clump : scene.config.scene.clumps) {
    names.push_back(clump.description.name);
  }
  return names;
}

void Agree(std::optional<int> handle, const std::string& call, const std::string& error) {
  const Communicator communicator = CommunicatorOf(handle);
  const py::gil_scoped_release others_run;
  AgreeOnCall(communicator, call, error);
}

/// Called for an uncaught exception. Ends all ranks, unless all of them call this within `seconds`.
void AbortUnlessAll(double seconds, int exit_code) {
  const Communicator world = Communicator::World();
  if (!world.BarrierWithin(seconds)) world.Abort(exit_code);
}

void BindRanks(py::module_& module) {
  module.def("start_mpi", &StartMpi);
  module.def("mpi_is_running", &IsMpiRunning);
  module.def("agree", &Agree);
  module.def("abort_unless_all", &AbortUnlessAll);
}

void BindScene(py::module_& module) {
  const auto scene =
      py::class_<LoadedScene>(module, "Scene")
          .def_property_readonly("configuration",
                                 [](const LoadedScene& s) { return EffectiveIni(s.config); })
          .def_property_readonly("time_step", [](const LoadedScene& s) { return s.config.step.dt; })
          .def_property_readonly("end", [](const LoadedScene& s) { return s.config.time.end; })
          .def_property_readonly(
              "gravity", [](const LoadedScene& s) { return TupleOf(s.config.scene.gravity); })
          .def_property_readonly(
              "lower",
              [](const LoadedScene& s) { return TupleOf(s.config.scene.domain.box.lower); })
          .def_property_readonly(
              "upper",
              [](const LoadedScene& s) { return TupleOf(s.config.scene.domain.box.upper); })
          .def_property_readonly("periodic",
                                 [](const LoadedScene& s) {
                                   const auto& periodic = s.config.scene.domain.periodic;
                                   return py::make_tuple(bool{periodic[0]}, bool{periodic[1]},
                                                         bool{periodic[2]});
                                 })
          .def_property_readonly("materials", &MaterialsOf)
          .def_property_readonly("shapes", &ShapesOf);
  ForbidNew(scene);
  module.def("read", &Read);
  module.def("parse", &Parse);
}

}  // namespace

void BindEngine(py::module_& module) {
  BindRanks(module);
  BindScene(module);
  const auto simulation =
      py::class_<SimulationViews>(module, "Simulation")
          .def("view", &SimulationViews::View)
          .def("step", &SimulationViews::Step)
          .def("step_for", &SimulationViews::StepFor)
          .def("step_with", &SimulationViews::StepWith)
          .def("body_impulses", &SimulationViews::BodyImpulses)
          .def("sum_in_cells", &SimulationViews::SumInCells)
          .def("alter", &SimulationViews::BeginEdit)
          .def("take_changes", &SimulationViews::EndEdit)
          .def("insert", &Insert)
          .def("remove", &SimulationViews::Remove)
          .def("contacts", [](const SimulationViews& views) { return views.Record().Contacts(); })
          .def("problem", &Problem)
          .def("averages",
               [](const SimulationViews& views) { return views.Record().AverageTexts(); })
          .def("walls", &WallsOf)
          .def("wall", &WallDict)
          .def("wall_load",
               [](const SimulationViews& views, std::size_t w) {
                 const WallLoad& load = views.Record().WallLoads().at(w);
                 return py::make_tuple(TupleOf(load.force), TupleOf(load.torque));
               })
          .def("move_wall",
               [](SimulationViews& views, std::size_t w, const std::array<double, 3>& velocity,
                  const std::array<double, 3>& angular) {
                 views.MoveWall(w, Vec3(velocity.data()), Vec3(angular.data()));
               })
          .def("joints", &JointsOf)
          .def("joint", &JointDict)
          .def("drive_joint", &DriveJoint)
          .def("links", &LinksOf)
          .def("link", &LinkDict)
          .def("save", &SimulationViews::Save)
          .def("restore", &SimulationViews::Restore)
          .def("reset", &Reset)
          .def("keep_energy", &SimulationViews::EnableEnergyBalance)
          .def("energy", &Energy)
          .def("measure_solves", &SimulationViews::MeasureSolves)
          .def("count", &SimulationViews::Count)
          .def("masses",
               [](const SimulationViews& views) {
                 const std::vector<double> masses = views.Check().Masses();
                 return py::array_t<double>(static_cast<py::ssize_t>(masses.size()), masses.data());
               })
          .def("observe", &Observe)
          .def("report", &ReportDict)
          .def("steps", [](const SimulationViews& views) { return views.Check().Steps(); })
          .def("time", [](const SimulationViews& views) { return views.Check().Time(); })
          .def("rank", [](const SimulationViews& views) { return views.Check().Ranks().Rank(); })
          .def("ranks", [](const SimulationViews& views) { return views.Check().Ranks().Size(); })
          .def("write", [](const SimulationViews& views, const std::string& path) {
            WriteSnapshot(path, views.CheckAtRest());
          });
  ForbidNew(simulation);
  ForbidNew(py::class_<SavedMoment>(module, "SavedMoment"));
  module.def("simulate", &Simulate);
}

}  // namespace scree::python
