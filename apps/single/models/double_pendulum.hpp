/// \file  The double pendulum over a rough level obstacle: equations of motion, joint reactions.
///
/// Model and notation of Sypniewska-Kamińska, Starosta & Awrejcewicz (apps/single/README.md has the
/// reference and the corrections): a rod OA, and a rod with a disk at its end that hangs from A.
/// Their angles ψ₁ and ψ₂ are counted counter-clockwise from the downward vertical. The obstacle is
/// the plane at depth D below O. The axis of s and T (contact_mechanism.hpp) points left, the axis
/// of c and F up.
#pragma once

#include "apps/single/models/contact_mechanism.hpp"

namespace scree::impact {

struct DoublePendulumParameters {
  double m1 = 3.2, m2 = 3.8;          // masses of the rod, of the rod with the disk [kg]
  double l1 = 0.5, l2 = 0.6;          // lengths of the rods [m]
  double r = 0.05;                    // radius of the disk [m]
  double lc = 0.3627;                 // from A to the centre of mass of rod and disk [m]
  double I1 = 0.0676, I2 = 0.164;     // moments of inertia about the centres of mass [kg m²]
  double D = 0.9;                     // depth of the obstacle below O, in ]l1, l1 + l2 + 2r[, or
                                      // infinite: no obstacle [m]
  double g = 9.81;                    // [m/s²]
  double c1 = 0.0, c2 = 0.0;          // damping of the joints O and A [N m s]
  double M01 = 0.0, M02 = 0.0;        // amplitudes of the driving torques M₀ cos(Ω t) [N m]
  double Omega1 = 0.0, Omega2 = 0.0;  // their frequencies Ω [rad/s]
};

/// Forces of the joints on the rod OA, figure 3: at A, H to the left and V up; at O, R to the right
/// and P up. Forces [N] or impulses [N s].
struct JointLoads {
  double H = 0.0, V = 0.0;  // at A
  double R = 0.0, P = 0.0;  // at O
};

class DoublePendulum final : public ContactMechanism {
 public:
  /// @throws InputError naming the parameter that is out of range
  explicit DoublePendulum(const DoublePendulumParameters& parameters);

  const DoublePendulumParameters& parameters() const { return p_; }

  Mat2 Mass(const Vec2& q) const override;                               // A of eq. (3)
  Vec2 Force(double t, const Vec2& q, const Vec2& w) const override;     // Q of eq. (3)
  ContactGeometry Contact(const Vec2& q, const Vec2& w) const override;  // eqs. (7), (32), (33)
  double Energy(const Vec2& q, const Vec2& w) const override;
  double DrivePower(double t, const Vec2& q, const Vec2& w) const override;
  double DampingPower(const Vec2& q, const Vec2& w) const override;
  double LongestStep() const override;

  /// Joint forces during a motion with the contact forces F and T [N].
  JointLoads Reactions(const Vec2& q, const Vec2& w, const Vec2& acceleration, double normal,
                       double tangential) const;
  /// Joint impulses of an impact that changes the velocities by dw, eqs. (21) to (24) [N s].
  JointLoads ReactionImpulses(const Vec2& q, const Vec2& dw, double normal,
                              double tangential) const;

 private:
  JointLoads Loads(const Vec2& left, const Vec2& up, double normal, double tangential) const;

  DoublePendulumParameters p_;
};

}  // namespace scree::impact
