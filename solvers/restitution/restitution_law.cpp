#include "solvers/restitution/restitution_law.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <tuple>

#include "solvers/base/check.hpp"
#include "solvers/restitution/load_integrals.hpp"

namespace scree::impact {
namespace {

struct Axis {
  double first;
  double density;  // nodes per unit
  int size;

  double At(int i) const { return first + i / density; }
};

// ln γ, for γ from 1e-8, where 1 − e is about as small, to 1.8e3, where e is zero or the contact
// model has no meaning.
constexpr Axis kGamma = {-18.5, 128.0, 3329};
// ln of the first-order loss, for losses from 1e-7 to 400, where the body has nearly come to rest.
constexpr Axis kLoss = {-16.125, 12.0, 267};
// ln g̃, for g̃ from 1e-9, which is negligible, to 1e3. Under larger loads a body does not detach for
// any γ that matters.
constexpr Axis kLoad = {-20.75, 6.0, 168};
// Tolerance of the integration; the error of the interpolation is larger.
constexpr double kTolerance = 1e-12;
// Grazing is at a different node in each row, and an interpolation uses four rows. Each row
// therefore continues for this number of nodes beyond grazing.
constexpr int kBeyondGrazing = 8;
// Smaller coefficients of restitution count as zero.
constexpr double kNoRestitution = 1e-6;

/// Compiles to two instructions. std::clamp may compile to branches, which the processor could not
/// predict here.
double Limit(double value, double low, double high) { return std::min(std::max(value, low), high); }

/// Position of a value between nodes, and the weights of the cubic through the four nodes around
/// it. Values outside the grid are moved to the last but one node on their side, so that four nodes
/// always exist.
struct Stencil {
  Stencil(const Axis& axis, double value) {
    // Slightly below the node, so that the integer part is that of the node before.
    const double last = axis.size - 2.0 - 1e-9;
    const double position = Limit((value - axis.first) * axis.density, 1.0, last);
    const double whole = std::floor(position);
    begin = static_cast<int>(whole) - 1;
    const double t = position - whole;
    const double a = t + 1.0, b = t - 1.0, c = t - 2.0;
    weights = {t * b * c * (-1.0 / 6.0), a * b * c * 0.5, a * t * c * -0.5,
               a * t * b * (1.0 / 6.0)};
  }

  double Interpolate(const double* values) const {
    const double* v = values + begin;
    return (weights[0] * v[0] + weights[1] * v[1]) + (weights[2] * v[2] + weights[3] * v[3]);
  }

  int begin;
  std::array<double, 4> weights;
};

ScaledImpact MakeImpact(const RestitutionLaw& law, double gamma, double load) {
  return {law.model.alpha, law.model.beta, gamma, load, law.end};
}

}  // namespace

double ExactRestitution(const RestitutionLaw& law, const ContactConstants& constants,
                        double speed) {
  ScaledImpact impact = Scale(law.model, constants, speed);
  impact.end = law.end;
  return IntegrateImpact(impact).restitution;
}

PairScales ScalesOfPair(const ContactModel& model, const ContactConstants& constants) {
  const ScaledImpact impact = Scale(model, constants, 1.0);
  return {std::log(impact.gamma), std::log(impact.load)};
}

RestitutionTable::RestitutionTable(const RestitutionLaw& law, Loads loads)
    : gamma_power_(2.0 * law.model.beta / (law.model.alpha + 1.0) - 1.0),
      load_power_(-2.0 * law.model.alpha / (law.model.alpha + 1.0)),
      unloaded_(static_cast<std::size_t>(kGamma.size), 0.0) {
  for (int i = 0; i < kGamma.size; ++i) {
    const ImpactResult result =
        IntegrateImpact(MakeImpact(law, std::exp(kGamma.At(i)), 0.0), kTolerance);
    if (result.restitution < kNoRestitution) break;
    unloaded_[static_cast<std::size_t>(i)] = result.restitution;
  }
  if (loads == Loads::kAny) TabulateLoads(law);
}

std::shared_ptr<const RestitutionTable> RestitutionTable::Shared(const RestitutionLaw& law,
                                                                 Loads loads) {
  using Key = std::tuple<double, double, ImpactEnd, Loads>;
  static std::mutex mutex;
  static std::map<Key, std::shared_ptr<const RestitutionTable>> tables;
  const std::lock_guard lock(mutex);
  auto& table = tables[{law.model.alpha, law.model.beta, law.end, loads}];
  if (table == nullptr) table = std::make_shared<const RestitutionTable>(law, loads);
  return table;
}

void RestitutionTable::TabulateLoads(const RestitutionLaw& law) {
  if (law.end != ImpactEnd::kDeformationZero) {
    throw InputError("a restitution law with loads needs impacts that end at zero deformation");
  }
  loaded_.assign(static_cast<std::size_t>(kLoad.size * kLoss.size), 0.0);
  for (int row = 0; row < kLoad.size; ++row) {
    const LoadIntegrals integrals =
        IntegrateLoad(law.model.alpha, law.model.beta, std::exp(kLoad.At(row)));
    log_loss_.push_back(std::log(2.0 * law.model.beta * integrals.i0));
    TabulateRow(law, row);
  }
}

void RestitutionTable::TabulateRow(const RestitutionLaw& law, int row) {
  double* energy = loaded_.data() + row * kLoss.size;
  const double load = std::exp(kLoad.At(row));
  int beyond = 0;
  for (int i = 0; i < kLoss.size; ++i) {
    if (beyond > kBeyondGrazing) {
      energy[i] = energy[i - 1];
      continue;
    }
    const double gamma = std::exp(kLoss.At(i) - log_loss_.back());
    const ImpactResult result =
        IntegrateImpact(MakeImpact(law, gamma, load), kTolerance, OnCapture::kFollow);
    energy[i] = result.detached ? result.restitution * result.restitution : result.energy;
    if (result.restitution < kNoRestitution) ++beyond;
  }
}

double RestitutionTable::RestitutionAt(double log_gamma) const {
  return Limit(Stencil(kGamma, log_gamma).Interpolate(unloaded_.data()), 0.0, 1.0);
}

double RestitutionTable::RestitutionAt(double log_gamma, double log_load) const {
  SCREE_ASSERT(!loaded_.empty());
  const Stencil rows(kLoad, log_load);
  const Stencil columns(kLoss, log_gamma + rows.Interpolate(log_loss_.data()));
  const double* row = loaded_.data() + rows.begin * kLoss.size + columns.begin;
  std::array<double, 4> interpolated{};
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = 0; j < 4; ++j) {
      interpolated[j] = std::fma(rows.weights[i], row[j], interpolated[j]);
    }
    row += kLoss.size;
  }
  double energy = 0.0;
  for (std::size_t j = 0; j < 4; ++j) energy += columns.weights[j] * interpolated[j];
  return std::sqrt(Limit(energy, 0.0, 1.0));
}

}  // namespace scree::impact
