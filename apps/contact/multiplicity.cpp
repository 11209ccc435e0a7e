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
Vec3 RandomDirection(UniformDraw& uniform) {
  const double z = uniform(-1.0, 1.0), angle = uniform(0.0, 2.0 * std::numbers::pi);
  const double r = std::sqrt(1.0 - z * z);
  return {r * std::cos(angle), r * std::sin(angle), z};
}

/// A random body of mass 1 that approaches a plane at the speed 1. The contact point is at the
/// distance `arm` from its centre. The mean square distance of its mass from the centre is 1, to
/// which the three principal axes contribute random parts P (trace P = 1). The moments of inertia
/// are therefore 1 − P. All directions are random.
OneContact RandomImpact(double arm, UniformDraw& uniform) {
  const double a = uniform(0.0, 1.0), b = uniform(0.0, 1.0);
  const double lower = std::min(a, b), upper = std::max(a, b);
  const Vec3 second_moments(lower, upper - lower, 1.0 - upper);
  const Vec3 moments = Vec3::Ones() - second_moments;
  const BodyInertia body{1.0, moments.cwiseInverse().asDiagonal()};
  const Mat3 frame = ContactFrame(RandomDirection(uniform));
  Vec3 velocity = frame.transpose() * RandomDirection(uniform);
  velocity[0] = -std::abs(velocity[0]);
  return {ContactBlock(frame, body, arm * RandomDirection(uniform), {}, Vec3::Zero()), -velocity,
          0.0};
}

struct Counts {
  int several = 0, laws_differ = 0;
  double spread = 0.0;  // greatest_spread, see the help
};

Counts CountAt(double mu, double arm, int samples, UniformDraw& uniform) {
  constexpr double kSame = 1e-9;  // relative to the speed before the impact, which is 1
  Counts counts;
  for (int i = 0; i < samples; ++i) {
    OneContact contact = RandomImpact(arm, uniform);
    contact.mu = mu;
    const CoulombSolutions solutions = FindCoulombSolutions(contact);
    const Vec3 dissipative = SolveMaxDissipation(contact).x;
    const Vec3 velocity_difference =
        VelocityAfter(contact, dissipative) - VelocityAfter(contact, solutions.values[0].x);
    counts.laws_differ += velocity_difference.norm() > kSame ? 1 : 0;
    if (solutions.count < 2) continue;
    ++counts.several;
    const double min_energy = solutions.values[0].energy;
    const double max_energy =
        solutions.values[static_cast<std::size_t>(solutions.count - 1)].energy;
    counts.spread = std::max(counts.spread, (max_energy - min_energy) / -min_energy);
  }
  return counts;
}

void WriteMap(CsvOutput& csv, const Settings& settings) {
  csv.Columns({"mu", "arm", "samples", "several", "laws_differ", "greatest_spread"});
  UniformDraw uniform(static_cast<std::uint64_t>(settings.seed));
  for (int i = 1; i <= settings.frictions; ++i) {
    for (int j = 1; j <= settings.arms; ++j) {
      const double mu = settings.mu_max * i / settings.frictions,
                   arm = settings.arm_max * j / settings.arms;
      const Counts counts = CountAt(mu, arm, settings.samples, uniform);
      AddRow(csv, mu, arm, settings.samples, static_cast<double>(counts.several) / settings.samples,
             static_cast<double>(counts.laws_differ) / settings.samples, counts.spread);
    }
  }
}

}  // namespace

void ContactMultiplicity(AppRun& app) {
  AppOptions options(
      "scree-contact multiplicity",
      "Lets random bodies of many shapes hit a plane with many friction coefficients. several is\n"
      "the fraction of impacts for which Coulomb's law has several solutions, laws_differ the\n"
      "fraction for which Coulomb's law and maximum dissipation give different velocities. arm\n"
      "is the distance of the contact from the centre of mass, divided by the radius of gyration\n"
      "about it (a solid sphere has 1.29, the tip of a thin rod 1.73, the academic body 9.9).\n"
      "Moments of inertia, contact point, normal and velocity are random. greatest_spread is the\n"
      "largest energy difference between the solutions of one impact, divided by the energy that\n"
      "its most dissipative solution dissipates.");
  Settings settings;
  options.Add("friction-to", settings.mu_max, "largest friction coefficient");
  options.Add("arm-to", settings.arm_max, "largest arm");
  options.Add("frictions", settings.frictions, "number of friction coefficients");
  options.Add("arms", settings.arms, "number of arms");
  options.Add("samples", settings.samples, "random impacts for each pair of friction and arm");
  options.Add("seed", settings.seed, "seed of the random numbers");
  if (!app.Parse(options)) return;
  RequireAbove0("--friction-to", settings.mu_max);
  RequireAbove0("--arm-to", settings.arm_max);
  RequireRange("--frictions", settings.frictions, 1, 1000);
  RequireRange("--arms", settings.arms, 1, 1000);
  RequireRange("--samples", settings.samples, 1, 10000000);
  RequireRange("--seed", settings.seed, 0, 2147483647);
  CsvOutput csv = app.Table();
  WriteMap(csv, settings);
  app.Write(csv);
}

}  // namespace scree
