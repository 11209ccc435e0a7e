/// \file  Restitution from approach speed and load for contacts of given material constants: exact,
///        and from a table that is fast enough for a step of many contacts.
///
/// Theory: viscoelastic.hpp. In the dimensionless γ and g̃ a contact model has one restitution
/// e(γ, g̃) for all sizes and materials, so one table per model serves every pair of bodies; a pair
/// adds only two numbers (PairScales).
#pragma once

#include <cmath>
#include <memory>
#include <vector>

#include "solvers/restitution/viscoelastic.hpp"

namespace scree::impact {

struct RestitutionLaw {
  ContactModel model;
  ImpactEnd end = ImpactEnd::kDeformationZero;
};

/// The restitution at the approach speed > 0 [m/s], integrated with an error of 1e-13 (near grazing
/// 1e-13/e).
/// @throws InputError
double ExactRestitution(const RestitutionLaw& law, const ContactConstants& constants, double speed);

/// The position of a pair of bodies in the tables: ln γ and ln g̃ at 1 m/s. Without load ln g̃ is
/// −∞.
struct PairScales {
  double log_gamma = 0.0;
  double log_load = 0.0;
};

/// @throws InputError
PairScales ScalesOfPair(const ContactModel& model, const ContactConstants& constants);

/// Tables of e(γ) and, if requested, of e(γ, g̃), on grids that are uniform in logarithms,
/// interpolated by cubics. Look-ups neither allocate nor throw. Without load |Δe| ≤ kUnloadedError,
/// or kFadingError where e < 0.01 (hertz-linear contacts about to creep); 1e-6 is typical. With
/// load |Δ(e²)| ≤ kLoadedError for g̃ up to 1e3. For e ≥ 1/2 the error of e is no larger than that.
/// Near grazing it is up to the square root of kLoadedError, because e falls to zero like a square
/// root.
class RestitutionTable {
 public:
  enum class Loads { kNone, kAny };

  static constexpr double kUnloadedError = 1e-5, kFadingError = 5e-4, kLoadedError = 3e-4;

  /// Takes 0.1 s without loads, and a second with them.
  /// @throws InputError if an exponent is below 1, or if a table with loads is requested for
  ///         impacts that do not end at u = 0. Their e(γ) jumps to zero, which cubics cannot fit
  RestitutionTable(const RestitutionLaw& law, Loads loads);

  /// The table of a law. The process computes it once and keeps it.
  /// @throws InputError  as the constructor
  static std::shared_ptr<const RestitutionTable> Shared(const RestitutionLaw& law, Loads loads);

  /// The restitution of a pair. A table without loads ignores the load. The error of a pair without
  /// load is at most kUnloadedError in either table.
  /// @param speed  approach speed, > 0 [m/s]
  double Restitution(const PairScales& pair, double speed) const {
    const double log_speed = std::log(speed);
    const double log_gamma = pair.log_gamma + gamma_power_ * log_speed;
    if (loaded_.empty() || pair.log_load == -INFINITY) return RestitutionAt(log_gamma);
    return RestitutionAt(log_gamma, pair.log_load + load_power_ * log_speed);
  }

  double RestitutionAt(double log_gamma) const;
  double RestitutionAt(double log_gamma, double log_load) const;

 private:
  void TabulateLoads(const RestitutionLaw& law);
  void TabulateRow(const RestitutionLaw& law, int row);

  double gamma_power_;            // γ ∝ v^(2β/(α+1) − 1)
  double load_power_;             // g̃ ∝ v^(−2α/(α+1))
  std::vector<double> unloaded_;  // e as a function of ln γ
  // e² as a function of X = ln(2βγI₀(g̃)), the logarithm of the loss to first order, in rows of
  // constant g̃ (I₀: load_integrals.hpp). As a function of X, e² hardly depends on the row. Beyond
  // grazing it continues smoothly to negative values.
  std::vector<double> loaded_;
  std::vector<double> log_loss_;  // ln(2βI₀) of each row
};

}  // namespace scree::impact
