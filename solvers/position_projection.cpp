#include "solvers/position_projection.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "solvers/batch_relaxation.hpp"
#include "solvers/check.hpp"
#include "solvers/simd.hpp"

namespace scree {
namespace {

/// No body moves so far: lanes without a contact have this gap.
constexpr double kFar = 1e100;

template <class Body>
SCREE_INLINE void PointAt(const std::array<BodyOffset, kLanes>& offsets, Body* bodies,
                          double* (&lines)[kLanes]) {
  constexpr BodyOffset kRatio = sizeof(SphereBody) / sizeof(Body);
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    lines[lane] =
        reinterpret_cast<double*>(reinterpret_cast<std::byte*>(bodies) + offsets[lane] / kRatio);
  }
}

SCREE_INLINE Double8 Along(const ContactBatch& batch, const Fields4& a, const Fields4& b) {
  const Vector3<Double8> n = {batch.normal[0], batch.normal[1], batch.normal[2]};
  return Dot(n, {a.field[0] - b.field[0], a.field[1] - b.field[1], a.field[2] - b.field[2]});
}

SCREE_INLINE void PrefetchBodies(const ContactBatch& batch, const Displacement* bodies) {
  const auto* start = reinterpret_cast<const std::byte*>(bodies);
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    __builtin_prefetch(start + batch.a[lane] / 2);
    __builtin_prefetch(start + batch.b[lane] / 2);
  }
}

/// @returns p* − p
SCREE_INLINE Double8 SolveGaps(double relaxation, const ContactBatch& batch, ProjectionBatch& its,
                               const Fields4& a, const Fields4& b) {
  const Double8 zero = {};
  const Double8 step =
      Fnma(Along(batch, a, b) + its.gap, relaxation * batch.effective_mass, its.impulse);
  const Double8 solved = Select(step > zero, step, zero);
  const Double8 change = solved - its.impulse;
  its.impulse = solved;
  return change;
}

SCREE_INLINE void RelaxGaps(double relaxation, const ContactBatch& batch, ProjectionBatch& its,
                            Displacement* bodies) {
  double* a_lines[kLanes];
  double* b_lines[kLanes];
  PointAt(batch.a, bodies, a_lines);
  PointAt(batch.b, bodies, b_lines);
  Fields4 a = LoadHalfLines(a_lines), b = LoadHalfLines(b_lines);
  const Double8 change = SolveGaps(relaxation, batch, its, a, b);
  const Double8 move_a = a.field[3] * change, move_b = b.field[3] * change;
  for (int axis = 0; axis < 3; ++axis) {
    a.field[axis] = Fma(move_a, batch.normal[axis], a.field[axis]);
    b.field[axis] = Fnma(move_b, batch.normal[axis], b.field[axis]);
  }
  StoreHalfLines(a, a_lines);
  StoreHalfLines(b, b_lines);
}

}  // namespace

void PositionProjection::Reserve(std::size_t batches, std::size_t bodies) {
  batches_.reserve(batches);
  active_.reserve(batches);
  displacements_.reserve(bodies + 1);
}

void PositionProjection::Begin(const ContactBatches& batches) {
  const Double8 zero = {};
  batches_.assign(batches.Batches(), {zero + kFar, zero});
  displacements_.clear();
}

void PositionProjection::Predict(const ProjectionParameters& parameters, double dt,
                                 ContactBatches& batches, std::vector<SphereBody>& bodies) {
  displacements_.resize(bodies.size() + 1);
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    displacements_[i] = {Vec3::Zero(), bodies[i].inverse_mass};
  }
  displacements_.back() = {};
  bodies.emplace_back();  // the padding body
  const std::span<ContactBatch> all = batches.All();
  active_.clear();
  first_.clear();
  for (std::size_t p = 0; p < batches.Pieces(); ++p) {
    first_.push_back(active_.size());
    const std::size_t begin = ContactBatches::FirstOf(p);
    for (std::size_t k = begin; k < begin + batches.Piece(p).size(); ++k) {
      double* a_lines[kLanes];
      double* b_lines[kLanes];
      PointAt(all[k].a, bodies.data(), a_lines);
      PointAt(all[k].b, bodies.data(), b_lines);
      const Double8 speed = Along(all[k], LoadHalfLines(a_lines), LoadHalfLines(b_lines));
      const Double8 gap = Fma(speed, dt + Double8{}, batches_[k].gap) + parameters.slop;
      batches_[k].gap = Select(gap < Double8{}, parameters.share * gap, gap);
      active_.push_back(static_cast<std::uint32_t>(k));
    }
  }
  first_.push_back(active_.size());
  bodies.pop_back();
}

void PositionProjection::Sweep(const ProjectionParameters& parameters, double dt,
                               std::size_t shared, BodySync<Displacement>& sync,
                               ContactBatches& batches, std::vector<SphereBody>& bodies) {
  Predict(parameters, dt, batches, bodies);
  const std::span<Displacement> real = std::span(displacements_).first(bodies.size());
  const std::span<ContactBatch> all = batches.All();
  Displacement* const moved = displacements_.data();
  const auto relax = [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      const std::size_t k = active_[i];
      if (i + 3 < last) PrefetchBodies(all[active_[i + 3]], moved);
      RelaxGaps(parameters.relaxation, all[k], batches_[k], moved);
    }
  };
  if (!sync.IsNeeded()) {
    constexpr int kDepth = 8;
    std::array<std::size_t, kDepth> done;
    for (int first = 0; first < parameters.sweeps; first += kDepth) {
      const auto depth = static_cast<std::size_t>(std::min(kDepth, parameters.sweeps - first));
      const auto advance = [&](std::size_t sweep) {
        const std::size_t p = done[sweep]++;
        relax(first_[p], first_[p + 1]);
      };
      done.fill(0);
      while (done[depth - 1] < batches.Pieces()) {
        if (done[0] < batches.Pieces()) advance(0);
        for (std::size_t sweep = 1; sweep < depth; ++sweep) {
          while (done[sweep] < done[sweep - 1] && batches.Needs(done[sweep]) < done[sweep - 1]) {
            advance(sweep);
          }
        }
      }
    }
    return;
  }
  sync.Start(real);
  const auto here =
      std::lower_bound(active_.begin(), active_.end(), batches.BatchesOfFirst(shared));
  const auto of_shared = static_cast<std::size_t>(here - active_.begin());
  const std::size_t middle = of_shared + (active_.size() - of_shared) / 2;
  for (int sweep = 0; sweep < parameters.sweeps; ++sweep) {
    relax(0, of_shared);
    sync.SendChanges(real);
    relax(of_shared, middle);
    sync.TakeChanges(real);
    relax(middle, active_.size());
    sync.TakeSums(real);
  }
}

void PositionProjection::SweepJacobi(const ProjectionParameters& parameters, double dt,
                                     std::size_t own, const JacobiScratch& scratch,
                                     BodySync<Displacement>& sync, ContactBatches& batches,
                                     std::vector<SphereBody>& bodies) {
  Predict(parameters, dt, batches, bodies);
  const std::span<Displacement> real = std::span(displacements_).first(bodies.size());
  const std::span<ContactBatch> all = batches.All();
  changes_.resize(all.size());
  for (int sweep = 0; sweep < parameters.sweeps; ++sweep) {
    for (std::size_t k = 0; k < all.size(); ++k) {
      double* a_lines[kLanes];
      double* b_lines[kLanes];
      PointAt(all[k].a, displacements_.data(), a_lines);
      PointAt(all[k].b, displacements_.data(), b_lines);
      const Double8 change =
          SolveGaps(1.0, all[k], batches_[k], LoadHalfLines(a_lines), LoadHalfLines(b_lines));
      changes_[k] = {change * all[k].normal[0], change * all[k].normal[1],
                     change * all[k].normal[2]};
    }
    for (std::size_t i = 0; i < own; ++i) {
      Vec3 sum = Vec3::Zero();
      for (Index s = scratch.first[i]; s < scratch.first[i + 1]; ++s) {
        const JacobiScratch::Side& side = scratch.sides[static_cast<std::size_t>(s)];
        const Vector3<Double8>& change = changes_[side.slot.batch];
        const auto lane = side.slot.lane;
        sum += side.sign * Vec3(change.x[lane], change.y[lane], change.z[lane]);
      }
      displacements_[i].d += displacements_[i].inverse_mass * sum;
    }
    sync.Refresh(real);
  }
}

}  // namespace scree
