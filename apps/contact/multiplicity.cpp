// scree-contact multiplicity: how often Coulomb's law has several solutions.
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "apps/contact/commands.hpp"
#include "apps/contact/uniform_draw.hpp"
#include "solvers/base/check.hpp"
#include "solvers/one_contact/contact_block.hpp"
#include "solvers/one_contact/contact_law.hpp"
#include "solvers/one_contact/one_contact.hpp"

namespace scree {
namespace {

struct Settings {
  double mu_max = 5.0, arm_max = 20.0;
  int frictions = 20, arms = 20, samples = 1000, seed = 1;
};

/// A random direction, uniform on the unit sphere.
Vec3 Direction(UniformDraw& uniform) {
  const double z = uniform(-1.0, 1.0), angle = uniform(0.0, 2.0 * std::numbers::pi);
  const double r = std::sqrt(1.0 - z * z);
  return {r * std::cos(angle), r * std::sin(angle), z};
}

/// A random body of mass 1 that approaches a plane at the speed 1. The contact point is at the
/// distance `arm` from its centre. Its points have the mean square distance 1 from the centre: P is
/// the random part of each axis (trace P = 1), and the moments of inertia are 1 − P. All directions
/// are random.
OneContact RandomImpact(double arm, UniformDraw& uniform) {
  const double a = uniform(0.0, 1.0), b = uniform(0.0, 1.0);
  const double low = std::min(a, b), high = std::max(a, b);
  const Vec3 second(low, high - low, 1.0 - high);
  const Vec3 moments = Vec3::Ones() - second;
  const BodyInertia body{1.0, moments.cwiseInverse().asDiagonal()};
  const Mat3 frame = ContactFrame(Direction(uniform));
  Vec3 velocity = frame.transpose() * Direction(uniform);
  velocity[0] = -std::abs(velocity[0]);
  return {ContactBlock(frame, body, arm * Direction(uniform), {}, Vec3::Zero()), -velocity, 0.0};
}

struct Counts {
  int several = 0, laws_differ = 0;
  double spread = 0.0;  // largest spread of the energies
};

Counts CountAt(double mu, double arm, int samples, UniformDraw& uniform) {
  constexpr double kSame = 1e-9;  // of the speed
  Counts counts;
  for (int i = 0; i < samples; ++i) {
    OneContact contact = RandomImpact(arm, uniform);
    contact.mu = mu;
    const CoulombSolutions solutions = FindCoulombSolutions(contact);
    const Vec3 max = SolveMaxDissipation(contact).x;
    const Vec3 velocity_difference =
        VelocityAfter(contact, max) - VelocityAfter(contact, solutions.values[0].x);
    counts.laws_differ += velocity_difference.norm() > kSame ? 1 : 0;
    if (solutions.count < 2) continue;
    ++counts.several;
    const double min = solutions.values[0].energy;
    const double largest = solutions.values[static_cast<std::size_t>(solutions.count - 1)].energy;
    counts.spread = std::max(counts.spread, (largest - min) / -min);
  }
  return counts;
}

void WriteMap(CsvOutput& csv, const Settings& x) {
  csv.Columns({"mu", "arm", "samples", "several", "laws_differ", "greatest_spread"});
  UniformDraw uniform(static_cast<std::uint64_t>(x.seed));
  for (int i = 1; i <= x.frictions; ++i) {
    for (int j = 1; j <= x.arms; ++j) {
      const double mu = x.mu_max * i / x.frictions, arm = x.arm_max * j / x.arms;
      const Counts counts = CountAt(mu, arm, x.samples, uniform);
      AddRow(csv, mu, arm, x.samples, static_cast<double>(counts.several) / x.samples,
             static_cast<double>(counts.laws_differ) / x.samples, counts.spread);
    }
  }
}

}  // namespace

void ContactMultiplicity(AppRun& app) {
  AppOptions options(
      "scree-contact multiplicity",
      "Random bodies that hit a plane: the part of them for which Coulomb's law has several\n"
      "solutions, and that for which it and maximum dissipation give another velocity, over the\n"
      "friction coefficient and the shape. Shape is the distance of the contact from the centre\n"
      "of mass over the radius of gyration (about the centre; a solid sphere has 1.29, the tip of\n"
      "a thin rod 1.73, the academic body 9.9). Moments of inertia, place of the contact, normal\n"
      "and velocity are random. greatest_spread is that of the energies of one impact's solutions\n"
      "over what the most dissipative takes.");
  Settings x;
  options.Add("friction-to", x.mu_max, "largest friction coefficient");
  options.Add("arm-to", x.arm_max, "largest distance over radius of gyration");
  options.Add("frictions", x.frictions, "values of friction");
  options.Add("arms", x.arms, "values of the distance");
  options.Add("samples", x.samples, "random impacts for each pair");
  options.Add("seed", x.seed, "of the random numbers");
  if (!app.Parse(options)) return;
  RequireAbove0("--friction-to", x.mu_max);
  RequireAbove0("--arm-to", x.arm_max);
  RequireRange("--frictions", x.frictions, 1, 1000);
  RequireRange("--arms", x.arms, 1, 1000);
  RequireRange("--samples", x.samples, 1, 10000000);
  RequireRange("--seed", x.seed, 0, 2147483647);
  CsvOutput csv = app.Table();
  WriteMap(csv, x);
  app.Write(csv);
}

}  // namespace scree
