#include "apps/python/step_record.hpp"

#include <algorithm>
#include <limits>
#include <span>

#include "engine/observation/contact_records.hpp"
#include "engine/step/step_view.hpp"
#include "io/output/average_files.hpp"

namespace scree::python {
namespace {

const Vec3 kNone = Vec3::Constant(std::numeric_limits<double>::quiet_NaN());
constexpr std::size_t kOfEach = 6;  // sums of a wall: three of impulses, three of moments

/// [records, columns], or [records] of single numbers.
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
      averages_(simulation.GetScene(), simulation.Parameters().dt, std::move(averages)),
      impulses_(kOfEach * simulation.GetScene().walls.size()),
      loads_(simulation.GetScene().walls.size(), WallLoad{kNone, kNone}) {
  simulation_.Watch([this](const Particles& particles) { Watch(particles); });
  averages_.AddState(simulation_.Steps(), simulation_.Grains());
}

void StepRecord::Begin() {
  impulses_.assign(impulses_.size(), {});
  span_ = 0.0;
  loads_.assign(loads_.size(), WallLoad{kNone, kNone});
}

void StepRecord::Prepare(const End& end) {
  simulation_.EndStepAt(std::min(averages_.NextEvent(simulation_.Steps()), end.until));
  is_last_ = end.steps == 1 || simulation_.EndOfNext() == end.until;
  simulation_.KeepGuess(is_last_);
  simulation_.KeepTouchingOnRead(is_last_ || !averages_.Empty());
  simulation_.MeasureSolve(is_last_ && measures_);
}

void StepRecord::Complete() {
  averages_.AddState(simulation_.Steps(), simulation_.Grains());
  span_ += simulation_.View().Length();
  if (!is_last_) return;
  seen_at_ = simulation_.Steps();
  FindWallLoads();
}

/// In the middle of a step, which has counted itself already.
void StepRecord::Watch(const Particles& particles) {
  const StepView& view = simulation_.View();
  if (!impulses_.empty()) AddWallImpulses(particles);
  if (!averages_.Empty()) {
    const std::int64_t step = simulation_.Steps();
    averages_.AddMotion(step, particles, view.Stride());
    if (averages_.WantsContacts(step)) {
      averages_.AddContacts(step, particles, view.ContactRecords(particles), view.TouchingGap(),
                            view.Stride());
    }
  }
  if (!is_last_) return;
  seen_ = particles;
  length_ = view.Length();
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
      impulses_[kOfEach * of_wall->wall + k].Add(of_wall->impulse[axis]);
      impulses_[kOfEach * of_wall->wall + 3 + k].Add(moment[axis]);
    }
  }
}

/// One reduction for each call, so that any rank may look at its results alone.
void StepRecord::FindWallLoads() {
  if (impulses_.empty()) return;
  std::vector<std::int64_t> digits;
  for (ExactSum& sum : impulses_) {
    digits.insert(digits.end(), sum.Digits().begin(), sum.Digits().end());
  }
  simulation_.Ranks().Sum(digits);
  auto digit = digits.begin();
  for (ExactSum& sum : impulses_) {
    for (std::int64_t& one : sum.Digits()) one = *digit++;
  }
  for (std::size_t w = 0; w < loads_.size(); ++w) {
    const auto of = std::span(impulses_).subspan(kOfEach * w, kOfEach);
    loads_[w] = {Vec3(of[0].Value(), of[1].Value(), of[2].Value()) / span_,
                 Vec3(of[3].Value(), of[4].Value(), of[5].Value()) / span_};
  }
}

void StepRecord::RequireSeen(const char* what) const {
  if (seen_at_ == simulation_.Steps()) return;
  throw InputError(Text(what, " of the last step, which did not end well"));
}

ProblemRecord StepRecord::Problem() const {
  if (simulation_.Steps() == 0) {
    throw InputError("a problem is that of the last step, and there is none yet; expected a step");
  }
  const std::string unsaid = DescribeUnrecordable(simulation_.GetScene());
  if (!unsaid.empty()) throw InputError("problems " + unsaid);
  RequireSeen("a problem is that");
  return simulation_.View().Record(seen_);
}

py::dict StepRecord::Contacts() const {
  const bool none = simulation_.Steps() == 0;
  if (!none) RequireSeen("contacts are those");
  const std::vector<ContactRecord> records =
      none ? std::vector<ContactRecord>() : simulation_.View().ContactRecords(seen_);
  const auto force = [this](const ContactRecord& r) -> Vec3 {
    return (r.impulse + r.pull) / length_;
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
        [](const auto& of) {
          if constexpr (requires { of.frames; }) {
            return of.frames > 0;
          } else {
            return std::ranges::any_of(of, [](const FlowSums& row) { return row.steps > 0; });
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
