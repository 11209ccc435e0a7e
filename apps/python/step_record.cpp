#include "apps/python/step_record.hpp"

#include <algorithm>
#include <limits>
#include <span>

#include "engine/contacts/wall_impulse.hpp"
#include "engine/observation/contact_records.hpp"
#include "engine/step/step_view.hpp"
#include "io/output/average_files.hpp"

namespace scree::python {
namespace {

const Vec3 kNone = Vec3::Constant(std::numeric_limits<double>::quiet_NaN());

std::vector<ContactRecord> RecordsOf(const StepView& view, const Particles& particles, double dt) {
  return RecordContacts(view.Contacts(), view.WallBodies(),
                        {view.Impulses(), view.ImpulsesOfLaws(), {}}, particles, dt);
}

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
      impulses_(3 * simulation.GetScene().walls.size()),
      forces_(simulation.GetScene().walls.size(), kNone) {
  simulation_.Watch([this](const Particles& particles) { Watch(particles); });
  averages_.AddState(simulation_.Steps(), simulation_.Grains());
}

void StepRecord::Begin() {
  impulses_.assign(impulses_.size(), {});
  span_ = 0.0;
  forces_.assign(simulation_.GetScene().walls.size(), kNone);
}

void StepRecord::Prepare(bool is_last) {
  is_last_ = is_last;
  simulation_.EndStepAt(averages_.NextEvent(simulation_.Steps()));
}

void StepRecord::Complete() {
  averages_.AddState(simulation_.Steps(), simulation_.Grains());
  span_ += simulation_.Inside().Length();
  if (!is_last_) return;
  seen_at_ = simulation_.Steps();
  FindWallForces();
}

/// In the middle of a step, which has counted itself already.
void StepRecord::Watch(const Particles& particles) {
  const StepView& view = simulation_.Inside();
  if (!impulses_.empty()) AddWallImpulses(particles);
  if (!averages_.Empty()) {
    const std::int64_t step = simulation_.Steps();
    averages_.AddMotion(step, particles, view.Stride());
    if (averages_.WantsContacts(step)) {
      averages_.AddContacts(step, particles, RecordsOf(view, particles, view.Length()),
                            ClosedGap(view.Radii().smallest), view.Stride());
    }
  }
  if (!is_last_) return;
  seen_ = particles;
  length_ = view.Length();
}

void StepRecord::AddWallImpulses(const Particles& particles) {
  const StepView& view = simulation_.Inside();
  const ContactSpan contacts = view.Contacts();
  const std::size_t first_wall = particles.Size();
  for (std::size_t j = 0; j < contacts.size(); ++j) {
    const auto b = static_cast<std::size_t>(contacts[j].b);
    if (b < first_wall) continue;
    const auto w = static_cast<std::size_t>(view.WallBodies()[b - first_wall].wall);
    // The shares of clumps are lengths.
    const auto a = static_cast<std::size_t>(contacts[j].a);
    const double radius = contacts.geometry.empty() ? particles.radius[a] : 1.0;
    const Vec3 on_a = WrenchOnA(view.Problem(), j, radius).impulse;
    for (std::size_t k = 0; k < 3; ++k) {
      impulses_[3 * w + k].Add(-on_a[static_cast<Eigen::Index>(k)]);
    }
  }
}

/// One reduction for each call, so that any rank may look at its results alone.
void StepRecord::FindWallForces() {
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
  for (std::size_t w = 0; w < forces_.size(); ++w) {
    const auto impulse = std::span(impulses_).subspan(3 * w, 3);
    forces_[w] = Vec3(impulse[0].Value(), impulse[1].Value(), impulse[2].Value()) / span_;
  }
}

py::dict StepRecord::Contacts() const {
  const bool none = simulation_.Steps() == 0;
  if (!none && seen_at_ != simulation_.Steps()) {
    throw InputError("contacts are those of the last step, which did not end well");
  }
  const std::vector<ContactRecord> records =
      none ? std::vector<ContactRecord>() : RecordsOf(simulation_.Inside(), seen_, length_);
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
