/// \file  The bodies of eight contacts in registers, spheres or rigid bodies of any shape: relative
///        velocities, impulses, and the blocks A.
#pragma once

#include <cstddef>

#include "solvers/batches/contact_batch.hpp"
#include "solvers/batches/wide_block.hpp"
#include "solvers/one_contact/rigid_body.hpp"
#include "solvers/one_contact/sphere_contact.hpp"
#include "solvers/simd/simd.hpp"

namespace scree {

/// Both cache lines of eight rigid bodies: `motion` has v, w and ω, `inertia` has J.
struct RigidBodies8 {
  Fields8 motion, inertia;

  Vector3<Double8> V() const { return {motion.field[0], motion.field[1], motion.field[2]}; }
  const Double8& W() const { return motion.field[3]; }
  /// ω; additional laws use it where spheres have u.
  Vector3<Double8> U() const { return {motion.field[4], motion.field[5], motion.field[6]}; }

  /// J x
  SCREE_INLINE Vector3<Double8> MultiplyInverseInertia(const Vector3<Double8>& x) const {
    const auto& j = inertia.field;
    return {Fma(j[2], x.z, Fma(j[1], x.y, j[0] * x.x)), Fma(j[4], x.z, Fma(j[3], x.y, j[1] * x.x)),
            Fma(j[5], x.z, Fma(j[4], x.y, j[2] * x.x))};
  }
  /// Velocity of the end of an arm relative to the centre of mass.
  SCREE_INLINE Vector3<Double8> ArmVelocity(const Vector3<Double8>& arm) const {
    return Cross(U(), arm);
  }
  SCREE_INLINE void Accelerate(const Vector3<Double8>& impulse) {
    motion.field[0] = Fma(W(), impulse.x, motion.field[0]);
    motion.field[1] = Fma(W(), impulse.y, motion.field[1]);
    motion.field[2] = Fma(W(), impulse.z, motion.field[2]);
  }
  SCREE_INLINE void Decelerate(const Vector3<Double8>& impulse) {
    Accelerate({-impulse.x, -impulse.y, -impulse.z});
  }
  SCREE_INLINE void ApplyImpulse(const Vector3<Double8>& arm, const Vector3<Double8>& impulse) {
    Accelerate(impulse);
    AddSpin(Cross(arm, impulse));
  }
  /// Applies the angular impulse R L.
  /// @param fraction  R (RollingLaw::SetRigidFractions)
  SCREE_INLINE void Roll(const Double8& fraction, const Vector3<Double8>& impulse) {
    AddSpin({fraction * impulse.x, fraction * impulse.y, fraction * impulse.z});
  }
  SCREE_INLINE void AddSpin(const Vector3<Double8>& angular) {
    const Vector3<Double8> change = MultiplyInverseInertia(angular);
    motion.field[4] = motion.field[4] + change.x;
    motion.field[5] = motion.field[5] + change.y;
    motion.field[6] = motion.field[6] + change.z;
  }
  /// w E − [s]× J [s]× in a contact frame.
  SCREE_INLINE Block8 Mobility(const Vector3<Double8>& arm, const Vector3<Double8>& n,
                               const Tangents8& tangents) const {
    const Vector3<Double8> s_n = Cross(arm, n), s_t = Cross(arm, tangents.t),
                           s_o = Cross(arm, tangents.o);
    const Vector3<Double8> j_n = MultiplyInverseInertia(s_n), j_t = MultiplyInverseInertia(s_t),
                           j_o = MultiplyInverseInertia(s_o);
    return {W() + Dot(s_n, j_n), Dot(s_t, j_n), Dot(s_o, j_n),
            W() + Dot(s_t, j_t), Dot(s_o, j_t), W() + Dot(s_o, j_o)};
  }
};

/// Applies an impulse to both spheres of each contact.
SCREE_INLINE void ApplyToBodies(const Vector3<Double8>& n, const Vector3<Double8>& impulse,
                                Bodies8& a, Bodies8& b) {
  const Vector3<Double8> torque = ScaledTorque(n, impulse);
  a.Accelerate(impulse);
  a.Spin(torque);
  b.Decelerate(impulse);
  b.Spin(torque);
}

/// The bodies of a batch: loaded, changed, and stored.
template <class Body>
class BatchBodies;

template <>
class BatchBodies<SphereBody> {
 public:
  SCREE_INLINE BatchBodies(const ContactBatch& batch, const ArmBatch*, SphereBody* bodies) {
    FindLines(batch.a, bodies, a_lines_);
    FindLines(batch.b, bodies, b_lines_);
    a.fields = LoadLines(a_lines_);
    b.fields = LoadLines(b_lines_);
  }
  SCREE_INLINE void Store() const {
    StoreLines(a.fields, a_lines_);
    StoreLines(b.fields, b_lines_);
  }

  SCREE_INLINE Vector3<Double8> RelativeVelocity(const Vector3<Double8>& n) const {
    const Vector3<Double8> u_a = a.U(), u_b = b.U();
    const Vector3<Double8> u_sum = {u_a.x + u_b.x, u_a.y + u_b.y, u_a.z + u_b.z};
    return Minus(Minus(a.V(), b.V()), Cross(u_sum, n));
  }
  SCREE_INLINE void Apply(const Vector3<Double8>& n, const Vector3<Double8>& impulse) {
    ApplyToBodies(n, impulse, a, b);
  }
  /// RelativeVelocity and Apply without the rotation of spheres: for uses in which only the normal
  /// component of the velocity matters, and for impulses along the normal.
  SCREE_INLINE Vector3<Double8> VelocityAlongNormal() const { return Minus(a.V(), b.V()); }
  SCREE_INLINE void ApplyAlongNormal(const Vector3<Double8>& impulse) {
    a.Accelerate(impulse);
    b.Decelerate(impulse);
  }
  /// The arms of spheres are parallel to the normal, so only the masses matter.
  SCREE_INLINE Block8 Block(const Vector3<Double8>&, const Tangents8&) const {
    const Double8 zero = {}, nn = a.W() + b.W(), tt = kTangentOverNormal * nn;
    return {nn, zero, zero, tt, zero, tt};
  }
  /// The slip of the contacts due to restitution, zero for spheres.
  SCREE_INLINE Vector3<Double8> RestitutionSlip() const {
    const Double8 zero = {};
    return {zero, zero, zero};
  }

  Bodies8 a, b;

 private:
  double* a_lines_[kLanes];
  double* b_lines_[kLanes];
};

template <>
class BatchBodies<RigidBody> {
 public:
  SCREE_INLINE BatchBodies(const ContactBatch& batch, const ArmBatch* arms, RigidBody* bodies)
      : arm_a_{arms->a[0], arms->a[1], arms->a[2]},
        arm_b_{arms->b[0], arms->b[1], arms->b[2]},
        arms_(arms) {
    FindLines(batch.a, bodies, a_lines_);
    FindLines(batch.b, bodies, b_lines_);
    Load(a_lines_, a);
    Load(b_lines_, b);
  }
  SCREE_INLINE void Store() const {
    StoreLines(a.motion, a_lines_);
    StoreLines(b.motion, b_lines_);
  }

  SCREE_INLINE Vector3<Double8> RelativeVelocity(const Vector3<Double8>&) const {
    return VelocityAlongNormal();
  }
  SCREE_INLINE void Apply(const Vector3<Double8>&, const Vector3<Double8>& impulse) {
    ApplyAlongNormal(impulse);
  }
  // Rigid bodies also rotate here: impulses along the normal have arms.
  SCREE_INLINE Vector3<Double8> VelocityAlongNormal() const {
    // The same order of terms as in RelativeVelocity of solvers/one_contact/rigid_body.hpp.
    const Vector3<Double8> linear = Minus(a.V(), b.V());
    const Vector3<Double8> angular = Minus(a.ArmVelocity(arm_a_), b.ArmVelocity(arm_b_));
    return {linear.x + angular.x, linear.y + angular.y, linear.z + angular.z};
  }
  SCREE_INLINE void ApplyAlongNormal(const Vector3<Double8>& impulse) {
    a.ApplyImpulse(arm_a_, impulse);
    b.ApplyImpulse(arm_b_, {-impulse.x, -impulse.y, -impulse.z});
  }
  /// Adds the parts of a and b, so that the result does not depend on which body is a.
  SCREE_INLINE Block8 Block(const Vector3<Double8>& n, const Tangents8& tangents) const {
    const Block8 m_a = a.Mobility(arm_a_, n, tangents), m_b = b.Mobility(arm_b_, n, tangents);
    return {m_a.nn + m_b.nn, m_a.nt + m_b.nt, m_a.no + m_b.no,
            m_a.tt + m_b.tt, m_a.to + m_b.to, m_a.oo + m_b.oo};
  }
  SCREE_INLINE Vector3<Double8> RestitutionSlip() const {
    return {arms_->restitution_slip[0], arms_->restitution_slip[1], arms_->restitution_slip[2]};
  }

  RigidBodies8 a, b;

 private:
  SCREE_INLINE static void Load(double* const (&lines)[kLanes], RigidBodies8& bodies) {
    constexpr std::size_t kLine = 8;
    const double* second[kLanes];
    for (std::size_t lane = 0; lane < kLanes; ++lane) second[lane] = lines[lane] + kLine;
    bodies.motion = LoadLines(lines);
    bodies.inertia = LoadLines(second);
  }

  Vector3<Double8> arm_a_, arm_b_;
  const ArmBatch* arms_;
  double* a_lines_[kLanes];
  double* b_lines_[kLanes];
};

}  // namespace scree
