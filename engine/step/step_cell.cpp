#include "engine/step/step_cell.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/contacts/wall_impulse.hpp"
#include "engine/geometry/periodic_images.hpp"
#include "solvers/base/check.hpp"
#include "solvers/base/exact_sum.hpp"
#include "solvers/one_contact/rigid_body.hpp"

namespace scree {
namespace {

/// Sums over all ranks. Exact sums have the same bits on any number of ranks.
template <std::size_t count>
class RankSums {
 public:
  explicit RankSums(bool is_exact) : is_exact_(is_exact) {}
  void Add(std::size_t k, double term) {
    is_exact_ ? sums_[k].Add(term) : static_cast<void>(plain_[k] += term);
  }
  std::array<double, count> SumOver(const Communicator& communicator) {
    if (!is_exact_) {
      communicator.Sum(std::span<double>(plain_));
      return plain_;
    }
    std::vector<std::int64_t> digits;
    for (ExactSum& sum : sums_) {
      digits.insert(digits.end(), sum.Digits().begin(), sum.Digits().end());
    }
    communicator.Sum(digits);
    auto digit = digits.begin();
    for (std::size_t k = 0; k < count; ++k) {
      for (std::int64_t& value : sums_[k].Digits()) value = *digit++;
      plain_[k] = sums_[k].Value();
    }
    return plain_;
  }

 private:
  bool is_exact_;
  std::array<double, count> plain_ = {};
  std::array<ExactSum, count> sums_;
};

/// Maximum strain in one step. Larger strains would invalidate lists and subdomains.
constexpr double kMaxStrain = 0.1;

/// Adds components of a ⊗ b: the diagonal, and the shear component (flow, gradient).
template <class Sums>
void AddProduct(const Shear& axes, const Vec3& a, const Vec3& b, Sums& sums) {
  for (int k = 0; k < 3; ++k) sums.Add(static_cast<std::size_t>(k), a[k] * b[k]);
  sums.Add(kCellShear, a[axes.Flow()] * b[axes.Gradient()]);
}

}  // namespace

Vec3 StepCell::AffineVelocity(const CellComponents& rates, const Vec3& x) const {
  const Vec3 offset = x - centre_;
  Vec3 velocity(rates[0] * offset.x(), rates[1] * offset.y(), rates[2] * offset.z());
  velocity[domain_.shear.Flow()] += rates[kCellShear] * offset[domain_.shear.Gradient()];
  return velocity;
}

void StepCell::Begin(const StepSetup& setup, double time, const CellState& state,
                     const Particles& particles, std::span<const double> inverse_masses,
                     const StepContacts& contacts, Halo& halo) {
  const CellControl& control = setup.scene.cell;
  if (!control.IsActive()) return;
  setup_ = &setup;
  particles_ = &particles;
  step_contacts_ = &contacts;
  halo_ = &halo;
  inverse_masses_ = inverse_masses;
  domain_ = setup.scene.domain;
  centre_ = 0.5 * (domain_.box.lower + domain_.box.upper);
  is_stress_driven_ = control.HasStress();
  needs_rounding_ = setup.scheme.ghost_contacts;
  dt_ = setup.parameters.dt;
  volume_ = domain_.box.Extent().prod();
  rates_before_ = rates_ = state.flow;
  images_before_.assign(halo.velocity.begin(), halo.velocity.end());
  projection_strain_ = {};
  targets_ = {};

  RankSums<kCellComponents + 1> sums(needs_rounding_);
  for (std::size_t i = 0; i < particles.owned; ++i) {
    if (particles.id[i] == kRemovedId) continue;
    const double mass = 1.0 / inverse_masses[i], diameter = 2.0 * particles.radius[i];
    const Vec3 c = particles.velocity[i] - AffineVelocity(rates_before_, particles.position[i]);
    AddProduct(domain_.shear, mass * c, c, sums);
    sums.Add(kCellComponents, mass * diameter * diameter);
  }
  const auto totals = sums.SumOver(setup.communicator);
  std::copy_n(totals.begin(), kCellComponents, kinetic_.begin());
  const double inertia = control.inertia * totals[kCellComponents];
  inertia_ = inertia * (1.0 + dt_ * control.damping);
  max_rate_ = control.max_rate > 0.0
                  ? control.max_rate
                  : kDefaultRate * std::sqrt(volume_ * control.MaxStress() / inertia);
  max_given_rate_ = control.MaxRate();
  const double point = control.PointOf(state, time);
  for (std::size_t k = 0; k < kCellComponents; ++k) {
    const double target = control.At(k, point);
    is_stress_driven_component_[k] = control.drives[k].mode == CellControlMode::kStress;
    if (is_stress_driven_component_[k]) targets_[k] = target;
    const double stress = k == kCellShear ? -target : target;
    free_rates_[k] =
        is_stress_driven_component_[k]
            ? (inertia * state.rates[k] + dt_ * (kinetic_[k] - volume_ * stress)) / inertia_
            : target;
  }
  branches_.resize(contacts.owned.size());
  for (std::size_t j = 0; j < branches_.size(); ++j) {
    const auto a = static_cast<std::size_t>(contacts.owned[j].a);
    const auto b = static_cast<std::size_t>(contacts.owned[j].b);
    branches_[j] = particles.position[a] - particles.position[b];
    if (b >= particles.owned) branches_[j] -= halo.shift[b - particles.owned];
  }
}

template <class Impulse>
CellComponents StepCell::Sum(const Impulse& impulse) const {
  RankSums<kCellComponents> sums(needs_rounding_);
  for (std::size_t j = 0; j < branches_.size(); ++j) {
    AddProduct(domain_.shear, impulse(j), branches_[j], sums);
  }
  return sums.SumOver(setup_->communicator);
}

/// Computes the velocity of the image of each ghost for these rates.
void StepCell::FindImages(const CellComponents& rates, double quantum) {
  Domain moving = domain_;
  moving.stretch = Vec3(rates[0], rates[1], rates[2]);
  moving.shear.rate = rates[kCellShear];
  moving.velocity_quantum = quantum;
  const PeriodicImages images(moving);
  images_.clear();
  for (const Image& image : halo_->image) images_.push_back(images.Velocity(image));
}

/// Applies a change of the rates to all bodies. Ghosts get the same bits as their owners, plus the
/// present velocities of their images (images_).
/// @param before  velocities of the images that the ghosts already include; empty: none
/// @param value   member of a body: v or d
template <class Body, class Value>
void StepCell::Deform(const CellComponents& change, std::span<const Vec3> before, double quantum,
                      std::span<Body> bodies, Value Body::*value) const {
  const auto deformed = [&](const Vec3& start, std::size_t i) {
    Vec3 sum = start + AffineVelocity(change, particles_->position[i]);
    if (quantum > 0.0) sum = quantum * (sum / quantum).array().round().matrix();
    return sum;
  };
  for (std::size_t i = 0; i < particles_->owned; ++i) {
    bodies[i].*value = deformed(bodies[i].*value, i);
  }
  for (std::size_t i = particles_->owned; i < particles_->Size(); ++i) {
    const std::size_t ghost = i - particles_->owned;
    Vec3 start = bodies[i].*value;
    if (!before.empty()) start -= before[ghost];
    bodies[i].*value = deformed(start, i) + images_[ghost];
  }
}

template <class Body>
void StepCell::SetRates(const CellComponents& rates, std::span<Body> bodies) {
  CellComponents change;
  for (std::size_t k = 0; k < kCellComponents; ++k) change[k] = rates[k] - rates_[k];
  rates_ = rates;
  FindImages(rates_, domain_.velocity_quantum);
  Deform(change, halo_->velocity, needs_rounding_ ? domain_.velocity_quantum : 0.0, bodies,
         &Body::v);
  std::copy(images_.begin(), images_.end(), halo_->velocity.begin());
}

template <class Body>
void StepCell::SetUp(std::span<Body> bodies) {
  CellComponents rates = free_rates_;
  for (std::size_t k = 0; k < kCellComponents; ++k) {
    if (is_stress_driven_component_[k]) rates[k] = std::clamp(rates[k], -max_rate_, max_rate_);
  }
  SetRates(rates, bodies);
}

template <class Body>
void StepCell::UpdateFromImpulses(const ContactBatches& batches, std::span<Body> bodies) {
  Finish(batches);
  CellComponents rates = rates_;
  for (std::size_t k = 0; k < kCellComponents; ++k) {
    if (is_stress_driven_component_[k])
      rates[k] = std::clamp(free_rates_[k] + contact_sum_[k] / inertia_, -max_rate_, max_rate_);
  }
  SetRates(rates, bodies);
}

template <class Displaced>
void StepCell::UpdateFromImpulses(const ContactBatches& batches,
                                  const PositionProjection& positions,
                                  std::span<Displaced> bodies) {
  const CellComponents contact_strains = Sum([&](std::size_t j) -> Vec3 {
    return positions.Impulse(batches, j) * step_contacts_->owned[j].normal;
  });
  CellComponents change = {};
  for (std::size_t k = 0; k < kCellComponents; ++k) {
    if (!is_stress_driven_component_[k]) continue;
    change[k] = contact_strains[k] / inertia_ - projection_strain_[k];
    projection_strain_[k] += change[k];
  }
  // The resolution is finer than the last bit of positions.
  const double quantum =
      needs_rounding_ ? std::ldexp(1.0, std::ilogb(domain_.box.Extent().maxCoeff()) - 56) : 0.0;
  FindImages(projection_strain_, quantum);
  Deform(change, {}, quantum, bodies, kDisplacement<Displaced>);
}

template void StepCell::UpdateFromImpulses(const ContactBatches&, const PositionProjection&,
                                           std::span<Displacement>);
template void StepCell::UpdateFromImpulses(const ContactBatches&, const PositionProjection&,
                                           std::span<RigidBody>);

void StepCell::Finish(const ContactBatches& batches) {
  contact_sum_ = Sum([&](std::size_t j) {
    const auto a = static_cast<std::size_t>(step_contacts_->owned[j].a);
    const double radius = setup_->has_clumps ? 1.0 : particles_->radius[a];
    return WrenchOnA(batches, j, radius).impulse;
  });
}

void StepCell::Move(CellState& state) const {
  MoveCell(rates_, projection_strain_, dt_, domain_.shear, state);
  for (std::size_t k = 0; k < kCellComponents; ++k) {
    const double strain = dt_ * rates_[k] + projection_strain_[k];
    if (std::abs(strain) < kMaxStrain) continue;
    throw SimulationError(Text("the cell is strained by ", strain, " in one step of ", dt_,
                               " s; expected less than ", kMaxStrain,
                               ". Use a shorter step, more inertia or a lower max_rate in [cell]"));
  }
}

template <class Body>
double StepCell::WorkOn(std::span<const Body> mean) const {
  CellComponents change;
  for (std::size_t k = 0; k < kCellComponents; ++k) change[k] = rates_[k] - rates_before_[k];
  double work = 0.0;
  for (std::size_t i = 0; i < particles_->owned; ++i) {
    if (particles_->id[i] == kRemovedId) continue;
    work += mean[i].v.dot(AffineVelocity(change, particles_->position[i])) / inverse_masses_[i];
  }
  return work;
}

std::span<const Vec3> StepCell::MeanOfImages() {
  images_.assign(halo_->velocity.begin(), halo_->velocity.end());
  for (std::size_t g = 0; g < images_.size(); ++g) {
    images_[g] = 0.5 * (images_[g] + images_before_[g]);
  }
  return images_;
}

CellComponents StepCell::Stress() const {
  CellComponents stress = {};
  if (setup_ == nullptr) return stress;
  for (std::size_t k = 0; k < kCellComponents; ++k) {
    stress[k] = (contact_sum_[k] / dt_ + kinetic_[k]) / volume_;
  }
  stress[kCellShear] *= -1.0;
  return stress;
}

template void StepCell::SetUp(std::span<SphereBody>);
template void StepCell::SetUp(std::span<RigidBody>);
template void StepCell::UpdateFromImpulses(const ContactBatches&, std::span<SphereBody>);
template void StepCell::UpdateFromImpulses(const ContactBatches&, std::span<RigidBody>);
template double StepCell::WorkOn(std::span<const SphereBody>) const;
template double StepCell::WorkOn(std::span<const RigidBody>) const;

}  // namespace scree
