/// \file  The interface of an additional contact law, which acts in addition to the contact impulse
///        λ: data, relaxation, residual and a stored impulse.
///
/// Such a law has an impulse for each contact [N s]: in world axes, L acts on body a and −L on body
/// b. L⋅δw is the work of L, which defines the velocity δw of the law. Either L is relaxed after λ,
/// for the current λ of the contact, with a scalar block A_w: L changes δw by A_w L. Or L is given
/// and constant in a step: bodies receive it before the first sweep, and sweeps ignore it. The
/// concepts below list the members that a law needs. solvers/batches/additional_laws.hpp lists the
/// laws.
///
/// From step to step only L is stored for a contact. This requires solver.warm_start and λ ≠ 0.
#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

#include "solvers/base/check.hpp"
#include "solvers/batches/contact_batch.hpp"
#include "solvers/batches/contact_colouring.hpp"
#include "solvers/one_contact/contact.hpp"
#include "solvers/one_contact/sphere_contact.hpp"
#include "solvers/simd/simd.hpp"

namespace scree {

template <class Body>
class BatchBodies;  // solvers/batches/batch_bodies.hpp

/// The contact data that a law receives at the start of a step.
struct LawContact {
  double radius_a = 0.0;  // radius of curvature of a at the contact; kFlatRadius: flat [m]
  double radius_b = 0.0;  // radius of curvature of b; a wall is flat [m]
  double gap = 0.0;       // ξ at the beginning of the step [m]
  double dt = 0.0;        // [s]
  double held_gap = 0.0;  // cohesion without a range of its own acts at least up to this gap [m]
};

// clang-format off
/// kName             the name of the dataset of stored impulses in checkpoints; never changes
/// kIsGiven          true: L = −pull n, with `pull` in the data. L acts at the point of λ, and so
///                   rotates rigid bodies. false: L is relaxed
/// kGrowsWithLoad    whether L is scaled with λ (by a coarse correction or a line search)
/// kActsAsLambda     true: δw is the velocity δv of the contact, and L acts at its point as λ does.
///                   Such a law needs none of Velocity, Apply, TermOnBody and ApplySum
/// kIsOfBonds        true: bonds set its data, and no pair of materials has it
/// Pair              coefficients of a pair of materials; IsActive() is false if none has an effect
/// Range             the widest gap at which the law attracts, if the smaller body has this radius;
///                   0 if it does not attract. Contacts up to this gap are active
/// Data<Real>        the data of one contact or of a packet of eight: members of type Real only
/// MakeData          makes these data, without effective mass, from coefficients and a LawContact
/// Apply             applies L to both bodies of a packet of eight contacts
/// TermOnBody        the term of a contact in the sum over a body's contacts; sign: a +1, b −1
/// ApplySum          applies this sum to the body
/// WrenchOnA         force and moment of L on body a if b is a wall
template <class Law>
concept AdditionalLaw = requires(
    const typename Law::Pair& pair, const typename Law::template Data<double>& data,
    const typename Law::template Data<Double8>& data8, double x, const Double8& x8, const Vec3& v,
    const Vector3<double>& w, const Vector3<Double8>& w8, SphereBody& body,
    BatchBodies<SphereBody>& bodies8, const LawContact& contact) {
  { Law::kName } -> std::convertible_to<const char*>;
  { Law::kIsGiven } -> std::convertible_to<bool>;
  { Law::kGrowsWithLoad } -> std::convertible_to<bool>;
  { pair.IsActive() } -> std::same_as<bool>;
  { pair == pair } -> std::same_as<bool>;
  { Law::Range(pair, x) } -> std::same_as<double>;
  { Law::MakeData(pair, contact) } -> std::same_as<typename Law::template Data<double>>;
  { Law::kActsAsLambda } -> std::convertible_to<bool>;
  { Law::kIsOfBonds } -> std::convertible_to<bool>;
  requires !(Law::kIsGiven && Law::kGrowsWithLoad);
  requires !(Law::kActsAsLambda && Law::kGrowsWithLoad);
  { Law::WrenchOnA(data, v, x) } -> std::same_as<Wrench>;
} && (Law::kActsAsLambda || requires(const typename Law::template Data<Double8>& data8, double x,
                                     const Vec3& v, const Vector3<Double8>& w8, SphereBody& body,
                                     BatchBodies<SphereBody>& bodies8) {
  Law::Apply(data8, w8, bodies8);
  { Law::TermOnBody(data8, std::size_t{}, x, v) } -> std::same_as<Vec3>;
  Law::ApplySum(v, body);
});

/// A law with a relaxed L also has:
///
/// kRemoteWeight     weight of contacts on other ranks (`remote_weight` of SharingFactor)
/// Data<Real>        has an `effective_mass`, 1/(κ A_w)
/// ScalarBlock       A_w of two bodies [1/kg]
/// Velocity          δw [m/s], of one contact and of a packet, with the pair of bodies
/// Solve             L* with all else fixed, from 1/A_w or 1/(κ A_w), L and δw; for one contact and
///                   a packet. If a and b are exchanged and all signs change, only the sign of L*
///                   may change (solvers/sweeps/block_jacobi). With 1/A_w = 0 Solve projects L to
///                   its admissible set
template <class Law>
concept RelaxedLaw = AdditionalLaw<Law> && !Law::kIsGiven && requires(
    const typename Law::template Data<double>& data,
    const typename Law::template Data<Double8>& data8, double x, const Double8& x8,
    const Vector3<double>& w, const Vector3<Double8>& w8, SphereBody& body,
    BatchBodies<SphereBody>& bodies8) {
  { Law::kRemoteWeight } -> std::convertible_to<Index>;
  { data.effective_mass } -> std::convertible_to<double>;
  { Law::ScalarBlock(data, x, x) } -> std::same_as<double>;
  { Law::Solve(w, x, data, x, w, w) } -> std::same_as<Vector3<double>>;
  { Law::Solve(w8, x8, data8, x8, w8, w8) } -> std::same_as<Vector3<Double8>>;
} && (Law::kActsAsLambda || requires(const typename Law::template Data<double>& data,
                                     const typename Law::template Data<Double8>& data8,
                                     SphereBody& body, BatchBodies<SphereBody>& bodies8) {
  { Law::Velocity(data, body, body) } -> std::convertible_to<Vec3>;
  { Law::Velocity(data8, bodies8) } -> std::same_as<Vector3<Double8>>;
});

template <class Law>
concept GivenOrRelaxedLaw = RelaxedLaw<Law> || (AdditionalLaw<Law> && Law::kIsGiven);
// clang-format on

// ---- one contact

/// L* of one contact.
/// @param lambda  the contact's impulse λ [N s]
template <RelaxedLaw Law>
Vec3 SolveLaw(const Vec3& normal, const typename Law::template Data<double>& data,
              const Vec3& lambda, double inverse_a, const Vec3& impulse, const Vec3& delta_w) {
  const auto entries = [](const Vec3& v) { return Vector3<double>{v.x(), v.y(), v.z()}; };
  const Vector3<double> n = entries(normal);
  const Vector3<double> solved =
      Law::Solve(n, Dot(entries(lambda), n), data, inverse_a, entries(impulse), entries(delta_w));
  return {solved.x, solved.y, solved.z};
}

/// L of a contact at the start of a step: the given L, or the L of the last step, projected to the
/// admissible set for the new normal and λ.
template <class Law>
Vec3 StartingLawImpulse(const Vec3& normal, const typename Law::template Data<double>& data,
                        const Vec3& lambda, const Vec3& impulse) {
  if constexpr (Law::kIsGiven) {
    return -data.pull * normal;
  } else {
    return SolveLaw<Law>(normal, data, lambda, 0.0, impulse, Vec3::Zero());
  }
}

/// The magnitude of the change of δw by one more relaxation of L [m/s].
template <RelaxedLaw Law>
double ResidualOfLaw(const Vec3& normal, const typename Law::template Data<double>& data,
                     const Vec3& lambda, const Vec3& impulse, const SphereBody& a,
                     const SphereBody& b) {
  const double a_w = Law::ScalarBlock(data, a.inverse_mass, b.inverse_mass);
  Vec3 delta_w;
  if constexpr (Law::kActsAsLambda) {
    delta_w = RelativeVelocity(a, b, normal);
  } else {
    delta_w = Law::Velocity(data, a, b);
  }
  const Vec3 relaxed = SolveLaw<Law>(normal, data, lambda, 1.0 / a_w, impulse, delta_w);
  return a_w * (relaxed - impulse).norm();
}

// ---- eight contacts

/// Data and impulses of a law for one ContactBatch; all zero in a lane without a contact.
template <class Law>
struct LawBatch {
  typename Law::template Data<Double8> data;
  Double8 impulse[3];  // L [N s]
};

/// δw of a batch.
template <RelaxedLaw Law, class Bodies>
SCREE_INLINE Vector3<Double8> VelocityOfLawBatch(const Vector3<Double8>& n,
                                                 const LawBatch<Law>& law_batch,
                                                 const Bodies& bodies) {
  if constexpr (Law::kActsAsLambda) {
    return bodies.RelativeVelocity(n);
  } else {
    return Law::Velocity(law_batch.data, bodies);
  }
}

template <class Law, class Bodies>
SCREE_INLINE void ApplyLawImpulse(const Vector3<Double8>& n, const LawBatch<Law>& law_batch,
                                  const Vector3<Double8>& impulse, Bodies& bodies) {
  if constexpr (Law::kActsAsLambda) {
    bodies.Apply(n, impulse);
  } else {
    Law::Apply(law_batch.data, impulse, bodies);
  }
}

/// Replaces L of a batch by its solution for these velocities and the current λ.
/// @returns the change of L
template <RelaxedLaw Law, class Bodies>
SCREE_INLINE Vector3<Double8> SolveLawBatch(const ContactBatch& batch, LawBatch<Law>& law_batch,
                                            const Bodies& bodies) {
  const Vector3<Double8> n = NormalOf(batch);
  const Vector3<Double8> impulse = ImpulseOf(law_batch);
  const Vector3<Double8> solved =
      Law::Solve(n, Dot(ImpulseOf(batch), n), law_batch.data, law_batch.data.effective_mass,
                 impulse, VelocityOfLawBatch(n, law_batch, bodies));
  SetImpulseOf(law_batch, solved);
  return Minus(solved, impulse);
}

/// In each lane the maximum of `largest` and the square of the change of δw, ‖ΔL‖² (κ A_w)².
template <RelaxedLaw Law>
SCREE_INLINE Double8 MaxSquaredChange(const LawBatch<Law>& law_batch,
                                      const Vector3<Double8>& change, const Double8& largest) {
  const Double8& mass = law_batch.data.effective_mass;
  const Double8 velocity = Dot(change, change) / (mass * mass);
  return Select(velocity > largest, velocity, largest);  // false for lanes without a contact
}

// ---- all contacts of a problem

/// Data and impulses of a law in the batches of a layout.
template <class Law>
class LawArrays {
 public:
  using Data = typename Law::template Data<double>;
  static constexpr bool kIsGiven = Law::kIsGiven;

  void Reserve(std::size_t batches) { batches_.reserve(batches); }
  /// Activates the law. The data of all contacts are zero until Set.
  void Begin(std::size_t batches) {
    is_active_ = true;
    batches_.assign(batches, LawBatch<Law>{});
  }
  void Clear() {
    is_active_ = false;
    batches_.clear();
  }

  /// Whether Begin was called. True also for a problem without contacts, so that all ranks agree.
  bool IsActive() const { return is_active_; }

  void Set(ContactSlot slot, const Data& data, const Vec3& impulse) {
    const auto numbers = std::bit_cast<Numbers>(data);
    for (std::size_t k = 0; k < numbers.size(); ++k) {
      std::memcpy(Lane(batches_[slot.batch], k, slot.lane), &numbers[k], sizeof(double));
    }
    SetImpulse(slot, impulse);
  }
  Data At(ContactSlot slot) const {
    Numbers numbers;
    for (std::size_t k = 0; k < numbers.size(); ++k) {
      std::memcpy(&numbers[k], Lane(batches_[slot.batch], k, slot.lane), sizeof(double));
    }
    return std::bit_cast<Data>(numbers);
  }
  /// L; zero if the law is inactive.
  Vec3 Impulse(ContactSlot slot) const {
    if (!is_active_) return Vec3::Zero();
    const LawBatch<Law>& batch = batches_[slot.batch];
    return {batch.impulse[0][slot.lane], batch.impulse[1][slot.lane], batch.impulse[2][slot.lane]};
  }
  void SetImpulse(ContactSlot slot, const Vec3& impulse) {
    LawBatch<Law>& batch = batches_[slot.batch];
    for (int axis = 0; axis < 3; ++axis) batch.impulse[axis][slot.lane] = impulse[axis];
  }

  /// One entry per batch of the layout; empty if the law is inactive.
  std::span<LawBatch<Law>> All() { return batches_; }
  std::size_t Bytes() const { return batches_.capacity() * sizeof(LawBatch<Law>); }

 private:
  using Numbers = std::array<double, sizeof(Data) / sizeof(double)>;
  static_assert(sizeof(typename Law::template Data<Double8>) == kLanes * sizeof(Data) &&
                    std::is_trivially_copyable_v<typename Law::template Data<Double8>>,
                "Data of a law must have Reals and nothing else");

  template <class Batch>
  static auto* Lane(Batch& batch, std::size_t number, std::size_t lane) {
    using Byte = std::conditional_t<std::is_const_v<Batch>, const std::byte, std::byte>;
    return reinterpret_cast<Byte*>(&batch.data) + (number * kLanes + lane) * sizeof(double);
  }

  bool is_active_ = false;
  std::vector<LawBatch<Law>> batches_;
};

}  // namespace scree
