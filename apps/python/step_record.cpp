#include "apps/python/step_record.hpp"

#include <algorithm>
#include <limits>
#include <span>
#include <utility>

#include "engine/observation/contact_records.hpp"
#include "engine/step/step_view.hpp"
#include "io/output/average_files.hpp"

namespace scree::python {
namespace {

const Vec3 kNone = Vec3::Constant(std::numeric_limits<double>::quiet_NaN());
constexpr std::size_t kSumsPerWall = 6;  // three of impulses, three of moments

/// Makes an array from one quantity of each record: [records, components], or [records] for a
/// scalar.
template <class Number, class ValueOf>
py::array_t<Number> Column(const std::vector<ContactRecord>& records, ValueOf&& value_of) {
  using Value = decltype(value_of(records.front()));
  constexpr auto kComponents = static_cast<py::ssize_t>(sizeof(Value) / sizeof(Number));
  std::vector<py::ssize_t> shape = {static_cast<py::ssize_t>(records.size())};
  if (kComponents > 1) shape.push_back(kComponents);
  py::array_t<Number> column(shape);
  auto* to = reinterpret_cast<Value*>(column.mutable_data());
  for (const ContactRecord& record : records) *to++ = value_of(record);
  return column;
}

}  // namespace

StepRecord::StepRecord(Simulation& simulation, std::vector<AverageSpec> averages)
    : simulation_(simulation),
      averages_(simulation.GetScene(), simulation.Parameters().dt, std::move(averages)) {
  simulation_.SetWatcher([this](const Particles& particles) { AfterParticlesMoved(particles); });
  Reset();
}

void StepRecord::Reset() {
  const std::size_t walls = simulation_.GetScene().walls.size();
  results_ = {.impulses = std::vector<ExactSum>(kSumsPerWall * walls),
              .loads = std::vector<WallLoad>(walls, WallLoad{kNone, kNone})};
  averages_.Restore(
      Averages(simulation_.GetScene(), simulation_.Parameters().dt, averages_.Specs()).Sums());
  averages_.AddState(simulation_.Steps(), simulation_.Grains(), simulation_.View().CellNow());
}

StepRecord::Results StepRecord::Save() const {
  Results results = results_;
  results.sums = averages_.Sums();
  return results;
}

void StepRecord::Restore(Results results) {
  results_ = std::move(results);
  averages_.Restore(std::exchange(results_.sums, {}));
}

void StepRecord::BeginCall() {
  results_.impulses.assign(results_.impulses.size(), {});
  results_.duration = 0.0;
  results_.loads.assign(results_.loads.size(), WallLoad{kNone, kNone});
  simulation_.StartInterval();
}

void StepRecord::Prepare(const CallLimit& limit) {
  simulation_.EndStepAt(std::min(averages_.NextEvent(simulation_.Steps()), limit.end_step));
  results_.is_last = limit.steps == 1 || simulation_.EndOfNextStep() == limit.end_step;
  simulation_.KeepStartingImpulses(results_.is_last);
  simulation_.KeepTouchingOnRead(results_.is_last || !averages_.IsEmpty());
  simulation_.MeasureSolve(results_.is_last && measures_solve_);
}

void StepRecord::Complete() {
  averages_.AddState(simulation_.Steps(), simulation_.Grains(), simulation_.View().CellNow());
  results_.duration += simulation_.View().Length();
  if (!results_.is_last) return;
  results_.recorded_step = simulation_.Steps();
  FindWallLoads();
}

/// Called within a step, when Steps() already includes this step.
void StepRecord::AfterParticlesMoved(const Particles& particles) {
  const StepView& view = simulation_.View();
  if (!results_.impulses.empty()) AddWallImpulses(particles);
  if (!averages_.IsEmpty()) {
    const std::int64_t step = simulation_.Steps();
    averages_.AddMotion(step, particles, view.Corrections(), view.Stride());
    if (averages_.NeedsContacts(step)) {
      averages_.AddContacts(step, particles, view.ContactRecords(particles), view.TouchingGap(),
                            view.Stride(), view.CellBefore());
    }
  }
  if (!results_.is_last) return;
  results_.last_particles = particles;
  results_.last_dt = view.Length();
}

void StepRecord::AddWallImpulses(const Particles& particles) {
  const StepView& view = simulation_.View();
  const ContactSpan contacts = view.Contacts();
  for (std::size_t j = 0; j < contacts.size(); ++j) {
    const auto wall_impulse =
        WallImpulseOf(particles, contacts, view.WallBodies(), view.Problem(), j);
    if (!wall_impulse) continue;
    const Vec3 arm =
        wall_impulse->position - view.WallPosesOfStep()[wall_impulse->wall].CurrentCentre();
    const Vec3 moment = arm.cross(wall_impulse->impulse) + wall_impulse->moment;
    for (std::size_t k = 0; k < 3; ++k) {
      const auto axis = static_cast<Eigen::Index>(k);
      results_.impulses[kSumsPerWall * wall_impulse->wall + k].Add(wall_impulse->impulse[axis]);
      results_.impulses[kSumsPerWall * wall_impulse->wall + 3 + k].Add(moment[axis]);
    }
  }
}

/// Replaces this rank's sums by those over all ranks, and computes the loads from them. Called at
/// the end of each Python call, so that a rank can later read the loads without communication.
void StepRecord::FindWallLoads() {
  if (results_.impulses.empty()) return;
  simulation_.Ranks().Sum(results_.impulses);
  for (std::size_t w = 0; w < results_.loads.size(); ++w) {
    const auto sums = std::span(results_.impulses).subspan(kSumsPerWall * w, kSumsPerWall);
    results_.loads[w] = {
        Vec3(sums[0].Value(), sums[1].Value(), sums[2].Value()) / results_.duration,
        Vec3(sums[3].Value(), sums[4].Value(), sums[5].Value()) / results_.duration};
  }
}

void StepRecord::RequireLastStepDone(const char* action) const {
  if (results_.recorded_step == simulation_.Steps()) return;
  throw InputError(Text(action, " of the last step, which failed"));
}

ProblemRecord StepRecord::Problem() const {
  if (simulation_.Steps() == 0) {
    throw InputError("there is no contact problem before the first step; do a step first");
  }
  const std::string obstacle = DescribeUnrecordable(simulation_.GetScene());
  if (!obstacle.empty()) throw InputError("problems " + obstacle);
  RequireLastStepDone("cannot give the contact problem");
  return simulation_.View().Record(results_.last_particles);
}

py::dict StepRecord::Contacts() const {
  const bool is_before_first_step = simulation_.Steps() == 0;
  if (!is_before_first_step) RequireLastStepDone("cannot give the contacts");
  const std::vector<ContactRecord> records =
      is_before_first_step ? std::vector<ContactRecord>()
                           : simulation_.View().ContactRecords(results_.last_particles);
  const auto force = [this](const ContactRecord& r) -> Vec3 {
    return (r.impulse + r.pull) / results_.last_dt;
  };
  using py::operator""_a;
  using Ids = std::array<ParticleId, 2>;
  return py::dict(
      "id"_a = Column<ParticleId>(records,
                                  [](const auto& r) {
                                    return Ids{r.id_a, r.id_b};
                                  }),
      "wall"_a = Column<std::int32_t>(records, [](const auto& r) { return r.wall; }),
      "position"_a = Column<double>(records, [](const auto& r) -> Vec3 { return r.position; }),
      "normal"_a = Column<double>(records, [](const auto& r) -> Vec3 { return r.normal; }),
      "gap"_a = Column<double>(records, [](const auto& r) { return r.gap; }),
      "impulse"_a = Column<double>(records, [](const auto& r) -> Vec3 { return r.impulse; }),
      "force"_a = Column<double>(records, force));
}

std::vector<std::pair<std::string, std::string>> StepRecord::AverageTexts() const {
  std::vector<std::pair<std::string, std::string>> texts;
  for (std::size_t k = 0; k < averages_.Specs().size(); ++k) {
    const AverageSpec& spec = averages_.Specs()[k];
    const AverageSums sums = SumOverRanks(simulation_.Ranks(), averages_.Sums()[k]);
    const bool has_data = std::visit(
        [](const auto& summed) {
          if constexpr (requires { summed.frames; }) {
            return summed.frames > 0;
          } else {
            return std::ranges::any_of(summed, [](const FlowSums& row) { return row.steps > 0; });
          }
        },
        sums);
    if (!has_data) continue;
    texts.emplace_back(spec.name,
                       AverageText(simulation_.Ranks(), spec, sums, simulation_.GetScene(),
                                   simulation_.Parameters().dt, simulation_.FreeWalls()));
  }
  return texts;
}

}  // namespace scree::python
