#include "solvers/sweeps/coarse_correction.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

#include "solvers/base/check.hpp"
#include "solvers/batches/additional_laws.hpp"
#include "solvers/sweeps/batch_sweep.hpp"

namespace scree {
namespace {

constexpr double kLower = -0.5, kUpper = 1.0;  // bounds of α
constexpr double kMaxLevels = 1e6;             // more levels than any bed has
constexpr std::size_t kAhead = 4;  // batches between the prefetch of bodies and their use

/// k mod 3, 0 to 2.
std::size_t Modulo3(std::int64_t k) { return static_cast<std::size_t>((k % 3 + 3) % 3); }

template <class Body>
std::size_t IndexOf(BodyOffset offset) {
  return offset / sizeof(Body);
}

/// The two basis functions that are nonzero at a contact: function `below` has the value
/// 1 − fraction there, the next function has the value fraction.
struct BasisAt {
  std::int64_t below;
  double fraction;

  explicit BasisAt(double level) {
    const double whole = std::floor(level);
    below = static_cast<std::int64_t>(whole);
    fraction = level - whole;
  }
  /// φₖ at the contact, k given modulo 3.
  double WeightOf(std::size_t modulo) const {
    const std::size_t lower = Modulo3(below);
    if (modulo == lower) return 1.0 - fraction;
    return modulo == (lower + 1) % 3 ? fraction : 0.0;
  }
};

/// λₙ (δvₙ + b), plus λₜ⋅δvₜ where the contact sticks. Both vanish in the solution. The work of
/// slip is left out because slip dissipates energy in the solution too.
Double8 WorkOf(const ContactBatch& batch, const Vector3<Double8>& delta_v) {
  const Vector3<Double8> n = NormalOf(batch), impulse = ImpulseOf(batch);
  const Double8 normal = Dot(impulse, n), speed = Dot(delta_v, n);
  const Double8 limit = batch.friction * normal;
  const Double8 tangent = Dot(impulse, impulse) - normal * normal;
  const Double8 sticking = Dot(impulse, delta_v) - normal * speed;
  constexpr double kInside = 0.998;  // a contact sticks below this fraction of the squared limit
  return normal * (speed + batch.bias) +
         Select(tangent < kInside * limit * limit, sticking, Double8{});
}

/// Changes the levels of the bodies of a batch to the level of the contact point, computed from
/// each body.
void AddArms(const ContactBatch& batch, const ArmBatch*, const BatchBodies<SphereBody>& bodies,
             const Vec3& up, Double8& level_a, Double8& level_b) {
  const Double8 normal_up =
      batch.normal[0] * up.x() + batch.normal[1] * up.y() + batch.normal[2] * up.z();
  level_a -= bodies.a.Radius() * normal_up;
  level_b += bodies.b.Radius() * normal_up;
}
void AddArms(const ContactBatch&, const ArmBatch* arms, const BatchBodies<RigidBody>&,
             const Vec3& up, Double8& level_a, Double8& level_b) {
  for (int axis = 0; axis < 3; ++axis) {
    level_a += arms->a[axis] * up[axis];
    level_b += arms->b[axis] * up[axis];
  }
}

/// Sums with the same bits in any order and on any number of ranks: terms are rounded to multiples
/// of a power of two far below the largest term.
class ExactTerms {
 public:
  /// @param largest  largest absolute value of all terms
  explicit ExactTerms(double largest) {
    int exponent = 0;
    std::frexp(largest, &exponent);
    if (exponent < kMinExponent) return;  // all terms are rounded to zero
    per_unit_ = std::ldexp(1.0, kBits - exponent);
    unit_ = std::ldexp(1.0, exponent - kBits);
  }
  std::int64_t Round(double term) const {
    // Doubles of this size have a spacing of 1, so adding this number rounds, without a call.
    constexpr double kRounder = 0x1.8p52;
    return std::bit_cast<std::int64_t>(term * per_unit_ + kRounder) -
           std::bit_cast<std::int64_t>(kRounder);
  }
  double Value(std::int64_t sum) const { return static_cast<double>(sum) * unit_; }

 private:
  static constexpr int kBits = 40;  // bits per term, so that the sum of 2²² terms fits
  static constexpr int kMinExponent = -900;
  double per_unit_ = 0.0, unit_ = 0.0;
};

Vector3<Double8> Scaled(const Double8& factor, const Vector3<Double8>& impulse) {
  return {factor * impulse.x, factor * impulse.y, factor * impulse.z};
}
/// The cache line of the impulses on one body by one basis function, called a line below.
double* LineOf(SphereBody& body) { return reinterpret_cast<double*>(&body); }

/// a⋅M⁻¹b for impulses on eight spheres, times their masses. The inertia in terms of u is 2/5 m.
Double8 Product(const Bodies8& a, const Bodies8& b) {
  const Vector3<Double8> v_a = a.V(), v_b = b.V(), u_a = a.U(), u_b = b.U();
  const Double8 product_v = v_a.x * v_b.x + v_a.y * v_b.y + v_a.z * v_b.z;
  const Double8 product_u = u_a.x * u_b.x + u_a.y * u_b.y + u_a.z * u_b.z;
  return product_v + product_u / kMassOverInertia;
}
double Product(const RigidBody& body, const SphereBody& a, const SphereBody& b) {
  return body.inverse_mass * a.v.dot(b.v) + a.u.dot(body.InverseInertia() * b.u);
}

/// The factor that turns Product into a⋅M⁻¹b.
double ScaleOf(const SphereBody& body) { return body.inverse_mass; }
double ScaleOf(const RigidBody&) { return 1.0; }

/// Adds `fraction` times the impulses of a line to the velocities of a body.
void AddImpulses(const SphereBody& line, double fraction, SphereBody& body) {
  const double weight = body.inverse_mass * fraction;
  body.v += weight * line.v;
  body.u += weight * line.u;
}
void AddImpulses(const SphereBody& line, double fraction, RigidBody& body) {
  body.v += body.inverse_mass * fraction * line.v;
  body.omega += body.InverseInertia() * (fraction * line.u);
}

/// Adds `weight` times the impulses of a contact to a line of one of its bodies.
void AddSide(ContactBatches& batches, ContactSlot slot, double sign, double weight,
             SphereBody& line) {
  const ArmBatch& arms = batches.Arms()[slot.batch];
  const Double8(&arm)[3] = sign > 0.0 ? arms.a : arms.b;
  const Vec3 impulse = sign * weight * LaneOf(ImpulseOf(batches.All()[slot.batch]), slot.lane);
  RigidBody unit;
  unit.SetInverseInertia(Mat3::Identity());
  unit.inverse_mass = 1.0;
  unit.v = line.v + impulse;
  unit.omega = line.u + LaneOf({arm[0], arm[1], arm[2]}, slot.lane).cross(impulse);
  ForEachLaw([&](auto law) {
    using Law = typename decltype(law)::type;
    LawArrays<Law>& arrays = batches.ArraysOf<Law>();
    if constexpr (Law::kGrowsWithLoad) {
      if (!arrays.IsActive()) return;
      Law::ApplySum(Law::TermOnBody(arrays.All()[slot.batch].data, slot.lane, sign,
                                    weight * arrays.Impulse(slot)),
                    unit);
    }
  });
  line.v = unit.v;
  line.u = unit.omega;
}

/// The first of the three basis functions that can be nonzero at the contacts of a body.
std::int64_t FirstBasisAt(double level) {
  return static_cast<std::int64_t>(std::floor(level + 0.5)) - 1;
}

}  // namespace

void CoarseCorrection::Reserve(const ContactBatches& batches, std::size_t bodies) {
  batches_.reserve(batches.BatchCapacity());
  loads_.reserve(bodies + 1);
  products_.reserve(bodies / kLanes + 1);
}

template <class Body>
bool CoarseCorrection::Correct(const CoarseLevels& levels, const CoarseInput& input,
                               CoarseSync& sync, std::vector<double>& body_levels,
                               ContactBatches& batches, std::vector<Body>& bodies) {
  const std::size_t count = bodies.size();
  SCREE_DEMAND(input.owned <= input.fixed && input.fixed <= count &&
               input.fixed <= body_levels.size());
  // A fixed body has no level: its contacts take the level of the other body's surface.
  body_levels.resize(input.fixed);
  body_levels.resize(count, std::numeric_limits<double>::quiet_NaN());
  body_levels.push_back(0.0);
  bodies.emplace_back();  // the padding body
  const std::span<Body> all(bodies);
  const bool corrects = FindLevels(levels, sync, body_levels, batches, all) &&
                        FindErrors(input, levels.tolerance, sync, batches);
  if (corrects) {
    loads_.resize(count + 1);
    for (std::size_t i = 0; i <= count; ++i) {
      const double inverse_mass = i < input.fixed ? 1.0 : 0.0;
      for (SphereBody& line : loads_[i].by_basis) {
        line = {Vec3::Zero(), inverse_mass, Vec3::Zero(), 0.0};
        if constexpr (std::is_same_v<Body, SphereBody>) line.radius = bodies[i].radius;
      }
    }
    if (input.sides != nullptr) {
      AddLoadsOfSides<Body>(input, batches);
    } else {
      AddLoads(batches, std::span<const Body>(all));
      sync.AddGhosts(std::span(loads_).first(count));
    }
    FindAmplitudes<Body>(input, sync, body_levels, all);
    ScaleLoads(batches);
    UpdateOwned(input.owned, body_levels, all);
  }
  bodies.pop_back();
  return corrects;
}

/// Finds levels, normal impulses and work of all contacts.
/// @returns true if the loaded contacts of all ranks span enough levels
template <class Body>
bool CoarseCorrection::FindLevels(const CoarseLevels& levels, CoarseSync& sync,
                                  std::span<const double> body_levels, ContactBatches& batches,
                                  std::span<Body> bodies) {
  const std::span<ContactBatch> all = batches.All();
  batches_.resize(all.size());
  const Double8 zero = {};
  const Double8 infinite = zero + std::numeric_limits<double>::infinity();
  Double8 lowest = infinite, highest = -infinite, max_load = zero, max_work = zero;
  for (std::size_t k = 0; k < all.size(); ++k) {
    const ContactBatch& batch = all[k];
    if (k + kAhead < all.size()) PrefetchBodies(all[k + kAhead], bodies.data());
    const ArmBatch* arms = std::is_same_v<Body, RigidBody> ? &batches.Arms()[k] : nullptr;
    const BatchBodies<Body> batch_bodies(batch, arms, bodies.data());
    Double8 level_a, level_b;
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      level_a[lane] = body_levels[IndexOf<Body>(batch.a[lane])];
      level_b[lane] = body_levels[IndexOf<Body>(batch.b[lane])];
    }
    // Level of the contact point; NaN for a fixed body, which is ignored.
    AddArms(batch, arms, batch_bodies, levels.up, level_a, level_b);
    const Int8 b_has_level = level_b == level_b;
    const Double8 level = Select(b_has_level, 0.5 * (level_a + level_b), level_a);
    const Vector3<Double8> n = NormalOf(batch);
    const Double8 load = Dot(ImpulseOf(batch), n),
                  work = WorkOf(batch, batch_bodies.RelativeVelocity(n));
    batches_[k] = {level, load, work};
    const Int8 is_loaded = load > zero;
    max_load = Select(load > max_load, load, max_load);
    max_work = Select(Abs(work) > max_work, Abs(work), max_work);
    lowest = Select(is_loaded & (level < lowest), level, lowest);
    highest = Select(is_loaded & (level > highest), level, highest);
  }
  double extremes[4] = {-infinite[0], -infinite[0], 0.0, 0.0};
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    extremes[0] = std::max(extremes[0], -lowest[lane]);
    extremes[1] = std::max(extremes[1], highest[lane]);
    extremes[2] = std::max(extremes[2], max_load[lane]);
    extremes[3] = std::max(extremes[3], max_work[lane]);
  }
  sync.Max(extremes);
  max_load_ = extremes[2];
  max_work_ = extremes[3];
  const double height = extremes[0] + extremes[1];
  if (!(height > kMinLevels && height < kMaxLevels)) return false;
  first_basis_ = static_cast<std::int64_t>(std::floor(-extremes[0]));
  const auto last = static_cast<std::int64_t>(std::floor(extremes[1])) + 1;
  amplitudes_.resize(static_cast<std::size_t>(last - first_basis_ + 1));
  return true;
}

/// Computes R, with the same bits on all ranks and for any number of ranks.
/// @returns true if n max|Rₖ| exceeds the tolerance times the largest load around a node. n is the
///          number of nodes from the lowest load to the highest. Rₖ divided by the load is a mean
///          velocity, and the velocities of all nodes add up at the top. The largest load is the
///          divisor, so that errors of lightly loaded contacts are negligible.
bool CoarseCorrection::FindErrors(const CoarseInput& input, double tolerance, CoarseSync& sync,
                                  const ContactBatches& batches) {
  enum Entry : std::size_t { kLoad, kWork, kEntries };
  const ExactTerms load_terms(max_load_), work_terms(max_work_);
  const std::size_t count = amplitudes_.size();
  sums_.assign(kEntries * count, 0);
  for (std::size_t j = input.owned_contacts; j < batches.Size(); ++j) {
    const ContactSlot slot = batches.SlotOf(j);
    batches_[slot.batch].load[slot.lane] = batches_[slot.batch].work[slot.lane] = 0.0;
  }
  for (const Batch& batch : batches_) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const double load = batch.load[lane], work = batch.work[lane];
      const BasisAt basis(batch.level[lane]);
      AddTerm(basis.below, kLoad, kEntries, load_terms.Round((1.0 - basis.fraction) * load));
      AddTerm(basis.below + 1, kLoad, kEntries, load_terms.Round(basis.fraction * load));
      AddTerm(basis.below, kWork, kEntries, work_terms.Round((1.0 - basis.fraction) * work));
      AddTerm(basis.below + 1, kWork, kEntries, work_terms.Round(basis.fraction * work));
    }
  }
  sync.Sum(sums_);
  right_.resize(count);
  double max_load = 0.0, max_work = 0.0;
  for (std::size_t k = 0; k < count; ++k) {
    right_[k] = -work_terms.Value(sums_[kEntries * k + kWork]);
    max_load = std::max(max_load, load_terms.Value(sums_[kEntries * k + kLoad]));
    max_work = std::max(max_work, std::abs(right_[k]));
  }
  return static_cast<double>(count) * max_work > tolerance * max_load;
}

template <class... Laws>
SCREE_INLINE void AddFraction(const ContactBatch& batch, const LawBatch<Laws>&... law_batches,
                              const Double8& fraction, double* (&a_lines)[kLanes],
                              double* (&b_lines)[kLanes]) {
  const Vector3<Double8> n = NormalOf(batch), impulse = Scaled(fraction, ImpulseOf(batch));
  if constexpr (!(Laws::kGrowsWithLoad || ...)) {
    Double8 row[kLanes];
    LinesOfImpulses(n, impulse, row);
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      ApplyToPair(row[lane], a_lines[lane], b_lines[lane]);
    }
  } else {
    struct {
      Bodies8 a, b;
    } pair{{LoadLines(a_lines)}, {LoadLines(b_lines)}};
    ApplyToBodies(n, impulse, pair.a, pair.b);
    const auto add = [&]<class Law>(const LawBatch<Law>& law_batch) {
      if constexpr (Law::kGrowsWithLoad) {
        Law::Apply(law_batch.data, Scaled(fraction, ImpulseOf(law_batch)), pair);
      }
    };
    (add(law_batches), ...);
    StoreLines(pair.a.fields, a_lines);
    StoreLines(pair.b.fields, b_lines);
  }
}

void CoarseCorrection::PrefetchLoads(const ContactBatch& batch) const {
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    for (const BodyOffset body : {batch.a[lane], batch.b[lane]}) {
      for (const SphereBody& line : loads_[IndexOf<SphereBody>(body)].by_basis) {
        __builtin_prefetch(&line, 1);
      }
    }
  }
}

/// Sums the impulses of this rank's contacts on all bodies. In each packet the terms of the lower
/// basis functions are added first, then the terms of the upper ones.
void CoarseCorrection::AddLoads(ContactBatches& batches, std::span<const SphereBody>) {
  static_assert(sizeof(BasisImpulses) == 3 * sizeof(SphereBody));
  WithRelaxedLaws(batches.Laws(), [&]<class... Laws>(const std::tuple<LawBatch<Laws>*...>& laws) {
    const std::span<ContactBatch> all = batches.All();
    for (std::size_t k = 0; k < all.size(); ++k) {
      const ContactBatch& batch = all[k];
      if (k + kAhead < all.size()) PrefetchLoads(all[k + kAhead]);
      std::size_t lower[kLanes];
      Double8 upper_fraction;
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        const BasisAt basis(batches_[k].level[lane]);
        lower[lane] = Modulo3(basis.below);
        upper_fraction[lane] = basis.fraction;
      }
      for (std::size_t upper = 0; upper < 2; ++upper) {
        double* a_lines[kLanes];
        double* b_lines[kLanes];
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
          const std::size_t modulo = (lower[lane] + upper) % 3;
          a_lines[lane] = LineOf(loads_[IndexOf<SphereBody>(batch.a[lane])].by_basis[modulo]);
          b_lines[lane] = LineOf(loads_[IndexOf<SphereBody>(batch.b[lane])].by_basis[modulo]);
        }
        AddFraction<Laws...>(batch, std::get<LawBatch<Laws>*>(laws)[k]...,
                             upper == 0 ? 1.0 - upper_fraction : upper_fraction, a_lines, b_lines);
      }
    }
  });
}

void CoarseCorrection::AddLoads(ContactBatches& batches, std::span<const RigidBody>) {
  const std::span<const ContactBatch> all = batches.All();
  for (std::size_t k = 0; k < all.size(); ++k) {
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
      const BasisAt basis(batches_[k].level[lane]);
      BasisImpulses& a = loads_[IndexOf<RigidBody>(all[k].a[lane])];
      BasisImpulses& b = loads_[IndexOf<RigidBody>(all[k].b[lane])];
      for (const std::size_t modulo : {Modulo3(basis.below), Modulo3(basis.below + 1)}) {
        const ContactSlot slot = {static_cast<std::uint32_t>(k), lane};
        AddSide(batches, slot, 1.0, basis.WeightOf(modulo), a.by_basis[modulo]);
        AddSide(batches, slot, -1.0, basis.WeightOf(modulo), b.by_basis[modulo]);
      }
    }
  }
}

/// Sums the impulses on owned bodies, which have all their contacts on this rank, in the order of
/// the sides. This order is the same for any number of ranks.
template <class Body>
void CoarseCorrection::AddLoadsOfSides(const CoarseInput& input, ContactBatches& batches) {
  const std::span<const ContactBatch> all = batches.All();
  for (std::size_t i = 0; i < input.owned; ++i) {
    for (std::size_t modulo = 0; modulo < 3; ++modulo) {
      SphereBody& line = loads_[i].by_basis[modulo];
      const auto for_each_side = [&](auto work) {
        for (Index k = input.sides->first_side[i]; k < input.sides->first_side[i + 1]; ++k) {
          const JacobiScratch::Side& side = input.sides->sides[static_cast<std::size_t>(k)];
          const double level = batches_[side.slot.batch].level[side.slot.lane];
          work(side, BasisAt(level).WeightOf(modulo));
        }
      };
      if constexpr (std::is_same_v<Body, RigidBody>) {
        for_each_side([&](const JacobiScratch::Side& side, double weight) {
          AddSide(batches, side.slot, side.sign, weight, line);
        });
        continue;
      }
      for_each_side([&](const JacobiScratch::Side& side, double weight) {
        const Vec3 impulse = LaneOf(ImpulseOf(all[side.slot.batch]), side.slot.lane);
        const Vec3 normal = LaneOf(NormalOf(all[side.slot.batch]), side.slot.lane);
        line.v += side.sign * weight * impulse;
        line.u -= weight * kMassOverInertia * normal.cross(impulse);
      });
      ForEachLaw([&](auto law) {
        using Law = typename decltype(law)::type;
        if constexpr (Law::kGrowsWithLoad) {
          LawArrays<Law>& arrays = batches.ArraysOf<Law>();
          if (!arrays.IsActive()) return;
          Vec3 sum = Vec3::Zero();
          for_each_side([&](const JacobiScratch::Side& side, double weight) {
            sum += Law::TermOnBody(arrays.All()[side.slot.batch].data, side.slot.lane, side.sign,
                                   weight * arrays.Impulse(side.slot));
          });
          Law::ApplySum(sum, line);
        }
      });
    }
  }
}

void CoarseCorrection::FindProducts(std::span<const SphereBody> bodies) {
  const std::size_t owned = bodies.size();
  products_.resize((owned + kLanes - 1) / kLanes);
  for (std::size_t k = 0; k < products_.size(); ++k) {
    Bodies8 loads[3];
    for (std::size_t modulo = 0; modulo < 3; ++modulo) {
      double* lines[kLanes];
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        lines[lane] = LineOf(loads_[std::min(k * kLanes + lane, owned - 1)].by_basis[modulo]);
      }
      loads[modulo].fields = LoadLines(lines);
    }
    for (std::size_t modulo = 0; modulo < 3; ++modulo) {
      products_[k].same[modulo] = Product(loads[modulo], loads[modulo]);
      products_[k].next[modulo] = Product(loads[modulo], loads[(modulo + 1) % 3]);
    }
  }
}

void CoarseCorrection::FindProducts(std::span<const RigidBody> bodies) {
  products_.resize((bodies.size() + kLanes - 1) / kLanes);
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const auto& loads = loads_[i].by_basis;
    Products& packet = products_[i / kLanes];
    for (std::size_t modulo = 0; modulo < 3; ++modulo) {
      packet.same[modulo][i % kLanes] = Product(bodies[i], loads[modulo], loads[modulo]);
      packet.next[modulo][i % kLanes] = Product(bodies[i], loads[modulo], loads[(modulo + 1) % 3]);
    }
  }
}

/// Computes C and α, with the same bits on all ranks and for any number of ranks.
template <class Body>
void CoarseCorrection::FindAmplitudes(const CoarseInput& input, CoarseSync& sync,
                                      std::span<const double> body_levels,
                                      std::span<const Body> bodies) {
  constexpr std::size_t kEntries = 3;  // Cₖₖ, Cₖ,ₖ₊₁, Cₖ,ₖ₊₂
  FindProducts(bodies.first(input.owned));
  double largest[1] = {0.0};
  for (std::size_t i = 0; i < input.owned; ++i) {
    for (std::size_t modulo = 0; modulo < 3; ++modulo) {
      largest[0] = std::max(largest[0], ScaleOf(bodies[i]) * ProductOf(i, modulo, modulo));
    }
  }
  sync.Max(largest);
  const ExactTerms matrix_terms(largest[0]);

  const std::size_t count = amplitudes_.size();
  sums_.assign(kEntries * count, 0);
  for (std::size_t i = 0; i < input.owned; ++i) {
    const std::int64_t first = FirstBasisAt(body_levels[i]);
    const std::size_t lowest = Modulo3(first);
    for (std::size_t k = 0; k < 3; ++k) {
      for (std::size_t l = k; l < 3; ++l) {
        const double product = ProductOf(i, (lowest + k) % 3, (lowest + l) % 3);
        AddTerm(first + static_cast<std::int64_t>(k), l - k, kEntries,
                matrix_terms.Round(ScaleOf(bodies[i]) * product));
      }
    }
  }
  sync.Sum(sums_);
  matrix_.resize(count);
  for (std::size_t k = 0; k < count; ++k) {
    for (std::size_t d = 0; d < 3; ++d) matrix_[k][d] = matrix_terms.Value(sums_[kEntries * k + d]);
  }
  MinimizeBanded(matrix_, right_, kLower, kUpper, banded_, amplitudes_);
}

/// Scales λ of all contacts, and L of laws whose limit is proportional to λ.
void CoarseCorrection::ScaleLoads(ContactBatches& batches) const {
  const std::span<ContactBatch> all = batches.All();
  for (std::size_t k = 0; k < all.size(); ++k) {
    Double8 factor;
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const BasisAt basis(batches_[k].level[lane]);
      const double lower = AmplitudeOf(basis.below), upper = AmplitudeOf(basis.below + 1);
      factor[lane] = 1.0 + lower + basis.fraction * (upper - lower);
    }
    SetImpulseOf(all[k], Scaled(factor, ImpulseOf(all[k])));
    ForEachLaw([&](auto law) {
      using Law = typename decltype(law)::type;
      LawArrays<Law>& arrays = batches.ArraysOf<Law>();
      if (!Law::kGrowsWithLoad || !arrays.IsActive()) return;
      SetImpulseOf(arrays.All()[k], Scaled(factor, ImpulseOf(arrays.All()[k])));
    });
  }
}

template <class Body>
void CoarseCorrection::UpdateOwned(std::size_t owned, std::span<const double> body_levels,
                                   std::span<Body> bodies) const {
  for (std::size_t i = 0; i < owned; ++i) {
    const std::int64_t first = FirstBasisAt(body_levels[i]);
    for (std::int64_t k = first; k < first + 3; ++k) {
      AddImpulses(loads_[i].by_basis[Modulo3(k)], AmplitudeOf(k), bodies[i]);
    }
  }
}

template bool CoarseCorrection::Correct(const CoarseLevels&, const CoarseInput&, CoarseSync&,
                                        std::vector<double>&, ContactBatches&,
                                        std::vector<SphereBody>&);
template bool CoarseCorrection::Correct(const CoarseLevels&, const CoarseInput&, CoarseSync&,
                                        std::vector<double>&, ContactBatches&,
                                        std::vector<RigidBody>&);

std::size_t CoarseCorrection::Bytes() const {
  return batches_.capacity() * sizeof(Batch) + loads_.capacity() * sizeof(BasisImpulses) +
         products_.capacity() * sizeof(Products);
}

}  // namespace scree
