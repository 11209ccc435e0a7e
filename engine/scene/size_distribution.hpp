/// \file  How large newly made spheres are.
#pragma once

#include <array>
#include <vector>

namespace scree {

/// A distribution of radii, by number of spheres. Bounded: the halo follows the largest one.
struct SizeDistribution {
  enum class Kind { kOne, kUniform, kLogNormal, kSieved };

  /// All of one size. (Not explicit: a radius is a distribution.)
  SizeDistribution(double radius = 0.0) : smallest(radius), largest(radius) {}  // NOLINT

  /// Every radius in between equally often.
  static SizeDistribution Uniform(double smallest, double largest);
  /// ln r is normal around ln median with the standard deviation `spread`; what lies outside of the
  /// bounds is left out.
  /// @pre the median is between them
  static SizeDistribution LogNormal(double median, double spread, double smallest, double largest);
  /// A sieving curve: the share passing[k] of the mass has radii up to sieves[k], linear in
  /// between.
  /// @pre two sieves at least, which grow, and passing never falls from 0 to 1
  static SizeDistribution Sieved(std::vector<double> sieves, std::vector<double> passing);

  /// The radius that the share `share` (0 to 1) of the spheres does not exceed [m].
  double Quantile(double share) const;

  /// Mean over the spheres of r³ [m³].
  double MeanCube() const;

  bool operator==(const SizeDistribution&) const = default;

  Kind kind = Kind::kOne;
  double smallest, largest;         // radii [m]
  double median = 0.0;              // of kLogNormal, before the cut [m]
  double spread = 0.0;              // the same [-]
  std::vector<double> sieves = {};  // of kSieved: radii [m], and shares of the mass [-]
  std::vector<double> passing = {};
};

/// The names in scenes, in the order of the enumeration.
constexpr std::array<const char*, 4> NamesOf(SizeDistribution::Kind) {
  return {"one", "uniform", "lognormal", "sieved"};
}

}  // namespace scree
