#include "solvers/sweeps/load_scaling.hpp"

#include "solvers/base/check.hpp"
#include "solvers/batches/batch_bodies.hpp"
#include "solvers/sweeps/contact_work.hpp"

namespace scree {
namespace {

double SumOf(const Double8& lanes) {
  double sum = 0.0;
  for (std::size_t lane = 0; lane < kLanes; ++lane) sum += lanes[lane];
  return sum;
}

/// Δv⋅M Δv of a change of velocity; a patch of a wall has no rotation of its own.
double EnergyOf(const SphereBody& now, const SphereBody& free, bool turns) {
  const double turning = turns ? (now.u - free.u).squaredNorm() / kMassOverInertia : 0.0;
  return ((now.v - free.v).squaredNorm() + turning) / now.inverse_mass;
}
double EnergyOf(const RigidBody& now, const RigidBody& free, bool turns) {
  const Vec3 turn = now.omega - free.omega;
  const double turning =
      turns && !turn.isZero(0.0) ? turn.dot(now.InverseInertia().inverse() * turn) : 0.0;
  return (now.v - free.v).squaredNorm() / now.inverse_mass + turning;
}

void Extrapolate(double alpha, const SphereBody& free, SphereBody& now) {
  now.v += alpha * (now.v - free.v);
  now.u += alpha * (now.u - free.u);
}
void Extrapolate(double alpha, const RigidBody& free, RigidBody& now) {
  now.v += alpha * (now.v - free.v);
  now.omega += alpha * (now.omega - free.omega);
}

/// Of eight contacts λₙ.
SCREE_INLINE Double8 LoadOf(const ContactBatch& batch) {
  return Dot(ImpulseOf(batch), NormalOf(batch));
}

/// Of eight contacts g. Slip must stay out: it loses energy in the exact solution, too.
template <class Bodies>
SCREE_INLINE Double8 WorkOf(const ContactBatch& batch, const Bodies& bodies) {
  const Vector3<Double8> n = NormalOf(batch), impulse = ImpulseOf(batch);
  const Vector3<Double8> delta_v = bodies.RelativeVelocity(n);
  const Double8 normal = Dot(impulse, n), speed = Dot(delta_v, n);
  const Double8 limit = batch.friction * normal;
  const Double8 tangent = Dot(impulse, impulse) - normal * normal;
  const Double8 sticking = Dot(impulse, delta_v) - normal * speed;
  constexpr double kInside = 0.998;  // of the cone's width, squared
  return normal * (speed + batch.bias) +
         Select(tangent < kInside * limit * limit, sticking, Double8{});
}

/// Of eight contacts those of a heavy body with a light one.
template <class Bodies>
SCREE_INLINE Int8 IsHeavy(const Bodies& bodies) {
  const Double8 zero = {}, a = bodies.a.W(), b = bodies.b.W();
  const Double8 least = Select(a < b, a, b), most = Select(a < b, b, a);
  return (least > zero) & (kHeavyRatio * least < most);
}

}  // namespace

template <class Body>
LoadErrors FindLoadErrors(const ScaledBodies& which, ContactBatches& batches,
                          std::span<const Body> free, std::vector<Body>& bodies) {
  SCREE_DEMAND(free.size() == bodies.size() && which.own <= which.walls);
  LoadErrors errors;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const bool is_wall = i >= which.walls;
    if ((i >= which.own && !is_wall) || !(bodies[i].inverse_mass > 0.0)) continue;
    errors.energy += EnergyOf(bodies[i], free[i], !is_wall);
  }
  bodies.emplace_back();  // the padding body
  const std::span<ContactBatch> all = batches.All();
  const bool has_arms = batches.Kind() == BodyKind::kRigid;
  const Double8 zero = {};
  Double8 work = zero, heavy_work = zero, heavy_load = zero;
  for (std::size_t k = 0; k < all.size(); ++k) {
    const BatchBodies<Body> at(all[k], has_arms ? &batches.Arms()[k] : nullptr, bodies.data());
    const Double8 its = WorkOf(all[k], at);
    const Int8 is_heavy = IsHeavy(at);
    work += its;
    heavy_work += Select(is_heavy, its, zero);
    heavy_load += Select(is_heavy, LoadOf(all[k]), zero);
  }
  bodies.pop_back();
  errors.work = SumOf(work);
  errors.heavy_work = SumOf(heavy_work);
  errors.heavy_load = SumOf(heavy_load);
  return errors;
}

template <class Body>
void ScaleLoads(double alpha, ContactBatches& batches, std::span<const Body> free,
                std::span<Body> bodies) {
  SCREE_DEMAND(alpha > -1.0 && free.size() == bodies.size());
  ScaleImpulses(1.0 + alpha, batches);
  for (std::size_t i = 0; i < bodies.size(); ++i) Extrapolate(alpha, free[i], bodies[i]);
}

template LoadErrors FindLoadErrors(const ScaledBodies&, ContactBatches&,
                                   std::span<const SphereBody>, std::vector<SphereBody>&);
template LoadErrors FindLoadErrors(const ScaledBodies&, ContactBatches&, std::span<const RigidBody>,
                                   std::vector<RigidBody>&);
template void ScaleLoads(double, ContactBatches&, std::span<const SphereBody>,
                         std::span<SphereBody>);
template void ScaleLoads(double, ContactBatches&, std::span<const RigidBody>, std::span<RigidBody>);

}  // namespace scree
