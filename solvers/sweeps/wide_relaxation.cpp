#include "solvers/sweeps/wide_relaxation.hpp"

#include <algorithm>

#include "solvers/sweeps/general_relaxation.hpp"

namespace scree {
namespace {

Vec3 LaneOf(const Double8 (&fields)[3], std::size_t lane) {
  return {fields[0][lane], fields[1][lane], fields[2][lane]};
}

template <class Body>
const Body& BodyAt(const Body* bodies, BodyOffset offset) {
  return bodies[offset / sizeof(Body)];
}

/// The arms of a sphere are parallel to the normal.
ContactArms ArmsOfLane(const Contact& contact, const ArmBatch*, std::size_t, const SphereBody& a,
                       const SphereBody& b) {
  return {-a.radius * contact.normal, b.radius * contact.normal};
}
ContactArms ArmsOfLane(const Contact&, const ArmBatch* arms, std::size_t lane, const RigidBody&,
                       const RigidBody&) {
  return {LaneOf(arms->a, lane), LaneOf(arms->b, lane)};
}

/// Sets the coordinates of one lane to those of its impulse in the basis (n, t₁, t₂).
template <ContactLaw kLaw>
void SetCoordinates(const Vec3& normal, const Vec3& impulse, std::size_t lane,
                    KernelState<kLaw>& kernel) {
  const Vec3 t1 = LaneOf(kernel.t1, lane), t2 = LaneOf(kernel.t2, lane);
  const Vec3 tangential = impulse - impulse.dot(normal) * normal;
  const double area = normal.dot(t1.cross(t2));
  kernel.x.n[lane] = impulse.dot(normal);
  kernel.x.y1[lane] = normal.dot(tangential.cross(t2)) / area;
  kernel.x.y2[lane] = normal.dot(t1.cross(tangential)) / area;
}

}  // namespace

template <class Body, ContactLaw kLaw>
double SolveScalarLanes(const ContactBatch& batch, const ArmBatch* arms, const Body* bodies,
                        KernelState<kLaw>& kernel, Relaxed8& relaxed) {
  double largest = 0.0;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    if ((relaxed.scalar_lanes >> lane & 1u) == 0) continue;
    Contact contact;
    contact.normal = LaneOf(batch.normal, lane);
    contact.bias = batch.bias[lane];
    contact.effective_mass = batch.effective_mass[lane];
    contact.friction = batch.friction[lane];
    const Body& a = BodyAt(bodies, batch.a[lane]);
    const Body& b = BodyAt(bodies, batch.b[lane]);
    const ContactArms lane_arms = ArmsOfLane(contact, arms, lane, a, b);
    const GeneralSolution solved =
        SolveByGeneralKernel(contact, lane_arms, kLaw, LaneOf(batch.impulse, lane), a, b);
    relaxed.impulse.x[lane] = solved.impulse.x();
    relaxed.impulse.y[lane] = solved.impulse.y();
    relaxed.impulse.z[lane] = solved.impulse.z();
    SetCoordinates(contact.normal, solved.impulse, lane, kernel);
    largest = std::max(largest, solved.change);
  }
  return largest;
}

template double SolveScalarLanes(const ContactBatch&, const ArmBatch*, const SphereBody*,
                                 KernelState<ContactLaw::kMaxDissipation>&, Relaxed8&);
template double SolveScalarLanes(const ContactBatch&, const ArmBatch*, const SphereBody*,
                                 KernelState<ContactLaw::kCoulomb>&, Relaxed8&);
template double SolveScalarLanes(const ContactBatch&, const ArmBatch*, const RigidBody*,
                                 KernelState<ContactLaw::kMaxDissipation>&, Relaxed8&);
template double SolveScalarLanes(const ContactBatch&, const ArmBatch*, const RigidBody*,
                                 KernelState<ContactLaw::kCoulomb>&, Relaxed8&);

}  // namespace scree
