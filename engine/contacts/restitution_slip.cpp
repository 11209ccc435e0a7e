#include "engine/contacts/restitution_slip.hpp"

#include <algorithm>
#include <cmath>

namespace scree {
namespace {

/// A contact of a group, with its impulse r.
struct Rebounding {
  Vec3 normal;
  ContactArms arms;
  double bias = 0.0, mobility = 0.0;  // b [m/s], Aₙₙ [1/kg]
  double impulse = 0.0;               // r [N s]
};

/// Contacts between two bodies, or between a body and walls, starting from rest. They are in the
/// order of detection. Neither this order nor the bits of u depend on which body is a.
class Group {
 public:
  void Begin(const ContactInput& input, const DetectedContact& first) {
    contacts_.clear();
    partners_.clear();
    with_walls_ = input.Bodies().IsWall(first.b);
    body_ = AtRest(input, first.a);
    if (!with_walls_) partners_.push_back(AtRest(input, first.b));
  }
  void Add(const ContactInput& input, const ContactSpan& contacts, std::size_t j, double bias) {
    const DetectedContact& found = contacts[j];
    const auto [weight_a, weight_b] = input.WeightsOf(contacts, j);
    contacts_.push_back({found.normal, input.ArmsOf(contacts, j), bias, weight_a + weight_b, 0.0});
    if (with_walls_) partners_.push_back(AtRest(input, found.b));
  }
  /// Gauss-Seidel on r.
  void Solve() {
    constexpr int kSweeps = 200;
    constexpr double kRounding = 1e-14;
    double fastest = 0.0, change = 1.0;
    for (const Rebounding& contact : contacts_) {
      fastest = std::max(fastest, std::abs(contact.bias));
    }
    for (int sweep = 0; sweep < kSweeps && change > kRounding * fastest; ++sweep) {
      change = 0.0;
      for (std::size_t k = 0; k < contacts_.size(); ++k) {
        Rebounding& contact = contacts_[k];
        const double residual = VelocityAt(k).dot(contact.normal) + contact.bias;
        const double impulse = std::max(0.0, contact.impulse - residual / contact.mobility);
        const double added = impulse - contact.impulse;
        ApplyImpulse(contact.arms, added * contact.normal, body_, PartnerOf(k));
        contact.impulse = impulse;
        change = std::max(change, std::abs(added) * contact.mobility);
      }
    }
  }
  Vec3 SlipAt(std::size_t k) {
    const Vec3 velocity = VelocityAt(k);
    const Vec3& n = contacts_[k].normal;
    return velocity - velocity.dot(n) * n;
  }

 private:
  static RigidBody AtRest(const ContactInput& input, Index i) {
    RigidBody body = input.rigid[static_cast<std::size_t>(i)];
    body.v = body.omega = Vec3::Zero();
    return body;
  }
  RigidBody& PartnerOf(std::size_t k) { return partners_[with_walls_ ? k : 0]; }
  Vec3 VelocityAt(std::size_t k) {
    return RelativeVelocity(body_, PartnerOf(k), contacts_[k].arms);
  }

  bool with_walls_ = false;
  RigidBody body_;                   // a
  std::vector<RigidBody> partners_;  // b; for walls one per contact
  std::vector<Rebounding> contacts_;
};

}  // namespace

void SetRestitutionSlips(const ContactInput& input, std::span<const Index> impacts,
                         ContactBatches& batches) {
  const ContactBodies bodies = input.Bodies();
  const auto are_together = [&](const DetectedContact& x, const DetectedContact& y) {
    return x.a == y.a && (x.b == y.b || (bodies.IsWall(x.b) && bodies.IsWall(y.b)));
  };
  const std::size_t owned = input.detected.size();
  std::size_t done = 0;  // the u of all contacts before this one are set
  Group group;
  for (const Index impact : impacts) {
    const auto number = static_cast<std::size_t>(impact);
    if (number < done) continue;
    const bool is_ghost = number >= owned;
    const ContactSpan& list = is_ghost ? input.ghosts : input.detected;
    const std::size_t offset = is_ghost ? owned : 0;
    const DetectedContact& found = list[number - offset];
    std::size_t first = number - offset, last = first + 1;
    while (first > 0 && are_together(list[first - 1], found)) --first;
    while (last < list.size() && are_together(list[last], found)) ++last;
    group.Begin(input, found);
    for (std::size_t j = first; j < last; ++j) {
      group.Add(input, list, j, batches.Bias(offset + j));
    }
    group.Solve();
    for (std::size_t j = first; j < last; ++j) {
      batches.SetRestitutionSlip(offset + j, group.SlipAt(j - first));
    }
    done = offset + last;
  }
}

}  // namespace scree
