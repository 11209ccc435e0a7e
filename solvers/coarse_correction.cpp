#include "solvers/coarse_correction.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "solvers/additional_laws.hpp"
#include "solvers/batch_sweep.hpp"
#include "solvers/check.hpp"

namespace scree {
namespace {

constexpr double kLower = -0.5, kUpper = 1.0;  // of α
constexpr double kMostLevels = 1e6;            // beyond is no bed
constexpr std::size_t kAhead = 4;  // batches between the prefetch of bodies and their use

/// k mod 3, 0 to 2.
std::size_t Modulo3(std::int64_t k) { return static_cast<std::size_t>((k % 3 + 3) % 3); }

/// The index of a body from its place in the array of bodies.
std::size_t IndexOf(BodyOffset offset) { return offset / sizeof(SphereBody); }

/// φ at this level of the hats with a number modulo 3, of which it feels at most one.
template <class Real>
SCREE_INLINE Real Weight(const Real& cyclic, int modulo) {
  const Real zero = Real{};
  const Real away = cyclic - static_cast<double>(modulo);
  const Real distance = Select(away > zero, away, -away);
  const Real nearest = Select(distance > zero + 1.5, 3.0 - distance, distance);
  return Select(nearest < zero + 1.0, 1.0 - nearest, zero);
}

/// A level in the period of three hats, 0 to 3.
double Cyclic(double level) { return level - 3.0 * std::floor(level / 3.0); }
Double8 Cyclic(const Double8& level) {
  Double8 cyclic = level;
  for (int lane = 0; lane < kLanes; ++lane) cyclic[lane] = Cyclic(level[lane]);
  return cyclic;
}

/// λₙ (δvₙ + b) + λₜ⋅δvₜ, the latter where the contact sticks: it is to vanish there, while slip
/// loses energy for good.
Double8 WorkOf(const ContactBatch& batch, const Bodies8& a, const Bodies8& b) {
  const Vector3<Double8> n = NormalOf(batch), impulse = ImpulseOf(batch);
  const Vector3<Double8> u_a = a.U(), u_b = b.U();
  const Vector3<Double8> u_sum = {u_a.x + u_b.x, u_a.y + u_b.y, u_a.z + u_b.z};
  const Vector3<Double8> delta_v = Minus(Minus(a.V(), b.V()), Cross(u_sum, n));
  const Double8 normal = Dot(impulse, n), speed = Dot(delta_v, n);
  const Double8 limit = batch.friction * normal;
  const Double8 tangent = Dot(impulse, impulse) - normal * normal;
  const Double8 sticking = Dot(impulse, delta_v) - normal * speed;
  constexpr double kInside = 0.998;  // of the cone's width, squared
  return normal * (speed + batch.bias) +
         Select(tangent < kInside * limit * limit, sticking, Double8{});
}

/// Sums that are the same bits in any order and on any ranks: multiples of a power of two far below
/// the greatest term.
class ExactTerms {
 public:
  /// @param greatest  of the absolute values of all terms
  explicit ExactTerms(double greatest) {
    int exponent = 0;
    std::frexp(greatest, &exponent);
    if (exponent < kLeastExponent) return;  // all count as nothing
    per_unit_ = std::ldexp(1.0, kBits - exponent);
    unit_ = std::ldexp(1.0, exponent - kBits);
  }
  std::int64_t Of(double term) const {
    // Beside such a number one step of a double is 1: the sum is rounded, without a call.
    constexpr double kStepOfOne = 0x1.8p52;
    return std::bit_cast<std::int64_t>(term * per_unit_ + kStepOfOne) -
           std::bit_cast<std::int64_t>(kStepOfOne);
  }
  double Value(std::int64_t sum) const { return static_cast<double>(sum) * unit_; }

 private:
  static constexpr int kBits = 40;  // so that 2²² of them fit
  static constexpr int kLeastExponent = -900;
  double per_unit_ = 0.0, unit_ = 0.0;
};

Vector3<Double8> Scaled(const Double8& factor, const Vector3<Double8>& impulse) {
  return {factor * impulse.x, factor * impulse.y, factor * impulse.z};
}
Vec3 LaneOf(const Vector3<Double8>& of_eight, std::size_t lane) {
  return {of_eight.x[lane], of_eight.y[lane], of_eight.z[lane]};
}
double* LineOf(SphereBody& body) { return reinterpret_cast<double*>(&body); }

/// a⋅M⁻¹b of impulses: in units of mass a sphere has 2/5 m for u.
double Product(const SphereBody& a, const SphereBody& b) {
  return a.v.dot(b.v) + a.u.dot(b.u) / kMassOverInertia;
}

}  // namespace

void CoarseCorrection::Reserve(const ContactBatches& batches, std::size_t bodies) {
  batches_.reserve(batches.BatchCapacity());
  loads_.reserve(bodies + 1);
}

bool CoarseCorrection::Correct(const CoarseLevels& levels, const CoarseInput& input,
                               CoarseSync& sync, std::vector<double>& heights,
                               ContactBatches& batches, std::vector<SphereBody>& bodies) {
  const std::size_t count = bodies.size();
  SCREE_DEMAND(input.own <= input.fixed && input.fixed <= count && input.fixed <= heights.size());
  // Fixed bodies have no level: their contacts have that of the other body's surface.
  heights.resize(input.fixed);
  heights.resize(count, std::numeric_limits<double>::quiet_NaN());
  heights.push_back(0.0);
  bodies.emplace_back();  // the padding body
  const bool corrects = FindLevels(levels, sync, heights, batches, bodies) &&
                        FindErrors(input, levels.tolerance, sync, batches);
  if (corrects) {
    loads_.resize(count + 1);
    for (std::size_t i = 0; i <= count; ++i) {
      const double inverse_mass = i < input.fixed ? 1.0 : 0.0;
      for (SphereBody& line : loads_[i].of) {
        line = {Vec3::Zero(), inverse_mass, Vec3::Zero(), bodies[i].radius};
      }
    }
    if (input.sides != nullptr) {
      AddLoadsOfSides(input, batches);
    } else {
      AddLoads(batches);
      sync.AddGhosts(std::span(loads_).first(count));
    }
    FindAmplitudes(input, sync, heights, bodies);
    ScaleLoads(batches);
    MoveOwn(input.own, heights, bodies);
  }
  bodies.pop_back();
  return corrects;
}

/// Levels, loads and work of all contacts.
/// @returns true if loads reach over enough levels, on all ranks together
bool CoarseCorrection::FindLevels(const CoarseLevels& levels, CoarseSync& sync,
                                  std::span<const double> heights, ContactBatches& batches,
                                  std::span<SphereBody> bodies) {
  const std::span<ContactBatch> all = batches.All();
  batches_.resize(all.size());
  const Double8 zero = {};
  const Double8 far = zero + std::numeric_limits<double>::infinity();
  Double8 lowest = far, highest = -far, most_load = zero, most_work = zero;
  for (std::size_t k = 0; k < all.size(); ++k) {
    const ContactBatch& batch = all[k];
    if (k + kAhead < all.size()) PrefetchBodies(all[k + kAhead], bodies.data());
    double* a_lines[kLanes];
    double* b_lines[kLanes];
    Point(batch.a, bodies.data(), a_lines);
    Point(batch.b, bodies.data(), b_lines);
    const Bodies8 a{LoadLines(a_lines)}, b{LoadLines(b_lines)};
    Double8 level_a, level_b;
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      level_a[lane] = heights[IndexOf(batch.a[lane])];
      level_b[lane] = heights[IndexOf(batch.b[lane])];
    }
    const Double8 climb = batch.normal[0] * levels.up.x() + batch.normal[1] * levels.up.y() +
                          batch.normal[2] * levels.up.z();
    level_a -= a.fields.field[7] * climb;
    const Double8 mean = 0.5 * (level_a + (level_b + b.fields.field[7] * climb));
    const Double8 level = Select(mean == mean, mean, level_a);
    const Double8 load = Dot(ImpulseOf(batch), NormalOf(batch)), work = WorkOf(batch, a, b);
    batches_[k] = {level, load, work};
    const Int8 is_loaded = load > zero;
    most_load = Select(load > most_load, load, most_load);
    most_work = Select(Abs(work) > most_work, Abs(work), most_work);
    lowest = Select(is_loaded & (level < lowest), level, lowest);
    highest = Select(is_loaded & (level > highest), level, highest);
  }
  double extremes[4] = {-far[0], -far[0], 0.0, 0.0};
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    extremes[0] = std::max(extremes[0], -lowest[lane]);
    extremes[1] = std::max(extremes[1], highest[lane]);
    extremes[2] = std::max(extremes[2], most_load[lane]);
    extremes[3] = std::max(extremes[3], most_work[lane]);
  }
  sync.Max(extremes);
  greatest_load_ = extremes[2];
  greatest_work_ = extremes[3];
  const double height = extremes[0] + extremes[1];
  if (!(height > kFewestLevels && height < kMostLevels)) return false;
  first_hat_ = static_cast<std::int64_t>(std::floor(-extremes[0]));
  const auto last = static_cast<std::int64_t>(std::floor(extremes[1])) + 1;
  amplitudes_.resize(static_cast<std::size_t>(last - first_hat_ + 1));
  return true;
}

/// R, the same bits on all ranks and any number of them.
/// @returns true if some error is beyond the tolerance: Rₖ over the loads around a hat is their
/// mean.
///          The greatest loads of all hats are taken, as errors that carry little are no matter.
bool CoarseCorrection::FindErrors(const CoarseInput& input, double tolerance, CoarseSync& sync,
                                  const ContactBatches& batches) {
  enum Entry : std::size_t { kLoad, kWork, kEntries };
  const ExactTerms of_load(greatest_load_), of_work(greatest_work_);
  const std::size_t count = amplitudes_.size();
  sums_.assign(kEntries * count, 0);
  for (std::size_t j = 0; j < input.treated; ++j) {
    const ContactSlot slot = batches.SlotOf(j);
    const Batch& batch = batches_[slot.batch];
    const double load = batch.load[slot.lane], work = batch.work[slot.lane];
    const double below = std::floor(batch.level[slot.lane]);
    const double share = batch.level[slot.lane] - below;
    const auto hat = static_cast<std::int64_t>(below);
    AddTerm(hat, kLoad, kEntries, of_load.Of((1.0 - share) * load));
    AddTerm(hat + 1, kLoad, kEntries, of_load.Of(share * load));
    AddTerm(hat, kWork, kEntries, of_work.Of((1.0 - share) * work));
    AddTerm(hat + 1, kWork, kEntries, of_work.Of(share * work));
  }
  sync.Sum(sums_);
  right_.resize(count);
  double most_load = 0.0, most_work = 0.0;
  for (std::size_t k = 0; k < count; ++k) {
    right_[k] = -of_work.Value(sums_[kEntries * k + kWork]);
    most_load = std::max(most_load, of_load.Value(sums_[kEntries * k + kLoad]));
    most_work = std::max(most_work, std::abs(right_[k]));
  }
  return most_work > tolerance * most_load;
}

template <class Law>
SCREE_INLINE void AddLoadOf(const LawBatch<Law>& its, const Double8& weight, Bodies8& a,
                            Bodies8& b) {
  if constexpr (Law::kGrowsWithLoad) Law::Apply(its.data, Scaled(weight, ImpulseOf(its)), a, b);
}

void CoarseCorrection::PrefetchLoads(const ContactBatch& batch) const {
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    for (const BodyOffset body : {batch.a[lane], batch.b[lane]}) {
      for (const SphereBody& line : loads_[IndexOf(body)].of) __builtin_prefetch(&line, 1);
    }
  }
}

/// What the contacts of this rank give all bodies.
void CoarseCorrection::AddLoads(ContactBatches& batches) {
  static_assert(sizeof(HatLoads) == 3 * sizeof(SphereBody));
  WithActingLaws(batches.Laws(), [&]<class... Laws>(const std::tuple<LawBatch<Laws>*...>& laws) {
    const std::span<ContactBatch> all = batches.All();
    for (std::size_t k = 0; k < all.size(); ++k) {
      const ContactBatch& batch = all[k];
      if (k + kAhead < all.size()) PrefetchLoads(all[k + kAhead]);
      const Double8 cyclic = Cyclic(batches_[k].level);
      for (int modulo = 0; modulo < 3; ++modulo) {
        const Double8 weight = Weight(cyclic, modulo);
        // Most often all eight feel the same two of the three.
        if (Bits(weight > Double8{}) == 0) continue;
        double* a_lines[kLanes];
        double* b_lines[kLanes];
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
          a_lines[lane] = LineOf(loads_[IndexOf(batch.a[lane])].of[modulo]);
          b_lines[lane] = LineOf(loads_[IndexOf(batch.b[lane])].of[modulo]);
        }
        Bodies8 a{LoadLines(a_lines)}, b{LoadLines(b_lines)};
        ApplyToBodies(NormalOf(batch), Scaled(weight, ImpulseOf(batch)), a, b);
        (AddLoadOf<Laws>(std::get<LawBatch<Laws>*>(laws)[k], weight, a, b), ...);
        StoreLines(a.fields, a_lines);
        StoreLines(b.fields, b_lines);
      }
    }
  });
}

/// The same for own bodies, each of which has all its contacts here: sums in the order of the
/// sides, the same on any ranks.
void CoarseCorrection::AddLoadsOfSides(const CoarseInput& input, ContactBatches& batches) {
  const std::span<const ContactBatch> all = batches.All();
  for (std::size_t i = 0; i < input.own; ++i) {
    for (int modulo = 0; modulo < 3; ++modulo) {
      SphereBody& line = loads_[i].of[modulo];
      const auto for_each_side = [&](auto work) {
        for (Index k = input.sides->first[i]; k < input.sides->first[i + 1]; ++k) {
          const JacobiScratch::Side& side = input.sides->sides[static_cast<std::size_t>(k)];
          const double level = batches_[side.slot.batch].level[side.slot.lane];
          work(side, Weight(Cyclic(level), modulo));
        }
      };
      for_each_side([&](const JacobiScratch::Side& side, double weight) {
        const Vec3 impulse = LaneOf(ImpulseOf(all[side.slot.batch]), side.slot.lane);
        const Vec3 normal = LaneOf(NormalOf(all[side.slot.batch]), side.slot.lane);
        line.v += side.sign * weight * impulse;
        line.u -= weight * kMassOverInertia * normal.cross(impulse);
      });
      ForEachLaw([&](auto law) {
        using Law = typename decltype(law)::type;
        LawArrays<Law>& arrays = batches.Of<Law>();
        if (!Law::kGrowsWithLoad || !arrays.Acts()) return;
        Vec3 sum = Vec3::Zero();
        for_each_side([&](const JacobiScratch::Side& side, double weight) {
          sum += Law::OnSide(arrays.All()[side.slot.batch].data, side.slot.lane, side.sign,
                             weight * arrays.Impulse(side.slot));
        });
        Law::Push(sum, line);
      });
    }
  }
}

/// C and α, the same bits on all ranks and any number of them.
void CoarseCorrection::FindAmplitudes(const CoarseInput& input, CoarseSync& sync,
                                      std::span<const double> heights,
                                      std::span<const SphereBody> bodies) {
  constexpr std::size_t kEntries = 3;  // Cₖₖ, Cₖ,ₖ₊₁, Cₖ,ₖ₊₂
  double greatest[1] = {0.0};
  for (std::size_t i = 0; i < input.own; ++i) {
    for (const SphereBody& line : loads_[i].of) {
      greatest[0] = std::max(greatest[0], bodies[i].inverse_mass * Product(line, line));
    }
  }
  sync.Max(greatest);
  const ExactTerms of_matrix(greatest[0]);

  const std::size_t count = amplitudes_.size();
  sums_.assign(kEntries * count, 0);
  for (std::size_t i = 0; i < input.own; ++i) {
    const std::int64_t first = std::llround(heights[i]) - 1;
    for (std::int64_t k = first; k < first + 3; ++k) {
      const SphereBody& of_k = loads_[i].of[Modulo3(k)];
      for (std::int64_t l = k; l < first + 3; ++l) {
        const double term = bodies[i].inverse_mass * Product(of_k, loads_[i].of[Modulo3(l)]);
        AddTerm(k, static_cast<std::size_t>(l - k), kEntries, of_matrix.Of(term));
      }
    }
  }
  sync.Sum(sums_);
  matrix_.resize(count);
  for (std::size_t k = 0; k < count; ++k) {
    for (std::size_t d = 0; d < 3; ++d) matrix_[k][d] = of_matrix.Value(sums_[kEntries * k + d]);
  }
  MinimizeBanded(matrix_, right_, kLower, kUpper, banded_, amplitudes_);
}

/// λ of all contacts, and L where it grows with it.
void CoarseCorrection::ScaleLoads(ContactBatches& batches) const {
  const std::span<ContactBatch> all = batches.All();
  for (std::size_t k = 0; k < all.size(); ++k) {
    Double8 factor;
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const double level = batches_[k].level[lane], below = std::floor(level);
      const auto hat = static_cast<std::int64_t>(below);
      factor[lane] =
          1.0 + AmplitudeOf(hat) + (level - below) * (AmplitudeOf(hat + 1) - AmplitudeOf(hat));
    }
    SetImpulseOf(all[k], Scaled(factor, ImpulseOf(all[k])));
    ForEachLaw([&](auto law) {
      using Law = typename decltype(law)::type;
      LawArrays<Law>& arrays = batches.Of<Law>();
      if (!Law::kGrowsWithLoad || !arrays.Acts()) return;
      SetImpulseOf(arrays.All()[k], Scaled(factor, ImpulseOf(arrays.All()[k])));
    });
  }
}

void CoarseCorrection::MoveOwn(std::size_t own, std::span<const double> heights,
                               std::span<SphereBody> bodies) const {
  for (std::size_t i = 0; i < own; ++i) {
    const std::int64_t first = std::llround(heights[i]) - 1;
    for (std::int64_t k = first; k < first + 3; ++k) {
      const SphereBody& line = loads_[i].of[Modulo3(k)];
      const double share = bodies[i].inverse_mass * AmplitudeOf(k);
      bodies[i].v += share * line.v;
      bodies[i].u += share * line.u;
    }
  }
}

std::size_t CoarseCorrection::Bytes() const {
  return batches_.capacity() * sizeof(Batch) + loads_.capacity() * sizeof(HatLoads);
}

}  // namespace scree
