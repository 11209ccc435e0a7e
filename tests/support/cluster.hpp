/// \file  Clusters of touching spheres as contact problems, without the engine.
#pragma once

#include <vector>

#include "tests/support/contact_problem.hpp"
#include "tests/support/draw.hpp"

namespace scree::test {

inline constexpr int kClusterSide = 4;
inline constexpr double kClusterRadius = 0.5;

/// A contact problem of touching spheres, and their positions.
struct Cluster {
  ContactProblem problem;
  ContactSolution solution;
  std::vector<Vec3> positions;

  void AddContact(int a, int b, const Vec3& normal, double bias, double friction) {
    Contact contact;
    contact.normal = normal;
    contact.bias = bias;
    contact.friction = friction;
    contact.a = a;
    contact.b = b;
    contact.effective_mass =
        1.0 / (solution.A(contact).inverse_mass + solution.B(contact).inverse_mass);
    problem.contacts.push_back(contact);
    solution.impulses.push_back(Vec3::Zero());
  }

  /// Adds contacts between all spheres that touch, with biases in [−bias, bias].
  void AddTouching(Draw& draw, double bias) {
    for (std::size_t a = 0; a < positions.size(); ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        const Vec3 d = positions[a] - positions[b];
        if (d.norm() > 2.002 * kClusterRadius) continue;
        AddContact(static_cast<int>(a), static_cast<int>(b), d, draw.Uniform(-bias, bias), 0.4);
      }
    }
  }

  /// Adds rolling resistance to all existing contacts. Bodies of radius 0 are walls.
  void AddRollingResistance(double rolling, double spinning) {
    for (const Contact& contact : problem.contacts) {
      const SphereBody &a = solution.A(contact), &b = solution.B(contact);
      const double sum = a.radius + b.radius;
      RollingContact entry = {rolling, spinning, 0.0, b.radius / sum, a.radius / sum};
      if (b.radius == 0.0) entry.fraction_a = entry.fraction_b = 1.0;
      entry.effective_mass = 1.0 / RollingLaw::ScalarBlock(entry, a.inverse_mass, b.inverse_mass);
      problem.rolling.push_back(entry);
      solution.rolling.push_back(Vec3::Zero());
    }
  }
};

inline void FillBatches(const Cluster& cluster, ContactBatches& batches, std::size_t shared = 0) {
  FillBatches(cluster.problem, cluster.solution, batches, shared);
}

inline SphereBody RandomSphere(Draw& draw) {
  return {draw.Vector(1.0), draw.Uniform(0.5, 2.0), draw.Vector(1.0), kClusterRadius};
}

/// Spheres in a row. Each touches the 1st, 5th and 40th sphere after it, so that pipelined sweeps
/// have many chunks.
inline Cluster Chain(int length) {
  Draw draw(5);
  Cluster chain;
  for (int i = 0; i < length; ++i) chain.solution.bodies.push_back(RandomSphere(draw));
  for (int a = 0; a < length; ++a) {
    for (const int step : {1, 5, 40}) {
      if (a + step < length) chain.AddContact(a, a + step, draw.Direction(), 0.1, 0.4);
    }
  }
  return chain;
}

/// A cluster that collapses towards its centre, with random masses, spins and biases.
inline Cluster CollapsingCluster() {
  Draw draw(11);
  Cluster cluster;
  for (int i = 0; i < kClusterSide * kClusterSide * kClusterSide; ++i) {
    const Vec3 x(i % kClusterSide, i / kClusterSide % kClusterSide,
                 i / (kClusterSide * kClusterSide));
    cluster.positions.push_back(x);
    const Vec3 inward = Vec3::Constant(0.5 * (kClusterSide - 1)) - x;
    cluster.solution.bodies.push_back(
        {inward + draw.Vector(0.5), draw.Uniform(0.5, 2.0), draw.Vector(1.0), kClusterRadius});
  }
  cluster.AddTouching(draw, 0.1);
  return cluster;
}

/// Returns the bodies with the velocities v = v_free + M⁻¹ H λ that the cluster's impulses cause,
/// with the wrenches H as in brick_pile.hpp.
/// @param bodies  with the velocities v_free
inline std::vector<SphereBody> BodiesFromImpulses(const Cluster& cluster,
                                                  std::vector<SphereBody> bodies) {
  for (std::size_t j = 0; j < cluster.problem.contacts.size(); ++j) {
    const Contact& contact = cluster.problem.contacts[j];
    const Vec3& impulse = cluster.solution.impulses[j];
    SphereBody& a = bodies[static_cast<std::size_t>(contact.a)];
    SphereBody& b = bodies[static_cast<std::size_t>(contact.b)];
    a.v += a.inverse_mass * impulse;
    b.v -= b.inverse_mass * impulse;
    // dω = I⁻¹ (arm × impulse), where the arms are −r n and +r n.
    a.u += 2.5 * a.inverse_mass * (-contact.normal).cross(impulse);
    b.u += 2.5 * b.inverse_mass * contact.normal.cross(-impulse);
    if (cluster.problem.rolling.empty()) continue;
    // dω = I⁻¹ Λ for a and −I⁻¹ Λ for b.
    const Vec3& rolling = cluster.solution.rolling[j];
    a.u += 2.5 * a.inverse_mass * cluster.problem.rolling[j].fraction_a * rolling;
    b.u -= 2.5 * b.inverse_mass * cluster.problem.rolling[j].fraction_b * rolling;
  }
  return bodies;
}

/// Linear and angular momentum of all bodies.
inline Eigen::Matrix<double, 6, 1> Momenta(const Cluster& cluster) {
  Eigen::Matrix<double, 6, 1> sum = Eigen::Matrix<double, 6, 1>::Zero();
  for (std::size_t i = 0; i < cluster.positions.size(); ++i) {
    const SphereBody& body = cluster.solution.bodies[i];
    const Vec3 p = body.v / body.inverse_mass;
    sum.head<3>() += p;
    sum.tail<3>() += cluster.positions[i].cross(p) + 0.4 * body.radius * body.u / body.inverse_mass;
  }
  return sum;
}

}  // namespace scree::test
