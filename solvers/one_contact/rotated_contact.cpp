#include "solvers/one_contact/rotated_contact.hpp"

#include <algorithm>
#include <cmath>

namespace scree {
namespace {

/// Computes Aₙₙ − μh without the cancellation that loses digits near a parabola. The given h is a
/// rounded √(x² + y²); fused products compute its rounding error.
double AccurateM(double nn, double mu, double x, double y, double h) {
  const double x2 = x * x;
  const double y2 = y * y;
  const double square_error = (std::max(x2, y2) - h * h) + std::min(x2, y2) -
                              std::fma(h, h, -h * h) + std::fma(x, x, -x2) + std::fma(y, y, -y2);
  const double product = mu * h;
  const double product_error = std::fma(mu, h, -product) + mu * square_error / (2.0 * h);
  return (nn - product) - product_error;
}

}  // namespace

RotatedContact::RotatedContact(const OneContact& contact) {
  const Mat3& a = contact.a;
  const Vec3& b = contact.b;
  nn = a(0, 0);
  m = nn;
  h = std::sqrt(a(0, 1) * a(0, 1) + a(0, 2) * a(0, 2));
  if (h > 0.0) {
    cos0 = a(0, 1) / h;
    sin0 = a(0, 2) / h;
    m = AccurateM(nn, contact.mu, a(0, 1), a(0, 2), h);
  }
  p = nn + contact.mu * h;

  const double cc = cos0 * cos0, cs = cos0 * sin0, ss = sin0 * sin0;
  tt = cc * a(1, 1) + 2.0 * cs * a(1, 2) + ss * a(2, 2) - h * h / nn;
  to = cs * (a(2, 2) - a(1, 1)) + (cc - ss) * a(1, 2);
  oo = ss * a(1, 1) - 2.0 * cs * a(1, 2) + cc * a(2, 2);
  b_t = cos0 * b[1] + sin0 * b[2] - h * b[0] / nn;
  b_o = cos0 * b[2] - sin0 * b[1];
}

}  // namespace scree
