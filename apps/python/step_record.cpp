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

/// Column of a table of records: an array [records, columns], or [records] if a row is one number.
template <class Number, class Row>
py::array_t<Number> Column(const std::vector<ContactRecord>& records, Row&& row) {
  using Value = decltype(row(records.front()));
  constexpr auto kColumns = static_cast<py::ssize_t>(sizeof(Value) / sizeof(Number));
  std::vector<py::ssize_t> shape = {static_cast<py::ssize_t>(records.size())};
  if (kColumns > 1) shape.push_back(kColumns);
  py::array_t<Number> column(shape);
  auto* to = reinterpret_cast<Value*>(column.mutable_data());
  for (const ContactRecord& record : records) *to++ = row(record);
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
  known_ = {.impulses = std::vector<ExactSum>(kSumsPerWall * walls),
            .loads = std::vector<WallLoad>(walls, WallLoad{kNone, kNone})};
  averages_.Restore(
      Averages(simulation_.GetScene(), simulation_.Parameters().dt, averages_.Specs()).Sums());
  averages_.AddState(simulation_.Steps(), simulation_.Grains());
}

StepRecord::Known StepRecord::Save() const {
  Known known = known_;
  known.sums = averages_.Sums();
  return known;
}

void StepRecord::Restore(Known known) {
  known_ = std::move(known);
  averages_.Restore(std::exchange(known_.sums, {}));
}

void StepRecord::Begin() {
  known_.impulses.assign(known_.impulses.size(), {});
  known_.span = 0.0;
  known_.loads.assign(known_.loads.size(), WallLoad{kNone, kNone});
  simulation_.StartInterval();
}

void StepRecord::Prepare(const End& end) {
  simulation_.EndStepAt(std::min(averages_.NextEvent(simulation_.Steps()), end.until));
  known_.is_last = end.steps == 1 || simulation_.EndOfNext() == end.until;
  simulation_.KeepGuess(known_.is_last);
  simulation_.KeepTouchingOnRead(known_.is_last || !averages_.Empty());
  simulation_.MeasureSolve(known_.is_last && measures_);
}

void StepRecord::Complete() {
  averages_.AddState(simulation_.Steps(), simulation_.Grains());
  known_.span += simulation_.View().Length();
  if (!known_.is_last) return;
  known_.seen_at = simulation_.Steps();
  FindWallLoads();
}

/// Called within a step, when Steps() already includes this step.
void StepRecord::AfterParticlesMoved(const Particles& particles) {
  const StepView& view = simulation_.View();
  if (!known_.impulses.empty()) AddWallImpulses(particles);
  if (!averages_.Empty()) {
    const std::int64_t step = simulation_.Steps();
    averages_.AddMotion(step, particles, view.Stride());
    if (averages_.WantsContacts(step)) {
      averages_.AddContacts(step, particles, view.ContactRecords(particles), view.TouchingGap(),
                            view.Stride());
    }
  }
  if (!known_.is_last) return;
  known_.seen = particles;
  known_.length = view.Length();
}

void StepRecord::AddWallImpulses(const Particles& particles) {
  const StepView& view = simulation_.View();
  const ContactSpan contacts = view.Contacts();
  for (std::size_t j = 0; j < contacts.size(); ++j) {
    const auto of_wall = WallImpulseOf(particles, contacts, view.WallBodies(), view.Problem(), j);
    if (!of_wall) continue;
    const Vec3 arm = of_wall->position - view.PosesOfWalls()[of_wall->wall].CentreNow();
    const Vec3 moment = arm.cross(of_wall->impulse) + of_wall->moment;
    for (std::size_t k = 0; k < 3; ++k) {
      const auto axis = static_cast<Eigen::Index>(k);
      known_.impulses[kSumsPerWall * of_wall->wall + k].Add(of_wall->impulse[axis]);
      known_.impulses[kSumsPerWall * of_wall->wall + 3 + k].Add(moment[axis]);
    }
  }
}

/// Reduces once per call, so that each rank can read the results without the others.
void StepRecord::FindWallLoads() {
  if (known_.impulses.empty()) return;
  std::vector<std::int64_t> digits;
  for (ExactSum& sum : known_.impulses) {
    digits.insert(digits.end(), sum.Digits().begin(), sum.Digits().end());
  }
  simulation_.Ranks().Sum(digits);
  auto digit = digits.begin();
  for (ExactSum& sum : known_.impulses) {
    for (std::int64_t& one : sum.Digits()) one = *digit++;
  }
  for (std::size_t w = 0; w < known_.loads.size(); ++w) {
    const auto sums = std::span(known_.impulses).subspan(kSumsPerWall * w, kSumsPerWall);
    known_.loads[w] = {Vec3(sums[0].Value(), sums[1].Value(), sums[2].Value()) / known_.span,
                       Vec3(sums[3].Value(), sums[4].Value(), sums[5].Value()) / known_.span};
  }
}

void StepRecord::RequireSeen(const char* what) const {
  if (known_.seen_at == simulation_.Steps()) return;
  throw InputError(Text(what, " of the last step, which failed"));
}

ProblemRecord StepRecord::Problem() const {
  if (simulation_.Steps() == 0) {
    throw InputError("there is no contact problem before the first step; do a step first");
  }
  const std::string obstacle = DescribeUnrecordable(simulation_.GetScene());
  if (!obstacle.empty()) throw InputError("problems " + obstacle);
  RequireSeen("cannot give the contact problem");
  return simulation_.View().Record(known_.seen);
}

py::dict StepRecord::Contacts() const {
  const bool none = simulation_.Steps() == 0;
  if (!none) RequireSeen("cannot give the contacts");
  const std::vector<ContactRecord> records =
      none ? std::vector<ContactRecord>() : simulation_.View().ContactRecords(known_.seen);
  const auto force = [this](const ContactRecord& r) -> Vec3 {
    return (r.impulse + r.pull) / known_.length;
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
    const bool any = std::visit(
        [](const auto& summed) {
          if constexpr (requires { summed.frames; }) {
            return summed.frames > 0;
          } else {
            return std::ranges::any_of(summed, [](const FlowSums& row) { return row.steps > 0; });
          }
        },
        sums);
    if (!any) continue;
    texts.emplace_back(spec.name,
                       AverageText(simulation_.Ranks(), spec, sums, simulation_.GetScene(),
                                   simulation_.Parameters().dt, simulation_.FreeWalls()));
  }
  return texts;
}

}  // namespace scree::python
