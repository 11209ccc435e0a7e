#include "solvers/block_gauss_seidel.hpp"

#include "solvers/check.hpp"
#include "solvers/general_relaxation.hpp"
#include "solvers/sphere_contact.hpp"

namespace scree {
namespace {

/// Body lines as the eight fields of SphereBody: v, w, u, r.
struct Bodies8 {
  Fields8 fields;

  Vector3<Double8> V() const { return {fields.field[0], fields.field[1], fields.field[2]}; }
  const Double8& W() const { return fields.field[3]; }
  Vector3<Double8> U() const { return {fields.field[4], fields.field[5], fields.field[6]}; }

  SCREE_INLINE void Accelerate(const Vector3<Double8>& impulse) {
    fields.field[0] = Fma(W(), impulse.x, fields.field[0]);
    fields.field[1] = Fma(W(), impulse.y, fields.field[1]);
    fields.field[2] = Fma(W(), impulse.z, fields.field[2]);
  }
  SCREE_INLINE void Decelerate(const Vector3<Double8>& impulse) {
    fields.field[0] = Fnma(W(), impulse.x, fields.field[0]);
    fields.field[1] = Fnma(W(), impulse.y, fields.field[1]);
    fields.field[2] = Fnma(W(), impulse.z, fields.field[2]);
  }
  /// The torque has the same sign for both bodies.
  SCREE_INLINE void Spin(const Vector3<Double8>& torque) {
    fields.field[4] = Fnma(W(), torque.x, fields.field[4]);
    fields.field[5] = Fnma(W(), torque.y, fields.field[5]);
    fields.field[6] = Fnma(W(), torque.z, fields.field[6]);
  }
};

SCREE_INLINE Vector3<Double8> Minus(const Vector3<Double8>& a, const Vector3<Double8>& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}

SCREE_INLINE void Point(const std::array<BodyOffset, kLanes>& offsets, SphereBody* bodies,
                        double* (&lines)[kLanes]) {
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    lines[lane] = reinterpret_cast<double*>(reinterpret_cast<std::byte*>(bodies) + offsets[lane]);
  }
}

SCREE_INLINE void RelaxBatch(ContactBatch& batch, SphereBody* bodies) {
  double* a_lines[kLanes];
  double* b_lines[kLanes];
  Point(batch.a, bodies, a_lines);
  Point(batch.b, bodies, b_lines);
  Bodies8 a{LoadLines(a_lines)};
  Bodies8 b{LoadLines(b_lines)};

  const Vector3<Double8> n = {batch.normal[0], batch.normal[1], batch.normal[2]};
  const Vector3<Double8> impulse = {batch.impulse[0], batch.impulse[1], batch.impulse[2]};
  const Vector3<Double8> u_a = a.U(), u_b = b.U();
  const Vector3<Double8> u_sum = {u_a.x + u_b.x, u_a.y + u_b.y, u_a.z + u_b.z};
  const Vector3<Double8> delta_v = Minus(Minus(a.V(), b.V()), Cross(u_sum, n));
  const Vector3<Double8> solved =
      SolveSphereContact(n, batch.effective_mass, batch.friction, impulse, delta_v, batch.bias);
  const Vector3<Double8> change = Minus(solved, impulse);
  batch.impulse[0] = solved.x;
  batch.impulse[1] = solved.y;
  batch.impulse[2] = solved.z;

  const Vector3<Double8> lever = {kMassOverInertia * n.x, kMassOverInertia * n.y,
                                  kMassOverInertia * n.z};
  const Vector3<Double8> torque = Cross(lever, change);
  a.Accelerate(change);
  a.Spin(torque);
  b.Decelerate(change);
  b.Spin(torque);
  StoreLines(a.fields, a_lines);
  StoreLines(b.fields, b_lines);
}

void SweepByGeneralKernel(ContactLaw law, ContactBatches& batches, SphereBody* bodies) {
  for (std::size_t j = 0; j < batches.Size(); ++j) {
    const Contact contact = batches.At(j);
    Vec3 impulse = batches.Impulse(j);
    RelaxByGeneralKernel(contact, law, impulse, bodies[contact.a], bodies[contact.b]);
    batches.SetImpulse(j, impulse);
  }
}

void Sweep(Kernel kernel, ContactBatches& batches, SphereBody* bodies) {
  switch (kernel) {
    case Kernel::kSphere:
      for (ContactBatch& batch : batches.All()) RelaxBatch(batch, bodies);
      break;
    case Kernel::kMaxDissipation:
      SweepByGeneralKernel(ContactLaw::kMaxDissipation, batches, bodies);
      break;
    case Kernel::kCoulomb:
      SweepByGeneralKernel(ContactLaw::kCoulomb, batches, bodies);
      break;
  }
}

}  // namespace

void BlockGaussSeidel(const SolverParameters& parameters, VelocitySync& sync,
                      ContactBatches& batches, std::vector<SphereBody>& bodies) {
  const std::size_t count = bodies.size();
  bodies.emplace_back();  // the padding body
  const std::span<SphereBody> real = std::span(bodies).first(count);
  sync.Start(real);
  for (int sweep = 0; sweep < parameters.sweeps; ++sweep) {
    Sweep(parameters.kernel, batches, bodies.data());
    sync.Combine(real);
  }
  bodies.pop_back();
}

void BlockGaussSeidel(const ContactProblem& problem, const SolverParameters& parameters,
                      VelocitySync& sync, ContactSolution& solution) {
  SCREE_DEMAND(solution.impulses.size() == problem.contacts.size());
  ContactBatches batches;
  batches.Begin(problem.contacts.size(), problem.first_fixed, solution.bodies.size(),
                [&](std::size_t j) {
                  return ContactBatches::Pair{problem.contacts[j].a, problem.contacts[j].b};
                });
  for (std::size_t j = 0; j < batches.Size(); ++j) {
    batches.Set(j, problem.contacts[j], solution.impulses[j]);
  }
  BlockGaussSeidel(parameters, sync, batches, solution.bodies);
  for (std::size_t j = 0; j < batches.Size(); ++j) solution.impulses[j] = batches.Impulse(j);
}

}  // namespace scree
