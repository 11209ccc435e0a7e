/// \file  A contact in a tangent frame along the axes of its conic section, with the normal
///        component eliminated.
#pragma once

#include "solvers/one_contact/one_contact.hpp"

namespace scree {

/// The frame is rotated about n so that A_no = 0 and A_nt = h ≥ 0. In this frame the plane of
/// maximum compression is Aₙₙ xₙ + h x_t = bₙ. It meets the friction cone in an ellipse (m > 0), a
/// parabola (m = 0) or a hyperbola (m < 0).
struct RotatedContact {
  explicit RotatedContact(const OneContact& contact);

  /// Transforms the vector (xₙ, x_t, x_o) from the rotated to the given frame.
  Vec3 RotateBack(double x_n, double x_t, double x_o) const {
    return {x_n, cos0 * x_t - sin0 * x_o, sin0 * x_t + cos0 * x_o};
  }

  double nn;                      // Aₙₙ
  double h = 0.0;                 // ‖(A_nt, A_no)‖
  double cos0 = 1.0, sin0 = 0.0;  // the rotated t axis in the given frame
  double p, m;                    // Aₙₙ + μh, Aₙₙ − μh
  double tt, to, oo;              // Â, the Schur complement of Aₙₙ in A
  double b_t, b_o;                // b̂ = b_to − a_to bₙ/Aₙₙ
};

}  // namespace scree
