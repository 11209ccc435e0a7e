#include "apps/python/simulation_views.hpp"

#include <algorithm>
#include <cmath>
#include <concepts>
#include <utility>
#include <vector>

#include "engine/ranks/domain_cells.hpp"
#include "engine/step/step_view.hpp"

namespace scree::python {
namespace {

constexpr std::int64_t kStepsPerSignal = 8;     // between two checks for signals, such as Ctrl-C
constexpr std::size_t kSumsPerBlock = 1 << 15;  // of cells; an ExactSum is nine times a double

/// NumPy's type and number of columns of an engine array; 0 columns: a one-dimensional array.
template <class Element>
struct Layout {
  using Number = Element;
  static constexpr py::ssize_t kColumns = 0;
};
template <>
struct Layout<Vec3> {
  using Number = double;
  static constexpr py::ssize_t kColumns = 3;
};
template <>
struct Layout<Quaternion> {
  using Number = double;
  static constexpr py::ssize_t kColumns = 4;
};

/// Wraps this memory as a NumPy array. The array keeps `owner` alive, and `owner` the memory.
template <class Element>
py::array ArrayOn(const Element* begin, std::size_t rows, const py::capsule& owner) {
  using Number = typename Layout<Element>::Number;
  constexpr py::ssize_t kColumns = Layout<Element>::kColumns;
  static_assert(sizeof(Element) == sizeof(Number) * (kColumns == 0 ? 1 : kColumns));
  std::vector<py::ssize_t> shape = {static_cast<py::ssize_t>(rows)};
  if (kColumns > 0) shape.push_back(kColumns);
  return py::array(py::dtype::of<Number>(), shape, reinterpret_cast<const Number*>(begin), owner);
}

/// A read-only array with a copy of the rows.
py::array CopyOf(const std::vector<Vec3>& rows) {
  Array<double> copy({static_cast<py::ssize_t>(rows.size()), py::ssize_t{3}});
  std::copy_n(reinterpret_cast<const double*>(rows.data()), copy.size(), copy.mutable_data());
  copy.attr("flags").attr("writeable") = false;
  return copy;
}

}  // namespace

SimulationViews::~SimulationViews() { DetachViews(); }

py::array SimulationViews::View(std::string_view name, bool is_editable) {
  const Particles& particles = Check().Grains();
  if (name == "velocity" && !is_edited_) {
    const std::vector<Vec3> velocities = simulation_.VelocitiesNow();
    if (!velocities.empty()) return CopyOf(velocities);
  }
  py::array view;
  bool has_field = false;
  std::size_t k = 0;
  ForEachField(particles, [&](const Field& field, const auto& array) {
    std::weak_ptr<ViewKeeper>& slot = keepers_[k++];
    if (field.name != name) return;
    has_field = true;
    std::shared_ptr<ViewKeeper> keeper = slot.lock();
    if (keeper == nullptr) slot = keeper = std::make_shared<ViewKeeper>();
    const py::capsule owner(new std::shared_ptr<ViewKeeper>(keeper), [](void* holder) {
      delete static_cast<std::shared_ptr<ViewKeeper>*>(holder);
    });
    view = ArrayOn(array.data(), particles.owned, owner);
  });
  if (!has_field) throw InputError(Text("unknown field \"", name, "\""));
  if (!is_editable || !is_edited_) view.attr("flags").attr("writeable") = false;
  return view;
}

/// Gives the simulation's present arrays to the views that still show them.
void SimulationViews::DetachViews() {
  std::vector<std::string_view> names;
  std::vector<std::shared_ptr<ViewKeeper>> keepers;
  std::size_t k = 0;
  ForEachField(simulation_.Grains(), [&](const Field& field, const auto&) {
    std::shared_ptr<ViewKeeper> keeper = std::exchange(keepers_[k++], {}).lock();
    if (keeper == nullptr) return;
    names.push_back(field.name);
    keepers.push_back(std::move(keeper));
  });
  if (names.empty()) return;
  const auto released = std::make_shared<const Particles>(simulation_.ReleaseArrays(names));
  for (const std::shared_ptr<ViewKeeper>& keeper : keepers) keeper->arrays = released;
}

/// Runs work that may change or reallocate arrays, without Python's lock.
template <class Work>
void SimulationViews::RunUnlocked(Work&& work) {
  DetachViews();
  is_stepping_ = true;
  try {
    const py::gil_scoped_release others_run;
    work();
  } catch (...) {
    is_stepping_ = false;
    throw;
  }
  is_stepping_ = false;
}

void SimulationViews::Step(std::int64_t count) {
  CheckAtRest();
  if (count > 0) record_.BeginCall();
  RunUnlocked([&] {
    for (std::int64_t k = 0; k < count; ++k) {
      record_.RecordStep({.steps = count - k}, [&] { simulation_.Step(); });
      if (k % kStepsPerSignal == 0) CheckSignals();
    }
  });
}

/// The number of base steps in a duration. Automatic base steps are so short that any duration may
/// be rounded to them. A fixed step must divide the duration.
std::int64_t SimulationViews::BaseStepsIn(double duration) const {
  const StepParameters& parameters = CheckAtRest().Parameters();
  constexpr double kRounding = 1e-6, kMax = 1e15;
  const double steps = duration / parameters.dt, whole = std::round(steps);
  if (!(steps >= 0.0 && steps <= kMax)) {
    throw InputError(
        Text("duration = ", duration, " s; expected 0 s to ", kMax * parameters.dt, " s"));
  }
  if (parameters.accuracy == 0.0 && std::abs(steps - whole) > kRounding) {
    throw InputError(Text("duration = ", duration, " s is ", steps, " time steps of ",
                          parameters.dt, " s; expected a whole number of them, such as ",
                          whole * parameters.dt, " s"));
  }
  return static_cast<std::int64_t>(whole);
}

void SimulationViews::StepFor(double duration) {
  const std::int64_t end_step = simulation_.Steps() + BaseStepsIn(duration);
  if (end_step > simulation_.Steps()) record_.BeginCall();
  RunUnlocked([&] {
    for (std::int64_t k = 0; simulation_.Steps() < end_step; ++k) {
      record_.RecordStep({.end_step = end_step}, [&] { simulation_.Step(); });
      if (k % kStepsPerSignal == 0) CheckSignals();
    }
  });
}

/// If a signal such as Ctrl-C raises an exception on one rank, the steps end on all ranks.
void SimulationViews::CheckSignals() const {
  const py::gil_scoped_acquire lock;
  const bool is_interrupted = PyErr_CheckSignals() != 0;
  if (simulation_.Ranks().Max(std::int64_t{is_interrupted}) == 0) return;
  if (!is_interrupted)
    PyErr_SetString(PyExc_KeyboardInterrupt, "a signal interrupted another rank");
  throw py::error_already_set();
}

void SimulationViews::StepWith(const Array<double>& force, const Array<double>& torque,
                               const Array<double>& drag) {
  RequireShape(force, Count(), 3, "forces");
  RequireShape(torque, Count(), 3, "torques");
  RequireShape(drag, Count(), 1, "drags");
  const auto vectors = [](const Array<double>& rows) {
    const auto* const begin = reinterpret_cast<const Vec3*>(rows.data());
    return std::vector<Vec3>(begin, begin + rows.shape(0));
  };
  const BodyForces forces{
      vectors(force), vectors(torque), {drag.data(), drag.data() + drag.size()}};
  CheckAtRest();
  record_.BeginCall();
  RunUnlocked([&] { record_.RecordStep({.steps = 1}, [&] { simulation_.Step(forces); }); });
}

py::array SimulationViews::BodyImpulses() const {
  const std::span<const Vec3> impulses = CheckAtRest().BodyImpulses();
  Array<double> rows({static_cast<py::ssize_t>(Count()), py::ssize_t{3}});
  std::fill_n(rows.mutable_data(), rows.size(), 0.0);
  const std::size_t known_count = std::min(impulses.size(), static_cast<std::size_t>(Count()));
  for (std::size_t i = 0; i < known_count; ++i) {
    std::copy_n(impulses[i].data(), 3, rows.mutable_data(static_cast<py::ssize_t>(i)));
  }
  return rows;
}

/// Makes the sums block by block, so that a fine grid needs little memory besides its result.
py::array SimulationViews::SumInCells(const std::array<int, 3>& counts,
                                      const Array<double>& values) const {
  if (*std::ranges::min_element(counts) < 1) throw InputError("cells: expected at least 1 each");
  const py::ssize_t columns = values.ndim() == 2 ? values.shape(1) : 0;
  RequireShape(values, Count(), columns, "values");
  const Simulation& simulation = CheckAtRest();
  const DomainCells cells(simulation.View().DomainNow(), simulation.Time(), counts);
  struct CellRow {
    std::size_t cell;
    py::ssize_t row;
  };
  std::vector<CellRow> rows;
  const Particles& particles = simulation.Grains();
  for (std::size_t i = 0; i < particles.owned; ++i) {
    if (particles.id[i] == kRemovedId) continue;
    rows.push_back({cells.CellOf(particles.position[i]), static_cast<py::ssize_t>(i)});
  }
  std::ranges::sort(rows, {}, &CellRow::cell);

  Array<double> sums({static_cast<py::ssize_t>(cells.Count()), columns});
  double* sum = sums.mutable_data();
  const auto width = static_cast<std::size_t>(columns);
  const std::size_t cells_per_block = std::max<std::size_t>(kSumsPerBlock / (width + 1), 1);
  auto next = rows.begin();
  for (std::size_t first = 0; first < cells.Count(); first += cells_per_block) {
    const std::size_t end = std::min(first + cells_per_block, cells.Count());
    std::vector<ExactSum> block_sums((end - first) * width);
    for (; next != rows.end() && next->cell < end; ++next) {
      const double* const row = values.data(next->row);
      ExactSum* const cell_sums = block_sums.data() + (next->cell - first) * width;
      for (std::size_t c = 0; c < width; ++c) cell_sums[c].Add(row[c]);
    }
    simulation.Ranks().Sum(block_sums);
    for (const ExactSum& block_sum : block_sums) *sum++ = block_sum.Value();
  }
  return sums;
}

std::vector<ParticleId> SimulationViews::Insert(Particles entering) {
  CheckAtRest();
  std::vector<ParticleId> ids;
  RunUnlocked([&] { ids = simulation_.Insert(std::move(entering)); });
  return ids;
}

std::int64_t SimulationViews::Remove(const Array<std::uint8_t>& rows) {
  if (CheckAtRest(); rows.size() != Count()) {
    throw InputError(Text("remove: ", rows.size(), " rows; expected ", Count()));
  }
  std::int64_t removed = 0;
  RunUnlocked(
      [&] { removed = simulation_.Remove(std::span(rows.data(), std::size_t(rows.size()))); });
  return removed;
}

void SimulationViews::MoveWall(std::size_t wall, const Vec3& velocity,
                               const Vec3& angular_velocity) {
  if (const std::size_t walls = CheckAtRest().GetScene().walls.size(); wall >= walls) {
    throw InputError(Text("there is no wall ", wall, "; expected a number below ", walls));
  }
  simulation_.MoveWall(wall, velocity, angular_velocity);
}

void SimulationViews::DriveJoint(std::size_t joint, const JointCommand& command) {
  if (const std::size_t joints = CheckAtRest().GetScene().joints.size(); joint >= joints) {
    throw InputError(Text("there is no joint ", joint, "; expected a number below ", joints));
  }
  simulation_.DriveJoint(joint, command);
}

std::unique_ptr<SavedMoment> SimulationViews::Save() const {
  return std::make_unique<SavedMoment>(CheckAtRest().Save(), record_.Save());
}

void SimulationViews::Restore(const SavedMoment& saved) {
  Check();
  RunUnlocked([&] {
    if (simulation_.Restore(*saved.moment)) return;
    throw InputError(
        "the state belongs to another simulation; expected one saved by this simulation");
  });
  record_.Restore(saved.results);
  is_edited_ = false;
}

void SimulationViews::Reset(const Scene& scene, std::optional<FirstParticles> first) {
  Check();
  RunUnlocked([&] {
    if (first) {
      simulation_.Reset(scene, std::move(first->particles), first->cell);
    } else {
      simulation_.Reset(scene);
    }
    record_.Reset();
  });
  is_edited_ = false;
}

void SimulationViews::BeginEdit() {
  Check();
  DetachViews();  // editing must not change existing views
  simulation_.BeginEdit();
  is_edited_ = true;
}

void SimulationViews::EndEdit() {
  Check();
  RunUnlocked([&] { simulation_.EndEdit(); });
  is_edited_ = false;
}

const Simulation& SimulationViews::Check() const {
  if (is_stepping_)
    throw InputError("another thread is making a step of this simulation; wait for it");
  return simulation_;
}

const Simulation& SimulationViews::CheckAtRest() const {
  Check();
  if (!is_edited_) return simulation_;
  throw InputError(
      "particles are being edited, or an edit left them invalid; end the edit with valid "
      "particles first");
}

}  // namespace scree::python
