#include "engine/geometry/free_rotation.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace scree {
namespace {

/// L is found from ω and ω from L in every step: rounded to double, R is a little off a rotation,
/// by the same for long, and L would drift by 1e-12 in 1e5 steps.
using Long = long double;
using LongVec3 = Eigen::Matrix<Long, 3, 1>;
using LongMat3 = Eigen::Matrix<Long, 3, 3>;

LongMat3 PrincipalAxes(const PrincipalInertia& inertia, const Quaternion& orientation) {
  const auto extended = [](const Quaternion& q) {
    return Eigen::Quaternion<Long>(q.w, q.x, q.y, q.z);
  };
  const Eigen::Quaternion<Long> q = extended(orientation) * extended(inertia.axes);
  return q.normalized().toRotationMatrix();
}

/// Powers of a time in p = π/‖L‖ and in the rotation q that the rates (α p₁, 0, γ p₃) make,
///
///     p' = p × (α p₁, 0, γ p₃),   q' = ½ q (0, α p₁, 0, γ p₃),   q = 1 at the beginning,
///
/// with rates α, γ per unit of that time, up to where they are no more than rounding.
class TaylorSeries {
 public:
  TaylorSeries(const Vec3& p, double alpha, double gamma) {
    p_[0] = p;
    for (; last_ < kMaxTerms && !(last_ > 1 && IsRounding(1.0)); ++last_) {
      a_[last_] = {alpha * p_[last_].x(), gamma * p_[last_].z()};
      AddTerm(last_);
    }
  }

  /// The sum of what is left out after this share of the time is no more than rounding, or no
  /// number.
  bool IsRounding(double share) const {
    double size = Size(last_ - 1) + share * Size(last_);
    for (int k = 1; k < last_; ++k) size *= share;
    return !(size > 0.0625 * std::numeric_limits<double>::epsilon());
  }
  void Sum(double share, Vec3& p, Quaternion& q) const {
    p = p_[last_], q = q_[last_];
    for (int k = last_ - 1; k >= 0; --k) {
      p = p_[k] + share * p;
      q = {q_[k].w + share * q.w, q_[k].x + share * q.x, q_[k].y + share * q.y,
           q_[k].z + share * q.z};
    }
  }

 private:
  static constexpr int kMaxTerms = 24;
  struct Rates {
    double first, third;
  };

  double Size(int k) const {
    const Quaternion& q = q_[k];
    return p_[k].cwiseAbs().sum() + std::abs(q.w) + std::abs(q.x) + std::abs(q.y) + std::abs(q.z);
  }
  /// Of power k + 1, from all before.
  void AddTerm(int k) {
    Vec3 p = Vec3::Zero();
    Quaternion q = {0.0, 0.0, 0.0, 0.0};
    for (int j = 0; j <= k; ++j) {
      const auto& [first, third] = a_[k - j];
      const Vec3& pj = p_[j];
      const Quaternion& qj = q_[j];
      p += Vec3(pj.y() * third, pj.z() * first - pj.x() * third, -pj.y() * first);
      q.w -= qj.x * first + qj.z * third;
      q.x += qj.w * first + qj.y * third;
      q.y += qj.z * first - qj.x * third;
      q.z += qj.w * third - qj.y * first;
    }
    const double scale = 1.0 / (k + 1);
    p_[k + 1] = scale * p;
    q_[k + 1] = {0.5 * scale * q.w, 0.5 * scale * q.x, 0.5 * scale * q.y, 0.5 * scale * q.z};
  }

  int last_ = 0;
  std::array<Vec3, kMaxTerms + 1> p_;
  std::array<Quaternion, kMaxTerms + 1> q_;  // the first: 1
  std::array<Rates, kMaxTerms> a_;
};

/// q after a time of one, in as many parts as the series needs. What more than kMaxParts of them
/// would be needed for, turns by the thousand in one step, ends early: at another phase of the
/// same motion.
Quaternion TurnInBody(Vec3 p, double alpha, double gamma) {
  constexpr int kMaxParts = 16384;
  constexpr double kMaxAngle = 1e3;  // of a part, so that no power overflows
  const double fastest = std::max(alpha - gamma, kMaxAngle) / kMaxAngle;
  Quaternion turn;
  double left = 1.0;
  for (int count = 0; left > 0.0 && count < kMaxParts; ++count) {
    const double part = std::min(left, 1.0 / fastest);
    const TaylorSeries series(p, part * alpha, part * gamma);
    double share = 1.0;
    while (!series.IsRounding(share)) share *= 0.5;
    Quaternion q;
    series.Sum(share, p, q);
    turn = turn * q;
    left -= share * part;
  }
  return turn;
}

}  // namespace

void RotateFreely(const PrincipalInertia& inertia, double t, Quaternion& orientation, Vec3& omega) {
  const Vec3& moments = inertia.moments;
  if (moments[0] == moments[2]) {  // ω is constant
    orientation = Normalized(RotationBy(t * omega) * orientation);
    return;
  }
  const LongVec3 long_moments = moments.cast<Long>();
  const LongMat3 before = PrincipalAxes(inertia, orientation);
  const LongVec3 start = long_moments.cwiseProduct(before.transpose() * omega.cast<Long>());
  const Long norm = start.norm();
  if (norm == 0.0L) return;
  const LongVec3 momentum = before * start;
  const LongVec3 angles = static_cast<Long>(t) * norm * long_moments.cwiseInverse();

  const Vec3 unit = (start / norm).cast<double>();
  const Quaternion in_body = TurnInBody(unit, static_cast<double>(angles[0] - angles[1]),
                                        static_cast<double>(angles[2] - angles[1]));
  const Vec3 about_momentum = (angles[1] / norm * momentum).cast<double>();
  const Quaternion& p = inertia.axes;
  const Quaternion q = RotationBy(about_momentum) * (orientation * p * in_body);
  orientation = Normalized(q * Quaternion{p.w, -p.x, -p.y, -p.z});

  const LongMat3 after = PrincipalAxes(inertia, orientation);
  const LongVec3 turned = after.transpose() * momentum;
  omega = (after * turned.cwiseQuotient(long_moments)).cast<double>();
}

void RotateInstantly(const PrincipalInertia& inertia, const Vec3& phi, Quaternion& orientation,
                     Vec3& omega) {
  const Vec3 momentum = inertia.AngularMomentum(orientation, omega);
  orientation = Normalized(RotationBy(phi) * orientation);
  if (inertia.moments[0] == inertia.moments[2]) return;  // ω is constant
  omega = inertia.InverseInWorld(orientation) * momentum;
}

}  // namespace scree
