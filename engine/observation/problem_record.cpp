#include "engine/observation/problem_record.hpp"

#include <algorithm>
#include <limits>
#include <tuple>
#include <type_traits>
#include <utility>

#include "engine/contacts/contact_partner.hpp"
#include "solvers/base/check.hpp"
#include "solvers/batches/body_kinds.hpp"
#include "solvers/one_contact/contact_block.hpp"

namespace scree {
namespace {

/// A contact as sent between ranks, all vectors in world axes.
struct ContactPart {
  ContactPair pair;
  Index surface = 0;  // surface id of the wall
  MemberPair members;
  std::uint32_t unused = 0;  // so that messages have no padding
  Vec3 normal, arm_a, arm_b;
  Vec3 relative;  // u in world axes: velocity, gap and rebound [m/s]
  Vec3 impulse, guess;
  double friction = 0.0;

  /// Exchanges the roles of a and b in the description of the contact.
  void Swap() {
    std::swap(pair.id_a, pair.id_b);
    std::swap(arm_a, arm_b);
    members = members.Swapped();
    for (Vec3* vector : {&normal, &relative, &impulse, &guess}) *vector = -*vector;
  }
  /// Sort key. It does not depend on the ranks. All contact points of one face have the same key;
  /// they are on one rank, so a stable sort keeps their order.
  auto Key() const {
    return std::tuple(pair.id_a, pair.id_b, pair.wall, surface, members.a, members.b, normal[0],
                      normal[1], normal[2]);
  }
};
static_assert(std::is_trivially_copyable_v<MemberPair> &&
              sizeof(ContactPart) == 8 * 4 + 8 + 18 * 8 + 8);

struct BodyPart {
  ParticleId id = 0;
  double mass = 0.0;
  Mat3 inertia;  // in world axes
  Vec3 velocity, angular_velocity;
};

Mat3 Inertia(const SphereBody& body) {
  const double moment =
      body.radius * body.radius / (kMassOverInertia * body.inverse_mass);  // 2/5 m r²
  return moment * Mat3::Identity();
}
Mat3 Inertia(const RigidBody& body) { return body.InverseInertia().inverse(); }
Vec3 AngularVelocity(const SphereBody& body) { return body.u / body.radius; }
Vec3 AngularVelocity(const RigidBody& body) { return body.omega; }

/// Arms of spheres as in the sphere relaxation, which ignores the gap.
ContactArms ArmsOf(const SolvedContacts<SphereBody>& solved, const Contact& contact, std::size_t) {
  const auto radius = [&](Index body) {
    return solved.bodies[static_cast<std::size_t>(body)].radius;
  };
  return {-radius(contact.a) * contact.normal, radius(contact.b) * contact.normal};
}
ContactArms ArmsOf(const SolvedContacts<RigidBody>& solved, const Contact&, std::size_t j) {
  return solved.batches.ArmsAt(j);
}

template <class Body>
std::vector<ContactPart> OwnedContacts(const Particles& particles,
                                       const SolvedContacts<Body>& solved) {
  const ContactBodies bodies(particles, solved.walls);
  std::vector<ContactPart> parts;
  for (std::size_t j = 0; j < solved.contacts.size(); ++j) {
    const DetectedContact& found = solved.contacts[j];
    const Contact contact = solved.batches.At(j);
    const auto a = static_cast<std::size_t>(found.a), b = static_cast<std::size_t>(found.b);
    ContactPart part;
    part.pair.id_a = particles.id[a];
    part.members = found.members;
    part.normal = contact.normal;
    const ContactArms arms = ArmsOf(solved, contact, j);
    part.arm_a = arms.a;
    part.arm_b = arms.b;
    part.relative =
        VelocityAt(solved.batches, j, contact.normal, solved.bodies[a], solved.bodies[b]) +
        contact.bias * contact.normal - contact.restitution_slip;
    part.impulse = solved.batches.Impulse(j);
    part.guess = solved.guess[j];
    part.friction = contact.friction;
    if (bodies.IsWall(found.b)) {
      part.pair.wall = bodies.WallOf(found.b).wall;
      part.surface = bodies.WallOf(found.b).surface;
    } else {
      part.pair.id_b = particles.id[b];
      if (part.pair.id_b < part.pair.id_a) part.Swap();
    }
    parts.push_back(part);
  }
  return parts;
}

/// @param touched  ids of the required bodies, ascending
template <class Body>
std::vector<BodyPart> OwnedBodies(const Particles& particles, const SolvedContacts<Body>& solved,
                                  const std::vector<ParticleId>& touched) {
  std::vector<BodyPart> parts;
  for (std::size_t i = 0; i < particles.owned; ++i) {
    if (!std::ranges::binary_search(touched, particles.id[i])) continue;
    const Body& body = solved.bodies[i];
    // In the contact problem drag scales mass and inertia equally (body_kick.hpp).
    const double mass =
        1.0 / (solved.kicks.empty() ? body.inverse_mass : solved.kicks[i].inverse_mass);
    parts.push_back({particles.id[i], mass, mass * body.inverse_mass * Inertia(body), body.v,
                     AngularVelocity(body)});
  }
  return parts;
}

/// Gathers the parts of all ranks at root. Collective. @throws SimulationError on all ranks if
/// there are too many parts for one MPI message. This limit also keeps the int indices of sparse
/// matrices valid: H has up to 36 entries per contact.
template <class Part>
std::vector<Part> GatherPartsAtRoot(const Communicator& communicator,
                                    const std::vector<Part>& owned_parts, const char* noun) {
  constexpr std::int64_t kMax = std::numeric_limits<int>::max() / sizeof(Part);
  static_assert(36 * kMax <= std::numeric_limits<int>::max());
  const std::int64_t count = communicator.Sum(static_cast<std::int64_t>(owned_parts.size()));
  if (count > kMax) {
    throw SimulationError(Text("output.problems: the contact problem of the step has ", count, " ",
                               noun, "; expected at most ", kMax, ", or no output.problems"));
  }
  const std::string bytes(reinterpret_cast<const char*>(owned_parts.data()),
                          sizeof(Part) * owned_parts.size());
  std::vector<Part> all;
  for (const std::string& rank_bytes : communicator.GatherAtRoot(bytes)) {
    const std::size_t old_size = all.size();
    all.resize(old_size + rank_bytes.size() / sizeof(Part));
    std::copy_n(rank_bytes.data(), rank_bytes.size(),
                reinterpret_cast<char*>(all.data() + old_size));
  }
  return all;
}

/// Ids of the bodies with a contact on any rank, ascending. A rank does not know all contacts of
/// its bodies, because another rank may own them. Collective.
/// @param contacts  of all ranks, at root
std::vector<ParticleId> FindTouchedIds(const Communicator& communicator,
                                       const std::vector<ContactPart>& contacts) {
  std::vector<ParticleId> ids;
  for (const ContactPart& contact : contacts) {
    ids.push_back(contact.pair.id_a);
    if (contact.pair.wall < 0) ids.push_back(contact.pair.id_b);
  }
  std::ranges::sort(ids);
  ids.erase(std::ranges::unique(ids).begin(), ids.end());
  const std::string bytes = communicator.Broadcast(
      std::string(reinterpret_cast<const char*>(ids.data()), sizeof(ParticleId) * ids.size()));
  ids.resize(bytes.size() / sizeof(ParticleId));
  std::copy_n(bytes.data(), bytes.size(), reinterpret_cast<char*>(ids.data()));
  return ids;
}

using Entries = std::vector<Eigen::Triplet<double>>;

void AddEntry(Eigen::Index row, Eigen::Index column, double value, Entries& entries) {
  if (value != 0.0) entries.emplace_back(row, column, value);
}

/// Adds the wrench [E; s×]⋅Q of a contact with the arm s and the frame Q on body a (sign 1) or body
/// b (sign −1).
void AddWrench(Eigen::Index row, Eigen::Index column, double sign, const Vec3& arm,
               const Mat3& frame, Entries& entries) {
  for (int c = 0; c < 3; ++c) {
    const Vec3 force = sign * frame.col(c), torque = arm.cross(force);
    for (int k = 0; k < 3; ++k) {
      AddEntry(row + k, column + c, force[k], entries);
      AddEntry(row + 3 + k, column + c, torque[k], entries);
    }
  }
}

Eigen::SparseMatrix<double> MassMatrix(const std::vector<BodyPart>& bodies) {
  Entries entries;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const auto row = static_cast<Eigen::Index>(6 * i);
    for (int k = 0; k < 3; ++k) {
      AddEntry(row + k, row + k, bodies[i].mass, entries);
      for (int m = 0; m < 3; ++m) {
        AddEntry(row + 3 + k, row + 3 + m, bodies[i].inertia(k, m), entries);
      }
    }
  }
  const auto size = static_cast<Eigen::Index>(6 * bodies.size());
  Eigen::SparseMatrix<double> matrix(size, size);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

void AddBodies(const std::vector<BodyPart>& bodies, ProblemRecord& record) {
  record.velocities.resize(static_cast<Eigen::Index>(6 * bodies.size()));
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    record.bodies.push_back(bodies[i].id);
    const auto row = static_cast<Eigen::Index>(6 * i);
    record.velocities.segment<3>(row) = bodies[i].velocity;
    record.velocities.segment<3>(row + 3) = bodies[i].angular_velocity;
  }
  record.problem.m = MassMatrix(bodies);
}

Eigen::Index RowOf(const ProblemRecord& record, ParticleId id) {
  const auto found = std::ranges::lower_bound(record.bodies, id);
  SCREE_DEMAND(found != record.bodies.end() && *found == id);
  return static_cast<Eigen::Index>(6 * (found - record.bodies.begin()));
}

/// @pre both bodies of the contact were added
/// @param wrenches  entries of H
void AddContact(const ContactPart& contact, Eigen::Index j, ProblemRecord& record,
                Entries& wrenches) {
  record.contacts.push_back(contact.pair);
  const Eigen::Index column = 3 * j;
  const Mat3 frame = ContactFrame(contact.normal);
  Vec3 body_velocity = Vec3::Zero();  // Hᵀ v: part of the relative velocity
  const auto add = [&](ParticleId id, double sign, const Vec3& arm) {
    const Eigen::Index row = RowOf(record, id);
    AddWrench(row, column, sign, arm, frame, wrenches);
    const Vec3 velocity = record.velocities.segment<3>(row);
    const Vec3 angular = record.velocities.segment<3>(row + 3);
    body_velocity += sign * (velocity + angular.cross(arm));
  };
  add(contact.pair.id_a, 1.0, contact.arm_a);
  if (contact.pair.wall < 0) add(contact.pair.id_b, -1.0, contact.arm_b);
  record.problem.w.segment<3>(column) = frame.transpose() * (contact.relative - body_velocity);
  record.problem.mu[j] = contact.friction;
  record.impulses.segment<3>(column) = frame.transpose() * contact.impulse;
  record.guess.segment<3>(column) = frame.transpose() * contact.guess;
}

ProblemRecord JoinParts(const std::vector<BodyPart>& bodies,
                        const std::vector<ContactPart>& contacts) {
  ProblemRecord record;
  GlobalProblem& problem = record.problem;
  AddBodies(bodies, record);
  const auto count = static_cast<Eigen::Index>(contacts.size());
  for (Eigen::VectorXd* vector : {&problem.w, &record.impulses, &record.guess}) {
    vector->resize(3 * count);
  }
  problem.mu.resize(count);
  Entries wrenches;
  for (Eigen::Index j = 0; j < count; ++j) {
    AddContact(contacts[static_cast<std::size_t>(j)], j, record, wrenches);
  }
  problem.h.resize(record.velocities.size(), 3 * count);
  problem.h.setFromTriplets(wrenches.begin(), wrenches.end());
  problem.f = problem.m * record.velocities - problem.h * record.impulses;
  return record;
}

}  // namespace

std::string DescribeUnrecordable(const Scene& scene) {
  std::string feature;
  if (scene.cell.HasStress()) feature = "a [cell] with a prescribed stress";
  for (const Wall& wall : scene.walls) {
    if (wall.IsFree() || wall.IsPartOfLink()) {
      feature = Text("a wall that forces move, [wall.", wall.name, "]");
    }
  }
  if (scene.HasActiveLaw()) feature = "rolling or spinning friction, cohesion or bonds";
  if (feature.empty()) return {};
  return Text(
      "can only contain Coulomb contacts, and walls only with prescribed motion, but the scene "
      "has ",
      feature);
}

template <class Body>
ProblemRecord RecordProblem(const Communicator& communicator, const Particles& particles,
                            const SolvedContacts<Body>& solved) {
  SCREE_DEMAND(solved.guess.size() == solved.contacts.size());
  std::vector<ContactPart> contacts =
      GatherPartsAtRoot(communicator, OwnedContacts(particles, solved), "contacts");
  const std::vector<ParticleId> touched = FindTouchedIds(communicator, contacts);
  std::vector<BodyPart> bodies = GatherPartsAtRoot(
      communicator, OwnedBodies(particles, solved, touched), "bodies with contacts");
  std::ranges::stable_sort(contacts, {}, &ContactPart::Key);
  std::ranges::sort(bodies, {}, &BodyPart::id);
  return JoinParts(bodies, contacts);
}

template ProblemRecord RecordProblem(const Communicator&, const Particles&,
                                     const SolvedContacts<SphereBody>&);
template ProblemRecord RecordProblem(const Communicator&, const Particles&,
                                     const SolvedContacts<RigidBody>&);

}  // namespace scree
