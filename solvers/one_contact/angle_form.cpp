#include "solvers/one_contact/angle_form.hpp"

#include <cmath>

namespace scree {

double RadialFactor(const OneContact& contact, double alpha) {
  const Mat3& a = contact.a;
  return a(0, 0) + contact.mu * (a(0, 1) * std::cos(alpha) + a(0, 2) * std::sin(alpha));
}

Vec3 PointAtAngle(const OneContact& contact, double alpha) {
  const double x_n = contact.b[0] / RadialFactor(contact, alpha);
  return x_n * Vec3(1.0, contact.mu * std::cos(alpha), contact.mu * std::sin(alpha));
}

RootList<8> StationaryAngles(const OneContact& contact) {
  const double nn = contact.a(0, 0), nt = contact.a(0, 1), no = contact.a(0, 2);
  const double tt = contact.a(1, 1), to = contact.a(1, 2), oo = contact.a(2, 2);
  const double b_n = contact.b[0], b_t = contact.b[1], b_o = contact.b[2];
  const double mu = contact.mu;
  // f_r v_t = t0 + t1 cos α + t2 sin α; f_r v_o has the same form.
  const double t0 = b_n * nt - b_t * nn, o0 = b_n * no - b_o * nn;
  const double t1 = mu * (b_n * tt - b_t * nt), t2 = mu * (b_n * to - b_t * no);
  const double o1 = mu * (b_n * to - b_o * nt), o2 = mu * (b_n * oo - b_o * no);
  return UnitCircleRoots(
      1.5 * mu * nn * (no * b_t - nt * b_o), -mu * no * t1 + nn * o0 + mu * nt * o1,
      -nn * t0 - mu * no * t2 + mu * nt * o2, 0.5 * nn * (t2 + o1), 0.5 * nn * (o2 - t1));
}

}  // namespace scree
