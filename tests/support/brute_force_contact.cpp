#include "tests/support/brute_force_contact.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

namespace scree::test {
namespace {

using Real = long double;

/// E on the plane of maximum compression, in a frame with the t axis along (A_nt, A_no).
class PlaneEnergy {
 public:
  explicit PlaneEnergy(const OneContact& contact) : mu_(contact.mu) {
    const Mat3& a = contact.a;
    nn_ = a(0, 0);
    b_n_ = contact.b[0];
    h_ = std::hypot(Real(a(0, 1)), Real(a(0, 2)));
    const Real c = h_ > 0 ? a(0, 1) / h_ : Real(1);
    const Real s = h_ > 0 ? a(0, 2) / h_ : Real(0);
    const Real tt = a(1, 1), to = a(1, 2), oo = a(2, 2);
    tt_ = c * c * tt + 2 * c * s * to + s * s * oo - h_ * h_ / nn_;
    to_ = c * s * (oo - tt) + (c * c - s * s) * to;
    oo_ = s * s * tt - 2 * c * s * to + c * c * oo;
    b_t_ = c * contact.b[1] + s * contact.b[2] - h_ * b_n_ / nn_;
    b_o_ = c * contact.b[2] - s * contact.b[1];
  }

  Real HighestT() const { return mu_ * b_n_ / (nn_ + mu_ * h_); }

  /// Whether x_t has a lower bound: on an ellipse, but not on a parabola or hyperbola.
  bool HasLowestT() const { return nn_ > mu_ * h_; }
  Real LowestT() const { return -mu_ * b_n_ / (nn_ - mu_ * h_); }

  Real StickT() const { return (oo_ * b_t_ - to_ * b_o_) / (tt_ * oo_ - to_ * to_); }

  /// The minimum of E for this x_t.
  Real EnergyAt(Real t) const {
    const Real radius = mu_ * (b_n_ - h_ * t) / nn_;
    const Real w = std::sqrt(std::max(Real(0), (radius - t) * (radius + t)));
    const Real o = std::clamp((b_o_ - to_ * t) / oo_, -w, w);
    const Real tangential = (tt_ * t / 2 + to_ * o - b_t_) * t + (oo_ * o / 2 - b_o_) * o;
    return tangential - b_n_ * b_n_ / (2 * nn_);
  }

 private:
  Real mu_, nn_, b_n_, h_, tt_, to_, oo_, b_t_, b_o_;
};

}  // namespace

long double MinEnergyByBruteForce(const OneContact& contact) {
  const PlaneEnergy energy(contact);
  Real high = energy.HighestT();
  Real low = high;
  if (energy.HasLowestT()) {
    low = energy.LowestT();
  } else {
    // A convex function that rises between two points keeps rising beyond them.
    Real step = std::max(std::abs(energy.StickT()), std::abs(high)) * Real(0x1p-40) + Real(1e-30);
    while (energy.EnergyAt(high - 2 * step) < energy.EnergyAt(high - step)) step *= 2;
    low = high - 2 * step;
  }
  const Real golden = (std::sqrt(Real(5)) - 1) / 2;
  Real inner_low = high - golden * (high - low), inner_high = low + golden * (high - low);
  Real energy_low = energy.EnergyAt(inner_low), energy_high = energy.EnergyAt(inner_high);
  Real min = std::min(energy.EnergyAt(low), energy.EnergyAt(high));
  for (int i = 0; i < 130; ++i) {
    min = std::min({min, energy_low, energy_high});
    if (energy_low < energy_high) {
      high = inner_high;
      inner_high = inner_low;
      energy_high = energy_low;
      energy_low = energy.EnergyAt(inner_low = high - golden * (high - low));
    } else {
      low = inner_low;
      inner_low = inner_high;
      energy_low = energy_high;
      energy_high = energy.EnergyAt(inner_high = low + golden * (high - low));
    }
  }
  return min;
}

double ConditionNumber(const Mat3& a) {
  const Eigen::SelfAdjointEigenSolver<Mat3> solver(a, Eigen::EigenvaluesOnly);
  return solver.eigenvalues()[2] / solver.eigenvalues()[0];
}

}  // namespace scree::test
