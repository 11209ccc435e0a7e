#include "engine/geometry/periodic_images.hpp"

#include <cmath>

namespace scree {
namespace {

double RoundedTo(double quantum, double v) {
  return quantum > 0.0 ? quantum * std::nearbyint(v / quantum) : v;
}

}  // namespace

PeriodicImages::PeriodicImages(const Domain& domain, double time, double numbering_time)
    : domain_(domain) {
  const Shear& shear = domain.shear;
  const Vec3 length = domain.box.Extent();
  if (domain.deforms) {
    for (int axis = 0; axis < 3; ++axis) {
      stretch_[axis] = RoundedTo(domain.velocity_quantum, domain.stretch[axis] * length[axis]);
    }
    image_offset_ = domain.image_offset;
    speed_ = RoundedTo(domain.velocity_quantum, shear.rate * length[shear.Gradient()] +
                                                    domain.stretch[shear.Flow()] * image_offset_);
    return;
  }
  if (!shear.IsActive()) return;
  const double speed = shear.rate * length[shear.Gradient()];
  constexpr int kDigits = 45;
  velocity_quantum_ = std::ldexp(1.0, std::ilogb(speed) - kDigits);
  speed_ = velocity_quantum_ * std::nearbyint(speed / velocity_quantum_);
  // Whole periods are subtracted, so that images next to the domain have small numbers: −1, 0 or 1.
  const double period = length[shear.Flow()];
  image_offset_ = speed_ * time - period * std::nearbyint(speed_ * numbering_time / period);
}

Vec3 PeriodicImages::Shift(const Image& image) const {
  const Vec3 length = domain_.box.Extent();
  Vec3 shift(image[0] * length[0], image[1] * length[1], image[2] * length[2]);
  if (AreMoving()) {
    const auto periods = image[static_cast<std::size_t>(domain_.shear.Gradient())];
    if (periods != 0) shift[domain_.shear.Flow()] += periods * image_offset_;
  }
  return shift;
}

Vec3 PeriodicImages::Velocity(const Image& image) const {
  Vec3 velocity = Vec3::Zero();
  if (!AreMoving()) return velocity;
  if (domain_.deforms) {
    for (int axis = 0; axis < 3; ++axis) {
      velocity[axis] = image[static_cast<std::size_t>(axis)] * stretch_[axis];
    }
  }
  velocity[domain_.shear.Flow()] +=
      image[static_cast<std::size_t>(domain_.shear.Gradient())] * speed_;
  return velocity;
}

double PeriodicImages::PeriodsAway(const Vec3& x, const Vec3& wrapped) const {
  const int axis = domain_.shear.Gradient();
  return std::nearbyint((x[axis] - wrapped[axis]) / domain_.box.Extent()[axis]);
}

Vec3 PeriodicImages::Wrap(const Vec3& x) const {
  Vec3 wrapped = domain_.Wrap(x);
  if (!AreMoving()) return wrapped;
  const double periods_away = PeriodsAway(x, wrapped);
  if (periods_away == 0.0) return wrapped;
  wrapped[domain_.shear.Flow()] -= periods_away * image_offset_;
  return domain_.Wrap(wrapped);
}

Vec3 PeriodicImages::VelocityOfWrap(const Vec3& x) const {
  Vec3 velocity = Vec3::Zero();
  if (!AreMoving()) return velocity;
  const double periods_away = PeriodsAway(x, domain_.Wrap(x));
  if (domain_.deforms) {
    Vec3 aligned = x;
    if (periods_away != 0.0) aligned[domain_.shear.Flow()] -= periods_away * image_offset_;
    const Vec3 periods = (aligned - Wrap(x)).cwiseQuotient(domain_.box.Extent());
    for (int axis = 0; axis < 3; ++axis) {
      velocity[axis] = -std::nearbyint(periods[axis]) * stretch_[axis];
    }
  }
  velocity[domain_.shear.Flow()] -= periods_away * speed_;
  return velocity;
}

void PeriodicImages::Wrap(Vec3& x, Vec3& v) const {
  if (AreMoving()) v += VelocityOfWrap(x);
  x = Wrap(x);
}

Vec3 PeriodicImages::Rounded(Vec3 v) const {
  if (!AreMoving()) return v;
  if (domain_.deforms) {
    for (double& component : v) component = RoundedTo(domain_.velocity_quantum, component);
    return v;
  }
  double& component = v[domain_.shear.Flow()];
  component = velocity_quantum_ * std::nearbyint(component / velocity_quantum_);
  return v;
}

}  // namespace scree
