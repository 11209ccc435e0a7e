#include "tests/support/random_contacts.hpp"

#include <Eigen/Geometry>
#include <cmath>

namespace scree::test {

Vec3 RandomContacts::Gaussian() {
  std::normal_distribution<double> normal;
  const double x = normal(engine_), y = normal(engine_), z = normal(engine_);
  return {x, y, z};
}

Mat3 RandomContacts::SpdMatrix(double decades) {
  const Vec3 axis = Gaussian().normalized();
  const double angle = Uniform(0.0, 6.28);
  const Mat3 rotation = Eigen::AngleAxisd(angle, axis).toRotationMatrix();
  const double span = Uniform(0.0, decades);
  const Vec3 eigenvalues(1.0, LogUniform(0.0, span), std::pow(10.0, span));
  const Mat3 a = rotation * eigenvalues.asDiagonal() * rotation.transpose();
  return 0.5 * (a + a.transpose());
}

OneContact RandomContacts::Draw(ContactKind kind, double decades) {
  OneContact contact;
  contact.a = SpdMatrix(decades);
  contact.b = Gaussian();
  contact.b[0] = std::abs(contact.b[0]);
  contact.mu = Uniform(0.0, 1.0) < 0.5 ? Uniform(0.0, 10.0) : LogUniform(-4.0, 1.0);
  const double offset = Uniform(0.0, 1.0) < 0.1 ? 0.0 : Sign() * LogUniform(-16.0, -1.0);
  switch (kind) {
    case ContactKind::kGeneric:
      break;
    case ContactKind::kGrazing:
      contact.b[0] = 0.0;
      break;
    case ContactKind::kAlmostGrazing:
      contact.b[0] = LogUniform(-16.0, -1.0);
      break;
    case ContactKind::kAlmostParabolic:
      contact.mu = contact.a(0, 0) / std::hypot(contact.a(0, 1), contact.a(0, 2)) * (1.0 + offset);
      if (Uniform(0.0, 1.0) < 0.3) contact.b[0] = LogUniform(-16.0, -1.0);
      break;
    case ContactKind::kAlmostSticking: {
      const double angle = Uniform(0.0, 6.28);
      const double ratio = contact.mu * (1.0 + offset);
      contact.b = contact.a * Vec3(1.0, ratio * std::cos(angle), ratio * std::sin(angle));
      contact.b[0] = std::abs(contact.b[0]);
      break;
    }
    case ContactKind::kSphere: {
      const double a_n = LogUniform(-3.0, 3.0);
      contact.a = Vec3(a_n, 3.5 * a_n, 3.5 * a_n).asDiagonal();
      break;
    }
  }
  return contact;
}

}  // namespace scree::test
