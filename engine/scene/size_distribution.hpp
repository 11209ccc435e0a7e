/// \file  Sizes of newly made spheres.
#pragma once

#include <array>
#include <vector>

namespace scree {

/// Distribution of radii, by number (not mass) of spheres. It is bounded, because the halo depends
/// on the largest radius.
struct SizeDistribution {
  enum class Kind { kSingleSize, kUniform, kLogNormal, kSieved };

  /// A single size. Not explicit, so that a radius converts to a distribution.
  SizeDistribution(double radius = 0.0) : smallest(radius), largest(radius) {}  // NOLINT

  /// Radii uniformly distributed between the bounds.
  static SizeDistribution Uniform(double smallest, double largest);
  /// ln r is normally distributed around ln median with the standard deviation `spread`, truncated
  /// at the bounds.
  /// @pre the median is between the bounds
  static SizeDistribution LogNormal(double median, double spread, double smallest, double largest);
  /// A sieving curve: the mass fraction passing[k] has radii up to sieves[k], with linear
  /// interpolation between sieves.
  /// @pre at least two ascending sieves; passing grows monotonically from 0 to 1
  static SizeDistribution Sieved(std::vector<double> sieves, std::vector<double> passing);

  /// The radius that this fraction (0 to 1) of the spheres, by number, does not exceed [m].
  double Quantile(double fraction) const;

  /// Mean of r³ of all spheres [m³].
  double MeanCube() const;

  bool operator==(const SizeDistribution&) const = default;

  Kind kind = Kind::kSingleSize;
  double smallest, largest;          // radii [m]
  double median = 0.0;               // of kLogNormal, before truncation [m]
  double spread = 0.0;               // of kLogNormal [-]
  std::vector<double> sieves = {};   // of kSieved: radii [m]
  std::vector<double> passing = {};  // of kSieved: mass fractions up to these radii [-]
};

/// The names in scenes, in the order of the enumeration.
constexpr std::array<const char*, 4> NamesOf(SizeDistribution::Kind) {
  return {"one", "uniform", "lognormal", "sieved"};
}

}  // namespace scree
