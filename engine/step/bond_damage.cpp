#include "engine/step/bond_damage.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/scene/wall_motion.hpp"
#include "solvers/base/exact_sum.hpp"
#include "solvers/batches/body_kinds.hpp"

namespace scree {
namespace {

/// Maximum number of sweeps of a step with damage bonds.
constexpr int kMaxDamageSweeps = 10240;
/// Sweeps end when the residual velocity at damage bonds, times dt, is below this fraction of the
/// displacement at the largest traction.
constexpr double kSolved = 1e-3;

/// Upper bounds of A_n and A_t of a contact, and A_n itself [1/kg].
struct DamageBlock {
  double normal, tangential, exact_normal;
};
DamageBlock BlockOf(const ContactBatches&, std::size_t, const Vec3&, const SphereBody& a,
                    const SphereBody& b) {
  const double normal = a.inverse_mass + b.inverse_mass;
  return {normal, kTangentOverNormal * normal, normal};
}
Mat3 MobilityMatrix(const RigidBody& body, const Vec3& arm) {
  Mat3 cross;
  cross << 0.0, -arm.z(), arm.y(), arm.z(), 0.0, -arm.x(), -arm.y(), arm.x(), 0.0;
  return body.inverse_mass * Mat3::Identity() - cross * body.InverseInertia() * cross;
}
/// The coupling of normal and tangent is added to both bounds.
DamageBlock BlockOf(const ContactBatches& batches, std::size_t j, const Vec3& n, const RigidBody& a,
                    const RigidBody& b) {
  const ContactArms arms = batches.ArmsAt(j);
  const Mat3 mobility_a = MobilityMatrix(a, arms.a), mobility_b = MobilityMatrix(b, arms.b);
  const Mat3 block = mobility_a + mobility_b;
  const Vec3 block_n = block * n;
  const double normal = block_n.dot(n), coupling = (block_n - normal * n).norm();
  const Mat3 plane = Mat3::Identity() - n * n.transpose();
  const Mat3 tangents = plane * block * plane;
  const double half = 0.5 * tangents.trace(), squares = 0.5 * tangents.squaredNorm();
  const double largest = half + std::sqrt(std::max(0.0, squares - half * half));
  return {normal + coupling, largest + coupling, normal};
}

/// ω [1/s].
Vec3 RotationOf(const SphereBody& body) {
  return body.radius > 0.0 ? Vec3(body.u / body.radius) : Vec3(Vec3::Zero());
}
Vec3 RotationOf(const RigidBody& body) { return body.omega; }

/// The tangential part of x for the normal n, rescaled to the length of x.
Vec3 RotateInto(const Vec3& x, const Vec3& n) {
  const Vec3 flat = x - x.dot(n) * n;
  const double length = flat.norm();
  return length > 0.0 ? Vec3((x.norm() / length) * flat) : Vec3(Vec3::Zero());
}

/// The data of the law at one contact, without effective masses.
DamageContact DataOf(const BondRule& rule, const Bond& bond, std::size_t point, double opening,
                     const Vec3& slip, double dt) {
  const double energy = rule.fracture_energy, per_dt = 1.0 / dt;
  const auto stiffness = [&](double strength) {
    const double path = energy / (bond.strength * strength);  // to the largest traction [m]
    return dt * dt / (path * path);
  };
  return {.energy = 0.5 * bond.AreaFraction(point) * bond.area * energy,
          .stiffness_n = stiffness(rule.tension),
          .stiffness_t = stiffness(rule.shear),
          .intact = bond.intact_fraction[point],
          .opening = std::max(0.0, opening) * per_dt,
          .slip_x = slip.x() * per_dt,
          .slip_y = slip.y() * per_dt,
          .slip_z = slip.z() * per_dt};
}

/// Bias of the contact of a damage bond [m/s].
/// @param gap  relative to the gap at birth [m]
double BiasOf(const StepSetup& setup, double gap) {
  const StepParameters& parameters = setup.parameters;
  if (gap > 0.0) return gap / parameters.dt;
  if (PositionSweeps(parameters) > 0) return 0.0;
  return std::max(parameters.error_reduction * gap / parameters.dt, -setup.correction_speed);
}

Vec3 SlipIn(const DamageContact& data) { return {data.slip_x, data.slip_y, data.slip_z}; }

}  // namespace

void AssembleDamage(const StepSetup& setup, const StepContacts& contacts, const BondTable& bonds,
                    StepSolve& solve) {
  const StepParameters& parameters = setup.parameters;
  ContactBatches& batches = solve.batches;
  for (const BondContact& bond_contact : contacts.damaging) {
    const BondRow& row = bonds.Rows()[bond_contact.row];
    const BondRule& rule = setup.scene.bonds[static_cast<std::size_t>(row.rule)];
    const Bond& bond = bonds.At(bond_contact.bond);
    const Contact contact = batches.At(bond_contact.contact);
    const Vec3& n = contact.normal;
    const double gap = contacts.At(bond_contact.contact).gap;
    const ContactSlot slot = batches.SlotOf(bond_contact.contact);
    batches.All()[slot.batch].bias[slot.lane] = BiasOf(setup, gap);
    batches.ArraysOf<CohesionLaw>().Set(slot, {0.0}, Vec3::Zero());
    if (bond.intact_fraction[bond_contact.point] < 0.0) continue;
    const Vec3& displacement = bond_contact.displacement;
    const Vec3 slip = row.is_anchored
                          ? Vec3(displacement - displacement.dot(n) * n)
                          : RotateInto(row.is_swapped ? Vec3(-bond.slip) : bond.slip, n);
    DamageContact data = DataOf(rule, bond, bond_contact.point, gap, slip, parameters.dt);
    VisitBodies(solve.bodies, [&](const auto& typed) {
      const DamageBlock block =
          BlockOf(batches, bond_contact.contact, n, typed.all[static_cast<std::size_t>(contact.a)],
                  typed.all[static_cast<std::size_t>(contact.b)]);
      data.effective_mass = contact.effective_mass * (block.exact_normal / block.normal);
      data.tangential = block.tangential / block.normal;
      const double h =
          2.0 * data.intact * data.intact * data.energy *
          std::max(data.stiffness_n * block.normal, data.stiffness_t * block.tangential);
      data.implicitness = h / (1.0 + h);
    });
    // The impulse L if δv were zero.
    const double scale = -2.0 * data.intact * data.intact * data.energy;
    batches.ArraysOf<DamageLaw>().Set(
        slot, data,
        scale * (data.stiffness_n * data.opening * n + data.stiffness_t * SlipIn(data)));
  }
}

void SweepDamage(const StepSetup& setup, const Particles& particles, const StepContacts& contacts,
                 Halo& halo, PhaseTimer& timer, StepSolve& solve) {
  if (!setup.scene.HasDamageBonds()) return;
  double path = std::numeric_limits<double>::infinity();
  for (const BondRule& rule : setup.scene.bonds) {
    if (rule.fracture_energy == 0.0) continue;
    path = std::min(path, rule.fracture_energy / std::max(rule.tension, rule.shear));
  }
  const double limit = kSolved * path / setup.parameters.dt;  // [m/s]
  const auto residual = [&] {
    double largest = 0.0;
    for (const BondContact& bond_contact : contacts.damaging) {
      largest = std::max(largest, ResidualAt(setup, solve, bond_contact.contact));
    }
    return setup.communicator.Max(largest);
  };
  while (2 * solve.report.sweeps <= kMaxDamageSweeps && residual() > limit) {
    AddSweeps(setup, particles, halo, solve.report.sweeps, timer, solve);
  }
}

double UpdateDamage(const StepSetup& setup, const StepContacts& contacts, const StepSolve& solve,
                    const CandidateLists& lists, BondTable& bonds) {
  if (!setup.scene.HasDamageBonds()) return 0.0;
  const double dt = setup.parameters.dt, end = setup.TimeOf(contacts.step + setup.stride);
  const ContactBatches& batches = solve.batches;
  double energy_change = 0.0;
  const auto update = [&](const auto& bodies, const BondContact& bond_contact) {
    const DamageContact data =
        batches.ArraysOf<DamageLaw>().At(batches.SlotOf(bond_contact.contact));
    if (data.energy == 0.0) return;  // the point has broken
    const BondRow& row = bonds.Rows()[bond_contact.row];
    const Bond& bond = bonds.At(bond_contact.bond);
    const Contact contact = batches.At(bond_contact.contact);
    const Vec3& n = contact.normal;
    const auto& a = bodies[static_cast<std::size_t>(contact.a)];
    const auto& b = bodies[static_cast<std::size_t>(contact.b)];
    const Vec3 velocity = VelocityAt(batches, bond_contact.contact, n, a, b);
    const double v_n = velocity.dot(n), opening = std::max(0.0, data.opening + v_n);
    const Vec3 slip = SlipIn(data) + (velocity - v_n * n);
    const double opening_term = data.stiffness_n * opening * opening;
    const double slip_term = data.stiffness_t * slip.squaredNorm();
    PointDamage damage;
    damage.intact_fraction = std::min(data.intact, 1.0 / (opening_term + slip_term));
    const BondRule& rule = setup.scene.bonds[static_cast<std::size_t>(row.rule)];
    const double path = dt * std::sqrt(opening * opening + slip.squaredNorm());
    const bool is_broken =
        damage.intact_fraction < kBrokenBelow || path > rule.FailureDisplacement();
    if (is_broken) {
      damage.intact_fraction = -damage.intact_fraction;
    } else {
      damage.stored_energy = damage.intact_fraction * damage.intact_fraction *
                             (opening_term + slip_term) * data.energy;
    }
    if (!row.is_anchored) {
      const Vec3 mean_rotation = 0.5 * (RotationOf(a) + RotationOf(b));
      const Vec3 rotated = slip + (dt * mean_rotation.dot(n)) * n.cross(slip);
      damage.slip = dt * ((row.is_swapped ? -1.0 : 1.0) * rotated);
    }
    if (bond_contact.contact < contacts.owned.size())
      energy_change += damage.stored_energy - bond.stored_energy[bond_contact.point];
    bonds.SetDamage(bond_contact.bond, bond_contact.point, damage);
    const auto points = std::span(bond.intact_fraction).first(bond.ContactCount());
    if (is_broken && std::ranges::all_of(points, [](double x) { return x < 0.0; })) {
      const bool is_opening = opening_term >= slip_term;
      bonds.Break(bond_contact.bond,
                  is_opening ? BondState::kBrokenByTension : BondState::kBrokenByShear, end);
    }
  };
  VisitBodies(solve.bodies, [&](const auto& typed) {
    for (const BondContact& bond_contact : contacts.damaging) update(typed.all, bond_contact);
  });
  bonds.ReportBreaks(setup.communicator, lists.halo);
  return energy_change;
}

BondEnergies EnergiesOf(std::span<const BondRule> rules, std::span<const Bond> bonds) {
  ExactSum stored, damage;  // a restart changes the order of the bonds
  for (const Bond& bond : bonds) {
    const double energy = rules[static_cast<std::size_t>(bond.rule)].fracture_energy * bond.area;
    if (energy == 0.0) continue;
    for (std::size_t k = 0; k < bond.ContactCount(); ++k) {
      stored.Add(bond.stored_energy[k]);
      // A broken point has also lost its stored energy S w β/2.
      const double remaining =
          bond.intact_fraction[k] < 0.0 ? -0.5 * bond.intact_fraction[k] : bond.intact_fraction[k];
      damage.Add(bond.AreaFraction(k) * energy * (1.0 - remaining));
    }
  }
  return {stored.Value(), damage.Value()};
}

}  // namespace scree
